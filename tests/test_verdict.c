/* test_verdict.c - verdicts on claims: every kind of check, on handmade numbers. */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "papers/reproduce.h"
#include "papers/verdict_fit.h"

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
    const lotor_figure_finding finding = lotor_figure_check_judge(&self->played, &check);
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
                "a: 10 +- 3; b: 100 +- 4, 10 times as much");
    expect_ends(kind, 5, a, (lotor_curve_point){9, 75, 4}, LOTOR_VERDICT_UNKNOWN, "7.5 times");
    expect_ends(kind, 5, a, (lotor_curve_point){9, 25, 4}, LOTOR_VERDICT_UNKNOWN, "2.5 times");
    expect_ends(kind, 5, a, (lotor_curve_point){9, 10, 4}, LOTOR_VERDICT_FAILS, "1 times");
    /* Just inside and outside of two errors, 2 hypot(15, 4) = 31.05. */
    expect_ends(kind, 5, a, (lotor_curve_point){9, 81.0, 4}, LOTOR_VERDICT_UNKNOWN, "");
    expect_ends(kind, 5, a, (lotor_curve_point){9, 81.1, 4}, LOTOR_VERDICT_HOLDS, "");
    expect_ends(kind, 5, a, (lotor_curve_point){9, 18.9, 4}, LOTOR_VERDICT_FAILS, "");
    expect_ends(kind, 5, a, (lotor_curve_point){9, 19.0, 4}, LOTOR_VERDICT_UNKNOWN, "");
}

TEST(missing_numbers)
{
    for (int kind = LOTOR_CHECK_TIMES_BETTER; kind <= LOTOR_CHECK_FAR; kind++) {
        const lotor_figure_check_kind as = (lotor_figure_check_kind)kind;
        expect_ends(as, 2, (lotor_curve_point){9, 60, NAN}, (lotor_curve_point){9, 100, 1},
                    as == LOTOR_CHECK_FAR ? LOTOR_VERDICT_FAILS : LOTOR_VERDICT_UNKNOWN,
                    "a: 60 (one run); b: 100 +- 1");
        expect_ends(as, 2, (lotor_curve_point){9, -1, NAN}, (lotor_curve_point){9, 100, 1},
                    LOTOR_VERDICT_UNKNOWN, "a: -1 (one run); b: 100 +- 1");
        expect_ends(as, 2, (lotor_curve_point){9, NAN, 1}, (lotor_curve_point){9, 100, 1},
                    LOTOR_VERDICT_UNKNOWN, "");
        expect_ends(as, 2, (lotor_curve_point){8, 1, 1}, (lotor_curve_point){9, 100, 1},
                    LOTOR_VERDICT_UNKNOWN, "a ends at 8, b at 9");
    }
    scene self;
    start(&self, LOTOR_AXIS_EPSILON);
    add(&self, 0, 1, 1, 0.1);
    self.panel.count = 2; /* b has no points */
    expect(&self, (lotor_figure_check){"", LOTOR_CHECK_BELOW, "a", "b", 0, 0, 0, 0, false},
           LOTOR_VERDICT_UNKNOWN, "b has no points");
    expect(&self, (lotor_figure_check){"", LOTOR_CHECK_BELOW, "a", "z", 0, 0, 0, 0, false},
           LOTOR_VERDICT_UNKNOWN, "no curve z");
    expect(&self, (lotor_figure_check){"", LOTOR_CHECK_BELOW, "a", NULL, 0, 0, 0, 0, false},
           LOTOR_VERDICT_UNKNOWN, "no curve to compare with");
    expect(&self, (lotor_figure_check){"", LOTOR_CHECK_RISES, "z", NULL, 0, 0, 0, 0, false},
           LOTOR_VERDICT_UNKNOWN, "no curve z");
    expect(&self, (lotor_figure_check){"", LOTOR_CHECK_RISES, "a", NULL, 0, 0, 0, 1, false},
           LOTOR_VERDICT_UNKNOWN, "no panel 1");
    for (int kind = LOTOR_CHECK_SLOPE; kind <= LOTOR_CHECK_LINEAR; kind++) {
        expect(&self,
               (lotor_figure_check){"", (lotor_figure_check_kind)kind, "a", "b", 1, 0, 9, 0, false},
               LOTOR_VERDICT_UNKNOWN, "");
    }
}

/* With one run a factor of 3 beyond the threshold decides, on either side; the finding says so. */
TEST(one_run_needs_a_factor)
{
    static const char words[] = "no error is known: a factor of 3 decides";
    static const struct {
        lotor_figure_check_kind kind;
        double factor, b;
        lotor_verdict verdict;
    } rows[] = {
        {LOTOR_CHECK_BELOW, 0, 30.1, LOTOR_VERDICT_HOLDS},
        {LOTOR_CHECK_BELOW, 0, 29.9, LOTOR_VERDICT_UNKNOWN},
        {LOTOR_CHECK_BELOW, 0, 3.4, LOTOR_VERDICT_UNKNOWN},
        {LOTOR_CHECK_BELOW, 0, 3.3, LOTOR_VERDICT_FAILS},
        {LOTOR_CHECK_TIMES_BETTER, 5, 151, LOTOR_VERDICT_HOLDS},
        {LOTOR_CHECK_TIMES_BETTER, 5, 149, LOTOR_VERDICT_UNKNOWN},
        {LOTOR_CHECK_TIMES_BETTER, 5, 16, LOTOR_VERDICT_FAILS},
        {LOTOR_CHECK_FAR, 2, 1.6, LOTOR_VERDICT_HOLDS},
        {LOTOR_CHECK_FAR, 2, 1.7, LOTOR_VERDICT_UNKNOWN},
        {LOTOR_CHECK_FAR, 2, 15.1, LOTOR_VERDICT_FAILS},
        {LOTOR_CHECK_CLOSE, 4, 13, LOTOR_VERDICT_HOLDS},
        {LOTOR_CHECK_CLOSE, 4, 14, LOTOR_VERDICT_UNKNOWN},
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
    expect(&self, (lotor_figure_check){"", LOTOR_CHECK_RISES, "b", .factor = 0},
           LOTOR_VERDICT_UNKNOWN, words);
}

/* Checked at every x: fails if it fails at one, and unknown if it can't be checked at one. */
TEST(never_above)
{
    static const struct {
        double middle, error;
        lotor_verdict verdict;
    } rows[] = {{2, 0, LOTOR_VERDICT_HOLDS},     {3, 0, LOTOR_VERDICT_HOLDS},
                {3.001, 0, LOTOR_VERDICT_FAILS}, {2.5, 0.4, LOTOR_VERDICT_UNKNOWN},
                {2.5, 0.2, LOTOR_VERDICT_HOLDS}, {3.5, 0.2, LOTOR_VERDICT_FAILS}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        scene self;
        start(&self, LOTOR_AXIS_EPSILON);
        for (int k = 1; k <= 3; k++) {
            add(&self, 0, k, k == 2 ? rows[i].middle : 1, k == 2 ? rows[i].error : 0);
            add(&self, 1, k, 3, 0);
        }
        const lotor_figure_check check = {"", LOTOR_CHECK_NEVER_ABOVE, "a", "b", .factor = 1};
        expect(&self, check, rows[i].verdict, "at 3 places; closest at 2: a: ");
        self.points[1][2].x = 4;
        expect(&self, check, LOTOR_VERDICT_UNKNOWN, "different places");
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
    expect(&self, check, LOTOR_VERDICT_UNKNOWN, "not known");
    self.played.best = (lotor_arm_set){best, 3};
    self.series[0].shown = (lotor_arm_set){shown, 3};
    expect(&self, check, LOTOR_VERDICT_HOLDS, "a: 2 of the best 3 are among the 3 that");
    check.factor = 3;
    expect(&self, check, LOTOR_VERDICT_FAILS, "2 of the best 3");
}

/* A claim that needs the paper's length is not judged with fewer rounds, but the numbers are
 * reported. */
TEST(needs_the_length)
{
    scene self;
    start(&self, LOTOR_AXIS_ROUND);
    add(&self, 0, 100, 10, 1);
    add(&self, 1, 100, 30, 1);
    self.figure.base.horizon = 100;
    self.played.horizon = 100;
    lotor_figure_check check = {"", LOTOR_CHECK_BELOW, "a", "b", .needs_length = true};
    expect(&self, check, LOTOR_VERDICT_HOLDS, "a: 10 +- 1; b: 30 +- 1, 3 times");
    self.figure.base.horizon = 5000;
    expect(&self, check, LOTOR_VERDICT_UNKNOWN,
           "needs the paper's horizon, 5000 rounds; of 100: a: 10 +- 1; b: 30 +- 1");
    check.needs_length = false;
    expect(&self, check, LOTOR_VERDICT_HOLDS, "a: 10");
}

/* The error of the difference is hypot(3, 4) = 5. */
TEST(below)
{
    const lotor_curve_point a = {9, 50, 3};
    expect_ends(LOTOR_CHECK_BELOW, 0, a, (lotor_curve_point){9, 60.1, 4}, LOTOR_VERDICT_HOLDS, "");
    expect_ends(LOTOR_CHECK_BELOW, 0, a, (lotor_curve_point){9, 59.9, 4}, LOTOR_VERDICT_UNKNOWN,
                "");
    expect_ends(LOTOR_CHECK_BELOW, 0, a, (lotor_curve_point){9, 40.1, 4}, LOTOR_VERDICT_UNKNOWN,
                "");
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
        {50, LOTOR_VERDICT_UNKNOWN, LOTOR_VERDICT_UNKNOWN},
        {60, LOTOR_VERDICT_HOLDS, LOTOR_VERDICT_FAILS},
        {190, LOTOR_VERDICT_HOLDS, LOTOR_VERDICT_FAILS},
        {201, LOTOR_VERDICT_UNKNOWN, LOTOR_VERDICT_FAILS},
        {210, LOTOR_VERDICT_FAILS, LOTOR_VERDICT_FAILS},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const lotor_curve_point b = {9, rows[i].b, 1};
        expect_ends(LOTOR_CHECK_CLOSE, 2, a, b, rows[i].close, "the first is");
        expect_ends(LOTOR_CHECK_FAR, 2, a, b, rows[i].far, "the first is");
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
    expect(&self, (lotor_figure_check){"", up, "a", NULL, 0, 0, 0, 0, false}, LOTOR_VERDICT_HOLDS,
           "a: 10 +- 3 at 2, 21 +- 4 at 8");
    expect(&self, (lotor_figure_check){"", up, "b", NULL, 0, 0, 0, 0, false}, LOTOR_VERDICT_FAILS,
           "");
    expect(&self, (lotor_figure_check){"", up, "c", NULL, 0, 0, 0, 0, false}, LOTOR_VERDICT_UNKNOWN,
           "");
    expect(&self, (lotor_figure_check){"", down, "a", NULL, 0, 0, 0, 0, false}, LOTOR_VERDICT_FAILS,
           "");
    expect(&self, (lotor_figure_check){"", down, "b", NULL, 0, 0, 0, 0, false}, LOTOR_VERDICT_HOLDS,
           "");
    /* Every curve: one that fails decides. */
    expect(&self, (lotor_figure_check){"", up, NULL, NULL, 0, 0, 0, 0, false}, LOTOR_VERDICT_FAILS,
           "1 of 3 curves; b: ");
    self.panel.count = 1;
    expect(&self, (lotor_figure_check){"", up, NULL, NULL, 0, 0, 0, 0, false}, LOTOR_VERDICT_HOLDS,
           "a: 10");
}

/* Compares every other curve with one curve. */
TEST(every_other)
{
    scene self;
    start(&self, LOTOR_AXIS_ARMS);
    add(&self, 0, 2, 10, 1);
    add(&self, 1, 2, 30, 1);
    add(&self, 2, 2, 11, 1);
    expect(&self, (lotor_figure_check){"", LOTOR_CHECK_BELOW, NULL, "b", 0, 0, 0, 0, false},
           LOTOR_VERDICT_HOLDS, "2 of 2 curves; a: 10");
    expect(&self, (lotor_figure_check){"", LOTOR_CHECK_BELOW, NULL, "c", 0, 0, 0, 0, false},
           LOTOR_VERDICT_FAILS, "0 of 2 curves; b: 30");
}

/* From 50 to 100, where 50 lies halfway between 40 and 60. */
TEST(levels)
{
    static const struct {
        double end, standard_error;
        lotor_verdict verdict;
    } rows[] = {
        {104, 1, LOTOR_VERDICT_HOLDS},   {96, 1, LOTOR_VERDICT_HOLDS},
        {110, 1, LOTOR_VERDICT_UNKNOWN}, {90, 1, LOTOR_VERDICT_UNKNOWN},
        {114, 1, LOTOR_VERDICT_FAILS},   {86, 1, LOTOR_VERDICT_FAILS},
        {104, 9, LOTOR_VERDICT_UNKNOWN}, {104, NAN, LOTOR_VERDICT_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        scene self;
        start(&self, LOTOR_AXIS_ROUND);
        add(&self, 0, 10, 1, 1);
        add(&self, 0, 40, 95, 1);
        add(&self, 0, 60, 105, 1);
        add(&self, 0, 100, rows[i].end, rows[i].standard_error);
        expect(&self, (lotor_figure_check){"", LOTOR_CHECK_LEVELS, "a", NULL, 0.1, 0, 0, 0, false},
               rows[i].verdict, "100 +- 1 at 50");
    }
}

/* A sum of losses has the same errors all along: 100 +- 3 at half and 100.2 +- 3 at the end. Of the
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
    const lotor_figure_check check = {"", LOTOR_CHECK_LEVELS, "a", NULL, 0.01, 0, 0, 0, false};
    expect(&self, check, LOTOR_VERDICT_HOLDS, "100 +- 3 at 50, 100.2 +- 3 at 100");
    self.played.runs = 3;
    expect(&self, check, LOTOR_VERDICT_UNKNOWN, "");
    self.played.runs = 30;
    self.points[0][2].mean = 100;
    self.points[0][2].standard_error = 3;
    expect(&self, check, LOTOR_VERDICT_HOLDS, "+0%");
    self.figure.measure = LOTOR_MEASURE_REGRET_PER_LOG;
    expect(&self, check, LOTOR_VERDICT_UNKNOWN, "");
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
    } rows[] = {{1.4, 1.6, LOTOR_VERDICT_HOLDS},   {1.495, 2, LOTOR_VERDICT_UNKNOWN},
                {0, 1.505, LOTOR_VERDICT_UNKNOWN}, {1.6, 2, LOTOR_VERDICT_FAILS},
                {0, 1.4, LOTOR_VERDICT_FAILS},     {1.49, 1.51, LOTOR_VERDICT_HOLDS}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        expect(&self,
               (lotor_figure_check){"", LOTOR_CHECK_SLOPE, "a", NULL, 0, rows[i].low, rows[i].high,
                                    0, false},
               rows[i].verdict, "a grows like x^(1.5 +- 0.0046) from 1 to 16");
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
    expect(&self, (lotor_figure_check){"", LOTOR_CHECK_SLOPE, "a", NULL, 0, 0, 1.5, 0, false},
           LOTOR_VERDICT_HOLDS, "one run each; the error from the points' distances");
    expect(&self, (lotor_figure_check){"", LOTOR_CHECK_SLOPE, "a", NULL, 0, 0, 1.49, 0, false},
           LOTOR_VERDICT_UNKNOWN, "");
    /* At most: any lower end will do. */
    expect(&self,
           (lotor_figure_check){"", LOTOR_CHECK_SLOPE, "a", NULL, 0, -INFINITY, 1.5, 0, false},
           LOTOR_VERDICT_HOLDS, "");
    expect(&self,
           (lotor_figure_check){"", LOTOR_CHECK_SLOPE, "a", NULL, 0, -INFINITY, 0.5, 0, false},
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
                {0.58, LOTOR_VERDICT_UNKNOWN},
                {0.42, LOTOR_VERDICT_UNKNOWN},
                {0.41, LOTOR_VERDICT_FAILS}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        expect(&self,
               (lotor_figure_check){"", LOTOR_CHECK_SLOPE, "a", NULL, 0, -INFINITY, rows[i].high, 0,
                                    false},
               rows[i].verdict, "x^(0.5 +- 0.032) from 10 to 100 (one run; the error from the");
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
    expect(&self, (lotor_figure_check){"", LOTOR_CHECK_SLOPE, "a", NULL, 0, 0.4, 0.6, 0, false},
           LOTOR_VERDICT_HOLDS, "from 10 to 100");
}

/* b/a goes from 2 to 3. Relative errors of 5 % on each of four numbers: 10 % on the log of the
 * ratio of ratios, and log 1.5 is 4 of them; of 10 %: 2.03 of them; of 11 %: 1.84. */
TEST(widens)
{
    static const struct {
        double error, end;
        lotor_verdict verdict;
    } rows[] = {{0.05, 30, LOTOR_VERDICT_HOLDS},   {0.10, 30, LOTOR_VERDICT_HOLDS},
                {0.11, 30, LOTOR_VERDICT_UNKNOWN}, {0.05, 20, LOTOR_VERDICT_UNKNOWN},
                {0.05, 13, LOTOR_VERDICT_FAILS},   {NAN, 30, LOTOR_VERDICT_UNKNOWN},
                {NAN, 61, LOTOR_VERDICT_HOLDS},    {NAN, 6, LOTOR_VERDICT_FAILS}};
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
        expect(&self, (lotor_figure_check){"", LOTOR_CHECK_WIDENS, "a", "b", 0, 0, 0, 0, false},
               rows[i].verdict, "b is 2 times a at 1, and ");
    }
}

/* y = 0, 1, 2, 6 at x = 0, 1, 2, 3: means 1.5 and 2.25; uu 5, uv 9.5, vv 20.75; R^2 = 90.25 /
 * 103.75 = 0.869880. */
TEST(straight_line)
{
    scene self;
    lotor_line_fit line;
    static const double heights[] = {0, 1, 2, 6};
    const lotor_figure_check at_least = {"", LOTOR_CHECK_LINEAR, "a", NULL, 0.86, 0, 0, 0, false};
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
    expect(&self, at_least, LOTOR_VERDICT_HOLDS, "R^2 = 0.86988 over 4 points, slope 1.9");
    expect(&self, more, LOTOR_VERDICT_FAILS, "");

    /* The error of R^2 by brute force: move every point a little. */
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
    expect(&self, more, LOTOR_VERDICT_UNKNOWN, "");
    expect(&self, less, LOTOR_VERDICT_UNKNOWN, "");
    for (int i = 0; i < 4; i++) {
        self.points[0][i].standard_error = NAN;
    }
    expect(&self, less, LOTOR_VERDICT_HOLDS, "");
    expect(&self, more, LOTOR_VERDICT_UNKNOWN, "");
}

/* The verdict fails if one check fails; else it is unknown if one is unknown or there is none. */
TEST(of_a_figure)
{
    scene self;
    start(&self, LOTOR_AXIS_ARMS);
    add(&self, 0, 2, 10, 1);
    add(&self, 0, 8, 20, 1);
    const lotor_figure_check checks[] = {
        {"", LOTOR_CHECK_RISES, "a", NULL, 0, 0, 0, 0, false},
        {"", LOTOR_CHECK_SLOPE, "a", NULL, 0, 0, 0, 0, false}, /* two points */
        {"", LOTOR_CHECK_FALLS, "a", NULL, 0, 0, 0, 0, false},
    };
    static const lotor_verdict expected[] = {LOTOR_VERDICT_UNKNOWN, LOTOR_VERDICT_HOLDS,
                                             LOTOR_VERDICT_UNKNOWN, LOTOR_VERDICT_FAILS};
    self.figure.checks = checks;
    for (size_t i = 0; i < 4; i++) {
        self.figure.check_count = i;
        assert_int_equal(lotor_figure_verdict(&self.played), expected[i]);
    }
    assert_string_equal(lotor_verdict_name(LOTOR_VERDICT_HOLDS), "holds");
    assert_string_equal(lotor_verdict_name(LOTOR_VERDICT_FAILS), "does not hold");
    assert_string_equal(lotor_verdict_name(LOTOR_VERDICT_UNKNOWN), "cannot be checked");
}

/* 10 +- 1 against 14 +- 1: the difference is 2.83 standard errors. That is enough with 30 runs
 * (2.09) and with 5 (2.78), but not with 4 (3.19) or 2 (12.71). */
TEST(few_runs_tell_less)
{
    static const struct {
        uint64_t runs;
        lotor_verdict verdict;
    } cases[] = {{30, LOTOR_VERDICT_HOLDS},
                 {5, LOTOR_VERDICT_HOLDS},
                 {4, LOTOR_VERDICT_UNKNOWN},
                 {2, LOTOR_VERDICT_UNKNOWN}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scene self;
        start(&self, LOTOR_AXIS_ROUND);
        add(&self, 0, 1, 10, 1);
        add(&self, 1, 1, 14, 1);
        self.played.runs = cases[i].runs;
        expect(&self, (lotor_figure_check){"", LOTOR_CHECK_BELOW, "a", "b", .factor = 1},
               cases[i].verdict, "1.4 times");
    }
}
