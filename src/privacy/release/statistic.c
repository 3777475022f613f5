/* statistic.c - the code that all statistics share (statistic.h; statistic.md has the proofs).
 *
 * An observation is fed once. The release that it causes is posted until it is on the board.
 */
#include "privacy/release/statistic.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "privacy/release/statistic_kind.h"

#define ADDRESS(name) &lotor_statistic_##name,
const lotor_statistic_kind *const lotor_statistics[] = {LOTOR_STATISTICS(ADDRESS) NULL};
#undef ADDRESS

const lotor_statistic_kind *lotor_statistic_counter(const char *name)
{
    for (size_t i = 0; lotor_statistics[i]; i++) {
        const lotor_statistic_kind *kind = lotor_statistics[i];
        if (kind->counter && strcmp(kind->counter, name) == 0) {
            return kind;
        }
    }
    return NULL;
}

/* --- properties of the row ------------------------------------------------------------------- */

size_t lotor_statistic_rows(const lotor_statistic_kind *kind, uint64_t horizon)
{
    if (kind->is_closed_outside) {
        return lotor_chosen_rows(horizon);
    }
    if (kind->keeps_batches) {
        return lotor_schedule_count(kind->schedule, horizon);
    }
    return kind->hears_lists ? 2 : 1;
}

uint64_t lotor_statistic_displays(const lotor_statistic_kind *kind, uint64_t shown)
{
    return kind->schedule ? lotor_schedule_end(kind->schedule, shown) - shown : 1;
}

bool lotor_statistic_is_end(const lotor_statistic_kind *kind, uint64_t shown)
{
    return !kind->schedule || lotor_schedule_opens(kind->schedule, shown);
}

lotor_status lotor_statistic_plan_once(const lotor_release_params *params, lotor_message *why,
                                       uint64_t *scale, uint64_t *horizon)
{
    const lotor_status status = lotor_release_scale(params, LOTOR_LAW_LAPLACE, 1, why, scale);
    return status == LOTOR_OK ? lotor_release_fits(params, *scale, 1, why, horizon) : status;
}

lotor_status lotor_statistic_plan_none(const lotor_release_params *params, lotor_message *why,
                                       uint64_t *scale, uint64_t *horizon)
{
    *scale = 0;
    return lotor_release_fits(params, 0, 1, why, horizon);
}

/* --- constructor and destructor -------------------------------------------------------------- */

static lotor_status make_states(lotor_statistic *statistic, const lotor_release_params *params,
                                lotor_message *why)
{
    const lotor_statistic_kind *kind = statistic->kind;
    lotor_status status =
        kind->make ? kind->make(statistic, params, why, &statistic->whole.state) : LOTOR_OK;
    for (size_t i = 0; i < statistic->arms && kind->make_arm && status == LOTOR_OK; i++) {
        status = kind->make_arm(statistic, params, why, &statistic->parts[i].state);
    }
    return status;
}

lotor_status lotor_statistic_new(const lotor_statistic_kind *kind, size_t arms,
                                 const lotor_release_params *params, double unit,
                                 lotor_message *why, lotor_statistic **out)
{
    assert(kind && kind->plan && kind->post && (kind->insert || kind->insert_round) && arms > 0);
    *out = NULL;
    uint64_t scale, horizon;
    lotor_status status = kind->plan(params, why, &scale, &horizon);
    if (status != LOTOR_OK) {
        return status;
    }
    size_t bytes;
    lotor_statistic *statistic = NULL;
    if (!__builtin_mul_overflow(arms, sizeof(lotor_statistic_part), &bytes) &&
        !__builtin_add_overflow(bytes, sizeof *statistic, &bytes)) {
        statistic = calloc(1, bytes);
    }
    if (!statistic) {
        return LOTOR_MEMORY;
    }
    statistic->kind = kind;
    statistic->arms = arms;
    statistic->scale = scale;
    statistic->horizon = horizon;
    statistic->unit = unit;
    status = make_states(statistic, params, why);
    if (status != LOTOR_OK) {
        lotor_statistic_free(statistic);
        return status;
    }
    *out = statistic;
    return LOTOR_OK;
}

void lotor_statistic_free(lotor_statistic *statistic)
{
    if (!statistic) {
        return;
    }
    const lotor_statistic_kind *kind = statistic->kind;
    for (size_t i = 0; i < statistic->arms; i++) {
        if (statistic->parts[i].state) {
            kind->free_arm(statistic->parts[i].state);
        }
    }
    if (statistic->whole.state) {
        kind->free(statistic->whole.state);
    }
    free(statistic);
}

uint64_t lotor_statistic_scale(const lotor_statistic *statistic)
{
    return statistic->scale;
}

double lotor_statistic_noise(const lotor_statistic *statistic)
{
    return statistic->kind->noise_of ? statistic->kind->noise_of(statistic)
                                     : (double)statistic->scale * statistic->unit;
}

double lotor_statistic_spread(const lotor_statistic *statistic)
{
    return statistic->kind->spread ? statistic->kind->spread(statistic) : 1.0;
}

uint64_t lotor_statistic_room(const lotor_statistic *statistic, size_t arm)
{
    assert(arm < statistic->arms);
    return statistic->kind->room ? statistic->kind->room(statistic, arm) : 1;
}

/* --- feeding arm by arm ---------------------------------------------------------------------- */

lotor_status lotor_statistic_begin(lotor_statistic *statistic, const int64_t *first,
                                   lotor_board *board)
{
    statistic->begun = 1;
    for (size_t i = 0; i < statistic->arms; i++) {
        statistic->parts[i].sum = first[i];
        statistic->parts[i].count = 1;
        const lotor_status status = statistic->kind->post(statistic, i, board);
        if (status != LOTOR_OK) {
            return status;
        }
    }
    return LOTOR_OK;
}

/* Posts the release of an arm if it is not on the board yet. */
static inline lotor_status post_due(const lotor_statistic_kind *kind, lotor_statistic *statistic,
                                    size_t arm, lotor_board *board)
{
    lotor_statistic_part *part = &statistic->parts[arm];
    if (!part->due) {
        return LOTOR_OK;
    }
    const lotor_status status = kind->post(statistic, arm, board);
    part->due = status != LOTOR_OK;
    return status;
}

/* lotor_statistic_feed, inlined also into the loop over the arms of a round: simulations spend
 * their time here. */
static inline lotor_status feed_arm(const lotor_statistic_kind *kind, lotor_statistic *statistic,
                                    size_t arm, const int64_t *sum, uint64_t rounds, uint64_t time,
                                    lotor_noise *noise, lotor_board *board)
{
    assert(arm < statistic->arms && rounds > 0);
    lotor_statistic_part *part = &statistic->parts[arm];
    if (time != part->fed) { /* equal: it is in, and only its release has to be posted */
        bool due = true;
        const lotor_status status = kind->insert(statistic, part, sum, rounds, noise, &due);
        if (status != LOTOR_OK) {
            return status;
        }
        part->fed = time;
        part->due = due;
    }
    return post_due(kind, statistic, arm, board);
}

lotor_status lotor_statistic_feed(lotor_statistic *statistic, size_t arm, int64_t sum,
                                  uint64_t rounds, uint64_t time, lotor_noise *noise,
                                  lotor_board *board)
{
    assert(!lotor_statistic_is_by_round(statistic->kind));
    return feed_arm(statistic->kind, statistic, arm, &sum, rounds, time, noise, board);
}

lotor_status lotor_statistic_skip(lotor_statistic *statistic, const lotor_skip *skip, uint64_t time,
                                  lotor_noise *noise, lotor_board *board, uint64_t *rounds)
{
    assert(skip->arm < statistic->arms && statistic->kind->skip);
    lotor_statistic_part *part = &statistic->parts[skip->arm];
    assert(!part->due && part->fed <= time);
    *rounds = statistic->kind->skip(statistic, part, skip, noise);
    if (*rounds == 0) {
        return LOTOR_OK;
    }
    part->fed = time + *rounds;
    part->due = true;
    return post_due(statistic->kind, statistic, skip->arm, board);
}

/* --- feeding whole rounds -------------------------------------------------------------------- */

/* Posts what the latest round released, if not all of it is on the board yet. Facts that are on the
 * board already are posted again, which changes nothing. */
static lotor_status post_round(lotor_statistic *statistic, const uint32_t *arms, size_t count,
                               lotor_board *board)
{
    const lotor_statistic_kind *kind = statistic->kind;
    const size_t posted = kind->releases_all ? statistic->arms : count;
    lotor_status status = LOTOR_OK;
    for (size_t i = 0; i < posted && statistic->whole.due && status == LOTOR_OK; i++) {
        status = kind->post(statistic, kind->releases_all ? i : arms[i], board);
    }
    statistic->whole.due = status != LOTOR_OK;
    return status;
}

lotor_status lotor_statistic_feed_round(lotor_statistic *statistic, const uint32_t *arms,
                                        const int64_t *values, size_t count, uint64_t time,
                                        lotor_noise *noise, lotor_board *board)
{
    const lotor_statistic_kind *kind = statistic->kind;
    lotor_status status = LOTOR_OK;
    if (!lotor_statistic_is_by_round(kind)) {
        for (size_t i = 0; i < count && status == LOTOR_OK; i++) {
            status = feed_arm(kind, statistic, arms[i], &values[i], 1, time, noise, board);
        }
        return status;
    }
    if (time != statistic->whole.fed) {
        status = kind->insert_round(statistic, arms, values, count, time, noise);
        if (status != LOTOR_OK) {
            return status;
        }
        statistic->whole.fed = time;
        statistic->whole.due = true;
    }
    return post_round(statistic, arms, count, board);
}

lotor_status lotor_statistic_feed_report(lotor_statistic *statistic, const uint32_t *arms,
                                         const int64_t *report, size_t count, uint64_t time,
                                         lotor_board *board)
{
    assert(statistic->kind->report != LOTOR_REPORT_NONE);
    if (lotor_statistic_is_by_round(statistic->kind)) {
        if (time != statistic->whole.fed) {
            statistic->kind->take_round(statistic, arms, report[0], count, time);
            statistic->whole.fed = time;
            statistic->whole.due = true;
        }
        return post_round(statistic, arms, count, board);
    }
    for (size_t i = 0; i < count; i++) {
        lotor_statistic_part *part = &statistic->parts[arms[i]];
        if (time != part->fed) {
            part->sum = lotor_release_plus(part->sum, report[i]);
            part->count++;
            part->fed = time;
            part->due = true;
        }
        const lotor_status status = post_due(statistic->kind, statistic, arms[i], board);
        if (status != LOTOR_OK) {
            return status;
        }
    }
    return LOTOR_OK;
}

/* --- saving and loading ---------------------------------------------------------------------- */

static bool saves_arms(const lotor_statistic_kind *kind)
{
    return kind->saves_arms || !lotor_statistic_is_by_round(kind);
}

static void save_arm(const lotor_statistic_kind *kind, const lotor_statistic_part *part,
                     lotor_writer *writer)
{
    lotor_write_u64(writer, part->fed);
    lotor_write_u64(writer, part->due);
    lotor_write_i64s(writer, &part->sum, 1);
    lotor_write_u64(writer, part->count);
    if (kind->save_arm) {
        kind->save_arm(part->state, writer);
    }
}

void lotor_statistic_save(const lotor_statistic *statistic, lotor_writer *writer)
{
    const lotor_statistic_kind *kind = statistic->kind;
    lotor_write_u64(writer, statistic->begun);
    for (size_t i = 0; i < statistic->arms && saves_arms(kind); i++) {
        save_arm(kind, &statistic->parts[i], writer);
    }
    if (lotor_statistic_is_by_round(kind)) {
        lotor_write_u64(writer, statistic->whole.fed);
        lotor_write_u64(writer, statistic->whole.due);
        kind->save(statistic, writer);
    }
}

static void load_arm(const lotor_statistic *statistic, lotor_statistic_part *part,
                     lotor_reader *reader)
{
    part->fed = lotor_read_u64(reader);
    part->due = lotor_read_flag(reader);
    lotor_read_i64s(reader, &part->sum, 1);
    part->count = lotor_read_u64(reader);
    if (statistic->kind->load_arm) {
        statistic->kind->load_arm(statistic, part->state, reader);
    }
}

void lotor_statistic_load(lotor_statistic *statistic, lotor_reader *reader)
{
    lotor_statistic_load_first(statistic, statistic->arms, reader);
}

void lotor_statistic_load_first(lotor_statistic *statistic, size_t arms, lotor_reader *reader)
{
    const lotor_statistic_kind *kind = statistic->kind;
    assert(arms <= statistic->arms && (arms == statistic->arms || !kind->releases_all));
    statistic->begun = lotor_read_flag(reader);
    for (size_t i = 0; i < arms && saves_arms(kind); i++) {
        load_arm(statistic, &statistic->parts[i], reader);
    }
    if (lotor_statistic_is_by_round(kind)) {
        statistic->whole.fed = lotor_read_u64(reader);
        statistic->whole.due = lotor_read_flag(reader);
        kind->load(statistic, arms, reader);
    }
}

bool lotor_statistic_fits(const lotor_statistic *statistic, const lotor_board *board,
                          const uint64_t *shown)
{
    assert(statistic->arms <= board->arms);
    bool fits = true;
    for (size_t i = 0; i < statistic->arms && statistic->kind->fits && fits; i++) {
        fits = statistic->kind->fits(statistic, i, board, shown[i]);
    }
    return fits;
}

/* --- counters -------------------------------------------------------------------------------- */

lotor_status lotor_statistic_add(lotor_statistic *statistic, const int64_t *value,
                                 lotor_noise *noise)
{
    assert(statistic->kind->counter && statistic->arms == 1);
    bool due = true;
    return statistic->kind->insert(statistic, &statistic->parts[0], value, 1, noise, &due);
}

lotor_running_sum lotor_statistic_running(const lotor_statistic *statistic)
{
    return statistic->kind->running(statistic->parts[0].state);
}

void lotor_statistic_describe(const lotor_statistic *statistic, char *sizes, size_t capacity)
{
    statistic->kind->describe(statistic->parts[0].state, sizes, capacity);
}

void lotor_statistic_save_counter(const lotor_statistic *statistic, lotor_writer *writer)
{
    statistic->kind->save_arm(statistic->parts[0].state, writer);
}

void lotor_statistic_load_counter(lotor_statistic *statistic, lotor_reader *reader)
{
    statistic->kind->load_arm(statistic, statistic->parts[0].state, reader);
}
