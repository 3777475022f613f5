/* run_plan.c - from the command line to a plan: names first, then the world, then the numbers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/quote.h"
#include "cli/run.h"

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

/* A linear world for linear algorithms, and for no others. */
static lotor_status check_kind(const lotor_run_plan *plan, lotor_message *why)
{
    static const size_t others[] = {LOTOR_RUN_MEANS, LOTOR_RUN_INSTANCE, LOTOR_RUN_REPLAY};
    static const char *const names[] = {"--means", "--instance", "--replay"};
    const bool linear = plan->algorithms[0]->linear != NULL;
    for (size_t i = 1; i < plan->count; i++) {
        const lotor_algorithm *algorithm = plan->algorithms[i];
        if ((algorithm->linear != NULL) != linear) {
            return lotor_fail(
                LOTOR_INVALID, why,
                "%s and %s can't be compared: one chooses among arms, the other among "
                "the actions that each round brings",
                plan->algorithms[0]->id, algorithm->id);
        }
    }
    size_t chosen = 3;
    for (size_t i = 0; i < 3; i++) {
        if (!plan->values[others[i]].given) {
            continue;
        }
        if (linear) {
            return lotor_fail(LOTOR_INVALID, why,
                              "%s plays in a linear world, which has no %s: give --dimension D, "
                              "with --gap G for the authors' arms",
                              plan->algorithms[0]->id, names[i]);
        }
        if (chosen < 3) {
            return lotor_fail(LOTOR_INVALID, why, "%s and %s are both given: keep one",
                              names[chosen], names[i]);
        }
        chosen = i;
    }
    if (chosen == 3 && !linear) {
        return lotor_fail(LOTOR_INVALID, why,
                          "what is it to learn? Give --means such as 0.5,0.6,0.7, --instance c1 "
                          "(or c2, c3, c4, table-6.1, movielens:DIR, grid:5x5, graph:FILE, "
                          "coverage:FILE), or --replay FILE");
    }
    return LOTOR_OK;
}

static lotor_status check_arms(const lotor_run_plan *plan, lotor_message *why)
{
    const lotor_value *arms = &plan->values[LOTOR_RUN_ARMS];
    const lotor_value *means = &plan->values[LOTOR_RUN_MEANS];
    if (arms->given && means->given && arms->whole != means->list.count) {
        return lotor_fail(LOTOR_INVALID, why, "--means has %zu numbers, but --arms is %s",
                          means->list.count, lotor_quote_text(arms->text).text);
    }
    if (arms->given && (arms->whole == 0 || arms->whole > SIZE_MAX)) {
        return lotor_fail(LOTOR_INVALID, why, "--arms: there must be at least one");
    }
    return LOTOR_OK;
}

/* The options that say what is played in, but for the oracle; the library's defaults where they are left
 * out. */
static lotor_status ask(lotor_run_plan *plan, lotor_message *why, lotor_simulate_params *out)
{
    const lotor_value *values = plan->values;
    const bool linear = plan->algorithms[0]->linear != NULL;
    *out = (lotor_simulate_params){
        .policy = {.algorithm = plan->algorithms[0]->id,
                   .arms = (size_t)values[LOTOR_RUN_ARMS].whole,
                   .dimension = linear ? (size_t)values[LOTOR_RUN_DIMENSION].whole : 0},
        .has_gap = linear && values[LOTOR_RUN_GAP].given,
        .gap = values[LOTOR_RUN_GAP].number,
    };
    if (values[LOTOR_RUN_MEANS].given) {
        out->means = values[LOTOR_RUN_MEANS].list.items;
        out->policy.arms = values[LOTOR_RUN_MEANS].list.count;
        snprintf(plan->place, sizeof plan->place, "given means");
    } else if (values[LOTOR_RUN_INSTANCE].given) {
        out->instance = values[LOTOR_RUN_INSTANCE].text;
        snprintf(plan->place, sizeof plan->place, "%.79s", out->instance);
    } else if (values[LOTOR_RUN_REPLAY].given) {
        const char *file = values[LOTOR_RUN_REPLAY].text;
        const size_t room = sizeof "replay:" + strlen(file);
        plan->replay = malloc(room);
        if (!plan->replay) {
            return lotor_fail(LOTOR_MEMORY, why, "no memory");
        }
        snprintf(plan->replay, room, "replay:%s", file);
        out->instance = plan->replay;
        snprintf(plan->place, sizeof plan->place, "replay of %.69s", file);
    }
    plan->is_recorded = lotor_problem_is_recorded(out->instance);
    if (!linear && !plan->is_recorded) { /* else see the notes */
        out->rewards = values[LOTOR_RUN_REWARDS].text;
    }
    lotor_problem_fill(out);
    if (values[LOTOR_RUN_DIMENSION].given && linear) { /* also 0, which is refused */
        out->policy.dimension = (size_t)values[LOTOR_RUN_DIMENSION].whole;
    }
    return LOTOR_OK;
}

/* Names the options that a world was made from, where the reason does not. */
static lotor_status refuse_world(const lotor_run_plan *plan, lotor_status status,
                                 const char *reason, lotor_message *why)
{
    if (plan->algorithms[0]->linear) {
        return lotor_fail(LOTOR_INVALID, why,
                          "no linear world has this --dimension, --arms and --gap: %.200s", reason);
    }
    return lotor_fail(status, why, "%s%.280s",
                      plan->values[LOTOR_RUN_MEANS].given ? "--means: " : "", reason);
}

static lotor_status make_problem(lotor_run_plan *plan, lotor_message *why)
{
    const lotor_value *values = plan->values;
    const lotor_value *gap = &values[LOTOR_RUN_GAP], *slots = &values[LOTOR_RUN_SLOTS];
    lotor_simulate_params asked;
    lotor_message reason;
    lotor_status status = ask(plan, why, &asked);
    if (status != LOTOR_OK) {
        return status;
    }
    status = lotor_problem_make_world(&asked, &reason, &plan->problem);
    if (status != LOTOR_OK) {
        return refuse_world(plan, status, reason.text, why);
    }
    if (plan->problem.is_linear) {
        snprintf(plan->place, sizeof plan->place, "linear world, %zu dimensions%s%.24s",
                 asked.policy.dimension, gap->given ? ", gap " : "", gap->given ? gap->text : "");
        return LOTOR_OK;
    }
    return lotor_problem_read_oracle(&plan->problem, values[LOTOR_RUN_ORACLE].text,
                                     slots->given ? &slots->whole : NULL, why);
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
        status = check_whole(plan, LOTOR_RUN_THREADS, "threads", 1, LOTOR_TRIAL_THREADS, why);
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
    const lotor_value *values = plan->values;
    lotor_policy_params params =
        lotor_problem_policy(&plan->problem, algorithm, values[LOTOR_RUN_HORIZON].whole,
                             values[LOTOR_RUN_EPSILON].ratio, values[LOTOR_RUN_DELTA].ratio);
    if (lotor_run_uses(algorithm, LOTOR_RUN_BETA)) {
        params.beta = values[LOTOR_RUN_BETA].number; /* 0 when not given: 1/T */
    }
    if (lotor_run_uses(algorithm, LOTOR_RUN_CLIP)) {
        params.clip = values[LOTOR_RUN_CLIP].given;
    }
    params.cascade = algorithm->problem == LOTOR_PROBLEM_CASCADE ||
                     (algorithm->problem == LOTOR_PROBLEM_ANY && asks_for_clicks(plan));
    return params;
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
    const lotor_policy_params *params = &plan->problem.policy;
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
                                  const lotor_policy_params *params, lotor_message *why)
{
    const lotor_problem_setup *problem = &plan->problem;
    const lotor_quoted place = lotor_quote_text(plan->place);
    const lotor_status asked = check_asked(plan, algorithm, why);
    if (asked != LOTOR_OK) {
        return asked;
    }
    switch (lotor_problem_misfit_of(problem, params)) {
    case LOTOR_MISFIT_ONE_ARM:
        return lotor_fail(LOTOR_INVALID, why,
                          "%s shows one arm a round, but %s is about sets of arms: use %s, or "
                          "--oracle top for its best arm alone",
                          algorithm->id, place.text,
                          params->from ? "cucb or cucb-dp" : "batch-klucb or dpucb-mat");
    case LOTOR_MISFIT_LIST:
        return lotor_fail(LOTOR_INVALID, why,
                          "%s shows a list of any K items, but %s is about sets of arms: use "
                          "--oracle top --slots K, or a cucb algorithm",
                          algorithm->id,
                          problem->has_own_structure
                              ? place.text
                              : lotor_quote_text(plan->values[LOTOR_RUN_ORACLE].text).text);
    case LOTOR_MISFIT_CLICKS:
        return lotor_fail(LOTOR_INVALID, why,
                          "%s hears clicks, and takes them to be independent, but rewards here are "
                          "%s: %s",
                          algorithm->id, problem->world->id,
                          plan->is_recorded ? "use --means or another --instance"
                                            : "leave --rewards at bernoulli");
    case LOTOR_MISFIT_NONE:
        break;
    }
    return LOTOR_OK;
}

/* What the library itself refuses, before anything is played. */
static lotor_status check_policies(const lotor_run_plan *plan, lotor_message *why)
{
    for (size_t i = 0; i < plan->count; i++) {
        const lotor_algorithm *algorithm = plan->algorithms[i];
        const lotor_policy_params params = lotor_run_params(plan, algorithm);
        const lotor_status fits = check_problem(plan, algorithm, &params, why);
        if (fits != LOTOR_OK) {
            return fits;
        }
        lotor_message reason;
        if (lotor_problem_check_policy(&params, &reason) != LOTOR_OK) {
            const bool named = strstr(reason.text, algorithm->id) != NULL;
            return lotor_fail(LOTOR_INVALID, why, "%s%s%.280s", named ? "" : algorithm->id,
                              named ? "" : ": ", reason.text);
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
        status = check_kind(out, why);
    }
    if (status == LOTOR_OK) {
        status = check_arms(out, why);
    }
    if (status == LOTOR_OK) {
        status = make_problem(out, why);
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
    lotor_problem_clear(&plan->problem);
    free(plan->replay);
    *plan = (lotor_run_plan){0};
}
