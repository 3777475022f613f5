/* serving_offer.c - decides from the rows of the catalog which algorithms the service offers
 * (serving.h).
 *
 * The service offers algorithms whose privacy guarantee holds and that do not wait for one
 * particular arm: batches, reports of the local model, and linear learners. Elimination is not
 * offered. It shows its arms one after the other until each has as many rounds as the plan wants.
 * An arm that is not eligible would block it forever. Trees are not offered: they release after
 * every observation, and each release would have to be stored on disk.
 */
#include <string.h>

#include "base/message.h"
#include "policy/policy.h"

/* Why the algorithm is not offered; NULL if it is. */
static const char *reason_of(const lotor_algorithm *algorithm)
{
    const char *reason = lotor_algorithm_promise(algorithm).reason;
    if (reason) {
        return reason;
    }
    if (algorithm->is_simulation_only) {
        return "its noise has no exact sampler, so it can only be simulated";
    }
    if (algorithm->own && algorithm->own->choose) {
        return "it chooses among all arms, and some may be paused or not eligible";
    }
    if (algorithm->elimination) {
        return "it shows its arms in turn, and an arm that is paused or not eligible would hold it "
               "up";
    }
    if (algorithm->linear || algorithm->statistic->schedule ||
        algorithm->statistic->is_closed_outside ||
        algorithm->statistic->report != LOTOR_REPORT_NONE) {
        return NULL;
    }
    return "it releases after every feedback, and each release must be on disk before it is used";
}

/* A similar algorithm that is offered. */
static const char *instead_of(const lotor_algorithm *algorithm)
{
    const lotor_algorithm *named = lotor_algorithms_find(algorithm->instead);
    if (named && !reason_of(named)) {
        return named->id;
    }
    return algorithm->linear                                       ? "jdp-batch"
           : lotor_algorithm_model(algorithm) == LOTOR_MODEL_LOCAL ? "rr-imed"
                                                                   : "lik-imed";
}

const char *lotor_serving_refusal(const char *algorithm, lotor_message *why)
{
    const lotor_algorithm *row = lotor_algorithms_find(algorithm);
    if (!row) {
        lotor_explain(why,
                      "there is no algorithm '%.40s': take lik-imed, or an algorithm that "
                      "`lotor algorithms` lists",
                      algorithm ? algorithm : "");
        return why->text;
    }
    const char *reason = reason_of(row);
    if (!reason) {
        return NULL;
    }
    lotor_explain(why, "the service does not offer %s, because %s; use %s instead", row->id, reason,
                  instead_of(row));
    return why->text;
}

bool lotor_serving_find(const char *algorithm, lotor_serving_info *out)
{
    const lotor_algorithm *row = lotor_algorithms_find(algorithm);
    if (!row || reason_of(row)) {
        return false;
    }
    *out = (lotor_serving_info){
        .id = row->id,
        .model = lotor_algorithm_model(row),
        .is_linear = row->linear != NULL,
        .plays_any = row->problem == LOTOR_PROBLEM_ANY,
        .hears_clicks = row->problem == LOTOR_PROBLEM_CASCADE,
        .shows_one = row->problem == LOTOR_PROBLEM_FINITE || row->linear,
        .needs_horizon = row->needs_horizon,
        .has_delta = row->delta.num != 0,
        .takes_prior = lotor_algorithm_takes_prior(row),
    };
    return true;
}

const char *lotor_serving_id(size_t place)
{
    for (size_t i = 0; i < lotor_algorithms_size; i++) {
        if (!reason_of(&lotor_algorithms[i]) && place-- == 0) {
            return lotor_algorithms[i].id;
        }
    }
    return NULL;
}

bool lotor_policy_takes_masks(const lotor_algorithm *algorithm, lotor_structure structure)
{
    const bool chooses_itself = algorithm->own && algorithm->own->choose;
    return !algorithm->elimination && !chooses_itself &&
           structure <= LOTOR_STRUCTURE_CUSTOM_MATROID;
}

bool lotor_policy_params_can_serve(const lotor_policy_params *params)
{
    const lotor_algorithm *algorithm = lotor_policy_row(params);
    return algorithm && !reason_of(algorithm) &&
           params->structure <= LOTOR_STRUCTURE_CUSTOM_MATROID;
}

bool lotor_policy_can_serve(const lotor_policy *policy)
{
    return !reason_of(policy->algorithm) &&
           policy->params.structure <= LOTOR_STRUCTURE_CUSTOM_MATROID;
}
