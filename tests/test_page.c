/* test_page.c - the page and its pictures: well-formed, self-contained and complete; a file is
 * written as a whole or not at all. The test defines its own verdicts and figures, so that it knows
 * what must be there.
 */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "papers/page.h"
#include "papers/summary.h"
#include "papers/verdict.h"
#include "support/failing_memory.h"
#include "support/well_formed.h"

/* --- made-up figures -------------------------------------------------------------------------- */

static const lotor_curve_plan two_curves[] = {
    {"plain", {.algorithm = "ucb", .epsilon = INFINITY}},
    {"private <b>&", {.algorithm = "dp-se", .epsilon = 0.5, .runs = 12345}},
};
static const lotor_curve_plan linear_curves[] = {
    {"plain", {.algorithm = "linucb"}},
    {"private <b>&", {.algorithm = "jdp-linucb-gauss", .epsilon = 0.5, .runs = 12345}},
};
static const lotor_figure_check three_checks[] = {
    {.claim = "first claim & more", .kind = LOTOR_CHECK_BELOW, .first = "plain"},
    {.claim = "second claim", .kind = LOTOR_CHECK_SLOPE, .first = "plain"},
    {.claim = "third claim", .kind = LOTOR_CHECK_RISES, .first = "plain"},
};
static const double gaps[] = {0.1, 0.2, 0.4};
static const lotor_figure figures[] = {
    {.id = "one-1.1",
     .paper = "One <2020>",
     .where = "Figure 1.1",
     .title = "Regret & rounds",
     .claim = "The claim of one.",
     .note = "The note of one.",
     .base = {.instance = "c1",
              .arms = 7,
              .delta = 0.125,
              .beta = 0.0625,
              .horizon = 50000000,
              .runs = 30},
     .log_x = true,
     .log_y = true,
     .curves = two_curves,
     .curve_count = 2,
     .checks = three_checks,
     .check_count = 3},
    {.id = "two-2",
     .paper = "Two",
     .where = "Table 2",
     .title = "Over the gap",
     .claim = "The claim of two.",
     .base = {.place = LOTOR_FIGURE_WORLD_LINEAR,
              .dimension = 5,
              .has_gap = true,
              .beta = 0.0625,
              .horizon = 100,
              .runs = 3},
     .axis = LOTOR_AXIS_GAP,
     .values = gaps,
     .value_count = 3,
     .curves = linear_curves,
     .curve_count = 2},
    {.id = "three-3", .paper = "Three", .where = "Figure 3", .title = "Never played", .claim = ""},
};

const lotor_figure *lotor_figure_at(size_t number)
{
    return number < 3 ? &figures[number] : NULL;
}

const lotor_figure *lotor_figure_find(const char *id)
{
    for (size_t i = 0; lotor_figure_at(i); i++) {
        if (strcmp(lotor_figure_at(i)->id, id) == 0) {
            return lotor_figure_at(i);
        }
    }
    return NULL;
}

const char *lotor_verdict_name(lotor_verdict verdict)
{
    static const char *const verdicts[LOTOR_VERDICTS] = {"holds", "does not hold", "not decided",
                                                         "needs data"};
    return verdicts[verdict];
}

/* On the second panel every claim fails. */
lotor_figure_finding lotor_figure_check_judge(const lotor_figure_result *played,
                                              const lotor_figure_check *check, size_t panel)
{
    (void)played;
    lotor_figure_finding finding = {LOTOR_VERDICT_HOLDS, ""};
    finding.verdict = check->kind == LOTOR_CHECK_BELOW || panel > 0 ? LOTOR_VERDICT_FAILS
                      : check->kind == LOTOR_CHECK_SLOPE            ? LOTOR_VERDICT_OPEN
                                                                    : LOTOR_VERDICT_HOLDS;
    snprintf(finding.measured, sizeof finding.measured, "found <%.40s>", check->claim);
    return finding;
}

lotor_verdict_tally lotor_figure_tally(const lotor_figure_result *played, size_t panel)
{
    lotor_verdict_tally tally = {.claims = played->figure->check_count};
    for (size_t i = 0; i < tally.claims; i++) {
        tally.counts[lotor_figure_check_judge(played, &played->figure->checks[i], panel).verdict]++;
    }
    return tally;
}

void lotor_verdict_tally_add(lotor_verdict_tally *to, const lotor_verdict_tally *more)
{
    for (size_t i = 0; i < LOTOR_VERDICTS; i++) {
        to->counts[i] += more->counts[i];
    }
    to->claims += more->claims;
}

lotor_verdict lotor_figure_verdict(const lotor_figure_result *played)
{
    return played->figure->check_count > 0 ? LOTOR_VERDICT_FAILS : LOTOR_VERDICT_OPEN;
}

void lotor_figure_provisional(const lotor_figure_result *played, char text[LOTOR_PROVISIONAL_ROOM])
{
    snprintf(text, LOTOR_PROVISIONAL_ROOM, "%s", played->is_quick ? "8 of 30 runs" : "");
}

/* --- made-up results -------------------------------------------------------------------------- */

static char names[][24] = {"plain", "private <b>&", "honest noise", "the paper's noise", ""};
static lotor_curve_point points[5][3] = {
    {{1, 2, 0.1}, {10, 20, 1}, {100, 200, 10}},   {{1, 5, NAN}, {10, NAN, NAN}, {100, 900, NAN}},
    {{1, 2, 0.1}, {10, 30, 1}, {100, 300, 10}},   {{1, 5, 2}, {10, -1, 2}, {100, 700, 40}},
    {{0.1, -5, 2}, {0.2, -1, 2}, {0.4, 700, 40}},
};
static lotor_series series[3][2] = {
    {{.label = names[0], .points = points[0], .count = 3, .lower_bound = 2.5},
     {.label = names[1], .points = points[1], .count = 3, .lower_bound = 2.5}},
    {{.label = names[0], .points = points[2], .count = 3, .lower_bound = NAN},
     {.label = names[1], .points = points[3], .count = 3, .lower_bound = NAN}},
    {{.label = names[0], .points = points[4], .count = 3, .lower_bound = NAN},
     {.label = names[1], .points = points[4], .count = 1, .lower_bound = NAN}},
};
static lotor_panel both_panels[] = {{names[2], series[0], 2}, {names[3], series[1], 2}};
static lotor_panel one_panel[] = {{names[4], series[2], 2}};
static const lotor_figure_result results[] = {
    {.figure = &figures[0],
     .is_quick = true,
     .seed = 77,
     .horizon = 4000,
     .runs = 8,
     .seconds = 4000.0,
     .remark = "on a look-alike <of> it",
     .panels = both_panels,
     .count = 2},
    {.figure = &figures[1],
     .seed = 77,
     .horizon = 100,
     .runs = 3,
     .seconds = 0.256,
     .panels = one_panel,
     .count = 1},
};

/* --- files ------------------------------------------------------------------------------------ */

static char folder[] = "/tmp/lotor-report-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static const char *path_of(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* Reads the whole file and removes it. */
static char *take_file(const char *name)
{
    FILE *file = fopen(path_of(name), "re");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const size_t length = (size_t)ftell(file);
    rewind(file);
    char *text = calloc(length + 1, 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, length, file), length);
    fclose(file);
    assert_int_equal(unlink(path_of(name)), 0);
    return text;
}

static char *page_of(size_t count)
{
    lotor_message why;
    assert_int_equal(lotor_page_write(results, count, folder, &why), LOTOR_OK);
    return take_file("index.html");
}

static void expect_each(const char *text, const char *const *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!strstr(text, parts[i])) {
            fail_msg("the page lacks: %s", parts[i]);
        }
    }
}

static void assert_well_formed(const char *page)
{
    const char *error = well_formed_error(page);
    if (error) {
        fail_msg("not well-formed at: %.100s", error);
    }
}

/* --- tests ------------------------------------------------------------------------------------ */

TEST(test_page_is_complete)
{
    char *page = page_of(2);
    assert_well_formed(page);
    static const char *const parts[] = {
        "<a href=\"#paper-one-1.1\">One &lt;2020&gt;</a>",
        "<section class=\"paper\" id=\"paper-one-1.1\">\n<h2>One &lt;2020&gt;</h2>",
        "<a href=\"#one-1.1\">Figure 1.1</a>",
        "<h3>One &lt;2020&gt;, Figure 1.1 <span",
        /* The headline, and what was found, on both panels. */
        "<p class=\"headline\">In the paper’s setting 1 of 3 checks hold; with the noise that its "
        "privacy claim needs, 0 of 3 (provisional: --scale paper makes it final).</p>",
        "<p>We made 3 checks in the paper’s setting: 1 holds, 1 does not hold, 1 is not "
        "decided. "
        "These do not hold:</p>\n<ul class=\"failing\">\n<li><a href=\"#one-1.1\">Figure "
        "1.1</a>: first claim &amp; more</li>\n</ul>",
        "<p>With the noise that the privacy claim needs, 0 of 3 hold, 3 do not hold. These do not "
        "hold there:</p>\n<ul",
        "<p class=\"headline\">No claim was checked.</p>",
        "<p>1 of 3 in the paper’s setting<small>1 does not hold, 1 is not decided</small></p>"
        "<p>0 of 3 with the noise that privacy needs<small>3 do not hold</small></p>"
        "<span class=\"provisional\">",
        "<section class=\"figure\" id=\"one-1.1\">",
        "Regret &amp; rounds",
        "The claim of one.",
        "first claim &amp; more",
        "found &lt;first claim &amp; more&gt;",
        "second claim</p>",
        "<span aria-hidden=\"true\">?</span> not decided</span> <span class=\"provisional\">"
        "provisional</span> <b>in the paper’s setting</b></p><p class=\"measured\">found "
        "&lt;second claim&gt;</p>",
        "<b>with the paper’s noise</b></p><p class=\"measured\">found &lt;second claim&gt;</p>",
        "The note of one.",
        "on a look-alike &lt;of&gt; it",
        "quick scale · 4,000 rounds · 8 runs · seed 77 · took 1 h 6 min · provisional: 8 of 30 "
        "runs; final with <code>--scale paper</code>",
        "the paper’s scale · 100 rounds · 3 runs · seed 77 · took 0.26 s",
        "<td>4,000 (at paper scale: 50,000,000)</td>",
        "<td>8 (at paper scale: 30)</td>",
        "<tr><th scope=\"row\">played on</th><td>c1</td></tr>",
        "<tr><th scope=\"row\">α</th><td>0.0625</td></tr>", /* of the linear one */
        "<tr><th scope=\"row\">arms</th><td>25</td></tr>",  /* d^2, which no row says */
        "<tr><th scope=\"row\">gap varied</th><td>0.1, 0.2, 0.4</td></tr>",
        /* Curves: only columns in which they differ, and only what they read: epsilon, beta;
         * runs. */
        "<td><code>dp-se</code></td><td>0.5</td><td>0.0625</td></tr>",
        "<td><code>ucb</code></td><td></td><td></td></tr>",
        "<td><code>jdp-linucb-gauss</code></td><td>0.5</td><td>12,345</td></tr>",
        "<td><code>linucb</code></td><td></td><td>3</td></tr>",
        "<a href=\"one-1.1.csv\">",
        "<a href=\"one-1.1.svg\">",
        "honest noise",
        "<code>three-3</code> Three, Figure 3: Never played",
        "<small>1 of 3 hold</small>",
        /* The worlds that were played, with the means that were played. */
        "<p class=\"world\"><b>c1</b>: The best arm has mean 0.75, and all others have 0.7. 7 "
        "arms, "
        "means 0.75, 0.7 (6 times). Rewards are 0 or 1.</p>",
        "<p class=\"world\"><b>Contexts with a gap</b>: each round has 25 new actions in d = 5 ",
        "Nothing here is checked",
    };
    expect_each(page, parts, sizeof parts / sizeof *parts);
    assert_null(strstr(page, "<th scope=\"row\">gap</th>")); /* it is the axis */
    assert_null(strstr(page, "class=\"sets\""));
    assert_int_equal(occurrences(page, "bands: ± one standard error"), 2);
    /* Badges: one per figure in the table and one at its head; three checks on two panels. */
    assert_int_equal(occurrences(page, "<span class=\"badge fails\">"), 6);
    assert_int_equal(occurrences(page, "<span class=\"badge unknown\">"), 3);
    assert_int_equal(occurrences(page, "<span class=\"badge holds\">"), 1);
    assert_int_equal(occurrences(page, "<svg "), 3);
    free(page);
}

/* The page loads nothing and runs nothing; ids are unique, and links to them work. */
TEST(test_page_is_self_contained)
{
    char *page = page_of(2);
    static const char *const banned[] = {"<script", "http:", "https:", "src=",  "@import",
                                         "<link",   "<img",  "<b>&",   "<nan>", " onload"};
    for (size_t i = 0; i < sizeof banned / sizeof *banned; i++) {
        assert_null(strstr(page, banned[i]));
    }
    assert_int_equal(occurrences(page, "url("), occurrences(page, "url(#"));
    size_t ids = 0;
    for (const char *at = strstr(page, " id=\""); at; at = strstr(at + 1, " id=\""), ids++) {
        char id[96];
        snprintf(id, sizeof id, "%.*s\"", (int)strcspn(at + 5, "\"") + 5, at);
        assert_int_equal(occurrences(page, id), 1);
    }
    assert_true(ids > 9);
    static const char *const parts[] = {
        " id=\"one-1.1-1-title\"",
        "aria-labelledby=\"one-1.1-1-title one-1.1-1-text\"",
        " id=\"one-1.1-2-text\"",
        "<html lang=\"en\">",
        "name=\"viewport\"",
        "prefers-color-scheme:dark",
        "@media print",
    };
    expect_each(page, parts, sizeof parts / sizeof *parts);
    free(page);
}

/* One run has no bands; sets are listed by name, with the number of correct arms. */
TEST(test_one_run_and_sets)
{
    uint32_t best[] = {0, 3}, shown[] = {3, 2};
    char arms[][8] = {"A & B", "never", "Two", "Three"};
    char *names_of_arms[] = {arms[0], arms[1], arms[2], arms[3]};
    lotor_figure figure = figures[1];
    figure.lists_sets = true;
    lotor_series own[2] = {series[2][0], series[2][1]};
    own[0].shown = (lotor_arm_set){shown, 2};
    own[1].shown = (lotor_arm_set){best, 2};
    lotor_panel panel = {names[4], own, 2};
    lotor_figure_result played = results[1];
    played.figure = &figure;
    played.runs = 1;
    played.panels = &panel;
    played.best = (lotor_arm_set){best, 2};
    played.names = names_of_arms;
    played.name_count = 4;
    lotor_message why;
    assert_int_equal(lotor_page_write(&played, 1, folder, &why), LOTOR_OK);
    char *page = take_file("index.html");
    assert_well_formed(page);
    assert_null(strstr(page, "standard error"));
    static const char *const parts[] = {
        "One run: no error is known, and there are no bands. ",
        ("<th scope=\"row\">A &amp; B</th><td class=\"mark\">✓</td><td></td>"
         "<td class=\"mark\">✓</td></tr>"),
        "<th scope=\"row\">Two</th><td></td><td class=\"mark\">✓</td><td></td></tr>",
        "<th scope=\"row\">of the best</th><td>2</td><td>1 of 2</td><td>2 of 2</td></tr>",
    };
    expect_each(page, parts, sizeof parts / sizeof *parts);
    assert_null(strstr(page, "never<"));
    free(page);
}

TEST(test_empty_page)
{
    char *page = page_of(0);
    assert_well_formed(page);
    assert_int_equal(occurrences(page, "<li><code>"), 3);
    assert_null(strstr(page, "<svg"));
    free(page);
}

/* Papers that are known have a story; the page has the papers in the order of the figures. */
TEST(test_stories)
{
    lotor_figure first = figures[1], second = figures[0];
    first.paper = "Wang et al. 2022";
    second.paper = "Chen et al. 2020";
    lotor_figure_result played[] = {results[1], results[0], results[1]};
    played[0].figure = played[2].figure = &first;
    played[1].figure = &second;
    lotor_message why;
    assert_int_equal(lotor_page_write(played, 2, folder, &why), LOTOR_OK);
    char *page = take_file("index.html");
    assert_well_formed(page);
    const char *wang = strstr(page, "<section class=\"paper\" id=\"paper-wang\">");
    const char *chen = strstr(page, "<section class=\"paper\" id=\"paper-chen\">");
    assert_true(wang && chen && wang < chen);
    static const char *const parts[] = {
        "<cite>Cascading Bandit under Differential Privacy</cite>",
        "the number of reports reveals the click",
        "1/ε, K and m",
        "<a href=\"#paper-wang\">",
    };
    expect_each(page, parts, sizeof parts / sizeof *parts);
    free(page);
    /* Figures of a paper are together, though another one was between them. */
    first.id = "another";
    assert_int_equal(lotor_page_write(played, 3, folder, &why), LOTOR_OK);
    page = take_file("index.html");
    assert_int_equal(occurrences(page, "<section class=\"paper\" id=\"paper-wang\">"), 1);
    free(page);
}

/* --- the summary ------------------------------------------------------------------------------ */

static const lotor_summary_place place = {
    .date = "2026-11-17", .processor = "Some <CPU> | 3 GHz", .cores = 2};

static char *summary_of(size_t count)
{
    lotor_message why;
    assert_int_equal(lotor_summary_write(results, count, &place, folder, &why), LOTOR_OK);
    return take_file("summary.md");
}

TEST(test_summary)
{
    char *summary = summary_of(2);
    static const char *const parts[] = {
        "# The papers' experiments, played again\n\nThis page is for readers of the papers",
        "`lotor reproduce ID... --scale quick` wrote it",
        "[errata.md](errata.md)",
        "[mathematics.md](mathematics.md)",
        "- Date: 2026-11-17\n- Machine: Some &lt;CPU&gt; | 3 GHz, 2 cores\n- Version: Lotor ",
        "- Seed: 77\n- Scale: quick\n- Figures: 2 of 3\n- Time: 1 h 6 min\n",
        "**provisional**",
        "| paper | claims that hold | checks | holds | does not hold | not decided | needs data | "
        "figures | time |\n"
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|\n"
        "| One &lt;2020&gt;, in the paper’s setting |  | 3 | 1 | 1 | 1 | 0 | 1 of 1 | 1 h 6 min |\n"
        "| One &lt;2020&gt;, with the noise that its privacy claim needs |  | 3 | 0 | 3 | 0 | 0 | "
        "| "
        "|\n"
        "| Two |  | 0 | 0 | 0 | 0 | 0 | 1 of 1 | 0.26 s |\n"
        "| all, in the papers’ settings |  | 3 | 1 | 1 | 1 | 0 | 2 of 3 | 1 h 6 min |\n",
        "\n## One &lt;2020&gt;\n",
        "**In the paper’s setting 1 of 3 checks hold; with the noise that its privacy claim needs, "
        "0 of 3 (provisional: --scale paper makes it final).**",
        "| Figure 1.1 | third claim | holds (provisional) | does not hold (provisional) | found "
        "&lt;third claim&gt;<br>with the noise that privacy needs: found &lt;third claim&gt; |\n",
        "\n## Two\n\n**No claim was checked.**\n",
    };
    expect_each(summary, parts, sizeof parts / sizeof *parts);
    assert_int_equal(occurrences(summary, "\n| Figure 1.1 |"), 3);
    assert_null(strstr(summary, "|---|---|---|---|\n\n")); /* no table without rows */
    free(summary);
    summary = summary_of(0);
    assert_non_null(strstr(summary, "- Figures: 0 of 3\n"));
    free(summary);
}

/* Every row of a table has as many cells as its head. */
TEST(test_summary_tables)
{
    char *summary = summary_of(2);
    size_t cells = 0, rows = 0;
    for (char *line = strtok(summary, "\n"); line; line = strtok(NULL, "\n")) {
        size_t bars = 0;
        for (const char *at = line; *line == '|' && *at != '\0'; at++) {
            bars += *at == '|' && (at == line || at[-1] != '\\');
        }
        assert_true(bars == 0 || cells == 0 || bars == cells);
        cells = bars;
        rows += bars > 0;
    }
    assert_true(rows >= 10);
    free(summary);
}

TEST(test_place)
{
    const lotor_summary_place here = lotor_summary_here();
    int year, month, day;
    assert_int_equal(sscanf(here.date, "%4d-%2d-%2d", &year, &month, &day), 3);
    assert_true(year >= 2024 && month >= 1 && month <= 12 && day >= 1 && day <= 31);
    assert_true(here.processor[0] != '\0' && here.cores >= 1);
    char host[256] = "";
    assert_int_equal(gethostname(host, sizeof host - 1), 0);
    assert_true(host[0] == '\0' || !strstr(here.processor, host));
}

TEST(test_picture)
{
    lotor_message why;
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(lotor_page_svg(&results[i], path_of("a.svg"), &why), LOTOR_OK);
        char *picture = take_file("a.svg");
        assert_null(well_formed_error(picture));
        assert_memory_equal(picture, "<svg xmlns=\"http://www.w3.org/2000/svg\"", 39);
        assert_non_null(strstr(picture, "<style>"));
        /* Each curve of each panel: its title and its name. */
        assert_int_equal(occurrences(picture, "<title>private &lt;b&gt;&amp;</title>"),
                         results[i].count);
        assert_int_equal(occurrences(picture, ">private &lt;b&gt;&amp;</text>"), results[i].count);
        assert_int_equal(occurrences(picture, ">plain</text>"), results[i].count);
        assert_int_equal(occurrences(picture, ">lower bound</text>"), i == 0);
        free(picture);
    }
}

/* Panels that are compared share the y axis; logarithmic ones always. */
TEST(test_shared_axis)
{
    lotor_message why;
    lotor_panel panels[2] = {both_panels[0], both_panels[1]};
    lotor_figure_result played = results[0];
    played.panels = panels;
    lotor_curve_point high[3] = {{1, 2e6, 1}, {10, 3e6, 1}, {100, 4e6, 1}};
    lotor_series far = {.label = names[0], .points = high, .count = 3, .lower_bound = NAN};
    panels[1] = (lotor_panel){names[3], &far, 1};
    assert_int_equal(lotor_page_svg(&played, path_of("a.svg"), &why), LOTOR_OK);
    char *picture = take_file("a.svg");
    assert_int_equal(occurrences(picture, ">10⁶</text>"), 2);
    assert_int_equal(occurrences(picture, ">10</text>"), 4); /* and on both x axes */
    free(picture);
    lotor_figure linear = figures[0];
    linear.log_y = false;
    played.figure = &linear;
    assert_int_equal(lotor_page_svg(&played, path_of("a.svg"), &why), LOTOR_OK);
    picture = take_file("a.svg");
    assert_int_equal(occurrences(picture, ">4·10⁶</text>"), 1);
    free(picture);
    assert_int_equal(lotor_page_write(&played, 1, folder, &why), LOTOR_OK);
    char *page = take_file("index.html");
    assert_non_null(strstr(page, "y axes of their own"));
    free(page);
}

TEST(test_unwritable)
{
    lotor_message why = {""};
    assert_int_equal(lotor_page_write(results, 2, "/no/such/folder", &why), LOTOR_IO);
    assert_non_null(strstr(why.text, "/no/such/folder/index.html"));
    assert_int_equal(lotor_page_svg(&results[0], "/no/such/a.svg", NULL), LOTOR_IO);
    /* A folder is in the way: nothing else is left behind. */
    assert_int_equal(mkdir(path_of("index.html"), 0700), 0);
    assert_int_equal(lotor_page_write(results, 2, folder, &why), LOTOR_IO);
    assert_int_equal(rmdir(path_of("index.html")), 0);
    assert_int_not_equal(access(path_of("index.html.partial"), F_OK), 0);
}

/* The k-th allocation fails, for every k: the call returns LOTOR_MEMORY, writes no file and leaks
 * nothing. */
TEST(test_out_of_memory)
{
    lotor_message why;
    static const char *const files[] = {"index.html", "a.svg", "summary.md"};
    for (int kind = 0; kind < 3; kind++) {
        const char *name = files[kind];
        const size_t live = failing_memory_live();
        lotor_status status = LOTOR_MEMORY;
        size_t k = 0;
        while (status != LOTOR_OK) {
            failing_memory_start(++k);
            status = kind == 0   ? lotor_page_write(results, 2, folder, &why)
                     : kind == 1 ? lotor_page_svg(&results[0], path_of(name), &why)
                                 : lotor_summary_write(results, 2, &place, folder, &why);
            const size_t asked = failing_memory_stop();
            assert_int_equal(failing_memory_live(), live);
            assert_int_equal(status, asked < k ? LOTOR_OK : LOTOR_MEMORY);
            assert_int_equal(access(path_of(name), F_OK) == 0, status == LOTOR_OK);
        }
        assert_true(k > 4); /* the text doubles a few times */
        free(take_file(name));
    }
}

TEST_GROUP(make_folder, remove_folder);
