/* test_options.c - the parsers of the command (numbers, lists, options, lines), and its output.
 *
 * The command is a program and not part of the library, so this file includes its sources. Expected
 * doubles are C literals, which the compiler rounds correctly.
 */
#include "support/test.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The included files allocate with this function, so that a test can make it fail. */
static bool memory_is_gone = false;
static void *calloc_or_not(size_t count, size_t size)
{
    return memory_is_gone ? NULL : calloc(count, size);
}
#define calloc calloc_or_not

#include "cli/lines.c"
#include "cli/numbers.c"
#include "cli/options.c"
#include "cli/print.c"
#include "cli/sample.c"
#include "cli/sample_laws.c"
#include "privacy/noise/sampler.c"

#include "base/random/generator.h"
#include "support/test_source.h"

/* sample.c calls this function when it ends; the real one is in commands.c. */
int lotor_command_refuse(const char *name, lotor_status status, const char *message)
{
    (void)name;
    (void)message;
    return (int)status;
}

static double must_parse(const char *text)
{
    double value = NAN;
    lotor_message why;
    if (lotor_parse_double(text, strlen(text), &why, &value) != LOTOR_OK) {
        fail_msg("%s was refused: %s", text, why.text);
    }
    return value;
}

static void same_double(double got, double expected)
{
    assert_memory_equal(&got, &expected, sizeof got); /* compares bits: -0 is not 0 */
}

TEST(short_decimals_are_exact)
{
    same_double(must_parse("0"), 0.0);
    same_double(must_parse("-0"), -0.0);
    same_double(must_parse("1"), 1.0);
    same_double(must_parse("0.1"), 0.1);
    same_double(must_parse("+.5"), 0.5);
    same_double(must_parse("5."), 5.0);
    same_double(must_parse("1e-3"), 1e-3);
    same_double(must_parse("1E+22"), 1e22);
    same_double(must_parse("-123.456e-7"), -123.456e-7);
    same_double(must_parse("000000000000000000000001.50"), 1.5);
}

TEST(hard_decimals_are_rounded_correctly)
{
    same_double(must_parse("1e23"), 1e23);
    same_double(must_parse("9007199254740993"), 9007199254740992.0); /* a tie goes to even */
    same_double(must_parse("9007199254740993.00000000000000000000000000001"), 9007199254740994.0);
    same_double(must_parse("2.2250738585072011e-308"), 2.2250738585072011e-308);
    same_double(must_parse("5e-324"), 0x1p-1074);
    same_double(must_parse("2.4e-324"), 0.0);
    same_double(must_parse("1.7976931348623157e308"), 0x1.fffffffffffffp1023);
}

TEST(digits_past_the_buffer_still_count)
{
    /* 2^53 + 1 is a tie; a 1 after three thousand zeros lifts it above. */
    char text[4000];
    memset(text, '0', sizeof text);
    memcpy(text, "9007199254740993.", 17);
    text[3998] = '1';
    text[3999] = '\0';
    same_double(must_parse(text), 9007199254740994.0);
    text[3998] = '0';
    same_double(must_parse(text), 9007199254740992.0);

    /* 0.000...01e3981 with 3980 zeros after the point is 1. */
    memset(text, '0', sizeof text);
    text[1] = '.';
    memcpy(text + 3982, "1e3981", 7);
    same_double(must_parse(text), 1.0);
}

TEST(any_double_survives_printing)
{
    lotor_generator generator;
    lotor_generator_seed(&generator, 1);
    for (int i = 0; i < 100000; i++) {
        const uint64_t bits = lotor_generator_word(&generator);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) {
            continue;
        }
        char text[64];
        snprintf(text, sizeof text, "%.16e", value);
        same_double(must_parse(text), value);
    }
}

TEST(exponents_may_be_absurd)
{
    same_double(must_parse("0e99999999999999999999999999"), 0.0);
    same_double(must_parse("1e-99999999999999999999999999"), 0.0);
    double value = 7;
    lotor_message why;
    const char *huge = "1e99999999999999999999999999";
    assert_int_equal(lotor_parse_double(huge, strlen(huge), &why, &value), LOTOR_INVALID);
    assert_non_null(strstr(why.text, "too large"));
    same_double(value, 7);
}

TEST(what_is_no_number_is_refused_and_quoted)
{
    static const char *const bad[] = {
        "",      " ",        "+",     "-",      ".",    "-.",           "e5",   "1e",       "1e+",
        "1e5.",  "1..2",     "1.2.",  "0x10",   "0X1p", "nan",          "-NaN", "inf",      "+INF",
        "-inf",  "infinity", "1 ",    " 1",     "1,",   "1,5",          "--1",  "+-1",      "1-",
        "1_000", "1d0",      "1e309", "-1e309", "abc",  "\xef\xbc\x91", "1\n",  "1\x1b[2J", "%s%n",
        "1e1e1", "0b1",      "1f",    "NaN(1)"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double value = 7;
        lotor_message why = {""};
        if (lotor_parse_double(bad[i], strlen(bad[i]), &why, &value) != LOTOR_INVALID) {
            fail_msg("%s was taken for %g", bad[i], value);
        }
        same_double(value, 7);
        assert_non_null(strstr(why.text, lotor_quote_text(bad[i]).text));
        assert_null(strchr(why.text, '\n'));
        assert_null(strchr(why.text, '\x1b'));
    }
    double value;
    assert_int_equal(lotor_parse_double("1\0002", 3, NULL, &value), LOTOR_INVALID);
    assert_int_equal(lotor_parse_double("123456", 3, NULL, &value), LOTOR_OK);
    same_double(value, 123);
}

TEST(infinity_only_where_it_is_wanted)
{
    double value = 0;
    assert_int_equal(lotor_parse_extended("inf", 3, NULL, &value), LOTOR_OK);
    assert_true(isinf(value) && value > 0);
    assert_int_equal(lotor_parse_extended("-inf", 4, NULL, &value), LOTOR_INVALID);
    assert_int_equal(lotor_parse_extended("nan", 3, NULL, &value), LOTOR_INVALID);
}

TEST(whole_numbers)
{
    static const struct {
        const char *text;
        uint64_t value;
    } good[] = {{"0", 0},
                {"-0", 0},
                {"5e7", 50000000},
                {"1e5", 100000},
                {"2.50e1", 25},
                {"10e-1", 1},
                {"0.0e-5", 0},
                {"007", 7},
                {"18446744073709551615", UINT64_MAX},
                {"0e99999999999999", 0},
                {"1.8446744073709551615e19", UINT64_MAX},
                {"184467440737095516150e-1", UINT64_MAX}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        uint64_t value = 99;
        assert_int_equal(lotor_parse_whole(good[i].text, strlen(good[i].text), NULL, &value),
                         LOTOR_OK);
        assert_true(value == good[i].value);
    }
    static const char *const bad[] = {"",
                                      "1.5",
                                      "-1",
                                      "1e-1",
                                      "18446744073709551616",
                                      "1e20",
                                      "nan",
                                      "inf",
                                      "0x10",
                                      "ten",
                                      "1e99999999999999999999",
                                      "5 ",
                                      "1e1.5",
                                      "-5e7",
                                      "1.0000000000000000000000001"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint64_t value = 99;
        lotor_message why = {""};
        assert_int_equal(lotor_parse_whole(bad[i], strlen(bad[i]), &why, &value), LOTOR_INVALID);
        assert_true(value == 99);
        assert_non_null(strstr(why.text, lotor_quote_text(bad[i]).text));
    }
}

TEST(ranges)
{
    double low = 9, high = 9;
    assert_int_equal(lotor_parse_range("-1, 2.5", 7, NULL, &low, &high), LOTOR_OK);
    same_double(low, -1);
    same_double(high, 2.5);
    static const char *const bad[] = {"",    "1",     "1,",    ",1",    ",",  "1,1",
                                      "2,1", "0,1,2", "0,inf", "nan,1", "0;1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(lotor_parse_range(bad[i], strlen(bad[i]), NULL, &low, &high),
                         LOTOR_INVALID);
    }
    same_double(high, 2.5);
}

TEST(lists)
{
    lotor_number_list list;
    assert_int_equal(lotor_parse_list("0.1, 0.2,inf", 12, NULL, &list), LOTOR_OK);
    assert_int_equal(list.count, 3);
    same_double(list.items[0], 0.1);
    same_double(list.items[1], 0.2);
    assert_true(isinf(list.items[2]));
    lotor_number_list_free(&list);
    lotor_number_list_free(&list);
    lotor_number_list_free(NULL);

    static const char *const bad[] = {"", ",", "1,", ",1", "1,,2", "1,nan", "1;2", "1, ,2", "1,x"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(lotor_parse_list(bad[i], strlen(bad[i]), NULL, &list), LOTOR_INVALID);
        assert_null(list.items);
    }
}

TEST(no_memory_for_a_list)
{
    lotor_number_list list;
    lotor_message why;
    memory_is_gone = true;
    const lotor_status status = lotor_parse_list("1,2", 3, &why, &list);
    memory_is_gone = false;
    assert_int_equal(status, LOTOR_MEMORY);
    assert_null(list.items);
    assert_int_equal(list.count, 0);
    assert_non_null(strstr(why.text, "no memory"));
}

TEST(a_list_has_a_limit)
{
    const size_t length = 2 * (size_t)LOTOR_NUMBER_LIST_MAX + 1; /* one item too many */
    char *text = malloc(length);
    assert_non_null(text);
    for (size_t i = 0; i < length; i++) {
        text[i] = i % 2 ? ',' : '1';
    }
    lotor_number_list list;
    lotor_message why;
    assert_int_equal(lotor_parse_list(text, length, &why, &list), LOTOR_INVALID);
    assert_non_null(strstr(why.text, "100001"));
    assert_int_equal(lotor_parse_list(text, length - 2, &why, &list), LOTOR_OK);
    assert_int_equal(list.count, LOTOR_NUMBER_LIST_MAX);
    lotor_number_list_free(&list);
    free(text);
}

TEST(random_bytes_never_crash_a_parser)
{
    static const char alphabet[] = "0123456789..ee+-, xinf\0a\xff";
    lotor_generator generator;
    lotor_generator_seed(&generator, 2);
    for (int i = 0; i < 200000; i++) {
        const size_t length = lotor_generator_word(&generator) % 12;
        /* On the heap, with exactly this length, so that a sanitizer detects a read past the
         * end. */
        char *text = malloc(length + (length == 0));
        assert_non_null(text);
        for (size_t j = 0; j < length; j++) {
            text[j] = alphabet[lotor_generator_word(&generator) % (sizeof alphabet - 1)];
        }
        double value, high;
        uint64_t whole;
        lotor_number_list list;
        lotor_message why;
        if (lotor_parse_double(text, length, &why, &value) == LOTOR_OK) {
            assert_true(isfinite(value));
        }
        lotor_parse_whole(text, length, &why, &whole);
        lotor_parse_range(text, length, &why, &value, &high);
        if (lotor_parse_list(text, length, &why, &list) == LOTOR_OK) {
            lotor_number_list_free(&list);
        }
        free(text);
    }
}

enum { RATE, SIZE, PAIR, LIST, SHAPE, LOUD, RATIO, NEEDED };

static const lotor_option some[] = {
    [RATE] = {.name = "rate", .kind = LOTOR_OPTION_NUMBER, .placeholder = "R"},
    [SIZE] = {.name = "size", .kind = LOTOR_OPTION_WHOLE, .placeholder = "N", .initial = "12"},
    [PAIR] = {.name = "pair", .kind = LOTOR_OPTION_RANGE, .placeholder = "LO,HI"},
    [LIST] = {.name = "list", .kind = LOTOR_OPTION_LIST, .placeholder = "X,X"},
    [SHAPE] = {.name = "shape",
               .kind = LOTOR_OPTION_CHOICE,
               .placeholder = "NAME",
               .choices = "square|round"},
    [LOUD] = {.name = "loud", .kind = LOTOR_OPTION_FLAG},
    [RATIO] = {.name = "ratio", .kind = LOTOR_OPTION_RATIO, .placeholder = "E"},
    [NEEDED] = {.name = "needed", .kind = LOTOR_OPTION_TEXT, .required = true, .placeholder = "T"},
};

#define PARSE(why, out, ...)                                                                       \
    lotor_options_parse(some, sizeof some / sizeof *some, 1,                                       \
                        (int)(sizeof((char *[]){__VA_ARGS__}) / sizeof(char *)),                   \
                        (char *[]){__VA_ARGS__}, why, out)

TEST(options_of_every_kind)
{
    lotor_arguments got;
    lotor_message why;
    assert_int_equal(PARSE(&why, &got, "--rate", "-1.5", "--pair=-1,1", "word", "--list", "1,2",
                           "--shape", "round", "--loud", "--ratio", "0.1", "--needed=a=b"),
                     LOTOR_OK);
    same_double(got.values[RATE].number, -1.5);
    assert_true(got.values[SIZE].whole == 12 && !got.values[SIZE].given);
    same_double(got.values[PAIR].low, -1);
    assert_int_equal(got.values[LIST].list.count, 2);
    assert_string_equal(got.values[SHAPE].text, "round");
    assert_true(got.values[LOUD].given);
    assert_true(got.values[RATIO].ratio.num == 1 && got.values[RATIO].ratio.den == 10);
    assert_string_equal(got.values[NEEDED].text, "a=b");
    assert_int_equal(got.word_count, 1);
    assert_string_equal(got.words[0], "word");
    lotor_arguments_free(&got);
    lotor_arguments_free(NULL);
}

/* Parses and expects a refusal whose message contains `part`. */
#define REFUSES(part, ...)                                                                         \
    do {                                                                                           \
        lotor_arguments got_;                                                                      \
        lotor_message why_ = {""};                                                                 \
        assert_int_equal(PARSE(&why_, &got_, __VA_ARGS__), LOTOR_INVALID);                         \
        if (!strstr(why_.text, part)) {                                                            \
            fail_msg("\"%s\" does not say %s", why_.text, part);                                   \
        }                                                                                          \
        lotor_arguments_free(&got_);                                                               \
    } while (0)

TEST(bad_options_are_named)
{
    REFUSES("--needed T is missing", "--loud");
    REFUSES("\"--raet\": did you mean --rate?", "--raet", "1");
    REFUSES("\"-r\"", "-r");
    REFUSES("\"--zzzzzzzzz\"", "--zzzzzzzzz");
    REFUSES("--rate needs a value", "--rate");
    REFUSES("--rate needs a value", "--rate", "--loud");
    REFUSES("--rate is given twice", "--rate", "1", "--rate=2");
    REFUSES("--rate: \"fast\" is not a number", "--rate", "fast");
    REFUSES("--size: \"1.5\" is not a whole number", "--size", "1.5");
    REFUSES("--pair: \"3,2\"", "--pair", "3,2");
    REFUSES("item 2", "--list", "1,,2");
    REFUSES("--shape: there is no shape \"rond\" (did you mean round?)", "--shape", "rond");
    REFUSES("choose from square|round", "--shape", "blue");
    REFUSES("--loud takes no value, but got \"yes\"", "--loud=yes");
    REFUSES("\"-1\"", "--ratio", "-1");
    REFUSES("\"two\" is one argument too many", "one", "two", "--needed", "x");
    REFUSES("\"\\x1b[2J\"", "--rate", "\x1b[2J");
}

TEST(a_failure_leaves_nothing_behind)
{
    /* a list is read before the line is refused: valgrind checks that the list is freed */
    (void)state;
    REFUSES("there is no option", "--list", "1,2,3", "--nothing");
}

TEST(help_wins_and_two_dashes_end_the_options)
{
    lotor_arguments got;
    lotor_message why;
    assert_int_equal(PARSE(&why, &got, "--rate", "fast", "--help"), LOTOR_OK);
    assert_true(got.help);
    assert_int_equal(PARSE(&why, &got, "--needed", "x", "--", "--help"), LOTOR_OK);
    assert_false(got.help);
    assert_string_equal(got.words[0], "--help");
}

TEST(suggestions)
{
    assert_int_equal(lotor_edit_distance("", ""), 0);
    assert_int_equal(lotor_edit_distance("", "abc"), 3);
    assert_int_equal(lotor_edit_distance("kitten", "sitting"), 3);
    assert_int_equal(lotor_edit_distance("cuont", "count"), 1); /* one swap */
    char endless[500];
    memset(endless, 'a', sizeof endless);
    endless[499] = '\0';
    assert_int_equal(lotor_edit_distance(endless, "b"), 63);

    lotor_suggestion suggestion;
    lotor_suggestion_start(&suggestion, "acc");
    lotor_suggestion_offer(&suggestion, "count");
    lotor_suggestion_offer(&suggestion, "account");
    assert_string_equal(suggestion.nearest, "account");
    lotor_suggestion_start(&suggestion, "ACCOUNT");
    lotor_suggestion_offer(&suggestion, "count");
    lotor_suggestion_offer(&suggestion, "account");
    assert_string_equal(suggestion.nearest, "account");
    lotor_suggestion_start(&suggestion, "c2-Printed");
    lotor_suggestion_offer(&suggestion, "C2-printed");
    assert_string_equal(suggestion.nearest, "C2-printed");
    lotor_suggestion_start(&suggestion, "Z"); /* one letter is too little for a beginning */
    lotor_suggestion_offer(&suggestion, "zebra");
    assert_null(suggestion.nearest);
    lotor_suggestion_start(&suggestion, "zebra");
    lotor_suggestion_offer(&suggestion, "count");
    assert_null(suggestion.nearest);
}

/* A suggestion must not turn a wish into its opposite. */
TEST(opposites_are_not_suggested)
{
    static const char *const pairs[][2] = {{"remove", "resume"},   {"disable", "enable"},
                                           {"unpause", "pause"},   {"archive", "unarchive"},
                                           {"include", "exclude"}, {"min-arms", "max-arms"},
                                           {"no-color", "color"},  {"stop", "start"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        for (size_t j = 0; j < 2; j++) {
            lotor_suggestion suggestion;
            lotor_suggestion_start(&suggestion, pairs[i][j]);
            lotor_suggestion_offer(&suggestion, pairs[i][1 - j]);
            if (suggestion.nearest) {
                fail_msg("%s suggests %s", pairs[i][j], pairs[i][1 - j]);
            }
        }
    }
    lotor_suggestion suggestion; /* a wrong letter is not an opposite */
    lotor_suggestion_start(&suggestion, "UNLOCK");
    lotor_suggestion_offer(&suggestion, "lock");
    assert_null(suggestion.nearest);
    lotor_suggestion_start(&suggestion, "unarchvie");
    lotor_suggestion_offer(&suggestion, "archive");
    lotor_suggestion_offer(&suggestion, "unarchive");
    assert_string_equal(suggestion.nearest, "unarchive");
}

TEST(quotes_are_safe_and_short)
{
    assert_string_equal(lotor_quote_text("a\"b\\\n\x7f\xc3").text,
                        "\"a\\x22b\\x5c\\x0a\\x7f\\xc3\"");
    char many[300];
    memset(many, 0x1b, sizeof many);
    const lotor_quoted_text quoted = lotor_quote(many, sizeof many);
    assert_true(strlen(quoted.text) < sizeof quoted.text);
    assert_non_null(strstr(quoted.text, "...\""));
}

TEST(decimals_are_trimmed_and_never_minus_zero)
{
    static const struct {
        double value;
        int decimals;
        const char *text;
    } cases[] = {{0, 6, "0"},
                 {-0.0, 6, "0"},
                 {-0.0000004, 6, "0"},
                 {0.1, 6, "0.1"},
                 {-1.5, 6, "-1.5"},
                 {100, 6, "100"},
                 {2.0000005, 6, "2.000001"},
                 {0.0000049, 6, "0.000005"},
                 {-0.25, 15, "-0.25"},
                 {3.7, 0, "4"},
                 {1e15, 6, "1000000000000000"},
                 {-2199023255552, 6, "-2199023255552"},
                 {2199023255552.5, 6, "2199023255552.5"},
                 {1e-20, 26, "1e-20"},
                 {-2.5e-18, 26, "-2.5e-18"},
                 {1.23456789e-20, 26, "1.234568e-20"},
                 {-1e-27, 26, "0"},
                 {-0.0, 26, "0"},
                 {0.1, 26, "0.1"},
                 {1e6, 16, "1000000"},
                 {-1e22, 6, "-10000000000000000000000"},
                 {0.123456789012345, 15, "0.123456789012345"},
                 {1234567.125, 2, "1234567.13"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[LOTOR_NUMBER_ROOM];
        text[lotor_put_decimal(text, cases[i].value, cases[i].decimals)] = '\0';
        assert_string_equal(text, cases[i].text);
    }
    char text[LOTOR_NUMBER_ROOM];
    text[lotor_put_integer(text, INT64_MIN)] = '\0';
    assert_string_equal(text, "-9223372036854775808");
    text[lotor_put_whole(text, UINT64_MAX)] = '\0';
    assert_string_equal(text, "18446744073709551615");
    assert_true(lotor_put_decimal(text, -1.7976931348623157e308, 15) < sizeof text);
}

TEST(narrow_ranges_get_more_decimals)
{
    assert_int_equal(lotor_decimals_for(INFINITY, 6), 6);
    assert_int_equal(lotor_decimals_for(1, 6), 6);
    assert_int_equal(lotor_decimals_for(0.5, 6), 7);
    assert_int_equal(lotor_decimals_for(0.01, 9), 11);
    assert_int_equal(lotor_decimals_for(1e-20, 6), 26);
}

/* The text that `write` prints on standard output. */
static void captured(lotor_status (*write)(lotor_message *), lotor_status expected, char *text,
                     size_t room)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    fflush(stdout);
    const int before = dup(STDOUT_FILENO);
    dup2(fileno(file), STDOUT_FILENO);
    lotor_message why;
    const lotor_status status = write(&why);
    fflush(stdout);
    dup2(before, STDOUT_FILENO);
    close(before);
    rewind(file);
    text[fread(text, 1, room - 1, file)] = '\0';
    fclose(file);
    assert_int_equal(status, expected);
}

/* Draws `count` times from a source that ends after `blocks` windows of 2048 words. */
static lotor_status exhausted(size_t blocks, uint64_t count, lotor_message *why)
{
    test_source source;
    test_source_exhaust(&source, 5, blocks);
    lotor_sampler exact = {.size = lotor_ratio_of(1, 2), .source = &source.source};
    assert_int_equal(find_exact_law("geometric", why, &exact.law), LOTOR_OK);
    const lotor_sample_law law = {.name = "geometric", .has_exact = true};
    lotor_sample_state sampler = {.exact = &exact, .json = true};
    return write_draws(&law, &sampler, count, why);
}

static lotor_status exhausted_draws(lotor_message *why)
{
    return exhausted(1, 1000000, why);
}

static lotor_status exhausted_at_once(lotor_message *why)
{
    return exhausted(0, 3, why);
}

/* If entropy runs out, the open JSON array is closed after its last number. */
TEST(draws_that_fail_leave_whole_json)
{
    const char *end = "], \"error\": \"the kernel gave no more random bytes\"}\n";
    char text[65536];
    captured(exhausted_at_once, LOTOR_ENTROPY, text, sizeof text);
    assert_string_equal(text, end);
    captured(exhausted_draws, LOTOR_ENTROPY, text, sizeof text);
    const size_t numbers = strspn(text, "0123456789, ");
    assert_true(numbers > 100);
    assert_true(is_digit(text[numbers - 1]));
    assert_string_equal(text + numbers, end);
}

static lotor_status complain_in_json(lotor_message *why)
{
    (void)why;
    lotor_print_error(false, "not this");
    lotor_print_error(true, "a \"b\"\n");
    return LOTOR_OK;
}

TEST(errors_are_quoted_in_json)
{
    char text[200];
    captured(complain_in_json, LOTOR_OK, text, sizeof text);
    assert_string_equal(text, "{\"error\": \"a \\\"b\\\"\\n\"}\n");
}

/* A file that holds the bytes, open for reading. */
static int file_with(const char *bytes, size_t length)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    rewind(file);
    const int descriptor = dup(fileno(file));
    fclose(file);
    return descriptor;
}

static void expect_line(lotor_lines *lines, const char *text)
{
    lotor_line line;
    assert_true(lotor_lines_next(lines, &line));
    assert_int_equal(line.length, strlen(text));
    assert_memory_equal(line.text, text, line.length);
    assert_false(line.cut);
}

TEST(lines_end_in_every_way)
{
    const char text[] = "1\r\n  2\t\n\n3";
    const int file = file_with(text, sizeof text - 1);
    lotor_lines lines;
    lotor_line line;
    lotor_lines_start(&lines, file);
    expect_line(&lines, "1");
    expect_line(&lines, "2");
    expect_line(&lines, "");
    expect_line(&lines, "3");
    assert_int_equal(lines.number, 4);
    assert_false(lotor_lines_next(&lines, &line));
    assert_false(lotor_lines_next(&lines, &line));
    assert_int_equal(lines.error, 0);
    close(file);
}

/* A line of `length` bytes, then "7": around the size of the buffer, one byte more or less. */
static void long_line_then_seven(size_t length)
{
    char *text = malloc(length + 3);
    assert_non_null(text);
    memset(text, '1', length);
    memcpy(text + length, "\n7\n", 3);
    const int file = file_with(text, length + 3);
    free(text);
    lotor_lines lines;
    lotor_line line;
    lotor_lines_start(&lines, file);
    assert_true(lotor_lines_next(&lines, &line));
    assert_int_equal(line.cut, length >= LOTOR_LINES_BUFFER);
    assert_int_equal(line.length, length < LOTOR_LINES_BUFFER ? length : LOTOR_LINES_BUFFER);
    double value;
    lotor_message why;
    assert_int_equal(lotor_line_number(&line, &why, &value), LOTOR_RANGE);
    expect_line(&lines, "7");
    assert_int_equal(lines.number, 2);
    assert_false(lotor_lines_next(&lines, &line));
    close(file);
}

TEST(lines_of_any_length)
{
    static const size_t lengths[] = {LOTOR_LINES_BUFFER - 2,     LOTOR_LINES_BUFFER - 1,
                                     LOTOR_LINES_BUFFER,         LOTOR_LINES_BUFFER + 1,
                                     2 * LOTOR_LINES_BUFFER - 1, 2 * LOTOR_LINES_BUFFER,
                                     2 * LOTOR_LINES_BUFFER + 1, 1000000};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        long_line_then_seven(lengths[i]);
    }
}

TEST(an_unreadable_input_is_an_error)
{
    lotor_lines lines;
    lotor_line line;
    lotor_lines_start(&lines, -1);
    assert_false(lotor_lines_next(&lines, &line));
    assert_int_equal(lines.error, EBADF);
}
