/* block.h - decisions in a row, drawn for one server: in memory, and as the store keeps them.
 *
 * A block never changes after it was drawn. What changes beside it: how many decisions its holder has handed
 * out (the holder's own memory), and what the holder reported of that (the owner reads it from the log).
 */
#ifndef LOTOR_SERVICE_ENGINE_BLOCK_H
#define LOTOR_SERVICE_ENGINE_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/serving.h"
#include "service/store/store.h"

enum { LOTOR_BLOCK_HASH = 32 };

typedef struct lotor_block {
    uint64_t first, nonce, holder, want, until, deadline;
    size_t count, room;
    /* Of each decision: how many arms are shown, how many are asked for (0: all that are shown), the randomizer's
     * slot, the arms, then those asked for. */
    uint32_t *words;
    size_t word_count, word_room;
    size_t *start;         /* of each decision's words */
    unsigned char *action; /* sealed actions, `action_each` bytes for each decision; NULL: none */
    size_t action_each;
    unsigned char hash[LOTOR_BLOCK_HASH]; /* of the row: set by pack and unpack */

    /* The holder's: under the campaign's lock while the block is in the pool. */
    size_t handed;
    size_t counted;           /* decisions of it in the campaign's public counts */
    bool is_stopped;          /* nothing of it is handed out any more, for good */
    bool is_reported;         /* what was handed out is in the log, or needs no report */
    bool is_pooled;           /* it is in the pool's list */
    struct lotor_block *next; /* in the pool, or in a turn */

    /* The owner's. */
    bool has_report;
    size_t reported;       /* decisions that the holder says it handed out */
    bool is_entered;       /* by the running turn */
    unsigned char *packed; /* the row's `drawn`, until the turn that drew it is over */
    size_t packed_length;
    uint64_t look; /* append.c: the last look that found it open */
} lotor_block;

lotor_block *lotor_block_new(size_t room); /* NULL: no memory */
void lotor_block_free(lotor_block *block); /* NULL is accepted */
/* Adds a decision with its sealed action (NULL: none; all of a block have one, of equal length, or none has). */
lotor_status lotor_block_add(lotor_block *block, const lotor_decision *decision, size_t slot,
                             const unsigned char *action, size_t action_length, lotor_message *why);
static inline uint64_t lotor_block_last(const lotor_block *block)
{
    return block->first + block->count - 1;
}
/* True if the block was drawn for one request and all of it was shown. Such wants have odd ids. */
static inline bool lotor_block_is_direct(const lotor_block *block)
{
    return block->want % 2 == 1;
}
/* The decision at a place; returns the slot of its randomizer. */
size_t lotor_block_kept(const lotor_block *block, size_t place, lotor_kept *out);
const unsigned char *lotor_block_action(const lotor_block *block, size_t place);
/* How many decisions count as handed out when the block ends. */
size_t lotor_block_shown(const lotor_block *block);

/* To and from the store's row. Pack keeps the bytes in the block and fills in its hash; the row points into the
 * block. */
lotor_status lotor_block_pack(lotor_block *block, lotor_message *why);
void lotor_block_row_of(const lotor_block *block, lotor_block_row *row);
lotor_status lotor_block_unpack(const lotor_block_row *row, size_t arms, lotor_message *why,
                                lotor_block **out);
/* Bare decisions, as a want's reply has them. */
lotor_status lotor_block_pack_words(const lotor_block *block, lotor_message *why,
                                    unsigned char **bytes, size_t *length);
lotor_status lotor_block_unpack_words(const unsigned char *bytes, size_t length, uint64_t count,
                                      size_t arms, lotor_message *why, lotor_block **out);

#endif
