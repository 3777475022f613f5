/* run_plan.c - makes a plan from the command line: first the algorithms, then the world, then the
 * numbers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/quote.h"
#include "cli/run.h"

/* Finds an algorithm. Its id is the first `length` bytes of the text. */
static lotor_status find_algorithm(const char *id, size_t length, lotor_message *why,
                                   lotor_algorithm_info *out)
{
    char word[256];
    lotor_message reason;
    snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word), id);
    if (lotor_algorithm_find(word, &reason, out) == LOTOR_OK) {
        return LOTOR_OK;
    }
    return lotor_fail(LOTOR_INVALID, why, "%.280s (all: lotor algorithms)", reason.text);
}

static lotor_status find_algorithms(const lotor_arguments *arguments, lotor_message *why,
                                    lotor_run_plan *plan)
{
    if (arguments->word_count == 0) {
        return lotor_fail(LOTOR_INVALID, why,
                          "no algorithm is given: give one such as dp-se, or dp-se,dp-ucb to "
                          "compare two; lotor algorithms lists them");
    }
    for (const char *at = arguments->words[0];;) {
        const size_t length = strcspn(at, ",");
        lotor_algorithm_info found;
        const lotor_status status = find_algorithm(at, length, why, &found);
        if (status != LOTOR_OK) {
            return status;
        }
        if (plan->count == LOTOR_RUN_MAX) {
            return lotor_fail(LOTOR_INVALID, why, "expected at most %d algorithms",
                              (int)LOTOR_RUN_MAX);
        }
        plan->algorithms[plan->count++] = found;
        if (at[length] == '\0') {
            return LOTOR_OK;
        }
        at += length + 1;
    }
}

/* --- the world ---------------------------------------------------------------------------------- */

static bool is_linear(const lotor_algorithm_info *algorithm)
{
    return strcmp(algorithm->problem, "linear") == 0;
}

/* Checks that linear algorithms, and only they, get a linear world. */
static lotor_status check_kind(const lotor_run_plan *plan, lotor_message *why)
{
    static const size_t others[] = {LOTOR_RUN_MEANS, LOTOR_RUN_INSTANCE, LOTOR_RUN_REPLAY};
    static const char *const names[] = {"--means", "--instance", "--replay"};
    const bool linear = is_linear(&plan->algorithms[0]);
    for (size_t i = 1; i < plan->count; i++) {
        const lotor_algorithm_info *algorithm = &plan->algorithms[i];
        if (is_linear(algorithm) != linear) {
            return lotor_fail(LOTOR_INVALID, why,
                              "%s and %s can't be compared: one chooses among arms, the other "
                              "among the actions of each round",
                              plan->algorithms[0].id, algorithm->id);
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
                              plan->algorithms[0].id, names[i]);
        }
        if (chosen < 3) {
            return lotor_fail(LOTOR_INVALID, why, "%s and %s are both given: keep one",
                              names[chosen], names[i]);
        }
        chosen = i;
    }
    if (plan->values[LOTOR_RUN_UNBIASED].given && !plan->values[LOTOR_RUN_REPLAY].given) {
        return lotor_fail(LOTOR_INVALID, why, "--unbiased goes through a log: give --replay FILE");
    }
    if (chosen == 3 && !linear && plan->values[LOTOR_RUN_DIMENSION].given) {
        return lotor_fail(LOTOR_INVALID, why,
                          "--dimension is for a linear world, where %s can't play: give --means or "
                          "--instance, or take an algorithm for linear problems, such as jdp-batch",
                          plan->algorithms[0].id);
    }
    if (chosen == 3 && !linear) {
        return lotor_fail(LOTOR_INVALID, why,
                          "no world is given: give --means such as 0.5,0.6,0.7, --instance c1 (or "
                          "c2, c3, c4, c2-printed, c4-printed, table-6.1, movielens:DIR, grid:5x5, "
                          "graph:FILE, coverage:FILE), or --replay FILE");
    }
    return LOTOR_OK;
}

static lotor_status check_arms(const lotor_run_plan *plan, lotor_message *why)
{
    const lotor_option_value *arms = &plan->values[LOTOR_RUN_ARMS];
    const lotor_option_value *means = &plan->values[LOTOR_RUN_MEANS];
    const lotor_option_value *slots = &plan->values[LOTOR_RUN_SLOTS];
    const lotor_option_value *dimension = &plan->values[LOTOR_RUN_DIMENSION];
    if (arms->given && means->given && arms->whole != means->list.count) {
        return lotor_fail(LOTOR_INVALID, why,
                          "the length of --means is %zu, but --arms is %s: give the same number",
                          means->list.count, lotor_quote_text(arms->text).text);
    }
    if (arms->given && (arms->whole == 0 || arms->whole > SIZE_MAX)) {
        return lotor_fail(LOTOR_INVALID, why, "--arms 0: expected at least 1");
    }
    const bool linear = is_linear(&plan->algorithms[0]);
    if (!linear && slots->given && slots->whole == 0) { /* 0 means "not given" in the library */
        return lotor_fail(LOTOR_INVALID, why, "--slots \"0\": expected at least 1");
    }
    if (linear && dimension->given && dimension->whole == 0) {
        return lotor_fail(LOTOR_INVALID, why, "--dimension \"0\": expected at least 1");
    }
    return LOTOR_OK;
}

/* Reads the options that describe the world, except the oracle. Options that are not given keep the
 * library's defaults. */
static lotor_status ask(lotor_run_plan *plan, lotor_message *why, lotor_simulate_params *out)
{
    const lotor_option_value *values = plan->values;
    const bool linear = is_linear(&plan->algorithms[0]);
    *out = (lotor_simulate_params){
        .policy = {.algorithm = plan->algorithms[0].id,
                   .arms = (size_t)values[LOTOR_RUN_ARMS].whole,
                   .dimension = linear ? (size_t)values[LOTOR_RUN_DIMENSION].whole : 0},
        .has_gap = linear && values[LOTOR_RUN_GAP].given,
        .gap = values[LOTOR_RUN_GAP].number,
    };
    if (values[LOTOR_RUN_WORLD].given) {
        out->world = values[LOTOR_RUN_WORLD].text;
    }
    if (values[LOTOR_RUN_SCHEDULE].given) {
        out->schedule = values[LOTOR_RUN_SCHEDULE].text;
    }
    if (values[LOTOR_RUN_MEANS].given) {
        out->means = values[LOTOR_RUN_MEANS].list.items;
        out->policy.arms = values[LOTOR_RUN_MEANS].list.count;
        snprintf(plan->place, sizeof plan->place, "given means");
    } else if (values[LOTOR_RUN_INSTANCE].given) {
        out->instance = values[LOTOR_RUN_INSTANCE].text;
        snprintf(plan->place, sizeof plan->place, "%.79s", out->instance);
    } else if (values[LOTOR_RUN_REPLAY].given) {
        const char *file = values[LOTOR_RUN_REPLAY].text;
        const bool unbiased = values[LOTOR_RUN_UNBIASED].given;
        const size_t room = sizeof "unbiased-replay:" + strlen(file);
        plan->replay = malloc(room);
        if (!plan->replay) {
            return lotor_fail(LOTOR_MEMORY, why, "no memory");
        }
        snprintf(plan->replay, room, "%sreplay:%s", unbiased ? "unbiased-" : "", file);
        out->instance = plan->replay;
        snprintf(plan->place, sizeof plan->place, "%sreplay of %.60s", unbiased ? "unbiased " : "",
                 file);
    }
    plan->is_recorded = lotor_simulate_is_recorded(out->instance);
    if (!linear && !plan->is_recorded) { /* otherwise the option is ignored: see run_notes.c */
        out->rewards = values[LOTOR_RUN_REWARDS].text;
    }
    return LOTOR_OK;
}

/* True if a message of the library starts with the name of an option. */
static bool names_option(const char *reason)
{
    static const char *const names[] = {"checkpoints ", "delay ",   "expiry ", "missing ",
                                        "rewards ",     "schedule", "world "};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strncmp(reason, names[i], strlen(names[i])) == 0) {
            return true;
        }
    }
    return false;
}

/* Adds the names of the options that describe the world, if the reason does not name them. */
static lotor_status refuse_world(const lotor_run_plan *plan, lotor_status status,
                                 const char *reason, lotor_message *why)
{
    if (names_option(reason)) {
        return lotor_fail(status, why, "--%.280s", reason);
    }
    if (is_linear(&plan->algorithms[0])) {
        return lotor_fail(LOTOR_INVALID, why,
                          "no linear world has this --dimension, --arms and --gap: %.200s", reason);
    }
    return lotor_fail(status, why, "%s%.280s",
                      plan->values[LOTOR_RUN_MEANS].given ? "--means: " : "", reason);
}

/* Sets which arms may be shown together, from --oracle and --slots. */
static lotor_status set_structure(lotor_run_plan *plan, lotor_message *why)
{
    lotor_message reason;
    const lotor_status status =
        lotor_simulate_problem_structure(plan->problem, plan->values[LOTOR_RUN_ORACLE].text,
                                         (size_t)plan->values[LOTOR_RUN_SLOTS].whole, &reason);
    switch (status) {
    case LOTOR_OK:
        return LOTOR_OK;
    case LOTOR_RANGE: /* the reason starts with "slots" */
        return lotor_fail(LOTOR_INVALID, why, "--%.300s", reason.text);
    case LOTOR_INVALID: /* the reason starts with the text of --oracle */
        return lotor_fail(LOTOR_INVALID, why, "--oracle %.300s", reason.text);
    default:
        return lotor_fail(status, why, "%.300s", reason.text);
    }
}

static lotor_status make_problem(lotor_run_plan *plan, lotor_message *why)
{
    const lotor_option_value *gap = &plan->values[LOTOR_RUN_GAP];
    lotor_simulate_params asked;
    lotor_message reason;
    lotor_status status = ask(plan, why, &asked);
    if (status != LOTOR_OK) {
        return status;
    }
    status = lotor_simulate_problem_new(&asked, &reason, &plan->problem);
    if (status != LOTOR_OK) {
        return refuse_world(plan, status, reason.text, why);
    }
    if (!is_linear(&plan->algorithms[0])) {
        status = set_structure(plan, why);
    }
    lotor_simulate_problem_describe(plan->problem, &plan->facts);
    if (plan->facts.is_linear) {
        snprintf(plan->place, sizeof plan->place, "linear world, %zu dimensions%s%.24s",
                 plan->facts.dimension, gap->given ? ", gap " : "", gap->given ? gap->text : "");
    }
    return status;
}

/* --- the numbers -------------------------------------------------------------------------------- */

static lotor_status check_whole(const lotor_run_plan *plan, size_t option, const char *name,
                                uint64_t least, uint64_t most, lotor_message *why)
{
    const lotor_option_value *value = &plan->values[option];
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
                          "--horizon T is missing: give the number of rounds, such as 1e5");
    }
    lotor_status status =
        check_whole(plan, LOTOR_RUN_HORIZON, "horizon", 1, LOTOR_SIMULATE_ROUNDS_MAX, why);
    if (status == LOTOR_OK) {
        status = check_whole(plan, LOTOR_RUN_RUNS, "runs", 1, LOTOR_SIMULATE_RUNS_MAX, why);
    }
    if (status == LOTOR_OK && plan->values[LOTOR_RUN_THREADS].given) {
        status =
            check_whole(plan, LOTOR_RUN_THREADS, "threads", 1, LOTOR_SIMULATE_THREADS_MAX, why);
    }
    return status;
}

/* Refuses 0 where the library would take it for a value that was left out. */
static lotor_status check_zeros(const lotor_run_plan *plan, lotor_message *why)
{
    static const struct {
        size_t option;
        const char *name;
    } options[] = {{LOTOR_RUN_CAUTION, "caution"},
                   {LOTOR_RUN_LAG, "lag"},
                   {LOTOR_RUN_WINDOW, "window"},
                   {LOTOR_RUN_HALF_LIFE, "half-life"},
                   {LOTOR_RUN_VARIANCE, "variance"}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const lotor_option_value *value = &plan->values[options[i].option];
        if (value->given && value->number == 0.0 && value->whole == 0) {
            return lotor_fail(LOTOR_INVALID, why, "--%s %s: it must be above 0, or left out",
                              options[i].name, lotor_quote_text(value->text).text);
        }
    }
    return LOTOR_OK;
}

static lotor_status check_shares(const lotor_run_plan *plan, lotor_message *why)
{
    const lotor_option_value *beta = &plan->values[LOTOR_RUN_BETA];
    const lotor_option_value *delta = &plan->values[LOTOR_RUN_DELTA];
    const lotor_option_value *scale = &plan->values[LOTOR_RUN_NOISE_SCALE];
    if (beta->given && !(beta->number > 0.0 && beta->number < 1.0)) {
        return lotor_fail(LOTOR_INVALID, why, "--beta %s: expected a probability between 0 and 1",
                          lotor_quote_text(beta->text).text);
    }
    if (delta->given && !(lotor_ratio_to_double(delta->ratio) < 1.0)) {
        return lotor_fail(LOTOR_INVALID, why, "--delta %s: it must be below 1",
                          lotor_quote_text(delta->text).text);
    }
    for (size_t i = 0; i < plan->count && delta->given && delta->ratio.num == 0; i++) {
        if (lotor_run_uses(&plan->algorithms[i], LOTOR_RUN_DELTA)) {
            return lotor_fail(LOTOR_INVALID, why,
                              "--delta %s: the noise of %s needs a delta above 0, such as 1e-5; "
                              "leave it out to use the delta of the paper",
                              lotor_quote_text(delta->text).text, plan->algorithms[i].id);
        }
    }
    if (!(scale->number > 0.0)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "--noise-scale %s: it must be above 0 (--epsilon inf adds no noise)",
                          lotor_quote_text(scale->text).text);
    }
    if (plan->values[LOTOR_RUN_PLOT].given && lotor_run_is_unbiased(plan)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "--plot draws regret, which an unbiased replay does not know: leave it "
                          "out");
    }
    if (plan->values[LOTOR_RUN_JSON].given && plan->values[LOTOR_RUN_CSV].given) {
        return lotor_fail(LOTOR_INVALID, why, "--json and --csv are both given: keep one");
    }
    if (plan->values[LOTOR_RUN_CURVES].given && !plan->values[LOTOR_RUN_JSON].given &&
        !plan->values[LOTOR_RUN_CSV].given) {
        return lotor_fail(LOTOR_INVALID, why, "--curves needs --json or --csv");
    }
    return LOTOR_OK;
}

/* The value of --problem; NULL if it is not given. */
static const char *asked_problem(const lotor_run_plan *plan)
{
    const lotor_option_value *asked = &plan->values[LOTOR_RUN_PROBLEM];
    return asked->given ? asked->text : NULL;
}

static bool is_named(const char *problem, const char *name)
{
    return problem && strcmp(problem, name) == 0;
}

/* For an algorithm that plays any problem: whether its feedback is clicks. */
static bool asks_for_clicks(const lotor_run_plan *plan)
{
    const lotor_option_value *feedback = &plan->values[LOTOR_RUN_FEEDBACK];
    return is_named(asked_problem(plan), "cascade") ||
           (feedback->given && strcmp(feedback->text, "cascade") == 0);
}

bool lotor_run_is_unbiased(const lotor_run_plan *plan)
{
    return is_named(plan->facts.rewards, "unbiased-replay");
}

lotor_simulate_params lotor_run_params(const lotor_run_plan *plan,
                                       const lotor_algorithm_info *algorithm)
{
    const lotor_option_value *values = plan->values;
    lotor_simulate_params params = {
        .policy = {.algorithm = algorithm->id, .horizon = values[LOTOR_RUN_HORIZON].whole},
        .runs = values[LOTOR_RUN_RUNS].whole,
        .seed = values[LOTOR_RUN_SEED].whole,
        .threads = (size_t)values[LOTOR_RUN_THREADS].whole,
        .checkpoints_at = values[LOTOR_RUN_CHECKPOINTS].text,
        .noise_scale = values[LOTOR_RUN_NOISE_SCALE].number,
        .exact_rounds = values[LOTOR_RUN_EXACT_ROUNDS].given,
        .delay = values[LOTOR_RUN_DELAY].given ? values[LOTOR_RUN_DELAY].text : NULL,
        .has_expiry = values[LOTOR_RUN_EXPIRY].given,
        .expiry = values[LOTOR_RUN_EXPIRY].whole,
        .missing = values[LOTOR_RUN_MISSING].number,
    };
    if (lotor_run_uses(algorithm, LOTOR_RUN_EPSILON)) {
        params.policy.epsilon = values[LOTOR_RUN_EPSILON].ratio;
    }
    if (lotor_run_uses(algorithm, LOTOR_RUN_DELTA)) {
        params.policy.delta = values[LOTOR_RUN_DELTA].ratio;
    }
    if (lotor_run_uses(algorithm, LOTOR_RUN_BETA)) {
        params.policy.beta = values[LOTOR_RUN_BETA].number; /* 0 when not given: 1/T */
    }
    if (lotor_run_uses(algorithm, LOTOR_RUN_CLIP)) {
        params.policy.clip = values[LOTOR_RUN_CLIP].given;
    }
    if (lotor_run_uses(algorithm, LOTOR_RUN_CAUTION)) {
        params.policy.caution = values[LOTOR_RUN_CAUTION].number;
        params.policy.lag = values[LOTOR_RUN_LAG].number;
        params.policy.half_life = values[LOTOR_RUN_HALF_LIFE].whole;
    }
    if (lotor_run_uses(algorithm, LOTOR_RUN_WINDOW)) {
        params.policy.window = values[LOTOR_RUN_WINDOW].whole;
        params.policy.alarm = values[LOTOR_RUN_ALARM].given;
        params.policy.variance = values[LOTOR_RUN_VARIANCE].number;
    }
    params.policy.cascade = is_named(algorithm->problem, "cascade") ||
                            (is_named(algorithm->problem, "any") && asks_for_clicks(plan));
    return params;
}

/* Checks that the algorithm plays the problem of --problem, and that the problem fits the
 * structure. */
static lotor_status check_asked(const lotor_run_plan *plan, const lotor_algorithm_info *algorithm,
                                lotor_message *why)
{
    const char *asked = asked_problem(plan);
    const bool plays_any = is_named(algorithm->problem, "any");
    if (!asked) {
        return LOTOR_OK;
    }
    if (!plays_any && !is_named(algorithm->problem, asked)) {
        return lotor_fail(
            LOTOR_INVALID, why,
            "--problem %s: %s plays only %s problems (lotor algorithms lists the problems)", asked,
            algorithm->id, algorithm->problem);
    }
    if (plays_any && !is_named(asked, "cascade") && asks_for_clicks(plan)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "--problem %s and --feedback cascade contradict each other: keep one",
                          asked);
    }
    const lotor_simulate_problem_facts *problem = &plan->facts;
    const bool finite = is_named(asked, "finite");
    const bool one_arm = problem->structure == LOTOR_STRUCTURE_TOP && problem->slots == 1;
    if ((finite && !one_arm) ||
        (is_named(asked, "matroid") && problem->structure > LOTOR_STRUCTURE_CUSTOM_MATROID)) {
        return lotor_fail(
            LOTOR_INVALID, why, "--problem %s, but %s: use --problem semi-bandit, or %s", asked,
            finite ? "several arms are shown together" : "the oracle is not a matroid",
            finite ? "--oracle top --slots 1" : "another --oracle");
    }
    return LOTOR_OK;
}

/* Explains why the algorithm can't play in this problem, in terms of the options. */
static lotor_status explain_misfit(const lotor_run_plan *plan, const char *algorithm,
                                   lotor_simulate_misfit misfit, lotor_message *why)
{
    const lotor_simulate_problem_facts *problem = &plan->facts;
    const lotor_quoted_text place = lotor_quote_text(plan->place);
    switch (misfit) {
    case LOTOR_SIMULATE_MISFIT_ONE_ARM:
        return lotor_fail(LOTOR_INVALID, why,
                          "%s shows one arm a round, but %s is about sets of arms: use %s, or "
                          "--oracle top for its best arm alone",
                          algorithm, place.text,
                          problem->from ? "cucb or cucb-dp" : "lik-imed or dpucb-mat");
    case LOTOR_SIMULATE_MISFIT_LIST:
        return lotor_fail(LOTOR_INVALID, why,
                          "%s shows a list of any K items, but %s is about sets of arms: use "
                          "--oracle top --slots K, or a cucb algorithm",
                          algorithm,
                          problem->has_usual_structure
                              ? place.text
                              : lotor_quote_text(plan->values[LOTOR_RUN_ORACLE].text).text);
    case LOTOR_SIMULATE_MISFIT_CLICKS:
        return lotor_fail(LOTOR_INVALID, why,
                          "%s learns from clicks, and assumes that they are independent, but "
                          "rewards here are %s: %s",
                          algorithm, problem->rewards,
                          plan->is_recorded ? "use --means or another --instance"
                                            : "leave --rewards at bernoulli");
    case LOTOR_SIMULATE_MISFIT_WORLD: /* check_kind refused it before */
    case LOTOR_SIMULATE_FITS:
        break;
    }
    return LOTOR_OK;
}

/* Checks everything that the library would refuse, before anything is played. */
static lotor_status check_policies(const lotor_run_plan *plan, lotor_message *why)
{
    for (size_t i = 0; i < plan->count; i++) {
        const lotor_algorithm_info *algorithm = &plan->algorithms[i];
        const lotor_simulate_params params = lotor_run_params(plan, algorithm);
        lotor_simulate_misfit misfit;
        lotor_message reason;
        lotor_status status = check_asked(plan, algorithm, why);
        if (status != LOTOR_OK) {
            return status;
        }
        status = lotor_simulate_problem_check(plan->problem, &params, &reason, &misfit);
        if (misfit != LOTOR_SIMULATE_FITS) {
            return explain_misfit(plan, algorithm->id, misfit, why);
        }
        if (status != LOTOR_OK && names_option(reason.text)) {
            return lotor_fail(LOTOR_INVALID, why, "--%.280s", reason.text);
        }
        if (status != LOTOR_OK) {
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
        status = check_zeros(out, why);
    }
    if (status == LOTOR_OK) {
        status = check_shares(out, why);
    }
    return status == LOTOR_OK ? check_policies(out, why) : status;
}

void lotor_run_plan_clear(lotor_run_plan *plan)
{
    lotor_simulate_problem_free(plan->problem);
    free(plan->replay);
    *plan = (lotor_run_plan){0};
}
