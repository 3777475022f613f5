/* http_listen.h - opens the socket that the server listens on. */
#ifndef LOTOR_SERVICE_HTTP_LISTEN_H
#define LOTOR_SERVICE_HTTP_LISTEN_H

#include "service/http/http.h"

/* Opens the socket. *port is the port that it got. For the statuses see lotor_http_start. */
lotor_status lotor_http_listen(const lotor_http_setup *setup, lotor_message *why, int *out,
                               uint16_t *port);

#endif
