/* main.c - the command `lotor`: finds the sub-command, reads its options, runs it.
 *
 * To understand the command, read commands.c (the table), then the file of any sub-command.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/quote.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/print.h"

static int unknown_command(const char *typed)
{
    const bool is_option = typed[0] == '-';
    const char *nearest = is_option ? NULL : lotor_command_nearest(typed);
    lotor_print_complaint(NULL, "there is no %s %s%s%s%s", is_option ? "option" : "command",
                          lotor_quote_text(typed).text, nearest ? ": did you mean " : "",
                          nearest ? nearest : "", nearest ? "?" : "");
    fputs("Try: lotor --help\n", stderr);
    return LOTOR_EXIT_USAGE;
}

static int run_help(int argc, char **argv)
{
    if (argc == 0) {
        lotor_help_all(stdout);
        return LOTOR_EXIT_FINE;
    }
    const lotor_command *command = lotor_command_find(argv[0]);
    if (!command) {
        return unknown_command(argv[0]);
    }
    lotor_help_command(stdout, command);
    return LOTOR_EXIT_FINE;
}

static int run_command(const lotor_command *command, int argc, char **argv)
{
    lotor_arguments arguments;
    lotor_message why;
    const lotor_status status = lotor_options_parse(
        command->options, command->option_count, command->word_limit, argc, argv, &why, &arguments);
    arguments.command = command->name;
    int result;
    if (status != LOTOR_OK) {
        result = lotor_command_refuse(command->name, status, why.text);
    } else if (arguments.help) {
        lotor_help_command(stdout, command);
        result = LOTOR_EXIT_FINE;
    } else {
        result = command->run(&arguments);
    }
    lotor_arguments_free(&arguments);
    return result;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        lotor_help_all(stderr);
        return LOTOR_EXIT_USAGE;
    }
    const char *first = argv[1];
    if (strcmp(first, "help") == 0) {
        return run_help(argc - 2, argv + 2);
    }
    if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0) {
        return run_help(0, NULL);
    }
    if (strcmp(first, "--version") == 0) {
        if (argc > 2) {
            lotor_print_complaint(NULL, "%s is one argument too many: --version is used alone",
                                  lotor_quote_text(argv[2]).text);
            return LOTOR_EXIT_USAGE;
        }
        printf("lotor %s\n", lotor_version());
        return LOTOR_EXIT_FINE;
    }
    const lotor_command *command = lotor_command_find(first);
    return command ? run_command(command, argc - 2, argv + 2) : unknown_command(first);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOFBF, 1 << 16); /* lines.h flushes it before every read */
    const int result = dispatch(argc, argv);
    /* A full disk or a closed output must be reported as a failure. */
    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout)) {
        lotor_print_complaint(NULL, "the output could not be written%s%s", errno ? ": " : "",
                              errno ? strerror(errno) : "");
        return LOTOR_EXIT_FAILED;
    }
    return result;
}
