/* settings.h - the options of a command from three places: the command line, the environment and a
 * file.
 *
 * One table of options (options.h) names all of them. The option --key-file is also the environment
 * variable LOTOR_KEY_FILE and the key "key-file" of a JSON file:
 *
 *     {"store": "/var/lib/lotor/lotor.db", "port": 8080, "accept-rollback": false}
 *
 * The command line comes first, then the environment, then the file, then the default. A variable
 * that is empty counts as not set. The file is named by the option --config or LOTOR_CONFIG.
 */
#ifndef LOTOR_CLI_SETTINGS_H
#define LOTOR_CLI_SETTINGS_H

#include <stddef.h>

#include <lotor/status.h>

#include "cli/options.h"

enum { LOTOR_VARIABLE_ROOM = 64 };

typedef struct lotor_settings {
    lotor_option_value values[LOTOR_OPTIONS_MAX]; /* indexed like the table of options */
    bool is_set[LOTOR_OPTIONS_MAX];               /* by the command line or the environment */
    char *owned[LOTOR_OPTIONS_MAX];               /* texts that came from the file */
    bool has_list[LOTOR_OPTIONS_MAX];             /* lists that were made here */
} lotor_settings;

/* The name of an option's environment variable. Returns `name`. */
const char *lotor_settings_variable(const lotor_option *option, char name[LOTOR_VARIABLE_ROOM]);

/* Completes the values of the command line. `config` is the place of the option --config in the
 * table. `environment` is like environ: "NAME=VALUE", NULL at the end. Values may point into
 * `arguments` and `environment`, which must stay. LOTOR_INVALID: the message names the variable, or
 * the file and the line. LOTOR_IO: the file can't be read. Free the settings in either case. */
lotor_status lotor_settings_read(const lotor_option *options, size_t count, size_t config,
                                 const lotor_arguments *arguments, char *const *environment,
                                 lotor_message *why, lotor_settings *out);
void lotor_settings_free(lotor_settings *settings);

#endif
