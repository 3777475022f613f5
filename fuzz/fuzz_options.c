/* fuzz_options.c - reads command lines of every sub-command by its table of options. The result is
 * values of the kinds in the table, or a message that says what is wrong. No command is run.
 *
 * The first byte chooses the command. The rest is words, separated by line ends. For `lotor run`
 * with four means, the plan is made, too, because that reads the value of --oracle. */
#include "fuzz.h"

#include <math.h>

#include "cli/command.h"
#include "cli/run.h"

enum { WORDS = 24 };

static void check_value(const lotor_option *option, const lotor_option_value *value)
{
    if (!value->text) {
        return;
    }
    switch (option->kind) {
    case LOTOR_OPTION_CHOICE: {
        const char *const found = strstr(option->choices, value->text);
        const size_t length = strlen(value->text);
        CHECK(found && length > 0 && (found[length] == '|' || found[length] == '\0'));
        break;
    }
    case LOTOR_OPTION_NUMBER:
        CHECK(isfinite(value->number));
        break;
    case LOTOR_OPTION_RATIO:
        CHECK(value->ratio.den > 0 || value->ratio.num > 0);
        break;
    case LOTOR_OPTION_LIST:
        CHECK(value->list.count > 0 && value->list.items);
        break;
    case LOTOR_OPTION_RANGE:
        CHECK(value->low < value->high);
        break;
    default:
        break;
    }
}

static void parse(const lotor_command *command, int count, char **words)
{
    lotor_arguments arguments;
    lotor_message why = {""};
    const lotor_status status =
        lotor_options_parse(command->options, command->option_count, command->word_limit, count,
                            words, &why, &arguments);
    if (status != LOTOR_OK) {
        CHECK(status == LOTOR_INVALID && why.text[0] != '\0');
    } else if (!arguments.help) {
        CHECK(arguments.word_count <= command->word_limit);
        for (size_t i = 0; i < command->option_count; i++) {
            CHECK(!command->options[i].required || arguments.values[i].given);
            check_value(&command->options[i], &arguments.values[i]);
        }
    }
    lotor_arguments_free(&arguments);
}

static void plan(char *oracle, char *slots)
{
    char *words[] = {"cucb",     "--means", "0.1,0.2,0.3,0.4", "--horizon", "100",
                     "--oracle", oracle,    "--slots",         slots};
    const lotor_command *const run = &lotor_command_run;
    const int count = slots ? 9 : 7;
    lotor_arguments arguments;
    lotor_run_plan made;
    lotor_message why = {""};
    if (lotor_options_parse(run->options, run->option_count, run->word_limit, count, words, &why,
                            &arguments) == LOTOR_OK &&
        !arguments.help) {
        const lotor_status status = lotor_run_plan_make(&arguments, &why, &made);
        if (status == LOTOR_OK) {
            CHECK(made.facts.arms == 4 && made.facts.structure_name);
        } else {
            CHECK(status == LOTOR_INVALID && why.text[0] != '\0');
        }
        lotor_run_plan_clear(&made);
    }
    lotor_arguments_free(&arguments);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *words[WORDS];
    int count = 0;
    size_t commands = 0;
    while (lotor_commands[commands]) {
        commands++;
    }
    if (size < 1) {
        return 0;
    }
    char *const text = calloc(1, size); /* a NUL at the end */
    CHECK(text);
    memcpy(text, data + 1, size - 1);
    for (char *word = strtok(text, "\n"); word && count < WORDS; word = strtok(NULL, "\n")) {
        words[count++] = word;
    }
    const size_t picked = data[0] % (commands + 1);
    if (picked < commands) {
        parse(lotor_commands[picked], count, words);
    } else if (count > 0) {
        plan(words[0], count > 1 ? words[1] : NULL);
    }
    free(text);
    return 0;
}
