/* test_reproduce_graph.c - figures about coverage and influence: their graphs, and their regret. */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/simulate.h"
#include "papers/reproduce_plan.h"

static lotor_setting graph_of(lotor_figure_world place, size_t arms, size_t slots)
{
    return (lotor_setting){
        .algorithm = "cucb", .place = place, .arms = arms, .slots = slots, .high = 0.9, .low = 0.1};
}

static void expect_graph(const lotor_setting *setting, const uint32_t *from, const uint32_t *to)
{
    double *means;
    uint32_t *ends;
    assert_int_equal(lotor_figure_graph(setting, NULL, &means, &ends), LOTOR_OK);
    for (size_t i = 0; i < setting->arms; i++) {
        assert_true(means[i] == (i < setting->slots ? 0.9 : 0.1));
        assert_int_equal(ends[i], from[i]);
        assert_int_equal(ends[setting->arms + i], to[i]);
    }
    free(means);
    free(ends);
}

/* By hand. Coverage: three vertices on the left, two edges each; 0 and 2 cover the same. Influence:
 * two hubs, each with two paths of two edges. */
TEST(edges)
{
    const lotor_setting coverage = graph_of(LOTOR_FIGURE_WORLD_COVERAGE, 6, 4);
    expect_graph(&coverage, (const uint32_t[]){0, 0, 1, 1, 2, 2},
                 (const uint32_t[]){0, 1, 2, 3, 0, 1});
    const lotor_setting influence = graph_of(LOTOR_FIGURE_WORLD_INFLUENCE, 8, 4);
    expect_graph(&influence, (const uint32_t[]){0, 0, 2, 3, 1, 1, 6, 7},
                 (const uint32_t[]){2, 3, 4, 5, 6, 7, 8, 9});
}

static lotor_reference best_of(const lotor_setting *setting)
{
    const lotor_reproduction how = {.is_quick = true};
    lotor_figure_cell_problem problem = {0};
    lotor_message why = {""};
    lotor_reference best = {0};
    lotor_setting asked = *setting;
    asked.horizon = 10;
    if (lotor_figure_cell_problem_make(&problem, &how, &asked, &why) != LOTOR_OK ||
        lotor_reference_of(&problem.setup.policy, problem.setup.world, &why, &best) != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    lotor_problem_clear(&problem.setup);
    return best;
}

/* The good vertices are best, and the greedy oracle finds them: regret can tend to 0. Coverage
 * reaches K vertices with probability 0.9 each. A hub reaches itself, and on each of K/2 paths 0.9 +
 * 0.81 vertices; that is estimated from LOTOR_POLICY_INFLUENCE_SAMPLES graphs, with a standard
 * deviation of less than 0.05 for K = 4. */
TEST(best_sets)
{
    const double share = 1.0 - exp(-1.0);
    for (size_t slots = 2; slots <= 8; slots *= 2) {
        const lotor_setting coverage = graph_of(LOTOR_FIGURE_WORLD_COVERAGE, 16, slots);
        const lotor_reference best = best_of(&coverage);
        assert_true(fabs(best.share - share) < 1e-12 && !best.is_bound);
        assert_true(fabs(best.per_round - share * 0.9 * (double)slots) < 1e-9);
    }
    const lotor_setting influence = graph_of(LOTOR_FIGURE_WORLD_INFLUENCE, 12, 4);
    const lotor_reference best = best_of(&influence);
    assert_true(fabs(best.per_round / share - (1 + 2 * (0.9 + 0.81))) < 0.2);
}

TEST(refusals)
{
    static const struct {
        size_t arms, slots;
    } cases[] = {{8, 0}, {8, 3}, {7, 4}, {2, 4}, {0, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const lotor_setting setting =
            graph_of(LOTOR_FIGURE_WORLD_COVERAGE, cases[i].arms, cases[i].slots);
        lotor_message why = {""};
        double *means;
        uint32_t *ends;
        assert_int_equal(lotor_figure_graph(&setting, &why, &means, &ends), LOTOR_INVALID);
        assert_non_null(strstr(why.text, "edges do not make vertices"));
        free(means);
        free(ends);
    }
}

/* Figures draw the regret against the optimum, which is rounds x (best - return per round). It is
 * never negative, as the simulator's regret is: that is against 1 - 1/e of the optimum. */
TEST(regret_is_against_the_optimum)
{
    static const lotor_curve_plan curves[] = {{"cucb", {.algorithm = "cucb"}},
                                              {"cucb-ldp2", {.algorithm = "cucb-ldp2"}}};
    static const double slots[] = {2, 4};
    lotor_figure figure = {
        .id = "test-graph",
        .base = graph_of(LOTOR_FIGURE_WORLD_COVERAGE, 8, 0),
        .axis = LOTOR_AXIS_SLOTS,
        .values = slots,
        .value_count = 2,
        .curves = curves,
        .curve_count = 2,
    };
    figure.base.epsilon = 2;
    figure.base.horizon = 500;
    figure.base.runs = 3;
    const lotor_reproduction how = {.seed = 7, .threads = 2, .scratch = "."};
    for (int over_rounds = 0; over_rounds < 2; over_rounds++) {
        lotor_figure_result regret, returns;
        figure.axis = over_rounds ? LOTOR_AXIS_ROUND : LOTOR_AXIS_SLOTS;
        figure.base.slots = over_rounds ? 4 : 0;
        figure.log_x = true;
        lotor_message why = {""};
        figure.measure = LOTOR_MEASURE_REGRET;
        assert_int_equal(lotor_figure_play(&figure, &how, &why, &regret), LOTOR_OK);
        figure.measure = LOTOR_MEASURE_RETURN;
        assert_int_equal(lotor_figure_play(&figure, &how, &why, &returns), LOTOR_OK);
        for (size_t curve = 0; curve < 2; curve++) {
            const lotor_series *series = &regret.panels[0].series[curve];
            assert_true(series->count >= 2);
            for (size_t i = 0; i < series->count; i++) {
                const double x = series->points[i].x;
                const double rounds = over_rounds ? x : 500, best = 0.9 * (over_rounds ? 4 : x);
                const double mean = returns.panels[0].series[curve].points[i].mean;
                assert_true(series->points[i].mean >= -1e-6);
                assert_true(fabs(series->points[i].mean - rounds * (best - mean)) < 1e-6);
            }
        }
        lotor_figure_result_clear(&regret);
        lotor_figure_result_clear(&returns);
    }
}
