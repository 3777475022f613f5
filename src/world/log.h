/* log.h - a recorded log: which arm was shown, what it paid, and how probable the arm was. */
#ifndef LOTOR_WORLD_LOG_H
#define LOTOR_WORLD_LOG_H

#include "world/world.h"

typedef struct lotor_log {
    const char *name; /* for messages: a file; or NULL */
    size_t count;     /* of events */
    const uint32_t *arms;
    const double *rewards;
    const double *propensities; /* in (0,1]; NULL: not recorded */
} lotor_log;

/* A log that was read from a file. It owns its arrays, but not its name. */
typedef struct lotor_log_file {
    lotor_log log;
    uint32_t *arms;
    double *rewards, *propensities;
    size_t room;
} lotor_log_file;

/* Reads lines "arm,reward" or "arm,reward,propensity", all alike: arm from 0, reward in [0,1],
 * propensity in (0,1]. The first line may have these names instead of numbers; # starts a comment.
 * Clear *out in any case. */
lotor_status lotor_log_parse(const char *name, const char *bytes, size_t length, lotor_message *why,
                             lotor_log_file *out);
lotor_status lotor_log_load(const char *file, lotor_message *why, lotor_log_file *out);
void lotor_log_file_clear(lotor_log_file *file);

/* Checks a log: rewards in [low, high], propensities in (0,1], at least one event, and an event of
 * every arm below the number of arms, which is `arms` or, if that is 0, the largest arm + 1. */
lotor_status lotor_log_check(const lotor_log *log, size_t arms, double low, double high,
                             lotor_message *why, size_t *out);

#endif
