/* test_algorithm.c - the catalog through the public header: every row, by number and by id, and
 * errors. */
#include "support/test.h"

#include <lotor/lotor.h>
#include <stdio.h>
#include <string.h>

#include "policy/catalog.h"

TEST(every_row_is_told)
{
    assert_int_equal(lotor_algorithm_count(), lotor_algorithms_size);
    for (size_t i = 0; i < lotor_algorithm_count(); i++) {
        const lotor_algorithm *row = &lotor_algorithms[i];
        lotor_algorithm_info placed, named;
        assert_int_equal(lotor_algorithm_at(i, NULL, &placed), LOTOR_OK);
        assert_int_equal(lotor_algorithm_find(placed.id, NULL, &named), LOTOR_OK);
        assert_ptr_equal(named.id, placed.id);
        assert_string_equal(placed.id, row->id);
        assert_string_equal(placed.summary, row->summary);
        assert_string_equal(placed.problem, lotor_problem_name(row->problem));
        assert_string_equal(placed.paper, row->paper);
        assert_string_equal(placed.regret, row->regret);
        assert_ptr_equal(placed.theorem, row->theorem);
        assert_ptr_equal(placed.not_private, lotor_algorithm_promise(row).reason);
        assert_int_equal(placed.model, row->model);
        assert_int_equal(placed.delta.num, row->delta.num);
        assert_int_equal(placed.delta.den, row->delta.den);
        assert_int_equal(placed.needs_horizon, row->needs_horizon);
        assert_int_equal(placed.is_simulation_only, row->is_simulation_only);
        assert_ptr_equal(placed.feedback, row->feedback);
        assert_ptr_equal(placed.list_feedback, row->on_lists);
        assert_int_equal(placed.list_feedback != NULL, row->problem == LOTOR_PROBLEM_ANY);
        assert_int_equal(placed.uses_beta, lotor_algorithm_uses_beta(row));
        /* private exactly if no reason says why not */
        assert_int_equal(placed.is_private, placed.not_private == NULL);
    }
}

/* Three rows, compared with what their papers say. */
TEST(known_rows_say_what_they_should)
{
    lotor_algorithm_info facts;
    assert_int_equal(lotor_algorithm_find("dp-se", NULL, &facts), LOTOR_OK);
    assert_string_equal(facts.problem, "finite");
    assert_string_equal(facts.paper, "Sajed 2019, Algorithm 9");
    assert_int_equal(facts.model, LOTOR_MODEL_CENTRAL);
    assert_true(facts.is_private && facts.needs_horizon && !facts.is_simulation_only);
    assert_int_equal(facts.delta.num, 0);
    assert_true(facts.uses_beta && !facts.uses_clip);
    assert_string_equal(facts.feedback, "one");

    assert_int_equal(lotor_algorithm_find("cascade-ucb", NULL, &facts), LOTOR_OK);
    assert_string_equal(facts.feedback, "cascade");
    assert_true(facts.uses_clip && !facts.uses_beta);

    assert_int_equal(lotor_algorithm_find("ucb", NULL, &facts), LOTOR_OK);
    assert_int_equal(facts.model, LOTOR_MODEL_NONE);
    assert_false(facts.is_private);
    assert_non_null(strstr(facts.not_private, "no noise"));
    assert_null(facts.theorem);

    assert_int_equal(lotor_algorithm_find("jdp-batch", NULL, &facts), LOTOR_OK);
    assert_string_equal(facts.problem, "linear");
    assert_int_equal(facts.model, LOTOR_MODEL_JOINT);
    assert_int_equal(facts.delta.num, 1);
    assert_int_equal(facts.delta.den, 100000);

    assert_int_equal(lotor_algorithm_find("rr-klucb", NULL, &facts), LOTOR_OK);
    assert_string_equal(facts.problem, "any");
    assert_int_equal(facts.model, LOTOR_MODEL_LOCAL);
}

static void assert_refused(const char *id, const char *text)
{
    lotor_message why = {""};
    lotor_algorithm_info facts = {.id = "untouched"};
    assert_int_equal(lotor_algorithm_find(id, &why, &facts), LOTOR_UNKNOWN);
    assert_string_equal(why.text, text);
    assert_string_equal(facts.id, "untouched");
    assert_int_equal(lotor_algorithm_find(id, NULL, &facts), LOTOR_UNKNOWN);
}

TEST(what_is_not_there_is_refused)
{
    static const char none[] = "no algorithm is named: give the id of one, such as dp-se";
    assert_refused("dp-ze", "there is no algorithm \"dp-ze\": did you mean dp-se?");
    assert_refused("batch-kl", "there is no algorithm \"batch-kl\": did you mean batch-klucb?");
    assert_refused("something else altogether",
                   "there is no algorithm \"something else altogether\"");
    assert_refused("dp\n-se", "there is no algorithm \"dp\\x0a-se\": did you mean dp-se?");
    assert_refused("DP-UCB", "there is no algorithm \"DP-UCB\": did you mean dp-ucb?");
    assert_refused("Lik_IMED", "there is no algorithm \"Lik_IMED\": did you mean lik-imed?");
    assert_refused("", none);
    assert_refused(NULL, none);

    lotor_message why = {""};
    lotor_algorithm_info facts;
    const size_t count = lotor_algorithm_count();
    char text[128];
    snprintf(text, sizeof text, "there is no algorithm in place %zu: there are %zu, counted from 0",
             count, count);
    assert_int_equal(lotor_algorithm_at(count, &why, &facts), LOTOR_UNKNOWN);
    assert_string_equal(why.text, text);
    assert_int_equal(lotor_algorithm_at(SIZE_MAX, NULL, &facts), LOTOR_UNKNOWN);
}

/* lotor_policy_check suggests a similar id with the same message. */
TEST(a_policy_suggests_too)
{
    lotor_message why = {""};
    const lotor_policy_params params = {.algorithm = "dpse", .arms = 2};
    assert_string_equal(lotor_policy_check(&params, &why),
                        "there is no algorithm \"dpse\": did you mean dp-se?");
}
