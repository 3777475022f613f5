/* audit_verify.h - lotor audit --verify: what the exact verification found, as a table or as JSON. */
#ifndef LOTOR_CLI_AUDIT_VERIFY_H
#define LOTOR_CLI_AUDIT_VERIFY_H

#include <stdbool.h>

#include <lotor/verify.h>

/* Fields left 0/0 mean what lotor/verify.h says. */
typedef struct lotor_audit_verify {
    const char *mechanism; /* an id, or "all" */
    lotor_ratio epsilon, delta, noise_scale;
    bool json;
} lotor_audit_verify;

/* The names that --verify takes, for help: "laplace, gaussian, ..." */
#define LOTOR_AUDIT_VERIFY_NAMES                                                                   \
    "laplace, gaussian, tree, hybrid, batch, sparse, response, positions, cube; and these, which " \
    "are known not to hold: tree-short, sparse-bare-threshold, sparse-bare-queries, cube-halves"

/* Verifies and prints. The exit status: 0 when every claim holds (for "all": and every known leak was
 * found), 1 when one does not or the code does not do what is verified, 2 when the request makes no
 * sense. */
int lotor_audit_verify_run(const char *command, const lotor_audit_verify *ask);

#endif
