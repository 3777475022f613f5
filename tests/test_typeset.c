/* test_typeset.c - plain formulas become typeset text, and nothing else changes. */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "papers/figure.h"
#include "papers/typeset.h"
#include "support/well_formed.h"

static void expect(const char *words, lotor_typeset_form form, const char *expected)
{
    lotor_text text = {0};
    lotor_typeset(&text, words, form);
    assert_int_equal(lotor_text_status(&text, NULL), LOTOR_OK);
    assert_string_equal(text.bytes ? text.bytes : "", expected);
    lotor_text_clear(&text);
}

TEST(test_formulas)
{
    static const struct {
        const char *words, *html, *plain;
    } cases[] = {
        {"1/epsilon^2", "1/ε²", "1/ε²"},
        {"log^2 n, K^4", "log² n, K⁴", "log² n, K⁴"},
        {"x^(1.9 ± 0.02)", "x<sup>1.9 ± 0.02</sup>", "x^(1.9 ± 0.02)"},
        {"x^0.5", "x<sup>0.5</sup>", "x^0.5"},
        {"x^-12.", "x⁻¹².", "x⁻¹²."},
        {"1/(1 + e^epsilon)", "1/(1 + e<sup>ε</sup>)", "1/(1 + e^ε)"},
        {"1/2 - epsilon/4", "1/2 − ε/4", "1/2 − ε/4"},
        {"sqrt n and sqrt(n)", "√n and √(n)", "√n and √(n)"},
        {"epsilon 1e5, 1e-4", "ε 10⁵, 10⁻⁴", "ε 10⁵, 10⁻⁴"},
        {"1.169e+04 2e-05", "1.169 × 10⁴ 2 × 10⁻⁵", "1.169 × 10⁴ 2 × 10⁻⁵"},
        {"22,400 ± 180", "22,400 ± 180", "22,400 ± 180"},
        {"from -5 to (-0.5)", "from −5 to (−0.5)", "from −5 to (−0.5)"},
        {"B_1 and T_e, some_name", "B₁ and T<sub>e</sub>, <code>some_name</code>",
         "B₁ and T_e, some_name"},
        {"tests/test_bit.c: it_fails_for_a_large_epsilon",
         "<code>tests/test_bit.c</code>: <code>it_fails_for_a_large_epsilon</code>",
         "tests/test_bit.c: it_fails_for_a_large_ε"},
        {"docs/errata.md, 9; 1/n.", "<code>docs/errata.md</code>, 9; 1/n.",
         "docs/errata.md, 9; 1/n."},
        {"the paper's", "the paper’s", "the paper’s"},
        {"x <= 3", "x ≤ 3", "x ≤ 3"},
        {"dp-se2-modified, dp-se.", "<code>dp-se2-modified</code>, <code>dp-se</code>.",
         "dp-se2-modified, dp-se."},
        {"epsilon-DP", "ε-DP", "ε-DP"},
        {"`dp-se`: Lemma", "<code>dp-se</code>: Lemma", "`dp-se`: Lemma"},
        /* Nothing of this is a formula. */
        {"`dp-se x` `other` `", "`<code>dp-se</code> x` `other` `", "`dp-se x` `other` `"},
        {"look-alike 100-200 2epochs Figure 1(a)", "look-alike 100-200 2epochs Figure 1(a)",
         "look-alike 100-200 2epochs Figure 1(a)"},
        {"epsilons, deltas, dp-sea", "epsilons, deltas, dp-sea", "epsilons, deltas, dp-sea"},
        {"a^ b^( ^", "a^ b^( ^", "a^ b^( ^"},
        {"", "", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expect(cases[i].words, LOTOR_TYPESET_HTML, cases[i].html);
        expect(cases[i].words, LOTOR_TYPESET_PLAIN, cases[i].plain);
    }
    expect(NULL, LOTOR_TYPESET_HTML, "");
}

TEST(test_escapes)
{
    expect("<b>&\"x\"", LOTOR_TYPESET_HTML, "&lt;b&gt;&amp;&quot;x&quot;");
    expect("a^(<b>)", LOTOR_TYPESET_HTML, "a<sup>&lt;b&gt;</sup>");
    expect("\xff\x01ε", LOTOR_TYPESET_HTML, "\xef\xbf\xbd\xef\xbf\xbdε");
    expect("a|b*c* <d> `e` \\ [f](g)\n- h", LOTOR_TYPESET_MARKDOWN,
           "a\\|b\\*c\\* &lt;d&gt; \\`e\\` \\\\ \\[f\\](g) - h");
    expect("dp-se: x^(1.5)", LOTOR_TYPESET_MARKDOWN, "`dp-se`: x<sup>1.5</sup>");
    expect("nas_of_ucb_a", LOTOR_TYPESET_MARKDOWN, "`nas_of_ucb_a`");
}

TEST(test_numbers)
{
    static const struct {
        double value;
        const char *shown;
    } cases[] = {
        {0.0, "0"},         {22400.0, "22,400"}, {-1234.0, "−1,234"}, {0.0015625, "0.0015625"},
        {2e-5, "2 × 10⁻⁵"}, {1e-7, "10⁻⁷"},      {INFINITY, "∞"},     {2.5e20, "2.5 × 10²⁰"},
        {1e20, "10²⁰"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lotor_text text = {0};
        lotor_typeset_number(&text, cases[i].value, 6);
        assert_string_equal(text.bytes, cases[i].shown);
        lotor_text_clear(&text);
    }
}

/* No text of a figure is left with an ASCII formula, and each is well-formed. */
TEST(test_every_figure)
{
    const lotor_figure *figure;
    for (size_t i = 0; (figure = lotor_figure_at(i)) != NULL; i++) {
        for (size_t j = 0; j < 3 + figure->check_count; j++) {
            const char *const texts[] = {figure->title, figure->claim, figure->note};
            lotor_text text = {0};
            lotor_text_add(&text, "<p>");
            lotor_typeset(&text, j < 3 ? texts[j] : figure->checks[j - 3].claim,
                          LOTOR_TYPESET_HTML);
            lotor_text_add(&text, "</p>");
            assert_null(well_formed_error(text.bytes));
            static const char *const left[] = {"epsilon", "sqrt", "^", " delta", "e-0", "e+0"};
            for (size_t k = 0; k < sizeof left / sizeof *left; k++) {
                if (strstr(text.bytes, left[k])) {
                    fail_msg("%s: %s is left in %s", figure->id, left[k], text.bytes);
                }
            }
            lotor_text_clear(&text);
        }
    }
}
