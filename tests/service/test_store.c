/* test_store.c - the store's tables: rows can be read back, in order, also after the store was
 * opened again.
 *
 * With LOTOR_TEST_POSTGRES the same runs on that database.
 */
#include "support/test.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "service/fine.h"
#include "service/place.h"
#include "service/scratch.h"
#include "service/store/store.h"

typedef struct scene {
    scratch files;
    lotor_store *store;
} scene;

static int start(void **state)
{
    static scene at;
    assert_true(sodium_init() >= 0);
    scratch_start(&at.files);
    place_clear();
    fine(lotor_store_open(place_of(&at.files), LOTOR_STORE_SERVE, NULL, &why, &at.store));
    *state = &at;
    return 0;
}

static int end(void **state)
{
    scene *at = *state;
    lotor_store_close(at->store);
    scratch_end(&at->files);
    return 0;
}

static void reopen(scene *at)
{
    lotor_store_close(at->store);
    fine(lotor_store_open(place_of(&at->files), LOTOR_STORE_SERVE, NULL, &why, &at->store));
}

/* The arguments of callbacks, as text. */
typedef struct seen {
    char text[2000];
    lotor_status answer;
} seen;

static void note(seen *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void note(seen *notes, const char *format, ...)
{
    const size_t length = strlen(notes->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(notes->text + length, sizeof notes->text - length, format, arguments);
    va_end(arguments);
}

#define big(number)         (unsigned long long)(number)
#define text_of(from, many) (from) ? (int)(many) : 4, (from) ? (const char *)(from) : "none"
#define bytes(text)         (const unsigned char *)(text), strlen(text)

static const unsigned char seal[LOTOR_STORE_HASH] = "seal";

static lotor_status see_campaign(void *context, const lotor_campaign_row *row)
{
    seen *notes = context;
    assert_memory_equal(row->seal, seal, sizeof seal);
    note(notes, "%llu %s %s %llu %.1f %d;", big(row->id), row->name, row->spec, big(row->specs),
         row->created, row->closed);
    return notes->answer;
}

static lotor_status see_bytes(void *context, const unsigned char *from, size_t length)
{
    seen *notes = context;
    note(notes, "%.*s;", (int)length, (const char *)from);
    return notes->answer;
}

static lotor_status see_lease(void *context, const lotor_lease *lease)
{
    seen *notes = context;
    note(notes,
         "%llu: %llu in %llu, %llu/%llu due %llu specs %llu, %llu head %d broken %d live %d;",
         big(lease->campaign), big(lease->owner), big(lease->epoch), big(lease->sealed),
         big(lease->final), big(lease->due), big(lease->specs), big(lease->releases),
         lease->head[0], lease->broken, lease->is_live);
    return notes->answer;
}

static lotor_status see_block(void *context, const lotor_block_row *row)
{
    seen *notes = context;
    note(notes, "%llu+%llu of %llu for %llu until %llu/%llu nonce %llx drawn %.*s action %.*s;",
         big(row->first), big(row->count), big(row->holder), big(row->want), big(row->until),
         big(row->deadline), big(row->nonce), text_of(row->drawn, row->drawn_length),
         text_of(row->action, row->action_length));
    return notes->answer;
}

static lotor_status see_open(void *context, uint64_t first, uint64_t nonce)
{
    seen *notes = context;
    note(notes, "%llu %llx;", big(first), big(nonce));
    return notes->answer;
}

static lotor_status see_stream(void *context, uint64_t stream, uint64_t last)
{
    seen *notes = context;
    note(notes, "%llu to %llu;", big(stream), big(last));
    return notes->answer;
}

static lotor_status see_log(void *context, const lotor_log_row *row)
{
    seen *notes = context;
    note(notes, "%llu.%llu %d: %llu-%llu %.*s;", big(row->stream), big(row->seq), (int)row->kind,
         big(row->first), big(row->last), (int)row->length, (const char *)row->bytes);
    return notes->answer;
}

static lotor_status see_want(void *context, const lotor_want_row *row)
{
    seen *notes = context;
    note(notes, "%llu of %llu for %llu at %llu: %llu %.*s %.*s;", big(row->id), big(row->server),
         big(row->campaign), big(row->at), big(row->count), text_of(row->body, row->body_length),
         text_of(row->reply, row->reply_length));
    return notes->answer;
}

static lotor_status see_release(void *context, const lotor_release_row *release)
{
    seen *notes = context;
    note(notes, "%llu of %llu at %llu %.*s;", big(release->number), big(release->campaign),
         big(release->time), text_of(release->facts, release->facts_length));
    return notes->answer;
}

#define sees(expected, call)                                                                       \
    do {                                                                                           \
        seen it = {.text = ""};                                                                    \
        fine(call);                                                                                \
        assert_string_equal(it.text, expected);                                                    \
    } while (0)

static lotor_status put_campaign(scene *at, const char *name, uint64_t *id)
{
    lotor_campaign_row row = {.name = name, .spec = "{}", .seal = seal, .created = 12.5};
    const lotor_status status = lotor_store_next_campaign(at->store, &why, &row.id);
    *id = row.id;
    return status == LOTOR_OK ? lotor_store_add_campaign(at->store, &row, bytes("KEY"), &why)
                              : status;
}

static uint64_t add_campaign(scene *at, const char *name)
{
    uint64_t id;
    const bool alone = lotor_store_begin(at->store, &why) == LOTOR_OK;
    fine(put_campaign(at, name, &id));
    if (alone) {
        fine(lotor_store_commit(at->store, &why));
    }
    return id;
}

TEST_WITH(test_campaigns, start, end)
{
    scene *at = *state;
    uint64_t id;
    fine(lotor_store_begin(at->store, &why));
    assert_int_equal(add_campaign(at, "a"), 1);
    assert_int_equal(add_campaign(at, "b"), 2);
    assert_int_equal(put_campaign(at, "a", &id), LOTOR_DUPLICATE);
    fine(lotor_store_commit(at->store, &why)); /* a duplicate name undoes nothing */
    fine(lotor_store_begin(at->store, &why));
    assert_int_equal(add_campaign(at, "c"), 4); /* an id is not used again */
    fine(lotor_store_commit(at->store, &why));
    assert_int_equal(lotor_store_next_campaign(at->store, &why, &id), LOTOR_INVALID);
    lotor_campaign_row row = {.id = 1, .spec = "{\"x\": 1}", .seal = seal, .closed = true};
    bool done;
    fine(lotor_store_put_spec(at->store, &row, &why, &done));
    assert_true(done);
    fine(lotor_store_put_spec(at->store, &row, &why, &done));
    assert_false(done); /* another server has changed it */
    row.id = 9;
    fine(lotor_store_put_spec(at->store, &row, &why, &done));
    assert_false(done);
    reopen(at);
    sees("1 a {\"x\": 1} 1 12.5 1;2 b {} 0 12.5 0;4 c {} 0 12.5 0;",
         lotor_store_each_campaign(at->store, 0, see_campaign, &it, &why));
    sees("4 c {} 0 12.5 0;", lotor_store_each_campaign(at->store, 2, see_campaign, &it, &why));
    sees("", lotor_store_each_campaign(at->store, UINT64_MAX, see_campaign, &it, &why));
    sees("2 b {} 0 12.5 0;", lotor_store_get_campaign(at->store, 2, see_campaign, &it, &why));
    sees("KEY;", lotor_store_get_key(at->store, 2, see_bytes, &it, &why));
    seen stopped = {.answer = LOTOR_LATE};
    assert_int_equal(lotor_store_get_campaign(at->store, 3, see_campaign, &stopped, &why),
                     LOTOR_UNKNOWN);
    assert_int_equal(lotor_store_get_key(at->store, 3, see_bytes, &stopped, &why), LOTOR_UNKNOWN);
    assert_int_equal(lotor_store_put_key(at->store, 2, bytes("KEY"), &why), LOTOR_DUPLICATE);
    assert_int_equal(lotor_store_each_campaign(at->store, 0, see_campaign, &stopped, &why),
                     LOTOR_LATE);
    assert_string_equal(stopped.text, "1 a {\"x\": 1} 1 12.5 1;");
    fine(lotor_store_check(at->store, &why));
}

TEST_WITH(test_servers, start, end)
{
    scene *at = *state;
    bool known;
    uint64_t others, now, later;
    fine(lotor_store_now(at->store, &why, &now));
    assert_true(now > 1700000000000);
    fine(lotor_store_add_server(at->store, 7, 60000, "one", &why));
    assert_int_equal(lotor_store_add_server(at->store, 7, 60000, "two", &why), LOTOR_DUPLICATE);
    fine(lotor_store_beat(at->store, 7, 60000, &why, &known, &others));
    assert_true(known);
    assert_int_equal(others, 0);
    fine(lotor_store_beat(at->store, 8, 60000, &why, &known, &others));
    assert_false(known);
    assert_int_equal(others, 1);
    fine(lotor_store_add_server(at->store, 8, 60000, "two", &why));
    fine(lotor_store_beat(at->store, 8, 60000, &why, &known, &others));
    assert_true(known);
    assert_int_equal(others, lotor_store_is_exclusive(at->store) ? 0 : 1);
    fine(lotor_store_beat(at->store, 7, 0, &why, &known, &others));
    fine(lotor_store_beat(at->store, 8, 60000, &why, &known, &others));
    assert_int_equal(others, 0); /* its time is over */
    fine(lotor_store_remove_server(at->store, 8, &why));
    fine(lotor_store_beat(at->store, 8, 60000, &why, &known, &others));
    assert_false(known);
    fine(lotor_store_now(at->store, &why, &later));
    assert_true(later >= now);
}

static lotor_lease take(scene *at, uint64_t campaign, uint64_t me, uint64_t epoch, bool expected)
{
    lotor_lease lease;
    bool got;
    fine(lotor_store_begin(at->store, &why));
    fine(lotor_store_take(at->store, campaign, me, epoch, &why, &lease, &got));
    assert_int_equal(got, expected);
    fine(lotor_store_commit(at->store, &why));
    return lease;
}

TEST_WITH(test_leases, start, end)
{
    scene *at = *state;
    add_campaign(at, "a");
    add_campaign(at, "b");
    fine(lotor_store_add_server(at->store, 7, 60000, "one", &why));
    lotor_lease lease = take(at, 1, 7, 0, true);
    assert_int_equal(lease.epoch, 1);
    assert_int_equal(lease.owner, 7);
    assert_true(lease.is_live);
    lease = take(at, 1, 8, 0, false); /* it was taken since */
    assert_int_equal(lease.owner, 7);
    take(at, 1, 8, 1, false); /* its owner is live */
    lease = take(at, 1, 7, 1, true);
    assert_int_equal(lease.epoch, 2);
    lease.sealed = 30;
    lease.final = 20;
    lease.due = 5;
    lease.releases = 4;
    lease.head[0] = 9;
    bool done;
    fine(lotor_store_put_lease(at->store, &lease, &why, &done));
    assert_true(done);
    lotor_lease other = lease;
    other.epoch = 1;
    fine(lotor_store_put_lease(at->store, &other, &why, &done));
    assert_false(done);
    fine(lotor_store_put_lease(at->store, &lease, &why, &done));
    assert_false(done); /* each write raises the epoch */
    other.epoch = 3;
    other.owner = 8;
    fine(lotor_store_put_lease(at->store, &other, &why, &done));
    assert_false(done);
    other.owner = 7;
    other.specs = 1;
    fine(lotor_store_put_lease(at->store, &other, &why, &done));
    assert_false(done);
    fine(lotor_store_put_state(at->store, 1, 2, bytes("STATE"), &why));
    fine(lotor_store_put_state(at->store, 1, 3, bytes("LATER"), &why));
    reopen(at);
    sees("1: 7 in 3, 30/20 due 5 specs 0, 4 head 9 broken 0 live 1;"
         "2: 0 in 0, 0/0 due 0 specs 0, 0 head 0 broken 0 live 0;",
         lotor_store_each_lease(at->store, see_lease, &it, &why));
    uint64_t epoch;
    sees("LATER;", lotor_store_get_state(at->store, 1, see_bytes, &it, &why, &epoch));
    assert_int_equal(epoch, 3);
    seen it = {.text = ""};
    assert_int_equal(lotor_store_get_state(at->store, 2, see_bytes, &it, &why, &epoch),
                     LOTOR_UNKNOWN);
    fine(lotor_store_give_lease(at->store, 1, 8, 3, &why)); /* not its own */
    fine(lotor_store_give_lease(at->store, 1, 7, 2, &why)); /* an old epoch */
    take(at, 1, 8, 3, false);
    fine(lotor_store_give_lease(at->store, 1, 7, 3, &why));
    fine(lotor_store_set_broken(at->store, 1, true, &why));
    lease = take(at, 1, 8, 3, false);
    assert_true(lease.broken);
    fine(lotor_store_set_broken(at->store, 1, false, &why));
    lease = take(at, 1, 8, 3, true);
    assert_false(lease.is_live);
    lease = take(at, 1, 7, 4, true); /* its owner has no row */
    assert_int_equal(lease.sealed, 30);
    fine(lotor_store_begin(at->store, &why));
    bool got;
    assert_int_equal(lotor_store_take(at->store, 3, 7, 0, &why, &lease, &got), LOTOR_UNKNOWN);
    lotor_store_rollback(at->store);
}

TEST_WITH(test_blocks_and_the_log_go_when_all_is_final, start, end)
{
    scene *at = *state;
    add_campaign(at, "a");
    add_campaign(at, "b");
    fine(lotor_store_begin(at->store, &why));
    lotor_block_row block = {.first = 1, .count = 10, .holder = 7, .until = 90, .deadline = 99};
    block.nonce = UINT64_MAX - 1;
    block.drawn = (const unsigned char *)"ARMS";
    block.drawn_length = 4;
    fine(lotor_store_add_block(at->store, 1, &block, &why));
    fine(lotor_store_add_block(at->store, 2, &block, &why));
    block.first = 11;
    block.count = 9;
    block.holder = 8;
    block.want = 3;
    block.action = (const unsigned char *)"ACT";
    block.action_length = 3;
    fine(lotor_store_add_block(at->store, 1, &block, &why));
    const lotor_log_row rows[] = {{5, 1, LOTOR_LOG_FEEDBACK, 1, 10, bytes("early")},
                                  {5, 2, LOTOR_LOG_FEEDBACK, 3, 12, bytes("late")},
                                  {6, 1, LOTOR_LOG_HANDOUT, 10, 10, bytes("one")},
                                  {1ULL << 62, 8, LOTOR_LOG_HANDOUT, 11, 12, bytes("")}};
    for (size_t i = 0; i < 4; i++) {
        fine(lotor_store_append(at->store, 1, &rows[i], &why));
    }
    fine(lotor_store_append(at->store, 2, &rows[0], &why));
    fine(lotor_store_commit(at->store, &why));
    fine(lotor_store_check(at->store, &why));
    reopen(at);
    const char *const first = "1+10 of 7 for 0 until 90/99 nonce fffffffffffffffe drawn ARMS "
                              "action none;";
    const char *const second = "11+9 of 8 for 3 until 90/99 nonce fffffffffffffffe drawn ARMS "
                               "action ACT;";
    char both[300];
    snprintf(both, sizeof both, "%s%s", first, second);
    sees(both, lotor_store_each_block(at->store, 1, 0, 0, see_block, &it, &why));
    sees(second, lotor_store_each_block(at->store, 1, 8, 0, see_block, &it, &why));
    sees(second, lotor_store_each_block(at->store, 1, 0, 1, see_block, &it, &why));
    sees("", lotor_store_each_block(at->store, 1, 7, 1, see_block, &it, &why));
    sees(first, lotor_store_find_block(at->store, 1, 10, see_block, &it, &why));
    sees(second, lotor_store_find_block(at->store, 1, 11, see_block, &it, &why));
    seen none = {.text = ""};
    assert_int_equal(lotor_store_find_block(at->store, 1, 20, see_block, &none, &why),
                     LOTOR_UNKNOWN);
    assert_int_equal(lotor_store_find_block(at->store, 1, UINT64_MAX, see_block, &none, &why),
                     LOTOR_UNKNOWN);
    assert_int_equal(lotor_store_find_block(at->store, 3, 1, see_block, &none, &why),
                     LOTOR_UNKNOWN);
    sees("1 fffffffffffffffe;11 fffffffffffffffe;",
         lotor_store_each_open(at->store, 1, 0, UINT64_MAX, see_open, &it, &why));
    sees("5 to 2;6 to 1;4611686018427387904 to 8;",
         lotor_store_each_stream(at->store, 1, see_stream, &it, &why));
    sees("", lotor_store_each_stream(at->store, 3, see_stream, &it, &why));
    sees("5.1 0: 1-10 early;5.2 0: 3-12 late;",
         lotor_store_each_log(at->store, 1, 5, 0, see_log, &it, &why));
    sees("5.2 0: 3-12 late;", lotor_store_each_log(at->store, 1, 5, 1, see_log, &it, &why));

    fine(lotor_store_forget(at->store, 1, 9, &why)); /* no block is completely before it */
    sees(both, lotor_store_each_block(at->store, 1, 0, 0, see_block, &it, &why));
    sees("5 to 2;6 to 1;4611686018427387904 to 8;",
         lotor_store_each_stream(at->store, 1, see_stream, &it, &why));
    lotor_lease lease = take(at, 1, 7, 0, true);
    lease.sealed = lease.final = 10;
    bool done;
    fine(lotor_store_put_lease(at->store, &lease, &why, &done));
    sees("11 fffffffffffffffe;", lotor_store_each_open(at->store, 1, 1, 19, see_open, &it, &why));
    fine(lotor_store_forget(at->store, 1, 10, &why));
    sees("5.1 0: 1-10 early;5.2 0: 3-12 late;",
         lotor_store_each_log(at->store, 1, 5, 0, see_log, &it, &why));
    fine(lotor_store_forget_log(at->store, 1, 5, 2, 10, &why));
    fine(lotor_store_forget_log(at->store, 1, 6, 1, 10, &why));
    sees(second, lotor_store_each_block(at->store, 1, 0, 0, see_block, &it, &why));
    sees("5.2 0: 3-12 late;", lotor_store_each_log(at->store, 1, 5, 0, see_log, &it, &why));
    sees("5 to 2;4611686018427387904 to 8;",
         lotor_store_each_stream(at->store, 1, see_stream, &it, &why));
    sees(first, lotor_store_each_block(at->store, 2, 0, 0, see_block, &it, &why));
    sees("5 to 1;", lotor_store_each_stream(at->store, 2, see_stream, &it, &why));
    fine(lotor_store_check(at->store, &why));
    fine(lotor_store_forget(at->store, 1, UINT64_MAX, &why));
    sees("", lotor_store_each_block(at->store, 1, 0, 0, see_block, &it, &why));
    fine(lotor_store_forget_log(at->store, 1, 5, 1, UINT64_MAX, &why)); /* only what was read */
    sees("5 to 2;4611686018427387904 to 8;",
         lotor_store_each_stream(at->store, 1, see_stream, &it, &why));
    fine(lotor_store_forget_log(at->store, 1, 5, UINT64_MAX, UINT64_MAX, &why));
    sees("4611686018427387904 to 8;", lotor_store_each_stream(at->store, 1, see_stream, &it, &why));
}

/* The statement itself or the commit fails. */
TEST_WITH(test_a_sequence_number_is_used_once, start, end)
{
    scene *at = *state;
    const lotor_log_row row = {5, 1, LOTOR_LOG_FEEDBACK, 1, 10, bytes("early")};
    add_campaign(at, "a");
    fine(lotor_store_append(at->store, 1, &row, &why));
    assert_int_equal(lotor_store_append(at->store, 1, &row, &why), LOTOR_DUPLICATE);
    fine(lotor_store_begin(at->store, &why));
    lotor_status status = lotor_store_append(at->store, 1, &row, &why);
    if (status == LOTOR_OK) {
        status = lotor_store_commit(at->store, &why);
    }
    assert_int_equal(status, LOTOR_DUPLICATE);
    lotor_store_rollback(at->store);
    sees("5 to 1;", lotor_store_each_stream(at->store, 1, see_stream, &it, &why));
}

TEST_WITH(test_wants, start, end)
{
    scene *at = *state;
    add_campaign(at, "a");
    add_campaign(at, "b");
    take(at, 1, 7, 0, true);
    const lotor_want_row rows[] = {{1, 8, 1, 50, 100, NULL, 0, NULL, 0},
                                   {1, 9, 1, 40, 1, bytes("BODY"), NULL, 0},
                                   {2, 9, 2, 30, 1, bytes("BODY"), NULL, 0},
                                   {1, 7, 1, 30, 1, bytes("OWN"), NULL, 0}};
    for (size_t i = 0; i < 4; i++) {
        fine(lotor_store_add_want(at->store, &rows[i], &why));
    }
    assert_int_equal(lotor_store_add_want(at->store, &rows[0], &why), LOTOR_DUPLICATE);
    sees("1 of 9 for 1 at 40: 1 BODY none;1 of 8 for 1 at 50: 100 none none;",
         lotor_store_each_want(at->store, 7, see_want, &it, &why));
    lotor_want_row reply = rows[1];
    reply.reply = (const unsigned char *)"REPLY";
    reply.reply_length = 5;
    fine(lotor_store_put_reply(at->store, &reply, &why));
    sees("1 of 8 for 1 at 50: 100 none none;",
         lotor_store_each_want(at->store, 7, see_want, &it, &why));
    sees("1 of 9 for 1 at 40: 1 BODY REPLY;",
         lotor_store_each_reply(at->store, 9, see_want, &it, &why));
    sees("", lotor_store_each_reply(at->store, 8, see_want, &it, &why));
    fine(lotor_store_delete_want(at->store, 9, 1, &why));
    sees("", lotor_store_each_reply(at->store, 9, see_want, &it, &why));
    fine(lotor_store_delete_want(at->store, 8, 0, &why));
    sees("", lotor_store_each_want(at->store, 7, see_want, &it, &why));
    take(at, 2, 7, 0, true);
    sees("2 of 9 for 2 at 30: 1 BODY none;",
         lotor_store_each_want(at->store, 7, see_want, &it, &why));
    fine(lotor_store_add_server(at->store, 8, 60000, "new", &why)); /* 9 has no row */
    sees("", lotor_store_each_want(at->store, 7, see_want, &it, &why));
}

TEST_WITH(test_the_chain_is_what_the_contract_says, start, end)
{
    scene *at = *state;
    add_campaign(at, "a");
    add_campaign(at, "b");
    lotor_lease lease = take(at, 1, 7, 0, true);
    lotor_release_row first = {.campaign = 1, .number = 1, .time = 5};
    lotor_release_row second = {.campaign = 1, .number = 2, .time = 6}, none;
    first.facts = (const unsigned char *)"FACTS";
    first.facts_length = 5;
    memset(second.digest, 0x11, sizeof second.digest);
    lotor_release_row_chain(&first, lease.head);
    lotor_release_row_chain(&second, first.hash);
    lease.releases = 2;
    lease.sealed = lease.final = 6;
    memcpy(lease.head, second.hash, sizeof lease.head);
    bool done;
    fine(lotor_store_begin(at->store, &why));
    fine(lotor_store_put_lease(at->store, &lease, &why, &done));
    fine(lotor_store_add_release(at->store, &first, &why));
    fine(lotor_store_add_release(at->store, &second, &why));
    fine(lotor_store_commit(at->store, &why));
    fine(lotor_store_check(at->store, &why));
    reopen(at);
    /* The first hash by hand: 32 zeros, then 1, 1 and 5 as eight bytes each, then the digest. */
    unsigned char covered[88] = {0}, hash[32];
    covered[32] = covered[40] = 1;
    covered[48] = 5;
    crypto_generichash(covered + 56, 32, (const unsigned char *)"FACTS", 5, NULL, 0);
    crypto_generichash(hash, 32, covered, sizeof covered, NULL, 0);
    assert_memory_equal(hash, first.hash, 32);
    lotor_release_row last;
    fine(lotor_store_last_release(at->store, 1, &why, &last));
    assert_int_equal(last.number, 2);
    assert_int_equal(last.time, 6);
    assert_memory_equal(last.hash, second.hash, 32);
    fine(lotor_store_last_release(at->store, 2, &why, &none));
    assert_int_equal(none.number, 0);
    bool has;
    fine(lotor_store_has_release(at->store, 1, 1, first.hash, &why, &has));
    assert_true(has);
    fine(lotor_store_has_release(at->store, 1, 2, first.hash, &why, &has));
    assert_false(has);
    fine(lotor_store_has_release(at->store, 1, 3, first.hash, &why, &has));
    assert_false(has);
    fine(lotor_store_has_release(at->store, 2, 0, first.hash, &why, &has));
    assert_true(has);
    fine(lotor_store_has_release(at->store, 2, UINT64_MAX, first.hash, &why, &has));
    assert_false(has);
    sees("1 of 1 at 5 FACTS;2 of 1 at 6 none;",
         lotor_store_each_release(at->store, 1, 0, see_release, &it, &why));
    sees("2 of 1 at 6 none;", lotor_store_each_release(at->store, 1, 1, see_release, &it, &why));
}

TEST_WITH(test_users_are_counted_up_to_the_cap, start, end)
{
    scene *at = *state;
    const unsigned char user[16] = "somebody's hash", other[16] = "another's hash";
    bool counted;
    add_campaign(at, "a");
    add_campaign(at, "b");
    fine(lotor_store_begin(at->store, &why));
    for (int i = 1; i <= 5; i++) {
        fine(lotor_store_count_user(at->store, 1, user, 3, &why, &counted));
        assert_int_equal(counted, i <= 3);
    }
    fine(lotor_store_count_user(at->store, 1, other, 3, &why, &counted));
    assert_true(counted);
    fine(lotor_store_count_user(at->store, 2, user, UINT64_MAX, &why, &counted));
    assert_true(counted);
    fine(lotor_store_count_user(at->store, 2, other, 0, &why, &counted));
    assert_false(counted);
    fine(lotor_store_commit(at->store, &why));
    reopen(at);
    fine(lotor_store_count_user(at->store, 1, user, 3, &why, &counted));
    assert_false(counted);
}

/* Fills every table with rows of campaign 1 and 2, and erases campaign 1. */
TEST_WITH(test_a_campaign_is_erased, start, end)
{
    scene *at = *state;
    const unsigned char user[16] = "somebody's hash";
    bool counted, done, got;
    lotor_lease lease;
    lotor_release_row release = {.number = 1, .time = 1};
    lotor_block_row block = {
        .first = 2, .count = 3, .holder = 7, .deadline = 9, .drawn_length = 4, .nonce = 5};
    block.drawn = (const unsigned char *)"ARMS";
    const lotor_log_row row = {5, 1, LOTOR_LOG_FEEDBACK, 2, 3, bytes("said")};
    for (uint64_t id = 1; id <= 2; id++) {
        add_campaign(at, id == 1 ? "a" : "b");
        const lotor_want_row want = {.campaign = id, .server = 7, .id = id, .count = 1};
        release.campaign = id;
        lotor_release_row_chain(&release, (unsigned char[LOTOR_STORE_HASH]){0});
        fine(lotor_store_begin(at->store, &why));
        fine(lotor_store_take(at->store, id, 7, 0, &why, &lease, &got));
        lease.sealed = 1;
        lease.final = 1;
        lease.due = 9;
        lease.releases = 1;
        memcpy(lease.head, release.hash, sizeof lease.head);
        fine(lotor_store_put_lease(at->store, &lease, &why, &done));
        assert_true(got && done);
        fine(lotor_store_add_release(at->store, &release, &why));
        fine(lotor_store_put_state(at->store, id, 2, bytes("STATE"), &why));
        fine(lotor_store_add_block(at->store, id, &block, &why));
        fine(lotor_store_append(at->store, id, &row, &why));
        fine(lotor_store_count_user(at->store, id, user, 1, &why, &counted));
        fine(lotor_store_add_want(at->store, &want, &why));
        fine(lotor_store_commit(at->store, &why));
    }
    assert_int_equal(lotor_store_erase(at->store, 1, &why), LOTOR_INVALID);
    fine(lotor_store_begin(at->store, &why));
    fine(lotor_store_erase(at->store, 1, &why));
    fine(lotor_store_commit(at->store, &why));
    fine(lotor_store_overwrite(at->store, &why));
    fine(lotor_store_append(at->store, 1, &row, &why)); /* of a server that does not know */
    fine(lotor_store_erase_left(at->store, 1, &why));
    reopen(at);
    seen none = {.text = ""};
    uint64_t epoch;
    assert_int_equal(lotor_store_get_key(at->store, 1, see_bytes, &none, &why), LOTOR_UNKNOWN);
    assert_int_equal(lotor_store_get_state(at->store, 1, see_bytes, &none, &why, &epoch),
                     LOTOR_UNKNOWN);
    sees("", lotor_store_each_block(at->store, 1, 0, 0, see_block, &it, &why));
    sees("", lotor_store_each_stream(at->store, 1, see_stream, &it, &why));
    sees("1 of 1 at 1 none;", lotor_store_each_release(at->store, 1, 0, see_release, &it, &why));
    sees("1 a {} 0 12.5 0;", lotor_store_get_campaign(at->store, 1, see_campaign, &it, &why));
    sees("KEY;", lotor_store_get_key(at->store, 2, see_bytes, &it, &why));
    sees("STATE;", lotor_store_get_state(at->store, 2, see_bytes, &it, &why, &epoch));
    sees("5 to 1;", lotor_store_each_stream(at->store, 2, see_stream, &it, &why));
    fine(lotor_store_count_user(at->store, 1, user, 1, &why, &counted));
    assert_true(counted); /* the row of before is gone */
    fine(lotor_store_count_user(at->store, 2, user, 1, &why, &counted));
    assert_false(counted);
    fine(lotor_store_begin(at->store, &why));
    fine(lotor_store_put_lease(at->store, &(lotor_lease){.campaign = 1, .owner = 7, .epoch = 2},
                               &why, &done));
    assert_false(done); /* its owner is fenced */
    lotor_store_rollback(at->store);
    fine(lotor_store_check(at->store, &why));
}

TEST_WITH(test_small_values, start, end)
{
    scene *at = *state;
    char value[6];
    fine(lotor_store_get_meta(at->store, "key", &why, value, sizeof value));
    assert_string_equal(value, "");
    fine(lotor_store_begin(at->store, &why));
    fine(lotor_store_put_meta(at->store, "key", "one", &why));
    fine(lotor_store_put_meta(at->store, "key", "other", &why));
    fine(lotor_store_commit(at->store, &why));
    fine(lotor_store_get_meta(at->store, "key", &why, value, sizeof value));
    assert_string_equal(value, "other");
    assert_int_equal(lotor_store_get_meta(at->store, "key", &why, value, 5), LOTOR_RANGE);
    fine(lotor_store_put_meta(at->store, "key", "", &why));
    fine(lotor_store_get_meta(at->store, "key", &why, value, sizeof value));
    assert_string_equal(value, "");
}

TEST_WITH(test_a_rollback_leaves_nothing, start, end)
{
    scene *at = *state;
    fine(lotor_store_begin(at->store, &why));
    assert_int_equal(lotor_store_begin(at->store, &why), LOTOR_INVALID);
    add_campaign(at, "a");
    lotor_store_rollback(at->store);
    lotor_store_rollback(at->store);
    sees("", lotor_store_each_campaign(at->store, 0, see_campaign, &it, &why));
    assert_int_equal(lotor_store_commit(at->store, &why), LOTOR_UNFINISHED);
    fine(lotor_store_begin(at->store, &why));
    add_campaign(at, "a");
    reopen(at); /* closing rolls back */
    sees("", lotor_store_each_campaign(at->store, 0, see_campaign, &it, &why));
    fine(lotor_store_begin(at->store, &why)); /* an empty transaction is fine, too */
    fine(lotor_store_commit(at->store, &why));
}

static lotor_status see_budget(void *context, const lotor_budget_row *row)
{
    note(context, "%llu %s %s %d;", big(row->id), row->name, row->spec, row->seal[0]);
    return LOTOR_OK;
}

TEST_WITH(test_budgets, start, end)
{
    scene *at = *state;
    seen notes = {.answer = LOTOR_OK};
    uint64_t id = 0;
    assert_int_equal(lotor_store_next_budget(at->store, &why, &id), LOTOR_INVALID);
    for (int i = 0; i < 2; i++) {
        lotor_budget_row row = {.name = i ? "b" : "a", .spec = "{}", .seal = seal, .created = 1.5};
        fine(lotor_store_begin(at->store, &why));
        fine(lotor_store_next_budget(at->store, &why, &row.id));
        assert_int_equal(row.id, i + 1);
        fine(lotor_store_add_budget(at->store, &row, &why));
        fine(lotor_store_commit(at->store, &why));
    }
    lotor_budget_row again = {.id = 9, .name = "a", .spec = "{}", .seal = seal, .created = 1};
    assert_int_equal(lotor_store_add_budget(at->store, &again, &why), LOTOR_DUPLICATE);
    fine(lotor_store_each_budget(at->store, see_budget, &notes, &why));
    assert_string_equal(notes.text, "1 a {} 115;2 b {} 115;");
    fine(lotor_store_begin(at->store, &why));
    fine(lotor_store_lock_budget(at->store, 2, &why));
    fine(lotor_store_commit(at->store, &why));
}

static lotor_status see_sticky(void *context, const lotor_sticky_row *row)
{
    note(context, "%llu %llu %llx %llu %.*s;", big(row->until), big(row->decision), big(row->nonce),
         big(row->expires), text_of(row->shown, row->shown_length));
    return LOTOR_OK;
}

TEST_WITH(test_stickies, start, end)
{
    const scene *at = *state;
    seen notes = {.answer = LOTOR_OK};
    const unsigned char ann[16] = {1}, bob[16] = {2};
    lotor_sticky_row row = {.hash = ann,
                            .until = 100,
                            .decision = 7,
                            .nonce = UINT64_MAX,
                            .expires = 50,
                            .shown = (const unsigned char *)"x",
                            .shown_length = 1};
    fine(lotor_store_put_sticky(at->store, 1, &row, &why));
    row.until = 200;
    fine(lotor_store_put_sticky(at->store, 1, &row, &why));
    row.hash = bob;
    row.decision = 0;
    fine(lotor_store_put_sticky(at->store, 1, &row, &why));
    fine(lotor_store_get_sticky(at->store, 1, ann, 199, see_sticky, &notes, &why));
    fine(lotor_store_get_sticky(at->store, 1, ann, 200, see_sticky, &notes, &why)); /* over */
    fine(lotor_store_get_sticky(at->store, 2, ann, 1, see_sticky, &notes, &why)); /* another one */
    fine(lotor_store_get_sticky(at->store, 1, bob, 1, see_sticky, &notes, &why));
    assert_string_equal(notes.text, "200 7 ffffffffffffffff 50 x;200 0 ffffffffffffffff 50 x;");
    fine(lotor_store_forget_stickies(at->store, 1, 199, &why));
    fine(lotor_store_get_sticky(at->store, 1, ann, 1, see_sticky, &notes, &why));
    fine(lotor_store_forget_stickies(at->store, 1, 200, &why));
    notes.text[0] = '\0';
    fine(lotor_store_get_sticky(at->store, 1, ann, 1, see_sticky, &notes, &why));
    assert_string_equal(notes.text, "");
}

static bool charge(const scene *at, uint64_t budget, unsigned char user, lotor_charge how)
{
    const unsigned char hash[16] = {user};
    bool charged;
    fine(lotor_store_charge(at->store, budget, hash, &how, &why, &charged));
    return charged;
}

/* A charge is added if one of the two sums stays within its limit. */
TEST_WITH(test_charges, start, end)
{
    const scene *at = *state;
    const uint64_t most = LOTOR_SPEND_MOST;
    assert_true(charge(at, 1, 1, (lotor_charge){.amount = 2, .most_amount = 5}));
    assert_true(charge(at, 1, 1, (lotor_charge){.amount = 3, .most_amount = 5}));
    assert_false(charge(at, 1, 1, (lotor_charge){.amount = 1, .most_amount = 5}));
    assert_true(charge(at, 1, 1, (lotor_charge){.amount = 0, .most_amount = 5}));
    assert_true(charge(at, 2, 1, (lotor_charge){.amount = 5, .most_amount = 5}));
    assert_true(charge(at, 1, 2, (lotor_charge){.amount = 5, .most_amount = 5}));
    assert_false(charge(at, 1, 3, (lotor_charge){.amount = 6, .most_amount = 5}));
    assert_true(charge(at, 1, 3, (lotor_charge){.amount = 5, .most_amount = 5}));
    /* squares count only if they have a limit */
    assert_true(charge(at, 3, 1, (lotor_charge){6, 2, 5, 4}));
    assert_true(charge(at, 3, 1, (lotor_charge){6, 2, 5, 4}));
    assert_false(charge(at, 3, 1, (lotor_charge){6, 1, 5, 4}));
    assert_false(charge(at, 3, 1, (lotor_charge){6, 0, 5, 0}));
    /* sums stay at the greatest number */
    assert_true(charge(at, 4, 1, (lotor_charge){most, 0, 5, 4}));
    assert_true(charge(at, 4, 1, (lotor_charge){most, 0, 5, 4}));
    assert_false(charge(at, 4, 1, (lotor_charge){most, most, most - 1, most - 1}));
    /* budgets that do not exist are found */
    assert_int_equal(lotor_store_check(at->store, &why), LOTOR_DAMAGED);
    assert_non_null(strstr(why.text, "spend"));
}

TEST_WITH(test_rows_that_make_no_sense_are_refused, start, end)
{
    scene *at = *state;
    add_campaign(at, "a");
    fine(lotor_store_begin(at->store, &why));
    const lotor_block_row blocks[] = {
        {.first = UINT64_MAX, .count = 1, .drawn = seal},
        {.first = 1, .count = 1ULL << 63, .drawn = seal},
        {.first = 2, .count = INT64_MAX - 1, .drawn = seal},
        {.first = 1, .count = 0, .drawn = seal},
        {.first = 0, .count = 1, .drawn = seal},
        {.first = 1, .count = 1, .drawn = NULL},
        {.first = 1, .count = 1, .drawn = seal, .holder = UINT64_MAX},
        {.first = 1, .count = 1, .drawn = seal, .deadline = UINT64_MAX},
    };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        assert_int_equal(lotor_store_add_block(at->store, 1, &blocks[i], &why), LOTOR_INVALID);
    }
    const lotor_log_row rows[] = {
        {UINT64_MAX, 1, LOTOR_LOG_HANDOUT, 1, 1, bytes("x")},
        {1, UINT64_MAX, LOTOR_LOG_HANDOUT, 1, 1, bytes("x")},
        {1, 1, LOTOR_LOG_HANDOUT, UINT64_MAX, UINT64_MAX, bytes("x")},
        {1, 1, LOTOR_LOG_HANDOUT, 1, UINT64_MAX, bytes("x")},
        {1, 1, LOTOR_LOG_HANDOUT, 2, 1, bytes("x")},
        {1, 1, LOTOR_LOG_HANDOUT, 0, 1, bytes("x")},
        {1, 1, LOTOR_LOG_HANDOUT, 1, 1, NULL, 0},
        {1, 1, (lotor_log_kind)3, 1, 1, bytes("x")},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(lotor_store_append(at->store, 1, &rows[i], &why), LOTOR_INVALID);
    }
    const lotor_release_row release = {.campaign = 1, .number = 1, .time = UINT64_MAX};
    assert_int_equal(lotor_store_add_release(at->store, &release, &why), LOTOR_INVALID);
    assert_int_equal(lotor_store_put_state(at->store, 1, UINT64_MAX, bytes("x"), &why),
                     LOTOR_INVALID);
    fine(lotor_store_commit(at->store, &why)); /* a refused row does not undo the others */
    fine(lotor_store_check(at->store, &why));
}

TEST_IF(!place_is_database(), test_only_the_owner_can_read_the_files, start, end)
{
    scene *at = *state;
    struct stat facts;
    static const char *const names[] = {"x.db", "x.db-wal", "x.db-shm", "x.db.lock"};
    add_campaign(at, "a");
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(stat(scratch_path(&at->files, names[i]), &facts), 0);
        assert_int_equal(facts.st_mode & 07777, 0600);
    }
}
