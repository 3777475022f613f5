/* account_gaussian.c - Gaussian noise: from rho or sigma to epsilon, and from a budget to sigma.
 *
 * There are two proofs for the same noise. zCDP (Bun and Steinke 2016, converted as in Canonne,
 * Kamath and Steinke 2020) holds for the discrete Gaussian of the releases. The analytic proof
 * (Balle and Wang 2018) is exact, but only for the continuous Gaussian.
 */
#include <math.h>
#include <stdio.h>

#include "base/message.h"
#include "base/upward.h"
#include "cli/account.h"

/* The factor for several releases, rounds and campaigns. Rhos add up over releases and campaigns,
 * and grow with the square of one person's rounds (Bun and Steinke 2016, Lemma 2.3 and Proposition
 * 1.9). */
static double rho_factor(const lotor_account_request *question)
{
    const double rounds = lotor_count_up(question->rounds);
    const double releases =
        multiply_up(lotor_count_up(question->times), lotor_count_up(question->campaigns));
    return multiply_up(releases, multiply_up(rounds, rounds));
}

static double root_up(double square)
{
    const double root = sqrt(square);
    return fma(root, root, -square) < 0 ? nextafter(root, INFINITY) : root;
}

/* The least epsilon whose exact delta is at most `delta`, by bisection. `enough` is a large enough
 * one. */
static lotor_status analytic_epsilon(double sensitivity, double sigma, double delta, double enough,
                                     lotor_message *why, double *out)
{
    double low = 0, high = enough;
    for (int i = 0; i < 200 && low < high; i++) {
        const double middle = i == 0 ? 0 : low + (high - low) / 2;
        double reached;
        const lotor_status status =
            lotor_account_gaussian_delta(sensitivity, sigma, middle, why, &reached);
        if (status != LOTOR_OK) {
            return status;
        }
        if (reached <= delta) {
            high = middle;
        } else if (middle > low || i == 0) {
            low = middle;
        } else {
            break;
        }
    }
    *out = high;
    return LOTOR_OK;
}

static void report_factors(const lotor_account_request *question, lotor_account_report *report)
{
    if (question->times > 1) {
        lotor_account_report_whole(report, "times", "releases on the same data", question->times);
    }
    if (question->rounds > 1) {
        lotor_account_report_whole(report, "rounds_per_user", "rounds of one user",
                                   question->rounds);
    }
    if (question->campaigns > 1) {
        lotor_account_report_whole(report, "campaigns", "campaigns (rhos add up)",
                                   question->campaigns);
    }
}

lotor_status lotor_account_compute_zcdp(const lotor_account_request *question,
                                        lotor_account_report *report, lotor_message *why)
{
    const double delta = question->deltas.items[0];
    const double factor = rho_factor(question);
    const double once = question->has_sigma
                            ? lotor_account_zcdp_of_gaussian(question->sensitivity, question->sigma)
                            : question->rho;
    const double rho = multiply_up(once, factor);
    lotor_budget proved = {0, delta};
    lotor_status status = lotor_account_zcdp_epsilon(rho, delta, why, &proved.epsilon);
    double analytic = 0;
    if (status == LOTOR_OK && question->has_sigma) {
        status = analytic_epsilon(multiply_up(question->sensitivity, root_up(factor)),
                                  question->sigma, delta, proved.epsilon, why, &analytic);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    if (question->has_sigma) {
        lotor_account_report_number(report, "sigma", "sigma", question->sigma, false);
        lotor_account_report_number(report, "sensitivity", "sensitivity", question->sensitivity,
                                    true);
    }
    report_factors(question, report);
    lotor_account_report_number(report, "rho", "rho (zCDP)", rho, true);
    lotor_account_report_table(report, "");
    lotor_account_report_budget(report, "zcdp", "by zCDP", proved);
    if (question->has_sigma) {
        lotor_account_report_budget(report, "analytic", "analytic (continuous only)",
                                    (lotor_budget){analytic, delta});
    }
    lotor_account_report_meaning(report, proved);
    return LOTOR_OK;
}

static lotor_status laplace_noise(const lotor_account_request *question,
                                  lotor_account_report *report)
{
    const double epsilon = question->epsilons.items[0];
    lotor_account_report_number(report, "sensitivity", "sensitivity (L1)", question->sensitivity,
                                true);
    lotor_account_report_number(report, "laplace_scale", "Laplace scale needed",
                                nextafter(question->sensitivity / epsilon, INFINITY), true);
    lotor_account_report_meaning(report, (lotor_budget){epsilon, 0});
    return LOTOR_OK;
}

lotor_status lotor_account_compute_noise(const lotor_account_request *question,
                                         lotor_account_report *report, lotor_message *why)
{
    const double epsilon = question->epsilons.items[0];
    if (!(epsilon > 0 && isfinite(epsilon))) {
        return lotor_fail(LOTOR_INVALID, why, "--epsilon %g: must be above 0 and finite", epsilon);
    }
    if (question->deltas.count == 0) {
        return laplace_noise(question, report);
    }
    const lotor_budget budget = {epsilon, question->deltas.items[0]};
    double rho, analytic;
    lotor_status status = lotor_account_zcdp_rho(budget, why, &rho);
    if (status == LOTOR_OK) {
        status = lotor_account_gaussian_sigma(question->sensitivity, budget, why, &analytic);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    const double root = nextafter(sqrt(2 * rho), 0); /* rounded down, so sigma is rounded up */
    const double sigma = nextafter(question->sensitivity / root, INFINITY);
    lotor_account_report_number(report, "sensitivity", "sensitivity (L2)", question->sensitivity,
                                true);
    lotor_account_report_number(report, "rho", "rho (zCDP) of the budget", rho, false);
    lotor_account_report_number(report, "sigma_zcdp", "sigma needed, by zCDP", sigma, true);
    lotor_account_report_number(report, "sigma_analytic", "sigma needed, analytic", analytic, true);
    lotor_account_report_meaning(report, budget);
    lotor_account_report_note(
        report, NULL,
        "Exact releases use the discrete Gaussian at the first sigma; the second is "
        "exact for the continuous Gaussian only.");
    return LOTOR_OK;
}
