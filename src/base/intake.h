/* intake.h - the only door for raw feedback and raw contexts: what whoever holds one may do with it.
 *
 *      JSON ──▶ batch ──▶ accept ──▶ pending ──▶ sealed row ═══ log ═══▶ replay ──▶ waiting ──▶ enter
 *             (any thread)   (front end)                                       (owner)
 *
 * Code of privacy/intake/, where intake.md says what it promises. The service includes policy/serving.h,
 * which has this and the calls that need a policy. Whoever holds an intake sees decisions, nonces and
 * sealed bytes; rewards, clicks, reports and contexts go in as JSON and are never handed out.
 */
#ifndef LOTOR_BASE_INTAKE_H
#define LOTOR_BASE_INTAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/randomizer.h>
#include <lotor/status.h>

#include "base/kept.h"

struct json_t; /* jansson's */

/* A campaign's intake. It is light: it has no statistic and no learner, so that a server can have one for
 * each of 1,000 campaigns. Bytes that leave it are sealed with the campaign's key and bound to what they
 * are for. */
typedef struct lotor_intake lotor_intake;

enum {
    LOTOR_INTAKE_KEY = 32,
    LOTOR_INTAKE_NAME_MOST = 64 /* characters of an arm's name */
};

void lotor_intake_free(lotor_intake *intake); /* wipes */

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

/* The most numbers that one answer is kept as; what the device of the person who was shown this round does
 * before anything is sent (false: the campaign takes no reports). */
size_t lotor_intake_width(const lotor_intake *intake);
bool lotor_intake_randomizer(const lotor_intake *intake, const lotor_kept *kept,
                             lotor_randomizer *out);

/* --- feedback, step 1: read JSON, in any thread -------------------------------------------------- */

/* The feedback of one request, for one or several campaigns: parsed, still raw, opaque. */
typedef struct lotor_feedback_batch lotor_feedback_batch;
lotor_feedback_batch *lotor_feedback_batch_new(size_t room); /* NULL: no memory */
void lotor_feedback_batch_free(lotor_feedback_batch *batch); /* wipes */

/* Adds one feedback object ({"rewards": [...]}, {"click": ID or null} or {"report": ...}, and no other
 * field) as the next item. False: refused, and the batch is as before. Does not change `intake`: safe from
 * any thread. Only with the service: liblotor has no JSON. */
bool lotor_feedback_batch_read(lotor_feedback_batch *batch, const lotor_intake *intake,
                               const struct json_t *feedback, lotor_intake_refusal *refusal);

/* --- feedback, step 2: encode it for a known decision (one thread at a time) --------------------- */

/* Encodes item `i` for this decision and adds it to the pending group. `ids`: names of arms by number, for
 * clicks. False: refused, and the group is as before. */
bool lotor_intake_accept(lotor_intake *intake, const lotor_feedback_batch *batch, size_t i,
                         uint64_t decision, uint64_t nonce, const lotor_kept *kept,
                         const char *const *ids, lotor_intake_refusal *refusal);

size_t lotor_intake_pending(const lotor_intake *intake);    /* accepted and not cleared */
void lotor_intake_undo(lotor_intake *intake, size_t count); /* wipes all after the first `count` */
void lotor_intake_clear_pending(lotor_intake *intake);      /* wipes all */

/* The pending group as a row of the log, sealed for (campaign, stream, seq); the caller frees *bytes with
 * lotor_bytes_free. *first, *last: the least and the greatest decision. The group stays pending.
 * LOTOR_INVALID: nothing is pending. */
lotor_status lotor_intake_seal_pending(lotor_intake *intake, uint64_t stream, uint64_t seq,
                                       lotor_message *why, unsigned char **bytes, size_t *length,
                                       uint64_t *first, uint64_t *last);

/* --- the owner's part (one thread at a time) ----------------------------------------------------- */

/* Reads a row of the log: its entries wait for their decisions. Entries at or below `final` are skipped.
 * The first entry for (decision, nonce) stays, so reading a row again changes nothing. LOTOR_DAMAGED: not
 * what was sealed for that place; nothing was taken from it. LOTOR_MEMORY: read it again later. */
lotor_status lotor_intake_replay(lotor_intake *intake, uint64_t final, uint64_t stream,
                                 uint64_t seq, const unsigned char *bytes, size_t length,
                                 lotor_message *why);

/* The least and the greatest decision of the row that was replayed last. */
void lotor_intake_extent(const lotor_intake *intake, uint64_t *first, uint64_t *last);

/* Whether feedback for that decision waits. PRIVATE: only for campaigns with early release, whose guarantee
 * says so. */
bool lotor_intake_is_answered(const lotor_intake *intake, uint64_t decision, uint64_t nonce);

void lotor_intake_forget(lotor_intake *intake, uint64_t final); /* wipes what waits up to `final` */
void lotor_intake_reset(lotor_intake *intake);                  /* wipes all that waits */

/* --- contexts ------------------------------------------------------------------------------------ */

/* Reads {"ARM": [numbers], ...} and seals it; the caller frees *bytes with lotor_bytes_free. `ids`:
 * arm_count names (NULL: an arm without a name yet). Every named arm that is `eligible` (NULL: all) must have
 * a list. A campaign without contexts takes none: then `context` must be NULL, and *bytes is. LOTOR_INVALID:
 * refused. LOTOR_MEMORY: refused too. Does not change `intake`: safe from any thread. Only with the
 * service. */
lotor_status lotor_intake_seal_context(const lotor_intake *intake, const struct json_t *context,
                                       const char *const *ids, size_t arm_count,
                                       const bool *eligible, lotor_intake_refusal *refusal,
                                       unsigned char **bytes, size_t *length);

/* --- what version 0.1 sealed --------------------------------------------------------------------- */

/* Version 0.1 sealed with the service's own key. The service lends a function that opens such bytes into
 * `plain` (length - 40 bytes), or says LOTOR_DAMAGED. What was opened is not handed out: it is sealed anew, or
 * becomes a policy. lotor_intake_adopt_state: policy/serving.h. */
typedef enum lotor_old_use {
    LOTOR_OLD_STATE = 1,    /* number: the last final decision */
    LOTOR_OLD_FEEDBACK = 2, /* number: of the group */
    LOTOR_OLD_CONTEXTS = 3  /* number: the first decision of the block */
} lotor_old_use;
typedef struct lotor_old_seal {
    lotor_status (*open)(void *context, lotor_old_use use, uint64_t number,
                         const unsigned char *sealed, size_t length, void *plain);
    void *context;
} lotor_old_seal;

/* Whether these bytes open. LOTOR_DAMAGED: they do not. LOTOR_MEMORY. */
lotor_status lotor_old_seal_try(const lotor_old_seal *seal, lotor_old_use use, uint64_t number,
                                const unsigned char *bytes, size_t length);

/* The nonce of the block that a decision is in; false: there is no such block. */
typedef bool lotor_find_nonce(void *context, uint64_t decision, uint64_t *nonce);
/* Adds the feedback of one group to the pending group. Feedback for decisions without a block is left out.
 * LOTOR_DAMAGED: these bytes are no group; the pending group is as before. */
lotor_status lotor_intake_adopt_feedback(lotor_intake *intake, const lotor_old_seal *seal,
                                         uint64_t number, const unsigned char *bytes, size_t length,
                                         lotor_find_nonce *find, void *context, lotor_message *why);

/* The actions of decisions first + skip .. first + count - 1 of a block, each sealed as lotor_intake_draw does,
 * one after the other; the caller frees *sealed with lotor_bytes_free. *each: the length of one. */
lotor_status lotor_intake_adopt_actions(const lotor_intake *intake, const lotor_old_seal *seal,
                                        uint64_t first, size_t count, size_t skip,
                                        const unsigned char *bytes, size_t length,
                                        lotor_message *why, unsigned char **sealed, size_t *each);

#endif
