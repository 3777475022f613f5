/* simulate_api.c - the public functions of lotor/simulate.h, on top of lab/problem.h and
 * simulate.h.
 *
 *      params ─▶ problem.h: world and structure ─▶ experiment ─▶ lotor_experiment_run ─▶ result
 */
#include <lotor/simulate.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/quote.h"
#include "lab/bounds.h"
#include "lab/expiry.h"
#include "lab/problem.h"
#include "policy/policy.h"

struct lotor_simulate_problem {
    lotor_problem_setup setup;
    char *instance; /* the name that was given, for messages; or NULL */
};

/* --- problems ----------------------------------------------------------------------------------- */

lotor_status lotor_simulate_problem_new(const lotor_simulate_params *params, lotor_message *why,
                                        lotor_simulate_problem **out)
{
    *out = NULL;
    lotor_simulate_params asked = *params;
    lotor_problem_fill(&asked);
    lotor_simulate_problem *made = calloc(1, sizeof *made);
    if (!made) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for this simulation");
    }
    lotor_status status = lotor_problem_make(&asked, why, &made->setup);
    if (status == LOTOR_OK && asked.instance) {
        const size_t size = strlen(asked.instance) + 1;
        made->instance = malloc(size);
        if (made->instance) {
            memcpy(made->instance, asked.instance, size);
        }
        status = made->instance ? LOTOR_OK : LOTOR_MEMORY;
    }
    if (status != LOTOR_OK) {
        lotor_simulate_problem_free(made);
        if (status == LOTOR_MEMORY) {
            lotor_explain(why, "no memory for this simulation");
        }
        return status;
    }
    *out = made;
    return LOTOR_OK;
}

void lotor_simulate_problem_free(lotor_simulate_problem *problem)
{
    if (problem) {
        lotor_problem_clear(&problem->setup);
        free(problem->instance);
        free(problem);
    }
}

void lotor_simulate_problem_describe(const lotor_simulate_problem *problem,
                                     lotor_simulate_problem_facts *out)
{
    const lotor_problem_setup *setup = &problem->setup;
    const lotor_policy_params *policy = &setup->policy;
    *out = (lotor_simulate_problem_facts){
        .arms = policy->arms, .is_linear = setup->is_linear, .dimension = policy->dimension};
    if (setup->is_linear) {
        return;
    }
    out->means = setup->world->means;
    out->changes = setup->change.kind != LOTOR_CHANGE_NONE || setup->rows_differ;
    out->rewards = setup->world->id;
    out->is_binary = setup->world->is_binary;
    out->arms_change = setup->schedule.periods > 0;
    out->is_clipped = setup->world->targets != NULL;
    out->structure = policy->structure;
    out->structure_name = lotor_problem_oracle_name(setup);
    out->has_usual_structure = setup->has_own_structure;
    out->slots = policy->slots;
    out->seeds = policy->seeds;
    out->from = policy->from;
    out->to = policy->to;
    out->source = policy->source;
}

lotor_status lotor_simulate_problem_structure(lotor_simulate_problem *problem, const char *text,
                                              size_t slots, lotor_message *why)
{
    if (problem->setup.is_linear) {
        return lotor_fail(LOTOR_INVALID, why,
                          "a linear world shows one action a round: it has no structure");
    }
    return lotor_problem_read_oracle(&problem->setup, text, slots, why);
}

/* --- parameters --------------------------------------------------------------------------------- */

/* Rewards are drawn as sums, so the policy can't check each of them: check the range here. */
static lotor_status check_range(const lotor_policy_params *policy, lotor_message *why)
{
    const double least = lotor_policy_row(policy)->linear ? -1.0 : 0.0;
    if ((policy->low == 0.0 && policy->high == 0.0) ||
        (policy->low <= least && policy->high >= 1.0)) {
        return LOTOR_OK;
    }
    return lotor_fail(LOTOR_INVALID, why,
                      "rewards here lie between %g and 1, but low is %g and high is %g: "
                      "leave both out",
                      least, policy->low, policy->high);
}

static lotor_status check_numbers(const lotor_simulate_params *asked, lotor_message *why)
{
    const lotor_policy_params *policy = &asked->policy;
    if (!lotor_policy_row(policy)) {
        return lotor_catalog_refuse(policy->catalog, policy->algorithm, why);
    }
    lotor_status status =
        lotor_policy_refuse_no_delta(lotor_policy_row(policy), policy->delta, why);
    if (status == LOTOR_OK) {
        status = lotor_problem_check_amounts(asked, why);
    }
    if (status == LOTOR_OK) {
        status = check_range(policy, why);
    }
    lotor_delay delay;
    double lost;
    return status == LOTOR_OK ? lotor_expiry_read(asked, why, &delay, &lost) : status;
}

/* Says why an algorithm does not fit the problem. */
static lotor_status explain_misfit(const lotor_simulate_problem *problem, const char *algorithm,
                                   lotor_simulate_misfit misfit, lotor_message *why)
{
    const lotor_problem_setup *setup = &problem->setup;
    const bool is_list = misfit == LOTOR_SIMULATE_MISFIT_LIST;
    switch (misfit) {
    case LOTOR_SIMULATE_FITS:
        break;
    case LOTOR_SIMULATE_MISFIT_WORLD:
        return lotor_fail(LOTOR_INVALID, why, "%s plays %s", algorithm,
                          setup->is_linear ? "with arms, not in a linear world"
                                           : "in a linear world, and in no other");
    case LOTOR_SIMULATE_MISFIT_CLICKS:
        return lotor_fail(
            LOTOR_INVALID, why,
            "%s learns from clicks: rewards of its world must be 0 or 1, independently", algorithm);
    case LOTOR_SIMULATE_MISFIT_ONE_ARM:
    case LOTOR_SIMULATE_MISFIT_LIST:
        if (setup->has_own_structure) {
            return lotor_fail(LOTOR_INVALID, why,
                              "%s shows %s, but %s is about sets of arms: use %s, or give "
                              "slots for %s",
                              algorithm, is_list ? "a list of any items" : "one arm a round",
                              lotor_quote_text(problem->instance).text,
                              setup->instance->from ? "cucb or cucb-dp" : "lik-imed or dpucb-mat",
                              is_list ? "lists of any K arms" : "its best arm alone");
        }
        return lotor_fail(LOTOR_INVALID, why,
                          "%s shows a list of any K items: leave the structure out", algorithm);
    }
    return LOTOR_OK;
}

/* The range of rewards is that of the caller's world. */
static void take_range(const lotor_problem_setup *setup, lotor_policy_params *policy)
{
    const lotor_own_world *own = &setup->own.given;
    if (!setup->plays_own || own->kind == LOTOR_OWN_LABELS) {
        return;
    }
    policy->low = own->low;
    policy->high = own->high;
    if (policy->default_reward == 0.0) { /* must lie in the range */
        policy->default_reward = fmin(fmax(0.0, own->low), own->high);
    }
}

/* The parameters with defaults, and with the problem's arms and structure. *misfit as for
 * lotor_simulate_problem_check. */
static lotor_status prepare(const lotor_simulate_problem *problem,
                            const lotor_simulate_params *params, lotor_message *why,
                            lotor_simulate_params *out, lotor_simulate_misfit *misfit)
{
    *out = *params;
    *misfit = LOTOR_SIMULATE_FITS;
    lotor_problem_fill(out);
    out->policy = lotor_problem_join(&problem->setup, &out->policy);
    out->policy.first = NULL; /* the simulation draws it */
    lotor_status status = check_numbers(out, why);
    if (status == LOTOR_OK && out->policy.half_life_in_seconds) {
        status = lotor_fail(LOTOR_INVALID, why,
                            "a simulation has no clock: give the half_life in rounds");
    }
    if (status == LOTOR_OK && problem->setup.rows.count > 0) {
        status = lotor_own_check_horizon(&problem->setup.own, out->policy.horizon, why);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    take_range(&problem->setup, &out->policy);
    *misfit = lotor_problem_misfit_of(&problem->setup, &out->policy);
    return explain_misfit(problem, out->policy.algorithm, *misfit, why);
}

static lotor_experiment experiment_of(const lotor_simulate_problem *problem,
                                      const lotor_simulate_params *prepared)
{
    lotor_experiment trial = lotor_problem_experiment(&problem->setup, prepared);
    trial.policy = prepared->policy;
    (void)lotor_expiry_read(prepared, NULL, &trial.delay, &trial.lost); /* as check_numbers did */
    return trial;
}

lotor_status lotor_simulate_problem_check(const lotor_simulate_problem *problem,
                                          const lotor_simulate_params *params, lotor_message *why,
                                          lotor_simulate_misfit *misfit)
{
    lotor_simulate_params asked;
    lotor_simulate_misfit found;
    lotor_status status = prepare(problem, params, why, &asked, &found);
    if (misfit) {
        *misfit = found;
    }
    if (status == LOTOR_OK) {
        const lotor_experiment trial = experiment_of(problem, &asked);
        status = lotor_trial_check(&trial, why);
    }
    return status == LOTOR_OK ? lotor_problem_check_policy(&asked.policy, why) : status;
}

/* --- results ---------------------------------------------------------------------------------- */

static lotor_status find_bound(const lotor_experiment *trial, lotor_message *why,
                               lotor_lower_bound *out)
{
    *out = (lotor_lower_bound){.per_log_t = NAN, .classical = NAN};
    const bool has_all_arms = !trial->schedule || trial->schedule->periods == 0;
    if (!trial->world || trial->changing || !has_all_arms) {
        return LOTOR_OK; /* nothing is proved */
    }
    lotor_policy_params claimed = trial->policy;
    if (trial->noise_scale != 0.0 && trial->noise_scale != 1.0) {
        claimed.epsilon = lotor_ratio_of(1, 0); /* the claim is void: use the bound without it */
    }
    return lotor_lower_bound_of(&claimed, trial->world, why, out);
}

/* Notes the parameters that were played, with what the library filled in. */
static lotor_status tell_policy(const lotor_experiment *trial, lotor_message *why,
                                lotor_simulate_result *out)
{
    lotor_policy_params complete;
    const lotor_algorithm *algorithm = lotor_policy_row(&trial->policy);
    const lotor_status status = lotor_problem_complete(&trial->policy, why, &complete);
    if (status != LOTOR_OK) {
        return status;
    }
    out->epsilon = lotor_algorithm_has_noise(algorithm) ? complete.epsilon : (lotor_ratio){0};
    out->delta = complete.delta;
    out->beta = lotor_algorithm_uses_beta(algorithm) ? complete.beta : NAN;
    out->slots = complete.slots;
    out->feedback = lotor_algorithm_feedback(algorithm, complete.cascade);
    return LOTOR_OK;
}

/* The largest expected share of clipped rewards, of all arms and all rounds. */
static double clipped_share(const lotor_experiment *trial)
{
    double share = trial->world ? trial->world->clipped : 0.0;
    for (size_t i = 0; trial->changing && i < trial->changing->count; i++) {
        share = fmax(share, trial->changing->pieces[i].world->clipped);
    }
    return share;
}

/* Moves the measurements into a public result. */
static lotor_simulate_result *tell(const lotor_experiment *trial, lotor_experiment_result *measured)
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
        .best_per_round = trial->world || trial->own ? measured->reference.per_round : NAN,
        .points = points,
        .point_count = count,
        .guarantee = measured->guarantee,
        .seconds = measured->seconds,
        .favourite = measured->favourite.arms,
        .favourite_count = measured->favourite.count,
        .best_share = trial->world || trial->own ? measured->reference.share : NAN,
        .best_is_bound = measured->reference.is_bound,
        .favourite_seeds = measured->favourite.seeds,
        .favourite_seed_count = measured->favourite.seed_count,
        .favourite_value = measured->favourite.value,
        .favourite_rounds = measured->favourite.rounds,
        .last_rounds = measured->favourite.of,
        .rounds_per_second = measured->rounds_per_second,
        .indefinite_rounds = measured->indefinite,
        .late_release = measured->late_release,
        .regret_median = measured->regret_median,
        .regret_99 = measured->regret_99,
        .regret_largest = measured->regret_largest,
        .regrets = measured->table.regrets,
        .rewards = measured->table.rewards,
        .shown = measured->table.shown,
        .shown_at = measured->table.shown_at,
        .clipped_share = clipped_share(trial),
        .lost_share = trial->lost,
        .context_scale = trial->own ? trial->own->scale : 1.0,
        .logged_events = trial->own ? trial->own->log.count : 0,
        .accepted_events = measured->accepted,
    };
    measured->favourite.arms = NULL; /* it is the result's now, and the seeds are part of it */
    measured->table = (lotor_run_table){0};
    return out;
}

static lotor_status play(const lotor_experiment *trial, lotor_message *why,
                         lotor_simulate_result **out)
{
    lotor_lower_bound bound;
    lotor_experiment_result measured;
    lotor_status status = find_bound(trial, why, &bound);
    if (status == LOTOR_OK) {
        status = lotor_experiment_run(trial, why, &measured);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    if (measured.runs == 0) {
        lotor_experiment_result_free(&measured);
        return lotor_fail(LOTOR_STOPPED, why, "stopped before one run was complete");
    }
    lotor_simulate_result *told = tell(trial, &measured);
    lotor_experiment_result_free(&measured);
    status = told ? tell_policy(trial, why, told) : LOTOR_MEMORY;
    if (status != LOTOR_OK) {
        lotor_simulate_free(told);
        return status;
    }
    told->lower_bound = bound.per_log_t;
    told->lower_bound_theorem = bound.theorem;
    told->classical_bound = bound.classical;
    told->classical_bound_theorem = bound.classical_theorem;
    *out = told;
    return LOTOR_OK;
}

/* Plays in the problem's world, or in what the world is during this horizon. */
static lotor_status play_in(const lotor_simulate_problem *problem,
                            const lotor_simulate_params *prepared, lotor_message *why,
                            lotor_simulate_result **out)
{
    lotor_experiment trial = experiment_of(problem, prepared);
    const lotor_problem_setup *setup = &problem->setup;
    const bool has_rows = setup->rows.count > 0;
    if (!has_rows && setup->change.kind == LOTOR_CHANGE_NONE) {
        return play(&trial, why, out);
    }
    const uint64_t horizon = trial.policy.horizon;
    lotor_changing_world changing;
    lotor_status status =
        has_rows ? lotor_changing_world_of_rows(trial.world, &setup->rows, horizon, why, &changing)
                 : lotor_changing_world_make(trial.world, &setup->change, horizon, trial.seed, why,
                                             &changing);
    if (status == LOTOR_OK) {
        const bool is_fixed = has_rows && changing.count == 1;
        trial.changing = is_fixed ? NULL : &changing;
        status = play(&trial, why, out);
    }
    lotor_changing_world_clear(&changing);
    return status;
}

lotor_status lotor_simulate_problem_run(const lotor_simulate_problem *problem,
                                        const lotor_simulate_params *params, lotor_message *why,
                                        lotor_simulate_result **out)
{
    *out = NULL;
    lotor_simulate_params asked;
    lotor_simulate_misfit misfit;
    lotor_status status = prepare(problem, params, why, &asked, &misfit);
    if (status == LOTOR_OK) {
        status = play_in(problem, &asked, why, out);
    }
    if (status == LOTOR_MEMORY) {
        lotor_explain(why, "no memory for this simulation");
    }
    return status;
}

lotor_status lotor_simulate_run(const lotor_simulate_params *params, lotor_message *why,
                                lotor_simulate_result **out)
{
    *out = NULL;
    lotor_simulate_params filled = *params;
    lotor_problem_fill(&filled);
    lotor_status status = check_numbers(&filled, why); /* before a large world is read */
    lotor_simulate_problem *problem = NULL;
    if (status == LOTOR_OK) {
        status = lotor_simulate_problem_new(params, why, &problem);
    }
    if (status == LOTOR_OK) {
        status = lotor_simulate_problem_run(problem, params, why, out);
    }
    lotor_simulate_problem_free(problem);
    return status;
}

void lotor_simulate_free(lotor_simulate_result *result)
{
    if (result) {
        free(result->points);
        free(result->favourite);
        free(result->regrets);
        free(result->rewards);
        free(result->shown);
        free(result->shown_at);
        free(result);
    }
}
