/* audit_tally.c - see audit_tally.h. */
#include "lab/audit_tally.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/message.h"

enum {
    MOST_LEARNED = 50000,   /* trials that train the learned attacks */
    MOST_NUMBERS = 1 << 25, /* and so many numbers of them are kept */
    MEASURED = 40 /* pairs with at least this part of the trials can show that a claim is loose */
};

static const double LOOSE = 1.5; /* from this factor on a claim is called loose */

void lotor_audit_tally_plan(lotor_audit_tally *tally, const lotor_audit_subject *subject,
                            size_t pairs, double confidence)
{
    size_t visible = lotor_audit_learned_count(subject);
    for (size_t i = 0; i < subject->event_count; i++) {
        visible += (subject->visible >> i) & 1;
    }
    tally->out->events = visible * pairs;
    tally->miss = (1.0 - confidence) / (double)(tally->out->events * LOTOR_AUDIT_SIDES);
}

/* --- one pair of inputs ------------------------------------------------------------------------- */

/* The trials of one pair of inputs, while they are played and weighed. */
typedef struct pair_search {
    lotor_audit_tally *tally;
    const lotor_audit_subject *subject;
    const lotor_audit_inputs *inputs;
    lotor_audit_lesson *lesson;
    lotor_audit_trials shared;
} pair_search;

static void describe_learned(const pair_search *at, size_t which, bool of_not, char *text,
                             size_t capacity)
{
    static const char *const learned[LOTOR_AUDIT_LEARNED][2] = {
        {"the learned likelihood ratio is at or above its threshold",
         "the learned likelihood ratio is below its threshold"},
        {"a learned weighted sum of the released numbers is at or above its threshold",
         "a learned weighted sum of the released numbers is below its threshold"},
        {"the output is one of the learned ones", "the output is none of the learned ones"}};
    if (at->subject->describe) {
        at->subject->describe(at->subject->context, at->lesson, at->shared.numbers, which, of_not,
                              text, capacity);
    } else {
        snprintf(text, capacity, "%s", learned[which][of_not]);
    }
}

static const char *attack_name(const pair_search *at, size_t attack)
{
    static const char *const learned[LOTOR_AUDIT_LEARNED] = {"learned", "learned weights",
                                                             "learned outputs"};
    const size_t after = at->subject->event_count;
    return attack >= after ? learned[attack - after] : at->subject->event_name(attack);
}

/* The event, or its absence, as a sentence. */
static void describe_event(const pair_search *at, size_t attack, const lotor_audit_counts *counts,
                           const lotor_audit_bound *bound, char *text, size_t capacity)
{
    const size_t after = at->subject->event_count;
    char words[256];
    if (attack >= after) {
        describe_learned(at, attack - after, bound->of_not, words, sizeof words);
    } else {
        snprintf(words, sizeof words, "%s", at->subject->event_words(attack, bound->of_not));
    }
    double share[2];
    for (unsigned world = 0; world < 2; world++) {
        const double seen = (double)counts->seen[world] / (double)counts->trials[world];
        share[world] = 100.0 * (bound->of_not ? 1.0 - seen : seen);
    }
    snprintf(text, capacity, "%s: in %.4g%% of the trials when %s, in %.4g%% when %s", words,
             share[0], at->inputs->words[0], share[1], at->inputs->words[1]);
}

/* Breaks a tie between events with the same bound: the larger estimate wins, if the event was
 * frequent. */
static bool says_more(const lotor_audit_finding *out, const lotor_audit_bound *bound)
{
    const lotor_audit_bound *best = &out->bound;
    if (bound->epsilon != best->epsilon || !bound->is_frequent || !isfinite(bound->likely)) {
        return false;
    }
    return !best->is_frequent || bound->likely > best->likely;
}

static void keep_event(pair_search *at, size_t attack, const lotor_audit_counts *counts,
                       const lotor_audit_bound *bound)
{
    lotor_audit_finding *out = at->tally->out;
    out->found = bound->epsilon;
    out->likely = bound->is_frequent && isfinite(bound->likely) ? bound->likely : NAN;
    out->bound = *bound;
    out->counts = *counts;
    out->pair = at->inputs->id;
    out->attack = attack_name(at, attack);
    describe_event(at, attack, counts, bound, out->event, sizeof out->event);
}

/* Keeps the event with the largest bound. */
static void weigh_events(pair_search *at, uint64_t trials)
{
    lotor_audit_tally *tally = at->tally;
    const lotor_audit_finding *out = tally->out;
    const size_t after = at->subject->event_count;
    const bool has_many = trials >= tally->all_trials / MEASURED;
    for (size_t i = 0; i < after + lotor_audit_learned_count(at->subject); i++) {
        if (i < after && !((at->subject->visible >> i) & 1)) {
            continue;
        }
        const lotor_audit_counts *counts = &at->shared.counts[i];
        const lotor_audit_bound bound = lotor_audit_bound_of(counts, tally->delta, tally->miss);
        /* An event that nearly always or never occurs does not limit what could be found. */
        if (lotor_audit_counts_vary(counts)) {
            tally->is_told = true;
            tally->is_measured = tally->is_measured || has_many;
            tally->at_most = has_many ? fmax(tally->at_most, bound.at_most) : tally->at_most;
        }
        if (!out->pair || bound.epsilon > out->found || says_more(out, &bound)) {
            keep_event(at, i, counts, &bound);
        }
    }
}

static lotor_status learn(pair_search *at, uint64_t taught, uint64_t tested)
{
    const lotor_audit_goal goal = {at->tally->delta, at->tally->miss, 0.5 * (double)tested};
    const lotor_audit_layout *layout = at->subject->layout;
    lotor_status status =
        lotor_audit_learn(at->shared.numbers, taught, layout, &goal, &at->lesson->ratio);
    if (status == LOTOR_OK) {
        status =
            lotor_audit_line_learn(at->shared.numbers, taught, layout, &goal, &at->lesson->line);
    }
    if (status == LOTOR_OK && layout->has_patterns) {
        status =
            lotor_audit_patterns_learn(at->shared.patterns, taught, &goal, &at->lesson->patterns);
    }
    return status;
}

/* How many of the trials train the learned attacks. */
static uint64_t training_trials(const lotor_audit_subject *subject, uint64_t trials)
{
    const uint64_t half = trials / 4 * 2; /* even: the same number for each world */
    const uint64_t room = MOST_NUMBERS / subject->layout->row / 2 * 2;
    const uint64_t most = room < MOST_LEARNED ? room : MOST_LEARNED;
    return half < most ? half : most;
}

static bool has_memory(const pair_search *at)
{
    return at->lesson && at->shared.numbers &&
           (at->shared.patterns || !at->subject->layout->has_patterns);
}

static lotor_status learn_and_test(pair_search *at, uint64_t trials, lotor_message *why)
{
    const uint64_t taught = training_trials(at->subject, trials);
    const lotor_audit_layout *layout = at->subject->layout;
    lotor_audit_trials *shared = &at->shared;
    at->lesson = calloc(1, sizeof *at->lesson);
    shared->numbers = malloc(taught * layout->row * sizeof *shared->numbers);
    if (layout->has_patterns) {
        shared->patterns = malloc(taught * LOTOR_PATTERN_KINDS * sizeof *shared->patterns);
    }
    if (!has_memory(at)) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for an audit");
    }
    shared->end = taught;
    lotor_status status = lotor_audit_trials_play(shared, why);
    if (status == LOTOR_OK) {
        status = learn(at, taught, trials - taught);
        if (status != LOTOR_OK) {
            lotor_explain(why, "no memory for an audit");
        }
    }
    if (status == LOTOR_OK) {
        shared->learned = at->lesson;
        shared->first = taught;
        shared->end = trials;
        status = lotor_audit_trials_play(shared, why);
    }
    return status;
}

lotor_status lotor_audit_tally_play(lotor_audit_tally *tally, const lotor_audit_subject *subject,
                                    const lotor_audit_inputs *inputs, uint64_t trials,
                                    lotor_message *why)
{
    pair_search at = {
        .tally = tally,
        .subject = subject,
        .inputs = inputs,
        .shared = {.subject = subject,
                   .threads = tally->threads,
                   .before = tally->before,
                   .all = tally->all_trials,
                   .progress = tally->progress,
                   .progress_context = tally->progress_context,
                   .mutex = PTHREAD_MUTEX_INITIALIZER},
    };
    const lotor_status status = learn_and_test(&at, trials, why);
    tally->before = at.shared.before;
    if (status == LOTOR_OK) {
        weigh_events(&at, trials);
    }
    free(at.shared.numbers);
    free(at.shared.patterns);
    free(at.lesson ? at.lesson->patterns.known : NULL);
    free(at.lesson);
    return status;
}

/* --- all pairs ---------------------------------------------------------------------------------- */

void lotor_audit_tally_judge(const lotor_audit_tally *tally, bool is_seen, bool is_of_claim)
{
    lotor_audit_finding *out = tally->out;
    out->varied = tally->is_told;
    /* Other views show less than the claim covers, and constants show nothing. */
    out->looseness = NAN;
    if (tally->is_measured && is_of_claim) {
        out->looseness = tally->at_most > 0.0 ? out->epsilon / tally->at_most : INFINITY;
    }
    if (!is_seen) {
        out->verdict = LOTOR_AUDIT_UNSEEN;
    } else if (isinf(out->epsilon)) {
        out->verdict = LOTOR_AUDIT_CLAIMS_NOTHING;
    } else if (out->found > out->epsilon) {
        out->verdict = LOTOR_AUDIT_VIOLATED;
    } else if (out->looseness >= LOOSE) {
        out->verdict = LOTOR_AUDIT_LOOSE;
    } else {
        out->verdict = out->found > 0.0 ? LOTOR_AUDIT_NOTHING_FOUND : LOTOR_AUDIT_NOTHING_SEEN;
    }
}
