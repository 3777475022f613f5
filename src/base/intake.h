/* intake.h - the only way for raw feedback and raw contexts into the library.
 *
 *      JSON ──▶ list ──▶ accept ──▶ pending ──▶ sealed row ══ log ══▶ replay ──▶ waiting ──▶ enter
 *             (any thread)  (front end)                                     (owner)
 *
 * The code is in privacy/intake/; intake.md there states the guarantees. The service includes
 * policy/serving.h, which includes this header and adds the calls that need a policy. The holder of
 * an intake sees decisions, nonces and sealed bytes. Rewards, clicks, reports and contexts go in as
 * JSON and never come out.
 */
#ifndef LOTOR_BASE_INTAKE_H
#define LOTOR_BASE_INTAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/randomizer.h>
#include <lotor/status.h>

#include "base/display.h"

struct json_t; /* of the library jansson */

/* The intake of one campaign. It has no statistic and no learner, so it is small: a server can have
 * one for each of 1,000 campaigns. Bytes that leave an intake are sealed with the campaign's key,
 * and bound to their purpose. */
typedef struct lotor_intake lotor_intake;

enum {
    LOTOR_INTAKE_KEY = 32,
    LOTOR_INTAKE_NAME_MAX = 64 /* characters of an arm's name */
};

void lotor_intake_free(lotor_intake *intake); /* wipes */
/* The campaign was deleted: wipes all feedback and the key, and takes another key, which nobody
 * else should know. Bytes that were sealed before can't be opened any more. */
void lotor_intake_erase(lotor_intake *intake, const unsigned char key[LOTOR_INTAKE_KEY]);

/* Says that the campaign's policy measures value (lotor_policy_evaluate). Call it before the intake
 * is used. */
void lotor_intake_evaluate(lotor_intake *intake);

/* From now on contexts that are longer than `longest` are scaled down to it when they are read.
 * Call it before the intake is used. */
void lotor_intake_normalize(lotor_intake *intake, double longest);

/* The campaign's policy has `arms` arms from now on, at least as many as before. No other thread may use
 * the intake for contexts at the same time. */
void lotor_intake_grow(lotor_intake *intake, size_t arms);

/* Why something was refused. The message never repeats a private value. */
typedef enum lotor_intake_fault {
    LOTOR_FAULT_NONE = 0,
    LOTOR_FAULT_VALUE,
    LOTOR_FAULT_MISSING_FIELD,
    LOTOR_FAULT_UNKNOWN_FIELD,
    LOTOR_FAULT_RAW_FEEDBACK,
    LOTOR_FAULT_MEMORY
} lotor_intake_fault;
typedef struct lotor_intake_refusal {
    lotor_intake_fault fault;
    char field[64];
    lotor_message message;
} lotor_intake_refusal;

/* Width: the most numbers that the feedback of one round is stored as. Randomizer: what the device
 * of the person must apply to the feedback of this round before it sends anything; false if the
 * campaign takes no reports. */
size_t lotor_intake_width(const lotor_intake *intake);
bool lotor_intake_randomizer(const lotor_intake *intake, const lotor_display *display,
                             lotor_randomizer *out);

/* --- feedback, step 1: read JSON, in any thread ----------------------------------------------- */

/* The feedback of one request, for one or several campaigns: parsed, raw and opaque. */
typedef struct lotor_feedback_list lotor_feedback_list;
lotor_feedback_list *lotor_feedback_list_new(size_t room); /* NULL: out of memory */
void lotor_feedback_list_free(lotor_feedback_list *batch); /* wipes */

/* Adds one feedback object as the next item: {"rewards": [...]}, {"click": ID or null} or
 * {"report": ...}, with no other field. False: refused, and the batch is unchanged. Does not change
 * `intake`, so it is safe from any thread. Not part of liblotor, which has no JSON. */
bool lotor_feedback_list_read(lotor_feedback_list *batch, const lotor_intake *intake,
                              const struct json_t *feedback, lotor_intake_refusal *refusal);

/* --- feedback, step 2: encode it for a known decision (one thread at a time) ------------------ */

/* Encodes item `i` for this decision and adds it to the pending group. `ids` has the arms' names by
 * number, for clicks. False: refused, and the group is unchanged. */
bool lotor_intake_accept(lotor_intake *intake, const lotor_feedback_list *batch, size_t i,
                         uint64_t decision, uint64_t nonce, const lotor_display *display,
                         const char *const *ids, lotor_intake_refusal *refusal);

size_t lotor_intake_pending(const lotor_intake *intake);    /* number of pending items */
void lotor_intake_undo(lotor_intake *intake, size_t count); /* wipes all after the first `count` */
void lotor_intake_clear_pending(lotor_intake *intake);      /* wipes all pending items */

/* Makes a row of the log from the pending group, sealed for (campaign, stream, seq). The caller
 * frees *bytes with lotor_bytes_free. *first and *last are the least and the greatest decision of
 * the group. The group stays pending. LOTOR_INVALID: nothing is pending. */
lotor_status lotor_intake_seal_pending(lotor_intake *intake, uint64_t stream, uint64_t seq,
                                       lotor_message *why, unsigned char **bytes, size_t *length,
                                       uint64_t *first, uint64_t *last);

/* --- the owner's part (one thread at a time) -------------------------------------------------- */

/* Reads a row of the log: its entries then wait for their decisions. Entries for decisions up to
 * `final` are skipped. Only the first entry for (decision, nonce) is kept, so reading a row again
 * changes nothing. LOTOR_DAMAGED: the bytes were not sealed for this place; nothing was read.
 * LOTOR_MEMORY: read the row again later. */
lotor_status lotor_intake_replay(lotor_intake *intake, uint64_t final, uint64_t stream,
                                 uint64_t seq, const unsigned char *bytes, size_t length,
                                 lotor_message *why);

/* The least and the greatest decision of the last replayed row. */
void lotor_intake_extent(const lotor_intake *intake, uint64_t *first, uint64_t *last);

/* True if feedback for this decision waits. PRIVATE: call it only for campaigns with early release,
 * whose guarantee allows it. */
bool lotor_intake_has_feedback(const lotor_intake *intake, uint64_t decision, uint64_t nonce);

void lotor_intake_forget(lotor_intake *intake, uint64_t final); /* wipes entries up to `final` */
void lotor_intake_reset(lotor_intake *intake);                  /* wipes all waiting entries */

/* --- contexts --------------------------------------------------------------------------------- */

/* Reads {"ARM": [numbers], ...} and seals it. The caller frees *bytes with lotor_bytes_free. `ids`
 * has arm_count names (NULL: the arm has no name yet). Every named arm that is `eligible` (NULL:
 * all) must have a list. For a campaign without contexts, `context` must be NULL, and *bytes
 * becomes NULL. LOTOR_INVALID, LOTOR_MEMORY: refused. Does not change `intake`, so it is safe from
 * any thread. Not part of liblotor. */
lotor_status lotor_intake_seal_context(const lotor_intake *intake, const struct json_t *context,
                                       const char *const *ids, size_t arm_count,
                                       const bool *eligible, lotor_intake_refusal *refusal,
                                       unsigned char **bytes, size_t *length);

/* --- data sealed by version 0.1 --------------------------------------------------------------- */

/* Version 0.1 sealed with the service's own key. The service passes a function that opens these
 * bytes into `plain` (length - 40 bytes), or returns LOTOR_DAMAGED. Opened bytes are not handed
 * out: they are sealed again, or become a policy. See also lotor_intake_adopt_state in
 * policy/serving.h. */
typedef enum lotor_legacy_use {
    LOTOR_LEGACY_STATE = 1,    /* number: the last final decision */
    LOTOR_LEGACY_FEEDBACK = 2, /* number: that of the group */
    LOTOR_LEGACY_CONTEXTS = 3  /* number: the first decision of the block */
} lotor_legacy_use;
typedef struct lotor_legacy_seal {
    lotor_status (*open)(void *context, lotor_legacy_use use, uint64_t number,
                         const unsigned char *sealed, size_t length, void *plain);
    void *context;
} lotor_legacy_seal;

/* Tests whether these bytes can be opened. LOTOR_DAMAGED: they can't. LOTOR_MEMORY: out of
 * memory. */
lotor_status lotor_legacy_seal_try(const lotor_legacy_seal *seal, lotor_legacy_use use,
                                   uint64_t number, const unsigned char *bytes, size_t length);

/* Finds the nonce of the block that contains a decision. False: there is no such block. */
typedef bool lotor_find_nonce(void *context, uint64_t decision, uint64_t *nonce);
/* Adds the feedback of one group to the pending group. Feedback for decisions without a block is
 * left out. LOTOR_DAMAGED: the bytes are not a group; the pending group is unchanged. */
lotor_status lotor_intake_adopt_feedback(lotor_intake *intake, const lotor_legacy_seal *seal,
                                         uint64_t number, const unsigned char *bytes, size_t length,
                                         lotor_find_nonce *find, void *context, lotor_message *why);

/* Seals the actions of decisions first + skip .. first + count - 1 of a block, each as
 * lotor_intake_draw does, one after the other. The caller frees *sealed with lotor_bytes_free.
 * *each is the length of one sealed action. */
lotor_status lotor_intake_adopt_actions(const lotor_intake *intake, const lotor_legacy_seal *seal,
                                        uint64_t first, size_t count, size_t skip,
                                        const unsigned char *bytes, size_t length,
                                        lotor_message *why, unsigned char **sealed, size_t *each);

#endif
