/* audit_couple.h - lotor audit --couple: plays coupled worlds, and prints a table or JSON. */
#ifndef LOTOR_CLI_AUDIT_COUPLE_H
#define LOTOR_CLI_AUDIT_COUPLE_H

#include <stdbool.h>

#include <lotor/algorithm.h>
#include <lotor/couple.h>

typedef struct lotor_audit_couple_request {
    const lotor_algorithm_info *algorithms;
    size_t count;
    bool is_all; /* the user asked for all algorithms: known leaks are expected */
    bool json;
    lotor_couple_params params; /* but for the algorithm and the progress */
} lotor_audit_couple_request;

/* Plays and prints. Returns the exit status. 0: every proof held on every trace, and (for all) every
 * algorithm that claims nothing showed a violation. 1: otherwise. 2: wrong usage. */
int lotor_audit_couple_run(const char *command, const lotor_audit_couple_request *ask);

#endif
