/* clock.h - the store's clock, as a server can know it between two readings.
 *
 * All deadlines are times of the store's clock (the database's; on SQLite this machine's). A server reads it now
 * and then, and adds what its own boot clock measured since. A reading that does not fit the boot clock's
 * progress is not believed until a second one confirms it: meanwhile the clock is not steady, and the server
 * neither draws nor hands out nor seals.
 */
#ifndef LOTOR_SERVICE_ENGINE_CLOCK_H
#define LOTOR_SERVICE_ENGINE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

enum {
    LOTOR_CLOCK_TOLERANCE_MS = 5000, /* a reading may differ from the expected time by this much */
    LOTOR_CLOCK_FRESH_MS = 5000,     /* a reading is used for so long */
    LOTOR_CLOCK_ROUND_TRIP_MS =
        500 /* a reading that took longer is not used: see the bounds below */
};

typedef struct lotor_clock_reading {
    uint64_t store;          /* what the store's clock said */
    uint64_t sent, received; /* the boot clock when it was asked, and when it answered */
} lotor_clock_reading;

typedef struct lotor_clock {
    bool has_reading, has_doubt;
    lotor_clock_reading reading; /* the last one that is believed */
    lotor_clock_reading doubt;   /* one that does not fit */
} lotor_clock;

typedef enum lotor_clock_verdict {
    LOTOR_CLOCK_FITS,
    LOTOR_CLOCK_DOUBTED, /* read it again */
    LOTOR_CLOCK_JUMPED   /* confirmed: the clock was set */
} lotor_clock_verdict;

lotor_clock_verdict lotor_clock_read(lotor_clock *clock, const lotor_clock_reading *reading);
/* Whether the bounds below may be used at a time of the boot clock. */
bool lotor_clock_is_steady(const lotor_clock *clock, uint64_t boot);
/* The latest and the earliest that the store's clock can say at a time of the boot clock. */
uint64_t lotor_clock_high(const lotor_clock *clock, uint64_t boot);
uint64_t lotor_clock_low(const lotor_clock *clock, uint64_t boot);

#endif
