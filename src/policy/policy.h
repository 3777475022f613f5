/* policy.h - inside a policy: what the lab uses to skip ahead, and what saving needs.
 *
 * A policy is a row of the catalog with its parts wired up:
 *
 *      observe, expire ─▶ inbox ─▶ statistic or epochs ─▶ board ─▶ learner ─▶ choose
 *
 * The lab plays the same parts without the inbox: `stretch` says what will be shown for a while,
 * and `feed` takes the sums of all that.
 */
#ifndef LOTOR_POLICY_POLICY_H
#define LOTOR_POLICY_POLICY_H

#include <lotor/policy.h>

#include "base/bytes.h"
#include "base/random/simulation.h"
#include "board/board.h"
#include "choice/oracle.h"
#include "policy/catalog.h"
#include "policy/serving.h"
#include "privacy/intake/coder.h"
#include "privacy/intake/inbox.h"
#include "privacy/noise/noise.h"

enum {
    LOTOR_LINEAR_MOST = 1024,       /* dimensions of a contextual problem */
    LOTOR_LINEAR_NUMBERS = 1 << 26, /* in a round's actions */
    LOTOR_VERTICES_PER_EDGE = 64    /* at most */
};

/* hold.c: a list that is kept until the arm it is recorded for has so many displays. */
typedef struct lotor_held {
    bool is_on; /* it was displayed, and will be again */
    uint32_t *arms;
    size_t count;
    uint32_t *seeds;   /* behind the arms, where the oracle has any */
    uint32_t recorded; /* the arm that its rounds are recorded for */
    uint64_t until;    /* how many displays that arm has when the list ends */
} lotor_held;

struct lotor_policy {
    const lotor_algorithm *algorithm;
    lotor_policy_params params; /* with defaults filled in; its arrays are owned */
    lotor_coder coder;
    lotor_oracle *oracle;

    /* The vault. */
    lotor_inbox *inbox;
    lotor_statistic *statistic; /* with an index learner */
    lotor_epoch *epochs;        /* with elimination */
    lotor_matrix *matrix;       /* with a linear learner */
    lotor_noise noise;
    lotor_source *owned; /* the secure source, when the policy made it */
    int64_t *units;      /* room for one answer */
    size_t unit_count;

    /* Public. */
    lotor_board *board;
    uint64_t *shown;               /* per arm: rounds that ask for its reward */
    uint64_t asked;                /* calls of choose, those past the horizon included */
    uint64_t rounds, rounds_ended; /* that were opened, and are final */
    lotor_index_learner *index;
    lotor_elimination *elimination;
    lotor_linear_learner *linear;
    lotor_held held;    /* of those that record a round for one arm */
    lotor_held passing; /* the same, of a served round whose held list may not be shown */
    uint64_t seed;      /* of ties and Thompson samples, which are not noise */
    uint32_t *places;   /* room for a place of every arm that is shown, and one more */
    bool is_served;  /* serving.h: its rounds are kept by somebody else, and the inbox is empty */
    uint64_t voided; /* of its rounds: drawn, and taken back */
    lotor_on_release *told; /* of every release, and what is given to it */
    void *told_context;
    uint32_t single; /* what elimination and linear learners show; whom a least-shown round asks */
};

/* Refuses a delta that is 0 for an algorithm whose promise needs one, which would get its usual one. Inside the
 * library 0 stands for that; who calls from outside says 0/0. */
lotor_status lotor_policy_refuse_no_delta(const char *algorithm, lotor_ratio delta,
                                          lotor_message *why);

/* With simulated noise, and ties from a seed; the simulation source is borrowed. The epsilon was
 * divided by `noise_scale` already (1: it was not). */
lotor_status lotor_policy_new_simulated(const lotor_policy_params *params, double noise_scale,
                                        lotor_simulation *simulation, uint64_t seed,
                                        lotor_message *why, lotor_policy **out);

/* With exact noise from a borrowed source, and ties from a seed: for tests. */
lotor_status lotor_policy_new_on(const lotor_policy_params *params, lotor_source *source,
                                 uint64_t seed, lotor_message *why, lotor_policy **out);
lotor_status lotor_policy_load_on(const unsigned char *bytes, size_t length,
                                  const lotor_policy_params *custom, lotor_source *source,
                                  lotor_message *why, lotor_policy **out);

/* Another game with the same parameters, as if it were new, on the same source (at noise scale 1): the
 * oracle, whose making can cost more than a short game, stays. After a failure only freeing is left. */
lotor_status lotor_policy_restart(lotor_policy *policy, const double *first, uint64_t seed,
                                  lotor_message *why);

/* What comes next: the rounds of a cycle show `count` arms each, and the cycle is repeated. An
 * index learner has cycles of one round; elimination cycles over its viable arms, one at a time. */
typedef struct lotor_stretch {
    const uint32_t *arms; /* cycle x count; good until the policy is used again */
    size_t count;
    const uint32_t *asked; /* cycle x asked_count: the arms whose rewards are fed */
    size_t asked_count;
    size_t cycle;
    uint64_t repeats; /* of the cycle; nothing changes before they are all fed */
    bool matters;     /* false: nothing that is fed can change anything any more */
    bool rides;       /* a single round of a learner that may go on as it is: lotor_policy_ride */
} lotor_stretch;

/* No rounds may be open in the inbox. */
void lotor_policy_stretch(lotor_policy *policy, lotor_stretch *out);

/* Feeds `repeats` (at most stretch->repeats) of its cycles: sums[i] is what asked[i] paid in all of
 * them, in units. Simulated noise never fails. */
lotor_status lotor_policy_feed(lotor_policy *policy, const lotor_stretch *stretch, uint64_t repeats,
                               const int64_t *sums);

/* For a stretch of one round of an index learner: plays it, and goes on with the same arms while they
 * are surely chosen again, `most` rounds at most. `pay` draws what each of `count` arms pays in a
 * round, in units. Returns the number of rounds played in *rounds. The same as single rounds in
 * turn, but faster. */
typedef void lotor_pay(void *context, const uint32_t *arms, size_t count, int64_t *units);
lotor_status lotor_policy_ride(lotor_policy *policy, const lotor_stretch *stretch, uint64_t most,
                               lotor_pay *pay, void *context, uint64_t *rounds);

/* Whether the shown arms stand by decreasing index: in lists the order matters. */
static inline bool lotor_policy_is_ranked(const lotor_policy *policy)
{
    return policy->params.cascade || (policy->algorithm->problem != LOTOR_PROBLEM_SEMIBANDIT &&
                                      policy->algorithm->problem != LOTOR_PROBLEM_ANY);
}

/* What showing these arms pays on average when arm i's mean is means[i]: in a cascade the chance of a
 * click, else as the oracle says. They must be the latest pick. */
double lotor_policy_value(const lotor_policy *policy, const double *means, const uint32_t *arms,
                          size_t count);

/* The chance that a list is clicked on. */
double lotor_click_chance(const double *means, const uint32_t *arms, size_t count);

/* policy.c: the place in the list of the arm that was asked for least so far; ties at random, by
 * (seed, t). */
size_t lotor_policy_least_shown(const lotor_policy *policy, const uint32_t *arms, size_t count,
                                uint64_t t);

/* serving_offer.c: whether its rounds can be kept by somebody else: an offered id, on a structure that is
 * taken in the order of the indices. */
bool lotor_policy_can_serve(const lotor_policy *policy);
bool lotor_params_can_serve(const lotor_policy_params *params);

/* policy.c: fills in whose rewards are asked for, of a decision that has its arms. */
void lotor_policy_ask(lotor_policy *policy, lotor_decision *out);

/* policy.c: whether all rounds that the horizon allows are drawn. Those that were taken back leave
 * room for others: nothing of them was ever fed. */
bool lotor_policy_is_past_horizon(const lotor_policy *policy);

/* policy.c: feeds one final round. On failure it can be called again for the same round and goes on
 * where it stopped: nothing is fed twice. */
lotor_status lotor_policy_feed_final(lotor_policy *policy, const lotor_round *round);

/* policy.c: a random number below `count` that depends on (seed, t) alone. */
size_t lotor_policy_draw_below(size_t count, uint64_t seed, uint64_t t);

/* hold.c: whether an algorithm records each round for one arm of a list that it keeps for a while; what
 * it shows next (0: the caller's oracle failed), and for how many rounds; and that it was shown. */
bool lotor_policy_records_one(const lotor_algorithm *algorithm);
lotor_status lotor_policy_make_held(lotor_policy *policy);
void lotor_policy_free_held(lotor_policy *policy);
size_t lotor_policy_pick_held(lotor_policy *policy, const uint32_t **arms, uint64_t *hold);
void lotor_policy_displayed(lotor_policy *policy, uint64_t rounds);

/* hold.c, for served rounds: what it shows next when only some arms may be shown: the held list, or one
 * for this round alone, which the held list outlives (*passing). That such a list was shown, and that
 * displays of an arm were taken back. */
size_t lotor_policy_pick_passing(lotor_policy *policy, const bool *eligible, bool *passing);
void lotor_policy_displayed_passing(lotor_policy *policy);
void lotor_policy_undisplayed(lotor_policy *policy, uint32_t arm);
void lotor_policy_save_held(const lotor_policy *policy, lotor_writer *writer);
void lotor_policy_load_held(lotor_policy *policy, lotor_reader *reader); /* after `shown` */

/* policy.c: what to show next; 0: the caller's oracle failed. *hold counts from the coming round, with
 * no other round open. Not for linear learners. */
size_t lotor_policy_pick(lotor_policy *policy, const uint32_t **arms, uint64_t *hold);

/* eliminate.c: lets everything happen that the rounds ended so far allow, which arm is next, and
 * whether an arm is in the race. */
lotor_status lotor_policy_settle(lotor_policy *policy);
uint32_t lotor_policy_next_in_turn(const lotor_policy *policy);
bool lotor_policy_is_viable(const lotor_policy *policy, uint32_t arm);

/* contextual.c: a round of a linear learner. Contexts and rewards go through the inbox as the bits of
 * their numbers. */
lotor_status lotor_policy_choose_action(lotor_policy *policy, const double *contexts,
                                        lotor_message *why, lotor_decision *out);
lotor_status lotor_policy_answer_action(lotor_policy *policy, uint64_t event,
                                        const lotor_answer *answer, lotor_message *why);
lotor_status lotor_policy_feed_action(lotor_policy *policy, const lotor_round *round);

/* Where the first release comes too late for the horizon: its round. Else 0. */
uint64_t lotor_policy_late_release(const lotor_policy *policy);

/* Whether what an inbox holds is what a linear learner's rounds can hold. */
bool lotor_policy_actions_fit(const lotor_policy *policy);

/* Whether an action is at most as long as declared; false of what is no number. */
bool lotor_policy_is_short(const lotor_policy *policy, const double *action);

/* Whether answers are clicks on a list; also before the defaults are filled in. */
static inline bool lotor_policy_hears_clicks(const lotor_policy_params *params)
{
    const lotor_algorithm *algorithm = lotor_catalog_find(params->algorithm);
    return params->cascade || (algorithm && algorithm->problem == LOTOR_PROBLEM_CASCADE);
}

/* coder.c: the coder of these parameters, which are complete; and what its statistic is made of. */
lotor_status lotor_policy_make_coder(const lotor_policy_params *params, lotor_message *why,
                                     lotor_coder *out);
lotor_release_params lotor_policy_release_params(const lotor_policy_params *params,
                                                 const lotor_coder *coder, double noise_scale);

/* params.c: fills in defaults, checks, and makes the oracle. Arrays of `out` are copies. */
lotor_status lotor_policy_complete(const lotor_policy_params *params, lotor_message *why,
                                   lotor_policy_params *out, lotor_oracle **oracle);
void lotor_policy_params_free(lotor_policy_params *params);
bool lotor_structure_has_edges(lotor_structure structure);

#endif
