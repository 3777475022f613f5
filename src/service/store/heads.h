/* heads.h - the head file: the newest release of each campaign that this server has seen, and which
 * campaigns were deleted. It is next to the key file.
 *
 * The file shows whether the store was replaced by an older copy: such a copy lacks a release that
 * is in the file. The file is written after the commit and before the release is shown. So a store
 * always has the file's releases, unless it is an older copy.
 *
 * The file is a list of records with checksums. The last valid record of a campaign counts. Each
 * write is appended and costs one fdatasync. From time to time the whole file is rewritten under
 * another name.
 *
 * Threads: one thread at a time.
 */
#ifndef LOTOR_SERVICE_HEADS_H
#define LOTOR_SERVICE_HEADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/status.h>

typedef struct lotor_heads lotor_heads;

/* Instead of a campaign's id: the single chain of a store of schema 1, from its head file. */
#define LOTOR_HEADS_OLD UINT64_MAX

/* Added to a campaign's id: a record with number 1 says that the campaign was deleted. Ids have 63
 * bits. */
#define LOTOR_HEADS_DELETED (UINT64_C(1) << 63)

typedef struct lotor_head_record {
    /* 0: a record of the whole store. Then `number` is the number of starts, and `hash` is the
     * number of accepted rollbacks (8 bytes, little-endian, then zeros). */
    uint64_t campaign;
    uint64_t number;
    unsigned char hash[32];
} lotor_head_record;

/* Reads the file. If there is none, or it is damaged, there are no heads and *was_lost is true.
 * A file of schema 1 (two slots) is read as the number of starts and LOTOR_HEADS_OLD, and is
 * replaced by the first write. LOTOR_UNFINISHED: the file can't be read. */
lotor_status lotor_heads_open(const char *path, lotor_message *why, lotor_heads **out,
                              bool *was_lost);
void lotor_heads_free(lotor_heads *heads);
bool lotor_heads_get(const lotor_heads *heads, uint64_t campaign, lotor_head_record *out);
/* The record at an index, in the order of campaigns. False: there are not so many. */
bool lotor_heads_at(const lotor_heads *heads, size_t index, lotor_head_record *out);
/* Sets a record in memory only. LOTOR_MEMORY: there is no memory. */
lotor_status lotor_heads_put(lotor_heads *heads, const lotor_head_record *head, lotor_message *why);
/* Writes all new records to the disk. If there are none, writes nothing. */
lotor_status lotor_heads_write(lotor_heads *heads, lotor_message *why);

#endif
