/* test_settings.c - options of lotor serve from the command line, the environment and a file. The
 * command is a program and not part of the library, so this file includes its sources. */
#include "support/test.h"

#include <stdio.h>
#include <string.h>

#include "cli/numbers.c"
#include "cli/options.c"
#include "cli/settings.c"
#include "service/scratch.h"

enum { STORE, PORT, LOUD, SHAPE, KEY_FILE, RATES, CONFIG, COUNT };

static const lotor_option table_of_test[COUNT] = {
    [STORE] = {.name = "store", .kind = LOTOR_OPTION_TEXT, .placeholder = "FILE"},
    [PORT] = {.name = "port", .kind = LOTOR_OPTION_WHOLE, .placeholder = "N", .initial = "8080"},
    [LOUD] = {.name = "loud", .kind = LOTOR_OPTION_FLAG},
    [SHAPE] = {.name = "shape",
               .kind = LOTOR_OPTION_CHOICE,
               .choices = "round|square",
               .initial = "round"},
    [KEY_FILE] = {.name = "key-file", .kind = LOTOR_OPTION_TEXT, .placeholder = "FILE"},
    [RATES] = {.name = "rates", .kind = LOTOR_OPTION_LIST, .placeholder = "LIST"},
    [CONFIG] = {.name = "config", .kind = LOTOR_OPTION_TEXT, .placeholder = "FILE"}};

static lotor_settings got;
static lotor_arguments typed;
static lotor_message why;
static scratch files;
static char path[512];

/* Reads settings from a command line of at most two words, an environment and a file (NULL:
 * none). */
static lotor_status read_all_of(const char *first, const char *second, char *const *environment,
                                const char *file)
{
    char option[600];
    char *words[3] = {NULL};
    int count = 0;
    if (first) {
        words[count++] = (char *)first;
    }
    if (second) {
        words[count++] = (char *)second;
    }
    if (file) {
        scratch_write(path, file, strlen(file));
        snprintf(option, sizeof option, "--config=%s", path);
        words[count++] = option;
    }
    static char *const nothing[] = {NULL};
    assert_int_equal(lotor_options_parse(table_of_test, COUNT, 0, count, words, &why, &typed),
                     LOTOR_OK);
    if (file) { /* outlives this function */
        typed.values[CONFIG].text = path;
    }
    return lotor_settings_read(table_of_test, COUNT, CONFIG, &typed,
                               environment ? environment : nothing, &why, &got);
}

static void clear(void)
{
    lotor_settings_free(&got);
    lotor_arguments_free(&typed);
}

TEST(test_command_line_then_environment_then_file_then_default)
{
    static const char file[] = "{\"store\": \"file.db\", \"port\": 3, \"shape\": \"square\",\n"
                               " \"loud\": true, \"key-file\": \"k\", \"rates\": \"1,2\"}";
    static char *environment[] = {"LOTOR_STORE=env.db", "LOTOR_PORT=2",      "LOTOR_LOUD=false",
                                  "LOTOR_SHAPE=",       "LOTOR_KEY_FILEX=z", NULL};
    assert_int_equal(read_all_of("--store", "typed.db", environment, file), LOTOR_OK);
    assert_string_equal(got.values[STORE].text, "typed.db");
    assert_int_equal(got.values[PORT].whole, 2);
    assert_false(
        got.values[LOUD].given); /* the environment says false, though the file says true */
    assert_string_equal(got.values[SHAPE].text, "square"); /* an empty variable is not set */
    assert_string_equal(got.values[KEY_FILE].text, "k");
    assert_int_equal(got.values[RATES].list.count, 2);
    clear();

    assert_int_equal(read_all_of(NULL, NULL, NULL, NULL), LOTOR_OK);
    assert_null(got.values[STORE].text);
    assert_int_equal(got.values[PORT].whole, 8080);
    assert_string_equal(got.values[SHAPE].text, "round");
    clear();

    static char *lists[] = {"LOTOR_RATES=1,2,3", "LOTOR_LOUD=1", NULL};
    assert_int_equal(read_all_of(NULL, NULL, lists, "{\"rates\": \"4\"}"), LOTOR_OK);
    assert_int_equal(got.values[RATES].list.count, 3);
    assert_true(got.values[LOUD].given);
    clear();
}

TEST(test_the_environment_can_name_the_file)
{
    char variable[600];
    assert_int_equal(read_all_of(NULL, NULL, NULL, "{\"key-file\": [\"a\", \"b\"]}"), LOTOR_OK);
    assert_string_equal(got.values[KEY_FILE].text, "a,b");
    clear();
    snprintf(variable, sizeof variable, "LOTOR_CONFIG=%s", path);
    char *const environment[] = {variable, NULL};
    assert_int_equal(read_all_of(NULL, NULL, environment, NULL), LOTOR_OK);
    assert_string_equal(got.values[KEY_FILE].text, "a,b");
    clear();
}

TEST(test_names_of_variables)
{
    char name[LOTOR_VARIABLE_ROOM];
    assert_string_equal(lotor_settings_variable(&table_of_test[KEY_FILE], name), "LOTOR_KEY_FILE");
}

static void expect_refusal(char *const *environment, const char *file, const char *const *parts)
{
    assert_int_equal(read_all_of(NULL, NULL, environment, file), LOTOR_INVALID);
    for (; *parts; parts++) {
        if (!strstr(why.text, *parts)) {
            fail_msg("\"%s\" lacks %s", why.text, *parts);
        }
    }
    clear();
}

TEST(test_bad_variables_are_named)
{
    static char *port[] = {"LOTOR_PORT=tcp://10.0.0.1:80", NULL};
    static char *shape[] = {"LOTOR_SHAPE=rond", NULL};
    static char *flag[] = {"LOTOR_LOUD=maybe", NULL};
    expect_refusal(port, NULL, (const char *[]){"LOTOR_PORT", "tcp://", NULL});
    expect_refusal(shape, NULL, (const char *[]){"LOTOR_SHAPE: ", "did you mean round?", NULL});
    expect_refusal(flag, NULL, (const char *[]){"LOTOR_LOUD: expected true or false", NULL});
}

TEST(test_bad_files_are_named_with_the_line)
{
    static const struct {
        const char *file, *parts[3];
    } cases[] = {
        {"{\n\"store\": \"a\",\n\n\"prot\": 1}", {"line 4: ", "\"prot\": did you mean \"port\"?"}},
        {"{\"store\": \"a\\\"{:\\n\",\n\"zzzzzz\": 1}", {"line 2: ", "\"zzzzzz\": expected"}},
        {"{\"st\\u006fre\": \"a\",\n\n\"--port\": 1}", {"line 3: ", "did you mean \"port\"?"}},
        {"{\n\"port\": \"x\"}", {"line 2, port", "\"x\""}},
        {"{\n\"port\": -1}", {"line 2, port", "-1"}},
        {"{\n\"port\": true}", {"line 2: expected a text or a number", "\"port\""}},
        {"{\"port\": {\"a\": 1}}", {"line 1: expected a text or a number"}},
        {"{\"port\": [1]}", {"line 1: expected"}},
        {"{\"store\": null}", {"line 1: expected"}},
        {"{\"store\": \"\"}", {"line 1: expected", "not empty"}},
        {"{\"store\": []}", {"line 1: expected"}},
        {"{\"key-file\": [\"a\", 1]}", {"line 1: expected"}},
        {"{\"loud\": 1}", {"line 1: expected true or false"}},
        {"{\"shape\":\n\"squair\"}", {"line 1, shape", "square"}},
        {"{\"config\": \"other\"}", {"line 1: there is no option \"config\""}},
        {"{\"port\": 1,\n\"port\": 2}", {"line 2: expected a JSON object"}},
        {"{\"port\": 1,\n}", {"line 2: expected a JSON object"}},
        {"[]", {"expected a JSON object"}},
        {"", {"line 1: expected a JSON object"}},
        {"# a comment\n", {"line 1: expected a JSON object"}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expect_refusal(NULL, cases[i].file, cases[i].parts);
    }
}

/* A value of the file that the environment replaces is checked all the same. */
TEST(test_values_that_do_not_count_are_checked)
{
    static char *environment[] = {"LOTOR_PORT=1", "LOTOR_RATES=1", NULL};
    expect_refusal(environment, "{\"port\": \"x\"}", (const char *[]){"line 1, port", NULL});
    expect_refusal(environment, "{\"rates\": \"1,2,x\"}", (const char *[]){"line 1, rates", NULL});
}

TEST(test_a_file_that_is_missing_or_endless)
{
    static char *missing[] = {"LOTOR_CONFIG=/nonexistent/file", NULL};
    static char *endless[] = {"LOTOR_CONFIG=/dev/zero", NULL};
    assert_int_equal(read_all_of(NULL, NULL, missing, NULL), LOTOR_IO);
    assert_non_null(strstr(why.text, "/nonexistent/file"));
    clear();
    expect_refusal(endless, NULL, (const char *[]){"longer than", NULL});
}

static int start_all(void **state)
{
    (void)state;
    scratch_start(&files);
    snprintf(path, sizeof path, "%s", scratch_path(&files, "config.json"));
    return 0;
}

static int stop_all(void **state)
{
    (void)state;
    scratch_end(&files);
    return 0;
}

TEST_GROUP(start_all, stop_all);
