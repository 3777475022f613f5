/* status.h - what every fallible call returns, and how it says why.
 *
 * The numbers are frozen: a code never changes its meaning, new ones go at the end.
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
    LOTOR_HORIZON = 6,     /* past the declared horizon; nothing changed */
    LOTOR_DAMAGED = 7,     /* saved bytes are not what was saved */
    LOTOR_VERSION = 8,     /* saved bytes come from a newer version */
    LOTOR_UNKNOWN = 9,     /* no such name or event */
    LOTOR_LATE = 10,       /* an answer after its round was final: dropped */
    LOTOR_DUPLICATE = 11,  /* a second answer to one round: dropped */
    LOTOR_RELEASED = 12,   /* this was released before and can't be released otherwise */
    LOTOR_UNFINISHED = 13, /* not released yet */
    LOTOR_IO = 14,      /* a file, a connection or another program failed; the message says how */
    LOTOR_STOPPED = 15, /* stopped before the end, because the caller or a user asked for it */
    LOTOR_BUSY = 16 /* what is needed is in use (a port), or the machine is too slow for it now */
} lotor_status;

/* A sentence for a person: what was wrong with which value, what was expected, what to do.
 * Calls that take a `lotor_message *why` fill it when they fail; NULL is accepted. */
typedef struct lotor_message {
    char text[320];
} lotor_message;

/* The name of a status, for logs: "range", "horizon", ... Never NULL. */
LOTOR_API const char *lotor_status_name(lotor_status status);

/* Wipes and frees bytes that the library gave out. NULL is accepted. */
LOTOR_API void lotor_bytes_free(unsigned char *bytes, size_t length);

/* The library's version, "MAJOR.MINOR.PATCH". */
LOTOR_API const char *lotor_version(void);

#ifdef __cplusplus
}
#endif
#endif
