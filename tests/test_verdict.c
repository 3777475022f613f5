/* test_verdict.c - verdicts on claims: every kind of check, on handmade numbers. */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "papers/verdict.h"
#include "papers/verdict_fit.h"
#include "papers/verdict_number.h"

enum { MOST_POINTS = 32, MOST_CURVES = 3 };

/* A figure result of one panel, on the stack. */
typedef struct scene {
    lotor_figure figure;
    lotor_curve_point points[MOST_CURVES][MOST_POINTS];
    lotor_series series[MOST_CURVES];
    lotor_panel panel;
    lotor_figure_result played;
} scene;

static scene *start(scene *self, lotor_figure_axis axis)
{
    static char names[MOST_CURVES][8] = {"a", "b", "c"};
    static char empty[] = "";
    memset(self, 0, sizeof *self);
    self->figure.axis = axis;
    for (size_t i = 0; i < MOST_CURVES; i++) {
        self->series[i] =
            (lotor_series){.label = names[i], .points = self->points[i], .lower_bound = NAN};
    }
    self->panel = (lotor_panel){empty, self->series, 0};
    self->played =
        (lotor_figure_result){.figure = &self->figure, .panels = &self->panel, .count = 1};
    return self;
}

static void add(scene *self, size_t curve, double x, double mean, double standard_error)
{
    lotor_series *series = &self->series[curve];
    assert_true(series->count < MOST_POINTS);
    series->points[series->count++] = (lotor_curve_point){x, mean, standard_error};
    self->panel.count = curve >= self->panel.count ? curve + 1 : self->panel.count;
}

static void expect(const scene *self, lotor_figure_check check, lotor_verdict verdict,
                   const char *words)
{
    const lotor_figure_finding finding = lotor_figure_check_judge(&self->played, &check, 0);
    if (finding.verdict != verdict || !strstr(finding.measured, words)) {
        fail_msg("%s: %s, expected %s with '%s'", lotor_verdict_name(finding.verdict),
                 finding.measured, lotor_verdict_name(verdict), words);
    }
}

static void expect_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance)) {
        fail_msg("%.17g, expected %.17g", value, expected);
    }
}

/* Two curves that end at these numbers. */
static void expect_ends(lotor_figure_check_kind kind, double factor, lotor_curve_point a,
                        lotor_curve_point b, lotor_verdict verdict, const char *words)
{
    scene self;
    start(&self, LOTOR_AXIS_ROUND);
    add(&self, 0, 1, 1e6, 0);
    add(&self, 0, a.x, a.mean, a.standard_error);
    add(&self, 1, 1, 1e-6, 0);
    add(&self, 1, b.x, b.mean, b.standard_error);
    expect(&self, (lotor_figure_check){"", kind, "a", "b", .factor = factor}, verdict, words);
}

/* 5 x 10 against 100: the error of the difference is hypot(5 x 3, 4) = 15.5, and 50 is 3.2 of them;
 * against 75 it is 1.6 of them; against 0, -3.2. */
TEST(times_better)
{
    const lotor_figure_check_kind kind = LOTOR_CHECK_TIMES_BETTER;
    const lotor_curve_point a = {9, 10, 3};
    expect_ends(kind, 5, a, (lotor_curve_point){9, 100, 4}, LOTOR_VERDICT_HOLDS,
                "a: 10.0 ± 3.0; b: 100.0 ± 4.0, ratio 10");
    expect_ends(kind, 5, a, (lotor_curve_point){9, 75, 4}, LOTOR_VERDICT_OPEN, "ratio 7.5");
    expect_ends(kind, 5, a, (lotor_curve_point){9, 25, 4}, LOTOR_VERDICT_OPEN, "ratio 2.5");
    expect_ends(kind, 5, a, (lotor_curve_point){9, 10, 4}, LOTOR_VERDICT_FAILS, "ratio 1");
    /* Just inside and outside of two errors, 2 hypot(15, 4) = 31.05. */
    expect_ends(kind, 5, a, (lotor_curve_point){9, 81.0, 4}, LOTOR_VERDICT_OPEN, "");
    expect_ends(kind, 5, a, (lotor_curve_point){9, 81.1, 4}, LOTOR_VERDICT_HOLDS, "");
    expect_ends(kind, 5, a, (lotor_curve_point){9, 18.9, 4}, LOTOR_VERDICT_FAILS, "");
    expect_ends(kind, 5, a, (lotor_curve_point){9, 19.0, 4}, LOTOR_VERDICT_OPEN, "");
}

TEST(missing_numbers)
{
    for (int kind = LOTOR_CHECK_TIMES_BETTER; kind <= LOTOR_CHECK_FAR; kind++) {
        const lotor_figure_check_kind as = (lotor_figure_check_kind)kind;
        expect_ends(as, 2, (lotor_curve_point){9, 60, NAN}, (lotor_curve_point){9, 100, 1},
                    as == LOTOR_CHECK_FAR ? LOTOR_VERDICT_FAILS : LOTOR_VERDICT_OPEN,
                    "a: 60 (one run); b: 100.0 ± 1.0");
        expect_ends(as, 2, (lotor_curve_point){9, -1, NAN}, (lotor_curve_point){9, 100, 1},
                    LOTOR_VERDICT_OPEN, "a: -1 (one run); b: 100.0 ± 1.0");
        expect_ends(as, 2, (lotor_curve_point){9, NAN, 1}, (lotor_curve_point){9, 100, 1},
                    LOTOR_VERDICT_OPEN, "");
        expect_ends(as, 2, (lotor_curve_point){8, 1, 1}, (lotor_curve_point){9, 100, 1},
                    LOTOR_VERDICT_OPEN, "a ends at 8, b at 9");
    }
    scene self;
    start(&self, LOTOR_AXIS_EPSILON);
    add(&self, 0, 1, 1, 0.1);
    self.panel.count = 2; /* b has no points */
    expect(&self, (lotor_figure_check){"", LOTOR_CHECK_BELOW, "a", "b", 0, 0, 0},
           LOTOR_VERDICT_OPEN, "b has no points");
    expect(&self, (lotor_figure_check){"", LOTOR_CHECK_BELOW, "a", "z", 0, 0, 0},
           LOTOR_VERDICT_OPEN, "no curve z");
    expect(&self, (lotor_figure_check){"", LOTOR_CHECK_BELOW, "a", NULL, 0, 0, 0},
           LOTOR_VERDICT_OPEN, "no curve to compare with");
    expect(&self, (lotor_figure_check){"", LOTOR_CHECK_RISES, "z", NULL, 0, 0, 0},
           LOTOR_VERDICT_OPEN, "no curve z");
    const lotor_figure_check rises = {"", LOTOR_CHECK_RISES, "a", NULL, 0, 0, 0};
    const lotor_figure_finding nowhere = lotor_figure_check_judge(&self.played, &rises, 1);
    assert_int_equal(nowhere.verdict, LOTOR_VERDICT_OPEN);
    assert_non_null(strstr(nowhere.measured, "no panel 1"));
    for (int kind = LOTOR_CHECK_SLOPE; kind <= LOTOR_CHECK_LINEAR; kind++) {
        expect(&self, (lotor_figure_check){"", (lotor_figure_check_kind)kind, "a", "b", 1, 0, 9},
               LOTOR_VERDICT_OPEN, "");
    }
}

/* With one run a factor of 3 beyond the threshold decides, on either side; the finding says so. */
TEST(one_run_needs_a_factor)
{
    static const char words[] = "one run has no known error: a factor of 3 decides";
    static const struct {
        lotor_figure_check_kind kind;
        double factor, b;
        lotor_verdict verdict;
    } rows[] = {
        {LOTOR_CHECK_BELOW, 0, 30.1, LOTOR_VERDICT_HOLDS},
        {LOTOR_CHECK_BELOW, 0, 29.9, LOTOR_VERDICT_OPEN},
        {LOTOR_CHECK_BELOW, 0, 3.4, LOTOR_VERDICT_OPEN},
        {LOTOR_CHECK_BELOW, 0, 3.3, LOTOR_VERDICT_FAILS},
        {LOTOR_CHECK_TIMES_BETTER, 5, 151, LOTOR_VERDICT_HOLDS},
        {LOTOR_CHECK_TIMES_BETTER, 5, 149, LOTOR_VERDICT_OPEN},
        {LOTOR_CHECK_TIMES_BETTER, 5, 16, LOTOR_VERDICT_FAILS},
        {LOTOR_CHECK_FAR, 2, 1.6, LOTOR_VERDICT_HOLDS},
        {LOTOR_CHECK_FAR, 2, 1.7, LOTOR_VERDICT_OPEN},
        {LOTOR_CHECK_FAR, 2, 15.1, LOTOR_VERDICT_FAILS},
        {LOTOR_CHECK_CLOSE, 4, 13, LOTOR_VERDICT_HOLDS},
        {LOTOR_CHECK_CLOSE, 4, 14, LOTOR_VERDICT_OPEN},
        {LOTOR_CHECK_CLOSE, 4, 121, LOTOR_VERDICT_FAILS},
        {LOTOR_CHECK_CLOSE, 4, 0.8, LOTOR_VERDICT_FAILS},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int which = 0; which < 3; which++) { /* of which the error is missing */
            expect_ends(
                rows[i].kind, rows[i].factor, (lotor_curve_point){9, 10, which == 1 ? 0.1 : NAN},
                (lotor_curve_point){9, rows[i].b, which == 2 ? 0.1 : NAN}, rows[i].verdict, words);
        }
    }
    scene self;
    start(&self, LOTOR_AXIS_ARMS);
    add(&self, 0, 2, 10, NAN);
    add(&self, 0, 8, 31, NAN);
    add(&self, 1, 2, 10, NAN);
    add(&self, 1, 8, 29, NAN);
    expect(&self, (lotor_figure_check){"", LOTOR_CHECK_RISES, "a", .factor = 0},
           LOTOR_VERDICT_HOLDS, words);
    expect(&self, (lotor_figure_check){"", LOTOR_CHECK_FALLS, "a", .factor = 0},
           LOTOR_VERDICT_FAILS, words);
    expect(&self, (lotor_figure_check){"", LOTOR_CHECK_RISES, "b", .factor = 0}, LOTOR_VERDICT_OPEN,
           words);
}

/* Checked at every x: fails if it fails at one, and unknown if it can't be checked at one. */
TEST(never_above)
{
    static const struct {
        double middle, error;
        lotor_verdict verdict;
    } rows[] = {{2, 0, LOTOR_VERDICT_HOLDS},     {3, 0, LOTOR_VERDICT_HOLDS},
                {3.001, 0, LOTOR_VERDICT_FAILS}, {2.5, 0.4, LOTOR_VERDICT_OPEN},
                {2.5, 0.2, LOTOR_VERDICT_HOLDS}, {3.5, 0.2, LOTOR_VERDICT_FAILS}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        scene self;
        start(&self, LOTOR_AXIS_EPSILON);
        for (int k = 1; k <= 3; k++) {
            add(&self, 0, k, k == 2 ? rows[i].middle : 1, k == 2 ? rows[i].error : 0);
            add(&self, 1, k, 3, 0);
        }
        const lotor_figure_check check = {"", LOTOR_CHECK_NEVER_ABOVE, "a", "b", .factor = 1};
        expect(&self, check, rows[i].verdict, " of 3 places, ");
        self.points[1][2].x = 4;
        expect(&self, check, LOTOR_VERDICT_OPEN, "different places");
    }
}

/* 2 of the best 3. */
TEST(shows)
{
    uint32_t best[] = {4, 0, 7}, shown[] = {7, 1, 4};
    scene self;
    start(&self, LOTOR_AXIS_ROUND);
    add(&self, 0, 1, 1, 0);
    lotor_figure_check check = {"", LOTOR_CHECK_SHOWS, "a", .factor = 2};
    expect(&self, check, LOTOR_VERDICT_OPEN, "not known");
    self.played.best = (lotor_arm_set){best, 3};
    self.series[0].shown = (lotor_arm_set){shown, 3};
    expect(&self, check, LOTOR_VERDICT_HOLDS, "a: 2 of the best 3 are among the 3 that");
    check.factor = 3;
    expect(&self, check, LOTOR_VERDICT_FAILS, "2 of the best 3");
}

/* With 100 of 500 rounds played, a regret of 10 may grow to 50, but not beyond: then it is below 60,
 * and not below 40 for sure. A regret of 30 stays above 20. */
TEST(fewer_rounds_give_a_range)
{
    static const struct {
        double a, b;
        lotor_verdict verdict;
    } rows[] = {{10, 60, LOTOR_VERDICT_HOLDS},
                {10, 49, LOTOR_VERDICT_OPEN},
                {30, 5, LOTOR_VERDICT_FAILS},
                {30, 7, LOTOR_VERDICT_OPEN},
                {10, 10, LOTOR_VERDICT_OPEN}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        scene self;
        start(&self, LOTOR_AXIS_ARMS);
        add(&self, 0, 3, rows[i].a, 0.01);
        add(&self, 1, 3, rows[i].b, 0.01);
        self.figure.base.horizon = 500;
        self.played.horizon = 100;
        const lotor_figure_check check = {"", LOTOR_CHECK_BELOW, "a", "b", .factor = 0};
        expect(&self, check, rows[i].verdict,
               rows[i].verdict == LOTOR_VERDICT_OPEN ? "too few rounds to decide" : "ratio");
        self.played.horizon = 500; /* at the full length the numbers themselves are compared */
        expect(&self, check,
               rows[i].a < rows[i].b   ? LOTOR_VERDICT_HOLDS
               : rows[i].a > rows[i].b ? LOTOR_VERDICT_FAILS
                                       : LOTOR_VERDICT_OPEN,
               "");
    }
}

/* Over the rounds, the loss in the last half bounds the rest: 170 after 160 at half can grow by at
 * most 8 times 10, to 250. So it stays below 551, although 5 times 170 does not. */
TEST(the_last_half_narrows_the_range)
{
    scene self;
    start(&self, LOTOR_AXIS_ROUND);
    add(&self, 0, 50, 160, 0.1);
    add(&self, 0, 100, 170, 0.1);
    add(&self, 1, 50, 275, 3);
    add(&self, 1, 100, 551, 3);
    self.figure.base.horizon = 500;
    self.played.horizon = 100;
    const lotor_reach a = lotor_reach_last(&self.played, &self.series[0]);
    expect_near(a.low, 170, 0);
    expect_near(a.high, 250, 1e-9);
    expect_near(a.high_error, 0.1 + 8 * sqrt(2.0) * 0.1, 1e-9);
    const lotor_reach b = lotor_reach_last(&self.played, &self.series[1]);
    expect_near(b.high, 551 * 5, 1e-9); /* 551 + 8 * 276 is more */
    const lotor_figure_check below = {"", LOTOR_CHECK_BELOW, "a", "b", .factor = 0};
    expect(&self, below, LOTOR_VERDICT_HOLDS, "a: 170.00 ± 0.10; b: 551.0 ± 3.0");
    /* Levels: 250 is not within 10% of 170; with nothing added in the last half it is. */
    const lotor_figure_check levels = {"", LOTOR_CHECK_LEVELS, "a", NULL, 0.1, 0, 0};
    expect(&self, levels, LOTOR_VERDICT_OPEN, "too few rounds");
    self.points[0][0].mean = 170;
    expect(&self, levels, LOTOR_VERDICT_HOLDS, "");
}

/* Slopes over a setting: each point may grow up to 5 times, by itself. */
TEST(slopes_of_fewer_rounds)
{
    scene self;
    start(&self, LOTOR_AXIS_ARMS);
    for (int i = 0; i < 4; i++) {
        add(&self, 0, 1 << i, 1 << i, 1e-6);
    }
    double least, most;
    self.figure.base.horizon = 500;
    self.played.horizon = 100;
    assert_true(lotor_slope_range(&self.played, &self.series[0], &least, &most));
    /* The weights of the logarithms are (-3, -1, 1, 3) / (10 log 2). */
    const double wide = 4.0 * log(5.0) / (10.0 * log(2.0));
    expect_near(least, 1 - wide, 1e-9);
    expect_near(most, 1 + wide, 1e-9);
    lotor_figure_check check = {"", LOTOR_CHECK_SLOPE, "a", NULL, 0, 0, 2};
    expect(&self, check, LOTOR_VERDICT_HOLDS, "x^(1)");
    check.high = 1.9;
    expect(&self, check, LOTOR_VERDICT_OPEN, "too few rounds");
    check.high = 0.05;
    expect(&self, check, LOTOR_VERDICT_FAILS, "");
    self.figure.axis = LOTOR_AXIS_ROUND; /* the last rounds were not played */
    check.high = 100;
    expect(&self, check, LOTOR_VERDICT_OPEN, "");
}

/* Two of three places, and one of them. */
TEST(mostly_below)
{
    scene self;
    start(&self, LOTOR_AXIS_SETTING);
    for (int k = 1; k <= 3; k++) {
        add(&self, 0, k, 2, 0);
        add(&self, 1, k, k == 2 ? 1 : 3, 0);
        add(&self, 2, k, k == 2 ? 3 : 1, 0);
    }
    const lotor_figure_check_kind kind = LOTOR_CHECK_MOSTLY_BELOW;
    expect(&self, (lotor_figure_check){"", kind, "a", "b", 0, 0, 0}, LOTOR_VERDICT_HOLDS,
           "holds at 2 of 3 places, fails at 1; closest at 2");
    expect(&self, (lotor_figure_check){"", kind, "a", "c", 0, 0, 0}, LOTOR_VERDICT_FAILS,
           "holds at 1 of 3 places");
    self.points[2][0].standard_error = 9;
    expect(&self, (lotor_figure_check){"", kind, "a", "c", 0, 0, 0}, LOTOR_VERDICT_OPEN, "");
    for (int k = 0; k < 3; k++) { /* equal is not below */
        self.points[1][k].mean = 2;
    }
    expect(&self, (lotor_figure_check){"", kind, "a", "b", 0, 0, 0}, LOTOR_VERDICT_FAILS,
           "holds at 0 of 3 places");
    const lotor_figure_check_kind every = LOTOR_CHECK_BELOW_EVERYWHERE;
    expect(&self, (lotor_figure_check){"", every, "a", "b", 0, 0, 0}, LOTOR_VERDICT_FAILS, "");
}

/* "a" stops between 10 and 20, "b" between 40 and 80: a share of 1/8 to 1/2. */
TEST(finishes)
{
    scene self;
    start(&self, LOTOR_AXIS_ROUND);
    static const double x[] = {10, 20, 40, 80, 400}, a[] = {5, 10, 10, 10, 10};
    static const double b[] = {5, 10, 20, 40, 40};
    for (size_t i = 0; i < 5; i++) {
        add(&self, 0, x[i], a[i], 0.1);
        add(&self, 1, x[i], b[i], 0.1);
    }
    const lotor_figure_check_kind kind = LOTOR_CHECK_FINISHES;
    expect(&self, (lotor_figure_check){"", kind, "a", "b", 0, 0.12, 0.5}, LOTOR_VERDICT_HOLDS,
           "a reaches 99% of its loss by round 20, b by round 80");
    expect(&self, (lotor_figure_check){"", kind, "a", "b", 0, 0.12, 0.49}, LOTOR_VERDICT_OPEN, "");
    expect(&self, (lotor_figure_check){"", kind, "a", "b", 0, 0.6, 0.9}, LOTOR_VERDICT_FAILS, "");
    expect(&self, (lotor_figure_check){"", kind, "a", "b", 0, 0.01, 0.1}, LOTOR_VERDICT_FAILS, "");
    self.points[1][4].mean = 80; /* b goes on */
    expect(&self, (lotor_figure_check){"", kind, "a", "b", 0, 0.12, 0.5}, LOTOR_VERDICT_OPEN,
           "still loses");
}

/* 100 log t and t / 10, over 30 points up to 10^5. */
TEST(logarithmic_growth)
{
    scene self;
    start(&self, LOTOR_AXIS_ROUND);
    for (int i = 0; i < 30; i++) {
        const double t = 100 * pow(1000, i / 29.0);
        add(&self, 0, t, 100 * log(t), 1);
        add(&self, 1, t, t / 10, 1);
        add(&self, 2, t, 100 * log(t), 60);
    }
    const lotor_figure_check_kind kind = LOTOR_CHECK_LOGARITHM;
    expect(&self, (lotor_figure_check){"", kind, "a", NULL, 0, 0, 0}, LOTOR_VERDICT_HOLDS,
           "R² = 1 against log t");
    expect(&self, (lotor_figure_check){"", kind, "b", NULL, 0, 0, 0}, LOTOR_VERDICT_FAILS,
           "and 1 against t");
    expect(&self, (lotor_figure_check){"", kind, "c", NULL, 0, 0, 0}, LOTOR_VERDICT_OPEN, "");
}

TEST(numbers_are_written_for_people)
{
    static const struct {
        lotor_curve_point point;
        const char *text;
    } rows[] = {
        {{1, 22437, 183}, "22,440 ± 180"},
        {{1, 0.012345, 0.00045}, "0.01235 ± 0.00045"},
        {{1, 1234567, 0}, "1,234,567"},
        {{1, 11690, NAN}, "11,690 (one run)"},
        {{1, -1500.26, 9.96}, "-1,500.3 ± 10.0"},
        {{1, 0, 0}, "0"},
        {{1, 0.5, 0}, "0.5"},
        {{1, 999999.7, 12}, "1,000,000 ± 12"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_string_equal(lotor_show_point(&rows[i].point).text, rows[i].text);
    }
    assert_string_equal(lotor_show_number(3.14159).text, "3.142");
    assert_string_equal(lotor_show_number(0.1).text, "0.1");
    assert_string_equal(lotor_show_number(1e20).text, "1e+20");
    assert_string_equal(lotor_show_number(NAN).text, "nan");
}

/* On a look-alike there is no verdict, and the finding says so. */
TEST(a_look_alike_decides_nothing)
{
    scene self;
    start(&self, LOTOR_AXIS_ROUND);
    add(&self, 0, 9, 1, 0.1);
    add(&self, 1, 9, 5, 0.1);
    const lotor_figure_check check = {"", LOTOR_CHECK_BELOW, "a", "b", .factor = 0};
    self.figure.checks = &check;
    self.figure.check_count = 1;
    expect(&self, check, LOTOR_VERDICT_HOLDS, "a: 1.00 ± 0.10");
    assert_int_equal(lotor_figure_verdict(&self.played), LOTOR_VERDICT_HOLDS);
    self.played.is_illustration = true;
    expect(&self, check, LOTOR_VERDICT_NEEDS_DATA, "as an illustration: a: 1.00 ± 0.10");
    assert_int_equal(lotor_figure_verdict(&self.played), LOTOR_VERDICT_NEEDS_DATA);
    assert_string_equal(lotor_verdict_name(LOTOR_VERDICT_NEEDS_DATA), "needs MovieLens 1M");
}

TEST(panels_have_their_own_verdicts)
{
    scene self;
    start(&self, LOTOR_AXIS_ROUND);
    lotor_curve_point other[2] = {{9, 7, 0.1}, {9, 5, 0.1}};
    add(&self, 0, 9, 1, 0.1);
    add(&self, 1, 9, 5, 0.1);
    lotor_series series[2] = {self.series[0], self.series[1]};
    series[0].points = &other[0];
    series[1].points = &other[1];
    lotor_panel panels[2] = {self.panel, self.panel};
    panels[1].series = series;
    self.played.panels = panels;
    self.played.count = 2;
    const lotor_figure_check check = {"", LOTOR_CHECK_BELOW, "a", "b", .factor = 0};
    self.figure.checks = &check;
    self.figure.check_count = 1;
    assert_int_equal(lotor_figure_verdict(&self.played), LOTOR_VERDICT_HOLDS);
    lotor_verdict_tally tally = lotor_figure_tally(&self.played, 0);
    assert_int_equal(tally.counts[LOTOR_VERDICT_HOLDS], 1);
    const lotor_verdict_tally more = lotor_figure_tally(&self.played, 1);
    assert_int_equal(more.counts[LOTOR_VERDICT_FAILS], 1);
    lotor_verdict_tally_add(&tally, &more);
    assert_int_equal(tally.claims, 2);
    assert_int_equal(tally.counts[LOTOR_VERDICT_HOLDS], 1);
    assert_int_equal(tally.counts[LOTOR_VERDICT_FAILS], 1);
}

TEST(what_the_quick_scale_leaves_out)
{
    static const double values[] = {1, 2, 3, 4, 5};
    static const lotor_curve_plan curve = {"a", {.algorithm = "ucb"}};
    scene self;
    char text[LOTOR_PROVISIONAL_ROOM];
    start(&self, LOTOR_AXIS_EPSILON);
    self.figure.base.horizon = 50000000;
    self.figure.base.runs = 30;
    self.figure.values = values;
    self.figure.value_count = 5;
    self.figure.quick_stride = 2;
    self.figure.curves = &curve;
    self.figure.curve_count = 1;
    self.played.horizon = 10000000;
    self.played.runs = 2;
    self.played.is_quick = true;
    lotor_figure_provisional(&self.played, text);
    assert_string_equal(text, "2 of 30 runs, 10,000,000 of 50,000,000 rounds, 3 of 5 experiments");
    self.played.horizon = 50000000;
    self.played.runs = 30;
    self.played.is_quick = false;
    lotor_figure_provisional(&self.played, text);
    assert_string_equal(text, "");
}

/* The error of the difference is hypot(3, 4) = 5. */
TEST(below)
{
    const lotor_curve_point a = {9, 50, 3};
    expect_ends(LOTOR_CHECK_BELOW, 0, a, (lotor_curve_point){9, 60.1, 4}, LOTOR_VERDICT_HOLDS, "");
    expect_ends(LOTOR_CHECK_BELOW, 0, a, (lotor_curve_point){9, 59.9, 4}, LOTOR_VERDICT_OPEN, "");
    expect_ends(LOTOR_CHECK_BELOW, 0, a, (lotor_curve_point){9, 40.1, 4}, LOTOR_VERDICT_OPEN, "");
    expect_ends(LOTOR_CHECK_BELOW, 0, a, (lotor_curve_point){9, 39.9, 4}, LOTOR_VERDICT_FAILS, "");
    /* Exact numbers: equal is not below. */
    expect_ends(LOTOR_CHECK_BELOW, 0, (lotor_curve_point){9, 5, 0}, (lotor_curve_point){9, 5, 0},
                LOTOR_VERDICT_FAILS, "");
    expect_ends(LOTOR_CHECK_TIMES_BETTER, 1, (lotor_curve_point){9, 5, 0},
                (lotor_curve_point){9, 5, 0}, LOTOR_VERDICT_HOLDS, "");
}

/* Within a factor 2, from either side. */
TEST(close_and_far)
{
    const lotor_curve_point a = {9, 100, 1};
    static const struct {
        double b;
        lotor_verdict close, far;
    } rows[] = {
        {40, LOTOR_VERDICT_FAILS, LOTOR_VERDICT_HOLDS},
        {50, LOTOR_VERDICT_OPEN, LOTOR_VERDICT_OPEN},
        {60, LOTOR_VERDICT_HOLDS, LOTOR_VERDICT_FAILS},
        {190, LOTOR_VERDICT_HOLDS, LOTOR_VERDICT_FAILS},
        {201, LOTOR_VERDICT_OPEN, LOTOR_VERDICT_FAILS},
        {210, LOTOR_VERDICT_FAILS, LOTOR_VERDICT_FAILS},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const lotor_curve_point b = {9, rows[i].b, 1};
        expect_ends(LOTOR_CHECK_CLOSE, 2, a, b, rows[i].close, "ratio ");
        expect_ends(LOTOR_CHECK_FAR, 2, a, b, rows[i].far, "ratio ");
    }
}

TEST(sides)
{
    scene self;
    start(&self, LOTOR_AXIS_ARMS);
    add(&self, 0, 2, 10, 3);
    add(&self, 0, 3, 500, 3); /* the values in between do not matter */
    add(&self, 0, 8, 21, 4);
    add(&self, 1, 2, 21, 4);
    add(&self, 1, 8, 10, 3);
    add(&self, 2, 2, 10, 3);
    add(&self, 2, 8, 19, 4);
    const lotor_figure_check_kind up = LOTOR_CHECK_RISES, down = LOTOR_CHECK_FALLS;
    expect(&self, (lotor_figure_check){"", up, "a", NULL, 0, 0, 0}, LOTOR_VERDICT_HOLDS,
           "a: 10.0 ± 3.0 at 2, 21.0 ± 4.0 at 8");
    expect(&self, (lotor_figure_check){"", up, "b", NULL, 0, 0, 0}, LOTOR_VERDICT_FAILS, "");
    expect(&self, (lotor_figure_check){"", up, "c", NULL, 0, 0, 0}, LOTOR_VERDICT_OPEN, "");
    expect(&self, (lotor_figure_check){"", down, "a", NULL, 0, 0, 0}, LOTOR_VERDICT_FAILS, "");
    expect(&self, (lotor_figure_check){"", down, "b", NULL, 0, 0, 0}, LOTOR_VERDICT_HOLDS, "");
    /* Every curve: one that fails decides. */
    expect(&self, (lotor_figure_check){"", up, NULL, NULL, 0, 0, 0}, LOTOR_VERDICT_FAILS,
           "1 of 3 curves; b: ");
    self.panel.count = 1;
    expect(&self, (lotor_figure_check){"", up, NULL, NULL, 0, 0, 0}, LOTOR_VERDICT_HOLDS, "a: 10");
}

/* Compares every other curve with one curve. */
TEST(every_other)
{
    scene self;
    start(&self, LOTOR_AXIS_ARMS);
    add(&self, 0, 2, 10, 1);
    add(&self, 1, 2, 30, 1);
    add(&self, 2, 2, 11, 1);
    expect(&self, (lotor_figure_check){"", LOTOR_CHECK_BELOW, NULL, "b", 0, 0, 0},
           LOTOR_VERDICT_HOLDS, "2 of 2 curves; a: 10");
    expect(&self, (lotor_figure_check){"", LOTOR_CHECK_BELOW, NULL, "c", 0, 0, 0},
           LOTOR_VERDICT_FAILS, "0 of 2 curves; b: 30");
}

/* From 50 to 100, where 50 lies halfway between 40 and 60. */
TEST(levels)
{
    static const struct {
        double end, standard_error;
        lotor_verdict verdict;
    } rows[] = {
        {104, 1, LOTOR_VERDICT_HOLDS}, {96, 1, LOTOR_VERDICT_HOLDS},   {110, 1, LOTOR_VERDICT_OPEN},
        {90, 1, LOTOR_VERDICT_OPEN},   {114, 1, LOTOR_VERDICT_FAILS},  {86, 1, LOTOR_VERDICT_FAILS},
        {104, 9, LOTOR_VERDICT_OPEN},  {104, NAN, LOTOR_VERDICT_OPEN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        scene self;
        start(&self, LOTOR_AXIS_ROUND);
        add(&self, 0, 10, 1, 1);
        add(&self, 0, 40, 95, 1);
        add(&self, 0, 60, 105, 1);
        add(&self, 0, 100, rows[i].end, rows[i].standard_error);
        expect(&self, (lotor_figure_check){"", LOTOR_CHECK_LEVELS, "a", NULL, 0.1, 0, 0},
               rows[i].verdict, "100.0 ± 1.0 at 50");
    }
}

/* A sum of losses has the same errors all along: 100 ± 3 at half and 100.2 ± 3 at the end. Of the
 * 1% that is allowed, 0.8 is left; the error of the 0.2 is at most 0.2, and that of the 1% is 0.03:
 * in all 0.23, of which 2 are less than 0.8 and 3.5 are not (3 runs: 4.31). Of regret / log n none
 * of that is known. */
TEST(levels_of_a_sum)
{
    scene self;
    start(&self, LOTOR_AXIS_ROUND);
    add(&self, 0, 10, 50, 3);
    add(&self, 0, 50, 100, 3);
    add(&self, 0, 100, 100.2, 3);
    const lotor_figure_check check = {"", LOTOR_CHECK_LEVELS, "a", NULL, 0.01, 0, 0};
    expect(&self, check, LOTOR_VERDICT_HOLDS, "100.0 ± 3.0 at 50, 100.2 ± 3.0 at 100");
    self.played.runs = 3;
    expect(&self, check, LOTOR_VERDICT_OPEN, "");
    self.played.runs = 30;
    self.points[0][2].mean = 100;
    self.points[0][2].standard_error = 3;
    expect(&self, check, LOTOR_VERDICT_HOLDS, "+0%");
    self.figure.measure = LOTOR_MEASURE_REGRET_PER_LOG;
    expect(&self, check, LOTOR_VERDICT_OPEN, "");
}

/* y = 3 x^1.5 at 1, 2, 4, ..., and errors of 1 %. In steps of log 2 the places are -2 ... 2, whose
 * squares add up to 10: the error of the slope is 0.01/(sqrt(10) log 2) = 0.004562. */
TEST(slope_of_experiments)
{
    scene self;
    lotor_slope_fit fit;
    start(&self, LOTOR_AXIS_ARMS);
    for (int i = 0; i < 5; i++) {
        const double x = ldexp(1.0, i), y = 3.0 * pow(x, 1.5);
        add(&self, 0, x, y, 0.01 * y);
    }
    assert_true(lotor_fit_powers(&self.series[0], false, &fit));
    expect_near(fit.slope, 1.5, 1e-12);
    expect_near(fit.slope_error, 0.01 / (sqrt(10.0) * log(2.0)), 1e-12);
    static const struct {
        double low, high;
        lotor_verdict verdict;
    } rows[] = {{1.4, 1.6, LOTOR_VERDICT_HOLDS}, {1.495, 2, LOTOR_VERDICT_OPEN},
                {0, 1.505, LOTOR_VERDICT_OPEN},  {1.6, 2, LOTOR_VERDICT_FAILS},
                {0, 1.4, LOTOR_VERDICT_FAILS},   {1.49, 1.51, LOTOR_VERDICT_HOLDS}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        expect(&self,
               (lotor_figure_check){"", LOTOR_CHECK_SLOPE, "a", NULL, 0, rows[i].low, rows[i].high},
               rows[i].verdict, "a grows like x^(1.5000 ± 0.0046) from 1 to 16");
    }
}

/* One run each: the error comes from the residuals. log2 y = 0, 1, 2, 3 with one point moved by
 * 0.4 up: slope (by hand, places -1.5 -0.5 0.5 1.5, squares 5): 1 + 0.4 x 0.5 / 5 = 1.04; residuals
 * of the moved vector (0, 0, 0.4, 0): mean 0.1, slope 0.04: -0.04, -0.08, 0.28, -0.16; squares add
 * up to 0.1120; / 2 / 5 = 0.0112, whose root is 0.10583. */
TEST(slope_of_single_runs)
{
    scene self;
    lotor_slope_fit fit;
    start(&self, LOTOR_AXIS_ARMS);
    static const double powers[] = {0, 1, 2.4, 3};
    for (int i = 0; i < 4; i++) {
        add(&self, 0, ldexp(1.0, i), exp2(powers[i]), NAN);
    }
    assert_true(lotor_fit_powers(&self.series[0], false, &fit));
    expect_near(fit.slope, 1.04, 1e-12);
    expect_near(fit.slope_error, sqrt(0.0112), 1e-12);
    /* With 2 degrees of freedom 4.31 errors of 0.10583 are 0.456. */
    expect(&self, (lotor_figure_check){"", LOTOR_CHECK_SLOPE, "a", NULL, 0, 0, 1.5},
           LOTOR_VERDICT_HOLDS, "one run each; the error from the points' distances");
    expect(&self, (lotor_figure_check){"", LOTOR_CHECK_SLOPE, "a", NULL, 0, 0, 1.49},
           LOTOR_VERDICT_OPEN, "");
    /* At most: any lower end will do. */
    expect(&self, (lotor_figure_check){"", LOTOR_CHECK_SLOPE, "a", NULL, 0, -INFINITY, 1.5},
           LOTOR_VERDICT_HOLDS, "");
    expect(&self, (lotor_figure_check){"", LOTOR_CHECK_SLOPE, "a", NULL, 0, -INFINITY, 0.5},
           LOTOR_VERDICT_FAILS, "");
}

/* One run over the rounds: 10 to 100 in five pieces of ratio 10^(1/5), whose slopes are 0.4, 0.5,
 * 0.5, 0.5, 0.6. Their mean is 0.5 and their squares add up to 0.02: the standard error is
 * sqrt(0.02 / 4 / 5) = 0.031623, and 2.78 of them are 0.0879. The line itself, with places -2.5,
 * -1.5, ..., 2.5 (squares 17.5) and heights 0, 0.4, 0.9, 1.4, 1.9, 2.5 pieces high: (-0.6 - 0.45 +
 * 0.7 + 2.85 + 6.25) / 17.5 = 0.5. */
TEST(slope_of_one_run_over_rounds)
{
    static const double heights[] = {0, 0.4, 0.9, 1.4, 1.9, 2.5};
    scene self;
    lotor_slope_fit fit;
    start(&self, LOTOR_AXIS_ROUND);
    for (int i = 0; i < 6; i++) {
        add(&self, 0, pow(10.0, 1.0 + i / 5.0), pow(10.0, heights[i] / 5.0), NAN);
    }
    assert_true(lotor_fit_powers(&self.series[0], true, &fit));
    expect_near(fit.slope, 0.5, 1e-9);
    expect_near(fit.slope_error, sqrt(0.001), 1e-9);
    assert_int_equal(fit.pieces, 5);
    static const struct {
        double high;
        lotor_verdict verdict;
    } rows[] = {{0.6, LOTOR_VERDICT_HOLDS},
                {0.58, LOTOR_VERDICT_OPEN},
                {0.42, LOTOR_VERDICT_OPEN},
                {0.41, LOTOR_VERDICT_FAILS}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        expect(&self,
               (lotor_figure_check){"", LOTOR_CHECK_SLOPE, "a", NULL, 0, -INFINITY, rows[i].high},
               rows[i].verdict, "x^(0.500 ± 0.032) from 10 to 100 (one run; the error from the");
    }
}

/* Over the rounds only the last factor of ten counts, and errors may be fully correlated. Three
 * points 10, 31.6, 100 with 1 %: sum of |place|/squares x 0.01 = 0.01 x 2 / (2 log sqrt(10)). */
TEST(slope_over_rounds)
{
    scene self;
    lotor_slope_fit fit;
    start(&self, LOTOR_AXIS_ROUND);
    add(&self, 0, 1, 1e9, 1);
    add(&self, 0, 5, 0, 0);
    for (int i = 2; i <= 4; i++) {
        const double x = pow(10.0, 0.5 * i), y = sqrt(x);
        add(&self, 0, x, y, 0.01 * y);
    }
    assert_true(lotor_fit_powers(&self.series[0], true, &fit));
    expect_near(fit.slope, 0.5, 1e-12);
    expect_near(fit.slope_error, 0.01 / (0.5 * log(10.0)), 1e-12);
    expect_near(fit.from, 10.0, 1e-9);
    expect(&self, (lotor_figure_check){"", LOTOR_CHECK_SLOPE, "a", NULL, 0, 0.4, 0.6},
           LOTOR_VERDICT_HOLDS, "from 10 to 100");
}

/* b/a goes from 2 to 3. Relative errors of 5 % on each of four numbers: 10 % on the log of the
 * ratio of ratios, and log 1.5 is 4 of them; of 10 %: 2.03 of them; of 11 %: 1.84. */
TEST(widens)
{
    static const struct {
        double error, end;
        lotor_verdict verdict;
    } rows[] = {{0.05, 30, LOTOR_VERDICT_HOLDS}, {0.10, 30, LOTOR_VERDICT_HOLDS},
                {0.11, 30, LOTOR_VERDICT_OPEN},  {0.05, 20, LOTOR_VERDICT_OPEN},
                {0.05, 13, LOTOR_VERDICT_FAILS}, {NAN, 30, LOTOR_VERDICT_OPEN},
                {NAN, 61, LOTOR_VERDICT_HOLDS},  {NAN, 6, LOTOR_VERDICT_FAILS}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const double error = rows[i].error;
        scene self;
        start(&self, LOTOR_AXIS_SLOTS);
        add(&self, 0, 0.5, 0, 0); /* no ratio here */
        add(&self, 0, 1, 100, 100 * error);
        add(&self, 0, 4, 10, 10 * error);
        add(&self, 1, 0.5, 7, 1);
        add(&self, 1, 1, 200, 200 * error);
        add(&self, 1, 4, rows[i].end, rows[i].end * error);
        expect(&self, (lotor_figure_check){"", LOTOR_CHECK_WIDENS, "a", "b", 0, 0, 0},
               rows[i].verdict, "b is 2 × a at 1, and ");
    }
}

/* y = 0, 1, 2, 6 at x = 0, 1, 2, 3: means 1.5 and 2.25; uu 5, uv 9.5, vv 20.75; R² = 90.25 /
 * 103.75 = 0.869880. */
TEST(straight_line)
{
    scene self;
    lotor_line_fit line;
    static const double heights[] = {0, 1, 2, 6};
    const lotor_figure_check at_least = {"", LOTOR_CHECK_LINEAR, "a", NULL, 0.86, 0, 0};
    lotor_figure_check more = at_least, less = at_least;
    more.factor = 0.95;
    less.factor = 0.8;
    start(&self, LOTOR_AXIS_PER_EPSILON);
    for (int i = 0; i < 4; i++) {
        add(&self, 0, i, heights[i], 0.001);
    }
    assert_true(lotor_fit_line(&self.series[0], &line));
    expect_near(line.slope, 1.9, 1e-12);
    expect_near(line.r_squared, 90.25 / 103.75, 1e-12);
    expect(&self, at_least, LOTOR_VERDICT_HOLDS, "R² = 0.86988 over 4 points, slope 1.9");
    expect(&self, more, LOTOR_VERDICT_FAILS, "");

    /* The error of R² by brute force: move every point a little. */
    double squares = 0.0;
    for (int i = 0; i < 4; i++) {
        lotor_line_fit moved;
        const double step = 1e-6;
        self.points[0][i].mean += step;
        assert_true(lotor_fit_line(&self.series[0], &moved));
        self.points[0][i].mean -= step;
        const double moves = (moved.r_squared - line.r_squared) / step * 0.001;
        squares += moves * moves;
    }
    expect_near(line.error, sqrt(squares), 1e-8);

    /* Errors of 1: two degrees of freedom, so 2 of the 2.7 off the line are noise. */
    for (int i = 0; i < 4; i++) {
        self.points[0][i].standard_error = 1.0;
    }
    assert_true(lotor_fit_line(&self.series[0], &line));
    expect_near(line.without_noise, 1.0 - 0.7 / 20.75, 1e-12);

    for (int i = 0; i < 4; i++) {
        self.points[0][i].standard_error = 2.0; /* it may well be a line */
    }
    expect(&self, more, LOTOR_VERDICT_OPEN, "");
    expect(&self, less, LOTOR_VERDICT_OPEN, "");
    for (int i = 0; i < 4; i++) {
        self.points[0][i].standard_error = NAN;
    }
    expect(&self, less, LOTOR_VERDICT_HOLDS, "");
    expect(&self, more, LOTOR_VERDICT_OPEN, "");
}

/* The verdict fails if one check fails; else it is open if one is open or there is none. */
TEST(of_a_figure)
{
    scene self;
    start(&self, LOTOR_AXIS_ARMS);
    add(&self, 0, 2, 10, 1);
    add(&self, 0, 8, 20, 1);
    const lotor_figure_check checks[] = {
        {"", LOTOR_CHECK_RISES, "a", NULL, 0, 0, 0},
        {"", LOTOR_CHECK_SLOPE, "a", NULL, 0, 0, 0}, /* two points */
        {"", LOTOR_CHECK_FALLS, "a", NULL, 0, 0, 0},
    };
    static const lotor_verdict expected[] = {LOTOR_VERDICT_OPEN, LOTOR_VERDICT_HOLDS,
                                             LOTOR_VERDICT_OPEN, LOTOR_VERDICT_FAILS};
    self.figure.checks = checks;
    for (size_t i = 0; i < 4; i++) {
        self.figure.check_count = i;
        assert_int_equal(lotor_figure_verdict(&self.played), expected[i]);
    }
    assert_string_equal(lotor_verdict_name(LOTOR_VERDICT_HOLDS), "holds");
    assert_string_equal(lotor_verdict_name(LOTOR_VERDICT_FAILS), "does not hold");
    assert_string_equal(lotor_verdict_name(LOTOR_VERDICT_OPEN), "not decided");
}

/* 10 ± 1 against 14 ± 1: the difference is 2.83 standard errors. That is enough with 30 runs
 * (2.09) and with 5 (2.78), but not with 4 (3.19) or 2 (12.71). */
TEST(few_runs_tell_less)
{
    static const struct {
        uint64_t runs;
        lotor_verdict verdict;
    } cases[] = {{30, LOTOR_VERDICT_HOLDS},
                 {5, LOTOR_VERDICT_HOLDS},
                 {4, LOTOR_VERDICT_OPEN},
                 {2, LOTOR_VERDICT_OPEN}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scene self;
        start(&self, LOTOR_AXIS_ROUND);
        add(&self, 0, 1, 10, 1);
        add(&self, 1, 1, 14, 1);
        self.played.runs = cases[i].runs;
        expect(&self, (lotor_figure_check){"", LOTOR_CHECK_BELOW, "a", "b", .factor = 1},
               cases[i].verdict, "ratio 1.4");
        self.played.runs = 30; /* a curve with fewer runs counts */
        self.series[1].runs = cases[i].runs;
        expect(&self, (lotor_figure_check){"", LOTOR_CHECK_BELOW, "a", "b", .factor = 1},
               cases[i].verdict, "ratio 1.4");
    }
}
