/* test_engine_guarantee.c - the guarantee that a reviewer reads describes what the campaign
 * does. */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/engine_rig.h"

SCENE_OF_EACH_TEST(engine_end);

static json_t *promise_of(const char *name)
{
    json_t *promise = lotor_engine_guarantee(rig.engine, name, &engine_refusal);
    assert_non_null(promise);
    static const char *const keys[] = {"private",       "reason",    "model",
                                       "epsilon",       "delta",     "unit",
                                       "mechanism",     "scale",     "theorem",
                                       "assumes",       "regret",    "noise",
                                       "campaign",      "algorithm", "protects",
                                       "not_protected", "statement", "level",
                                       "level_reason",  "meaning",   "accepted_rollbacks"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        assert_non_null(json_object_get(promise, keys[i]));
    }
    /* with a cap also the numbers of one round */
    const bool is_capped = json_object_get(promise, "per_round") != NULL;
    assert_int_equal(json_object_size(promise), sizeof keys / sizeof *keys + is_capped);
    assert_int_equal(is_capped, strncmp(json_string_value(json_object_get(promise, "unit")),
                                        "one user", 8) == 0);
    assert_string_equal(json_string_value(json_object_get(promise, "noise")), "exact");
    assert_string_equal(json_string_value(json_object_get(promise, "campaign")), name);
    return promise;
}

static bool says(const json_t *promise, const char *key, const char *what)
{
    char *text = json_dumps(json_object_get(promise, key), JSON_ENCODE_ANY);
    bool found = strstr(text, what) != NULL;
    free(text);
    return found;
}

TEST_WITH(a_central_campaign, start, end)
{
    engine_must_create(&rig, "{'name': 'c', 'algorithm': 'batch-klucb', 'arms': ['a', 'b'], "
                             "'epsilon': 0.1, 'wait_seconds': 1}");
    json_t *promise = promise_of("c");
    assert_true(json_is_true(json_object_get(promise, "private")));
    assert_string_equal(json_string_value(json_object_get(promise, "model")), "central");
    assert_true(json_number_value(json_object_get(promise, "epsilon")) == 0.1);
    assert_true(says(promise, "protects", "whether and when they gave it"));
    assert_true(says(promise, "not_protected", "the operator of this server"));
    assert_true(says(promise, "not_protected", "keys with the role metrics or admin"));
    assert_false(says(promise, "not_protected", "early_release"));
    assert_true(says(promise, "statement", "epsilon 0.1"));
    json_decref(promise);
}

/* A guarantee that is mathematically there, but protects nobody, is not called private. */
TEST_WITH(a_huge_epsilon_is_a_warning, start, end)
{
    engine_must_create(&rig, "{'name': 'c', 'algorithm': 'batch-klucb', 'arms': ['a', 'b'], "
                             "'epsilon': 1000000000, 'wait_seconds': 1}");
    json_t *promise = promise_of("c");
    assert_true(json_is_false(json_object_get(promise, "private")));
    assert_true(says(promise, "reason", "epsilon is above 10"));
    assert_true(says(promise, "level", "very weak"));
    assert_true(says(promise, "statement", "Warning: this campaign protects nobody"));
    json_decref(promise);
}

/* With a cap, the level is that of all rounds of a user together: 4 times 3 is above 10. */
TEST_WITH(the_level_is_of_the_user, start, end)
{
    engine_must_create(&rig, "{'name': 'c', 'algorithm': 'batch-klucb', 'arms': ['a', 'b'], "
                             "'epsilon': 3, 'rounds_per_user': 4, 'wait_seconds': 1}");
    json_t *promise = promise_of("c");
    assert_true(json_number_value(json_object_get(promise, "epsilon")) == 12.0);
    assert_true(says(promise, "level", "very weak"));
    json_decref(promise);
}

/* Without the operator's consent, a new campaign with a huge epsilon is refused. One that is in the
 * store already is found, and goes on. */
TEST_WITH(a_new_campaign_with_a_huge_epsilon, start, end)
{
    engine_must_create(&rig, "{'name': 'old', 'algorithm': 'batch-klucb', 'arms': ['a'], "
                             "'epsilon': 21, 'wait_seconds': 1}");
    engine_drop(&rig);
    rig.refuses_weak = true;
    assert_int_equal(engine_try_open(&rig, false), LOTOR_OK);
    engine_must_create(&rig, "{'name': 'old', 'algorithm': 'batch-klucb', 'arms': ['a'], "
                             "'epsilon': 21, 'wait_seconds': 1}");
    engine_must_create(&rig, "{'name': 'edge', 'algorithm': 'batch-klucb', 'arms': ['a'], "
                             "'epsilon': 20, 'wait_seconds': 1}");
    assert_int_equal(engine_create(&rig, "{'name': 'new', 'algorithm': 'batch-klucb', "
                                         "'arms': ['a'], 'epsilon': 20.001, 'wait_seconds': 1}"),
                     LOTOR_CODE_BAD_VALUE);
    assert_string_equal(engine_refusal.field, "epsilon");
    assert_non_null(strstr(engine_refusal.message.text, "--allow-weak-epsilon"));
}

/* The limit is for a user if rounds are capped, for sandboxes, and for budgets. */
TEST_WITH(the_limit_of_epsilon_is_for_a_user, start, end)
{
    json_t *reply = NULL;
    engine_must_create(&rig, "{'name': 'old', 'arms': ['a'], 'epsilon': 10, 'wait_seconds': 1, "
                             "'rounds_per_user': 3}");
    engine_must_create_budget(&rig, "{'name': 'huge', 'epsilon': 1000000000}");
    engine_drop(&rig);
    rig.refuses_weak = true;
    assert_int_equal(engine_try_open(&rig, false), LOTOR_OK);
    engine_must_create(&rig, "{'name': 'old', 'arms': ['a'], 'epsilon': 10, 'wait_seconds': 1, "
                             "'rounds_per_user': 3}");
    engine_must_create(&rig, "{'name': 'edge', 'arms': ['a'], 'epsilon': 10, 'wait_seconds': 1, "
                             "'rounds_per_user': 2}");
    assert_int_equal(engine_create(&rig, "{'name': 'new', 'arms': ['a'], 'epsilon': 10, "
                                         "'wait_seconds': 1, 'rounds_per_user': 3}"),
                     LOTOR_CODE_BAD_VALUE);
    assert_string_equal(engine_refusal.field, "epsilon");
    assert_non_null(strstr(engine_refusal.message.text, "epsilon 30 (3 rounds of a user, each"));
    assert_int_equal(engine_create(&rig, "{'name': 'new', 'arms': ['a'], 'epsilon': 20, "
                                         "'wait_seconds': 1, 'rounds_per_user': 1000}"),
                     LOTOR_CODE_BAD_VALUE);
    assert_int_equal(engine_create_budget(&rig, "{'name': 'new', 'epsilon': 20.001}", &reply),
                     LOTOR_CODE_BAD_VALUE);
    assert_string_equal(engine_refusal.field, "epsilon");
    assert_null(reply);
    engine_must_create_budget(&rig, "{'name': 'edge', 'epsilon': 20}");
    /* an old budget goes on, with a warning */
    assert_int_equal(engine_create_budget(&rig, "{'name': 'huge', 'epsilon': 1000000000}", &reply),
                     LOTOR_CODE_NONE);
    assert_string_equal(json_string_value(json_object_get(reply, "level")), "very weak");
    const char *const text = json_string_value(json_object_get(reply, "statement"));
    assert_int_equal(strncmp(text, "Warning: this budget protects nobody", 36), 0);
    json_decref(reply);
}

/* Weights of releases are post-processing, so everything that is said about privacy is the same. The text
 * about regret differs. */
TEST_WITH(a_half_life_changes_nothing, start, end)
{
    static const char *const half_lives[] = {"", ", 'half_life': 20000", ", 'half_life': '7d'"};
    static const char *const algorithms[] = {"lik-imed", "rr-imed"};
    for (size_t a = 0; a < 2; a++) {
        char *texts[3];
        for (size_t i = 0; i < 3; i++) {
            char json[200], name[8];
            snprintf(name, sizeof name, "c%zu%zu", a % 2, i % 3);
            snprintf(json, sizeof json,
                     "{'name': '%s', 'algorithm': '%s', 'arms': ['a', 'b'], 'epsilon': 0.5, "
                     "'wait_seconds': 1%s}",
                     name, algorithms[a], half_lives[i]);
            engine_must_create(&rig, json);
            json_t *promise = promise_of(name);
            assert_true(json_is_true(json_object_get(promise, "private")));
            const char *regret = json_string_value(json_object_get(promise, "regret"));
            assert_int_equal(strstr(regret, "worlds that change") != NULL, i > 0);
            json_object_del(promise, "regret");
            texts[i] = json_dumps(promise, JSON_SORT_KEYS);
            json_decref(promise);
            for (char *at; (at = strstr(texts[i], name));) {
                memcpy(at, "xyz", 3); /* texts have the name of the campaign */
            }
            assert_string_equal(texts[i], texts[0]);
        }
        for (size_t i = 0; i < 3; i++) {
            free(texts[i]);
        }
    }
}

TEST_WITH(early_release_is_said, start, end)
{
    engine_must_create(&rig, "{'name': 'c', 'algorithm': 'batch-klucb', 'arms': ['a', 'b'], "
                             "'epsilon': 1, 'wait_seconds': 1, 'early_release': true}");
    json_t *promise = promise_of("c");
    assert_true(json_is_true(json_object_get(promise, "private")));
    assert_false(says(promise, "protects", "whether"));
    assert_true(says(promise, "not_protected", "early_release"));
    assert_true(says(promise, "not_protected", "that reveals their feedback"));
    assert_true(says(promise, "assumes", "who answered when is public"));
    json_decref(promise);
}

TEST_WITH(a_cap_makes_it_per_user, start, end)
{
    engine_must_create(&rig, "{'name': 'c', 'algorithm': 'batch-klucb', 'arms': ['a', 'b'], "
                             "'epsilon': 0.5, 'wait_seconds': 1, 'rounds_per_user': 4}");
    json_t *promise = promise_of("c");
    assert_true(json_is_true(json_object_get(promise, "private")));
    assert_true(json_number_value(json_object_get(promise, "epsilon")) == 2);
    assert_true(says(promise, "unit", "one user, up to 4 rounds"));
    assert_true(says(promise, "statement", "one user, up to 4 rounds"));
    assert_true(says(promise, "assumes",
                     "neighbours differ in one user's rounds (feedback), and a user has one id;"));
    json_decref(promise);
}

/* With so many rounds, group privacy has a delta of 1. */
TEST_WITH(a_cap_that_is_none_protects_nothing, start, end)
{
    engine_must_create(&rig, "{'name': 'c', 'algorithm': 'jdp-batch', 'arms': ['a','b'], "
                             "'dimension': 2, 'epsilon': 1, 'delta': 0.001, 'horizon': 1000, "
                             "'wait_seconds': 1, 'rounds_per_user': 1000}");
    json_t *promise = promise_of("c");
    assert_true(json_is_false(json_object_get(promise, "private")));
    assert_true(says(promise, "statement", "It is not private"));
    assert_true(says(promise, "protects", "Nothing"));
    assert_false(says(promise, "statement", "A person's feedback"));
    json_decref(promise);
}

TEST_WITH(local_and_joint_ones, start, end)
{
    engine_must_create(&rig, "{'name': 'l', 'algorithm': 'rr-klucb', 'arms': ['a', 'b'], "
                             "'epsilon': 1, 'wait_seconds': 1}");
    json_t *promise = promise_of("l");
    assert_true(json_is_true(json_object_get(promise, "private")));
    assert_string_equal(json_string_value(json_object_get(promise, "model")), "local");
    assert_true(says(promise, "not_protected", "Whether and when a report came"));
    assert_false(says(promise, "not_protected", "the operator of this server"));
    /* the library also runs the person's side; a server does not */
    assert_false(says(promise, "assumes", "raw answers"));
    assert_true(says(promise, "assumes", "randomized on the person's side"));
    json_decref(promise);
    engine_must_create(&rig, "{'name': 'j', 'algorithm': 'jdp-batch', 'arms': ['a','b'], "
                             "'dimension': 2, 'epsilon': 1, 'delta': 0.001, 'horizon': 1000, "
                             "'wait_seconds': 1}");
    promise = promise_of("j");
    assert_true(json_is_true(json_object_get(promise, "private")));
    assert_string_equal(json_string_value(json_object_get(promise, "model")), "joint");
    assert_true(says(promise, "not_protected", "own context"));
    /* joint privacy: a person's own arms may reveal their context */
    assert_true(says(promise, "protects", "from everybody else"));
    assert_false(says(promise, "protects", "which arms are shown"));
    assert_false(says(promise, "not_protected", "decisions are public"));
    assert_true(says(promise, "assumes", "one round's actions and reward"));
    json_decref(promise);
}
