/* test_verify_allocation.c - the k-th allocation of the verifier fails: it returns LOTOR_MEMORY and
 * leaks nothing.
 *
 * The counters allocate in every run of the driven code, hundreds of times. So the test tries the
 * first 40 allocations, and then every 37th. */
#include "support/test.h"

#include <string.h>

#include "lab/verify.h"
#include "support/failing_memory.h"

static void ignore(void *context, const lotor_verify_finding *finding)
{
    size_t *count = context;
    *count += finding->compared > 0;
}

static lotor_status verify(const lotor_verify_mechanism *row, lotor_message *why)
{
    const lotor_verify_request request = {.epsilon = {1, 1}};
    size_t found = 0;
    return lotor_verify(row, &request, why, ignore, &found);
}

TEST(every_failure_is_told)
{
    size_t failures = 0;
    for (const lotor_verify_mechanism *row = lotor_verify_mechanisms; row->id; row++) {
        const size_t before = failing_memory_live();
        lotor_message why = {""};
        failing_memory_start(0);
        const lotor_status status = verify(row, &why);
        const size_t allocations = failing_memory_stop();
        assert_int_equal(status, LOTOR_OK);
        for (size_t k = 1; k <= allocations; k += k < 40 ? 1 : 37) {
            why.text[0] = '\0';
            failing_memory_start(k);
            const lotor_status failed = verify(row, &why);
            failing_memory_stop();
            assert_int_equal(failed, LOTOR_MEMORY);
            assert_true(strlen(why.text) > 10);
            assert_int_equal(failing_memory_live(), before);
            failures++;
        }
    }
    assert_true(failures > 100);
}
