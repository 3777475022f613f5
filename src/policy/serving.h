/* serving.h - a policy whose rounds are kept by somebody else: what the service uses.
 *
 *      draw ──▶ decision ──▶ shown, answered or not, final ──▶ enter ──▶ releases
 *
 * The library's own inbox (lotor_policy_choose, observe, expire) keeps open rounds in memory. A
 * service keeps them on disk, so here a decision is drawn without opening a round, an answer is
 * encoded into numbers to be kept (sealed: they are raw feedback), and a final round is entered, in
 * the order of display. A policy is used one way or the other, never both.
 *
 * The service reaches raw feedback, raw contexts and raw sums through an intake alone (lotor_intake_*).
 */
#ifndef LOTOR_POLICY_SERVING_H
#define LOTOR_POLICY_SERVING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/policy.h>
#include <lotor/randomizer.h>

#include "base/intake.h"
#include "base/kept.h"

/* Why `lotor serve` does not offer an algorithm, as a sentence that says what to take instead; NULL:
 * it does. It offers those that keep their claim and whose releases are batches, local reports or a
 * linear learner's. LOTOR_UNKNOWN ids get a sentence too. */
const char *lotor_serving_refusal(const char *algorithm, lotor_message *why);

/* What the service must know of an algorithm (an id that is offered). */
typedef struct lotor_serving {
    const char *id;
    lotor_model model;
    bool is_linear;    /* every round brings a context */
    bool plays_any;    /* the caller says whether answers are clicks */
    bool hears_clicks; /* always */
    bool shows_one;    /* one arm a round: slots must be 1 */
    bool needs_horizon;
    bool has_delta;
} lotor_serving;
bool lotor_serving_find(const char *algorithm, lotor_serving *out);
/* The ids that are offered, in the catalog's order; NULL at the end of them. */
const char *lotor_serving_id(size_t place);

/* Draws the next decision and counts it as displayed. `eligible`: which arms may be shown (arms
 * flags), NULL: all; public. LOTOR_INVALID: too few of them for the slots. `context` as in
 * lotor_policy_choose; rows of arms that are not eligible are not read. Past the horizon event is 0,
 * and the decision takes no feedback. Events count up from 1. */
lotor_status lotor_policy_draw(lotor_policy *policy, const double *context, const bool *eligible,
                               lotor_message *why, lotor_decision *out);

/* The same, but nothing is counted and event is 0: for somebody whose feedback is not wanted. */
lotor_status lotor_policy_look(lotor_policy *policy, const double *context, const bool *eligible,
                               lotor_message *why, lotor_decision *out);

/* Takes a drawn decision back that nobody was shown (and that had an event): its displays do not count,
 * its round is over without feedback, and the horizon has room for another. */
void lotor_policy_void(lotor_policy *policy, const uint32_t *asked, size_t asked_count);

/* Numbers of an encoded answer, at most: at least 1. */
size_t lotor_policy_width(const lotor_policy *policy);

/* Encodes an answer, or, for those of the local model, a report that was randomized before it came
 * here (see lotor_randomizer); the other way round is LOTOR_INVALID. LOTOR_RANGE: the message names what
 * was wrong and what was expected; it never repeats the value. *used: how many numbers (at most
 * width). */
lotor_status lotor_policy_encode(const lotor_policy *policy, const lotor_kept *kept,
                                 const lotor_answer *answer, lotor_message *why, int64_t *units,
                                 size_t *used);
lotor_status lotor_policy_encode_report(const lotor_policy *policy, const lotor_kept *kept,
                                        const int64_t *report, size_t count, lotor_message *why,
                                        int64_t *units, size_t *used);

/* What the device of the person who was shown this round must do before anything is sent: see
 * lotor_randomizer_report. False: the policy's model is not the local one, or epsilon is infinite. */
bool lotor_policy_randomizer(const lotor_policy *policy, const lotor_kept *kept,
                             lotor_randomizer *out);

/* Enters a final round; the caller keeps the order of display. `units`: what encode gave; NULL: nobody
 * answered, and the default counts (in the local model the default goes through the same randomizer
 * here). After a failure the policy must be thrown away and loaded again. */
lotor_status lotor_policy_enter(lotor_policy *policy, const lotor_kept *kept, const int64_t *units,
                                size_t used, lotor_message *why);

/* A released fact, and who is told of each one while rounds are entered. Anything but LOTOR_OK fails
 * the entering. */
typedef struct lotor_released {
    size_t statistic, arm;
    double value; /* in the rewards' own unit */
    uint64_t count, time;
} lotor_released;
typedef lotor_status lotor_on_release(void *context, const lotor_released *released);
void lotor_policy_on_release(lotor_policy *policy, lotor_on_release *told, void *context);

/* The current facts, in the order (statistic, arm); empty ones are left out. */
lotor_status lotor_policy_each_fact(const lotor_policy *policy, lotor_on_release *told,
                                    void *context);

/* An arm's released mean and how many observations it rests on (0: none yet; in linear problems
 * always 0). */
double lotor_policy_mean(const lotor_policy *policy, size_t arm, uint64_t *count);

/* serving_estimate.c: how an arm's mean follows from what was released, and an interval that holds it in
 * 95 cases of 100. Public numbers alone go in. An estimator is the same for all arms of a policy, and
 * stays good without it; a reading is what was released of one arm. */
typedef enum lotor_estimate_kind {
    LOTOR_ESTIMATE_NONE,          /* linear learners */
    LOTOR_ESTIMATE_LATEST,        /* the latest batch, one draw of noise */
    LOTOR_ESTIMATE_ADDED,         /* all batches, one draw each */
    LOTOR_ESTIMATE_NOISY_REPORTS, /* a draw in every report */
    LOTOR_ESTIMATE_BITS,          /* reports of one bit that may lie */
    LOTOR_ESTIMATE_COINS,         /* reports that are right on average, within a width */
    LOTOR_ESTIMATE_CLICKS,        /* clicks of observations, both noisy */
    LOTOR_ESTIMATE_CLICK_COINS    /* the same from reports */
} lotor_estimate_kind;
typedef struct lotor_estimator {
    lotor_estimate_kind kind;
    double low, high; /* of a reward */
    double noise,
        scale; /* of the noise (bits: how likely a lie is); of what one report counts for */
} lotor_estimator;
typedef struct lotor_reading {
    double value, observed; /* released sums */
    uint64_t count, draws;  /* observations, and draws of noise, in the value */
} lotor_reading;
typedef struct lotor_estimate {
    double mean, low, high;
} lotor_estimate;
void lotor_policy_estimator(const lotor_policy *policy, lotor_estimator *out);
void lotor_policy_read(const lotor_policy *policy, const lotor_estimator *estimator, size_t arm,
                       lotor_reading *out);
/* One more released fact of an arm, in the order of the releases. */
void lotor_estimator_add(const lotor_estimator *estimator, const lotor_released *fact,
                         lotor_reading *reading);
/* False: nothing is released yet, or there is no estimate by arm. */
bool lotor_estimate_of(const lotor_estimator *estimator, const lotor_reading *reading,
                       lotor_estimate *out);

/* serving_intake.c: where an intake (base/intake.h) meets a policy.
 *
 * An intake is made from the parameters of a campaign's policy; it copies what it needs. LOTOR_INVALID: no
 * policy could be made from them, or it could not be served. */
lotor_status lotor_intake_new(const lotor_policy_params *params, uint64_t campaign,
                              const unsigned char key[LOTOR_INTAKE_KEY], lotor_message *why,
                              lotor_intake **out);

/* Hands a final round to the policy's statistic, with its feedback or, if none waits for (decision, nonce), as
 * the default (lotor_policy_enter); then wipes all that waits for the decision. `action`: what draw gave, or
 * NULL; kept->action is not looked at. After a failure throw the policy away, load it again, reset the
 * intake and replay the log. LOTOR_DAMAGED: the action does not open, or the feedback is not what this
 * policy could have got. */
lotor_status lotor_intake_enter(lotor_intake *intake, lotor_policy *policy, uint64_t decision,
                                uint64_t nonce, const lotor_kept *kept, const unsigned char *action,
                                size_t action_length, lotor_message *why);

/* lotor_policy_draw, or lotor_policy_look if `looks`, with a sealed context (NULL: none). Of the eligible arms
 * those without a row in the context can't be shown. *action: the shown arm's action, sealed for (campaign,
 * event), freed with lotor_bytes_free; NULL without contexts, and where the decision takes no feedback.
 * LOTOR_DAMAGED: the context does not open. On LOTOR_MEMORY no decision was drawn. */
lotor_status lotor_intake_draw(lotor_intake *intake, lotor_policy *policy,
                               const unsigned char *context, size_t context_length,
                               const bool *eligible, bool looks, lotor_message *why,
                               lotor_decision *out, unsigned char **action, size_t *action_length);

/* The policy with its raw sums, and `head` (the service's own bytes), sealed for (campaign, bound); freed with
 * lotor_bytes_free. */
lotor_status lotor_intake_save(const lotor_intake *intake, const lotor_policy *policy,
                               const unsigned char *head, size_t head_length, uint64_t bound,
                               lotor_message *why, unsigned char **bytes, size_t *length);

/* Loads the policy and the head (freed with lotor_bytes_free) that were saved with this bound. `policy` may be
 * NULL, and so may `head`: then it is not wanted. LOTOR_DAMAGED: not what was sealed for that, or the policy
 * is of other settings than the intake. */
lotor_status lotor_intake_load(const lotor_intake *intake, const unsigned char *bytes,
                               size_t length, uint64_t bound, lotor_message *why,
                               lotor_policy **policy, unsigned char **head, size_t *head_length);

/* The state that version 0.1 sealed (base/intake.h): the policy, how many rounds are over, and how often each arm
 * was shown in them (`displays`: a number for each arm). LOTOR_DAMAGED: it does not open, or it is of other
 * settings than the intake. */
lotor_status lotor_intake_adopt_state(const lotor_intake *intake, const lotor_old_seal *seal,
                                      uint64_t final, const unsigned char *bytes, size_t length,
                                      lotor_message *why, lotor_policy **policy, uint64_t *ended,
                                      uint64_t *displays);

/* Rounds drawn, and those that are over. */
uint64_t lotor_policy_rounds(const lotor_policy *policy);
uint64_t lotor_policy_rounds_over(const lotor_policy *policy);

#endif
