/* audit_verify.h - lotor audit --verify: runs exact verifications, and prints a table or JSON. */
#ifndef LOTOR_CLI_AUDIT_VERIFY_H
#define LOTOR_CLI_AUDIT_VERIFY_H

#include <stdbool.h>

#include <lotor/verify.h>

/* Ratios that are 0/0 mean the built-in settings: see lotor/verify.h. */
typedef struct lotor_audit_verify_request {
    const char *mechanism; /* an id, or "all" */
    lotor_ratio epsilon, delta, noise_scale;
    bool json;
} lotor_audit_verify_request;

/* The names for --verify, for the help text: "laplace, gaussian, ..." */
#define LOTOR_AUDIT_VERIFY_NAMES                                                                   \
    "laplace, gaussian, tree, hybrid, batch, sparse, response, positions, cube; and these, which " \
    "are known not to hold: tree-short, sparse-bare-threshold, sparse-bare-queries, cube-halves"

/* Verifies and prints. Returns the exit status. 0: every claim holds, and (for "all") every known
 * leak was found. 1: a claim does not hold, or the code does not match the formulas. 2: wrong
 * usage. */
int lotor_audit_verify_run(const char *command, const lotor_audit_verify_request *ask);

#endif
