/* test_check.c - a store looked through with the key: states, contexts, answers, and the head file. */
#include "support/cmocka_all.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "policy/serving.h"
#include "service/scratch.h"
#include "service/store/check.h"
#include "service/store/store_sqlite.h"

enum { DRAWN = 6, FINAL = 2, VOIDED = 1 };

static lotor_message why;
static scratch files;
static lotor_store *store;
static lotor_vault *vault;
static char key_path[600], head_path[600];

#define fine(call)                                                                                 \
    do {                                                                                           \
        const lotor_status said = (call);                                                          \
        if (said != LOTOR_OK) {                                                                    \
            fail_msg("%s: %s: %s", #call, lotor_status_name(said), why.text);                      \
        }                                                                                          \
    } while (0)

/* A campaign of which six decisions were drawn, two are final, and the last one was taken back. */
static void add_campaign(const char *name)
{
    static const double rewards[] = {1, 0};
    const lotor_policy_params params = {
        .algorithm = "batch-klucb", .arms = 4, .slots = 2, .epsilon = lotor_ratio_of(1, 1)};
    lotor_policy *policy;
    lotor_decision decision;
    uint64_t id;
    fine(lotor_policy_new(&params, &why, &policy));
    for (int i = 1; i <= DRAWN; i++) {
        fine(lotor_policy_draw(policy, NULL, NULL, &why, &decision));
        const lotor_kept kept = {decision.arms, decision.count, decision.asked,
                                 decision.asked_count, NULL};
        if (i <= FINAL) {
            int64_t units[16];
            size_t used;
            const lotor_answer answer = {rewards, kept.asked_count, 0};
            fine(lotor_policy_encode(policy, &kept, &answer, &why, units, &used));
            fine(lotor_policy_enter(policy, &kept, units, used, &why));
        } else if (i == DRAWN) {
            lotor_policy_void(policy, kept.asked, kept.asked_count);
        }
    }
    unsigned char *saved, sealed[64 + LOTOR_SEAL_EXTRA];
    size_t length;
    fine(lotor_policy_save(policy, &saved, &length));
    lotor_policy_free(policy);
    const size_t whole = LOTOR_STATE_HEAD + length;
    unsigned char *plain = calloc(1, whole), *state = malloc(whole + LOTOR_SEAL_EXTRA);
    assert_non_null(plain);
    assert_non_null(state);
    memcpy(plain + LOTOR_STATE_HEAD, saved, length);
    fine(lotor_store_add_campaign(store, name, "{}", 1, &why, &id));
    lotor_vault_seal(vault, LOTOR_SEAL_STATE, id, FINAL, plain, whole, state);
    fine(lotor_store_put_state(store, id, FINAL, state, whole + LOTOR_SEAL_EXTRA, &why));
    free(plain);
    lotor_bytes_free(saved, length);
    free(state);
    lotor_vault_seal(vault, LOTOR_SEAL_ACTION, id, 1, "context!", 8, sealed);
    const lotor_block block = {.first = 1,
                               .count = DRAWN - VOIDED,
                               .handed = UINT64_MAX,
                               .drawn = sealed,
                               .drawn_length = 5,
                               .action = sealed,
                               .action_length = 8 + LOTOR_SEAL_EXTRA};
    fine(lotor_store_add_block(store, id, &block, &why));
    lotor_vault_seal(vault, LOTOR_SEAL_ANSWERS, id, 7, "answers!", 8, sealed);
    const lotor_answers answers = {
        .number = 7, .first = 3, .last = 5, .sealed = sealed, .length = 8 + LOTOR_SEAL_EXTRA};
    fine(lotor_store_add_answers(store, id, &answers, &why));
    lotor_release release = {.campaign = id, .time = id, .facts = sealed, .facts_length = 3};
    fine(lotor_store_add_release(store, &release, &why));
}

static int start(void **state)
{
    (void)state;
    char name[LOTOR_VAULT_NAME + 1];
    lotor_head head;
    assert_true(sodium_init() >= 0);
    scratch_start(&files);
    snprintf(key_path, sizeof key_path, "%s", scratch_path(&files, "x.db.key"));
    snprintf(head_path, sizeof head_path, "%s", scratch_path(&files, "x.db.key.head"));
    fine(lotor_vault_open(key_path, true, &why, &vault));
    fine(lotor_store_open(scratch_path(&files, "x.db"), LOTOR_STORE_SERVE, NULL, &why, &store));
    fine(lotor_store_begin(store, &why));
    add_campaign("a");
    add_campaign("b");
    lotor_vault_name(vault, name);
    fine(lotor_store_put_meta(store, "key", name, &why));
    fine(lotor_store_put_meta(store, "starts", "4", &why));
    fine(lotor_store_commit(store, &why));
    fine(lotor_store_head(store, &why, &head));
    fine(lotor_head_write(head_path, &head, &why));
    return 0;
}

static int end(void **state)
{
    (void)state;
    lotor_store_close(store);
    lotor_vault_free(vault);
    scratch_end(&files);
    return 0;
}

static void test_a_whole_store_is_fine(void **state)
{
    (void)state;
    lotor_check_counts counts;
    fine(lotor_check(store, vault, head_path, &counts, &why));
    assert_int_equal(counts.campaigns, 2);
    assert_int_equal(counts.releases, 2);
    assert_int_equal(counts.decisions, 2 * (DRAWN - VOIDED - FINAL));
    assert_int_equal(counts.answers, 2);
    assert_true(counts.has_head);
    fine(lotor_check(store, NULL, NULL, &counts, &why));
    assert_false(counts.has_head);
}

static void find(const lotor_vault *with, lotor_status status, const char *words)
{
    lotor_check_counts counts;
    const lotor_status said = lotor_check(store, with, head_path, &counts, &why);
    if (said != status || !strstr(why.text, words)) {
        fail_msg("%s: \"%s\", not %s: \"%s\"", lotor_status_name(said), why.text,
                 lotor_status_name(status), words);
    }
}

static void test_what_is_sealed_is_found_changed(void **state)
{
    (void)state;
    static const struct {
        const char *change, *words;
    } cases[] = {
        {"UPDATE states SET state = (SELECT state FROM states WHERE campaign = 1) "
         "WHERE campaign = 2",
         "\"b\": its state (number 2) does not open"},
        {"UPDATE states SET final = 1 WHERE campaign = 1", "\"a\": its state (number 1)"},
        {"UPDATE states SET state = NULL WHERE campaign = 1", "\"a\": its state is missing"},
        {"UPDATE states SET state = x'00' WHERE campaign = 1", "its state is missing or cut off"},
        {"UPDATE answers SET number = 8 WHERE campaign = 2",
         "\"b\": a group of answers (number 8) does not open"},
        {"UPDATE answers SET sealed = zeroblob(length(sealed)) WHERE campaign = 1",
         "\"a\": a group of answers (number 7)"},
        {"UPDATE blocks SET action = zeroblob(48) WHERE campaign = 1",
         "\"a\": the context of a decision (number 1)"},
        {"UPDATE blocks SET count = 4 WHERE campaign = 1",
         "answers 7 are to decision 5, and the last one drawn is 4"},
        {"UPDATE blocks SET count = 6 WHERE campaign = 2",
         "\"b\": 3 decisions are open by its state, and 4 by its blocks"},
        {"UPDATE blocks SET count = 7 WHERE campaign = 2",
         "\"b\": decision 7 is there, but its state knows only 6"},
        {"DELETE FROM answers; DELETE FROM blocks WHERE campaign = 2",
         "\"b\": 3 decisions are open by its state, and 0 by its blocks"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fine(lotor_sqlite_run(lotor_sqlite_of(store)->db,
                              "SAVEPOINT before; PRAGMA defer_foreign_keys = ON", &why));
        fine(lotor_sqlite_run(lotor_sqlite_of(store)->db, cases[i].change, &why));
        fine(lotor_sqlite_run(lotor_sqlite_of(store)->db, "RELEASE before", &why));
        find(vault, LOTOR_DAMAGED, cases[i].words);
        end(NULL);
        start(NULL);
    }
}

static void test_another_key_is_told_from_damage(void **state)
{
    (void)state;
    lotor_vault *other;
    fine(lotor_vault_open(scratch_path(&files, "other.key"), true, &why, &other));
    find(other, LOTOR_INVALID, "the store was written with the key");
    fine(lotor_store_begin(store, &why));
    fine(lotor_store_put_meta(store, "key", "", &why));
    fine(lotor_store_commit(store, &why));
    find(other, LOTOR_DAMAGED, "does not open");
    lotor_vault_free(other);
}

static void test_an_older_copy_is_found(void **state)
{
    (void)state;
    lotor_head head;
    lotor_check_counts counts;
    fine(lotor_store_head(store, &why, &head));
    head.starts++;
    fine(lotor_head_write(head_path, &head, &why));
    find(vault, LOTOR_RELEASED, "an older copy");
    head.starts = 0;
    head.releases++;
    fine(lotor_head_write(head_path, &head, &why));
    find(NULL, LOTOR_RELEASED, "2 releases and 4 starts, the head file beside the key 3 and 0");
    head.releases--;
    fine(lotor_head_write(head_path, &head, &why));
    fine(lotor_check(store, vault, head_path, &counts, &why));
    head.hash[0] ^= 1;
    fine(lotor_head_write(head_path, &head, &why));
    find(vault, LOTOR_RELEASED, "or another one");
    scratch_write(head_path, "x", 1);
    find(vault, LOTOR_DAMAGED, "head file");
    unlink(head_path);
    find(vault, LOTOR_RELEASED, "no head file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_whole_store_is_fine, start, end),
        cmocka_unit_test_setup_teardown(test_what_is_sealed_is_found_changed, start, end),
        cmocka_unit_test_setup_teardown(test_another_key_is_told_from_damage, start, end),
        cmocka_unit_test_setup_teardown(test_an_older_copy_is_found, start, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
