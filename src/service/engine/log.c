/* log.c - the owner reads the log: it gives feedback to the campaign's intake, and handouts to
 * their blocks.
 *
 * The rows of a stream have no gaps, since a server begins a new stream when it does not know
 * whether a row was committed. So a missing row is noticed: by its number, or by what the state
 * says about the rows that were read before.
 */
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "service/engine/inside.h"
#include "service/little.h"

typedef struct log_reader {
    lotor_engine *engine;
    lotor_campaign *campaign;
    lotor_cursor *cursor;
    lotor_message *why;
} log_reader;

typedef struct stream_list {
    uint64_t *streams; /* pairs (stream, last seq) */
    size_t count, room;
} stream_list;

static lotor_status refuse_missing(lotor_message *why)
{
    return lotor_fail(LOTOR_DAMAGED, why,
                      "a row of its log is missing or was changed: see `lotor check`");
}

static lotor_status list_stream(void *context, uint64_t stream, uint64_t last)
{
    stream_list *list = context;
    if (list->count == list->room) {
        const size_t room = 2 * list->room + 8;
        uint64_t *streams = realloc(list->streams, 2 * room * sizeof *streams);
        if (!streams) {
            return LOTOR_MEMORY;
        }
        list->streams = streams;
        list->room = room;
    }
    list->streams[2 * list->count] = stream;
    list->streams[2 * list->count++ + 1] = last;
    return LOTOR_OK;
}

static lotor_cursor *find_cursor(lotor_campaign *campaign, uint64_t stream)
{
    for (size_t i = 0; i < campaign->cursor_count; i++) {
        if (campaign->cursors[i].stream == stream) {
            return &campaign->cursors[i];
        }
    }
    lotor_cursor *cursors =
        realloc(campaign->cursors, (campaign->cursor_count + 1) * sizeof *cursors);
    if (!cursors) {
        return NULL;
    }
    campaign->cursors = cursors;
    cursors[campaign->cursor_count] = (lotor_cursor){.stream = stream};
    return &cursors[campaign->cursor_count++];
}

static bool add_mark(lotor_cursor *cursor, const lotor_log_row *row)
{
    if (cursor->count == cursor->room) {
        const size_t room = 2 * cursor->room + 4;
        lotor_log_mark *marks = realloc(cursor->marks, room * sizeof *marks);
        if (!marks) {
            return false;
        }
        cursor->marks = marks;
        cursor->room = room;
    }
    lotor_log_mark *mark = &cursor->marks[cursor->count++];
    *mark = (lotor_log_mark){.seq = row->seq, .last = row->last};
    crypto_generichash(mark->hash, sizeof mark->hash, row->bytes, row->length, NULL, 0);
    return true;
}

static lotor_status read_report(log_reader *reader, const lotor_log_row *row)
{
    unsigned char plain[LOTOR_HANDOUT_BYTES];
    if (row->length != LOTOR_HANDOUT_SEALED ||
        lotor_server_key_unseal(reader->engine->server_key, LOTOR_SEAL_HANDOUT,
                                reader->campaign->id, row->seq, row->bytes, row->length,
                                plain) != LOTOR_OK ||
        lotor_get_u64(plain) != row->stream || lotor_get_u64(plain + 8) != row->first ||
        lotor_get_u64(plain + 16) != row->last) {
        return refuse_missing(reader->why);
    }
    /* A failover may have lost the block. Then another block may have its numbers now. */
    const uint64_t nonce = lotor_get_u64(plain + 24), handed = lotor_get_u64(plain + 32);
    lotor_block *block = lotor_campaign_find_block(reader->campaign, row->first);
    if (block && !block->has_report && block->nonce == nonce && handed <= block->count) {
        block->has_report = true;
        block->reported = (size_t)handed;
        lotor_campaign_count(reader->campaign, block, block->reported);
    }
    return LOTOR_OK;
}

static lotor_status refuse_memory(lotor_message *why)
{
    return lotor_fail(LOTOR_MEMORY, why, "no memory to read the log");
}

lotor_status lotor_log_note(lotor_campaign *campaign, const lotor_log_row *row, lotor_message *why)
{
    lotor_cursor *cursor = find_cursor(campaign, row->stream);
    if (!cursor || !add_mark(cursor, row)) {
        return refuse_memory(why);
    }
    cursor->seq = row->seq;
    return LOTOR_OK;
}

/* A row is deleted when `last` is final, so `last` must fit the feedback in the row. Rows of
 * stream 0 come from a migration, which has checked that. */
static lotor_status read_feedback(log_reader *reader, const lotor_log_row *row)
{
    uint64_t first, last;
    lotor_intake *intake = reader->campaign->intake;
    const lotor_status status =
        lotor_intake_replay(intake, reader->campaign->lease.final, row->stream, row->seq,
                            row->bytes, row->length, reader->why);
    lotor_intake_extent(intake, &first, &last);
    return status == LOTOR_OK && row->stream && (first != row->first || last != row->last)
               ? refuse_missing(reader->why)
               : status;
}

/* True if a row with this number may come next. Numbers count up from 1. If a stream's cursor
 * was dropped, it is not known how far the stream was read. Stream 0 was made by a migration,
 * and may have gaps. */
static bool follows(const log_reader *reader, uint64_t seq)
{
    const lotor_cursor *cursor = reader->cursor;
    const uint64_t known = cursor->seq > cursor->expected_seq ? cursor->seq : cursor->expected_seq;
    const bool is_let_go = known == 0 && cursor->stream <= reader->campaign->let_go;
    return cursor->stream == 0 || is_let_go || seq <= cursor->expected_seq || seq == known + 1;
}

static lotor_status read_row(void *context, const lotor_log_row *row)
{
    log_reader *reader = context;
    lotor_cursor *cursor = reader->cursor;
    if (!follows(reader, row->seq)) {
        if (!reader->campaign->may_have_gap) {
            return refuse_missing(reader->why);
        }
        /* a failover lost the row, and a pooler hid the failover */
        reader->campaign->has_gap = true;
    }
    lotor_status status = LOTOR_OK;
    if (row->kind == LOTOR_LOG_SHOWN) {
        status = lotor_blank_read(reader->engine, reader->campaign, row, true, reader->why);
        status = status == LOTOR_DAMAGED ? refuse_missing(reader->why) : status;
    } else {
        status =
            row->kind == LOTOR_LOG_HANDOUT ? read_report(reader, row) : read_feedback(reader, row);
    }
    if (status == LOTOR_OK && !add_mark(cursor, row)) {
        status = refuse_memory(reader->why);
    }
    if (status == LOTOR_OK) {
        cursor->seq = row->seq;
        reader->campaign->has_read = true;
    }
    return status;
}

/* Checks that all rows which the state names are there. */
static lotor_status check_expected(lotor_campaign *campaign, lotor_message *why)
{
    for (size_t i = 0; i < campaign->cursor_count; i++) {
        lotor_cursor *cursor = &campaign->cursors[i];
        crypto_generichash_state state;
        unsigned char hash[LOTOR_STORE_HASH];
        uint64_t count = 0;
        if (cursor->expected_seq == 0) {
            continue;
        }
        crypto_generichash_init(&state, NULL, 0, sizeof hash);
        for (size_t j = 0; j < cursor->count; j++) {
            const lotor_log_mark *mark = &cursor->marks[j];
            if (mark->seq <= cursor->expected_seq && mark->last > campaign->lease.final) {
                crypto_generichash_update(&state, mark->hash, sizeof mark->hash);
                count++;
            }
        }
        crypto_generichash_final(&state, hash, sizeof hash);
        if (count != cursor->expected_count ||
            memcmp(hash, cursor->expected_hash, sizeof hash) != 0) {
            if (!campaign->may_have_gap) {
                return refuse_missing(why);
            }
            campaign->has_gap = true;
        }
        if (cursor->seq < cursor->expected_seq) {
            cursor->seq = cursor->expected_seq;
        }
        cursor->expected_seq = 0;
    }
    return LOTOR_OK;
}

lotor_status lotor_log_read(lotor_engine *engine, lotor_campaign *campaign, lotor_message *why)
{
    stream_list list = {0};
    lotor_status status =
        lotor_store_each_stream(engine->store, campaign->id, list_stream, &list, why);
    for (size_t i = 0; status == LOTOR_OK && i < list.count; i++) {
        log_reader reader = {engine, campaign, find_cursor(campaign, list.streams[2 * i]), why};
        if (!reader.cursor) {
            status = refuse_memory(why);
        } else if (list.streams[2 * i + 1] > reader.cursor->seq) {
            status = lotor_store_each_log(engine->store, campaign->id, reader.cursor->stream,
                                          reader.cursor->seq, read_row, &reader, why);
        }
    }
    free(list.streams);
    return status == LOTOR_OK ? check_expected(campaign, why) : status;
}
