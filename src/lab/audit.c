/* audit.c - runs an audit: plays all pairs of neighbouring inputs and evaluates their trials. See
 * audit.h.
 *
 * The first half of a pair's trials (at most MOST_LEARNED) trains the learned attack, and the
 * others test it. Handwritten events are counted in all trials.
 */
#include "lab/audit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/message.h"
#include "base/secure.h"
#include "base/time.h"
#include "lab/audit_trials.h"

enum {
    MOST_LEARNED = 100000, /* trials that train the learned attack */
    MOST_SCENES = 8,
    PROBES = 4 /* trials that find out whether anything is released */
};

static const double LOOSE = 1.5; /* from this factor on a claim is called loose */

const char *lotor_audit_view_name(lotor_audit_view view)
{
    static const char *const names[] = {"actions", "board", "reports"};
    return names[view];
}

lotor_audit_view lotor_audit_view_of(const lotor_algorithm *algorithm)
{
    return algorithm->model == LOTOR_MODEL_LOCAL ? LOTOR_VIEW_REPORTS : LOTOR_VIEW_BOARD;
}

const char *lotor_audit_verdict_name(lotor_audit_verdict kind)
{
    static const char *const names[] = {"no violation found", "violated", "claim is loose",
                                        "claims nothing", "too little was seen"};
    return names[kind];
}

typedef struct auditor {
    const lotor_audit_request *audit;
    lotor_audit_setting setting;
    double delta, miss; /* miss: the error probability of one confidence bound */
    size_t attacks;     /* number of handwritten attacks */
    const lotor_audit_pair *scenes[MOST_SCENES];
    uint64_t trials[MOST_SCENES];
    size_t scene_count;
    uint64_t seed;
    lotor_audit_maxima most; /* the largest values of all trials */
    uint64_t before;
    bool is_told;   /* some event was neither rare nor certain */
    double at_most; /* the largest epsilon that these events can show */
    lotor_audit_finding *out;
} auditor;

/* Whether an event can be seen in this view. */
static bool is_visible(const auditor *at, size_t attack)
{
    return (lotor_audit_attacks[attack].views >> at->audit->view) & 1;
}

/* The event, or its absence, in words. */
static const char *event_words(const auditor *at, size_t attack, bool of_not)
{
    if (attack == at->attacks) {
        return of_not ? "the learned likelihood ratio is below its threshold"
                      : "the learned likelihood ratio is at or above its threshold";
    }
    return of_not ? lotor_audit_attacks[attack].not_words : lotor_audit_attacks[attack].words;
}

static void describe_event(const auditor *at, const lotor_audit_pair *pair, size_t attack,
                           const lotor_audit_counts *counts, const lotor_audit_bound *bound,
                           char *text, size_t capacity)
{
    const char *words = event_words(at, attack, bound->of_not);
    double share[2];
    for (unsigned world = 0; world < 2; world++) {
        const double seen = (double)counts->seen[world] / (double)counts->trials[world];
        share[world] = 100.0 * (bound->of_not ? 1.0 - seen : seen);
    }
    snprintf(text, capacity, "%s: in %.4g%% of the trials when %s, in %.4g%% when %s", words,
             share[0], pair->words[0], share[1], pair->words[1]);
}

/* Breaks a tie between events with the same bound: the larger estimate wins, if the event was
 * frequent. */
static bool says_more(const auditor *at, const lotor_audit_bound *bound)
{
    const lotor_audit_bound *best = &at->out->bound;
    if (bound->epsilon != best->epsilon || !bound->is_frequent || !isfinite(bound->likely)) {
        return false;
    }
    return !best->is_frequent || bound->likely > best->likely;
}

static void keep_event(auditor *at, const lotor_audit_pair *pair, size_t attack,
                       const lotor_audit_counts *counts, const lotor_audit_bound *bound)
{
    lotor_audit_finding *out = at->out;
    out->found = bound->epsilon;
    out->likely = bound->is_frequent && isfinite(bound->likely) ? bound->likely : NAN;
    out->bound = *bound;
    out->counts = *counts;
    out->pair = pair->id;
    out->attack = attack == at->attacks ? "learned" : lotor_audit_attacks[attack].id;
    describe_event(at, pair, attack, counts, bound, out->event, sizeof out->event);
}

/* Keeps the event with the largest bound. */
static void weigh_events(auditor *at, const lotor_audit_pair *pair,
                         const lotor_audit_counts *counts)
{
    for (size_t i = 0; i <= at->attacks; i++) {
        if (i < at->attacks && !is_visible(at, i)) {
            continue;
        }
        const lotor_audit_bound bound = lotor_audit_bound_of(&counts[i], at->delta, at->miss);
        /* An event that nearly always or never occurs does not limit what could be found. */
        if (lotor_audit_counts_vary(&counts[i])) {
            at->is_told = true;
            at->at_most = fmax(at->at_most, bound.at_most);
        }
        if (!at->out->pair || bound.epsilon > at->out->found || says_more(at, &bound)) {
            keep_event(at, pair, i, &counts[i], &bound);
        }
    }
}

static lotor_status learn_and_test(auditor *at, lotor_audit_trials *shared, uint64_t trials,
                                   lotor_message *why)
{
    const uint64_t half = trials / 4 * 2; /* even: the same number for each world */
    const uint64_t taught = half < MOST_LEARNED ? half : MOST_LEARNED;
    lotor_audit_classifier *learned = malloc(sizeof *learned);
    shared->numbers = malloc(taught * LOTOR_READING_NUMBERS * sizeof *shared->numbers);
    lotor_status status = learned && shared->numbers
                              ? LOTOR_OK
                              : lotor_fail(LOTOR_MEMORY, why, "no memory for an audit");
    if (status == LOTOR_OK) {
        shared->first = 0;
        shared->end = taught;
        status = lotor_audit_trials_play(shared, why);
    }
    if (status == LOTOR_OK) {
        status = lotor_audit_learn(shared->numbers, taught, at->delta, at->miss, learned);
        if (status != LOTOR_OK) {
            lotor_explain(why, "no memory for an audit");
        }
    }
    if (status == LOTOR_OK) {
        shared->learned = learned;
        shared->first = taught;
        shared->end = trials;
        status = lotor_audit_trials_play(shared, why);
    }
    free(shared->numbers);
    free(learned);
    return status;
}

static lotor_status play_pair(auditor *at, size_t number, lotor_message *why)
{
    lotor_audit_trials shared = {
        .audit = at->audit,
        .setting = &at->setting,
        .pair = at->scenes[number],
        .attacks = at->attacks,
        .seed = lotor_mix(at->seed + number),
        .before = at->before,
        .all = at->audit->trials,
        .mutex = PTHREAD_MUTEX_INITIALIZER,
    };
    const lotor_status status = learn_and_test(at, &shared, at->trials[number], why);
    at->before = shared.before;
    if (status != LOTOR_OK) {
        return status;
    }
    lotor_audit_maxima_take(&at->most, &shared.most);
    weigh_events(at, shared.pair, shared.counts);
    return LOTOR_OK;
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
        .pair = at->scenes[0],
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

/* Whether enough is released: in two rounds; or in one, if no later release contains the replaced
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
            at->scenes[at->scene_count++] = pair;
            shares += share_of(audit, pair);
        }
    }
    for (size_t i = 0; i < at->scene_count && shares > 0; i++) {
        at->trials[i] =
            audit->trials * share_of(audit, at->scenes[i]) / shares / 2 * 2; /* half per world */
    }
    size_t visible = 1; /* the learned attack */
    for (at->attacks = 0; lotor_audit_attacks[at->attacks].id; at->attacks++) {
        visible += is_visible(at, at->attacks);
    }
    at->out->events = visible * at->scene_count;
    at->miss = (1.0 - audit->confidence) / (double)(at->out->events * LOTOR_AUDIT_SIDES);
}

static lotor_status check(const lotor_audit_request *audit, lotor_message *why)
{
    if (audit->trials < LOTOR_AUDIT_TRIALS_MIN) {
        return lotor_fail(LOTOR_INVALID, why, "%llu trials tell too little: give at least %d",
                          (unsigned long long)audit->trials, LOTOR_AUDIT_TRIALS_MIN);
    }
    if (!(audit->confidence >= 0.5 && audit->confidence < 1.0)) {
        return lotor_fail(LOTOR_INVALID, why, "the confidence must lie between 0.5 and 1, not %g",
                          audit->confidence);
    }
    if (!(audit->noise_scale > 0.0 && isfinite(audit->noise_scale))) {
        return lotor_fail(LOTOR_INVALID, why, "the noise scale must be a number above 0, not %g",
                          audit->noise_scale);
    }
    if (audit->view == LOTOR_VIEW_REPORTS && audit->algorithm->model != LOTOR_MODEL_LOCAL) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%s has no reports: only in the local model does feedback get its noise "
                          "before it leaves the person; look at the board or the actions",
                          audit->algorithm->id);
    }
    return LOTOR_OK;
}

static void judge(auditor *at)
{
    lotor_audit_finding *out = at->out;
    /* Other views show less than the claim covers, and constants show nothing. */
    const bool measures =
        at->is_told && at->audit->view == lotor_audit_view_of(at->audit->algorithm);
    out->looseness = NAN;
    if (measures) {
        out->looseness = at->at_most > 0.0 ? out->epsilon / at->at_most : INFINITY;
    }
    if (!has_released(at) || at->most.seen == 0) {
        out->verdict = LOTOR_AUDIT_UNSEEN;
    } else if (isinf(out->epsilon)) {
        out->verdict = LOTOR_AUDIT_CLAIMS_NOTHING;
    } else if (out->found > out->epsilon) {
        out->verdict = LOTOR_AUDIT_VIOLATED;
    } else {
        out->verdict = out->looseness >= LOOSE ? LOTOR_AUDIT_LOOSE : LOTOR_AUDIT_NOTHING_FOUND;
    }
}

/* Simulated noise without a seed: one that nobody knows. */
static lotor_status find_seed(auditor *at, lotor_message *why)
{
    if (at->audit->is_seeded || !lotor_audit_is_simulated(at->audit)) {
        return LOTOR_OK;
    }
    lotor_source *source;
    const lotor_status status = lotor_secure_make(why, &source);
    if (status != LOTOR_OK) {
        return status;
    }
    at->seed = lotor_source_word(source);
    lotor_secure_free(source);
    return LOTOR_OK;
}

static lotor_status play_scenes(auditor *at, lotor_message *why)
{
    lotor_status status = find_seed(at, why);
    for (size_t i = 0; i < at->scene_count && status == LOTOR_OK; i++) {
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
    auditor at = {.audit = audit, .out = out, .seed = audit->seed};
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
    out->delta = at.delta = has_noise && delta.num != 0 ? lotor_ratio_to_double(delta) : 0.0;
    plan(&at);
    status = grow(&at, why);
    if (status == LOTOR_OK && has_released(&at)) {
        status = play_scenes(&at, why);
    }
    lotor_audit_setting_words(&at.setting, out->setting, sizeof out->setting);
    out->rounds = at.most.rounds;
    out->releases = at.most.releases;
    out->seen = at.most.seen;
    out->varied = at.is_told;
    out->seconds = lotor_time_seconds() - start;
    judge(&at);
    return status;
}
