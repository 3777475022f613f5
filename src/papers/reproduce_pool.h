/* reproduce_pool.h - tasks done side by side. */
#ifndef LOTOR_PAPERS_REPRODUCE_POOL_H
#define LOTOR_PAPERS_REPRODUCE_POOL_H

#include <stddef.h>

/* How many threads are meant: 0 is as many as there are cores. At most 256. */
size_t lotor_pool_threads(size_t asked);

/* Does the tasks 0 to count - 1, each once, begun in this order, on up to so many threads: the
 * calling one works too, so that all are done even where no other is to be had. Returns when they are
 * done; whoever wants to stop lets the tasks that are left do nothing. */
void lotor_pool_run(size_t threads, size_t count, void (*task)(void *context, size_t number),
                    void *context);

#endif
