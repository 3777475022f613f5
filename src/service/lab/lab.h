/* lab.h - the calculations of POST /v1/advise and /v1/simulate: JSON in, JSON out. They use the
 * public API only. */
#ifndef LOTOR_SERVICE_LAB_H
#define LOTOR_SERVICE_LAB_H

#include <jansson.h>

#include "service/refusal.h"

/* Each function reads a request's body and returns the reply, a new reference. NULL: refused, or
 * no memory if the refusal is not set. Each takes about a second at most. */
json_t *lotor_lab_advise(const json_t *body, lotor_refusal *refusal);
json_t *lotor_lab_simulate(const json_t *body, lotor_refusal *refusal);

/* lotor_lab_advise with `seconds` in place of a second: tests use it on busy machines. */
json_t *lotor_lab_advise_within(const json_t *body, double seconds, lotor_refusal *refusal);

#endif
