/* database.c - the simulated database. See database.h. */
#include "simulation/database.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *must(void *memory)
{
    if (!memory) {
        fprintf(stderr, "simulation: no memory\n");
        abort();
    }
    return memory;
}

db_cell *db_cell_new(size_t length)
{
    db_cell *cell = must(calloc(1, sizeof *cell + length));
    cell->refs = 1;
    cell->length = length;
    return cell;
}

void db_cell_drop(db_cell *cell)
{
    if (cell && --cell->refs == 0) {
        free(cell);
    }
}

static db_cell *keep(db_cell *cell)
{
    if (cell) {
        cell->refs++;
    }
    return cell;
}

static bool is_logged(db_table table)
{
    return table != DB_WANTS;
}

db *db_new(const uint64_t *now)
{
    db *base = must(calloc(1, sizeof *base));
    base->now = now;
    return base;
}

static void free_tx(db_tx *tx)
{
    for (size_t i = 0; i < tx->count; i++) {
        db_cell_drop(tx->changes[i].before);
        db_cell_drop(tx->changes[i].after);
    }
    free(tx->changes);
    free(tx);
}

static void free_list(db_tx *tx)
{
    while (tx) {
        db_tx *next = tx->next;
        free_tx(tx);
        tx = next;
    }
}

void db_free(db *old)
{
    if (!old) {
        return;
    }
    while (old->active) {
        db_abort(old, old->active);
    }
    free_list(old->visible);
    for (size_t t = 0; t < DB_TABLES; t++) {
        for (size_t i = 0; i < old->tables[t].count; i++) {
            db_cell_drop(old->tables[t].rows[i].seen);
        }
        free(old->tables[t].rows);
    }
    free(old);
}

/* --- rows ------------------------------------------------------------------------------------- */

static int compare(const db_key *a, const db_key *b)
{
    for (size_t i = 0; i < 3; i++) {
        if (a->at[i] != b->at[i]) {
            return a->at[i] < b->at[i] ? -1 : 1;
        }
    }
    return 0;
}

size_t db_from(const db *base, db_table table, db_key key)
{
    const db_row *rows = base->tables[table].rows;
    size_t low = 0, high = base->tables[table].count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare(&rows[middle].key, &key) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static db_row *find(const db *base, db_table table, db_key key)
{
    size_t place = db_from(base, table, key);
    if (place == base->tables[table].count) {
        return NULL;
    }
    db_row *row = &base->tables[table].rows[place];
    return compare(&row->key, &key) == 0 ? row : NULL;
}

static db_row *find_or_add(db *base, db_table table, db_key key)
{
    size_t place = db_from(base, table, key);
    db_row *rows = base->tables[table].rows;
    size_t count = base->tables[table].count;
    if (place < count && compare(&rows[place].key, &key) == 0) {
        return &rows[place];
    }
    if (count == base->tables[table].room) {
        base->tables[table].room = count ? 2 * count : 64;
        rows = must(realloc(rows, base->tables[table].room * sizeof *rows));
        base->tables[table].rows = rows;
    }
    memmove(&rows[place + 1], &rows[place], (count - place) * sizeof *rows);
    rows[place] = (db_row){.key = key};
    base->tables[table].count++;
    return &rows[place];
}

static void remove_if_empty(db *base, db_table table, db_row *row)
{
    if (!row->seen && !row->writer) {
        db_row *rows = base->tables[table].rows;
        size_t place = (size_t)(row - rows);
        base->tables[table].count--;
        memmove(row, row + 1, (base->tables[table].count - place) * sizeof *rows);
    }
}

const db_cell *db_read(const db *base, const db_tx *tx, db_table table, db_key key)
{
    const db_row *row = find(base, table, key);
    return row ? db_sees(row, tx) : NULL;
}

/* --- transactions ----------------------------------------------------------------------------- */

db_tx *db_begin(db *base, int server)
{
    db_tx *tx = must(calloc(1, sizeof *tx));
    tx->id = ++base->last_id;
    tx->server = server;
    tx->next = base->active;
    base->active = tx;
    return tx;
}

bool db_is_active(const db *base, uint64_t id)
{
    for (const db_tx *tx = base->active; tx; tx = tx->next) {
        if (tx->id == id) {
            return true;
        }
    }
    return false;
}

static void unlink_active(db *base, const db_tx *tx)
{
    db_tx **at = &base->active;
    while (*at != tx) {
        at = &(*at)->next;
    }
    *at = tx->next;
}

uint64_t db_write(db *base, db_tx *tx, db_table table, db_key key, db_cell *cell)
{
    assert(tx->phase == DB_OPEN);
    db_row *row = find_or_add(base, table, key);
    if (row->writer && row->writer != tx) {
        db_cell_drop(cell);
        return row->writer->id;
    }
    if (row->writer == tx) {
        db_cell_drop(row->written);
        row->written = cell;
        return 0;
    }
    if (tx->count == tx->room) {
        tx->room = tx->room ? 2 * tx->room : 8;
        tx->changes = must(realloc(tx->changes, tx->room * sizeof *tx->changes));
    }
    tx->changes[tx->count++] = (db_change){.table = table, .key = key};
    row->writer = tx;
    row->written = cell;
    return 0;
}

void db_abort(db *base, db_tx *tx)
{
    unlink_active(base, tx);
    for (size_t i = 0; i < tx->count; i++) {
        db_row *row = find(base, tx->changes[i].table, tx->changes[i].key);
        assert(row && row->writer == tx);
        db_cell_drop(row->written);
        row->written = NULL;
        row->writer = NULL;
        remove_if_empty(base, tx->changes[i].table, row);
    }
    free_tx(tx);
}

bool db_log(db *base, db_tx *tx)
{
    assert(tx->phase == DB_OPEN);
    bool has_any = false;
    for (size_t i = 0; i < tx->count; i++) {
        has_any = has_any || is_logged(tx->changes[i].table);
    }
    tx->phase = DB_LOGGED;
    if (has_any) {
        tx->lsn = ++base->last_lsn;
    }
    return has_any;
}

void db_show(db *base, db_tx *tx)
{
    assert(tx->phase == DB_LOGGED);
    unlink_active(base, tx);
    for (size_t i = 0; i < tx->count; i++) {
        db_change *change = &tx->changes[i];
        db_row *row = find(base, change->table, change->key);
        assert(row && row->writer == tx);
        change->before = row->seen; /* the reference moves */
        change->after = keep(row->written);
        row->seen = row->written;
        row->written = NULL;
        row->writer = NULL;
        row->seen_at = *base->now;
        row->lsn = tx->lsn;
        row->order = base->last_order + 1;
        remove_if_empty(base, change->table, row);
    }
    tx->phase = DB_VISIBLE;
    tx->order = ++base->last_order;
    if (base->on_commit && tx->count > 0) {
        base->on_commit(base->context, tx);
    }
    if (tx->lsn <= base->durable_lsn) {
        free_tx(tx);
    } else {
        tx->next = base->visible;
        base->visible = tx;
    }
}

void db_harden(db *base, uint64_t lsn)
{
    if (lsn <= base->durable_lsn) {
        return;
    }
    assert(lsn <= base->last_lsn);
    base->durable_lsn = lsn;
    db_tx **at = &base->visible;
    while (*at) {
        db_tx *tx = *at;
        if (tx->lsn <= lsn) {
            *at = tx->next;
            free_tx(tx);
        } else {
            at = &tx->next;
        }
    }
}

/* --- the end of a primary --------------------------------------------------------------------- */

static void empty_unlogged(db *base)
{
    for (size_t i = 0; i < base->tables[DB_WANTS].count; i++) {
        db_cell_drop(base->tables[DB_WANTS].rows[i].seen);
    }
    base->tables[DB_WANTS].count = 0;
}

/* Ends all active transactions. Logged transactions up to `lsn` become visible, in the order of
 * the log. */
static void settle(db *base, uint64_t lsn)
{
    for (bool again = true; again;) {
        db_tx *next = NULL;
        for (db_tx *tx = base->active; tx; tx = tx->next) {
            if (tx->phase == DB_OPEN || tx->lsn == 0 || tx->lsn > lsn) {
                next = tx;
                break;
            }
        }
        again = next != NULL;
        if (next) {
            db_abort(base, next);
        }
    }
    while (base->active) {
        db_tx *first = base->active;
        for (db_tx *tx = base->active; tx; tx = tx->next) {
            first = tx->lsn < first->lsn ? tx : first;
        }
        db_show(base, first);
    }
}

void db_restart(db *base)
{
    settle(base, base->last_lsn);
    empty_unlogged(base);
}

static void undo(db *base, db_tx *tx)
{
    for (size_t i = tx->count; i-- > 0;) {
        db_change *change = &tx->changes[i];
        if (!is_logged(change->table)) {
            continue;
        }
        db_row *row = find_or_add(base, change->table, change->key);
        db_cell_drop(row->seen);
        row->seen = keep(change->before);
        row->seen_at = *base->now;
        row->lsn = base->durable_lsn;
        remove_if_empty(base, change->table, row);
    }
}

void db_fail_over(db *base)
{
    /* A transaction that only waits is not undone, since it was never visible. Transactions that
     * are visible and not durable are undone, the latest first. If a row was written twice, the
     * later writer has the greater lsn, so nothing that stays is undone. */
    for (bool again = true; again;) {
        again = false;
        for (db_tx *tx = base->active; tx; tx = tx->next) {
            if (tx->phase == DB_OPEN || tx->lsn == 0 || tx->lsn > base->durable_lsn) {
                db_abort(base, tx);
                again = true;
                break;
            }
        }
    }
    bool is_lost = base->visible != NULL;
    db_tx *lost = base->visible; /* the latest first */
    base->visible = NULL;
    for (db_tx *tx = lost; tx; tx = tx->next) {
        undo(base, tx);
    }
    free_list(lost);
    if (is_lost && base->on_rollback) {
        base->on_rollback(base->context, base->durable_lsn);
    }
    base->last_lsn = base->durable_lsn;
    settle(base, base->durable_lsn);
    empty_unlogged(base);
}
