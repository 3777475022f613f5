/* served.h - a real `lotor serve` in its own folder, for tests that use it over HTTP. */
#ifndef LOTOR_TESTS_SERVICE_SERVED_H
#define LOTOR_TESTS_SERVICE_SERVED_H

#include <jansson.h>

#include "service/client/child.h"
#include "service/client/client.h"

typedef struct served_test {
    char folder[128], store[192], log[192], key[128]; /* `key` has the role admin */
    lotor_child server;
    lotor_client *client;
} served_test;

/* Fails the test if anything goes wrong. `more`: arguments of serve, ending in NULL; may be
 * NULL. */
void served_begin(served_test *served, const char *const *more);
/* kills the server if it is still running, and removes the folder */
void served_end(served_test *served);
int served_teardown(void **state); /* the same for a test that failed in the middle */

/* Runs lotor with these arguments, which end in NULL; returns the exit status. */
int served_run(const char *const *arguments, char *line, size_t capacity);
int served_check(const served_test *served); /* lotor check; 0: no error was found */

/* Makes a call that must have this HTTP status. Returns a new reference, or NULL. */
json_t *served_call(served_test *served, const char *method, const char *path, const char *body,
                    unsigned status);

/* Creates a campaign of batch-klucb with the arms "a1", "a2", ... `more` is added to the body:
 * ,"wait_seconds": 1 */
void served_campaign(served_test *served, const char *name, unsigned arms, unsigned slots,
                     const char *more);

#endif
