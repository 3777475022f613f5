/* test_public_allocation.c - every function of the public headers without memory.
 *
 * A function that allocates has a row below. It is called once for every allocation that it makes,
 * and that allocation fails: it returns LOTOR_MEMORY with a message, nothing is leaked, and the
 * same call again works on the same objects. A function that allocates nothing is called while
 * every allocation fails, and works. The rows are compared with the headers, so that none is
 * missing.
 *
 * (test_allocation.c and test_policy_allocation.c test the effect of a failure on the later outputs
 * of each mechanism and algorithm.) */
#include "support/stride.h"
#include "support/test.h"

#include <dirent.h>
#include <lotor/experimental/catalog.h>
#include <lotor/experimental/lab.h>
#include <lotor/lotor.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/failing_memory.h"

/* --- the objects that the functions are called with ------------------------------------------- */

enum { ARMS = 4, DIMENSION = 2, ROUNDS = 40 };

static const lotor_counter_params counter_params = {
    .mechanism = "hybrid", .epsilon = {1, 1}, .low = 0.0, .high = 1.0};
static const lotor_stopping_params stopping_params = {
    .rule = "dp-nas", .alpha = 0.5, .beta = 0.1, .epsilon = {5, 1}, .range = 1.0};

static const lotor_sampler_params sampler_params = {.law = "discrete-laplace", .size = {3, 1}};

static const uint32_t edges_from[ARMS] = {0, 0, 1, 2}, edges_to[ARMS] = {1, 2, 3, 3};

/* One policy for each learner and each way to record. */
static const lotor_policy_params policies[] = {
    {.algorithm = "dp-se", .arms = ARMS, .horizon = 1000, .epsilon = {1, 1}},
    {.algorithm = "batch-klucb", .arms = ARMS, .slots = 2, .epsilon = {1, 1}},
    {.algorithm = "rr-klucb", .arms = ARMS, .slots = 2, .cascade = true, .epsilon = {1, 1}},
    {.algorithm = "cucb-dp",
     .arms = ARMS,
     .horizon = 1000,
     .epsilon = {1, 1},
     .structure = LOTOR_STRUCTURE_PATH,
     .from = edges_from,
     .to = edges_to,
     .vertices = 4,
     .sink = 3},
    {.algorithm = "jdp-batch",
     .arms = ARMS,
     .horizon = 1000,
     .dimension = DIMENSION,
     .epsilon = {1, 1}},
    {.algorithm = "own", .arms = ARMS, .slots = 2, .epsilon = {1, 1}},
    {.algorithm = "lik-imed",
     .arms = ARMS,
     .slots = 2,
     .epsilon = {1, 1},
     .half_life = 600,
     .half_life_in_seconds = true},
};
enum { POLICIES = sizeof policies / sizeof *policies };

static const double actions[ARMS * DIMENSION] = {1.0, 0.0, 0.0, 1.0, 0.5, 0.5, 0.25, 0.25};

static bool own_index(void *context, uint64_t t, const lotor_recipe_board *board, double *indices)
{
    (void)context;
    for (size_t i = 0; i < board->arms; i++) {
        indices[i] = board->sums[i] + (double)t;
    }
    return true;
}

static const lotor_recipe own_recipe = {.id = "own", .statistic = "growing", .index = own_index};

/* Made again for every call; `policy` and its bytes are made from params. */
static struct things {
    lotor_catalog *catalog;    /* with own_recipe */
    lotor_policy_params given; /* what `params` points to */
    const lotor_policy_params *params;
    lotor_counter *counter;
    lotor_stopping *stopping;
    lotor_policy *policy;
    uint64_t event; /* of a round that is open */
    lotor_guarantee guarantee;
    unsigned char *counter_bytes, *policy_bytes, *seeded_bytes;
    size_t counter_length, policy_length, seeded_length;
    lotor_simulate_result *simulated;
    lotor_simulate_problem *problem;
    lotor_sampler *sampler;
    lotor_watch_result *watched;
} on;

static const lotor_simulate_params problem_params = {
    .policy = {.algorithm = "dpucb-mat", .horizon = 50},
    .instance = "table-6.1",
    .runs = 2,
    .threads = 1,
    .checkpoints = 5};

static lotor_message why;

static const double *context_of(const lotor_policy_params *params)
{
    return params->dimension > 0 ? actions : NULL;
}

static lotor_feedback feedback_of(const lotor_decision *decision)
{
    static const double rewards[ARMS] = {1.0, 0.5, 0.0, 0.25};
    return (lotor_feedback){rewards, decision->asked_count, 1};
}

static void fine(lotor_status status)
{
    if (status != LOTOR_OK) {
        fail_msg("%s: %s", lotor_status_name(status), why.text);
    }
}

static void prepare(const lotor_policy_params *params)
{
    memset(&on, 0, sizeof on);
    on.given = *params;
    on.params = &on.given;
    fine(lotor_catalog_new(&why, &on.catalog));
    fine(lotor_catalog_add(on.catalog, &own_recipe, &why));
    on.given.catalog = on.catalog;
    fine(lotor_counter_new(&counter_params, &why, &on.counter));
    fine(lotor_counter_add(on.counter, 0.5, &why));
    fine(lotor_counter_save(on.counter, &on.counter_bytes, &on.counter_length));
    fine(lotor_stopping_new(&stopping_params, &why, &on.stopping));
    fine(lotor_policy_new(on.params, &why, &on.policy));
    lotor_decision decision;
    fine(lotor_policy_choose(on.policy, context_of(params), &why, &decision));
    on.event = decision.event;
    fine(lotor_policy_save(on.policy, &on.policy_bytes, &on.policy_length));
    lotor_policy_guarantee(on.policy, &on.guarantee);
    lotor_policy *seeded;
    fine(lotor_lab_policy_new(on.params, 7, &why, &seeded));
    fine(lotor_policy_save(seeded, &on.seeded_bytes, &on.seeded_length));
    lotor_policy_free(seeded);
    fine(lotor_sampler_new(&sampler_params, &why, &on.sampler));
    fine(lotor_simulate_problem_new(&problem_params, &why, &on.problem));
    why.text[0] = '\0';
}

static void clear(void)
{
    lotor_counter_free(on.counter);
    lotor_stopping_free(on.stopping);
    lotor_policy_free(on.policy);
    lotor_bytes_free(on.counter_bytes, on.counter_length);
    lotor_bytes_free(on.policy_bytes, on.policy_length);
    lotor_bytes_free(on.seeded_bytes, on.seeded_length);
    lotor_simulate_free(on.simulated);
    lotor_simulate_problem_free(on.problem);
    lotor_sampler_free(on.sampler);
    lotor_watch_free(on.watched);
    lotor_catalog_free(on.catalog);
    memset(&on, 0, sizeof on);
}

/* --- functions that allocate ------------------------------------------------------------------ */

/* Expects that an object was made exactly if the call returned LOTOR_OK. */
#define EXPECT_MADE(status, made) assert_int_equal((status) == LOTOR_OK, (made) != NULL)

static lotor_status do_counter_new(void)
{
    lotor_counter *made;
    const lotor_status status = lotor_counter_new(&counter_params, &why, &made);
    EXPECT_MADE(status, made);
    lotor_counter_free(made);
    return status;
}

/* Turns the message of a check into a status: without memory the message says so. */
static lotor_status checked(const char *refused)
{
    return refused ? LOTOR_MEMORY : LOTOR_OK;
}

static lotor_status do_counter_check(void)
{
    return checked(lotor_counter_check(&counter_params, &why));
}

static lotor_status do_counter_save(void)
{
    unsigned char *bytes;
    size_t length;
    const lotor_status status = lotor_counter_save(on.counter, &bytes, &length);
    EXPECT_MADE(status, bytes);
    lotor_bytes_free(bytes, length);
    return status;
}

static lotor_status do_counter_load(void)
{
    lotor_counter *made;
    const lotor_status status =
        lotor_counter_load(on.counter_bytes, on.counter_length, &why, &made);
    EXPECT_MADE(status, made);
    lotor_counter_free(made);
    return status;
}

static lotor_status do_stopping_new(void)
{
    lotor_stopping *made;
    const lotor_status status = lotor_stopping_new(&stopping_params, &why, &made);
    EXPECT_MADE(status, made);
    lotor_stopping_free(made);
    return status;
}

static lotor_status do_stopping_check(void)
{
    return checked(lotor_stopping_check(&stopping_params, &why));
}

static lotor_status do_policy_new(void)
{
    lotor_policy *made;
    const lotor_status status = lotor_policy_new(on.params, &why, &made);
    EXPECT_MADE(status, made);
    lotor_policy_free(made);
    return status;
}

static lotor_status do_policy_check(void)
{
    return checked(lotor_policy_check(on.params, &why));
}

/* Open rounds need more and more room. After a failed call no round is open. */
static lotor_status do_policy_choose(void)
{
    lotor_status seen = LOTOR_OK;
    for (uint64_t i = 1; i <= ROUNDS; i++) {
        lotor_decision decision;
        lotor_status status =
            lotor_policy_choose(on.policy, context_of(on.params), &why, &decision);
        if (status == LOTOR_MEMORY) {
            seen = status;
            status = lotor_policy_choose(on.policy, context_of(on.params), NULL, &decision);
        }
        fine(status);
        assert_int_equal(decision.event, on.event + i);
    }
    on.event += ROUNDS; /* for the call again */
    return seen;
}

/* The same with many rounds at once; a policy that takes contexts has only single rounds. */
static lotor_status do_policy_choose_many(void)
{
    if (context_of(on.params)) {
        return do_policy_choose();
    }
    lotor_status seen = LOTOR_OK;
    for (uint64_t opened = 0; opened < ROUNDS;) {
        lotor_decision decision;
        uint64_t rounds;
        lotor_status status = lotor_policy_choose_many(on.policy, 100, &why, &decision, &rounds);
        if (status == LOTOR_MEMORY) {
            seen = status;
            assert_int_equal(rounds, 0);
            status = lotor_policy_choose_many(on.policy, 100, NULL, &decision, &rounds);
        }
        fine(status);
        assert_int_equal(decision.event, on.event + 1);
        on.event += rounds;
        opened += rounds;
    }
    return seen;
}

static lotor_status do_policy_save(void)
{
    unsigned char *bytes;
    size_t length;
    const lotor_status status = lotor_policy_save(on.policy, &bytes, &length);
    EXPECT_MADE(status, bytes);
    if (bytes) {
        assert_int_equal(length, on.policy_length);
        assert_memory_equal(bytes, on.policy_bytes, length);
    }
    lotor_bytes_free(bytes, length);
    return status;
}

static lotor_status do_policy_load(void)
{
    lotor_policy *made;
    const lotor_status status =
        lotor_policy_load(on.policy_bytes, on.policy_length, on.params, &why, &made);
    EXPECT_MADE(status, made);
    lotor_policy_free(made);
    return status;
}

static lotor_status do_lab_policy_new(void)
{
    lotor_policy *made;
    const lotor_status status = lotor_lab_policy_new(on.params, 7, &why, &made);
    EXPECT_MADE(status, made);
    lotor_policy_free(made);
    return status;
}

static lotor_status do_lab_policy_load(void)
{
    lotor_policy *made;
    const lotor_status status =
        lotor_lab_policy_load(on.seeded_bytes, on.seeded_length, on.params, &why, &made);
    EXPECT_MADE(status, made);
    lotor_policy_free(made);
    return status;
}

static lotor_status do_report(void)
{
    const lotor_randomizer bit = {
        .mechanism = "bit", .epsilon = {1, 1}, .low = 0.0, .high = 1.0, .slots = 1};
    const double reward = 0.5;
    int64_t report[1] = {-7};
    size_t count = 99;
    const lotor_status status =
        lotor_randomizer_report(&bit, &(lotor_feedback){&reward, 1, 0}, &why, report, &count);
    assert_int_equal(count, status == LOTOR_OK ? 1 : 0);
    assert_int_equal(report[0] == -7, status != LOTOR_OK);
    return status;
}

/* Uses one thread, so that the k-th allocation is always the same. */
static lotor_status simulate(lotor_simulate_params params)
{
    params.runs = 2;
    params.threads = 1;
    params.checkpoints = 5;
    lotor_simulate_result *made = (lotor_simulate_result *)&params;
    const lotor_status status = lotor_simulate_run(&params, &why, &made);
    EXPECT_MADE(status, made);
    lotor_simulate_free(made);
    return status;
}

static lotor_status do_simulate_arms(void)
{
    return simulate((lotor_simulate_params){
        .policy = {.algorithm = "dp-se", .horizon = 500}, .instance = "c2", .rewards = "beta"});
}

static lotor_status do_simulate_path(void)
{
    return simulate((lotor_simulate_params){.policy = {.algorithm = "cucb-dp2", .horizon = 50},
                                            .instance = "grid:2x2"});
}

static lotor_status do_simulate_matroid(void)
{
    return simulate((lotor_simulate_params){.policy = {.algorithm = "dpucb-mat", .horizon = 50},
                                            .instance = "table-6.1"});
}

static lotor_status do_simulate_list(void)
{
    static const double means[ARMS] = {0.1, 0.2, 0.3, 0.4};
    return simulate((lotor_simulate_params){
        .policy = {.algorithm = "cascade-dp", .arms = ARMS, .slots = 2, .horizon = 50},
        .means = means});
}

static lotor_status do_catalog_new(void)
{
    lotor_catalog *made;
    const lotor_status status = lotor_catalog_new(&why, &made);
    EXPECT_MADE(status, made);
    lotor_catalog_free(made);
    return status;
}

/* Without memory the catalog is unchanged: the id is not taken. */
static lotor_status do_catalog_add(void)
{
    static const char *const ids[] = {"first", "second"};
    lotor_recipe recipe = own_recipe;
    lotor_algorithm_info info;
    recipe.id = ids[lotor_catalog_info(on.catalog, ids[0], NULL, &info) == LOTOR_OK];
    const lotor_status status = lotor_catalog_add(on.catalog, &recipe, &why);
    assert_int_equal(lotor_catalog_info(on.catalog, recipe.id, NULL, &info) == LOTOR_OK,
                     status == LOTOR_OK);
    return status;
}

static lotor_status do_simulate_own(void)
{
    static const double means[ARMS] = {0.1, 0.2, 0.3, 0.4};
    return simulate((lotor_simulate_params){
        .policy =
            {.algorithm = "own", .catalog = on.catalog, .arms = ARMS, .slots = 2, .horizon = 50},
        .means = means});
}

static lotor_status do_simulate_linear(void)
{
    return simulate((lotor_simulate_params){.policy = {.algorithm = "jdp-batch", .horizon = 20}});
}

/* Several rounds wait for their delayed feedback, in a world that changes. */
static lotor_status do_simulate_delayed(void)
{
    return simulate((lotor_simulate_params){.policy = {.algorithm = "batch-klucb", .horizon = 500},
                                            .instance = "c2",
                                            .world = "swaps:3",
                                            .delay = "uniform:100-200"});
}

/* Arms come and go, listed means are clipped, and feedback is lost. */
static lotor_status do_simulate_schedule(void)
{
    static const double means[] = {0.5, 0.4, 0.3};
    return simulate(
        (lotor_simulate_params){.policy = {.algorithm = "lik-imed", .arms = 3, .horizon = 300},
                                .means = means,
                                .rewards = "gaussian:0.2",
                                .world = "steps:100=0.1,0.2,0.3;200=0.3,0.2,0.1",
                                .schedule = "50:+2,150:-0",
                                .has_expiry = true,
                                .expiry = 5,
                                .missing = 0.2});
}

static lotor_status do_problem_new(void)
{
    lotor_simulate_problem *made = on.problem;
    const lotor_status status = lotor_simulate_problem_new(&problem_params, &why, &made);
    EXPECT_MADE(status, made);
    lotor_simulate_problem_free(made);
    return status;
}

/* Without memory the structure stays what it was. */
static lotor_status do_problem_structure(void)
{
    lotor_simulate_problem_facts facts;
    fine(lotor_simulate_problem_structure(on.problem, NULL, 0, &why));
    const lotor_status status =
        lotor_simulate_problem_structure(on.problem, "partition:0,0,0,1,1,2,2", 0, &why);
    lotor_simulate_problem_describe(on.problem, &facts);
    assert_string_equal(facts.structure_name, status == LOTOR_OK ? "partition" : "linear");
    return status;
}

static lotor_status do_problem_check(void)
{
    return lotor_simulate_problem_check(on.problem, &problem_params, &why, NULL);
}

static lotor_status do_problem_run(void)
{
    lotor_simulate_result *made = (lotor_simulate_result *)&on;
    const lotor_status status =
        lotor_simulate_problem_run(on.problem, &problem_params, &why, &made);
    EXPECT_MADE(status, made);
    lotor_simulate_free(made);
    return status;
}

static lotor_status audit(lotor_audit_params params)
{
    params.trials = 1000;
    params.threads = 1;
    lotor_audit_result result = {.trials = 99};
    const lotor_status status = lotor_audit_run(&params, &why, &result);
    assert_int_equal(result.trials, status == LOTOR_OK ? 1000 : 99);
    return status;
}

static lotor_status do_audit_seeded(void)
{
    return audit((lotor_audit_params){.algorithm = "dp-ucb", .is_seeded = true, .horizon = 2});
}

/* Two numbers, of which one depends on the input. */
static lotor_status run_mechanism(void *context, const lotor_audit_call *call,
                                  lotor_message *reason)
{
    (void)context;
    (void)reason;
    for (size_t i = 0; i < call->runs; i++) {
        call->outputs[i * call->capacity] = (double)((call->seed + i) % 7 + call->input);
        call->outputs[i * call->capacity + 1] = 0.5;
        call->counts[i] = 2;
    }
    return LOTOR_OK;
}

static lotor_status do_audit_mechanism(void)
{
    const lotor_audit_mechanism_params params = {
        .run = run_mechanism, .trials = 1000, .outputs = 2, .batch = 10, .threads = 1};
    lotor_audit_result result = {.trials = 99};
    const lotor_status status = lotor_audit_mechanism(&params, &why, &result);
    assert_int_equal(result.trials, status == LOTOR_OK ? 1000 : 99);
    return status;
}

static lotor_status do_audit_exact(void)
{
    return audit((lotor_audit_params){.algorithm = "rr-klucb", .horizon = 2});
}

static lotor_status do_sampler(void)
{
    lotor_sampler *made;
    const lotor_status status = lotor_sampler_new(&sampler_params, &why, &made);
    EXPECT_MADE(status, made);
    lotor_sampler_free(made);
    return status;
}

static lotor_status do_watch(void)
{
    static const double means[ARMS] = {0.1, 0.2, 0.3, 0.4};
    const lotor_watch_params params = {.algorithm = "batch-klucb",
                                       .epsilon = {1, 1},
                                       .arms = ARMS,
                                       .slots = 1,
                                       .means = means,
                                       .rounds = 30,
                                       .frames = 5};
    lotor_watch_free(on.watched);
    const lotor_status status = lotor_watch_run(&params, &why, &on.watched);
    EXPECT_MADE(status, on.watched);
    return status;
}

/* So few rounds in so much time that the number of runs does not depend on the machine. */
static const lotor_advise_params advise_params = {.problem = "cascade",
                                                  .trust = LOTOR_MODEL_LOCAL,
                                                  .epsilon = {1, 1},
                                                  .arms = ARMS,
                                                  .slots = 2,
                                                  .rounds = 2,
                                                  .seconds = LOTOR_ADVISE_SECONDS_MAX,
                                                  .threads = 1};

static lotor_status do_advise(void)
{
    static lotor_advise_result result;
    result.count = 99;
    const lotor_status status = lotor_advise_run(&advise_params, &why, &result);
    assert_int_equal(result.count == 99, status != LOTOR_OK);
    return status;
}

static void ignore(void *context, const lotor_verify_finding *finding)
{
    (void)context;
    (void)finding;
}

static lotor_status do_verify(void)
{
    const lotor_verify_params params = {.mechanism = "tree", .epsilon = {1, 1}, .take = ignore};
    return lotor_verify_run(&params, &why);
}

static lotor_status do_couple(void)
{
    const lotor_couple_params params = {
        .algorithm = "cucb-dp-lazy", .traces = 1, .seed = 3, .threads = 1};
    lotor_couple_result result = {.traces = 99};
    const lotor_status status = lotor_couple_run(&params, &why, &result);
    assert_int_equal(result.traces == 99, status != LOTOR_OK);
    return status;
}

/* --- functions that allocate nothing ---------------------------------------------------------- */

static lotor_status right(bool is_right)
{
    return is_right ? LOTOR_OK : LOTOR_INVALID;
}

static lotor_status do_counter_use(void)
{
    const lotor_status status = lotor_counter_add(on.counter, 0.25, &why);
    lotor_counter_guarantee(on.counter, &on.guarantee);
    return status == LOTOR_OK
               ? right(lotor_counter_added_count(on.counter) == 2 &&
                       lotor_counter_covered_count(on.counter) <= 2 &&
                       isfinite(lotor_counter_value(on.counter)) && on.guarantee.is_private)
               : status;
}

static lotor_status do_stopping_use(void)
{
    bool stopped;
    double estimate;
    const lotor_status status = lotor_stopping_add(on.stopping, 0.5, &why, &stopped);
    lotor_stopping_guarantee(on.stopping, &on.guarantee);
    return status == LOTOR_OK
               ? right(lotor_stopping_sample_count(on.stopping) == 1 && on.guarantee.is_private &&
                       lotor_stopping_estimate(on.stopping, &estimate) == LOTOR_UNFINISHED)
               : status;
}

static lotor_status do_policy_answer(void)
{
    lotor_decision decision = {.asked_count = strcmp(on.params->algorithm, "cucb-dp") ? 1 : 2};
    const lotor_feedback feedback = feedback_of(&decision);
    lotor_status status = lotor_policy_observe(on.policy, on.event, &feedback, &why);
    if (status == LOTOR_OK) {
        status = lotor_policy_expire(on.policy, on.event, &why);
    }
    lotor_policy_guarantee(on.policy, &on.guarantee);
    const bool is_shaped = lotor_policy_arms(on.policy) == on.params->arms &&
                           strcmp(lotor_policy_algorithm(on.policy), on.params->algorithm) == 0 &&
                           (lotor_policy_dimension(on.policy) == 0 ||
                            lotor_policy_dimension(on.policy) == on.params->dimension);
    return status == LOTOR_OK ? right(on.guarantee.is_private && is_shaped) : status;
}

/* The round of `prepare`, and the next one. */
static lotor_status do_policy_learn(void)
{
    lotor_decision decision = {.asked_count = strcmp(on.params->algorithm, "cucb-dp") ? 1 : 2};
    const lotor_feedback feedback = feedback_of(&decision);
    lotor_status status = lotor_policy_learn(on.policy, on.event, &feedback, &why);
    if (status == LOTOR_OK) {
        status = lotor_policy_choose(on.policy, context_of(on.params), &why, &decision);
    }
    const lotor_feedback next = feedback_of(&decision);
    return status == LOTOR_OK ? lotor_policy_learn_many(on.policy, decision.event, 1, &next, &why)
                              : status;
}

/* Only a half-life in seconds needs the time. */
static lotor_status do_policy_tick(void)
{
    const lotor_status status = lotor_policy_tick(on.policy, 5, &why);
    return right(status == (on.params->half_life_in_seconds ? LOTOR_OK : LOTOR_INVALID));
}

static lotor_status do_free(void)
{
    clear();
    return LOTOR_OK;
}

static lotor_status do_guarantee(void)
{
    char text[2048];
    return right(lotor_guarantee_text(&on.guarantee, text, sizeof text) < sizeof text &&
                 lotor_guarantee_json(&on.guarantee, text, sizeof text) < sizeof text &&
                 lotor_guarantee_level(&on.guarantee) != LOTOR_LEVEL_NONE &&
                 lotor_guarantee_level_reason(&on.guarantee) != NULL &&
                 lotor_guarantee_per_user(&on.guarantee, 3, &why, &on.guarantee) == LOTOR_OK);
}

static lotor_status do_ratio(void)
{
    lotor_ratio parsed, rounded;
    return right(lotor_ratio_parse("0.5", &why, &parsed) == LOTOR_OK &&
                 lotor_ratio_from_double(0.5, &why, &rounded) == LOTOR_OK &&
                 lotor_ratio_to_double(parsed) == lotor_ratio_to_double(rounded) &&
                 lotor_ratio_is_infinite(lotor_ratio_of(1, 0)));
}

static lotor_status do_status(void)
{
    return right(strcmp(lotor_status_name(LOTOR_MEMORY), "memory") == 0 && *lotor_version());
}

static lotor_status do_algorithm(void)
{
    lotor_algorithm_info facts;
    return right(lotor_algorithm_at(lotor_algorithm_count() - 1, &why, &facts) == LOTOR_OK &&
                 lotor_algorithm_find("dp-se", &why, &facts) == LOTOR_OK &&
                 lotor_algorithm_find("dp-es", &why, &facts) == LOTOR_UNKNOWN &&
                 lotor_catalog_info(on.catalog, "own", &why, &facts) == LOTOR_OK &&
                 lotor_catalog_info(on.catalog, "mine", &why, &facts) == LOTOR_UNKNOWN &&
                 strcmp(lotor_recipe_statistic(0), "growing") == 0);
}

static lotor_status do_sampler_use(void)
{
    int64_t noise;
    return lotor_sampler_draw(on.sampler, &why, &noise);
}

static lotor_status do_problem_facts(void)
{
    lotor_simulate_problem_facts facts;
    lotor_simulate_problem_describe(on.problem, &facts);
    assert_int_equal(facts.arms, 7);
    assert_false(lotor_simulate_is_recorded("table-6.1"));
    return LOTOR_OK;
}

static lotor_status do_model(void)
{
    return right(strcmp(lotor_model_name(LOTOR_MODEL_JOINT), "joint") == 0 &&
                 strcmp(lotor_level_name(LOTOR_LEVEL_WEAK), "weak") == 0);
}

static lotor_status do_advise_mean(void)
{
    return right(lotor_advise_mean(&advise_params, 0) == 0.05);
}

static lotor_status do_verify_facts(void)
{
    lotor_verify_info facts;
    return right(lotor_verify_at(lotor_verify_count() - 1, &why, &facts) == LOTOR_OK &&
                 lotor_verify_at(lotor_verify_count(), &why, &facts) == LOTOR_UNKNOWN);
}

static lotor_status do_account(void)
{
    const lotor_budget parts[] = {{0.5, 1e-6}, {0.25, 0.0}};
    lotor_budget sum;
    double number;
    return right(lotor_account_compose_basic(parts, 2, &why, &sum) == LOTOR_OK &&
                 lotor_account_compose_mixed(parts, 2, 1e-6, &why, &sum) == LOTOR_OK &&
                 lotor_account_compose_same(parts[1], 100, 1e-6, &why, &sum) == LOTOR_OK &&
                 lotor_account_group_privacy(parts[0], 3, &why, &sum) == LOTOR_OK &&
                 lotor_account_zcdp_delta(0.1, 1.0, &why, &number) == LOTOR_OK &&
                 lotor_account_zcdp_epsilon(0.1, 1e-6, &why, &number) == LOTOR_OK &&
                 lotor_account_zcdp_rho(parts[0], &why, &number) == LOTOR_OK &&
                 lotor_account_gaussian_delta(1.0, 2.0, 1.0, &why, &number) == LOTOR_OK &&
                 lotor_account_gaussian_sigma(1.0, parts[0], &why, &number) == LOTOR_OK &&
                 lotor_account_zcdp_of_gaussian(1.0, 2.0) == 0.125 &&
                 lotor_account_zcdp_of_pure(1.0) == 0.5 &&
                 lotor_account_adversary_failure(parts[1]) > 0.0);
}

/* --- the rows --------------------------------------------------------------------------------- */

typedef struct row {
    const char *names; /* of the functions that are called, with a space after each */
    lotor_status (*act)(void);
    bool per_policy; /* for each of `policies` */
    bool is_silent;  /* it has no message to fill */
} row;

static const row allocating[] = {
    {"lotor_counter_new ", do_counter_new, false, false},
    {"lotor_counter_check ", do_counter_check, false, false},
    {"lotor_counter_save ", do_counter_save, false, true},
    {"lotor_counter_load ", do_counter_load, false, false},
    {"lotor_stopping_new ", do_stopping_new, false, false},
    {"lotor_stopping_check ", do_stopping_check, false, false},
    {"lotor_policy_new ", do_policy_new, true, false},
    {"lotor_policy_check ", do_policy_check, true, false},
    {"lotor_policy_choose ", do_policy_choose, true, false},
    {"lotor_policy_choose_many ", do_policy_choose_many, true, false},
    {"lotor_policy_save ", do_policy_save, true, true},
    {"lotor_policy_load ", do_policy_load, true, false},
    {"lotor_catalog_new ", do_catalog_new, false, false},
    {"lotor_catalog_add ", do_catalog_add, false, false},
    {"lotor_lab_policy_new ", do_lab_policy_new, true, false},
    {"lotor_lab_policy_load ", do_lab_policy_load, true, false},
    {"lotor_randomizer_report ", do_report, false, false},
    {"lotor_simulate_run ", do_simulate_arms, false, false},
    {"lotor_simulate_run ", do_simulate_path, false, false},
    {"lotor_simulate_run ", do_simulate_matroid, false, false},
    {"lotor_simulate_run ", do_simulate_list, false, false},
    {"lotor_simulate_run ", do_simulate_linear, false, false},
    {"lotor_simulate_run ", do_simulate_delayed, false, false},
    {"lotor_simulate_run ", do_simulate_own, false, false},
    {"lotor_simulate_run ", do_simulate_schedule, false, false},
    {"lotor_simulate_problem_new ", do_problem_new, false, false},
    {"lotor_simulate_problem_structure ", do_problem_structure, false, false},
    {"lotor_simulate_problem_check ", do_problem_check, false, false},
    {"lotor_simulate_problem_run ", do_problem_run, false, false},
    {"lotor_audit_run ", do_audit_seeded, false, false},
    {"lotor_audit_run ", do_audit_exact, false, false},
    {"lotor_audit_mechanism ", do_audit_mechanism, false, false},
    {"lotor_sampler_new ", do_sampler, false, false},
    {"lotor_watch_run ", do_watch, false, false},
    {"lotor_advise_run ", do_advise, false, false},
    {"lotor_verify_run ", do_verify, false, false},
    {"lotor_couple_run ", do_couple, false, false},
};

static const row others[] = {
    {"lotor_counter_add lotor_counter_value lotor_counter_added_count lotor_counter_covered_count "
     "lotor_counter_guarantee ",
     do_counter_use, false, false},
    {"lotor_stopping_add lotor_stopping_estimate lotor_stopping_sample_count "
     "lotor_stopping_guarantee ",
     do_stopping_use, false, false},
    {"lotor_policy_observe lotor_policy_expire lotor_policy_guarantee lotor_policy_arms "
     "lotor_policy_dimension lotor_policy_algorithm ",
     do_policy_answer, true, false},
    {"lotor_policy_learn lotor_policy_learn_many ", do_policy_learn, true, false},
    {"lotor_policy_tick ", do_policy_tick, true, false},
    {"lotor_counter_free lotor_stopping_free lotor_policy_free lotor_bytes_free "
     "lotor_simulate_free lotor_simulate_problem_free lotor_sampler_free lotor_watch_free "
     "lotor_catalog_free ",
     do_free, true, false},
    {"lotor_guarantee_text lotor_guarantee_json lotor_guarantee_per_user lotor_guarantee_level "
     "lotor_guarantee_level_reason ",
     do_guarantee, false, false},
    {"lotor_ratio_of lotor_ratio_parse lotor_ratio_from_double lotor_ratio_to_double "
     "lotor_ratio_is_infinite ",
     do_ratio, false, false},
    {"lotor_status_name lotor_version ", do_status, false, false},
    {"lotor_sampler_draw ", do_sampler_use, false, false},
    {"lotor_model_name lotor_level_name ", do_model, false, false},
    {"lotor_simulate_is_recorded lotor_simulate_problem_describe ", do_problem_facts, false, false},
    {"lotor_advise_mean ", do_advise_mean, false, false},
    {"lotor_verify_count lotor_verify_at ", do_verify_facts, false, false},
    {"lotor_algorithm_count lotor_algorithm_at lotor_algorithm_find lotor_catalog_info "
     "lotor_recipe_statistic ",
     do_algorithm, false, false},
    {"lotor_account_compose_basic lotor_account_compose_mixed lotor_account_compose_same "
     "lotor_account_group_privacy lotor_account_zcdp_delta lotor_account_zcdp_epsilon "
     "lotor_account_zcdp_rho lotor_account_gaussian_delta lotor_account_gaussian_sigma "
     "lotor_account_zcdp_of_gaussian lotor_account_zcdp_of_pure lotor_account_adversary_failure ",
     do_account, false, false},
};
enum {
    ALLOCATING = sizeof allocating / sizeof *allocating,
    OTHERS = sizeof others / sizeof *others
};

/* An audit makes some twenty thousand allocations, the same few in each of its thousand trials.
 * After the first ones a sample is enough, with a stride that shares no factor with the allocations
 * of a trial. */
enum { FIRST = 60, STRIDE = 997 };

static size_t next_of(size_t fails)
{
    return fails < FIRST ? fails + 1 : fails + test_stride(STRIDE);
}

static void expect_survives(const row *at, const lotor_policy_params *params)
{
    const size_t live = failing_memory_live();
    prepare(params);
    failing_memory_start(0);
    lotor_status status = at->act();
    const size_t allocations = failing_memory_stop();
    fine(status);
    clear();
    if (allocations == 0) {
        fail_msg("%s(%s) allocates nothing: its row is among the others", at->names,
                 params->algorithm);
    }
    for (size_t fails = 1; fails <= allocations; fails = next_of(fails)) {
        prepare(params);
        failing_memory_start(fails);
        status = at->act();
        (void)failing_memory_stop();
        if (status != LOTOR_MEMORY || (!at->is_silent && !strstr(why.text, "memory"))) {
            fail_msg("%s(%s), allocation %zu of %zu: %s, \"%s\"", at->names, params->algorithm,
                     fails, allocations, lotor_status_name(status), why.text);
        }
        if (fails < FIRST) {
            fine(at->act()); /* again, with memory */
        }
        clear();
        assert_int_equal(failing_memory_live(), live);
    }
}

TEST(whichever_allocation_fails)
{
    for (size_t i = 0; i < ALLOCATING; i++) {
        for (size_t p = 0; p < (allocating[i].per_policy ? POLICIES : 1); p++) {
            expect_survives(&allocating[i], &policies[p]);
        }
    }
}

TEST(without_any_memory)
{
    for (size_t i = 0; i < OTHERS; i++) {
        for (size_t p = 0; p < (others[i].per_policy ? POLICIES : 1); p++) {
            const size_t live = failing_memory_live();
            prepare(&policies[p]);
            failing_memory_start_all();
            const lotor_status status = others[i].act();
            const size_t asked = failing_memory_stop();
            if (status != LOTOR_OK || asked > 0) {
                fail_msg("%s(%s): %s, \"%s\", and %zu allocations", others[i].names,
                         policies[p].algorithm, lotor_status_name(status), why.text, asked);
            }
            clear();
            assert_int_equal(failing_memory_live(), live);
        }
    }
}

/* --- the headers ------------------------------------------------------------------------------ */

static bool is_listed(const row *rows, size_t count, const char *name, size_t length)
{
    for (size_t i = 0; i < count; i++) {
        for (const char *at = rows[i].names; *at != '\0'; at += strcspn(at, " ") + 1) {
            if (strcspn(at, " ") == length && strncmp(at, name, length) == 0) {
                return true;
            }
        }
    }
    return false;
}

/* Checks every declaration that is marked LOTOR_API; returns their number. */
static size_t check_header(const char *path)
{
    static char text[1 << 16];
    size_t found = 0;
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    const size_t length = fread(text, 1, sizeof text - 1, file);
    assert_int_equal(fclose(file), 0);
    assert_true(length < sizeof text - 1);
    text[length] = '\0';
    for (const char *at = text; (at = strstr(at, "\nLOTOR_API ")) != NULL; at++) {
        const char *end = strchr(at, '(');
        assert_non_null(end);
        const char *name = end;
        while (name[-1] != ' ' && name[-1] != '*') {
            name--;
        }
        const size_t size = (size_t)(end - name);
        if (is_listed(allocating, ALLOCATING, name, size) ==
            is_listed(others, OTHERS, name, size)) {
            fail_msg("%.*s is in no row, or in both tables", (int)size, name);
        }
        found++;
    }
    return found;
}

/* Checks the headers of a folder; returns how many functions they have. */
static size_t check_folder(const char *name)
{
    size_t found = 0;
    DIR *folder = opendir(name);
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char path[1024];
        const size_t length = strlen(entry->d_name);
        if (length > 2 && strcmp(entry->d_name + length - 2, ".h") == 0) {
            snprintf(path, sizeof path, "%s/%s", name, entry->d_name);
            found += check_header(path);
        }
    }
    assert_int_equal(closedir(folder), 0);
    return found;
}

TEST(no_function_is_left_out)
{
    const size_t found = check_folder(LOTOR_HEADERS) + check_folder(LOTOR_HEADERS "/experimental");
    size_t listed = 0;
    for (size_t i = 0; i < ALLOCATING; i++) {
        listed += i == 0 || strcmp(allocating[i].names, allocating[i - 1].names) != 0;
    }
    for (size_t i = 0; i < OTHERS; i++) {
        for (const char *at = others[i].names; *at != '\0'; at += strcspn(at, " ") + 1) {
            listed++;
        }
    }
    assert_int_equal(found, listed); /* so all functions in the list still exist */
}
