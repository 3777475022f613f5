/* coder.h - answers and reports become numbers to be kept until their round is final.
 *
 *      rewards    one number of units per asked arm
 *      a click    its place from 1, 0 for none: the feedback model's numbers follow from it
 *      linear     the bits of the reward; the action is kept beside it
 *      reports    a bit; a place; a number of units per asked arm; the signs of a cube as the bits of one
 *
 * A coder follows from the parameters of a policy alone: a policy has one, and so has an intake, which has
 * no policy. Messages never repeat a value: it is somebody's answer.
 */
#ifndef LOTOR_PRIVACY_INTAKE_CODER_H
#define LOTOR_PRIVACY_INTAKE_CODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/policy.h>
#include <lotor/randomizer.h>

#include "base/kept.h"
#include "privacy/encode/encode.h"
#include "privacy/encode/feedback.h"
#include "privacy/release/statistic.h"

enum { LOTOR_CODER_DIMENSION_MOST = 1024 };

typedef struct lotor_coder {
    const char *name; /* of the algorithm: for messages; lives as long as the program */
    const lotor_feedback_model *feedback;
    const lotor_statistic_kind *statistic; /* NULL where there is none: such take no reports */
    lotor_encoding encoding;
    lotor_ratio epsilon;
    size_t arms, slots;
    size_t dimension; /* of contexts, at most LOTOR_CODER_DIMENSION_MOST; 0: there are none */
    uint64_t scale;   /* of Laplace reports, in units; else 0 */
    bool hears_clicks;
    bool is_local; /* of the local model */
} lotor_coder;

/* What a person's feedback is for this coder. */
typedef enum lotor_coder_form {
    LOTOR_CODER_REWARDS = 0,
    LOTOR_CODER_CLICK = 1,
    LOTOR_CODER_REPORT = 2
} lotor_coder_form;
lotor_coder_form lotor_coder_form_of(const lotor_coder *coder);

/* Numbers of an encoded answer, at most: at least 1. */
size_t lotor_coder_width(const lotor_coder *coder);

/* LOTOR_INVALID: not a round that could have been shown. */
lotor_status lotor_coder_check_kept(const lotor_coder *coder, const lotor_kept *kept,
                                    lotor_message *why);

/* See lotor_policy_encode, lotor_policy_encode_report, lotor_policy_randomizer. */
lotor_status lotor_coder_encode(const lotor_coder *coder, const lotor_kept *kept,
                                const lotor_answer *answer, lotor_message *why, int64_t *units,
                                size_t *used);
lotor_status lotor_coder_encode_report(const lotor_coder *coder, const lotor_kept *kept,
                                       const int64_t *report, size_t count, lotor_message *why,
                                       int64_t *units, size_t *used);
bool lotor_coder_randomizer(const lotor_coder *coder, const lotor_kept *kept,
                            lotor_randomizer *out);

/* Whether these numbers could be what encode_report gave. */
bool lotor_coder_is_report(const lotor_coder *coder, const lotor_kept *kept, const int64_t *units,
                           size_t used);

#endif
