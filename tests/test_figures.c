/* test_figures.c - the tables of figures: complete, consistent, playable, and fast enough. */
#include "support/test.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/simulate.h"
#include "papers/figure.h"
#include "papers/reproduce_plan.h"
#include "policy/catalog.h"
#include "policy/policy.h"

enum { TEST_ROUNDS = 30, MOVIES = 100, GENRES = 18 };

/* --- the rows --------------------------------------------------------------------------------- */

static bool is_well_formed(const char *id)
{
    for (const char *at = id; *at != '\0'; at++) {
        if (!islower((unsigned char)*at) && !isdigit((unsigned char)*at) && !strchr("-.", *at)) {
            return false; /* the id is also the name of a file */
        }
    }
    return islower((unsigned char)id[0]) && strlen(id) < 32;
}

TEST(ids_are_unique_and_found)
{
    const lotor_figure *figure;
    for (size_t i = 0; (figure = lotor_figure_at(i)) != NULL; i++) {
        assert_true(is_well_formed(figure->id));
        assert_ptr_equal(lotor_figure_find(figure->id), figure); /* the first of this id */
    }
    assert_null(lotor_figure_find("sajed-6.9"));
    assert_null(lotor_figure_find(""));
}

TEST(every_experiment_is_there)
{
    static const char *const ids[] = {
        "sajed-6.1",
        "sajed-6.2",
        "sajed-6.3",
        "sajed-6.4",
        "chandak-2.1",
        "chandak-6.1a",
        "chandak-6.1b",
        "chandak-6.2a",
        "chandak-6.2b",
        "chandak-6.3a",
        "chandak-6.3b",
        "chandak-6.4a",
        "chandak-6.4b",
        "wang-1a",
        "wang-1b",
        "wang-1c",
        "wang-1d",
        "wang-1e",
        "wang-1f",
        "wang-1g",
        "wang-1h",
        "wang-1i",
        "wang-2a",
        "wang-2b",
        "wang-2c",
        "wang-2d",
        "wang-2-slots",
        "chen-epsilon",
        "chen-slots",
        "chen-arms",
        "shariff-1",
        "shariff-2",
        "shariff-3",
        "chandak-table-6.2",
        "chen-coverage-local",
        "chen-coverage-central",
        "chen-coverage-slots",
        "chen-coverage-arms",
        "chen-influence-local",
        "chen-influence-central",
        "chen-influence-slots",
        "chen-influence-arms",
        "shariff-claim-13",
        "sajed-all",
    };
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        if (!lotor_figure_find(ids[i])) {
            fail_msg("there is no %s", ids[i]);
        }
    }
    for (int number = 1; number <= 4; number++) { /* lists are printed for c2 and c4 alone */
        char id[32];
        snprintf(id, sizeof id, "sajed-6.%d-printed", number);
        assert_true((lotor_figure_find(id) != NULL) == (number % 2 == 0));
        for (const char *letter = "abcd"; *letter != '\0'; letter++) {
            snprintf(id, sizeof id, "sajed-a.%d%c-printed", number, *letter);
            assert_true((lotor_figure_find(id) != NULL) == (number % 2 == 0));
        }
    }
    for (int number = 1; number <= 8; number++) {
        const char *letters = number <= 4 ? "abcd" : "ab";
        for (const char *letter = letters; *letter != '\0'; letter++) {
            char id[32];
            snprintf(id, sizeof id, "sajed-a.%d%c", number, *letter);
            assert_non_null(lotor_figure_find(id));
            snprintf(id, sizeof id, "sajed-6.%d%c", number, *letter);
            assert_true((lotor_figure_find(id) != NULL) == (number > 4));
        }
    }
}

TEST(every_figure_has_its_words_and_scales)
{
    const lotor_figure *figure;
    for (size_t i = 0; (figure = lotor_figure_at(i)) != NULL; i++) {
        assert_true(strlen(figure->paper) > 0 && strlen(figure->where) > 0);
        assert_true(strlen(figure->title) > 0 && strlen(figure->claim) > 20);
        assert_true(!figure->note || strlen(figure->note) > 10);
        assert_true(figure->base.horizon > 0 && figure->base.runs > 0);
        assert_true(figure->quick_horizon > 0 && figure->quick_runs > 0);
        assert_true(figure->quick_horizon <= figure->base.horizon);
        assert_true(figure->curve_count > 0 && figure->check_count > 0);
        assert_true((figure->panels == NULL) == (figure->panel_count == 0));
        assert_true((figure->settings != NULL) == (figure->axis == LOTOR_AXIS_SETTING));
    }
}

TEST(values_increase)
{
    const lotor_figure *figure;
    for (size_t i = 0; (figure = lotor_figure_at(i)) != NULL; i++) {
        assert_true((figure->axis == LOTOR_AXIS_ROUND) == (figure->value_count == 0));
        for (size_t k = 0; k < figure->value_count; k++) {
            assert_true(figure->values[k] > (k == 0 ? 0.0 : figure->values[k - 1]));
        }
        /* The checks of figures use the ends of the axis. */
        if (figure->quick_stride > 0) {
            assert_int_equal((figure->value_count - 1) % figure->quick_stride, 0);
        }
    }
    /* Quick values lie on the same axis, evenly. */
    for (size_t i = 0; (figure = lotor_figure_at(i)) != NULL; i++) {
        const double *quick = figure->quick_values;
        const size_t count = figure->quick_value_count;
        assert_true((quick == NULL) == (count == 0));
        if (quick) {
            assert_int_equal(figure->quick_stride, 0);
            assert_true(fabs(quick[0] - figure->values[0]) < 1e-12);
            assert_true(fabs(quick[count - 1] - figure->values[figure->value_count - 1]) < 1e-12);
            for (size_t k = 2; k < count; k++) {
                assert_true(fabs(quick[k] - 2 * quick[k - 1] + quick[k - 2]) < 1e-12);
            }
        }
    }
    const lotor_figure *per_epsilon = lotor_figure_find("chandak-6.3b");
    assert_int_equal(per_epsilon->value_count, 50);
    assert_true(fabs(per_epsilon->values[0] - (1 / 50.0)) < 1e-15);
    assert_true(fabs(per_epsilon->values[49] - (2)) < 1e-12);
    const lotor_figure *epsilon = lotor_figure_find("wang-1e");
    assert_int_equal(epsilon->value_count, 100);
    assert_true(fabs(epsilon->values[0] - (0.02)) < 1e-15);
    assert_true(fabs(epsilon->values[99] - (2)) < 1e-12);
}

static bool has_label(const lotor_figure *figure, const char *label)
{
    size_t found = 0;
    for (size_t i = 0; i < figure->curve_count; i++) {
        found += strcmp(figure->curves[i].label, label) == 0;
    }
    return found == 1;
}

static bool needs_factor(lotor_figure_check_kind kind)
{
    return kind == LOTOR_CHECK_NEVER_ABOVE || kind == LOTOR_CHECK_TIMES_BETTER ||
           kind == LOTOR_CHECK_CLOSE || kind == LOTOR_CHECK_FAR || kind == LOTOR_CHECK_LEVELS ||
           kind == LOTOR_CHECK_LINEAR || kind == LOTOR_CHECK_SHOWS;
}

static bool needs_axis(lotor_figure_check_kind kind)
{
    return kind == LOTOR_CHECK_RISES || kind == LOTOR_CHECK_FALLS || kind == LOTOR_CHECK_WIDENS ||
           kind == LOTOR_CHECK_LINEAR || kind == LOTOR_CHECK_MOSTLY_BELOW ||
           kind == LOTOR_CHECK_BELOW_EVERYWHERE;
}

static bool needs_rounds(lotor_figure_check_kind kind)
{
    return kind == LOTOR_CHECK_LOGARITHM || kind == LOTOR_CHECK_FINISHES;
}

TEST(checks_refer_to_what_is_drawn)
{
    const lotor_figure *figure;
    for (size_t i = 0; (figure = lotor_figure_at(i)) != NULL; i++) {
        for (size_t k = 0; k < figure->curve_count; k++) {
            assert_true(has_label(figure, figure->curves[k].label)); /* once */
        }
        for (size_t k = 0; k < figure->check_count; k++) {
            const lotor_figure_check *check = &figure->checks[k];
            assert_true(strlen(check->claim) > 10);
            assert_true(!check->first || has_label(figure, check->first));
            assert_true((check->second != NULL) == lotor_check_needs_second(check->kind));
            assert_true(!check->second || has_label(figure, check->second));
            assert_true((check->factor > 0) == needs_factor(check->kind));
            assert_true((check->low < check->high) ==
                        (check->kind == LOTOR_CHECK_SLOPE || check->kind == LOTOR_CHECK_FINISHES));
            assert_true(!needs_rounds(check->kind) || figure->axis == LOTOR_AXIS_ROUND);
            assert_true(!needs_axis(check->kind) || figure->axis != LOTOR_AXIS_ROUND);
            assert_true((check->kind == LOTOR_CHECK_SHOWS) <= figure->lists_sets);
        }
    }
}

/* --- playing every experiment ----------------------------------------------------------------- */

/* A world of this shape. MovieLens is replaced by 100 arms with unit vectors, since it can't be
 * shipped. */
static lotor_world *world_of(const lotor_setting *setting, int64_t *vectors)
{
    lotor_world *world = NULL;
    lotor_message why = {""};
    double means[MOVIES];
    if (setting->place == LOTOR_FIGURE_WORLD_INSTANCE) {
        if (lotor_world_instance(setting->instance, setting->arms, &why, &world) != LOTOR_OK) {
            fail_msg("%s", why.text);
        }
        return world;
    }
    assert_true(setting->arms > 0 && setting->arms <= MOVIES);
    for (size_t i = 0; i < setting->arms; i++) {
        means[i] = i < setting->slots ? setting->high : setting->low;
        for (size_t k = 0; k < GENRES; k++) {
            vectors[i * GENRES + k] = i % (GENRES - 1) == k;
        }
    }
    assert_int_equal(lotor_world_bernoulli(setting->arms, means, &why, &world), LOTOR_OK);
    return world;
}

static lotor_ratio ratio_of(double value)
{
    lotor_ratio ratio = lotor_ratio_of(0, 1);
    assert_int_equal(lotor_ratio_from_double(value, NULL, &ratio), LOTOR_OK);
    return ratio;
}

static void use_parameters(const lotor_setting *setting, lotor_policy_params *params)
{
    const lotor_algorithm *algorithm = lotor_algorithms_find(setting->algorithm);
    assert_non_null(algorithm);
    params->algorithm = algorithm->id;
    params->horizon = TEST_ROUNDS;
    params->beta = setting->beta;
    params->regularizer = algorithm->model == LOTOR_MODEL_NONE ? setting->regularizer : 0;
    if (lotor_algorithm_has_noise(algorithm)) {
        assert_true(setting->epsilon > 0);
        params->epsilon = ratio_of(setting->epsilon);
    }
    if (algorithm->delta.den != 0 && setting->delta > 0) {
        params->delta = ratio_of(setting->delta);
    }
}

/* Plays TEST_ROUNDS rounds, so that an invalid setting fails here. */
static void play(const char *id, const lotor_setting *setting)
{
    static int64_t vectors[MOVIES * GENRES];
    lotor_linear_world linear;
    lotor_experiment trial = {.runs = 1, .seed = 1, .threads = 1, .checkpoints = 2};
    trial.noise_scale = setting->noise_scale;
    use_parameters(setting, &trial.policy);
    lotor_world *world = NULL;
    uint32_t *ends = NULL;
    if (setting->place == LOTOR_FIGURE_WORLD_LINEAR) {
        const size_t d = setting->dimension, arms = setting->has_gap ? d * d : setting->arms;
        const double gap = setting->has_gap ? setting->gap : NAN;
        assert_int_equal(lotor_linear_world_make(d, arms, gap, NULL, &linear), LOTOR_OK);
        trial.linear = &linear;
        trial.policy.arms = arms;
        trial.policy.dimension = d;
    } else if (lotor_setting_has_graph(setting)) {
        double *means;
        assert_int_equal(lotor_figure_graph(setting, NULL, &means, &ends), LOTOR_OK);
        assert_int_equal(lotor_world_bernoulli(setting->arms, means, NULL, &world), LOTOR_OK);
        free(means);
        trial.world = world;
        trial.policy.arms = setting->arms;
        lotor_figure_graph_use(setting, ends, &trial.policy);
    } else {
        world = world_of(setting, vectors);
        trial.world = world;
        trial.policy.arms = world->arms;
        trial.policy.slots = setting->slots;
        trial.policy.cascade = setting->cascade;
        if (world->vectors || setting->place == LOTOR_FIGURE_WORLD_MOVIELENS) {
            trial.policy.structure = LOTOR_STRUCTURE_LINEAR;
            trial.policy.vectors = world->vectors ? world->vectors : vectors;
            trial.policy.dimension = world->vectors ? world->dimension : GENRES;
        }
    }
    lotor_experiment_result result;
    lotor_message why = {""};
    if (lotor_experiment_run(&trial, &why, &result) != LOTOR_OK) {
        fail_msg("%s, %s: %s", id, setting->algorithm, why.text);
    }
    assert_true(isfinite(result.regret_mean));
    lotor_experiment_result_free(&result);
    lotor_world_free(world);
    free(ends);
}

/* Plays the same curve of a short figure. */
static void play_contexts(const lotor_figure *figure, size_t curve)
{
    lotor_figure brief = *figure;
    brief.quick_horizon = TEST_ROUNDS;
    brief.quick_runs = 1;
    brief.curves = &figure->curves[curve];
    brief.curve_count = 1;
    const lotor_reproduction how = {.is_quick = true, .seed = 1, .threads = 1, .scratch = "."};
    lotor_figure_result played;
    lotor_message why = {""};
    if (lotor_figure_play(&brief, &how, &why, &played) != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    const lotor_series *series = &played.panels[0].series[0];
    assert_true(series->count > 0 && isfinite(series->points[series->count - 1].mean));
    lotor_figure_result_clear(&played);
}

TEST(every_experiment_is_accepted)
{
    const lotor_figure *figure;
    for (size_t i = 0; (figure = lotor_figure_at(i)) != NULL; i++) {
        for (size_t k = 0; k < lotor_figure_cell_count(figure, false); k++) {
            const lotor_figure_cell cell = lotor_figure_cell_at(figure, false, k);
            if (cell.setting.place == LOTOR_FIGURE_WORLD_FORMULA) {
                assert_true(!cell.setting.algorithm ||
                            strcmp(cell.setting.algorithm, "tangent") == 0);
            } else if (cell.setting.place == LOTOR_FIGURE_WORLD_CONTEXTS) {
                play_contexts(figure, k);
            } else if (lotor_setting_is_optimal(&cell.setting)) {
                assert_int_equal(figure->measure, LOTOR_MEASURE_RETURN);
                assert_int_equal(figure->axis, LOTOR_AXIS_ROUND);
            } else {
                play(figure->id, &cell.setting);
            }
        }
    }
}

/* Every experiment of dp-ucb and dp-se in Sajed's appendix is also in chapter 6, at both scales. */
TEST(the_appendix_is_in_chapter_6)
{
    const lotor_figure *figure;
    size_t found = 0;
    for (size_t i = 0; (figure = lotor_figure_at(i)) != NULL; i++) {
        for (int quick = 0; quick < 2 && strncmp(figure->id, "sajed-a.", 8) == 0; quick++) {
            for (size_t k = 0; k < lotor_figure_cell_count(figure, quick); k++) {
                const lotor_figure_cell cell = lotor_figure_cell_at(figure, quick, k);
                bool is_there = false;
                lotor_figure_cell like;
                for (size_t j = 0; j < i && !is_there; j++) {
                    is_there =
                        strncmp(lotor_figure_at(j)->id, "sajed-6", 7) == 0 &&
                        lotor_figure_cell_like(lotor_figure_at(j), figure, quick, &cell, &like);
                }
                assert_true(is_there == (strstr(cell.setting.algorithm, "se2") == NULL));
                assert_int_equal(cell.setting.runs, quick ? 10 : 30);
                found += is_there;
            }
        }
    }
    /* 16 figures over the rounds and 8 with the means as printed, 8 over four numbers of arms; two
     * algorithms, two scales. */
    assert_int_equal(found, 2 * 2 * (16 + 8 + 8 * 4));
}

/* A figure with the means as printed differs from its twin in the world alone. */
TEST(printed_figures_play_the_printed_means)
{
    const lotor_figure *figure;
    size_t found = 0;
    for (size_t i = 0; (figure = lotor_figure_at(i)) != NULL; i++) {
        const char *end = strstr(figure->id, "-printed");
        if (!end) {
            continue;
        }
        char id[32], instance[32];
        snprintf(id, sizeof id, "%.*s", (int)(end - figure->id), figure->id);
        const lotor_figure *twin = lotor_figure_find(id);
        assert_non_null(twin);
        snprintf(instance, sizeof instance, "%s-printed", twin->base.instance);
        const size_t count = lotor_figure_cell_count(figure, false);
        assert_int_equal(count, lotor_figure_cell_count(twin, false));
        for (size_t k = 0; k < count; k++) {
            lotor_figure_cell cell = lotor_figure_cell_at(figure, false, k);
            const lotor_figure_cell other = lotor_figure_cell_at(twin, false, k);
            assert_string_equal(cell.setting.instance, instance);
            cell.setting.instance = other.setting.instance;
            char mine[LOTOR_DESCRIPTION_ROOM], theirs[LOTOR_DESCRIPTION_ROOM];
            lotor_setting_describe(&cell.setting, mine);
            lotor_setting_describe(&other.setting, theirs);
            assert_string_equal(mine, theirs);
        }
        found++;
    }
    assert_int_equal(found, 2 + 8);
}

/* --- running time ----------------------------------------------------------------------------- */

/* Rounds per second on one core, measured with lotor run. Eliminations and dpucb-mat play many at
 * once. */
static double speed_of(const lotor_setting *setting)
{
    static const struct {
        const char *id;
        double speed;
    } speeds[] = {
        {"dp-ucb", 5e8},      {"dpucb-mat", 5e7},
        {"omm", 3e6},         {"dpts-mat", 1.5e6},
        {"cts", 1.5e6},       {"cucb", 7e6},
        {"cucb-ldp1", 4.5e6}, {"cucb-ldp2", 2e7},
        {"cucb-dp", 8e5},     {"cucb-ldp-gauss", 6e6},
        {"cascade-ucb", 7e6}, {"cascade-ldp-laplace", 3e6},
        {"cascade-dp", 4e6},  {"cascade-ldp-gauss", 2.5e6},
    };
    const double d = (double)setting->dimension;
    if (setting->place == LOTOR_FIGURE_WORLD_LINEAR) {
        if (d > 8) { /* d^2 actions of d normal draws (play_groups.c) */
            return 1 / (4e-9 * d * d * d);
        }
        return strstr(setting->algorithm, "wishart") ? 5e5
               : strstr(setting->algorithm, "jdp")   ? 1e6
                                                     : 4e6;
    }
    if (setting->place == LOTOR_FIGURE_WORLD_MOVIELENS) {
        return 1e5;
    }
    if (setting->place == LOTOR_FIGURE_WORLD_INFLUENCE) {
        return 5e5 / (double)setting->arms;
    }
    if (setting->place == LOTOR_FIGURE_WORLD_CONTEXTS) {
        return 5e5; /* on one core */
    }
    if (setting->place == LOTOR_FIGURE_WORLD_COVERAGE) {
        return 5e6 / (double)setting->arms;
    }
    for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++) {
        if (strcmp(speeds[i].id, setting->algorithm) == 0) {
            return speeds[i].speed;
        }
    }
    return 1e10;
}

/* Seconds on two cores. Experiments with a single run are played side by side. Experiments that an
 * earlier figure has are not played again. */
static double seconds_of(size_t number, bool is_quick)
{
    const lotor_figure *figure = lotor_figure_at(number);
    double seconds = 0;
    for (size_t i = 0; i < lotor_figure_cell_count(figure, is_quick); i++) {
        const lotor_figure_cell cell = lotor_figure_cell_at(figure, is_quick, i);
        const lotor_setting setting = cell.setting;
        bool is_there = lotor_figure_cell_first_like(figure, is_quick, i) < i;
        lotor_figure_cell like;
        for (size_t k = 0; k < number && !is_there; k++) {
            is_there = lotor_figure_cell_like(lotor_figure_at(k), figure, is_quick, &cell, &like);
        }
        if (!lotor_setting_is_computed(&setting) && !is_there) {
            const double turns = setting.runs == 1 ? 0.5 : (double)((setting.runs + 1) / 2);
            seconds += (double)setting.horizon / speed_of(&setting) * turns;
        }
    }
    return seconds;
}

TEST(all_of_it_is_played_in_time)
{
    double quick = 0, paper = 0;
    for (size_t i = 0; lotor_figure_at(i) != NULL; i++) {
        quick += seconds_of(i, true);
        paper += seconds_of(i, false);
    }
    print_message("about %.0f s at the quick scale, %.0f min at the paper's\n", quick, paper / 60);
    assert_true(quick < 60);
    assert_true(paper < 30 * 60);
}

/* Experiment 3 of Shariff and Sheffet: a geometric sequence from the smallest to the largest rho_min
 * of the mechanisms, in the setting of the figure. */
TEST(regularizers_are_those_of_the_mechanisms)
{
    const lotor_figure *figure = lotor_figure_find("shariff-3");
    static const char *const ids[] = {"jdp-linucb-gauss", "jdp-linucb-wishart-shifted",
                                      "jdp-linucb-wishart"};
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        const lotor_policy_params params = {.algorithm = ids[i],
                                            .arms = 25,
                                            .dimension = figure->base.dimension,
                                            .horizon = figure->base.horizon,
                                            .epsilon = lotor_ratio_of(1, 1),
                                            .delta = lotor_ratio_of(1, 10),
                                            .beta = 0.5 / (double)figure->base.horizon};
        lotor_generator generator;
        lotor_generator_seed(&generator, 1);
        lotor_policy *policy;
        assert_int_equal(lotor_policy_new_simulated(&params, 1, &generator, 1, NULL, &policy),
                         LOTOR_OK);
        lotor_linear_bounds bounds;
        bool is_plain;
        (void)lotor_linear_params_of(policy->linear, &bounds, &is_plain);
        least = fmin(least, bounds.rho_min);
        most = fmax(most, bounds.rho_min);
        lotor_policy_free(policy);
    }
    assert_true(figure->base.epsilon == 1 && figure->base.delta == 0.1);
    assert_int_equal(figure->value_count, 8);
    for (size_t i = 0; i < 8; i++) {
        const double expected = least * pow(most / least, (double)i / 7);
        assert_true(fabs(figure->values[i] - expected) <= 0.5);
    }
}
