/* help.c - see help.h. */
#include "cli/help.h"

#include <string.h>

#include "cli/print.h"

enum { NAME_COLUMN = 14, OPTION_COLUMN = 24 };

void lotor_help_all(FILE *stream)
{
    fprintf(stream, "lotor %s - learn from private feedback, and prove what you promise\n\n",
            lotor_version());
    fputs("Usage: lotor COMMAND [OPTIONS]\n\nCommands\n", stream);
    for (size_t i = 0; lotor_commands[i]; i++) {
        const int used = fprintf(stream, "  %-*s", NAME_COLUMN - 2, lotor_commands[i]->name);
        lotor_print_wrapped(stream, lotor_commands[i]->summary, (size_t)used, NAME_COLUMN);
    }
    fputs("\n"
          "  lotor help COMMAND   what the command does, its options, examples\n"
          "  lotor --version      the version\n\n"
          "Most commands take --json. Exit status: 0 success; 1 reading, writing or memory\n"
          "failed; 2 the command line or the input is wrong; 3 the input ended before a\n"
          "stopping rule stopped; 4 an audit saw too little; 130 you pressed Ctrl-C.\n",
          stream);
}

static void print_option(FILE *stream, const lotor_option *option)
{
    int used = fprintf(stream, "  --%s", option->name);
    if (option->kind != LOTOR_OPTION_FLAG) {
        used += fprintf(stream, " %s", option->placeholder);
    }
    if (used + 2 > OPTION_COLUMN) {
        fputc('\n', stream);
        used = 0;
    }
    fprintf(stream, "%*s", OPTION_COLUMN - used, "");
    char text[600];
    snprintf(text, sizeof text, "%s%s%s%s%s%s", option->help, option->choices ? ": " : "",
             option->choices ? option->choices : "", option->initial ? " (default " : "",
             option->initial ? option->initial : "", option->initial ? ")" : "");
    lotor_print_wrapped(stream, text, OPTION_COLUMN, OPTION_COLUMN);
}

void lotor_help_command(FILE *stream, const lotor_command *command)
{
    fprintf(stream, "lotor %s - %s\n\n", command->name, command->summary);
    const int used = fprintf(stream, "Usage: lotor %s ", command->name);
    lotor_print_wrapped(stream, command->usage, (size_t)used, (size_t)used);
    fputc('\n', stream);
    lotor_print_wrapped(stream, command->about, 0, 0);
    if (command->option_count > 0) {
        fputs("\nOptions\n", stream);
    }
    for (size_t i = 0; i < command->option_count; i++) {
        print_option(stream, &command->options[i]);
    }
    fprintf(stream, "\nExamples\n%s", command->examples);
}
