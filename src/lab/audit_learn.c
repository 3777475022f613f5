/* audit_learn.c - see audit_learn.h. */
#include "lab/audit_learn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE = 8192, CUTS = 400, ROW = LOTOR_READING_NUMBERS };

static int compare(const void *left, const void *right)
{
    const float a = *(const float *)left, b = *(const float *)right;
    return (a > b) - (a < b);
}

/* Cuts at quantiles of a sample, each value only once: a frequent value gets a bin of its own. */
static void find_edges(const float *numbers, size_t trials, float *sample,
                       lotor_audit_feature *feature)
{
    size_t kept = 0;
    const size_t step = (trials / SAMPLE) | 1; /* odd, so that the sample has both worlds */
    for (size_t i = 0; i < trials && kept < SAMPLE; i += step) {
        const float value = numbers[i * ROW + feature->number];
        if (!isnan(value)) {
            sample[kept++] = value;
        }
    }
    qsort(sample, kept, sizeof *sample, compare);
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

/* Fills in the weights. False if the counts of the bins differ no more than by chance (by an
 * extreme quantile of the chi-square law). */
static bool find_weights(const float *numbers, size_t trials, lotor_audit_feature *feature)
{
    double counts[LOTOR_LEARN_BINS + 2][2] = {{0.0}};
    const size_t bins = feature->edge_count + 2;
    for (size_t i = 0; i < trials; i++) {
        counts[bin_of(feature, numbers[i * ROW + feature->number])][i % 2] += 1.0;
    }
    double square = 0.0;
    for (size_t bin = 0; bin < bins; bin++) {
        const double a = counts[bin][0], b = counts[bin][1];
        square += a + b > 0.0 ? (a - b) * (a - b) / (a + b) : 0.0;
        feature->weights[bin] = (float)log((a + 0.5) / (b + 0.5));
    }
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

static size_t count_from(const float *sorted, size_t count, float threshold)
{
    size_t low = 0, high = count; /* number of scores below the threshold */
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (sorted[middle] < threshold) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return count - low;
}

/* Approximates the bound that audit_bound.c would compute; fast, for a search through many
 * counts. */
static double rough_bound(double more, double less, double trials, double delta, double miss)
{
    const double z = sqrt(-2.0 * log(miss));
    const double low = more - z * sqrt(more * (1.0 - more / trials));
    const double high = less + z * sqrt(less * (1.0 - less / trials) + 0.25 * z * z) + 0.5 * z * z;
    return lotor_audit_loss(low / trials, high / trials, delta);
}

static double roughly(size_t a, size_t b, size_t trials, double delta, double miss)
{
    const double x = (double)a, y = (double)b, n = (double)trials;
    const double on = fmax(rough_bound(x, y, n, delta, miss), rough_bound(y, x, n, delta, miss));
    const double off =
        fmax(rough_bound(n - x, n - y, n, delta, miss), rough_bound(n - y, n - x, n, delta, miss));
    return fmax(on, off);
}

/* Finds the threshold with the largest bound, among quantiles of both worlds' scores. */
static double find_threshold(const float *numbers, size_t trials, double delta, double miss,
                             float *scores, lotor_audit_classifier *learned)
{
    const size_t half = trials / 2;
    float *sorted[2] = {scores, scores + half};
    for (size_t i = 0; i < 2 * half; i++) {
        sorted[i % 2][i / 2] = score(learned, numbers + i * ROW);
    }
    qsort(sorted[0], half, sizeof **sorted, compare);
    qsort(sorted[1], half, sizeof **sorted, compare);
    double best = -1.0;
    for (size_t cut = 0; cut < (size_t)2 * CUTS; cut++) {
        const float threshold = sorted[cut % 2][(cut / 2) * half / CUTS];
        const double bound = roughly(count_from(sorted[0], half, threshold),
                                     count_from(sorted[1], half, threshold), half, delta, miss);
        if (bound > best) {
            best = bound;
            learned->threshold = threshold;
        }
    }
    return best;
}

static void find_features(const float *numbers, size_t trials, float *sample,
                          lotor_audit_classifier *learned)
{
    learned->count = 0;
    for (size_t i = 0; i < LOTOR_READING_SIZE + LOTOR_READING_EXTRAS; i++) {
        lotor_audit_feature *feature = &learned->features[learned->count];
        feature->number = i < LOTOR_READING_SIZE ? learned->reading * LOTOR_READING_SIZE + i
                                                 : LOTOR_EXTRA_POSTS + i - LOTOR_READING_SIZE;
        find_edges(numbers, trials, sample, feature);
        learned->count += find_weights(numbers, trials, feature);
    }
}

lotor_status lotor_audit_learn(const float *numbers, size_t trials, double delta, double miss,
                               lotor_audit_classifier *out)
{
    const size_t room = trials > SAMPLE ? trials : SAMPLE;
    float *scores = malloc(room * sizeof *scores);
    lotor_audit_classifier *tried = malloc(sizeof *tried);
    const lotor_status status = scores && tried ? LOTOR_OK : LOTOR_MEMORY;
    double best = -1.0;
    for (size_t reading = 0; reading < LOTOR_READINGS && status == LOTOR_OK; reading++) {
        tried->reading = reading;
        find_features(numbers, trials, scores, tried);
        const double bound = find_threshold(numbers, trials, delta, miss, scores, tried);
        if (bound > best) {
            best = bound;
            *out = *tried;
        }
    }
    free(scores);
    free(tried);
    return status;
}
