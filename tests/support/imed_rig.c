/* imed_rig.c - see imed_rig.h. */
#include "support/imed_rig.h"

#include "support/test.h"

imed_rig rig;

lotor_imed_setup rig_setup(double epsilon)
{
    return (lotor_imed_setup){.model = {.epsilon = epsilon, .low = 0.0, .high = 1.0},
                              .statistics = RIG_ROWS,
                              .caution = 3.5,
                              .lag = 1.0};
}

void rig_start(lotor_imed_setup setup, lotor_oracle *oracle)
{
    rig = (imed_rig){.oracle = oracle};
    setup.oracle = oracle;
    assert_int_equal(lotor_board_new(setup.statistics, oracle->arms, &rig.board), LOTOR_OK);
    assert_int_equal(lotor_imed_new(&setup, &rig.learner), LOTOR_OK);
}

void rig_start_top(lotor_imed_setup setup, size_t arms, size_t slots)
{
    lotor_oracle *oracle;
    assert_int_equal(lotor_oracle_top(arms, slots, NULL, &oracle), LOTOR_OK);
    rig_start(setup, oracle);
}

void rig_end(void)
{
    lotor_imed_free(rig.learner);
    lotor_board_free(rig.board);
    lotor_oracle_free(rig.oracle);
}

void rig_release_at(uint64_t time, size_t arm, uint64_t n, double sum)
{
    rig.time = time;
    const size_t row = (size_t)(rig.releases[arm]++ % rig.board->statistics);
    assert_int_equal(lotor_board_post(rig.board, row, arm, (lotor_fact){sum, n, time}), LOTOR_OK);
}

void rig_release(size_t arm, uint64_t n, double sum)
{
    rig_release_at(rig.time + 1, arm, n, sum);
}

void rig_release_all_ones(size_t arm, uint64_t n)
{
    rig_release(arm, n, (double)n + 1.0);
}

lotor_imed_plan rig_choose(uint64_t t, const bool *eligible)
{
    return lotor_imed_choose(rig.learner, rig.board, rig.counts, t, t, 1, eligible);
}

void rig_expect(uint32_t recorded, uint64_t size, uint64_t hold)
{
    const lotor_imed_plan plan = rig_choose(3, NULL);
    if (plan.recorded != recorded || plan.size != size || plan.hold != hold) {
        fail_msg("arm %u, size %llu, hold %llu", plan.recorded, (unsigned long long)plan.size,
                 (unsigned long long)plan.hold);
    }
}

void rig_expect_order(const lotor_imed_plan *plan, const uint32_t *arms, size_t count)
{
    assert_int_equal(plan->count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(plan->arms[i], arms[i]);
    }
}
