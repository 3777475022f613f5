/* test_serve_memory.c - the memory of a server with many campaigns: policies that are unloaded give
 * their memory back to the system. */
#include "support/test.h"

#include <stdio.h>
#include <string.h>

#include "service/served.h"

enum { CAMPAIGNS = 60, ARMS = 100, MEGABYTES = 100 };

/* A sanitizer has its own malloc, which keeps freed memory for a while. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static const bool has_sanitizer = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
static const bool has_sanitizer = true;
#else
static const bool has_sanitizer = false;
#endif
#else
static const bool has_sanitizer = false;
#endif

/* The memory of the server that is not swapped out, in megabytes. */
static unsigned long resident(const served_test *served)
{
    char path[64], line[256];
    unsigned long kilobytes = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)served->server.pid);
    FILE *const file = fopen(path, "r");
    assert_non_null(file);
    while (kilobytes == 0 && fgets(line, sizeof line, file)) {
        sscanf(line, "VmRSS: %lu", &kilobytes);
    }
    fclose(file);
    assert_true(kilobytes > 0);
    return kilobytes / 1024;
}

TEST_WITH(unloaded_policies_take_no_memory, NULL, served_teardown)
{
    served_test served;
    char body[4096], path[64];
    served_begin(&served, NULL);
    for (unsigned i = 0; i < CAMPAIGNS; i++) {
        int length = snprintf(body, sizeof body,
                              "{\"name\":\"c%u\",\"slots\":4,\"epsilon\":1,\"arms\":[", i);
        for (unsigned arm = 0; arm < ARMS; arm++) {
            length += snprintf(body + length, sizeof body - (size_t)length, "%s\"a%u\"",
                               arm ? "," : "", arm);
        }
        snprintf(body + length, sizeof body - (size_t)length, "]}");
        json_decref(served_call(&served, "POST", "/v1/campaigns", body, 201));
    }
    for (unsigned i = 0; i < CAMPAIGNS; i++) {
        snprintf(path, sizeof path, "/v1/campaigns/c%u/rank", i);
        json_decref(served_call(&served, "POST", path, "{}", 200));
    }
    const unsigned long found = resident(&served);
    print_message("%d campaigns with %d arms: %lu MB\n", CAMPAIGNS, ARMS, found);
    assert_true(has_sanitizer || found < MEGABYTES);
    assert_int_equal(lotor_child_stop(&served.server), 0);
    served_end(&served);
}
