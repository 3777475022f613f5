/* audit_line.c - see audit_line.h. */
#include "lab/audit_line.h"

#include <math.h>
#include <stdlib.h>

#include "learn/factor.h"

/* The sums about one number in one world. */
typedef struct moments {
    double count, sum, squares;
} moments;

static double mean_of(const moments *m)
{
    return m->sum / m->count;
}

static double variance_of(const moments *m)
{
    const double mean = mean_of(m);
    return fmax(m->squares / m->count - mean * mean, 0.0);
}

/* The weight of a number; 0 if its means differ no more than by chance (four standard errors). A
 * number without noise gets a weight that outweighs all others. */
static float weigh(const moments worlds[2])
{
    if (worlds[0].count < 2.0 || worlds[1].count < 2.0) {
        return 0.0F;
    }
    const double shift = mean_of(&worlds[0]) - mean_of(&worlds[1]);
    const double a = variance_of(&worlds[0]), b = variance_of(&worlds[1]);
    const double error = sqrt(a / worlds[0].count + b / worlds[1].count);
    if (!(fabs(shift) > 4.0 * error)) {
        return 0.0F;
    }
    const double least = 1e-6 * shift * shift;
    return (float)(shift / fmax(0.5 * (a + b), least));
}

static void sum_up(const float *numbers, size_t trials, size_t row, const lotor_audit_line *line,
                   moments all[][2])
{
    for (size_t trial = 0; trial < trials; trial++) {
        const float *own = numbers + trial * row + line->part.start;
        for (size_t i = 0; i < line->part.size; i++) {
            if (!isnan(own[i])) {
                moments *m = &all[i][trial % 2];
                const double value = (double)own[i];
                m->count += 1.0;
                m->sum += value;
                m->squares += value * value;
            }
        }
    }
}

/* The weights of independent numbers. */
static void weigh_each(moments all[][2], lotor_audit_line *line)
{
    for (size_t i = 0; i < line->part.size; i++) {
        line->weights[i] = weigh(all[i]);
    }
}

/* The sums about all numbers of a reading; a missing number counts as 0. */
typedef struct spread {
    size_t size;
    double *covariance;      /* of both worlds, each around its own mean; the lower triangle */
    double *means[2], *from; /* `from`: one row, minus the mean of its world */
    double *weights;
    lotor_factor *factor;
} spread;

static void spread_clear(spread *all)
{
    free(all->covariance);
    free(all->means[0]);
    lotor_factor_free(all->factor);
}

static lotor_status spread_make(size_t size, spread *all)
{
    *all = (spread){.size = size,
                    .covariance = calloc(size * size, sizeof *all->covariance),
                    .means = {calloc(4 * size, sizeof *all->covariance), NULL}};
    const bool has_memory = all->covariance && all->means[0];
    if (!has_memory || lotor_factor_new(size, 1, false, &all->factor) != LOTOR_OK) {
        spread_clear(all);
        return LOTOR_MEMORY;
    }
    all->means[1] = all->means[0] + size;
    all->from = all->means[1] + size;
    all->weights = all->from + size;
    return LOTOR_OK;
}

static double number_or_zero(float number)
{
    return isnan(number) ? 0.0 : (double)number;
}

static void sum_up_together(const float *numbers, size_t trials, size_t row, size_t start,
                            spread *all)
{
    const double each = 2.0 / (double)trials; /* half of the trials are of each world */
    for (size_t trial = 0; trial < trials; trial++) {
        const float *own = numbers + trial * row + start;
        for (size_t i = 0; i < all->size; i++) {
            all->means[trial % 2][i] += each * number_or_zero(own[i]);
        }
    }
    for (size_t trial = 0; trial < trials; trial++) {
        const float *own = numbers + trial * row + start;
        for (size_t i = 0; i < all->size; i++) {
            all->from[i] = number_or_zero(own[i]) - all->means[trial % 2][i];
            double *line = all->covariance + i * all->size;
            for (size_t j = 0; j <= i; j++) {
                line[j] += 0.5 * each * all->from[i] * all->from[j];
            }
        }
    }
}

/* Fisher's discriminant. A little is added to each variance: numbers without noise, and numbers with
 * the same noise, then get large weights, but no infinite ones. */
static lotor_status weigh_together(const float *numbers, size_t trials, size_t row,
                                   lotor_audit_line *line)
{
    static const double RELATIVE = 1e-9, ABSOLUTE = 1e-12;
    spread all;
    if (spread_make(line->part.size, &all) != LOTOR_OK) {
        return LOTOR_MEMORY;
    }
    sum_up_together(numbers, trials / 2 * 2, row, line->part.start, &all);
    for (size_t i = 0; i < all.size; i++) {
        double *variance = &all.covariance[i * all.size + i];
        *variance += RELATIVE * *variance + ABSOLUTE;
        all.weights[i] = all.means[0][i] - all.means[1][i];
    }
    if (lotor_factor_make(all.factor, all.covariance)) {
        lotor_factor_solve(all.factor, all.weights, all.weights);
    }
    double most = 0.0;
    for (size_t i = 0; i < all.size; i++) {
        most = fmax(most, fabs(all.weights[i]));
    }
    for (size_t i = 0; i < all.size; i++) {
        line->weights[i] = most > 0.0 ? (float)(all.weights[i] / most) : 0.0F;
    }
    spread_clear(&all);
    return LOTOR_OK;
}

static lotor_status find_weights(const float *numbers, size_t trials,
                                 const lotor_audit_layout *layout, lotor_audit_line *line)
{
    if (layout->is_correlated) {
        return weigh_together(numbers, trials, layout->row, line);
    }
    moments all[LOTOR_LAYOUT_SIZE][2] = {0};
    sum_up(numbers, trials, layout->row, line, all);
    weigh_each(all, line);
    return LOTOR_OK;
}

static float score(const lotor_audit_line *line, const float *numbers)
{
    const float *own = numbers + line->part.start;
    float sum = 0.0F;
    for (size_t i = 0; i < line->part.size; i++) {
        if (line->weights[i] != 0.0F && !isnan(own[i])) {
            sum += line->weights[i] * own[i];
        }
    }
    return sum;
}

bool lotor_audit_line_holds(const lotor_audit_line *line, const float *numbers)
{
    return score(line, numbers) >= line->threshold;
}

lotor_status lotor_audit_line_learn(const float *numbers, size_t trials,
                                    const lotor_audit_layout *layout, const lotor_audit_goal *goal,
                                    lotor_audit_line *out)
{
    const size_t half = trials / 2;
    float *scores = malloc((trials + 1) * sizeof *scores);
    lotor_status status = scores ? LOTOR_OK : LOTOR_MEMORY;
    double best = -1.0;
    for (size_t reading = 0; reading < layout->linear_count && status == LOTOR_OK; reading++) {
        lotor_audit_line tried = {.reading = reading, .part = layout->readings[reading]};
        status = find_weights(numbers, trials, layout, &tried);
        for (size_t i = 0; i < 2 * half; i++) {
            scores[i % 2 * half + i / 2] = score(&tried, numbers + i * layout->row);
        }
        const double bound =
            goal->delta > 0.0
                ? lotor_audit_threshold_find_normal(scores, half, goal, &tried.threshold)
                : lotor_audit_threshold_find(scores, half, goal, &tried.threshold);
        if (bound > best) {
            best = bound;
            *out = tried;
        }
    }
    free(scores);
    return status;
}
