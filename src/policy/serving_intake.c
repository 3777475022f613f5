/* serving_intake.c - connects an intake to a policy (serving.h).
 *
 * An intake is made from the parameters of a policy, but does not contain the policy. The owner of
 * a campaign has both. This file opens sealed contexts for drawing, enters final rounds, and seals
 * and opens states.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/little.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/seal.h"
#include "policy/policy.h"
#include "privacy/intake/intake.h"

_Static_assert((int)LOTOR_LINEAR_MAX == (int)LOTOR_CODER_DIMENSION_MAX, "the same limit");

lotor_status lotor_intake_new(const lotor_policy_params *params, uint64_t campaign,
                              const unsigned char key[LOTOR_INTAKE_KEY], lotor_message *why,
                              lotor_intake **out)
{
    *out = NULL;
    lotor_policy_params complete;
    lotor_oracle *oracle;
    lotor_coder coder;
    lotor_status status =
        lotor_policy_refuse_no_delta(lotor_policy_row(params), params->delta, why);
    if (status == LOTOR_OK) {
        status = lotor_policy_complete(params, why, &complete, &oracle);
    }
    if (status != LOTOR_OK) {
        if (status == LOTOR_MEMORY) {
            lotor_explain(why, "no memory for an intake");
        }
        return status;
    }
    if (lotor_policy_params_can_serve(&complete)) {
        status = lotor_policy_make_coder(&complete, why, &coder);
    } else {
        status = lotor_fail(LOTOR_INVALID, why,
                            "%s on this structure can't be served: take one of the ids that "
                            "`lotor serve` offers, on any K arms or on a matroid",
                            complete.algorithm);
    }
    lotor_oracle_free(oracle);
    lotor_policy_params_free(&complete);
    if (status == LOTOR_OK && lotor_intake_make(&coder, campaign, key, out) != LOTOR_OK) {
        status = lotor_fail(LOTOR_MEMORY, why, "no memory for an intake");
    }
    return status;
}

/* True if a policy has the settings that the intake was made from. */
static bool is_same(const lotor_coder *a, const lotor_coder *b)
{
    return strcmp(a->name, b->name) == 0 && a->arms == b->arms && a->slots == b->slots &&
           a->dimension == b->dimension && a->hears_clicks == b->hears_clicks &&
           a->epsilon.num == b->epsilon.num && a->epsilon.den == b->epsilon.den &&
           a->scale == b->scale && a->is_evaluated == b->is_evaluated &&
           a->encoding.low == b->encoding.low && a->encoding.high == b->encoding.high;
}

static lotor_status refuse_other(lotor_message *why)
{
    return lotor_fail(LOTOR_DAMAGED, why,
                      "the state and the specification of a campaign do not belong together");
}

static lotor_status check_same(const lotor_intake *intake, const lotor_policy *policy,
                               lotor_message *why)
{
    return is_same(lotor_intake_coder(intake), &policy->coder) ? LOTOR_OK : refuse_other(why);
}

/* --- entering final rounds -------------------------------------------------------------------- */

lotor_status lotor_intake_enter(lotor_intake *intake, lotor_policy *policy, uint64_t decision,
                                uint64_t nonce, const lotor_display *display,
                                const unsigned char *action, size_t action_length,
                                lotor_message *why)
{
    double opened[LOTOR_LINEAR_MAX];
    lotor_display round = *display;
    round.action = NULL;
    lotor_status status = check_same(intake, policy, why);
    if (status == LOTOR_OK && action) {
        status = lotor_intake_open_action(intake, decision, action, action_length, why, opened);
        round.action = opened;
    }
    if (status == LOTOR_OK) {
        size_t used;
        const int64_t *units = lotor_intake_find(intake, decision, nonce, &used);
        status = lotor_policy_enter(policy, &round, units, used, why);
    }
    if (action) {
        lotor_wipe(opened, lotor_intake_coder(intake)->dimension * sizeof *opened);
    }
    if (status == LOTOR_OK) {
        lotor_intake_drop(intake, decision);
    }
    return status;
}

/* --- drawing decisions ------------------------------------------------------------------------ */

/* An opened context. An arm is eligible if it has a row and the caller's mask allows it. */
typedef struct opened_context {
    double *rows;
    size_t numbers;
    bool *eligible;
} opened_context;

static void close_context(opened_context *context)
{
    lotor_wipe_free(context->rows, context->rows ? context->numbers * sizeof(double) : 0);
    free(context->eligible);
}

static lotor_status open_context(const lotor_intake *intake, const unsigned char *bytes,
                                 size_t length, const bool *eligible, lotor_message *why,
                                 opened_context *out)
{
    const lotor_coder *coder = lotor_intake_coder(intake);
    const size_t numbers = coder->arms * coder->dimension;
    *out = (opened_context){
        .rows = calloc(numbers ? numbers : 1, sizeof *out->rows),
        .numbers = numbers,
        .eligible = calloc(coder->arms, sizeof *out->eligible),
    };
    lotor_status status = LOTOR_OK;
    if (!out->rows || !out->eligible) {
        status = lotor_fail(LOTOR_MEMORY, why, "no memory for a context: try again");
    } else {
        status = lotor_intake_open_rows(intake, bytes, length, why, out->rows, out->eligible);
    }
    for (size_t i = 0; status == LOTOR_OK && eligible && i < coder->arms; i++) {
        out->eligible[i] = out->eligible[i] && eligible[i];
    }
    if (status != LOTOR_OK) {
        close_context(out);
    }
    return status;
}

static lotor_status draw_with(lotor_intake *intake, lotor_policy *policy,
                              const opened_context *context, bool looks, lotor_message *why,
                              lotor_decision *out, unsigned char **action, size_t *action_length)
{
    const size_t length = lotor_intake_action_length(intake);
    unsigned char *sealed = malloc(length); /* allocated before the decision counts */
    if (!sealed) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory to keep a context: try again");
    }
    const lotor_status status =
        looks ? lotor_policy_preview(policy, context->rows, context->eligible, why, out)
              : lotor_policy_draw(policy, context->rows, context->eligible, why, out);
    if (status != LOTOR_OK || out->event == 0) {
        free(sealed);
        return status;
    }
    const size_t dimension = lotor_intake_coder(intake)->dimension;
    assert(out->count == 1 && context->eligible[out->arms[0]]);
    lotor_intake_seal_action(intake, out->event, context->rows + out->arms[0] * dimension, sealed);
    *action = sealed;
    *action_length = length;
    return LOTOR_OK;
}

lotor_status lotor_intake_draw(lotor_intake *intake, lotor_policy *policy,
                               const unsigned char *context, size_t context_length,
                               const bool *eligible, bool looks, lotor_message *why,
                               lotor_decision *out, unsigned char **action, size_t *action_length)
{
    *action = NULL;
    *action_length = 0;
    *out = (lotor_decision){.hold = 1};
    lotor_status status = check_same(intake, policy, why);
    if (status != LOTOR_OK) {
        return status;
    }
    if (!context) {
        return looks ? lotor_policy_preview(policy, NULL, eligible, why, out)
                     : lotor_policy_draw(policy, NULL, eligible, why, out);
    }
    opened_context opened;
    status = open_context(intake, context, context_length, eligible, why, &opened);
    if (status == LOTOR_OK) {
        status = draw_with(intake, policy, &opened, looks, why, out, action, action_length);
        close_context(&opened);
    }
    return status;
}

/* --- states ----------------------------------------------------------------------------------- */

lotor_status lotor_intake_save(const lotor_intake *intake, const lotor_policy *policy,
                               const unsigned char *head, size_t head_length, uint64_t bound,
                               lotor_message *why, unsigned char **bytes, size_t *length)
{
    *bytes = NULL;
    *length = 0;
    unsigned char *saved;
    size_t saved_length;
    if (lotor_policy_save(policy, &saved, &saved_length) != LOTOR_OK) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory to save a campaign's state");
    }
    const size_t plain_length = 8 + head_length + saved_length;
    unsigned char *sealed = malloc(plain_length + LOTOR_SEAL_OVERHEAD);
    if (sealed) {
        unsigned char *plain = sealed + LOTOR_SEAL_NONCE_BYTES;
        lotor_put_u64(plain, head_length);
        if (head_length > 0) {
            memcpy(plain + 8, head, head_length);
        }
        memcpy(plain + 8 + head_length, saved, saved_length);
        lotor_intake_seal(intake, LOTOR_INTAKE_STATE, bound, 0, plain, plain_length, sealed);
        *bytes = sealed;
        *length = plain_length + LOTOR_SEAL_OVERHEAD;
    }
    lotor_bytes_free(saved, saved_length);
    return sealed ? LOTOR_OK
                  : lotor_fail(LOTOR_MEMORY, why, "no memory to save a campaign's state");
}

static lotor_status load_policy(const lotor_intake *intake, const unsigned char *bytes,
                                size_t length, lotor_message *why, lotor_policy **out)
{
    lotor_status status =
        lotor_policy_load_grown(bytes, length, lotor_intake_coder(intake)->arms, why, out);
    if (status == LOTOR_INVALID) { /* the state has more arms, or those of another oracle */
        status = refuse_other(why);
    }
    if (status == LOTOR_OK) {
        status = check_same(intake, *out, why);
    }
    if (status != LOTOR_OK) {
        lotor_policy_free(*out);
        *out = NULL;
    }
    return status;
}

static lotor_status load_opened(const lotor_intake *intake, const unsigned char *plain,
                                size_t length, lotor_message *why, lotor_policy **policy,
                                unsigned char **head, size_t *head_length)
{
    const uint64_t wanted = length < 8 ? UINT64_MAX : lotor_get_u64(plain);
    if (length < 8 || wanted > length - 8) {
        return lotor_fail(LOTOR_DAMAGED, why, "a campaign's state is not what was saved");
    }
    const size_t before = (size_t)wanted;
    if (head) {
        *head = malloc(before ? before : 1);
        if (!*head) {
            return lotor_fail(LOTOR_MEMORY, why, "no memory to load a campaign's state");
        }
        memcpy(*head, plain + 8, before);
        *head_length = before;
    }
    const lotor_status status =
        policy ? load_policy(intake, plain + 8 + before, length - 8 - before, why, policy)
               : LOTOR_OK;
    if (status != LOTOR_OK && head) {
        lotor_bytes_free(*head, before);
        *head = NULL;
        *head_length = 0;
    }
    return status;
}

lotor_status lotor_intake_load(const lotor_intake *intake, const unsigned char *bytes,
                               size_t length, uint64_t bound, lotor_message *why,
                               lotor_policy **policy, unsigned char **head, size_t *head_length)
{
    if (policy) {
        *policy = NULL;
    }
    if (head) {
        *head = NULL;
        *head_length = 0;
    }
    const size_t plain_length = length < LOTOR_SEAL_OVERHEAD ? 0 : length - LOTOR_SEAL_OVERHEAD;
    unsigned char *plain = malloc(plain_length ? plain_length : 1);
    if (!plain) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory to load a campaign's state");
    }
    lotor_status status =
        lotor_intake_open(intake, LOTOR_INTAKE_STATE, bound, 0, bytes, length, plain);
    if (status == LOTOR_OK) {
        status = load_opened(intake, plain, plain_length, why, policy, head, head_length);
    } else {
        lotor_explain(why, "a campaign's state is not what was saved, or was sealed with another "
                           "key");
    }
    lotor_wipe_free(plain, plain_length);
    return status;
}

/* Reads a state of version 0.1: the number of final rounds, the number of arms, how often each arm
 * was shown in these rounds, and the saved policy. */
static lotor_status adopt_opened(const lotor_intake *intake, const unsigned char *plain,
                                 size_t length, lotor_message *why, lotor_policy **policy,
                                 uint64_t *ended, uint64_t *displays)
{
    const size_t arms = lotor_intake_coder(intake)->arms;
    const size_t before = 16 + 8 * arms;
    if (length < before || lotor_get_u64(plain + 8) != arms) {
        return lotor_fail(LOTOR_DAMAGED, why,
                          "a campaign's state is not what version 0.1 saved for its specification");
    }
    *ended = lotor_get_u64(plain);
    for (size_t i = 0; i < arms; i++) {
        displays[i] = lotor_get_u64(plain + 16 + 8 * i);
    }
    return load_policy(intake, plain + before, length - before, why, policy);
}

lotor_status lotor_intake_adopt_state(const lotor_intake *intake, const lotor_legacy_seal *seal,
                                      uint64_t final, const unsigned char *bytes, size_t length,
                                      lotor_message *why, lotor_policy **policy, uint64_t *ended,
                                      uint64_t *displays)
{
    *policy = NULL;
    *ended = 0;
    const size_t plain_length = length < LOTOR_SEAL_OVERHEAD ? 0 : length - LOTOR_SEAL_OVERHEAD;
    unsigned char *plain = malloc(plain_length ? plain_length : 1);
    if (!plain) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory to load a campaign's state");
    }
    lotor_status status =
        length < LOTOR_SEAL_OVERHEAD
            ? LOTOR_DAMAGED
            : seal->open(seal->context, LOTOR_LEGACY_STATE, final, bytes, length, plain);
    if (status == LOTOR_OK) {
        status = adopt_opened(intake, plain, plain_length, why, policy, ended, displays);
    } else {
        lotor_explain(why, "a campaign's state is not what was saved, or was sealed with another "
                           "key");
    }
    lotor_wipe_free(plain, plain_length);
    return status;
}
