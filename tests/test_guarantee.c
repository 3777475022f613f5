/* test_guarantee.c - the guarantee as text and as JSON, and per user. */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lotor/guarantee.h>

static lotor_guarantee sample(void)
{
    return (lotor_guarantee){
        .is_private = true,
        .model = LOTOR_MODEL_CENTRAL,
        .epsilon = 1.0,
        .unit = "one value",
        .mechanism = "binary tree of 17 levels",
        .scale = 17.0,
        .theorem = "Chan, Shi and Song 2011; Dwork, Naor, Pitassi and Rothblum 2010",
        .assumes = "values in the declared range, one value changed, the number of values public",
        .noise = LOTOR_NOISE_EXACT,
    };
}

/* Fails unless the text of `guarantee` is `expected`. */
static void text_gives(const lotor_guarantee *guarantee, const char *expected)
{
    char buffer[2048];
    const size_t length = lotor_guarantee_text(guarantee, buffer, sizeof buffer);
    assert_string_equal(buffer, expected);
    assert_int_equal(length, strlen(expected));
}

TEST(a_private_one_reads_well)
{
    const lotor_guarantee guarantee = sample();
    text_gives(&guarantee,
               "private: epsilon = 1, central model, unit: one value\n"
               "  mechanism  binary tree of 17 levels\n"
               "  noise      exact, scale 17 on one released number\n"
               "  theorem    Chan, Shi and Song 2011; Dwork, Naor, Pitassi and Rothblum 2010\n"
               "  assumes    values in the declared range, one value changed, the number of\n"
               "             values public\n"
               "  level      strong: epsilon is at most 1, which NIST SP 800-226 calls\n"
               "             conservative\n"
               "  meaning    an attacker who knows all other data, sees everything published,\n"
               "             and thinks two answers equally likely at first, still picks the\n"
               "             wrong one at least 26 times in 100 (by tossing a coin: 50 in 100)\n");
}

/* The borders of all levels, from their definition in guarantee.h. */
TEST(levels_have_borders)
{
    static const struct {
        double epsilon, delta;
        lotor_level level;
    } cases[] = {
        {0.1, 0.0, LOTOR_LEVEL_STRONG},         {1.0, 1e-5, LOTOR_LEVEL_STRONG},
        {1.0000001, 0.0, LOTOR_LEVEL_MODERATE}, {1.0, 1.1e-5, LOTOR_LEVEL_MODERATE},
        {5.0, 1e-3, LOTOR_LEVEL_MODERATE},      {5.0001, 0.0, LOTOR_LEVEL_WEAK},
        {0.5, 1.1e-3, LOTOR_LEVEL_WEAK},        {10.0, 0.1, LOTOR_LEVEL_WEAK},
        {10.0001, 0.0, LOTOR_LEVEL_VERY_WEAK},  {1e9, 0.0, LOTOR_LEVEL_VERY_WEAK},
        {0.5, 0.11, LOTOR_LEVEL_VERY_WEAK},     {NAN, 0.0, LOTOR_LEVEL_VERY_WEAK},
        {1.0, NAN, LOTOR_LEVEL_VERY_WEAK},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        lotor_guarantee guarantee = sample();
        guarantee.epsilon = cases[i].epsilon;
        guarantee.delta = cases[i].delta;
        assert_int_equal(lotor_guarantee_level(&guarantee), cases[i].level);
        guarantee.is_private = false;
        assert_int_equal(lotor_guarantee_level(&guarantee), LOTOR_LEVEL_NONE);
        assert_string_equal(lotor_guarantee_level_reason(&guarantee), "it is not private");
    }
    assert_string_equal(lotor_level_name(LOTOR_LEVEL_NONE), "none");
    assert_string_equal(lotor_level_name(LOTOR_LEVEL_VERY_WEAK), "very weak");
    assert_string_equal(lotor_level_name((lotor_level)9), "none");
}

/* The reason names the number that is too large. The factors are e^5 = 148.4 and e^10 = 22,026. */
TEST(levels_have_reasons)
{
    lotor_guarantee guarantee = sample();
    guarantee.delta = 1e-4;
    assert_non_null(strstr(lotor_guarantee_level_reason(&guarantee), "delta is above 0.00001"));
    guarantee.epsilon = 2.0;
    assert_non_null(strstr(lotor_guarantee_level_reason(&guarantee), "epsilon is above 1"));
    assert_non_null(strstr(lotor_guarantee_level_reason(&guarantee), "at most 5"));
    guarantee.delta = 0.01;
    assert_non_null(strstr(lotor_guarantee_level_reason(&guarantee), "delta is above 0.001"));
    /* delta is not the probability that the bound fails, and 0.01 is not "1 in 1,000" */
    assert_non_null(strstr(lotor_guarantee_level_reason(&guarantee), "more than 1 in 1,000"));
    assert_null(strstr(lotor_guarantee_level_reason(&guarantee), "fail"));
    guarantee.epsilon = 6.0;
    assert_non_null(strstr(lotor_guarantee_level_reason(&guarantee), "more than 148"));
    assert_non_null(strstr(lotor_guarantee_level_reason(&guarantee), "knows all other data"));
    assert_true(exp(5.0) > 148.0 && exp(5.0) < 149.0 && exp(10.0) > 22000.0);
}

/* Above epsilon 10 the first line is a warning, and programs read that it is not private. */
TEST(very_weak_is_not_called_private)
{
    lotor_guarantee guarantee = sample();
    guarantee.epsilon = 1e9;
    char text[2048];
    lotor_guarantee_text(&guarantee, text, sizeof text);
    assert_int_equal(strncmp(text, "warning, very weak privacy: epsilon = 1e+09, central", 51), 0);
    assert_non_null(strstr(text, "\n  level      very weak: epsilon is above 10: "));
    lotor_guarantee_json(&guarantee, text, sizeof text);
    assert_non_null(strstr(text, "{\"private\": false, \"reason\": \"epsilon is above 10: "));
    assert_non_null(strstr(text, "\"level\": \"very weak\""));
    guarantee.noise = LOTOR_NOISE_SIMULATION;
    lotor_guarantee_text(&guarantee, text, sizeof text);
    assert_non_null(strstr(text, "\nwith exact noise it would be very weak privacy: epsilon = 1e"));
    assert_null(strstr(text, "private: "));
    lotor_guarantee_json(&guarantee, text, sizeof text);
    assert_non_null(strstr(text, "\"meaning\": null"));
}

TEST(what_is_not_private_says_why)
{
    const lotor_guarantee guarantee = {
        .is_private = false,
        .reason = "epsilon is infinite, so no noise is added",
        .epsilon = INFINITY,
        .unit = "one round's feedback",
        .mechanism = "batches",
        .regret = "proved",
    };
    text_gives(&guarantee, "not private: epsilon is infinite, so no noise is added\n"
                           "  nominal    epsilon = inf, unit: one round's feedback\n"
                           "  mechanism  batches\n"
                           "  noise      none\n"
                           "  regret     proved\n");
}

/* Without a reason there is still a sentence, and an unknown scale is not printed. */
TEST(what_is_not_known_is_not_said)
{
    const lotor_guarantee guarantee = {
        .is_private = false,
        .epsilon = 2.0,
        .unit = "one round's feedback",
        .mechanism = "reports",
        .scale = NAN,
        .theorem = "",
        .noise = LOTOR_NOISE_EXACT,
    };
    text_gives(&guarantee, "not private: no proof is known\n"
                           "  nominal    epsilon = 2, unit: one round's feedback\n"
                           "  mechanism  reports\n"
                           "  noise      exact\n");
    lotor_guarantee endless = guarantee;
    endless.scale = INFINITY;
    text_gives(&endless, "not private: no proof is known\n"
                         "  nominal    epsilon = 2, unit: one round's feedback\n"
                         "  mechanism  reports\n"
                         "  noise      exact\n");
}

/* A letter of two bytes takes one column: this line has 78 columns and 86 bytes, and is not
 * broken. */
TEST(letters_count_as_columns)
{
    lotor_guarantee guarantee = {.is_private = false, .reason = "x", .unit = "u", .scale = 0.0};
    guarantee.regret = "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4 \xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4 "
                       "one two three four five six seven eight nine ten eleven";
    char buffer[512];
    lotor_guarantee_text(&guarantee, buffer, sizeof buffer);
    assert_non_null(strstr(buffer, "nine ten eleven\n"));
    guarantee.regret = "aaaa aaaa one two three four five six seven eight nine ten eleven12345";
    lotor_guarantee_text(&guarantee, buffer, sizeof buffer);
    assert_non_null(strstr(buffer, "ten\n             eleven12345\n"));
}

TEST(a_simulation_protects_nobody)
{
    lotor_guarantee guarantee = sample();
    guarantee.noise = LOTOR_NOISE_SIMULATION;
    char buffer[2048];
    lotor_guarantee_text(&guarantee, buffer, sizeof buffer);
    assert_int_equal(strncmp(buffer, "simulation: this protects nobody", 32), 0);
    assert_non_null(strstr(buffer, "\nwith exact noise it would be private: epsilon = 1, "));
    assert_non_null(strstr(buffer, "noise      simulation, scale 17"));
    assert_null(strstr(buffer, "attacker"));
    guarantee.is_private = false;
    guarantee.reason = "the counts leak";
    lotor_guarantee_text(&guarantee, buffer, sizeof buffer);
    assert_int_equal(strncmp(buffer, "simulation: this protects nobody", 32), 0);
    assert_non_null(strstr(buffer, "even with exact noise it would be not private: the counts"));
    guarantee.reason = "simulation of the counts is possible"; /* the words do not matter */
    lotor_guarantee_text(&guarantee, buffer, sizeof buffer);
    assert_non_null(strstr(buffer, "even with exact noise it would be not private: simulation of"));
    guarantee.reason = "the noise is known";
    guarantee.is_seed_reason = true;
    lotor_guarantee_text(&guarantee, buffer, sizeof buffer);
    assert_non_null(strstr(buffer, "\nnot private: the noise is known\n"));
    lotor_message why = {""};
    assert_int_equal(lotor_guarantee_per_user(&guarantee, 2, &why, &guarantee), LOTOR_OK);
    assert_true(guarantee.is_seed_reason);
}

/* True if the text at (epsilon, delta) holds `words` once its line ends are spaces. */
static bool says(double epsilon, double delta, const char *words)
{
    lotor_guarantee guarantee = sample();
    guarantee.epsilon = epsilon;
    guarantee.delta = delta;
    char buffer[2048], flat[2048];
    lotor_guarantee_text(&guarantee, buffer, sizeof buffer);
    size_t length = 0;
    for (const char *at = buffer; *at != '\0'; at++) {
        const char byte = *at == '\n' ? ' ' : *at;
        if (byte != ' ' || length == 0 || flat[length - 1] != ' ') {
            flat[length++] = byte;
        }
    }
    flat[length] = '\0';
    return strstr(flat, words) != NULL;
}

TEST(the_meaning_has_two_digits_rounded_down)
{
    /* 1/(1+e^x) from tables: 0.2689 at 1, 0.4750 at 0.1, 0.0180 at 4, 0.0067 at 5. */
    assert_true(says(0.0, 0.0, "wrong one at least 50 times in 100 "));
    assert_true(says(0.1, 0.0, "wrong one at least 47 times in 100 "));
    assert_true(says(1.0, 0.0, "wrong one at least 26 times in 100 "));
    assert_true(says(1.0, 0.1, "wrong one at least 24 times in 100 ")); /* 0.9 * 0.2689 = 0.2420 */
    assert_true(says(3.0, 0.0, "wrong one at least 4.7 times in 100 "));
    assert_true(says(4.0, 0.0, "wrong one at least 1.7 times in 100 "));
    assert_true(says(5.0, 0.0, "wrong one at least 66 times in 10,000 "));
    assert_true(says(20.0, 0.0, "wrong one at least 20 times in 10,000,000,000 "));
    assert_true(says(800.0, 0.0, "may find out the right one almost always"));
    assert_true(says(1.0, 0.0, "thinks two answers equally likely at first"));
}

TEST(printed_promises_round_up)
{
    assert_true(says(0.1, 1e-6, "epsilon = 0.1, delta = 1e-06, central model"));
    assert_true(says(3 * 0.1, 0.0, "epsilon = 0.3, central")); /* 0.30000000000000004 */
    assert_true(says(1.0000001, 0.0, "epsilon = 1.00001, central"));
    assert_true(says(0.12345678, 0.0, "epsilon = 0.123457, central"));
    assert_true(says(0.12345612, 0.0, "epsilon = 0.123457, central"));
    assert_true(says(9.9999999, 1.00000049e-5, "epsilon = 10, delta = 1.00001e-05, "));
}

TEST(no_line_is_longer_than_a_terminal)
{
    lotor_guarantee guarantee = sample();
    guarantee.delta = 1.234567e-10;
    guarantee.epsilon = 0.123456789;
    memset(guarantee.unit, 'U', sizeof guarantee.unit); /* no NUL at all */
    memset(guarantee.mechanism, 'M', sizeof guarantee.mechanism);
    for (size_t i = 6; i < sizeof guarantee.mechanism; i += 8) {
        guarantee.mechanism[i] = ' ';
        if (i < sizeof guarantee.unit) {
            guarantee.unit[i] = ' ';
        }
    }
    char buffer[2048];
    lotor_guarantee_text(&guarantee, buffer, sizeof buffer);
    assert_null(strstr(buffer, "UM")); /* the unit ends where its field ends */
    for (char *line = strtok(buffer, "\n"); line; line = strtok(NULL, "\n")) {
        assert_true(strlen(line) <= 80);
    }
    assert_true(lotor_guarantee_json(&guarantee, buffer, sizeof buffer) < sizeof buffer);
    assert_null(strstr(buffer, "UM"));
}

TEST(json_has_exactly_these_keys)
{
    char buffer[2048];
    lotor_guarantee guarantee = sample();
    guarantee.delta = 1e-6;
    guarantee.regret = "measured";
    lotor_guarantee_json(&guarantee, buffer, sizeof buffer);
    assert_string_equal(
        buffer,
        "{\"private\": true, \"reason\": null, \"model\": \"central\", \"epsilon\": 1, "
        "\"delta\": 1e-06, \"unit\": \"one value\", \"mechanism\": \"binary tree of 17 levels\", "
        "\"scale\": 17, \"theorem\": \"Chan, Shi and Song 2011; Dwork, Naor, Pitassi and Rothblum "
        "2010\", \"assumes\": \"values in the declared range, one value changed, the number of "
        "values public\", \"regret\": \"measured\", \"noise\": \"exact\", \"level\": \"strong\", "
        "\"level_reason\": \"epsilon is at most 1, which NIST SP 800-226 calls conservative\", "
        "\"meaning\": \"an attacker who knows all other data, sees everything published, and "
        "thinks "
        "two answers equally likely at first, still picks the wrong one at least 26 times in 100 "
        "(by tossing a coin: 50 in 100)\"}");
    const lotor_guarantee none = {
        .reason = "a \"reason\"", .epsilon = INFINITY, .noise = LOTOR_NOISE_SIMULATION};
    lotor_guarantee_json(&none, buffer, sizeof buffer);
    assert_string_equal(buffer,
                        "{\"private\": false, \"reason\": \"a \\\"reason\\\"\", \"model\": "
                        "\"none\", \"epsilon\": null, \"delta\": 0, \"unit\": \"\", \"mechanism\": "
                        "\"\", \"scale\": 0, \"theorem\": null, \"assumes\": null, \"regret\": "
                        "null, \"noise\": \"simulation\", \"level\": \"none\", "
                        "\"level_reason\": \"it is not private\", \"meaning\": null}");
}

TEST(models_have_names)
{
    static const char *const expected[] = {"\"none\"", "\"central\"", "\"local\"", "\"joint\"",
                                           "\"none\""};
    for (int model = 0; model < 5; model++) {
        lotor_guarantee guarantee = sample();
        guarantee.model = (lotor_model)model; /* there is no model 4 */
        char buffer[2048];
        lotor_guarantee_json(&guarantee, buffer, sizeof buffer);
        assert_non_null(strstr(buffer, expected[model]));
    }
}

typedef size_t writer(const lotor_guarantee *guarantee, char *buffer, size_t capacity);

TEST(small_buffers_are_cut_and_measured)
{
    static writer *const writers[] = {lotor_guarantee_text, lotor_guarantee_json};
    const lotor_guarantee guarantee = sample();
    for (size_t i = 0; i < 2; i++) {
        char whole[2048];
        const size_t length = writers[i](&guarantee, whole, sizeof whole);
        assert_int_equal(writers[i](&guarantee, NULL, 0), length);
        for (size_t capacity = 1; capacity <= length + 1; capacity++) {
            /* a buffer of exactly this size, so that a sanitizer detects an overrun */
            char *cut = malloc(capacity);
            assert_non_null(cut);
            assert_int_equal(writers[i](&guarantee, cut, capacity), length);
            assert_int_equal(strlen(cut), capacity - 1);
            assert_memory_equal(cut, whole, capacity - 1);
            free(cut);
        }
    }
}

TEST(a_user_of_many_rounds)
{
    lotor_guarantee guarantee = sample(), user;
    assert_int_equal(lotor_guarantee_per_user(&guarantee, 3, NULL, &user), LOTOR_OK);
    assert_string_equal(user.unit, "one user, up to 3 rounds");
    assert_true(user.epsilon == 3.0 && user.delta == 0.0 && user.is_private);
    assert_string_equal(user.mechanism, guarantee.mechanism);
    assert_true(user.scale == guarantee.scale);

    guarantee.delta = 1e-6;
    assert_int_equal(lotor_guarantee_per_user(&guarantee, 2, NULL, &guarantee), LOTOR_OK);
    /* delta (1 + e), by hand */
    assert_true(fabs(guarantee.delta - 1e-6 * (1.0 + exp(1.0))) < 1e-14);
    assert_string_equal(guarantee.unit, "one user, up to 2 rounds");

    assert_int_equal(lotor_guarantee_per_user(&guarantee, 1, NULL, &user), LOTOR_OK);
    assert_string_equal(user.unit, "one user, up to 1 round");
    assert_true(user.epsilon == 2.0);
}

TEST(a_user_may_have_too_many_rounds)
{
    lotor_guarantee guarantee = sample(), user;
    guarantee.delta = 1e-6;
    /* 1e-6 e^999 is far above 1: the guarantee is void, and says so. */
    assert_int_equal(lotor_guarantee_per_user(&guarantee, 1000, NULL, &user), LOTOR_OK);
    assert_true(user.delta == 1.0 && !user.is_private);
    assert_non_null(user.reason);

    lotor_message why = {""};
    assert_int_equal(lotor_guarantee_per_user(&guarantee, 0, &why, &user), LOTOR_INVALID);
    assert_non_null(strstr(why.text, "at least 1"));
    guarantee.epsilon = NAN;
    assert_int_equal(lotor_guarantee_per_user(&guarantee, 2, NULL, &user), LOTOR_INVALID);

    guarantee = sample();
    guarantee.is_private = false;
    guarantee.reason = "the counts leak";
    guarantee.epsilon = INFINITY;
    assert_int_equal(lotor_guarantee_per_user(&guarantee, 2, NULL, &user), LOTOR_OK);
    assert_true(isinf(user.epsilon) && !user.is_private);
    assert_string_equal(user.reason, "the counts leak");

    guarantee = sample(); /* k epsilon overflows a double: the guarantee is void too */
    guarantee.epsilon = 1e308;
    assert_int_equal(lotor_guarantee_per_user(&guarantee, 10, NULL, &user), LOTOR_OK);
    assert_true(isinf(user.epsilon) && !user.is_private);
    assert_string_equal(user.reason, "so many rounds of one user leave no protection");
}
