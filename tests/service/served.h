/* served.h - a real `lotor serve` in a folder of its own, for tests that drive it over HTTP. */
#ifndef LOTOR_TESTS_SERVICE_SERVED_H
#define LOTOR_TESTS_SERVICE_SERVED_H

#include <jansson.h>

#include "service/client/child.h"
#include "service/client/client.h"

typedef struct served_test {
    char folder[128], store[192], log[192], key[128]; /* an admin's key */
    lotor_child server;
    lotor_client *client;
} served_test;

/* Fails the test when anything goes wrong. `more`: arguments of serve, NULL at the end; NULL: none. */
void served_begin(served_test *served, const char *const *more);
void served_end(served_test *served); /* kills it if it still runs, removes the folder */
int served_teardown(void **state);    /* the same for a test that failed in the middle */

/* Runs the command with these arguments (after its name, NULL at the end); its exit status. */
int served_run(const char *const *arguments, char *line, size_t capacity);
int served_check(const served_test *served); /* lotor check: 0 when it is content */

/* A call that must come back with this HTTP status; a new reference, or NULL. */
json_t *served_call(served_test *served, const char *method, const char *path, const char *body,
                    unsigned status);

/* A campaign of batch-klucb with these arms ("a1" ..), and more of the body as text: ,"wait_seconds": 1 */
void served_campaign(served_test *served, const char *name, unsigned arms, unsigned slots,
                     const char *more);

#endif
