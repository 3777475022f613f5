/* own.c - the learner that asks a function of the caller; own.h describes it. */
#include "learn/own.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/random/laws.h"

struct lotor_own_learner {
    lotor_own_setup setup;
    size_t arms, slots;
    double width;            /* of the rewards' range */
    double truth, lie;       /* of bits: the probabilities that a true and a false one report 1 */
    lotor_recipe_board view; /* what the function gets; the arrays are those below */
    double *sums, *counts;   /* with LOTOR_OWN_ADDED, also the arrays of every release */
    double *batch_sums, *batch_counts;
    uint64_t *batches, *times;

    double *index;         /* as the oracle gets it, in the unit of the rewards */
    uint32_t *answer;      /* what the function chose, if it chooses */
    bool is_answered;      /* `index` or `answer` is the function's answer */
    uint64_t posts;        /* on the board, when the function was asked */
    lotor_message failure; /* empty: the function did not fail */

    double *masked;
    uint64_t *tie;
    uint32_t *order, *picked;
    bool *is_taken;
    void *work;
};

static bool make_arrays(lotor_own_learner *learner)
{
    const size_t arms = learner->arms;
    const bool keeps = learner->setup.reading == LOTOR_OWN_ADDED;
    const size_t rows = keeps ? learner->setup.rows : 1;
    learner->sums = calloc(arms, sizeof *learner->sums);
    learner->counts = calloc(arms, sizeof *learner->counts);
    learner->batches = calloc(arms, sizeof *learner->batches);
    learner->times = calloc(arms, sizeof *learner->times);
    learner->index = calloc(arms, sizeof *learner->index);
    learner->answer = calloc(learner->slots, sizeof *learner->answer);
    learner->masked = calloc(arms, sizeof *learner->masked);
    learner->tie = calloc(arms, sizeof *learner->tie);
    learner->order = calloc(arms, sizeof *learner->order);
    learner->picked = calloc(arms, sizeof *learner->picked);
    learner->is_taken = calloc(arms, sizeof *learner->is_taken);
    learner->work = malloc(learner->setup.oracle->work_bytes + 1);
    if (keeps) {
        size_t cells;
        const bool is_too_large = __builtin_mul_overflow(arms, rows, &cells);
        learner->batch_sums = is_too_large ? NULL : calloc(cells, sizeof *learner->batch_sums);
        learner->batch_counts = is_too_large ? NULL : calloc(cells, sizeof *learner->batch_counts);
    }
    const lotor_own_setup *setup = &learner->setup;
    learner->view = (lotor_recipe_board){
        .arms = arms,
        .slots = learner->slots,
        .horizon = setup->horizon,
        .epsilon = setup->epsilon,
        .delta = setup->delta,
        .low = setup->low,
        .high = setup->high,
        .noise = setup->noise,
        .sums = learner->sums,
        .counts = learner->counts,
        .batches = learner->batches,
        .times = learner->times,
        .batch_sums = keeps ? learner->batch_sums : learner->sums,
        .batch_counts = keeps ? learner->batch_counts : learner->counts,
        .batch_rows = rows,
    };
    return learner->sums && learner->counts && learner->batches && learner->times &&
           learner->index && learner->answer && learner->masked && learner->tie && learner->order &&
           learner->picked && learner->is_taken && learner->work && learner->view.batch_sums &&
           learner->view.batch_counts;
}

lotor_status lotor_own_new(const lotor_own_setup *setup, lotor_own_learner **out)
{
    assert(!setup->recipe->index != !setup->recipe->choose && setup->high > setup->low);
    *out = NULL;
    lotor_own_learner *learner = calloc(1, sizeof *learner);
    if (!learner) {
        return LOTOR_MEMORY;
    }
    learner->setup = *setup;
    learner->arms = setup->oracle->arms;
    learner->slots = setup->oracle->slots;
    learner->width = setup->high - setup->low;
    learner->truth = 1.0 / (1.0 + exp(-setup->epsilon));
    learner->lie = exp(-setup->epsilon) / (1.0 + exp(-setup->epsilon));
    if (!make_arrays(learner)) {
        lotor_own_free(learner);
        return LOTOR_MEMORY;
    }
    *out = learner;
    return LOTOR_OK;
}

void lotor_own_free(lotor_own_learner *learner)
{
    if (learner) {
        free(learner->sums);
        free(learner->counts);
        free(learner->batch_sums);
        free(learner->batch_counts);
        free(learner->batches);
        free(learner->times);
        free(learner->index);
        free(learner->answer);
        free(learner->masked);
        free(learner->tie);
        free(learner->order);
        free(learner->picked);
        free(learner->is_taken);
        free(learner->work);
        free(learner);
    }
}

/* --- the board ---------------------------------------------------------------------------------- */

/* A released sum for rewards in [0,1]. Bits: each report is 1 with probability truth or lie, so the
 * result is an unbiased estimate. */
static double scaled(const lotor_own_learner *learner, const lotor_fact *fact)
{
    const double n = (double)fact->count;
    switch (learner->setup.reading) {
    case LOTOR_OWN_BITS:
        return (fact->value - n * learner->lie) / (learner->truth - learner->lie);
    case LOTOR_OWN_CLICKS:
        return fact->value;
    case LOTOR_OWN_LATEST:
    case LOTOR_OWN_ADDED:
        break;
    }
    return (fact->value - learner->setup.low * n) / learner->width;
}

/* Reads the releases of an arm that are not in the arrays yet. A release never changes. */
static void read_added(lotor_own_learner *learner, const lotor_board *board, size_t arm)
{
    uint64_t *batches = &learner->batches[arm];
    while (*batches < learner->setup.rows &&
           lotor_board_at(board, (size_t)*batches, arm)->time > 0) {
        const lotor_fact *fact = lotor_board_at(board, (size_t)*batches, arm);
        const size_t place = (size_t)*batches * learner->arms + arm;
        learner->batch_sums[place] = scaled(learner, fact);
        learner->batch_counts[place] = (double)fact->count;
        learner->sums[arm] += learner->batch_sums[place];
        learner->counts[arm] += learner->batch_counts[place];
        learner->times[arm] = fact->time;
        ++*batches;
    }
}

static void read_latest(lotor_own_learner *learner, const lotor_board *board, size_t arm)
{
    const lotor_fact *fact = lotor_board_at(board, 0, arm);
    if (fact->time == learner->times[arm] || fact->count == 0) {
        return; /* count 0: noise alone, of an arm that was never recorded */
    }
    double looks = (double)fact->count;
    if (learner->setup.reading == LOTOR_OWN_CLICKS) {
        const lotor_fact *observed = lotor_board_at(board, 1, arm);
        if (observed->time != fact->time) {
            return; /* half of the release is not on the board yet */
        }
        looks = observed->value;
    }
    learner->times[arm] = fact->time;
    learner->batches[arm] = 1;
    learner->sums[arm] = scaled(learner, fact);
    learner->counts[arm] = looks;
}

static void read_board(lotor_own_learner *learner, const lotor_board *board)
{
    for (size_t i = 0; i < learner->arms; i++) {
        if (learner->setup.reading == LOTOR_OWN_ADDED) {
            read_added(learner, board, i);
        } else {
            read_latest(learner, board, i);
        }
    }
}

/* --- the function of the caller ----------------------------------------------------------------- */

/* The failure depends on released numbers and on the function alone, so it tells nothing private. */
static bool ask_index(lotor_own_learner *learner, uint64_t t)
{
    const lotor_own_setup *setup = &learner->setup;
    const lotor_recipe *recipe = setup->recipe;
    if (!recipe->index(recipe->context, t, &learner->view, learner->index)) {
        lotor_explain(&learner->failure, "%s: its index function failed in round %" PRIu64,
                      recipe->id, t);
        return false;
    }
    for (size_t i = 0; i < learner->arms; i++) {
        double *index = &learner->index[i];
        if (learner->batches[i] == 0 && !recipe->weighs_unseen) {
            *index = INFINITY;
            continue;
        }
        if (isnan(*index)) {
            lotor_explain(&learner->failure,
                          "%s: in round %" PRIu64 " its index function gave NaN for arm %zu, after "
                          "%" PRIu64 " releases: give a number or infinity",
                          recipe->id, t, i, learner->batches[i]);
            return false;
        }
        *index = setup->low + learner->width * *index;
        *index = setup->clip && *index > setup->high ? setup->high : *index;
    }
    return true;
}

static bool ask_choice(lotor_own_learner *learner, uint64_t t)
{
    const lotor_recipe *recipe = learner->setup.recipe;
    for (size_t i = 0; i < learner->slots; i++) {
        learner->answer[i] = UINT32_MAX; /* a place that is not filled in is found below */
    }
    if (!recipe->choose(recipe->context, t, &learner->view, learner->slots, learner->answer)) {
        lotor_explain(&learner->failure, "%s: its choose function failed in round %" PRIu64,
                      recipe->id, t);
        return false;
    }
    memset(learner->is_taken, 0, learner->arms * sizeof *learner->is_taken);
    for (size_t i = 0; i < learner->slots; i++) {
        const uint32_t arm = learner->answer[i];
        if (arm >= learner->arms || learner->is_taken[arm]) {
            lotor_explain(&learner->failure,
                          "%s: in round %" PRIu64 " its choose function picked arm %" PRIu32
                          " in place %zu: expected %zu different arms below %zu",
                          recipe->id, t, arm, i, learner->slots, learner->arms);
            return false;
        }
        learner->is_taken[arm] = true;
    }
    return true;
}

/* Is the function's latest answer still in use? */
static bool keeps_answer(const lotor_own_learner *learner, const lotor_board *board)
{
    return learner->is_answered && !learner->setup.recipe->asks_every_round &&
           learner->posts == lotor_board_posts(board);
}

/* Brings the function's answer up to date. */
static bool ask(lotor_own_learner *learner, const lotor_own_moment *now)
{
    if (keeps_answer(learner, now->board)) {
        return true;
    }
    read_board(learner, now->board);
    learner->view.shown = now->shown;
    learner->failure.text[0] = '\0';
    learner->posts = lotor_board_posts(now->board);
    learner->is_answered =
        learner->setup.recipe->index ? ask_index(learner, now->t) : ask_choice(learner, now->t);
    return learner->is_answered;
}

/* --- choices ------------------------------------------------------------------------------------ */

/* Lets the oracle pick by these indices. *strict: no two of them are equal, so that the pick does not
 * depend on ties. */
static size_t pick(lotor_own_learner *learner, const lotor_own_moment *now, const double *index,
                   bool *strict)
{
    for (size_t i = 0; i < learner->arms; i++) {
        learner->tie[i] = lotor_index_tie(now->seed, now->t, i, now->shown[i]);
    }
    lotor_oracle_order(learner->arms, index, learner->tie, learner->order);
    *strict = true;
    for (size_t i = 1; i < learner->arms; i++) {
        *strict = *strict && index[learner->order[i - 1]] > index[learner->order[i]];
    }
    const lotor_oracle *oracle = learner->setup.oracle;
    const size_t count =
        oracle->pick(oracle, index, learner->order, learner->work, learner->picked);
    assert(count <= learner->slots);
    return count;
}

/* Keeps the eligible arms of a pick; index.c explains why that is the best set of them. */
static size_t keep_eligible(lotor_own_learner *learner, const bool *eligible, size_t found)
{
    size_t count = 0;
    for (size_t i = 0; i < found; i++) {
        const uint32_t arm = learner->picked[i];
        if (eligible[arm]) {
            learner->picked[count++] = arm;
        }
    }
    return count;
}

static size_t pick_by_index(lotor_own_learner *learner, const lotor_own_moment *now, bool *strict)
{
    for (size_t i = 0; i < learner->arms && now->eligible; i++) {
        learner->masked[i] = now->eligible[i] ? learner->index[i] : -INFINITY;
    }
    size_t count = pick(learner, now, now->eligible ? learner->masked : learner->index, strict);
    if (now->eligible) {
        count = keep_eligible(learner, now->eligible, count);
    }
    if (learner->setup.oracle->takes_first && !learner->setup.ranked) {
        lotor_index_sort_set(learner->picked, count);
    }
    return count;
}

/* For how many rounds the pick stays the same. */
static uint64_t hold_of(const lotor_own_learner *learner, size_t count, lotor_room *room,
                        const void *context)
{
    uint64_t hold = UINT64_MAX / 2;
    for (size_t i = 0; i < count; i++) {
        const uint64_t left = room(context, learner->picked[i]);
        hold = left < hold ? left : hold;
    }
    return hold > 0 ? hold : 1;
}

size_t lotor_own_choose(lotor_own_learner *learner, const lotor_own_moment *now, lotor_room *room,
                        const void *context, const uint32_t **picked, uint64_t *hold)
{
    bool strict = true;
    size_t count = 0;
    *picked = learner->picked;
    *hold = 1;
    if (!ask(learner, now)) {
        return 0;
    }
    if (learner->setup.recipe->choose) {
        assert(!now->eligible);
        count = learner->slots;
        memcpy(learner->picked, learner->answer, count * sizeof *learner->answer);
        if (!learner->setup.ranked) {
            lotor_index_sort_set(learner->picked, count);
        }
    } else {
        count = pick_by_index(learner, now, &strict);
    }
    if (room && strict && !learner->setup.recipe->asks_every_round) {
        *hold = hold_of(learner, count, room, context);
    }
    return count;
}

const char *lotor_own_failure(const lotor_own_learner *learner)
{
    return learner->failure.text[0] ? learner->failure.text : NULL;
}

void lotor_own_save(const lotor_own_learner *learner, const lotor_board *board,
                    lotor_writer *writer)
{
    const bool keeps = keeps_answer(learner, board);
    lotor_write_u64(writer, keeps);
    for (size_t i = 0; i < learner->arms && keeps && learner->setup.recipe->index; i++) {
        lotor_write_double(writer, learner->index[i]);
    }
    for (size_t i = 0; i < learner->slots && keeps && learner->setup.recipe->choose; i++) {
        lotor_write_u64(writer, learner->answer[i]);
    }
}

void lotor_own_load(lotor_own_learner *learner, const lotor_board *board, lotor_reader *reader)
{
    const bool keeps = lotor_read_flag(reader);
    for (size_t i = 0; i < learner->arms && keeps && learner->setup.recipe->index; i++) {
        learner->index[i] = lotor_read_double(reader);
        lotor_read_expect(reader, !isnan(learner->index[i]));
    }
    for (size_t i = 0; i < learner->slots && keeps && learner->setup.recipe->choose; i++) {
        const uint64_t arm = lotor_read_u64(reader);
        lotor_read_expect(reader, arm < learner->arms && !learner->is_taken[arm]);
        if (reader->status == LOTOR_OK) {
            learner->is_taken[arm] = true;
            learner->answer[i] = (uint32_t)arm;
        }
    }
    learner->posts = lotor_board_posts(board);
    learner->is_answered = keeps && reader->status == LOTOR_OK;
}

double lotor_own_at(const lotor_own_learner *learner, size_t arm)
{
    assert(arm < learner->arms);
    return learner->index[arm];
}

const uint32_t *lotor_own_seeds(const lotor_own_learner *learner)
{
    return lotor_oracle_seeds(learner->setup.oracle, learner->work);
}

double lotor_own_value(const lotor_own_learner *learner, const double *means, const uint32_t *set,
                       size_t count)
{
    return lotor_oracle_value(learner->setup.oracle, means, set, count, learner->work);
}
