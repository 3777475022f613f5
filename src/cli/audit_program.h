/* audit_program.h - runs a program as an audited mechanism.
 *
 * The program is a filter. It is started by "sh -c", gets lines "SEED INPUT" on its standard input
 * until the input ends, and answers each with one line of numbers (audit_answer.h). Each call of the
 * mechanism starts the program once, with one line per run. So a program need not flush its output
 * after each line, and a block of lines costs one start.
 */
#ifndef LOTOR_CLI_AUDIT_PROGRAM_H
#define LOTOR_CLI_AUDIT_PROGRAM_H

#include <stdatomic.h>

#include <lotor/audit.h>

enum {
    LOTOR_PROGRAM_LINES = 4096,     /* lines of one start of the program */
    LOTOR_PROGRAM_INPUT_MAX = 32768 /* bytes of an input */
};

typedef struct lotor_audit_program {
    const char *command;
    const char *inputs[2];  /* the texts for INPUT; without newlines */
    double timeout;         /* seconds in which the program must read or write something */
    atomic_bool is_stopped; /* true: end the program now (LOTOR_STOPPED) */
} lotor_audit_program;

/* The `run` of lotor_audit_mechanism_params; `context` is a lotor_audit_program. SIGPIPE must be
 * ignored. LOTOR_INVALID: the program died, was silent for too long, or printed something else than
 * numbers; the message quotes the line. */
lotor_status lotor_audit_program_run(void *context, const lotor_audit_call *call,
                                     lotor_message *why);

#endif
