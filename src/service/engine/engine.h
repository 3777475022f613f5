/* engine.h - the engine runs campaigns: it hands out decisions, accepts feedback and releases
 * statistics. It knows nothing of HTTP or SQL.
 *
 * A server owns some campaigns, and is a front end for all of them:
 *
 *      rank ───▶ pool: decisions drawn for this server, committed ──▶ event, arms    (memory only)
 *      reward ─▶ append to the log, commit, look whether the round is sealed
 *                ─▶ acknowledged, or late
 *      owner:    seal blocks that are due ─▶ read the log ─▶ enter rounds, release, draw
 *                ─▶ commit ─▶ publish
 *
 * Servers communicate only through rows of the store. See engine.md.
 *
 * Threads: every function may be called from any thread, except lotor_engine_step. Only one thread,
 * the writer, may call that.
 */
#ifndef LOTOR_SERVICE_ENGINE_H
#define LOTOR_SERVICE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "policy/serving.h"
#include "service/refusal.h"
#include "service/server_key/server_key.h"
#include "service/spec/budget_spec.h"
#include "service/spec/spec.h"
#include "service/store/heads.h"
#include "service/store/store.h"

typedef struct lotor_engine lotor_engine;

/* A new campaign with a larger epsilon is refused, since it would protect nobody. With rounds_per_user, that
 * is the epsilon of a user. The same holds for budgets. */
#define LOTOR_ENGINE_MAX_EPSILON 20.0

typedef struct lotor_engine_setup {
    lotor_store *store; /* borrowed, like the server key and the heads */
    lotor_server_key *server_key;
    lotor_heads *heads;
    bool heads_were_lost;    /* as lotor_heads_open returned it */
    bool accept_rollback;    /* the operator accepts an older copy of the store */
    bool allow_weak_epsilon; /* LOTOR_ENGINE_MAX_EPSILON does not hold */
    /* milliseconds that never go back; NULL: the system's clock */
    uint64_t (*boot_clock)(void *context);
    /* for tests; NULL: the store's clock (lotor_store_now) */
    uint64_t (*store_clock)(void *context);
    void *clock_context;
} lotor_engine_setup;

/* Registers this server and reads the campaigns. LOTOR_RELEASED: the store is an older copy, and
 * accept_rollback is false. A campaign that can't be loaded does not stop the others: see
 * lotor_engine_readiness. */
lotor_status lotor_engine_new(const lotor_engine_setup *setup, lotor_message *why,
                              lotor_engine **out);

/* Does all work that is queued or due. LOTOR_UNFINISHED: the store refused; requests that needed
 * the store were refused, too. */
lotor_status lotor_engine_step(lotor_engine *engine, lotor_message *why);
/* When the next step is due, by the boot clock, if no request comes before. */
uint64_t lotor_engine_next(lotor_engine *engine);

/* lotor_engine_start starts the writer, a thread that calls lotor_engine_step. lotor_engine_stop
 * drains the queue, appends handouts, gives the campaigns up, and ends the thread.
 * lotor_engine_free without lotor_engine_stop has the effects of a crash. */
lotor_status lotor_engine_start(lotor_engine *engine, lotor_message *why);
lotor_status lotor_engine_stop(lotor_engine *engine, lotor_message *why);
void lotor_engine_free(lotor_engine *engine);

/* A request that waits for a commit. The caller owns it and keeps it until `done` was called.
 * The writer calls `done`, which must return quickly. */
typedef struct lotor_job {
    void (*done)(struct lotor_job *job);
    void *owner;
    lotor_refusal refusal; /* code LOTOR_CODE_NONE: success */
    size_t late;           /* how many of the rewards came after their round was sealed */
    size_t refused;        /* how many of a list of rewards were refused, each for itself */
    bool was_there;        /* creating a campaign: it existed already */
    /* The name and the id of the request's key, for the audit log; and the one campaign that the
     * key may send feedback to. NULL: no key; all campaigns. They live as long as the job. */
    const char *key, *key_id, *only;
    struct lotor_job *next; /* for the engine only, like `kind` and `work` */
    int kind;
    void *work;
} lotor_job;

/* True if a call is finished, or the job's `done` will be called later. */
typedef enum lotor_completion { LOTOR_COMPLETED, LOTOR_PENDING } lotor_completion;

/* Create or change a campaign. lotor_engine_create takes the specification, even if it
 * refuses it. Creating a campaign again with the same specification succeeds. With another
 * specification under the same name it is refused (EXISTS). lotor_engine_change_arms reads the
 * body before it returns. */
lotor_completion lotor_engine_create(lotor_engine *engine, lotor_spec *spec, lotor_job *job);
/* Checks what lotor_engine_create checks, and creates nothing. *reply is a new reference if the job
 * succeeds: the guarantee that the campaign would have, and whether it exists already. */
lotor_completion lotor_engine_dry_run(lotor_engine *engine, lotor_spec *spec, json_t **reply,
                                      lotor_job *job);
lotor_completion lotor_engine_change_arms(lotor_engine *engine, const char *name,
                                          const json_t *body, lotor_job *job);
/* Changes titles, descriptions and metadata. It reads the body before it returns, too. */
lotor_completion lotor_engine_edit(lotor_engine *engine, const char *name, const json_t *body,
                                   lotor_job *job);
/* Changes the phase of a campaign (lifecycle.c). An act that changes nothing succeeds. */
typedef enum lotor_act {
    LOTOR_ACT_CLOSE,
    LOTOR_ACT_PAUSE,
    LOTOR_ACT_RESUME,
    LOTOR_ACT_ARCHIVE,
    LOTOR_ACT_UNARCHIVE,
    LOTOR_ACT_DELETE
} lotor_act;
const char *lotor_act_name(lotor_act act); /* "close", ... */
lotor_completion lotor_engine_act(lotor_engine *engine, const char *name, lotor_act act,
                                  lotor_job *job);

/* The replies of GET requests, as new references: see docs/openapi.json. NULL: a refusal is set. */
json_t *lotor_engine_list(lotor_engine *engine, bool with_archived, lotor_refusal *refusal);
json_t *lotor_engine_describe(lotor_engine *engine, const char *name, lotor_refusal *refusal);
/* The specification of a sandbox of a campaign, without its name: the same settings and arms, marked in
 * its metadata, and outside of every budget. */
json_t *lotor_engine_sandbox(lotor_engine *engine, const char *name, lotor_refusal *refusal);
json_t *lotor_engine_outlook(lotor_engine *engine, const char *name, lotor_refusal *refusal);
json_t *lotor_engine_guarantee(lotor_engine *engine, const char *name, lotor_refusal *refusal);

/* Reads the public numbers of a campaign that another server owns, for lotor_engine_describe.
 * The job is never refused: without the store, the numbers stay those that were read last. */
lotor_completion lotor_engine_look(lotor_engine *engine, const char *name, lotor_job *job);

/* The releases of a campaign after number `after`, in the order of the chain, at most `limit` of
 * them. *reply is a new reference if the job succeeds. Local and linear campaigns have no
 * history of facts; the reply says so. */
lotor_completion lotor_engine_releases(lotor_engine *engine, const char *name, uint64_t after,
                                       uint64_t limit, json_t **reply, lotor_job *job);

/* One ranking: a request for a decision, and the decision. */
typedef struct lotor_ranking {
    /* The request: */
    const char *user; /* NULL: none */
    size_t user_length;
    const json_t
        *context; /* an object of arrays, by arm; NULL: none; read before the call returns */
    const json_t *eligible; /* an array of arm ids; NULL: all */
    /* context and eligible may be those of another campaign: what this one does not take is ignored */
    bool is_shared;
    /* The decision: */
    /* false: there is no event, since the user's cap or the horizon is reached */
    bool takes_feedback;
    char event[LOTOR_TOKEN_LENGTH + 1];
    uint64_t expires; /* Unix milliseconds */
    size_t count;
    /* ids, which live as long as the engine; the array is freed with the ranking */
    const char **arms;
    const char
        *role; /* "learn", "measure" or "control" if the campaign measures value, else NULL */
    double propensity; /* lotor_control_propensity; 0: not known */
    bool is_local;
    lotor_randomizer randomizer; /* local campaigns only */
    uint64_t number, nonce;      /* for the engine only, like `names` and `more` */
    const char *names[64];
    void *more;
} lotor_ranking;

/* Makes `count` rankings, each with its own decision (rank-batch). Either all succeed or none. If
 * the call returns LOTOR_COMPLETED, job->refusal is set; only after LOTOR_PENDING the job's `done`
 * is called. Clear rankings with lotor_ranking_clear. */
lotor_completion lotor_engine_rank(lotor_engine *engine, const char *name, lotor_ranking *rankings,
                                   size_t count, lotor_job *job);
void lotor_ranking_clear(lotor_ranking *ranking);

/* Feedback for one event: {"rewards": [...]}, {"click": id or null} or {"report": ...}. The reply
 * does not tell whether feedback for the event came before. Feedback that came after its round was
 * sealed is counted in job->late. It does not count, unless another server owns the campaign and
 * had not read the log yet.
 *
 * `refusals` is NULL for the feedback of one event; a refusal is then job->refusal. For a list of
 * feedback, `refusals` has room for `count` and lives until the job is done. An item that is
 * refused gets its refusal there (field "rewards[3].event", ...) and is counted in job->refused;
 * the other items are kept. Items whose refusal the caller has set already are left out.
 * job->refusal is then about the whole list: nothing of it was kept. */
typedef struct lotor_event_feedback {
    const char *event;
    const json_t *feedback; /* the object without "event"; read before the call returns */
} lotor_event_feedback;
lotor_completion lotor_engine_reward(lotor_engine *engine, const lotor_event_feedback *rewards,
                                     size_t count, lotor_refusal *refusals, lotor_job *job);

/* {"campaign", "number", "expires", "final"} of an event. Never tells whether there was
 * feedback. */
json_t *lotor_engine_event(lotor_engine *engine, const char *event, lotor_refusal *refusal);

/* The lines of the audit log after number `after`, at most `limit` of them. *reply is a new
 * reference if the job succeeds. */
lotor_completion lotor_engine_audit(lotor_engine *engine, uint64_t after, uint64_t limit,
                                    json_t **reply, lotor_job *job);

/* Writes a line of the audit log for an act that is not about a campaign: `act` lives for ever,
 * `change` is copied. */
lotor_completion lotor_engine_note(lotor_engine *engine, const char *act, const char *change,
                                   lotor_job *job);

/* Makes a budget over several campaigns. Making it again with the same numbers succeeds. Like
 * lotor_engine_budgets: *reply is a new reference if the job succeeds. */
lotor_completion lotor_engine_create_budget(lotor_engine *engine, const lotor_budget_spec *spec,
                                            json_t **reply, lotor_job *job);
/* One budget, or all of them (name NULL). */
lotor_completion lotor_engine_budgets(lotor_engine *engine, const char *name, json_t **reply,
                                      lotor_job *job);

/* The latest time that the store's clock can have now, in Unix milliseconds. UINT64_MAX: it was
 * never read. */
uint64_t lotor_engine_time(lotor_engine *engine);

/* Metrics as Prometheus text, which the caller frees. NULL: no memory. */
char *lotor_engine_metrics(lotor_engine *engine);
/* True if the last commit succeeded. The second function gives the same as JSON, with the campaigns
 * that can't be served. */
bool lotor_engine_is_ready(lotor_engine *engine);
json_t *lotor_engine_readiness(lotor_engine *engine);

#endif
