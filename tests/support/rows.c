/* rows.c - see rows.h. */
#include "support/rows.h"

#include <math.h>

#include "support/cmocka_all.h"

/* A matroid with a loop: at most two arms together, and arm 3 never. */
static bool at_most_two(const void *context, const uint32_t *set, size_t count, uint32_t arm)
{
    (void)context;
    (void)set;
    return count < 2 && arm != 3;
}

/* Picks the best arm; if its number is odd, also its neighbour. Pure, for any indices. */
static size_t pick_one_or_two(const void *context, const double *index, size_t arms,
                              uint32_t *picked)
{
    (void)context;
    uint32_t best = 0;
    for (uint32_t arm = 1; arm < arms; arm++) {
        best = index[arm] > index[best] ? arm : best;
    }
    picked[0] = best;
    picked[1] = best - 1;
    return best % 2 ? 2 : 1;
}

lotor_policy_params rows_params(const lotor_algorithm *algorithm, uint64_t horizon)
{
    static const double first[ROWS_ARMS] = {1.0, 0.0, 1.0, 1.0, 0.0};
    static const size_t slots[] = {1, 2, 2, ROWS_CLICKS, 1, 2};
    const bool clicks = algorithm->problem == LOTOR_PROBLEM_CASCADE;
    return (lotor_policy_params){
        .algorithm = algorithm->id,
        .arms = ROWS_ARMS,
        .slots = slots[algorithm->problem],
        .horizon = horizon,
        .epsilon = lotor_ratio_of(100, 1),
        .delta = algorithm->delta.num ? lotor_ratio_of(1, 2000) : lotor_ratio_of(0, 1),
        .beta = 0.5,
        .default_reward = clicks ? 0.0 : 0.25,
        .first = algorithm->starts_exact ? first : NULL,
        .dimension = algorithm->linear ? ROWS_DIMENSION : 0,
    };
}

lotor_policy_params rows_list_params(const lotor_algorithm *algorithm, uint64_t horizon)
{
    lotor_policy_params params = rows_params(algorithm, horizon);
    params.cascade = true;
    params.slots = ROWS_CLICKS;
    params.default_reward = 0.0;
    return params;
}

int rows_structures(const lotor_algorithm *algorithm)
{
    return algorithm->problem == LOTOR_PROBLEM_MATROID ? LOTOR_STRUCTURE_CUSTOM_MATROID + 1
           : algorithm->problem == LOTOR_PROBLEM_SEMIBANDIT ||
                   algorithm->problem == LOTOR_PROBLEM_ANY
               ? LOTOR_STRUCTURE_CUSTOM_ORACLE + 1
               : 1;
}

typedef struct edges {
    uint32_t from[ROWS_ARMS], to[ROWS_ARMS];
    size_t vertices;
} edges;

void rows_set_structure(lotor_policy_params *params, lotor_structure structure)
{
    static const uint32_t group[ROWS_ARMS] = {0, 0, 1, 1, 2}, capacity[3] = {1, 1, 1};
    static const int64_t vectors[2 * ROWS_ARMS] = {1, 0, 0, 1, 1, 1, 0, 0, 2, 2};
    static const edges graphs[] = {
        [LOTOR_STRUCTURE_GRAPHIC] = {{0, 1, 0, 2, 3}, {1, 2, 2, 3, 3}, 4},
        /* Paths of arms {0, 2}, {1, 3} and {0, 4, 3}. */
        [LOTOR_STRUCTURE_PATH] = {{0, 0, 1, 2, 1}, {1, 2, 3, 3, 2}, 4},
        /* On the left, vertex 0 has three edges to the same vertex; 1 and 2 have one edge each. No
         * vertex has a value above 1, so all are tried. */
        [LOTOR_STRUCTURE_COVERAGE] = {{0, 1, 0, 2, 0}, {0, 0, 0, 1, 0}, 3},
        /* Two pairs of vertices, joined by three arms and by two. No value is above 2. */
        [LOTOR_STRUCTURE_INFLUENCE] = {{0, 0, 1, 2, 3}, {1, 1, 0, 3, 2}, 4},
        [LOTOR_STRUCTURE_CUSTOM_ORACLE] = {{0}, {0}, 0},
    };
    params->structure = structure;
    params->slots = structure == LOTOR_STRUCTURE_TOP ? 2 : 0;
    params->group = group;
    params->capacity = capacity;
    params->groups = 3;
    params->from = graphs[structure].from;
    params->to = graphs[structure].to;
    params->vertices = graphs[structure].vertices;
    params->source = 0;
    params->sink = 3;
    params->seeds = 1;
    params->vectors = vectors;
    params->dimension = structure == LOTOR_STRUCTURE_LINEAR ? 2 : 0;
    params->independent = at_most_two;
    params->pick = pick_one_or_two;
    params->rank = 2;
}

lotor_status rows_try_make(const lotor_policy_params *params, test_source *source,
                           lotor_message *why, lotor_policy **out)
{
    const lotor_algorithm *algorithm = lotor_policy_row(params);
    return algorithm->is_simulation_only
               ? lotor_policy_new_simulated(params, 1.0, &source->generator, 7, why, out)
               : lotor_policy_new_on(params, &source->source, 7, why, out);
}

lotor_policy *rows_make(const lotor_policy_params *params, test_source *source)
{
    lotor_policy *policy;
    lotor_message why = {""};
    if (rows_try_make(params, source, &why, &policy) != LOTOR_OK) {
        fail_msg("%s: %s", params->algorithm, why.text);
    }
    return policy;
}

lotor_status rows_try_reload(const lotor_policy *policy, test_source *source)
{
    unsigned char *bytes;
    size_t length;
    lotor_policy *loaded;
    assert_int_equal(lotor_policy_save(policy, &bytes, &length), LOTOR_OK);
    const lotor_status status =
        lotor_policy_load_on(bytes, length, NULL, &source->source, NULL, &loaded);
    lotor_policy_free(loaded);
    lotor_bytes_free(bytes, length);
    return status;
}

lotor_policy *rows_reload(const lotor_policy *policy, const lotor_policy_params *custom,
                          const test_source *source, test_source *copy)
{
    unsigned char *bytes;
    size_t length;
    assert_int_equal(lotor_policy_save(policy, &bytes, &length), LOTOR_OK);
    *copy = *source;
    copy->source.window = &copy->window;
    lotor_policy *loaded;
    lotor_message why = {""};
    if (lotor_policy_load_on(bytes, length, custom, &copy->source, &why, &loaded) != LOTOR_OK) {
        fail_msg("%s: %s", policy->algorithm->id, why.text);
    }
    lotor_bytes_free(bytes, length);
    return loaded;
}

/* A fixed number in [0,1]. */
static double number(uint64_t round, uint64_t i)
{
    return (double)((round * 2654435761U + i * 40503U) % 1000) / 999.0;
}

const double *rows_context(const lotor_policy *policy, uint64_t round,
                           double room[ROWS_ARMS * ROWS_DIMENSION])
{
    if (!policy->linear) {
        return NULL;
    }
    const size_t numbers = policy->params.arms * policy->params.dimension;
    assert_true(numbers <= (size_t)ROWS_ARMS * ROWS_DIMENSION);
    const double side = policy->params.context_length / sqrt((double)policy->params.dimension);
    for (size_t i = 0; i < numbers; i++) { /* inside the largest cube of the ball */
        room[i] = 0.999 * side * (2.0 * number(round, 17 * i + 5) - 1.0);
    }
    return room;
}

lotor_status rows_choose(lotor_policy *policy, uint64_t round, lotor_message *why,
                         lotor_decision *out)
{
    double room[ROWS_ARMS * ROWS_DIMENSION];
    return lotor_policy_choose(policy, rows_context(policy, round, room), why, out);
}

double rows_reward(const lotor_policy *policy, uint64_t event, size_t i)
{
    const double low = policy->params.low, high = policy->params.high;
    return low + (high - low) * number(event, i);
}

size_t rows_click(const lotor_policy *policy, uint64_t event)
{
    return (size_t)(event * 2654435761U >> 7) % (policy->params.slots + 1);
}

lotor_status rows_observe(lotor_policy *policy, uint64_t event, size_t asked)
{
    if (policy->params.cascade) {
        const lotor_feedback click = {.click = rows_click(policy, event)};
        return lotor_policy_observe(policy, event, &click, NULL);
    }
    double rewards[ROWS_ARMS];
    assert_true(asked <= ROWS_ARMS);
    for (size_t i = 0; i < asked; i++) {
        rewards[i] = rows_reward(policy, event, i);
    }
    const lotor_feedback feedback = {rewards, asked, 0};
    return lotor_policy_observe(policy, event, &feedback, NULL);
}

void rows_expect_same_state(const lotor_policy *a, const lotor_policy *b)
{
    unsigned char *bytes_a, *bytes_b;
    size_t length_a, length_b;
    assert_int_equal(lotor_policy_save(a, &bytes_a, &length_a), LOTOR_OK);
    assert_int_equal(lotor_policy_save(b, &bytes_b, &length_b), LOTOR_OK);
    assert_int_equal(length_a, length_b);
    assert_memory_equal(bytes_a, bytes_b, length_a);
    lotor_bytes_free(bytes_a, length_a);
    lotor_bytes_free(bytes_b, length_b);
}

static void expect_same_numbers(const uint32_t *a, size_t count_a, const uint32_t *b,
                                size_t count_b)
{
    assert_int_equal(count_a, count_b);
    if (count_a > 0) {
        assert_memory_equal(a, b, count_a * sizeof *a);
    }
}

void rows_expect_same_decision(const lotor_decision *a, const lotor_decision *b)
{
    assert_int_equal(a->event, b->event);
    assert_int_equal(a->hold, b->hold);
    expect_same_numbers(a->arms, a->count, b->arms, b->count);
    expect_same_numbers(a->asked, a->asked_count, b->asked, b->asked_count);
    expect_same_numbers(a->seeds, a->seed_count, b->seeds, b->seed_count);
}
