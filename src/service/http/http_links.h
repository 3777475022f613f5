/* http_links.h - the open connections, to close those that only take up room.
 *
 * The HTTP library closes a connection on which nothing moves. One that sends a byte every few seconds would
 * stay, and enough of them would leave no room for others. So every connection has a deadline for what it is
 * expected to do next, however many bytes come meanwhile:
 *
 *      accepted ──▶ headers ──▶ body ──▶ rests (we are slow, not they) ──▶ reply ──▶ next headers
 *        head          patience               no deadline             patience   idle + head
 *
 * And when they become too many, a new one takes the place of the one that has waited longest among those that
 * never showed a key, else among those that are between two requests. A request with a key is never cut off for
 * room. There is no limit for each address: behind a proxy all clients have the same one.
 */
#ifndef LOTOR_SERVICE_HTTP_LINKS_H
#define LOTOR_SERVICE_HTTP_LINKS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whose place is given away first. */
typedef enum lotor_link_kind {
    LOTOR_LINK_STRANGER, /* no request with a key came on it */
    LOTOR_LINK_IDLE,     /* one did; now it is between two requests */
    LOTOR_LINK_BUSY,     /* a request with a key is being dealt with */
    LOTOR_LINK_CLOSED    /* it was shut down here; the library has yet to notice */
} lotor_link_kind;

typedef struct lotor_link {
    struct lotor_link *before, *after;
    int handle;
    void *spare;              /* the owner's: something to use again, freed with the link */
    _Atomic int64_t since;    /* when it began what it does; milliseconds, as the next */
    _Atomic int64_t deadline; /* INT64_MAX: none */
    _Atomic int kind;         /* lotor_link_kind */
    const struct lotor_links *links;
} lotor_link;

typedef struct lotor_links_setup {
    double patience_seconds; /* for the rest of a request, and to take its reply */
    double head_seconds;     /* for its headers; never more than the patience */
    double idle_seconds;     /* between two requests; never more than the patience */
    size_t room;             /* connections: from here on others are let go for new ones */
} lotor_links_setup;

typedef struct lotor_links {
    pthread_mutex_t lock;
    lotor_link *first;
    size_t open;                  /* those that were not shut down here */
    size_t evicted;               /* for room, since the last sweep */
    int64_t patience, head, idle; /* milliseconds */
    size_t room;
} lotor_links;

void lotor_links_init(lotor_links *links, const lotor_links_setup *setup);
void lotor_links_destroy(lotor_links *links);

/* A new connection; another one may be shut down for it. NULL: no memory; it is not watched. */
lotor_link *lotor_links_add(lotor_links *links, int handle);
void lotor_links_remove(lotor_links *links, lotor_link *link); /* before its handle is closed */

/* What a connection does, in this order: its headers are whole, its request is whole and waits for us, its reply is
 * on the way, its reply was sent. head is false where the connection was shut down just now: then nothing should be
 * done for a request whose reply can't be sent. */
bool lotor_link_head(lotor_link *link, bool has_key);
void lotor_link_rest(lotor_link *link);
void lotor_link_reply(lotor_link *link);
void lotor_link_done(lotor_link *link);

/* Shuts down those whose deadline is over; returns how many were, with those that were let go for room. */
size_t lotor_links_sweep(lotor_links *links);

#endif
