/* message.c - see message.h. */
#include "base/message.h"

#include <stdarg.h>
#include <stdio.h>

void lotor_explain(lotor_message *why, const char *format, ...)
{
    if (why) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(why->text, sizeof why->text, format, arguments);
        va_end(arguments);
    }
}

const char *lotor_status_name(lotor_status status)
{
    static const char *const names[] = {
        [LOTOR_OK] = "ok",
        [LOTOR_INVALID] = "invalid",
        [LOTOR_RANGE] = "range",
        [LOTOR_OVERFLOW] = "overflow",
        [LOTOR_MEMORY] = "memory",
        [LOTOR_ENTROPY] = "entropy",
        [LOTOR_HORIZON] = "horizon",
        [LOTOR_DAMAGED] = "damaged",
        [LOTOR_VERSION] = "version",
        [LOTOR_UNKNOWN] = "unknown",
        [LOTOR_LATE] = "late",
        [LOTOR_DUPLICATE] = "duplicate",
        [LOTOR_RELEASED] = "released",
        [LOTOR_UNFINISHED] = "unfinished",
        [LOTOR_IO] = "io",
        [LOTOR_STOPPED] = "stopped",
        [LOTOR_BUSY] = "busy",
    };
    const unsigned index = (unsigned)status;
    return index < sizeof names / sizeof *names ? names[index] : "no such status";
}

const char *lotor_version(void)
{
    return LOTOR_VERSION_TEXT;
}
