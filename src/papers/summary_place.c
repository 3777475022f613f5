/* summary_place.c - the date and the machine: see summary.h. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/threads.h"
#include "base/time.h"
#include "papers/summary.h"

/* Copies the value of a line "model name : VALUE" of /proc/cpuinfo. False: another line. */
static bool read_model(const char *line, char *out, size_t capacity)
{
    static const char key[] = "model name";
    const char *colon = strchr(line, ':');
    if (strncmp(line, key, sizeof key - 1) != 0 || !colon) {
        return false;
    }
    const char *value = colon + 1 + strspn(colon + 1, " \t");
    snprintf(out, capacity, "%.*s", (int)strcspn(value, "\n"), value);
    return out[0] != '\0';
}

lotor_summary_place lotor_summary_here(void)
{
    lotor_summary_place here = {.date = "", .processor = "", .cores = lotor_threads_count(0)};
    const time_t now = (time_t)(lotor_time_wall_ms() / 1000);
    struct tm today;
    if (gmtime_r(&now, &today)) {
        strftime(here.date, sizeof here.date, "%Y-%m-%d", &today);
    }
    FILE *file = fopen("/proc/cpuinfo", "re");
    char line[256];
    while (file && fgets(line, sizeof line, file)) {
        if (read_model(line, here.processor, sizeof here.processor)) {
            break;
        }
    }
    if (file) {
        fclose(file);
    }
    if (here.processor[0] == '\0') {
        snprintf(here.processor, sizeof here.processor, "an unknown processor");
    }
    return here;
}
