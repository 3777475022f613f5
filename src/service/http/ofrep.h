/* ofrep.h - the errors of OpenFeature's remote evaluation protocol (OFREP).
 *
 * OFREP is how OpenFeature's providers ask a server for the value of a flag. A campaign is such a
 * flag. An evaluation is a rank request in other words (api_ofrep.c). An error is the same as
 * everywhere, {"error": ...}, with the three fields that OFREP wants: key, errorCode and
 * errorDetails.
 */
#ifndef LOTOR_SERVICE_OFREP_H
#define LOTOR_SERVICE_OFREP_H

#include "base/json.h"
#include "service/http/api.h"

#define LOTOR_OFREP_PATH "/ofrep/v1/evaluate/flags"

/* True if a route belongs to OFREP. NULL: no. */
bool lotor_ofrep_has(const lotor_route *route);

/* The HTTP status of a refusal. OFREP's providers read the errorCode of 400, 404 and 500 only, so
 * a conflict (409) is sent as 400. */
unsigned lotor_ofrep_http(lotor_code code);

/* Gives the field of a refusal the name that it has in an evaluation context. */
void lotor_ofrep_name_field(lotor_refusal *refusal);

/* Adds OFREP's fields to an error. `key` is the campaign; "": none, all flags were asked for. */
void lotor_ofrep_refuse(lotor_json *json, const char *key, const lotor_refusal *refusal);

#endif
