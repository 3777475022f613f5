/* rows.h - any row of the catalog, small: parameters, contexts and answers that fit its problem, so
 * that one test can loop over all of them. Everything is fixed: the same round, the same numbers.
 */
#ifndef LOTOR_TESTS_ROWS_H
#define LOTOR_TESTS_ROWS_H

#include "policy/policy.h"
#include "support/test_source.h"

enum { ROWS_ARMS = 5, ROWS_DIMENSION = 3, ROWS_CLICKS = 3 };

/* Parameters of a row: 5 arms; 2 of them at once on matroids and in semi-bandits, lists of 3 in
 * cascades, 5 actions of 3 dimensions in linear problems. epsilon = 100. Rows that play any problem: as
 * in semi-bandits. */
lotor_policy_params rows_params(const lotor_algorithm *algorithm, uint64_t horizon);

/* The same in a cascade, for rows that play any problem. */
lotor_policy_params rows_list_params(const lotor_algorithm *algorithm, uint64_t horizon);

/* Puts a structure on the 5 arms. In those above custom, sets differ in size. */
void rows_set_structure(lotor_policy_params *params, lotor_structure structure);

/* The structures that a row can have: the first n of top, partition, ... */
int rows_structures(const lotor_algorithm *algorithm);

/* Makes a policy: with exact noise from the source or, where there is no exact sampler, simulated
 * noise from its generator. Fails the test when it can't. */
lotor_policy *rows_make(const lotor_policy_params *params, test_source *source);
lotor_status rows_try_make(const lotor_policy_params *params, test_source *source,
                           lotor_message *why, lotor_policy **out);

/* Saves and loads, on a copy of the source: both go on with the same noise. Fails the test when it
 * can't. Not for simulated noise. */
lotor_policy *rows_reload(const lotor_policy *policy, const lotor_policy_params *custom,
                          const test_source *source, test_source *copy);

/* Whether what it saves can be loaded again: for states that were changed by hand. */
lotor_status rows_try_reload(const lotor_policy *policy, test_source *source);

/* The actions of a round, none longer than 1, in `room`; NULL where there are none. */
const double *rows_context(const lotor_policy *policy, uint64_t round,
                           double room[ROWS_ARMS * ROWS_DIMENSION]);

/* Chooses with the context of that round. */
lotor_status rows_choose(lotor_policy *policy, uint64_t round, lotor_message *why,
                         lotor_decision *out);

/* What the i-th asked arm of a round pays, in the policy's range; where the click is. */
double rows_reward(const lotor_policy *policy, uint64_t event, size_t i);
size_t rows_click(const lotor_policy *policy, uint64_t event);

/* Answers a round that asked for `asked` rewards. */
lotor_status rows_answer(lotor_policy *policy, uint64_t event, size_t asked);

/* Fails the test unless both save to the same bytes. */
void rows_expect_same_state(const lotor_policy *a, const lotor_policy *b);

/* Fails the test unless both are the same; pointers may differ. */
void rows_expect_same_decision(const lotor_decision *a, const lotor_decision *b);

#endif
