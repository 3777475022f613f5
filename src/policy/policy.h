/* policy.h - the inside of a policy, for this folder and the lab. The public header is
 * lotor/policy.h.
 *
 * A policy is a row of the catalog with its parts connected:
 *
 *      observe, expire ─▶ inbox ─▶ statistic or epochs ─▶ board ─▶ learner ─▶ choose
 *
 * The lab uses the same parts without the inbox. lotor_policy_stretch says what will be shown for a
 * number of rounds, and lotor_policy_feed takes the sums of their rewards.
 */
#ifndef LOTOR_POLICY_POLICY_H
#define LOTOR_POLICY_POLICY_H

#include <lotor/policy.h>

#include "base/bytes.h"
#include "base/random/generator.h"
#include "board/board.h"
#include "choice/oracle.h"
#include "learn/own.h"
#include "policy/catalog.h"
#include "policy/serving.h"
#include "privacy/intake/coder.h"
#include "privacy/intake/inbox.h"
#include "privacy/noise/noise.h"

enum {
    LOTOR_LINEAR_MAX = 1024,        /* the most dimensions of a contextual problem */
    LOTOR_LINEAR_NUMBERS = 1 << 26, /* the most numbers in the actions of one round */
    LOTOR_VERTICES_PER_EDGE = 64    /* the most vertices per edge of a graph */
};

/* A list that is shown until the arm that it is recorded for has a given number of displays
 * (hold.c). */
typedef struct lotor_held_list {
    bool is_on; /* the list was displayed, and will be displayed again */
    uint32_t *arms;
    size_t count;
    uint32_t *seeds;   /* the vertices behind the arms, if the oracle has seeds */
    uint32_t recorded; /* the arm that the rounds of this list are recorded for */
    uint64_t size;     /* where the learner closes batches: the recorded arm's batch ends here */
    uint64_t posts;    /* and the releases that the list was chosen by */
    uint64_t until;    /* the number of displays of that arm at which the list ends */
} lotor_held_list;

struct lotor_policy {
    const lotor_algorithm *algorithm;
    lotor_policy_params params; /* with defaults filled in; the policy owns the arrays */
    lotor_coder coder;
    lotor_oracle *oracle;

    /* Private data: raw feedback, raw sums, and the noise source. */
    lotor_inbox *inbox;
    lotor_statistic *statistic; /* for an index learner, imed and own algorithms */
    lotor_epoch *epochs;        /* for elimination */
    lotor_matrix *matrix;       /* for a linear learner */
    lotor_noise noise;
    double noise_scale;      /* the factor by which the lab multiplied the noise; 1: it did not */
    lotor_source *owned;     /* the secure source, if the policy made it */
    lotor_generator *seeded; /* the generator that the policy owns, if it is a simulation with a
                                seed (seeded.c): its noise protects nobody. NULL otherwise */
    int64_t *units;          /* room for the encoded feedback of one round */
    size_t unit_count;

    /* Public data. */
    lotor_board *board;
    uint64_t *shown;               /* per arm: how many rounds record its reward */
    uint64_t asked;                /* how many decisions were made, also those past the horizon */
    uint64_t rounds, rounds_ended; /* how many rounds were opened, how many are final */
    lotor_index_learner *index;
    lotor_own_learner *own;
    lotor_imed_learner *imed;
    lotor_imed_counts *counts; /* with imed: room for the public counts of every arm */
    lotor_elimination *elimination;
    lotor_linear_learner *linear;
    lotor_held_list held;    /* for algorithms that record each round for one arm */
    lotor_held_list passing; /* a list for one served round, if the held list is not eligible */
    uint64_t seed;           /* for ties and Thompson samples, which are not noise */
    uint32_t *places;        /* room for the places of all shown arms, and one more */
    bool is_served;          /* the service keeps the rounds (serving.h), and the inbox is empty */
    struct lotor_evaluation *evaluation; /* served: rounds that measure value; or NULL */
    struct lotor_prior
        *prior;          /* served: releases of another policy that it started with; or NULL */
    uint64_t measuring;  /* how many rounds were drawn to measure value, and not taken back */
    uint64_t voided;     /* how many rounds were drawn and then taken back */
    uint64_t blanks;     /* how many rounds are numbered and not filled in yet (serving_blank.c) */
    bool is_chooser;     /* it draws for blanks of another policy, and enters nothing */
    lotor_on_fact *told; /* called at every release, with told_context */
    void *told_context;
    const struct lotor_dips *dips; /* borrowed: lotor_policy_allow_skips was called; or NULL */
    uint32_t single; /* the one arm of a decision, or the recorded arm of "least-shown" */
};

/* Refuses delta = 0 for an algorithm that needs a delta above 0. `row` may be NULL. Inside the
 * library, delta 0 means the default of the algorithm; callers of the public API ask for the
 * default by 0/0. */
lotor_status lotor_policy_refuse_no_delta(const lotor_algorithm *row, lotor_ratio delta,
                                          lotor_message *why);

/* A policy with this noise, which borrows its source. Ties depend on the seed. `noise_scale` is the
 * factor by which the lab has already divided epsilon (1: it has not). The functions below are for
 * the usual noises. */
lotor_status lotor_policy_new_with(const lotor_policy_params *params, double noise_scale,
                                   lotor_noise noise, uint64_t seed, lotor_message *why,
                                   lotor_policy **out);
lotor_status lotor_policy_load_with(const unsigned char *bytes, size_t length,
                                    const lotor_policy_params *custom, lotor_noise noise,
                                    lotor_message *why, lotor_policy **out);

/* A policy with simulated noise. Ties depend on the seed; the generator is borrowed.
 * `noise_scale` is the factor by which the lab has already divided epsilon (1: it has not). */
lotor_status lotor_policy_new_simulated(const lotor_policy_params *params, double noise_scale,
                                        lotor_generator *generator, uint64_t seed,
                                        lotor_message *why, lotor_policy **out);

/* A policy with exact noise from a borrowed source. Ties depend on the seed. For tests. */
lotor_status lotor_policy_new_on(const lotor_policy_params *params, lotor_source *source,
                                 uint64_t seed, lotor_message *why, lotor_policy **out);
lotor_status lotor_policy_load_on(const unsigned char *bytes, size_t length,
                                  const lotor_policy_params *custom, lotor_source *source,
                                  lotor_message *why, lotor_policy **out);

/* lotor_policy_load_grown (serving.h), with a borrowed source. For tests. */
lotor_status lotor_policy_load_grown_on(const unsigned char *bytes, size_t length, size_t arms,
                                        lotor_source *source, lotor_message *why,
                                        lotor_policy **out);

/* seeded.c: the part of a saved policy that only a policy with a seed has: its generator. Saved
 * bytes of such policies are of this kind. */
#define LOTOR_SEEDED_KIND "seeded"
void lotor_seeded_save(const lotor_policy *policy, lotor_writer *writer);
void lotor_seeded_load(lotor_policy *policy, lotor_reader *reader);

/* Starts another game with the same parameters and source (at noise scale 1), as if the policy were
 * new. It keeps the oracle, which can take longer to make than a short game. After a failure, the
 * policy can only be freed. */
lotor_status lotor_policy_restart(lotor_policy *policy, const double *first, uint64_t seed,
                                  lotor_message *why);

/* The arms that the policy shows next, until something can change. Each round of a cycle shows
 * `count` arms, and the cycle is repeated. An index learner has cycles of one round. Elimination
 * has cycles over its viable arms, one arm per round. */
typedef struct lotor_stretch {
    const uint32_t *arms; /* cycle x count; valid until the policy is used again */
    size_t count;
    const uint32_t *asked; /* cycle x asked_count: the arms whose rewards are fed */
    size_t asked_count;
    size_t cycle;
    uint64_t repeats; /* how often the cycle is repeated; nothing changes before all are fed */
    bool matters;     /* false: feedback can no longer change anything */
    bool runs_ahead;  /* the same arms may be chosen after it: lotor_policy_run_ahead */
} lotor_stretch;

/* Finds the next stretch. No round may be open in the inbox. */
void lotor_policy_stretch(lotor_policy *policy, lotor_stretch *out);

/* Feeds the sums of `repeats` cycles of a stretch, at most stretch->repeats. sums[i] is the sum of
 * the rewards of asked[i] over all these cycles, in units. It cannot fail with simulated noise. */
lotor_status lotor_policy_feed(lotor_policy *policy, const lotor_stretch *stretch, uint64_t repeats,
                               const int64_t *sums);

/* The two halves of lotor_policy_feed for algorithms that record one arm a round, if feedback comes
 * later than its display. The function lotor_policy_display counts `rounds` displays of the latest
 * stretch, and returns true if a batch of its recorded arm ends with them. The function
 * lotor_policy_feed_delayed feeds displays that were counted together, in the order of display.
 * Only displays that end a batch can cause a release. */
bool lotor_policy_display(lotor_policy *policy, uint64_t rounds);
lotor_status lotor_policy_feed_delayed(lotor_policy *policy, uint32_t arm, uint64_t rounds,
                                       int64_t sum);

/* contextual.c: feeds a whole round of a linear learner with simulated noise, without the inbox:
 * `numbers` has the shown action and, after it, its reward. The caller makes sure that both are
 * within their bounds. No round may be open in the inbox. */
lotor_status lotor_policy_feed_numbers(lotor_policy *policy, const double *numbers);

/* Where the rewards of lotor_policy_run_ahead come from. `pay` draws the rewards of `count` arms
 * for one round, in units. `pay_sum` draws the sum of many rewards of one arm, in units, and
 * `means` has the mean reward of each arm. Both are NULL if rewards must be drawn one by one. */
typedef struct lotor_payer {
    void (*pay)(void *context, const uint32_t *arms, size_t count, int64_t *units);
    int64_t (*pay_sum)(void *context, uint32_t arm, uint64_t rounds);
    const double *means;
    void *context;
} lotor_payer;

/* Plays a stretch of one round of an index learner. It goes on with the same arms while they are
 * surely chosen again, for at most `most` rounds. *rounds is the number of rounds played. The
 * result is the same as with single rounds, but this is faster. After lotor_policy_allow_skips, and
 * with pay_sum, the law of the result is the same, but the numbers are others. */
lotor_status lotor_policy_run_ahead(lotor_policy *policy, const lotor_stretch *stretch,
                                    uint64_t most, const lotor_payer *payer, uint64_t *rounds);

/* For simulations: lets lotor_policy_run_ahead skip over releases that nobody sees
 * (privacy/release/dips.md). The function lotor_policy_make_dips makes the table for this, which
 * all runs of an experiment can share; *out is NULL if the algorithm has no skips. The function
 * lotor_policy_allow_skips borrows the table, and does nothing if it is NULL or if noise is not
 * simulated. */
lotor_status lotor_policy_make_dips(const lotor_policy_params *params, struct lotor_dips **out);
void lotor_policy_free_dips(struct lotor_dips *dips);
void lotor_policy_allow_skips(lotor_policy *policy, const struct lotor_dips *dips);

/* True if shown arms are ordered by decreasing index, because the order of a list matters. */
static inline bool lotor_policy_is_ranked(const lotor_policy *policy)
{
    return policy->params.cascade || (policy->algorithm->problem != LOTOR_PROBLEM_SEMIBANDIT &&
                                      policy->algorithm->problem != LOTOR_PROBLEM_ANY);
}

/* The expected reward of showing these arms, if means[i] is the mean of arm i. In a cascade this is
 * the probability of a click; otherwise it is the oracle's value. The arms must be the latest
 * pick. */
double lotor_policy_value(const lotor_policy *policy, const double *means, const uint32_t *arms,
                          size_t count);

/* The probability that a list is clicked. */
double lotor_policy_click_chance(const double *means, const uint32_t *arms, size_t count);

/* policy.c: the place in the list of the arm that was recorded least so far. Ties are broken at
 * random, by (seed, t). */
size_t lotor_policy_least_shown(const lotor_policy *policy, const uint32_t *arms, size_t count,
                                uint64_t t);

/* weight.c, for EXP3: the sums on its board are of (reward - low)/p, where p is the probability
 * with which the round's arm was drawn. p is public. It depends on all rounds before, so each round
 * keeps its weight 1/p: after the reward, as a whole number of LOTOR_WEIGHT_UNIT. */
enum { LOTOR_WEIGHT_UNIT = 1 << 20 };
static inline bool lotor_policy_has_weights(const lotor_algorithm *algorithm)
{
    return algorithm->index && algorithm->index->sampling == LOTOR_SAMPLING_CHANCES;
}

/* The weight of an arm that the latest choice has drawn; whether a loaded weight is possible; and
 * the units that are fed for a reward with this weight. */
int64_t lotor_policy_weight(const lotor_policy *policy, uint32_t arm);
bool lotor_policy_weight_fits(const lotor_policy *policy, int64_t weight);
int64_t lotor_policy_weigh(const lotor_policy *policy, int64_t units, int64_t weight);

/* Refuses a range of rewards whose weighted units do not fit in 64 bits. */
lotor_status lotor_policy_check_weights(const lotor_policy *policy, lotor_message *why);

/* policy.c: opens `rounds` rounds of a decision in the inbox. A contextual round waits with its
 * context, and a round of EXP3 with its weight. */
lotor_status lotor_policy_open_rounds(lotor_policy *policy, uint64_t rounds, lotor_decision *out);

/* promise.c: what the policy promises, with the noise that it really adds. */
lotor_promise lotor_policy_promise(const lotor_policy *policy);

/* serving_offer.c: true if the service can keep the rounds. Then the service offers the algorithm,
 * and the oracle takes arms in the order of the indices. */
bool lotor_policy_can_serve(const lotor_policy *policy);
bool lotor_policy_params_can_serve(const lotor_policy_params *params);

/* serving_offer.c: true if the policy can choose among some of its arms only. Elimination can't: it
 * shows its arms in turn. Nor can own algorithms that choose arms by themselves, and oracles that
 * do not take arms in the order of the indices. */
bool lotor_policy_takes_masks(const lotor_algorithm *algorithm, lotor_structure structure);

/* serving.c, for simulations: chooses among the eligible arms as lotor_policy_draw does for the
 * service, but the policy keeps the round itself, as after lotor_policy_choose. Not for linear
 * learners. */
lotor_status lotor_policy_choose_among(lotor_policy *policy, const bool *eligible,
                                       lotor_message *why, lotor_decision *out);

/* policy.c: fills in the recorded arms of a decision that has its arms. */
void lotor_policy_ask(lotor_policy *policy, lotor_decision *out);

/* policy.c: the vertices behind the latest pick, where the oracle has any. */
const uint32_t *lotor_policy_seeds(const lotor_policy *policy);

/* policy.c: true if all rounds that the horizon allows were drawn. Rounds that were taken back do
 * not count, because nothing of them was fed. */
bool lotor_policy_is_past_horizon(const lotor_policy *policy);

/* policy.c: feeds one final round. After a failure, call it again with the same round: it continues
 * where it stopped, and nothing is fed twice. */
lotor_status lotor_policy_feed_final(lotor_policy *policy, const lotor_round *round);

/* policy.c: a random number below `count` that depends only on (seed, t). */
size_t lotor_policy_draw_below(size_t count, uint64_t seed, uint64_t t);

/* hold.c, for algorithms that record each round for one arm of a list that they hold. The function
 * lotor_policy_pick_held says what to show next and for how many rounds (0 arms: the caller's
 * oracle failed). The function lotor_policy_count_display counts displays of that list. */
bool lotor_policy_records_one(const lotor_algorithm *algorithm);
bool lotor_policy_asks_each(const lotor_algorithm *algorithm); /* own: lists are not held */
lotor_status lotor_policy_make_held(lotor_policy *policy);
void lotor_policy_free_held(lotor_policy *policy);
size_t lotor_policy_pick_held(lotor_policy *policy, const uint32_t **arms, uint64_t *hold);
void lotor_policy_count_display(lotor_policy *policy, uint64_t rounds);

/* hold.c: whether a batch of the arm ends with its latest display; and whether every display of a
 * recorded arm is released by itself, because there are no batches. */
bool lotor_policy_is_batch_end(const lotor_policy *policy, size_t arm);
bool lotor_policy_releases_each(const lotor_policy *policy);

/* hold.c, for served rounds in which only some arms are eligible. The function
 * lotor_policy_pick_passing picks the held list if it is eligible; otherwise it picks a list for
 * this round only, sets *passing, and the held list stays. The function lotor_policy_count_passing
 * counts the display of such a list. The function lotor_policy_uncount_display undoes a display of
 * an arm. */
size_t lotor_policy_pick_passing(lotor_policy *policy, const bool *eligible, bool *passing);
void lotor_policy_count_passing(lotor_policy *policy);
/* hold.c: the size of the batch that the recorded arm of the latest pick is in, where the learner
 * says it; otherwise 0. lotor_policy_count_filled counts the display of a blank with such a size.
 * False: the size is not possible. */
uint64_t lotor_policy_batch_size(const lotor_policy *policy, bool passing);
bool lotor_policy_count_filled(lotor_policy *policy, uint32_t arm, uint64_t size);
void lotor_policy_uncount_display(lotor_policy *policy, uint32_t arm);
void lotor_policy_save_held(const lotor_policy *policy, lotor_writer *writer);
/* `arms`: how many arms the saved policy has */
void lotor_policy_load_held(lotor_policy *policy, size_t arms, lotor_reader *reader);

/* hold.c: checks a loaded held list, when the statistic is loaded, too. */
void lotor_policy_expect_held(const lotor_policy *policy, lotor_reader *reader); /* after `shown` */

/* policy.c: what an index learner or an own algorithm picks in the coming round among the eligible
 * arms (NULL: all). 0 arms: see lotor_policy_refuse_pick. *hold as in index.h. */
size_t lotor_policy_pick_by_index(lotor_policy *policy, const bool *eligible, lotor_room *limit,
                                  const void *context, const uint32_t **arms, uint64_t *hold);

/* policy.c: the index of an arm in that pick. */
double lotor_policy_index_at(const lotor_policy *policy, size_t arm);

/* policy.c: says why nothing could be picked (LOTOR_INVALID): a function of the caller failed. */
lotor_status lotor_policy_refuse_pick(const lotor_policy *policy, lotor_message *why);

/* policy.c: what to show next; 0 arms if the caller's oracle failed. *hold counts from the coming
 * round, and assumes that no other round is open. Not for linear learners. */
size_t lotor_policy_pick(lotor_policy *policy, const uint32_t **arms, uint64_t *hold);

/* eliminate.c: lotor_policy_settle asks the gate and releases sums, as far as the final rounds
 * allow. The others say which arm is next, and whether an arm is viable. */
lotor_status lotor_policy_settle(lotor_policy *policy);
uint32_t lotor_policy_next_in_turn(const lotor_policy *policy);
bool lotor_policy_is_viable(const lotor_policy *policy, uint32_t arm);

/* prior.c: whether an algorithm can start with releases of another policy, and the section of a
 * saved policy that has. */
bool lotor_algorithm_takes_prior(const lotor_algorithm *algorithm);
void lotor_prior_save(const lotor_policy *policy, lotor_writer *writer);
lotor_status lotor_prior_load(lotor_policy *policy, lotor_reader *reader);

/* contextual.c: a round of a linear learner. Contexts and rewards are kept in the inbox as the bits
 * of doubles. */
lotor_status lotor_policy_choose_action(lotor_policy *policy, const double *contexts,
                                        lotor_message *why, lotor_decision *out);
lotor_status lotor_policy_observe_action(lotor_policy *policy, uint64_t event,
                                         const lotor_feedback *feedback, lotor_message *why);
lotor_status lotor_policy_feed_action(lotor_policy *policy, const lotor_round *round);

/* The round of the first release, if that is after the horizon; otherwise 0. */
uint64_t lotor_policy_late_release(const lotor_policy *policy);

/* True if the inbox holds only contexts and rewards that are possible for a linear learner. */
bool lotor_policy_actions_fit(const lotor_policy *policy);

/* True if an action is at most as long as declared; false if it contains NaN. */
bool lotor_policy_is_short(const lotor_policy *policy, const double *action);

/* The row that parameters name; NULL: there is none. */
static inline const lotor_algorithm *lotor_policy_row(const lotor_policy_params *params)
{
    return lotor_catalog_find(params->catalog, params->algorithm);
}

/* True if feedback is a click on a list. Also works before the defaults are filled in. */
static inline bool lotor_policy_hears_clicks(const lotor_policy_params *params)
{
    const lotor_algorithm *algorithm = lotor_policy_row(params);
    return params->cascade || (algorithm && algorithm->problem == LOTOR_PROBLEM_CASCADE);
}

/* coder.c: the coder of complete parameters, and the parameters of its statistic. */
lotor_status lotor_policy_make_coder(const lotor_policy_params *params, lotor_message *why,
                                     lotor_coder *out);
lotor_release_params lotor_policy_release_params(const lotor_policy_params *params,
                                                 const lotor_coder *coder, double noise_scale);

/* params.c: fills in defaults, checks the parameters, and makes the oracle. The arrays of `out` are
 * copies. */
lotor_status lotor_policy_complete(const lotor_policy_params *params, lotor_message *why,
                                   lotor_policy_params *out, lotor_oracle **oracle);
void lotor_policy_params_free(lotor_policy_params *params);
bool lotor_structure_has_edges(lotor_structure structure);

#endif
