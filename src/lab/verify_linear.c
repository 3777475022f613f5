/* verify_linear.c - verifies mechanisms whose outputs are sums of values and noises: the counters.
 *
 * The structure of a counter is found by driving its code: first with every draw 0 for each input,
 * then with one draw moved at a time. The outputs are o = A x + B z, where z are the draws. If B
 * can be inverted, the outputs tell as much as the vector B^-1 A x + z of noisy nodes. Then the
 * loss between two inputs is the sum over the nodes of |(B^-1 A (x - x'))_i| / b_i, a fraction. If
 * all noise cancels in a combination of outputs but a value does not, the loss is infinite.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "lab/verify.h"
#include "lab/verify_drive.h"
#include "privacy/release/statistic.h"
#include "privacy/release/tree.h"

enum { MOST_VALUES = 8, MOST_DRAWS = 16 };

typedef struct structure {
    size_t values, draws;
    int64_t size;                                 /* a value is 0 or this */
    int64_t value_part[MOST_VALUES][MOST_VALUES]; /* A[output][value], per unit */
    int64_t noise_part[MOST_VALUES][MOST_DRAWS];  /* B[output][draw] */
    uint64_t drawn[MOST_DRAWS];                   /* the scale of each draw */
    size_t nodes;                                 /* rows of B that remain after solving */
    uint64_t planned;                             /* the scale that the mechanism states */
} structure;

typedef struct driven_statistic {
    const lotor_statistic_kind *kind;
    lotor_release_params params;
    lotor_drive drive;
} driven_statistic;

/* Runs the counter. The values are the bits of `input`. Draw number `turned` equals its scale, and
 * the other draws are 0. *draws is the number of draws. */
static lotor_status run(driven_statistic *run, unsigned input, size_t turned, lotor_message *why,
                        int64_t *outputs, size_t *draws, uint64_t *planned)
{
    lotor_drive_clear(&run->drive);
    for (size_t i = 0; i < MOST_DRAWS; i++) {
        (i == turned ? lotor_drive_draw_scale : lotor_drive_zero)(&run->drive);
    }
    lotor_statistic *statistic;
    lotor_status status = lotor_statistic_new(run->kind, 1, &run->params, 1.0, why, &statistic);
    if (status != LOTOR_OK) {
        if (status == LOTOR_MEMORY) {
            lotor_explain(why, "not enough memory to drive %s", run->kind->counter);
        }
        return status;
    }
    *planned = lotor_statistic_scale(statistic);
    lotor_noise noise = lotor_drive_noise(&run->drive);
    for (uint64_t i = 0; status == LOTOR_OK && i < run->params.horizon; i++) {
        const int64_t value = input >> i & 1 ? (int64_t)run->params.l1 : 0;
        status = lotor_statistic_add(statistic, &value, &noise);
        outputs[i] = lotor_statistic_running(statistic).sum[0];
    }
    lotor_statistic_free(statistic);
    const size_t words = lotor_drive_read(&run->drive);
    *draws = turned < words / 3 ? (words - 1) / 3 : words / 3;
    if (status == LOTOR_OK && words != 3 * *draws + (turned < *draws)) {
        status = LOTOR_ENTROPY;
    }
    return status == LOTOR_OK
               ? LOTOR_OK
               : lotor_fail(LOTOR_DAMAGED, why, "%s does not draw as this verification expects",
                            run->kind->counter);
}

/* Finds the column of B for draw i: how it moves the outputs, per unit of the draw. */
static lotor_status find_column(driven_statistic *drive, structure *out, const int64_t *still,
                                size_t i, lotor_message *why)
{
    int64_t moved[MOST_VALUES];
    size_t draws;
    const lotor_status status = run(drive, 0, i, why, moved, &draws, &out->planned);
    uint64_t scale = 0;
    for (size_t t = 0; t < out->values && status == LOTOR_OK; t++) {
        const int64_t by = moved[t] - still[t];
        if (scale == 0) {
            scale = (uint64_t)(by < 0 ? -by : by);
        }
        out->noise_part[t][i] = (by > 0) - (by < 0);
        if (by != out->noise_part[t][i] * (int64_t)scale) {
            return lotor_fail(LOTOR_DAMAGED, why, "%s uses a draw in more than one size",
                              drive->kind->counter);
        }
    }
    out->drawn[i] = scale;
    return status;
}

static lotor_status find_structure(driven_statistic *drive, structure *out, lotor_message *why)
{
    int64_t still[MOST_VALUES], moved[MOST_VALUES];
    size_t draws;
    out->values = drive->params.horizon;
    out->size = (int64_t)drive->params.l1;
    lotor_status status = run(drive, 0, SIZE_MAX, why, still, &out->draws, &out->planned);
    for (size_t i = 0; status == LOTOR_OK && i < out->draws; i++) {
        status = find_column(drive, out, still, i, why);
    }
    for (size_t i = 0; status == LOTOR_OK && i < out->values; i++) {
        status = run(drive, 1U << i, SIZE_MAX, why, moved, &draws, &out->planned);
        for (size_t t = 0; status == LOTOR_OK && t < out->values; t++) {
            out->value_part[t][i] = (moved[t] - still[t]) / out->size;
        }
    }
    /* Try every input, to be sure that the outputs contain nothing but these sums. */
    for (unsigned input = 0; status == LOTOR_OK && input < 1U << out->values; input++) {
        status = run(drive, input, SIZE_MAX, why, moved, &draws, &out->planned);
        bool same = draws == out->draws;
        for (size_t t = 0; status == LOTOR_OK && t < out->values; t++) {
            int64_t sum = 0;
            for (size_t i = 0; i < out->values; i++) {
                sum += input >> i & 1 ? out->value_part[t][i] * out->size : 0;
            }
            same = same && moved[t] == sum;
        }
        if (status == LOTOR_OK && !same) {
            return lotor_fail(LOTOR_DAMAGED, why, "%s's outputs are not sums of its values",
                              drive->kind->counter);
        }
    }
    return status;
}

static void subtract_row(structure *out, size_t from, size_t row, int64_t times)
{
    for (size_t i = 0; i < out->values; i++) {
        out->value_part[from][i] -= times * out->value_part[row][i];
    }
    for (size_t i = 0; i < out->draws; i++) {
        out->noise_part[from][i] -= times * out->noise_part[row][i];
    }
}

static void swap_rows(structure *out, size_t a, size_t b)
{
    subtract_row(out, a, b, 1);  /* a - b, b */
    subtract_row(out, b, a, -1); /* a - b, a */
    subtract_row(out, a, b, 1);  /* -b, a */
}

/* Gauss-Jordan elimination on the outputs, only with pivots of 1 and -1, so that all numbers stay
 * whole. */
static lotor_status solve(structure *out, lotor_message *why)
{
    for (size_t draw = 0; draw < out->draws; draw++) {
        size_t row = out->nodes;
        while (row < out->values && out->noise_part[row][draw] != 1 &&
               out->noise_part[row][draw] != -1) {
            row++;
        }
        if (row == out->values) {
            return lotor_fail(LOTOR_DAMAGED, why,
                              "draw %zu is never seen alone: its loss has no closed form here",
                              draw);
        }
        if (row != out->nodes) {
            swap_rows(out, row, out->nodes);
        }
        row = out->nodes++;
        for (size_t t = 0; t < out->values; t++) {
            if (t != row) {
                subtract_row(out, t, row, out->noise_part[t][draw] * out->noise_part[row][draw]);
            }
        }
    }
    return LOTOR_OK;
}

/* The loss if value i changes by `by`. */
static lotor_status loss_of(const structure *at, const lotor_verify_request *request, size_t i,
                            int64_t by, lotor_message *why, lotor_ratio *loss)
{
    *loss = lotor_ratio_of(0, 1);
    for (size_t t = at->nodes; t < at->values; t++) {
        if (at->value_part[t][i] != 0) {
            *loss = lotor_ratio_of(1, 0); /* some combination of outputs has no noise */
            return LOTOR_OK;
        }
    }
    for (size_t node = 0; node < at->nodes; node++) {
        const int64_t moved = at->value_part[node][i] * by;
        lotor_ratio decay, part;
        const lotor_status status = lotor_verify_decay(at->drawn[node], request, why, &decay);
        if (status != LOTOR_OK) {
            return status;
        }
        const uint64_t size = (uint64_t)(moved < 0 ? -moved : moved);
        if (!lotor_fraction_multiply(lotor_ratio_of(size, 1), decay, &part) ||
            !lotor_fraction_add(*loss, part, loss)) {
            return lotor_fail(LOTOR_OVERFLOW, why,
                              "the loss does not fit in 64 bits: give fewer digits");
        }
    }
    return LOTOR_OK;
}

static lotor_status find_worst(const structure *at, const lotor_verify_request *request,
                               lotor_ratio epsilon, lotor_message *why,
                               lotor_verify_finding *finding)
{
    lotor_ratio worst = lotor_ratio_of(0, 1);
    size_t changed = 0;
    for (unsigned input = 0; input < 1U << at->values; input++) {
        for (size_t i = 0; i < at->values; i++) {
            lotor_ratio loss;
            const int64_t by = input >> i & 1 ? -at->size : at->size;
            const lotor_status status = loss_of(at, request, i, by, why, &loss);
            if (status != LOTOR_OK) {
                return status;
            }
            finding->compared++;
            if (lotor_fraction_compare(loss, worst) > 0) {
                worst = loss;
                changed = i;
            }
        }
    }
    finding->loss = lotor_ratio_to_double(worst);
    finding->holds = lotor_fraction_compare(worst, epsilon) <= 0;
    snprintf(finding->exact, sizeof finding->exact, "%s", lotor_fraction_text(worst).text);
    snprintf(finding->inputs, sizeof finding->inputs, "all 0; value %zu of %zu is %" PRId64,
             changed + 1, at->values, at->size);
    snprintf(finding->output, sizeof finding->output, "%s",
             worst.den == 0 ? "a difference of outputs in which no noise is left"
                            : "every noisy node at 0 or below");
    return LOTOR_OK;
}

/* The scale of a tree that was planned with one level fewer. */
static lotor_status plan_short_tree(const lotor_release_params *params, lotor_message *why,
                                    uint64_t *scale, uint64_t *horizon)
{
    *horizon = params->horizon;
    return lotor_release_scale(params, LOTOR_LAW_LAPLACE, lotor_tree_levels(params->horizon) - 1,
                               why, scale);
}

static lotor_status verify_at(const lotor_verify_mechanism *row,
                              const lotor_verify_request *request, lotor_ratio epsilon,
                              uint64_t values, lotor_message *why, lotor_verify_take *take,
                              void *context)
{
    const uint64_t size = 2;
    driven_statistic drive = {.params = {.dimension = 1,
                                         .horizon = values,
                                         .epsilon = epsilon,
                                         .l1 = size,
                                         .l2 = size,
                                         .magnitude = size}};
    lotor_statistic_kind kind = *lotor_statistic_counter(row->is_leak ? "tree" : row->id);
    kind.plan = row->is_leak ? plan_short_tree : kind.plan;
    drive.kind = &kind;
    lotor_drive_start(&drive.drive);
    structure found = {.nodes = 0};
    lotor_verify_finding finding = {
        .mechanism = row->id, .is_leak = row->is_leak, .epsilon = epsilon};
    lotor_status status = find_structure(&drive, &found, why);
    if (status == LOTOR_OK) {
        status = solve(&found, why);
    }
    if (status == LOTOR_OK) {
        status = find_worst(&found, request, epsilon, why, &finding);
    }
    if (status == LOTOR_OK) {
        snprintf(finding.setting, sizeof finding.setting,
                 "%" PRIu64 " values of 0 or 2, %zu nodes, scale %" PRIu64 "%s", values,
                 found.nodes, found.planned, lotor_verify_scaled(request).text);
        take(context, &finding);
    }
    return status;
}

lotor_status lotor_verify_linear(const lotor_verify_mechanism *mechanism,
                                 const lotor_verify_request *request, lotor_message *why,
                                 lotor_verify_take *take, void *context)
{
    static const lotor_verify_epsilons own = {{{1, 1}}, 1};
    static const uint64_t lengths[] = {3, 4, 7, 8};
    const lotor_verify_epsilons epsilons = lotor_verify_which(request, &own);
    lotor_status status = LOTOR_OK;
    for (size_t i = 0; i < epsilons.count; i++) {
        for (size_t j = 0; status == LOTOR_OK && j < sizeof lengths / sizeof *lengths; j++) {
            status = verify_at(mechanism, request, epsilons.at[i], lengths[j], why, take, context);
        }
    }
    return status;
}
