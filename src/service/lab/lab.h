/* serve_lab.h - what the dashboard lets the lab calculate: POST /v1/advise and /v1/simulate. */
#ifndef LOTOR_CLI_SERVE_LAB_H
#define LOTOR_CLI_SERVE_LAB_H

#include <jansson.h>

#include "service/refusal.h"

/* Each reads a body and gives the reply, a new reference; NULL: refused. Bounded: about a second. */
json_t *lotor_serve_advise(const json_t *body, lotor_refusal *refusal);
json_t *lotor_serve_simulate(const json_t *body, lotor_refusal *refusal);

#endif
