/* audit.c - runs an audit of an algorithm of the catalog: plays all pairs of neighbouring inputs,
 * and searches their trials for events (audit_tally.h). See audit.h. */
#include "lab/audit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/message.h"
#include "base/secure.h"
#include "base/time.h"
#include "lab/audit_scope.h"
#include "lab/audit_tally.h"

enum {
    MOST_PAIRS = 16,
    PROBES = 4 /* trials that find out whether anything is released */
};

const char *lotor_audit_view_name(lotor_audit_view view)
{
    static const char *const names[] = {"actions", "board", "reports"};
    return names[view];
}

lotor_audit_view lotor_audit_view_of(const lotor_algorithm *algorithm)
{
    return lotor_algorithm_model(algorithm) == LOTOR_MODEL_LOCAL ? LOTOR_VIEW_REPORTS
                                                                 : LOTOR_VIEW_BOARD;
}

const char *lotor_audit_verdict_name(lotor_audit_verdict kind)
{
    static const char *const names[] = {"no violation found",  "violated",
                                        "claim is loose",      "claims nothing",
                                        "too little was seen", "nothing could be seen"};
    return names[kind];
}

typedef struct auditor {
    const lotor_audit_request *audit;
    lotor_audit_setting setting;
    const lotor_audit_pair *pairs[MOST_PAIRS];
    uint64_t trials[MOST_PAIRS];
    size_t pair_count;
    uint64_t seed;
    lotor_audit_maxima most; /* the largest values of all trials */
    lotor_audit_scope scope;
    lotor_audit_tally tally;
} auditor;

static lotor_status play_pair(auditor *at, size_t number, lotor_message *why)
{
    const lotor_audit_pair *pair = at->pairs[number];
    const lotor_audit_setting setting = lotor_audit_setting_for(at->audit, &at->setting, pair);
    lotor_audit_pair_trials shared = {
        .audit = at->audit,
        .setting = &setting,
        .pair = pair,
        .seed = lotor_mix(at->seed + number),
        .mutex = PTHREAD_MUTEX_INITIALIZER,
    };
    const lotor_audit_subject subject = lotor_audit_subject_of(at->audit, &shared);
    const lotor_audit_inputs inputs = {pair->id, {pair->words[0], pair->words[1]}};
    const lotor_status status =
        lotor_audit_tally_play(&at->tally, &subject, &inputs, at->trials[number], why);
    if (status == LOTOR_OK) {
        lotor_audit_maxima_take(&at->most, &shared.most);
        lotor_audit_scope_take(&at->scope, pair, &shared.most);
    }
    return status;
}

/* Plays a few trials of the first pair, to see how much is released. */
static lotor_status probe(auditor *at, lotor_message *why)
{
    lotor_generator generator;
    lotor_audit_transcript *transcript = malloc(sizeof *transcript);
    if (!transcript) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for an audit");
    }
    lotor_audit_player player = {
        .setting = &at->setting,
        .pair = at->pairs[0],
        .generator = &generator,
        .transcript = transcript,
    };
    lotor_status status = LOTOR_OK;
    at->most = (lotor_audit_maxima){0};
    for (unsigned i = 0; i < PROBES && status == LOTOR_OK; i++) {
        lotor_generator_seed(&generator, i);
        status = lotor_audit_play(&player, why);
        const lotor_audit_maxima most = lotor_audit_maxima_of(&player, at->audit->view);
        lotor_audit_maxima_take(&at->most, &most);
    }
    lotor_audit_player_clear(&player);
    free(transcript);
    return status;
}

/* True if enough is released: in two rounds; or in one, if no later release contains the replaced
 * round. */
static bool has_released(const auditor *at)
{
    return at->most.releases >= (at->setting.stops_early ? 1 : 2);
}

/* Doubles the horizon until enough is released. */
static lotor_status grow(auditor *at, lotor_message *why)
{
    enum { MOST_ROUNDS = 1 << 14 };
    for (;;) {
        const lotor_status status = probe(at, why);
        if (status != LOTOR_OK || has_released(at) || !at->setting.is_grown ||
            at->setting.rounds >= MOST_ROUNDS) {
            return status;
        }
        at->setting.rounds *= 2;
        at->setting.params.horizon = at->setting.rounds;
    }
}

/* Algorithms for any problem record lists in the same way as sets, so lists get a small share. */
static uint64_t share_of(const lotor_audit_request *audit, const lotor_audit_pair *pair)
{
    return audit->algorithm->problem == LOTOR_PROBLEM_ANY && pair->is_list ? 1 : pair->share;
}

static void plan(auditor *at)
{
    const lotor_audit_request *audit = at->audit;
    uint64_t shares = 0;
    for (const lotor_audit_pair *pair = lotor_audit_pairs; pair->id; pair++) {
        if (pair->fits(audit->algorithm, audit)) {
            at->pairs[at->pair_count++] = pair;
            shares += share_of(audit, pair);
        }
    }
    for (size_t i = 0; i < at->pair_count && shares > 0; i++) {
        at->trials[i] =
            audit->trials * share_of(audit, at->pairs[i]) / shares / 2 * 2; /* half per world */
    }
    const lotor_audit_subject subject = lotor_audit_subject_of(audit, NULL);
    lotor_audit_tally_plan(&at->tally, &subject, at->pair_count, audit->confidence);
}

lotor_status lotor_audit_check(uint64_t trials, double confidence, lotor_message *why)
{
    if (trials < LOTOR_AUDIT_TRIALS_MIN) {
        return lotor_fail(LOTOR_INVALID, why, "%llu trials are too few: give at least %d",
                          (unsigned long long)trials, LOTOR_AUDIT_TRIALS_MIN);
    }
    if (trials > LOTOR_AUDIT_TRIALS_MAX) {
        return lotor_fail(LOTOR_INVALID, why, "%llu trials are too many: expected at most 2^40",
                          (unsigned long long)trials);
    }
    if (!(confidence >= 0.5 && confidence < 1.0)) {
        return lotor_fail(LOTOR_INVALID, why, "the confidence must lie between 0.5 and 1, not %g",
                          confidence);
    }
    return LOTOR_OK;
}

static lotor_status check(const lotor_audit_request *audit, lotor_message *why)
{
    const lotor_status status = lotor_audit_check(audit->trials, audit->confidence, why);
    if (status != LOTOR_OK) {
        return status;
    }
    if (!(audit->noise_scale > 0.0 && isfinite(audit->noise_scale))) {
        return lotor_fail(LOTOR_INVALID, why, "the noise scale must be a number above 0, not %g",
                          audit->noise_scale);
    }
    if (audit->view == LOTOR_VIEW_REPORTS &&
        lotor_algorithm_model(audit->algorithm) != LOTOR_MODEL_LOCAL) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%s has no reports: only in the local model does feedback get its noise "
                          "before it leaves the person; look at the board or the actions",
                          audit->algorithm->id);
    }
    return LOTOR_OK;
}

lotor_status lotor_audit_draw_seed(lotor_message *why, uint64_t *out)
{
    lotor_source *source;
    const lotor_status status = lotor_secure_make(why, &source);
    if (status == LOTOR_OK) {
        *out = lotor_source_word(source);
        lotor_secure_free(source);
    }
    return status;
}

static lotor_status play_pairs(auditor *at, lotor_message *why)
{
    const bool needs_seed = lotor_audit_is_simulated(at->audit) && !at->audit->is_seeded;
    lotor_status status = needs_seed ? lotor_audit_draw_seed(why, &at->seed) : LOTOR_OK;
    for (size_t i = 0; i < at->pair_count && status == LOTOR_OK; i++) {
        status = play_pair(at, i, why);
    }
    return status;
}

lotor_status lotor_audit_search(const lotor_audit_request *audit, lotor_message *why,
                                lotor_audit_finding *out)
{
    *out = (lotor_audit_finding){.trials = audit->trials,
                                 .is_simulated = lotor_audit_is_simulated(audit)};
    const double start = lotor_time_seconds();
    auditor at = {
        .audit = audit,
        .seed = audit->seed,
        .tally = {.all_trials = audit->trials,
                  .threads = audit->threads,
                  .progress = audit->progress,
                  .progress_context = audit->context,
                  .out = out},
    };
    lotor_status status = check(audit, why);
    if (status == LOTOR_OK) {
        status = lotor_audit_setting_of(audit, why, &at.setting);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    const bool has_noise = lotor_algorithm_has_noise(audit->algorithm);
    out->epsilon = has_noise ? lotor_ratio_to_double(audit->epsilon) : INFINITY;
    const lotor_ratio delta = at.setting.params.delta;
    out->delta = at.tally.delta = has_noise && delta.num != 0 ? lotor_ratio_to_double(delta) : 0.0;
    plan(&at);
    status = grow(&at, why);
    if (status == LOTOR_OK && has_released(&at)) {
        status = play_pairs(&at, why);
    }
    lotor_audit_setting_words(&at.setting, out->setting, sizeof out->setting);
    lotor_audit_scope_words(&at.scope, audit, out->exercised, out->not_exercised);
    out->rounds = at.most.rounds;
    out->releases = at.most.releases;
    out->seen = at.most.seen;
    out->seconds = lotor_time_seconds() - start;
    lotor_audit_tally_judge(&at.tally, has_released(&at) && at.most.seen > 0,
                            audit->view == lotor_audit_view_of(audit->algorithm));
    return status;
}
