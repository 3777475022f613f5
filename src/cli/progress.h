/* progress.h - a progress bar for long work on a terminal, and the detection of Ctrl-C. */
#ifndef LOTOR_CLI_PROGRESS_H
#define LOTOR_CLI_PROGRESS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* Work has parts with names. The bar and the remaining time are those of the current part; if the
 * total work is known, they are those of the whole. A second Ctrl-C ends the program. */
typedef struct lotor_progress {
    const char *name;
    size_t number, count; /* of the part, from 1 */
    double work;          /* of all parts, in any unit; 0: unknown */
    double done, current; /* work of the finished parts, and of the current one */
    double start;         /* in seconds */
    bool on_terminal, drawn;
    bool watched;            /* SIGINT has our handler; false if it was ignored at the start */
    bool interrupted;        /* SIGINT came */
    struct sigaction before; /* the old handler, to be restored */
} lotor_progress;

void lotor_progress_begin(lotor_progress *progress, size_t count, double work);
void lotor_progress_next(lotor_progress *progress, const char *name, double work);
bool lotor_progress_tell(void *progress, double share); /* of the current part; true: stop */
void lotor_progress_wipe(lotor_progress *progress);     /* removes the bar from the screen */
void lotor_progress_end(lotor_progress *progress);

#endif
