/* serving.h - a policy whose rounds are kept by the caller: what the service uses.
 *
 *      draw ──▶ decision ──▶ shown, feedback or none, final ──▶ enter ──▶ releases
 *
 * The library's own inbox (lotor_policy_choose, observe, expire) keeps open rounds in memory. The
 * service keeps them on disk. So here a decision is drawn without opening a round in the inbox.
 * Feedback is encoded into numbers, which the service keeps sealed, because they are raw feedback.
 * A final round is entered, in the order of display. A policy is used in one of the two ways, never
 * in both.
 *
 * The service gets at raw feedback, raw contexts and raw sums only through an intake
 * (lotor_intake_*).
 */
#ifndef LOTOR_POLICY_SERVING_H
#define LOTOR_POLICY_SERVING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/policy.h>
#include <lotor/randomizer.h>

#include "base/display.h"
#include "base/intake.h"

/* Why `lotor serve` does not offer an algorithm: a sentence that also says what to use instead.
 * NULL if it is offered. Offered are algorithms whose privacy guarantee holds and that release
 * batches, local reports, or the matrix of a linear learner. For an unknown id the sentence says
 * so. */
const char *lotor_serving_refusal(const char *algorithm, lotor_message *why);

/* The facts about an offered algorithm that the service needs. */
typedef struct lotor_serving_info {
    const char *id;
    lotor_model model;
    bool is_linear;    /* every round has a context */
    bool plays_any;    /* the caller says whether feedback is clicks */
    bool hears_clicks; /* feedback is always clicks */
    bool shows_one;    /* one arm per round: slots must be 1 */
    bool needs_horizon;
    bool has_delta;
    bool takes_prior; /* it can start from the releases of another campaign */
} lotor_serving_info;
bool lotor_serving_find(const char *algorithm, lotor_serving_info *out);
/* The offered ids, in the order of the catalog; NULL after the last. */
const char *lotor_serving_id(size_t place);

/* Draws the next decision and counts it as displayed. `eligible` has a flag per arm and is public;
 * NULL: all arms are eligible. LOTOR_INVALID: too few arms are eligible for the slots. `context` is
 * as in lotor_policy_choose; rows of arms that are not eligible are not read. Events are numbered
 * from 1. Past the horizon, the event is 0, and the decision takes no feedback. */
lotor_status lotor_policy_draw(lotor_policy *policy, const double *context, const bool *eligible,
                               lotor_message *why, lotor_decision *out);

/* The same, but nothing is counted, and the event is 0: for persons whose feedback is not
 * wanted. */
lotor_status lotor_policy_preview(lotor_policy *policy, const double *context, const bool *eligible,
                                  lotor_message *why, lotor_decision *out);

/* evaluation.c: a share of the rounds measures the value of what is shown, half of them that of the
 * policy and half that of a control. These rounds teach the policy nothing. The value of a round is
 * the sum of its rewards, or 1 if anything was clicked. */
typedef struct lotor_evaluation_params {
    lotor_ratio share;       /* above 0, at most 1/2 */
    const uint32_t *control; /* the control shows the first of these arms that are eligible */
    size_t control_count;    /* 0: the control shows eligible arms at random */
} lotor_evaluation_params;

/* The probability of the list that a control round shows, given that it is a control round and
 * which arms are eligible. `recorded` is the number that its decision records, `shown` the length
 * of the list, `is_fixed` whether the control is a list of arms. 0: not known, or not a control
 * round. */
double lotor_control_propensity(uint32_t recorded, size_t shown, bool is_fixed);

/* Makes a new policy measure value; it is served from then on. Afterwards lotor_policy_draw gives
 * rounds of all roles (lotor_round_role_of). LOTOR_INVALID: the parameters make no sense, or value
 * can't be measured with this algorithm. */
lotor_status lotor_policy_evaluate(lotor_policy *policy, const lotor_evaluation_params *params,
                                   lotor_message *why);

/* prior.c: a policy can start with what another policy has released. Releases are public, so this
 * costs no privacy (prior.md). Estimates and releases of the policy are of its own rounds alone. */
enum { LOTOR_PRIOR_MOST = 128 }; /* releases of an arm */
typedef struct lotor_prior_fact {
    uint32_t arm;   /* of this policy */
    uint64_t count; /* the number of observations behind the value */
    double value;   /* as released, in the unit of the rewards */
    double epsilon; /* of the policy that released it, which has the same range of rewards */
} lotor_prior_fact;
/* Gives a new policy such facts, in the order of its arms; it is served from then on.
 * LOTOR_INVALID: the algorithm can't use them, or a fact is not possible. */
lotor_status lotor_policy_take_prior(lotor_policy *policy, const lotor_prior_fact *facts,
                                     size_t count, lotor_message *why);
size_t lotor_policy_prior_count(const lotor_policy *policy);

/* save.c: loads a saved policy with room for more arms: `arms` of them, at least as many
 * as it was saved with. The arms that it had keep everything. The others are in the state of an arm that
 * was never shown. So the result is the policy that has had `arms` arms from the start, of which the
 * others were never eligible (grow.md). LOTOR_INVALID: it has more arms, or its oracle or its noise
 * depends on their number. */
lotor_status lotor_policy_load_grown(const unsigned char *bytes, size_t length, size_t arms,
                                     lotor_message *why, lotor_policy **out);
/* True if it can be saved and loaded with more arms. */
bool lotor_policy_can_grow(const lotor_policy *policy);

/* Takes back a drawn decision that has an event and was shown to nobody. Its displays do not count,
 * its round ends without feedback, and the horizon allows another round instead. */
void lotor_policy_take_back(lotor_policy *policy, const uint32_t *asked, size_t asked_count);

/* serving_blank.c: a blank is a round that is numbered before anybody knows what it shows. Requests
 * that bring a context or name eligible arms are served from blanks. A chooser, which is a copy of
 * the policy, chooses the arms. The policy gets them only when the round is final. So between a
 * request and its reply nothing must be saved but the number.
 *
 *      policy: number ─▶ ... ─▶ fill, then enter; or void, if it is not recorded what was shown
 *      chooser:  draw for a number ─▶ display, size of its batch
 *
 * lotor_policy_number numbers up to `count` rounds, fewer if the horizon is near, and returns how
 * many; *first is the first number. */
uint64_t lotor_policy_number(lotor_policy *policy, uint64_t count, uint64_t *first);

/* Counts what the oldest blank has shown, as lotor_policy_draw does; enter the round next. `size`
 * is that of lotor_chooser_size. LOTOR_DAMAGED: this policy can't have shown that; nothing changed. */
lotor_status lotor_policy_fill(lotor_policy *policy, const lotor_display *display, uint64_t size,
                               lotor_message *why);
/* Takes the oldest blank back: its round ends without feedback, and counts for nothing. */
void lotor_policy_void(lotor_policy *policy);

/* Makes a loaded policy a chooser, with other random numbers. It can only draw. Its displays count
 * for its next drawings. `number` is that of the blank that the next drawing is for. */
void lotor_policy_make_chooser(lotor_policy *policy, uint64_t seed);
void lotor_chooser_expect(lotor_policy *policy, uint64_t number);
/* Counts a display of another chooser, which is open. */
void lotor_chooser_count(lotor_policy *policy, const lotor_display *display, uint64_t size);
/* The size of the batch that the latest drawing is in: the `size` of lotor_policy_fill. */
uint64_t lotor_chooser_size(const lotor_policy *policy, const lotor_decision *drawn);

/* The most numbers that encoded feedback has; at least 1. */
size_t lotor_policy_width(const lotor_policy *policy);

/* Encodes feedback. In the local model only a report can be encoded, which the person's device has
 * randomized (see lotor_randomizer); in the other models only rewards or a click. Otherwise:
 * LOTOR_INVALID. LOTOR_RANGE: the message says what was wrong and what was expected, but never
 * repeats the value. *used is the number of numbers, at most lotor_policy_width. */
lotor_status lotor_policy_encode(const lotor_policy *policy, const lotor_display *display,
                                 const lotor_feedback *feedback, lotor_message *why, int64_t *units,
                                 size_t *used);
lotor_status lotor_policy_encode_report(const lotor_policy *policy, const lotor_display *display,
                                        const int64_t *report, size_t count, lotor_message *why,
                                        int64_t *units, size_t *used);

/* The work of the device of a person who is shown this round, before it sends anything: see
 * lotor_randomizer_report. False if the model is not local, or if epsilon is infinite. */
bool lotor_policy_randomizer(const lotor_policy *policy, const lotor_display *display,
                             lotor_randomizer *out);

/* Enters a final round. The caller keeps to the order of display. `units` is the encoded feedback.
 * NULL: there was no feedback, and the default counts (in the local model, the default goes through
 * the same randomizer here). After a failure, throw the policy away and load it again. */
lotor_status lotor_policy_enter(lotor_policy *policy, const lotor_display *display,
                                const int64_t *units, size_t used, lotor_message *why);

/* A released fact, and the function that is called with each fact while rounds are entered. If the
 * function returns anything but LOTOR_OK, entering fails. */
typedef struct lotor_arm_fact {
    size_t statistic, arm;
    double value; /* in the unit of the rewards */
    uint64_t count, time;
} lotor_arm_fact;
typedef lotor_status lotor_on_fact(void *context, const lotor_arm_fact *released);
void lotor_policy_on_fact(lotor_policy *policy, lotor_on_fact *told, void *context);

/* Calls `told` with the current facts, in the order (statistic, arm). Leaves out empty facts. */
lotor_status lotor_policy_each_fact(const lotor_policy *policy, lotor_on_fact *told, void *context);

/* The released mean of an arm, and the number of observations behind it. The number is 0 before the
 * first release, and always in linear problems. */
double lotor_policy_mean(const lotor_policy *policy, size_t arm, uint64_t *count);

/* serving_estimate.c: estimates the mean of an arm from its releases, with a 95% confidence
 * interval. It uses only public numbers. An estimator is the same for all arms of a policy, and
 * stays valid without the policy. A reading is what was released about one arm. */
typedef enum lotor_estimate_kind {
    LOTOR_ESTIMATE_NONE,          /* no estimate: linear learners */
    LOTOR_ESTIMATE_LATEST,        /* from the latest batch, with one draw of noise */
    LOTOR_ESTIMATE_ADDED,         /* from all batches, with one draw of noise each */
    LOTOR_ESTIMATE_NOISY_REPORTS, /* from reports, with one draw of noise each */
    LOTOR_ESTIMATE_BITS,          /* from randomized bits */
    LOTOR_ESTIMATE_COINS,         /* from unbiased reports of bounded width */
    LOTOR_ESTIMATE_CLICKS,        /* clicks divided by observations, both noisy */
    LOTOR_ESTIMATE_CLICK_COINS    /* the same from reports */
} lotor_estimate_kind;
typedef struct lotor_estimator {
    lotor_estimate_kind kind;
    double low, high; /* the range of a reward */
    double noise;     /* the scale of the noise; for bits, the probability of a lie */
    double scale;     /* the weight of one report */
} lotor_estimator;
typedef struct lotor_arm_sums {
    double value, observed; /* released sums */
    uint64_t count, draws;  /* the number of observations, and of draws of noise, in `value` */
} lotor_arm_sums;
typedef struct lotor_estimate {
    double mean, low, high;
} lotor_estimate;
void lotor_policy_estimator(const lotor_policy *policy, lotor_estimator *out);
void lotor_policy_arm_sums(const lotor_policy *policy, const lotor_estimator *estimator, size_t arm,
                           lotor_arm_sums *out);
/* Adds one more released fact of an arm, in the order of the releases. */
void lotor_estimator_add(const lotor_estimator *estimator, const lotor_arm_fact *fact,
                         lotor_arm_sums *reading);
/* Returns false if nothing was released yet, or if there is no estimate per arm. */
bool lotor_estimate_of(const lotor_estimator *estimator, const lotor_arm_sums *reading,
                       lotor_estimate *out);

/* serving_weights.c: the weights theta of a linear learner, from its releases alone, each with a
 * confidence interval (serving_weights.md). `out` has room for as many as the policy has dimensions.
 * low and high are infinite if the algorithm has no confidence set. Returns false if nothing was
 * released yet, if the noise is too large for an estimate, if there is no memory, and for policies that
 * are not linear. */
bool lotor_policy_weights(const lotor_policy *policy, lotor_estimate *out);

/* evaluation.c: the released value of rounds that measure the policy and the control. These are sums over as
 * many rounds of each, and an estimator that reads them. The function lotor_policy_value_estimator returns
 * false if no value is measured. Released facts about value have LOTOR_RECORDS_VALUE, or the number after
 * it, as their arm. */
bool lotor_policy_value_estimator(const lotor_policy *policy, lotor_estimator *out);
void lotor_policy_value_sums(const lotor_policy *policy, lotor_arm_sums *measure,
                             lotor_arm_sums *control);

/* lift.c: how much better the policy is than the control, from released sums. */
typedef struct lotor_lift {
    lotor_estimate measure, control; /* mean values, each with a 95% interval */
    lotor_estimate absolute;         /* their difference, with a 95% interval */
    lotor_estimate relative;         /* divided by the control's mean, if has_relative */
    double variance;                 /* of the error of the difference, before it is cut */
    bool has_relative;               /* the control's mean is surely above 0 */
    bool is_decided; /* the difference is not 0, by a rule that holds however often it is asked */
} lotor_lift;
/* Returns false as long as one of the counters has released nothing. */
bool lotor_lift_of(const lotor_estimator *estimator, const lotor_arm_sums *measure,
                   const lotor_arm_sums *control, lotor_lift *out);

/* outlook.c: when the lift will be decided, from released sums. */
typedef struct lotor_outlook {
    bool is_decided;
    bool is_far;    /* not with `most` rounds of each kind */
    double typical; /* the difference that the outlook assumes, without its sign */
    uint64_t count; /* the released rounds of each kind when the lift is decided */
} lotor_outlook;
/* If the difference is what is known of it now, the lift is decided with about `count` rounds of each
 * kind: sooner in half of such campaigns, later in the other half (lift.md). Returns false as long as
 * one of the counters has released nothing. */
bool lotor_outlook_of(const lotor_estimator *estimator, const lotor_arm_sums *measure,
                      const lotor_arm_sums *control, uint64_t most, lotor_outlook *out);

/* serving_intake.c: connects an intake (base/intake.h) to a policy.
 *
 * Makes an intake from the parameters of a campaign's policy, and copies what it needs.
 * LOTOR_INVALID: no policy can be made from the parameters, or it could not be served. */
lotor_status lotor_intake_new(const lotor_policy_params *params, uint64_t campaign,
                              const unsigned char key[LOTOR_INTAKE_KEY], lotor_message *why,
                              lotor_intake **out);

/* Hands a final round to the policy's statistic, with its feedback. If no feedback waits for
 * (decision, nonce), the default counts (lotor_policy_enter). Then wipes everything that waits for
 * the decision. `action` is what lotor_intake_draw gave, or NULL; kept->action is ignored. After a
 * failure, throw the policy away, load it again, reset the intake and replay the log.
 * LOTOR_DAMAGED: the action cannot be opened, or the feedback is not possible for this policy. */
lotor_status lotor_intake_enter(lotor_intake *intake, lotor_policy *policy, uint64_t decision,
                                uint64_t nonce, const lotor_display *display,
                                const unsigned char *action, size_t action_length,
                                lotor_message *why);

/* lotor_policy_draw, or lotor_policy_preview if `looks`, with a sealed context (NULL: none).
 * Eligible arms without a row in the context cannot be shown. *action is the context of the shown
 * arm, sealed for (campaign, event); free it with lotor_bytes_free. It is NULL without contexts,
 * and if the decision takes no feedback. LOTOR_DAMAGED: the context cannot be opened. On
 * LOTOR_MEMORY no decision was drawn. */
lotor_status lotor_intake_draw(lotor_intake *intake, lotor_policy *policy,
                               const unsigned char *context, size_t context_length,
                               const bool *eligible, bool looks, lotor_message *why,
                               lotor_decision *out, unsigned char **action, size_t *action_length);

/* Saves the policy with its raw sums, and `head` (bytes of the service), sealed for (campaign,
 * bound). Free *bytes with lotor_bytes_free. */
lotor_status lotor_intake_save(const lotor_intake *intake, const lotor_policy *policy,
                               const unsigned char *head, size_t head_length, uint64_t bound,
                               lotor_message *why, unsigned char **bytes, size_t *length);

/* Loads the policy and the head that were saved with this bound. Free the head with
 * lotor_bytes_free. `policy` and `head` may be NULL if they are not wanted. LOTOR_DAMAGED: the
 * bytes were not sealed for this bound, or the policy has other settings than the intake. A policy that
 * was saved with fewer arms than the intake has gets as many (lotor_policy_load_grown). */
lotor_status lotor_intake_load(const lotor_intake *intake, const unsigned char *bytes,
                               size_t length, uint64_t bound, lotor_message *why,
                               lotor_policy **policy, unsigned char **head, size_t *head_length);

/* Loads the state that version 0.1 sealed (base/intake.h): the policy, the number of final rounds,
 * and how often each arm was shown in them (`displays` has a number per arm). LOTOR_DAMAGED: the
 * state cannot be opened, or has other settings than the intake. */
lotor_status lotor_intake_adopt_state(const lotor_intake *intake, const lotor_legacy_seal *seal,
                                      uint64_t final, const unsigned char *bytes, size_t length,
                                      lotor_message *why, lotor_policy **policy, uint64_t *ended,
                                      uint64_t *displays);

/* How many rounds were drawn, and how many of them are final. */
uint64_t lotor_policy_rounds(const lotor_policy *policy);
uint64_t lotor_policy_rounds_over(const lotor_policy *policy);

#endif
