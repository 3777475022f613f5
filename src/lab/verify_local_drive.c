/* verify_local_drive.c - see verify_local.h. */
#include "lab/verify_local.h"

#include "base/message.h"
#include "lab/verify_drive.h"
#include "privacy/local/bit.h"
#include "privacy/local/cube.h"
#include "privacy/local/position.h"

/* A coin of e^-epsilon reads about epsilon words, and all dictated words must fit in one block. */
static lotor_status check_size(lotor_ratio epsilon, lotor_message *why)
{
    return epsilon.num / 1000 < epsilon.den
               ? LOTOR_OK
               : lotor_fail(LOTOR_OVERFLOW, why,
                            "epsilon %g is too large to drive a randomizer coin by coin: expected "
                            "less than 1000",
                            lotor_ratio_double(epsilon));
}

static lotor_status fail_otherwise(bool is_alike, const char *what, lotor_message *why)
{
    return is_alike ? LOTOR_OK
                    : lotor_fail(LOTOR_DAMAGED, why,
                                 "%s does not toss its coins as its definition says: truths are "
                                 "kept, other answers with probability e^-epsilon",
                                 what);
}

/* --- a bit ------------------------------------------------------------------------------------ */

/* The proposal, and what happens to a false one. */
typedef enum proposed_bit { TRUTH_KEPT, LIE_KEPT, LIE_REDRAWN } proposed_bit;

static bool sends(lotor_drive *drive, const lotor_bit *law, bool truth, proposed_bit proposal)
{
    lotor_drive_clear(drive);
    lotor_drive_below(drive, 1, 0); /* a reward of 0 or 1 is rounded to itself */
    if (proposal != TRUTH_KEPT) {
        lotor_drive_below(drive, 2, 1);
        lotor_drive_exp_coin(drive, law->epsilon, proposal == LIE_KEPT);
    }
    if (proposal != LIE_KEPT) {
        lotor_drive_below(drive, 2, 0);
    }
    bool sent;
    return lotor_bit_send(law, truth, &drive->source, &sent) == LOTOR_OK &&
           lotor_drive_is_done(drive) && sent == (truth != (proposal == LIE_KEPT));
}

lotor_status lotor_local_drive_bit(lotor_ratio epsilon, lotor_message *why)
{
    lotor_bit law;
    lotor_status status = lotor_bit_make(epsilon, 1, why, &law);
    if (status == LOTOR_OK) {
        status = check_size(epsilon, why);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    lotor_drive drive;
    lotor_drive_start(&drive);
    bool is_alike = true;
    for (int i = 0; i < 12; i++) { /* two truths, three proposals, each twice */
        is_alike = is_alike && sends(&drive, &law, i % 2, (proposed_bit)(i / 4));
    }
    return fail_otherwise(is_alike, "randomized response", why);
}

/* --- the place of a click --------------------------------------------------------------------- */

static bool reports(lotor_drive *drive, const lotor_position *law, size_t place, size_t proposed,
                    bool kept)
{
    lotor_drive_clear(drive);
    lotor_drive_below(drive, law->slots + 1, proposed - 1);
    if (proposed != place) {
        lotor_drive_exp_coin(drive, law->epsilon, kept);
        if (!kept) {
            lotor_drive_below(drive, law->slots + 1, place - 1);
        }
    }
    lotor_noise noise = lotor_drive_noise(drive);
    size_t report;
    return lotor_position_report(law, place, &noise, &report) == LOTOR_OK &&
           lotor_drive_is_done(drive) && report == (kept ? proposed : place);
}

lotor_status lotor_local_drive_places(size_t answers, lotor_ratio epsilon, lotor_message *why)
{
    lotor_position law;
    lotor_status status = lotor_position_make(answers - 1, epsilon, why, &law);
    if (status == LOTOR_OK) {
        status = check_size(epsilon, why);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    lotor_drive drive;
    lotor_drive_start(&drive);
    bool is_alike = true;
    for (size_t place = 1; place <= answers; place++) {
        for (size_t proposed = 1; proposed <= answers; proposed++) {
            for (int i = 0; i < 4; i++) {
                is_alike = is_alike && reports(&drive, &law, place, proposed, i < 2);
            }
        }
    }
    return fail_otherwise(is_alike, "randomized response of places", why);
}

/* --- the cube --------------------------------------------------------------------------------- */

/* Dictates the coins that choose the side, after `redrawn` proposals that were not kept. */
static void dictate_side(lotor_drive *drive, const lotor_cube *law, bool inside, int redrawn)
{
    const uint64_t most = law->inside > law->outside ? law->inside : law->outside;
    const uint64_t corners = inside ? law->inside : law->outside;
    for (int left = redrawn; left >= 0; left--) {
        lotor_drive_below(drive, 2, !inside);
        lotor_drive_coin(drive, corners, most, left == 0 || corners == most);
        if (!inside && (left == 0 || corners == most)) {
            lotor_drive_exp_coin(drive, law->epsilon, left == 0);
        }
    }
}

/* The number of corners of the same side that agree in fewer places. */
static uint64_t rank_of(const lotor_cube *law, bool inside, size_t agreeing)
{
    uint64_t rank = 0;
    for (size_t a = inside ? law->threshold : 0; a < agreeing; a++) {
        rank += law->corners[a];
    }
    return rank;
}

/* Dictates which places are wrong: each coin by the last index that says yes or the first that says
 * no. */
static void dictate_places(lotor_drive *drive, size_t slots, size_t wrong_places)
{
    size_t wrong = (size_t)__builtin_popcountll(wrong_places);
    for (size_t left = slots; wrong > 0; left--) {
        const bool is_wrong = wrong_places >> (left - 1) & 1;
        if (wrong < left) {
            lotor_drive_below(drive, left, is_wrong ? wrong - 1 : wrong);
        }
        wrong -= is_wrong;
    }
}

/* Whether the dictated report comes out. `last`: use the last corner with this number of
 * agreements. */
static bool reaches(lotor_drive *drive, const lotor_cube *law, size_t corner, size_t report,
                    bool last, int redrawn)
{
    const size_t slots = law->slots;
    const size_t agreeing = slots - (size_t)__builtin_popcountll(corner ^ report);
    const bool inside = agreeing >= law->threshold;
    if (redrawn && inside && law->inside >= law->outside) {
        redrawn = 0; /* in this case the inside is never redrawn */
    }
    lotor_drive_clear(drive);
    dictate_side(drive, law, inside, redrawn);
    lotor_drive_below(drive, inside ? law->inside : law->outside,
                      rank_of(law, inside, agreeing) + (last ? law->corners[agreeing] - 1 : 0));
    dictate_places(drive, slots, corner ^ report);
    uint64_t parts[LOTOR_CUBE_MOST], reported;
    for (size_t i = 0; i < slots; i++) {
        parts[i] = corner >> i & 1;
    }
    lotor_noise noise = lotor_drive_noise(drive);
    return lotor_cube_report(law, parts, slots, 1, &noise, &reported) == LOTOR_OK &&
           lotor_drive_is_done(drive) && reported == report;
}

/* Whether the counts of the plan are those of an enumeration. */
static bool counts_alike(const lotor_cube *law)
{
    uint64_t inside = 0, outside = 0;
    for (size_t corner = 0; corner >> law->slots == 0; corner++) {
        const size_t agreeing = law->slots - (size_t)__builtin_popcountll(corner);
        inside += agreeing >= law->threshold;
        outside += agreeing < law->threshold;
    }
    return inside == law->inside && outside == law->outside;
}

lotor_status lotor_local_drive_cube(size_t slots, lotor_ratio epsilon, lotor_message *why,
                                    size_t *threshold)
{
    lotor_cube law;
    lotor_status status = lotor_cube_make(slots, epsilon, why, &law);
    if (status == LOTOR_OK) {
        status = check_size(epsilon, why);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    *threshold = law.threshold;
    lotor_drive drive;
    lotor_drive_start(&drive);
    bool is_alike = counts_alike(&law);
    const size_t corners = (size_t)1 << slots;
    for (size_t at = 0; law.doublings == 0 && is_alike && at < corners * corners; at++) {
        for (int i = 0; i < 4; i++) {
            is_alike = is_alike && reaches(&drive, &law, at / corners, at % corners, i & 1, i >> 1);
        }
    }
    return fail_otherwise(is_alike, "the report on the cube", why);
}
