/* campaign.h - one campaign in the memory of a server.
 *
 * Who may touch what:
 *      what never changes     everybody
 *      the public part        under `lock`: requests read it, the writer changes it
 *      the pool               under `lock`: requests take decisions out, the writer puts blocks in
 *      the rest               the writer alone
 * No lock is held during a call of the store.
 */
#ifndef LOTOR_SERVICE_ENGINE_CAMPAIGN_H
#define LOTOR_SERVICE_ENGINE_CAMPAIGN_H

#include <pthread.h>

#include "policy/serving.h"
#include "service/engine/block.h"
#include "service/engine/engine.h"

/* A row of the log that was read and is still in the store. */
typedef struct lotor_log_mark {
    uint64_t seq, last;
    unsigned char hash[16];
} lotor_log_mark;

/* How far the owner has read one stream of the log. */
typedef struct lotor_cursor {
    uint64_t stream, seq;
    lotor_log_mark *marks; /* in the order of seq */
    size_t count, room;
    /* At a takeover: what the state says of the rows up to a seq. */
    uint64_t expected_seq, expected_count;
    unsigned char expected_hash[LOTOR_STORE_HASH];
} lotor_cursor;

/* One request for decisions that the owner must draw: of this server's own people, or of another server. */
typedef struct lotor_asking { /* of one ranking */
    unsigned char user[16];   /* hash */
    bool *eligible;           /* arms; NULL: all */
    unsigned char *context;   /* sealed; NULL: none */
    size_t context_length;
} lotor_asking;

typedef struct lotor_shown_at { /* where one ranking's decision is */
    bool has_event;
    size_t place; /* in the want's block, or among its eventless decisions */
} lotor_shown_at;

typedef struct lotor_want {
    struct lotor_want *next;
    uint64_t server, id; /* the server that asks; its own number for the request */
    uint64_t at;         /* the store's clock when the request came */
    size_t count;
    lotor_asking *asking; /* count of them; NULL: decisions for the pool */
    lotor_job *job;       /* NULL: another server's, or nobody waits */
    uint64_t arrival;     /* the boot clock when it came here */
    bool is_sent;         /* its row is in the store: the owner is another server */
    /* The answer, as the turn prepared it. */
    bool is_prepared, is_drawn_ahead;
    lotor_refusal refusal;
    bool *counted;          /* whether the user's cap leaves room */
    lotor_block *block;     /* drawn for it; belongs to the turn */
    lotor_block *eventless; /* decisions that take no feedback */
    lotor_shown_at *shown;  /* count of them */
} lotor_want;

/* What the owner's turn did to a campaign: not seen by anybody before the commit. */
typedef struct lotor_turn {
    bool is_prepared;
    lotor_lease lease; /* as it will be written */
    uint64_t ended;    /* rounds that were entered, in all */
    uint64_t last_deadline;
    size_t entered, dropped; /* rounds; blocks at the front that are over */
    lotor_block *fresh, **fresh_end;
    lotor_release *releases;
    size_t release_count, release_room;
    lotor_want *wants; /* served by this turn */
    unsigned char *state;
    size_t state_length;
    uint64_t *over; /* arms: displays in rounds that are over */
    bool has_more;  /* something is left that can be done at once */
} lotor_turn;

typedef struct lotor_campaign {
    /* What never changes. */
    uint64_t id;
    char name[LOTOR_NAME_MOST + 1];
    double created;
    lotor_serving serving;
    size_t arms;                        /* of the policy: the specification's capacity */
    size_t dimension;                   /* of linear ones, else 0 */
    size_t together;                    /* decisions that may be drawn at once */
    bool is_local, is_early, is_direct; /* direct: every decision is drawn for one request */
    uint64_t rounds_per_user, max_open;
    uint64_t wait, life;         /* milliseconds: for feedback; for handing out a block */
    lotor_guarantee promise;     /* of one round */
    lotor_randomizer randomizer; /* local: all but the slot */
    lotor_estimator estimator;
    lotor_intake *intake;

    pthread_mutex_t lock;
    /* The public part. */
    lotor_spec *spec;
    uint64_t specs;
    bool closed;
    bool is_looked_at; /* somebody asked for the public numbers */
    bool is_low; /* more is wanted, since low_at (the boot clock), when so many were handed out */
    const char **ids;                    /* arms: the names, which live as long as the engine */
    char trouble[160];                   /* why it can't be served; "": it can */
    uint64_t decisions, ended, releases; /* shown; final; releases */
    uint64_t final, sealed;
    lotor_reading *readings; /* arms: released */
    uint64_t *shown;         /* arms: displays */
    /* The pool. */
    lotor_block *pool, **pool_end;
    size_t available; /* decisions in it */
    size_t pool_size; /* of the last block */
    uint64_t low_at, low_handed;
    uint64_t drawn_at, drawn_handed; /* the same, at the drawing before */
    uint64_t handed;                 /* decisions that this server handed out */

    /* The writer's: blocks that are known, in the order of numbers. An owner knows all that are open. */
    lotor_block **blocks;
    size_t block_first, block_end, block_room;
    /* Requests that wait for decisions. */
    lotor_want *wants;
    uint64_t asked_at;               /* when a request last found the pool empty */
    uint64_t slow_until;             /* a block was too old when it came: nothing is drawn ahead */
    uint64_t want_id, want_sent;     /* the want row for the pool that is on its way; 0: none */
    uint64_t own_asks, foreign_asks; /* requests since the last look at who asks */
    uint64_t asks_since, asks_handed;
    /* Feedback of this server on its way to the log. */
    uint64_t stream, seq;        /* the last row that was appended */
    uint64_t look_from, look_to; /* blocks that the group has feedback for */
    bool is_grouped, has_reports;
    bool is_doubtful; /* after a new connection: the store may have another campaign of this id */
    bool is_retired;  /* the store has it no more */
    struct lotor_campaign *next_retired;
    /* The owner's flags: */
    bool is_owner;
    bool may_have_gap, has_gap; /* in a stream of the log: the operator accepts it; it was found */
    bool has_read;              /* rows of the log, since the state was saved */
    bool is_due;                /* a turn is wanted at once */
    /* The owner's part. */
    lotor_lease lease;
    lotor_policy *policy; /* NULL: put away */
    uint64_t used_at;
    lotor_cursor *cursors;
    size_t cursor_count;
    uint64_t let_go; /* the greatest stream whose cursor was let go */
    uint64_t last_deadline;
    uint64_t saved_specs;       /* what the state in the store says of the specification */
    uint64_t *over;             /* arms: displays in rounds that are over */
    uint64_t retry_at, backoff; /* after a failure */
    uint64_t looked_at;         /* of others' campaigns: when the public numbers were read */
    lotor_turn turn;
} lotor_campaign;

/* Takes the specification, also when it fails. */
lotor_status lotor_campaign_new(uint64_t id, lotor_spec *spec, const unsigned char *key,
                                lotor_message *why, lotor_campaign **out);
void lotor_campaign_free(lotor_campaign *campaign); /* NULL is accepted */
/* Names of arms that the specification has and the campaign has not. */
lotor_status lotor_campaign_name_arms(lotor_campaign *campaign, const lotor_spec *spec,
                                      lotor_message *why);
/* What is public of a policy. */
void lotor_campaign_look(lotor_campaign *campaign, const lotor_policy *policy);
void lotor_campaign_trouble(lotor_campaign *campaign, const char *text); /* "": none */

/* Room for so many more blocks, so that adding them can't fail. */
bool lotor_campaign_reserve(lotor_campaign *campaign, size_t more);
/* Known blocks. Adding keeps the order; the block belongs to the campaign afterwards, also when it fails. */
lotor_status lotor_campaign_add_block(lotor_campaign *campaign, lotor_block *block,
                                      lotor_message *why);
lotor_block *lotor_campaign_find_block(const lotor_campaign *campaign, uint64_t decision);
/* Drops blocks that have this decision and another nonce: a failover lost them. */
void lotor_campaign_forget_others(lotor_campaign *campaign, uint64_t decision, uint64_t nonce);
/* Stops handing out the block, frees it and closes the gap. */
void lotor_campaign_drop_block(lotor_campaign *campaign, size_t place);
/* The pool, under the lock. */
void lotor_pool_put(lotor_campaign *campaign, lotor_block *block);
void lotor_pool_stop(lotor_campaign *campaign); /* nothing in it is handed out any more */

void lotor_want_free(lotor_want *want); /* not its job */
/* A request for any decision gets one that is drawn for it alone. False: no memory. */
bool lotor_want_make_direct(lotor_want *want);
void lotor_cursors_clear(lotor_campaign *campaign);
void lotor_turn_clear(lotor_campaign *campaign); /* frees what a turn prepared */

/* Adds the arms of decisions [from, to) of a block to counts of displays. */
void lotor_count_shown(uint64_t *shown, const lotor_block *block, size_t from, size_t to);
/* Makes the public counts hold so many decisions of the block. */
void lotor_campaign_count(lotor_campaign *campaign, lotor_block *block, size_t shown);

#endif
