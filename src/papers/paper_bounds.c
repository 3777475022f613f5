/* paper_bounds.c - see paper_bounds.h. This file gathers the facts about an experiment and keeps
 * the list; the theorems are in paper_bounds_lower.c, _upper.c, _linear.c and _stopping.c. */
#include "papers/paper_bounds.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "lab/problem.h"
#include "papers/paper_bounds_rows.h"

/* --- the list -------------------------------------------------------------------------------- */

double *lotor_paper_bounds_add(lotor_paper_bounds *list, const lotor_paper_bound *row, size_t count)
{
    assert(list->count < LOTOR_PAPER_BOUNDS_MAX);
    assert(count > 0);
    double *numbers = calloc(count, sizeof *numbers);
    if (!numbers) {
        return NULL;
    }
    lotor_paper_bound *added = &list->rows[list->count];
    *added = *row;
    added->numbers = list->owned[list->count] = numbers;
    added->count = count;
    added->first = added->first == 0 ? 1 : added->first;
    added->last = added->last == 0 ? UINT64_MAX : added->last;
    list->count++;
    return numbers;
}

lotor_paper_bound *lotor_paper_bounds_last(lotor_paper_bounds *list)
{
    assert(list->count > 0);
    return &list->rows[list->count - 1];
}

void lotor_paper_bound_refuse(lotor_paper_bound *row, const char *reason)
{
    if (reason && row->state == LOTOR_PAPER_BOUND_HOLDS) {
        row->state = LOTOR_PAPER_BOUND_OUTSIDE;
        row->reason = reason;
    }
}

void lotor_paper_bound_empty(lotor_paper_bound *row, const char *reason)
{
    row->state = LOTOR_PAPER_BOUND_WITHOUT_NUMBER;
    row->reason = reason;
}

void lotor_paper_bounds_clear(lotor_paper_bounds *bounds)
{
    for (size_t i = 0; i < LOTOR_PAPER_BOUNDS_MAX; i++) {
        free(bounds->owned[i]);
    }
    *bounds = (lotor_paper_bounds){.largest_loss = NAN};
}

double lotor_paper_bound_value(const lotor_paper_bound *bound, double t)
{
    const bool in_range = t >= (double)bound->first && t <= (double)bound->last;
    if (bound->state == LOTOR_PAPER_BOUND_WITHOUT_NUMBER || !in_range) {
        return NAN;
    }
    return bound->law(bound->numbers, bound->count, t);
}

void lotor_paper_bound_line(const lotor_paper_bound *bound, double t,
                            char text[LOTOR_PAPER_BOUND_ROOM])
{
    const char *kind = bound->kind == LOTOR_PAPER_BOUND_LOWER ? "Lower bound" : "Upper bound";
    if (bound->state == LOTOR_PAPER_BOUND_WITHOUT_NUMBER) {
        snprintf(text, LOTOR_PAPER_BOUND_ROOM, "%s without a number (%s): %s", kind, bound->name,
                 bound->reason);
        return;
    }
    const char *preposition = bound->is_asymptotic ? "" : "for ";
    const char *rest = bound->is_vacuous ? "; it says no more than the trivial bound" : "";
    const bool holds = bound->state == LOTOR_PAPER_BOUND_HOLDS;
    snprintf(text, LOTOR_PAPER_BOUND_ROOM, "%s %.4g (%s), %s%s%s%s", kind,
             lotor_paper_bound_value(bound, t), bound->name, preposition, bound->range,
             holds ? rest : "; it does not apply here: ", holds ? "" : bound->reason);
}

double lotor_bound_law_log(const double *numbers, size_t count, double t)
{
    assert(count == 2);
    (void)count;
    return numbers[0] * log(t) + numbers[1];
}

/* --- facts ----------------------------------------------------------------------------------- */

static int decreasing(const void *one, const void *other)
{
    const double a = *(const double *)one, b = *(const double *)other;
    return (a < b) - (a > b);
}

double lotor_bound_least_gap(const lotor_bound_facts *facts)
{
    const double *sorted = facts->sorted;
    const size_t slots = facts->slots, arms = facts->arms;
    if (slots >= arms) {
        return 0.0;
    }
    /* A best set becomes the second best by one exchange. The best arm outside replaces the worst
     * arm inside that is better than it. If there are ties between inside and outside, the next
     * value outside can replace such an arm, too. */
    double least = INFINITY;
    for (size_t i = slots; i-- > 0;) {
        if (sorted[i] > sorted[slots]) {
            least = sorted[i] - sorted[slots];
            break;
        }
    }
    for (size_t j = slots; j < arms && sorted[slots - 1] == sorted[slots]; j++) {
        if (sorted[j] < sorted[slots]) {
            least = fmin(least, sorted[slots] - sorted[j]);
            break;
        }
    }
    return isfinite(least) ? least : 0.0;
}

bool lotor_bound_has_unique_best(const lotor_bound_facts *facts)
{
    return facts->slots >= facts->arms ||
           facts->sorted[facts->slots - 1] > facts->sorted[facts->slots];
}

/* The most that a round can lose: the value of the best set minus that of the worst. */
static double largest_loss(const lotor_bound_facts *facts)
{
    if (facts->trial->linear) {
        return facts->trial->linear->has_gap ? 1.5
                                             : 2.0; /* means from -0.75 to 0.75; from -1 to 1 */
    }
    if (!facts->is_top || facts->slots > facts->arms) {
        return NAN;
    }
    double best = 0.0, worst = 0.0, best_unclicked = 1.0, worst_unclicked = 1.0;
    for (size_t i = 0; i < facts->slots; i++) {
        const double high = facts->sorted[i], low = facts->sorted[facts->arms - 1 - i];
        best += high;
        worst += low;
        best_unclicked *= 1.0 - high;
        worst_unclicked *= 1.0 - low;
    }
    return facts->is_list ? worst_unclicked - best_unclicked : best - worst;
}

/* Why no upper bound covers the experiment. Lower bounds are about all policies with the guarantee,
 * also about those that hear late or expect other rewards. */
static const char *unusual_part(const lotor_bound_facts *facts)
{
    const double low = facts->trial->linear ? -1.0 : 0.0;
    if (lotor_delay_is_on(&facts->trial->delay)) {
        return "feedback comes late";
    }
    const bool is_usual = facts->policy.low == low && facts->policy.high == 1.0;
    return is_usual ? NULL : "the declared range of a reward is not that of the paper";
}

static lotor_status gather(const lotor_experiment *trial, lotor_message *why,
                           lotor_bound_facts *out)
{
    *out = (lotor_bound_facts){.trial = trial};
    lotor_status status = lotor_trial_check(trial, why);
    if (status == LOTOR_OK) {
        status = lotor_problem_complete(&trial->policy, why, &out->policy);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    const lotor_policy_params *policy = &out->policy;
    const double scale = trial->noise_scale == 0.0 ? 1.0 : trial->noise_scale;
    out->algorithm = lotor_algorithms_find(policy->algorithm);
    out->arms = policy->arms;
    out->slots = policy->slots;
    out->is_scaled = scale != 1.0;
    out->claimed = INFINITY;
    if (lotor_algorithm_has_noise(out->algorithm) && !lotor_ratio_is_infinite(policy->epsilon)) {
        out->claimed = lotor_ratio_to_double(policy->epsilon);
    }
    out->epsilon = out->claimed / scale;
    out->delta = policy->delta.num > 0 ? lotor_ratio_to_double(policy->delta) : 0.0;
    out->beta = policy->beta;
    out->horizon = (double)policy->horizon;
    out->is_list = policy->cascade;
    out->is_top = !trial->linear && policy->structure == LOTOR_STRUCTURE_TOP;
    out->unusual = unusual_part(out);
    if (trial->linear) {
        return LOTOR_OK;
    }
    out->sorted = malloc(out->arms * sizeof *out->sorted);
    if (!out->sorted) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for the bounds of the papers");
    }
    memcpy(out->sorted, trial->world->means, out->arms * sizeof *out->sorted);
    qsort(out->sorted, out->arms, sizeof *out->sorted, decreasing);
    return LOTOR_OK;
}

/* --- one experiment -------------------------------------------------------------------------- */

/* The curves that no theorem covers; and the upper bounds that say nothing. */
static void review(lotor_paper_bounds *list, const lotor_bound_facts *facts)
{
    for (size_t i = 0; i < list->count; i++) {
        lotor_paper_bound *row = &list->rows[i];
        const bool is_upper = row->kind == LOTOR_PAPER_BOUND_UPPER;
        lotor_paper_bound_refuse(row,
                                 facts->trial->changing ? "the world changes with time" : NULL);
        lotor_paper_bound_refuse(row, is_upper ? facts->unusual : NULL);
        const double at_end = lotor_paper_bound_value(row, facts->horizon);
        row->is_vacuous =
            row->kind == LOTOR_PAPER_BOUND_UPPER && at_end >= facts->horizon * list->largest_loss;
        assert((row->state == LOTOR_PAPER_BOUND_HOLDS) == (row->reason == NULL));
    }
}

lotor_status lotor_paper_bounds_of(const lotor_experiment *trial, lotor_message *why,
                                   lotor_paper_bounds *out)
{
    *out = (lotor_paper_bounds){.largest_loss = NAN};
    lotor_bound_facts facts;
    lotor_status status = gather(trial, why, &facts);
    if (status == LOTOR_OK) {
        out->largest_loss = largest_loss(&facts);
        status = trial->linear ? lotor_paper_bounds_add_linear(out, &facts, why)
                               : lotor_paper_bounds_add_lower(out, &facts, why);
    }
    if (status == LOTOR_OK && !trial->linear) {
        status = lotor_paper_bounds_add_upper(out, &facts, why);
    }
    if (status == LOTOR_OK) {
        review(out, &facts);
    }
    free(facts.sorted);
    return status;
}
