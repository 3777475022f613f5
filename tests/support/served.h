/* served.h - rounds of a served policy, stored by the test as a service stores them. */
#ifndef LOTOR_TESTS_SERVED_H
#define LOTOR_TESTS_SERVED_H

#include "policy/serving.h"
#include "support/rows.h"

/* A copy of a decision. */
typedef struct served_round {
    uint64_t event;
    uint32_t arms[ROWS_ARMS], asked[ROWS_ARMS];
    size_t count, asked_count;
    double action[ROWS_DIMENSION];
} served_round;

lotor_display served_display(const lotor_policy *policy, const served_round *round);

/* Draws a decision with the context of that round, and copies it. Fails the test if that is not
 * possible. */
void served_draw(lotor_policy *policy, uint64_t round, const bool *eligible, served_round *out);

/* Copies the decision of that round. */
void served_copy(const lotor_policy *policy, uint64_t round, const lotor_decision *decision,
                 served_round *out);

/* Encodes the feedback of rows_observe; in the local model as a device does, with `source`. */
size_t served_encode(const lotor_policy *policy, const served_round *round, lotor_source *source,
                     int64_t units[2 * ROWS_ARMS]);

/* Enters the round, with that feedback or without. */
void served_enter(lotor_policy *policy, const served_round *round, bool answered,
                  lotor_source *source);

/* Calls `each` with parameters for `horizon`, for all rows that the service offers. Rows for any
 * problem come also as lists and as matroids. */
void served_each(uint64_t horizon, void (*each)(const lotor_policy_params *params));

/* Fails the test unless both have the same facts. */
void served_expect_same_facts(const lotor_policy *a, const lotor_policy *b);

#endif
