/* audit_couple_loss.c - what the distances of a trace cost, as a share of the claim
 * (audit_couple.md).
 *
 *   Laplace         |distance| / scale, added up over all numbers: at most epsilon
 *   Gaussian        distance^2 / (2 scale^2), added up: at most the rho that proves (epsilon, delta)
 *   sparse vector   distance / threshold's scale + 2 distance / query's scale, once per series, with
 *                   the largest distance of its queries: a share of epsilon, as Laplace
 *   Wishart         each matrix moves by at most the square of the longest vector, in as many
 *                   matrices as the tree has levels; and the noise has the degrees of freedom that
 *                   the claim needs
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include <lotor/account.h>

#include "base/ratio.h"
#include "lab/audit_couple.h"
#include "privacy/release/claim.h"

/* The largest |eigenvalue| of a symmetric matrix, given as its lower triangle, by power iteration
 * from a start that no eigenvector of a difference of two outer products is orthogonal to. */
static double norm_of(const int64_t *triangle, size_t entries)
{
    const size_t size = (size_t)((sqrt(8.0 * (double)entries + 1.0) - 1.0) / 2.0 + 0.5);
    double v[64], next[64], norm = 0.0;
    if (size > 64) {
        return INFINITY;
    }
    for (size_t i = 0; i < size; i++) {
        v[i] = 1.0 + 0.37 * (double)i;
    }
    for (int step = 0; step < 200; step++) {
        double square = 0.0;
        for (size_t i = 0; i < size; i++) {
            next[i] = 0.0;
            for (size_t j = 0; j < size; j++) {
                const size_t low = i > j ? j : i, high = i > j ? i : j;
                const size_t place = high * (high + 1) / 2 + low;
                next[i] += (double)triangle[place] * v[j];
            }
            square += next[i] * next[i];
        }
        norm = sqrt(square);
        for (size_t i = 0; i < size; i++) {
            v[i] = norm > 0.0 ? next[i] / norm : 0.0;
        }
    }
    return norm;
}

/* Ends the open series of sparse vector. */
static void end_series(lotor_couple_loss *loss)
{
    if (loss->series > 0.0) {
        loss->is_bare = loss->is_bare || loss->threshold == 0.0;
        loss->sparse += loss->series / loss->threshold + 2.0 * loss->query;
    }
    loss->series = loss->query = 0.0;
}

void lotor_couple_loss_add(lotor_couple_loss *loss, const lotor_noise_request *request,
                           const int64_t *distance)
{
    const double scale = (double)request->scale;
    double l1 = 0.0, l2 = 0.0;
    for (size_t i = 0; i < request->count; i++) {
        const double moved = fabs((double)distance[i]);
        l1 += moved;
        l2 += moved * moved;
    }
    if (request->use == LOTOR_USE_THRESHOLD) {
        end_series(loss);
        loss->threshold = scale;
        loss->is_bare = loss->is_bare || l1 > 0.0; /* a threshold is public */
        return;
    }
    if (request->use == LOTOR_USE_QUERY) {
        loss->is_bare = loss->is_bare || (l1 > 0.0 && request->scale == 0);
        loss->query = fmax(loss->query, l1 > 0.0 ? l1 / scale : 0.0);
        loss->series = fmax(loss->series, l1);
        return;
    }
    if (l1 == 0.0) {
        return;
    }
    if (request->scale == 0) {
        loss->is_bare = true;
    } else if (request->degrees > 0.0) {
        loss->nodes++;
        loss->wishart = fmax(loss->wishart, norm_of(distance, request->count) / scale);
    } else if (request->law == LOTOR_LAW_LAPLACE) {
        loss->laplace += l1 / scale;
    } else {
        loss->gaussian += l2 / (2.0 * scale * scale);
    }
}

/* The distance says nothing about how much Wishart noise there is: its degrees of freedom must be
 * those that the claim needs. */
static bool refuse_wishart(const lotor_policy *policy, lotor_ratio epsilon)
{
    const lotor_policy_params *params = &policy->params;
    const lotor_claim_setting setting = {
        .epsilon = lotor_ratio_to_double(epsilon),
        .delta = lotor_ratio_to_double(params->delta),
        .horizon = params->horizon,
        .context = params->context_length,
        .reward = fmax(fabs(params->low), fabs(params->high)),
        .dimension = params->dimension,
    };
    const lotor_claim_noise noise = {.degrees = lotor_matrix_noise_of(policy->matrix).degrees};
    return lotor_claim_refuse(LOTOR_MECHANISM_WISHART, &setting, &noise) != NULL;
}

double lotor_couple_loss_share(const lotor_couple_loss *loss, const lotor_policy *policy,
                               lotor_ratio epsilon)
{
    lotor_couple_loss ended = *loss;
    end_series(&ended);
    const double pure = ended.laplace + ended.sparse;
    if (ended.is_bare || (pure > 0.0) + (ended.gaussian > 0.0) + (ended.nodes > 0) > 1) {
        return INFINITY; /* without noise, or by two laws that no claim here puts together */
    }
    if (ended.nodes > 0) {
        if (refuse_wishart(policy, epsilon)) {
            return INFINITY;
        }
        const double levels = lotor_matrix_noise_of(policy->matrix).levels;
        return ended.wishart * (double)ended.nodes / levels;
    }
    if (ended.gaussian > 0.0) {
        const lotor_budget budget = {.epsilon = lotor_ratio_to_double(epsilon),
                                     .delta = lotor_ratio_to_double(policy->params.delta)};
        double rho;
        return lotor_account_zcdp_rho(budget, NULL, &rho) == LOTOR_OK ? sqrt(ended.gaussian / rho)
                                                                      : INFINITY;
    }
    return pure / lotor_ratio_to_double(epsilon);
}
