/* bytes.h - the only reader and writer of saved bytes.
 *
 *   magic "lotor\0" | version u16 | kind, 8 bytes | length u64 | payload | BLAKE2b-256
 *
 * The hash is of all bytes before it. All numbers are little-endian. Each room writes its part of
 * the payload with the calls below, and reads it back in the same order. Reader and writer remember
 * the first failure, so a caller checks once at the end. Saved bytes hold raw sums: the writer
 * wipes every copy that it drops.
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
    lotor_status status; /* LOTOR_OK until an allocation fails; then LOTOR_MEMORY */
} lotor_writer;

/* Starts an envelope. `kind` has at most 8 characters. */
void lotor_writer_start(lotor_writer *writer, const char *kind);
void lotor_write_u64(lotor_writer *writer, uint64_t value);
void lotor_write_i64s(lotor_writer *writer, const int64_t *values, size_t count);
void lotor_write_double(lotor_writer *writer, double value);
void lotor_write_text(lotor_writer *writer, const char *text);

/* Ends the envelope and gives its bytes to the caller, who frees them with lotor_bytes_free. If an
 * earlier call failed, wipes the bytes and returns that status. The writer is empty afterwards. */
lotor_status lotor_writer_seal(lotor_writer *writer, unsigned char **bytes, size_t *length);

typedef struct lotor_reader {
    const unsigned char *next, *end;
    lotor_status status; /* LOTOR_OK until a read fails; then LOTOR_DAMAGED */
} lotor_reader;

/* Opens an envelope of a kind. Checks magic, version, kind, length and checksum first, so that
 * damaged bytes are refused before anything is read from them. */
lotor_status lotor_reader_open(lotor_reader *reader, const char *kind, const unsigned char *bytes,
                               size_t length, lotor_message *why);

/* True if the header names this kind. Use it before opening, where several kinds are accepted. */
bool lotor_bytes_are(const char *kind, const unsigned char *bytes, size_t length);

uint64_t lotor_read_u64(lotor_reader *reader);
void lotor_read_i64s(lotor_reader *reader, int64_t *values, size_t count);
double lotor_read_double(lotor_reader *reader);
void lotor_read_text(lotor_reader *reader, char *text, size_t capacity);

/* Marks the bytes as damaged unless `holds` is true. For facts that must be true of what was
 * read. */
void lotor_read_expect(lotor_reader *reader, int holds);

/* Reads a flag, stored as 0 or 1. */
bool lotor_read_flag(lotor_reader *reader);

/* LOTOR_OK if every read succeeded and no bytes are left over. */
lotor_status lotor_reader_finish(lotor_reader *reader, lotor_message *why);

#endif
