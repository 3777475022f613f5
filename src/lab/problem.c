/* problem.c - see problem.h. */
#include "lab/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/quote.h"
#include "lab/checkpoints.h"
#include "policy/policy.h"
#include "world/replay.h"

/* --- defaults and limits ------------------------------------------------------------------------ */

/* The default number of actions per round of a linear world. With a gap it is dimension x
 * dimension, as in Shariff and Sheffet 2018. If that is too many: SIZE_MAX, which every world
 * refuses. */
static size_t usual_actions(size_t dimension, bool has_gap)
{
    enum { MOST_ROOT = 1 << 12 };
    if (!has_gap) {
        return LOTOR_SIMULATE_ACTIONS_DEFAULT;
    }
    return dimension <= MOST_ROOT ? dimension * dimension : SIZE_MAX;
}

void lotor_problem_fill(lotor_simulate_params *params)
{
    lotor_policy_params *policy = &params->policy;
    const lotor_algorithm *algorithm = lotor_policy_row(policy);
    if (algorithm && algorithm->linear && !params->own_world) {
        if (policy->dimension == 0) {
            policy->dimension = LOTOR_SIMULATE_DIMENSION_DEFAULT;
        }
        if (policy->arms == 0) {
            policy->arms = usual_actions(policy->dimension, params->has_gap);
        }
    }
    if (policy->epsilon.num == 0 && policy->epsilon.den == 0) {
        policy->epsilon = lotor_ratio_of(LOTOR_SIMULATE_EPSILON_DEFAULT, 1);
    }
    if (params->concentration == 0.0) {
        params->concentration = LOTOR_SIMULATE_CONCENTRATION_DEFAULT;
    }
    if (params->runs == 0) {
        params->runs = LOTOR_SIMULATE_RUNS_DEFAULT;
    }
    if (params->checkpoints == 0) {
        params->checkpoints = LOTOR_SIMULATE_CHECKPOINTS_DEFAULT;
    }
}

static lotor_status check_most(const char *what, uint64_t value, uint64_t most, lotor_message *why)
{
    return value <= most
               ? LOTOR_OK
               : lotor_fail(LOTOR_INVALID, why, "%llu %s are too many: at most %llu are taken",
                            (unsigned long long)value, what, (unsigned long long)most);
}

lotor_status lotor_problem_check_amounts(const lotor_simulate_params *asked, lotor_message *why)
{
    if (asked->policy.horizon == 0) {
        return lotor_fail(LOTOR_INVALID, why,
                          "the horizon is missing: give the number of rounds, such as 100000");
    }
    lotor_status status =
        check_most("rounds", asked->policy.horizon, LOTOR_SIMULATE_ROUNDS_MAX, why);
    if (status == LOTOR_OK) {
        status = check_most("runs", asked->runs, LOTOR_SIMULATE_RUNS_MAX, why);
    }
    size_t checkpoints = asked->checkpoints;
    if (status == LOTOR_OK && !asked->checkpoints_at) {
        status = check_most("checkpoints", checkpoints, LOTOR_SIMULATE_CHECKPOINTS_MAX, why);
    } else if (status == LOTOR_OK) {
        uint64_t *times = NULL;
        status = lotor_checkpoints_read(asked->checkpoints_at, 0, asked->policy.horizon, why,
                                        &times, &checkpoints);
        free(times);
    }
    if (status == LOTOR_OK && asked->runs * checkpoints > LOTOR_SIMULATE_NUMBERS_MAX) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%llu runs x %zu checkpoints: at most %d numbers are kept, so ask for "
                          "fewer of either",
                          (unsigned long long)asked->runs, checkpoints, LOTOR_SIMULATE_NUMBERS_MAX);
    }
    uint64_t counts;
    if (status == LOTOR_OK && asked->shown_at_checkpoints &&
        (__builtin_mul_overflow(asked->runs * checkpoints, asked->policy.arms, &counts) ||
         counts > LOTOR_SIMULATE_NUMBERS_MAX)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%llu runs x %zu checkpoints x %zu arms are more than %d counts: ask for "
                          "fewer runs or checkpoints, or leave shown_at_checkpoints out",
                          (unsigned long long)asked->runs, checkpoints, asked->policy.arms,
                          LOTOR_SIMULATE_NUMBERS_MAX);
    }
    return status;
}

/* --- worlds ------------------------------------------------------------------------------------- */

static lotor_status make_linear(const lotor_simulate_params *asked, lotor_message *why,
                                lotor_problem_setup *out)
{
    const char *what = asked->means      ? "means"
                       : asked->instance ? "an instance"
                       : asked->rewards  ? "other rewards"
                                         : NULL;
    if (what) {
        return lotor_fail(
            LOTOR_INVALID, why,
            "%s plays in a linear world, which has not %s: give a dimension and the number of "
            "arms, and a gap if one action should be better than the others",
            asked->policy.algorithm, what);
    }
    if (asked->has_gap && !isfinite(asked->gap)) { /* a NaN would otherwise mean "no gap" */
        return lotor_fail(LOTOR_INVALID, why, "the gap must be a number, not %g", asked->gap);
    }
    out->is_linear = true;
    return lotor_linear_world_make(asked->policy.dimension, asked->policy.arms,
                                   asked->has_gap ? asked->gap : NAN, why, &out->linear);
}

/* The instance that replays a log without bias. */
static const char unbiased[] = "unbiased-replay:";

bool lotor_simulate_is_recorded(const char *instance)
{
    return instance &&
           (strncmp(instance, "replay:", 7) == 0 || strncmp(instance, "movielens:", 10) == 0 ||
            strncmp(instance, unbiased, sizeof unbiased - 1) == 0);
}

/* Makes a world with the same means but another distribution of rewards. */
static lotor_status change_rewards(const lotor_simulate_params *asked, lotor_message *why,
                                   lotor_problem_setup *out)
{
    const char *rewards = asked->rewards;
    if (!rewards || strcmp(rewards, "bernoulli") == 0) {
        out->world = out->instance;
        return LOTOR_OK;
    }
    if (lotor_simulate_is_recorded(asked->instance)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%s has recorded rewards: leave `rewards` out, or give its means",
                          lotor_quote_text(asked->instance).text);
    }
    return lotor_world_rewards(out->instance, rewards, asked->concentration, why, &out->world);
}

/* Reads how the world changes. */
static lotor_status read_change(const lotor_simulate_params *asked, lotor_message *why,
                                lotor_problem_setup *out)
{
    const lotor_status status = lotor_change_read(asked->world, why, &out->change);
    if (status != LOTOR_OK || out->change.kind == LOTOR_CHANGE_NONE) {
        return status;
    }
    if (out->is_linear) {
        return lotor_fail(LOTOR_INVALID, why,
                          "world %s: a linear world has new actions in every round, and does not "
                          "change otherwise",
                          lotor_quote_text(asked->world).text);
    }
    if (!out->world->with_means) {
        return lotor_fail(LOTOR_INVALID, why,
                          "world %s: %s has recorded rewards, and can't change: give its means",
                          lotor_quote_text(asked->world).text,
                          lotor_quote_text(asked->instance).text);
    }
    if (out->change.rows > 0 && out->change.arms != out->world->arms) {
        return lotor_fail(LOTOR_INVALID, why,
                          "world %s: each row needs the means of all %zu arms, not %zu",
                          lotor_quote_text(asked->world).text, out->world->arms, out->change.arms);
    }
    const bool moves_on =
        out->change.kind == LOTOR_CHANGE_SWAPS || out->change.kind == LOTOR_CHANGE_DRIFT;
    if ((moves_on && out->world->arms == 1) ||
        (out->change.kind == LOTOR_CHANGE_SWAPS && out->change.parts == 1)) {
        out->change.kind = LOTOR_CHANGE_NONE; /* all rounds have the same means */
    }
    return LOTOR_OK;
}

static void free_stub(lotor_world *world)
{
    free(world);
}

/* A world that only has its arms, for the parts of a problem that ask for no more. */
static lotor_status make_stub(const char *id, size_t arms, lotor_message *why, lotor_world **out)
{
    lotor_world *made = calloc(1, sizeof *made);
    if (!made) {
        return lotor_world_out_of_memory(why);
    }
    *made = (lotor_world){.id = id, .arms = arms, .destroy = free_stub};
    *out = made;
    return LOTOR_OK;
}

/* Refuses fields that contradict an own world. */
static lotor_status check_alone(const lotor_simulate_params *asked, lotor_message *why)
{
    const bool draws = asked->own_world->kind == LOTOR_OWN_MEANS;
    const char *what = asked->means               ? "means"
                       : asked->instance          ? "instance"
                       : asked->world             ? "world"
                       : asked->has_gap           ? "gap"
                       : asked->rewards && !draws ? "rewards"
                                                  : NULL;
    return what ? lotor_fail(LOTOR_INVALID, why, "own_world and %s are both given: keep one", what)
                : LOTOR_OK;
}

/* Makes the world of a table of means: its first row, and what changes. */
static lotor_status make_rows(const lotor_own_world *given, lotor_message *why,
                              lotor_problem_setup *out)
{
    const size_t numbers = given->arms; /* of a row */
    out->rows = (lotor_mean_rows){given->rows, given->table, given->starts};
    for (size_t i = 1; i < given->rows && !out->rows_differ; i++) {
        const double *row = given->table + i * numbers;
        out->rows_differ = memcmp(row, row - numbers, numbers * sizeof *row) != 0;
    }
    return lotor_world_bernoulli(given->arms, given->table, why, &out->instance);
}

static lotor_status make_own(const lotor_simulate_params *asked, lotor_message *why,
                             lotor_problem_setup *out)
{
    const size_t arms = asked->policy.arms;
    lotor_status status = check_alone(asked, why);
    if (status == LOTOR_OK) {
        status = lotor_own_make(asked->own_world, why, &out->own);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    const lotor_own_world *given = &out->own.given;
    if (arms != 0 && arms != given->arms) {
        return lotor_fail(LOTOR_INVALID, why,
                          "arms is %zu, but the own world has %zu: leave it out", arms,
                          given->arms);
    }
    if (given->kind == LOTOR_OWN_MEANS) {
        return make_rows(given, why, out);
    }
    if (given->kind == LOTOR_OWN_LOG) {
        return lotor_world_replay_of(&out->own.log, given->arms, why, &out->instance);
    }
    out->plays_own = true;
    return make_stub(given->kind == LOTOR_OWN_UNBIASED ? "unbiased-replay" : "own", given->arms,
                     why, &out->instance);
}

/* Makes the world of "unbiased-replay:FILE". */
static lotor_status make_replay(const lotor_simulate_params *asked, lotor_message *why,
                                lotor_problem_setup *out)
{
    lotor_status status = lotor_log_load(asked->instance + sizeof unbiased - 1, why, &out->log);
    if (status != LOTOR_OK) {
        return status;
    }
    lotor_simulate_params own = *asked;
    const lotor_own_world replayed = {
        .kind = LOTOR_OWN_UNBIASED,
        .arms = asked->policy.arms,
        .rows = out->log.log.count,
        .logged_arms = out->log.arms,
        .logged_rewards = out->log.rewards,
        .propensities = out->log.propensities,
    };
    own.own_world = &replayed;                     /* copied, but for the arrays */
    own.instance = own.rewards = own.world = NULL; /* the caller refuses the last two */
    return make_own(&own, why, out);
}

static lotor_status make_instance(const lotor_simulate_params *asked, lotor_message *why,
                                  lotor_problem_setup *out)
{
    const lotor_policy_params *policy = &asked->policy;
    if (asked->has_gap) {
        return lotor_fail(LOTOR_INVALID, why,
                          "a gap is for linear worlds, and %s plays with arms: leave the gap out",
                          policy->algorithm);
    }
    if (asked->means && asked->instance) {
        return lotor_fail(LOTOR_INVALID, why, "means and an instance are both given: keep one");
    }
    if (asked->instance && strncmp(asked->instance, unbiased, sizeof unbiased - 1) == 0) {
        return make_replay(asked, why, out);
    }
    if (asked->instance) {
        return lotor_world_instance(asked->instance, policy->arms, why, &out->instance);
    }
    if (!asked->means) {
        return lotor_fail(
            LOTOR_INVALID, why,
            "the world of %s is missing: give the means of the arms, or an instance, such as c1",
            policy->algorithm);
    }
    if (policy->arms == 0) {
        return lotor_fail(LOTOR_INVALID, why,
                          "the number of arms is missing: give the number of means");
    }
    return lotor_world_bernoulli(policy->arms, asked->means, why, &out->instance);
}

lotor_status lotor_problem_make_world(const lotor_simulate_params *asked, lotor_message *why,
                                      lotor_problem_setup *out)
{
    *out = (lotor_problem_setup){.policy = asked->policy};
    const lotor_algorithm *algorithm = lotor_policy_row(&asked->policy);
    if (!algorithm) {
        return lotor_catalog_refuse(asked->policy.catalog, asked->policy.algorithm, why);
    }
    lotor_status status = LOTOR_OK;
    if (asked->own_world) {
        status = make_own(asked, why, out);
    } else if (algorithm->linear) {
        status = make_linear(asked, why, out);
    } else {
        status = make_instance(asked, why, out);
    }
    if (status == LOTOR_OK && !out->is_linear) {
        out->policy.arms = out->instance->arms;
        status = change_rewards(asked, why, out);
    }
    if (status == LOTOR_OK) {
        status = read_change(asked, why, out);
    }
    if (status == LOTOR_OK && out->is_linear && asked->schedule) {
        return lotor_fail(LOTOR_INVALID, why,
                          "schedule %s: a linear world has new actions in every round, so no arm "
                          "can be added or removed",
                          lotor_quote_text(asked->schedule).text);
    }
    return status == LOTOR_OK
               ? lotor_arm_schedule_read(asked->schedule, out->policy.arms, why, &out->schedule)
               : status;
}

void lotor_problem_clear(lotor_problem_setup *setup)
{
    if (setup->world != setup->instance) {
        lotor_world_free(setup->world);
    }
    lotor_world_free(setup->instance);
    lotor_arm_schedule_clear(&setup->schedule);
    lotor_change_clear(&setup->change);
    lotor_log_file_clear(&setup->log);
    free(setup->arrays);
    *setup = (lotor_problem_setup){0};
}

/* --- structures --------------------------------------------------------------------------------- */

lotor_structure lotor_problem_usual_structure(const lotor_world *instance)
{
    if (instance->vectors) {
        return LOTOR_STRUCTURE_LINEAR;
    }
    if (instance->is_bipartite) {
        return LOTOR_STRUCTURE_COVERAGE;
    }
    return instance->from ? LOTOR_STRUCTURE_PATH : LOTOR_STRUCTURE_TOP;
}

bool lotor_problem_has_structure(const lotor_world *instance, lotor_structure structure)
{
    switch (structure) {
    case LOTOR_STRUCTURE_LINEAR:
        return instance->vectors != NULL;
    case LOTOR_STRUCTURE_GRAPHIC:
    case LOTOR_STRUCTURE_PATH:
    case LOTOR_STRUCTURE_INFLUENCE:
        return instance->from && !instance->is_bipartite;
    case LOTOR_STRUCTURE_COVERAGE:
        return instance->from && instance->is_bipartite;
    case LOTOR_STRUCTURE_TOP:
    case LOTOR_STRUCTURE_PARTITION:
    case LOTOR_STRUCTURE_CUSTOM_MATROID:
    case LOTOR_STRUCTURE_CUSTOM_ORACLE:
        break;
    }
    return false;
}

void lotor_problem_use_structure(lotor_problem_setup *setup, lotor_structure structure)
{
    const lotor_world *instance = setup->instance;
    lotor_policy_params *policy = &setup->policy;
    policy->structure = structure;
    if (structure == LOTOR_STRUCTURE_LINEAR) {
        policy->vectors = instance->vectors;
        policy->dimension = instance->dimension;
        return;
    }
    policy->from = instance->from;
    policy->to = instance->to;
    policy->vertices = instance->vertices;
    policy->seeds = 1;
    if (structure == LOTOR_STRUCTURE_PATH) {
        policy->source = 0;
        policy->sink = (uint32_t)(instance->vertices - 1);
    }
}

void lotor_problem_take_policy(lotor_problem_setup *setup, const lotor_policy_params *given)
{
    setup->policy = *given;
    setup->has_own_structure = false;
    if (setup->is_linear) {
        return;
    }
    const lotor_world *instance = setup->instance;
    const bool none = given->structure == LOTOR_STRUCTURE_TOP && given->slots == 0;
    const lotor_structure structure =
        none ? lotor_problem_usual_structure(instance) : given->structure;
    setup->policy.arms = instance->arms;
    setup->has_own_structure = none && structure != LOTOR_STRUCTURE_TOP;
    if (given->vectors || given->from || !lotor_problem_has_structure(instance, structure)) {
        return; /* the caller gave its own structure; or there is none, which the policy refuses */
    }
    lotor_problem_use_structure(setup, structure);
    if (given->seeds > 0) {
        setup->policy.seeds = given->seeds;
    }
    if (given->source != 0 || given->sink != 0) {
        setup->policy.source = given->source;
        setup->policy.sink = given->sink;
    }
}

lotor_policy_params lotor_problem_join(const lotor_problem_setup *setup,
                                       const lotor_policy_params *given)
{
    const lotor_policy_params *own = &setup->policy;
    lotor_policy_params policy = *given;
    policy.arms = own->arms;
    policy.slots = own->slots;
    policy.dimension = own->dimension;
    if (setup->plays_own) { /* algorithms with and without actions can play in it */
        const lotor_algorithm *algorithm = lotor_policy_row(given);
        policy.dimension = algorithm && algorithm->linear ? setup->own.dimension : own->dimension;
    }
    policy.structure = own->structure;
    policy.group = own->group;
    policy.capacity = own->capacity;
    policy.groups = own->groups;
    policy.from = own->from;
    policy.to = own->to;
    policy.vertices = own->vertices;
    policy.source = own->source;
    policy.sink = own->sink;
    policy.seeds = own->seeds;
    policy.vectors = own->vectors;
    policy.independent = own->independent;
    policy.context = own->context;
    policy.rank = own->rank;
    policy.pick = own->pick;
    policy.value = own->value;
    policy.alpha = own->alpha;
    policy.oracle_beta = own->oracle_beta;
    return policy;
}

lotor_status lotor_problem_make(const lotor_simulate_params *asked, lotor_message *why,
                                lotor_problem_setup *out)
{
    const lotor_status status = lotor_problem_make_world(asked, why, out);
    if (status == LOTOR_OK) {
        lotor_problem_take_policy(out, &asked->policy);
    }
    return status;
}

/* --- policies and experiments ------------------------------------------------------------------- */

lotor_policy_params lotor_problem_policy(const lotor_problem_setup *setup,
                                         const lotor_algorithm *algorithm, uint64_t horizon,
                                         lotor_ratio epsilon, lotor_ratio delta)
{
    lotor_policy_params policy = setup->policy;
    policy.algorithm = algorithm->id;
    policy.catalog = algorithm->catalog;
    policy.horizon = horizon;
    policy.epsilon = lotor_algorithm_has_noise(algorithm) ? epsilon : (lotor_ratio){0};
    policy.delta = algorithm->delta.num != 0 ? delta : (lotor_ratio){0};
    return policy;
}

lotor_simulate_misfit lotor_problem_misfit_of(const lotor_problem_setup *setup,
                                              const lotor_policy_params *policy)
{
    const lotor_algorithm *algorithm = lotor_policy_row(policy);
    if (setup->plays_own && algorithm->linear) {
        return LOTOR_SIMULATE_FITS; /* lotor_trial_check sees whether there are actions */
    }
    if (setup->is_linear != (algorithm->linear != NULL)) {
        return LOTOR_SIMULATE_MISFIT_WORLD;
    }
    if (setup->is_linear) {
        return LOTOR_SIMULATE_FITS;
    }
    if (algorithm->problem == LOTOR_PROBLEM_FINITE && setup->has_own_structure) {
        return LOTOR_SIMULATE_MISFIT_ONE_ARM;
    }
    if (!lotor_policy_hears_clicks(policy)) {
        return LOTOR_SIMULATE_FITS;
    }
    if (policy->structure != LOTOR_STRUCTURE_TOP) {
        return LOTOR_SIMULATE_MISFIT_LIST;
    }
    return setup->world->is_binary ? LOTOR_SIMULATE_FITS : LOTOR_SIMULATE_MISFIT_CLICKS;
}

lotor_status lotor_problem_check_policy(const lotor_policy_params *policy, lotor_message *why)
{
    lotor_generator unused;
    lotor_policy *made = NULL;
    lotor_generator_seed(&unused, 0);
    const lotor_status status = lotor_policy_new_simulated(policy, 1.0, &unused, 0, why, &made);
    if (status == LOTOR_OK) {
        lotor_policy_free(made);
    }
    return status;
}

lotor_status lotor_problem_complete(const lotor_policy_params *policy, lotor_message *why,
                                    lotor_policy_params *out)
{
    lotor_policy_params complete;
    lotor_oracle *oracle;
    const lotor_status status = lotor_policy_complete(policy, why, &complete, &oracle);
    if (status != LOTOR_OK) {
        return status;
    }
    *out = complete;
    out->group = out->capacity = out->from = out->to = NULL;
    out->vectors = NULL;
    lotor_oracle_free(oracle);
    lotor_policy_params_free(&complete);
    return LOTOR_OK;
}

lotor_experiment lotor_problem_experiment(const lotor_problem_setup *setup,
                                          const lotor_simulate_params *asked)
{
    return (lotor_experiment){
        .policy = setup->policy,
        .world = setup->plays_own ? NULL : setup->world,
        .own = setup->plays_own ? &setup->own : NULL,
        .linear = setup->is_linear ? &setup->linear : NULL,
        .schedule = &setup->schedule,
        .runs = asked->runs,
        .seed = asked->seed,
        .threads = asked->threads,
        .checkpoints = asked->checkpoints,
        .checkpoints_at = asked->checkpoints_at,
        .shown_at = asked->shown_at_checkpoints,
        .noise_scale = asked->noise_scale,
        .exact_rounds = asked->exact_rounds,
        .progress = asked->progress,
        .context = asked->progress_context,
    };
}
