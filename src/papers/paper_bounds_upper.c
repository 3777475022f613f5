/* paper_bounds_upper.c - upper bounds on regret: Wang et al. 2022 for lists and sets, and Sajed
 * 2019 for elimination. paper_bounds.md says what was corrected, and why. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/message.h"
#include "papers/paper_bounds_rows.h"

static const double pi_squared = 9.8696044010893586188;

/* --- rows ------------------------------------------------------------------------------------ */

static double law_laplace(const double *numbers, size_t count, double t);
static double law_elimination(const double *numbers, size_t count, double t);

static const lotor_paper_bound wang_4_row = {
    .name = "Wang et al. 2022, Theorem 4",
    .kind = LOTOR_PAPER_BOUND_UPPER,
    .constant = LOTOR_PAPER_CONSTANT_CORRECTED,
    .formula = "the sum over the items outside of the best list of 8 (sqrt(1.5) + (K/epsilon) "
               "sqrt(24))^2 log t / gap, plus L (2 pi^2 / 3 + q(t))",
    .range = "every t >= 1",
    .conditions = "independent clicks; no item outside of the best list is as good as one in it",
    .remark = "printed with 4 (docs/errata.md, 23) and without q(t), the part of items with fewer "
              "than 3 log t observations (src/papers/paper_bounds.md)",
    .law = law_laplace,
};
static const lotor_paper_bound wang_6_row = {
    .name = "Wang et al. 2022, Theorem 6",
    .kind = LOTOR_PAPER_BOUND_UPPER,
    .constant = LOTOR_PAPER_CONSTANT_CORRECTED,
    .formula = "the sum over the items outside of the best list of 2 (2 sqrt(1.5) + (8/epsilon) "
               "sqrt(K log(1.25/delta)))^2 log t / gap, plus 2 pi^2 L / 3",
    .range = "every t >= 1",
    .conditions = "independent clicks; no item outside of the best list is as good as one in it",
    .remark = "the theorem leaves out 2 pi^2 L / 3, which its proof has",
    .law = lotor_bound_law_log,
};
static const lotor_paper_bound wang_10_row = {
    .name = "Wang et al. 2022, Theorem 10",
    .kind = LOTOR_PAPER_BOUND_UPPER,
    .constant = LOTOR_PAPER_CONSTANT_CORRECTED,
    .formula = "(192 K log(1.25/delta) log t / (min(epsilon^2, 2) (least gap / K)^2) + pi^2/3 + 1) "
               "times m times the largest gap",
    .range = "every t >= 2",
    .conditions = "a sum of rewards, an exact oracle, K log(1.25/delta) >= 3/8",
    .remark = "printed with 128 (docs/errata.md, 25)",
    .first = 2,
    .law = lotor_bound_law_log,
};
static const lotor_paper_bound sajed_row = {
    .name = "Sajed 2019, Lemma 5.1.2",
    .kind = LOTOR_PAPER_BOUND_UPPER,
    .formula = "the sum over the arms of gap min(t, log(K log(2/gap)/beta) (1024/gap^2 + "
               "96/(epsilon gap))), plus beta t times the largest gap",
    .range = "every t from 1 to the horizon",
    .conditions = "independent rounds; at least 2 arms; beta <= 1/2",
    .remark = "the lemma is about displays, with probability 1 - beta; the last part is for the "
              "rest. Its constants are at the end of its proof (docs/errata.md, 28)",
    .law = law_elimination,
};

/* --- lists ----------------------------------------------------------------------------------- */

/* An upper bound on P(|X_1 + ... + X_s| > b sqrt(24 s log t)) for s noises of Laplace(b), by
 * Chernoff's bound: the least of s log(1/(1 - h^2)) - h sqrt(24 s log t) over 0 < h < 1. */
static double chance_of_loud_noise(double s, double log_t)
{
    const double a = sqrt(24.0 * s * log_t);
    const double h = a / (s + sqrt(s * s + a * a)); /* where the slope is 0 */
    return fmin(1.0, 2.0 * exp(-s * log1p(-h * h) - h * a));
}

/* The part that Theorem 4 leaves out, for one item. Its proof bounds the noise of s reports in
 * round u only for s > 3 log u. For fewer, this adds up the chances that the noise passes the
 * width: over u <= t and s <= 3 log u. Rounds from 2^k to 2^(k+1) - 1 are taken together: the
 * chance is largest in the first of them, and the most s belong to the last. */
static double few_observations(double t)
{
    double sum = 0.0;
    for (double first = 2.0; first <= t; first *= 2.0) {
        const double last = fmin(t, 2.0 * first - 1.0);
        double chances = 0.0;
        for (double s = 1.0; s <= 3.0 * log(last); s++) {
            chances += chance_of_loud_noise(s, log(first));
        }
        sum += (last - first + 1.0) * chances;
    }
    return sum;
}

/* numbers: per log t, the constant, L. */
static double law_laplace(const double *numbers, size_t count, double t)
{
    assert(count == 3);
    (void)count;
    return numbers[0] * log(t) + numbers[1] + numbers[2] * few_observations(t);
}

/* The sum over the items outside of the best list of 1/gap, where the gap is to the list's last
 * item. */
static double sum_per_gap(const lotor_bound_facts *facts)
{
    double sum = 0.0;
    for (size_t i = facts->slots; i < facts->arms; i++) {
        sum += 1.0 / (facts->sorted[facts->slots - 1] - facts->sorted[i]);
    }
    return sum;
}

static void fill_list(double *numbers, const lotor_bound_facts *facts, lotor_paper_bound *row)
{
    if (!lotor_bound_has_unique_best(facts)) {
        lotor_paper_bound_empty(row, "an item outside of the best list is as good as one in it");
        return;
    }
    const double K = (double)facts->slots, L = (double)facts->arms;
    double width;
    if (row->law == law_laplace) {
        width = sqrt(1.5) + K / facts->epsilon * sqrt(24.0);
        numbers[0] = 8.0 * width * width * sum_per_gap(facts);
        numbers[2] = L;
    } else {
        width = 2.0 * sqrt(1.5) + 8.0 / facts->epsilon * sqrt(K * log(1.25 / facts->delta));
        numbers[0] = 2.0 * width * width * sum_per_gap(facts);
    }
    numbers[1] = 2.0 * pi_squared / 3.0 * L;
}

/* --- sets ------------------------------------------------------------------------------------ */

static void fill_sets(double *numbers, const lotor_bound_facts *facts, double largest_loss,
                      lotor_paper_bound *row)
{
    const double least = facts->is_top ? lotor_bound_least_gap(facts) : 0.0;
    if (!(least > 0.0)) {
        lotor_paper_bound_empty(row, facts->is_top
                                         ? "all sets are equally good"
                                         : "the gaps are computed for sets of any K arms only");
        return;
    }
    const double K = (double)facts->slots, times = (double)facts->arms * largest_loss;
    const double log_delta = log(1.25 / facts->delta), inverse = least / K;
    numbers[0] = times * 192.0 * K * log_delta /
                 (fmin(facts->epsilon * facts->epsilon, 2.0) * inverse * inverse);
    numbers[1] = times * (pi_squared / 3.0 + 1.0);
    lotor_paper_bound_refuse(row, K * log_delta >= 0.375 ? NULL : "K log(1.25/delta) is below 3/8");
}

/* --- elimination ----------------------------------------------------------------------------- */

/* numbers: beta times the largest gap; then for each arm its gap and its most displays. */
static double law_elimination(const double *numbers, size_t count, double t)
{
    double sum = numbers[0] * t;
    for (size_t i = 1; i + 1 < count; i += 2) {
        sum += numbers[i] * fmin(t, numbers[i + 1]);
    }
    return sum;
}

static void fill_elimination(double *numbers, const lotor_bound_facts *facts, double largest_loss,
                             lotor_paper_bound *row)
{
    numbers[0] = facts->beta * largest_loss;
    for (size_t arm = 1; arm < facts->arms; arm++) {
        const double gap = facts->sorted[0] - facts->sorted[arm];
        if (gap > 0.0) {
            numbers[2 * arm - 1] = gap;
            numbers[2 * arm] = log((double)facts->arms * log(2.0 / gap) / facts->beta) *
                               (1024.0 / (gap * gap) + 96.0 / (facts->epsilon * gap));
        }
    }
    row->last = facts->policy.horizon;
    lotor_paper_bound_refuse(row, facts->arms >= 2 ? NULL : "there is one arm only");
    lotor_paper_bound_refuse(row, facts->beta <= 0.5 ? NULL : "beta is above 1/2");
}

/* --- all ------------------------------------------------------------------------------------- */

typedef struct upper_row {
    const char *algorithm;
    const lotor_paper_bound *row;
} upper_row;

static const upper_row upper_rows[] = {
    {"cascade-ldp-laplace", &wang_4_row},
    {"cascade-ldp-gauss", &wang_6_row},
    {"cucb-ldp-gauss", &wang_10_row},
    {"dp-se", &sajed_row},
};

static size_t numbers_of(const lotor_paper_bound *row, size_t arms)
{
    if (row == &sajed_row) {
        return 2 * arms + 1;
    }
    return row == &wang_4_row ? 3 : 2;
}

lotor_status lotor_paper_bounds_add_upper(lotor_paper_bounds *list, const lotor_bound_facts *facts,
                                          lotor_message *why)
{
    const lotor_paper_bound *found = NULL;
    for (size_t i = 0; i < sizeof upper_rows / sizeof *upper_rows; i++) {
        if (strcmp(upper_rows[i].algorithm, facts->algorithm->id) == 0) {
            found = upper_rows[i].row;
        }
    }
    if (!found) {
        return LOTOR_OK;
    }
    double *numbers = lotor_paper_bounds_add(list, found, numbers_of(found, facts->arms));
    if (!numbers) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for the bounds of the papers");
    }
    lotor_paper_bound *row = lotor_paper_bounds_last(list);
    if (found == &sajed_row) {
        fill_elimination(numbers, facts, list->largest_loss, row);
    } else if (found == &wang_10_row) {
        fill_sets(numbers, facts, list->largest_loss, row);
    } else {
        fill_list(numbers, facts, row);
    }
    return LOTOR_OK;
}
