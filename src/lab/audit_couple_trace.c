/* audit_couple_trace.c - random traces for coupled worlds (audit_couple.h).
 *
 * A trace is drawn from a seed: a problem (arms, slots, structure, ranges, epsilon), the round that
 * differs, and then steps. A step opens a round, brings feedback (in any order, twice, or too late),
 * makes a round final, saves and loads, or changes which arms are eligible. Half of the traces that
 * can be served go through serving.h, where rounds can also be taken back. In a quarter of those, a
 * share of the rounds measures value. Some start with releases of another policy (policy/prior.md):
 * any numbers, the same in both worlds.
 *
 * A long trace has up to 2^14 rounds of few arms. Any of them may differ, and most become final in their order. So
 * it reaches large batches, large counts and late rounds. In most long traces all other feedback is 0: then the
 * sign of a raw sum depends on the round that differs.
 */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "base/random/laws.h"
#include "lab/audit_couple.h"

enum {
    SLOTS = 6,         /* the most arms in most lists; others may show all */
    OPEN = 40,         /* the most rounds that are open at once */
    DIMENSION = 8,     /* of contexts */
    NUMBERS = 64,      /* of encoded feedback */
    TRIES = 50,        /* settings that are drawn until one is valid */
    LONG = 1 << 11,    /* rounds of elimination, whose first batch is long */
    LONGEST = 1 << 13, /* rounds of a few traces, for large batches and high nodes of trees */
    STRETCH = 512      /* long traces: how much longer the learner remembers */
};

/* In linear problems the worlds may show different arms in the replaced round; else world 1 has the
 * same lists. */
typedef struct trace_round {
    uint64_t event;
    uint32_t arms[2][LOTOR_COUPLE_ARMS], asked[2][LOTOR_COUPLE_ARMS]; /* per world */
    size_t count, asked_count;
    bool is_answered;
    bool is_blank;               /* the chooser has drawn it: the policy hears of it at its end */
    uint64_t size;               /* of its batch */
    double action[2][DIMENSION]; /* per world */
    int64_t units[2][NUMBERS];   /* served: the encoded feedback */
    size_t used[2];
    bool has_units[2];
} trace_round;

typedef struct trace {
    lotor_couple couple;
    const lotor_algorithm *algorithm;
    lotor_generator random;
    lotor_policy_params params;
    lotor_ratio epsilon; /* claimed */
    double noise_scale;
    bool is_served, is_first_replaced;
    bool has_blanks;                /* served: about half of the rounds are blanks */
    bool has_prior;                 /* served: both worlds start with the same releases of others */
    bool is_evaluated;              /* served: some rounds measure value */
    uint64_t chosen_by;             /* the releases that the choosers know */
    uint64_t rounds, last_replaced; /* rounds to play; the last one that can be replaced */
    size_t most_open;
    uint64_t drawn;
    trace_round open[OPEN];
    size_t open_count;
    bool eligible[LOTOR_COUPLE_ARMS];
    bool is_masked;
    bool is_clear; /* the first arm has the largest reward, the others the smallest */
    int contrast;  /* how the feedback of the replaced round differs */
    bool is_long;  /* a long trace */
    bool is_quiet; /* all feedback is the default, but that of the replaced round */

    /* The arrays that the parameters point to. */
    uint32_t group[LOTOR_COUPLE_ARMS], capacity[LOTOR_COUPLE_ARMS];
    uint32_t from[LOTOR_COUPLE_ARMS], to[LOTOR_COUPLE_ARMS];
    int64_t vectors[LOTOR_COUPLE_ARMS * 3];
    size_t rank;
    double first[2][LOTOR_COUPLE_ARMS];
} trace;

/* --- random numbers ----------------------------------------------------------------------------- */

static size_t below(trace *self, size_t count)
{
    return (size_t)(((lotor_generator_word(&self->random) >> 32) * count) >> 32);
}

static size_t between(trace *self, size_t least, size_t most)
{
    return least + below(self, most - least + 1);
}

static bool one_in(trace *self, size_t count)
{
    return below(self, count) == 0;
}

/* A reward of an arm: half of them are at the ends of the range, or all are by the arm. */
static double reward(trace *self, size_t arm)
{
    const double low = self->params.low, high = self->params.high;
    if (self->is_quiet) {
        return self->params.default_reward;
    }
    if (self->is_clear) {
        return arm == 0 ? high : low;
    }
    switch (below(self, 4)) {
    case 0:
        return low;
    case 1:
        return high;
    default:
        return low + (high - low) * lotor_random_uniform(&self->random);
    }
}

/* --- the setting ---------------------------------------------------------------------------------- */

static bool joins(const void *context, const uint32_t *set, size_t count, uint32_t arm)
{
    (void)set;
    (void)arm;
    return count < *(const size_t *)context;
}

/* An oracle of the caller: the arm of the largest index, and those with a positive index after
 * it. */
static size_t pick(const void *context, const double *index, size_t arms, uint32_t *picked)
{
    const size_t most = *(const size_t *)context;
    size_t best = 0, count = 0;
    for (size_t i = 1; i < arms; i++) {
        best = index[i] > index[best] ? i : best;
    }
    picked[count++] = (uint32_t)best;
    for (size_t i = 0; i < arms && count < most; i++) {
        if (i != best && index[i] > 0.0) {
            picked[count++] = (uint32_t)i;
        }
    }
    return count;
}

/* Edges from lower to higher vertices, with a way through all of them. */
static void set_edges(trace *self, size_t vertices)
{
    lotor_policy_params *params = &self->params;
    for (size_t i = 0; i < params->arms; i++) {
        const bool on_the_way = i + 1 < vertices;
        const size_t from = on_the_way ? i : below(self, vertices - 1);
        self->from[i] = (uint32_t)from;
        self->to[i] = (uint32_t)(on_the_way ? i + 1 : between(self, from + 1, vertices - 1));
    }
    params->from = self->from;
    params->to = self->to;
    params->vertices = vertices;
}

static void set_bipartite(trace *self, size_t left)
{
    lotor_policy_params *params = &self->params;
    for (size_t i = 0; i < params->arms; i++) {
        self->from[i] = (uint32_t)(i < left ? i : below(self, left));
        self->to[i] = (uint32_t)below(self, 4);
    }
    params->from = self->from;
    params->to = self->to;
    params->vertices = left;
    params->seeds = between(self, 1, left);
}

static void set_structure(trace *self, lotor_structure structure)
{
    lotor_policy_params *params = &self->params;
    params->structure = structure;
    params->arms = between(self, 4, 10);
    switch (structure) {
    case LOTOR_STRUCTURE_PARTITION:
        params->groups = between(self, 1, 4);
        for (size_t i = 0; i < params->arms; i++) {
            self->group[i] = (uint32_t)(i < params->groups ? i : below(self, params->groups));
            self->capacity[i] = (uint32_t)between(self, 1, 2);
        }
        params->group = self->group;
        params->capacity = self->capacity;
        break;
    case LOTOR_STRUCTURE_GRAPHIC:
    case LOTOR_STRUCTURE_PATH:
        set_edges(self, between(self, 3, 5));
        params->sink = (uint32_t)(params->vertices - 1);
        break;
    case LOTOR_STRUCTURE_LINEAR:
        params->dimension = between(self, 1, 3);
        for (size_t i = 0; i < params->arms * params->dimension; i++) {
            self->vectors[i] = (int64_t)below(self, 4) - 1;
        }
        self->vectors[0] = 1;
        params->vectors = self->vectors;
        break;
    case LOTOR_STRUCTURE_COVERAGE:
        set_bipartite(self, between(self, 1, 3));
        break;
    case LOTOR_STRUCTURE_INFLUENCE:
        params->arms = 4;
        set_edges(self, between(self, 2, 4));
        params->seeds = 1;
        break;
    case LOTOR_STRUCTURE_CUSTOM_MATROID:
    case LOTOR_STRUCTURE_CUSTOM_ORACLE:
        self->rank = between(self, 1, 3);
        params->rank = self->rank;
        params->independent = structure == LOTOR_STRUCTURE_CUSTOM_MATROID ? joins : NULL;
        params->pick = structure == LOTOR_STRUCTURE_CUSTOM_ORACLE ? pick : NULL;
        params->context = &self->rank;
        break;
    case LOTOR_STRUCTURE_TOP:
        params->arms = between(self, 1, LOTOR_COUPLE_ARMS);
        params->slots =
            between(self, 1, params->arms < SLOTS || one_in(self, 10) ? params->arms : SLOTS);
        break;
    }
}

static void set_problem(trace *self)
{
    lotor_policy_params *params = &self->params;
    lotor_problem problem = self->algorithm->problem;
    if (problem == LOTOR_PROBLEM_ANY) {
        params->cascade = one_in(self, 3);
        problem = params->cascade ? LOTOR_PROBLEM_CASCADE : LOTOR_PROBLEM_SEMIBANDIT;
    }
    switch (problem) {
    case LOTOR_PROBLEM_FINITE:
        params->arms = one_in(self, 4) ? 1 : between(self, 2, LOTOR_COUPLE_ARMS);
        break;
    case LOTOR_PROBLEM_LINEAR:
        params->arms = between(self, 1, 6);
        params->dimension = between(self, 1, DIMENSION);
        params->context_length = one_in(self, 2) ? 1.0 : 0.5 + (double)below(self, 4);
        break;
    case LOTOR_PROBLEM_CASCADE:
        set_structure(self, LOTOR_STRUCTURE_TOP);
        break;
    case LOTOR_PROBLEM_MATROID:
        set_structure(self, self->is_long
                                ? LOTOR_STRUCTURE_TOP
                                : (lotor_structure)below(self, LOTOR_STRUCTURE_CUSTOM_MATROID + 1));
        break;
    default: /* influence is slow: few traces play it */
        if (self->is_long) {
            set_structure(self, LOTOR_STRUCTURE_TOP);
            break;
        }
        set_structure(self, one_in(self, 16)
                                ? LOTOR_STRUCTURE_INFLUENCE
                                : (lotor_structure)below(self, LOTOR_STRUCTURE_COVERAGE + 1));
        if (params->structure == LOTOR_STRUCTURE_COVERAGE && one_in(self, 2)) {
            set_structure(self, LOTOR_STRUCTURE_CUSTOM_ORACLE);
        }
        break;
    }
}

static void set_range(trace *self, bool is_clicks)
{
    static const double ranges[][2] = {{0, 1}, {-1, 1}, {2, 5}, {0, 0.001}, {-300, 700}};
    const size_t which = is_clicks ? 0 : below(self, sizeof ranges / sizeof *ranges);
    self->params.low = ranges[which][0];
    self->params.high = ranges[which][1];
    self->params.default_reward = is_clicks ? 0.0 : reward(self, 0);
}

/* Options of the learner, which do not change what is private. */
static void set_options(trace *self)
{
    const lotor_algorithm *algorithm = self->algorithm;
    lotor_policy_params *params = &self->params;
    params->clip = one_in(self, 3);
    if (!algorithm->elimination && one_in(self, 3)) {
        params->beta = 0.01 * (double)between(self, 1, 60);
    }
    if (algorithm->imed) {
        params->caution = one_in(self, 3) ? 0.5 * (double)between(self, 1, 12) : 0.0;
        params->lag = one_in(self, 3) ? (double)between(self, 1, 9) : 0.0;
        params->half_life = one_in(self, 3) ? between(self, 1, 60) : 0;
        params->half_life_in_seconds = params->half_life > 0 && one_in(self, 3);
    }
    if (algorithm->imed && algorithm->statistic->is_closed_outside && params->half_life == 0 &&
        one_in(self, 3)) {
        params->window = between(self, 1, 60);
        params->alarm = one_in(self, 2);
    }
    if (algorithm->imed && algorithm->statistic->is_closed_outside && one_in(self, 4)) {
        params->variance = 0.2;
    }
    if (algorithm->linear && one_in(self, 3)) {
        params->theta_length = 0.5 + (double)below(self, 3);
    }
    if (algorithm->delta.num > 0 && one_in(self, 3)) {
        params->delta = lotor_ratio_of(1, 10 * between(self, 10, 1000));
    }
}

/* Few arms, so that some have large batches. The learner remembers more rounds, too. */
static void set_long(trace *self)
{
    lotor_policy_params *params = &self->params;
    assert(!self->algorithm->elimination && params->structure == LOTOR_STRUCTURE_TOP);
    self->rounds = params->horizon = UINT64_C(1) << between(self, 11, 14);
    params->arms = between(self, 1, 4);
    params->slots = params->slots > 0 ? between(self, 1, params->arms) : 0;
    params->window *= STRETCH;
    params->half_life *= STRETCH;
}

static void set_learner(trace *self)
{
    static const lotor_ratio epsilons[] = {{1, 10}, {1, 2}, {1, 1}, {3, 1}, {10, 1}};
    const lotor_algorithm *algorithm = self->algorithm;
    lotor_policy_params *params = &self->params;
    self->epsilon = epsilons[below(self, sizeof epsilons / sizeof *epsilons)];
    self->rounds = (uint64_t)between(self, 2, one_in(self, 4) ? 200 : 48);
    params->horizon = one_in(self, 2) ? self->rounds : UINT64_C(1) << between(self, 1, 8);
    if (algorithm->elimination) {
        params->arms = between(self, 1, 4);
        params->beta = 0.99; /* the certainty of its choices does not affect its privacy */
        self->epsilon = lotor_ratio_of(between(self, 4, 40), 1);
        params->horizon = self->rounds = LONG;
    }
    if (algorithm->linear) { /* a large epsilon has its first release early */
        const bool is_wishart = algorithm->matrix == LOTOR_MATRIX_WISHART; /* claims less above */
        self->epsilon = lotor_ratio_of(between(self, 1, is_wishart ? 6 : 60), 1);
        params->regularizer = one_in(self, 3) ? 4.0 : 0.0;
    }
    set_options(self);
    if (!algorithm->elimination && params->structure == LOTOR_STRUCTURE_TOP && one_in(self, 150)) {
        self->rounds = params->horizon = LONGEST;
        params->arms = 1;
        params->slots = params->slots > 0 ? 1 : 0;
    }
    if (self->is_long) {
        set_long(self);
    }
    if (!algorithm->needs_horizon && one_in(self, 2)) {
        params->horizon = 0;
    }
    if (params->horizon > 0 && params->horizon < self->rounds) {
        self->rounds = params->horizon;
    }
    self->last_replaced = self->rounds;
    if (self->rounds == params->horizon && one_in(self, 3)) {
        self->rounds += between(self, 1, 10); /* decisions past the horizon take no feedback */
    }
}

/* Draws a setting. It may be invalid: then another one is drawn. */
static lotor_status set(trace *self, lotor_message *why)
{
    const lotor_algorithm *algorithm = self->algorithm;
    self->params = (lotor_policy_params){
        .algorithm = algorithm->id, .catalog = algorithm->catalog, .delta = algorithm->delta};
    set_problem(self);
    set_learner(self);
    const bool is_clicks = self->params.cascade || algorithm->problem == LOTOR_PROBLEM_CASCADE;
    self->is_quiet = false;
    set_range(self, is_clicks);
    self->most_open = one_in(self, 3) ? 1 : between(self, 2, OPEN);
    const size_t last = (size_t)self->last_replaced;
    const bool is_any = self->is_long || one_in(self, 2) || last < 4;
    self->couple.replaced = (uint64_t)between(self, 1, is_any ? last : 4);
    self->couple.is_replaced_final = false;
    self->contrast = (int)below(self, 4);
    if (self->is_long && !one_in(self, 4)) {
        self->is_quiet = true;
        self->contrast = 1 + (int)below(self, 2); /* always far apart */
        self->params.default_reward = fmax(self->params.low, 0.0);
    }
    self->is_clear = algorithm->elimination && one_in(self, 2);
    self->is_first_replaced = algorithm->starts_exact && one_in(self, 2);
    for (size_t i = 0; algorithm->starts_exact && i < self->params.arms; i++) {
        self->first[0][i] = self->first[1][i] =
            is_clicks ? (double)below(self, 2) : reward(self, i);
    }
    if (self->is_first_replaced) {
        self->first[0][0] = self->params.low;
        self->first[1][0] = self->params.high;
        self->couple.replaced = 0;
        self->couple.is_replaced_final = true;
    }
    self->couple.stretch = one_in(self, 4) ? 5.0 : one_in(self, 3) ? 0.01 : 1.0;
    self->params.epsilon = self->epsilon;
    return self->noise_scale == 1.0
               ? LOTOR_OK
               : lotor_ratio_from_double(lotor_ratio_to_double(self->epsilon) / self->noise_scale,
                                         why, &self->params.epsilon);
}

/* --- steps ------------------------------------------------------------------------------------------ */

static bool is_replaced(const trace *self, uint64_t event)
{
    return event > 0 && event == self->couple.replaced;
}

/* Contexts of one world: directions at random, of any length up to the longest. */
static void draw_contexts(trace *self, double *contexts)
{
    const lotor_policy_params *params = &self->params;
    for (size_t i = 0; i < params->arms; i++) {
        double *row = contexts + i * params->dimension, square = 0.0;
        const size_t kind = below(self, 8);
        for (size_t j = 0; j < params->dimension; j++) {
            row[j] = kind == 0 ? (double)(j == 0) : lotor_random_gaussian(&self->random);
            square += row[j] * row[j];
        }
        const double length = params->context_length == 0.0 ? 1.0 : params->context_length;
        const double wanted = kind == 1 ? 0.0 : kind < 6 ? length : length * 0.5;
        for (size_t j = 0; j < params->dimension; j++) {
            row[j] *= square > 0.0 ? wanted / sqrt(square) * (1.0 - 1e-12) : 0.0;
        }
    }
}

/* Draws the next decision in a world. */
static lotor_status decide(trace *self, size_t w, const double *contexts, lotor_message *why,
                           lotor_decision *out)
{
    lotor_policy *policy = self->couple.world[w].policy;
    trace_round *round = &self->open[self->open_count];
    if (self->params.half_life_in_seconds) { /* a round takes 3 seconds: time is public */
        const lotor_status status = lotor_policy_tick(policy, 3 * policy->asked, why);
        if (status != LOTOR_OK) {
            return status;
        }
    }
    const bool *eligible = self->is_masked ? self->eligible : NULL;
    if (round->is_blank) {
        uint64_t size = 0;
        const lotor_status status =
            lotor_couple_draw_blank(&self->couple.world[w], contexts, eligible, why, out, &size);
        if (status == LOTOR_OK && w == 1 && size != round->size) {
            lotor_couple_violate(&self->couple, "one world wants batches of another size");
        }
        round->size = size;
        return status;
    }
    return self->is_served ? lotor_policy_draw(policy, contexts, eligible, why, out)
                           : lotor_policy_choose(policy, contexts, why, out);
}

/* Half of the rounds of such a trace are blanks. New choosers are made after releases, and now and then. */
static lotor_status choose_kind(trace *self, lotor_message *why)
{
    trace_round *round = &self->open[self->open_count];
    *round = (trace_round){.event = 0, .is_blank = self->has_blanks && one_in(self, 2)};
    const bool is_known = self->couple.world[0].chooser && self->chosen_by == self->couple.releases;
    if (!round->is_blank || (is_known && !one_in(self, 10))) {
        return LOTOR_OK;
    }
    self->chosen_by = self->couple.releases;
    return lotor_couple_make_choosers(&self->couple, &self->params,
                                      lotor_generator_word(&self->random), why);
}

/* Keeps the round as world w shows it. */
static void keep_round(trace *self, size_t w, const lotor_decision *decision,
                       const double *contexts)
{
    trace_round *round = &self->open[self->open_count];
    round->event = decision->event;
    round->count = decision->count;
    round->asked_count = decision->asked_count;
    assert(decision->count <= LOTOR_COUPLE_ARMS && decision->asked_count <= LOTOR_COUPLE_ARMS);
    memcpy(round->arms[w], decision->arms, decision->count * sizeof *round->arms[w]);
    memcpy(round->asked[w], decision->asked, decision->asked_count * sizeof *round->asked[w]);
    if (self->algorithm->linear) {
        const size_t dimension = self->params.dimension;
        memcpy(round->action[w], contexts + decision->arms[0] * dimension,
               dimension * sizeof *round->action[w]);
    }
}

/* Opens a round in both worlds. The arms that a person is shown may depend on their own context, so the
 * decisions of the replaced round are not compared in linear problems. */
static lotor_status open_round(trace *self, lotor_message *why)
{
    double contexts[2][LOTOR_COUPLE_ARMS * DIMENSION];
    const bool is_linear = self->algorithm->linear != NULL;
    const bool differs = is_linear && self->drawn + 1 == self->couple.replaced;
    if (is_linear) {
        draw_contexts(self, contexts[0]);
        memcpy(contexts[1], contexts[0], sizeof contexts[0]);
        if (differs) {
            draw_contexts(self, contexts[1]);
        }
    }
    lotor_decision decisions[2];
    lotor_status status[2] = {choose_kind(self, why)};
    if (status[0] != LOTOR_OK || self->couple.is_violated) {
        return status[0];
    }
    for (size_t w = 0; w < 2; w++) {
        status[w] = decide(self, w, is_linear ? contexts[w] : NULL, why, &decisions[w]);
        if (status[w] == LOTOR_OK) { /* compare copies: the other world may use the same memory */
            keep_round(self, w, &decisions[w], contexts[w]);
            decisions[w].arms = self->open[self->open_count].arms[w];
            decisions[w].asked = self->open[self->open_count].asked[w];
        }
    }
    if (status[0] != status[1]) {
        lotor_couple_violate(&self->couple, "one world refuses to show anything");
        return LOTOR_OK;
    }
    if (status[0] == LOTOR_INVALID && self->is_masked) {
        self->is_masked = false; /* no set of the eligible arms fits: all are eligible again */
        return LOTOR_OK;
    }
    if (status[0] != LOTOR_OK) {
        return status[0];
    }
    self->drawn++;
    if (!differs) {
        lotor_couple_same_decision(&self->couple, &decisions[0], &decisions[1]);
    }
    self->open_count += decisions[0].event > 0;
    return LOTOR_OK;
}

/* The feedback of a round in both worlds. */
typedef struct answer {
    double rewards[2][LOTOR_COUPLE_ARMS];
    lotor_feedback feedback[2];
    bool is_missing[2];
} answer;

/* The value of a round is about all arms that were shown. */
static void draw_answer(trace *self, const trace_round *round, answer *out)
{
    const bool differs = is_replaced(self, round->event);
    const bool values =
        lotor_round_role_of(round->asked[0], round->asked_count) != LOTOR_ROUND_LEARNS;
    const size_t slots = round->count, wanted = values ? slots : round->asked_count;
    for (size_t w = 0; w < 2; w++) {
        const uint32_t *arms = values ? round->arms[w] : round->asked[w];
        for (size_t i = 0; i < wanted; i++) {
            const bool is_copy = w == 1 && !differs;
            out->rewards[w][i] = is_copy ? out->rewards[0][i] : reward(self, arms[i]);
            if (differs && self->contrast > 0) { /* as far apart as can be */
                out->rewards[w][i] =
                    (w == 0) == (self->contrast > 1) ? self->params.low : self->params.high;
            }
        }
        const bool is_copy = w == 1 && !differs, is_none = self->is_quiet && !differs;
        const size_t click = is_copy   ? out->feedback[0].click
                             : is_none ? 0
                                       : below(self, slots + 1);
        out->feedback[w] = (lotor_feedback){out->rewards[w], wanted, click};
        out->is_missing[w] = differs && self->contrast == 3 && w == 1;
    }
    if (self->couple.world[0].policy->coder.hears_clicks) {
        out->feedback[0].rewards = out->feedback[1].rewards = NULL;
        out->feedback[0].count = out->feedback[1].count = 0;
    } else {
        out->feedback[0].click = out->feedback[1].click = 0;
    }
}

static lotor_display display_of(const trace *self, size_t w, const trace_round *round)
{
    return (lotor_display){round->arms[w], round->count, round->asked[w], round->asked_count,
                           self->algorithm->linear ? round->action[w] : NULL};
}

/* Keeps the encoded feedback of a served round. First feedback wins. */
static lotor_status keep_answer(trace *self, trace_round *round, const answer *given,
                                lotor_message *why)
{
    lotor_status status = LOTOR_OK;
    for (size_t w = 0; w < 2 && status == LOTOR_OK; w++) {
        if (round->has_units[w] || given->is_missing[w]) {
            continue;
        }
        const lotor_display display = display_of(self, w, round);
        assert(lotor_policy_width(self->couple.world[w].policy) <= NUMBERS);
        status = lotor_policy_encode(self->couple.world[w].policy, &display, &given->feedback[w],
                                     why, round->units[w], &round->used[w]);
        round->has_units[w] = status == LOTOR_OK;
    }
    return status;
}

/* Brings feedback to both worlds. A person learns about their own round whether it was answered
 * before, so the statuses of the replaced round are not compared. */
static lotor_status bring(trace *self, trace_round *round, lotor_message *why)
{
    answer given;
    draw_answer(self, round, &given);
    round->is_answered = true;
    if (self->is_served) {
        return keep_answer(self, round, &given, why);
    }
    lotor_status status[2] = {LOTOR_OK, LOTOR_OK};
    for (size_t w = 0; w < 2; w++) {
        if (!given.is_missing[w]) {
            status[w] = lotor_policy_observe(self->couple.world[w].policy, round->event,
                                             &given.feedback[w], why);
        }
    }
    if (status[0] != status[1] && !is_replaced(self, round->event)) {
        lotor_couple_violate(&self->couple, "round %llu: one world refuses its feedback",
                             (unsigned long long)round->event);
    }
    return status[0] == LOTOR_DUPLICATE || status[0] == LOTOR_LATE ? LOTOR_OK : status[0];
}

static lotor_status enter(trace *self, size_t w, const trace_round *round, bool is_void,
                          lotor_message *why)
{
    lotor_policy *policy = self->couple.world[w].policy;
    if (is_void && round->is_blank) {
        lotor_policy_void(policy);
        return LOTOR_OK;
    }
    if (is_void) {
        lotor_policy_take_back(policy, round->asked[w], round->asked_count);
        return LOTOR_OK;
    }
    const lotor_display display = display_of(self, w, round);
    if (round->is_blank) {
        const lotor_status status = lotor_policy_fill(policy, &display, round->size, why);
        if (status != LOTOR_OK) {
            return status;
        }
    }
    return lotor_policy_enter(policy, &display, round->has_units[w] ? round->units[w] : NULL,
                              round->used[w], why);
}

/* Makes an open round final in both worlds: any, or the oldest one if the service keeps them. */
static lotor_status finish(trace *self, size_t place, lotor_message *why)
{
    const trace_round round = self->open[place];
    const bool is_void = self->is_served && one_in(self, 12);
    if (is_replaced(self, round.event)) {
        self->couple.is_replaced_final = true;
    }
    lotor_status status[2];
    for (size_t w = 0; w < 2; w++) {
        status[w] = self->is_served
                        ? enter(self, w, &round, is_void, why)
                        : lotor_policy_expire(self->couple.world[w].policy, round.event, why);
    }
    if (status[0] != status[1]) {
        lotor_couple_violate(&self->couple, "round %llu: only one world can make it final",
                             (unsigned long long)round.event);
        return LOTOR_OK;
    }
    memmove(self->open + place, self->open + place + 1,
            (self->open_count - place - 1) * sizeof *self->open);
    self->open_count--;
    if (status[0] == LOTOR_OK && !self->is_served && one_in(self, 8)) { /* feedback comes late */
        trace_round late = round;
        status[0] = bring(self, &late, why);
    }
    return status[0];
}

static lotor_status finish_one(trace *self, lotor_message *why)
{
    const bool is_oldest = self->is_served || one_in(self, 2);
    return finish(self, is_oldest ? 0 : below(self, self->open_count), why);
}

static lotor_status look(trace *self, lotor_message *why)
{
    lotor_decision decisions[2];
    for (size_t w = 0; w < 2; w++) {
        const lotor_status status =
            lotor_policy_preview(self->couple.world[w].policy, NULL, NULL, why, &decisions[w]);
        if (status != LOTOR_OK) {
            return status;
        }
    }
    lotor_couple_same_decision(&self->couple, &decisions[0], &decisions[1]);
    return LOTOR_OK;
}

static void change_mask(trace *self)
{
    self->is_masked = !one_in(self, 3);
    for (size_t i = 0; i < self->params.arms; i++) {
        self->eligible[i] = !one_in(self, 3);
    }
}

/* Feedback reaches about three of four rounds, and a few of them twice. */
static lotor_status bring_one(trace *self, lotor_message *why)
{
    trace_round *round = &self->open[below(self, self->open_count)];
    const bool is_wanted =
        is_replaced(self, round->event) || !round->is_answered || one_in(self, 10);
    return is_wanted ? bring(self, round, why) : LOTOR_OK;
}

static lotor_status step(trace *self, lotor_message *why)
{
    const bool can_open = self->drawn < self->rounds && self->open_count < self->most_open;
    if (can_open && (self->open_count == 0 || one_in(self, 2))) {
        return open_round(self, why);
    }
    if (self->noise_scale == 1.0 && one_in(self, 60)) {
        return lotor_couple_reload(&self->couple, &self->params, why);
    }
    if (self->is_served && one_in(self, 20)) {
        change_mask(self);
        return self->algorithm->linear ? LOTOR_OK : look(self, why);
    }
    if (self->open_count == 0) {
        return LOTOR_OK;
    }
    return below(self, 5) < 3 ? bring_one(self, why) : finish_one(self, why);
}

/* In a long trace most steps open a round, or make the oldest one final. Feedback comes at once, or not at all. */
static lotor_status long_step(trace *self, lotor_message *why)
{
    if (one_in(self, 64)) {
        return step(self, why);
    }
    if (self->is_served && one_in(self, 32)) { /* a new choice */
        change_mask(self);
    }
    if (self->drawn == self->rounds || self->open_count == self->most_open) {
        return self->open_count > 0 ? finish(self, 0, why) : LOTOR_OK;
    }
    const size_t before = self->open_count;
    const lotor_status status = open_round(self, why);
    if (status != LOTOR_OK || self->open_count == before) {
        return status;
    }
    trace_round *round = &self->open[before];
    return is_replaced(self, round->event) || !one_in(self, 4) ? bring(self, round, why) : LOTOR_OK;
}

/* True if the trace is over: all rounds are final. Rounds after the release with the replaced round
 * are played, too: it must not be released a second time. */
static bool is_over(const trace *self)
{
    if (self->couple.is_violated || self->couple.status != LOTOR_OK) {
        return true;
    }
    return self->drawn >= self->rounds && self->open_count == 0;
}

static lotor_status play(trace *self, lotor_message *why)
{
    lotor_status status = LOTOR_OK;
    while (status == LOTOR_OK && !is_over(self)) {
        status = self->is_long ? long_step(self, why) : step(self, why);
        lotor_couple_compare(&self->couple);
    }
    return status == LOTOR_OK ? self->couple.status : status;
}

static void describe(const trace *self, char *out, size_t capacity)
{
    static const char *const structures[] = {"any set",  "partition", "graphic",
                                             "linear",   "matroid",   "path",
                                             "coverage", "influence", "oracle"};
    const lotor_policy_params *params = &self->params;
    snprintf(out, capacity,
             "%zu arms, %zu shown (%s%s), %" PRIu64 " rounds, up to %zu open, %s%s, epsilon "
             "%g, rewards in [%g, %g], round %" PRIu64 " replaced%s",
             params->arms, self->couple.world[0].policy->params.slots,
             structures[params->structure], params->cascade ? ", clicks" : "", self->rounds,
             self->most_open,
             self->has_blanks  ? "served with blanks"
             : self->is_served ? "served"
                               : "library",
             self->is_evaluated ? ", some rounds measure value" : "",
             lotor_ratio_to_double(self->epsilon), params->low, params->high, self->couple.replaced,
             self->has_prior ? ", with a prior" : "");
}

/* Draws settings until one is valid. */
static lotor_status make(trace *self, uint64_t seed, lotor_message *why)
{
    lotor_status status = LOTOR_INVALID;
    for (int i = 0; i < TRIES && (status == LOTOR_INVALID || status == LOTOR_OVERFLOW); i++) {
        status = set(self, why);
        if (status == LOTOR_OK) {
            const bool starts = self->algorithm->starts_exact;
            const double *const first[2] = {starts ? self->first[0] : NULL,
                                            starts ? self->first[1] : NULL};
            lotor_couple_clear_worlds(&self->couple);
            status = lotor_couple_make(&self->couple, &self->params, first, self->noise_scale, seed,
                                       why);
        }
    }
    return status;
}

/* Gives both worlds releases of another policy. Their numbers do not matter: the guarantee must hold for
 * every prior. They come from a generator of their own, so that other traces stay as they were. */
static lotor_status take_prior(trace *self, uint64_t seed, lotor_message *why)
{
    static const double epsilons[] = {0.1, 1.0, 7.0};
    enum { MOST = 24 };
    lotor_prior_fact facts[MOST];
    lotor_generator random;
    lotor_generator_seed(&random, lotor_mix(seed));
    const double low = self->params.low, high = self->params.high;
    self->has_prior = self->is_served && lotor_algorithm_takes_prior(self->algorithm) &&
                      !self->params.alarm && lotor_generator_word(&random) % 3 == 0;
    if (!self->has_prior) {
        return LOTOR_OK;
    }
    size_t count = 0;
    for (uint32_t arm = 0; arm < self->params.arms && count < MOST; arm++) {
        for (uint64_t i = lotor_generator_word(&random) % 4; i > 0 && count < MOST; i--) {
            const uint64_t shown = 1 + lotor_generator_word(&random) % 200;
            const double mean = low + (high - low) * (1.4 * lotor_random_uniform(&random) - 0.2);
            const double epsilon = epsilons[lotor_generator_word(&random) % 3];
            facts[count++] = (lotor_prior_fact){arm, shown, (double)shown * mean, epsilon};
        }
    }
    lotor_status status = LOTOR_OK;
    for (size_t w = 0; w < 2 && count > 0 && status == LOTOR_OK; w++) {
        status = lotor_policy_take_prior(self->couple.world[w].policy, facts, count, why);
    }
    return status;
}

/* Lets some rounds of a quarter of the served traces measure value, with either kind of control. Its
 * coins are of a generator of their own, so that the other traces stay what they are. */
static lotor_status evaluate(trace *self, uint64_t seed, lotor_message *why)
{
    uint32_t control[LOTOR_COUPLE_ARMS] = {0};
    lotor_generator coins;
    lotor_generator_seed(&coins, seed ^ UINT64_C(0x6d65617375726573));
    if (!self->is_served || lotor_generator_word(&coins) % 4 != 0) {
        return LOTOR_OK;
    }
    const lotor_policy_params *params = &self->couple.world[0].policy->params;
    for (size_t i = 0; i < params->arms; i++) { /* all arms, in a random order */
        const size_t place = (size_t)(lotor_generator_word(&coins) % (i + 1));
        control[i] = control[place];
        control[place] = (uint32_t)i;
    }
    const bool is_fixed = lotor_generator_word(&coins) % 2 == 0;
    const lotor_evaluation_params evaluation = {
        .share = lotor_ratio_of(1, 2 + lotor_generator_word(&coins) % 3),
        .control = control,
        .control_count = is_fixed ? params->arms : 0,
    };
    self->is_evaluated = true;
    return lotor_couple_evaluate(&self->couple, &evaluation, why);
}

static lotor_status play_trace(const lotor_algorithm *algorithm, bool is_long, double noise_scale,
                               uint64_t seed, lotor_message *why, lotor_couple_trace_result *out)
{
    trace self = {.algorithm = algorithm, .noise_scale = noise_scale, .is_long = is_long};
    lotor_generator_seed(&self.random, seed);
    lotor_status status = make(&self, seed, why);
    if (status == LOTOR_OK) {
        self.is_served = lotor_algorithm_model(algorithm) != LOTOR_MODEL_LOCAL &&
                         lotor_policy_can_serve(self.couple.world[0].policy) && one_in(&self, 2);
        self.has_blanks = self.is_served && noise_scale == 1.0 && one_in(&self, 8);
        status = take_prior(&self, seed, why);
    }
    if (status == LOTOR_OK) {
        lotor_couple_compare(&self.couple); /* what making the policies released */
        status = evaluate(&self, seed, why);
        status = status == LOTOR_OK ? play(&self, why) : status;
    }
    if (status == LOTOR_OK) {
        lotor_couple_compare_all(&self.couple);
    }
    if (status == LOTOR_OK) {
        *out = (lotor_couple_trace_result){
            .share = self.couple.is_violated
                         ? INFINITY
                         : lotor_couple_loss_share(&self.couple.loss, self.couple.world[0].policy,
                                                   self.epsilon),
            .is_telling = self.couple.is_telling || self.couple.is_violated,
            .is_violated = self.couple.is_violated,
            .releases = self.couple.releases,
            .decisions = self.couple.decisions,
        };
        snprintf(out->violation, sizeof out->violation, "%s", self.couple.violation);
        describe(&self, out->setting, sizeof out->setting);
        if (!out->is_violated && !(out->share <= 1.0 + 1e-9)) {
            out->is_violated = true;
            if (isinf(out->share)) {
                snprintf(out->violation, sizeof out->violation,
                         "a released number without noise, or with less noise than the claim "
                         "needs, contains round %" PRIu64,
                         self.couple.replaced);
            } else {
                snprintf(out->violation, sizeof out->violation,
                         "the distance of the exact numbers is %.6f of what the claim allows",
                         out->share);
            }
        }
    }
    lotor_couple_clear(&self.couple);
    return status;
}

lotor_status lotor_couple_play(const lotor_algorithm *algorithm, double noise_scale, uint64_t seed,
                               lotor_message *why, lotor_couple_trace_result *out)
{
    return play_trace(algorithm, false, noise_scale, seed, why, out);
}

lotor_status lotor_couple_play_long(const lotor_algorithm *algorithm, uint64_t seed,
                                    lotor_message *why, lotor_couple_trace_result *out)
{
    assert(!algorithm->elimination);
    return play_trace(algorithm, true, 1.0, seed, why, out);
}
