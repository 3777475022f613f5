/* imed_arm.c - see imed_arm.h; imed.md numbers the rules. */
#include "learn/imed_arm.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define LEVEL_LEAST   1e-9 /* estimates and levels stay this far from 0 and 1 */
#define FIT_TOLERANCE 0.02 /* of an estimate, in standard deviations */
#define SPLITS_MOST   8
#define FORGOTTEN     0.00390625 /* fewer bits than this are forgotten: one bit after 8 half-lives */

/* How much more often a bit is 1 if the reward is 1 than if it is 0: 2p - 1. */
static double gain_of(const lotor_imed_model *model)
{
    return tanh(0.5 * model->epsilon);
}

static double clamp(double mean)
{
    return fmin(fmax(mean, LEVEL_LEAST), 1.0 - LEVEL_LEAST);
}

/* --- randomized bits (rule 12) ----------------------------------------------------------------- */

/* count log(probability); 0 if the count is 0. */
static double log_power(double count, double probability)
{
    return count > 0.0 ? count * log(probability) : 0.0;
}

/* The likelihood of n bits of which so many are 1, up to a factor without the mean. */
static double log_of_bits(const lotor_imed_arm *arm, const lotor_imed_model *model, double mean)
{
    const double gain = gain_of(model), lie = 0.5 * (1.0 - gain);
    return log_power(arm->ones, lie + gain * mean) +
           log_power(arm->released - arm->ones, lie + gain * (1.0 - mean));
}

/* The board has only the count of all bits. So bits that came since the last call are as old as this
 * call: their age is off by the time between two calls. */
static void read_bits(lotor_imed_arm *arm, const lotor_imed_model *model,
                      const lotor_fading *fading, const lotor_fact *fact, uint64_t now)
{
    lotor_imed_bits *bits = &arm->bits;
    const double time = lotor_fading_now(fading, now);
    const bool fades = fading->half_life > 0 && time > bits->time;
    if (fact->count == bits->count && arm->scale == 1.0 && !fades) {
        return;
    }
    if (fades) {
        const double weight = lotor_fading_weight(fading, bits->time, time);
        const double left = bits->n * weight < FORGOTTEN ? 0.0 : weight;
        bits->n *= left;
        bits->ones *= left;
        bits->time = time;
    }
    bits->n += (double)(fact->count - bits->count);
    bits->ones = fmin(bits->n, bits->ones + (fact->value - bits->count_of_ones));
    bits->count = fact->count;
    bits->count_of_ones = fact->value;
    const double gain = gain_of(model), lie = 0.5 * (1.0 - gain);
    arm->latest = fact->time;
    arm->scale = 1.0;
    arm->released = bits->n;
    arm->ones = bits->ones;
    arm->level = NAN;
    if (arm->released > 0.0) {
        arm->estimate = clamp((arm->ones / arm->released - lie) / gain);
        arm->top = log_of_bits(arm, model, arm->estimate);
    }
}

/* --- batches (rule 2) -------------------------------------------------------------------------- */

static double log_of_batches(const lotor_imed_batch *batches, size_t count, double mean,
                             double *slope)
{
    double sum = 0.0, slopes = 0.0;
    for (size_t i = 0; i < count; i++) {
        double one;
        sum += batches[i].weight * lotor_likelihood_log(&batches[i].likelihood, mean, &one);
        slopes += batches[i].weight * one;
    }
    *slope = slopes;
    return sum;
}

/* The noise of a batch, as a multiple of the variance of one draw of this policy's noise. Batches of
 * other policies can have another epsilon. */
static double draws_of(const lotor_imed_batch *batch, double epsilon)
{
    if (batch->likelihood.epsilon == epsilon) {
        return 1.0;
    }
    const double ratio = epsilon / batch->likelihood.epsilon;
    return ratio * ratio;
}

/* A guess at the estimate, and its standard deviation. */
static double guess(const lotor_imed_batch *batches, size_t count, double epsilon,
                    double *deviation)
{
    double sum = 0.0, n = 0.0, draws = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += batches[i].weight * batches[i].likelihood.sum;
        n += batches[i].weight * batches[i].likelihood.count;
        draws += batches[i].weight * draws_of(&batches[i], epsilon);
    }
    const double mean = sum / n, inner = fmin(fmax(mean, 0.01), 0.99);
    const double noise = 2.0 * draws / (epsilon * epsilon);
    *deviation = sqrt(inner * (1.0 - inner) * n + noise) / n;
    return clamp(mean);
}

/* Finds the maximum, and returns its logarithm. The likelihood's logarithm is concave
 * (likelihood.md), so its slope has one zero: it is bracketed by steps, then by the secant, kept away
 * from the ends of the bracket. */
static double fit(const lotor_imed_batch *batches, size_t count, double epsilon, double *estimate)
{
    enum { STEPS_MOST = 100 };
    double deviation, slope;
    double low = LEVEL_LEAST, high = 1.0 - LEVEL_LEAST;
    double low_slope = 0.0, high_slope = 0.0; /* 0: not known */
    double at = guess(batches, count, epsilon, &deviation);
    const double enough = FIT_TOLERANCE * deviation;
    double top = -INFINITY;
    for (int i = 0; i < STEPS_MOST; i++) {
        const double value = log_of_batches(batches, count, at, &slope);
        if (value > top) {
            top = value;
            *estimate = at;
        }
        *(slope > 0.0 ? &low : &high) = at;
        *(slope > 0.0 ? &low_slope : &high_slope) = slope;
        const bool is_at_end = slope > 0.0 ? at >= 1.0 - LEVEL_LEAST : at <= LEVEL_LEAST;
        if (high - low < enough || is_at_end || slope == 0.0) {
            break;
        }
        if (low_slope != 0.0 && high_slope != 0.0) {
            const double share = i > 8 ? 0.5 : low_slope / (low_slope - high_slope);
            at = low + (high - low) * fmin(fmax(share, 0.1), 0.9);
        } else {
            const double step = 1.2 * fmin(fabs(slope) * deviation * deviation, 4.0 * deviation);
            at = clamp(at + (slope > 0.0 ? 1.0 : -1.0) * (step + 0.3 * deviation));
        }
    }
    return top;
}

static void set_scale(lotor_imed_arm *arm, double scale)
{
    arm->scale = scale;
    arm->released = scale * arm->kept;
    arm->draws = scale * arm->kept_draws;
    arm->prior = scale * arm->kept_prior;
}

/* The weights are compared with the latest batch. So they, and the estimate, stay the same until the
 * next release: only the scale changes with time. */
static void fit_arm(lotor_imed_arm *arm, const lotor_imed_model *model, const lotor_fading *fading)
{
    arm->kept = arm->kept_draws = arm->kept_prior = 0.0;
    for (size_t i = 0; i < arm->batch_count; i++) {
        lotor_imed_batch *batch = &arm->batches[i];
        batch->weight = lotor_fading_weight(fading, lotor_fading_time(fading, batch->time),
                                            lotor_fading_time(fading, arm->latest));
        arm->kept += batch->weight * batch->likelihood.count;
        arm->kept_draws += batch->weight * draws_of(batch, model->epsilon);
        if (i < arm->prior_count) {
            arm->kept_prior += batch->weight * batch->likelihood.count;
        }
    }
    if (arm->batch_count > 0) {
        arm->top = fit(arm->batches, arm->batch_count, model->epsilon, &arm->estimate);
    }
    arm->level = NAN;
    set_scale(arm, 1.0);
}

/* Drops `count` batches from `first` on. */
static void drop(lotor_imed_arm *arm, size_t first, size_t count)
{
    lotor_imed_batch *gap = arm->batches + first;
    arm->batch_count -= count;
    memmove(gap, gap + count, (arm->batch_count - first) * sizeof *gap);
}

static void drop_oldest(lotor_imed_arm *arm, size_t count)
{
    drop(arm, 0, count);
    arm->prior_count -= count < arm->prior_count ? count : arm->prior_count;
}

/* The likelihood of a noisy sum of `count` rewards. */
static lotor_likelihood likelihood_of(const lotor_imed_model *model, double count, double value,
                                      double epsilon)
{
    const double range = model->high - model->low;
    const double sum = (value - count * model->low) / range;
    return model->variance > 0.0
               ? lotor_likelihood_normal(count, sum, epsilon, model->variance / (range * range))
               : lotor_likelihood_of(count, sum, epsilon);
}

/* If there is no room, the oldest batch of this policy is dropped. So a policy that is loaded, and reads
 * its board from the start, has the same batches. */
static void add_batch(lotor_imed_arm *arm, const lotor_imed_model *model, const lotor_fact *fact)
{
    if (arm->batch_count - arm->prior_count == arm->batch_room) {
        drop(arm, arm->prior_count, 1);
    }
    arm->batches[arm->batch_count++] = (lotor_imed_batch){
        .likelihood = likelihood_of(model, (double)fact->count, fact->value, model->epsilon),
        .time = fact->time};
    arm->latest = fact->time;
}

void lotor_imed_arm_take(lotor_imed_arm *arm, const lotor_imed_model *model,
                         const lotor_fading *fading, const lotor_imed_prior *prior, size_t count)
{
    assert(arm->batch_count == 0 && arm->latest == 0 && !model->is_local);
    for (size_t i = 0; i < count; i++) {
        assert(prior[i].count >= 1.0 && prior[i].epsilon > 0.0);
        arm->batches[i] = (lotor_imed_batch){
            .likelihood = likelihood_of(model, prior[i].count, prior[i].value, prior[i].epsilon)};
    }
    arm->batch_count = arm->prior_count = count;
    if (count > 0) {
        fit_arm(arm, model, fading);
    }
}

/* The row of the oldest release after `latest`. There must be one. */
static size_t row_after(const lotor_board *board, size_t which, uint64_t latest)
{
    size_t found = SIZE_MAX;
    uint64_t least = UINT64_MAX;
    for (size_t row = 0; row < board->statistics; row++) {
        const uint64_t time = lotor_board_at(board, row, which)->time;
        if (time > latest && time <= least) {
            found = row;
            least = time;
        }
    }
    assert(found < board->statistics);
    return found;
}

/* Each release is in the row after the one before it; after the last row comes the first. So there
 * is a new release if there is one in the next row. If there are more of them than rows, the oldest
 * is in another row. */
void lotor_imed_arm_read(lotor_imed_arm *arm, const lotor_imed_model *model,
                         const lotor_fading *fading, const lotor_board *board, size_t which,
                         uint64_t now)
{
    if (model->is_local) {
        read_bits(arm, model, fading, lotor_board_at(board, 0, which), now);
        return;
    }
    if (lotor_board_at(board, arm->next_row, which)->time <= arm->latest) {
        return;
    }
    arm->next_row = row_after(board, which, arm->latest);
    for (;;) {
        const lotor_fact *fact = lotor_board_at(board, arm->next_row, which);
        if (fact->time <= arm->latest) {
            break;
        }
        add_batch(arm, model, fact);
        arm->next_row = (arm->next_row + 1) % board->statistics;
    }
    fit_arm(arm, model, fading);
}

/* --- changes of the mean (rule 14) ------------------------------------------------------------- */

void lotor_imed_arm_forget(lotor_imed_arm *arm, const lotor_imed_model *model,
                           const lotor_fading *fading, uint64_t time)
{
    size_t old = 0;
    while (old < arm->batch_count && arm->batches[old].time <= time) {
        old++;
    }
    if (old > 0) {
        drop_oldest(arm, old);
        fit_arm(arm, model, fading);
    }
}

void lotor_imed_arm_fade(lotor_imed_arm *arm, const lotor_imed_model *model,
                         const lotor_fading *fading, uint64_t now)
{
    if (model->is_local) {
        return;
    }
    const double time = lotor_fading_now(fading, now);
    size_t old = 0;
    while (old < arm->batch_count &&
           lotor_fading_is_over(fading, lotor_fading_time(fading, arm->batches[old].time), time)) {
        old++;
    }
    if (old > 0) {
        drop_oldest(arm, old);
        fit_arm(arm, model, fading);
    }
    set_scale(arm, lotor_fading_weight(fading, lotor_fading_time(fading, arm->latest), time));
}

uint64_t lotor_imed_arm_change(lotor_imed_arm *arm, const lotor_imed_model *model, double evidence)
{
    double unused;
    for (size_t after = 1; after <= SPLITS_MOST && after < arm->batch_count; after++) {
        const size_t before = arm->batch_count - after;
        const double apart = fit(arm->batches, before, model->epsilon, &unused) +
                             fit(arm->batches + before, after, model->epsilon, &unused);
        if (apart - arm->top > evidence) {
            return arm->batches[before - 1].time;
        }
    }
    return 0;
}

/* --- evidence ---------------------------------------------------------------------------------- */

double lotor_imed_arm_evidence(lotor_imed_arm *arm, const lotor_imed_model *model, double level)
{
    assert(arm->released > 0.0);
    level = fmin(level, 1.0 - LEVEL_LEAST);
    if (!(level > arm->estimate)) {
        return 0.0;
    }
    if (arm->level != level) {
        double unused;
        const double there = model->is_local
                                 ? log_of_bits(arm, model, level)
                                 : log_of_batches(arm->batches, arm->batch_count, level, &unused);
        arm->level = level;
        arm->evidence = fmax(0.0, arm->top - there);
    }
    return arm->scale * arm->evidence;
}

double lotor_imed_arm_variance(const lotor_imed_arm *arm, const lotor_imed_model *model)
{
    const double m = fmin(fmax(arm->estimate, 0.01), 0.99), n = arm->released;
    if (model->is_local) {
        const double gain = gain_of(model), q = 0.5 * (1.0 - gain) + gain * m;
        return q * (1.0 - q) / (n * gain * gain);
    }
    const double epsilon = model->epsilon;
    return (m * (1.0 - m) * n + 2.0 * arm->draws / (epsilon * epsilon)) / (n * n);
}

double lotor_imed_first_size(const lotor_imed_model *model)
{
    const double gain = gain_of(model);
    return model->is_local ? 1.0 / (gain * gain) : fmax(1.0, ceil(4.0 / model->epsilon));
}
