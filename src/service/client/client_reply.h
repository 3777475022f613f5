/* client_reply.h - finds the status, the body and the end of an HTTP reply in a buffer. It does
 * no input or output. */
#ifndef LOTOR_SERVICE_CLIENT_REPLY_H
#define LOTOR_SERVICE_CLIENT_REPLY_H

#include <stdbool.h>
#include <stddef.h>

enum { LOTOR_REPLY_MAX = 64 << 20, LOTOR_REPLY_HEADER_MAX = 16384 }; /* bytes */

typedef enum lotor_reply_progress {
    LOTOR_REPLY_PART, /* the reply is not complete yet */
    LOTOR_REPLY_WHOLE,
    LOTOR_REPLY_BAD
} lotor_reply_progress;

typedef struct lotor_reply_form {
    unsigned status;
    size_t body_at, body_length;
    bool closes; /* the server will close the connection */
} lotor_reply_form;

/* `ended`: the server will send no more. A body has a Content-Length, or goes on until the
 * connection ends. Chunked replies are refused, since our server sends none. */
lotor_reply_progress lotor_reply_read(const char *bytes, size_t length, bool ended,
                                      lotor_reply_form *out);

#endif
