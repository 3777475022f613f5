/* inside.h - what the files of the engine share: the engine itself, its jobs, and what each file offers.
 *
 *      engine.c     clock, queue, thread, start and stop; the order of a step
 *      table.c      campaigns by name and by id
 *      register.c   this server's row, other servers' campaigns, changes of specifications
 *      front.c      rank: from the pool, or a want
 *      append.c     reward: into the log
 *      remote.c     wants and replies between a front end and an owner on another server
 *      takeover.c   becoming the owner of campaigns: the only recovery
 *      turn.c       the owner's turn: prepare, one commit, publish
 *      draw.c       drawing for wants and for pools
 *      state.c      the sealed state and what it authenticates
 *      log.c        the owner reads the log
 *      legacy.c     campaigns that version 0.1 left are adopted at a start
 *      adopt.c      one of them
 *      manage.c     create, close, change arms
 */
#ifndef LOTOR_SERVICE_ENGINE_INSIDE_H
#define LOTOR_SERVICE_ENGINE_INSIDE_H

#include <stdatomic.h>

#include "service/engine/campaign.h"
#include "service/engine/clock.h"
#include "service/engine/engine.h"

enum {
    LOTOR_BLOCK_LEAST = 4,         /* decisions drawn ahead at once */
    LOTOR_BLOCK_MOST = 4096,       /* */
    LOTOR_AHEAD_MS = 100,          /* a block lasts about so long */
    LOTOR_AHEAD_SHARED_MS = 250,   /* the same where a commit crosses a network */
    LOTOR_GATHER_MS = 20,          /* blocks that are due within so long end together */
    LOTOR_IDLE_MS = 5000,          /* a policy that was not used for so long is put away */
    LOTOR_POLICIES_MOST = 96,      /* in memory: of 100 arms each takes 0.4 MB */
    LOTOR_RETRY_MS = 200,          /* after the store refused */
    LOTOR_BACKOFF_MOST_MS = 10000, /* after a campaign failed again and again */
    LOTOR_BEAT_MS = 1000,          /* the server's row is renewed so often */
    LOTOR_LEASE_MS = 3000,         /* and says that the server runs for so long */
    LOTOR_POLL_MS = 400,           /* leases and specifications are looked at so often */
    LOTOR_ALONE_POLL_MS = 5000,    /* if no other server runs */
    LOTOR_HAND_OVER_MS = 2000,     /* a campaign that only another server is asked for goes there */
    LOTOR_WANTS_POLL_MS = 20,      /* other servers' wants are looked for so often */
    LOTOR_REPLY_POLL_MS = 5,       /* replies are looked for so often while somebody waits */
    LOTOR_WANT_MS = 3000,          /* a request waits so long for decisions */
    LOTOR_PATIENCE_MS = 500,       /* then a decision is drawn for the request alone */
    LOTOR_SLOW_MS = 10000,         /* after a block that came too late: nothing is drawn ahead */
    LOTOR_WANT_AGAIN_MS =
        1000,            /* a want for the pool without a reply is sent again after so long */
    LOTOR_LOOK_MS = 100, /* public numbers of others' campaigns are as old as that at most */
    LOTOR_SHARE_MS = 10, /* of a turn, for one campaign */
    LOTOR_GRACE_MS =
        1000, /* a round ends so long after its last event, if other servers may have it */
    LOTOR_CLAMP_MS = 5000, /* a deadline may be so much later than the clock explains */
    LOTOR_TAKE_MOST = 100  /* campaigns taken in one transaction */
};

typedef enum lotor_kind {
    LOTOR_KIND_CREATE,
    LOTOR_KIND_CLOSE,
    LOTOR_KIND_ARMS,
    LOTOR_KIND_RANK,
    LOTOR_KIND_REWARD,
    LOTOR_KIND_RELEASES,
    LOTOR_KIND_LOOK
} lotor_kind;

typedef struct lotor_told { /* one answer of a request */
    lotor_campaign *campaign;
    lotor_event event;
    uint64_t first; /* of its block; 0: it is late */
} lotor_told;

typedef struct lotor_work {
    uint64_t arrival; /* the boot clock, read under the queue's lock */
    uint64_t at;      /* the store's clock then, at the earliest */
    lotor_campaign *campaign;
    lotor_spec *spec;
    json_t *body;
    json_t **reply; /* of releases, with what follows */
    uint64_t after, limit;
    lotor_ranking *rankings;
    lotor_want *want; /* of a ranking */
    size_t count;
    lotor_told *told;
    lotor_feedback_batch *feedback;
    bool is_batch;
} lotor_work;

/* A campaign whose row, key or specification can't be used. */
typedef struct lotor_unreadable {
    uint64_t id;
    char name[LOTOR_NAME_MOST + 1];
    char reason[160];
} lotor_unreadable;

/* A campaign's row as it was read: a callback of the store may not call the store. */
typedef struct lotor_campaign_copy {
    lotor_campaign_row row; /* points into `text` */
    unsigned char seal[LOTOR_STORE_HASH];
    char text[];
} lotor_campaign_copy;

enum { LOTOR_COMMIT_BUCKETS = 12 };
typedef struct lotor_counters { /* relaxed atomics */
    _Atomic uint64_t decisions, answers, rounds, releases, commits, failures;
    _Atomic uint64_t commit_buckets[LOTOR_COMMIT_BUCKETS + 1], commit_microseconds;
} lotor_counters;

struct lotor_engine {
    lotor_store *store;
    lotor_vault *vault;
    lotor_heads *heads;
    bool accept_rollback;
    atomic_bool lacks_heads; /* heads_are_behind, for requests */
    uint64_t (*boot_clock)(void *context);
    uint64_t (*store_clock)(void *context);
    void *clock_context;
    uint64_t started_at;

    pthread_rwlock_t table_lock;
    lotor_campaign **by_place; /* in the order in which this server learned of them */
    size_t campaign_count, campaign_room;
    lotor_campaign *retired;             /* a list, by next_retired */
    struct lotor_unreadable *unreadable; /* campaigns whose rows can't be used; under table_lock */
    size_t unreadable_count;
    uint32_t *slots, *id_slots; /* hash tables of names and of ids: places + 1 */
    size_t slot_count;

    /* The store's clock for requests: high = boot clock + ahead, until the boot clock is past `fresh_until`. */
    _Atomic int64_t ahead;
    _Atomic uint64_t fresh_until;

    pthread_mutex_t queue_lock;
    pthread_cond_t queue_wake;
    lotor_job *first_job, **last_job;
    bool is_woken, is_stopping, is_ending;
    bool has_thread;
    pthread_t thread;

    /* The writer's. */
    lotor_clock clock;
    uint64_t boot, low, high; /* this step's times: the boot clock; bounds of the store's clock */
    bool is_steady;           /* the bounds may be used */
    bool is_leaving;          /* a clean stop: each state is saved with all that is in the log */
    bool has_more;            /* something is left that can be done at once */
    bool has_foreign;         /* some campaigns are owned by other servers */
    bool heads_are_behind;
    bool is_registered;
    uint64_t server;      /* this server's id */
    uint64_t stream;      /* of the log, until a commit's outcome is not known */
    uint64_t connections; /* of the store, by which all that is in memory was read */
    uint64_t streams;     /* how many there were */
    uint64_t margin;      /* LOTOR_GRACE_MS, or 0 on an exclusive store */
    uint64_t others;      /* other servers that run */
    uint64_t beat_at, poll_at, wants_at, reply_at; /* when these were done last */
    uint64_t turned_at;                            /* when due blocks were looked for last */
    uint64_t gather;                               /* 0 without a thread */
    uint64_t next_want, looks;
    uint64_t share_from;        /* when the campaign that is being prepared had its turn begin */
    lotor_campaign **turn_list; /* room for all campaigns */
    size_t turn_room;
    size_t waiting; /* wants that are with another server */
    uint64_t starts;
    size_t policies; /* in memory */
    uint64_t put_away_at;
    json_t *rollbacks;       /* accepted; changed under table_lock */
    uint64_t rollback_count; /* with those that older copies of the store do not list */
    uint64_t rolled_back;    /* at this start: campaigns up to this id went back; 0: none */

    _Atomic bool is_ready;
    lotor_counters counters;
};

/* engine.c */
lotor_status lotor_engine_make(const lotor_engine_setup *setup, lotor_message *why,
                               lotor_engine **out); /* registers nothing */
uint64_t lotor_engine_boot(lotor_engine *engine);
void lotor_engine_wake(lotor_engine *engine);
/* Queues a job with its work; the work is freed with it, also when it is refused. */
lotor_when lotor_engine_queue(lotor_engine *engine, lotor_job *job, lotor_kind kind,
                              lotor_work *work);
void lotor_job_finish(lotor_job *job); /* frees the work, calls done */
void lotor_job_fail(lotor_job *job, lotor_status status);
lotor_when lotor_no_memory(lotor_job *job);
uint64_t lotor_random_id(void); /* from 1 to 2^63 - 1 */
void lotor_engine_new_stream(lotor_engine *engine);
/* A commit with its time in the metrics. */
/* LOTOR_UNFINISHED in place of LOTOR_OK if the store has another connection than the one that the campaigns in
 * memory were read by. */
lotor_status lotor_engine_is_connected(const lotor_engine *engine, lotor_status status,
                                       lotor_message *why);
/* Begins a transaction on the connection that the campaigns in memory were read by. After another connection, a
 * failover may have lost commits: see lotor_register_tend. */
lotor_status lotor_engine_begin(lotor_engine *engine, lotor_message *why);
lotor_status lotor_engine_commit(lotor_engine *engine, lotor_message *why);

/* table.c */
lotor_campaign *lotor_table_find(lotor_engine *engine, const char *name);
lotor_campaign *lotor_table_find_id(lotor_engine *engine, uint64_t id);
lotor_status lotor_table_reserve(lotor_engine *engine, size_t more); /* so that add can't fail */
void lotor_table_add(lotor_engine *engine, lotor_campaign *campaign);
/* Takes a campaign out; it is freed with the engine. */
void lotor_table_remove(lotor_engine *engine, lotor_campaign *campaign);
/* Whether the campaign's rows can't be used: see lotor_leave_out. */
bool lotor_table_is_left_out(lotor_engine *engine, uint64_t id);
lotor_campaign *lotor_find_or_refuse(lotor_engine *engine, const char *name,
                                     lotor_refusal *refusal);

/* sign_in.c */
/* The start of a server. LOTOR_INVALID: another key's store. LOTOR_RELEASED: an older copy of the store. */
lotor_status lotor_sign_in(lotor_engine *engine, bool heads_were_lost, lotor_message *why);
/* Servers on one store have the same key, or they could not read what the others sealed. LOTOR_INVALID: the store
 * was made with another one. *is_new: it says nothing of a key yet. */
lotor_status lotor_sign_in_check_key(lotor_engine *engine, lotor_message *why, bool *is_new);
/* Adds an accepted rollback to the list in the store. The entry belongs to the list afterwards; NULL: no memory. */
lotor_status lotor_sign_in_rollback(lotor_engine *engine, json_t *entry, lotor_message *why);
/* Puts starts and accepted rollbacks into the heads, which are written later. */
lotor_status lotor_sign_in_heads(lotor_engine *engine, lotor_message *why);

/* reconnect.c */
void lotor_disown_all(lotor_engine *engine); /* every campaign is taken anew */
/* After a new connection: nothing in memory is believed until lotor_reconnect_compare. */
void lotor_reconnect_doubt(lotor_engine *engine);
/* Compares doubtful campaigns and their blocks with the store, and forgets what a failover lost. */
lotor_status lotor_reconnect_compare(lotor_engine *engine, lotor_message *why);

/* register.c */
lotor_status lotor_register_read_clock(lotor_engine *engine, lotor_message *why);
/* What is due of: reading the clock, renewing this server's row, looking at leases and specifications. */
lotor_status lotor_register_tend(lotor_engine *engine, lotor_message *why);
/* Looks at new campaigns, at all leases, and at specifications that changed. */
lotor_status lotor_register_poll(lotor_engine *engine, lotor_message *why);
/* The first poll of a server: every campaign is new to it. */
lotor_status lotor_register_poll_first(lotor_engine *engine, lotor_message *why);
void lotor_register_clock(lotor_engine *engine); /* boot, low, high and is_steady as they are now */
uint64_t lotor_register_next_poll(const lotor_engine *engine); /* the boot clock */
lotor_status lotor_register_leave(lotor_engine *engine, lotor_message *why);
/* A lotor_on_campaign: the context is a lotor_campaign_copy **, which the caller frees. */
lotor_status lotor_copy_campaign(void *context, const lotor_campaign_row *row);
extern const char lotor_broken_text[]; /* why a campaign whose lease is broken is not served */
/* The campaign is not served, for this reason; the others are. */
lotor_status lotor_leave_out(lotor_engine *engine, const lotor_campaign_row *row,
                             const lotor_message *reason);
/* A specification as the store has it. LOTOR_DAMAGED: it can't be read. LOTOR_MEMORY. */
lotor_status lotor_spec_parse(const char *text, lotor_message *why, lotor_spec **out);
/* The specification of a row whose seal is right. LOTOR_DAMAGED: it is not, or this program can't read it. */
lotor_status lotor_spec_open(const lotor_engine *engine, const lotor_campaign_row *row,
                             lotor_message *why, lotor_spec **spec);
/* A campaign's row as text to authenticate: see its seal. */
void lotor_spec_seal(const lotor_engine *engine, const lotor_campaign_row *row,
                     unsigned char seal[LOTOR_STORE_HASH]);

/* front.c */
/* Serves the waiting requests of a campaign from its pool, as far as that goes. */
void lotor_front_serve(lotor_engine *engine, lotor_campaign *campaign);
void lotor_front_ask(lotor_engine *engine, lotor_job *job); /* a rank job came */
/* How many decisions to draw at once: about what is handed out in a tenth of a second, as seen between the last two
 * times that more was wanted; what waiting requests need, if these are rare. What a crash leaves unshown counts as default
 * answers, so a short burst must not make a large block. */
size_t lotor_front_size(lotor_engine *engine, lotor_campaign *campaign, size_t needed);
void lotor_front_expire(lotor_engine *engine); /* requests that waited too long */
/* Stops blocks that are too old; says whether a report must be written. */
void lotor_front_tidy(lotor_engine *engine, lotor_campaign *campaign);
void lotor_front_publish(lotor_engine *engine, lotor_campaign *campaign, lotor_block *block);
/* A want of this server that was answered (want->shown, block): fills in the rankings and ends the job. */
void lotor_front_finish(lotor_engine *engine, lotor_campaign *campaign, lotor_want *want);
void lotor_front_refuse(lotor_engine *engine, lotor_campaign *campaign, lotor_want *want);
/* The store refused: requests that wait for this server to draw are told so. */
void lotor_front_refuse_waiting(lotor_engine *engine, lotor_campaign *campaign);
bool lotor_ranking_show(lotor_campaign *campaign, lotor_ranking *ranking, const lotor_kept *kept,
                        size_t slot);

/* append.c */
enum { LOTOR_REPORT_BYTES = 40, LOTOR_REPORT_SEALED = LOTOR_REPORT_BYTES + LOTOR_SEAL_EXTRA };
/* A report's bytes for the place (stream, seq) of its row: `handed` decisions from row->first on. */
void lotor_report_seal(const lotor_engine *engine, uint64_t campaign, const lotor_log_row *row,
                       uint64_t nonce, uint64_t handed, unsigned char sealed[LOTOR_REPORT_SEALED]);
/* Appends the feedback of these jobs and the reports that are due, and ends the jobs. */
lotor_status lotor_append(lotor_engine *engine, lotor_job *jobs, lotor_message *why);

/* remote.c */
/* This server has become the owner: what it asked the last one for is not waited for any more. */
lotor_status lotor_remote_withdraw(lotor_engine *engine, lotor_campaign *campaign,
                                   lotor_message *why);
lotor_status lotor_remote_send(lotor_engine *engine, lotor_campaign *campaign, lotor_message *why);
lotor_status lotor_remote_take_wants(lotor_engine *engine, lotor_message *why);
lotor_status lotor_remote_take_replies(lotor_engine *engine, lotor_message *why);
lotor_status lotor_remote_reply(lotor_engine *engine, lotor_campaign *campaign,
                                const lotor_want *want, lotor_message *why);

/* takeover.c */
/* Campaigns that nobody owns, as far as this server should have them. */
lotor_status lotor_takeover(lotor_engine *engine, lotor_message *why);
/* Reads what a takeover would read, and says what is wrong with it. The engine is only for that. */
lotor_status lotor_inspect(lotor_engine *engine, lotor_campaign *campaign, lotor_message *why);
/* Forgets that this server owns the campaign; requests of its own people wait, those of others are asked again. */
void lotor_disown(lotor_engine *engine, lotor_campaign *campaign);
/* After a failure the campaign is taken anew: after a moment, or, if it is damaged, later each time; readiness then
 * has the reason. */
void lotor_campaign_fails(lotor_engine *engine, lotor_campaign *campaign, lotor_status status,
                          const char *text);

/* turn.c */
lotor_status lotor_turns(lotor_engine *engine, lotor_message *why, bool *has_more);
uint64_t lotor_turn_next(lotor_engine *engine, lotor_campaign *campaign); /* the boot clock */

/* log.c */
lotor_status lotor_read_log(lotor_engine *engine, lotor_campaign *campaign, lotor_message *why);
/* The row counts as read: the next state names it. Rows of a stream come in the order of seq. */
lotor_status lotor_log_note(lotor_campaign *campaign, const lotor_log_row *row, lotor_message *why);

/* legacy.c */
bool lotor_is_unadopted(const lotor_campaign_row *row);
/* Whether the key opens what version 0.1 sealed, if the store has any of it. LOTOR_INVALID: another key. */
lotor_status lotor_legacy_try_key(lotor_engine *engine, lotor_message *why);
/* In the transaction of a start. LOTOR_RELEASED: the head file of version 0.1 names a release that the store lacks.
 * If that is accepted, *is_older becomes true. */
lotor_status lotor_legacy_check_head(lotor_engine *engine, lotor_message *why, bool *is_older);
/* Adopts the campaigns of version 0.1, each in a transaction of its own. A campaign that can't be adopted is left
 * out. */
lotor_status lotor_adopt(lotor_engine *engine, lotor_message *why);
/* The open function of a lotor_old_seal; the context is a lotor_legacy_key. */
typedef struct lotor_legacy_key {
    const lotor_vault *vault;
    uint64_t campaign;
} lotor_legacy_key;
lotor_status lotor_legacy_open(void *context, lotor_old_use use, uint64_t number,
                               const unsigned char *sealed, size_t length, void *plain);

/* adopt.c */
/* LOTOR_OK too if another server has done it. `was_rolled_back`: the store is an older copy. */
lotor_status lotor_adopt_one(lotor_engine *engine, const lotor_campaign_row *row,
                             bool was_rolled_back, lotor_message *why);

/* draw.c */
lotor_status lotor_draw_wants(lotor_engine *engine, lotor_campaign *campaign, lotor_message *why);
lotor_status lotor_draw_ahead(lotor_engine *engine, lotor_campaign *campaign, uint64_t holder,
                              uint64_t want, size_t count, lotor_message *why, size_t *drawn);
/* Enters blocks whose deadline is before `limit` and that are sealed. *stops: one is due and not sealed yet. */
lotor_status lotor_enter_until(lotor_engine *engine, lotor_campaign *campaign, uint64_t limit,
                               lotor_message *why, bool *stops);

/* state.c */
lotor_status lotor_state_save(lotor_campaign *campaign, const lotor_policy *policy,
                              lotor_message *why);
lotor_status lotor_state_new(const lotor_campaign *campaign, const lotor_policy *policy,
                             lotor_message *why, unsigned char **bytes, size_t *length);
/* Loads the policy of an owned campaign. */
lotor_status lotor_state_load(lotor_engine *engine, lotor_campaign *campaign, lotor_message *why);
/* Opens a state and fills in policy, over, ended, cursors as expected; compares it with lease and blocks. */
lotor_status lotor_state_open(lotor_campaign *campaign, const unsigned char *bytes, size_t length,
                              uint64_t epoch, bool is_takeover, lotor_message *why);
/* The public numbers of a campaign that another server owns. */
lotor_status lotor_state_look(lotor_engine *engine, lotor_campaign *campaign, lotor_message *why);
void lotor_policy_put_away(lotor_engine *engine, lotor_campaign *campaign);

/* manage.c */
void lotor_manage(lotor_engine *engine, lotor_job *job);
/* The specification from the store, since it changed. LOTOR_DAMAGED: it is not what a server wrote. */
lotor_status lotor_manage_read(lotor_engine *engine, lotor_campaign *campaign, lotor_message *why);

/* releases.c, describe.c, guarantee.c */
void lotor_releases(lotor_engine *engine, lotor_job *job);
void lotor_look(lotor_engine *engine, lotor_job *job);
json_t *lotor_describe_arms(const lotor_campaign *campaign); /* under the campaign's lock */
bool lotor_describe_reading(json_t *object, const lotor_estimator *estimator,
                            const lotor_reading *reading);
json_t *lotor_campaign_guarantee(lotor_engine *engine, lotor_campaign *campaign);

#endif
