/* coder.h - encodes feedback into numbers, which are kept until the round is final.
 *
 *      rewards    one number of units per recorded arm
 *      a click    its position from 1, or 0 for no click; the feedback model computes its
 *                 numbers from this
 *      value      of a round that measures it: the sum of the units of all shown arms; for clicks
 *                 and linear problems as above; in the local model a bit
 *      linear     the bits of the reward; the context is kept separately
 *      reports    a bit; a position; a number of units per recorded arm; or the signs of a
 *                 cube, as the bits of one number
 *
 * A coder depends only on the parameters of a policy. A policy has a coder, and so has an intake,
 * which has no policy. Messages never repeat a value, because values are personal data.
 */
#ifndef LOTOR_PRIVACY_INTAKE_CODER_H
#define LOTOR_PRIVACY_INTAKE_CODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/policy.h>
#include <lotor/randomizer.h>

#include "base/display.h"
#include "privacy/encode/encode.h"
#include "privacy/encode/feedback.h"
#include "privacy/release/statistic.h"

enum { LOTOR_CODER_DIMENSION_MAX = 1024 };

typedef struct lotor_coder {
    const char *name; /* the id of the algorithm, for messages; a static string */
    const lotor_feedback_model *feedback;
    const lotor_statistic_kind *statistic; /* NULL if there is none; then there are no reports */
    lotor_encoding encoding;
    lotor_ratio epsilon;
    size_t arms, slots;
    size_t dimension;  /* of contexts, at most LOTOR_CODER_DIMENSION_MAX; 0: no contexts */
    uint64_t scale;    /* the noise scale of Laplace reports, in units; otherwise 0 */
    bool hears_clicks; /* feedback is a click, not rewards */
    bool is_local;     /* the local model */
    bool is_evaluated; /* some rounds measure value (base/display.h) */
} lotor_coder;

/* True if the round measures value (base/display.h). */
static inline bool lotor_coder_is_value(const lotor_display *display)
{
    return display->asked &&
           lotor_round_role_of(display->asked, display->asked_count) != LOTOR_ROUND_LEARNS;
}

/* The form of feedback that a coder takes. */
typedef enum lotor_coder_form {
    LOTOR_CODER_REWARDS = 0,
    LOTOR_CODER_CLICK = 1,
    LOTOR_CODER_REPORT = 2
} lotor_coder_form;
lotor_coder_form lotor_coder_form_of(const lotor_coder *coder);

/* The most numbers that encoded feedback has; at least 1. */
size_t lotor_coder_width(const lotor_coder *coder);

/* LOTOR_INVALID if the policy could not have shown this round. */
lotor_status lotor_coder_check_display(const lotor_coder *coder, const lotor_display *display,
                                       lotor_message *why);

/* lotor_coder_encode converts raw feedback, and lotor_coder_encode_report a device's report, to whole
 * numbers of units. lotor_coder_randomizer gives the randomizer for a round's device; false: the policy
 * is not local. The rules are those of lotor_policy_encode, lotor_policy_encode_report and
 * lotor_policy_randomizer. */
lotor_status lotor_coder_encode(const lotor_coder *coder, const lotor_display *display,
                                const lotor_feedback *feedback, lotor_message *why, int64_t *units,
                                size_t *used);
lotor_status lotor_coder_encode_report(const lotor_coder *coder, const lotor_display *display,
                                       const int64_t *report, size_t count, lotor_message *why,
                                       int64_t *units, size_t *used);
bool lotor_coder_randomizer(const lotor_coder *coder, const lotor_display *display,
                            lotor_randomizer *out);

/* True if lotor_coder_encode_report could have given these numbers. */
bool lotor_coder_is_report(const lotor_coder *coder, const lotor_display *display,
                           const int64_t *units, size_t used);

#endif
