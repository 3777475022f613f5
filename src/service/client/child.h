/* child.h - runs `lotor serve` as a child process that can be killed and started again.
 *
 * Used by the demo, the tests and the benchmarks. The child dies with its parent.
 */
#ifndef LOTOR_SERVICE_CHILD_H
#define LOTOR_SERVICE_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <lotor/status.h>

typedef struct lotor_child_setup {
    const char *executable; /* the lotor program */
    const char *store;
    const char *log;         /* the server's output is appended to this file */
    uint16_t port;           /* 0: a free port, which the child keeps after a restart */
    const char *const *more; /* more arguments, ending in NULL; NULL: none */
} lotor_child_setup;

typedef struct lotor_child {
    lotor_child_setup setup;
    pid_t pid; /* 0: the child is not running */
    uint16_t port;
} lotor_child;

/* Starts the server and waits until it is ready. LOTOR_IO: it ended, or was not ready within ten
 * seconds; the message has the end of its log. Everything that `setup` points to must outlive
 * the child. */
lotor_status lotor_child_start(lotor_child *child, const lotor_child_setup *setup,
                               lotor_message *why);
lotor_status lotor_child_restart(lotor_child *child, lotor_message *why); /* on the same port */

/* Kills it (SIGKILL) and waits for its end. Does nothing if it is not running. */
void lotor_child_kill(lotor_child *child);

/* Sends SIGTERM. Returns the exit status, or -1 if it did not end within ten seconds and was
 * killed. */
int lotor_child_stop(lotor_child *child);

/* Runs the executable with these arguments, which end in NULL. `line` gets the first line that
 * it writes to either output, without the newline; "" if there is none. Returns the exit status,
 * or -1 if it could not be run. */
int lotor_child_ask(const char *executable, const char *const *arguments, char *line,
                    size_t capacity);

#endif
