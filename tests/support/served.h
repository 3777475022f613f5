/* served.h - rounds of a served policy, kept by the test as a service would keep them. */
#ifndef LOTOR_TESTS_SERVED_H
#define LOTOR_TESTS_SERVED_H

#include "policy/serving.h"
#include "support/rows.h"

/* A drawn round: a copy of what the policy said. */
typedef struct served_round {
    uint64_t event;
    uint32_t arms[ROWS_ARMS], asked[ROWS_ARMS];
    size_t count, asked_count;
    double action[ROWS_DIMENSION];
} served_round;

lotor_kept served_kept(const lotor_policy *policy, const served_round *round);

/* Draws with the context of that round, and copies. Fails the test when it can't. */
void served_draw(lotor_policy *policy, uint64_t round, const bool *eligible, served_round *out);

/* Takes a copy of what was shown in that round. */
void served_copy(const lotor_policy *policy, uint64_t round, const lotor_decision *decision,
                 served_round *out);

/* Encodes the answer of rows_answer, in the local model by a device on `source`. */
size_t served_encode(const lotor_policy *policy, const served_round *round, lotor_source *source,
                     int64_t units[2 * ROWS_ARMS]);

/* Enters the round with that answer, or without one. */
void served_enter(lotor_policy *policy, const served_round *round, bool answered,
                  lotor_source *source);

/* The offered rows of the catalog as they can be: of those that play any problem also lists, and the
 * matroids. Calls `each` with parameters for `horizon`. */
void served_each(uint64_t horizon, void (*each)(const lotor_policy_params *params));

/* Fails the test unless both have the same facts. */
void served_expect_same_facts(const lotor_policy *a, const lotor_policy *b);

#endif
