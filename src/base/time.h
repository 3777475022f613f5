/* time.h - the system's clocks. The steady clock measures durations. The boot clock also counts
 * while the machine sleeps. The wall clock is the time of day and can be set. The functions are
 * inline, so that a build for WebAssembly needs no further file. */
#ifndef LOTOR_BASE_TIME_H
#define LOTOR_BASE_TIME_H

#include <stdint.h>
#include <time.h>

static inline uint64_t lotor_time_ms(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static inline uint64_t lotor_time_steady_ms(void)
{
    return lotor_time_ms(CLOCK_MONOTONIC);
}

static inline uint64_t lotor_time_wall_ms(void)
{
    return lotor_time_ms(CLOCK_REALTIME);
}

static inline uint64_t lotor_time_boot_ms(void)
{
    return lotor_time_ms(CLOCK_BOOTTIME);
}

/* Seconds of the steady clock. */
static inline double lotor_time_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
