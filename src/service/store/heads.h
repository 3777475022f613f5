/* heads.h - the newest release of each campaign that this server has seen, in a file beside the key.
 *
 * A store that was put back to an older copy lacks a release that is in this file. Written after the commit
 * and before the release is shown, so the store is never behind the file unless it went back.
 *
 * The file is a list of records with checksums; the last valid record of a campaign counts. Each write goes
 * behind the last one and costs one fdatasync; now and then the file is rewritten whole under another name.
 */
#ifndef LOTOR_SERVICE_HEADS_H
#define LOTOR_SERVICE_HEADS_H

#include <stdbool.h>
#include <stdint.h>

#include <lotor/status.h>

typedef struct lotor_heads lotor_heads;

/* In place of a campaign: the one chain of a store of schema 1, as its head file had it. */
#define LOTOR_HEADS_OLD UINT64_MAX

typedef struct lotor_head_record {
    uint64_t
        campaign; /* 0: of the whole store: number = starts, hash = the count of accepted rollbacks (8 bytes,
                          little-endian, then zeros) */
    uint64_t number;
    unsigned char hash[32];
} lotor_head_record;

/* Reads the file; without one, there are no heads and *was_lost is true. A damaged file counts as lost too.
 * An old file (of schema 1: two slots) is read as the starts and LOTOR_HEADS_OLD, and rewritten by the
 * first write. LOTOR_UNFINISHED: the disk refused. */
lotor_status lotor_heads_open(const char *path, lotor_message *why, lotor_heads **out,
                              bool *was_lost);
void lotor_heads_free(lotor_heads *heads);
bool lotor_heads_get(const lotor_heads *heads, uint64_t campaign, lotor_head_record *out);
/* In memory only. LOTOR_MEMORY. */
lotor_status lotor_heads_put(lotor_heads *heads, const lotor_head_record *head, lotor_message *why);
/* Makes everything that was put durable. Nothing new: nothing is written. */
lotor_status lotor_heads_write(lotor_heads *heads, lotor_message *why);

#endif
