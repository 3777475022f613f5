/* command.h - the description of a sub-command. To add one, add a file and a row in commands.c. */
#ifndef LOTOR_CLI_COMMAND_H
#define LOTOR_CLI_COMMAND_H

#include <stddef.h>

#include <lotor/status.h>

#include "cli/options.h"

/* The exit statuses. */
enum {
    LOTOR_EXIT_FINE = 0,
    LOTOR_EXIT_FAILED = 1,       /* input, output, memory or entropy failed */
    LOTOR_EXIT_USAGE = 2,        /* the command line or the input is wrong */
    LOTOR_EXIT_ENDED = 3,        /* the input ended before the stopping rule stopped */
    LOTOR_EXIT_UNSEEN = 4,       /* an audit saw too few releases to say anything */
    LOTOR_EXIT_INTERRUPTED = 130 /* Ctrl-C, as in shells */
};

typedef struct lotor_command {
    const char *name;
    const char *summary; /* one line for lotor --help */
    const char *usage;   /* the text after "lotor NAME " */
    const char *about;   /* paragraphs for help, which breaks the lines */
    const char *examples;
    const lotor_option *options;
    size_t option_count;
    size_t word_limit; /* the most arguments, not counting options */
    int (*run)(const lotor_arguments *arguments);
} lotor_command;

extern const lotor_command lotor_command_run;
extern const lotor_command lotor_command_reproduce;
extern const lotor_command lotor_command_algorithms;
extern const lotor_command lotor_command_audit;
extern const lotor_command lotor_command_advise;
extern const lotor_command lotor_command_movielens;
extern const lotor_command lotor_command_sample;
extern const lotor_command lotor_command_count;
extern const lotor_command lotor_command_stop;
extern const lotor_command lotor_command_account;
extern const lotor_command lotor_command_serve;
extern const lotor_command lotor_command_key;
#ifdef LOTOR_SERVICE
extern const lotor_command lotor_command_backup; /* with the service */
extern const lotor_command lotor_command_move;   /* with the service */
extern const lotor_command lotor_command_check;  /* with the service */
extern const lotor_command lotor_command_audit_log;
extern const lotor_command lotor_command_statement;
extern const lotor_command lotor_command_demo;
extern const lotor_command lotor_command_randomize;
#endif

/* All sub-commands, in the order of help; NULL at the end. */
extern const lotor_command *const lotor_commands[];

const lotor_command *lotor_command_find(const char *name);
const char *lotor_command_nearest(const char *name); /* NULL if no name is similar */

/* Prints "lotor NAME: message", with a hint at the help if the command line was wrong. Returns the
 * exit status. */
int lotor_command_refuse(const char *name, lotor_status status, const char *message);

#endif
