/* imed_rig.h - a learner of learn/imed.h on a board that the test fills by hand. One at a time.
 *
 * Release number b of an arm goes to row b of the board, modulo the number of rows.
 */
#ifndef LOTOR_TESTS_IMED_RIG_H
#define LOTOR_TESTS_IMED_RIG_H

#include "learn/imed.h"

enum { RIG_ARMS = 6, RIG_ROWS = 8 };

typedef struct imed_rig {
    lotor_oracle *oracle;
    lotor_board *board;
    lotor_imed_learner *learner;
    lotor_imed_counts counts[RIG_ARMS];
    uint64_t releases[RIG_ARMS], time;
} imed_rig;

extern imed_rig rig;

/* Rewards in [0,1], caution 3.5, lag 1, 8 rows; without an oracle. */
lotor_imed_setup rig_setup(double epsilon);

/* Makes learner and board. Takes the oracle, which replaces that of the setup. */
void rig_start(lotor_imed_setup setup, lotor_oracle *oracle);

/* The same with the oracle that takes the `slots` best of the arms. */
void rig_start_top(lotor_imed_setup setup, size_t arms, size_t slots);
void rig_end(void);

/* A release at that time, or one later than the release before it. */
void rig_release_at(uint64_t time, size_t arm, uint64_t n, double sum);
void rig_release(size_t arm, uint64_t n, double sum);

/* With epsilon = log 2 and a sum above n, the estimate is 1. */
void rig_release_all_ones(size_t arm, uint64_t n);

lotor_imed_plan rig_choose(uint64_t t, const bool *eligible);

/* Chooses at round 3 among all arms; fails the test unless the plan is this one. */
void rig_expect(uint32_t recorded, uint64_t size, uint64_t hold);

/* Fails the test unless exactly these arms are shown in this order. */
void rig_expect_order(const lotor_imed_plan *plan, const uint32_t *arms, size_t count);

#endif
