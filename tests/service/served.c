/* served.c - runs a real `lotor serve` for tests. See served.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "service/served.h"
#include "support/patience.h"

enum { ARGUMENTS = 16 };

static char running_folder[128]; /* a test that fails leaves this folder behind */

int served_run(const char *const *arguments, char *line, size_t capacity)
{
    const char *all[ARGUMENTS] = {"lotor"};
    for (size_t i = 0; arguments[i] && i + 2 < ARGUMENTS; i++) {
        all[i + 1] = arguments[i];
    }
    return lotor_child_ask(LOTOR_EXECUTABLE, all, line, capacity);
}

int served_check(const served_test *served)
{
    char line[300];
    const char *const arguments[] = {"check", served->store, NULL};
    const int code = served_run(arguments, line, sizeof line);
    if (code != 0) {
        print_message("lotor check: %s\n", line);
    }
    return code;
}

static void remove_folder(const char *path)
{
    DIR *folder = opendir(path);
    if (folder) {
        chmod(path, 0700);
        for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
            if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
                unlinkat(dirfd(folder), entry->d_name, 0);
            }
        }
        closedir(folder);
        rmdir(path);
    }
}

void served_begin(served_test *served, const char *const *more)
{
    lotor_message why = {""};
    const char *base = getenv("TMPDIR");
    *served = (served_test){.client = NULL};
    snprintf(served->folder, sizeof served->folder, "%.80s/lotor-served.XXXXXX",
             base && base[0] ? base : "/tmp");
    assert_non_null(mkdtemp(served->folder));
    snprintf(running_folder, sizeof running_folder, "%s", served->folder);
    snprintf(served->store, sizeof served->store, "%s/s.db", served->folder);
    snprintf(served->log, sizeof served->log, "%s/log", served->folder);
    const char *const make_key[] = {"key", "--store", served->store, "--role", "admin", NULL};
    assert_int_equal(served_run(make_key, served->key, sizeof served->key), 0);
    const lotor_child_setup setup = {
        .executable = LOTOR_EXECUTABLE, .store = served->store, .log = served->log, .more = more};
    if (lotor_child_start(&served->server, &setup, &why) != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    assert_int_equal(
        lotor_client_new("127.0.0.1", served->server.port, served->key, &why, &served->client),
        LOTOR_OK);
}

void served_end(served_test *served)
{
    lotor_child_kill(&served->server);
    lotor_client_free(served->client);
    remove_folder(served->folder);
    running_folder[0] = '\0';
}

/* The test's own variables do not exist any more. The server ends when this process ends, at the
 * latest. */
int served_teardown(void **state)
{
    (void)state;
    if (running_folder[0]) {
        remove_folder(running_folder);
        running_folder[0] = '\0';
    }
    return 0;
}

json_t *served_call(served_test *served, const char *method, const char *path, const char *body,
                    unsigned status)
{
    lotor_reply reply;
    lotor_client_call(served->client, method, path, body, test_seconds(20.0), &reply);
    if (reply.status != status) {
        fail_msg("%s %s: %u, not %u: %s%s", method, path, reply.status, status, reply.body,
                 reply.reason);
    }
    return json_loadb(reply.body, reply.length, 0, NULL);
}

void served_campaign(served_test *served, const char *name, unsigned arms, unsigned slots,
                     const char *more)
{
    char body[4096];
    size_t length =
        (size_t)snprintf(body, sizeof body,
                         "{\"name\":\"%s\",\"algorithm\":\"batch-klucb\",\"slots\":%u%s,\"arms\":[",
                         name, slots, more);
    for (unsigned i = 1; i <= arms; i++) {
        length += (size_t)snprintf(body + length, sizeof body - length, "%s{\"id\":\"a%u\"}",
                                   i > 1 ? "," : "", i);
    }
    snprintf(body + length, sizeof body - length, "]}");
    json_decref(served_call(served, "POST", "/v1/campaigns", body, 201));
}
