/* client_reply.h - where an HTTP reply ends, and what it says. Pure: bytes in, numbers out. */
#ifndef LOTOR_SERVICE_CLIENT_REPLY_H
#define LOTOR_SERVICE_CLIENT_REPLY_H

#include <stdbool.h>
#include <stddef.h>

enum { LOTOR_REPLY_MOST = 64 << 20, LOTOR_REPLY_HEADER_MOST = 16384 }; /* bytes */

typedef enum lotor_reply_progress {
    LOTOR_REPLY_PART, /* more must come */
    LOTOR_REPLY_WHOLE,
    LOTOR_REPLY_BAD
} lotor_reply_progress;

typedef struct lotor_reply_form {
    unsigned status;
    size_t body_at, body_length;
    bool closes; /* the server will close the connection */
} lotor_reply_form;

/* `ended`: the server sends no more. Bodies have a Content-Length or go on to the end of the connection;
 * chunks are not read (the server sends none). */
lotor_reply_progress lotor_reply_read(const char *bytes, size_t length, bool ended,
                                      lotor_reply_form *out);

#endif
