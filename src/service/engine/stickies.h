/* stickies.h - decisions that a user gets again: campaigns with sticky_seconds. See stickies.md.
 *
 * All functions are parts of the owner's cycle, inside its transaction.
 */
#ifndef LOTOR_SERVICE_ENGINE_STICKIES_H
#define LOTOR_SERVICE_ENGINE_STICKIES_H

#include "service/engine/inside.h"

/* The known facts about one ranking of a want before it is drawn. */
typedef struct lotor_sticky {
    bool is_found; /* this user has a decision that is still valid */
    size_t like;   /* an earlier ranking of this want, by the same user; SIZE_MAX: none */
    uint64_t number, nonce, expires; /* its event; number 0: it takes no feedback */
    bool is_open;                    /* the row has an event that accepts feedback now */
    lotor_block *block;              /* the decision */
} lotor_sticky;

/* Finds the decisions that the users of a want get again: sets want->stickies. Does nothing in other
 * campaigns. *needed: how many decisions must be drawn. */
lotor_status lotor_stickies_find(lotor_engine *engine, const lotor_campaign *campaign,
                                 lotor_want *want, lotor_message *why, size_t *needed);
/* True if the ranking repeats a decision. */
bool lotor_stickies_repeats(const lotor_want *want, size_t i);
/* Puts the repeated decision into the reply. The rankings before it are in the reply. */
lotor_status lotor_stickies_show(lotor_want *want, size_t i, lotor_message *why);
/* Keeps the decisions that were drawn for a want. Its block has its deadline. */
lotor_status lotor_stickies_keep(lotor_engine *engine, const lotor_campaign *campaign,
                                 const lotor_want *want, lotor_message *why);
/* Deletes rows that are over, about once a minute, also of campaigns that nobody uses any more. */
lotor_status lotor_stickies_tidy(lotor_engine *engine, lotor_message *why);
void lotor_stickies_free(lotor_want *want);

#endif
