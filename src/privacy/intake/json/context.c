/* context.c - reads a context from JSON, checks it and seals it (base/intake.h). */
#include <assert.h>
#include <float.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "privacy/intake/intake.h"

static bool read_row(const json_t *row, size_t dimension, double *out)
{
    if (json_array_size(row) != dimension) {
        return false;
    }
    for (size_t i = 0; i < dimension; i++) {
        const json_t *number = json_array_get(row, i);
        if (!json_is_number(number)) {
            return false;
        }
        out[i] = json_number_value(number);
    }
    return true;
}

/* Scales a row down to this length, if it is longer. The row's largest number is divided out first, so
 * that no square overflows. The result is shorter by a little, so that rounding can't make it too long. */
static void shorten(double *row, size_t dimension, double longest)
{
    double largest = 0.0, square = 0.0;
    for (size_t i = 0; i < dimension; i++) {
        largest = fmax(largest, fabs(row[i]));
    }
    for (size_t i = 0; largest > 0.0 && i < dimension; i++) {
        square += (row[i] / largest) * (row[i] / largest);
    }
    const double length = sqrt(square); /* in units of `largest` */
    if (largest * length <= longest) {
        return;
    }
    for (size_t i = 0; i < dimension; i++) {
        row[i] = row[i] / largest / length * (longest * (1.0 - 1e-12));
    }
}

/* As lotor_policy_is_short: rounding may make a row a little longer that was divided by its length. */
static bool is_long(const double *row, size_t dimension, double longest)
{
    double square = 0.0;
    for (size_t i = 0; i < dimension; i++) {
        square += row[i] * row[i];
    }
    return !(square <= longest * longest * (1.0 + (double)dimension * DBL_EPSILON));
}

/* The arms of a campaign, as the arguments of lotor_intake_seal_context. */
typedef struct named_arms {
    const char *const *ids;
    size_t count;
    const bool *eligible;
} named_arms;

/* Scales the row of an arm down, or refuses it. The message has the id of the arm, and no number. */
static bool limit_row(const lotor_intake *intake, const named_arms *arms, size_t arm, double *row,
                      lotor_intake_refusal *refusal)
{
    const size_t dimension = lotor_intake_coder(intake)->dimension;
    const double longest = lotor_intake_longest(intake);
    if (lotor_intake_scales(intake)) {
        shorten(row, dimension, longest);
        return true;
    }
    const bool is_shown = !arms->eligible || arms->eligible[arm];
    if (longest > 0.0 && is_shown && is_long(row, dimension, longest)) {
        return lotor_intake_refuse(refusal, LOTOR_FAULT_VALUE, "context",
                                   "the context of the arm \"%s\" is longer than %g: scale all "
                                   "contexts down alike, or set `normalize` when you create the "
                                   "campaign",
                                   arms->ids[arm], longest);
    }
    return true;
}

static bool read_rows(const lotor_intake *intake, const json_t *context, const named_arms *arms,
                      double *rows, bool *has_row, lotor_intake_refusal *refusal)
{
    const lotor_coder *coder = lotor_intake_coder(intake);
    size_t known = 0;
    for (size_t i = 0; i < arms->count && i < coder->arms; i++) {
        const json_t *row = arms->ids[i] ? json_object_get(context, arms->ids[i]) : NULL;
        known += row != NULL;
        if (row && !read_row(row, coder->dimension, rows + i * coder->dimension)) {
            return lotor_intake_refuse(
                refusal, LOTOR_FAULT_VALUE, "context",
                "each arm needs a list of as many numbers as the campaign's dimension");
        }
        if (row && !limit_row(intake, arms, i, rows + i * coder->dimension, refusal)) {
            return false;
        }
        has_row[i] = row != NULL;
    }
    if (known != json_object_size(context)) {
        return lotor_intake_refuse(refusal, LOTOR_FAULT_VALUE, "context",
                                   "a key is not the id of an arm of the campaign");
    }
    for (size_t i = 0; i < arms->count && i < coder->arms; i++) {
        if (arms->ids[i] && (!arms->eligible || arms->eligible[i]) && !has_row[i]) {
            return lotor_intake_refuse(
                refusal, LOTOR_FAULT_MISSING_FIELD, "context",
                "an arm that may be shown has no numbers: give a list for each, or name the arms "
                "that may be shown in `eligible`");
        }
    }
    return true;
}

static lotor_status read_and_seal(const lotor_intake *intake, const json_t *context,
                                  const named_arms *arms, lotor_intake_refusal *refusal,
                                  unsigned char **bytes, size_t *length)
{
    const lotor_coder *coder = lotor_intake_coder(intake);
    const size_t numbers = coder->arms * coder->dimension; /* at most 2^26 */
    assert(numbers > 0);
    double *rows = calloc(numbers, sizeof *rows);
    bool *has_row = calloc(coder->arms, sizeof *has_row);
    lotor_status status = rows && has_row ? LOTOR_OK : LOTOR_MEMORY;
    if (status == LOTOR_OK && !read_rows(intake, context, arms, rows, has_row, refusal)) {
        status = LOTOR_INVALID;
    }
    if (status == LOTOR_OK) {
        status = lotor_intake_seal_rows(intake, rows, has_row, bytes, length);
    }
    if (status == LOTOR_MEMORY) {
        (void)lotor_intake_refuse_memory(refusal);
    }
    lotor_wipe_free(rows, rows ? numbers * sizeof *rows : 0);
    free(has_row);
    return status;
}

lotor_status lotor_intake_seal_context(const lotor_intake *intake, const struct json_t *context,
                                       const char *const *ids, size_t arm_count,
                                       const bool *eligible, lotor_intake_refusal *refusal,
                                       unsigned char **bytes, size_t *length)
{
    *bytes = NULL;
    *length = 0;
    lotor_intake_refuse_nothing(refusal);
    if (lotor_intake_coder(intake)->dimension == 0) {
        if (!context) {
            return LOTOR_OK;
        }
        (void)lotor_intake_refuse(refusal, LOTOR_FAULT_UNKNOWN_FIELD, "context",
                                  "this campaign's algorithm takes no context");
        return LOTOR_INVALID;
    }
    if (!json_is_object(context)) {
        (void)lotor_intake_refuse(refusal, context ? LOTOR_FAULT_VALUE : LOTOR_FAULT_MISSING_FIELD,
                                  "context",
                                  "%sexpected an object with a list of numbers for each arm id",
                                  context ? "" : "context is missing: ");
        return LOTOR_INVALID;
    }
    return read_and_seal(intake, context, &(named_arms){ids, arm_count, eligible}, refusal, bytes,
                         length);
}
