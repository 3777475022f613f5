/* store_postgres_columns.c - parameters and columns in PostgreSQL's binary form: numbers are big-endian. */
#ifdef LOTOR_POSTGRES
#include "service/store/store_postgres.h"

#include <string.h>

#include "base/message.h"

static int add(lotor_pg_arguments *with, const void *value, size_t length, int format)
{
    const int at = with->count++;
    with->is_too_large = with->is_too_large || length > INT32_MAX;
    with->values[at] = value;
    with->lengths[at] = length > INT32_MAX ? 0 : (int)length;
    with->formats[at] = format;
    return at;
}

void lotor_pg_bits(lotor_pg_arguments *with, uint64_t value)
{
    unsigned char *bytes = with->numbers[with->count];
    for (int i = 0; i < 8; i++) {
        bytes[i] = (unsigned char)(value >> (56 - 8 * i));
    }
    add(with, bytes, 8, 1);
}

void lotor_pg_number(lotor_pg_arguments *with, uint64_t value)
{
    with->is_too_large = with->is_too_large || value > INT64_MAX;
    lotor_pg_bits(with, value);
}

void lotor_pg_double(lotor_pg_arguments *with, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    lotor_pg_bits(with, bits);
}

void lotor_pg_text(lotor_pg_arguments *with, const char *text)
{
    add(with, text, strlen(text), 0);
}

void lotor_pg_bytes(lotor_pg_arguments *with, const void *bytes, size_t length)
{
    add(with, bytes, length, 1);
}

uint64_t lotor_pg_get_bits(const PGresult *rows, int row, int column, bool *damaged)
{
    if (PQgetisnull(rows, row, column) || PQgetlength(rows, row, column) != 8) {
        *damaged = true;
        return 0;
    }
    const unsigned char *bytes = (const unsigned char *)PQgetvalue(rows, row, column);
    uint64_t value = 0;
    for (int i = 0; i < 8; i++) {
        value = value << 8 | bytes[i];
    }
    return value;
}

uint64_t lotor_pg_get_number(const PGresult *rows, int row, int column, bool *damaged)
{
    const uint64_t value = lotor_pg_get_bits(rows, row, column, damaged);
    *damaged = *damaged || value > INT64_MAX;
    return value;
}

double lotor_pg_get_double(const PGresult *rows, int row, int column, bool *damaged)
{
    const uint64_t bits = lotor_pg_get_bits(rows, row, column, damaged);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

const char *lotor_pg_get_text(const PGresult *rows, int row, int column, bool *damaged)
{
    const char *text = PQgetvalue(rows, row, column);
    if (PQgetisnull(rows, row, column) || strlen(text) != (size_t)PQgetlength(rows, row, column)) {
        *damaged = true;
        return "";
    }
    return text;
}

const unsigned char *lotor_pg_get_bytes(const PGresult *rows, int row, int column, size_t *length)
{
    *length = (size_t)PQgetlength(rows, row, column);
    return PQgetisnull(rows, row, column) ? NULL
                                          : (const unsigned char *)PQgetvalue(rows, row, column);
}

void lotor_pg_copy(const PGresult *rows, int row, int column, unsigned char *to, size_t length,
                   bool *damaged)
{
    size_t found;
    const unsigned char *bytes = lotor_pg_get_bytes(rows, row, column, &found);
    if (!bytes || found != length) {
        *damaged = true;
        memset(to, 0, length);
        return;
    }
    memcpy(to, bytes, length);
}

lotor_status lotor_pg_refuse(const char *what, lotor_message *why)
{
    return lotor_fail(LOTOR_DAMAGED, why, "%s: its row is not what was written", what);
}
#else
typedef int lotor_postgres_is_left_out; /* a file must not be empty */
#endif
