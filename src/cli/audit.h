/* audit.h - declarations that the files of lotor audit share. */
#ifndef LOTOR_CLI_AUDIT_H
#define LOTOR_CLI_AUDIT_H

#include <lotor/algorithm.h>
#include <lotor/audit.h>

#include "cli/options.h"

/* The options, in the order of help. */
enum {
    LOTOR_AUDIT_VERIFY,
    LOTOR_AUDIT_COUPLE,
    LOTOR_AUDIT_TRACES,
    LOTOR_AUDIT_EPSILON,
    LOTOR_AUDIT_DELTA,
    LOTOR_AUDIT_TRIALS,
    LOTOR_AUDIT_HORIZON,
    LOTOR_AUDIT_VIEW,
    LOTOR_AUDIT_CONFIDENCE,
    LOTOR_AUDIT_SEED,
    LOTOR_AUDIT_THREADS,
    LOTOR_AUDIT_NOISE_SCALE,
    LOTOR_AUDIT_JSON,
    LOTOR_AUDIT_PLOT,
    LOTOR_AUDIT_COMMAND,
    LOTOR_AUDIT_INPUT,
    LOTOR_AUDIT_NEIGHBOUR,
    LOTOR_AUDIT_TIMEOUT
};

enum { LOTOR_AUDIT_MAX = 64 }; /* the most algorithms */

/* One algorithm: its parameters and its result. */
typedef struct lotor_audit_row {
    lotor_algorithm_info facts;
    lotor_audit_params params;
    lotor_audit_result result;
} lotor_audit_row;

/* True if this is a known leak: it adds noise, but the catalog says that it is not private. */
bool lotor_audit_is_known_leak(const lotor_algorithm_info *facts);

/* True if an audit says nothing: too little was seen, or nothing told the inputs apart. */
bool lotor_audit_is_blind(const lotor_audit_result *result);

/* True if this result contradicts the catalog: a claim is violated, or a known leak was not
 * found. An audit that saw too little contradicts nothing. */
bool lotor_audit_is_surprise(const lotor_audit_row *one);

/* Refuses numbers that are out of range, and 0 where the library would take a default. */
lotor_status lotor_audit_check_options(const lotor_option_value *values, lotor_message *why);

/* Print the results; in audit_print.c. As text: one in detail, or several in a table. As JSON: an
 * object, or an array of objects. */
void lotor_audit_text(const lotor_audit_row *one);
void lotor_audit_table(const lotor_audit_row *all, size_t count);
void lotor_audit_json(const lotor_audit_row *all, size_t count, bool as_array);

/* The same for a program of somebody else. `seed` may be NULL. */
void lotor_audit_program_text(const char *command, const lotor_audit_result *result);
void lotor_audit_program_json(const char *command, const lotor_audit_result *result,
                              const uint64_t *seed);

#endif
