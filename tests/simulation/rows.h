/* rows.h - the store's rows as cells of the simulated database: a struct, followed by the bytes
 * that it points to. */
#ifndef LOTOR_SIMULATION_ROWS_H
#define LOTOR_SIMULATION_ROWS_H

#include <string.h>

#include "service/store/store.h"
#include "simulation/database.h"

typedef struct server_cell {
    uint64_t until;
} server_cell;

/* Makes a cell with a struct, followed by up to two runs of bytes. */
static inline db_cell *row_make(const void *head, size_t size, const void *one, size_t one_length,
                                const void *two, size_t two_length)
{
    db_cell *cell = db_cell_new(size + one_length + two_length);
    memcpy(cell->bytes, head, size);
    if (one_length) {
        memcpy(cell->bytes + size, one, one_length);
    }
    if (two_length) {
        memcpy(cell->bytes + size + one_length, two, two_length);
    }
    return cell;
}

static inline db_cell *row_of_lease(const lotor_lease *lease)
{
    return row_make(lease, sizeof *lease, NULL, 0, NULL, 0);
}

static inline lotor_lease row_lease(const db_cell *cell)
{
    lotor_lease lease;
    memcpy(&lease, cell->bytes, sizeof lease);
    return lease;
}

static inline db_cell *row_of_block(const lotor_block_row *row)
{
    return row_make(row, sizeof *row, row->drawn, row->drawn_length, row->action,
                    row->action ? row->action_length : 0);
}

static inline lotor_block_row row_block(const db_cell *cell)
{
    lotor_block_row row;
    memcpy(&row, cell->bytes, sizeof row);
    row.drawn = cell->bytes + sizeof row;
    row.action = row.action ? cell->bytes + sizeof row + row.drawn_length : NULL;
    return row;
}

static inline db_cell *row_of_log(const lotor_log_row *row)
{
    return row_make(row, sizeof *row, row->bytes, row->length, NULL, 0);
}

static inline lotor_log_row row_log(const db_cell *cell)
{
    lotor_log_row row;
    memcpy(&row, cell->bytes, sizeof row);
    row.bytes = cell->bytes + sizeof row;
    return row;
}

static inline db_cell *row_of_want(const lotor_want_row *row)
{
    return row_make(row, sizeof *row, row->body, row->body ? row->body_length : 0, row->reply,
                    row->reply ? row->reply_length : 0);
}

static inline lotor_want_row row_want(const db_cell *cell)
{
    lotor_want_row row;
    memcpy(&row, cell->bytes, sizeof row);
    size_t body_length = row.body ? row.body_length : 0;
    row.body = row.body ? cell->bytes + sizeof row : NULL;
    row.reply = row.reply ? cell->bytes + sizeof row + body_length : NULL;
    return row;
}

static inline db_cell *row_of_release(const lotor_release_row *row)
{
    return row_make(row, sizeof *row, row->facts, row->facts ? row->facts_length : 0, row->stamp,
                    row->stamp ? row->stamp_length : 0);
}

static inline lotor_release_row row_release(const db_cell *cell)
{
    lotor_release_row row;
    memcpy(&row, cell->bytes, sizeof row);
    const size_t facts_length = row.facts ? row.facts_length : 0;
    row.facts = row.facts ? cell->bytes + sizeof row : NULL;
    row.stamp = row.stamp ? cell->bytes + sizeof row + facts_length : NULL;
    return row;
}

/* The seal, followed by the name and the specification with their zero bytes. */
typedef struct budget_cell {
    lotor_budget_row row;
    unsigned char seal[LOTOR_STORE_HASH];
} budget_cell;

static inline db_cell *row_of_budget(const lotor_budget_row *row)
{
    budget_cell head;
    memset(&head, 0, sizeof head);
    head.row = *row;
    memcpy(head.seal, row->seal, sizeof head.seal);
    return row_make(&head, sizeof head, row->name, strlen(row->name) + 1, row->spec,
                    strlen(row->spec) + 1);
}

static inline lotor_budget_row row_budget(const db_cell *cell)
{
    const budget_cell *head = (const void *)cell->bytes;
    lotor_budget_row row = head->row;
    row.name = (const char *)cell->bytes + sizeof *head;
    row.spec = row.name + strlen(row.name) + 1;
    row.seal = head->seal;
    return row;
}

static inline db_cell *row_of_sticky(const lotor_sticky_row *row)
{
    return row_make(row, sizeof *row, row->shown, row->shown_length, NULL, 0);
}

static inline lotor_sticky_row row_sticky(const db_cell *cell, const unsigned char hash[16])
{
    lotor_sticky_row row;
    memcpy(&row, cell->bytes, sizeof row);
    row.hash = hash;
    row.shown = cell->bytes + sizeof row;
    return row;
}

/* A row of the audit log, with its texts. */
typedef struct audit_cell {
    uint64_t number, time;
    char key[72], key_id[16], campaign[72], act[24], change[256];
    unsigned char hash[LOTOR_STORE_HASH];
} audit_cell;

static inline db_cell *row_of_audit(const lotor_audit_row *row)
{
    audit_cell cell;
    memset(&cell, 0, sizeof cell);
    cell.number = row->number;
    cell.time = row->time;
    strncpy(cell.key, row->key, sizeof cell.key - 1);
    strncpy(cell.key_id, row->key_id, sizeof cell.key_id - 1);
    strncpy(cell.campaign, row->campaign, sizeof cell.campaign - 1);
    strncpy(cell.act, row->act, sizeof cell.act - 1);
    strncpy(cell.change, row->change, sizeof cell.change - 1);
    memcpy(cell.hash, row->hash, sizeof cell.hash);
    return row_make(&cell, sizeof cell, NULL, 0, NULL, 0);
}

static inline lotor_audit_row row_audit(const db_cell *cell)
{
    const audit_cell *head = (const void *)cell->bytes;
    lotor_audit_row row = {.number = head->number,
                           .time = head->time,
                           .key = head->key,
                           .key_id = head->key_id,
                           .campaign = head->campaign,
                           .act = head->act,
                           .change = head->change};
    memcpy(row.hash, head->hash, sizeof row.hash);
    return row;
}

/* The seal, followed by the name and the specification with their zero bytes. */
typedef struct campaign_cell {
    lotor_campaign_row row;
    unsigned char seal[LOTOR_STORE_HASH];
    bool has_seal;
} campaign_cell;

static inline db_cell *row_of_campaign(const lotor_campaign_row *row)
{
    campaign_cell head;
    memset(&head, 0, sizeof head);
    head.row = *row;
    head.has_seal = row->seal != NULL;
    if (row->seal) {
        memcpy(head.seal, row->seal, sizeof head.seal);
    }
    return row_make(&head, sizeof head, row->name, strlen(row->name) + 1, row->spec,
                    strlen(row->spec) + 1);
}

static inline lotor_campaign_row row_campaign(const db_cell *cell)
{
    const campaign_cell *head = (const void *)cell->bytes;
    lotor_campaign_row row = head->row;
    row.name = (const char *)cell->bytes + sizeof *head;
    row.spec = row.name + strlen(row.name) + 1;
    row.seal = head->has_seal ? head->seal : NULL;
    return row;
}

#endif
