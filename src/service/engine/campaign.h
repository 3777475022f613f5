/* campaign.h - one campaign in the memory of a server.
 *
 * Threads:
 *      constants           any thread
 *      the public part     under `lock`: requests read it, the writer changes it
 *      the chooser         under `chooser_lock`; it is replaced by the writer
 *      contexts            the intake seals and opens them under `lock` or `chooser_lock`
 *      the pool            under `lock`: requests take decisions, the writer adds blocks
 *      everything else     the writer only
 * No lock is held during a call of the store.
 */
#ifndef LOTOR_SERVICE_ENGINE_CAMPAIGN_H
#define LOTOR_SERVICE_ENGINE_CAMPAIGN_H

#include <pthread.h>

#include "policy/serving.h"
#include "service/engine/block.h"
#include "service/engine/engine.h"
#include "service/engine/fill.h"

/* A row of the log that was read and is still in the store. */
typedef struct lotor_log_mark {
    uint64_t seq, last;
    unsigned char hash[16];
} lotor_log_mark;

/* How far the owner has read one stream of the log. */
typedef struct lotor_cursor {
    uint64_t stream, seq;
    lotor_log_mark *marks; /* sorted by seq */
    size_t count, room;
    /* At a takeover: what the state says about the rows up to expected_seq. */
    uint64_t expected_seq, expected_count;
    unsigned char expected_hash[LOTOR_STORE_HASH];
} lotor_cursor;

/* One requested decision within a want. */
typedef struct lotor_want_item {
    lotor_user user;
    size_t arms;            /* how many flags these two lists have */
    bool *eligible;         /* of each arm; NULL: all arms */
    bool *may_show;         /* eligible and not paused; only at the front end that was asked */
    unsigned char *context; /* sealed; NULL: none */
    size_t context_length;
} lotor_want_item;

/* The place of the decision for one item of a want. */
typedef struct lotor_want_place {
    bool has_event;
    size_t place; /* in the want's block, or in `eventless` */
    /* The event of a decision that is repeated, which is in `eventless`; number 0: none. */
    uint64_t number, nonce, expires;
} lotor_want_place;

/* A request for decisions that the owner must draw: from a client of this server, or from
 * another server. */
typedef struct lotor_want {
    struct lotor_want *next;
    uint64_t server, id; /* the server that asks, and its number for the request */
    uint64_t at;         /* the store's clock when the request came */
    size_t count;
    lotor_want_item *asking; /* one for each ranking; NULL: any decisions, for the pool */
    bool is_for_blanks;      /* from another server: blanks for its pool */
    lotor_job *job;          /* NULL: from another server, or no client waits */
    uint64_t arrival;        /* when it came to this server, by the boot clock */
    bool is_sent;            /* its row is in the store, because another server is the owner */
    /* The reply, as the owner's cycle prepared it. */
    bool is_prepared, is_drawn_ahead;
    lotor_refusal refusal;
    bool *counted;                 /* whether each user is below the cap */
    struct lotor_sticky *stickies; /* decisions that users get again; NULL: see stickies.h */
    lotor_block *block;            /* drawn for this want, or blanks; owned by the cycle */
    lotor_block *eventless;        /* decisions that take no feedback */
    lotor_want_place *shown;       /* one for each ranking */
} lotor_want;

/* How many decisions there were at a time of the store's clock. */
typedef struct lotor_rate_mark {
    uint64_t at, decisions;
} lotor_rate_mark;

/* Weights of linear campaigns with more dimensions are not shown: the writer computes them after every
 * release, which takes as many steps as the cube of the dimension. */
enum { LOTOR_WEIGHTS_MAX = 64 };

/* The effects of the owner's cycle on a campaign. Nobody sees them before the commit. */
typedef struct lotor_owner_cycle {
    bool is_prepared;
    lotor_lease lease; /* as it will be written */
    uint64_t ended;    /* all rounds that were entered so far */
    uint64_t last_deadline;
    size_t entered, dropped; /* rounds that were entered; blocks at the front that became final */
    lotor_block *fresh, **fresh_end;
    lotor_release_row *releases;
    size_t release_count, release_room;
    lotor_want *wants; /* the wants that this cycle serves */
    unsigned char *state;
    size_t state_length;
    lotor_policy *copy; /* the policy as it was saved, for the chooser; NULL: not needed */
    uint64_t *over;     /* for each arm: displays in final rounds */
    bool has_more;      /* more work can be done at once */
} lotor_owner_cycle;

/* Blocks of this server whose decisions can be handed out. */
typedef struct lotor_pool {
    lotor_block *first, **end;
    size_t available; /* decisions in the pool */
    size_t size;      /* the size of the last block */
    /* the pool needs decisions since low_at (boot clock), when low_handed were handed out */
    bool is_low;
    uint64_t low_at, low_handed;
    uint64_t drawn_at, drawn_handed; /* the values of low_at and low_handed at the drawing before */
    uint64_t handed;                 /* decisions that this server has handed out */
    /* for the writer only: the want for this pool that has no reply yet (0: none), and when it was sent */
    uint64_t want_id, want_sent;
} lotor_pool;

typedef struct lotor_campaign {
    /* Constants. */
    uint64_t id;
    char name[LOTOR_NAME_MAX + 1];
    double created;
    lotor_serving_info serving;
    size_t dimension; /* of linear campaigns; else 0 */
    size_t together;  /* the most decisions that may be drawn at once */
    bool is_local, is_early;
    bool is_direct;    /* nothing is drawn ahead: each request brings a context or a user */
    bool normalizes;   /* contexts longer than 1 are scaled down */
    bool takes_blanks; /* requests with a context or eligible arms can be served from blanks */
    bool counts_users; /* rounds of a user are counted, so requests must name the user */
    /* they are counted when they are entered, not when they are drawn: all rounds are blanks */
    bool counts_at_entry;
    bool is_evaluated;     /* some rounds measure value: `share` of them */
    bool is_control_fixed; /* the control is a list of arms */
    uint64_t rounds_per_user, max_open;
    /* the budget that the campaign is in, and what a user pays; NULL: none */
    const struct lotor_user_budget *budget;
    lotor_charge charge;
    /* milliseconds: how long feedback is accepted; how long a block is handed out */
    uint64_t wait, life;
    uint64_t sticky;             /* how long a user gets the same decision again; 0: not at all */
    lotor_guarantee promise;     /* for one round */
    lotor_randomizer randomizer; /* local campaigns: all but the slot */
    lotor_randomizer value_randomizer; /* and of rounds that measure value */
    lotor_estimator estimator;
    double share;
    char prior[LOTOR_NAME_MAX + 1]; /* the campaign whose releases this one learns from; "": none */
    uint64_t prior_releases;        /* how many of them */
    lotor_estimator value_estimator;
    lotor_intake *intake;

    pthread_mutex_t chooser_lock; /* may be held when `lock` is taken, never the reverse */
    lotor_policy *chooser;        /* under chooser_lock; NULL: none */

    pthread_mutex_t lock;
    /* The public part. */
    /* of the policy: the specification's max_arms. It changes under both locks, so that a thread may read
     * it under one of them */
    size_t arms;
    lotor_spec *spec;
    uint64_t specs;
    bool closed;
    bool is_looked_at; /* a client asked for the public numbers */
    bool has_chooser;  /* there is a chooser for blanks */
    bool has_weights;  /* there was a release from which `weights` could be computed */
    /* the code of the refusal while nothing may be shown (closed, paused, ...); LOTOR_CODE_NONE:
     * decisions may be shown */
    lotor_code halted;
    const char **ids;  /* for each arm: its name, which lives as long as the engine */
    char trouble[160]; /* why the campaign can't be served; "": it can */
    uint64_t decisions, ended, releases; /* decisions shown; rounds final; releases */
    uint64_t final, sealed;
    lotor_arm_sums *readings; /* for each arm: what was released */
    /* linear campaigns: `dimension` weights, and room for the writer to compute as many; else NULL */
    lotor_estimate *weights;
    lotor_arm_sums measured, controlled; /* what was released about value */
    lotor_rate_mark marks[2];            /* for the recent rate of decisions: outlook.c */
    uint64_t *shown;                     /* for each arm: displays */
    /* The pools: decisions that were drawn ahead, and blanks (blank.c). */
    lotor_pool drawn, blanks;
    /* Blanks: the records of shown arms that the writer has not collected, and the time when a request
     * last found no blank. */
    lotor_fill_list fills;
    uint64_t missed_at;

    /* Used by the writer only: known blocks, in the order of numbers. An owner knows all open
     * blocks. */
    lotor_block **blocks;
    size_t block_first, block_end, block_room;
    /* Requests that wait for decisions. */
    lotor_want *wants;
    uint64_t asked_at; /* when a request last found the pool empty */
    /* nothing is drawn ahead until then, because a block was too old when it came */
    uint64_t slow_until;
    uint64_t own_asks, foreign_asks; /* requests since hand_over last looked */
    uint64_t asks_since, asks_handed;
    /* Feedback of this server that is being appended to the log. */
    uint64_t stream, seq;          /* the last row that was appended */
    uint64_t look_from, look_to;   /* the blocks that have feedback in this step */
    lotor_fill_list unrecorded;    /* what was shown of blanks, and is not in the log yet */
    uint64_t chosen_by, chosen_at; /* the releases that the chooser knows; when it was made */
    bool is_grouped, has_reports;
    bool is_doubtful; /* after a new connection: the store may have another campaign with this id */
    bool is_retired;  /* the store no longer has this campaign */
    bool lacks_budget; /* its budget is missing or another one: it can be deleted, not served */
    bool is_erased;    /* it was deleted, and this server has no private data of it any more */
    /* this server may have added rows before it knew about the deletion: see lotor_lifecycle_tend */
    bool may_have_left;
    /* Flags of the owner. */
    bool is_owner;
    bool may_have_gap; /* the operator accepts a gap in a stream of the log */
    bool has_gap;      /* a gap in a stream was found */
    bool has_read;     /* rows of the log were read since the state was saved */
    bool is_due;       /* a cycle is needed at once */
    struct lotor_campaign *next_retired;
    /* Used by the owner. */
    lotor_lease lease;
    lotor_policy *policy; /* NULL: not loaded */
    uint64_t used_at;
    lotor_cursor *cursors;
    size_t cursor_count;
    uint64_t let_go; /* the greatest stream whose cursor was dropped */
    uint64_t last_deadline;
    uint64_t saved_specs;       /* the `specs` in the stored state */
    uint64_t *over;             /* for each arm: displays in final rounds */
    uint64_t retry_at, backoff; /* after a failure */
    uint64_t tidied_at;         /* when stickies were last deleted */
    uint64_t looked_at;         /* another server's campaign: when its public numbers were read */
    lotor_owner_cycle cycle;
} lotor_campaign;

/* Takes `spec`, even if it fails. */
lotor_status lotor_campaign_new(uint64_t id, lotor_spec *spec, const unsigned char *key,
                                lotor_message *why, lotor_campaign **out);
void lotor_campaign_free(lotor_campaign *campaign); /* NULL is accepted */
/* Makes room for more arms. The campaign must have no policy and no cycle. After a failure, nothing has
 * changed. */
lotor_status lotor_campaign_grow(lotor_campaign *campaign, size_t arms, lotor_message *why);
/* True if the campaign's specification has all arms that the block shows. If not, another server has
 * changed it. */
bool lotor_campaign_knows(const lotor_campaign *campaign, const lotor_block *block);
/* Names the arms that are new in the specification. */
lotor_status lotor_campaign_name_arms(lotor_campaign *campaign, const lotor_spec *spec,
                                      lotor_message *why);
/* Sets `closed`, and `halted` by it and by the phase in campaign->spec. The caller holds the lock, or
 * nobody else knows the campaign. */
void lotor_campaign_set_phase(lotor_campaign *campaign, bool closed);
/* True if decisions may be shown; else the refusal says why not, and what to do. The caller holds the
 * lock, or is the writer. */
bool lotor_campaign_may_show(const lotor_campaign *campaign, lotor_refusal *refusal);
/* Reads the public estimates of a policy. */
void lotor_campaign_look(lotor_campaign *campaign, const lotor_policy *policy);
/* "": the campaign can be served */
void lotor_campaign_trouble(lotor_campaign *campaign, const char *text);

/* Makes room for `more` blocks, so that adding them can't fail. */
bool lotor_campaign_reserve(lotor_campaign *campaign, size_t more);
/* Adds a known block, in the order of numbers. Takes the block, even if it fails. */
lotor_status lotor_campaign_add_block(lotor_campaign *campaign, lotor_block *block,
                                      lotor_message *why);
lotor_block *lotor_campaign_find_block(const lotor_campaign *campaign, uint64_t decision);
/* Drops blocks that have this decision and another nonce, since a failover lost them. */
void lotor_campaign_forget_others(lotor_campaign *campaign, uint64_t decision, uint64_t nonce);
/* Stops handing out the block, removes it and frees it. */
void lotor_campaign_drop_block(lotor_campaign *campaign, size_t place);
/* The pools; the caller holds the lock. lotor_campaign_pool is the pool of a block's kind. After
 * lotor_campaign_pool_stop nothing in them is handed out any more. */
lotor_pool *lotor_campaign_pool(lotor_campaign *campaign, const lotor_block *block);
void lotor_campaign_pool_put(lotor_campaign *campaign, lotor_block *block);
void lotor_campaign_pool_stop(lotor_campaign *campaign);

void lotor_want_free(lotor_want *want); /* does not free its job */
/* Adds arms that are not eligible to the lists of a want. False: no memory. */
bool lotor_want_grow(lotor_want *want, size_t arms);
/* Changes a want for any decision into one for a decision of its own. False: no memory. */
bool lotor_want_make_direct(lotor_want *want);
void lotor_cursors_clear(lotor_campaign *campaign);
void lotor_owner_cycle_clear(lotor_campaign *campaign); /* frees what a cycle prepared */

/* Adds the arms of decisions [from, to) of a block to counts of displays. */
void lotor_campaign_count_shown(uint64_t *shown, const lotor_block *block, size_t from, size_t to);
/* Sets how many decisions of the block are in the public counts. In a block of blanks,
 * these are always all decisions that are filled in. */
void lotor_campaign_count(lotor_campaign *campaign, lotor_block *block, size_t shown);
/* Fills in a blank of a known block, unless it is filled in, and counts its display. The caller holds the
 * lock. False: it does not fit the block, or there is no memory. */
bool lotor_campaign_fill(lotor_campaign *campaign, lotor_block *block, const lotor_fill *fill);
/* Adds the rounds of a block of blanks that were entered to the public counts, in campaigns that count
 * users at the entry. There, displays are not counted before: see budgets.md. */
void lotor_campaign_count_entered(lotor_campaign *campaign, const lotor_block *block);
/* Takes displays that are not in the log out of the public counts, before the block is dropped. */
void lotor_campaign_uncount_lost(lotor_campaign *campaign, lotor_block *block);
/* Takes all displays of blanks out of the public counts. The caller holds the lock. */
void lotor_campaign_uncount(lotor_campaign *campaign, lotor_block *block);

#endif
