/* fuzz_randomizer.c - runs lotor randomize. Its input is the randomizer of a ranking, and feedback.
 * Its output is one report as JSON, or a refusal.
 *
 * The first line is the feedback: rewards such as "1,0.5", or "click 2". The rest is the
 * randomizer. */
#include "fuzz.h"

#include <jansson.h>

#include "cli/command.h"

static FILE *quiet;

/* Runs the command, with its standard output in `said`. Returns its exit status. */
static int run(int count, char **words, char *said, size_t capacity)
{
    const lotor_command *const command = &lotor_command_randomize;
    lotor_arguments arguments;
    lotor_message why = {""};
    int code = LOTOR_EXIT_USAGE;
    memset(said, 0, capacity);
    if (lotor_options_parse(command->options, command->option_count, command->word_limit, count,
                            words, &why, &arguments) == LOTOR_OK &&
        !arguments.help) {
        FILE *const loud = stderr, *const before = stdout;
        FILE *const page = fmemopen(said, capacity, "w");
        CHECK(page);
        arguments.command = "randomize";
        stderr = quiet;
        stdout = page;
        code = command->run(&arguments);
        stderr = loud;
        stdout = before;
        fclose(page);
    }
    lotor_arguments_free(&arguments);
    return code;
}

/* {"report": ...}: a whole number, or a list of them. */
static void check_report(const char *said)
{
    json_t *const body = json_loads(said, JSON_REJECT_DUPLICATES, NULL);
    const json_t *const report = json_object_get(body, "report");
    CHECK(json_object_size(body) == 1);
    CHECK(json_is_integer(report) || (json_is_array(report) && json_array_size(report) > 0));
    size_t i;
    json_t *entry;
    json_array_foreach(report, i, entry)
    {
        CHECK(json_is_integer(entry));
    }
    json_decref(body);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char said[1 << 18];
    const uint8_t *const end = size ? memchr(data, '\n', size) : NULL;
    if (!end) {
        return 0;
    }
    quiet = quiet ? quiet : fopen("/dev/null", "w");
    CHECK(quiet);
    char *const text = calloc(1, size + 1);
    CHECK(text);
    memcpy(text, data, size);
    char *const settings = text + (end - data) + 1;
    settings[-1] = '\0';
    const bool clicks = strncmp(text, "click ", 6) == 0;
    char *words[] = {"--randomizer", settings, clicks ? "--click" : "--rewards",
                     clicks ? text + 6 : text};
    const int code = run(4, words, said, sizeof said);
    CHECK(code == LOTOR_EXIT_FINE || code == LOTOR_EXIT_USAGE);
    if (code == LOTOR_EXIT_FINE) {
        check_report(said);
    } else {
        CHECK(said[0] == '\0');
    }
    free(text);
    return 0;
}
