/* paper_bounds_stopping.c - Sajed 2019, chapter 4: how many samples a private stopping rule reads.
 * The samples lie in [-R, R] and have the mean mu. */
#include <math.h>
#include <string.h>

#include "base/message.h"
#include "papers/paper_bounds_rows.h"

/* Theorem 4.2.1 rests on Lemma 6.1 of Karwa and Vadhan 2018, whose factor e^(6 epsilon ...) needs
 * e^epsilon - 1 <= 3 epsilon: paper_bounds.md. */
static bool lemma_holds(double epsilon)
{
    return expm1(epsilon) <= 3.0 * epsilon;
}

/* Theorem 4.1.3 takes log(log2 t) for a constant multiple of log(log(R/(alpha |mu|))), which is
 * true up to here: paper_bounds.md. */
static const double most_samples = 0x1p100;

static double law_constant(const double *numbers, size_t count, double t)
{
    (void)count;
    (void)t;
    return numbers[0];
}

static const lotor_paper_bound theorem_421 = {
    .name = "Sajed 2019, Theorem 4.2.1",
    .kind = LOTOR_PAPER_BOUND_LOWER,
    .measure = LOTOR_PAPER_BOUND_SAMPLES,
    .formula = "R log(1/beta) / (12 epsilon alpha |mu|)",
    .range = "samples of -R or R: more than this with probability above 1/4",
    .conditions = "epsilon-DP; alpha < 1, beta < 1/4, e^epsilon - 1 <= 3 epsilon",
    .remark = "the theorem has Omega; 1/12 is in its proof",
    .law = law_constant,
};
static const lotor_paper_bound theorem_413 = {
    .name = "Sajed 2019, Theorem 4.1.3",
    .kind = LOTOR_PAPER_BOUND_UPPER,
    .measure = LOTOR_PAPER_BOUND_SAMPLES,
    .formula = "2000 (R^2 l / (alpha mu)^2 + R l / (epsilon |mu|) + R log(1/beta) / (epsilon alpha "
               "|mu|)), l = log(log(R/(alpha |mu|)) / beta)",
    .range = "samples in [-R, R]: at most this with probability 1 - beta",
    .conditions = "dp-exp-nas; beta <= 0.08, R/(alpha |mu|) >= e, below 2^100 samples",
    .remark =
        "R/(alpha |mu|) >= e is not printed: near 1 the bound is negative (docs/errata.md, 26)",
    .law = law_constant,
};

/* t_U of Theorem 4.1.3; y is R/(alpha |mu|). */
static double samples_at_most(const lotor_stopping_params *rule, double size, double epsilon)
{
    const double y = rule->range / (rule->alpha * size);
    const double odds = log(log(y) / rule->beta);
    return 2000.0 * (y * y * odds + rule->range * odds / (epsilon * size) +
                     y * log(1.0 / rule->beta) / epsilon);
}

static lotor_status add_bounds(const lotor_stopping_params *rule, double size, lotor_message *why,
                               lotor_paper_bounds *out)
{
    const double epsilon = lotor_ratio_to_double(rule->epsilon);
    const double y = rule->range / (rule->alpha * size);
    double *numbers = lotor_paper_bounds_add(out, &theorem_421, 1);
    if (!numbers) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for the bounds of the papers");
    }
    numbers[0] = y * log(1.0 / rule->beta) / (12.0 * epsilon);
    lotor_paper_bound *row = lotor_paper_bounds_last(out);
    lotor_paper_bound_refuse(row, rule->beta < 0.25 ? NULL : "beta is 1/4 or more");
    lotor_paper_bound_refuse(row, lemma_holds(epsilon) ? NULL : "e^epsilon - 1 is above 3 epsilon");
    if (strcmp(rule->rule, "dp-exp-nas") != 0) {
        return LOTOR_OK;
    }
    numbers = lotor_paper_bounds_add(out, &theorem_413, 1);
    if (!numbers) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for the bounds of the papers");
    }
    row = lotor_paper_bounds_last(out);
    if (y < exp(1.0)) {
        lotor_paper_bound_empty(row, "R/(alpha |mu|) is below e");
        return LOTOR_OK;
    }
    numbers[0] = samples_at_most(rule, size, epsilon);
    lotor_paper_bound_refuse(row, rule->beta <= 0.08 ? NULL : "beta is above 0.08");
    lotor_paper_bound_refuse(row,
                             numbers[0] < most_samples ? NULL : "it has 2^100 samples or more");
    return LOTOR_OK;
}

lotor_status lotor_paper_bounds_of_stopping(const lotor_stopping_params *rule, double mean,
                                            lotor_message *why, lotor_paper_bounds *out)
{
    *out = (lotor_paper_bounds){.largest_loss = NAN};
    lotor_stopping *made; /* lotor_stopping_check would not tell bad parameters from no memory */
    const lotor_status status = lotor_stopping_new(rule, why, &made);
    if (status != LOTOR_OK) {
        return status;
    }
    lotor_stopping_free(made);
    const double size = fabs(mean);
    if (!(size > 0.0 && size <= rule->range)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "the mean must lie in [-R, R], R = %g, and must not be 0; it is %g",
                          rule->range, mean);
    }
    const bool is_private =
        strcmp(rule->rule, "dp-nas") == 0 || strcmp(rule->rule, "dp-exp-nas") == 0;
    if (!is_private || lotor_ratio_is_infinite(rule->epsilon)) {
        return LOTOR_OK;
    }
    return add_bounds(rule, size, why, out);
}
