/* test_engine_prior.c - the warm start: a new campaign learns from the releases of another one.
 *
 * In the old campaign the noise is far below one reward, and only the arm "c" pays. So what was released
 * about it is clear after a few rounds.
 */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/engine_rig.h"

SCENE_OF_EACH_TEST(engine_end_soundly);

static int end_unsound(void **state)
{
    (void)state;
    return engine_end(&rig);
}

#define OLD "'arms': ['a', 'b', 'c'], " LOUD ", 'wait_seconds': 1"

/* Makes a campaign, whose releases are the prior of others. */
static void create_old(void)
{
    engine_must_create(&rig, "{'name': 'old', " OLD "}");
}

/* Serves rounds, all with the same feedback for "c". */
static void serve(const char *name, int rounds, const char *reward_of_c)
{
    for (int i = 0; i < rounds; i++) {
        lotor_ranking ranking;
        char text[40];
        engine_must_rank(&rig, name, &ranking);
        snprintf(text, sizeof text, "{'rewards': [%s]}",
                 strcmp(ranking.arms[0], "c") == 0 ? reward_of_c : "0");
        engine_must_reward(&rig, ranking.event, text);
        lotor_ranking_clear(&ranking);
        engine_wait(&rig, 40);
    }
    engine_wait(&rig, ALL_OVER);
    engine_step(&rig);
}

static lotor_code create_new(const char *more)
{
    char text[300];
    snprintf(text, sizeof text, "{'name': 'new', 'wait_seconds': 1, %s}", more);
    return engine_create(&rig, text);
}

#define NEW "'arms': ['c', 'd', 'a', 'b'], 'epsilon': 1, 'prior': 'old'"

static void must_create_new(void)
{
    if (create_new(NEW) != LOTOR_CODE_NONE) {
        fail_msg("%s: %s", engine_refusal.field, engine_refusal.message.text);
    }
}

/* How often each arm of "new" is shown in some rounds: c, d, a, b. */
static void count_shown(const char *name, int rounds, size_t shown[4])
{
    static const char *const ids[] = {"c", "d", "a", "b"};
    memset(shown, 0, 4 * sizeof *shown);
    for (int i = 0; i < rounds; i++) {
        lotor_ranking ranking;
        engine_must_rank(&rig, name, &ranking);
        for (size_t j = 0; j < 4; j++) {
            shown[j] += strcmp(ranking.arms[0], ids[j]) == 0;
        }
        lotor_ranking_clear(&ranking);
    }
}

static uint64_t releases_of_old(void)
{
    return (uint64_t)engine_number(&rig, "old", "releases");
}

/* The new campaign tries only the arm that the old one did not have. Then it shows the best one. */
TEST_WITH(a_new_campaign_goes_on_where_the_old_one_was, start, end)
{
    size_t shown[4];
    create_old();
    serve("old", 40, "1");
    must_create_new();
    count_shown("new", 30, shown);
    assert_int_equal(shown[2] + shown[3], 0);
    assert_true(shown[1] > 0 && shown[0] > 0);
    assert_int_equal(create_new("'arms': ['c', 'd', 'a', 'b'], 'epsilon': 1, 'prior': null"),
                     LOTOR_CODE_EXISTS);
    assert_string_equal(engine_refusal.field, "prior");
    /* without a prior, all arms are tried: the test can tell */
    engine_must_create(&rig, "{'name': 'cold', 'arms': ['c', 'd', 'a', 'b'], 'epsilon': 1}");
    count_shown("cold", 30, shown);
    assert_true(shown[2] > 0 && shown[3] > 0);
}

/* Also after a crash, a clean stop, and after the old campaign was deleted. */
TEST_WITH(the_prior_is_in_the_store, start, end)
{
    size_t shown[4];
    create_old();
    serve("old", 40, "1");
    must_create_new();
    engine_crash(&rig);
    engine_open(&rig);
    count_shown("new", 20, shown);
    assert_int_equal(shown[2] + shown[3], 0);
    assert_int_equal(engine_act(&rig, "old", LOTOR_ACT_DELETE), LOTOR_CODE_NONE);
    engine_stop(&rig);
    engine_open(&rig);
    count_shown("new", 20, shown);
    assert_int_equal(shown[2] + shown[3], 0);
    /* releases stay after a deletion, so they can still be a prior */
    engine_must_create(&rig, "{'name': 'third', 'arms': ['c', 'd', 'a', 'b'], 'epsilon': 2, "
                             "'prior': 'old'}");
    count_shown("third", 20, shown);
    assert_int_equal(shown[2] + shown[3], 0);
}

/* Creating the same campaign again is fine, also if the old one has released more since then. */
TEST_WITH(creating_it_again_changes_nothing, start, end)
{
    create_old();
    serve("old", 20, "1");
    must_create_new();
    const double taken = engine_number(&rig, "new", "prior_releases");
    assert_true(taken > 0 && taken == (double)releases_of_old());
    serve("old", 40, "1");
    assert_true((double)releases_of_old() > taken);
    must_create_new();
    assert_true(engine_number(&rig, "new", "prior_releases") == taken);
    assert_int_equal(create_new("'arms': ['c', 'd', 'a', 'b'], 'epsilon': 1, 'prior': 'other'"),
                     LOTOR_CODE_EXISTS);
    assert_string_equal(engine_refusal.field, "prior");
}

TEST_WITH(the_guarantee_names_the_prior, start, end)
{
    create_old();
    serve("old", 20, "1");
    must_create_new();
    lotor_refusal refusal;
    json_t *guarantee = lotor_engine_guarantee(rig.engine, "new", &refusal);
    const char *const statement = json_string_value(json_object_get(guarantee, "statement"));
    assert_non_null(strstr(statement, "releases of campaign old"));
    assert_non_null(strstr(statement, "the two add up"));
    json_decref(guarantee);
    assert_true(engine_number(&rig, "new", "guarantee.epsilon") == 1.0); /* its own, unchanged */
    assert_true(engine_number(&rig, "new", "guarantee.prior.releases") ==
                engine_number(&rig, "new", "prior_releases"));
}

/* --- coupled worlds --------------------------------------------------------------------------- */

typedef struct saved {
    unsigned char *bytes;
    size_t length;
} saved;

static lotor_status copy(void *context, const unsigned char *bytes, size_t length)
{
    saved *out = context;
    out->bytes = malloc(length);
    assert_non_null(out->bytes);
    memcpy(out->bytes, bytes, length);
    out->length = length;
    return LOTOR_OK;
}

static saved state_of(uint64_t campaign)
{
    saved out = {0};
    uint64_t epoch;
    lotor_message why;
    assert_int_equal(lotor_store_get_state(rig.store, campaign, copy, &out, &why, &epoch),
                     LOTOR_OK);
    return out;
}

/* Which rounds of the old campaign feed the new one: those of releases before it was made. A round that
 * comes later, whatever its feedback, leaves the state of the new campaign as it is, byte by byte: nothing
 * is read from the old campaign any more. */
TEST_WITH(later_rounds_of_the_old_campaign_change_nothing, start, end)
{
    create_old();
    serve("old", 20, "1");
    must_create_new();
    const saved before = state_of(2);
    for (int world = 0; world < 2; world++) { /* what was best becomes the worst */
        serve("old", 40, world == 0 ? "0" : "1");
        const saved after = state_of(2);
        assert_int_equal(before.length, after.length);
        assert_memory_equal(before.bytes, after.bytes, before.length);
        free(after.bytes);
    }
    free(before.bytes);
    engine_crash(&rig);
    engine_open(&rig);
    size_t shown[4];
    count_shown("new", 20, shown); /* the old campaign's later rounds say that c pays nothing */
    assert_int_equal(shown[2] + shown[3], 0);
}

/* Feedback that the old campaign has, but has not released, does not reach the new one: in both worlds the
 * releases are the same, and so is what the new campaign starts with. Once it is released, it does. */
TEST_WITH(only_releases_reach_the_new_campaign, start, end)
{
    create_old();
    assert_int_equal(create_new(NEW), LOTOR_CODE_BAD_VALUE); /* nothing is released yet */
    assert_string_equal(engine_refusal.field, "prior");
    lotor_ranking ranking;
    engine_must_rank(&rig, "old", &ranking);
    engine_must_reward(&rig, ranking.event, "{'rewards': [1]}");
    assert_int_equal(create_new(NEW), LOTOR_CODE_BAD_VALUE); /* feedback alone is not a release */
    engine_wait(&rig, ALL_OVER);
    engine_step(&rig);
    assert_int_equal(releases_of_old(), 1);
    must_create_new();
    lotor_ranking_clear(&ranking);
    assert_true(engine_number(&rig, "new", "prior_releases") == 1);
}

/* --- refusals --------------------------------------------------------------------------------- */

TEST_WITH(what_can_not_be_a_prior, start, end)
{
    static const struct {
        const char *more, *field, *words;
    } cases[] = {
        {"'arms': ['c'], 'epsilon': 1, 'prior': 'nobody'", "prior", "no campaign named nobody"},
        {"'arms': ['c'], 'epsilon': 1, 'prior': 'new'", "prior", "no campaign named new"},
        {"'arms': ['z'], 'epsilon': 1, 'prior': 'old'", "prior", "nothing about an arm"},
        {"'arms': ['c'], 'epsilon': 1, 'prior': 'klucb'", "algorithm", "another algorithm"},
        {"'arms': ['c'], 'epsilon': 1, 'prior': 'clicks'", "feedback", "another feedback"},
        {"'arms': ['c'], 'epsilon': 1, 'reward_range': [0, 2], 'prior': 'old'", "reward_range",
         "another reward_range"},
        {"'arms': ['c'], 'epsilon': 1, 'default_reward': 1, 'prior': 'old'", "default_reward",
         "another default_reward"},
        {"'arms': ['c'], 'epsilon': 1, 'algorithm': 'rr-imed', 'prior': 'old'", "prior",
         "rr-imed can't start"},
        {"'arms': ['c'], 'epsilon': 1, 'algorithm': 'batch-klucb', 'prior': 'old'", "prior",
         "batch-klucb can't start"},
        {"'arms': ['c'], 'epsilon': 1, 'prior': 7", "prior", "expected"},
        {"'arms': ['c'], 'epsilon': 1, 'prior': 'old', 'prior_releases': 1", "prior_releases",
         "the server sets"},
    };
    create_old();
    serve("old", 10, "1");
    engine_must_create(&rig, "{'name': 'klucb', 'algorithm': 'batch-klucb', " OLD "}");
    engine_must_create(&rig, "{'name': 'clicks', 'feedback': 'clicks', " OLD "}");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(create_new(cases[i].more), LOTOR_CODE_BAD_VALUE);
        assert_string_equal(engine_refusal.field, cases[i].field);
        if (!strstr(engine_refusal.message.text, cases[i].words)) {
            fail_msg("%s: %s", cases[i].more, engine_refusal.message.text);
        }
    }
    must_create_new();
}

/* A chain that somebody has changed is not a prior. */
TEST_WITH(a_changed_chain_is_no_prior, start, end_unsound)
{
    lotor_message why;
    create_old();
    serve("old", 10, "1");
    const lotor_release_row forged = {.campaign = 1, .number = releases_of_old() + 1, .time = 999};
    assert_int_equal(lotor_store_begin(rig.store, &why), LOTOR_OK);
    assert_int_equal(lotor_store_add_release(rig.store, &forged, &why), LOTOR_OK);
    assert_int_equal(lotor_store_commit(rig.store, &why), LOTOR_OK);
    assert_int_equal(create_new(NEW), LOTOR_CODE_BROKEN);
    assert_string_equal(engine_refusal.field, "prior");
}
