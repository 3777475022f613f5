/* commands.c - the table of sub-commands. */
#include "cli/command.h"

#include <string.h>

#include "base/suggest.h"
#include "cli/print.h"

const lotor_command *const lotor_commands[] = {
    &lotor_command_advise,
    &lotor_command_run,
    &lotor_command_audit,
    &lotor_command_reproduce,
    &lotor_command_algorithms,
    &lotor_command_movielens,
    &lotor_command_count,
    &lotor_command_stop,
    &lotor_command_account,
    &lotor_command_sample,
    &lotor_command_serve,
    &lotor_command_key,
#ifdef LOTOR_SERVICE
    &lotor_command_backup,
    &lotor_command_move,
    &lotor_command_check,
    &lotor_command_audit_log,
    &lotor_command_statement,
    &lotor_command_demo,
    &lotor_command_randomize,
#endif
    NULL,
};

const lotor_command *lotor_command_find(const char *name)
{
    for (size_t i = 0; lotor_commands[i]; i++) {
        if (strcmp(lotor_commands[i]->name, name) == 0) {
            return lotor_commands[i];
        }
    }
    return NULL;
}

const char *lotor_command_nearest(const char *name)
{
    lotor_suggestion suggestion;
    lotor_suggestion_start(&suggestion, name);
    for (size_t i = 0; lotor_commands[i]; i++) {
        lotor_suggestion_offer(&suggestion, lotor_commands[i]->name);
    }
    lotor_suggestion_offer(&suggestion, "help");
    return suggestion.nearest;
}

int lotor_command_refuse(const char *name, lotor_status status, const char *message)
{
    lotor_print_complaint(name, "%s", message);
    if (status == LOTOR_MEMORY || status == LOTOR_ENTROPY) {
        return LOTOR_EXIT_FAILED;
    }
    if (status == LOTOR_INVALID) {
        fprintf(stderr, "Try: lotor %s --help\n", name);
    }
    return LOTOR_EXIT_USAGE;
}
