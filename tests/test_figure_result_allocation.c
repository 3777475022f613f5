/* test_figure_result_allocation.c - playing a formula and several experiments at once; writing and
 * reading points. Whichever allocation fails, the call returns LOTOR_MEMORY and leaks nothing.
 * test_policy_allocation.c tests single experiments. */
#include "support/test.h"

#include <stdlib.h>
#include <unistd.h>

#include "papers/reproduce.h"
#include "support/failing_memory.h"

static const double values[] = {0.5, 1, 2, 4, 8};
static const lotor_curve_plan curves[] = {{"least", {0}}, {"line", {.algorithm = "tangent"}}};
static const lotor_figure figure = {
    .id = "test-formula",
    .base = {.place = LOTOR_FIGURE_WORLD_FORMULA, .horizon = 1, .runs = 1},
    .axis = LOTOR_AXIS_EPSILON,
    .values = values,
    .value_count = 5,
    .measure = LOTOR_MEASURE_PROBABILITY,
    .curves = curves,
    .curve_count = 2,
};
static const lotor_reproduction how = {.is_quick = true, .seed = 1, .scratch = "."};
static char file[] = "lotor-played.XXXXXX";

static lotor_status do_play(void)
{
    lotor_figure_result played;
    const lotor_status status = lotor_figure_play(&figure, &how, NULL, &played);
    lotor_figure_result_clear(&played);
    return status;
}

static const lotor_curve_plan linear[] = {{"linucb", {.algorithm = "linucb"}}};
static const lotor_figure beside = {
    .id = "test-beside",
    .base = {.place = LOTOR_FIGURE_WORLD_LINEAR, .dimension = 2, .horizon = 20, .runs = 1},
    .axis = LOTOR_AXIS_REGULARIZER,
    .values = values,
    .value_count = 5,
    .curves = linear,
    .curve_count = 1,
};

static lotor_status do_play_beside(void)
{
    const lotor_reproduction with_threads = {.seed = 1, .threads = 2, .scratch = "."};
    lotor_figure_result played;
    const lotor_status status = lotor_figure_play(&beside, &with_threads, NULL, &played);
    lotor_figure_result_clear(&played);
    return status;
}

static lotor_status do_read(void)
{
    lotor_figure_result played;
    const lotor_status status = lotor_figure_result_read(&figure, &how, file, NULL, &played);
    lotor_figure_result_clear(&played);
    return status;
}

static lotor_figure_result complete;

static lotor_status do_write(void)
{
    return lotor_figure_result_write(&complete, file, NULL);
}

TEST(every_allocation)
{
    const int made = mkstemp(file);
    assert_true(made >= 0);
    close(made);
    assert_int_equal(lotor_figure_play(&figure, &how, NULL, &complete), LOTOR_OK);
    failing_memory_expect_each(do_play,
                               15); /* a frame of 5 parts, and room for each of 10 points */
    failing_memory_expect_each(do_play_beside, 50); /* at least ten in each of 5 experiments */
    failing_memory_expect_each(do_write, 1);
    failing_memory_expect_each(do_read, 10);
    lotor_figure_result_clear(&complete);
    unlink(file);
}
