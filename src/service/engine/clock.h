/* clock.h - the store's clock, as a server knows it between two readings.
 *
 * All deadlines are times of the store's clock (the database's; on SQLite, this machine's). A
 * server reads it from time to time, and adds the time that its own boot clock has measured since.
 * A reading that does not fit the boot clock is not used until a second reading confirms it. Until
 * then the clock is not steady: the server does not draw, hand out or seal.
 */
#ifndef LOTOR_SERVICE_ENGINE_CLOCK_H
#define LOTOR_SERVICE_ENGINE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

enum {
    LOTOR_CLOCK_TOLERANCE_MS = 5000, /* a reading may differ by this much from the expected time */
    LOTOR_CLOCK_FRESH_MS = 5000,     /* how long a reading is used */
    LOTOR_CLOCK_ROUND_TRIP_MS = 500  /* a reading that took longer is too inexact to use */
};

typedef struct lotor_clock_reading {
    uint64_t store;          /* the store's clock */
    uint64_t sent, received; /* the boot clock before and after the reading */
} lotor_clock_reading;

typedef struct lotor_clock {
    bool has_reading, has_doubt;
    lotor_clock_reading reading; /* the last reading that is used */
    lotor_clock_reading doubt;   /* a reading that does not fit */
} lotor_clock;

typedef enum lotor_clock_verdict {
    LOTOR_CLOCK_FITS,
    LOTOR_CLOCK_DOUBTED, /* does not fit: read the clock again */
    LOTOR_CLOCK_JUMPED   /* confirmed by a second reading: the clock was set */
} lotor_clock_verdict;

lotor_clock_verdict lotor_clock_read(lotor_clock *clock, const lotor_clock_reading *reading);
/* True if the bounds below may be used at the time `boot` of the boot clock. */
bool lotor_clock_is_steady(const lotor_clock *clock, uint64_t boot);
/* The latest and the earliest time that the store's clock can have at the time `boot`. */
uint64_t lotor_clock_high(const lotor_clock *clock, uint64_t boot);
uint64_t lotor_clock_low(const lotor_clock *clock, uint64_t boot);

#endif
