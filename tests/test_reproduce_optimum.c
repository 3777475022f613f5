/* test_reproduce_optimum.c - the curve of the optimal policy in figures of the return. */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "papers/reproduce_plan.h"
#include "papers/verdict.h"

static const lotor_curve_plan curves[] = {
    {"omm", {.algorithm = "omm"}},
    {"dpucb-mat", {.algorithm = "dpucb-mat"}},
    {"optimal", {.algorithm = "optimal"}},
};

static const lotor_figure_check checks[] = {
    {.claim = "at no time does a learner return more than the optimal policy",
     .kind = LOTOR_CHECK_NEVER_ABOVE,
     .second = "optimal",
     .factor = 1},
};

static const lotor_figure vectors = {
    .id = "test-optimal",
    .base = {.epsilon = 2, .instance = "table-6.1", .horizon = 500, .runs = 8},
    .quick_horizon = 500,
    .quick_runs = 8,
    .measure = LOTOR_MEASURE_RETURN,
    .log_x = true,
    .curves = curves,
    .curve_count = 3,
    .checks = checks,
    .check_count = 1,
};

static lotor_reproduction quick(void)
{
    return (lotor_reproduction){.is_quick = true, .seed = 7, .threads = 2, .scratch = "."};
}

static lotor_figure_result play(const lotor_figure *figure)
{
    const lotor_reproduction how = quick();
    lotor_figure_result played;
    lotor_message why = {""};
    if (lotor_figure_play(figure, &how, &why, &played) != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    return played;
}

/* By hand: of the seven vectors, the best independent set has 0.8 + 0.75 + 0.6. */
TEST(the_best_set_is_drawn_where_the_learners_are)
{
    lotor_figure figure = vectors;
    for (int logarithmic = 0; logarithmic < 2; logarithmic++) {
        figure.log_x = logarithmic;
        lotor_figure_result played = play(&figure);
        const lotor_series *series = played.panels[0].series;
        assert_true(series[2].count > 20);
        assert_int_equal(series[2].count, series[0].count);
        for (size_t i = 0; i < series[2].count; i++) {
            assert_true(series[2].points[i].x == series[0].points[i].x);
            assert_true(fabs(series[2].points[i].mean - 2.15) < 1e-12);
            assert_true(series[2].points[i].standard_error == 0.0);
        }
        lotor_figure_result_clear(&played);
    }
}

TEST(a_learner_above_it_is_noticed)
{
    lotor_figure_result played = play(&vectors);
    const lotor_figure_finding finding = lotor_figure_check_judge(&played, checks, 0);
    assert_int_equal(finding.verdict, LOTOR_VERDICT_HOLDS);
    assert_non_null(strstr(finding.measured, "2 of 2 curves"));
    lotor_series *private = &played.panels[0].series[1];
    private->points[private->count / 2].mean = 2.16;
    private->points[private->count / 2].standard_error = 1e-4;
    assert_int_equal(lotor_figure_check_judge(&played, checks, 0).verdict, LOTOR_VERDICT_FAILS);
    lotor_figure_result_clear(&played);
}

/* One run has no error, but the optimal policy has an error of 0. */
TEST(it_is_kept)
{
    for (uint64_t runs = 1; runs < 3; runs++) {
        lotor_figure figure = vectors;
        figure.quick_runs = runs;
        const lotor_reproduction how = quick();
        char file[] = "optimumXXXXXX";
        const int handle = mkstemp(file);
        assert_true(handle >= 0);
        assert_int_equal(close(handle), 0);
        lotor_figure_result played = play(&figure), back;
        lotor_message why = {""};
        assert_int_equal(lotor_figure_result_write(&played, file, &why), LOTOR_OK);
        if (lotor_figure_result_read(&figure, &how, file, &why, &back) != LOTOR_OK) {
            fail_msg("%s", why.text);
        }
        const lotor_series *series = &back.panels[0].series[2];
        assert_int_equal(series->count, played.panels[0].series[2].count);
        assert_true(series->points[0].mean == played.panels[0].series[2].points[0].mean);
        assert_true(series->points[0].standard_error == 0.0);
        lotor_figure_result_clear(&back);
        lotor_figure_result_clear(&played);
        assert_int_equal(unlink(file), 0);
    }
}

/* Nothing is played: no work, no privacy, and no experiment to share. */
TEST(it_has_no_settings_of_a_learner)
{
    const lotor_figure_cell cell = lotor_figure_cell_at(&vectors, true, 2);
    lotor_figure_cell like;
    assert_true(lotor_setting_is_optimal(&cell.setting));
    assert_false(lotor_setting_is_optimal(&vectors.base));
    assert_true(cell.setting.epsilon == 0.0 && cell.setting.noise_scale == 1.0);
    assert_true(lotor_figure_cell_work(&cell) == 1.0);
    assert_false(lotor_figure_cell_like(&vectors, &vectors, true, &cell, &like));
}

static void refused(const lotor_figure *figure)
{
    const lotor_reproduction how = quick();
    lotor_figure_result played;
    lotor_message why = {""};
    assert_int_equal(lotor_figure_play(figure, &how, &why, &played), LOTOR_INVALID);
    assert_non_null(strstr(why.text, "test-optimal, optimal: the optimal policy is for"));
    lotor_figure_result_clear(&played);
}

TEST(other_figures_do_not_have_it)
{
    static const double epsilons[] = {1, 2, 4};
    lotor_figure regret = vectors, over_epsilon = vectors, linear = vectors;
    regret.measure = LOTOR_MEASURE_REGRET;
    refused(&regret);
    over_epsilon.axis = LOTOR_AXIS_EPSILON;
    over_epsilon.values = epsilons;
    over_epsilon.value_count = 3;
    refused(&over_epsilon);
    linear.base.place = LOTOR_FIGURE_WORLD_LINEAR;
    linear.curves = &curves[2];
    linear.curve_count = 1;
    refused(&linear);
}
