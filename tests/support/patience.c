/* patience.c - see patience.h. */
#include "support/patience.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/time.h"

double test_seconds(double seconds)
{
    const char *const text = getenv("LOTOR_TEST_PATIENCE");
    const double patience = text ? strtod(text, NULL) : 1.0;
    return patience > 1.0 ? seconds * patience : seconds;
}

bool test_await(bool (*is_true)(void *context), void *context, double seconds)
{
    const double end = lotor_time_seconds() + test_seconds(seconds);
    while (!is_true(context)) {
        if (lotor_time_seconds() > end) {
            return false;
        }
        usleep(5000);
    }
    return true;
}
