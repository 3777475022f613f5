/* test_promise_rows.c - rows that look private and are not: each is refused, with the reason.
 *
 * This program has a catalog of its own, linked in place of the rows of src/policy/catalog.c. All
 * else is the library: what a user is told about these rows is what the library makes of them.
 */
#include "support/test.h"

#include <stdio.h>
#include <string.h>

#include <lotor/algorithm.h>

#include "policy/policy.h"
#include "privacy/release/statistic_kind.h"
#include "support/test_source.h"

/* Doubling batches whose plan is wrong, and a statistic that states no claim. */
static lotor_statistic_kind quiet, weak, silent, unnamed;

static lotor_status plan_zero(const lotor_release_params *params, lotor_message *why,
                              uint64_t *scale, uint64_t *horizon)
{
    const lotor_status status = lotor_statistic_plan_once(params, why, scale, horizon);
    *scale = 0;
    return status;
}

/* The sensitivity of one shown arm, whatever the number of slots. */
static lotor_status plan_one_arm(const lotor_release_params *params, lotor_message *why,
                                 uint64_t *scale, uint64_t *horizon)
{
    lotor_release_params less = *params;
    less.l1 = (uint64_t)params->width;
    return lotor_statistic_plan_once(&less, why, scale, horizon);
}

__attribute__((constructor)) static void make_statistics(void)
{
    quiet = weak = silent = lotor_statistic_doubling;
    quiet.plan = plan_zero;
    weak.plan = plan_one_arm;
    silent.claim = (lotor_claim){0};
    unnamed = lotor_statistic_reports_gaussian;
    unnamed.claim.missing = NULL;
}

/* The fields that all rows below share. Only their parts differ. */
#define STATED(ID, PROBLEM, MODEL, FEEDBACK)                                                       \
    .id = ID, .summary = "looks private", .problem = LOTOR_PROBLEM_##PROBLEM, .paper = "none",     \
    .model = LOTOR_MODEL_##MODEL, .theorem = "believe me", .regret = "measured",                   \
    .feedback = FEEDBACK

#define ON(STATISTIC) .index = &lotor_rule_dpucb_mat, .statistic = &(STATISTIC)

const lotor_algorithm lotor_algorithms[] = {
    {STATED("sound", SEMIBANDIT, CENTRAL, "semi"), ON(lotor_statistic_doubling)},
    {STATED("exact", SEMIBANDIT, CENTRAL, "semi"), ON(lotor_statistic_exact)},
    {STATED("exact-sums", FINITE, CENTRAL, "one"), .needs_horizon = true,
     .elimination = &lotor_rule_dp_se, .epochs = LOTOR_EPOCH_EXACT},
    {STATED("counted-clicks", CASCADE, CENTRAL, "cascade"), ON(lotor_statistic_doubling)},
    {STATED("counted-reports", CASCADE, LOCAL, "cascade"), ON(lotor_statistic_reports)},
    {STATED("local-by-name", SEMIBANDIT, LOCAL, "semi"), ON(lotor_statistic_doubling)},
    {STATED("central-by-name", SEMIBANDIT, CENTRAL, "semi"), ON(lotor_statistic_reports)},
    {STATED("none-by-name", SEMIBANDIT, NONE, "semi"), ON(lotor_statistic_doubling)},
    {STATED("starts-exact", SEMIBANDIT, CENTRAL, "semi"), ON(lotor_statistic_doubling),
     .starts_exact = true},
    {STATED("slots", CASCADE, CENTRAL, "cascade"), ON(lotor_statistic_click_batches),
     .calibration = LOTOR_CALIBRATION_SLOTS},
    {STATED("arms", SEMIBANDIT, CENTRAL, "semi"), ON(lotor_statistic_doubling),
     .calibration = LOTOR_CALIBRATION_ARMS},
    {STATED("weak", SEMIBANDIT, CENTRAL, "semi"), ON(weak)},
    {STATED("quiet", SEMIBANDIT, CENTRAL, "semi"), ON(quiet)},
    {STATED("silent", SEMIBANDIT, CENTRAL, "semi"), ON(silent)},
    {STATED("printed", SEMIBANDIT, LOCAL, "semi"), ON(lotor_statistic_reports_gaussian),
     .delta = {1, 1000}},
    {STATED("printed-unnamed", SEMIBANDIT, LOCAL, "semi"), ON(unnamed), .delta = {1, 1000}},
    {STATED("recorded-sets", SEMIBANDIT, CENTRAL, "semi"), ON(lotor_statistic_episodes)},
    {STATED("strange-epochs", FINITE, CENTRAL, "one"), .needs_horizon = true,
     .elimination = &lotor_rule_dp_se, .epochs = (lotor_epoch_kind)17},
    {STATED("said-so", SEMIBANDIT, CENTRAL, "semi"), ON(lotor_statistic_doubling),
     .not_private = "the row says so"},
    {.id = "no-theorem",
     .summary = "looks private",
     .problem = LOTOR_PROBLEM_SEMIBANDIT,
     .paper = "none",
     .model = LOTOR_MODEL_CENTRAL,
     .regret = "measured",
     .feedback = "semi",
     ON(lotor_statistic_doubling)},

    /* No policy can be made of these. */
    {STATED("strange-matrix", LINEAR, JOINT, "one"), .needs_horizon = true, .delta = {1, 100000},
     .linear = &lotor_rule_jdp_batch, .matrix = (lotor_matrix_kind)17},
    {STATED("strange-feedback", SEMIBANDIT, CENTRAL, "gossip"), ON(lotor_statistic_doubling)},
    {STATED("no-feedback", SEMIBANDIT, CENTRAL, NULL), ON(lotor_statistic_doubling)},
    {STATED("clicks-on-sets", SEMIBANDIT, CENTRAL, "cascade"), ON(lotor_statistic_click_batches)},
    {STATED("rewards-on-lists", CASCADE, CENTRAL, "semi"), ON(lotor_statistic_doubling)},
    {STATED("any-without-lists", ANY, CENTRAL, "least-shown"), ON(lotor_statistic_episodes)},
    {STATED("no-statistic", SEMIBANDIT, CENTRAL, "semi"), .index = &lotor_rule_dpucb_mat},
    {STATED("no-learner", SEMIBANDIT, CENTRAL, "semi"), .statistic = &lotor_statistic_doubling},
    {STATED("two-learners", FINITE, CENTRAL, "one"), ON(lotor_statistic_doubling),
     .elimination = &lotor_rule_dp_se, .epochs = LOTOR_EPOCH_BATCH},
};
const size_t lotor_algorithms_size = sizeof lotor_algorithms / sizeof *lotor_algorithms;

enum { FIRST_UNMADE = 20 }; /* the place of "strange-matrix" */

/* Why each row is not private, in the words that users read. */
static const struct {
    const char *id;
    const char *reason;
} refusals[] = {
    {"exact", "it adds no noise: the non-private baseline"},
    {"exact-sums", "it adds no noise: the non-private baseline"},
    {"counted-clicks", "how many positions of a list were looked at depends on the click, and its "
                       "statistic does not hide that"},
    {"counted-reports", "how many positions of a list were looked at depends on the click, and its "
                        "statistic does not hide that"},
    {"local-by-name", "its row states another model of privacy than its noise has"},
    {"central-by-name", "its row states another model of privacy than its noise has"},
    {"none-by-name", "its row states another model of privacy than its noise has"},
    {"starts-exact", "it starts with one answer for every arm without noise"},
    {"slots", "its noise is not calibrated to the sensitivity of its feedback"},
    {"arms", "its noise is not calibrated to the sensitivity of its feedback"},
    {"weak", "its noise is smaller than its proof needs"},
    {"quiet", "no noise is added, although epsilon is finite"},
    {"silent", "it is not known which noise it adds: its parts state no claim"},
    {"printed", "its sigma is proved for epsilon up to 1 only"},
    {"printed-unnamed", "nothing is proved for its noise"},
    {"recorded-sets", "nothing is proved for its statistic with this feedback model"},
    {"strange-epochs", "it is not known which noise it adds: its parts state no claim"},
    {"said-so", "the row says so"},
    {"no-theorem", "its row names no theorem that proves it"},
    {"strange-matrix", "it is not known which noise it adds: its parts state no claim"},
    {"strange-feedback",
     "its feedback model is unknown, so nothing is known about its sensitivity"},
    {"no-feedback", "its feedback model is unknown, so nothing is known about its sensitivity"},
    {"clicks-on-sets", "its feedback model is not for this kind of problem"},
    {"rewards-on-lists", "its feedback model is not for this kind of problem"},
    {"any-without-lists",
     "its feedback model is unknown, so nothing is known about its sensitivity"},
    {"no-statistic", "it is not known which noise it adds: its parts state no claim"},
    {"no-learner", "it is not known which noise it adds: its parts state no claim"},
    {"two-learners", "it is not known which noise it adds: its parts state no claim"},
};

/* The plans of these two are wrong, which only a policy can know. */
static bool is_wrong_in_noise(const char *id)
{
    return strcmp(id, "weak") == 0 || strcmp(id, "quiet") == 0;
}

static lotor_guarantee guarantee_of(const char *id, test_source *source)
{
    const lotor_algorithm *row = lotor_algorithms_find(id);
    const bool one = row->problem == LOTOR_PROBLEM_FINITE;
    const lotor_policy_params params = {.algorithm = id,
                                        .arms = 5,
                                        .slots = one ? 1 : 2,
                                        .horizon = 1000,
                                        .epsilon = lotor_ratio_of(1, 2)};
    lotor_message why;
    lotor_policy *policy;
    if (lotor_policy_new_on(&params, &source->source, 1, &why, &policy) != LOTOR_OK) {
        fail_msg("%s: %s", id, why.text);
    }
    lotor_guarantee guarantee;
    lotor_policy_guarantee(policy, &guarantee);
    lotor_policy_free(policy);
    return guarantee;
}

/* Replaces each line break and the indent after it by one space. */
static void join_lines(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0'; from++) {
        const char byte = *from == '\n' ? ' ' : *from;
        if (byte != ' ' || to == text || to[-1] != ' ') {
            *to++ = byte;
        }
    }
    *to = '\0';
}

TEST(there_is_a_refusal_for_every_row_but_the_sound_one)
{
    assert_int_equal(lotor_algorithms_size, sizeof refusals / sizeof *refusals + 1);
    assert_string_equal(lotor_algorithms[FIRST_UNMADE].id, "strange-matrix");
    for (size_t i = 1; i < lotor_algorithms_size; i++) {
        assert_string_equal(lotor_algorithms[i].id, refusals[i - 1].id);
    }
}

/* The row from which all others differ in one thing. */
TEST(the_sound_row_is_private)
{
    test_source source;
    test_source_seed(&source, 1);
    const lotor_guarantee found = guarantee_of("sound", &source);
    assert_true(found.is_private && !found.reason && found.model == LOTOR_MODEL_CENTRAL);
    assert_string_equal(found.theorem, "believe me");
    assert_true(lotor_algorithm_is_private(lotor_algorithms_find("sound")));
    lotor_message why;
    assert_null(lotor_serving_refusal("sound", &why));
    lotor_algorithm_info facts;
    assert_int_equal(lotor_algorithm_find("sound", NULL, &facts), LOTOR_OK);
    assert_true(facts.is_private && !facts.not_private);
}

/* The facts of an algorithm, and what the service offers. */
TEST(rows_that_look_private_are_refused)
{
    for (size_t c = 0; c < sizeof refusals / sizeof *refusals; c++) {
        const char *id = refusals[c].id;
        if (is_wrong_in_noise(id)) {
            continue;
        }
        lotor_algorithm_info facts;
        assert_int_equal(lotor_algorithm_find(id, NULL, &facts), LOTOR_OK);
        assert_false(facts.is_private);
        assert_string_equal(facts.not_private, refusals[c].reason);
        assert_null(facts.theorem);
        lotor_message why;
        assert_non_null(lotor_serving_refusal(id, &why));
        assert_non_null(strstr(why.text, refusals[c].reason));
        lotor_serving_info offered;
        assert_false(lotor_serving_find(id, &offered));
    }
}

/* The guarantee of a policy, as text and as JSON. */
TEST(the_printed_guarantee_says_why)
{
    test_source source;
    test_source_seed(&source, 1);
    for (size_t c = 0; c + 1 < FIRST_UNMADE; c++) {
        const lotor_guarantee found = guarantee_of(refusals[c].id, &source);
        char text[2000], headline[300];
        assert_false(found.is_private);
        assert_string_equal(found.reason, refusals[c].reason);
        assert_null(found.theorem);
        assert_true(lotor_guarantee_text(&found, text, sizeof text) < sizeof text);
        join_lines(text);
        snprintf(headline, sizeof headline, "not private: %s nominal", refusals[c].reason);
        if (strncmp(text, headline, strlen(headline)) != 0 || strstr(text, "meaning")) {
            fail_msg("%s: %s", refusals[c].id, text);
        }
        assert_true(lotor_guarantee_json(&found, text, sizeof text) < sizeof text);
        assert_non_null(strstr(text, "\"private\": false"));
        assert_non_null(strstr(text, refusals[c].reason));
    }
}

#define ASSUMES                                                                                    \
    "  assumes    neighbours differ in one round's feedback; what is shown, when, and\n"           \
    "             when rounds expire is public; a saved state stays secret and is\n"               \
    "             loaded once\n"

/* Word for word. */
TEST(a_row_without_noise_is_refused_in_these_words)
{
    test_source source;
    test_source_seed(&source, 1);
    char text[2000];
    lotor_guarantee found = guarantee_of("exact", &source);
    lotor_guarantee_text(&found, text, sizeof text);
    assert_string_equal(text, "not private: it adds no noise: the non-private baseline\n"
                              "  nominal    epsilon = inf, unit: one round's feedback\n"
                              "  mechanism  exact on exact, no noise\n"
                              "  noise      none\n" ASSUMES "  regret     measured\n");
    found = guarantee_of("quiet", &source);
    lotor_guarantee_text(&found, text, sizeof text);
    assert_string_equal(text,
                        "not private: no noise is added, although epsilon is finite\n"
                        "  nominal    epsilon = 0.5, central model, unit: one round's feedback\n"
                        "  mechanism  quiet on doubling batches, discrete Laplace noise\n"
                        "  noise      none\n" ASSUMES "  regret     measured\n");
}

/* A policy of an unknown matrix cannot even be made. */
TEST(an_unknown_matrix_is_refused)
{
    const lotor_policy_params params = {.algorithm = "strange-matrix",
                                        .arms = 2,
                                        .dimension = 2,
                                        .horizon = 100,
                                        .epsilon = lotor_ratio_of(1, 1)};
    test_source source;
    test_source_seed(&source, 1);
    lotor_message why;
    lotor_policy *policy;
    assert_int_equal(lotor_policy_new_on(&params, &source.source, 1, &why, &policy), LOTOR_INVALID);
    assert_non_null(strstr(why.text, "no matrix statistic has number 17"));
}
