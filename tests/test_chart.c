/* test_chart.c - growing texts, ticks, and charts: every curve has a name, names do not overlap,
 * hostile labels are escaped, and any numbers can be drawn. */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/chart/chart.h"
#include "base/chart/frame.h"
#include "base/chart/svg.h"
#include "support/well_formed.h"

/* --- texts ------------------------------------------------------------------------------------ */

static void expect_text(lotor_text *text, const char *expected)
{
    assert_int_equal(lotor_text_status(text, NULL), LOTOR_OK);
    assert_string_equal(text->bytes ? text->bytes : "", expected);
    assert_int_equal(text->length, strlen(expected));
    lotor_text_clear(text);
}

TEST(test_text_grows)
{
    lotor_text text = {0};
    expect_text(&text, "");
    for (int i = 0; i < 1000; i++) {
        lotor_text_print(&text, "%03d,", i);
    }
    assert_int_equal(text.length, 4000);
    assert_memory_equal(text.bytes + 3108, "777,", 4);
    lotor_text_clear(&text);
    lotor_text_add(&text, "again");
    expect_text(&text, "again");
    char room[6] = "";
    lotor_text fixed = {.bytes = room, .capacity = sizeof room, .is_fixed = true};
    lotor_text_add(&fixed, "12345");
    assert_string_equal(room, "12345");
    lotor_text_add(&fixed, "6");
    lotor_text_add(&fixed, "");
    assert_string_equal(room, "12345");
    lotor_message why = {""};
    assert_int_equal(lotor_text_status(&fixed, &why), LOTOR_MEMORY);
    assert_non_null(strstr(why.text, "5 bytes"));
    lotor_text_clear(&fixed);
}

TEST(test_escape)
{
    static const char *const cases[][2] = {
        {"a<b>&\"c'", "a&lt;b&gt;&amp;&quot;c&#39;"},
        {"ε ≤ 1, 𝄞", "ε ≤ 1, 𝄞"},
        {"tab\tline\n", "tab\tline\n"},
        {"\x01\x1b[31m\x7f", "\xef\xbf\xbd\xef\xbf\xbd[31m\xef\xbf\xbd"},
        {"\xff\xc3", "\xef\xbf\xbd\xef\xbf\xbd"},                 /* no UTF-8, and cut short */
        {"\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd"},                 /* "/" written too long */
        {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, /* half of a surrogate pair */
        {"\xef\xbf\xbf", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, /* U+FFFF: not a character */
        {"\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
    };
    lotor_text text = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lotor_text_escape(&text, cases[i][0]);
        expect_text(&text, cases[i][1]);
    }
    lotor_text_escape(&text, NULL);
    expect_text(&text, "");
}

TEST(test_numbers)
{
    static const struct {
        double value;
        int decimals;
        const char *fixed, *number;
    } cases[] = {
        {0.0, 2, "0", "0"},
        {2.5, 1, "2.5", "2.5"},
        {-0.04, 1, "0", "-0.04"},
        {-1.25, 3, "-1.25", "-1.25"},
        {1.005, 1, "1", "1.005"},
        {0.05, 2, "0.05", "0.05"},
        {100.0, 2, "100", "100"},
        {32e6, 0, "32000000", "3.2e7"},
        {1e-7, 2, "0", "1e-7"},
        {1e300, 2, "1e300", "1e300"},
        {-1e-100, 0, "0", "-1e-100"},
        {INFINITY, 1, "inf", "inf"},
        {-INFINITY, 1, "-inf", "-inf"},
    };
    lotor_text text = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lotor_text_fixed(&text, cases[i].value, cases[i].decimals);
        expect_text(&text, cases[i].fixed);
        lotor_text_number(&text, cases[i].value, 6);
        expect_text(&text, cases[i].number);
    }
    lotor_text_grouped(&text, 9999);
    expect_text(&text, "9,999");
    lotor_text_grouped(&text, 999);
    expect_text(&text, "999");
    lotor_text_grouped(&text, UINT64_C(50000000));
    expect_text(&text, "50,000,000");
}

/* --- ticks ------------------------------------------------------------------------------------ */

/* The labels, separated by bars; computed by hand. */
TEST(test_ticks)
{
    static const struct {
        lotor_axis_range range;
        bool is_log;
        size_t about;
        const char *labels;
    } cases[] = {
        {{0.0, 10.0}, false, 5, "0|2|4|6|8|10"},
        {{0.0, 1.0}, false, 5, "0|0.2|0.4|0.6|0.8|1"},
        {{-1.0, 1.0}, false, 4, "−1|−0.5|0|0.5|1"},
        {{0.3, 0.7}, false, 5, "0.3|0.4|0.5|0.6|0.7"},
        {{0.0, 99.0}, false, 5, "0|20|40|60|80"},
        {{0.0, 240000.0}, false, 6, "0|50,000|100,000|150,000|200,000"},
        {{0.0, 1.2e7}, false, 6, "0|2·10⁶|4·10⁶|6·10⁶|8·10⁶|10·10⁶|12·10⁶"},
        {{-3e-7, 0.0}, false, 3, "−300·10⁻⁹|−200·10⁻⁹|−100·10⁻⁹|0"},
        {{1.0, 1000.0}, true, 6, "1|10|100|1,000"},
        {{1.0, 1e7}, true, 9, "1|10|10²|10³|10⁴|10⁵|10⁶|10⁷"},
        {{1.0, 1e7}, true, 4, "1|10²|10⁴|10⁶"},
        {{1e-4, 0.1}, true, 6, "10⁻⁴|10⁻³|10⁻²|10⁻¹"},
        {{0.1, 9.0}, true, 6, "0.1|0.2|0.5|1|2|5"},
        {{2e6, 3e7}, true, 6, "2·10⁶|5·10⁶|10⁷|2·10⁷"},
        {{3.0, 4.0}, true, 5, "3|3.2|3.4|3.6|3.8|4"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const lotor_ticks ticks = lotor_ticks_of(cases[i].range, cases[i].is_log, cases[i].about);
        lotor_text text = {0};
        for (size_t j = 0; j < ticks.count; j++) {
            lotor_text_add(&text, j > 0 ? "|" : "");
            lotor_tick_label(&text, &ticks, ticks.at[j]);
        }
        expect_text(&text, cases[i].labels);
    }
}

/* Any range gets a few ticks, inside it and increasing. */
TEST(test_ticks_of_any_range)
{
    static const double ends[] = {-1e150, -1e149, -3.7, -1e-9, 0.0, 1e-150, 1e-140, 1e-9,
                                  0.1,    0.3,    1.0,  1.01,  1e3, 5e7,    1e30,   1e150};
    const size_t count = sizeof ends / sizeof *ends;
    for (size_t i = 0; i < count * count * 2; i++) {
        const double low = ends[i % count], high = ends[i / count % count];
        const bool is_log = i >= count * count;
        if (low > high || !lotor_axis_shows(is_log, low)) {
            continue;
        }
        const lotor_axis_range range = lotor_axis_range_open((lotor_axis_range){low, high}, is_log);
        const lotor_ticks ticks = lotor_ticks_of(range, is_log, 6);
        const double slack = 1e-9 * (range.high - range.low);
        assert_in_range(ticks.count, 2, LOTOR_TICKS_MAX);
        for (size_t j = 0; j < ticks.count; j++) {
            assert_true(ticks.at[j] >= range.low * (range.low > 0 ? 1 - 1e-8 : 1) - slack);
            assert_true(ticks.at[j] <= range.high + slack);
            assert_true(j == 0 || ticks.at[j] > ticks.at[j - 1]);
        }
    }
}

/* --- names at the ends ------------------------------------------------------------------------ */

TEST(test_spread)
{
    double apart[] = {10, 50, 90};
    lotor_chart_spread(apart, 3, 16, 0, 100);
    assert_true(apart[0] == 10 && apart[1] == 50 && apart[2] == 90);
    double same[] = {50, 50, 50}; /* around their middle */
    lotor_chart_spread(same, 3, 16, 0, 100);
    assert_true(same[0] == 34 && same[1] == 50 && same[2] == 66);
    double low[] = {0, 2, 40}; /* pushed down by the edge; the third stays */
    lotor_chart_spread(low, 3, 16, 0, 100);
    assert_true(low[0] == 0 && low[1] == 16 && low[2] == 40);
    double high[] = {99, 99, 100};
    lotor_chart_spread(high, 3, 16, 0, 100);
    assert_true(high[0] == 68 && high[1] == 84 && high[2] == 100);
    lotor_chart_spread(NULL, 0, 16, 0, 100);
}

/* --- charts ----------------------------------------------------------------------------------- */

enum { MOST_SERIES = 40, MOST_POINTS = 60 };

typedef struct scene {
    lotor_chart chart;
    lotor_curve_point points[MOST_SERIES][MOST_POINTS];
    char labels[MOST_SERIES][64];
    lotor_text drawn;
} scene;

/* Curves that all end within 1% of each other. */
static scene *make_scene(size_t curves, size_t points)
{
    scene *made = calloc(1, sizeof *made);
    assert_non_null(made);
    made->chart = (lotor_chart){.id = "id-1",
                                .title = "",
                                .x_title = "rounds",
                                .y_title = "regret",
                                .count = curves,
                                .y = lotor_axis_range_none};
    for (size_t i = 0; i < curves; i++) {
        snprintf(made->labels[i], sizeof made->labels[i], "curve %zu", i);
        made->chart.curves[i] = (lotor_curve){.label = made->labels[i],
                                              .points = made->points[i],
                                              .count = points,
                                              .lower_bound = NAN};
        for (size_t j = 0; j < points; j++) {
            const double x = (double)(j + 1);
            made->points[i][j] = (lotor_curve_point){x, x * (10.0 + 0.01 * (double)i), 0.5};
        }
    }
    return made;
}

static const char *draw(scene *of)
{
    lotor_text_clear(&of->drawn);
    lotor_text_add(&of->drawn, "<svg>");
    lotor_chart_draw(&of->drawn, &of->chart);
    lotor_text_add(&of->drawn, "</svg>");
    assert_int_equal(lotor_text_status(&of->drawn, NULL), LOTOR_OK);
    assert_null(well_formed_error(of->drawn.bytes));
    assert_null(strstr(of->drawn.bytes, "nan"));
    assert_null(strstr(of->drawn.bytes, "inf"));
    return of->drawn.bytes;
}

static void free_scene(scene *of)
{
    lotor_text_clear(&of->drawn);
    free(of);
}

/* The y of each name, in the order of drawing. */
static size_t name_places(const char *drawn, double *x, double *y)
{
    size_t count = 0;
    static const char mark[] = "<text class=\"name\" x=\"";
    for (const char *at = strstr(drawn, mark); at; at = strstr(at + 1, mark)) {
        char *end;
        x[count] = strtod(at + strlen(mark), &end);
        y[count++] = strtod(strstr(end, "y=\"") + 3, NULL);
    }
    return count;
}

static void expect_names(scene *of, size_t names)
{
    double x[2 * MOST_SERIES] = {0}, y[2 * MOST_SERIES] = {0};
    const char *drawn = draw(of);
    assert_int_equal(name_places(drawn, x, y), names);
    const int height = lotor_chart_height(&of->chart);
    for (size_t i = 0; i < names; i++) {
        assert_true(y[i] > 10.0 && y[i] < height);
        for (size_t j = 0; j < i; j++) {
            /* In another column, or on another line: names are 13 units high. */
            assert_true(fabs(y[i] - y[j]) >= 15.0 || fabs(x[i] - x[j]) > 60.0);
        }
    }
    for (size_t i = 0; i < of->chart.count; i++) {
        char named[96];
        snprintf(named, sizeof named, ">%s</text>", of->labels[i]);
        assert_int_equal(occurrences(drawn, named), 1);
    }
}

TEST(test_every_curve_is_named)
{
    static const size_t curves[] = {1, 2, 8, CHART_MOST_ENDS, CHART_MOST_ENDS + 1, MOST_SERIES};
    for (size_t i = 0; i < sizeof curves / sizeof *curves; i++) {
        scene *of = make_scene(curves[i], 30);
        assert_int_equal(lotor_chart_frame_of(&of->chart).names_at_ends,
                         curves[i] <= CHART_MOST_ENDS);
        expect_names(of, curves[i]);
        free_scene(of);
    }
}

/* If a curve ends early, is empty, or has a long name, there is a legend below the axes. */
TEST(test_legend)
{
    for (int kind = 0; kind < 3; kind++) {
        scene *of = make_scene(4, 30);
        of->chart.curves[2].count = kind == 0 ? 10 : kind == 1 ? 0 : 30;
        if (kind == 2) {
            strcpy(of->labels[2], "a name that is too long for the end");
        }
        const chart_frame frame = lotor_chart_frame_of(&of->chart);
        assert_false(frame.names_at_ends);
        expect_names(of, 4);
        double x[8] = {0}, y[8] = {0};
        const size_t count = name_places(of->drawn.bytes, x, y);
        for (size_t i = 0; i < count; i++) {
            assert_true(y[i] > frame.y.from + 40.0);
        }
        free_scene(of);
    }
}

/* A label that is too long for the legend is cut there, but is complete in the title of its
 * curve. */
TEST(test_long_label)
{
    scene *of = make_scene(2, 5);
    memset(of->labels[0], 'w', 63);
    const char *drawn = draw(of);
    assert_int_equal(occurrences(drawn, "w…</text>"), 1);
    char title[96];
    snprintf(title, sizeof title, "<title>%s</title>", of->labels[0]);
    assert_int_equal(occurrences(drawn, title), 1);
    free_scene(of);
}

TEST(test_hostile_labels)
{
    scene *of = make_scene(3, 5);
    strcpy(of->labels[0], "</text><script>alert(1)</script>");
    strcpy(of->labels[1], "\" onload=\"x & y");
    strcpy(of->labels[2], "\xff\x01]]>");
    of->chart.title = "<b>";
    of->chart.x_title = "x < y";
    of->chart.y_title = "'&'";
    of->chart.id = "a\"b";
    const char *drawn = draw(of);
    assert_null(strstr(drawn, "<script"));
    assert_null(strstr(drawn, "\" onload"));
    assert_non_null(strstr(drawn, "x &lt; y"));
    free_scene(of);
}

/* Equal bounds are drawn and named once; different ones have the colours of their curves. Bounds for
 * large x are drawn only there. */
TEST(test_bounds)
{
    scene *of = make_scene(3, 30);
    for (size_t j = 0; j < 30; j++) { /* curves that do not coincide: there is one note only */
        of->points[1][j].mean *= 2.0;
        of->points[2][j].mean *= 3.0;
    }
    of->chart.bound = LOTOR_BOUND_LOG;
    of->chart.curves[0].lower_bound = of->chart.curves[1].lower_bound = 20.0;
    expect_names(of, 4);
    assert_int_equal(occurrences(of->drawn.bytes, "class=\"edge\""), 1);
    of->chart.curves[1].lower_bound = 30.0;
    expect_names(of, 3);
    assert_int_equal(occurrences(of->drawn.bytes, "class=\"edge\""), 2);
    assert_non_null(
        strstr(of->drawn.bytes, "<g class=\"c1\"><title>lower bound of curve 1</title><path "));
    assert_non_null(strstr(of->drawn.bytes, "Dashed: lower bounds, in the colours of"));
    of->chart.bound = LOTOR_BOUND_NONE;
    expect_names(of, 3);
    assert_null(strstr(of->drawn.bytes, "Dashed"));
    of->chart.bound = LOTOR_BOUND_LEVEL;
    of->chart.log_y = true;
    expect_names(of, 3);

    of->chart.bound_from = 15.0;
    const chart_frame frame = lotor_chart_frame_of(&of->chart);
    const char *edge = strstr(draw(of), "class=\"edge\" d=\"M");
    assert_true(strtod(edge + 17, NULL) > (frame.x.from + frame.x.to) / 2.0 - 10.0);
    assert_non_null(strstr(of->drawn.bytes, "lower bounds for large t (asymptotic)"));
    of->chart.bound_from = 1e9; /* beyond the axis: nothing to see */
    draw(of);
    free_scene(of);
}

/* Curves that look like one are named in a note; others are not. */
TEST(test_coinciding_curves)
{
    scene *of = make_scene(4, 30);
    for (size_t j = 0; j < 30; j++) {
        of->points[1][j].mean = 2.0 * of->points[0][j].mean;
        of->points[2][j].mean = of->points[0][j].mean * 1.0001;
        of->points[3][j].mean = of->points[0][j].mean + (j == 20 ? 30.0 : 0.0);
    }
    assert_non_null(strstr(draw(of), ">curve 0 and curve 2 coincide.<"));
    assert_int_equal(occurrences(of->drawn.bytes, "coincide"), 1);
    of->points[3][20].mean = of->points[0][20].mean + 2.0;
    assert_non_null(
        strstr(draw(of), ">curve 0; curve 2 and curve 3 are closer than the width of a"));
    of->points[3][20].mean = of->points[0][20].mean;
    assert_non_null(strstr(draw(of), "curve 0; curve 2 and curve 3 coincide"));
    assert_int_equal(occurrences(of->drawn.bytes, "coincide"), 1);
    const int height = lotor_chart_height(&of->chart);
    of->chart.curves[2].count = 5; /* too short to compare */
    of->chart.count = 3;
    assert_null(strstr(draw(of), "coincide"));
    assert_true(lotor_chart_height(&of->chart) != height);
    free_scene(of);
}

/* Points that have nothing to do with each other: a marker and an error bar each, and no line. */
TEST(test_only_points)
{
    scene *of = make_scene(1, 30);
    of->chart.only_points = true;
    of->points[0][7].mean = NAN;
    const char *drawn = draw(of);
    assert_int_equal(occurrences(drawn, "class=\"line"), 0);
    assert_int_equal(occurrences(drawn, "class=\"band\""), 0);
    assert_int_equal(occurrences(drawn, "class=\"bar\""), 29);
    assert_int_equal(occurrences(drawn, "a3.5 3.5 0 1 0 7 0"), 29);
    free_scene(of);
}

/* A long title has several lines, and long names of axes have smaller letters. */
TEST(test_long_titles)
{
    scene *of = make_scene(1, 30);
    const int height = lotor_chart_height(&of->chart);
    of->chart.title = "a title of so many words that it can be read only on several lines, not one";
    assert_int_equal(lotor_chart_height(&of->chart), height + 2 * CHART_LINE + 4);
    assert_int_equal(occurrences(draw(of), "<text class=\"head\""), 2);
    assert_null(strstr(of->drawn.bytes, "font-size"));
    of->chart.y_title = of->chart.x_title = of->chart.title;
    assert_int_equal(occurrences(draw(of), "style=\"font-size:"), 2);
    free_scene(of);
}

/* Of 30 points one is missing: the line and the band have two pieces. A logarithmic axis leaves out
 * points at 0 or below, and says so. */
TEST(test_gaps)
{
    scene *of = make_scene(1, 30);
    of->points[0][10].mean = NAN;
    const char *drawn = draw(of);
    assert_int_equal(occurrences(drawn, "class=\"band\""), 2);
    const char *line = strstr(drawn, "class=\"line");
    assert_int_equal(occurrences(strndupa(line, (size_t)(strchr(line, '/') - line)), "M"), 2);
    of->chart.log_y = true;
    of->points[0][20].mean = 0.0;
    of->points[0][21].mean = -3.0;
    drawn = draw(of);
    assert_int_equal(occurrences(drawn, "class=\"band\""), 3);
    assert_non_null(strstr(drawn, "2 points at or below 0"));
    for (size_t i = 0; i < 30; i++) { /* nothing is positive: the axis is linear */
        of->points[0][i].mean = -1.0 - (double)i;
    }
    drawn = draw(of);
    assert_null(strstr(drawn, "at or below 0"));
    assert_non_null(strstr(drawn, ">−30</text>"));
    free_scene(of);
}

/* Positions on the page: the y axis is 250 high, from 266 upwards, for regret 0 to 10. */
TEST(test_places)
{
    scene *of = make_scene(1, 2);
    of->points[0][0] = (lotor_curve_point){0.0, 0.0, NAN};
    of->points[0][1] = (lotor_curve_point){100.0, 10.0, NAN};
    of->chart.bound = LOTOR_BOUND_LOG; /* over the rounds: no air at the sides */
    const chart_frame frame = lotor_chart_frame_of(&of->chart);
    assert_true(lotor_axis_scale_at(&frame.y, 0.0) == 266.0 &&
                lotor_axis_scale_at(&frame.y, 10.0) == 16.0);
    char line[96];
    lotor_text expected = {0};
    lotor_text_add(&expected, "class=\"line d0\" d=\"M");
    lotor_text_fixed(&expected, frame.x.from, 1);
    lotor_text_add(&expected, " 266L");
    lotor_text_fixed(&expected, frame.x.to, 1);
    lotor_text_add(&expected, " 16\"");
    snprintf(line, sizeof line, "%s", expected.bytes);
    lotor_text_clear(&expected);
    assert_non_null(strstr(draw(of), line));
    free_scene(of);
}

/* Over the rounds, a logarithmic axis starts at a hundredth of the lowest end, 200: a little below
 * 2. Points below, even at 0, are left out without a message. */
TEST(test_low_start)
{
    scene *of = make_scene(1, 20);
    of->points[0][0].mean = 1e-6;
    of->points[0][1].mean = 0.0;
    of->chart.log_y = true;
    of->chart.bound = LOTOR_BOUND_LOG;
    const lotor_axis_range span = lotor_chart_span(&of->chart);
    assert_true(fabs(span.low - 2.0) < 1e-9);
    assert_true(lotor_chart_frame_of(&of->chart).y.range.low > 1.5);
    assert_null(strstr(draw(of), "at or below 0"));
    of->chart.bound = LOTOR_BOUND_NONE;
    assert_true(lotor_chart_frame_of(&of->chart).y.range.low < 1e-6);
    assert_non_null(strstr(draw(of), "1 point at or below 0"));
    free_scene(of);
}

TEST(test_one_point_and_none)
{
    scene *of = make_scene(3, 1);
    expect_names(of, 3);
    assert_int_equal(occurrences(of->drawn.bytes, "class=\"bar\""), 3);
    assert_int_equal(occurrences(of->drawn.bytes, "class=\"mark\""), 6); /* and in the legend */
    of->chart.count = 0;
    expect_names(of, 0);
    free_scene(of);
}

/* Any numbers at all give a picture. */
TEST(test_wild_numbers)
{
    static const double wild[] = {0.0,   -0.0,     1.0,       -1.0, 1e308, -1e308, 5e-324, 1e-200,
                                  1e150, INFINITY, -INFINITY, NAN,  1e16,  1e-16,  3.0,    1e5};
    const size_t count = sizeof wild / sizeof *wild;
    scene *of = make_scene(4, 20);
    unsigned state_of = 1;
    for (int trial = 0; trial < 400; trial++) {
        for (size_t i = 0; i < 80; i++) {
            double *field = &of->points[i / 20][i % 20].x;
            for (int j = 0; j < 3; j++) {
                state_of = state_of * 1664525U + 1013904223U;
                field[j] = wild[(state_of >> 16) % count];
            }
        }
        of->chart.curves[trial % 4].lower_bound = wild[(size_t)trial % count];
        of->chart.log_x = trial % 2 == 0;
        of->chart.log_y = trial % 4 < 2;
        of->chart.bound = (lotor_bound_shape)(trial % 3);
        of->chart.y = lotor_chart_span(&of->chart);
        draw(of);
    }
    free_scene(of);
}

/* --- documents ---------------------------------------------------------------------------------- */

/* A long heading has several lines, and a word that is too long has a separate line. No word is
 * lost. */
TEST(test_heading)
{
    static const char *const headings[] = {"", "short", "five words on a line",
                                           "a heading of many words that cannot fit into the width "
                                           "of a single line, however small the letters are drawn, "
                                           "and so must be broken at one of its blanks"};
    static const size_t lines[] = {0, 1, 1, 3};
    int height = 0;
    for (size_t i = 0; i < 4; i++) {
        scene *of = make_scene(2, 30);
        of->chart.width = 640;
        lotor_chart_draw_alone(&of->drawn, &of->chart, headings[i]);
        assert_null(well_formed_error(of->drawn.bytes));
        assert_int_equal(occurrences(of->drawn.bytes, "<text class=\"head\""), lines[i]);
        const int drawn = atoi(strstr(of->drawn.bytes, " height=\"") + 9);
        assert_true(i == 2 ? drawn == height : drawn > height);
        height = drawn;
        free_scene(of);
    }
    char word[400];
    memset(word, 'w', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    scene *of = make_scene(1, 5);
    lotor_chart_draw_alone(&of->drawn, &of->chart, word);
    assert_null(well_formed_error(of->drawn.bytes));
    assert_int_equal(occurrences(of->drawn.bytes, "<text class=\"head\""), 2);
    free_scene(of);
}

/* A wider chart is higher, too, and uses its width. */
TEST(test_width)
{
    scene *of = make_scene(2, 30);
    const chart_frame narrow = lotor_chart_frame_of(&of->chart);
    of->chart.width = 2 * LOTOR_CHART_WIDTH;
    const chart_frame wide = lotor_chart_frame_of(&of->chart);
    assert_int_equal(wide.height, narrow.height + 250);
    assert_true(wide.x.to == narrow.x.to + (double)LOTOR_CHART_WIDTH);
    expect_names(of, 2);
    free_scene(of);
}

TEST(test_needs_log_y)
{
    scene *of = make_scene(2, 30);
    assert_false(lotor_chart_needs_log_y(&of->chart));
    of->points[1][29].mean = 13.0 * of->points[0][29].mean;
    assert_true(lotor_chart_needs_log_y(&of->chart));
    of->points[0][29].mean = -1.0;
    assert_false(lotor_chart_needs_log_y(&of->chart));
    of->points[0][29].mean = of->points[1][29].mean;
    of->chart.bound = LOTOR_BOUND_LOG;
    assert_false(lotor_chart_needs_log_y(&of->chart));
    of->chart.curves[0].lower_bound = 1.0; /* log 30 is far below */
    assert_true(lotor_chart_needs_log_y(&of->chart));
    of->chart.count = 0;
    assert_false(lotor_chart_needs_log_y(&of->chart));
    free_scene(of);
}

TEST(test_file_names)
{
    static const char *const refused[] = {"", ".svg", "x.png", "x.svg.png", "x.SVG", "xsvg"};
    lotor_message why;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        assert_int_equal(lotor_svg_check(refused[i], &why), LOTOR_INVALID);
        assert_non_null(strstr(why.text, "ends in .svg"));
    }
    assert_int_equal(lotor_svg_check("no-such-folder/x.svg", &why), LOTOR_IO);
    assert_int_equal(lotor_svg_check("test-chart-new.svg", &why), LOTOR_OK);
    assert_int_not_equal(access("test-chart-new.svg", F_OK), 0);
    lotor_text text = {0};
    lotor_text_add(&text, "<svg/>");
    assert_int_equal(lotor_svg_write(&text, "no-such-folder/x.svg", &why), LOTOR_IO);
    assert_int_equal(lotor_svg_write(&text, "test-chart-new.svg", &why), LOTOR_OK);
    assert_int_equal(lotor_svg_check("test-chart-new.svg", &why), LOTOR_OK);
    assert_int_equal(unlink("test-chart-new.svg"), 0);
    lotor_text_clear(&text);
}

/* The checker itself refuses what isn't XML. */
TEST(test_checker)
{
    static const char *const bad[] = {"",
                                      "<a>",
                                      "<a></b>",
                                      "<a b=c/>",
                                      "<a>&</a>",
                                      "<a/><b/>",
                                      "<a>x</a>y",
                                      "<a b=\"1\" b=\"2\"/>",
                                      "<a b=\"<\"/>"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_non_null(well_formed_error(bad[i]));
    }
    assert_null(well_formed_error("<!DOCTYPE html>\n<a b=\"1\" c=\"&lt;\"><d/>x &amp; y</a>\n"));
}
