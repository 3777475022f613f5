/* statistic_cube.c - cube reports: all rewards of a round in one report (local/cube.md).
 *
 * Two whole numbers are kept per arm: the sum of its signs, and the number of reports. The estimate
 * from a sign z is low + (high - low) (1 + B z)/2. If epsilon is infinite, there are no reports,
 * and the rewards are summed instead.
 */
#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/ratio.h"
#include "privacy/local/cube.h"
#include "privacy/release/statistic_kind.h"

typedef struct arm_sum {
    int64_t sum; /* of signs, or of rewards in units */
    uint64_t count;
    uint64_t time; /* of the latest report */
} arm_sum;

typedef struct cubes {
    lotor_cube law;
    bool plain; /* epsilon is infinite */
    size_t arms;
    int64_t least;
    uint64_t width;
    double unit;
    arm_sum of[];
} cubes;

static lotor_status make(lotor_statistic *statistic, const lotor_release_params *params,
                         lotor_message *why, void **state)
{
    lotor_cube law = {.bias = 1.0};
    const bool plain = lotor_ratio_is_infinite(params->epsilon);
    const lotor_status status =
        plain ? LOTOR_OK : lotor_cube_make(params->slots, params->epsilon, why, &law);
    if (status != LOTOR_OK) {
        return status;
    }
    size_t bytes;
    cubes *made = NULL;
    if (!__builtin_mul_overflow(statistic->arms, sizeof(arm_sum), &bytes) &&
        !__builtin_add_overflow(bytes, sizeof *made, &bytes)) {
        made = calloc(1, bytes);
    }
    if (!made) {
        return LOTOR_MEMORY;
    }
    *made = (cubes){.law = law,
                    .plain = plain,
                    .arms = statistic->arms,
                    .least = params->least,
                    .width = (uint64_t)params->width,
                    .unit = statistic->unit};
    *state = made;
    return LOTOR_OK;
}

static void add(arm_sum *shown, int64_t value, uint64_t time)
{
    shown->sum = lotor_release_plus(shown->sum, value);
    shown->count++;
    shown->time = time;
}

/* `signs` is the report: a bit per slot. */
static void take_round(lotor_statistic *statistic, const uint32_t *arms, int64_t signs,
                       size_t count, uint64_t time)
{
    cubes *mine = statistic->whole.state;
    for (size_t i = 0; i < count; i++) {
        add(&mine->of[arms[i]], (uint64_t)signs >> i & 1 ? 1 : -1, time);
    }
}

static lotor_status insert_round(lotor_statistic *statistic, const uint32_t *arms,
                                 const int64_t *values, size_t count, uint64_t time,
                                 lotor_noise *noise)
{
    cubes *mine = statistic->whole.state;
    assert(mine->plain || count <= mine->law.slots);
    uint64_t parts[LOTOR_CUBE_MAX] = {0}, report = 0;
    for (size_t i = 0; i < count; i++) {
        if (mine->plain) {
            add(&mine->of[arms[i]], values[i], time);
        } else {
            parts[i] = (uint64_t)values[i] - (uint64_t)mine->least;
        }
    }
    if (mine->plain) {
        return LOTOR_OK;
    }
    const lotor_status status =
        lotor_cube_report(&mine->law, parts, count, mine->width, noise, &report);
    lotor_wipe(parts, sizeof parts); /* a person's raw rewards */
    if (status == LOTOR_OK) {
        take_round(statistic, arms, (int64_t)report, count, time);
    }
    return status;
}

static lotor_status post(const lotor_statistic *statistic, size_t arm, lotor_board *board)
{
    const cubes *mine = statistic->whole.state;
    const arm_sum *shown = &mine->of[arm];
    if (shown->time == 0) {
        return LOTOR_OK;
    }
    double units = (double)shown->sum;
    if (!mine->plain) {
        const double n = (double)shown->count;
        units = n * (double)mine->least +
                0.5 * (double)mine->width * (n + mine->law.bias * (double)shown->sum);
    }
    return lotor_board_post(board, 0, arm,
                            (lotor_fact){units * mine->unit, shown->count, shown->time});
}

static double noise_of(const lotor_statistic *statistic)
{
    const cubes *mine = statistic->whole.state;
    return mine->plain ? 0.0 : 0.5 * mine->law.bias * (double)mine->width * mine->unit;
}

static double spread(const lotor_statistic *statistic)
{
    return ((const cubes *)statistic->whole.state)->law.bias;
}

static void save(const lotor_statistic *statistic, lotor_writer *writer)
{
    const cubes *mine = statistic->whole.state;
    for (size_t i = 0; i < mine->arms; i++) {
        lotor_write_i64s(writer, &mine->of[i].sum, 1);
        lotor_write_u64(writer, mine->of[i].count);
        lotor_write_u64(writer, mine->of[i].time);
    }
}

static void load(lotor_statistic *statistic, size_t arms, lotor_reader *reader)
{
    cubes *mine = statistic->whole.state;
    for (size_t i = 0; i < arms; i++) {
        arm_sum *shown = &mine->of[i];
        lotor_read_i64s(reader, &shown->sum, 1);
        shown->count = lotor_read_u64(reader);
        shown->time = lotor_read_u64(reader);
        const uint64_t size = shown->sum < 0 ? 0 - (uint64_t)shown->sum : (uint64_t)shown->sum;
        lotor_read_expect(reader, mine->plain || size <= shown->count);
        lotor_read_expect(reader, (shown->time > 0) == (shown->count > 0));
    }
}

const lotor_statistic_kind lotor_statistic_cube_reports = {
    .name = "cube reports",
    .noise = "randomized signs (scale: size of an estimate around the middle) as",
    .law = LOTOR_LAW_LAPLACE,
    .claim = {LOTOR_MECHANISM_CUBE, LOTOR_MODEL_LOCAL, LOTOR_CLAIM_SETS, NULL},
    .is_at_once = true,
    .report = LOTOR_REPORT_CUBE,
    .plan = lotor_statistic_plan_none,
    .make = make,
    .free = free,
    .insert_round = insert_round,
    .take_round = take_round,
    .save = save,
    .load = load,
    .post = post,
    .noise_of = noise_of,
    .spread = spread,
};
