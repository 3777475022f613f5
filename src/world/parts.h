/* parts.h - what the worlds share: the limit on arms, and the check of means. */
#ifndef LOTOR_WORLD_PARTS_H
#define LOTOR_WORLD_PARTS_H

#include <stddef.h>

#include <lotor/status.h>

#include "base/message.h"

/* Far more than anyone learns over; keeps every size in the room far from overflow. */
enum { LOTOR_WORLD_MOST_ARMS = 1 << 24 };

/* From 1 to LOTOR_WORLD_MOST_ARMS arms, each mean in [0,1]. */
lotor_status lotor_world_check_means(size_t arms, const double *means, lotor_message *why);

/* A macro, as lotor_fail is, so that analyzers see which status comes out. */
#define lotor_world_out_of_memory(why)                                                             \
    lotor_fail(LOTOR_MEMORY, (why), "not enough memory for this world")

#endif
