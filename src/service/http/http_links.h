/* http_links.h - the open connections, to close those that only pretend to send a request.
 *
 * The HTTP library closes a connection on which nothing moves. One that sends a byte every few seconds
 * would stay; here each remembers when its last request was answered.
 */
#ifndef LOTOR_SERVICE_HTTP_LINKS_H
#define LOTOR_SERVICE_HTTP_LINKS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct lotor_link {
    struct lotor_link *before, *after;
    int handle;
    void *spare;           /* the owner's: something to use again, freed with the link */
    _Atomic int64_t since; /* milliseconds on the clock of lotor_links */
} lotor_link;

typedef struct lotor_links {
    pthread_mutex_t lock;
    lotor_link *first;
    int64_t patience; /* milliseconds */
} lotor_links;

void lotor_links_init(lotor_links *links, double patience_seconds);
void lotor_links_destroy(lotor_links *links);

lotor_link *lotor_links_add(lotor_links *links,
                            int handle); /* NULL: no memory; it is not watched */
void lotor_links_remove(lotor_links *links, lotor_link *link); /* before its handle is closed */
void lotor_link_touch(lotor_link *link);                       /* a request was answered */
void lotor_link_rest(
    lotor_link *link); /* its request is whole: until the touch we are slow, not they */

/* Shuts down those that had longer than the patience for their request; returns how many. */
size_t lotor_links_sweep(lotor_links *links);

#endif
