/* change.c - see change.h. */
#include "world/change.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/quote.h"
#include "base/random/laws.h"
#include "base/records.h"

/* --- the text ----------------------------------------------------------------------------------- */

/* Reads "N". */
static bool read_parts(lotor_slice text, lotor_change *out)
{
    return lotor_slice_whole(text, LOTOR_CHANGE_PARTS_MAX, &out->parts) && out->parts > 0;
}

/* Reads "S". */
static bool read_walk(lotor_slice text, lotor_change *out)
{
    return lotor_slice_share(text, &out->deviation) && out->deviation > 0;
}

/* Reads the first field before the separator, or the rest of the text. Returns whether more
 * follows. */
static bool cut_or_rest(lotor_slice *rest, const char *separator, lotor_slice *field)
{
    if (lotor_slice_cut(rest, separator, field)) {
        return true;
    }
    *field = *rest;
    return false;
}

static size_t count_fields(lotor_slice text, const char *separator)
{
    size_t count = 1;
    for (lotor_slice field; lotor_slice_cut(&text, separator, &field);) {
        count++;
    }
    return count;
}

/* Reads a row: "1e4=0.5,0.4". */
static bool read_row(lotor_slice text, lotor_change *out, size_t row)
{
    lotor_slice field;
    double round;
    if (!lotor_slice_cut(&text, "=", &field) || !lotor_slice_number(field, &round) ||
        !(round >= 1.0 && round <= 0x1p53)) {
        return false;
    }
    out->rounds[row] = (uint64_t)round;
    bool fine = (double)out->rounds[row] == round &&
                (row == 0 || out->rounds[row] > out->rounds[row - 1]) &&
                count_fields(text, ",") == out->arms;
    for (size_t i = 0; fine && i < out->arms; i++) {
        (void)cut_or_rest(&text, ",", &field);
        fine = lotor_slice_share(field, &out->means[row * out->arms + i]);
    }
    return fine;
}

/* Reads the rows of steps and lines. *failed: there is no memory. */
static bool read_rows(lotor_slice text, lotor_change *out, bool *failed)
{
    lotor_slice rest = text, row;
    (void)cut_or_rest(&rest, ";", &row);
    out->rows = count_fields(text, ";");
    out->arms = count_fields(row, ",");
    if (out->rows > LOTOR_CHANGE_PARTS_MAX) {
        return false;
    }
    out->rounds = calloc(out->rows, sizeof *out->rounds);
    out->means = calloc(out->rows * out->arms, sizeof *out->means);
    *failed = !out->rounds || !out->means;
    bool fine = !*failed;
    for (size_t i = 0; fine && i < out->rows; i++) {
        (void)cut_or_rest(&text, ";", &row);
        fine = read_row(row, out, i);
    }
    return fine;
}

lotor_status lotor_change_read(const char *text, lotor_message *why, lotor_change *out)
{
    static const char *const names[] = {"fixed", "swaps", "drift", "steps", "lines", "walk"};
    *out = (lotor_change){.kind = LOTOR_CHANGE_NONE, .parts = 1};
    if (!text) {
        return LOTOR_OK;
    }
    const size_t length = strcspn(text, ":");
    size_t kind = 0;
    while (kind < sizeof names / sizeof *names &&
           (strlen(names[kind]) != length || memcmp(names[kind], text, length) != 0)) {
        kind++;
    }
    const bool has_more = text[length] == ':';
    const char *more = text + length + has_more;
    const lotor_slice rest = {more, strlen(more)};
    bool fine = false, failed = false;
    *out = (lotor_change){.kind = (lotor_change_kind)kind, .parts = LOTOR_CHANGE_PARTS};
    switch (out->kind) {
    case LOTOR_CHANGE_NONE:
        fine = !has_more;
        break;
    case LOTOR_CHANGE_SWAPS:
    case LOTOR_CHANGE_DRIFT:
        fine = !has_more || read_parts(rest, out);
        break;
    case LOTOR_CHANGE_STEPS:
    case LOTOR_CHANGE_LINES:
        fine = has_more && read_rows(rest, out, &failed);
        break;
    case LOTOR_CHANGE_WALK:
        fine = has_more && read_walk(rest, out);
        break;
    }
    if (fine) {
        return LOTOR_OK;
    }
    lotor_change_clear(out);
    return failed
               ? lotor_world_out_of_memory(why)
               : lotor_fail(LOTOR_INVALID, why,
                            "world %s: expected fixed, swaps:N or drift:N with N parts, from 1 to "
                            "%d in digits, steps:ROUND=MEANS or lines:ROUND=MEANS such as "
                            "steps:1e3=0.5,0.4;5e3=0.2,0.6 with rounds in order and at most %d "
                            "rows, or walk:S with S above 0 and at most 1",
                            lotor_quote_text(text).text, (int)LOTOR_CHANGE_PARTS_MAX,
                            (int)LOTOR_CHANGE_PARTS_MAX);
}

void lotor_change_clear(lotor_change *change)
{
    free(change->rounds);
    free(change->means);
    *change = (lotor_change){.kind = LOTOR_CHANGE_NONE, .parts = 1};
}

/* --- means -------------------------------------------------------------------------------------- */

/* The means that the world was made with. */
static const double *means_of(const lotor_world *world)
{
    return world->targets ? world->targets : world->means;
}

/* The mean of an arm in part number `part`, from 0. */
static double mean_in(const lotor_world *world, uint64_t part, size_t arm)
{
    const size_t moved = (size_t)(part % world->arms);
    return means_of(world)[(arm + world->arms - moved) % world->arms];
}

/* The means in part number `part`, a share `into` of the way to the next. */
static void fill_means(const lotor_world *world, uint64_t part, double into, double *means)
{
    for (size_t i = 0; i < world->arms; i++) {
        const double from = mean_in(world, part, i), to = mean_in(world, part + 1, i);
        means[i] = from + into * (to - from); /* between the two, so in [0,1] */
    }
}

/* floor(horizon * number / count), without overflow. */
static uint64_t start_of(uint64_t horizon, uint64_t number, uint64_t count)
{
    return horizon / count * number + horizon % count * number / count;
}

/* The means of a list in the middle of a round: `round` may lie between two rounds. */
static void fill_listed(const lotor_world *world, const lotor_change *change, double round,
                        double *means)
{
    size_t next = 0;
    while (next < change->rows && (double)change->rounds[next] <= round) {
        next++;
    }
    const double *from = next > 0 ? change->means + (next - 1) * change->arms : means_of(world);
    memcpy(means, from, change->arms * sizeof *means);
    if (change->kind != LOTOR_CHANGE_LINES || next == change->rows) {
        return;
    }
    const double start = next > 0 ? (double)change->rounds[next - 1] : 1.0;
    const double share = (round - start) / ((double)change->rounds[next] - start);
    const double *to = change->means + next * change->arms;
    for (size_t i = 0; i < change->arms; i++) {
        means[i] = from[i] + share * (to[i] - from[i]);
    }
}

/* Moves each mean by one step of the walk. */
static void walk(lotor_generator *generator, double deviation, size_t arms, double *means)
{
    for (size_t i = 0; i < arms; i++) {
        const double moved = fabs(means[i] + deviation * lotor_random_gaussian(generator));
        const double rest = fmod(moved, 2.0); /* reflected at 0 above, and at 1 here */
        means[i] = rest > 1.0 ? 2.0 - rest : rest;
    }
}

/* --- pieces ------------------------------------------------------------------------------------- */

/* Adds a piece from round first + 1 on. */
static lotor_status add_piece(const lotor_world *world, uint64_t first, const double *means,
                              lotor_message *why, lotor_changing_world *out)
{
    assert(out->count < LOTOR_DRIFT_STEPS + 1);
    lotor_world_piece *piece = &out->pieces[out->count];
    piece->first = first;
    const lotor_status status = world->with_means(world, means, why, &piece->world);
    out->count += status == LOTOR_OK;
    return status;
}

/* Swaps and drift. */
static lotor_status make_parts(const lotor_world *world, const lotor_change *change,
                               uint64_t horizon, double *means, lotor_message *why,
                               lotor_changing_world *out)
{
    const bool drifts = change->kind == LOTOR_CHANGE_DRIFT;
    const uint64_t longest = horizon < LOTOR_DRIFT_STEPS ? horizon : LOTOR_DRIFT_STEPS;
    const uint64_t wanted = drifts ? longest / change->parts : 1;
    const uint64_t steps = wanted > 0 ? wanted : 1; /* in each part */
    const uint64_t most = change->parts * steps;
    assert(most <= LOTOR_DRIFT_STEPS);
    lotor_status status = LOTOR_OK;
    for (uint64_t i = 0; i < most && status == LOTOR_OK; i++) {
        const uint64_t first = start_of(horizon, i, most);
        if (first == start_of(horizon, i + 1, most)) {
            continue; /* the horizon is so short that this piece has no round */
        }
        const double middle = ((double)(i % steps) + 0.5) / (double)steps;
        fill_means(world, i / steps, drifts ? middle : 0.0, means);
        status = add_piece(world, first, means, why, out);
    }
    return status;
}

static lotor_status make_steps(const lotor_world *world, const lotor_change *change,
                               uint64_t horizon, double *means, lotor_message *why,
                               lotor_changing_world *out)
{
    lotor_status status = LOTOR_OK;
    if (change->rounds[0] > 1) {
        status = add_piece(world, 0, means_of(world), why, out);
    }
    for (size_t i = 0; i < change->rows && change->rounds[i] <= horizon && status == LOTOR_OK;
         i++) {
        fill_listed(world, change, (double)change->rounds[i], means);
        status = add_piece(world, change->rounds[i] - 1, means, why, out);
    }
    return status;
}

/* Lines and walks. */
static lotor_status make_staircase(const lotor_world *world, const lotor_change *change,
                                   uint64_t horizon, uint64_t seed, double *means,
                                   lotor_message *why, lotor_changing_world *out)
{
    const uint64_t steps = horizon < LOTOR_DRIFT_STEPS ? horizon : LOTOR_DRIFT_STEPS;
    const double deviation = change->deviation / sqrt((double)steps);
    lotor_generator generator;
    lotor_generator_seed(&generator, lotor_mix(seed ^ UINT64_C(0x77616c6b2d6f6e65)));
    memcpy(means, means_of(world), world->arms * sizeof *means);
    lotor_status status = LOTOR_OK;
    for (uint64_t i = 0; i < steps && status == LOTOR_OK; i++) {
        const uint64_t first = start_of(horizon, i, steps), end = start_of(horizon, i + 1, steps);
        if (change->kind == LOTOR_CHANGE_WALK) {
            walk(&generator, deviation, world->arms, means);
        } else {
            fill_listed(world, change, ((double)first + 1.0 + (double)end) / 2.0, means);
        }
        status = add_piece(world, first, means, why, out);
    }
    return status;
}

static lotor_status make_pieces(const lotor_world *world, const lotor_change *change,
                                uint64_t horizon, uint64_t seed, double *means, lotor_message *why,
                                lotor_changing_world *out)
{
    switch (change->kind) {
    case LOTOR_CHANGE_STEPS:
        return make_steps(world, change, horizon, means, why, out);
    case LOTOR_CHANGE_LINES:
    case LOTOR_CHANGE_WALK:
        return make_staircase(world, change, horizon, seed, means, why, out);
    case LOTOR_CHANGE_NONE:
    case LOTOR_CHANGE_SWAPS:
    case LOTOR_CHANGE_DRIFT:
        break;
    }
    return make_parts(world, change, horizon, means, why, out);
}

lotor_status lotor_changing_world_make(const lotor_world *world, const lotor_change *change,
                                       uint64_t horizon, uint64_t seed, lotor_message *why,
                                       lotor_changing_world *out)
{
    *out = (lotor_changing_world){0};
    assert(change->kind != LOTOR_CHANGE_NONE && change->parts > 0 && horizon > 0);
    if (!world->with_means) {
        return lotor_fail(LOTOR_INVALID, why,
                          "the rewards of this world are recorded, so its means can't change: give "
                          "means, or another instance");
    }
    assert(change->rows == 0 || change->arms == world->arms);
    out->pieces = calloc(LOTOR_DRIFT_STEPS + 1, sizeof *out->pieces);
    double *means = calloc(world->arms, sizeof *means);
    lotor_status status = LOTOR_OK;
    if (out->pieces && means) {
        status = make_pieces(world, change, horizon, seed, means, why, out);
    } else {
        status = lotor_world_out_of_memory(why);
    }
    free(means);
    if (status != LOTOR_OK) {
        lotor_changing_world_clear(out);
    }
    return status;
}

static bool is_like_the_row_before(const lotor_mean_rows *rows, size_t arms, size_t row)
{
    const double *means = rows->means + row * arms;
    return row > 0 && memcmp(means, means - arms, arms * sizeof *means) == 0;
}

lotor_status lotor_changing_world_of_rows(const lotor_world *world, const lotor_mean_rows *rows,
                                          uint64_t horizon, lotor_message *why,
                                          lotor_changing_world *out)
{
    const size_t arms = world->arms;
    assert(world->with_means && rows->count > 0 && horizon > 0);
    *out = (lotor_changing_world){0};
    size_t end = 0, needed = 0;
    for (; end < rows->count && (rows->starts ? rows->starts[end] : end) < horizon; end++) {
        needed += !is_like_the_row_before(rows, arms, end);
    }
    out->pieces = calloc(needed, sizeof *out->pieces);
    lotor_status status = out->pieces ? LOTOR_OK : lotor_world_out_of_memory(why);
    for (size_t row = 0; row < end && status == LOTOR_OK; row++) {
        if (is_like_the_row_before(rows, arms, row)) {
            continue;
        }
        lotor_world_piece *piece = &out->pieces[out->count];
        piece->first = rows->starts ? rows->starts[row] : row;
        status = world->with_means(world, rows->means + row * arms, why, &piece->world);
        out->count += status == LOTOR_OK;
    }
    if (status != LOTOR_OK) {
        lotor_changing_world_clear(out);
    }
    return status;
}

void lotor_changing_world_clear(lotor_changing_world *changing)
{
    for (size_t i = 0; changing->pieces && i < changing->count; i++) {
        lotor_world_free(changing->pieces[i].world);
    }
    free(changing->pieces);
    *changing = (lotor_changing_world){0};
}
