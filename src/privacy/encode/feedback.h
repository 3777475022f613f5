/* feedback.h - the kinds of feedback that one round can have, and how far one round can move the
 * sums.
 *
 * A feedback model turns the feedback of one round into a vector of contributions, in units. It
 * declares the largest distance between the vectors of two possible feedbacks. This distance is the
 * sensitivity of everything that is summed from the vectors (neighbours differ in one round's
 * feedback).
 */
#ifndef LOTOR_PRIVACY_ENCODE_FEEDBACK_H
#define LOTOR_PRIVACY_ENCODE_FEEDBACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/policy.h>

#include "privacy/encode/encode.h"

typedef enum lotor_feedback_kind {
    LOTOR_FEEDBACK_ONE = 0,
    LOTOR_FEEDBACK_SEMI = 1,
    LOTOR_FEEDBACK_LEAST_SHOWN = 2,
    LOTOR_FEEDBACK_CASCADE = 3,
    LOTOR_FEEDBACK_FIRST_SLOT = 4
} lotor_feedback_kind;

typedef struct lotor_feedback_model {
    const char *id;
    const char *summary;
    lotor_feedback_kind kind;
    size_t (*contributions)(size_t slots); /* how many numbers one round becomes */
    uint64_t (*l1)(size_t slots);          /* L1 sensitivity, in widths of one reward */
    uint64_t (*l2_squared)(size_t slots);  /* L2 sensitivity, squared, in widths squared */
    /* Writes contributions(slots) numbers; refuses (LOTOR_RANGE) feedback of another form. */
    lotor_status (*encode)(const lotor_encoding *encoding, size_t slots,
                           const lotor_feedback *feedback, lotor_message *why, int64_t *units);
    /* True if `encode` can give these numbers, for a round with as many slots. */
    bool (*is_possible)(const lotor_encoding *encoding, size_t slots, const int64_t *units);
} lotor_feedback_model;

/* All models, ended by NULL: "one", "semi", "least-shown", "cascade", "first-slot". */
extern const lotor_feedback_model *const lotor_feedback_models[];

/* The model with this id, or NULL if there is no such model. */
const lotor_feedback_model *lotor_feedback_find(const char *id);

/* Refuses a reward that lotor_encode refused: number `place` of the feedback, counted from 0. The
 * message says where the reward is, and whether it is NaN, but never its value. Returns
 * LOTOR_RANGE. */
lotor_status lotor_feedback_refuse_reward(const lotor_encoding *encoding,
                                          const lotor_feedback *feedback, size_t place,
                                          lotor_message *why);

#endif
