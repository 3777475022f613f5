/* stopping.c - stopping rules: when is a mean known well enough? (Sajed 2019, Algorithms 3, 7 and
 * 8)
 *
 * nas compares |sum| of t samples with t H_t (1 + 1/alpha), where H_t is a confidence width that
 * holds at all times at once. The private rules do the same through sparse vector. Replacing a
 * sample in [-R, R] moves |sum| by at most 2R, so at epsilon/2 both noises have scale 3 * 2R /
 * (epsilon/2) = 12R/epsilon (sigma1 and sigma2 of the paper). The estimate uses the other half: it
 * is the sum plus Lap(2R / (epsilon/2)) = Lap(4R/epsilon) (sigma3), divided by t.
 *
 * This file holds a raw sum, so it belongs to src/privacy and not to a learner. The output of a
 * rule (stop or continue, then the estimate) is a release. The sum, the noises and the comparison
 * are in whole units. Only the public threshold is computed in doubles, and rounded up.
 */
#include "privacy/release/stopping.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/message.h"
#include "base/ratio.h"
#include "base/secure.h"
#include "privacy/encode/encode.h"
#include "privacy/release/claim.h"
#include "privacy/release/scale.h"
#include "privacy/release/sparse.h"

typedef struct stopping_rule {
    const char *id;
    bool is_private;
    bool doubling; /* asks only at t = 2, 4, 8, ... */
    double width;  /* w in H_t = R sqrt(w log(inside s^2 / beta) / t) */
    double inside; /* here s is the number of the query: t, or k at t = 2^k */
    const char *theorem;
} stopping_rule;

static const stopping_rule rules[] = {
    {"nas", false, false, 2.0, 4.0, "Sajed 2019, Theorem 2.2.1, with the width that [-R, R] needs"},
    {"nas-printed", false, false, 0.5, 4.0, "none: the printed width is half of what it needs"},
    {"dp-nas", true, false, 2.0, 16.0, "Sajed 2019, Theorem 4.1.1"},
    {"dp-exp-nas", true, true, 2.0, 16.0, "Sajed 2019, Corollary 4.1.2"},
};

struct lotor_stopping {
    const stopping_rule *rule;
    double alpha, beta;
    lotor_ratio epsilon;
    lotor_encoding encoding;
    lotor_sparse sparse;
    uint64_t estimate_scale;   /* sigma3, in units */
    uint64_t samples, horizon; /* more samples than the horizon could exceed 64 bits */
    uint64_t questions;
    int64_t sum;
    int64_t estimate_sum; /* as released: the sum plus its noise */
    bool stopped;
    lotor_noise noise;
    lotor_source *owned; /* the source, if the rule made it */
};

static const stopping_rule *find(const char *id)
{
    for (size_t i = 0; id && i < sizeof rules / sizeof *rules; i++) {
        if (strcmp(rules[i].id, id) == 0) {
            return &rules[i];
        }
    }
    return NULL;
}

static lotor_status check_fraction(const char *name, double value, lotor_message *why)
{
    return value > 0.0 && value < 1.0
               ? LOTOR_OK
               : lotor_fail(LOTOR_INVALID, why, "%s must lie between 0 and 1, not %g", name, value);
}

/* Plans the noise: half of epsilon is for the queries, half for the estimate. */
static lotor_status plan_noise(lotor_stopping *stopping, lotor_message *why)
{
    lotor_ratio half;
    lotor_status status = lotor_ratio_half(stopping->epsilon, why, &half);
    if (status != LOTOR_OK) {
        return status;
    }
    const uint64_t width = lotor_encoding_width(&stopping->encoding); /* 2R */
    status = lotor_sparse_make(width, half, why, &stopping->sparse);
    if (status == LOTOR_OK) {
        const lotor_release_params params = {
            .l1 = width,
            .epsilon = half,
            .magnitude = lotor_encoding_magnitude(&stopping->encoding),
        };
        status = lotor_release_scale(&params, LOTOR_LAW_LAPLACE, 1, why, &stopping->estimate_scale);
        if (status == LOTOR_OK) {
            status =
                lotor_release_fits(&params, stopping->sparse.scale, 2, why, &stopping->horizon);
        }
    }
    return status;
}

static lotor_status plan(const lotor_stopping_params *params, lotor_message *why,
                         lotor_stopping *stopping)
{
    stopping->rule = find(params->rule);
    if (!stopping->rule) {
        return lotor_fail(LOTOR_UNKNOWN, why,
                          "there is no rule '%.40s': use nas, nas-printed, dp-nas or dp-exp-nas",
                          params->rule ? params->rule : "");
    }
    lotor_status status = check_fraction("alpha", params->alpha, why);
    if (status == LOTOR_OK) {
        status = check_fraction("beta", params->beta, why);
    }
    if (status == LOTOR_OK && !(params->range > 0.0 && isfinite(params->range))) {
        status = lotor_fail(LOTOR_INVALID, why,
                            "the range R must be a finite number above 0, not %g: samples lie in "
                            "[-R, R]",
                            params->range);
    }
    if (status == LOTOR_OK) {
        status = lotor_encoding_make(-params->range, params->range, why, &stopping->encoding);
    }
    stopping->alpha = params->alpha;
    stopping->beta = params->beta;
    stopping->epsilon = stopping->rule->is_private ? params->epsilon : lotor_ratio_of(1, 0);
    return status == LOTOR_OK ? plan_noise(stopping, why) : status;
}

lotor_status lotor_stopping_new_on(const lotor_stopping_params *params, lotor_source *source,
                                   lotor_message *why, lotor_stopping **out)
{
    return lotor_stopping_new_with(params, lotor_noise_exact(source), why, out);
}

/* Without a source the parameters are only checked. */
lotor_status lotor_stopping_new_with(const lotor_stopping_params *params, lotor_noise noise,
                                     lotor_message *why, lotor_stopping **out)
{
    *out = NULL;
    lotor_stopping *stopping = calloc(1, sizeof *stopping);
    if (!stopping) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for a stopping rule");
    }
    lotor_status status = plan(params, why, stopping);
    if (status == LOTOR_OK && (noise.exact || noise.script)) {
        stopping->noise = noise;
        status = lotor_sparse_begin(&stopping->sparse, &stopping->noise);
        if (status != LOTOR_OK) {
            lotor_explain(why, "the system gives no random bytes");
        }
    }
    if (status != LOTOR_OK) {
        free(stopping);
        return status;
    }
    *out = stopping;
    return LOTOR_OK;
}

lotor_status lotor_stopping_new(const lotor_stopping_params *params, lotor_message *why,
                                lotor_stopping **out)
{
    *out = NULL;
    lotor_source *source;
    lotor_status status = lotor_secure_make(why, &source);
    if (status != LOTOR_OK) {
        return status;
    }
    status = lotor_stopping_new_on(params, source, why, out);
    if (status == LOTOR_OK) {
        (*out)->owned = source;
    } else {
        lotor_secure_free(source);
    }
    return status;
}

const char *lotor_stopping_check(const lotor_stopping_params *params, lotor_message *why)
{
    lotor_stopping *stopping;
    if (lotor_stopping_new_on(params, NULL, why, &stopping) != LOTOR_OK) {
        return why->text;
    }
    lotor_stopping_free(stopping);
    return NULL;
}

void lotor_stopping_free(lotor_stopping *stopping)
{
    if (stopping) {
        lotor_secure_free(stopping->owned);
        lotor_wipe_free(stopping, sizeof *stopping);
    }
}

/* The public part of the comparison, t h_t (1 + 1/alpha) + c_t, in units, rounded up. */
static int64_t threshold(const lotor_stopping *stopping)
{
    const stopping_rule *rule = stopping->rule;
    const double t = (double)stopping->samples;
    const double question = (double)stopping->questions;
    const double beta = stopping->beta;
    const double squared = question * question;
    const double range = (double)lotor_encoding_magnitude(&stopping->encoding);
    double bound = range * sqrt(rule->width * log(rule->inside * squared / beta) * t) *
                   (1.0 + 1.0 / stopping->alpha);
    if (rule->is_private) { /* c_t, with the scales that are actually drawn */
        const double sigma = (double)stopping->sparse.scale;
        bound += sigma * (log(4.0 / beta) + log(8.0 * squared / beta)) +
                 (double)stopping->estimate_scale / stopping->alpha * log(4.0 / beta);
    }
    return bound < 0x1p62 ? (int64_t)ceil(bound) : INT64_MAX;
}

/* Asks whether to stop. Adds the noise of the estimate first, so that a failure changes nothing and
 * does not tell the answer. */
static lotor_status ask(lotor_stopping *stopping, int64_t sum, bool *enough)
{
    int64_t noisy = sum;
    lotor_status status =
        lotor_noise_add(&stopping->noise, LOTOR_LAW_LAPLACE, stopping->estimate_scale, 1, &noisy);
    if (status == LOTOR_OK) {
        status = lotor_sparse_ask(&stopping->sparse, sum < 0 ? -sum : sum, threshold(stopping),
                                  &stopping->noise, enough);
    }
    if (status == LOTOR_OK && *enough) {
        stopping->estimate_sum = noisy;
        stopping->stopped = true;
        stopping->sum = 0; /* nothing of the raw sum remains */
    }
    return status;
}

lotor_status lotor_stopping_add(lotor_stopping *stopping, double sample, lotor_message *why,
                                bool *stopped)
{
    *stopped = stopping->stopped;
    lotor_status status = lotor_secure_refuse_child(stopping->owned, "stopping rule", why);
    if (status != LOTOR_OK) {
        return status;
    }
    if (stopping->stopped) {
        return lotor_fail(LOTOR_RELEASED, why, "the rule has stopped: make a new one");
    }
    int64_t units;
    status = lotor_encode(&stopping->encoding, sample, why, &units);
    if (status != LOTOR_OK) {
        return status;
    }
    if (stopping->samples >= stopping->horizon) {
        return lotor_fail(LOTOR_HORIZON, why, "the sum of any more samples could pass 64 bits");
    }
    const uint64_t t = ++stopping->samples;
    stopping->sum += units; /* cannot overflow: there are fewer samples than the horizon */
    assert(stopping->samples <= stopping->horizon);
    const bool due = !stopping->rule->doubling || (t > 1 && (t & (t - 1)) == 0);
    if (due) {
        stopping->questions++;
        status = ask(stopping, stopping->sum, stopped);
        if (status != LOTOR_OK) {
            stopping->questions--;
            stopping->sum -= units;
            stopping->samples--;
            return lotor_fail(status, why, "the system gives no random bytes: nothing was read");
        }
    }
    return LOTOR_OK;
}

lotor_status lotor_stopping_estimate(const lotor_stopping *stopping, double *out)
{
    if (!stopping->stopped) {
        return LOTOR_UNFINISHED;
    }
    *out = lotor_decode(&stopping->encoding, stopping->estimate_sum) / (double)stopping->samples;
    return LOTOR_OK;
}

uint64_t lotor_stopping_sample_count(const lotor_stopping *stopping)
{
    return stopping->samples;
}

void lotor_stopping_guarantee(const lotor_stopping *stopping, lotor_guarantee *out)
{
    const stopping_rule *rule = stopping->rule;
    const bool none = lotor_ratio_is_infinite(stopping->epsilon);
    const lotor_claim_setting setting = {.epsilon = lotor_ratio_to_double(stopping->epsilon),
                                         .l1 = (double)lotor_encoding_width(&stopping->encoding)};
    const lotor_claim_noise noise = {.scale = (double)stopping->estimate_scale,
                                     .gate = (double)stopping->sparse.scale};
    const char *reason = rule->is_private
                             ? lotor_claim_refuse(LOTOR_MECHANISM_GATED, &setting, &noise)
                             : "this rule adds no noise: use dp-nas or dp-exp-nas";
    *out = (lotor_guarantee){
        .is_private = !reason,
        .reason = reason,
        .model = none ? LOTOR_MODEL_NONE : LOTOR_MODEL_CENTRAL,
        .epsilon = setting.epsilon,
        .unit = "one sample",
        .scale = (double)stopping->sparse.scale * stopping->encoding.unit,
        .theorem = rule->theorem,
        .assumes = "neighbouring inputs differ in one sample; each person gives one sample",
        .noise = LOTOR_NOISE_EXACT,
    };
    snprintf(out->mechanism, sizeof out->mechanism, "%s%s", rule->id,
             none ? ", no noise" : " (sparse vector, then the noisy mean), discrete Laplace noise");
}
