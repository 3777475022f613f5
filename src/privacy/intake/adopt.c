/* adopt.c - turns what version 0.1 of the service sealed into what an intake seals (base/intake.h).
 *
 * Before it is sealed, a group of feedback is a sequence of entries, in numbers of 8 bytes:
 *
 *      decision, how many numbers, each number
 *
 * The contexts of a block are the bits of `dimension` doubles for each decision, in this machine's
 * byte order.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/little.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/seal.h"
#include "privacy/intake/intake.h"

/* Opens sealed bytes. The caller wipes and frees them with lotor_wipe_free. */
static lotor_status open_old(const lotor_legacy_seal *seal, lotor_legacy_use use, uint64_t number,
                             const unsigned char *bytes, size_t length, unsigned char **plain,
                             size_t *plain_length)
{
    *plain = NULL;
    *plain_length = 0;
    if (!bytes || length < LOTOR_SEAL_OVERHEAD) {
        return LOTOR_DAMAGED;
    }
    const size_t size = length - LOTOR_SEAL_OVERHEAD;
    unsigned char *opened = malloc(size ? size : 1);
    if (!opened) {
        return LOTOR_MEMORY;
    }
    const lotor_status status = seal->open(seal->context, use, number, bytes, length, opened);
    if (status != LOTOR_OK) {
        lotor_wipe_free(opened, size);
        return status;
    }
    *plain = opened;
    *plain_length = size;
    return LOTOR_OK;
}

lotor_status lotor_legacy_seal_try(const lotor_legacy_seal *seal, lotor_legacy_use use,
                                   uint64_t number, const unsigned char *bytes, size_t length)
{
    unsigned char *plain;
    size_t size;
    const lotor_status status = open_old(seal, use, number, bytes, length, &plain, &size);
    lotor_wipe_free(plain, size);
    return status;
}

/* --- feedback --------------------------------------------------------------------------------- */

static lotor_status add_entries(lotor_intake *intake, const unsigned char *next, size_t words,
                                lotor_find_nonce *find, void *context)
{
    const size_t width = lotor_intake_width(intake);
    while (words > 0) {
        const uint64_t used = words < 2 ? 0 : lotor_get_u64(next + 8);
        if (used == 0 || used > width || used > words - 2) {
            return LOTOR_DAMAGED;
        }
        const uint64_t decision = lotor_get_u64(next);
        uint64_t nonce;
        if (find(context, decision, &nonce) &&
            lotor_intake_add_pending(intake, decision, nonce, next + 16, (size_t)used) !=
                LOTOR_OK) {
            return LOTOR_MEMORY;
        }
        next += 16 + 8 * used;
        words -= 2 + (size_t)used;
    }
    return LOTOR_OK;
}

lotor_status lotor_intake_adopt_feedback(lotor_intake *intake, const lotor_legacy_seal *seal,
                                         uint64_t number, const unsigned char *bytes, size_t length,
                                         lotor_find_nonce *find, void *context, lotor_message *why)
{
    const size_t before = lotor_intake_pending(intake);
    unsigned char *plain;
    size_t size;
    lotor_status status =
        open_old(seal, LOTOR_LEGACY_FEEDBACK, number, bytes, length, &plain, &size);
    if (status == LOTOR_OK) {
        status = size % 8 == 0 ? add_entries(intake, plain, size / 8, find, context)
                               : (lotor_status)LOTOR_DAMAGED;
    }
    lotor_wipe_free(plain, size);
    if (status == LOTOR_OK) {
        return LOTOR_OK;
    }
    lotor_intake_undo(intake, before);
    if (status == LOTOR_MEMORY) {
        return lotor_fail(status, why, "no memory to read feedback: try again");
    }
    return lotor_fail(
        LOTOR_DAMAGED, why,
        "a group of feedback is not what version 0.1 wrote, or was sealed with another "
        "key");
}

/* --- contexts --------------------------------------------------------------------------------- */

lotor_status lotor_intake_adopt_actions(const lotor_intake *intake, const lotor_legacy_seal *seal,
                                        uint64_t first, size_t count, size_t skip,
                                        const unsigned char *bytes, size_t length,
                                        lotor_message *why, unsigned char **sealed, size_t *each)
{
    const size_t dimension = lotor_intake_coder(intake)->dimension;
    const size_t row = 8 * dimension;
    assert(dimension <= LOTOR_CODER_DIMENSION_MAX);
    double action[LOTOR_CODER_DIMENSION_MAX];
    unsigned char *plain, *to = NULL;
    size_t size;
    *sealed = NULL;
    *each = lotor_intake_action_length(intake);
    lotor_status status =
        open_old(seal, LOTOR_LEGACY_CONTEXTS, first, bytes, length, &plain, &size);
    if (status == LOTOR_OK &&
        (row == 0 || size % row != 0 || size / row < count || skip >= count)) {
        status = LOTOR_DAMAGED;
    }
    if (status == LOTOR_OK && !(to = *sealed = malloc((count - skip) * *each))) {
        status = LOTOR_MEMORY;
    }
    for (size_t i = skip; status == LOTOR_OK && i < count; i++, to += *each) {
        memcpy(action, plain + i * row, row);
        lotor_intake_seal_action(intake, first + i, action, to);
    }
    lotor_wipe(action, row);
    lotor_wipe_free(plain, size);
    if (status == LOTOR_OK) {
        return LOTOR_OK;
    }
    if (status == LOTOR_MEMORY) {
        return lotor_fail(status, why, "no memory to keep contexts: try again");
    }
    return lotor_fail(LOTOR_DAMAGED, why,
                      "the contexts of a block are not what version 0.1 wrote, or were sealed with "
                      "another key");
}
