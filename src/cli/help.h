/* help.h - prints help, generated from the tables of commands and options. */
#ifndef LOTOR_CLI_HELP_H
#define LOTOR_CLI_HELP_H

#include <stdio.h>

#include "cli/command.h"

void lotor_help_all(FILE *stream);
void lotor_help_command(FILE *stream, const lotor_command *command);

#endif
