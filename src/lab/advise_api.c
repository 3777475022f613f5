/* advise_api.c - the public functions of lotor/advise.h, on top of lab/advise.h. */
#include <lotor/advise.h>

#include <math.h>
#include <string.h>

#include "base/message.h"
#include "base/quote.h"
#include "lab/advise.h"

static lotor_status find_problem(const char *name, lotor_message *why, lotor_problem *out)
{
    for (int i = LOTOR_PROBLEM_FINITE; name && i <= LOTOR_PROBLEM_LINEAR; i++) {
        if (strcmp(name, lotor_problem_name((lotor_problem)i)) == 0) {
            *out = (lotor_problem)i;
            return LOTOR_OK;
        }
    }
    return lotor_fail(LOTOR_INVALID, why,
                      "%s: give finite, matroid, semi-bandit, cascade or linear as the problem",
                      name ? lotor_quote_text(name).text : "none");
}

static lotor_status check_wish(const lotor_advice_request *wish, lotor_message *why)
{
    if (wish->epsilon.num == 0 || wish->epsilon.den == 0) {
        return lotor_fail(
            LOTOR_INVALID, why,
            "epsilon must be above 0 and finite: without a budget there is nothing to "
            "advise on");
    }
    if (wish->trust != LOTOR_MODEL_CENTRAL && wish->trust != LOTOR_MODEL_LOCAL &&
        wish->trust != LOTOR_MODEL_JOINT) {
        return lotor_fail(LOTOR_INVALID, why, "the trust must be central, local or joint");
    }
    if (!wish->means && wish->arms > LOTOR_ADVISE_ARMS_MAX) {
        return lotor_fail(LOTOR_INVALID, why, "%zu arms: give at most %d", wish->arms,
                          LOTOR_ADVISE_ARMS_MAX);
    }
    if (!(wish->seconds > 0.0 && wish->seconds <= LOTOR_ADVISE_SECONDS_MAX)) {
        return lotor_fail(LOTOR_INVALID, why, "%g seconds: give from a little above 0 to %d",
                          wish->seconds, LOTOR_ADVISE_SECONDS_MAX);
    }
    return LOTOR_OK;
}

static lotor_advise_candidate candidate_of(const lotor_candidate *row)
{
    return (lotor_advise_candidate){.algorithm = row->algorithm->id,
                                    .regret = row->regret,
                                    .standard_error = row->standard_error,
                                    .runs = row->runs,
                                    .rounds = row->rounds};
}

static void tell(const lotor_advice *advice, lotor_advise_result *out)
{
    _Static_assert(sizeof out->candidates / sizeof *out->candidates == LOTOR_CANDIDATES_MAX,
                   "the public result has room for all candidates");
    *out = (lotor_advise_result){.count = advice->count,
                                 .baseline = candidate_of(&advice->baseline),
                                 .random_regret = advice->random_regret,
                                 .rounds = advice->horizon,
                                 .world = advice->world,
                                 .lower_bound = advice->bound.per_log_t,
                                 .lower_bound_theorem = advice->bound.theorem};
    for (size_t i = 0; i < advice->count; i++) {
        out->candidates[i] = candidate_of(&advice->candidates[i]);
    }
}

static lotor_status make_wish(const lotor_advise_params *params, lotor_message *why,
                              lotor_advice_request *out)
{
    *out = (lotor_advice_request){
        .trust = params->trust,
        .epsilon = params->epsilon,
        .delta = params->delta,
        .arms = params->arms,
        .slots = params->slots ? params->slots : 1,
        .dimension = params->dimension ? params->dimension : LOTOR_ADVISE_DIMENSION_DEFAULT,
        .rounds = params->rounds,
        .means = params->means,
        .seconds = params->seconds == 0.0 ? LOTOR_ADVISE_SECONDS_DEFAULT : params->seconds,
        .seed = params->seed,
        .threads = params->threads,
        .progress = params->progress,
        .context = params->progress_context,
    };
    return find_problem(params->problem, why, &out->problem);
}

double lotor_advise_mean(const lotor_advise_params *params, size_t arm)
{
    lotor_advice_request wish;
    if (make_wish(params, NULL, &wish) != LOTOR_OK || wish.problem == LOTOR_PROBLEM_LINEAR ||
        arm >= wish.arms) {
        return NAN;
    }
    return wish.means ? wish.means[arm] : lotor_advise_typical_mean(&wish, arm);
}

lotor_status lotor_advise_run(const lotor_advise_params *params, lotor_message *why,
                              lotor_advise_result *out)
{
    lotor_advice_request wish;
    lotor_advice advice;
    lotor_status status = make_wish(params, why, &wish);
    if (status == LOTOR_OK) {
        status = check_wish(&wish, why);
    }
    if (status == LOTOR_OK) {
        status = lotor_advice_make(&wish, why, &advice);
    }
    if (status == LOTOR_OK) {
        tell(&advice, out);
    }
    return status;
}
