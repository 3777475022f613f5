/* inside.h - shared by the files of the engine: the engine itself, its jobs, and the functions of
 * each file.
 *
 *      engine.c     queue, thread, start and stop; the order of the work in a step
 *      table.c      campaigns by name and by id
 *      sign_in.c    the start of a server
 *      reconnect.c  what follows a new connection to the store
 *      register.c   this server's row, the clock, other servers' campaigns, changed specifications
 *      front.c      rank: from the pool, or a want
 *      blank.c      rank with a context, a user or eligible arms: from blanks
 *      append.c     reward: into the log
 *      remote.c     wants and replies between a front end and an owner on another server
 *      takeover.c   becoming the owner of campaigns: the only recovery
 *      cycle.c      the owner's cycle: prepare, one commit, publish
 *      draw.c       entering rounds; drawing for wants and for pools
 *      state.c      the sealed state and what it authenticates
 *      log.c        the owner reads the log
 *      legacy.c     finds the campaigns of version 0.1 at a start
 *      adopt.c      adopts one campaign of version 0.1
 *      manage.c     create campaigns; change their specification
 *      lifecycle.c  the phase of a campaign: close, pause, archive, delete
 *      audit.c      the audit log of these acts
 *      budgets.c    budgets over several campaigns; budgets_show.c describes them
 *      outlook.c    when the lift is expected to be decided
 *      stickies.c   decisions that a user gets again
 *      users.c      counts a user's rounds in caps and budgets
 */
#ifndef LOTOR_SERVICE_ENGINE_INSIDE_H
#define LOTOR_SERVICE_ENGINE_INSIDE_H

#include <stdatomic.h>

#include "base/text.h"
#include "service/engine/campaign.h"
#include "service/engine/clock.h"
#include "service/engine/engine.h"

enum {
    LOTOR_BLOCK_MIN = 4,           /* the fewest decisions that are drawn ahead */
    LOTOR_BLOCK_MAX = 4096,        /* the most decisions that are drawn ahead */
    LOTOR_AHEAD_MS = 100,          /* a block should be enough for this time */
    LOTOR_AHEAD_SHARED_MS = 250,   /* the same, if a commit crosses a network */
    LOTOR_GATHER_MS = 20,          /* blocks that are due within this time end together */
    LOTOR_IDLE_MS = 5000,          /* a policy that was not used for this time is unloaded */
    LOTOR_POLICIES_MAX = 96,       /* in memory; with 100 arms, a policy takes 0.4 MB */
    LOTOR_RETRY_MS = 200,          /* the pause after the store refused */
    LOTOR_BACKOFF_MOST_MS = 10000, /* the longest pause after a campaign has failed repeatedly */
    LOTOR_BEAT_MS = 1000,          /* how often a server renews its row */
    LOTOR_LEASE_MS = 3000,         /* how long a renewed row says that the server runs */
    LOTOR_POLL_MS = 400,           /* how often leases and specifications are read */
    LOTOR_ALONE_POLL_MS = 5000,    /* the same, if no other server runs */
    LOTOR_HAND_OVER_MS = 2000,     /* without requests for so long, an owner gives a campaign up */
    LOTOR_WANTS_POLL_MS = 20,      /* how often the wants of other servers are read */
    LOTOR_REPLY_POLL_MS = 5,       /* how often replies are read while a request waits */
    LOTOR_WANT_MS = 3000,          /* how long a request waits for decisions */
    LOTOR_PATIENCE_MS = 500,       /* after this time a decision is drawn for the request alone */
    LOTOR_HOLD_MS = 500,           /* how long feedback waits for the record of its decision */
    LOTOR_HOLD_FIRST_MS =
        10,                /* the first pause of this wait; each further pause is twice as long */
    LOTOR_HELD_MAX = 256,  /* how many requests with feedback may wait for records */
    LOTOR_SLOW_MS = 10000, /* nothing is drawn ahead for this time after a block came too late */
    LOTOR_WANT_AGAIN_MS = 1000, /* a want for the pool without a reply is sent again */
    LOTOR_LOOK_MS = 100,        /* the largest age of the numbers of others' campaigns */
    LOTOR_SHARE_MS = 10,        /* the time for one campaign in a cycle */
    LOTOR_GRACE_MS = 1000, /* with other servers: how long a round goes on after its last event */
    LOTOR_CLAMP_MS = 5000, /* a deadline that is later than possible by more than this is moved */
    LOTOR_TAKE_MAX = 100,  /* the most campaigns taken in one transaction */
    /* a release of a campaign with more arms does not say how often each was shown: a release is
     * kept for ever */
    LOTOR_STAMP_ARMS = 64
};

typedef enum lotor_job_kind {
    LOTOR_JOB_CREATE,
    LOTOR_JOB_ACT,
    LOTOR_JOB_ARMS,
    LOTOR_JOB_EDIT,
    LOTOR_JOB_RANK,
    LOTOR_JOB_REWARD,
    LOTOR_JOB_RELEASES,
    LOTOR_JOB_LOOK,
    LOTOR_JOB_AUDIT,
    LOTOR_JOB_NOTE,
    LOTOR_JOB_BUDGET,
    LOTOR_JOB_BUDGETS
} lotor_job_kind;

/* The feedback of a request for one event. */
typedef struct lotor_feedback_target {
    lotor_campaign *campaign; /* NULL: the feedback was refused */
    size_t place;             /* in the feedback list, which has no refused items */
    lotor_event event;
    uint64_t first; /* the first decision of its block; 0: it is late */
} lotor_feedback_target;

typedef struct lotor_job_work {
    uint64_t arrival; /* when the request came, by the boot clock, read under the queue's lock */
    uint64_t at;      /* the earliest time of the store's clock at the arrival */
    lotor_campaign *campaign;
    lotor_spec *spec;
    lotor_act act;
    lotor_budget_spec budget; /* for a budget; its name alone to show one, "" to show all */
    json_t *body;
    json_t **reply; /* for budgets, releases and the audit log, like `after` and `limit` */
    uint64_t after, limit;
    const char *note_act; /* a line of the audit log, like `note` */
    char *note;
    lotor_ranking *rankings;
    lotor_want *want; /* for rankings */
    size_t count;
    lotor_feedback_target *told;
    lotor_feedback_list *feedback;
    lotor_refusal *refusals;  /* of the caller, one for each item; NULL: there is one item */
    bool must_wait;           /* for the record of a decision, which another server has shown */
    uint64_t pause, retry_at; /* by the boot clock */
} lotor_job_work;

/* A campaign that can't be served, because its row, key or specification can't be used. */
typedef struct lotor_unreadable_campaign {
    uint64_t id;
    char name[LOTOR_NAME_MAX + 1];
    char reason[160];
} lotor_unreadable_campaign;

/* A copy of a campaign's row, since a callback of the store may not call the store. */
typedef struct lotor_campaign_copy {
    lotor_campaign_row row; /* points into `text` */
    unsigned char seal[LOTOR_STORE_HASH];
    char text[];
} lotor_campaign_copy;

enum { LOTOR_COMMIT_BUCKETS = 12 };
typedef struct lotor_engine_counts { /* relaxed atomics */
    _Atomic uint64_t decisions, feedback, rounds, releases, commits, failures;
    _Atomic uint64_t commit_buckets[LOTOR_COMMIT_BUCKETS + 1], commit_microseconds;
} lotor_engine_counts;

/* For assertions: true if some thread holds the lock. */
static inline bool lotor_is_locked(pthread_mutex_t *lock)
{
    if (pthread_mutex_trylock(lock) != 0) {
        return true;
    }
    pthread_mutex_unlock(lock);
    return false;
}

struct lotor_engine {
    lotor_store *store;
    lotor_server_key *server_key;
    lotor_heads *heads;
    bool accept_rollback, allow_weak_epsilon;
    atomic_bool lacks_heads;           /* a copy of heads_are_behind for requests */
    struct lotor_user_budget *budgets; /* a list; used by the writer only; see budgets.h */
    uint64_t (*boot_clock)(void *context);
    uint64_t (*store_clock)(void *context);
    void *clock_context;
    uint64_t started_at;

    pthread_rwlock_t table_lock;
    lotor_campaign **by_place; /* in the order in which this server learned of them */
    size_t campaign_count, campaign_room;
    lotor_campaign *retired; /* a list, linked by next_retired */
    struct lotor_unreadable_campaign
        *unreadable; /* campaigns that can't be used; under table_lock */
    size_t unreadable_count;
    /* hash tables of names and of ids; an entry is an index in by_place, plus 1 */
    uint32_t *slots, *id_slots;
    size_t slot_count;

    /* The latest time of the store's clock, for requests: boot clock + ahead. It may be used
     * until the boot clock is past fresh_until. */
    _Atomic int64_t ahead;
    _Atomic uint64_t fresh_until;

    pthread_mutex_t queue_lock;
    pthread_cond_t queue_wake;
    lotor_job *first_job, **last_job;
    bool is_woken, is_stopping, is_ending;
    bool has_thread;
    pthread_t thread;

    /* Used by the writer only. */
    lotor_clock clock;
    uint64_t boot, low, high; /* of this step: the boot clock, and bounds of the store's clock */
    lotor_job *held;          /* feedback that waits for records: see append.c */
    size_t held_count;
    bool is_steady;   /* the bounds may be used */
    bool is_leaving;  /* a clean stop: each state is saved with everything that is in the log */
    bool has_more;    /* more work can be done at once */
    bool has_foreign; /* other servers own some campaigns */
    bool heads_are_behind;
    bool is_registered;
    uint64_t server; /* this server's id */
    /* the current stream of the log; a new one after a commit with an unknown outcome */
    uint64_t stream;
    uint64_t connections; /* the store's connection with which everything in memory was read */
    uint64_t streams;     /* how many streams this start has used */
    uint64_t margin;      /* LOTOR_GRACE_MS, or 0 on an exclusive store */
    uint64_t others;      /* how many other servers are running */
    uint64_t beat_at, poll_at, wants_at, reply_at; /* when each of these was last done */
    uint64_t cycle_at; /* when blocks that are due were last looked for */
    uint64_t gather;   /* LOTOR_GATHER_MS; 0 without a thread */
    uint64_t next_want, looks;
    uint64_t share_from;         /* when the cycle began to prepare the current campaign */
    lotor_campaign **cycle_list; /* room for all campaigns */
    size_t turn_room;
    size_t waiting; /* the wants that other servers have not replied to yet */
    uint64_t starts;
    size_t policies; /* the number of loaded policies */
    uint64_t put_away_at;
    bool must_overwrite; /* a campaign was deleted: see lotor_store_overwrite */
    uint64_t overwrite_at;
    json_t *rollbacks; /* accepted rollbacks; changed under table_lock */
    /* accepted rollbacks, including those that older copies of the store do not list */
    uint64_t rollback_count;
    uint64_t rolled_back; /* at this start: campaigns up to this id are older copies; 0: none */

    _Atomic bool is_ready;
    lotor_engine_counts counters;
};

/* engine.c */
lotor_status lotor_engine_make(const lotor_engine_setup *setup, lotor_message *why,
                               lotor_engine **out); /* does not register the server */
uint64_t lotor_engine_boot(lotor_engine *engine);
void lotor_engine_wake(lotor_engine *engine);
/* Queues a job with its work. The work is freed with the job, even if the job is refused. */
lotor_completion lotor_engine_queue(lotor_engine *engine, lotor_job *job, lotor_job_kind kind,
                                    lotor_job_work *work);
void lotor_job_finish(lotor_job *job); /* frees the work, then calls done */
void lotor_job_fail(lotor_job *job, lotor_status status);
lotor_completion lotor_job_no_memory(lotor_job *job);
uint64_t lotor_engine_random_id(void); /* from 1 to 2^63 - 1 */
void lotor_engine_new_stream(lotor_engine *engine);
/* Returns `status`; but LOTOR_UNFINISHED instead of LOTOR_OK if the store has been connected
 * again since the campaigns in memory were read. */
lotor_status lotor_engine_is_connected(const lotor_engine *engine, lotor_status status,
                                       lotor_message *why);
/* Begins a transaction. Fails if the store has been connected again since the campaigns in
 * memory were read: a failover may have lost commits. See lotor_register_tend. */
lotor_status lotor_engine_begin(lotor_engine *engine, lotor_message *why);
/* Commits, and adds the time that it took to the metrics. */
lotor_status lotor_engine_commit(lotor_engine *engine, lotor_message *why);

/* table.c */
lotor_campaign *lotor_table_find(lotor_engine *engine, const char *name);
lotor_campaign *lotor_table_find_id(lotor_engine *engine, uint64_t id);
/* then lotor_table_add can't fail */
lotor_status lotor_table_reserve(lotor_engine *engine, size_t more);
void lotor_table_add(lotor_engine *engine, lotor_campaign *campaign);
/* Removes a campaign. It is freed with the engine. */
void lotor_table_remove(lotor_engine *engine, lotor_campaign *campaign);
/* True if this campaign can't be used: see lotor_table_leave_out. */
bool lotor_table_is_left_out(lotor_engine *engine, uint64_t id);
lotor_campaign *lotor_table_find_or_refuse(lotor_engine *engine, const char *name,
                                           lotor_refusal *refusal);

/* sign_in.c */
/* Starts a server: checks the store, and adds the server's row. LOTOR_INVALID: the store has
 * another key. LOTOR_RELEASED: the store is an older copy. */
lotor_status lotor_sign_in(lotor_engine *engine, bool heads_were_lost, lotor_message *why);
/* Checks that the store was made with this key. All servers on a store need the same key to open
 * what the others sealed. LOTOR_INVALID: another key. *is_new: the store has no key's name yet. */
lotor_status lotor_sign_in_check_key(lotor_engine *engine, lotor_message *why, bool *is_new);
/* Adds an accepted rollback to the list in the store. Takes `entry`; NULL: there was no memory
 * for it. */
lotor_status lotor_sign_in_rollback(lotor_engine *engine, json_t *entry, lotor_message *why);
/* Puts the number of starts and of accepted rollbacks into the heads, which are written later. */
lotor_status lotor_takeover_accept_erased(lotor_engine *engine, lotor_message *why);
lotor_status lotor_sign_in_heads(lotor_engine *engine, lotor_message *why);

/* reconnect.c */
void lotor_disown_all(lotor_engine *engine); /* they are taken over again */
/* After a new connection, no campaign in memory is trusted until lotor_reconnect_compare has
 * run. */
void lotor_reconnect_doubt(lotor_engine *engine);
/* Compares doubtful campaigns and their blocks with the store, and forgets what a failover lost. */
lotor_status lotor_reconnect_compare(lotor_engine *engine, lotor_message *why);

/* register.c */
/* Reads the clock of the store. */
lotor_status lotor_register_read_clock(lotor_engine *engine, lotor_message *why);
/* Does what is due: reads the clock, renews this server's row, looks at leases and
 * specifications. */
lotor_status lotor_register_tend(lotor_engine *engine, lotor_message *why);
/* Reads new campaigns, all leases, and changed specifications. */
lotor_status lotor_register_poll(lotor_engine *engine, lotor_message *why);
/* The first poll of a server, to which every campaign is new. */
lotor_status lotor_register_poll_first(lotor_engine *engine, lotor_message *why);
void lotor_register_clock(lotor_engine *engine); /* sets boot, low, high and is_steady */
uint64_t lotor_register_next_poll(const lotor_engine *engine); /* by the boot clock */
lotor_status lotor_register_leave(lotor_engine *engine, lotor_message *why);
/* Call it after a read, and before what was read is shown. Until it returns LOTOR_OK, a failover may lose a
 * release that was read. Then other noise would be drawn for the same rounds. It renews this server's row,
 * and that commit waits for the standby. */
lotor_status lotor_register_confirm(lotor_engine *engine, lotor_message *why);
/* A lotor_on_campaign callback. The context is a lotor_campaign_copy **, which the caller frees. */
lotor_status lotor_campaign_copy_row(void *context, const lotor_campaign_row *row);
extern const char lotor_broken_text[]; /* why a campaign with a broken lease is not served */
/* Leaves one campaign out, for this reason. The others are served. */
lotor_status lotor_table_leave_out(lotor_engine *engine, const lotor_campaign_row *row,
                                   const lotor_message *reason);
/* Parses a specification of the store. LOTOR_DAMAGED: it can't be read. LOTOR_MEMORY: no memory. */
lotor_status lotor_spec_parse(const char *text, lotor_message *why, lotor_spec **out);
/* Opens the specification of a row. LOTOR_DAMAGED: its seal is wrong, or this program can't read
 * it. */
lotor_status lotor_spec_open(const lotor_engine *engine, const lotor_campaign_row *row,
                             lotor_message *why, lotor_spec **spec);
/* Makes the seal of a campaign's row. */
void lotor_spec_seal(const lotor_engine *engine, const lotor_campaign_row *row,
                     unsigned char seal[LOTOR_STORE_HASH]);

/* front.c */
/* Serves waiting requests of a campaign from its pool, as far as there are decisions. */
void lotor_front_serve(lotor_engine *engine, lotor_campaign *campaign);
void lotor_front_ask(lotor_engine *engine, lotor_job *job); /* handles a new rank job */
/* How many decisions to draw at once. Usually as many as are handed out in LOTOR_AHEAD_MS,
 * measured between the last two times that the pool was low. If requests are rare, as many as
 * the waiting requests need. A short burst must not make a large block: after a crash, decisions
 * that were not handed out count as displays without feedback. */
size_t lotor_front_size(lotor_engine *engine, lotor_campaign *campaign, const lotor_pool *pool,
                        size_t needed);
/* Removes blocks at the front that may not be handed out any more. The caller holds the lock. */
void lotor_front_drop_old(lotor_pool *pool, uint64_t high);
/* Asks for a block when half of the last one is used. True: the writer must be woken. The caller
 * holds the lock. */
bool lotor_front_ask_for_more(lotor_pool *pool, uint64_t boot);
void lotor_ranking_sign(lotor_engine *engine, const lotor_campaign *campaign,
                        lotor_ranking *ranking);
void lotor_front_expire(lotor_engine *engine); /* refuses requests that waited too long */
/* Stops blocks that are too old. Sets has_reports if one of them needs a handout. */
void lotor_front_tidy(lotor_engine *engine, lotor_campaign *campaign);
void lotor_front_publish(lotor_engine *engine, lotor_campaign *campaign, lotor_block *block);
/* Fills in the rankings of this server's want, to which the owner has replied (want->shown, block),
 * and ends the job. */
void lotor_front_finish(lotor_engine *engine, lotor_campaign *campaign, lotor_want *want);
void lotor_front_refuse(lotor_engine *engine, lotor_campaign *campaign, lotor_want *want);
/* Refuses the requests that wait for this server to draw, because the store refused. */
void lotor_front_refuse_waiting(lotor_engine *engine, lotor_campaign *campaign);
bool lotor_ranking_show(lotor_campaign *campaign, lotor_ranking *ranking,
                        const lotor_display *display, size_t slot);

/* blank.c */
/* Serves a request from blanks, or refuses it. False: there are none, so the owner must draw. */
bool lotor_blank_serve(lotor_engine *engine, lotor_campaign *campaign, const lotor_want *want,
                       lotor_ranking *rankings, lotor_job *job);
/* Serves a want from the blanks that were numbered for it. False: want->refusal says why not. */
bool lotor_blank_show(lotor_engine *engine, lotor_campaign *campaign, lotor_want *want);
/* Takes what requests have noted: fills in blocks, and keeps the records for the log. */
void lotor_blank_collect(lotor_campaign *campaign);
/* Appends campaign->unrecorded as a row, whose stream and seq are set. Call it in a transaction. */
lotor_status lotor_blank_append(lotor_engine *engine, lotor_campaign *campaign, lotor_log_row *row,
                                lotor_message *why);
/* Reads a row of records, and fills in the blocks that are known. The owner, which has sealed
 * before, notes what is recorded. */
lotor_status lotor_blank_read(const lotor_engine *engine, lotor_campaign *campaign,
                              const lotor_log_row *row, bool is_owner, lotor_message *why);
/* Reads from the store what a decision shows. */
lotor_status lotor_blank_find(lotor_engine *engine, lotor_campaign *campaign, uint64_t decision,
                              lotor_message *why);
/* After a new connection: a failover may have lost records. Those of this server are appended
 * again, and those of others are forgotten. False: no memory. */
bool lotor_blank_doubt(const lotor_engine *engine, lotor_campaign *campaign);
/* The chooser is a copy of the policy that chooses the arms of blanks. The function
 * lotor_blank_needs_chooser is true if the policy of this cycle should become the chooser when it is
 * committed. The function lotor_blank_choose_by makes `copy` the chooser, and owns it from then on. */
bool lotor_blank_needs_chooser(const lotor_engine *engine, lotor_campaign *campaign);
void lotor_blank_choose_by(lotor_engine *engine, lotor_campaign *campaign, lotor_policy *copy);
void lotor_blank_put_away(lotor_campaign *campaign); /* frees the chooser */

/* append.c */
enum {
    LOTOR_HANDOUT_BYTES = 40,
    LOTOR_HANDOUT_SEALED = LOTOR_HANDOUT_BYTES + LOTOR_SERVER_KEY_OVERHEAD
};
/* Seals a handout for the place (stream, seq) of its row: `handed` decisions from row->first on. */
void lotor_handout_seal(const lotor_engine *engine, uint64_t campaign, const lotor_log_row *row,
                        uint64_t nonce, uint64_t handed,
                        unsigned char sealed[LOTOR_HANDOUT_SEALED]);
/* Appends the feedback of these jobs and the handouts that are due, and ends the jobs, except those
 * that it holds. */
lotor_status lotor_append(lotor_engine *engine, lotor_job *jobs, lotor_message *why);
/* Takes back the jobs on hold that are due at `boot`; UINT64_MAX: all. */
lotor_job *lotor_append_unhold(lotor_engine *engine, uint64_t boot);
uint64_t lotor_append_next(const lotor_engine *engine); /* when the next one is due */

/* remote.c */
/* Withdraws this server's wants, since it has become the owner itself. */
lotor_status lotor_remote_withdraw(lotor_engine *engine, lotor_campaign *campaign,
                                   lotor_message *why);
/* Forgets that this server has asked for its pools. */
void lotor_remote_forget(lotor_engine *engine, lotor_campaign *campaign);
lotor_status lotor_remote_send(lotor_engine *engine, lotor_campaign *campaign, lotor_message *why);
lotor_status lotor_remote_take_wants(lotor_engine *engine, lotor_message *why);
lotor_status lotor_remote_take_replies(lotor_engine *engine, lotor_message *why);
lotor_status lotor_remote_reply(lotor_engine *engine, lotor_campaign *campaign,
                                const lotor_want *want, lotor_message *why);

/* takeover.c */
/* Takes the campaigns that have no owner, if this server should own them. */
lotor_status lotor_takeover(lotor_engine *engine, lotor_message *why);
/* Reads what a takeover would read, and says what is wrong with it. Use the engine for nothing
 * else. */
lotor_status lotor_takeover_inspect(lotor_engine *engine, lotor_campaign *campaign,
                                    lotor_message *why);
/* Forgets that this server owns the campaign. Requests of this server wait for the next owner.
 * Those of other servers are dropped, and read again by the next owner. */
void lotor_takeover_disown(lotor_engine *engine, lotor_campaign *campaign);
/* Handles a failure: the campaign will be taken again after a pause. If it is damaged, the pause
 * grows each time, and lotor_engine_readiness shows the reason. */
void lotor_campaign_fails(lotor_engine *engine, lotor_campaign *campaign, lotor_status status,
                          const char *text);

/* cycle.c */
lotor_status lotor_owner_cycles(lotor_engine *engine, lotor_message *why, bool *has_more);
uint64_t lotor_owner_cycle_next(lotor_engine *engine,
                                lotor_campaign *campaign); /* by the boot clock */

/* log.c */
lotor_status lotor_log_read(lotor_engine *engine, lotor_campaign *campaign, lotor_message *why);
/* Notes a row as read, so that the next state names it. The rows of a stream come in the order
 * of seq. */
lotor_status lotor_log_note(lotor_campaign *campaign, const lotor_log_row *row, lotor_message *why);

/* legacy.c */
bool lotor_is_unadopted(const lotor_campaign_row *row);
/* Checks that the key opens what version 0.1 sealed, if there is any. LOTOR_INVALID: another
 * key. */
lotor_status lotor_legacy_try_key(lotor_engine *engine, lotor_message *why);
/* Call it in the transaction of a start. LOTOR_RELEASED: the head file of version 0.1 names a
 * release that the store lacks. If the operator accepts that, *is_older becomes true. */
lotor_status lotor_legacy_check_head(lotor_engine *engine, lotor_message *why, bool *is_older);
/* Adopts the campaigns of version 0.1, each in its own transaction. A campaign that can't be
 * adopted is left out. */
lotor_status lotor_adopt(lotor_engine *engine, lotor_message *why);
/* The function of a lotor_legacy_seal that opens sealed bytes. The context is a
 * lotor_legacy_key. */
typedef struct lotor_legacy_key {
    const lotor_server_key *server_key;
    uint64_t campaign;
} lotor_legacy_key;
lotor_status lotor_legacy_open(void *context, lotor_legacy_use use, uint64_t number,
                               const unsigned char *sealed, size_t length, void *plain);

/* adopt.c */
/* Also returns LOTOR_OK if another server has adopted it. `was_rolled_back`: the store is an
 * older copy. */
lotor_status lotor_adopt_one(lotor_engine *engine, const lotor_campaign_row *row,
                             bool was_rolled_back, lotor_message *why);

/* draw.c */
lotor_status lotor_draw_wants(lotor_engine *engine, lotor_campaign *campaign, lotor_message *why);
lotor_status lotor_draw_blanks(lotor_engine *engine, lotor_campaign *campaign, uint64_t holder,
                               uint64_t want, size_t count, lotor_message *why, size_t *drawn);
/* Makes the mask of arms that may be shown: named, not paused, and eligible (NULL: all are). NULL: no
 * memory. Only the writer changes the specification, so the writer needs no lock. */
bool *lotor_draw_mask(const lotor_campaign *campaign, const bool *eligible);
/* The slot of the randomizer in local campaigns; else 0. */
size_t lotor_draw_slot(const lotor_campaign *campaign, const lotor_policy *policy,
                       const lotor_display *display);
/* Turns the status of a drawing that failed into a refusal. */
void lotor_draw_refuse(lotor_refusal *refusal, lotor_status status, const lotor_message *why);
lotor_status lotor_draw_ahead(lotor_engine *engine, lotor_campaign *campaign, uint64_t holder,
                              uint64_t want, size_t count, lotor_message *why, size_t *drawn);
/* Enters sealed blocks whose deadline is before `limit`. *stops: a block is due and not sealed yet,
 * or the campaign has used its time in this cycle. */
lotor_status lotor_draw_enter_until(lotor_engine *engine, lotor_campaign *campaign, uint64_t limit,
                                    lotor_message *why, bool *stops);

/* state.c */
lotor_status lotor_state_save(const lotor_engine *engine, lotor_campaign *campaign,
                              lotor_message *why);
lotor_status lotor_state_new(const lotor_campaign *campaign, const lotor_policy *policy,
                             lotor_message *why, unsigned char **bytes, size_t *length);
/* Loads the policy of an owned campaign, unless it is loaded. */
lotor_status lotor_state_load(lotor_engine *engine, lotor_campaign *campaign, lotor_message *why);
/* Opens a state: sets the policy, `over` and `ended`, and at a takeover the expected cursors.
 * Compares the state with the lease and the blocks. */
lotor_status lotor_state_open(lotor_campaign *campaign, const unsigned char *bytes, size_t length,
                              uint64_t epoch, bool is_takeover, lotor_message *why);
/* Copies the sealed state from the store, or a policy from a copy. The caller frees both. */
typedef struct lotor_state_copy {
    unsigned char *bytes;
    size_t length;
    uint64_t epoch;
} lotor_state_copy;
lotor_status lotor_state_read(lotor_engine *engine, const lotor_campaign *campaign,
                              lotor_message *why, lotor_state_copy *out);
/* Reads the public numbers of a campaign that another server owns. */
lotor_status lotor_state_look(lotor_engine *engine, lotor_campaign *campaign, lotor_message *why);
void lotor_policy_put_away(lotor_engine *engine, lotor_campaign *campaign);

/* manage.c */
void lotor_manage(lotor_engine *engine, lotor_job *job);
/* Reads the changed specification from the store. LOTOR_DAMAGED: no server has written it. */
lotor_status lotor_manage_read(lotor_engine *engine, lotor_campaign *campaign, lotor_message *why);
/* Something in the store shows an arm that this server does not know, so another server may have added
 * it: reads the specification. True: the campaign has more arms now. */
bool lotor_manage_hear_of_arms(lotor_engine *engine, lotor_campaign *campaign);
/* Refuses the job if so many rounds of one user (0: one), each with this epsilon, protect nobody. Campaigns and
 * budgets that are in the store already go on. */
bool lotor_engine_is_too_weak(const lotor_engine *engine, lotor_ratio epsilon, uint64_t rounds,
                              lotor_job *job);

/* lifecycle.c */
/* Applies an act to a specification, and to *closed. *is_same: the act changes nothing. */
lotor_code lotor_lifecycle_apply(lotor_act act, lotor_spec *spec, bool *closed,
                                 lotor_refusal *refusal, bool *is_same);
/* Refuses a change of a campaign that is closed or archived. */
lotor_code lotor_lifecycle_check(const lotor_spec *spec, bool closed, lotor_refusal *refusal);

/* Writes the deletion of a campaign, in the transaction that has changed its specification. */
lotor_status lotor_lifecycle_erase(lotor_engine *engine, const lotor_campaign *campaign,
                                   lotor_message *why);
/* Forgets all private data of a campaign whose specification says that it was deleted. */
void lotor_lifecycle_forget(lotor_engine *engine, lotor_campaign *campaign);
/* Overwrites what was deleted, if anything was. Call it outside of a transaction. */
void lotor_lifecycle_overwrite(lotor_engine *engine);
/* Deletes what servers have added to deleted campaigns too late, and overwrites it. */
lotor_status lotor_lifecycle_tend(lotor_engine *engine, lotor_message *why);

/* audit.c */
/* Adds a line to the audit log. Call it in the transaction of the act, as its last statement. `job`
 * names the key; NULL: the operator, who has started this server. campaign "": none. */
lotor_status lotor_audit_write(lotor_engine *engine, const lotor_job *job, const char *campaign,
                               const char *act, const char *change, lotor_message *why);
/* Describe an act for its line. */
void lotor_audit_describe_spec(lotor_text *text, const lotor_spec *spec);
void lotor_audit_describe_arms(lotor_text *text, const json_t *body);
void lotor_audit_describe_edit(lotor_text *text, const json_t *body);
void lotor_audit(lotor_engine *engine, lotor_job *job);
void lotor_audit_note(lotor_engine *engine, lotor_job *job); /* the job LOTOR_JOB_NOTE */

/* outlook.c: remembers how many decisions there are now. The caller holds the campaign's lock. */
void lotor_outlook_mark(lotor_campaign *campaign, uint64_t now);

/* releases.c, describe.c, guarantee.c */
void lotor_releases(lotor_engine *engine, lotor_job *job);
/* Calls `told` with each released fact about an arm, in the order of the releases, and checks their
 * chain. *last is the number of the last release, 0 if there is none. LOTOR_DAMAGED: the chain was
 * changed. LOTOR_UNFINISHED: the last release may not be in the head file yet; try again later. */
lotor_status lotor_releases_each_fact(lotor_engine *engine, const lotor_campaign *campaign,
                                      lotor_on_fact *told, void *context, lotor_message *why,
                                      uint64_t *last);

/* prior.c: gives the policy of a new campaign the releases of the campaign that the specification
 * names as its prior, and notes in the specification how many there are. Does nothing if it names
 * none. */
lotor_status lotor_prior_take(lotor_engine *engine, lotor_spec *spec, lotor_policy *policy,
                              lotor_refusal *refusal, lotor_message *why);
void lotor_describe_look(lotor_engine *engine, lotor_job *job);
/* the caller holds the campaign's lock */
json_t *lotor_describe_arms(const lotor_campaign *campaign);
bool lotor_describe_sums(json_t *object, const lotor_estimator *estimator,
                         const lotor_arm_sums *reading);
/* The guarantee for one user if rounds are capped, else for one round. False: no memory. */
bool lotor_campaign_promise(const lotor_campaign *campaign, lotor_guarantee *out);
json_t *lotor_campaign_guarantee(lotor_engine *engine, lotor_campaign *campaign);

#endif
