/* fill.h - records of the arms that blanks have shown. A list of records is the plain text of a row of
 * the log. */
#ifndef LOTOR_SERVICE_ENGINE_FILL_H
#define LOTOR_SERVICE_ENGINE_FILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A user, as keyed hashes: in the campaign, and in the budget that it is in. */
typedef struct lotor_user {
    unsigned char hash[16], payer[16];
} lotor_user;

/* One blank that was filled in and handed out. */
typedef struct lotor_fill {
    uint64_t number;       /* the number of the decision */
    uint64_t nonce;        /* the nonce of its block */
    uint64_t size;         /* the size of its batch: see lotor_policy_fill */
    lotor_user user;       /* the decision's user; zeros if users are not counted */
    const uint32_t *words; /* the decision as words, as in a block */
    size_t word_count;
    const unsigned char *action; /* the sealed context of the shown arm; NULL: none */
    size_t action_length;
} lotor_fill;

typedef struct lotor_fill_list {
    unsigned char *bytes;
    size_t length, room;
} lotor_fill_list;

/* Adds a record. False: no memory; the list is unchanged. */
bool lotor_fill_list_add(lotor_fill_list *list, const lotor_fill *fill);
/* Adds all records of another list, and empties it. False: no memory; both are unchanged. */
bool lotor_fill_list_move(lotor_fill_list *to, lotor_fill_list *from);
void lotor_fill_list_clear(lotor_fill_list *list);

/* Reads records. `words` has room for 3 + 2 * arms words, and is overwritten by each record. */
typedef struct lotor_fill_reader {
    const unsigned char *at;
    size_t left;
    size_t arms;
    uint32_t *words;
    bool is_damaged; /* the bytes are not records of a campaign with so many arms */
} lotor_fill_reader;
/* False: there are no more records, or they are damaged. */
bool lotor_fill_next(lotor_fill_reader *reader, lotor_fill *out);

#endif
