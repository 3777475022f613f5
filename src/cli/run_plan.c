/* run_plan.c - from the command line to a plan: names first, then the world, then the numbers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/quote.h"
#include "cli/run.h"
#include "cli/suggest.h"

/* Rounds are counted in doubles here and there: up to 2^53 they are exact. */
#define MOST_ROUNDS (UINT64_C(1) << 53)
enum { MOST_RUNS = 1000000, MOST_THREADS = 256, MOST_CHECKPOINTS = 100000, MOST_NOTED = 50000000 };

/* Of Beta rewards: a + b. */
static const double concentration = 4.0;

static lotor_status unknown_algorithm(const char *name, size_t length, lotor_message *why)
{
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)(length < 63 ? length : 63), name);
    lotor_suggestion suggestion;
    lotor_suggest_start(&suggestion, word);
    for (size_t i = 0; i < lotor_catalog_size; i++) {
        lotor_suggest_offer(&suggestion, lotor_catalog[i].id);
    }
    const char *nearest = suggestion.nearest;
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

bool lotor_run_is_recorded(const lotor_run_plan *plan)
{
    const char *id = plan->instance->id;
    return strcmp(id, "replay") == 0 || strcmp(id, "movielens") == 0;
}

/* The same means with other rewards, where rewards are ours to choose. */
static lotor_status change_rewards(lotor_run_plan *plan, lotor_message *why)
{
    const char *rewards = plan->values[LOTOR_RUN_REWARDS].text;
    const lotor_world *from = plan->instance;
    plan->world = plan->instance;
    if (lotor_run_is_recorded(plan) || strcmp(rewards, "bernoulli") == 0) {
        return LOTOR_OK; /* see the notes */
    }
    plan->world = NULL;
    return strcmp(rewards, "beta") == 0
               ? lotor_world_beta(from->arms, from->means, concentration, why, &plan->world)
               : lotor_world_uniform(from->arms, from->means, why, &plan->world);
}

static lotor_status make_world(lotor_run_plan *plan, lotor_message *why)
{
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
                          "(or c2, c3, c4, table-6.1, movielens:DIR), or --replay FILE");
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
    lotor_status status = check_whole(plan, LOTOR_RUN_HORIZON, "horizon", 1, MOST_ROUNDS, why);
    if (status == LOTOR_OK) {
        status = check_whole(plan, LOTOR_RUN_RUNS, "runs", 1, MOST_RUNS, why);
    }
    if (status == LOTOR_OK && plan->values[LOTOR_RUN_THREADS].given) {
        status = check_whole(plan, LOTOR_RUN_THREADS, "threads", 1, MOST_THREADS, why);
    }
    if (status == LOTOR_OK) {
        status = check_whole(plan, LOTOR_RUN_CHECKPOINTS, "checkpoints", 1, MOST_CHECKPOINTS, why);
    }
    const uint64_t noted =
        plan->values[LOTOR_RUN_RUNS].whole * plan->values[LOTOR_RUN_CHECKPOINTS].whole;
    if (status == LOTOR_OK && noted > MOST_NOTED) {
        return lotor_fail(LOTOR_INVALID, why,
                          "--runs x --checkpoints is %llu, and at most %d numbers are kept: ask "
                          "for fewer of either",
                          (unsigned long long)noted, (int)MOST_NOTED);
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
    return params;
}

/* What the library itself refuses, before anything is played. */
static lotor_status check_policies(const lotor_run_plan *plan, lotor_message *why)
{
    for (size_t i = 0; i < plan->count; i++) {
        const lotor_algorithm *algorithm = plan->algorithms[i];
        if (algorithm->problem == LOTOR_PROBLEM_FINITE && plan->own_structure) {
            return lotor_fail(LOTOR_INVALID, why,
                              "%s shows one arm a round, but %s is about sets of arms: use "
                              "dpucb-mat or dpts-mat, or --oracle top for its best arm alone",
                              algorithm->id, lotor_quote_text(plan->place).text);
        }
        const lotor_policy_params params = lotor_run_params(plan, algorithm);
        lotor_message reason;
        const char *wrong = lotor_policy_check(&params, &reason);
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
    if (status == LOTOR_OK) {
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
