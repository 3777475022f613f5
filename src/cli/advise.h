/* advise.h - the parts of `lotor advise`: options, questions for missing options, and output. */
#ifndef LOTOR_CLI_ADVISE_H
#define LOTOR_CLI_ADVISE_H

#include <lotor/advise.h>

#include "cli/options.h"

/* The options, in the order of advise.c's table. */
enum {
    LOTOR_ADVISE_PROBLEM,
    LOTOR_ADVISE_TRUST,
    LOTOR_ADVISE_EPSILON,
    LOTOR_ADVISE_DELTA,
    LOTOR_ADVISE_ARMS,
    LOTOR_ADVISE_SLOTS,
    LOTOR_ADVISE_DIMENSION,
    LOTOR_ADVISE_ROUNDS,
    LOTOR_ADVISE_MEANS,
    LOTOR_ADVISE_SECONDS,
    LOTOR_ADVISE_SEED,
    LOTOR_ADVISE_THREADS,
    LOTOR_ADVISE_JSON
};

/* Makes the parameters from the options; in advise_ask.c. On a terminal, asks for a missing option.
 * Otherwise fails with LOTOR_INVALID and the option's name. */
lotor_status lotor_advise_ask(const lotor_arguments *arguments, lotor_message *why,
                              lotor_advise_params *out);

/* True if this is the problem; true if a round shows several arms. */
bool lotor_advise_is(const lotor_advise_params *params, const char *problem);
bool lotor_advise_shows_sets(const lotor_advise_params *params);

/* Write the advice to standard output; in advise_print.c. */
void lotor_advise_text(const lotor_advise_params *params, const lotor_advise_result *advice);
void lotor_advise_json(const lotor_advise_params *params, const lotor_advise_result *advice);

/* Writes the command "lotor run ID --problem cascade --means ...", which shows more of the
 * recommended algorithm; "" if it would be too long. */
void lotor_advise_command(const lotor_advise_params *params, const lotor_advise_result *advice,
                          char *text, size_t capacity);

#endif
