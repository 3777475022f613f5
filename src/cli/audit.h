/* audit.h - declarations that the files of lotor audit share. */
#ifndef LOTOR_CLI_AUDIT_H
#define LOTOR_CLI_AUDIT_H

#include <lotor/algorithm.h>
#include <lotor/audit.h>

#include "cli/options.h"

/* The options, in the order of help. */
enum {
    LOTOR_AUDIT_VERIFY,
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
    LOTOR_AUDIT_PLOT
};

enum { LOTOR_AUDIT_MAX = 64 }; /* the most algorithms */

/* One algorithm: its parameters and its result. */
typedef struct lotor_audit_row {
    lotor_algorithm_info facts;
    lotor_audit_params params;
    lotor_audit_result result;
} lotor_audit_row;

/* Whether this is a known leak: it adds noise, but the catalog says that it is not private. */
bool lotor_audit_is_known_leak(const lotor_algorithm_info *facts);

/* Whether this result makes `lotor audit all` fail: a claim is violated, a known leak was not
 * found, or too little was seen. */
bool lotor_audit_is_surprise(const lotor_audit_row *one);

/* Print the results; in audit_print.c. As text: one in detail, or several in a table. As JSON: an
 * object, or an array of objects. */
void lotor_audit_text(const lotor_audit_row *one);
void lotor_audit_table(const lotor_audit_row *all, size_t count);
void lotor_audit_json(const lotor_audit_row *all, size_t count, bool as_array);

#endif
