/* block.h - a block: consecutive decisions drawn for one server, in memory and as a row of the
 * store.
 *
 * A block never changes after it was drawn. Two numbers about it change: how many decisions its
 * holder has handed out (in the holder's memory), and the number in the holder's handout (which the
 * owner reads from the log).
 *
 * A block of blanks has numbers only. The shown arms of its decisions are filled in later: by its
 * holder, or from the holder's records in the log (blank.c).
 */
#ifndef LOTOR_SERVICE_ENGINE_BLOCK_H
#define LOTOR_SERVICE_ENGINE_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/serving.h"
#include "service/engine/fill.h"
#include "service/store/store.h"

enum { LOTOR_BLOCK_HASH = 32 };

/* One decision of a block of blanks: what it shows, once its arms are filled in. */
typedef struct lotor_blank {
    bool is_shown;    /* its arms are filled in */
    bool is_recorded; /* the owner has read its arms from the log */
    bool is_refused;  /* its user is over the cap or the budget; set when its block is entered */
    uint64_t size;    /* the size of its batch, once it is filled in: see lotor_policy_fill */
} lotor_blank;

typedef struct lotor_block {
    uint64_t first, nonce, holder, want, until, deadline;
    size_t count, room;
    /* For each decision: the number of shown arms, the number of asked arms (0: all shown arms),
     * the randomizer's slot, the shown arms, the asked arms. */
    uint32_t *words;
    size_t word_count, word_room;
    size_t *start;         /* the index of each decision's first word */
    unsigned char *action; /* sealed actions, `action_each` bytes for each decision; NULL: none */
    size_t action_each;
    unsigned char hash[LOTOR_BLOCK_HASH]; /* of the row; set by pack and unpack */
    bool is_blank;
    lotor_blank *blanks; /* for each decision of a block of blanks; else NULL */
    lotor_user *users;   /* of blanks, where users are counted; else NULL */
    size_t filled;       /* how many blanks are filled in */

    /* Used by the holder; under the campaign's lock while the block is in the pool. */
    size_t handed;
    size_t counted;           /* decisions of this block in the campaign's public counts */
    bool is_stopped;          /* no more of its decisions will ever be handed out */
    bool is_reported;         /* the number handed out is in the log, or needs no handout */
    bool is_pooled;           /* the block is in the pool's list */
    struct lotor_block *next; /* in the pool, or in a cycle */

    /* Used by the owner. */
    bool has_report;
    size_t reported;       /* the number of decisions in the holder's handout */
    bool is_entered;       /* entered by the current cycle */
    unsigned char *packed; /* the row's `drawn`, until the cycle that drew the block has ended */
    size_t packed_length;
    uint64_t look; /* append.c: the last look at the store that found the block open */
} lotor_block;

lotor_block *lotor_block_new(size_t room); /* NULL: no memory */
lotor_block *lotor_block_new_blank(size_t count);
/* A decision as words of a block. The function lotor_decision_words returns how many there are, and
 * writes them unless `word` is NULL. The function lotor_decision_length returns how many words the
 * first decision of `count` words has; 0: they are not a decision among `arms` arms. */
size_t lotor_decision_words(const lotor_decision *decision, size_t slot, uint32_t *word);
size_t lotor_decision_length(const uint32_t *word, size_t count, size_t arms);
/* Fills in a blank. False: there is no memory, or the action has another length than others. */
bool lotor_block_fill(lotor_block *block, const lotor_fill *fill);
/* Makes all blanks of the block empty again. */
void lotor_block_forget_blanks(lotor_block *block);
/* Gives the arms that a blank shows as a record, which points into the block. Only for a blank whose
 * arms are filled in. */
void lotor_block_record(const lotor_block *block, size_t place, lotor_fill *out);
/* Moves the blanks' arms to another copy of the same block. The copy no longer records which of them
 * are in the log. */
void lotor_block_move_blanks(lotor_block *from, lotor_block *to);
/* True if the arms of a decision are known: always, except for a blank that is not filled in. */
static inline bool lotor_block_is_known(const lotor_block *block, size_t place)
{
    return !block->is_blank || block->blanks[place].is_shown;
}
void lotor_block_free(lotor_block *block); /* NULL is accepted */
/* Adds a decision with its sealed action. NULL: none. Either all decisions of a block have an
 * action, of the same length, or none has. */
lotor_status lotor_block_add(lotor_block *block, const lotor_decision *decision, size_t slot,
                             const unsigned char *action, size_t action_length, lotor_message *why);
static inline uint64_t lotor_block_last(const lotor_block *block)
{
    return block->first + block->count - 1;
}
/* True if the block was drawn for one request, and all of it was shown. A want for one request has an
 * odd id. */
static inline bool lotor_block_is_direct(const lotor_block *block)
{
    return block->want % 2 == 1;
}
/* Gives the decision that is at these words. Returns the slot of its randomizer. */
size_t lotor_words_display(const uint32_t *word, lotor_display *out);
/* Gives the decision at an index of the block, which is known. Returns the slot of its randomizer. */
size_t lotor_block_kept(const lotor_block *block, size_t place, lotor_display *out);
const unsigned char *lotor_block_action(const lotor_block *block, size_t place);
/* The number of decisions that count as handed out when the block ends. */
size_t lotor_block_shown(const lotor_block *block);

/* To and from the store's row. lotor_block_pack keeps the bytes in the block and sets its hash.
 * lotor_block_row_of makes a row that points into the block. */
lotor_status lotor_block_pack(lotor_block *block, lotor_message *why);
void lotor_block_row_of(const lotor_block *block, lotor_block_row *row);
lotor_status lotor_block_unpack(const lotor_block_row *row, size_t arms, lotor_message *why,
                                lotor_block **out);
/* The decisions alone, as in the reply to a want. */
lotor_status lotor_block_pack_words(const lotor_block *block, lotor_message *why,
                                    unsigned char **bytes, size_t *length);
lotor_status lotor_block_unpack_words(const unsigned char *bytes, size_t length, uint64_t count,
                                      size_t arms, lotor_message *why, lotor_block **out);

#endif
