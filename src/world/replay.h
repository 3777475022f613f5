/* replay.h - makes a world from a recorded log that is already in memory. */
#ifndef LOTOR_WORLD_REPLAY_H
#define LOTOR_WORLD_REPLAY_H

#include "world/world.h"

/* As lotor_world_replay, on the bytes of the file. `name` is the file's name for messages. */
lotor_status lotor_world_replay_parse(const char *name, const char *bytes, size_t length,
                                      lotor_message *why, lotor_world **out);

#endif
