/* clock.c - checks readings of the store's clock. See clock.h. */
#include "service/engine/clock.h"

#include <assert.h>

/* True if the reading `later` fits the time that the boot clock measured since `earlier`. */
static bool fits(const lotor_clock_reading *earlier, const lotor_clock_reading *later)
{
    const uint64_t least = later->sent > earlier->received ? later->sent - earlier->received : 0;
    const uint64_t most = later->received > earlier->sent ? later->received - earlier->sent : 0;
    return later->store + LOTOR_CLOCK_TOLERANCE_MS >= earlier->store + least &&
           later->store <= earlier->store + most + LOTOR_CLOCK_TOLERANCE_MS;
}

lotor_clock_verdict lotor_clock_read(lotor_clock *clock, const lotor_clock_reading *reading)
{
    assert(reading->sent <= reading->received);
    if (!clock->has_reading || fits(&clock->reading, reading)) {
        clock->reading = *reading;
        clock->has_reading = true;
        clock->has_doubt = false;
        return LOTOR_CLOCK_FITS;
    }
    if (clock->has_doubt && fits(&clock->doubt, reading)) {
        clock->reading = *reading;
        clock->has_doubt = false;
        return LOTOR_CLOCK_JUMPED;
    }
    clock->doubt = *reading;
    clock->has_doubt = true;
    return LOTOR_CLOCK_DOUBTED;
}

bool lotor_clock_is_steady(const lotor_clock *clock, uint64_t boot)
{
    return clock->has_reading && !clock->has_doubt &&
           boot <= clock->reading.received + LOTOR_CLOCK_FRESH_MS;
}

static uint64_t since(uint64_t boot, uint64_t then)
{
    return boot > then ? boot - then : 0;
}

uint64_t lotor_clock_high(const lotor_clock *clock, uint64_t boot)
{
    return clock->reading.store + since(boot, clock->reading.sent);
}

uint64_t lotor_clock_low(const lotor_clock *clock, uint64_t boot)
{
    return clock->reading.store + since(boot, clock->reading.received);
}
