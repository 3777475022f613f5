/* http_head.h - what is looked at in a request's head before its body is read. */
#ifndef LOTOR_SERVICE_HTTP_HEAD_H
#define LOTOR_SERVICE_HTTP_HEAD_H

#include <microhttpd.h>

#include "service/refusal.h"

/* Refused: a body that is said to be too large, and a head that says in two ways, or in one that
 * is not known here, where its body ends. A proxy before us could read such a head in another way, and
 * somebody could hide a request in another. */
lotor_code lotor_http_check_head(struct MHD_Connection *connection, lotor_refusal *refusal);

/* The refusal of a body that is too large. */
lotor_code lotor_http_too_large(lotor_refusal *refusal);

#endif
