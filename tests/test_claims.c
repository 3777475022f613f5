/* test_claims.c - the list of claims (papers/claims.h) is complete and names only what exists: figures,
 * checks, tests, pages with their sections, and errata. */
#include "support/test.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "papers/claims.h"

/* The whole file below the sources; NULL if there is none. The caller frees it. */
static char *read_source(const char *name)
{
    char path[1000];
    assert_in_range(snprintf(path, sizeof path, "%s/%s", LOTOR_SOURCES, name), 1, sizeof path - 1);
    FILE *file = fopen(path, "r");
    if (!file) {
        return NULL;
    }
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const long size = ftell(file);
    assert_true(size >= 0);
    rewind(file);
    char *text = malloc((size_t)size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, file), size);
    text[size] = '\0';
    fclose(file);
    return text;
}

static bool begins(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

static const char *next_line(const char *line)
{
    const char *end = strchr(line, '\n');
    return end ? end + 1 : NULL;
}

/* True if a line is WORD(stem) or WORD(stem, ..., WORD of capitals: TEST(name), TEST_OF(name, f, x). */
static bool has_macro(const char *text, const char *stem, size_t length)
{
    for (const char *line = text; line; line = next_line(line)) {
        const char *at = line;
        while (isupper((unsigned char)*at) || *at == '_') {
            at++;
        }
        if (at > line && *at == '(' && strncmp(at + 1, stem, length) == 0 &&
            (at[1 + length] == ')' || at[1 + length] == ',')) {
            return true;
        }
    }
    return false;
}

static bool is_of_a_name(char letter)
{
    return isalnum((unsigned char)letter) || letter == '_';
}

/* True if the file has this test: TEST(name), or MACRO(stem) with a macro that makes stem##suffix. */
static bool has_test(const char *text, const char *name)
{
    const size_t length = strlen(name);
    if (has_macro(text, name, length)) {
        return true;
    }
    for (size_t cut = 1; cut < length; cut++) {
        char suffix[200];
        snprintf(suffix, sizeof suffix, "##%s", name + cut);
        const char *made = name[cut] == '_' ? strstr(text, suffix) : NULL;
        if (made && !is_of_a_name(made[strlen(suffix)]) && has_macro(text, name, cut)) {
            return true;
        }
    }
    return false;
}

static bool has_heading(const char *text, const char *heading)
{
    for (const char *line = text; line; line = next_line(line)) {
        const size_t marks = strspn(line, "#");
        if (marks > 0 && line[marks] == ' ' && begins(line + marks + 1, heading)) {
            return true;
        }
    }
    return false;
}

/* "7. **Sajed 2019, ..." for a number, "- **All papers. ..." for a name. */
static bool has_erratum(const char *text, const char *name)
{
    char beginning[200];
    snprintf(beginning, sizeof beginning, isdigit((unsigned char)*name) ? "%s. **" : "- **%s",
             name);
    for (const char *line = text; line; line = next_line(line)) {
        if (begins(line, beginning)) {
            return true;
        }
    }
    return false;
}

TEST(ids_are_unique)
{
    for (size_t i = 0; lotor_paper_claim_at(i); i++) {
        for (size_t j = 0; j < i; j++) {
            if (strcmp(lotor_paper_claim_at(i)->id, lotor_paper_claim_at(j)->id) == 0) {
                fail_msg("%s is there twice", lotor_paper_claim_at(i)->id);
            }
        }
    }
}

TEST(rows_are_complete)
{
    for (size_t i = 0; lotor_paper_claim_at(i); i++) {
        const lotor_paper_claim *claim = lotor_paper_claim_at(i);
        const size_t length = strlen(claim->text);
        if (length < 20 || !strchr(".)", claim->text[length - 1])) {
            fail_msg("%s: the claim is not a sentence", claim->id);
        }
        assert_true(strlen(claim->place) > 0 && strlen(claim->id) < 40);
        assert_true(lotor_paper_claim_check_count(claim) > 0);
    }
}

/* --- existing names --------------------------------------------------------------------------- */

/* Every word stands for a figure, and every figure that is named has a check that begins like this. */
static void expect_figures(const lotor_paper_claim *claim, const lotor_paper_claim_check *check)
{
    char words[500];
    snprintf(words, sizeof words, "%s", check->name);
    for (char *rest = NULL, *word = strtok_r(words, " ", &rest); word;
         word = strtok_r(NULL, " ", &rest)) {
        const lotor_paper_claim_check one = {LOTOR_WAY_FIGURE, word, check->part};
        bool is_there = false;
        for (size_t i = 0; lotor_figure_at(i); i++) {
            const lotor_figure *figure = lotor_figure_at(i);
            if (!lotor_paper_claim_check_has_figure(&one, figure, NULL)) {
                continue;
            }
            is_there = true;
            if (strcmp(figure->paper, claim->paper) != 0) {
                fail_msg("%s names %s, which is of %s", claim->id, figure->id, figure->paper);
            }
            bool is_checked = !check->part;
            for (size_t j = 0; j < figure->check_count; j++) {
                is_checked |= lotor_paper_claim_check_has_figure(&one, figure, &figure->checks[j]);
            }
            if (!is_checked) {
                fail_msg("%s: no check of %s begins with \"%s\"", claim->id, figure->id,
                         check->part);
            }
        }
        if (!is_there) {
            fail_msg("%s: there is no figure %s", claim->id, word);
        }
    }
}

/* Reads the file, and wants `part` in it. */
static void expect_source(const lotor_paper_claim *claim, const char *path, const char *part,
                          bool (*has)(const char *text, const char *part))
{
    char *text = read_source(path);
    if (!text) {
        fail_msg("%s: there is no %s", claim->id, path);
    }
    if (!has(text, part)) {
        fail_msg("%s: %s has no \"%s\"", claim->id, path, part);
    }
    free(text);
}

static void expect(const lotor_paper_claim *claim, const lotor_paper_claim_check *check)
{
    char path[200];
    switch (check->way) {
    case LOTOR_WAY_FIGURE:
        expect_figures(claim, check);
        return;
    case LOTOR_WAY_TEST:
        snprintf(path, sizeof path, "tests/%s.c", check->name);
        expect_source(claim, path, check->part, has_test);
        return;
    case LOTOR_WAY_PROOF:
        expect_source(claim, check->name, check->part, has_heading);
        return;
    case LOTOR_WAY_ERRATUM:
        expect_source(claim, "docs/errata.md", check->name, has_erratum);
        return;
    case LOTOR_WAY_CITED:
    case LOTOR_WAY_NONE:
        assert_true(strlen(check->name) > 7 && !check->part);
        return;
    case LOTOR_WAY_END:
        break;
    }
    fail_msg("%s: an unknown way", claim->id);
}

TEST(everything_named_exists)
{
    for (size_t i = 0; lotor_paper_claim_at(i); i++) {
        const lotor_paper_claim *claim = lotor_paper_claim_at(i);
        for (size_t j = 0; j < lotor_paper_claim_check_count(claim); j++) {
            expect(claim, &claim->checks[j]);
        }
    }
}

/* The functions above find what is there and nothing else. */
TEST(wrong_names_are_noticed)
{
    char *text = read_source("tests/test_verify.c");
    assert_non_null(text);
    assert_true(has_test(text, "tree_holds") && has_test(text, "sparse_is_nearly_tight"));
    assert_false(has_test(text, "trees_holds") || has_test(text, "tree_hold"));
    assert_false(has_test(text, "sparse_is_nearly") || has_test(text, "sparse_is_nearly_tighter"));
    free(text);
    text = read_source("tests/test_statistic_noise.c");
    assert_true(has_test(text, "doubling") && !has_test(text, "noise_is_as_promised"));
    free(text);
    text = read_source("docs/errata.md");
    assert_true(has_erratum(text, "1") && has_erratum(text, "28") && !has_erratum(text, "0"));
    assert_false(has_erratum(text, "Sajed 2019, means of C3"));
    free(text);
    text = read_source("docs/mathematics.md");
    assert_true(has_heading(text, "4.7 Sparse vector"));
    assert_false(has_heading(text, "4.77") || has_heading(text, "Claim."));
    free(text);
    assert_null(read_source("tests/test_no_such_file.c"));
}

/* --- verdicts --------------------------------------------------------------------------------- */

static bool has_way(const lotor_paper_claim *claim, lotor_paper_claim_way way)
{
    for (size_t i = 0; i < lotor_paper_claim_check_count(claim); i++) {
        if (claim->checks[i].way == way) {
            return true;
        }
    }
    return false;
}

/* A verdict needs what it rests on. */
TEST(verdicts_have_their_reasons)
{
    static const lotor_paper_claim_way needed[LOTOR_PAPER_CLAIM_VERDICTS] = {
        [LOTOR_PAPER_CLAIM_PLAYED] = LOTOR_WAY_FIGURE,
        [LOTOR_PAPER_CLAIM_PROVED] = LOTOR_WAY_PROOF,
        [LOTOR_PAPER_CLAIM_TESTED] = LOTOR_WAY_TEST,
        [LOTOR_PAPER_CLAIM_TYPO] = LOTOR_WAY_ERRATUM,
        [LOTOR_PAPER_CLAIM_REPAIRED] = LOTOR_WAY_ERRATUM,
        [LOTOR_PAPER_CLAIM_GAP] = LOTOR_WAY_ERRATUM,
        [LOTOR_PAPER_CLAIM_FALSE] = LOTOR_WAY_ERRATUM,
        [LOTOR_PAPER_CLAIM_CITED] = LOTOR_WAY_CITED,
        [LOTOR_PAPER_CLAIM_UNCHECKED] = LOTOR_WAY_NONE,
    };
    for (size_t i = 0; lotor_paper_claim_at(i); i++) {
        const lotor_paper_claim *claim = lotor_paper_claim_at(i);
        if (!has_way(claim, needed[claim->verdict])) {
            fail_msg("%s: \"%s\" names no %s", claim->id,
                     lotor_paper_claim_verdict_name(claim->verdict),
                     lotor_paper_claim_way_name(needed[claim->verdict]));
        }
        if (claim->verdict == LOTOR_PAPER_CLAIM_REPAIRED && !has_way(claim, LOTOR_WAY_TEST) &&
            !has_way(claim, LOTOR_WAY_PROOF)) {
            fail_msg("%s: what repairs it?", claim->id);
        }
        if (claim->kind == LOTOR_PAPER_CLAIM_PRIVACY &&
            claim->verdict == LOTOR_PAPER_CLAIM_PLAYED) {
            fail_msg("%s: no figure proves privacy", claim->id);
        }
    }
}

/* --- completeness ----------------------------------------------------------------------------- */

static bool is_in_a_claim(const lotor_figure *figure, const lotor_figure_check *check)
{
    for (size_t i = 0; lotor_paper_claim_at(i); i++) {
        if (lotor_paper_claim_has_figure(lotor_paper_claim_at(i), figure, check)) {
            return true;
        }
    }
    return false;
}

static bool is_a_paper(const char *paper)
{
    for (size_t i = 0; lotor_paper_claim_at(i); i++) {
        if (strcmp(lotor_paper_claim_at(i)->paper, paper) == 0) {
            return true;
        }
    }
    return false;
}

/* Every figure of the five papers, and every check of it, belongs to a claim. */
TEST(every_figure_belongs_to_a_claim)
{
    size_t figures = 0;
    for (size_t i = 0; lotor_figure_at(i); i++) {
        const lotor_figure *figure = lotor_figure_at(i);
        if (!is_a_paper(figure->paper)) {
            assert_true(begins(figure->id, "ours-"));
            continue;
        }
        figures++;
        if (!is_in_a_claim(figure, NULL)) {
            fail_msg("no claim names %s", figure->id);
        }
        for (size_t j = 0; j < figure->check_count; j++) {
            if (!is_in_a_claim(figure, &figure->checks[j])) {
                fail_msg("%s: no claim names the check \"%s\"", figure->id,
                         figure->checks[j].claim);
            }
        }
    }
    assert_true(figures > 60);
}

static void expect_claim(const char *id)
{
    for (size_t i = 0; lotor_paper_claim_at(i); i++) {
        if (strcmp(lotor_paper_claim_at(i)->id, id) == 0) {
            return;
        }
    }
    fail_msg("%s is missing", id);
}

/* Numbered claims that are counted through in their papers, so that none is left out. */
TEST(numbered_claims_are_all_there)
{
    static const struct {
        const char *beginning;
        const char *numbers;
    } papers[] = {
        {"sajed-",
         "fact-2.1.1 lem-2.1.2 lem-2.1.3 thm-2.1.4 thm-2.1.5 thm-2.2.1 thm-2.2.2 fact-2.2.3 "
         "prop-3.1.1 thm-3.1.2 thm-3.1.3 fact-3.1.4 thm-3.1.5 thm-3.1.6 thm-3.2.1 thm-3.2.2 "
         "thm-3.3.1 thm-4.1.1 cor-4.1.2 thm-4.1.3 thm-4.2.1 lem-4.2.2 cor-4.2.3 thm-5.1.1 "
         "lem-5.1.2 thm-5.1.3 thm-5.1.4 thm-a.1.1 lem-a.1.2 cor-a.1.3 cor-a.1.4 fact-a.3.2"},
        {"chandak-",
         "claim-1 lem-2 lem-3 thm-4 thm-5 thm-6 thm-7 thm-8 thm-9 thm-10 thm-11 claim-12 cor-13 "
         "lem-14 lem-15 lem-16 lem-17 lem-18 lem-19 lem-20 lem-21 lem-22 lem-23 lem-24 lem-25 "
         "lem-26 lem-27 lem-28"},
        {"wang-", "lem-1-privacy lem-1-noise lem-2 lem-3 lem-4 lem-5 lem-6 thm-1 thm-2 thm-3 thm-4 "
                  "thm-5 thm-6 thm-7 thm-8-privacy thm-8-regret thm-9 thm-10 thm-11 thm-12"},
        {"chen-", "fact-1 lem-1 lem-2 thm-1 thm-2 thm-3 thm-4 thm-5 thm-6 thm-7 thm-8 thm-9"},
        {"shariff-", "prop-4 thm-5 thm-6 claim-7 rem-1 thm-8 prop-9 cor-10 prop-11 cor-12 claim-13 "
                     "claim-14 cor-15"},
    };
    for (size_t i = 0; i < sizeof papers / sizeof *papers; i++) {
        char numbers[1000], id[100];
        snprintf(numbers, sizeof numbers, "%s", papers[i].numbers);
        for (char *rest = NULL, *word = strtok_r(numbers, " ", &rest); word;
             word = strtok_r(NULL, " ", &rest)) {
            snprintf(id, sizeof id, "%s%s", papers[i].beginning, word);
            expect_claim(id);
        }
    }
}
