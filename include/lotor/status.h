/* status.h - the return codes of all calls that can fail, and their messages.
 *
 * The numbers are frozen: a code never changes its meaning, and new codes go at the end.
 */
#ifndef LOTOR_STATUS_H
#define LOTOR_STATUS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define LOTOR_API __attribute__((visibility("default")))
#else
#define LOTOR_API
#endif

typedef enum lotor_status {
    LOTOR_OK = 0,
    LOTOR_INVALID = 1,     /* a parameter makes no sense: the message names it */
    LOTOR_RANGE = 2,       /* a value is NaN, infinite or outside the declared range */
    LOTOR_OVERFLOW = 3,    /* sums or noise of this size would not fit in 64 bits */
    LOTOR_MEMORY = 4,      /* an allocation failed; nothing changed */
    LOTOR_ENTROPY = 5,     /* the kernel gave no random bytes; nothing changed */
    LOTOR_HORIZON = 6,     /* the declared horizon is over; nothing changed */
    LOTOR_DAMAGED = 7,     /* saved bytes were changed or cut */
    LOTOR_VERSION = 8,     /* saved bytes come from a newer version */
    LOTOR_UNKNOWN = 9,     /* no such name or event */
    LOTOR_LATE = 10,       /* feedback for a round that was final already: dropped */
    LOTOR_DUPLICATE = 11,  /* a second feedback for one round: dropped */
    LOTOR_RELEASED = 12,   /* the value was released already and can't change any more */
    LOTOR_UNFINISHED = 13, /* not released yet */
    LOTOR_IO = 14,         /* a file, a connection or another program failed; see the message */
    LOTOR_STOPPED = 15,    /* stopped early, because the caller or a user asked for it */
    LOTOR_BUSY = 16        /* a resource such as a port is in use, or the machine is too slow now */
} lotor_status;

/* One sentence for a person: which value was wrong, what was expected, what to do. Calls with a
 * `lotor_message *why` fill it when they fail. `why` may be NULL. */
typedef struct lotor_message {
    char text[320];
} lotor_message;

/* The name of a status, for logs: "range", "horizon", ... Never NULL. */
LOTOR_API const char *lotor_status_name(lotor_status status);

/* Wipes and frees bytes that a call of the library returned. NULL is accepted. */
LOTOR_API void lotor_bytes_free(unsigned char *bytes, size_t length);

/* The library's version, "MAJOR.MINOR.PATCH". */
LOTOR_API const char *lotor_version(void);

#ifdef __cplusplus
}
#endif
#endif
