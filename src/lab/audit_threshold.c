/* audit_threshold.c - see audit_threshold.h. */
#include "lab/audit_threshold.h"

#include <math.h>
#include <stdlib.h>

#include "lab/audit_bound.h"

enum { CUTS = 400 }; /* thresholds that are tried, per world */

static const double PI = 3.14159265358979323846;

int lotor_audit_compare(const void *left, const void *right)
{
    const float a = *(const float *)left, b = *(const float *)right;
    return (a > b) - (a < b);
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

/* How many deviations a normal variable exceeds with this probability, roughly. */
static double deviations(double miss)
{
    const double square = -2.0 * log(miss);
    return sqrt(fmax(square - log(fmax(square, 1.0)) - log(2.0 * PI), 1.0));
}

/* Approximates the bound that audit_bound.c would compute for the shares of an event in the world
 * where it is more frequent, and in the other; fast, for a search through many thresholds. */
static double rough_bound(double more, double less, const lotor_audit_goal *goal)
{
    const double z = deviations(goal->miss), n = goal->tested;
    const double low = more - z * sqrt(more * (1.0 - more) / n);
    const double high =
        less + z * sqrt(less * (1.0 - less) / n + 0.25 * z * z / (n * n)) + 0.5 * z * z / n;
    return lotor_audit_loss(low, high, goal->delta);
}

/* The same for an event and its absence, whichever world has more of it. */
static double rough_best(double a, double b, const lotor_audit_goal *goal)
{
    const double on = fmax(rough_bound(a, b, goal), rough_bound(b, a, goal));
    const double off =
        fmax(rough_bound(1.0 - a, 1.0 - b, goal), rough_bound(1.0 - b, 1.0 - a, goal));
    return fmax(on, off);
}

double lotor_audit_threshold_find(float *scores, size_t half, const lotor_audit_goal *goal,
                                  float *threshold)
{
    float *sorted[2] = {scores, scores + half};
    qsort(sorted[0], half, sizeof **sorted, lotor_audit_compare);
    qsort(sorted[1], half, sizeof **sorted, lotor_audit_compare);
    double best = -1.0;
    for (size_t cut = 0; cut < (size_t)2 * CUTS; cut++) {
        const float tried = sorted[cut % 2][(cut / 2) * half / CUTS];
        const double bound =
            rough_best((double)count_from(sorted[0], half, tried) / (double)half,
                       (double)count_from(sorted[1], half, tried) / (double)half, goal);
        if (bound > best) {
            best = bound;
            *threshold = tried;
        }
    }
    return best;
}

/* The probability that a normal variable is at or above a threshold. */
static double share_from(double mean, double deviation, double threshold)
{
    return 0.5 * erfc((threshold - mean) / (deviation * sqrt(2.0)));
}

double lotor_audit_threshold_find_normal(const float *scores, size_t half,
                                         const lotor_audit_goal *goal, float *threshold)
{
    static const double WIDTH = 4.0; /* deviations on either side */
    double mean[2], deviation[2], best = -1.0;
    for (unsigned world = 0; world < 2; world++) {
        double sum = 0.0, squares = 0.0;
        for (size_t i = 0; i < half; i++) {
            const double score = (double)scores[world * half + i];
            sum += score;
            squares += score * score;
        }
        mean[world] = sum / (double)half;
        deviation[world] = sqrt(fmax(squares / (double)half - mean[world] * mean[world], 1e-300));
    }
    for (size_t cut = 0; cut <= (size_t)2 * CUTS; cut++) {
        const unsigned world = cut % 2;
        const double place = WIDTH * ((double)cut / (double)CUTS - 1.0);
        const double tried = mean[world] + place * deviation[world];
        const double bound = rough_best(share_from(mean[0], deviation[0], tried),
                                        share_from(mean[1], deviation[1], tried), goal);
        if (bound > best) {
            best = bound;
            *threshold = (float)tried;
        }
    }
    return best;
}
