/* say.c - prints the output of the simulations, and records violations. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "simulation/sim.h"

void sim_violate(sim *at, const char *format, ...)
{
    if (at->is_violated) {
        return;
    }
    at->is_violated = true;
    at->violated_step = at->step;
    va_list more;
    va_start(more, format);
    vsnprintf(at->violation, sizeof at->violation, format, more);
    va_end(more);
    sim_say(at, "VIOLATION: %s", at->violation);
}

void sim_say(const sim *at, const char *format, ...)
{
    if (!at->is_verbose) {
        return;
    }
    va_list more;
    va_start(more, format);
    printf("%8" PRIu64 " %10.3f  ", at->step, (double)(at->now % 100000000) / 1000);
    vprintf(format, more);
    putchar('\n');
    va_end(more);
}
