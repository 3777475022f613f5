/* bytes.h - the one reader and writer of saved bytes.
 *
 *   magic "lotor\0" | version u16 | kind, 8 bytes | length u64 | payload | BLAKE2b-256 of all before
 *
 * Little-endian everywhere. Each room writes its part of the payload with the calls below and
 * reads it back in the same order; both sides keep a sticky status, so a caller checks once at
 * the end. Saved bytes hold raw sums: the writer wipes every copy it drops.
 */
#ifndef LOTOR_BASE_BYTES_H
#define LOTOR_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/status.h>

enum { LOTOR_BYTES_VERSION = 1 };

typedef struct lotor_writer {
    unsigned char *bytes;
    size_t length, capacity;
    lotor_status status; /* LOTOR_OK, or LOTOR_MEMORY for good */
} lotor_writer;

/* Starts an envelope of a kind (at most 8 characters). */
void lotor_writer_start(lotor_writer *writer, const char *kind);
void lotor_write_u64(lotor_writer *writer, uint64_t value);
void lotor_write_i64s(lotor_writer *writer, const int64_t *values, size_t count);
void lotor_write_double(lotor_writer *writer, double value);
void lotor_write_text(lotor_writer *writer, const char *text);

/* Ends the envelope and gives its bytes to the caller (lotor_bytes_free), or, if anything failed
 * on the way, wipes them and says so. The writer is done either way. */
lotor_status lotor_writer_seal(lotor_writer *writer, unsigned char **bytes, size_t *length);

typedef struct lotor_reader {
    const unsigned char *next, *end;
    lotor_status status; /* LOTOR_OK, or LOTOR_DAMAGED for good */
} lotor_reader;

/* Opens an envelope of a kind: checks magic, version, kind, length and checksum first, so that
 * damaged bytes are refused before anything is read from them. */
lotor_status lotor_reader_open(lotor_reader *reader, const char *kind, const unsigned char *bytes,
                               size_t length, lotor_message *why);

/* Whether they say that they are of a kind: for who takes several, before opening them. */
bool lotor_bytes_are(const char *kind, const unsigned char *bytes, size_t length);

uint64_t lotor_read_u64(lotor_reader *reader);
void lotor_read_i64s(lotor_reader *reader, int64_t *values, size_t count);
double lotor_read_double(lotor_reader *reader);
void lotor_read_text(lotor_reader *reader, char *text, size_t capacity);

/* Marks the bytes as damaged unless `holds`: for facts that must be true of what was read. */
void lotor_read_expect(lotor_reader *reader, int holds);

/* 0 or 1. */
bool lotor_read_flag(lotor_reader *reader);

/* LOTOR_OK when all went well and nothing is left over. */
lotor_status lotor_reader_finish(lotor_reader *reader, lotor_message *why);

#endif
