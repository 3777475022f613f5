/* bytes.c - see bytes.h for the format. */
#include "base/bytes.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"

enum {
    KIND_SIZE = 8,
    LENGTH_AT = 6 + 2 + KIND_SIZE, /* after magic, version and kind */
    HEADER_SIZE = LENGTH_AT + 8,
    CHECKSUM_SIZE = 32
};

static const unsigned char magic[6] = {'l', 'o', 't', 'o', 'r', '\0'};

static void put_u64(unsigned char *to, uint64_t value)
{
    for (int i = 0; i < 8; i++) {
        to[i] = (unsigned char)(value >> (8 * i));
    }
}

static uint64_t get_u64(const unsigned char *from)
{
    uint64_t value = 0;
    for (int i = 0; i < 8; i++) {
        value |= (uint64_t)from[i] << (8 * i);
    }
    return value;
}

static void put_kind(unsigned char *to, const char *kind)
{
    const size_t length = strlen(kind);
    memset(to, 0, KIND_SIZE);
    memcpy(to, kind, length < KIND_SIZE ? length : KIND_SIZE);
}

static unsigned char *more_room(lotor_writer *writer, size_t count)
{
    if (writer->status != LOTOR_OK) {
        return NULL;
    }
    if (writer->capacity - writer->length < count) {
        const size_t capacity = (writer->length + count) * 2;
        unsigned char *larger = malloc(capacity); /* not realloc, which leaves copies behind */
        if (!larger) {
            writer->status = LOTOR_MEMORY;
            return NULL;
        }
        if (writer->bytes) {
            memcpy(larger, writer->bytes, writer->length);
        }
        lotor_bytes_free(writer->bytes, writer->capacity);
        writer->bytes = larger;
        writer->capacity = capacity;
    }
    unsigned char *room = writer->bytes + writer->length;
    writer->length += count;
    return room;
}

void lotor_writer_start(lotor_writer *writer, const char *kind)
{
    *writer = (lotor_writer){.status = LOTOR_OK};
    unsigned char *header = more_room(writer, HEADER_SIZE);
    if (header) {
        memcpy(header, magic, sizeof magic);
        header[6] = LOTOR_BYTES_VERSION & 0xff;
        header[7] = LOTOR_BYTES_VERSION >> 8;
        put_kind(header + 8, kind);
        put_u64(header + LENGTH_AT, 0);
    }
}

void lotor_write_u64(lotor_writer *writer, uint64_t value)
{
    unsigned char *room = more_room(writer, 8);
    if (room) {
        put_u64(room, value);
    }
}

void lotor_write_i64s(lotor_writer *writer, const int64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        lotor_write_u64(writer, (uint64_t)values[i]);
    }
}

void lotor_write_double(lotor_writer *writer, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    lotor_write_u64(writer, bits);
}

void lotor_write_text(lotor_writer *writer, const char *text)
{
    const size_t length = strlen(text);
    lotor_write_u64(writer, length);
    unsigned char *room = more_room(writer, length);
    if (room) {
        memcpy(room, text, length);
    }
}

lotor_status lotor_writer_seal(lotor_writer *writer, unsigned char **bytes, size_t *length)
{
    *bytes = NULL;
    *length = 0;
    const size_t payload_end = writer->length;
    unsigned char *checksum = more_room(writer, CHECKSUM_SIZE);
    if (!checksum) {
        lotor_bytes_free(writer->bytes, writer->capacity);
        writer->bytes = NULL;
        return writer->status;
    }
    put_u64(writer->bytes + LENGTH_AT, payload_end - HEADER_SIZE);
    crypto_generichash(checksum, CHECKSUM_SIZE, writer->bytes, payload_end, NULL, 0);
    *bytes = writer->bytes;
    *length = writer->length;
    writer->bytes = NULL;
    return LOTOR_OK;
}

bool lotor_bytes_are(const char *kind, const unsigned char *bytes, size_t length)
{
    unsigned char wanted[KIND_SIZE];
    put_kind(wanted, kind);
    return length >= HEADER_SIZE && memcmp(bytes + sizeof magic + 2, wanted, KIND_SIZE) == 0;
}

lotor_status lotor_reader_open(lotor_reader *reader, const char *kind, const unsigned char *bytes,
                               size_t length, lotor_message *why)
{
    *reader = (lotor_reader){.status = LOTOR_DAMAGED};
    if (length < HEADER_SIZE + CHECKSUM_SIZE || memcmp(bytes, magic, sizeof magic) != 0) {
        return lotor_fail(LOTOR_DAMAGED, why, "these %zu bytes are not a saved Lotor state",
                          length);
    }
    const unsigned version = bytes[6] | (unsigned)bytes[7] << 8;
    if (version > LOTOR_BYTES_VERSION) {
        return lotor_fail(LOTOR_VERSION, why,
                          "the saved state has format %u, this version reads up to %d: upgrade "
                          "Lotor to load it",
                          version, LOTOR_BYTES_VERSION);
    }
    const size_t payload = length - HEADER_SIZE - CHECKSUM_SIZE;
    unsigned char checksum[CHECKSUM_SIZE];
    crypto_generichash(checksum, sizeof checksum, bytes, length - CHECKSUM_SIZE, NULL, 0);
    if (version == 0 || get_u64(bytes + LENGTH_AT) != payload ||
        sodium_memcmp(checksum, bytes + length - CHECKSUM_SIZE, sizeof checksum) != 0) {
        return lotor_fail(LOTOR_DAMAGED, why,
                          "the saved state is damaged (its checksum does not match): use a backup");
    }
    unsigned char wanted[KIND_SIZE];
    put_kind(wanted, kind);
    if (memcmp(bytes + 8, wanted, KIND_SIZE) != 0) {
        return lotor_fail(LOTOR_DAMAGED, why, "the saved state holds a '%.8s', not a '%s'",
                          (const char *)bytes + 8, kind);
    }
    reader->next = bytes + HEADER_SIZE;
    reader->end = reader->next + payload;
    reader->status = LOTOR_OK;
    return LOTOR_OK;
}

static const unsigned char *take(lotor_reader *reader, size_t count)
{
    if (reader->status != LOTOR_OK || (size_t)(reader->end - reader->next) < count) {
        reader->status = LOTOR_DAMAGED;
        return NULL;
    }
    const unsigned char *taken = reader->next;
    reader->next += count;
    return taken;
}

uint64_t lotor_read_u64(lotor_reader *reader)
{
    const unsigned char *taken = take(reader, 8);
    return taken ? get_u64(taken) : 0;
}

void lotor_read_i64s(lotor_reader *reader, int64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        values[i] = (int64_t)lotor_read_u64(reader);
    }
}

double lotor_read_double(lotor_reader *reader)
{
    const uint64_t bits = lotor_read_u64(reader);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

void lotor_read_text(lotor_reader *reader, char *text, size_t capacity)
{
    const uint64_t length = lotor_read_u64(reader);
    text[0] = '\0';
    lotor_read_expect(reader, length < capacity);
    if (reader->status == LOTOR_OK) {
        const unsigned char *taken = take(reader, (size_t)length);
        if (taken) {
            memcpy(text, taken, (size_t)length);
            lotor_read_expect(reader, memchr(taken, '\0', (size_t)length) == NULL);
            text[length] = '\0';
        }
    }
}

void lotor_read_expect(lotor_reader *reader, int holds)
{
    if (!holds) {
        reader->status = LOTOR_DAMAGED;
    }
}

lotor_status lotor_reader_finish(lotor_reader *reader, lotor_message *why)
{
    if (reader->status != LOTOR_OK || reader->next != reader->end) {
        return lotor_fail(LOTOR_DAMAGED, why,
                          "the saved state has the right checksum but an impossible content");
    }
    return LOTOR_OK;
}

bool lotor_read_flag(lotor_reader *reader)
{
    const uint64_t flag = lotor_read_u64(reader);
    lotor_read_expect(reader, flag <= 1);
    return flag == 1;
}
