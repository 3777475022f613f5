/* verify_sparse_drive.c - drives the real sparse vector code with dictated noise. */
#include "lab/verify_sparse.h"

#include "base/message.h"
#include "lab/verify_drive.h"
#include "privacy/release/sparse.h"

/* The first query above the threshold by the definition, from 1; 0: none. */
static size_t first_above(const int64_t *queries, const int64_t *noises, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (queries[i] + noises[i + 1] >= noises[0]) {
            return i + 1;
        }
    }
    return 0;
}

/* The first query above the threshold by the code. SIZE_MAX: the code does not read one draw for
 * the threshold and a fresh one for each question up to the first yes, or does not halt there. */
static size_t first_by_code(lotor_drive *drive, lotor_sparse sparse, uint64_t drawn,
                            const int64_t *queries, const int64_t *noises, size_t count,
                            size_t asked)
{
    lotor_drive_clear(drive);
    for (size_t i = 0; i <= asked; i++) {
        lotor_drive_draw(drive, noises[i], drawn);
    }
    lotor_noise noise = lotor_drive_noise(drive);
    bool above = false;
    size_t i = 0;
    lotor_status status = lotor_sparse_begin(&sparse, &noise);
    while (status == LOTOR_OK && i < count && !above) {
        status = lotor_sparse_ask(&sparse, queries[i++], 0, &noise, &above);
    }
    if (status != LOTOR_OK || !lotor_drive_is_done(drive)) {
        return SIZE_MAX;
    }
    if (!above) {
        return 0;
    }
    return lotor_sparse_ask(&sparse, 0, 0, &noise, &above) == LOTOR_RELEASED ? i : SIZE_MAX;
}

/* Tries every query in -1..1 and every noise in -reach..reach, by counting through all digits. */
static bool answers_alike(const lotor_sparse *sparse, uint64_t drawn, size_t count, int64_t reach)
{
    lotor_drive drive;
    lotor_drive_start(&drive);
    const uint64_t span = 2 * (uint64_t)reach + 1;
    uint64_t cases = 1;
    for (size_t i = 0; i < count; i++) {
        cases *= 3 * span;
    }
    for (uint64_t at = 0; at < cases * span; at++) {
        int64_t queries[LOTOR_SPARSE_ASKED], noises[LOTOR_SPARSE_ASKED + 1];
        uint64_t rest = at / span;
        noises[0] = (int64_t)(at % span) - reach;
        for (size_t i = 0; i < count; i++) {
            queries[i] = (int64_t)(rest % 3) - 1;
            noises[i + 1] = (int64_t)(rest / 3 % span) - reach;
            rest /= 3 * span;
        }
        const size_t first = first_above(queries, noises, count);
        const size_t asked = first ? first : count;
        if (first_by_code(&drive, *sparse, drawn, queries, noises, count, asked) != first) {
            return false;
        }
    }
    return true;
}

lotor_status lotor_sparse_drive(uint64_t sensitivity, lotor_ratio epsilon, lotor_message *why,
                                uint64_t *scale, uint64_t *drawn)
{
    lotor_sparse sparse;
    lotor_status status = lotor_sparse_make(sensitivity, epsilon, why, &sparse);
    *scale = sparse.scale;
    if (status == LOTOR_OK) {
        status = lotor_drive_scale(LOTOR_LAW_LAPLACE, sparse.scale, why, drawn);
    }
    if (status == LOTOR_OK &&
        !(answers_alike(&sparse, *drawn, 1, 3) && answers_alike(&sparse, *drawn, 2, 2) &&
          answers_alike(&sparse, *drawn, 3, 1))) {
        return lotor_fail(LOTOR_DAMAGED, why,
                          "sparse vector does not answer as its definition says: noise once on the "
                          "threshold, afresh on each query, and an end at the first yes");
    }
    return status;
}
