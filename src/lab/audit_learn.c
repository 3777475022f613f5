/* audit_learn.c - see audit_learn.h. */
#include "lab/audit_learn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE = 8192 };

/* Cuts at quantiles of a sample, each value only once: a frequent value gets a bin of its own. */
static void find_edges(const float *numbers, size_t trials, size_t row, float *sample,
                       lotor_audit_feature *feature)
{
    size_t kept = 0;
    const size_t step = (trials / SAMPLE) | 1; /* odd, so that the sample has both worlds */
    for (size_t i = 0; i < trials && kept < SAMPLE; i += step) {
        const float value = numbers[i * row + feature->number];
        if (!isnan(value)) {
            sample[kept++] = value;
        }
    }
    qsort(sample, kept, sizeof *sample, lotor_audit_compare);
    feature->edge_count = 0;
    for (size_t i = 0; i < LOTOR_LEARN_BINS && kept > 0; i++) {
        const float edge = sample[i * kept / LOTOR_LEARN_BINS];
        if (feature->edge_count == 0 || edge > feature->edges[feature->edge_count - 1]) {
            feature->edges[feature->edge_count++] = edge;
        }
    }
}

static inline size_t bin_of(const lotor_audit_feature *feature, float value)
{
    if (isnan(value)) {
        return 0;
    }
    size_t low = 0, high = feature->edge_count; /* number of edges at or below the value */
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (feature->edges[middle] <= value) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return 1 + low;
}

/* Fills in the weights. False if the number was always missing, or if the counts of the bins differ
 * no more than by chance (by an extreme quantile of the chi-square law). */
static bool find_weights(const float *numbers, size_t trials, size_t row,
                         lotor_audit_feature *feature)
{
    if (feature->edge_count == 0) {
        return false;
    }
    double counts[LOTOR_LEARN_BINS + 2][2] = {{0.0}};
    const size_t bins = feature->edge_count + 2;
    for (size_t i = 0; i < trials; i++) {
        counts[bin_of(feature, numbers[i * row + feature->number])][i % 2] += 1.0;
    }
    double square = 0.0;
    for (size_t bin = 0; bin < bins; bin++) {
        const double a = counts[bin][0], b = counts[bin][1];
        square += a + b > 0.0 ? (a - b) * (a - b) / (a + b) : 0.0;
        feature->weights[bin] = (float)log((a + 0.5) / (b + 0.5));
    }
    feature->telling = square;
    return square > (double)bins + 4.0 * sqrt(2.0 * (double)bins);
}

static float score(const lotor_audit_classifier *learned, const float *numbers)
{
    float sum = 0.0F;
    for (size_t i = 0; i < learned->count; i++) {
        const lotor_audit_feature *feature = &learned->features[i];
        sum += feature->weights[bin_of(feature, numbers[feature->number])];
    }
    return sum;
}

bool lotor_audit_learned_holds(const lotor_audit_classifier *learned, const float *numbers)
{
    return score(learned, numbers) >= learned->threshold;
}

static void find_features(const float *numbers, size_t trials, const lotor_audit_layout *layout,
                          float *sample, lotor_audit_classifier *learned)
{
    const lotor_audit_part own = layout->readings[learned->reading], extras = layout->extras;
    learned->count = 0;
    for (size_t i = 0; i < own.size + extras.size; i++) {
        lotor_audit_feature *feature = &learned->features[learned->count];
        feature->number = i < own.size ? own.start + i : extras.start + i - own.size;
        find_edges(numbers, trials, layout->row, sample, feature);
        learned->count += find_weights(numbers, trials, layout->row, feature);
    }
}

static bool has_numbers(const float *numbers, size_t trials, const lotor_audit_layout *layout,
                        size_t reading)
{
    const lotor_audit_part own = layout->readings[reading];
    for (size_t trial = 0; trial < trials; trial++) {
        for (size_t i = 0; i < own.size; i++) {
            if (!isnan(numbers[trial * layout->row + own.start + i])) {
                return true;
            }
        }
    }
    return false;
}

lotor_status lotor_audit_learn(const float *numbers, size_t trials,
                               const lotor_audit_layout *layout, const lotor_audit_goal *goal,
                               lotor_audit_classifier *out)
{
    const size_t half = trials / 2, room = trials > SAMPLE ? trials : SAMPLE;
    float *scores = malloc(room * sizeof *scores);
    lotor_audit_classifier *tried = malloc(sizeof *tried);
    const lotor_status status = scores && tried ? LOTOR_OK : LOTOR_MEMORY;
    double best = -1.0;
    for (size_t reading = 0; reading < layout->reading_count && status == LOTOR_OK; reading++) {
        if (reading > 0 &&
            !has_numbers(numbers, trials < SAMPLE ? trials : SAMPLE, layout, reading)) {
            continue;
        }
        tried->reading = reading;
        find_features(numbers, trials, layout, scores, tried);
        for (size_t i = 0; i < 2 * half; i++) {
            scores[i % 2 * half + i / 2] = score(tried, numbers + i * layout->row);
        }
        const double bound = lotor_audit_threshold_find(scores, half, goal, &tried->threshold);
        if (bound > best) {
            best = bound;
            *out = *tried;
        }
    }
    free(scores);
    free(tried);
    return status;
}
