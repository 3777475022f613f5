/* audit_scope.h - what the trials of an audit exercised, and what no trial did. */
#ifndef LOTOR_LAB_AUDIT_SCOPE_H
#define LOTOR_LAB_AUDIT_SCOPE_H

#include "lab/audit_algorithm.h"

typedef struct lotor_audit_scope {
    unsigned parts; /* a bit for each part that was exercised; see the table in audit_scope.c */
    uint64_t rounds;
} lotor_audit_scope;

/* Adds the trials of one pair of inputs. */
void lotor_audit_scope_take(lotor_audit_scope *scope, const lotor_audit_pair *pair,
                            const lotor_audit_maxima *most);

/* Writes two lists of phrases, separated by "; ". Both have LOTOR_AUDIT_SCOPE bytes. */
void lotor_audit_scope_words(const lotor_audit_scope *scope, const lotor_audit_request *audit,
                             char *exercised, char *not_exercised);

#endif
