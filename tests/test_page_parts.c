/* test_page_parts.c - parts of the report: definitions of instances, and headlines. */
#include "support/test.h"

#include <string.h>

#include "papers/page_world.h"
#include "papers/paper_tally.h"
#include "support/well_formed.h"

/* Every kind of instance is defined with the numbers that were played. */
TEST(test_worlds)
{
    static const lotor_curve_plan lists[] = {{"a", {.algorithm = "cascade-ucb"}}};
    static const lotor_curve_plan sets[] = {{"a", {.algorithm = "cucb"}}};
    static const lotor_curve_plan arms[] = {{"a", {.algorithm = "ucb", .arms = 3}},
                                            {"b", {.algorithm = "dp-se", .arms = 10}},
                                            {"c", {.algorithm = "ucb", .arms = 10}}};
    static const lotor_curve_plan vectors[] = {{"a", {.algorithm = "omm"}}};
    static const lotor_curve_plan contexts[] = {{"a", {.algorithm = "linucb"}}};
    static const struct {
        const lotor_curve_plan *curves;
        size_t count;
        lotor_setting base;
        const char *text;
    } cases[] = {
        {lists,
         1,
         {.place = LOTOR_FIGURE_WORLD_TWO_VALUED, .arms = 20, .slots = 4, .high = 0.2, .low = 0.05},
         "each round shows a list of K = 4 of 20 items. A person reads it from the top and clicks "
         "the first item that attracts. The first K items attract with probability 0.2, the others "
         "with 0.05.</p>"},
        {sets,
         1,
         {.place = LOTOR_FIGURE_WORLD_TWO_VALUED, .arms = 16, .slots = 4, .high = 0.7, .low = 0.3},
         "each round shows K = 4 of 16 arms. The first K have mean 0.7, the others 0.3. Rewards "
         "are "
         "0 or 1, and independent.</p>"},
        {arms,
         3,
         {.instance = "c2"},
         "<b>c2</b>: Means fall from 0.75 to 0.25 in equal steps. 3 arms, means 0.75, 0.5, 0.25. "
         "10 "
         "arms, means 0.75, 0.6944, 0.6389, 0.5833, 0.5278, 0.4722, 0.4167, 0.3611, 0.3056, 0.25. "
         "Rewards are 0 or 1.</p>"},
        {vectors,
         1,
         {.instance = "table-6.1"},
         "7 arms, means (1, 0, 0) 0.8, (0, 1, 0) 0.75, (0, 0, 1) 0.6, (1, 0, 1) 0.2, (0, 1, 1) "
         "0.3, "
         "(2, 0, 0) 0.4, (0, 0, 0) 0.7."},
        {contexts,
         1,
         {.place = LOTOR_FIGURE_WORLD_LINEAR, .dimension = 5, .arms = 20},
         "<b>Contexts in the ball</b>: each round has 20 new actions in d = 5 dimensions, uniform"},
        {vectors,
         1,
         {.place = LOTOR_FIGURE_WORLD_MOVIELENS, .arms = 100},
         "<b>MovieLens</b>: the 100 most rated movies."},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lotor_figure figure = {
            .id = "one", .paper = "One", .where = "Figure 1", .title = "", .claim = ""};
        figure.base = cases[i].base;
        figure.base.horizon = 100;
        figure.base.runs = 3;
        figure.curves = cases[i].curves;
        figure.curve_count = cases[i].count;
        const lotor_figure_result played = {.figure = &figure, .horizon = 100, .runs = 3};
        lotor_text text = {0};
        lotor_page_put_worlds(&text, &played);
        assert_int_equal(lotor_text_status(&text, NULL), LOTOR_OK);
        assert_null(well_formed_error(text.bytes));
        if (!strstr(text.bytes, cases[i].text)) {
            fail_msg("%s lacks: %s", text.bytes, cases[i].text);
        }
        assert_int_equal(occurrences(text.bytes, "<p class=\"world\">"), 1);
        lotor_text_clear(&text);
    }
}

/* The headline says how many claims hold, of the claims that can be judged. */
TEST(test_headlines)
{
    static const struct {
        lotor_paper_tally tally;
        const char *headline, *others;
    } cases[] = {
        {{.claims = {{9, 1, 1, 0}, 11}},
         "9 of 11 claims hold (at the paper’s scale)",
         "1 does not hold, 1 is not decided"},
        {{.claims = {{1, 0, 0, 0}, 1}, .is_provisional = true},
         "1 of 1 claim holds (provisional: --scale paper makes it final)",
         ""},
        {{.claims = {{9, 2, 0, 0}, 11}, .honest_claims = {{2, 7, 2, 0}, 11}},
         "In the paper’s setting 9 of 11 claims hold; with the noise that its privacy claim needs, "
         "2 "
         "of 11 (at the paper’s scale)",
         "2 do not hold"},
        {{.claims = {{4, 0, 3, 1}, 8}},
         "4 of 7 claims hold, and 1 more needs MovieLens 1M (at the paper’s scale)",
         "3 are not decided, 1 needs MovieLens 1M"},
        {{.claims = {{0, 0, 0, 2}, 2}},
         "Nothing can be decided without MovieLens 1M",
         "2 need MovieLens 1M"},
        {{.figures = 1}, "No claim was checked", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char headline[300] = "", others[100] = "";
        lotor_text text = {.bytes = headline, .capacity = sizeof headline, .is_fixed = true};
        lotor_paper_put_headline(&text, &cases[i].tally);
        assert_string_equal(headline, cases[i].headline);
        text = (lotor_text){.bytes = others, .capacity = sizeof others, .is_fixed = true};
        lotor_paper_put_others(&text, &cases[i].tally.claims);
        assert_string_equal(others, cases[i].others);
    }
}
