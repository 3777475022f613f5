/* test_engine_budgets.c - budgets over several campaigns: no user counts for more than the budget.
 *
 * Campaigns have one arm, and where sums are compared the noise is far below one reward. So the
 * released sums are the sums of the feedback.
 */
#include "support/test.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lotor/account.h>

#include "service/engine_rig.h"

SCENE_OF_EACH_TEST(engine_end_soundly);

static int end_unsound(void **state)
{
    (void)state;
    return engine_end(&rig);
}

static void create(const char *name, const char *more)
{
    char text[400];
    snprintf(text, sizeof text,
             "{'name': '%s', 'algorithm': 'batch-klucb', 'arms': ['a'], 'max_arms': 1, "
             "'wait_seconds': 1%s}",
             name, more);
    engine_must_create(&rig, text);
}

static lotor_code try_create(const char *more)
{
    char text[400];
    snprintf(text, sizeof text, "{'name': 'x', 'arms': ['a', 'b'], 'wait_seconds': 1%s}", more);
    return engine_create(&rig, text);
}

/* Ranks for a user, and sends the reward. Whether the round will count does not change the replies. */
static void serve(const char *name, const char *user, int reward)
{
    lotor_ranking ranking;
    char text[40];
    assert_int_equal(engine_rank_with(&rig, name, user, NULL, NULL, &ranking), LOTOR_CODE_NONE);
    assert_int_equal(ranking.count, 1);
    assert_true(ranking.takes_feedback);
    assert_int_equal(strlen(ranking.event), LOTOR_TOKEN_LENGTH);
    snprintf(text, sizeof text, "{'rewards': [%d]}", reward);
    engine_must_reward(&rig, ranking.event, text);
    assert_int_equal(engine_late, 0);
    lotor_ranking_clear(&ranking);
}

/* Waits until all rounds are final. */
static void finish(void)
{
    engine_wait(&rig, ALL_OVER);
    engine_step(&rig);
}

/* How many rounds of a campaign count so far. */
static int counted(const char *name)
{
    return (int)engine_number(&rig, name, "final");
}

static double released(uint64_t campaign)
{
    lotor_arm_fact sum = {0};
    lotor_message why;
    assert_int_equal(
        lotor_store_each_release(rig.store, campaign, 0, engine_add_release, &sum, &why), LOTOR_OK);
    assert_true(sum.count > 0);
    return sum.value;
}

/* --- five campaigns, a budget for three ------------------------------------------------------- */

enum { FIVE = 5 };

/* Ann is seen in all campaigns, with the same reward; 15 other users in one campaign each. Returns
 * in how many campaigns Ann counts. `from` is the number of the first campaign. */
static int play_five(int ann, const char *budget, uint64_t from, double sums[FIVE])
{
    int total = 0;
    char names[FIVE][8], more[80];
    for (size_t i = 0; i < FIVE; i++) {
        snprintf(names[i], sizeof names[i], "c%zu", (size_t)from + i);
        snprintf(more, sizeof more, ", " LOUD "%s", budget);
        create(names[i], more);
        for (size_t j = 0; j < 16; j++) {
            char user[24];
            snprintf(user, sizeof user, "%zu of %zu", j, (size_t)from + i);
            serve(names[i], j == 1 ? "ann" : user, j == 1 ? ann : 0);
        }
    }
    finish();
    for (size_t i = 0; i < FIVE; i++) {
        sums[i] = released(from + i);
        total += counted(names[i]) - 15;
        assert_true(engine_number(&rig, names[i], "decisions") == counted(names[i]));
        assert_true(engine_number(&rig, names[i], "arms.0.shown") == counted(names[i]));
    }
    return total;
}

TEST_WITH(a_user_in_five_campaigns_counts_in_three, start, end)
{
    double sums[FIVE], total = 0;
    engine_must_create_budget(&rig, "{'name': 'people', 'epsilon': 3000000}");
    assert_int_equal(play_five(1, ", 'budget': 'people'", 1, sums), 3);
    for (size_t i = 0; i < FIVE; i++) {
        assert_true(fabs(sums[i] - (i < 3 ? 1.0 : 0.0)) < 0.01);
        total += sums[i];
    }
    assert_true(fabs(total - 3.0) < 0.05);
}

static size_t count_differences(const double one[FIVE], const double other[FIVE])
{
    size_t count = 0;
    for (size_t i = 0; i < FIVE; i++) {
        assert_true(fabs(one[i] - other[i]) < 1.01); /* by one reward at most */
        count += fabs(one[i] - other[i]) > 0.01;
    }
    return count;
}

/* Two worlds that differ in Ann's feedback everywhere, and in nothing else. The noise is negligible in
 * both, so the released sums differ by Ann's feedback alone. */
TEST_WITH(worlds_that_differ_in_one_user_differ_in_three_campaigns, start, end)
{
    double one[FIVE], other[FIVE];
    engine_must_create_budget(&rig, "{'name': 'one', 'epsilon': 3000000}");
    engine_must_create_budget(&rig, "{'name': 'other', 'epsilon': 3000000}");
    assert_int_equal(play_five(1, ", 'budget': 'one'", 1, one), 3);
    assert_int_equal(play_five(0, ", 'budget': 'other'", 1 + FIVE, other), 3);
    assert_int_equal(count_differences(one, other), 3);
    /* without a budget, all five differ: the test can tell */
    assert_int_equal(play_five(1, ", 'rounds_per_user': 1", 1 + 2 * FIVE, one), FIVE);
    assert_int_equal(play_five(0, ", 'rounds_per_user': 1", 1 + 3 * FIVE, other), FIVE);
    assert_int_equal(count_differences(one, other), FIVE);
}

/* --- sums ------------------------------------------------------------------------------------- */

/* Amounts are exact: ten rounds of 0.1 are 1. Other users have budgets of their own. */
TEST_WITH(rounds_add_up_exactly, start, end)
{
    engine_must_create_budget(&rig, "{'name': 'people', 'epsilon': 1}");
    create("tenth", ", 'epsilon': 0.1, 'budget': 'people'");
    create("third", ", 'epsilon': 0.333, 'budget': 'people'");
    create("more", ", 'epsilon': '0.3333333333', 'budget': 'people'");
    for (int i = 0; i < 12; i++) {
        serve("tenth", "ann", 1);
    }
    finish();
    assert_int_equal(counted("tenth"), 10);
    serve("third", "ann", 1);
    for (int i = 0; i < 5; i++) {
        serve("third", "bob", 1);
        serve("more", "cat", 1);
    }
    finish();
    assert_int_equal(counted("third"), 3);
    assert_int_equal(counted("more"), 2); /* rounded up to 0.333333334 */
    serve("tenth", "bob", 1);
    finish();
    assert_int_equal(counted("tenth"), 10);
    engine_crash(&rig); /* what was spent is in the store */
    engine_open(&rig);
    serve("tenth", "ann", 1);
    serve("tenth", "dan", 1);
    finish();
    assert_int_equal(counted("tenth"), 11);
}

static uint64_t count_of(uint64_t campaign, const char *user)
{
    unsigned char hash[16];
    uint64_t shown;
    lotor_message why;
    lotor_server_key_user(rig.server_key, campaign, user, strlen(user), hash);
    assert_int_equal(lotor_store_user_count(rig.store, campaign, hash, &why, &shown), LOTOR_OK);
    return shown;
}

/* A user over the cap is not charged, and a user over the budget is not counted in the cap. */
TEST_WITH(a_cap_and_a_budget_are_counted_together, start, end)
{
    engine_must_create_budget(&rig, "{'name': 'people', 'epsilon': 3}");
    create("capped", ", 'epsilon': 1, 'rounds_per_user': 2, 'budget': 'people'");
    create("free", ", 'epsilon': 1, 'budget': 'people'");
    for (int i = 0; i < 5; i++) {
        serve("capped", "ann", 1);
    }
    assert_int_equal(count_of(1, "ann"), 0); /* rounds are counted when they are entered */
    finish();
    assert_int_equal(count_of(1, "ann"), 2);
    assert_int_equal(counted("capped"), 2);
    for (int i = 0; i < 5; i++) {
        serve("free", "ann", 1);
    }
    finish();
    assert_int_equal(counted("free"), 1);
    for (int i = 0; i < 5; i++) {
        serve("free", "bob", 1);
    }
    finish();
    assert_int_equal(counted("free"), 4);
    serve("capped", "bob", 1);
    finish();
    assert_int_equal(counted("capped"), 2);
    assert_int_equal(count_of(1, "bob"), 0);
    lotor_ranking ranking;
    assert_int_equal(engine_rank(&rig, "free", &ranking), LOTOR_CODE_MISSING_FIELD);
    assert_string_equal(engine_refusal.field, "user");
}

/* With a delta, zCDP allows more small campaigns than the sum of epsilons. All rounds of a user in one
 * campaign are one mechanism, which the first round pays. */
TEST_WITH(a_delta_allows_more_small_campaigns, start, end)
{
    enum { CAMPAIGNS = 40 };
    double rho;
    lotor_message why;
    assert_int_equal(lotor_account_zcdp_rho((lotor_budget){1.0, 0.01}, &why, &rho), LOTOR_OK);
    const size_t most = (size_t)(rho / (0.1 * 0.1 / 2));
    assert_true(most > 10 && most < CAMPAIGNS); /* the sum of epsilons allows 10 */
    engine_must_create_budget(&rig, "{'name': 'people', 'epsilon': 1, 'delta': 0.01}");
    size_t joined = 0;
    for (size_t i = 0; i < CAMPAIGNS; i++) {
        char name[8];
        snprintf(name, sizeof name, "c%zu", i);
        create(name, ", 'epsilon': 0.05, 'rounds_per_user': 2, 'budget': 'people'");
        for (int j = 0; j < 3; j++) {
            serve(name, "ann", 1);
        }
        finish();
        assert_int_equal(counted(name), i < most ? 2 : 0);
        joined += counted(name) > 0;
    }
    assert_int_equal(joined, most);
}

/* --- campaigns that can join ------------------------------------------------------------------ */

TEST_WITH(campaigns_that_can_not_join, start, end)
{
    engine_must_create_budget(&rig, "{'name': 'people', 'epsilon': 3}");
    engine_must_create_budget(&rig, "{'name': 'soft', 'epsilon': 3, 'delta': 0.000001}");
    static const struct {
        const char *more, *field, *words;
    } cases[] = {
        {", 'epsilon': 1, 'budget': 'nobody'", "budget", "there is no budget named nobody"},
        {", 'epsilon': 4, 'budget': 'people'", "epsilon", "one round costs more"},
        {", 'epsilon': 1, 'budget': 'soft'", "rounds_per_user", "need a cap"},
        {", 'epsilon': 1, 'rounds_per_user': 5, 'budget': 'soft'", "epsilon",
         "rounds_per_user rounds cost more"},
        {", 'epsilon': 1, 'delta': 0.001, 'dimension': 2, 'horizon': 1000, 'algorithm': "
         "'jdp-batch', 'budget': 'people'",
         "budget", "has a delta"},
        {", 'epsilon': 1, 'budget': 7", "budget", "expected"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(try_create(cases[i].more), LOTOR_CODE_BAD_VALUE);
        assert_string_equal(engine_refusal.field, cases[i].field);
        if (!strstr(engine_refusal.message.text, cases[i].words)) {
            fail_msg("%s: %s", cases[i].more, engine_refusal.message.text);
        }
    }
    assert_int_equal(try_create(", 'epsilon': 3, 'budget': 'people'"), LOTOR_CODE_NONE);
    assert_int_equal(try_create(", 'epsilon': 3, 'budget': 'people'"), LOTOR_CODE_NONE);
    assert_int_equal(try_create(", 'epsilon': 3, 'budget': 'soft'"), LOTOR_CODE_EXISTS);
    assert_string_equal(engine_refusal.field, "budget");
}

/* Local campaigns and those that measure their lift or release early cost the same per round. Local
 * campaigns and early_release count users when a decision is drawn: a round that does not count has no
 * event, so the device sends no report for it. */
TEST_WITH(kinds_that_can_join, start, end)
{
    static const char *const kinds[] = {", 'algorithm': 'rr-klucb'",
                                        ", 'evaluation': {'share': 0.5}", ", 'early_release': true",
                                        ", 'feedback': 'clicks', 'slots': 2", ", 'half_life': 100"};
    engine_must_create_budget(&rig, "{'name': 'people', 'epsilon': 2}");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char text[300], name[8], user[8];
        snprintf(name, sizeof name, "k%zu", i);
        snprintf(user, sizeof user, "u%zu", i);
        snprintf(text, sizeof text,
                 "{'name': '%s', 'arms': ['a', 'b'], 'epsilon': 1, 'wait_seconds': 1, "
                 "'budget': 'people'%s}",
                 name, kinds[i]);
        const bool is_direct = strstr(kinds[i], "rr-klucb") || strstr(kinds[i], "early");
        engine_must_create(&rig, text);
        for (int j = 0; j < 4; j++) {
            lotor_ranking ranking;
            assert_int_equal(engine_rank_with(&rig, name, user, NULL, NULL, &ranking),
                             LOTOR_CODE_NONE);
            assert_int_equal(ranking.takes_feedback, j < 2 || !is_direct);
            lotor_ranking_clear(&ranking);
        }
        finish();
        assert_int_equal(counted(name), 2);
        assert_true(engine_number(&rig, name, "guarantee.epsilon") == 1.0);
        assert_true(engine_number(&rig, name, "guarantee.budget.epsilon") == 2.0);
    }
}

/* --- replies ---------------------------------------------------------------------------------- */

static double number_in(const json_t *json, const char *one, const char *two)
{
    const json_t *const value = json_object_get(json_object_get(json, one), two);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

TEST_WITH(a_budget_tells_what_a_user_can_spend, start, end)
{
    json_t *reply;
    engine_must_create_budget(&rig, "{'name': 'people', 'epsilon': 3}");
    create("capped", ", 'epsilon': 1, 'rounds_per_user': 2, 'budget': 'people'");
    assert_int_equal(engine_get_budget(&rig, "people", &reply), LOTOR_CODE_NONE);
    assert_true(number_in(reply, "most", "epsilon") == 2.0);
    json_decref(reply);
    create("free", ", 'epsilon': 0.4, 'budget': 'people'");
    assert_int_equal(engine_get_budget(&rig, "people", &reply), LOTOR_CODE_NONE);
    assert_true(number_in(reply, "most", "epsilon") == 3.0);
    assert_true(number_in(reply, "most", "delta") == 0.0);
    const json_t *const list = json_object_get(reply, "campaigns");
    assert_int_equal(json_array_size(list), 2);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(list, 0), "rounds")), 2);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(list, 1), "rounds")), 7);
    assert_true(json_is_false(json_object_get(json_array_get(list, 1), "deleted")));
    const char *const text = json_string_value(json_object_get(reply, "statement"));
    assert_non_null(strstr(text, "is not reported: it is private"));
    assert_non_null(strstr(text, "the store was never replaced by an older copy"));
    json_decref(reply);
    assert_int_equal(engine_get_budget(&rig, "nobody", &reply), LOTOR_CODE_NO_SUCH_BUDGET);
    assert_int_equal(engine_create_budget(&rig, "{'name': 'people', 'epsilon': 3.0}", &reply),
                     LOTOR_CODE_NONE);
    json_decref(reply);
    assert_int_equal(engine_create_budget(&rig, "{'name': 'people', 'epsilon': 4}", &reply),
                     LOTOR_CODE_EXISTS);
    assert_string_equal(engine_refusal.field, "epsilon");
    assert_int_equal(
        engine_create_budget(&rig, "{'name': 'people', 'epsilon': 3, 'delta': 0.1}", &reply),
        LOTOR_CODE_EXISTS);
    assert_string_equal(engine_refusal.field, "delta");
    assert_int_equal(engine_create_budget(&rig, "{'name': 'p', 'epsilon': 0}", &reply),
                     LOTOR_CODE_BAD_VALUE);
    assert_int_equal(engine_create_budget(&rig, "{'name': 'p'}", &reply), LOTOR_CODE_MISSING_FIELD);
    engine_must_create_budget(&rig, "{'name': 'second', 'epsilon': 1}");
    assert_int_equal(engine_get_budget(&rig, NULL, &reply), LOTOR_CODE_NONE);
    assert_int_equal(json_array_size(json_object_get(reply, "budgets")), 2);
    json_decref(reply);
    assert_int_equal(engine_act(&rig, "free", LOTOR_ACT_DELETE), LOTOR_CODE_NONE);
    assert_int_equal(engine_get_budget(&rig, "people", &reply), LOTOR_CODE_NONE);
    const json_t *const left = json_array_get(json_object_get(reply, "campaigns"), 1);
    assert_true(json_is_true(json_object_get(left, "deleted")));
    json_decref(reply);
}

static bool says(const char *name, const char *words, const char *composition)
{
    json_t *reply;
    assert_int_equal(engine_get_budget(&rig, name, &reply), LOTOR_CODE_NONE);
    const char *const text = json_string_value(json_object_get(reply, "statement"));
    const json_t *const how = json_object_get(json_object_get(reply, "most"), "composition");
    const bool fits = strstr(text, words) && strcmp(json_string_value(how), composition) == 0;
    json_decref(reply);
    return fits;
}

/* The statement says whether the sum, zCDP or the budget decides what a user can spend. */
TEST_WITH(the_statement_says_which_composition_decides, start, end)
{
    char name[16];
    engine_must_create_budget(&rig, "{'name': 'few', 'epsilon': 1, 'delta': 0.000001}");
    for (int i = 0; i < 2; i++) { /* zCDP would need 4.8, for one of them already 3.3 */
        snprintf(name, sizeof name, "few%d", i);
        create(name, ", 'epsilon': 0.6, 'rounds_per_user': 1, 'budget': 'few'");
    }
    assert_true(says("few", "at most 1 (basic composition decides", "basic"));
    engine_must_create_budget(&rig, "{'name': 'many', 'epsilon': 1, 'delta': 0.000001}");
    for (int i = 0; i < 30; i++) {
        snprintf(name, sizeof name, "many%d", i);
        create(name, i < 25 ? ", 'epsilon': 0.03, 'rounds_per_user': 1, 'budget': 'many'"
                            : ", 'epsilon': 0.06, 'rounds_per_user': 1, 'budget': 'many'");
    }
    assert_true(says("many", "(composition by zCDP decides", "zcdp"));
    create("large", ", 'epsilon': 0.6, 'rounds_per_user': 1, 'budget': 'many'");
    assert_true(says("many", "at most 1 (the budget decides", "zcdp"));
}

TEST_WITH(the_statement_names_early_release, start, end)
{
    engine_must_create_budget(&rig, "{'name': 'people', 'epsilon': 3}");
    create("c", ", 'epsilon': 1, 'budget': 'people'");
    assert_false(says("people", "early_release", "basic"));
    create("d", ", 'epsilon': 1, 'budget': 'people', 'early_release': true");
    assert_true(says("people", "Not protected: whether and when a user gave feedback", "basic"));
}

TEST_WITH(the_guarantee_names_the_budget, start, end)
{
    engine_must_create_budget(&rig, "{'name': 'people', 'epsilon': 3}");
    create("c", ", 'epsilon': 1, 'budget': 'people'");
    json_t *reply = lotor_engine_guarantee(rig.engine, "c", &engine_refusal);
    assert_non_null(reply);
    assert_true(number_in(reply, "budget", "epsilon") == 3.0);
    assert_non_null(strstr(json_string_value(json_object_get(reply, "statement")),
                           "in the budget people: for one user, over all campaigns of the budget "
                           "together, epsilon is at most 3 and delta at most 0"));
    json_decref(reply);
}

/* Changes one row of the store. That needs no key. */
static void edit_store(const char *statement)
{
    sqlite3 *sql = NULL;
    assert_int_equal(sqlite3_open_v2("x.db", &sql, SQLITE_OPEN_READWRITE, fault_vfs_name(rig.disk)),
                     SQLITE_OK);
    assert_int_equal(sqlite3_exec(sql, statement, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_changes(sql), 1);
    sqlite3_close(sql);
}

/* A budget that was edited in the store fails closed: its campaigns are not served, others are. */
TEST_WITH(an_edited_budget_is_not_used, start, end_unsound)
{
    engine_must_create_budget(&rig, "{'name': 'people', 'epsilon': 3}");
    create("c", ", 'epsilon': 1, 'budget': 'people'");
    create("other", ", 'epsilon': 1");
    engine_stop(&rig);
    edit_store("UPDATE budgets SET spec = replace(spec, '3.0', '9.0')");
    engine_open(&rig);
    lotor_ranking ranking;
    json_t *reply;
    assert_int_equal(engine_rank_with(&rig, "c", "ann", NULL, NULL, &ranking), LOTOR_CODE_BROKEN);
    assert_non_null(strstr(engine_refusal.message.text, "its budget people was changed"));
    assert_int_equal(engine_get_budget(&rig, "people", &reply), LOTOR_CODE_BROKEN);
    engine_must_rank(&rig, "other", &ranking);
    assert_int_equal(try_create(", 'epsilon': 1, 'budget': 'people'"), LOTOR_CODE_BAD_VALUE);
}

/* A budget whose row was deleted can be made again, but it is another budget: its users have spent
 * nothing. Campaigns of the first one do not join it, even if its numbers are the same. */
TEST_WITH(a_budget_that_was_made_again_is_another_budget, start, end_unsound)
{
    lotor_ranking ranking;
    engine_must_create_budget(&rig, "{'name': 'people', 'epsilon': 1}");
    create("c", ", 'epsilon': 1, 'budget': 'people'");
    serve("c", "ann", 1);
    engine_stop(&rig);
    edit_store("DELETE FROM budgets");
    engine_open(&rig);
    assert_int_equal(engine_rank_with(&rig, "c", "ann", NULL, NULL, &ranking), LOTOR_CODE_BROKEN);
    assert_non_null(strstr(engine_refusal.message.text, "its budget people is missing"));
    engine_must_create_budget(&rig, "{'name': 'people', 'epsilon': 1}");
    engine_stop(&rig);
    engine_open(&rig);
    assert_int_equal(engine_rank_with(&rig, "c", "ann", NULL, NULL, &ranking), LOTOR_CODE_BROKEN);
    assert_non_null(strstr(engine_refusal.message.text, "is not the one that it joined"));
    create("d", ", 'epsilon': 1, 'budget': 'people'");
    serve("d", "ann", 1);
    finish();
    assert_int_equal(counted("d"), 1);
}

/* The private data of a campaign can be erased, though its budget is missing. */
TEST_WITH(a_campaign_without_its_budget_can_be_deleted, start, end_unsound)
{
    engine_must_create_budget(&rig, "{'name': 'people', 'epsilon': 1}");
    create("c", ", 'epsilon': 1, 'budget': 'people'");
    serve("c", "ann", 1);
    engine_stop(&rig);
    edit_store("DELETE FROM budgets");
    engine_open(&rig);
    assert_int_equal(engine_act(&rig, "c", LOTOR_ACT_DELETE), LOTOR_CODE_NONE);
    for (int i = 0; i < 2; i++) {
        json_t *reply = lotor_engine_readiness(rig.engine);
        assert_int_equal(json_array_size(json_object_get(reply, "campaigns")), 0);
        json_decref(reply);
        engine_stop(&rig);
        engine_open(&rig);
    }
}
