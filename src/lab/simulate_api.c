/* simulate_api.c - the simulator as the public sees it: see lotor/simulate.h.
 *
 *      params ─▶ stage: the world, and a trial in it ─▶ lotor_simulate ─▶ result
 */
#include <lotor/simulate.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/quote.h"
#include "lab/bounds.h"
#include "lab/scenery.h"
#include "lab/simulate.h"
#include "policy/policy.h"

enum { RUNS = 10, CHECKPOINTS = 50 };

/* Where it is played. */
typedef struct stage {
    const lotor_simulate_params *asked;
    const lotor_algorithm *algorithm;
    lotor_world *instance;     /* as named or given: it holds the vectors and the graph */
    lotor_world *changed;      /* the same means with other rewards; or NULL */
    lotor_linear_world linear; /* in their place */
    bool own_structure;        /* the instance brought it along, nobody asked for it */
    lotor_trial trial;
} stage;

/* --- linear worlds ------------------------------------------------------------------------------ */

static lotor_status stage_linear(stage *self, lotor_message *why)
{
    const lotor_simulate_params *asked = self->asked;
    lotor_policy_params *policy = &self->trial.policy;
    const char *what = asked->means      ? "means"
                       : asked->instance ? "an instance"
                       : asked->rewards  ? "other rewards"
                                         : NULL;
    if (what) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%s plays in a linear world, which has not %s: give policy.dimension and "
                          "policy.arms, and has_gap with a gap if one action shall stand out",
                          self->algorithm->id, what);
    }
    if (asked->has_gap && !isfinite(asked->gap)) { /* NaN would be none */
        return lotor_fail(LOTOR_INVALID, why, "the gap must be a number, not %g", asked->gap);
    }
    if (policy->dimension == 0) {
        policy->dimension = LOTOR_SCENERY_DIMENSION;
    }
    if (policy->arms == 0) {
        policy->arms = lotor_scenery_actions(policy->dimension, asked->has_gap);
    }
    self->trial.linear = &self->linear;
    return lotor_linear_world_make(policy->dimension, policy->arms,
                                   asked->has_gap ? asked->gap : NAN, why, &self->linear);
}

/* --- worlds with arms --------------------------------------------------------------------------- */

static lotor_status make_instance(stage *self, lotor_message *why)
{
    const lotor_simulate_params *asked = self->asked;
    const size_t arms = asked->policy.arms;
    if (asked->means && asked->instance) {
        return lotor_fail(LOTOR_INVALID, why, "means and an instance are both given: keep one");
    }
    if (asked->instance) {
        return lotor_world_instance(asked->instance, arms, why, &self->instance);
    }
    if (!asked->means) {
        return lotor_fail(LOTOR_INVALID, why,
                          "what is %s to learn? Give means, with policy.arms, or an instance, such "
                          "as c1",
                          self->algorithm->id);
    }
    if (arms == 0) {
        return lotor_fail(LOTOR_INVALID, why, "policy.arms is missing: how many means are there?");
    }
    return lotor_world_bernoulli(arms, asked->means, why, &self->instance);
}

static lotor_status change_rewards(stage *self, lotor_message *why)
{
    const char *rewards = self->asked->rewards;
    const double given = self->asked->concentration;
    self->trial.world = self->instance;
    if (!rewards || strcmp(rewards, "bernoulli") == 0) {
        return LOTOR_OK;
    }
    if (strcmp(rewards, "beta") != 0 && strcmp(rewards, "uniform") != 0) {
        return lotor_fail(LOTOR_INVALID, why,
                          "there are no rewards %s: choose from bernoulli, beta and uniform",
                          lotor_quote_text(rewards).text);
    }
    if (lotor_scenery_is_recorded(self->instance)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%s pays what was recorded: leave `rewards` out, or give its means",
                          lotor_quote_text(self->asked->instance).text);
    }
    const lotor_status status =
        lotor_scenery_pay(self->instance, rewards,
                          given != 0.0 ? given : LOTOR_SCENERY_CONCENTRATION, why, &self->changed);
    self->trial.world = self->changed;
    return status;
}

/* What the caller left out of a structure, from the instance. */
static void take_structure(stage *self)
{
    lotor_policy_params *policy = &self->trial.policy;
    const lotor_policy_params *given = &self->asked->policy;
    const bool none = given->structure == LOTOR_STRUCTURE_TOP && given->slots == 0;
    const lotor_structure structure = none ? lotor_scenery_usual(self->instance) : given->structure;
    self->own_structure = none && structure != LOTOR_STRUCTURE_TOP;
    if (given->vectors || given->from || !lotor_scenery_brings(self->instance, structure)) {
        return; /* the caller's own; or nothing, which the policy refuses */
    }
    lotor_scenery_use(self->instance, structure, policy);
    if (given->seeds > 0) {
        policy->seeds = given->seeds;
    }
    if (given->source != 0 || given->sink != 0) {
        policy->source = given->source;
        policy->sink = given->sink;
    }
}

/* Whether the algorithm's kind of problem is what the instance is about. */
static lotor_status check_problem(const stage *self, lotor_message *why)
{
    const lotor_algorithm *algorithm = self->algorithm;
    const bool is_list = lotor_policy_hears_clicks(&self->trial.policy);
    if (!self->own_structure || (algorithm->problem != LOTOR_PROBLEM_FINITE && !is_list)) {
        return LOTOR_OK;
    }
    return lotor_fail(LOTOR_INVALID, why,
                      "%s shows %s, but %s is about sets of arms: use %s, or give policy.slots for "
                      "%s",
                      algorithm->id, is_list ? "a list of any items" : "one arm a round",
                      lotor_quote_text(self->asked->instance).text,
                      self->instance->from ? "cucb or cucb-dp" : "batch-klucb or dpucb-mat",
                      is_list ? "lists of any K arms" : "its best arm alone");
}

static lotor_status stage_arms(stage *self, lotor_message *why)
{
    if (self->asked->has_gap) {
        return lotor_fail(LOTOR_INVALID, why,
                          "a gap is for linear worlds, and %s plays with arms: leave has_gap out",
                          self->algorithm->id);
    }
    lotor_status status = make_instance(self, why);
    if (status == LOTOR_OK) {
        self->trial.policy.arms = self->instance->arms;
        take_structure(self);
        status = check_problem(self, why);
    }
    return status == LOTOR_OK ? change_rewards(self, why) : status;
}

/* --- the numbers -------------------------------------------------------------------------------- */

static lotor_status check_most(const char *what, uint64_t value, uint64_t most, lotor_message *why)
{
    return value <= most
               ? LOTOR_OK
               : lotor_fail(LOTOR_INVALID, why, "%llu %s are too many: at most %llu are taken",
                            (unsigned long long)value, what, (unsigned long long)most);
}

static lotor_status check_amounts(const lotor_trial *trial, lotor_message *why)
{
    if (trial->policy.horizon == 0) {
        return lotor_fail(LOTOR_INVALID, why,
                          "policy.horizon is missing: how many rounds to play, such as 100000");
    }
    lotor_status status = check_most("rounds", trial->policy.horizon, LOTOR_TRIAL_ROUNDS, why);
    if (status == LOTOR_OK) {
        status = check_most("runs", trial->runs, LOTOR_TRIAL_RUNS, why);
    }
    if (status == LOTOR_OK) {
        status = check_most("checkpoints", trial->checkpoints, LOTOR_TRIAL_CHECKPOINTS, why);
    }
    return status == LOTOR_OK ? check_most("numbers (runs x checkpoints)",
                                           trial->runs * trial->checkpoints, LOTOR_TRIAL_NOTED, why)
                              : status;
}

/* Rewards are drawn in sums, past the policy's own check of each. */
static lotor_status check_range(const stage *self, lotor_message *why)
{
    const lotor_policy_params *policy = &self->trial.policy;
    const double least = self->algorithm->linear ? -1.0 : 0.0;
    if ((policy->low == 0.0 && policy->high == 0.0) ||
        (policy->low <= least && policy->high >= 1.0)) {
        return LOTOR_OK;
    }
    return lotor_fail(LOTOR_INVALID, why,
                      "rewards here lie between %g and 1, but policy.low is %g and policy.high %g: "
                      "leave both out",
                      least, policy->low, policy->high);
}

static lotor_status stage_make(stage *self, lotor_message *why)
{
    const lotor_simulate_params *asked = self->asked;
    self->algorithm = lotor_catalog_find(asked->policy.algorithm);
    if (!self->algorithm) {
        return lotor_catalog_refuse(asked->policy.algorithm, why);
    }
    self->trial = (lotor_trial){
        .policy = asked->policy,
        .runs = asked->runs ? asked->runs : RUNS,
        .seed = asked->seed,
        .threads = asked->threads,
        .checkpoints = asked->checkpoints ? asked->checkpoints : CHECKPOINTS,
        .noise_scale = asked->noise_scale,
        .progress = asked->progress,
        .context = asked->progress_context,
    };
    lotor_policy_params *policy = &self->trial.policy;
    policy->first = NULL; /* the simulation draws it */
    if (policy->epsilon.num == 0 && policy->epsilon.den == 0) {
        policy->epsilon = lotor_ratio_of(1, 1);
    }
    lotor_status status = lotor_policy_refuse_no_delta(policy->algorithm, policy->delta, why);
    if (status == LOTOR_OK) {
        status = check_amounts(&self->trial, why);
    }
    if (status == LOTOR_OK) {
        status = check_range(self, why);
    }
    if (status == LOTOR_OK) {
        status = self->algorithm->linear ? stage_linear(self, why) : stage_arms(self, why);
    }
    return status;
}

static void stage_clear(stage *self)
{
    lotor_world_free(self->changed);
    lotor_world_free(self->instance);
}

/* --- what comes out ----------------------------------------------------------------------------- */

static lotor_status find_bound(const stage *self, lotor_message *why, double *out)
{
    *out = NAN;
    if (!self->trial.world) {
        return LOTOR_OK;
    }
    lotor_policy_params claimed = self->trial.policy;
    if (self->trial.noise_scale != 0.0 && self->trial.noise_scale != 1.0) {
        claimed.epsilon = lotor_ratio_of(1, 0); /* no privacy is kept: none is asked of it */
    }
    lotor_lower_bound bound;
    const lotor_status status = lotor_lower_bound_of(&claimed, self->trial.world, why, &bound);
    *out = status == LOTOR_OK ? bound.per_log_t : NAN;
    return status;
}

/* Moves what was measured into a result. */
static lotor_simulate_result *tell(const stage *self, lotor_result *measured)
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
        .horizon = self->trial.policy.horizon,
        .arms = self->trial.policy.arms,
        .regret = measured->regret_mean,
        .regret_error = measured->regret_stderr,
        .per_round = measured->return_mean,
        .round_error = measured->return_stderr,
        .best_per_round = self->trial.world ? measured->reference.per_round : NAN,
        .points = points,
        .point_count = count,
        .guarantee = measured->guarantee,
        .seconds = measured->seconds,
        .favourite = measured->favourite.arms,
        .favourite_count = measured->favourite.count,
    };
    measured->favourite.arms = NULL; /* it is the result's now */
    return out;
}

static lotor_status play(const stage *self, lotor_message *why, lotor_simulate_result **out)
{
    double bound;
    lotor_result measured;
    lotor_status status = find_bound(self, why, &bound);
    if (status == LOTOR_OK) {
        status = lotor_simulate(&self->trial, why, &measured);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    if (measured.runs == 0) {
        lotor_result_free(&measured);
        return lotor_fail(LOTOR_STOPPED, why, "stopped before one run was complete");
    }
    *out = tell(self, &measured);
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
    stage self = {.asked = params};
    lotor_status status = stage_make(&self, why);
    if (status == LOTOR_OK) {
        status = play(&self, why, out);
    }
    stage_clear(&self);
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
