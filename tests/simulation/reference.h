/* reference.h - a simple model of decisions and feedback that checks the engine.
 *
 * The model knows what clients were shown, what they sent and what the service replied (from
 * clients.c), and what every transaction changed (from the simulated database). It never looks into
 * an engine. After every commit it checks the invariants of the protocol; README.md lists them.
 */
#ifndef LOTOR_SIMULATION_REFERENCE_H
#define LOTOR_SIMULATION_REFERENCE_H

#include "service/server_key/server_key.h"
#include "simulation/sim.h"

typedef struct reference reference;

/* `server_key` opens the handouts in the log, which say how many decisions of a block were handed
 * out. */
reference *reference_new(sim *world, const lotor_server_key *server_key);
void reference_free(reference *model);

/* Called by the database. */
void reference_commit(void *context, const db_tx *tx);
void reference_rollback(void *context, uint64_t lsn);

/* Called by clients. `arm` is the arm's id. `user` counts from 1; 0:
 * none. */
void reference_shown(reference *model, const sim_server *server, const lotor_event *event,
                     uint64_t expires, const char *arm, uint64_t user);
/* Feedback is sent to a server; returns its id. */
uint64_t reference_sent(reference *model, const sim_server *server, const lotor_event *event,
                        double value);
typedef enum reference_reply {
    REPLY_ACKNOWLEDGED,
    REPLY_LATE,
    REPLY_NOT_RECORDED, /* what the decision shows was lost */
    REPLY_UNKNOWN       /* refused, 503, or the server ended */
} reference_reply;
void reference_replied(reference *model, uint64_t answer, reference_reply reply);
/* A server has shown that a campaign has so many releases. */
void reference_releases(reference *model, const sim_server *server, const char *name,
                        uint64_t releases);

/* True if everything that was drawn is final, except in broken campaigns. *text: the first that
 * is not. */
bool reference_is_settled(const reference *model, char *text, size_t size);
/* True if a campaign may be marked broken, because a release that a server had seen was lost. */
bool reference_may_be_broken(const reference *model, uint64_t campaign);
/* True if a campaign shows nothing at the moment, because it is closed, paused or archived. */
bool reference_is_halted(const reference *model, uint64_t campaign);
/* How many released sums were compared with the feedback, and how many had too many possible
 * sums. */
typedef struct reference_count {
    uint64_t campaigns, decisions, shown, answers, acknowledged, late, releases, batches, vague;
    uint64_t voided, blanks; /* blanks that were shown and recorded */
} reference_count;
void reference_counts(const reference *model, reference_count *out);
/* True if all decisions with feedback of a campaign with one arm are in released batches. True for
 * campaigns about which this is not known. */
bool reference_is_covered(const reference *model, uint64_t campaign);
/* the campaign's id; 0: none */
uint64_t reference_campaign(const reference *model, const char *name);
bool reference_is_lost(const reference *model, uint64_t campaign, uint64_t nonce);

#endif
