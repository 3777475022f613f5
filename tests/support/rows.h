/* rows.h - makes small parameters, contexts and feedback that fit any row of the catalog, so that
 * one test can loop over all rows. Everything is fixed: the same round gives the same numbers.
 */
#ifndef LOTOR_TESTS_ROWS_H
#define LOTOR_TESTS_ROWS_H

#include "policy/policy.h"
#include "support/test_source.h"

enum { ROWS_ARMS = 5, ROWS_DIMENSION = 3, ROWS_CLICKS = 3 };

/* Parameters of a row: 5 arms and epsilon = 100. Matroids and semi-bandits show 2 arms, cascades
 * lists of 3; linear problems have 5 actions of 3 dimensions. Rows for any problem are set up as
 * semi-bandits. */
lotor_policy_params rows_params(const lotor_algorithm *algorithm, uint64_t horizon);

/* The same as a cascade, for rows for any problem. */
lotor_policy_params rows_list_params(const lotor_algorithm *algorithm, uint64_t horizon);

/* Sets a structure on the 5 arms. With structures after CUSTOM, sets have different sizes. */
void rows_set_structure(lotor_policy_params *params, lotor_structure structure);

/* The number of structures that a row can have: the first n of top, partition, ... */
int rows_structures(const lotor_algorithm *algorithm);

/* Makes a policy with exact noise from the source; without an exact sampler, with simulated noise
 * from the source's generator. Fails the test if that is not possible. */
lotor_policy *rows_make(const lotor_policy_params *params, test_source *source);
lotor_status rows_try_make(const lotor_policy_params *params, test_source *source,
                           lotor_message *why, lotor_policy **out);

/* Saves and loads a policy, on a copy of the source, so that both continue with the same noise.
 * Fails the test if that is not possible. Not for simulated noise. */
lotor_policy *rows_reload(const lotor_policy *policy, const lotor_policy_params *custom,
                          const test_source *source, test_source *copy);

/* True if the saved policy can be loaded again: for states that a test changed. */
lotor_status rows_try_reload(const lotor_policy *policy, test_source *source);

/* Writes the actions of a round to `room`, none longer than 1; NULL if the problem has none. */
const double *rows_context(const lotor_policy *policy, uint64_t round,
                           double room[ROWS_ARMS * ROWS_DIMENSION]);

/* Chooses with the context of that round. */
lotor_status rows_choose(lotor_policy *policy, uint64_t round, lotor_message *why,
                         lotor_decision *out);

/* The reward of the i-th asked arm of a round, in the policy's range; and the position of the
 * click. */
double rows_reward(const lotor_policy *policy, uint64_t event, size_t i);
size_t rows_click(const lotor_policy *policy, uint64_t event);

/* Sends the feedback of a round that asked for `asked` rewards. */
lotor_status rows_observe(lotor_policy *policy, uint64_t event, size_t asked);

/* Fails the test unless both save to the same bytes. */
void rows_expect_same_state(const lotor_policy *a, const lotor_policy *b);

/* Fails the test unless both are the same; pointers may differ. */
void rows_expect_same_decision(const lotor_decision *a, const lotor_decision *b);

#endif
