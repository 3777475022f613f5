/* run_plan.c - from the command line to a plan: names first, then the world, then the numbers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/quote.h"
#include "cli/run.h"
#include "lab/scenery.h"
#include "policy/policy.h"

enum { MOST_THREADS = 256 };

static lotor_status unknown_algorithm(const char *name, size_t length, lotor_message *why)
{
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)(length < 63 ? length : 63), name);
    const char *nearest = lotor_catalog_nearest(word);
    return lotor_fail(LOTOR_INVALID, why, "there is no algorithm %s%s%s%s (all: lotor algorithms)",
                      lotor_quote(name, length).text, nearest ? ": did you mean " : "",
                      nearest ? nearest : "", nearest ? "?" : "");
}

static lotor_status find_algorithms(const lotor_arguments *arguments, lotor_message *why,
                                    lotor_run_plan *plan)
{
    if (arguments->word_count == 0) {
        return lotor_fail(LOTOR_INVALID, why,
                          "which algorithm? Such as dp-se, or dp-se,dp-ucb to compare two; lotor "
                          "algorithms lists them");
    }
    for (const char *at = arguments->words[0];;) {
        const size_t length = strcspn(at, ",");
        const lotor_algorithm *found = NULL;
        for (size_t i = 0; i < lotor_catalog_size && !found; i++) {
            const char *id = lotor_catalog[i].id;
            found = strlen(id) == length && memcmp(id, at, length) == 0 ? &lotor_catalog[i] : NULL;
        }
        if (!found) {
            return unknown_algorithm(at, length, why);
        }
        if (plan->count == LOTOR_RUN_MOST) {
            return lotor_fail(LOTOR_INVALID, why, "at most %d algorithms are compared at once",
                              (int)LOTOR_RUN_MOST);
        }
        plan->algorithms[plan->count++] = found;
        if (at[length] == '\0') {
            return LOTOR_OK;
        }
        at += length + 1;
    }
}

/* --- the world ---------------------------------------------------------------------------------- */

static lotor_status make_means(lotor_run_plan *plan, lotor_message *why)
{
    const lotor_list *means = &plan->values[LOTOR_RUN_MEANS].list;
    const lotor_value *arms = &plan->values[LOTOR_RUN_ARMS];
    if (arms->given && arms->whole != means->count) {
        return lotor_fail(LOTOR_INVALID, why, "--means has %zu numbers, but --arms is %s",
                          means->count, lotor_quote_text(arms->text).text);
    }
    lotor_message reason;
    const lotor_status status =
        lotor_world_bernoulli(means->count, means->items, &reason, &plan->instance);
    snprintf(plan->place, sizeof plan->place, "given means");
    return status == LOTOR_OK ? status : lotor_fail(status, why, "--means: %.280s", reason.text);
}

static lotor_status make_instance(lotor_run_plan *plan, lotor_message *why)
{
    const char *name = plan->values[LOTOR_RUN_INSTANCE].text;
    const uint64_t arms = plan->values[LOTOR_RUN_ARMS].whole;
    if (plan->values[LOTOR_RUN_ARMS].given && (arms == 0 || arms > SIZE_MAX)) {
        return lotor_fail(LOTOR_INVALID, why, "--arms: there must be at least one");
    }
    snprintf(plan->place, sizeof plan->place, "%.79s", name);
    return lotor_world_instance(name, (size_t)arms, why, &plan->instance);
}

static lotor_status make_replay(lotor_run_plan *plan, lotor_message *why)
{
    const lotor_value *arms = &plan->values[LOTOR_RUN_ARMS];
    snprintf(plan->place, sizeof plan->place, "replay of %.69s",
             plan->values[LOTOR_RUN_REPLAY].text);
    const lotor_status status =
        lotor_world_replay(plan->values[LOTOR_RUN_REPLAY].text, why, &plan->instance);
    if (status == LOTOR_OK && arms->given && arms->whole != plan->instance->arms) {
        return lotor_fail(LOTOR_INVALID, why, "the log has %zu arms, but --arms is %s",
                          plan->instance->arms, lotor_quote_text(arms->text).text);
    }
    return status;
}

/* The same means with other rewards, where rewards are ours to choose. */
static lotor_status change_rewards(lotor_run_plan *plan, lotor_message *why)
{
    const char *rewards = plan->values[LOTOR_RUN_REWARDS].text;
    plan->world = plan->instance;
    if (lotor_scenery_is_recorded(plan->instance) || strcmp(rewards, "bernoulli") == 0) {
        return LOTOR_OK; /* see the notes */
    }
    plan->world = NULL;
    return lotor_scenery_pay(plan->instance, rewards, LOTOR_SCENERY_CONCENTRATION, why,
                             &plan->world);
}

/* Actions of their own every round, for the algorithms that learn from them. */
static lotor_status make_linear(lotor_run_plan *plan, lotor_message *why)
{
    const lotor_value *dimension = &plan->values[LOTOR_RUN_DIMENSION];
    const lotor_value *arms = &plan->values[LOTOR_RUN_ARMS];
    const lotor_value *gap = &plan->values[LOTOR_RUN_GAP];
    const size_t d = dimension->given ? (size_t)dimension->whole : LOTOR_SCENERY_DIMENSION;
    const size_t actions = arms->given ? (size_t)arms->whole : lotor_scenery_actions(d, gap->given);
    plan->is_linear = true;
    lotor_message reason;
    const lotor_status status =
        lotor_linear_world_make(d, actions, gap->given ? gap->number : NAN, &reason, &plan->linear);
    if (status != LOTOR_OK) {
        return lotor_fail(LOTOR_INVALID, why,
                          "no linear world has this --dimension, --arms and --gap: %.200s",
                          reason.text);
    }
    snprintf(plan->place, sizeof plan->place, "linear world, %zu dimensions%s%.24s", d,
             gap->given ? ", gap " : "", gap->given ? gap->text : "");
    plan->params.arms = actions;
    plan->params.dimension = d;
    return LOTOR_OK;
}

/* A linear world for linear algorithms, and for no others. */
static lotor_status check_kind(const lotor_run_plan *plan, bool *linear, lotor_message *why)
{
    static const size_t others[] = {LOTOR_RUN_MEANS, LOTOR_RUN_INSTANCE, LOTOR_RUN_REPLAY};
    static const char *const names[] = {"--means", "--instance", "--replay"};
    *linear = plan->algorithms[0]->linear != NULL;
    for (size_t i = 1; i < plan->count; i++) {
        const lotor_algorithm *algorithm = plan->algorithms[i];
        if ((algorithm->linear != NULL) != *linear) {
            return lotor_fail(
                LOTOR_INVALID, why,
                "%s and %s can't be compared: one chooses among arms, the other among "
                "the actions that each round brings",
                plan->algorithms[0]->id, algorithm->id);
        }
    }
    for (size_t i = 0; i < 3 && *linear; i++) {
        if (plan->values[others[i]].given) {
            return lotor_fail(LOTOR_INVALID, why,
                              "%s plays in a linear world, which has no %s: give --dimension D, "
                              "with --gap G for the authors' arms",
                              plan->algorithms[0]->id, names[i]);
        }
    }
    return LOTOR_OK;
}

static lotor_status make_world(lotor_run_plan *plan, lotor_message *why)
{
    bool linear;
    const lotor_status kind = check_kind(plan, &linear, why);
    if (kind != LOTOR_OK || linear) {
        return kind != LOTOR_OK ? kind : make_linear(plan, why);
    }
    static const struct {
        size_t option;
        const char *name;
        lotor_status (*make)(lotor_run_plan *plan, lotor_message *why);
    } ways[] = {
        {LOTOR_RUN_MEANS, "--means", make_means},
        {LOTOR_RUN_INSTANCE, "--instance", make_instance},
        {LOTOR_RUN_REPLAY, "--replay", make_replay},
    };
    size_t chosen = 3;
    for (size_t i = 0; i < 3; i++) {
        if (!plan->values[ways[i].option].given) {
            continue;
        }
        if (chosen < 3) {
            return lotor_fail(LOTOR_INVALID, why, "%s and %s are both given: keep one",
                              ways[chosen].name, ways[i].name);
        }
        chosen = i;
    }
    if (chosen == 3) {
        return lotor_fail(LOTOR_INVALID, why,
                          "what is it to learn? Give --means such as 0.5,0.6,0.7, --instance c1 "
                          "(or c2, c3, c4, table-6.1, movielens:DIR, grid:5x5, graph:FILE, "
                          "coverage:FILE), or --replay FILE");
    }
    const lotor_status status = ways[chosen].make(plan, why);
    return status == LOTOR_OK ? change_rewards(plan, why) : status;
}

/* --- the numbers -------------------------------------------------------------------------------- */

static lotor_status check_whole(const lotor_run_plan *plan, size_t option, const char *name,
                                uint64_t least, uint64_t most, lotor_message *why)
{
    const lotor_value *value = &plan->values[option];
    if (value->whole >= least && value->whole <= most) {
        return LOTOR_OK;
    }
    return lotor_fail(LOTOR_INVALID, why, "--%s %s: it must lie between %llu and %llu", name,
                      lotor_quote_text(value->text).text, (unsigned long long)least,
                      (unsigned long long)most);
}

static lotor_status check_amounts(const lotor_run_plan *plan, lotor_message *why)
{
    if (!plan->values[LOTOR_RUN_HORIZON].given) {
        return lotor_fail(LOTOR_INVALID, why,
                          "--horizon T is missing: how many rounds to play, such as 1e5");
    }
    lotor_status status =
        check_whole(plan, LOTOR_RUN_HORIZON, "horizon", 1, LOTOR_TRIAL_ROUNDS, why);
    if (status == LOTOR_OK) {
        status = check_whole(plan, LOTOR_RUN_RUNS, "runs", 1, LOTOR_TRIAL_RUNS, why);
    }
    if (status == LOTOR_OK && plan->values[LOTOR_RUN_THREADS].given) {
        status = check_whole(plan, LOTOR_RUN_THREADS, "threads", 1, MOST_THREADS, why);
    }
    if (status == LOTOR_OK) {
        status = check_whole(plan, LOTOR_RUN_CHECKPOINTS, "checkpoints", 1, LOTOR_TRIAL_CHECKPOINTS,
                             why);
    }
    const uint64_t noted =
        plan->values[LOTOR_RUN_RUNS].whole * plan->values[LOTOR_RUN_CHECKPOINTS].whole;
    if (status == LOTOR_OK && noted > LOTOR_TRIAL_NOTED) {
        return lotor_fail(LOTOR_INVALID, why,
                          "--runs x --checkpoints is %llu, and at most %d numbers are kept: ask "
                          "for fewer of either",
                          (unsigned long long)noted, (int)LOTOR_TRIAL_NOTED);
    }
    return status;
}

static lotor_status check_shares(const lotor_run_plan *plan, lotor_message *why)
{
    const lotor_value *beta = &plan->values[LOTOR_RUN_BETA];
    const lotor_value *delta = &plan->values[LOTOR_RUN_DELTA];
    const lotor_value *scale = &plan->values[LOTOR_RUN_NOISE_SCALE];
    if (beta->given && !(beta->number > 0.0 && beta->number < 1.0)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "--beta %s: a probability of failure lies between 0 and 1",
                          lotor_quote_text(beta->text).text);
    }
    if (delta->given && !(lotor_ratio_double(delta->ratio) < 1.0)) {
        return lotor_fail(LOTOR_INVALID, why, "--delta %s: it must be below 1",
                          lotor_quote_text(delta->text).text);
    }
    for (size_t i = 0; i < plan->count && delta->given && delta->ratio.num == 0; i++) {
        if (lotor_run_uses(plan->algorithms[i], LOTOR_RUN_DELTA)) {
            return lotor_fail(LOTOR_INVALID, why,
                              "--delta %s: the noise of %s needs one above 0, such as 1e-5; leave "
                              "it out for its paper's",
                              lotor_quote_text(delta->text).text, plan->algorithms[i]->id);
        }
    }
    if (!(scale->number > 0.0)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "--noise-scale %s: it must be above 0 (--epsilon inf adds no noise)",
                          lotor_quote_text(scale->text).text);
    }
    if (plan->values[LOTOR_RUN_JSON].given && plan->values[LOTOR_RUN_CSV].given) {
        return lotor_fail(LOTOR_INVALID, why, "--json and --csv are both given: keep one");
    }
    return LOTOR_OK;
}

/* What --problem names; LOTOR_PROBLEM_ANY: nothing. */
static lotor_problem asked_problem(const lotor_run_plan *plan)
{
    const lotor_value *asked = &plan->values[LOTOR_RUN_PROBLEM];
    lotor_problem problem = LOTOR_PROBLEM_FINITE;
    while (asked->given && problem < LOTOR_PROBLEM_ANY &&
           strcmp(lotor_problem_name(problem), asked->text) != 0) {
        problem++;
    }
    return asked->given ? problem : LOTOR_PROBLEM_ANY;
}

/* Of an algorithm that plays any problem: is it to hear clicks? */
static bool asks_for_clicks(const lotor_run_plan *plan)
{
    const lotor_value *feedback = &plan->values[LOTOR_RUN_FEEDBACK];
    return asked_problem(plan) == LOTOR_PROBLEM_CASCADE ||
           (feedback->given && strcmp(feedback->text, "cascade") == 0);
}

lotor_policy_params lotor_run_params(const lotor_run_plan *plan, const lotor_algorithm *algorithm)
{
    lotor_policy_params params = plan->params;
    params.algorithm = algorithm->id;
    params.horizon = plan->values[LOTOR_RUN_HORIZON].whole;
    if (lotor_run_uses(algorithm, LOTOR_RUN_EPSILON)) {
        params.epsilon = plan->values[LOTOR_RUN_EPSILON].ratio;
    }
    if (lotor_run_uses(algorithm, LOTOR_RUN_DELTA)) {
        params.delta = plan->values[LOTOR_RUN_DELTA].ratio;
    }
    if (lotor_run_uses(algorithm, LOTOR_RUN_BETA)) {
        params.beta = plan->values[LOTOR_RUN_BETA].number; /* 0 when not given: 1/T */
    }
    if (lotor_run_uses(algorithm, LOTOR_RUN_CLIP)) {
        params.clip = plan->values[LOTOR_RUN_CLIP].given;
    }
    params.cascade = algorithm->problem == LOTOR_PROBLEM_CASCADE ||
                     (algorithm->problem == LOTOR_PROBLEM_ANY && asks_for_clicks(plan));
    return params;
}

/* Why a policy can't be made, with the noise that it will have; NULL: it can. */
static const char *refusal_of(const lotor_policy_params *params, lotor_message *why)
{
    lotor_simulation unused;
    lotor_simulation_seed(&unused, 0);
    lotor_policy *policy;
    if (lotor_policy_new_simulated(params, 1.0, &unused, 0, why, &policy) != LOTOR_OK) {
        return why->text;
    }
    lotor_policy_free(policy);
    return NULL;
}

/* Whether --problem is one that the algorithm plays, and fits what is shown together. */
static lotor_status check_asked(const lotor_run_plan *plan, const lotor_algorithm *algorithm,
                                lotor_message *why)
{
    const lotor_problem asked = asked_problem(plan);
    const char *name = lotor_problem_name(asked);
    if (asked == LOTOR_PROBLEM_ANY) {
        return LOTOR_OK;
    }
    if (!lotor_algorithm_plays(algorithm, asked)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "--problem %s: %s plays %s problems alone (lotor algorithms lists what "
                          "each plays)",
                          name, algorithm->id, lotor_problem_name(algorithm->problem));
    }
    if (algorithm->problem == LOTOR_PROBLEM_ANY && asked != LOTOR_PROBLEM_CASCADE &&
        asks_for_clicks(plan)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "--problem %s and --feedback cascade contradict each other: keep one",
                          name);
    }
    const lotor_policy_params *params = &plan->params;
    const bool top = params->structure == LOTOR_STRUCTURE_TOP;
    if ((asked == LOTOR_PROBLEM_FINITE && !(top && params->slots == 1)) ||
        (asked == LOTOR_PROBLEM_MATROID && params->structure > LOTOR_STRUCTURE_CUSTOM)) {
        return lotor_fail(
            LOTOR_INVALID, why, "--problem %s, but %s: use --problem semi-bandit, or %s", name,
            asked == LOTOR_PROBLEM_FINITE ? "several arms are shown together"
                                          : "the oracle is no matroid's",
            asked == LOTOR_PROBLEM_FINITE ? "--oracle top --slots 1" : "another --oracle");
    }
    return LOTOR_OK;
}

/* Whether the algorithm's kind of problem is what the world is about. */
static lotor_status check_problem(const lotor_run_plan *plan, const lotor_algorithm *algorithm,
                                  lotor_message *why)
{
    const lotor_quoted place = lotor_quote_text(plan->place);
    const lotor_policy_params params = lotor_run_params(plan, algorithm);
    const bool is_list = lotor_policy_hears_clicks(&params);
    const lotor_status asked = check_asked(plan, algorithm, why);
    if (asked != LOTOR_OK) {
        return asked;
    }
    if (algorithm->problem == LOTOR_PROBLEM_FINITE && plan->own_structure) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%s shows one arm a round, but %s is about sets of arms: use %s, or "
                          "--oracle top for its best arm alone",
                          algorithm->id, place.text,
                          plan->params.from ? "cucb or cucb-dp" : "batch-klucb or dpucb-mat");
    }
    if (is_list && plan->params.structure != LOTOR_STRUCTURE_TOP) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%s shows a list of any K items, but %s is about sets of arms: use "
                          "--oracle top --slots K, or a cucb algorithm",
                          algorithm->id,
                          plan->own_structure
                              ? place.text
                              : lotor_quote_text(plan->values[LOTOR_RUN_ORACLE].text).text);
    }
    if (is_list && !plan->world->is_binary) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%s hears clicks, and takes them to be independent, but rewards here are "
                          "%s: %s",
                          algorithm->id, plan->world->id,
                          lotor_scenery_is_recorded(plan->instance)
                              ? "use --means or another --instance"
                              : "leave --rewards at bernoulli");
    }
    return LOTOR_OK;
}

/* What the library itself refuses, before anything is played. */
static lotor_status check_policies(const lotor_run_plan *plan, lotor_message *why)
{
    for (size_t i = 0; i < plan->count; i++) {
        const lotor_algorithm *algorithm = plan->algorithms[i];
        const lotor_status fits = check_problem(plan, algorithm, why);
        if (fits != LOTOR_OK) {
            return fits;
        }
        const lotor_policy_params params = lotor_run_params(plan, algorithm);
        lotor_message reason;
        const char *wrong = refusal_of(&params, &reason);
        if (wrong) {
            const bool named = strstr(wrong, algorithm->id) != NULL;
            return lotor_fail(LOTOR_INVALID, why, "%s%s%.280s", named ? "" : algorithm->id,
                              named ? "" : ": ", wrong);
        }
    }
    return LOTOR_OK;
}

lotor_status lotor_run_plan_make(const lotor_arguments *arguments, lotor_message *why,
                                 lotor_run_plan *out)
{
    *out = (lotor_run_plan){.values = arguments->values};
    lotor_status status = find_algorithms(arguments, why, out);
    if (status == LOTOR_OK) {
        status = make_world(out, why);
    }
    if (status == LOTOR_OK && !out->is_linear) {
        status = lotor_run_oracle(out, why);
    }
    if (status == LOTOR_OK) {
        status = check_amounts(out, why);
    }
    if (status == LOTOR_OK) {
        status = check_shares(out, why);
    }
    return status == LOTOR_OK ? check_policies(out, why) : status;
}

void lotor_run_plan_clear(lotor_run_plan *plan)
{
    if (plan->world != plan->instance) {
        lotor_world_free(plan->world);
    }
    lotor_world_free(plan->instance);
    free(plan->arrays);
    *plan = (lotor_run_plan){0};
}
