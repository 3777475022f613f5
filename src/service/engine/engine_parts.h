/* engine_parts.h - inside the engine: what its files share. See engine.md.
 *
 * Who may touch what:
 *      the table of campaigns     everybody reads under `table_lock`; the writer adds under it
 *      a campaign's public part   under the campaign's `lock`; only `rank` and the writer change it
 *      a campaign's private part  the writer alone: its policy, answers, and `turn`
 *      the queue of jobs          under `queue_lock`
 */
#ifndef LOTOR_SERVICE_ENGINE_PARTS_H
#define LOTOR_SERVICE_ENGINE_PARTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "service/engine/engine.h"

enum {
    LOTOR_BLOCK_LEAST = 4,    /* decisions drawn ahead at once */
    LOTOR_BLOCK_MOST = 4096,  /* */
    LOTOR_SHOWN_MOST = 65536, /* arms in all, drawn at once: long lists take long to draw */
    LOTOR_AHEAD_MS = 100,     /* a block lasts about so long */
    LOTOR_GATHER_MS = 20,     /* rounds that expire within so long are ended together */
    LOTOR_IDLE_MS = 5000,     /* a policy that was not used for so long is put away */
    LOTOR_POLICIES_MOST = 96, /* in memory: of 100 arms each takes 0.4 MB */
    LOTOR_RETRY_MS = 200,     /* after the store refused */
    LOTOR_BROKEN_MS = 1000,   /* after a policy could not be loaded, or failed */
    /* In a shared store: */
    LOTOR_POLL_MS = 400,      /* what others did is looked at so often */
    LOTOR_GRACE_MS = 1000,    /* a round is over so long after its last event: clocks differ */
    LOTOR_TAKE_OVER_MS = 300, /* a round that another server should have ended */
    LOTOR_LIFE_MS = 2000,     /* a block is handed out for so long, and a tenth of the wait */
    LOTOR_LIFE_MOST = 10000,  /* */
    LOTOR_TRIES = 5           /* of a turn that met another server's */
};

/* block.c: decisions in a row, from drawing until the last of them is final.
 *
 * `words` has for each decision: how many arms are shown, how many are asked for (0: all that are shown),
 * the randomizer's slot, then the arms, then those asked for. It is what the store keeps. */
typedef struct lotor_drawn {
    struct lotor_drawn *next; /* in a turn */
    uint64_t first, nonce;
    size_t count, room;
    size_t handed;     /* campaign lock */
    uint64_t *expires; /* of those handed out; never decreasing; campaign lock */
    uint32_t *words;
    size_t word_count, word_room;
    size_t *start;  /* of each decision's words */
    double *action; /* linear: count x dimension; private */
    size_t dimension;
    /* In a shared store: all its decisions are over at the deadline. Its owner hands them out until then;
     * those of others count as handed out. */
    uint64_t until, deadline;
    bool is_own;
    bool is_listed; /* the store had its row when the blocks were read last */
    /* Answers: the writer's, private. */
    size_t width;
    uint16_t *used; /* how many numbers each answer has; 0: none. NULL: no answer yet */
    int64_t *units; /* count x width */
} lotor_drawn;

lotor_drawn *lotor_drawn_new(size_t room, size_t dimension);
void lotor_drawn_free(lotor_drawn *drawn); /* wipes */
/* Adds a decision; `action` where there is a dimension. */
lotor_status lotor_drawn_add(lotor_drawn *drawn, const lotor_decision *decision, size_t slot,
                             const double *action, lotor_message *why);
/* The decision at a place, as the policy wants it; and the slot of its randomizer. */
size_t lotor_drawn_kept(const lotor_drawn *drawn, size_t place, lotor_kept *out);
/* Keeps an answer (the first). */
lotor_status lotor_drawn_answer(lotor_drawn *drawn, size_t place, const int64_t *units, size_t used,
                                size_t width, lotor_message *why);
const int64_t *lotor_drawn_units(const lotor_drawn *drawn, size_t place, size_t *used);
/* To and from the store's row. */
lotor_status lotor_drawn_pack(const lotor_drawn *drawn, lotor_message *why, unsigned char **bytes,
                              size_t *length);
lotor_status lotor_drawn_unpack(const lotor_block *row, size_t arms, size_t dimension,
                                lotor_message *why, lotor_drawn **out);

/* A growing list of numbers. */
typedef struct lotor_numbers {
    int64_t *at;
    size_t count, room;
} lotor_numbers;
bool lotor_numbers_add(lotor_numbers *numbers, const int64_t *more, size_t count);
void lotor_numbers_clear(lotor_numbers *numbers); /* wipes, and frees large ones */

/* What one turn of the writer did to a campaign: kept apart until the commit, so that a failure can
 * forget it. */
typedef struct lotor_campaign_turn {
    bool is_touched;
    struct lotor_campaign *next;
    bool policy_changed, has_entered, is_void, spec_changed;
    size_t front_block, front; /* as in the campaign */
    uint64_t final;
    uint64_t last_expires;
    lotor_drawn *fresh, **fresh_end; /* blocks that are not published yet */
    bool refilled;                   /* one of them is for the pool */
    lotor_numbers answers;           /* (decision, used, units...), in order; private */
    uint64_t answers_first, answers_last;
    uint64_t ended; /* rounds */
    uint64_t releases;
    lotor_spec *spec; /* changed; NULL: as it was */
    bool closed;
    lotor_mark mark;           /* shared: as it was locked, and as it will be written */
    uint64_t version;          /* shared: of the mark, if this turn changes something */
    bool has_logged, has_read; /* shared: answers are in the log; the log was read */
} lotor_campaign_turn;

typedef struct lotor_campaign {
    uint64_t id;
    char name[LOTOR_NAME_MOST + 1];
    double created;
    lotor_serving serving;
    size_t arms;      /* of the policy: the spec's capacity */
    size_t dimension; /* of linear ones, else 0 */
    size_t together;  /* decisions that may be drawn at once, by LOTOR_SHOWN_MOST */
    bool is_local, hears_clicks, is_early;
    double low, high; /* of a reward */
    uint64_t rounds_per_user;
    uint64_t wait;               /* milliseconds */
    bool is_direct;              /* every decision is drawn by itself and waits for the commit */
    size_t width;                /* numbers of an answer */
    lotor_guarantee promise;     /* of one round */
    lotor_randomizer randomizer; /* local: all but the slot */

    pthread_mutex_t lock;
    lotor_spec *spec;
    bool closed;
    const char **ids; /* arms: the names, which live as long as the engine */
    lotor_drawn **blocks;
    size_t block_first, block_end, block_room;
    size_t pool;      /* the block that decisions are taken from, or the next one */
    size_t available; /* decisions that can be taken */
    size_t pool_size; /* of the last block drawn ahead */
    bool is_frozen;   /* the pool is about to be thrown away, or the server stops */
    bool is_low;      /* more is wanted, since low_at, when so many were handed out */
    uint64_t low_at, low_handed;
    uint64_t drawn_at, drawn_handed; /* the same, at the drawing before */
    bool wants_wake;                 /* the writer wants to know of the next handing out */
    uint64_t handed;                 /* decisions that people saw */
    uint64_t last_expires;
    uint64_t final; /* the last decision that is over */
    bool is_shared;
    uint64_t final_seen; /* shared: the same, as another server had it */
    uint64_t ended;      /* rounds that are over: those that were taken back are none */
    uint64_t releases;
    lotor_estimator estimator;
    lotor_reading *readings; /* arms: released */
    uint64_t *shown;         /* arms: decisions that were handed out with it */

    /* The writer's. */
    lotor_policy *policy; /* NULL: put away */
    uint64_t used_at;
    uint64_t broken_until;   /* its policy could not be loaded, or failed */
    size_t front;            /* decisions of the first block that are final */
    uint64_t answers_number; /* the last group that was written; shared: that was read */
    uint64_t *over;          /* arms: as `shown`, of the rounds that are over */
    /* In a shared store: */
    lotor_mark mark;   /* up to which blocks, policy and final are known; version 0: nothing is */
    lotor_mark seen;   /* as last looked at, without a lock */
    uint64_t due;      /* when its first open block is over, as far as known; 0: none */
    uint64_t try_at;   /* another server was at it */
    uint64_t asked_at; /* when somebody asked and the pool was empty */
    bool wants_void;   /* the arms were changed by another server */
    bool is_uncertain; /* a commit failed, or its answer was lost */
    bool is_wanted;    /* in this turn */
    lotor_campaign_turn turn;
} lotor_campaign;

/* One request that waits. */
typedef enum lotor_kind {
    LOTOR_KIND_CREATE,
    LOTOR_KIND_CLOSE,
    LOTOR_KIND_ARMS,
    LOTOR_KIND_RANK,
    LOTOR_KIND_REWARD,
    LOTOR_KIND_RELEASES
} lotor_kind;

typedef struct lotor_asking { /* of one ranking */
    unsigned char user[16];   /* hash */
    bool *eligible;           /* arms; NULL: all */
    double *context;          /* arms x dimension; NULL: none; private */
} lotor_asking;

typedef enum lotor_form { LOTOR_FORM_REWARDS, LOTOR_FORM_CLICK, LOTOR_FORM_REPORT } lotor_form;

typedef struct lotor_told { /* one answer */
    lotor_campaign *campaign;
    lotor_event event;
    lotor_form form;
    size_t at, count; /* numbers in `numbers` (doubles or integers), or the clicked id in `texts` */
} lotor_told;

typedef struct lotor_work {
    uint64_t arrival; /* read under the queue's lock */
    lotor_campaign *campaign;
    lotor_spec *spec;
    json_t *body;
    json_t **reply; /* of releases, with what follows */
    uint64_t after, limit;
    lotor_ranking *rankings;
    lotor_asking *asking;
    bool is_plain; /* it could be served from the pool */
    size_t count;
    lotor_told *told;
    bool is_batch;
    lotor_numbers numbers; /* doubles are kept as their bits */
    char *texts;           /* LOTOR_NAME_MOST + 1 each */
    size_t text_count;
} lotor_work;

typedef struct lotor_turn {
    uint64_t now;
    bool has_begun, has_changed;
    lotor_campaign *touched;
    lotor_campaign *created; /* by turn.next too, but not in the table yet */
    uint64_t releases;       /* in this turn */
    uint64_t answers, entered, decisions;
    lotor_numbers facts; /* of the round that is being entered */
} lotor_turn;

enum { LOTOR_COMMIT_BUCKETS = 12 };
typedef struct lotor_counters { /* relaxed atomics */
    _Atomic uint64_t decisions, answers, rounds, releases, commits, failures;
    _Atomic uint64_t commit_buckets[LOTOR_COMMIT_BUCKETS + 1], commit_microseconds;
} lotor_counters;

struct lotor_engine {
    lotor_store *store;
    lotor_vault *vault;
    char *head_path;
    uint64_t (*clock)(void *context);
    void *clock_context;
    _Atomic int64_t ahead;   /* of the system's clock, see lotor_engine_tick */
    _Atomic uint64_t latest; /* what the clock said last */
    uint64_t started_at;

    pthread_rwlock_t table_lock;
    lotor_campaign **by_place; /* in the order of ids */
    size_t campaign_count, campaign_room;
    uint32_t *slots; /* a hash table of names: places + 1 */
    size_t slot_count;

    pthread_mutex_t queue_lock;
    pthread_cond_t queue_wake;
    lotor_job *first_job, **last_job;
    bool is_woken, is_stopping, is_ending;
    bool has_thread;
    pthread_t thread;

    /* The writer's. */
    lotor_turn turn;
    uint64_t starts;
    bool head_is_behind; /* the head file could not be written */
    uint64_t gather;     /* 0 without a thread */
    uint64_t ended_at;   /* when due rounds were looked for last */
    size_t policies;     /* in memory */
    uint64_t put_away_at;
    json_t *rollbacks;       /* accepted; read only after new */
    uint64_t rollback_count; /* with those that the copies had not heard of */
    bool is_shared;          /* the store: other servers are on it, or may be */
    uint64_t server;         /* a random name */
    uint64_t polled_at;      /* 0: not yet */
    uint64_t seen_touched;   /* the latest mark, by the database's clock */

    _Atomic bool is_ready;
    lotor_counters counters;
};

/* engine.c */
uint64_t lotor_engine_now(lotor_engine *engine);
/* A time that goes on though the clock is set back, from it and one that is never set. */
uint64_t lotor_engine_tick(_Atomic int64_t *ahead, int64_t clock, int64_t steady);
void lotor_engine_wake(lotor_engine *engine);
/* Queues a job with its work; the work is freed (wiped) with it, also when it is refused. */
lotor_when lotor_engine_queue(lotor_engine *engine, lotor_job *job, lotor_kind kind,
                              lotor_work *work);
void lotor_work_free(lotor_work *work);
lotor_when lotor_no_memory(lotor_job *job);
uint64_t lotor_random_word(void);
char *lotor_engine_text(const char *text); /* NULL: no memory */

/* table.c */
lotor_campaign *lotor_table_find(lotor_engine *engine, const char *name);
lotor_campaign *lotor_table_find_id(lotor_engine *engine, uint64_t id);
lotor_status lotor_table_reserve(lotor_engine *engine, size_t more); /* so that add can't fail */
void lotor_table_add(lotor_engine *engine, lotor_campaign *campaign);
lotor_campaign *lotor_find_or_refuse(lotor_engine *engine, const char *name,
                                     lotor_refusal *refusal);

/* campaign.c: takes the spec, also when it fails; the policy is looked at. */
lotor_status lotor_campaign_new(lotor_spec *spec, const lotor_policy *policy, lotor_message *why,
                                lotor_campaign **out);
void lotor_campaign_free(lotor_campaign *campaign);
/* Names of arms that the spec has and the campaign has not. */
lotor_status lotor_campaign_name_arms(lotor_campaign *campaign, const lotor_spec *spec,
                                      lotor_message *why);
void lotor_campaign_look(lotor_campaign *campaign, const lotor_policy *policy);
uint64_t lotor_campaign_shown(const lotor_campaign *campaign); /* decisions; under its lock */
/* Room for one more block, so that adding can't fail; and adding, under the campaign's lock. */
lotor_status lotor_campaign_reserve(lotor_campaign *campaign, size_t more);
void lotor_campaign_add_block(lotor_campaign *campaign, lotor_drawn *drawn);
/* The block that a decision is in, or NULL. The writer's. */
lotor_drawn *lotor_campaign_block(const lotor_campaign *campaign, uint64_t number);
/* The policy, from the store if it was put away. The turn's spec as it is now. */
lotor_status lotor_campaign_load(lotor_engine *engine, lotor_campaign *campaign,
                                 lotor_message *why);
void lotor_campaign_put_away(lotor_engine *engine, lotor_campaign *campaign);
const lotor_spec *lotor_campaign_spec(const lotor_campaign *campaign);

/* turn.c: the beginning and the end of a turn. */
lotor_status lotor_turn_touch(lotor_engine *engine, lotor_campaign *campaign, lotor_message *why);
/* The same, unless another server is at it. */
lotor_status lotor_turn_try(lotor_engine *engine, lotor_campaign *campaign, lotor_message *why,
                            bool *got);
lotor_status lotor_turn_begin(lotor_engine *engine, lotor_message *why);
lotor_status lotor_turn_commit(lotor_engine *engine, lotor_message *why);
void lotor_turn_publish(lotor_engine *engine);
void lotor_turn_forget(lotor_engine *engine);
/* The state as the store keeps it: how many rounds are over, and the policy; sealed. */
lotor_status lotor_turn_save(lotor_engine *engine, lotor_campaign *campaign,
                             const lotor_policy *policy, lotor_message *why);

/* pool.c: takes `count` decisions from the pool, at a time, under the campaign's lock. */
bool lotor_pool_take(lotor_engine *engine, lotor_campaign *campaign, uint64_t now,
                     lotor_ranking *rankings, size_t count);
/* Fills in a ranking's arms; false: no memory. */
bool lotor_ranking_show(lotor_campaign *campaign, lotor_ranking *ranking, const uint32_t *arms,
                        size_t count);

/* Writes the token of the event that waits in the ranking's room. */
void lotor_ranking_sign(lotor_engine *engine, lotor_ranking *ranking);

/* asking.c: a ranking that the writer must draw: reads what it was asked with, and queues it. */
lotor_when lotor_ask_writer(lotor_engine *engine, lotor_campaign *campaign, lotor_ranking *rankings,
                            size_t count, bool is_plain, lotor_job *job);

/* draw.c: the writer's drawing. */
lotor_status lotor_draw_for(lotor_engine *engine, lotor_job *job, lotor_message *why);
lotor_status lotor_draw_ahead(lotor_engine *engine, lotor_campaign *campaign, lotor_message *why);
/* Takes the rest of the pool back. */
lotor_status lotor_draw_void(lotor_engine *engine, lotor_campaign *campaign, lotor_message *why);

/* record.c: the writer takes answers. */
lotor_status lotor_record(lotor_engine *engine, lotor_job *job, lotor_message *why);
lotor_status lotor_record_write(lotor_engine *engine, lotor_campaign *campaign, lotor_message *why);
lotor_status lotor_record_read(lotor_engine *engine, lotor_campaign *campaign, lotor_message *why);

/* expiry.c: ends the rounds that expired before `limit`, in the order of display. */
lotor_status lotor_expire(lotor_engine *engine, lotor_campaign *campaign, uint64_t limit,
                          lotor_message *why);
/* When the next round of a campaign is due; UINT64_MAX: none is open, or the next was not handed out
 * (then its handing out wakes the writer). */
uint64_t lotor_expiry_next(lotor_campaign *campaign);

/* manage.c */
lotor_status lotor_manage(lotor_engine *engine, lotor_job *job, lotor_message *why);

/* releases.c */
lotor_status lotor_releases(lotor_engine *engine, lotor_job *job, lotor_message *why);

/* shown.c: adds the arms of some decisions; those of the rounds that are over when this turn is (`out`
 * may be `over` itself); all that were handed out, of a campaign that was just restored. */
void lotor_shown_add(uint64_t *shown, const lotor_drawn *drawn, size_t from, size_t to);
void lotor_shown_over(const lotor_campaign *campaign, uint64_t *out);
void lotor_shown_restore(lotor_campaign *campaign);
/* Shared: what was shown in the rounds up to `final`, which others may have ended, and after it in the
 * blocks that are known here. Under the campaign's lock. */
void lotor_shown_since(lotor_campaign *campaign, const uint64_t *over, uint64_t final);

/* describe.c: what is public of every arm; the caller has the lock. */
json_t *lotor_describe_arms(const lotor_campaign *campaign);
/* {"mean", "count", "interval"} into an object; false: no memory. */
bool lotor_describe_reading(json_t *object, const lotor_estimator *estimator,
                            const lotor_reading *reading);

/* recover.c */
lotor_status lotor_recover(lotor_engine *engine, bool accept_rollback, lotor_message *why);
lotor_status lotor_give_back(lotor_engine *engine, lotor_message *why);

/* recover.c: a campaign as the store has it, into the table; a block's context. */
lotor_status lotor_restore_campaign(lotor_engine *engine, const lotor_stored_campaign *row,
                                    lotor_message *why);
lotor_status lotor_restore_action(lotor_engine *engine, const lotor_campaign *campaign,
                                  const lotor_block *row, lotor_drawn *drawn, lotor_message *why);

/* shared.c: turns of several servers at one campaign (shared.md). Nothing here is called without a shared
 * store. */
/* Locks what the jobs need, and campaigns that need a drawing, in the order of ids. */
lotor_status lotor_shared_begin(lotor_engine *engine, const lotor_job *jobs, lotor_message *why);
/* Locks a campaign and learns what others did to it. */
lotor_status lotor_shared_lock(lotor_engine *engine, lotor_campaign *campaign, bool waits,
                               lotor_message *why, bool *got);
/* When a campaign must be looked at though nobody asks; and whether something is to be taken back. */
uint64_t lotor_shared_next(lotor_campaign *campaign);
bool lotor_shared_wants_void(lotor_campaign *campaign, uint64_t now);
/* How many decisions a block has when this turn is over: what is being taken back is none. */
size_t lotor_shared_count(const lotor_campaign *campaign, const lotor_drawn *drawn);
/* Until when a new block is handed out, and when it is over. */
void lotor_shared_stamp(lotor_engine *engine, lotor_campaign *campaign, lotor_drawn *drawn);
/* The log of answers, as far as it was not read yet; what this turn took is in it. */
lotor_status lotor_shared_read(lotor_engine *engine, lotor_campaign *campaign, lotor_message *why);
/* At the end of a turn: into the store; after the commit; after a failure. */
lotor_status lotor_shared_write(lotor_engine *engine, lotor_campaign *campaign, lotor_message *why);
void lotor_shared_publish(lotor_campaign *campaign);
void lotor_shared_forget(lotor_campaign *campaign);

/* shared_poll.c: new campaigns, other arms, releases. */
lotor_status lotor_shared_poll(lotor_engine *engine, lotor_message *why);
/* The spec and whether it is closed, from the store. */
lotor_status lotor_shared_spec(lotor_engine *engine, lotor_campaign *campaign, lotor_message *why);

/* guarantee.c: under no lock. */
json_t *lotor_campaign_guarantee(lotor_engine *engine, lotor_campaign *campaign);

#endif
