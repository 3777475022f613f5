/* budget_spec.h - the specification of a budget over several campaigns: the checked body of POST
 * /v1/budgets. A budget never changes. */
#ifndef LOTOR_SERVICE_BUDGET_SPEC_H
#define LOTOR_SERVICE_BUDGET_SPEC_H

#include "service/spec/spec.h"

typedef struct lotor_budget_spec {
    char name[LOTOR_NAME_MAX + 1];
    lotor_ratio epsilon, delta;
} lotor_budget_spec;

lotor_code lotor_budget_spec_read(const json_t *body, lotor_refusal *refusal,
                                  lotor_budget_spec *out);
/* Returns canonical JSON, a new reference. NULL: no memory. */
json_t *lotor_budget_spec_write(const lotor_budget_spec *spec);

#endif
