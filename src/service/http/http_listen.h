/* http_listen.h - the socket that a server listens on. */
#ifndef LOTOR_SERVICE_HTTP_LISTEN_H
#define LOTOR_SERVICE_HTTP_LISTEN_H

#include "service/http/http.h"

/* Opens it; *port is the one it got. Statuses as in lotor_http_start. */
lotor_status lotor_http_listen(const lotor_http_setup *setup, lotor_message *why, int *out,
                               uint16_t *port);

#endif
