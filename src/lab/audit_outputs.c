/* audit_outputs.c - see audit_outputs.h. */
#include "lab/audit_outputs.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/random/generator.h"
#include "lab/audit_outputs_words.h"

static const float FARTHEST = 65536.0F; /* in scales of the probe; larger values count as this */

enum { MOST_CELLS = 4096, INSERTED = 24 };

static size_t pairs_of(size_t width)
{
    const size_t paired = width < LOTOR_OUTPUTS_PAIRED ? width : LOTOR_OUTPUTS_PAIRED;
    return paired * (paired - 1) / 2;
}

static void make_layout(size_t width, lotor_audit_layout *out)
{
    const size_t sizes[LOTOR_OUTPUTS_READINGS] = {
        [LOTOR_OUTPUTS_VALUES] = width,
        [LOTOR_OUTPUTS_STEPS] = width - 1,
        [LOTOR_OUTPUTS_NODES] = width >= 3 ? width : 0,
        [LOTOR_OUTPUTS_DIFFERENCES] = width >= 3 ? pairs_of(width) : 0,
        [LOTOR_OUTPUTS_SUMS] = pairs_of(width),
        [LOTOR_OUTPUTS_SUMMARY] = width >= 2 ? LOTOR_SUMMARY_SIZE : 0,
        [LOTOR_OUTPUTS_GRAINS] = width,
        [LOTOR_OUTPUTS_FRACTIONS] = width,
    };
    *out = (lotor_audit_layout){
        .reading_count = LOTOR_OUTPUTS_READINGS,
        .linear_count = 1,
        .is_correlated = true,
        .has_patterns = true,
    };
    for (size_t i = 0; i < LOTOR_OUTPUTS_READINGS; i++) {
        assert(sizes[i] <= LOTOR_LAYOUT_SIZE);
        out->readings[i] = (lotor_audit_part){out->row, sizes[i]};
        out->row += sizes[i];
    }
    out->extras = (lotor_audit_part){out->row, LOTOR_EXTRAS_OF_OUTPUT};
    out->row += LOTOR_EXTRAS_OF_OUTPUT;
    assert(out->row <= LOTOR_OUTPUTS_ROW);
}

/* --- one output --------------------------------------------------------------------------------- */

static int compare(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void sort(double *numbers, size_t count)
{
    if (count > INSERTED) {
        qsort(numbers, count, sizeof *numbers, compare);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        const double number = numbers[i];
        size_t place = i;
        for (; place > 0 && numbers[place - 1] > number; place--) {
            numbers[place] = numbers[place - 1];
        }
        numbers[place] = number;
    }
}

/* The counts of one output. */
typedef struct tally {
    size_t nans, infinities, zeros, ones, wholes, fine;
    size_t repeats;    /* numbers that are equal to another one before them */
    bool is_one_apart; /* two numbers differ by exactly 1 */
} tally;

/* For |x| < 1, a + x in doubles is a multiple of 2^-53 if a is a whole number other than 0. */
static bool is_fine(double number)
{
    const double grains = number * 0x1p53;
    return fabs(number) < 1.0 && grains != floor(grains);
}

static tally count_up(const double *output, size_t count, double *sorted)
{
    tally sum = {0};
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const double number = output[i];
        sum.nans += isnan(number) != 0;
        sum.infinities += isinf(number) != 0;
        sum.zeros += number == 0.0;
        sum.ones += number == 1.0;
        sum.wholes += number == floor(number) && isfinite(number);
        sum.fine += is_fine(number);
        if (!isnan(number)) {
            sorted[kept++] = number;
        }
    }
    sort(sorted, kept);
    for (size_t i = 0, above = 0; i < kept; i++) {
        sum.repeats += i > 0 && sorted[i] == sorted[i - 1];
        while (above < kept && sorted[above] - sorted[i] < 1.0) {
            above++;
        }
        sum.is_one_apart = sum.is_one_apart || (above < kept && sorted[above] - sorted[i] == 1.0);
    }
    return sum;
}

/* The exponent of the lowest bit that is set; NaN if there is none. */
static double grain_of(double number)
{
    if (number == 0.0 || !isfinite(number)) {
        return NAN;
    }
    int exponent;
    const double mantissa = ldexp(fabs(frexp(number, &exponent)), DBL_MANT_DIG); /* whole */
    return exponent - DBL_MANT_DIG + __builtin_ctzll((unsigned long long)mantissa);
}

static void read_pairs(const lotor_audit_frame *frame, const double *output, size_t count,
                       double *exact)
{
    const lotor_audit_part *readings = frame->layout.readings;
    const bool has_differences = readings[LOTOR_OUTPUTS_DIFFERENCES].size > 0;
    double *differences = exact + readings[LOTOR_OUTPUTS_DIFFERENCES].start;
    double *sums = exact + readings[LOTOR_OUTPUTS_SUMS].start;
    const size_t most = frame->width < LOTOR_OUTPUTS_PAIRED ? frame->width : LOTOR_OUTPUTS_PAIRED;
    for (size_t i = 1; i < most && i < count; i++) {
        for (size_t j = 0; j < i; j++) {
            const size_t place = i * (i - 1) / 2 + j;
            sums[place] = output[i] + output[j];
            if (has_differences) {
                differences[place] = output[i] - output[j];
            }
        }
    }
}

static void read_summary(const double *output, size_t count, double *out)
{
    double sum = 0.0, squares = 0.0;
    size_t least = 0, most = 0;
    for (size_t i = 0; i < count; i++) {
        sum += output[i];
        squares += output[i] * output[i];
        least = output[i] < output[least] || isnan(output[least]) ? i : least;
        most = output[i] > output[most] || isnan(output[most]) ? i : most;
    }
    if (count > 0) {
        out[LOTOR_SUMMARY_SUM] = sum;
        out[LOTOR_SUMMARY_SQUARES] = squares;
        out[LOTOR_SUMMARY_LEAST] = output[least];
        out[LOTOR_SUMMARY_MOST] = output[most];
        out[LOTOR_SUMMARY_RANGE] = output[most] - output[least];
        out[LOTOR_SUMMARY_LEAST_PLACE] = (double)least + 1.0;
        out[LOTOR_SUMMARY_MOST_PLACE] = (double)most + 1.0;
    }
}

static void read_extras(const tally *counted, size_t count, double *out)
{
    out[LOTOR_OUTPUT_COUNT] = (double)count;
    out[LOTOR_OUTPUT_NANS] = (double)counted->nans;
    out[LOTOR_OUTPUT_INFINITIES] = (double)counted->infinities;
    out[LOTOR_OUTPUT_ZEROS] = (double)counted->zeros;
    out[LOTOR_OUTPUT_REPEATS] = (double)counted->repeats;
}

/* All numbers of the row, before they are centered. */
static void read_exact(const lotor_audit_frame *frame, const double *output, size_t count,
                       const tally *counted, double *exact)
{
    const lotor_audit_part *readings = frame->layout.readings;
    for (size_t i = 0; i < frame->layout.row; i++) {
        exact[i] = NAN;
    }
    for (size_t i = 0; i < frame->width && i < count; i++) {
        const size_t place = i + 1, before = place & (place - 1);
        exact[readings[LOTOR_OUTPUTS_VALUES].start + i] = output[i];
        exact[readings[LOTOR_OUTPUTS_GRAINS].start + i] = grain_of(output[i]);
        exact[readings[LOTOR_OUTPUTS_FRACTIONS].start + i] = output[i] - floor(output[i]);
        if (i > 0) {
            exact[readings[LOTOR_OUTPUTS_STEPS].start + i - 1] = output[i] - output[i - 1];
        }
        if (readings[LOTOR_OUTPUTS_NODES].size > 0) {
            exact[readings[LOTOR_OUTPUTS_NODES].start + i] =
                output[i] - (before > 0 ? output[before - 1] : 0.0);
        }
    }
    read_pairs(frame, output, count, exact);
    if (readings[LOTOR_OUTPUTS_SUMMARY].size > 0) {
        read_summary(output, count, exact + readings[LOTOR_OUTPUTS_SUMMARY].start);
    }
    read_extras(counted, count, exact + frame->layout.extras.start);
}

static float center(double exact, double from, double scale)
{
    const float number = (float)((exact - from) * scale);
    if (isnan(number)) {
        return NAN;
    }
    return fminf(fmaxf(number, -FARTHEST), FARTHEST);
}

uint64_t lotor_audit_output_pattern(const double *output, size_t count)
{
    uint64_t hash = lotor_mix(count + 1);
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = UINT64_C(0x7ff8000000000000);
        if (!isnan(output[i])) {
            memcpy(&bits, &output[i], sizeof bits);
        }
        hash = lotor_mix(hash ^ lotor_mix(bits + UINT64_C(0x9e3779b97f4a7c15)));
    }
    return hash;
}

static size_t level_of(const lotor_audit_frame *frame, size_t place, double number)
{
    if (isnan(number)) {
        return frame->levels;
    }
    size_t level = 0;
    while (level + 1 < frame->levels && frame->edges[place][level] <= number) {
        level++;
    }
    return level;
}

/* The levels of the first numbers. */
static uint64_t coarse_pattern(const lotor_audit_frame *frame, const double *output, size_t count)
{
    uint64_t hash = LOTOR_HASH_START;
    for (size_t i = 0; i < frame->celled; i++) {
        hash = lotor_hash_byte(hash, i < count ? level_of(frame, i, output[i])
                                               : LOTOR_OUTPUTS_LEVELS + 1);
    }
    return hash;
}

/* --- handwritten events ------------------------------------------------------------------------- */

typedef struct event {
    const char *name, *words, *not_words;
    bool (*holds)(const tally *counted, size_t count);
} event;

static bool is_empty(const tally *counted, size_t count)
{
    (void)counted;
    return count == 0;
}

static bool has_no_number(const tally *counted, size_t count)
{
    (void)count;
    return counted->nans + counted->infinities > 0;
}

static bool has_equal(const tally *counted, size_t count)
{
    (void)count;
    return counted->repeats > 0;
}

static bool is_all_equal(const tally *counted, size_t count)
{
    return count >= 2 && counted->repeats == count - 1;
}

static bool has_one_apart(const tally *counted, size_t count)
{
    (void)count;
    return counted->is_one_apart;
}

static bool has_zero(const tally *counted, size_t count)
{
    (void)count;
    return counted->zeros > 0;
}

static bool has_one(const tally *counted, size_t count)
{
    (void)count;
    return counted->ones > 0;
}

static bool is_whole(const tally *counted, size_t count)
{
    return counted->wholes == count;
}

static bool has_fine(const tally *counted, size_t count)
{
    (void)count;
    return counted->fine > 0;
}

/* If two events show the same, the first one in this table is reported. */
static const event events[] = {
    {"empty output", "the output is empty", "the output is not empty", is_empty},
    {"not a number", "a number of the output is NaN or infinite",
     "all numbers of the output are finite", has_no_number},
    {"all equal", "all numbers of the output are equal",
     "the numbers of the output are not all equal", is_all_equal},
    {"equal numbers", "two numbers of the output are exactly equal",
     "no two numbers of the output are exactly equal", has_equal},
    {"numbers one apart", "two numbers of the output differ by exactly 1",
     "no two numbers of the output differ by exactly 1", has_one_apart},
    {"exact zero", "a number of the output is exactly 0", "no number of the output is exactly 0",
     has_zero},
    {"exact one", "a number of the output is exactly 1", "no number of the output is exactly 1",
     has_one},
    {"whole numbers", "all numbers of the output are whole", "a number of the output is not whole",
     is_whole},
    {"bits of small numbers",
     "a number between -1 and 1 is not a multiple of 2^-53, as a rounded sum would be",
     "all numbers between -1 and 1 are multiples of 2^-53, as a rounded sum is", has_fine},
};

enum { EVENTS = sizeof events / sizeof *events };

size_t lotor_audit_output_event_count(void)
{
    return EVENTS;
}

const char *lotor_audit_output_event_name(size_t number)
{
    return events[number].name;
}

const char *lotor_audit_output_event_words(size_t number, bool of_not)
{
    return of_not ? events[number].not_words : events[number].words;
}

void lotor_audit_output_read(const lotor_audit_frame *frame, const double *output, size_t count,
                             lotor_audit_seen_output *out)
{
    assert(count <= LOTOR_AUDIT_OUTPUTS_MAX);
    const tally counted = count_up(output, count, out->sorted);
    read_exact(frame, output, count, &counted, out->exact);
    for (size_t i = 0; i < frame->layout.row; i++) {
        out->numbers[i] = center(out->exact[i], frame->centers[i], frame->scales[i]);
    }
    out->patterns[LOTOR_PATTERN_FINE] = lotor_audit_output_pattern(output, count);
    out->patterns[LOTOR_PATTERN_COARSE] = coarse_pattern(frame, output, count);
    out->events = 0;
    for (size_t i = 0; i < EVENTS; i++) {
        out->events |= (uint32_t)events[i].holds(&counted, count) << i;
    }
}

/* --- the frame ---------------------------------------------------------------------------------- */

/* Sorts the finite numbers of one column of `rows` into `column`; returns how many there are. */
static size_t sort_column(const double *rows, size_t runs, size_t row, size_t place, double *column)
{
    size_t kept = 0;
    for (size_t i = 0; i < runs; i++) {
        const double number = rows[i * row + place];
        if (isfinite(number)) {
            column[kept++] = number;
        }
    }
    sort(column, kept);
    return kept;
}

/* The median becomes 0, and the number that is farthest from it at most 1. */
static void find_center(const double *sorted, size_t count, double *from, double *scale)
{
    *from = count > 0 ? sorted[count / 2] : 0.0;
    *scale = 1.0;
    const double farthest = count > 0 ? fmax(sorted[count - 1] - *from, *from - sorted[0]) : 0.0;
    if (farthest > 0.0 && isfinite(farthest)) {
        int exponent;
        (void)frexp(farthest, &exponent);
        *scale = ldexp(1.0, exponent > -1000 ? -exponent : 1000);
    }
}

/* As many levels as give few enough cells that each is seen often. */
static void plan_cells(lotor_audit_frame *frame)
{
    frame->celled = frame->width < LOTOR_OUTPUTS_CELLED ? frame->width : LOTOR_OUTPUTS_CELLED;
    frame->levels = 2;
    for (size_t levels = 3; levels <= LOTOR_OUTPUTS_LEVELS; levels++) {
        if (pow((double)levels, (double)frame->celled) <= (double)MOST_CELLS) {
            frame->levels = levels;
        }
    }
}

static void find_cells(lotor_audit_frame *frame, size_t place, const double *sorted, size_t count)
{
    for (size_t level = 1; level < frame->levels; level++) {
        frame->edges[place][level - 1] = count > 0 ? sorted[level * count / frame->levels] : 0.0;
    }
}

lotor_status lotor_audit_frame_make(const double *outputs, const size_t *counts, size_t runs,
                                    size_t capacity, lotor_audit_frame *out)
{
    out->width = 1;
    for (size_t i = 0; i < runs; i++) {
        out->width = counts[i] > out->width ? counts[i] : out->width;
    }
    make_layout(out->width, &out->layout);
    plan_cells(out);
    const size_t row = out->layout.row;
    double *rows = malloc(runs * row * sizeof *rows);
    double *column = malloc((runs + LOTOR_AUDIT_OUTPUTS_MAX) * sizeof *column);
    const bool has_memory = rows && column;
    for (size_t i = 0; i < runs && has_memory; i++) {
        const double *output = outputs + i * capacity;
        const tally counted = count_up(output, counts[i], column);
        read_exact(out, output, counts[i], &counted, rows + i * row);
    }
    for (size_t place = 0; place < row && has_memory; place++) {
        const size_t count = sort_column(rows, runs, row, place, column);
        find_center(column, count, &out->centers[place], &out->scales[place]);
        if (place < out->celled) { /* the values come first */
            find_cells(out, place, column, count);
        }
    }
    free(rows);
    free(column);
    return has_memory ? LOTOR_OK : LOTOR_MEMORY;
}
