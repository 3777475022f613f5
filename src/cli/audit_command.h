/* audit_command.h - lotor audit --command: audits a program of somebody else. */
#ifndef LOTOR_CLI_AUDIT_COMMAND_H
#define LOTOR_CLI_AUDIT_COMMAND_H

#include "cli/options.h"

/* Audits the program that the options name, and prints the result. `options` is the table of lotor
 * audit. Returns the exit status. */
int lotor_audit_command_run(const lotor_arguments *arguments, const lotor_option *options);

#endif
