/* own.c - see own.h. */
#include "world/own.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "base/message.h"
#include "base/wide.h"

/* The most numbers of a round's actions: far more than any policy takes. */
enum { MOST_NUMBERS = 1 << 26, MOST_DIMENSION = 1 << 20 };

/* --- checks ------------------------------------------------------------------------------------- */

static lotor_status check_sizes(const lotor_own *own, lotor_message *why)
{
    const lotor_own_world *given = &own->given;
    if (given->arms == 0 || given->arms > LOTOR_WORLD_ARMS_MAX) {
        return lotor_fail(LOTOR_INVALID, why, "own world: it has from 1 to %d arms, not %zu",
                          LOTOR_WORLD_ARMS_MAX, given->arms);
    }
    if (own->dimension > MOST_DIMENSION || own->dimension > MOST_NUMBERS / given->arms) {
        return lotor_fail(LOTOR_INVALID, why,
                          "own world: %zu actions of %zu numbers in a round are too many; at most "
                          "%d numbers are taken",
                          given->arms, own->dimension, MOST_NUMBERS);
    }
    size_t bytes;
    const size_t width = given->arms > given->feature_count ? given->arms : given->feature_count;
    if (__builtin_mul_overflow(given->rows, width * sizeof(double), &bytes)) {
        return lotor_fail(LOTOR_INVALID, why, "own world: %zu rows of %zu numbers are too many",
                          given->rows, width);
    }
    return LOTOR_OK;
}

static lotor_status fill_range(lotor_own *own, lotor_message *why)
{
    lotor_own_world *given = &own->given;
    if (given->low == 0.0 && given->high == 0.0) {
        const bool has_actions = own->dimension > 0 && given->kind != LOTOR_OWN_LABELS;
        given->low = has_actions ? -1.0 : 0.0;
        given->high = 1.0;
        return LOTOR_OK;
    }
    if (given->kind == LOTOR_OWN_MEANS || given->kind == LOTOR_OWN_LABELS ||
        given->kind == LOTOR_OWN_LOG) {
        return lotor_fail(LOTOR_INVALID, why,
                          "own world: rewards of this kind lie in [0,1]; leave low and high out");
    }
    if (!(given->low < given->high) || !isfinite(given->low) || !isfinite(given->high)) {
        char low[LOTOR_DIGITS_ROOM], high[LOTOR_DIGITS_ROOM];
        return lotor_fail(LOTOR_INVALID, why,
                          "own world: the range of rewards from %s to %s is empty; low must be "
                          "below high",
                          lotor_digits(given->low, low), lotor_digits(given->high, high));
    }
    return LOTOR_OK;
}

static lotor_status check_table(const lotor_own_world *given, lotor_message *why)
{
    const bool has_rewards = given->kind == LOTOR_OWN_REWARDS;
    if (given->rows == 0 || !given->table) {
        return lotor_fail(LOTOR_INVALID, why, "own world: the table of %s is empty",
                          has_rewards ? "rewards" : "means");
    }
    for (size_t i = 0; i < given->rows; i++) {
        for (size_t arm = 0; arm < given->arms; arm++) {
            const double value = given->table[i * given->arms + arm];
            if (!(value >= given->low && value <= given->high)) {
                char digits[LOTOR_DIGITS_ROOM], low[LOTOR_DIGITS_ROOM], high[LOTOR_DIGITS_ROOM];
                return lotor_fail(LOTOR_RANGE, why,
                                  "own world: the %s of arm %zu in row %zu (both from 0) is %s; it "
                                  "must lie in [%s,%s]",
                                  has_rewards ? "reward" : "mean", arm, i,
                                  lotor_digits(value, digits), lotor_digits(given->low, low),
                                  lotor_digits(given->high, high));
            }
        }
    }
    return LOTOR_OK;
}

static lotor_status check_starts(const lotor_own_world *given, lotor_message *why)
{
    if (!given->starts) {
        return LOTOR_OK;
    }
    if (given->starts[0] != 0) {
        return lotor_fail(LOTOR_INVALID, why,
                          "own world: the first row starts after %llu rounds; starts[0] must be 0",
                          (unsigned long long)given->starts[0]);
    }
    for (size_t i = 1; i < given->rows; i++) {
        if (given->starts[i] <= given->starts[i - 1]) {
            return lotor_fail(LOTOR_INVALID, why,
                              "own world: starts[%zu] is %llu, after %llu; starts must increase", i,
                              (unsigned long long)given->starts[i],
                              (unsigned long long)given->starts[i - 1]);
        }
    }
    return LOTOR_OK;
}

static lotor_status check_functions(const lotor_own_world *given, lotor_message *why)
{
    if (given->means && given->table) {
        return lotor_fail(LOTOR_INVALID, why,
                          "own world: `means` and a table of means are both given: keep one");
    }
    if (!given->reward) {
        return lotor_fail(LOTOR_INVALID, why, "own world: the function `reward` is missing");
    }
    if ((given->dimension > 0) != (given->actions != NULL)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "own world: the function `actions` and the dimension of an action belong "
                          "together: give both, or neither");
    }
    return LOTOR_OK;
}

/* Checks the examples, and finds the length of the longest one. */
static lotor_status check_features(const lotor_own_world *given, lotor_message *why, double *scale)
{
    double longest = 1.0;
    for (size_t i = 0; given->features && i < given->rows; i++) {
        double length = 0.0; /* hypot does not overflow */
        for (size_t j = 0; j < given->feature_count; j++) {
            const double value = given->features[i * given->feature_count + j];
            length = hypot(length, value);
            if (!isfinite(value) || !isfinite(length)) {
                char digits[LOTOR_DIGITS_ROOM];
                return lotor_fail(LOTOR_RANGE, why,
                                  "own world: feature %zu of example %zu (both from 0) is %s; "
                                  "features are finite numbers",
                                  j, i, lotor_digits(value, digits));
            }
        }
        longest = length > longest ? length : longest;
    }
    /* Rounding must not make a divided example longer than 1. */
    *scale = longest > 1.0 ? longest * (1.0 + 0x1p-40) : 1.0;
    return LOTOR_OK;
}

static lotor_status check_labels(const lotor_own_world *given, lotor_message *why)
{
    if (given->rows == 0 || !given->labels) {
        return lotor_fail(LOTOR_INVALID, why, "own world: there are no labelled examples");
    }
    if ((given->features != NULL) != (given->feature_count > 0)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "own world: `features` and their number belong together: give both, or "
                          "neither");
    }
    if (given->order > LOTOR_OWN_IN_ORDER || given->rows > UINT32_MAX) {
        return lotor_fail(LOTOR_INVALID, why,
                          "own world: there is no order %u of %zu examples: give 0, 1 or 2",
                          (unsigned)given->order, given->rows);
    }
    for (size_t i = 0; i < given->rows; i++) {
        if (given->labels[i] >= given->arms) {
            return lotor_fail(LOTOR_RANGE, why,
                              "own world: the label of example %zu (from 0) is %lu, but there are "
                              "%zu classes, numbered from 0",
                              i, (unsigned long)given->labels[i], given->arms);
        }
    }
    return LOTOR_OK;
}

static lotor_status check_log(lotor_own *own, lotor_message *why)
{
    lotor_own_world *given = &own->given;
    own->log = (lotor_log){
        .count = given->rows,
        .arms = given->logged_arms,
        .rewards = given->logged_rewards,
        .propensities = given->propensities,
    };
    if (given->kind == LOTOR_OWN_LOG && given->propensities) {
        return lotor_fail(
            LOTOR_INVALID, why,
            "own world: propensities are for unbiased replay, and the bootstrap draws "
            "every recorded reward of an arm with the same probability: leave them out");
    }
    if ((given->logged_actions != NULL) != (given->dimension > 0)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "own world: the logged actions and their dimension belong together: give "
                          "both, or neither");
    }
    return lotor_log_check(&own->log, given->arms, given->low, given->high, why, &given->arms);
}

static lotor_status check_kind(lotor_own *own, lotor_message *why)
{
    lotor_own_world *given = &own->given;
    lotor_status status = LOTOR_OK;
    switch (given->kind) {
    case LOTOR_OWN_FUNCTIONS:
        own->knows_means = given->means || given->table;
        status = check_functions(given, why);
        return status == LOTOR_OK && given->table ? check_table(given, why) : status;
    case LOTOR_OWN_REWARDS:
        own->knows_means = true;
        return check_table(given, why);
    case LOTOR_OWN_MEANS:
        own->knows_means = true;
        status = check_table(given, why);
        return status == LOTOR_OK ? check_starts(given, why) : status;
    case LOTOR_OWN_LABELS:
        own->knows_means = true;
        status = check_labels(given, why);
        return status == LOTOR_OK ? check_features(given, why, &own->scale) : status;
    case LOTOR_OWN_LOG:
    case LOTOR_OWN_UNBIASED:
        return check_log(own, why);
    }
    return lotor_fail(LOTOR_INVALID, why, "own world: there is no kind %u", (unsigned)given->kind);
}

lotor_status lotor_own_make(const lotor_own_world *given, lotor_message *why, lotor_own *out)
{
    *out = (lotor_own){.given = *given, .scale = 1.0};
    const bool is_log = given->kind == LOTOR_OWN_LOG || given->kind == LOTOR_OWN_UNBIASED;
    if (given->kind == LOTOR_OWN_LABELS) {
        if (__builtin_mul_overflow(given->arms, given->feature_count, &out->dimension)) {
            out->dimension = SIZE_MAX; /* check_sizes refuses it */
        }
    } else if (given->kind == LOTOR_OWN_FUNCTIONS || is_log) {
        out->dimension = given->dimension;
    }
    lotor_status status = fill_range(out, why);
    if (status == LOTOR_OK && is_log) { /* finds the number of arms */
        status = check_kind(out, why);
    }
    if (status == LOTOR_OK) {
        status = check_sizes(out, why);
    }
    return status == LOTOR_OK && !is_log ? check_kind(out, why) : status;
}

lotor_status lotor_own_check_horizon(const lotor_own *own, uint64_t horizon, lotor_message *why)
{
    const lotor_own_world *given = &own->given;
    const bool has_rewards = given->kind == LOTOR_OWN_REWARDS;
    const bool has_means = (given->kind == LOTOR_OWN_MEANS && !given->starts) ||
                           (given->kind == LOTOR_OWN_FUNCTIONS && given->table);
    if ((!has_rewards && !has_means) || given->rows >= horizon || (has_means && given->rows == 1)) {
        return LOTOR_OK;
    }
    return lotor_fail(
        LOTOR_INVALID, why,
        "own world: the table of %s has %zu rows, but the horizon is %llu: give a row "
        "for each round%s, or a shorter horizon",
        has_rewards ? "rewards" : "means", given->rows, (unsigned long long)horizon,
        has_means ? ", or starts" : "");
}

void lotor_own_average(const lotor_own *own, uint64_t horizon, double *means)
{
    const lotor_own_world *given = &own->given;
    assert(given->kind == LOTOR_OWN_REWARDS && horizon > 0 && given->rows >= horizon);
    memset(means, 0, given->arms * sizeof *means);
    for (size_t i = 0; i < horizon; i++) {
        for (size_t arm = 0; arm < given->arms; arm++) {
            means[arm] += given->table[i * given->arms + arm];
        }
    }
    for (size_t arm = 0; arm < given->arms; arm++) {
        means[arm] /= (double)horizon;
    }
}

/* --- a run -------------------------------------------------------------------------------------- */

lotor_status lotor_own_start(const lotor_own *own, uint64_t number, lotor_generator *stream,
                             lotor_message *why, lotor_own_run *out)
{
    const lotor_own_world *given = &own->given;
    *out = (lotor_own_run){.own = own, .round = {.run = number}};
    out->seed = lotor_generator_word(stream);
    lotor_generator_seed(&out->generator, lotor_generator_word(stream));
    out->means = calloc(given->arms, sizeof *out->means);
    bool fine = out->means != NULL;
    if (own->dimension > 0) {
        out->actions = calloc(given->arms * own->dimension, sizeof *out->actions);
        fine = fine && out->actions;
    }
    if (given->kind == LOTOR_OWN_LABELS && given->order == LOTOR_OWN_SHUFFLED) {
        out->order = calloc(given->rows, sizeof *out->order);
        fine = fine && out->order;
    }
    if (!fine) {
        return lotor_world_out_of_memory(why);
    }
    for (size_t arm = 0; arm < given->arms; arm++) {
        out->means[arm] = own->knows_means ? 0.0 : (double)NAN;
    }
    for (size_t i = 0; out->order && i < given->rows; i++) {
        out->order[i] = (uint32_t)i;
    }
    return LOTOR_OK;
}

void lotor_own_run_clear(lotor_own_run *run)
{
    free(run->actions);
    free(run->means);
    free(run->order);
    *run = (lotor_own_run){0};
}

/* A random number below `count`. */
static size_t draw_below(lotor_generator *generator, size_t count)
{
    return (size_t)((lotor_u128)lotor_generator_word(generator) * count >> 64);
}

static void shuffle(lotor_own_run *run, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        const size_t j = draw_below(&run->generator, i);
        const uint32_t kept = run->order[i - 1];
        run->order[i - 1] = run->order[j];
        run->order[j] = kept;
    }
}

/* Finds the example of the current round. */
static size_t find_row(lotor_own_run *run)
{
    const lotor_own_world *given = &run->own->given;
    if (given->order == LOTOR_OWN_DRAWN) {
        return draw_below(&run->generator, given->rows);
    }
    const size_t place = (size_t)((run->round.t - 1) % given->rows);
    if (given->order == LOTOR_OWN_IN_ORDER) {
        return place;
    }
    if (place == 0) {
        shuffle(run, given->rows);
    }
    return run->order[place];
}

static void next_example(lotor_own_run *run)
{
    const lotor_own_world *given = &run->own->given;
    const size_t count = given->feature_count, dimension = run->own->dimension;
    run->means[given->labels[run->row]] = 0.0;
    run->row = find_row(run);
    run->means[given->labels[run->row]] = 1.0;
    for (size_t class = 0; run->actions && class < given->arms; class ++) {
        double *block = run->actions + class * dimension + class * count; /* the rest stays 0 */
        for (size_t j = 0; j < count; j++) {
            block[j] = given->features[run->row * count + j] / run->own->scale;
        }
    }
}

static lotor_status refuse_function(const lotor_own_run *run, const char *name, lotor_message *why)
{
    return lotor_fail(LOTOR_INVALID, why,
                      "own world: the function `%s` failed in round %llu of run %llu", name,
                      (unsigned long long)run->round.t, (unsigned long long)run->round.run);
}

/* Checks what the functions of the caller say about an arm in the current round. */
static lotor_status check_value(const lotor_own_run *run, const char *what, size_t arm,
                                double value, lotor_message *why)
{
    const lotor_own_world *given = &run->own->given;
    if (value >= given->low && value <= given->high) {
        return LOTOR_OK;
    }
    char digits[LOTOR_DIGITS_ROOM], low[LOTOR_DIGITS_ROOM], high[LOTOR_DIGITS_ROOM];
    return lotor_fail(
        LOTOR_RANGE, why,
        "own world: in round %llu of run %llu, the %s of arm %zu is %s; it must lie in "
        "[%s,%s]",
        (unsigned long long)run->round.t, (unsigned long long)run->round.run, what, arm,
        lotor_digits(value, digits), lotor_digits(given->low, low),
        lotor_digits(given->high, high));
}

static lotor_status ask_functions(lotor_own_run *run, lotor_message *why)
{
    const lotor_own_world *given = &run->own->given;
    if (given->actions && !given->actions(given->context, &run->round, run->actions)) {
        return refuse_function(run, "actions", why);
    }
    if (given->table && (given->rows > 1 || run->round.t == 1)) {
        const size_t row = given->rows > 1 ? (size_t)run->round.t - 1 : 0;
        memcpy(run->means, given->table + row * given->arms, given->arms * sizeof *run->means);
    }
    if (!given->means) {
        return LOTOR_OK;
    }
    if (!given->means(given->context, &run->round, run->actions, run->means)) {
        return refuse_function(run, "means", why);
    }
    for (size_t arm = 0; arm < given->arms; arm++) {
        const lotor_status status = check_value(run, "mean", arm, run->means[arm], why);
        if (status != LOTOR_OK) {
            return status;
        }
    }
    return LOTOR_OK;
}

lotor_status lotor_own_next(lotor_own_run *run, lotor_message *why)
{
    const lotor_own_world *given = &run->own->given;
    run->round.t++;
    run->round.seed = lotor_mix(run->seed + run->round.t * UINT64_C(0x9e3779b97f4a7c15));
    switch (given->kind) {
    case LOTOR_OWN_FUNCTIONS:
        return ask_functions(run, why);
    case LOTOR_OWN_REWARDS:
        assert(run->round.t <= given->rows);
        memcpy(run->means, given->table + (run->round.t - 1) * given->arms,
               given->arms * sizeof *run->means);
        break;
    case LOTOR_OWN_LABELS:
        next_example(run);
        break;
    case LOTOR_OWN_MEANS:
    case LOTOR_OWN_LOG:
    case LOTOR_OWN_UNBIASED:
        assert(false); /* these kinds are played elsewhere: see own.h */
        break;
    }
    return LOTOR_OK;
}

lotor_status lotor_own_pay(lotor_own_run *run, const uint32_t *arms, size_t count, double *rewards,
                           lotor_message *why)
{
    const lotor_own_world *given = &run->own->given;
    if (given->kind !=
        LOTOR_OWN_FUNCTIONS) { /* what is paid is not random, and equal to the mean */
        for (size_t i = 0; i < count; i++) {
            rewards[i] = run->means[arms[i]];
        }
        return LOTOR_OK;
    }
    for (size_t i = 0; i < count; i++) {
        rewards[i] = NAN; /* a reward that the function does not write is refused */
    }
    if (!given->reward(given->context, &run->round, run->actions, arms, count, rewards)) {
        return refuse_function(run, "reward", why);
    }
    for (size_t i = 0; i < count; i++) {
        const lotor_status status = check_value(run, "reward", arms[i], rewards[i], why);
        if (status != LOTOR_OK) {
            return status;
        }
    }
    return LOTOR_OK;
}
