/* account_budget.c - epsilons and deltas: what several promises add up to.
 *
 * The same promise kept many times on the same data is put together in three ways, each a proof:
 * adding up; Kairouz, Oh and Viswanath 2015 at a total delta; and, for pure promises, through zCDP
 * (epsilon^2/2 each). Whichever leaves the attacker wrong most often is carried on.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/message.h"
#include "cli/account.h"

enum { MOST_DIFFERENT = 1000000 }; /* promises in one sum, where they are not all the same */

static const double DEFAULT_SLACK = 1e-6; /* delta that composition may spend, unless told */

typedef struct promises {
    lotor_budget *parts; /* one row, before it is repeated */
    size_t count;
    bool same, pure;
    uint64_t total; /* with repetition */
} promises;

static lotor_status read_promises(const lotor_question *question, lotor_message *why, promises *out)
{
    const lotor_list epsilons = question->epsilons, deltas = question->deltas;
    if (deltas.count > 1 && deltas.count != epsilons.count) {
        return lotor_fail(LOTOR_INVALID, why,
                          "--epsilon lists %zu numbers and --delta %zu: give one delta for all, or "
                          "one for each",
                          epsilons.count, deltas.count);
    }
    if (__builtin_mul_overflow(question->times, (uint64_t)epsilons.count, &out->total)) {
        return lotor_fail(LOTOR_INVALID, why, "--times %llu is too many for %zu promises",
                          (unsigned long long)question->times, epsilons.count);
    }
    out->count = epsilons.count;
    out->same = out->pure = true;
    for (size_t i = 0; i < epsilons.count; i++) {
        const double delta = deltas.count == 0 ? 0 : deltas.items[deltas.count == 1 ? 0 : i];
        if (!(epsilons.items[i] >= 0)) {
            return lotor_fail(LOTOR_INVALID, why, "--epsilon %g: must be 0 or more",
                              epsilons.items[i]);
        }
        if (!(delta >= 0 && delta < 1)) {
            return lotor_fail(LOTOR_INVALID, why, "--delta %g: must be at least 0 and below 1",
                              delta);
        }
        out->parts[i] = (lotor_budget){epsilons.items[i], delta};
        out->pure = out->pure && delta == 0;
        out->same =
            out->same && epsilons.items[i] == epsilons.items[0] && delta == out->parts[0].delta;
    }
    return LOTOR_OK;
}

/* Promises that differ, repeated: the library wants them one by one. */
static lotor_status compose_different(const promises *given, double slack, lotor_message *why,
                                      lotor_budget *out)
{
    if (given->total > MOST_DIFFERENT) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%llu promises that are not all the same: at most %d are put together",
                          (unsigned long long)given->total, (int)MOST_DIFFERENT);
    }
    lotor_budget *all = calloc((size_t)given->total, sizeof *all);
    if (!all) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for %llu promises",
                          (unsigned long long)given->total);
    }
    for (size_t i = 0; i < given->total; i++) {
        all[i] = given->parts[i % given->count];
    }
    const lotor_status status =
        lotor_account_compose_mixed(all, (size_t)given->total, slack, why, out);
    free(all);
    return status;
}

static lotor_status advanced(const promises *given, double total_delta, double spent,
                             lotor_message *why, lotor_budget *out)
{
    if (given->same) {
        return lotor_account_compose_same(given->parts[0], given->total, total_delta, why, out);
    }
    if (!(total_delta > spent)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "--total-delta %g: the promises alone have %g, it must be above that",
                          total_delta, spent);
    }
    return compose_different(given, total_delta - spent, why, out);
}

static lotor_status through_zcdp(const promises *given, uint64_t times, double total_delta,
                                 lotor_message *why, lotor_budget *out)
{
    double rho = 0;
    for (size_t i = 0; i < given->count; i++) {
        rho += lotor_account_zcdp_of_pure(given->parts[i].epsilon);
    }
    out->delta = total_delta;
    return lotor_account_zcdp_epsilon(rho * (double)times, total_delta, why, &out->epsilon);
}

/* Everything that is worked out before anything is written. */
typedef struct outcome {
    lotor_budget basic, advanced, zcdp;
    bool has_advanced, has_zcdp;
    lotor_budget best;   /* of the three */
    lotor_budget person; /* for one who takes part in several rounds */
    lotor_budget all;    /* and in several campaigns */
} outcome;

static void keep_better(lotor_budget *best, lotor_budget other)
{
    if (lotor_account_adversary_failure(other) > lotor_account_adversary_failure(*best)) {
        *best = other;
    }
}

static lotor_status compose(const lotor_question *question, const promises *given,
                            lotor_message *why, outcome *out)
{
    lotor_budget row;
    lotor_status status = lotor_account_compose_basic(given->parts, given->count, why, &row);
    if (status != LOTOR_OK) {
        return status;
    }
    out->basic = out->best = lotor_budget_times(row, question->times);
    const double spent = out->basic.delta;
    const double total_delta =
        question->has_total_delta ? question->total_delta : spent + DEFAULT_SLACK;
    if (given->total == 1 || isinf(out->basic.epsilon) || !(total_delta < 1)) {
        return LOTOR_OK;
    }
    status = advanced(given, total_delta, spent, why, &out->advanced);
    if (status != LOTOR_OK) {
        return status;
    }
    out->has_advanced = true;
    keep_better(&out->best, out->advanced);
    if (!given->pure) {
        return LOTOR_OK;
    }
    status = through_zcdp(given, question->times, total_delta, why, &out->zcdp);
    if (status == LOTOR_OK) {
        out->has_zcdp = true;
        keep_better(&out->best, out->zcdp);
    }
    return status;
}

static void report_composition(const promises *given, const outcome *result, lotor_report *report)
{
    lotor_report_whole(report, "promises", "promises on the same data", given->total);
    lotor_report_table(report, "  together, by");
    lotor_report_budget(report, "basic", "adding up", result->basic);
    if (result->has_advanced) {
        lotor_report_budget(report, "advanced", "Kairouz, Oh, Viswanath 2015", result->advanced);
    }
    if (result->has_zcdp) {
        lotor_report_budget(report, "zcdp", "zCDP (Bun and Steinke 2016)", result->zcdp);
    }
}

static void report_person(const lotor_question *question, const outcome *result,
                          lotor_report *report)
{
    char label[64];
    if (question->rounds > 1) {
        snprintf(label, sizeof label, "a user with %llu rounds",
                 (unsigned long long)question->rounds);
        lotor_report_budget(report, "per_user", label, result->person);
        lotor_report_hidden(report, "rounds_per_user", question->rounds);
    }
    if (question->campaigns > 1) {
        snprintf(label, sizeof label, "in %llu campaigns", (unsigned long long)question->campaigns);
        lotor_report_budget(report, "all_campaigns", label, result->all);
        lotor_report_hidden(report, "campaigns", question->campaigns);
    }
}

static void report_outcome(const lotor_question *question, const promises *given,
                           const outcome *result, lotor_report *report)
{
    const bool has_person = question->rounds > 1 || question->campaigns > 1;
    if (given->total > 1) {
        report_composition(given, result, report);
    } else if (has_person) {
        lotor_report_table(report, "");
        lotor_report_budget(report, "one_round", "one round's feedback", result->basic);
    }
    report_person(question, result, report);
    lotor_report_meaning(report, result->all);
    if (question->campaigns > 1) {
        lotor_report_note(report, "campaigns_note",
                          "A person who meets several campaigns is protected by the sum of their "
                          "epsilons and deltas, not by the smallest: epsilons add up.");
    }
}

lotor_status lotor_answer_budget(const lotor_question *question, lotor_report *report,
                                 lotor_message *why)
{
    promises given = {.parts = calloc(question->epsilons.count, sizeof *given.parts)};
    if (!given.parts) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for %zu promises",
                          question->epsilons.count);
    }
    outcome result = {.has_advanced = false};
    lotor_status status = read_promises(question, why, &given);
    if (status == LOTOR_OK) {
        status = compose(question, &given, why, &result);
    }
    if (status == LOTOR_OK) {
        status = lotor_account_group(result.best, question->rounds, why, &result.person);
    }
    if (status == LOTOR_OK) {
        result.all = lotor_budget_times(result.person, question->campaigns);
        report_outcome(question, &given, &result, report);
    }
    free(given.parts);
    return status;
}
