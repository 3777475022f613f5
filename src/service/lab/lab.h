/* lab.h - the calculations of POST /v1/advise and /v1/simulate: JSON in, the library, JSON out. */
#ifndef LOTOR_SERVICE_LAB_H
#define LOTOR_SERVICE_LAB_H

#include <jansson.h>

#include "service/refusal.h"

/* Each reads a body and gives the reply, a new reference; NULL: refused. Bounded: about a second. */
json_t *lotor_lab_advise(const json_t *body, lotor_refusal *refusal);
json_t *lotor_lab_simulate(const json_t *body, lotor_refusal *refusal);

#endif
