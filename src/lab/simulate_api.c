/* simulate_api.c - the public functions of lotor/simulate.h, on top of lab/problem.h and
 * simulate.h.
 *
 *      params ─▶ problem.h: the world, and a trial in it ─▶ lotor_simulate ─▶ result
 */
#include <lotor/simulate.h>

#include <math.h>
#include <stdlib.h>

#include "base/message.h"
#include "base/quote.h"
#include "lab/bounds.h"
#include "lab/problem.h"
#include "policy/policy.h"

/* --- parameters ------------------------------------------------------------------------------- */

/* Rewards are drawn as sums, so the policy can't check each of them: check the range here. */
static lotor_status check_range(const lotor_policy_params *policy, lotor_message *why)
{
    const double least = lotor_catalog_find(policy->algorithm)->linear ? -1.0 : 0.0;
    if ((policy->low == 0.0 && policy->high == 0.0) ||
        (policy->low <= least && policy->high >= 1.0)) {
        return LOTOR_OK;
    }
    return lotor_fail(LOTOR_INVALID, why,
                      "rewards here lie between %g and 1, but policy.low is %g and policy.high %g: "
                      "leave both out",
                      least, policy->low, policy->high);
}

static lotor_status check_numbers(const lotor_simulate_params *asked, lotor_message *why)
{
    const lotor_policy_params *policy = &asked->policy;
    if (!lotor_catalog_find(policy->algorithm)) {
        return lotor_catalog_refuse(policy->algorithm, why);
    }
    lotor_status status = lotor_policy_refuse_no_delta(policy->algorithm, policy->delta, why);
    if (status == LOTOR_OK) {
        status = lotor_problem_check_amounts(asked, why);
    }
    return status == LOTOR_OK ? check_range(policy, why) : status;
}

/* Checks that the algorithm's kind of problem fits the instance. */
static lotor_status check_problem(const lotor_problem_setup *problem, const char *instance,
                                  lotor_message *why)
{
    const lotor_problem_misfit misfit = lotor_problem_misfit_of(problem, &problem->policy);
    const bool is_list = misfit == LOTOR_MISFIT_LIST;
    if (!problem->has_own_structure || (misfit != LOTOR_MISFIT_ONE_ARM && !is_list)) {
        return LOTOR_OK; /* lotor_simulate reports other misfits */
    }
    return lotor_fail(LOTOR_INVALID, why,
                      "%s shows %s, but %s is about sets of arms: use %s, or give policy.slots for "
                      "%s",
                      problem->policy.algorithm,
                      is_list ? "a list of any items" : "one arm a round",
                      lotor_quote_text(instance).text,
                      problem->instance->from ? "cucb or cucb-dp" : "batch-klucb or dpucb-mat",
                      is_list ? "lists of any K arms" : "its best arm alone");
}

/* --- results ---------------------------------------------------------------------------------- */

static lotor_status find_bound(const lotor_trial *trial, lotor_message *why, double *out)
{
    *out = NAN;
    if (!trial->world) {
        return LOTOR_OK;
    }
    lotor_policy_params claimed = trial->policy;
    if (trial->noise_scale != 0.0 && trial->noise_scale != 1.0) {
        claimed.epsilon = lotor_ratio_of(1, 0); /* the claim is void: use the bound without it */
    }
    lotor_lower_bound bound;
    const lotor_status status = lotor_lower_bound_of(&claimed, trial->world, why, &bound);
    *out = status == LOTOR_OK ? bound.per_log_t : NAN;
    return status;
}

/* Moves the measurements into a public result. */
static lotor_simulate_result *tell(const lotor_trial *trial, lotor_result *measured)
{
    const size_t count = measured->checkpoint_count;
    lotor_simulate_result *out = malloc(sizeof *out);
    lotor_simulate_point *points = malloc(count * sizeof *points);
    if (!out || !points) {
        free(out);
        free(points);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        const lotor_checkpoint *from = &measured->checkpoints[i];
        points[i] = (lotor_simulate_point){from->t, from->mean, from->standard_error};
    }
    *out = (lotor_simulate_result){
        .runs = measured->runs,
        .horizon = trial->policy.horizon,
        .arms = trial->policy.arms,
        .regret = measured->regret_mean,
        .regret_error = measured->regret_stderr,
        .per_round = measured->return_mean,
        .round_error = measured->return_stderr,
        .best_per_round = trial->world ? measured->reference.per_round : NAN,
        .points = points,
        .point_count = count,
        .guarantee = measured->guarantee,
        .seconds = measured->seconds,
        .favourite = measured->favourite.arms,
        .favourite_count = measured->favourite.count,
    };
    measured->favourite.arms = NULL; /* now owned by the result */
    return out;
}

static lotor_status play(const lotor_trial *trial, lotor_message *why, lotor_simulate_result **out)
{
    double bound;
    lotor_result measured;
    lotor_status status = find_bound(trial, why, &bound);
    if (status == LOTOR_OK) {
        status = lotor_simulate(trial, why, &measured);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    if (measured.runs == 0) {
        lotor_result_free(&measured);
        return lotor_fail(LOTOR_STOPPED, why, "stopped before one run was complete");
    }
    *out = tell(trial, &measured);
    lotor_result_free(&measured);
    if (!*out) {
        return LOTOR_MEMORY;
    }
    (*out)->lower_bound = bound;
    return LOTOR_OK;
}

lotor_status lotor_simulate_run(const lotor_simulate_params *params, lotor_message *why,
                                lotor_simulate_result **out)
{
    *out = NULL;
    lotor_simulate_params asked = *params;
    asked.policy.first = NULL; /* the simulation draws it */
    lotor_problem_fill(&asked);
    lotor_problem_setup problem = {0};
    lotor_status status = check_numbers(&asked, why);
    if (status == LOTOR_OK) {
        status = lotor_problem_make(&asked, why, &problem);
    }
    if (status == LOTOR_OK) {
        status = check_problem(&problem, asked.instance, why);
    }
    if (status == LOTOR_OK) {
        const lotor_trial trial = lotor_problem_trial(&problem, &asked);
        status = play(&trial, why, out);
    }
    lotor_problem_clear(&problem);
    if (status == LOTOR_MEMORY) {
        lotor_explain(why, "no memory for this simulation");
    }
    return status;
}

void lotor_simulate_free(lotor_simulate_result *result)
{
    if (result) {
        free(result->points);
        free(result->favourite);
        free(result);
    }
}
