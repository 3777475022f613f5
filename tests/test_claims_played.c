/* test_claims_played.c - verdicts of claims, from the figures that they name. */
#include "support/test.h"

#include <string.h>

#include "papers/claims_played.h"

static const lotor_paper_claim *find_claim(const char *id)
{
    const lotor_paper_claim *claim;
    for (size_t i = 0; (claim = lotor_paper_claim_at(i)) != NULL; i++) {
        if (strcmp(claim->id, id) == 0) {
            return claim;
        }
    }
    fail_msg("there is no claim %s", id);
    return NULL;
}

/* Plays the formulas of Figure 2.1, which takes no time. */
static void play(lotor_figure_result *out)
{
    const lotor_reproduction how = {.is_quick = true, .seed = 1, .threads = 1, .scratch = "."};
    lotor_message why = {""};
    if (lotor_figure_play(lotor_figure_find("chandak-2.1"), &how, &why, out) != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
}

TEST(a_claim_follows_its_figures)
{
    lotor_figure_result played;
    play(&played);
    const lotor_paper_claim *claim = find_claim("chandak-fig-2.1");
    lotor_claim_finding finding = lotor_paper_claim_judge(claim, &played, 1, 0);
    assert_int_equal(finding.verdict, LOTOR_VERDICT_HOLDS);
    assert_int_equal(finding.checks, 1);
    assert_int_equal(finding.holding, 1);
    assert_int_equal(finding.missing, 0);
    /* The line is above the curve: the claim fails. */
    played.panels[0].series[1].points[0].mean = 0.6;
    finding = lotor_paper_claim_judge(claim, &played, 1, 0);
    assert_int_equal(finding.verdict, LOTOR_VERDICT_FAILS);
    assert_int_equal(finding.holding, 0);
    lotor_figure_result_clear(&played);
}

TEST(figures_that_were_not_played_are_counted)
{
    lotor_figure_result played;
    play(&played);
    const lotor_claim_finding finding =
        lotor_paper_claim_judge(find_claim("chandak-fig-6.1a"), &played, 1, 0);
    assert_int_equal(finding.verdict, LOTOR_VERDICT_OPEN);
    assert_int_equal(finding.checks, 0);
    assert_int_equal(finding.missing, 2);
    /* The figure has one panel. */
    assert_int_equal(lotor_paper_claim_judge(find_claim("chandak-fig-2.1"), &played, 1, 1).checks,
                     0);
    lotor_figure_result_clear(&played);
}

/* Of the three figures of this claim one was played, and holds: that does not decide. */
TEST(a_claim_with_missing_figures_does_not_hold)
{
    lotor_figure_result played;
    play(&played);
    static const lotor_paper_claim claim = {
        .id = "test",
        .paper = "Chandak 2023",
        .checks = {{LOTOR_WAY_FIGURE, "chandak-2.1", NULL},
                   {LOTOR_WAY_FIGURE, "chandak-6.1", NULL}},
    };
    const lotor_claim_finding finding = lotor_paper_claim_judge(&claim, &played, 1, 0);
    assert_int_equal(finding.verdict, LOTOR_VERDICT_OPEN);
    assert_int_equal(finding.holding, 1);
    assert_int_equal(finding.missing, 2);
    lotor_figure_result_clear(&played);
}

/* Claims are counted only if all figures of the paper are there. Those without panels have no checks. */
TEST(a_paper_counts_its_claims)
{
    enum { MOST = 200 };
    static lotor_figure_result played[MOST];
    size_t count = 1;
    play(&played[0]);
    lotor_verdict_tally tally = lotor_paper_tally_claims("Chandak 2023", played, count, 0);
    assert_int_equal(tally.claims, 0);
    const lotor_figure *figure;
    for (size_t i = 0; (figure = lotor_figure_at(i)) != NULL; i++) {
        if (strcmp(figure->paper, "Chandak 2023") == 0 && strcmp(figure->id, "chandak-2.1") != 0) {
            assert_true(count < MOST);
            played[count++].figure = figure;
        }
    }
    tally = lotor_paper_tally_claims("Chandak 2023", played, count, 0);
    assert_int_equal(tally.claims, 1);
    assert_int_equal(tally.counts[LOTOR_VERDICT_HOLDS], 1);
    tally = lotor_paper_tally_claims("Sajed 2019", played, count, 0);
    assert_int_equal(tally.claims, 0);
    lotor_figure_result_clear(&played[0]);
}
