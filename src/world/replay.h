/* replay.h - makes a world from a recorded log. */
#ifndef LOTOR_WORLD_REPLAY_H
#define LOTOR_WORLD_REPLAY_H

#include "world/log.h"
#include "world/world.h"

/* A world that draws the rewards of a log with replacement: bootstrap. The log is copied. `wanted`
 * is the number of arms; 0: what the log has. Every arm must be in the log. */
lotor_status lotor_world_replay_of(const lotor_log *log, size_t wanted, lotor_message *why,
                                   lotor_world **out);

/* As lotor_world_replay, on the bytes of the file. `name` is the file's name for messages. */
lotor_status lotor_world_replay_parse(const char *name, const char *bytes, size_t length,
                                      lotor_message *why, lotor_world **out);

#endif
