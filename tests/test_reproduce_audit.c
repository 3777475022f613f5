/* test_reproduce_audit.c - figures that audit their curves: the results, their storage and their
 * display. */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "papers/page_tables.h"
#include "papers/reproduce_plan.h"
#include "papers/verdict.h"

static const lotor_curve_plan curves[] = {
    {"cascade-ucb", {.algorithm = "cascade-ucb"}},
    {"cascade-ldp-laplace", {.algorithm = "cascade-ldp-laplace"}},
    {"rr-klucb", {.algorithm = "rr-klucb"}},
};

static const lotor_figure figure = {
    .id = "test-audits",
    .paper = "nobody",
    .where = "nowhere",
    .title = "three lists",
    .claim = "one tells the click, one does not",
    .base = {.epsilon = 1,
             .place = LOTOR_FIGURE_WORLD_TWO_VALUED,
             .high = 0.2,
             .low = 0.05,
             .arms = 5,
             .slots = 2,
             .cascade = true,
             .horizon = 200,
             .runs = 2},
    .quick_horizon = 200,
    .quick_runs = 2,
    .log_x = true,
    .audits = true,
    .curves = curves,
    .curve_count = 3,
};

static lotor_figure_result played;
static lotor_reproduction how = {.is_quick = true, .seed = 7, .threads = 2, .scratch = "."};

static int play(void **state)
{
    (void)state;
    lotor_message why = {""};
    if (lotor_figure_play(&figure, &how, &why, &played) != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    return 0;
}

static int clear(void **state)
{
    (void)state;
    lotor_figure_result_clear(&played);
    return 0;
}

/* Randomized response is epsilon-private, a list that ends at the click is not, and the baseline
 * claims nothing. 4000 trials: see papers/reproduce_audit.c. */
TEST(what_is_found)
{
    const lotor_series *series = played.panels[0].series;
    assert_true(series[0].claim.is_known && isinf(series[0].claim.epsilon));
    assert_int_equal(series[0].claim.verdict, LOTOR_AUDIT_CLAIMS_NOTHING);
    assert_true(series[1].claim.epsilon == 1.0);
    assert_int_equal(series[1].claim.verdict, LOTOR_AUDIT_VIOLATED);
    assert_true(series[1].claim.found > 1.0);
    assert_true(series[2].claim.epsilon == 1.0 && series[2].claim.delta == 0.0);
    assert_int_equal(series[2].claim.verdict, LOTOR_AUDIT_NOTHING_FOUND);
    assert_true(series[2].claim.found > 0.4 && series[2].claim.found <= 1.0);
}

/* Clicks and rewards are different feedback, so these are different experiments. */
TEST(clicks_are_another_experiment)
{
    lotor_figure other = figure;
    other.base.cascade = false;
    assert_true(lotor_figure_fingerprint(&figure, true) != lotor_figure_fingerprint(&other, true));
    assert_true(lotor_figure_cell_at(&figure, true, 2).setting.cascade);
    assert_false(lotor_figure_cell_at(&figure, true, 0).setting.cascade); /* its own kind already */
}

static char *written(size_t *length)
{
    static char name[] = "lotor-audits.XXXXXX";
    strcpy(name + sizeof name - 7, "XXXXXX");
    const int made = mkstemp(name);
    assert_true(made >= 0);
    close(made);
    lotor_message why = {""};
    assert_int_equal(lotor_figure_result_write(&played, name, &why), LOTOR_OK);
    char *bytes;
    assert_int_equal(lotor_records_load(name, &why, &bytes, length), LOTOR_OK);
    unlink(name);
    return bytes;
}

static lotor_status parse(const char *bytes, size_t length, lotor_figure_result *out)
{
    lotor_message why = {""};
    return lotor_figure_result_parse(&figure, &how, (lotor_slice){bytes, length}, "bytes", &why,
                                     out);
}

TEST(claims_are_kept)
{
    size_t length;
    char *bytes = written(&length);
    lotor_figure_result read;
    assert_int_equal(parse(bytes, length, &read), LOTOR_OK);
    for (size_t i = 0; i < 3; i++) {
        const lotor_claim_audit *one = &played.panels[0].series[i].claim;
        const lotor_claim_audit *other = &read.panels[0].series[i].claim;
        assert_true(other->is_known && one->verdict == other->verdict);
        assert_true(one->epsilon == other->epsilon && one->delta == other->delta);
        assert_true(one->found == other->found);
    }
    lotor_figure_result_clear(&read);
    free(bytes);
}

/* Changes the text after the nth "# audit: ,LABEL," to `text`, up to the end of the line; NULL:
 * removes the whole line. */
static void expect(lotor_status expected, const char *label, const char *text)
{
    size_t length;
    char *bytes = written(&length), start[64];
    snprintf(start, sizeof start, "# audit: ,%s,", label);
    const char *line = strstr(bytes, start);
    assert_non_null(line);
    const char *end = strchr(line, '\n');
    lotor_text changed = {0};
    lotor_text_print(&changed, "%.*s", (int)(line - bytes), bytes);
    if (text) {
        lotor_text_print(&changed, "%s%s\n", start, text);
    }
    lotor_text_print(&changed, "%.*s", (int)(bytes + length - (end + 1)), end + 1);
    lotor_figure_result read;
    const lotor_status status = parse(changed.bytes, changed.length, &read);
    if (status != expected) {
        fail_msg("\"%s\": %s", text ? text : "(no line)", lotor_status_name(status));
    }
    if (status == LOTOR_OK) {
        lotor_figure_result_clear(&read);
    }
    lotor_text_clear(&changed);
    free(bytes);
}

static void expect_refused(const char *label, const char *text)
{
    expect(LOTOR_INVALID, label, text);
}

TEST(edited_claims_are_refused)
{
    expect_refused("rr-klucb", NULL);
    expect(LOTOR_OK, "rr-klucb", "0,1,0,0.5");
    expect(LOTOR_OK, "rr-klucb", "5,1,0,0.5");
    expect_refused("rr-klucb", "6,1,0,0.5"); /* no such verdict */
    expect_refused("rr-klucb", "0,1,0");
    expect_refused("rr-klucb", "0,1,0,");
    expect_refused("rr-klucb", "0,1,,0.5");
    expect_refused("rr-klucb", "0,x,0,0.5");
    expect_refused("rr-klucb", "0,1,0,0.5\n# audit: ,rr-klucb,0,1,0,0.5"); /* twice */
    expect_refused("rr-klucb", "0,1,0,0.5\n# audit: ,nobody,0,1,0,0.5");
}

TEST(the_table_says_it)
{
    lotor_text text = {0};
    lotor_page_put_audits(&text, &played);
    assert_non_null(strstr(text.bytes, "<code>rr-klucb</code>"));
    assert_non_null(strstr(text.bytes, ">violated</span>"));
    assert_non_null(strstr(text.bytes, ">claims nothing</span>"));
    assert_non_null(strstr(text.bytes, ">no violation found</span>"));
    lotor_text_clear(&text);
}

/* The claim holds if a known leak is found; it fails if one is not found, or another algorithm is
 * violated. */
TEST(verdicts)
{
    const lotor_figure_check check = {.claim = "", .kind = LOTOR_CHECK_AUDIT};
    lotor_series *series = played.panels[0].series;
    assert_int_equal(lotor_figure_check_judge(&played, &check, 0).verdict, LOTOR_VERDICT_HOLDS);
    for (size_t i = 1; i < 3; i++) { /* the leak, and the one that is none */
        const lotor_audit_verdict before = series[i].claim.verdict;
        series[i].claim.verdict =
            before == LOTOR_AUDIT_VIOLATED ? LOTOR_AUDIT_NOTHING_FOUND : LOTOR_AUDIT_VIOLATED;
        assert_int_equal(lotor_figure_check_judge(&played, &check, 0).verdict, LOTOR_VERDICT_FAILS);
        series[i].claim.verdict = LOTOR_AUDIT_UNSEEN;
        assert_int_equal(lotor_figure_check_judge(&played, &check, 0).verdict, LOTOR_VERDICT_OPEN);
        series[i].claim.verdict = before;
    }
}

TEST_GROUP(play, clear);
