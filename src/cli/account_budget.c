/* account_budget.c - composes guarantees given by epsilons and deltas.
 *
 * If the same guarantee is used many times on the same data, there are three proofs for the total.
 * The first is adding up. The second is Kairouz, Oh and Viswanath 2015, at a total delta. The
 * third, without a delta, is zCDP (epsilon^2/2 each). Each result is extended to a user of several
 * rounds and campaigns, since a small delta grows there and 0 does not. Then the result counts that
 * leaves the attacker wrong most often.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/message.h"
#include "base/upward.h"
#include "cli/account.h"

enum { MOST_DIFFERENT = 1000000 }; /* guarantees in one sum, if they are not all the same */

static const double DEFAULT_SLACK = 1e-6; /* default for the delta spent on composition */

typedef struct promises {
    lotor_budget *parts; /* without repetition */
    size_t count;
    bool same, pure;
    uint64_t total; /* with repetition */
} promises;

static lotor_status read_promises(const lotor_account_request *question, lotor_message *why,
                                  promises *out)
{
    const lotor_number_list epsilons = question->epsilons, deltas = question->deltas;
    if (deltas.count > 1 && deltas.count != epsilons.count) {
        return lotor_fail(
            LOTOR_INVALID, why,
            "the length of --epsilon is %zu and of --delta %zu: give one delta for all, or "
            "one for each",
            epsilons.count, deltas.count);
    }
    if (__builtin_mul_overflow(question->times, (uint64_t)epsilons.count, &out->total)) {
        return lotor_fail(LOTOR_INVALID, why, "--times %llu is too many for %zu guarantees",
                          (unsigned long long)question->times, epsilons.count);
    }
    out->count = epsilons.count;
    out->same = out->pure = true;
    for (size_t i = 0; i < epsilons.count; i++) {
        double delta = 0;
        if (deltas.count > 0) {
            delta = deltas.items[deltas.count == 1 ? 0 : i];
        }
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

/* Composes different guarantees with repetition. The library needs all of them in one array. */
static lotor_status compose_different(const promises *given, double slack, lotor_message *why,
                                      lotor_budget *out)
{
    if (given->total > MOST_DIFFERENT) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%llu guarantees that are not all the same: at most %d can be composed",
                          (unsigned long long)given->total, (int)MOST_DIFFERENT);
    }
    lotor_budget *all = calloc((size_t)given->total, sizeof *all);
    if (!all) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for %llu guarantees",
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
                          "--total-delta %g: the guarantees alone have %g, expected more than that",
                          total_delta, spent);
    }
    return compose_different(given, total_delta - spent, why, out);
}

/* Composes guarantees without a delta as zCDP, and converts the result at the total delta. */
static lotor_status through_zcdp(const promises *given, uint64_t times, double total_delta,
                                 lotor_message *why, double *rho, lotor_budget *out)
{
    double row = 0;
    for (size_t i = 0; i < given->count; i++) {
        row = add_up(row, lotor_account_zcdp_of_pure(given->parts[i].epsilon));
    }
    *rho = multiply_up(row, lotor_count_up(times));
    out->delta = total_delta;
    return lotor_account_zcdp_epsilon(*rho, total_delta, why, &out->epsilon);
}

/* All results, computed before anything is written. */
typedef struct outcome {
    lotor_budget basic, advanced, zcdp;
    bool has_advanced, has_zcdp;
    double rho;          /* of all guarantees, if they have one */
    lotor_budget person; /* the best of the three, for a person in several rounds */
    lotor_budget all;    /* the same, for a person in several campaigns */
} outcome;

/* True if the attacker is wrong more often with `one`. If both rates underflow, compares the
 * budgets. */
static bool is_better(lotor_budget one, lotor_budget other)
{
    const double wrong = lotor_account_adversary_failure(one);
    const double other_wrong = lotor_account_adversary_failure(other);
    if (wrong != other_wrong) {
        return wrong > other_wrong;
    }
    const double epsilon = one.delta < 1 ? one.epsilon : INFINITY; /* delta 1 guarantees nothing */
    const double other_epsilon = other.delta < 1 ? other.epsilon : INFINITY;
    return epsilon != other_epsilon ? epsilon < other_epsilon : one.delta < other.delta;
}

static void keep_better(const lotor_account_request *question, lotor_budget person, outcome *out)
{
    const lotor_budget all = lotor_budget_times(person, question->campaigns);
    if (is_better(all, out->all)) {
        out->person = person;
        out->all = all;
    }
}

/* Group privacy: a group of k has k^2 times the rho (Bun and Steinke 2016, Proposition 1.9). */
static lotor_status group_of_zcdp(const outcome *result, uint64_t rounds, lotor_message *why,
                                  lotor_budget *out)
{
    const double factor = multiply_up(lotor_count_up(rounds), lotor_count_up(rounds));
    out->delta = result->zcdp.delta;
    return lotor_account_zcdp_epsilon(multiply_up(result->rho, factor), out->delta, why,
                                      &out->epsilon);
}

/* Extends each of the three results to a person in several rounds and campaigns, then takes the
 * best. */
static lotor_status carry_on(const lotor_account_request *question, lotor_message *why,
                             outcome *out)
{
    lotor_budget person;
    lotor_status status = lotor_account_group_privacy(out->basic, question->rounds, why, &person);
    if (status != LOTOR_OK) {
        return status;
    }
    out->person = person;
    out->all = lotor_budget_times(person, question->campaigns);
    if (out->has_advanced) {
        status = lotor_account_group_privacy(out->advanced, question->rounds, why, &person);
        if (status != LOTOR_OK) {
            return status;
        }
        keep_better(question, person, out);
    }
    if (out->has_zcdp) {
        status = group_of_zcdp(out, question->rounds, why, &person);
        if (status != LOTOR_OK) {
            return status;
        }
        keep_better(question, person, out);
    }
    return LOTOR_OK;
}

static lotor_status compose(const lotor_account_request *question, const promises *given,
                            lotor_message *why, outcome *out)
{
    lotor_budget row;
    lotor_status status = lotor_account_compose_basic(given->parts, given->count, why, &row);
    if (status != LOTOR_OK) {
        return status;
    }
    out->basic = lotor_budget_times(row, question->times);
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
    if (!given->pure) {
        return LOTOR_OK;
    }
    status = through_zcdp(given, question->times, total_delta, why, &out->rho, &out->zcdp);
    out->has_zcdp = status == LOTOR_OK;
    return status;
}

static void report_composition(const promises *given, const outcome *result,
                               lotor_account_report *report)
{
    lotor_account_report_whole(report, "promises", "guarantees on the same data", given->total);
    lotor_account_report_table(report, "  together, by");
    lotor_account_report_budget(report, "basic", "adding up", result->basic);
    if (result->has_advanced) {
        lotor_account_report_budget(report, "advanced", "Kairouz, Oh, Viswanath 2015",
                                    result->advanced);
    }
    if (result->has_zcdp) {
        lotor_account_report_budget(report, "zcdp", "zCDP (Bun and Steinke 2016)", result->zcdp);
    }
}

static void report_person(const lotor_account_request *question, const outcome *result,
                          lotor_account_report *report)
{
    char label[64];
    if (question->rounds > 1) {
        snprintf(label, sizeof label, "a user with %llu rounds",
                 (unsigned long long)question->rounds);
        lotor_account_report_budget(report, "per_user", label, result->person);
        lotor_account_report_hidden(report, "rounds_per_user", question->rounds);
    }
    if (question->campaigns > 1) {
        snprintf(label, sizeof label, "in %llu campaigns", (unsigned long long)question->campaigns);
        lotor_account_report_budget(report, "all_campaigns", label, result->all);
        lotor_account_report_hidden(report, "campaigns", question->campaigns);
    }
}

static void report_outcome(const lotor_account_request *question, const promises *given,
                           const outcome *result, lotor_account_report *report)
{
    const bool has_person = question->rounds > 1 || question->campaigns > 1;
    if (given->total > 1) {
        report_composition(given, result, report);
    } else if (has_person) {
        lotor_account_report_table(report, "");
        lotor_account_report_budget(report, "one_round", "one round's feedback", result->basic);
    }
    report_person(question, result, report);
    lotor_account_report_meaning(report, result->all);
    if (question->campaigns > 1) {
        lotor_account_report_note(report, "campaigns_note",
                                  "For a person in several campaigns, the epsilons and the deltas "
                                  "of the campaigns add up.");
    }
}

lotor_status lotor_account_compute_budget(const lotor_account_request *question,
                                          lotor_account_report *report, lotor_message *why)
{
    promises given = {.parts = calloc(question->epsilons.count, sizeof *given.parts)};
    if (!given.parts) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for %zu guarantees",
                          question->epsilons.count);
    }
    outcome result = {.has_advanced = false};
    lotor_status status = read_promises(question, why, &given);
    if (status == LOTOR_OK) {
        status = compose(question, &given, why, &result);
    }
    if (status == LOTOR_OK) {
        status = carry_on(question, why, &result);
    }
    if (status == LOTOR_OK) {
        report_outcome(question, &given, &result, report);
    }
    free(given.parts);
    return status;
}
