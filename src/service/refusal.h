/* refusal.h - why a request was not done: the one error value of the service.
 *
 * It becomes {"error": {"code", "field", "message"}}. Codes are stable; messages are for people, and
 * never repeat a reward, a user or a context.
 */
#ifndef LOTOR_SERVICE_REFUSAL_H
#define LOTOR_SERVICE_REFUSAL_H

#include <lotor/status.h>

typedef enum lotor_code {
    LOTOR_CODE_NONE = 0,      /* no refusal: 200, or 201 */
    LOTOR_CODE_BAD_JSON,      /* 400 the body is not JSON, too deep, or not an object */
    LOTOR_CODE_UNKNOWN_FIELD, /* 400 */
    LOTOR_CODE_MISSING_FIELD, /* 400 */
    LOTOR_CODE_BAD_VALUE,     /* 400 a field's type or value: the message says what was expected */
    LOTOR_CODE_RAW_FEEDBACK,  /* 400 raw feedback in a local campaign */
    LOTOR_CODE_NOT_OFFERED,   /* 400 an algorithm that the service does not offer */
    LOTOR_CODE_UNAUTHORIZED,  /* 401 */
    LOTOR_CODE_FORBIDDEN,     /* 403 the key's role is another */
    LOTOR_CODE_NO_SUCH_CAMPAIGN, /* 404 */
    LOTOR_CODE_NO_SUCH_EVENT,    /* 404 */
    LOTOR_CODE_NO_SUCH_PATH,     /* 404 */
    LOTOR_CODE_WRONG_METHOD,     /* 405 */
    LOTOR_CODE_EXISTS,           /* 409 a campaign of that name with other parameters */
    LOTOR_CODE_CLOSED,           /* 409 */
    LOTOR_CODE_TOO_FEW_ARMS,     /* 409 fewer eligible arms than slots */
    LOTOR_CODE_FULL,             /* 409 no room for another arm */
    LOTOR_CODE_TOO_LARGE,        /* 413 */
    LOTOR_CODE_TOO_MANY_OPEN,    /* 429 max_open decisions wait for their answers: try again */
    LOTOR_CODE_STORE,            /* 503 the store can't be written: try again */
    LOTOR_CODE_BROKEN,           /* 503 this campaign can't be served: the message says why */
    LOTOR_CODE_STOPPING,         /* 503 the server drains */
    LOTOR_CODE_INTERNAL,         /* 500 memory, entropy */
    LOTOR_CODE_BUSY,             /* 503 another calculation runs */
    LOTOR_CODE_COUNT
} lotor_code;

typedef struct lotor_refusal {
    lotor_code code;
    char field[64]; /* "" when it is about none */
    lotor_message message;
} lotor_refusal;

/* Fills it in and returns `code`. */
lotor_code lotor_refuse(lotor_refusal *refusal, lotor_code code, const char *field,
                        const char *format, ...) __attribute__((format(printf, 4, 5)));

const char *lotor_code_name(lotor_code code); /* "bad_value", ... */
unsigned lotor_code_http(lotor_code code);

#endif
