/* http_head.h - the checks of a request's headers before its body is read. */
#ifndef LOTOR_SERVICE_HTTP_HEAD_H
#define LOTOR_SERVICE_HTTP_HEAD_H

#include <microhttpd.h>

#include "service/refusal.h"

/* Refuses a body whose announced length is too large. Also refuses headers that do not say
 * clearly where the body ends: two statements about it, or an unknown one. A proxy in front of
 * this server could read such headers differently, and an attacker could hide one request inside
 * another. */
lotor_code lotor_http_check_head(struct MHD_Connection *connection, lotor_refusal *refusal);

/* Fills in the refusal of a body that is too large. */
lotor_code lotor_http_too_large(lotor_refusal *refusal);

#endif
