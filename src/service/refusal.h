/* refusal.h - the service's error value: why a request was refused.
 *
 * A refusal is sent as {"error": {"code", "field", "message"}}. Codes are stable, so programs can
 * test them. Messages are for people, and never repeat a reward, a user or a context.
 */
#ifndef LOTOR_SERVICE_REFUSAL_H
#define LOTOR_SERVICE_REFUSAL_H

#include <lotor/status.h>

typedef enum lotor_code {
    LOTOR_CODE_NONE = 0, /* the request succeeded: 200 or 201 */
    LOTOR_CODE_BAD_JSON, /* 400 the body is not JSON, is nested too deep, or is not an object */
    LOTOR_CODE_UNKNOWN_FIELD, /* 400 */
    LOTOR_CODE_MISSING_FIELD, /* 400 */
    /* 400 a field has the wrong type or value; the message says what is expected */
    LOTOR_CODE_BAD_VALUE,
    LOTOR_CODE_RAW_FEEDBACK,     /* 400 raw feedback was sent to a local campaign */
    LOTOR_CODE_NOT_OFFERED,      /* 400 the service does not offer this algorithm */
    LOTOR_CODE_UNAUTHORIZED,     /* 401 */
    LOTOR_CODE_FORBIDDEN,        /* 403 the key has the wrong role */
    LOTOR_CODE_NO_SUCH_CAMPAIGN, /* 404 */
    LOTOR_CODE_NO_SUCH_EVENT,    /* 404 */
    LOTOR_CODE_NO_SUCH_BUDGET,   /* 404 */
    LOTOR_CODE_NO_SUCH_KEY,      /* 404 */
    LOTOR_CODE_NO_SUCH_PATH,     /* 404 */
    LOTOR_CODE_WRONG_METHOD,     /* 405 */
    LOTOR_CODE_EXISTS,           /* 409 a campaign with this name has other parameters */
    LOTOR_CODE_CLOSED,           /* 409 */
    LOTOR_CODE_PAUSED,           /* 409 the campaign shows nothing until it is resumed */
    LOTOR_CODE_ARCHIVED,         /* 409 the campaign is read-only until it is unarchived */
    LOTOR_CODE_TOO_FEW_ARMS,     /* 409 fewer eligible arms than slots */
    LOTOR_CODE_FULL,             /* 409 the campaign already has max_arms arms */
    LOTOR_CODE_IN_USE,           /* 409 the request would revoke its own key */
    LOTOR_CODE_DELETED,          /* 410 the campaign was deleted: only what was released is left */
    LOTOR_CODE_NOT_RECORDED,     /* 410 a crash lost what was shown: it counts for nothing */
    LOTOR_CODE_NOT_RECORDED_YET, /* 503 another server has not recorded yet what it showed: try again */
    LOTOR_CODE_TOO_LARGE,        /* 413 */
    LOTOR_CODE_TOO_MANY_OPEN, /* 429 max_open decisions wait for feedback: try again */
    LOTOR_CODE_STORE,         /* 503 the store can't be written: try again */
    LOTOR_CODE_BROKEN,        /* 503 this campaign can't be served: the message says why */
    LOTOR_CODE_STOPPING,      /* 503 the server is stopping */
    LOTOR_CODE_INTERNAL,      /* 500 no memory, or no random bytes */
    LOTOR_CODE_BUSY,          /* 503 another calculation is running */
    LOTOR_CODE_COUNT
} lotor_code;

typedef struct lotor_refusal {
    lotor_code code;
    char field[64]; /* "" if the refusal is not about one field */
    lotor_message message;
} lotor_refusal;

/* Fills in *refusal and returns `code`. `field` may be NULL. */
lotor_code lotor_refuse(lotor_refusal *refusal, lotor_code code, const char *field,
                        const char *format, ...) __attribute__((format(printf, 4, 5)));

const char *lotor_code_name(lotor_code code); /* "bad_value", ... */
unsigned lotor_code_http(lotor_code code);

#endif
