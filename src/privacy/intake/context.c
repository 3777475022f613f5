/* context.c - seals the contexts of linear campaigns until the decision is drawn, and the context
 * of the shown arm (called an action) until the round is final.
 *
 * Before it is sealed, a context consists of rows: the number of an arm (u32), then the bits of
 * `dimension` doubles (u64 each). Arms are in increasing order, and arms can be missing. An action
 * is the bits of `dimension` doubles.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/little.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/seal.h"
#include "privacy/intake/intake.h"

static void write_doubles(unsigned char *to, const double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &numbers[i], sizeof bits);
        lotor_put_u64(to + 8 * i, bits);
    }
}

static void read_doubles(const unsigned char *from, double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t bits = lotor_get_u64(from + 8 * i);
        memcpy(&numbers[i], &bits, sizeof bits);
    }
}

static size_t row_length(const lotor_coder *coder)
{
    return 4 + 8 * coder->dimension;
}

lotor_status lotor_intake_seal_rows(const lotor_intake *intake, const double *rows,
                                    const bool *has_row, unsigned char **bytes, size_t *length)
{
    const lotor_coder *coder = lotor_intake_coder(intake);
    size_t count = 0;
    for (size_t i = 0; i < coder->arms; i++) {
        count += has_row[i];
    }
    const size_t plain = count * row_length(coder);
    unsigned char *sealed = malloc(plain + LOTOR_SEAL_OVERHEAD);
    *bytes = sealed;
    *length = 0;
    if (!sealed) {
        return LOTOR_MEMORY;
    }
    unsigned char *to = sealed + LOTOR_SEAL_NONCE_BYTES;
    for (size_t i = 0; i < coder->arms; i++) {
        if (has_row[i]) {
            lotor_put_u32(to, (uint32_t)i);
            write_doubles(to + 4, rows + i * coder->dimension, coder->dimension);
            to += row_length(coder);
        }
    }
    assert(to == sealed + LOTOR_SEAL_NONCE_BYTES + plain);
    lotor_intake_seal(intake, LOTOR_INTAKE_CONTEXT, 0, 0, sealed + LOTOR_SEAL_NONCE_BYTES, plain,
                      sealed);
    *length = plain + LOTOR_SEAL_OVERHEAD;
    return LOTOR_OK;
}

static bool read_rows(const lotor_coder *coder, const unsigned char *from, size_t count,
                      double *rows, bool *has_row)
{
    size_t least = 0; /* the arm of the next row is at least this */
    memset(has_row, 0, coder->arms * sizeof *has_row);
    for (size_t i = 0; i < count; i++, from += row_length(coder)) {
        const size_t arm = lotor_get_u32(from);
        if (arm < least || arm >= coder->arms) {
            return false;
        }
        read_doubles(from + 4, rows + arm * coder->dimension, coder->dimension);
        has_row[arm] = true;
        least = arm + 1;
    }
    return true;
}

static lotor_status refuse_context(lotor_message *why)
{
    return lotor_fail(LOTOR_DAMAGED, why, "a context is not what was sealed");
}

lotor_status lotor_intake_open_rows(const lotor_intake *intake, const unsigned char *bytes,
                                    size_t length, lotor_message *why, double *rows, bool *has_row)
{
    const lotor_coder *coder = lotor_intake_coder(intake);
    const size_t plain = length < LOTOR_SEAL_OVERHEAD ? 0 : length - LOTOR_SEAL_OVERHEAD;
    if (coder->dimension == 0 || length < LOTOR_SEAL_OVERHEAD || plain % row_length(coder) != 0) {
        return refuse_context(why);
    }
    unsigned char *opened = malloc(plain ? plain : 1);
    if (!opened) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for a context: try again");
    }
    lotor_status status =
        lotor_intake_open(intake, LOTOR_INTAKE_CONTEXT, 0, 0, bytes, length, opened);
    if (status == LOTOR_OK && !read_rows(coder, opened, plain / row_length(coder), rows, has_row)) {
        status = LOTOR_DAMAGED;
    }
    lotor_wipe_free(opened, plain);
    return status == LOTOR_OK ? status : refuse_context(why);
}

size_t lotor_intake_action_length(const lotor_intake *intake)
{
    return 8 * lotor_intake_coder(intake)->dimension + LOTOR_SEAL_OVERHEAD;
}

void lotor_intake_seal_action(const lotor_intake *intake, uint64_t decision, const double *action,
                              unsigned char *sealed)
{
    const size_t dimension = lotor_intake_coder(intake)->dimension;
    write_doubles(sealed + LOTOR_SEAL_NONCE_BYTES, action, dimension);
    lotor_intake_seal(intake, LOTOR_INTAKE_ACTION, decision, 0, sealed + LOTOR_SEAL_NONCE_BYTES,
                      8 * dimension, sealed);
}

lotor_status lotor_intake_open_action(const lotor_intake *intake, uint64_t decision,
                                      const unsigned char *sealed, size_t length,
                                      lotor_message *why, double *action)
{
    const size_t dimension = lotor_intake_coder(intake)->dimension;
    if (dimension == 0 || length != lotor_intake_action_length(intake)) {
        return refuse_context(why);
    }
    assert(dimension <= LOTOR_CODER_DIMENSION_MAX);
    unsigned char opened[8 * LOTOR_CODER_DIMENSION_MAX];
    const lotor_status status =
        lotor_intake_open(intake, LOTOR_INTAKE_ACTION, decision, 0, sealed, length, opened);
    if (status == LOTOR_OK) {
        read_doubles(opened, action, dimension);
    }
    lotor_wipe(opened, 8 * dimension);
    return status == LOTOR_OK ? status : refuse_context(why);
}
