/* test_dashboard_allocation.c - a simulation for the dashboard, with each of its allocations
 * failing. There is no server, since its threads would allocate, too. */
#include "support/test.h"

#include <jansson.h>

#include "service/lab/lab.h"
#include "support/failing_memory.h"

TEST(test_every_allocation_of_a_simulation_can_fail)
{
    json_t *const body = json_loads("{\"epsilon\":1,\"means\":[0.2,0.8],\"rounds\":10}", 0, NULL);
    const size_t before = failing_memory_live();
    size_t failures = 0;
    for (bool failed = true; failed; failures++) {
        lotor_refusal refusal = {.code = LOTOR_CODE_NONE};
        failing_memory_start(failures + 1);
        json_t *const made = lotor_lab_simulate(body, &refusal);
        failed = failing_memory_stop() >= failures + 1;
        assert_true((made != NULL) != failed);
        assert_int_equal(refusal.code, LOTOR_CODE_NONE); /* the caller reports "out of memory" */
        json_decref(made);
        assert_int_equal(failing_memory_live(), before);
    }
    assert_true(failures > 10);
    json_decref(body);
}
