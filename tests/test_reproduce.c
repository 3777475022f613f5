/* test_reproduce.c - plays figures: the experiments that rows become, and the files that store
 * them. */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/bounds.h"
#include "lab/simulate.h"
#include "papers/reproduce_plan.h"

static const lotor_curve_plan two_curves[] = {
    {"dp-se, \"quoted\"", {.algorithm = "dp-se"}},
    {"ucb", {.algorithm = "ucb", .runs = 3}},
};

static const lotor_panel_plan two_panels[] = {{"honest", 0.0}, {"less noise", 0.01}};

/* Regret over the rounds, two panels. */
static const lotor_figure rounds = {
    .id = "test-rounds",
    .base = {.instance = "c2", .epsilon = 0.5, .horizon = 4000, .runs = 8},
    .quick_horizon = 1000,
    .quick_runs = 4,
    .log_x = true,
    .curves = two_curves,
    .curve_count = 2,
    .panels = two_panels,
    .panel_count = 2,
};

static const double some_epsilons[] = {0.1, 0.2, 0.5, 1, 2};

/* A number of each experiment over epsilon. */
static const lotor_figure epsilons = {
    .id = "test-epsilons",
    .base = {.instance = "c1", .horizon = 500, .runs = 5},
    .axis = LOTOR_AXIS_EPSILON,
    .values = some_epsilons,
    .value_count = 5,
    .quick_stride = 2,
    .curves = two_curves,
    .curve_count = 2,
};

static lotor_reproduction quick(void)
{
    return (lotor_reproduction){.is_quick = true, .seed = 7, .threads = 2, .scratch = "."};
}

static lotor_figure_result play(const lotor_figure *figure, const lotor_reproduction *how)
{
    lotor_figure_result played;
    lotor_message why = {""};
    if (lotor_figure_play(figure, how, &why, &played) != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    return played;
}

static lotor_experiment_result simulate(const char *instance, lotor_policy_params params,
                                        uint64_t runs, size_t checkpoints, double noise_scale)
{
    lotor_world *world;
    lotor_message why = {""};
    lotor_experiment_result result;
    assert_int_equal(lotor_world_instance(instance, 0, &why, &world), LOTOR_OK);
    params.arms = world->arms;
    if (world->vectors) {
        params.structure = LOTOR_STRUCTURE_LINEAR;
        params.vectors = world->vectors;
        params.dimension = world->dimension;
    }
    const lotor_experiment trial = {.policy = params,
                                    .world = world,
                                    .runs = runs,
                                    .seed = 7,
                                    .checkpoints = checkpoints,
                                    .noise_scale = noise_scale};
    if (lotor_experiment_run(&trial, &why, &result) != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    lotor_world_free(world);
    return result;
}

static void expect_number(double value, double expected)
{
    const bool both = isnan(value) && isnan(expected);
    if (!both && value != expected) {
        fail_msg("%.17g, expected %.17g", value, expected);
    }
}

/* The same numbers as those of the simulator, at every checkpoint, in both panels. */
TEST(over_rounds)
{
    const lotor_reproduction how = quick();
    lotor_figure_result played = play(&rounds, &how);
    assert_int_equal(played.count, 2);
    assert_int_equal(played.horizon, 1000);
    assert_int_equal(played.runs, 4);
    assert_string_equal(played.remark, "");
    for (size_t panel = 0; panel < 2; panel++) {
        assert_string_equal(played.panels[panel].label, two_panels[panel].label);
        for (size_t curve = 0; curve < 2; curve++) {
            const lotor_series *series = &played.panels[panel].series[curve];
            lotor_policy_params params = {.algorithm = two_curves[curve].setting.algorithm,
                                          .horizon = 1000};
            if (curve == 0) {
                params.epsilon = lotor_ratio_of(1, 2);
            }
            lotor_experiment_result result = simulate("c2", params, curve == 0 ? 4 : 3, 60,
                                                      panel == 1 && curve == 0 ? 0.01 : 1.0);
            assert_string_equal(series->label, two_curves[curve].label);
            assert_int_equal(series->count, result.checkpoint_count);
            for (size_t i = 0; i < series->count; i++) {
                expect_number(series->points[i].x, (double)result.checkpoints[i].t);
                expect_number(series->points[i].mean, result.checkpoints[i].mean);
                expect_number(series->points[i].standard_error,
                              result.checkpoints[i].standard_error);
            }
            lotor_experiment_result_free(&result);
        }
    }
    lotor_figure_result_clear(&played);
    /* Learners without noise are the same experiment in both panels. */
    assert_int_equal(lotor_figure_cell_first_like(&rounds, true, 2), 2);
    assert_int_equal(lotor_figure_cell_first_like(&rounds, true, 3), 1);
}

/* The bound of c2 without privacy is the sum of gap/kl, about 7. At epsilon 0.001 that of private
 * learners is the sum of gap/d_epsilon, about 4/epsilon. */
TEST(lower_bounds)
{
    lotor_figure figure = rounds;
    figure.base.epsilon = 0.001;
    const lotor_reproduction how = quick();
    lotor_figure_result played = play(&figure, &how);
    double plain = 0.0;
    for (int i = 1; i < 5; i++) {
        plain += 0.125 * i / lotor_kl_bernoulli(0.75 - 0.125 * i, 0.75);
    }
    const double bound = played.panels[0].series[1].lower_bound;
    assert_true(fabs(bound - plain) < 1e-9 * plain);
    assert_true(fabs(played.panels[0].series[0].lower_bound - 4001.563561945973) < 1e-6);
    /* With scaled noise no privacy is claimed, so the bound without privacy is used. */
    assert_true(fabs(played.panels[1].series[0].lower_bound - plain) < 1e-9 * plain);
    lotor_figure_result_clear(&played);
}

/* The quick scale has every other value, the paper's all; learners without noise are played
 * once. */
TEST(over_values)
{
    lotor_reproduction how = quick();
    lotor_figure_result played = play(&epsilons, &how);
    assert_int_equal(played.count, 1);
    assert_string_equal(played.panels[0].label, "");
    assert_int_equal(lotor_figure_cell_count(&epsilons, true), 6);
    assert_int_equal(lotor_figure_cell_count(&epsilons, false), 10);
    for (size_t i = 0; i < 3; i++) {
        const double epsilon = some_epsilons[2 * i];
        lotor_policy_params params = {.algorithm = "dp-se", .horizon = 500};
        assert_int_equal(lotor_ratio_parse(i == 0   ? "0.1"
                                           : i == 1 ? "0.5"
                                                    : "2",
                                           NULL, &params.epsilon),
                         LOTOR_OK);
        lotor_experiment_result result = simulate("c1", params, 5, 0, 1.0);
        const lotor_series *private = &played.panels[0].series[0];
        const lotor_series *open = &played.panels[0].series[1];
        assert_int_equal(private->count, 3);
        expect_number(private->points[i].x, epsilon);
        expect_number(private->points[i].mean, result.regret_mean);
        expect_number(private->points[i].standard_error, result.regret_stderr);
        expect_number(open->points[i].x, epsilon);
        expect_number(open->points[i].mean, open->points[0].mean);
        assert_true(isnan(open->lower_bound));
        lotor_experiment_result_free(&result);
        assert_int_equal(lotor_figure_cell_first_like(&epsilons, true, 3 + i), 3);
        assert_int_equal(lotor_figure_cell_first_like(&epsilons, true, i), i);
    }
    lotor_figure_result_clear(&played);
    how.is_quick = false;
    played = play(&epsilons, &how);
    assert_int_equal(played.panels[0].series[0].count, 5);
    lotor_figure_result_clear(&played);
    /* Five of dp-se, one of ucb. */
    assert_true(lotor_figure_work(&epsilons, false, NULL, 0) >
                lotor_figure_work(&epsilons, true, NULL, 0));
    lotor_figure_cell cell = lotor_figure_cell_at(&epsilons, false, 5);
    double expected = lotor_figure_cell_work(&cell);
    for (size_t i = 0; i < 5; i++) {
        cell = lotor_figure_cell_at(&epsilons, false, i);
        expected += lotor_figure_cell_work(&cell);
    }
    assert_true(fabs(lotor_figure_work(&epsilons, false, NULL, 0) - expected) < 1e-6);
}

/* The return over the rounds is the value of the best set minus regret / t; at the end it is that
 * of the result. Regret / log t starts at t = 2. */
TEST(measures)
{
    static const lotor_curve_plan curves[] = {{"omm", {.algorithm = "omm"}}};
    lotor_figure figure = {
        .id = "test-measure",
        .base = {.instance = "table-6.1", .horizon = 2000, .runs = 3},
        .measure = LOTOR_MEASURE_RETURN,
        .log_x = true,
        .curves = curves,
        .curve_count = 1,
    };
    const lotor_reproduction how = quick();
    lotor_experiment_result result =
        simulate("table-6.1", (lotor_policy_params){.algorithm = "omm", .horizon = 2000}, 3, 60, 1);
    lotor_figure_result played = play(&figure, &how);
    const lotor_series *series = &played.panels[0].series[0];
    for (size_t i = 0; i < series->count; i++) {
        const lotor_checkpoint *at = &result.checkpoints[i];
        /* 0.8 + 0.75 + 0.6: Chandak's best basis */
        assert_true(fabs(series->points[i].mean - (2.15 - at->mean / (double)at->t)) < 1e-12);
    }
    assert_true(fabs(series->points[series->count - 1].mean - result.return_mean) < 1e-9);
    assert_true(fabs(series->points[series->count - 1].standard_error - result.return_stderr) <
                1e-9);
    lotor_figure_result_clear(&played);

    figure.measure = LOTOR_MEASURE_REGRET_PER_LOG;
    played = play(&figure, &how);
    series = &played.panels[0].series[0];
    assert_int_equal(series->count, result.checkpoint_count - 1);
    expect_number(series->points[0].x, 2.0);
    expect_number(series->points[series->count - 1].mean, result.regret_mean / log(2000.0));
    assert_true(series->lower_bound > 0.0);
    lotor_figure_result_clear(&played);

    /* Over regret / log t the bound is a constant; c2's is the one of lower_bounds() above. */
    static const lotor_curve_plan plain[] = {{"ucb", {.algorithm = "ucb"}}};
    figure.base = (lotor_setting){.instance = "c2", .horizon = 200, .runs = 2};
    figure.curves = plain;
    played = play(&figure, &how);
    double bound = 0.0;
    for (int i = 1; i < 5; i++) {
        bound += 0.125 * i / lotor_kl_bernoulli(0.75 - 0.125 * i, 0.75);
    }
    assert_true(fabs(played.panels[0].series[0].lower_bound - bound) < 1e-9 * bound);
    lotor_figure_result_clear(&played);

    static const double gaps[] = {0.1, 0.3};
    static const lotor_curve_plan linear[] = {{"linucb", {.algorithm = "linucb"}}};
    figure = (lotor_figure){
        .id = "test-linear",
        .base = {.place = LOTOR_FIGURE_WORLD_LINEAR, .dimension = 3, .horizon = 200, .runs = 2},
        .axis = LOTOR_AXIS_GAP,
        .values = gaps,
        .value_count = 2,
        .measure = LOTOR_MEASURE_RETURN,
        .curves = linear,
        .curve_count = 1,
    };
    assert_int_equal(lotor_figure_cell_at(&figure, true, 1).setting.arms, 9);
    played = play(&figure, &how);
    assert_true(played.panels[0].series[0].points[1].mean <= 0.75);
    assert_true(played.panels[0].series[0].points[1].mean > 0.0);
    lotor_figure_result_clear(&played);
    lotor_experiment_result_free(&result);
}

/* Over a linear axis the points are at most about a hundredth of it apart towards the end. */
TEST(linear_axis)
{
    static const lotor_curve_plan curves[] = {{"dp-se", {.algorithm = "dp-se"}}};
    const lotor_figure figure = {
        .id = "test-axis",
        .base = {.instance = "c1", .epsilon = 1, .horizon = 50000000, .runs = 2},
        .curves = curves,
        .curve_count = 1,
    };
    const lotor_reproduction how = quick();
    lotor_figure_result played = play(&figure, &how);
    const lotor_series *series = &played.panels[0].series[0];
    assert_true(series->count > 30 && series->count < 120);
    for (size_t i = 1; i < series->count; i++) {
        const double apart = series->points[i].x - series->points[i - 1].x;
        assert_true(apart <= 0.045 * 5e7);
        assert_true(apart >= 0.01 * 5e7 || i + 1 == series->count);
    }
    expect_number(series->points[series->count - 1].x, 5e7);
    lotor_figure_result_clear(&played);
}

TEST(formula)
{
    static const lotor_curve_plan curves[] = {{"least", {0}}, {"line", {.algorithm = "tangent"}}};
    const lotor_figure figure = {
        .id = "test-formula",
        .base = {.place = LOTOR_FIGURE_WORLD_FORMULA, .horizon = 1, .runs = 1},
        .axis = LOTOR_AXIS_EPSILON,
        .values = some_epsilons,
        .value_count = 5,
        .measure = LOTOR_MEASURE_PROBABILITY,
        .curves = curves,
        .curve_count = 2,
    };
    const lotor_reproduction how = quick();
    lotor_figure_result played = play(&figure, &how);
    const lotor_series *series = played.panels[0].series;
    assert_true(fabs(series[0].points[3].mean - 0.268941421369995) < 1e-12);
    expect_number(series[0].points[3].standard_error, 0.0);
    expect_number(series[1].points[3].mean, 0.25);
    lotor_figure_result_clear(&played);
}

/* How each axis changes an experiment, and which settings take precedence. */
TEST(settings)
{
    static const double values[] = {4, 8};
    static const lotor_curve_plan curves[] = {
        {"x", {.algorithm = "cascade-dp", .slots = 3, .horizon = 50, .epsilon = 9}}};
    lotor_figure figure = {
        .id = "test-settings",
        .base = {.place = LOTOR_FIGURE_WORLD_TWO_VALUED,
                 .slots = 2,
                 .arms = 6,
                 .high = 0.2,
                 .low = 0.05,
                 .epsilon = 1,
                 .horizon = 700,
                 .runs = 30},
        .quick_horizon = 100,
        .quick_runs = 10,
        .values = values,
        .value_count = 2,
        .curves = curves,
        .curve_count = 1,
    };
    figure.axis = LOTOR_AXIS_PER_EPSILON;
    lotor_setting setting = lotor_figure_cell_at(&figure, true, 1).setting;
    expect_number(setting.epsilon, 0.125);
    assert_int_equal(setting.slots, 3);
    assert_int_equal(setting.arms, 6);
    assert_int_equal(setting.horizon, 50); /* shorter than the quick one already */
    assert_int_equal(setting.runs, 10);
    expect_number(setting.noise_scale, 1.0);
    figure.axis = LOTOR_AXIS_ARMS;
    setting = lotor_figure_cell_at(&figure, false, 1).setting;
    assert_int_equal(setting.arms, 8);
    assert_int_equal(setting.runs, 30);
    expect_number(setting.epsilon, 9.0);
    figure.axis = LOTOR_AXIS_SLOTS;
    assert_int_equal(lotor_figure_cell_at(&figure, false, 0).setting.slots, 4);
    figure.axis = LOTOR_AXIS_DIMENSION;
    figure.base.place = LOTOR_FIGURE_WORLD_LINEAR;
    figure.base.arms = 0;
    assert_int_equal(lotor_figure_cell_at(&figure, false, 0).setting.arms, 20);
    figure.base.has_gap = true;
    assert_int_equal(lotor_figure_cell_at(&figure, false, 1).setting.arms, 64);
    figure.axis = LOTOR_AXIS_REGULARIZER; /* which only linear learners read */
    expect_number(lotor_figure_cell_at(&figure, false, 1).setting.regularizer, 0.0);
}

/* Progress goes from 0 to 1 and never back; if `progress` returns true, playing stops. */
typedef struct watcher {
    double last;
    size_t calls, stop_after;
    bool went_back;
} watcher;

static bool watch(void *context, double share)
{
    watcher *self = context;
    self->went_back = self->went_back || share < self->last || share > 1.0;
    self->last = share;
    return ++self->calls >= self->stop_after;
}

TEST(progress)
{
    watcher seen = {.stop_after = SIZE_MAX};
    lotor_reproduction how = quick();
    how.progress = watch;
    how.context = &seen;
    lotor_figure_result played = play(&rounds, &how);
    assert_false(seen.went_back);
    assert_true(seen.last > 0.99);
    lotor_figure_result_clear(&played);

    seen = (watcher){.stop_after = 3};
    lotor_message why = {""};
    assert_int_equal(lotor_figure_play(&rounds, &how, &why, &played), LOTOR_STOPPED);
    assert_string_equal(why.text, "test-rounds was stopped");
    lotor_figure_result_clear(&played);
}

static void expect_same_points(const lotor_figure_result *one, const lotor_figure_result *other);

/* --- equal experiments in two figures --- */

static const lotor_curve_plan over_rounds_curves[] = {
    {"dp-se, 3 arms", {.algorithm = "dp-se", .arms = 3}},
    {"dp-se, 5 arms", {.algorithm = "dp-se", .arms = 5}},
    {"ucb, 3 arms", {.algorithm = "ucb", .arms = 3}},
    {"ucb, 5 arms", {.algorithm = "ucb", .arms = 5}},
};
static const lotor_figure curves_over_rounds = {
    .id = "test-known",
    .base = {.instance = "c2", .epsilon = 0.5, .horizon = 3000, .runs = 4},
    .log_x = true,
    .curves = over_rounds_curves,
    .curve_count = 4,
};
static const double arm_counts[] = {3, 5};
static const lotor_curve_plan over_arms_curves[] = {
    {"ucb", {.algorithm = "ucb"}},
    {"dp-se", {.algorithm = "dp-se"}},
};

static lotor_figure over_arms(bool notes_rounds)
{
    return (lotor_figure){
        .id = "test-ends",
        .base = {.instance = "c2", .epsilon = 0.5, .horizon = 3000, .runs = 4},
        .axis = LOTOR_AXIS_ARMS,
        .values = arm_counts,
        .value_count = 2,
        .log_x = true,
        .notes_rounds = notes_rounds,
        .curves = over_arms_curves,
        .curve_count = 2,
    };
}

/* A figure played alone has the same numbers as one that copies them from another figure; then
 * nothing is played. */
TEST(known_experiments)
{
    watcher seen = {.stop_after = SIZE_MAX};
    lotor_reproduction how = quick();
    how.progress = watch;
    how.context = &seen;
    lotor_figure_result source = play(&curves_over_rounds, &how);
    const lotor_figure_result *known[] = {&source};
    const lotor_figure *const before[] = {&curves_over_rounds};
    const lotor_figure ends = over_arms(true);

    lotor_figure_result alone = play(&ends, &how);
    seen = (watcher){.stop_after = SIZE_MAX};
    how.known = known;
    how.known_count = 1;
    lotor_figure_result taken = play(&ends, &how);
    assert_int_equal(seen.calls, 0);
    expect_same_points(&taken, &alone);
    expect_number(taken.panels[0].series[1].points[0].mean,
                  source.panels[0].series[0].points[source.panels[0].series[0].count - 1].mean);
    assert_true(isnan(taken.panels[0].series[0].lower_bound));
    assert_true(lotor_figure_work(&ends, true, NULL, 0) > 1.0);
    expect_number(lotor_figure_work(&ends, true, before, 1), 0.0);
    lotor_figure_result_clear(&taken);

    /* The same curves, with their lower bounds. */
    lotor_figure again = curves_over_rounds;
    again.curve_count = 3;
    taken = play(&again, &how);
    assert_int_equal(seen.calls, 0);
    assert_int_equal(taken.panels[0].series[2].count, source.panels[0].series[2].count);
    expect_number(taken.panels[0].series[2].lower_bound, source.panels[0].series[2].lower_bound);
    assert_true(isfinite(taken.panels[0].series[2].lower_bound));
    lotor_figure_result_clear(&taken);

    /* Another seed, measure, length, number of runs or noted rounds is another experiment. */
    how.seed = 8;
    lotor_figure_result other = play(&ends, &how);
    assert_true(seen.calls > 0);
    lotor_figure_result_clear(&other);
    lotor_figure_cell like, cell = lotor_figure_cell_at(&ends, true, 0);
    assert_true(lotor_figure_cell_like(&curves_over_rounds, &ends, true, &cell, &like));
    assert_int_equal(like.curve, 2);
    const lotor_figure unlike = over_arms(false);
    assert_false(lotor_figure_cell_like(&curves_over_rounds, &unlike, true, &cell, &like));
    lotor_figure changed = ends;
    changed.measure = LOTOR_MEASURE_REGRET_PER_LOG;
    assert_false(lotor_figure_cell_like(&curves_over_rounds, &changed, true, &cell, &like));
    changed = ends;
    changed.log_x = false;
    assert_false(lotor_figure_cell_like(&curves_over_rounds, &changed, true, &cell, &like));
    changed = ends;
    changed.base.horizon = 3001;
    cell = lotor_figure_cell_at(&changed, true, 0);
    assert_false(lotor_figure_cell_like(&curves_over_rounds, &changed, true, &cell, &like));
    changed.base.horizon = 3000;
    changed.base.runs = 5;
    cell = lotor_figure_cell_at(&changed, true, 0);
    assert_false(lotor_figure_cell_like(&curves_over_rounds, &changed, true, &cell, &like));
    lotor_figure_result_clear(&alone);
    lotor_figure_result_clear(&source);
}

TEST(refusals)
{
    static const lotor_curve_plan unknown[] = {{"nobody", {.algorithm = "nobody"}}};
    lotor_figure figure = rounds;
    figure.curves = unknown;
    figure.curve_count = 1;
    lotor_reproduction how = quick();
    lotor_figure_result played;
    lotor_message why = {""};
    assert_int_not_equal(lotor_figure_play(&figure, &how, &why, &played), LOTOR_OK);
    assert_non_null(strstr(why.text, "test-rounds, nobody: "));
    lotor_figure_result_clear(&played);

    figure = epsilons;
    figure.base.place = LOTOR_FIGURE_WORLD_MOVIELENS;
    how.movielens = "/no/such/folder";
    assert_int_equal(lotor_figure_play(&figure, &how, &why, &played), LOTOR_UNKNOWN);
    assert_non_null(strstr(why.text, "/no/such/folder/ratings.dat"));
    assert_string_equal(played.remark, "on the MovieLens files in \"/no/such/folder\"");
    lotor_figure_result_clear(&played);
}

/* --- files ------------------------------------------------------------------------------------ */

static char folder[] = "lotor-reproduce.XXXXXX";
static char file[64];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) {
        return -1;
    }
    snprintf(file, sizeof file, "%s/points.csv", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(file);
    return rmdir(folder); /* fails if anything else was left there */
}

static void expect_same(const lotor_figure_result *one, const lotor_figure_result *other)
{
    expect_number(one->seconds, other->seconds);
    assert_int_equal(one->horizon, other->horizon);
    assert_int_equal(one->runs, other->runs);
    assert_int_equal(one->seed, other->seed);
    assert_string_equal(one->remark, other->remark);
    assert_string_equal(one->data, other->data);
    expect_same_points(one, other);
}

static void expect_same_points(const lotor_figure_result *one, const lotor_figure_result *other)
{
    assert_int_equal(one->count, other->count);
    for (size_t i = 0; i < one->count; i++) {
        assert_string_equal(one->panels[i].label, other->panels[i].label);
        for (size_t j = 0; j < one->panels[i].count; j++) {
            const lotor_series *left = &one->panels[i].series[j];
            const lotor_series *right = &other->panels[i].series[j];
            assert_string_equal(left->label, right->label);
            expect_number(left->lower_bound, right->lower_bound);
            assert_int_equal(left->count, right->count);
            for (size_t k = 0; k < left->count; k++) {
                expect_number(left->points[k].x, right->points[k].x);
                expect_number(left->points[k].mean, right->points[k].mean);
                expect_number(left->points[k].standard_error, right->points[k].standard_error);
            }
        }
    }
}

TEST(kept)
{
    lotor_reproduction how = quick();
    lotor_figure_result played = play(&rounds, &how), back;
    lotor_message why = {""};
    played.panels[0].series[1].points[2].mean = -1.0 / 3.0;
    assert_int_equal(lotor_figure_result_read(&rounds, &how, file, &why, &back), LOTOR_UNKNOWN);
    assert_int_equal(lotor_figure_result_write(&played, file, &why), LOTOR_OK);
    if (lotor_figure_result_read(&rounds, &how, file, &why, &back) != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    expect_same(&played, &back);
    lotor_figure_result_clear(&back);

    /* Another scale, seed, or setting is another figure. */
    lotor_figure changed = rounds;
    changed.base.epsilon = 0.25;
    assert_int_equal(lotor_figure_result_read(&changed, &how, file, &why, &back), LOTOR_INVALID);
    assert_non_null(strstr(why.text, "other settings"));
    how.seed = 8;
    assert_int_equal(lotor_figure_result_read(&rounds, &how, file, &why, &back), LOTOR_INVALID);
    assert_non_null(strstr(why.text, "another seed"));
    how = quick();
    how.is_quick = false;
    assert_int_equal(lotor_figure_result_read(&rounds, &how, file, &why, &back), LOTOR_INVALID);
    assert_null(back.panels);

    assert_int_equal(lotor_figure_result_write(&played, "/no/such/folder/a.csv", &why),
                     LOTOR_INVALID);
    assert_non_null(strstr(why.text, "/no/such/folder/a.csv.partial"));
    lotor_figure_result_clear(&played);
}

static lotor_figure a_short_one(void)
{
    lotor_figure figure = rounds;
    figure.quick_horizon = 12;
    return figure;
}

static lotor_status parse(const char *bytes, size_t length)
{
    const lotor_reproduction how = quick();
    const lotor_figure figure = a_short_one();
    lotor_message why = {""};
    lotor_figure_result back;
    const lotor_status status =
        lotor_figure_result_parse(&figure, &how, (lotor_slice){bytes, length}, "test", &why, &back);
    assert_true(status == LOTOR_OK || why.text[0] != '\0');
    lotor_figure_result_clear(&back);
    return status;
}

/* A file that is cut anywhere is refused. If any byte is changed, the file is read or refused, and
 * never accepted with a label or a key that does not exist. Swapped or repeated lines are
 * refused. */
TEST(damaged)
{
    const lotor_reproduction how = quick();
    const lotor_figure figure = a_short_one();
    lotor_figure_result played = play(&figure, &how);
    lotor_message why;
    char *bytes;
    size_t length;
    assert_int_equal(lotor_figure_result_write(&played, file, &why), LOTOR_OK);
    lotor_figure_result_clear(&played);
    assert_int_equal(lotor_records_load(file, &why, &bytes, &length), LOTOR_OK);
    assert_int_equal(parse(bytes, length), LOTOR_OK);

    size_t last_line = length - 1;
    while (bytes[last_line - 1] != '\n') {
        last_line--;
    }
    for (size_t cut = 0; cut < length; cut++) {
        assert_int_equal(parse(bytes, cut), LOTOR_INVALID);
    }
    const char *head = memmem(bytes, length, "panel,curve", 11);
    const char others[] = {'\0', '\n', ',', '"', '9', '-', 'e', '\xff'};
    for (size_t i = 0; i < length; i++) {
        const char before = bytes[i];
        for (size_t j = 0; j < sizeof others; j++) {
            bytes[i] = others[j];
            const lotor_status status = parse(bytes, length);
            const bool in_label = bytes + i > head && i < last_line && before >= 'f';
            if (in_label && before != others[j]) {
                assert_int_equal(status, LOTOR_INVALID);
            }
        }
        bytes[i] = before;
    }
    /* The last two lines the other way round. */
    size_t line_before = last_line - 1;
    while (bytes[line_before - 1] != '\n') {
        line_before--;
    }
    char *twice = malloc(2 * length);
    assert_non_null(twice);
    memcpy(twice, bytes, length);
    memcpy(twice + line_before, bytes + last_line, length - last_line);
    memcpy(twice + line_before + length - last_line, bytes + line_before, last_line - line_before);
    assert_int_equal(parse(twice, length), LOTOR_INVALID);
    memcpy(twice, bytes, length);
    assert_int_equal(parse(twice, length), LOTOR_OK);
    memcpy(twice + length, bytes, length);
    assert_int_equal(parse(twice, 2 * length), LOTOR_INVALID);
    memcpy(twice + length, bytes + last_line, length - last_line);
    assert_int_equal(parse(twice, 2 * length - last_line), LOTOR_INVALID);
    free(twice);
    free(bytes);
}

/* --- files that were edited --- */

/* Parses the file with the first `from` after `after` changed to `to`. */
static lotor_status parse_changed(const char *bytes, size_t length, const char *after,
                                  const char *from, const char *to)
{
    const char *place = memmem(bytes, length, after, strlen(after));
    assert_non_null(place);
    place = memmem(place, length - (size_t)(place - bytes), from, strlen(from));
    assert_non_null(place);
    const size_t at = (size_t)(place - bytes), rest = at + strlen(from);
    char *changed = malloc(length + strlen(to));
    assert_non_null(changed);
    memcpy(changed, bytes, at);
    memcpy(changed + at, to, strlen(to));
    memcpy(changed + at + strlen(to), bytes + rest, length - rest);
    const lotor_status status = parse(changed, length - strlen(from) + strlen(to));
    free(changed);
    return status;
}

/* a_short_one has 4 curves of 12 points each: its rounds are 1 to 12. */
TEST(edited)
{
    const lotor_reproduction how = quick();
    const lotor_figure figure = a_short_one();
    lotor_figure_result played = play(&figure, &how);
    lotor_message why;
    char *bytes;
    size_t length;
    played.seconds = 1.25;
    for (size_t i = 0; i < 12; i++) {
        played.panels[1].series[1].points[i] = (lotor_curve_point){(double)i + 1.0, 7.5, 0.5};
    }
    assert_int_equal(lotor_figure_result_write(&played, file, &why), LOTOR_OK);
    lotor_figure_result_clear(&played);
    assert_int_equal(lotor_records_load(file, &why, &bytes, &length), LOTOR_OK);
    assert_int_equal(parse(bytes, length), LOTOR_OK);
    static const char head[] = "# lotor", points[] = "less noise,ucb";
    /* A line of the last curve gone and counted off: at its end, inside, at its start. */
    static const char *const lines[] = {"less noise,ucb,12,7.5,0.5\n", "less noise,ucb,5,7.5,0.5\n",
                                        "less noise,ucb,1,7.5,0.5\n"};
    for (size_t i = 0; i < 3; i++) {
        char *shorter = malloc(length);
        assert_non_null(shorter);
        const char *line = memmem(bytes, length, lines[i], strlen(lines[i]));
        assert_non_null(line);
        const size_t at = (size_t)(line - bytes), size = strlen(lines[i]);
        memcpy(shorter, bytes, at);
        memcpy(shorter + at, bytes + at + size, length - at - size);
        assert_int_equal(parse(shorter, length - size), LOTOR_INVALID);
        assert_int_equal(parse_changed(shorter, length - size, head, "points: 48", "points: 47"),
                         LOTOR_INVALID);
        free(shorter);
    }
    /* Other x values, a missing error or mean, the last newline. */
    static const char *const changes[][2] = {{",12,7.5,0.5\n", ",13,7.5,0.5\n"},
                                             {",11,7.5,0.5\n", ",11.5,7.5,0.5\n"},
                                             {",7,7.5,0.5\n", ",7,7.5,\n"},
                                             {",7,7.5,0.5\n", ",7,,0.5\n"},
                                             {",12,7.5,0.5\n", ",12,7.5,0.5"}};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        assert_int_equal(parse_changed(bytes, length, points, changes[i][0], changes[i][1]),
                         LOTOR_INVALID);
    }
    assert_int_equal(parse_changed(bytes, length, points, ",7,7.5,0.5\n", ",7,8.5,0.25\n"),
                     LOTOR_OK);
    /* Times. */
    assert_int_equal(parse_changed(bytes, length, head, "s: 1.25", "s: 99999999"), LOTOR_OK);
    static const char *const times[] = {"s: 1e9", "s: -1", "s: inf", "s: nan", "s: 1e400", "s: "};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        assert_int_equal(parse_changed(bytes, length, head, "s: 1.25", times[i]), LOTOR_INVALID);
    }
    /* Data and sets belong to other figures; a bound is there once. */
    static const char *const lines_more[] = {"# data: 0123456789abcdef\n# seed",
                                             "# best: 0\n# seed", "# name: 0,a\n# seed",
                                             "# lower bound: honest,ucb,2\n# seed"};
    for (size_t i = 0; i < sizeof lines_more / sizeof *lines_more; i++) {
        assert_int_equal(parse_changed(bytes, length, head, "# seed", lines_more[i]),
                         LOTOR_INVALID);
    }
    free(bytes);
}

/* With one run there are no errors: the field must be empty. */
TEST(of_one_run)
{
    lotor_reproduction how = quick();
    lotor_figure figure = a_short_one();
    figure.curves = over_arms_curves;
    figure.quick_runs = 1;
    lotor_figure_result played = play(&figure, &how), back;
    lotor_message why = {""};
    assert_true(isnan(played.panels[0].series[0].points[0].standard_error));
    assert_int_equal(lotor_figure_result_write(&played, file, &why), LOTOR_OK);
    assert_int_equal(lotor_figure_result_read(&figure, &how, file, &why, &back), LOTOR_OK);
    lotor_figure_result_clear(&back);
    played.panels[0].series[0].points[0].standard_error = 0.5;
    assert_int_equal(lotor_figure_result_write(&played, file, &why), LOTOR_OK);
    assert_int_equal(lotor_figure_result_read(&figure, &how, file, &why, &back), LOTOR_INVALID);
    assert_non_null(strstr(why.text, "not those that are played"));
    lotor_figure_result_clear(&played);
    assert_false(lotor_figure_result_is_of_other_scale(file, true));
    assert_true(lotor_figure_result_is_of_other_scale(file, false));
    assert_false(lotor_figure_result_is_of_other_scale("/no/such/file", false));
}

/* --- movies --- */

static void write_file(const char *name, const char *text)
{
    char path[96];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
}

/* Three movies, two of them of the same genre: the best independent set is 1 and 3. In Latin-1. */
TEST(sets_and_data)
{
    static const lotor_curve_plan curves[] = {{"omm", {.algorithm = "omm"}}};
    const lotor_figure figure = {
        .id = "test-movies",
        .base = {.place = LOTOR_FIGURE_WORLD_MOVIELENS, .horizon = 400, .runs = 2},
        .measure = LOTOR_MEASURE_RETURN,
        .log_x = true,
        .lists_sets = true,
        .curves = curves,
        .curve_count = 1,
    };
    static const char ratings[] = "1::1::5::9\n2::1::5::9\n3::1::5::9\n1::2::5::9\n2::2::5::9\n"
                                  "1::3::5::9\n";
    write_file("movies.dat", "1::Caf\xe9 :: one (1999)::Drama\n2::Two::Drama\n3::Three::War\n");
    write_file("ratings.dat", ratings);
    lotor_reproduction how = quick();
    how.movielens = folder;
    lotor_figure_result played = play(&figure, &how), back;
    lotor_message why = {""};
    assert_int_equal(strlen(played.data), 16);
    assert_int_equal(played.best.count, 2);
    assert_int_equal(played.best.arms[0], 0);
    assert_int_equal(played.best.arms[1], 2);
    assert_int_equal(played.name_count, 3);
    assert_string_equal(played.names[0], "Caf\xc3\xa9 :: one (1999)");
    const lotor_arm_set *shown = &played.panels[0].series[0].shown;
    assert_int_equal(lotor_set_overlap(shown, &played.best), 2); /* after 400 rounds it is clear */

    assert_int_equal(lotor_figure_result_write(&played, file, &why), LOTOR_OK);
    if (lotor_figure_result_read(&figure, &how, file, &why, &back) != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    expect_same(&played, &back);
    assert_int_equal(back.best.count, 2);
    assert_memory_equal(back.best.arms, played.best.arms, 2 * sizeof(uint32_t));
    assert_memory_equal(back.panels[0].series[0].shown.arms, shown->arms,
                        shown->count * sizeof(uint32_t));
    assert_int_equal(back.name_count, 3);
    assert_string_equal(back.names[0], played.names[0]);
    lotor_figure_result_clear(&back);

    /* Any line about sets or data that is lost or wrong is noticed. */
    char *bytes;
    size_t length;
    assert_int_equal(lotor_records_load(file, &why, &bytes, &length), LOTOR_OK);
    static const char *const keys[] = {"# data: ", "# best: ", "# shown: ", "# name: 0",
                                       "# name: 2"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char *line = memmem(bytes, length, keys[i], strlen(keys[i]));
        assert_non_null(line);
        const size_t at = (size_t)(line - bytes);
        const char *end = memchr(line, '\n', length - at);
        assert_non_null(end);
        const size_t size = (size_t)(end - line) + 1;
        char *shorter = malloc(length);
        assert_non_null(shorter);
        memcpy(shorter, bytes, at);
        memcpy(shorter + at, bytes + at + size, length - at - size);
        assert_int_equal(lotor_figure_result_parse(&figure, &how,
                                                   (lotor_slice){shorter, length - size}, "test",
                                                   &why, &back),
                         LOTOR_INVALID);
        memcpy(shorter, bytes, length);
        shorter[at + strlen(keys[i])] = 'x';
        const lotor_status status = lotor_figure_result_parse(
            &figure, &how, (lotor_slice){shorter, length}, "test", &why, &back);
        assert_int_equal(status, LOTOR_INVALID);
        free(shorter);
    }
    free(bytes);

    /* One rating more, under the same name. */
    write_file("ratings.dat", "1::1::5::9\n2::1::5::9\n3::1::5::9\n1::2::5::9\n2::2::5::9\n"
                              "1::3::5::9\n2::3::5::9\n");
    assert_int_equal(lotor_figure_result_read(&figure, &how, file, &why, &back), LOTOR_INVALID);
    assert_non_null(strstr(why.text, "other data"));
    write_file("ratings.dat", ratings);
    assert_int_equal(lotor_figure_result_read(&figure, &how, file, &why, &back), LOTOR_OK);
    lotor_figure_result_clear(&back);
    write_file("movies.dat", "1::Caf\xe9 :: one (1999)::Drama\n2::Two::Drama\n3::Three::Western\n");
    assert_int_equal(lotor_figure_result_read(&figure, &how, file, &why, &back), LOTOR_INVALID);
    lotor_figure_result_clear(&played);
    char path[96];
    snprintf(path, sizeof path, "%s/ratings.dat", folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/movies.dat", folder);
    unlink(path);
}

/* The default alpha of a linear learner is 1/(2T), for the rounds that are played. */
TEST(alpha_follows_the_horizon)
{
    static const lotor_curve_plan linear[] = {{"linucb", {.algorithm = "linucb"}}};
    lotor_figure figure = {
        .id = "test-alpha",
        .base = {.place = LOTOR_FIGURE_WORLD_LINEAR,
                 .dimension = 3,
                 .horizon = 50000000,
                 .runs = 1},
        .quick_horizon = 1000,
        .curves = linear,
        .curve_count = 1,
    };
    expect_number(lotor_figure_cell_at(&figure, false, 0).setting.beta, 1e-8);
    expect_number(lotor_figure_cell_at(&figure, true, 0).setting.beta, 5e-4);
    figure.base.beta = 0.25;
    expect_number(lotor_figure_cell_at(&figure, true, 0).setting.beta, 0.25);
}

/* Figures with other values at the quick scale. */
TEST(quick_values)
{
    static const double few[] = {0.5, 3};
    lotor_figure figure = epsilons;
    figure.quick_values = few;
    figure.quick_value_count = 2;
    assert_int_equal(lotor_figure_cell_count(&figure, true), 4);
    assert_int_equal(lotor_figure_cell_count(&figure, false), 10);
    expect_number(lotor_figure_cell_at(&figure, true, 1).x, 3.0);
    expect_number(lotor_figure_cell_at(&figure, true, 1).setting.epsilon, 3.0);
    expect_number(lotor_figure_cell_at(&figure, false, 1).x, 0.2);
}

TEST_GROUP(make_folder, remove_folder);
