/* audit_couple.c - two policies in step, one of them made to release what the other released
 * (audit_couple.h). */
#include "lab/audit_couple.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/random/laws.h"

void lotor_couple_violate(lotor_couple *couple, const char *format, ...)
{
    if (!couple->is_violated) {
        couple->is_violated = true;
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(couple->violation, sizeof couple->violation, format, arguments);
        va_end(arguments);
    }
}

/* --- notes -------------------------------------------------------------------------------------- */

/* An array with room for `needed` elements, in place of `array`. NULL: no memory, and `array` stays
 * as it is. */
static void *grow(void *array, size_t *room, size_t needed, size_t size)
{
    if (needed <= *room) {
        return array;
    }
    const size_t more = needed > 2 * *room ? needed + 16 : 2 * *room;
    void *grown = realloc(array, more * size);
    *room = grown ? more : *room;
    return grown;
}

/* The same for an array of numbers. */
static bool grow_numbers(int64_t **array, size_t *room, size_t needed)
{
    int64_t *grown = grow(*array, room, needed, sizeof *grown);
    *array = grown ? grown : *array;
    return grown != NULL;
}

/* Keeps one note, and the exact numbers of a request. */
static lotor_status take_note(lotor_couple_world *world, const lotor_couple_note *note,
                              const int64_t *numbers)
{
    lotor_couple_notes *done = &world->done;
    const size_t count = note->request.count;
    lotor_couple_note *notes = grow(done->notes, &done->room, done->count + 1, sizeof *done->notes);
    done->notes = notes ? notes : done->notes;
    if (!notes || (count > 0 &&
                   !grow_numbers(&done->numbers, &done->number_room, done->number_count + count))) {
        return world->couple->status = LOTOR_MEMORY;
    }
    done->notes[done->count++] = *note;
    for (size_t i = 0; i < count; i++) {
        done->numbers[done->number_count++] = numbers[i];
    }
    return LOTOR_OK;
}

/* World 0: the exact number plus noise of its law. For Wishart noise, which is about a multiple of
 * the identity, number `place` of the triangle is on the diagonal or not. */
static int64_t release(lotor_couple *couple, const lotor_noise_request *request, size_t place,
                       int64_t exact)
{
    if (request->degrees > 0.0) {
        const size_t row = (size_t)((sqrt(8.0 * (double)place + 1.0) - 1.0) / 2.0 + 1e-9);
        const double size = place == row * (row + 3) / 2 ? request->degrees : 0.0;
        return (int64_t)((uint64_t)exact +
                         (uint64_t)lotor_noise_whole(size * (double)request->scale));
    }
    const double draw = request->law == LOTOR_LAW_LAPLACE
                            ? lotor_random_laplace(&couple->noise, 1.0)
                            : lotor_random_gaussian(&couple->noise);
    const int64_t noise = lotor_noise_whole(draw * couple->stretch * (double)request->scale);
    return (int64_t)((uint64_t)exact + (uint64_t)noise);
}

static bool is_same_request(const lotor_noise_request *one, const lotor_noise_request *other)
{
    return one->use == other->use && one->law == other->law && one->scale == other->scale &&
           one->count == other->count && one->degrees == other->degrees;
}

/* Numbers without noise are not replaced: if they differ, the worlds differ. */
static void replay(lotor_couple_world *world, const lotor_noise_request *request, int64_t *numbers)
{
    lotor_couple *couple = world->couple;
    const lotor_couple_notes *first = &couple->world[0].done;
    while (world->used_notes < first->count && first->notes[world->used_notes].request.count == 0) {
        world->used_notes++;
    }
    if (world->used_notes == first->count ||
        !is_same_request(&first->notes[world->used_notes].request, request)) {
        lotor_couple_violate(couple, "the worlds add noise to different numbers of releases");
        return;
    }
    world->used_notes++;
    for (size_t i = 0; i < request->count && request->scale > 0; i++) {
        numbers[i] = couple->released[world->used_numbers + i];
    }
    world->used_numbers += request->count;
}

static lotor_status add(lotor_noise_script *script, const lotor_noise_request *request,
                        int64_t *numbers)
{
    lotor_couple_world *world = (lotor_couple_world *)script;
    lotor_couple *couple = world->couple;
    if (request->count == 0) {
        return LOTOR_OK;
    }
    const lotor_couple_note note = {.request = *request};
    const lotor_status status = take_note(world, &note, numbers);
    if (status != LOTOR_OK) {
        return status;
    }
    if (world->is_second) {
        replay(world, request, numbers);
        return LOTOR_OK;
    }
    const size_t before = world->done.number_count - request->count;
    if (!grow_numbers(&couple->released, &couple->released_room, world->done.number_count)) {
        return couple->status = LOTOR_MEMORY;
    }
    for (size_t i = 0; i < request->count; i++) {
        numbers[i] = release(couple, request, i, numbers[i]);
        couple->released[before + i] = numbers[i];
    }
    return LOTOR_OK;
}

static lotor_status note_post(void *context, const lotor_arm_fact *released)
{
    const lotor_couple_note note = {
        .statistic = released->statistic,
        .arm = released->arm,
        .fact = {released->value, released->count, released->time},
    };
    return take_note(context, &note, NULL);
}

/* --- comparing ------------------------------------------------------------------------------------ */

static void compare_posts(lotor_couple *couple, const lotor_couple_note *one,
                          const lotor_couple_note *other)
{
    if (one->statistic != other->statistic || one->arm != other->arm) {
        lotor_couple_violate(couple, "the worlds release about different arms");
    } else if (one->fact.count != other->fact.count) {
        lotor_couple_violate(couple, "arm %zu: the worlds release different counts", one->arm);
    } else if (one->fact.time != other->fact.time) {
        lotor_couple_violate(couple, "arm %zu: the worlds release at different times", one->arm);
    } else if (one->fact.value != other->fact.value) {
        lotor_couple_violate(couple,
                             "arm %zu: the worlds release different numbers, although the noise "
                             "was chosen to make them equal",
                             one->arm);
    }
}

static void compare_requests(lotor_couple *couple, const lotor_couple_note *one, int64_t *numbers,
                             const int64_t *others)
{
    couple->releases += one->request.count;
    bool is_moved = false;
    for (size_t i = 0; i < one->request.count; i++) {
        numbers[i] = (int64_t)((uint64_t)numbers[i] - (uint64_t)others[i]);
        is_moved = is_moved || numbers[i] != 0;
    }
    couple->is_telling = couple->is_telling || is_moved;
    lotor_couple_loss_add(&couple->loss, &one->request, numbers);
    if (is_moved && !couple->is_replaced_final) {
        lotor_couple_violate(couple, "a release contains round %llu before that round is final",
                             (unsigned long long)couple->replaced);
    }
}

void lotor_couple_compare(lotor_couple *couple)
{
    lotor_couple_notes *one = &couple->world[0].done, *other = &couple->world[1].done;
    if (one->count != other->count || one->number_count != other->number_count) {
        lotor_couple_violate(couple, "one world releases more than the other");
    }
    size_t number = 0;
    for (size_t i = 0; i < one->count && !couple->is_violated; i++) {
        const lotor_couple_note *a = &one->notes[i], *b = &other->notes[i];
        if (!is_same_request(&a->request, &b->request)) {
            lotor_couple_violate(couple, "the worlds release in a different order");
        } else if (a->request.count > 0) {
            compare_requests(couple, a, one->numbers + number, other->numbers + number);
            number += a->request.count;
        } else {
            compare_posts(couple, a, b);
        }
    }
    for (size_t w = 0; w < 2; w++) {
        lotor_couple_world *world = &couple->world[w];
        world->done.count = world->done.number_count = 0;
        world->used_notes = world->used_numbers = 0;
    }
}

void lotor_couple_compare_all(lotor_couple *couple)
{
    const lotor_policy *first = couple->world[0].policy, *second = couple->world[1].policy;
    const lotor_board *one = first->board, *other = second->board;
    for (size_t i = 0; i < one->statistics * one->arms; i++) {
        if (one->facts[i].value != other->facts[i].value ||
            one->facts[i].count != other->facts[i].count ||
            one->facts[i].time != other->facts[i].time) {
            lotor_couple_violate(couple, "arm %zu: the boards of the worlds differ", i % one->arms);
        }
    }
    lotor_arm_sums values[2][2];
    lotor_policy_value_sums(first, &values[0][0], &values[0][1]);
    lotor_policy_value_sums(second, &values[1][0], &values[1][1]);
    for (size_t i = 0; i < 2; i++) {
        if (values[0][i].value != values[1][i].value || values[0][i].count != values[1][i].count) {
            lotor_couple_violate(couple, "the worlds publish different values of rounds");
        }
    }
    for (size_t arm = 0; arm < first->params.arms && !first->elimination; arm++) {
        uint64_t count, others;
        const double mean = lotor_policy_mean(first, arm, &count);
        if (mean != lotor_policy_mean(second, arm, &others) || count != others) {
            lotor_couple_violate(couple, "arm %zu: the worlds publish different means", arm);
        }
    }
}

static bool same_list(const uint32_t *one, size_t count, const uint32_t *other, size_t others)
{
    return count == others && (count == 0 || memcmp(one, other, count * sizeof *one) == 0);
}

void lotor_couple_same_decision(lotor_couple *couple, const lotor_decision *one,
                                const lotor_decision *other)
{
    couple->decisions++;
    if (one->event != other->event || one->hold != other->hold ||
        !same_list(one->arms, one->count, other->arms, other->count)) {
        lotor_couple_violate(couple, "round %llu: the worlds show different arms",
                             (unsigned long long)one->event);
    }
    if (!same_list(one->asked, one->asked_count, other->asked, other->asked_count) ||
        !same_list(one->seeds, one->seed_count, other->seeds, other->seed_count)) {
        lotor_couple_violate(couple, "round %llu: the worlds record different arms",
                             (unsigned long long)one->event);
    }
}

/* --- making and loading ----------------------------------------------------------------------------- */

static lotor_noise noise_of(lotor_couple_world *world)
{
    return lotor_noise_scripted(&world->script, &world->couple->coins[world->is_second]);
}

lotor_status lotor_couple_make(lotor_couple *couple, const lotor_policy_params *params,
                               const double *const first[2], double noise_scale, uint64_t seed,
                               lotor_message *why)
{
    lotor_generator_seed(&couple->noise, seed);
    lotor_status status = LOTOR_OK;
    for (size_t w = 0; w < 2 && status == LOTOR_OK; w++) {
        lotor_couple_world *world = &couple->world[w];
        world->script.add = add;
        world->couple = couple;
        world->is_second = w == 1;
        lotor_generator_seed(&couple->coins[w], seed + 1);
        lotor_policy_params mine = *params;
        mine.first = first[w];
        status =
            lotor_policy_new_with(&mine, noise_scale, noise_of(world), seed, why, &world->policy);
        if (status == LOTOR_OK) {
            lotor_policy_on_fact(world->policy, note_post, world);
        }
    }
    if (status == LOTOR_OK) {
        lotor_couple_compare_all(couple);
        status = couple->status;
    }
    return status;
}

lotor_status lotor_couple_evaluate(lotor_couple *couple, const lotor_evaluation_params *params,
                                   lotor_message *why)
{
    lotor_status status = LOTOR_OK;
    for (size_t w = 0; w < 2 && status == LOTOR_OK; w++) {
        lotor_couple_world *world = &couple->world[w];
        status = lotor_policy_evaluate(world->policy, params, why);
        if (status == LOTOR_OK) {
            lotor_policy_on_fact(world->policy, note_post, world); /* also about value */
        }
    }
    return status;
}

void lotor_couple_clear_worlds(lotor_couple *couple)
{
    for (size_t w = 0; w < 2; w++) {
        lotor_policy_free(couple->world[w].policy);
        lotor_policy_free(couple->world[w].chooser);
        couple->world[w].policy = couple->world[w].chooser = NULL;
        couple->world[w].done.count = couple->world[w].done.number_count = 0;
        couple->world[w].used_notes = couple->world[w].used_numbers = 0;
    }
}

void lotor_couple_clear(lotor_couple *couple)
{
    lotor_couple_clear_worlds(couple);
    for (size_t w = 0; w < 2; w++) {
        free(couple->world[w].done.notes);
        free(couple->world[w].done.numbers);
    }
    free(couple->released);
}

/* Saves the policy of a world and loads it. *out is NULL if it can't load what it saved, which is a
 * violation. */
static lotor_status copy_policy(lotor_couple_world *world, const lotor_policy_params *params,
                                lotor_message *why, lotor_policy **out)
{
    unsigned char *bytes;
    size_t length;
    *out = NULL;
    lotor_status status = lotor_policy_save(world->policy, &bytes, &length);
    if (status != LOTOR_OK) {
        return lotor_fail(status, why, "no memory to save a policy");
    }
    status = lotor_policy_load_with(bytes, length, params, noise_of(world), why, out);
    lotor_bytes_free(bytes, length);
    if (status == LOTOR_DAMAGED) {
        lotor_couple_violate(world->couple, "the policy can't load the state that it saved");
        return LOTOR_OK;
    }
    return status;
}

lotor_status lotor_couple_make_choosers(lotor_couple *couple, const lotor_policy_params *params,
                                        uint64_t seed, lotor_message *why)
{
    lotor_status status = LOTOR_OK;
    for (size_t w = 0; w < 2 && status == LOTOR_OK; w++) {
        lotor_couple_world *world = &couple->world[w];
        lotor_policy_free(world->chooser);
        status = copy_policy(world, params, why, &world->chooser);
        if (world->chooser) {
            lotor_policy_make_chooser(world->chooser, seed);
        }
    }
    return status;
}

lotor_status lotor_couple_draw_blank(lotor_couple_world *world, const double *contexts,
                                     const bool *eligible, lotor_message *why, lotor_decision *out,
                                     uint64_t *size)
{
    uint64_t number;
    lotor_chooser_expect(world->chooser, lotor_policy_rounds(world->policy) + 1);
    const lotor_status status = lotor_policy_draw(world->chooser, contexts, eligible, why, out);
    if (status != LOTOR_OK) {
        return status;
    }
    *size = lotor_chooser_size(world->chooser, out);
    if (lotor_policy_number(world->policy, 1, &number) == 0) {
        out->event = 0; /* past the horizon */
    }
    return LOTOR_OK;
}

lotor_status lotor_couple_reload(lotor_couple *couple, const lotor_policy_params *params,
                                 lotor_message *why)
{
    lotor_status status = LOTOR_OK;
    for (size_t w = 0; w < 2 && status == LOTOR_OK; w++) {
        lotor_couple_world *world = &couple->world[w];
        lotor_policy *loaded = NULL;
        status = copy_policy(world, params, why, &loaded);
        if (status == LOTOR_OK && !loaded) {
            return LOTOR_OK;
        }
        if (status == LOTOR_OK) {
            lotor_policy_free(world->policy);
            world->policy = loaded;
            lotor_policy_on_fact(world->policy, note_post, world);
        }
    }
    return status;
}
