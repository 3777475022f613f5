/* progress.h - how far long work is, on a terminal, and whether Ctrl-C was pressed. */
#ifndef LOTOR_CLI_PROGRESS_H
#define LOTOR_CLI_PROGRESS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* Work has parts with names. The bar and the time that is left are those of the present part; or,
 * where it is known how much work all parts are, those of the whole. A second Ctrl-C ends the
 * program. */
typedef struct lotor_progress {
    const char *name;
    size_t number, count; /* of the part, from 1 */
    double work;          /* of all parts, in any unit; 0: unknown */
    double done, current; /* of the parts that are over, and of this one */
    double start;         /* in seconds */
    bool on_terminal, drawn;
    bool watched;            /* SIGINT is noted; it may also be ignored altogether */
    bool interrupted;        /* it came */
    struct sigaction before; /* to go back to */
} lotor_progress;

void lotor_progress_begin(lotor_progress *progress, size_t count, double work);
void lotor_progress_next(lotor_progress *progress, const char *name, double work);
bool lotor_progress_tell(void *progress, double share); /* of this part; true: stop */
void lotor_progress_wipe(lotor_progress *progress);     /* the bar, if there is one */
void lotor_progress_end(lotor_progress *progress);

#endif
