/* http_links.c - see http_links.h. */
#include "service/http/http_links.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

void lotor_links_init(lotor_links *links, double patience_seconds)
{
    pthread_mutex_init(&links->lock, NULL);
    links->first = NULL;
    links->patience = (int64_t)(patience_seconds * 1000);
}

void lotor_links_destroy(lotor_links *links)
{
    while (links->first) {
        lotor_links_remove(links, links->first);
    }
    pthread_mutex_destroy(&links->lock);
}

lotor_link *lotor_links_add(lotor_links *links, int handle)
{
    lotor_link *const link = calloc(1, sizeof *link);
    if (link) {
        link->handle = handle;
        atomic_init(&link->since, now());
        pthread_mutex_lock(&links->lock);
        link->after = links->first;
        if (links->first) {
            links->first->before = link;
        }
        links->first = link;
        pthread_mutex_unlock(&links->lock);
    }
    return link;
}

void lotor_links_remove(lotor_links *links, lotor_link *link)
{
    pthread_mutex_lock(&links->lock);
    if (link->before) {
        link->before->after = link->after;
    } else {
        links->first = link->after;
    }
    if (link->after) {
        link->after->before = link->before;
    }
    pthread_mutex_unlock(&links->lock);
    free(link->spare);
    free(link);
}

void lotor_link_touch(lotor_link *link)
{
    atomic_store_explicit(&link->since, now(), memory_order_relaxed);
}

void lotor_link_rest(lotor_link *link)
{
    atomic_store_explicit(&link->since, INT64_MAX, memory_order_relaxed);
}

size_t lotor_links_sweep(lotor_links *links)
{
    size_t closed = 0;
    const int64_t least = now() - links->patience;
    pthread_mutex_lock(&links->lock);
    for (lotor_link *link = links->first; link; link = link->after) {
        if (atomic_load_explicit(&link->since, memory_order_relaxed) < least) {
            shutdown(link->handle, SHUT_RDWR);
            closed++;
        }
    }
    pthread_mutex_unlock(&links->lock);
    return closed;
}
