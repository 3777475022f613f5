/* imed.c - see imed.h. The numbers in brackets are the steps of the specification. */
#include "plain/imed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double C0 = 3.5, SLOPE = 0.3, SLOPE_MOST = 2.5;
static const double GROWTH_LEAST = 0.2, GROWTH_MOST = 1;

typedef struct choice {
    plain_imed *imed;
    double *weights;
    size_t best[PLAIN_IMED_SLOTS], best_count; /* S* */
    double best_value;
} choice;

/* S_e, and what follows from it. */
typedef struct candidate {
    size_t set[PLAIN_IMED_SLOTS], count;
    bool is_loop;
    double evidence; /* X */
} candidate;

double plain_imed_weight(plain_imed_batch batch)
{
    return exp2(-batch.age);
}

double plain_imed_released(const plain_imed_arm *arm)
{
    double n = 0;

    for (size_t i = 0; i < arm->count; i++) {
        n += plain_imed_weight(arm->batches[i]) * arm->batches[i].n;
    }
    return n;
}

/* [14] Releases are weighed 64 times in a half-life, in rounds that are multiples of h/64. A release
 * after the latest such round makes the older releases of its arm older. After 8 half-lives a release
 * is forgotten. */
static void find_ages(plain_imed *imed)
{
    double step = fmax(1, ceil(imed->half_life / 64));
    double weighed = floor(imed->now / step) * step;

    for (size_t i = 0; i < imed->arms && imed->half_life > 0; i++) {
        plain_imed_arm *arm = &imed->arm[i];
        double latest = arm->count > 0 ? arm->batches[arm->count - 1].time : 0;

        for (size_t k = 0; k < arm->count; k++) {
            plain_imed_batch *batch = &arm->batches[k];
            bool is_forgotten = weighed - batch->time >= 8 * imed->half_life;

            batch->age = (fmax(weighed, latest) - batch->time) / imed->half_life;
            batch->age = is_forgotten ? INFINITY : batch->age;
        }
    }
}

double plain_imed_displays(const plain_imed_arm *arm)
{
    return plain_imed_released(arm) + arm->pend + arm->open;
}

double plain_imed_first(const plain_imed *imed)
{
    double p = 1 / (1 + exp(-imed->epsilon));

    return imed->is_local ? fmax(1, 1 / ((2 * p - 1) * (2 * p - 1)))
                          : fmax(1, ceil(4 / imed->epsilon));
}

static bool has(const size_t *set, size_t count, size_t arm)
{
    bool found = false;

    for (size_t i = 0; i < count; i++) {
        found = found || set[i] == arm;
    }
    return found;
}

static bool is_leader(const choice *at, size_t arm)
{
    return has(at->best, at->best_count, arm);
}

static bool is_new(const choice *at, size_t arm) /* has no release */
{
    return plain_imed_released(&at->imed->arm[arm]) == 0;
}

/* [6] */
static double penalty(const plain_imed *imed, double n)
{
    return log(n) + fmin(SLOPE_MOST, SLOPE * log(n / plain_imed_first(imed)));
}

static double value_of(const choice *at, const size_t *set, size_t count)
{
    double sum = 0;

    if (at->imed->value != NULL) {
        return at->imed->value(at->imed, at->weights, set, count);
    }
    for (size_t i = 0; i < count; i++) {
        sum += at->weights[set[i]];
    }
    return sum;
}

static long double variance_of(const choice *at, size_t arm)
{
    long double s = plain_imed_deviation(at->imed, arm, at->imed->arm[arm].estimate);

    return s * s;
}

/* [5] How far arm f rises if `gap` is spread over these arms in proportion to their variances, and
 * no arm rises above 1: min(c s^2, 1 - m), for the factor c at which the rises add up to the gap. */
static double rise(const choice *at, const size_t *among, size_t count, double gap, size_t f)
{
    long double low = 0, high = 0;

    for (size_t k = 0; k < count; k++) { /* with this factor, all rise to 1 */
        high = fmaxl(high, (1 - at->weights[among[k]]) / variance_of(at, among[k]));
    }
    for (int i = 0; i < 120; i++) {
        long double c = (low + high) / 2, sum = 0;

        for (size_t k = 0; k < count; k++) {
            sum += fminl(c * variance_of(at, among[k]), 1 - at->weights[among[k]]);
        }
        *(sum < gap ? &low : &high) = c;
    }
    return (double)fminl(high * variance_of(at, f), 1 - at->weights[f]);
}

/* [5] */
static double evidence_against(const choice *at, size_t e, const candidate *with)
{
    size_t new_arms[PLAIN_IMED_SLOTS], count = 0; /* F */
    double gap, sum = 0;

    for (size_t i = 0; i < with->count; i++) {
        if (!is_leader(at, with->set[i])) {
            new_arms[count++] = with->set[i];
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (is_new(at, new_arms[i])) {
            return 0;
        }
    }
    gap = at->best_value - value_of(at, with->set, with->count);
    if (count == 1) {
        return plain_imed_evidence(at->imed, e, at->weights[e] + gap);
    }
    for (size_t i = 0; i < count && gap > 0; i++) {
        size_t f = new_arms[i];

        sum += plain_imed_evidence(at->imed, f, at->weights[f] + rise(at, new_arms, count, gap, f));
    }
    return sum;
}

/* [4] Coverage and influence take infinity for 1, so the others get small weights if e does not win. */
static candidate find_candidate(const choice *at, size_t e) /* no leader */
{
    candidate with = {.is_loop = true};
    double kept[64];

    memcpy(kept, at->weights, at->imed->arms * sizeof kept[0]);
    for (int faded = 0; faded < 2 && with.is_loop; faded++) {
        for (size_t i = 0; i < at->imed->arms; i++) {
            at->weights[i] = kept[i] * (faded ? 1e-6 / (double)at->imed->arms : 1);
        }
        at->weights[e] = INFINITY;
        with.count = at->imed->oracle(at->imed, at->weights, with.set);
        with.is_loop = !has(with.set, with.count, e);
    }
    memcpy(at->weights, kept, at->imed->arms * sizeof kept[0]);
    if (!with.is_loop && !is_new(at, e)) {
        with.evidence = evidence_against(at, e, &with);
    }
    return with;
}

/* [3] */
static void find_leaders(choice *at)
{
    for (size_t i = 0; i < at->imed->arms; i++) {
        plain_imed_arm *arm = &at->imed->arm[i];

        at->weights[i] = -INFINITY;
        if (!is_new(at, i)) {
            arm->estimate = at->imed->estimate != NULL ? at->imed->estimate(at->imed, i)
                                                       : plain_imed_maximum(at->imed, i);
            at->weights[i] = arm->estimate;
        }
    }
    at->best_count = at->imed->oracle(at->imed, at->weights, at->best);
    at->best_value = value_of(at, at->best, at->best_count);
}

/* [9] The batch of an arm that is not a leader. */
static double explorer_size(const choice *at, size_t e, double evidence, double t)
{
    double n = plain_imed_released(&at->imed->arm[e]), d = fmax(0, evidence - C0) / n;
    double h = at->imed->half_life, L = fmax(3, h > 0 ? fmin(t, h / log(2)) : t), next = n;

    if (d <= 1e-12) {
        return ceil(n);
    }
    for (size_t i = 0; i < at->imed->arms; i++) {
        L = fmax(L, plain_imed_displays(&at->imed->arm[i]));
    }
    for (int i = 0; i < 20; i++) {
        next = fmax(n, (log(L) - penalty(at->imed, next)) / d);
    }
    return ceil(fmin(fmax(next - n, GROWTH_LEAST * n), GROWTH_MOST * n));
}

/* [14] Batches have at least b0 displays, and at most a sixteenth of a half-life. */
static double limit_size(const plain_imed *imed, double size)
{
    double first = plain_imed_first(imed);

    return imed->half_life > 0 ? fmin(fmax(size, first), fmax(first, floor(imed->half_life / 16)))
                               : size;
}

/* [8], [9] */
static plain_imed_plan record(const choice *at, size_t e, const candidate *with, double t)
{
    plain_imed_arm *arm = &at->imed->arm[e];
    double n = plain_imed_released(arm), had = n + arm->pend;
    plain_imed_plan plan = {.recorded = e, .is_leader = is_leader(at, e)};

    plan.count = plan.is_leader ? at->best_count : with->count;
    memcpy(plan.set, plan.is_leader ? at->best : with->set, plan.count * sizeof plan.set[0]);
    if (at->imed->is_local) {
        plan.size = INFINITY; /* [12] no batches */
        plan.hold = fmax(1, floor(had / 100));
        return plan;
    }
    if (at->imed->half_life > 0 && n > 0) { /* [14] */
        had = fmax(plain_imed_first(at->imed), ceil(n)) + arm->pend;
    }
    plan.size = had == 0                          ? plain_imed_first(at->imed)
                : plan.is_leader || is_new(at, e) ? had
                                                  : explorer_size(at, e, with->evidence, t);
    plan.size = limit_size(at->imed, plan.size);
    plan.hold = fmax(0, plan.size - arm->open); /* 0: the batch closes at once */
    return plan;
}

/* [7a] An arm that nothing is known of, and nothing waits for; SIZE_MAX: none. */
static size_t find_new(const choice *at, const candidate *with)
{
    size_t among[64], count = 0;
    bool has_open = false;

    for (size_t i = 0; i < at->imed->arms; i++) {
        const plain_imed_arm *arm = &at->imed->arm[i];

        if (arm->is_paused || !is_new(at, i) || arm->pend > 0 || with[i].is_loop) {
            continue;
        }
        if (arm->open > 0 && !has_open) {
            has_open = true;
            count = 0;
        }
        if (arm->open > 0 || !has_open) {
            among[count++] = i;
        }
    }
    return count > 0 ? at->imed->at_random(at->imed, among, count) : SIZE_MAX;
}

/* [7b] If a leader has no release: the arm of least N among those without a release; SIZE_MAX: all
 * leaders have one. */
static size_t find_unknown(const choice *at, const candidate *with)
{
    size_t least = SIZE_MAX;
    bool is_needed = false;

    for (size_t i = 0; i < at->imed->arms; i++) {
        const plain_imed_arm *arm = &at->imed->arm[i];

        is_needed = is_needed || (is_leader(at, i) && is_new(at, i));
        if (!arm->is_paused && is_new(at, i) && !with[i].is_loop &&
            (least == SIZE_MAX ||
             plain_imed_displays(arm) < plain_imed_displays(&at->imed->arm[least]))) {
            least = i;
        }
    }
    return is_needed ? least : SIZE_MAX;
}

/* [7c] How long a recorded leader stays, besides the end of its batch. */
static double leader_hold(const choice *at, size_t leader, double lowest_other)
{
    double N = plain_imed_displays(&at->imed->arm[leader]), next = INFINITY;
    double hold = ceil(exp(lowest_other)) - N;

    for (size_t i = 0; i < at->best_count; i++) {
        if (at->best[i] != leader) {
            next = fmin(next, plain_imed_displays(&at->imed->arm[at->best[i]]));
        }
    }
    if (at->best_count > 1) {
        hold = fmin(hold, fmax(next - N, ceil(N / 20)));
    }
    return fmax(1, ceil(hold)); /* [14] N need not be a whole number */
}

/* [7c] Among equal arms, the specification leaves the choice open: the first arm. */
static plain_imed_plan choose_known(const choice *at, const candidate *with, double t)
{
    size_t leader = at->best[0], other = SIZE_MAX;
    double lowest_leader = INFINITY, lowest_other = INFINITY;
    plain_imed_plan plan;

    for (size_t i = 0; i < at->imed->arms; i++) {
        const plain_imed_arm *arm = &at->imed->arm[i];
        double index = log(plain_imed_displays(arm));

        if (is_leader(at, i) && index < lowest_leader) {
            lowest_leader = index;
            leader = i;
        }
        if (arm->is_paused || is_leader(at, i) || is_new(at, i) || arm->pend > 0 ||
            with[i].is_loop) {
            continue;
        }
        index = fmax(0, with[i].evidence - C0) + penalty(at->imed, plain_imed_released(arm));
        if (index < lowest_other - 1e-9 ||
            (i == at->imed->favourite && index < lowest_other + 1e-9)) {
            lowest_other = index;
            other = i;
        }
    }
    if (lowest_other < lowest_leader - 1e-12) {
        return record(at, other, &with[other], t);
    }
    plan = record(at, leader, &with[leader], t);
    plan.hold = fmin(plan.hold, leader_hold(at, leader, lowest_other));
    return plan;
}

static plain_imed_plan choose_among(const choice *at, const candidate *with, double t)
{
    size_t fresh = find_new(at, with), unknown = find_unknown(at, with);

    if (fresh != SIZE_MAX) {
        return record(at, fresh, &with[fresh], t);
    }
    if (unknown != SIZE_MAX) {
        plain_imed_plan plan = record(at, unknown, &with[unknown], t);
        double N = plain_imed_displays(&at->imed->arm[unknown]);

        plan.hold = fmin(plan.hold, fmax(1, ceil(N / 20)));
        return plan;
    }
    return choose_known(at, with, t);
}

plain_imed_plan plain_imed_choose(plain_imed *imed, double t)
{
    choice at = {.imed = imed};
    candidate *with = calloc(imed->arms, sizeof *with);
    plain_imed_plan plan = {.count = 0}; /* no memory */

    at.weights = calloc(imed->arms, sizeof *at.weights);
    if (with != NULL && at.weights != NULL) {
        find_ages(imed);
        find_leaders(&at);
        for (size_t i = 0; i < imed->arms; i++) {
            if (!imed->arm[i].is_paused && !is_leader(&at, i)) {
                with[i] = find_candidate(&at, i);
            }
        }
        plan = choose_among(&at, with, t);
    }
    free(with);
    free(at.weights);
    return plan;
}
