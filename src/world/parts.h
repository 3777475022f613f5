/* parts.h - code that all worlds share: the limit on arms, and the check of means. */
#ifndef LOTOR_WORLD_PARTS_H
#define LOTOR_WORLD_PARTS_H

#include <stddef.h>

#include <lotor/status.h>

#include "base/message.h"

/* More arms than anyone can learn about; low enough that no size in this room overflows. */
enum { LOTOR_WORLD_MOST_ARMS = 1 << 24 };

/* Checks that there are 1 to LOTOR_WORLD_MOST_ARMS arms, and that each mean is in [0,1]. */
lotor_status lotor_world_check_means(size_t arms, const double *means, lotor_message *why);

/* A macro, as lotor_fail is, so that analyzers see the status. */
#define lotor_world_out_of_memory(why)                                                             \
    lotor_fail(LOTOR_MEMORY, (why), "not enough memory for this world")

#endif
