/* child.h - `lotor serve` as a child process: started, killed, started again.
 *
 * For the demo, the tests and the bench. The child dies with its parent.
 */
#ifndef LOTOR_SERVICE_CHILD_H
#define LOTOR_SERVICE_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <lotor/status.h>

typedef struct lotor_child_setup {
    const char *executable; /* lotor itself */
    const char *store;
    const char *log;         /* a file for what it says; appended */
    uint16_t port;           /* 0: a free one, which stays the child's through restarts */
    const char *const *more; /* more arguments, NULL at the end; NULL: none */
} lotor_child_setup;

typedef struct lotor_child {
    lotor_child_setup setup;
    pid_t pid; /* 0: none runs */
    uint16_t port;
} lotor_child;

/* Starts it and waits until it is ready to serve. LOTOR_IO: it ended, or was not ready within
 * ten seconds; the message has the end of its log. What `setup` points to must outlive the child. */
lotor_status lotor_child_start(lotor_child *child, const lotor_child_setup *setup,
                               lotor_message *why);
lotor_status lotor_child_restart(lotor_child *child, lotor_message *why); /* on the same port */

void lotor_child_kill(lotor_child *child); /* -9, and waits for its end; fine when none runs */

/* SIGTERM; returns its exit status, or -1 when it had to be killed after ten seconds. */
int lotor_child_stop(lotor_child *child);

/* Runs the executable with these arguments (NULL at the end) and gives back the first line that it
 * writes to either output (without its end; "" for none). Returns its exit status, -1: it could not be run. */
int lotor_child_ask(const char *executable, const char *const *arguments, char *line,
                    size_t capacity);

#endif
