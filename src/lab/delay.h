/* delay.h - how long feedback takes to arrive, counted in rounds.
 *
 *      round                    1   2   3   4   5
 *      delay                    2   3   0   2   1
 *      arrives after round      3   5   3   6   6
 *      is final after round     3   5   5   6   6
 *
 * Delay 0: the policy has the feedback of a round before it chooses the next one. A policy counts
 * rounds in the order of display (privacy/intake/inbox.h). So a round is final when its own feedback
 * and that of all earlier rounds has arrived. Delays are drawn independently of everything else, so
 * they tell nothing about the feedback.
 */
#ifndef LOTOR_LAB_DELAY_H
#define LOTOR_LAB_DELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/policy.h>
#include <lotor/status.h>

#include "base/random/generator.h"

typedef enum lotor_delay_law {
    LOTOR_DELAY_FIXED = 0,     /* `most` rounds */
    LOTOR_DELAY_UNIFORM = 1,   /* from `least` to `most` rounds, all equally likely */
    LOTOR_DELAY_GEOMETRIC = 2, /* 0, 1, 2, ... rounds, with the mean `most` */
    LOTOR_DELAY_PARETO = 3,    /* d rounds or more with probability (1 + d/most)^-shape */
    LOTOR_DELAY_LIST = 4       /* rounds[i] with probability shares[i] */
} lotor_delay_law;

enum { LOTOR_DELAY_LIST_MAX = 32 };

typedef struct lotor_delay {
    lotor_delay_law law;
    uint64_t least, most;
    double shape;
    size_t count; /* of the list */
    uint64_t rounds[LOTOR_DELAY_LIST_MAX];
    double shares[LOTOR_DELAY_LIST_MAX]; /* their sum is 1, up to rounding */
} lotor_delay;

/* Reads "10000" or "1e4", "uniform:A-B", "geometric:W", "pareto:W:A" or "list:0=0.5,10=0.3,1e3=0.2";
 * NULL means no delay. LOTOR_INVALID: the message starts with "delay" and quotes the text. */
lotor_status lotor_delay_read(const char *text, lotor_message *why, lotor_delay *out);

/* The probability of a delay of more than `rounds` rounds. */
double lotor_delay_beyond(const lotor_delay *delay, uint64_t rounds);

/* False if all feedback surely arrives at once. */
static inline bool lotor_delay_is_on(const lotor_delay *delay)
{
    return delay->law != LOTOR_DELAY_FIXED || delay->most > 0;
}

/* Rounds that were shown together and wait for their feedback. */
typedef struct lotor_delayed_rounds {
    uint64_t final; /* they can be fed after this round */
    uint64_t rounds;
    int64_t sum;       /* of their rewards, in units */
    uint32_t arm;      /* that they are recorded for */
    bool ends_a_batch; /* feeding them may cause a release */
} lotor_delayed_rounds;

/* All rounds that wait, oldest first: a ring that grows. */
typedef struct lotor_delay_queue {
    const lotor_delay *delay;
    lotor_generator generator; /* of the delays */
    uint64_t horizon;          /* what is final after this is not kept */
    uint64_t shown;            /* rounds so far */
    uint64_t expired;          /* the last event that lotor_delay_queue_expire expired */
    uint64_t final;            /* when the latest of them is final */
    lotor_delayed_rounds *items;
    size_t head, count, room;
    size_t ends; /* place after head, up to which there is no item that ends a batch */
} lotor_delay_queue;

/* Delays depend on the seed. Free the queue with lotor_delay_queue_free. */
lotor_delay_queue lotor_delay_queue_of(const lotor_delay *delay, uint64_t horizon, uint64_t seed);
void lotor_delay_queue_free(lotor_delay_queue *queue);

/* Adds the next `added->rounds` rounds, and finds out when the last of them is final. LOTOR_MEMORY:
 * nothing was added. */
lotor_status lotor_delay_queue_add(lotor_delay_queue *queue, lotor_delayed_rounds added);

/* Takes the oldest rounds, if all of them are final after round t. */
bool lotor_delay_queue_take(lotor_delay_queue *queue, uint64_t t, lotor_delayed_rounds *out);

/* For a policy that keeps its own rounds: adds the round that was just opened, and expires all
 * rounds that are final now. */
lotor_status lotor_delay_queue_expire(lotor_delay_queue *queue, lotor_policy *policy,
                                      lotor_message *why);

/* The round after which the next batch ends; UINT64_MAX: none that is known. */
uint64_t lotor_delay_queue_next_end(lotor_delay_queue *queue);

#endif
