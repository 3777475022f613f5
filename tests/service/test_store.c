/* test_store.c - the store's tables: what goes in comes out, in order, and is still there afterwards.
 *
 * With LOTOR_TEST_POSTGRES the same runs on that database. */
#include "support/cmocka_all.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "service/place.h"
#include "service/scratch.h"
#include "service/store/store.h"

static lotor_message why;

#define fine(call)                                                                                 \
    do {                                                                                           \
        why.text[0] = '\0';                                                                        \
        const lotor_status said = (call);                                                          \
        if (said != LOTOR_OK) {                                                                    \
            fail_msg("%s: %s: %s", #call, lotor_status_name(said), why.text);                      \
        }                                                                                          \
    } while (0)

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

/* What callbacks saw, as text. */
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

static lotor_status see_campaign(void *context, const lotor_stored_campaign *campaign)
{
    seen *notes = context;
    note(notes, "%llu %s %s %.1f %d final %llu state %.*s;", (unsigned long long)campaign->id,
         campaign->name, campaign->spec, campaign->created, campaign->closed,
         (unsigned long long)campaign->final, campaign->state ? (int)campaign->state_length : 4,
         campaign->state ? (const char *)campaign->state : "none");
    return notes->answer;
}

static lotor_status see_block(void *context, const lotor_block *block)
{
    seen *notes = context;
    note(notes, "%llu+%llu handed %lld until %llu nonce %llx drawn %.*s action %.*s;",
         (unsigned long long)block->first, (unsigned long long)block->count,
         (long long)block->handed, (unsigned long long)block->deadline,
         (unsigned long long)block->nonce, (int)block->drawn_length, (const char *)block->drawn,
         block->action ? (int)block->action_length : 4,
         block->action ? (const char *)block->action : "none");
    return notes->answer;
}

static lotor_status see_answers(void *context, const lotor_answers *answers)
{
    seen *notes = context;
    note(notes, "%llu: %llu-%llu %.*s;", (unsigned long long)answers->number,
         (unsigned long long)answers->first, (unsigned long long)answers->last,
         (int)answers->length, (const char *)answers->sealed);
    return notes->answer;
}

static lotor_status see_release(void *context, const lotor_release *release)
{
    seen *notes = context;
    note(notes, "%llu of %llu at %llu %.*s;", (unsigned long long)release->number,
         (unsigned long long)release->campaign, (unsigned long long)release->time,
         release->facts ? (int)release->facts_length : 4,
         release->facts ? (const char *)release->facts : "none");
    return notes->answer;
}

#define bytes(text) (const unsigned char *)(text), strlen(text)

static uint64_t add_campaign(scene *at, const char *name)
{
    uint64_t id;
    fine(lotor_store_add_campaign(at->store, name, "{}", 12.5, &why, &id));
    return id;
}

static void test_campaigns(void **state)
{
    scene *at = *state;
    fine(lotor_store_begin(at->store, &why));
    assert_int_equal(add_campaign(at, "a"), 1);
    assert_int_equal(add_campaign(at, "b"), 2);
    uint64_t id;
    assert_int_equal(lotor_store_add_campaign(at->store, "a", "{}", 1, &why, &id), LOTOR_INVALID);
    fine(lotor_store_put_state(at->store, 2, 7, bytes("STATE"), &why));
    fine(lotor_store_put_spec(at->store, 1, "{\"x\": 1}", true, &why));
    assert_int_equal(lotor_store_put_state(at->store, 3, 7, bytes("STATE"), &why), LOTOR_UNKNOWN);
    assert_int_equal(lotor_store_put_spec(at->store, 3, "{}", false, &why), LOTOR_UNKNOWN);
    fine(lotor_store_commit(at->store, &why));
    reopen(at);
    seen all = {.text = ""}, one = {.text = ""}, stopped = {.answer = LOTOR_LATE};
    fine(lotor_store_each_campaign(at->store, see_campaign, &all, &why));
    assert_string_equal(all.text, "1 a {\"x\": 1} 12.5 1 final 0 state none;"
                                  "2 b {} 12.5 0 final 7 state none;");
    fine(lotor_store_get_state(at->store, 2, see_campaign, &one, &why));
    assert_string_equal(one.text, "2 b {} 12.5 0 final 7 state STATE;");
    assert_int_equal(lotor_store_get_state(at->store, 3, see_campaign, &one, &why), LOTOR_UNKNOWN);
    assert_int_equal(lotor_store_each_campaign(at->store, see_campaign, &stopped, &why),
                     LOTOR_LATE);
    assert_string_equal(stopped.text, "1 a {\"x\": 1} 12.5 1 final 0 state none;");
    fine(lotor_store_check(at->store, &why));
}

static void test_blocks_and_answers_go_when_all_is_final(void **state)
{
    scene *at = *state;
    fine(lotor_store_begin(at->store, &why));
    add_campaign(at, "a");
    add_campaign(at, "b");
    lotor_block block = {.first = 1, .count = 10, .handed = UINT64_MAX, .nonce = UINT64_MAX - 1};
    block.drawn = (const unsigned char *)"ARMS";
    block.drawn_length = 4;
    fine(lotor_store_add_block(at->store, 1, &block, &why));
    assert_int_equal(lotor_store_add_block(at->store, 1, &block, &why), LOTOR_INVALID);
    fine(lotor_store_add_block(at->store, 2, &block, &why));
    block.first = 11;
    block.action = (const unsigned char *)"ACT";
    block.action_length = 3;
    fine(lotor_store_add_block(at->store, 1, &block, &why));
    block.count = 9;
    block.handed = 4;
    block.deadline = 99;
    fine(lotor_store_put_block(at->store, 1, &block, &why));
    block.first = 12;
    assert_int_equal(lotor_store_put_block(at->store, 1, &block, &why), LOTOR_UNKNOWN);
    const lotor_answers groups[] = {
        {1, 1, 10, bytes("early")}, {2, 3, 12, bytes("late")}, {3, 10, 10, bytes("one")}};
    for (size_t i = 0; i < 3; i++) {
        fine(lotor_store_add_answers(at->store, 1, &groups[i], &why));
    }
    fine(lotor_store_add_answers(at->store, 2, &groups[0], &why));
    assert_int_equal(lotor_store_add_answers(at->store, 1, &groups[2], &why), LOTOR_INVALID);
    fine(lotor_store_commit(at->store, &why));
    fine(lotor_store_check(at->store, &why));
    reopen(at);
    seen before = {.text = ""}, after = {.text = ""}, other = {.text = ""};
    fine(lotor_store_each_block(at->store, 1, see_block, &before, &why));
    fine(lotor_store_each_answers(at->store, 1, see_answers, &before, &why));
    assert_string_equal(before.text,
                        "1+10 handed -1 until 0 nonce fffffffffffffffe drawn ARMS action none;"
                        "11+9 handed 4 until 99 nonce fffffffffffffffe drawn ARMS action ACT;"
                        "1: 1-10 early;2: 3-12 late;3: 10-10 one;");
    fine(lotor_store_begin(at->store, &why));
    fine(lotor_store_forget(at->store, 1, 9, &why)); /* nothing lies wholly before it */
    fine(lotor_store_each_block(at->store, 1, see_block, &after, &why));
    fine(lotor_store_each_answers(at->store, 1, see_answers, &after, &why));
    assert_string_equal(after.text, before.text);
    fine(lotor_store_forget(at->store, 1, 10, &why));
    fine(lotor_store_commit(at->store, &why));
    after.text[0] = '\0';
    fine(lotor_store_each_block(at->store, 1, see_block, &after, &why));
    fine(lotor_store_each_answers(at->store, 1, see_answers, &after, &why));
    assert_string_equal(after.text, "11+9 handed 4 until 99 nonce fffffffffffffffe drawn ARMS "
                                    "action ACT;2: 3-12 late;3: 10-10 one;");
    fine(lotor_store_each_block(at->store, 2, see_block, &other, &why));
    fine(lotor_store_each_answers(at->store, 2, see_answers, &other, &why));
    assert_string_equal(other.text, "1+10 handed -1 until 0 nonce fffffffffffffffe drawn ARMS "
                                    "action none;1: 1-10 early;");
}

static void test_the_chain_is_what_the_contract_says(void **state)
{
    scene *at = *state;
    fine(lotor_store_begin(at->store, &why));
    add_campaign(at, "a");
    add_campaign(at, "b");
    lotor_release first = {.campaign = 1, .time = 5}, second = {.campaign = 2, .time = 6};
    first.facts = (const unsigned char *)"FACTS";
    first.facts_length = 5;
    memset(second.digest, 0x11, sizeof second.digest);
    fine(lotor_store_add_release(at->store, &first, &why));
    fine(lotor_store_add_release(at->store, &second, &why));
    fine(lotor_store_put_meta(at->store, "starts", "3", &why));
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
    lotor_head head, other;
    fine(lotor_store_head(at->store, &why, &head));
    assert_int_equal(head.starts, 3);
    assert_int_equal(head.releases, 2);
    assert_memory_equal(head.hash, second.hash, 32);
    bool has;
    fine(lotor_store_has_head(at->store, &head, &why, &has));
    assert_true(has);
    other = (lotor_head){.releases = 1};
    memcpy(other.hash, first.hash, 32);
    fine(lotor_store_has_head(at->store, &other, &why, &has));
    assert_true(has);
    other.hash[31] ^= 1;
    fine(lotor_store_has_head(at->store, &other, &why, &has));
    assert_false(has);
    other = head;
    other.releases = 3;
    fine(lotor_store_has_head(at->store, &other, &why, &has));
    assert_false(has);
    other = (lotor_head){.releases = 0};
    fine(lotor_store_has_head(at->store, &other, &why, &has));
    assert_true(has);
    seen all = {.text = ""}, one = {.text = ""};
    fine(lotor_store_each_release(at->store, 0, see_release, &all, &why));
    assert_string_equal(all.text, "1 of 1 at 5 FACTS;2 of 2 at 6 none;");
    fine(lotor_store_each_release(at->store, 2, see_release, &one, &why));
    assert_string_equal(one.text, "2 of 2 at 6 none;");
}

static void test_users_are_counted_up_to_the_cap(void **state)
{
    scene *at = *state;
    const unsigned char user[16] = "somebody's hash", other[16] = "another's hash";
    bool counted;
    fine(lotor_store_begin(at->store, &why));
    add_campaign(at, "a");
    add_campaign(at, "b");
    for (int i = 1; i <= 5; i++) {
        fine(lotor_store_count_user(at->store, 1, user, 3, &why, &counted));
        assert_int_equal(counted, i <= 3);
    }
    fine(lotor_store_count_user(at->store, 1, other, 3, &why, &counted));
    assert_true(counted);
    fine(lotor_store_count_user(at->store, 2, user, 1, &why, &counted));
    assert_true(counted);
    fine(lotor_store_count_user(at->store, 2, other, 0, &why, &counted));
    assert_false(counted);
    fine(lotor_store_commit(at->store, &why));
    reopen(at);
    fine(lotor_store_begin(at->store, &why));
    fine(lotor_store_count_user(at->store, 1, user, 3, &why, &counted));
    assert_false(counted);
    lotor_store_rollback(at->store);
}

static void test_small_values(void **state)
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
}

static void test_a_rollback_leaves_nothing(void **state)
{
    scene *at = *state;
    seen all = {.text = ""};
    fine(lotor_store_begin(at->store, &why));
    add_campaign(at, "a");
    lotor_store_rollback(at->store);
    lotor_store_rollback(at->store);
    fine(lotor_store_each_campaign(at->store, see_campaign, &all, &why));
    assert_string_equal(all.text, "");
    assert_int_equal(lotor_store_commit(at->store, &why), LOTOR_UNFINISHED);
    fine(lotor_store_begin(at->store, &why));
    add_campaign(at, "a");
    reopen(at); /* closing rolls back */
    fine(lotor_store_each_campaign(at->store, see_campaign, &all, &why));
    assert_string_equal(all.text, "");
}

static void test_numbers_that_do_not_fit_are_refused(void **state)
{
    scene *at = *state;
    fine(lotor_store_begin(at->store, &why));
    add_campaign(at, "a");
    lotor_block block = {.first = UINT64_MAX, .count = 1, .drawn = (const unsigned char *)"x"};
    block.drawn_length = 1;
    assert_int_equal(lotor_store_add_block(at->store, 1, &block, &why), LOTOR_INVALID);
    block.first = 1;
    block.count = 1ULL << 63;
    assert_int_equal(lotor_store_add_block(at->store, 1, &block, &why), LOTOR_INVALID);
    block.count = 1;
    block.handed = 2;
    assert_int_equal(lotor_store_add_block(at->store, 1, &block, &why), LOTOR_INVALID);
    block.handed = 1;
    assert_int_equal(lotor_store_add_block(at->store, 9, &block, &why), LOTOR_INVALID);
    block.drawn = NULL;
    assert_int_equal(lotor_store_add_block(at->store, 1, &block, &why), LOTOR_INVALID);
    const lotor_answers groups[] = {
        {UINT64_MAX, 1, 1, bytes("x")}, {1, UINT64_MAX, UINT64_MAX, bytes("x")},
        {1, 1, UINT64_MAX, bytes("x")}, {1, 2, 1, bytes("x")},
        {1, 0, 1, bytes("x")},          {1, 1, 1, NULL, 0},
    };
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        assert_int_equal(lotor_store_add_answers(at->store, 1, &groups[i], &why), LOTOR_INVALID);
    }
    lotor_release release = {.campaign = 1, .time = UINT64_MAX};
    assert_int_equal(lotor_store_add_release(at->store, &release, &why), LOTOR_INVALID);
    assert_int_equal(lotor_store_put_state(at->store, 1, UINT64_MAX, bytes("x"), &why),
                     LOTOR_INVALID);
    fine(lotor_store_commit(at->store, &why)); /* a refused row does not undo the others */
    fine(lotor_store_check(at->store, &why));
}

static void test_only_the_owner_can_read_the_files(void **state)
{
    scene *at = *state;
    struct stat facts;
    if (place_is_database()) {
        skip(); /* there are no files */
    }
    static const char *const names[] = {"x.db", "x.db-wal", "x.db-shm", "x.db.lock"};
    fine(lotor_store_begin(at->store, &why));
    add_campaign(at, "a");
    fine(lotor_store_commit(at->store, &why));
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(stat(scratch_path(&at->files, names[i]), &facts), 0);
        assert_int_equal(facts.st_mode & 07777, 0600);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_campaigns, start, end),
        cmocka_unit_test_setup_teardown(test_blocks_and_answers_go_when_all_is_final, start, end),
        cmocka_unit_test_setup_teardown(test_the_chain_is_what_the_contract_says, start, end),
        cmocka_unit_test_setup_teardown(test_users_are_counted_up_to_the_cap, start, end),
        cmocka_unit_test_setup_teardown(test_small_values, start, end),
        cmocka_unit_test_setup_teardown(test_a_rollback_leaves_nothing, start, end),
        cmocka_unit_test_setup_teardown(test_numbers_that_do_not_fit_are_refused, start, end),
        cmocka_unit_test_setup_teardown(test_only_the_owner_can_read_the_files, start, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
