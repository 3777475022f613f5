/* query.c - what all statements share: values, checked columns, and the transaction of a single
 * call. */
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/message.h"
#include "service/store/driver.h"

/* --- values ----------------------------------------------------------------------------------- */

lotor_sql_value lotor_sql_bits(uint64_t value)
{
    return (lotor_sql_value){.kind = LOTOR_VALUE_WHOLE, .whole = (int64_t)value};
}

lotor_sql_value lotor_sql_whole(uint64_t value)
{
    lotor_sql_value whole = lotor_sql_bits(value);
    whole.kind = value > INT64_MAX ? LOTOR_VALUE_BAD : LOTOR_VALUE_WHOLE;
    return whole;
}

lotor_sql_value lotor_sql_real(double value)
{
    return (lotor_sql_value){.kind = LOTOR_VALUE_REAL, .real = value};
}

lotor_sql_value lotor_sql_text(const char *text)
{
    return (lotor_sql_value){.kind = LOTOR_VALUE_TEXT, .bytes = text, .length = strlen(text)};
}

lotor_sql_value lotor_sql_bytes(const void *bytes, size_t length)
{
    return (lotor_sql_value){
        .kind = length > INT32_MAX / 2 ? LOTOR_VALUE_BAD : LOTOR_VALUE_BYTES,
        .bytes = bytes,
        .length = length,
    };
}

static lotor_status run(lotor_store *store, const char *sql, const lotor_sql_value *values,
                        size_t count, bool is_awaited, lotor_message *why)
{
    for (size_t i = 0; i < count; i++) {
        if (values[i].kind == LOTOR_VALUE_BAD) {
            return lotor_fail(LOTOR_INVALID, why,
                              "a value is too large for the store: numbers have 63 bits, bytes "
                              "are up to 1 GB");
        }
    }
    return store->driver->run(store, sql, values, count, is_awaited, why);
}

/* --- statements ------------------------------------------------------------------------------- */

lotor_status lotor_sql_select(lotor_store *store, lotor_message *why, const char *sql,
                              const lotor_sql_value *values, size_t count)
{
    return run(store, sql, values, count, true, why);
}

bool lotor_next(lotor_store *store, lotor_message *why, lotor_status *status)
{
    if (*status == LOTOR_OK) {
        *status = store->driver->next(store, why);
        if (*status == LOTOR_OK) {
            return true;
        }
        *status = *status == LOTOR_UNKNOWN ? LOTOR_OK : *status;
    }
    store->driver->end(store);
    return false;
}

lotor_status lotor_sql_enter(lotor_store *store, lotor_message *why, bool *alone)
{
    *alone = !store->in_transaction;
    return *alone ? lotor_store_begin(store, why) : LOTOR_OK;
}

lotor_status lotor_sql_leave(lotor_store *store, bool alone, lotor_status status,
                             lotor_message *why)
{
    assert(!alone || status != LOTOR_OK || store->in_transaction);
    if (alone && status == LOTOR_OK) {
        return lotor_store_commit(store, why);
    }
    if (alone) {
        lotor_store_rollback(store);
    }
    return status;
}

lotor_status lotor_sql_change(lotor_store *store, lotor_message *why, uint64_t *changed,
                              const char *sql, const lotor_sql_value *values, size_t count)
{
    bool alone;
    lotor_status status = lotor_sql_enter(store, why, &alone);
    if (status == LOTOR_OK) {
        status = run(store, sql, values, count, changed != NULL, why);
        store->driver->end(store);
    }
    if (changed) {
        *changed = status == LOTOR_OK ? store->changed : 0;
    }
    return lotor_sql_leave(store, alone, status, why);
}

/* --- columns ---------------------------------------------------------------------------------- */

static void refuse(lotor_row_reader *at, int column)
{
    if (at->status == LOTOR_OK) {
        const char *name = at->store->driver->column_name(at->store, column);
        at->status = lotor_fail((lotor_status)LOTOR_DAMAGED, at->why,
                                "the store is damaged: a row of table %s has a wrong value in "
                                "column %.40s",
                                at->table, name ? name : "?");
    }
}

static lotor_sql_value get(lotor_row_reader *at, int column, lotor_sql_kind kind)
{
    const lotor_sql_value value = at->store->driver->column(at->store, column, kind);
    if (value.kind == LOTOR_VALUE_MEMORY && at->status == LOTOR_OK) {
        at->status = lotor_fail((lotor_status)LOTOR_MEMORY, at->why, "out of memory");
    } else if (value.kind != kind) {
        refuse(at, column);
    }
    return value;
}

uint64_t lotor_row_bits(lotor_row_reader *at, int column)
{
    return (uint64_t)get(at, column, LOTOR_VALUE_WHOLE).whole;
}

uint64_t lotor_row_whole(lotor_row_reader *at, int column, uint64_t least, uint64_t most)
{
    const uint64_t value = lotor_row_bits(at, column);
    if (value < least || value > most) {
        refuse(at, column);
    }
    return value;
}

uint64_t lotor_row_number(lotor_row_reader *at, int column)
{
    return lotor_row_whole(at, column, 0, INT64_MAX);
}

double lotor_row_real(lotor_row_reader *at, int column)
{
    const double value = get(at, column, LOTOR_VALUE_REAL).real;
    if (!isfinite(value)) {
        refuse(at, column);
    }
    return value;
}

const char *lotor_row_text(lotor_row_reader *at, int column)
{
    const lotor_sql_value value = get(at, column, LOTOR_VALUE_TEXT);
    return value.kind == LOTOR_VALUE_TEXT ? value.bytes : "";
}

const unsigned char *lotor_row_maybe_bytes(lotor_row_reader *at, int column, size_t *length)
{
    const lotor_sql_value value = get(at, column, LOTOR_VALUE_BYTES);
    *length = value.kind == LOTOR_VALUE_BYTES ? value.length : 0;
    return value.kind == LOTOR_VALUE_BYTES ? value.bytes : NULL;
}

const unsigned char *lotor_row_bytes(lotor_row_reader *at, int column, size_t *length)
{
    const unsigned char *bytes = lotor_row_maybe_bytes(at, column, length);
    if (!bytes) {
        refuse(at, column);
    }
    return bytes;
}

void lotor_row_exactly(lotor_row_reader *at, int column, unsigned char *to, size_t length)
{
    size_t found;
    const unsigned char *bytes = lotor_row_bytes(at, column, &found);
    if (!bytes || found != length) {
        refuse(at, column);
        memset(to, 0, length);
        return;
    }
    memcpy(to, bytes, length);
}
