/* claim.c - how much noise the proofs need (claim.h). Each formula is from the .md that proves it. */
#include "privacy/release/claim.h"

#include <math.h>

#include <lotor/account.h>

#include "privacy/encode/feedback.h"

_Static_assert(LOTOR_CLAIM_ONE == 1 << LOTOR_FEEDBACK_ONE &&
                   LOTOR_CLAIM_SETS == 1 << LOTOR_FEEDBACK_SEMI &&
                   LOTOR_CLAIM_LEAST_SHOWN == 1 << LOTOR_FEEDBACK_LEAST_SHOWN &&
                   LOTOR_CLAIM_CLICKS == 1 << LOTOR_FEEDBACK_CASCADE &&
                   LOTOR_CLAIM_FIRST_SLOT == 1 << LOTOR_FEEDBACK_FIRST_SLOT,
               "the bit of a feedback model is 1 << its kind");

/* Doubles are compared with this tolerance: far more than rounding errors, far less than a mistake
 * in a sensitivity. */
static const double TOLERANCE = 1e-9;

/* False if one of the two is not a number. */
static bool reaches(double noise, double needed)
{
    return noise >= needed * (1.0 - TOLERANCE);
}

/* Laplace noise on numbers that move by l1 together (statistic.md). */
static bool laplace_holds(double l1, double epsilon, double scale)
{
    return scale > 0.0 && reaches(scale, l1 / epsilon);
}

/* rho-zCDP proves (epsilon, delta) (account.md). */
static bool zcdp_holds(double rho, const lotor_claim_setting *setting)
{
    double delta;
    return rho >= 0.0 && isfinite(rho) && setting->delta > 0.0 && setting->delta < 1.0 &&
           lotor_account_zcdp_delta(rho * (1.0 - TOLERANCE), setting->epsilon, NULL, &delta) ==
               LOTOR_OK &&
           reaches(setting->delta, delta);
}

/* The nodes of a binary tree that a round can be in: floor(log2 horizon) + 1 (tree.md). */
static double nodes_of(uint64_t horizon)
{
    double nodes = 0.0;
    for (; horizon > 0; horizon /= 2) {
        nodes++;
    }
    return nodes;
}

/* The least B of a report of signs: that of the best threshold (cube.md). */
static double least_bias(size_t slots, double epsilon)
{
    const double count = (double)slots;
    double least = INFINITY, inside = 0.0;
    double agree = 1.0; /* how many corners agree in exactly `tau` places */
    for (size_t tau = slots; tau >= 1; tau--) {
        inside += agree;
        const double weight = agree * (double)tau / count; /* C(K - 1, tau - 1) */
        least = fmin(least, (exp2(count) / expm1(epsilon) + inside) / weight);
        agree *= (double)tau / (count - (double)tau + 1.0);
    }
    return least;
}

/* How far one round moves a Gram matrix with entries of at most `square`, in deviations, squared:
 * |E|_F^2 <= 2 square^2, where an entry off the diagonal counts twice (matrix.md). */
static double gram_loss(double square, const lotor_claim_noise *noise)
{
    const double off_diagonal = 2.0 * noise->scale * noise->scale;
    const double diagonal = noise->diagonal * noise->diagonal;
    return 2.0 * square * square / fmin(off_diagonal, diagonal);
}

static bool matrix_tree_holds(const lotor_claim_setting *setting, const lotor_claim_noise *noise)
{
    const double square = setting->context * setting->context + setting->reward * setting->reward;
    return noise->scale > 0.0 && noise->diagonal > 0.0 &&
           zcdp_holds(nodes_of(setting->horizon) * gram_loss(square, noise) / 2.0, setting);
}

/* The shares of the two sums add up to 9/4 at most (matrix_batch.md). */
static bool matrix_batch_holds(const lotor_claim_setting *setting, const lotor_claim_noise *noise)
{
    const double product = setting->context * setting->reward;
    const double gram = gram_loss(setting->context * setting->context, noise);
    const double response = 2.0 * product * product / (noise->response * noise->response);
    return noise->scale > 0.0 && noise->diagonal > 0.0 && noise->response > 0.0 &&
           zcdp_holds(9.0 / 4.0 * fmax(gram, response) / 2.0, setting);
}

/* Shariff and Sheffet 2018, 4.1: nothing is claimed if a node gets 1 of epsilon or more. */
static bool wishart_holds(const lotor_claim_setting *setting, const lotor_claim_noise *noise)
{
    const double epsilon = setting->epsilon, delta = setting->delta;
    const double levels = 1.0 + ceil(log2((double)setting->horizon));
    const double node = epsilon / sqrt(8.0 * levels * log(2.0 / delta));
    const double more =
        224.0 * levels / (epsilon * epsilon) * log(8.0 * levels / delta) * log(2.0 / delta);
    return node < 1.0 && delta > 0.0 && delta < 1.0 &&
           reaches(noise->degrees, (double)setting->dimension + 1.0 + more);
}

/* True if the noise is enough for (epsilon, delta). */
static bool holds(lotor_mechanism mechanism, const lotor_claim_setting *setting,
                  const lotor_claim_noise *noise)
{
    const double epsilon = setting->epsilon, l1 = setting->l1;
    const double nodes = nodes_of(setting->horizon);
    const double slots = (double)setting->slots;
    if (!(epsilon > 0.0 && isfinite(epsilon))) {
        return false;
    }
    switch (mechanism) {
    case LOTOR_MECHANISM_LAPLACE:
        return laplace_holds(l1, epsilon, noise->scale);
    case LOTOR_MECHANISM_LAPLACE_TREE:
        return nodes > 0.0 && laplace_holds(l1 * nodes, epsilon, noise->scale);
    case LOTOR_MECHANISM_HYBRID:
        return laplace_holds(l1, epsilon / 2.0, noise->scale);
    case LOTOR_MECHANISM_GATED:
        return laplace_holds(l1, epsilon / 2.0, noise->scale) &&
               laplace_holds(3.0 * l1, epsilon / 2.0, noise->gate);
    case LOTOR_MECHANISM_GAUSSIAN_TREE:
        return nodes > 0.0 && noise->scale > 0.0 &&
               zcdp_holds(nodes * setting->l2 * setting->l2 / (2.0 * noise->scale * noise->scale),
                          setting);
    case LOTOR_MECHANISM_BIT:
        return reaches(noise->scale, 1.0 / (1.0 + exp(epsilon)));
    case LOTOR_MECHANISM_POSITION:
        return slots > 0.0 && reaches(noise->scale, slots / (exp(epsilon) + slots));
    case LOTOR_MECHANISM_CUBE:
        return slots > 0.0 && reaches(noise->scale, least_bias(setting->slots, epsilon));
    case LOTOR_MECHANISM_MATRIX_TREE:
        return matrix_tree_holds(setting, noise);
    case LOTOR_MECHANISM_MATRIX_BATCH:
        return matrix_batch_holds(setting, noise);
    case LOTOR_MECHANISM_WISHART:
        return wishart_holds(setting, noise);
    case LOTOR_MECHANISM_UNKNOWN:
    case LOTOR_MECHANISM_EXACT:
    case LOTOR_MECHANISM_PRINTED:
        break;
    }
    return false;
}

const char *lotor_claim_refuse(lotor_mechanism mechanism, const lotor_claim_setting *setting,
                               const lotor_claim_noise *noise)
{
    if (isinf(setting->epsilon)) {
        return "epsilon is infinite: no noise is added";
    }
    if (holds(mechanism, setting, noise)) {
        return NULL;
    }
    const lotor_claim_noise most = {.degrees = INFINITY};
    if (mechanism == LOTOR_MECHANISM_WISHART && !holds(mechanism, setting, &most)) {
        return "epsilon is too large: a tree node would get 1 of it or more, and nothing is "
               "claimed for Wishart noise there";
    }
    return noise->scale > 0.0 || noise->degrees > 0.0
               ? "its noise is smaller than its proof needs"
               : "no noise is added, although epsilon is finite";
}
