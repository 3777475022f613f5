/* advise.h - what `lotor advise` was asked, and the questions for what was left out. */
#ifndef LOTOR_CLI_ADVISE_H
#define LOTOR_CLI_ADVISE_H

#include "cli/options.h"
#include "lab/advise.h"

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

/* advise_ask.c: the wish, from the options; what is missing is asked for on a terminal, and refused
 * elsewhere (LOTOR_INVALID, with the option's name). */
lotor_status lotor_advise_wish(const lotor_arguments *arguments, lotor_message *why,
                               lotor_wish *out);

/* advise_report.c: on standard output. */
void lotor_advise_text(const lotor_wish *wish, const lotor_advice *advice);
void lotor_advise_json(const lotor_wish *wish, const lotor_advice *advice);

/* "lotor run ID --problem cascade --means ... ": to see more of it; "" where that is too long. */
void lotor_advise_command(const lotor_wish *wish, const lotor_advice *advice, char *text,
                          size_t capacity);

#endif
