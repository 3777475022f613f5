/* engine.h - campaigns at work: what to show, what came back, what is final. No HTTP, no SQL.
 *
 * A server is the owner of some campaigns and a front end for all of them:
 *
 *      rank ───▶ pool: decisions drawn for this server, committed ───▶ event, arms        (memory only)
 *      reward ─▶ append to the log, commit, look whether the round is sealed ─▶ acknowledged, or late
 *      owner:    seal what is due ─▶ read the log ─▶ enter rounds, release, draw ─▶ commit ─▶ publish
 *
 * Everything that servers tell each other goes through rows of the store. See engine.md.
 *
 * Threads: everything may be called from any thread, but step (one at a time; the writer's).
 */
#ifndef LOTOR_SERVICE_ENGINE_H
#define LOTOR_SERVICE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "policy/serving.h"
#include "service/refusal.h"
#include "service/spec/spec.h"
#include "service/store/heads.h"
#include "service/store/store.h"
#include "service/vault/vault.h"

typedef struct lotor_engine lotor_engine;

typedef struct lotor_engine_setup {
    lotor_store *store; /* borrowed, as are the others */
    lotor_vault *vault;
    lotor_heads *heads;
    bool heads_were_lost; /* as lotor_heads_open said */
    bool accept_rollback;
    uint64_t (*boot_clock)(void *context);  /* steady milliseconds; NULL: the system's */
    uint64_t (*store_clock)(void *context); /* for tests; NULL: the store's (lotor_store_now) */
    void *clock_context;
} lotor_engine_setup;

/* Registers the server and reads the campaigns. LOTOR_RELEASED: the store was put back to an older copy (see
 * accept_rollback). A campaign that can't be loaded is alone in that: see lotor_engine_readiness. */
lotor_status lotor_engine_new(const lotor_engine_setup *setup, lotor_message *why,
                              lotor_engine **out);

/* Does everything that is queued and due. LOTOR_UNFINISHED: the store refused; the requests that needed it were
 * told so. */
lotor_status lotor_engine_step(lotor_engine *engine, lotor_message *why);
/* When the next step is due, by the boot clock, if nobody calls before. */
uint64_t lotor_engine_next(lotor_engine *engine);

/* A thread that steps while there is work. stop drains it, reports how many decisions were handed out, gives
 * the campaigns up, and ends it. free without stop is what a crash does. */
lotor_status lotor_engine_start(lotor_engine *engine, lotor_message *why);
lotor_status lotor_engine_stop(lotor_engine *engine, lotor_message *why);
void lotor_engine_free(lotor_engine *engine);

/* A request that waits for the commit. The caller owns it and keeps it until `done` was called (by the
 * writer; it must be quick). */
typedef struct lotor_job {
    void (*done)(struct lotor_job *job);
    void *owner;
    lotor_refusal refusal;  /* code NONE: it went well */
    size_t late;            /* of rewards: how many came after their round was sealed */
    struct lotor_job *next; /* the engine's */
    int kind;               /* the engine's */
    void *work;             /* the engine's */
} lotor_job;

/* Whether a call is finished, or its job's `done` will be called. */
typedef enum lotor_when { LOTOR_NOW, LOTOR_LATER } lotor_when;

/* Campaigns. The spec belongs to the engine afterwards (also when refused). The same spec again is fine;
 * another one under the same name is refused (EXISTS). */
lotor_when lotor_engine_create(lotor_engine *engine, lotor_spec *spec, lotor_job *job);
lotor_when lotor_engine_close(lotor_engine *engine, const char *name, lotor_job *job);
lotor_when lotor_engine_change_arms(lotor_engine *engine, const char *name, const json_t *body,
                                    lotor_job *job); /* the body is read before it returns */

/* New references; NULL and a refusal where there is none. What GET answers: see docs/openapi.json. */
json_t *lotor_engine_list(lotor_engine *engine, lotor_refusal *refusal);
json_t *lotor_engine_describe(lotor_engine *engine, const char *name, lotor_refusal *refusal);
json_t *lotor_engine_guarantee(lotor_engine *engine, const char *name, lotor_refusal *refusal);

/* Reads the public numbers of a campaign that another server owns, for `describe`. The job is never refused: without
 * the store the numbers are those that were read last. */
lotor_when lotor_engine_look(lotor_engine *engine, const char *name, lotor_job *job);

/* What was released, in the order of the chain, from the release after `after` on, at most `limit`
 * rounds of it; *reply is a new reference when the job went well. Local and linear campaigns have no
 * history of facts, and the reply says so. */
lotor_when lotor_engine_releases(lotor_engine *engine, const char *name, uint64_t after,
                                 uint64_t limit, json_t **reply, lotor_job *job);

/* What to show. */
typedef struct lotor_ranking {
    /* asked with */
    const char *user; /* NULL: none */
    size_t user_length;
    const json_t
        *context; /* an object of arrays, by arm; NULL: none. Read before the call returns. */
    const json_t *eligible; /* an array of arm ids; NULL: all */
    /* answered with */
    bool takes_feedback; /* false: no event (the cap, or the horizon, is reached) */
    char event[LOTOR_TOKEN_LENGTH + 1];
    uint64_t expires; /* Unix milliseconds */
    size_t count;
    const char **arms; /* ids; freed with the ranking; they live as long as the engine */
    bool is_local;
    lotor_randomizer randomizer; /* in local campaigns */
    uint64_t number, nonce;      /* the engine's, as are the others */
    const char *names[64];
    void *more; /* the engine's */
} lotor_ranking;

/* `count` rankings at once (rank-batch), each with its own answer; all or none. The job is used only
 * when it returns LATER, else job->refusal is filled in all the same. Rankings are cleared with
 * lotor_ranking_clear. */
lotor_when lotor_engine_rank(lotor_engine *engine, const char *name, lotor_ranking *rankings,
                             size_t count, lotor_job *job);
void lotor_ranking_clear(lotor_ranking *ranking);

/* What came back: {"rewards": [...]}, {"click": id or null} or {"report": ...} of one event. All of a
 * batch are checked first: one that is refused refuses the batch (field "rewards[3].event", ...), and
 * nothing is kept. A repeated and a first answer get the same reply. One that came after its round was
 * sealed is counted in job->late: it does not count, unless another server owns the campaign and had not
 * read the log yet. */
typedef struct lotor_reward {
    const char *event;
    const json_t *answer; /* the object, without "event"; read before the call returns */
} lotor_reward;
lotor_when lotor_engine_reward(lotor_engine *engine, const lotor_reward *rewards, size_t count,
                               bool is_batch, lotor_job *job);

/* {"campaign", "number", "expires", "final"} of an event: never whether there was feedback. */
json_t *lotor_engine_event(lotor_engine *engine, const char *event, lotor_refusal *refusal);

/* Prometheus text (the caller frees it with free; NULL: no memory). */
char *lotor_engine_metrics(lotor_engine *engine);
/* Whether the store took the last commit; and the same as JSON, with the campaigns that can't be served. */
bool lotor_engine_is_ready(lotor_engine *engine);
json_t *lotor_engine_readiness(lotor_engine *engine);

#endif
