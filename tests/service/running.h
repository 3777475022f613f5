/* running.h - a server inside of the test: a temporary store, an engine, keys of every role, a
 * free port. */
#ifndef LOTOR_TESTS_RUNNING_H
#define LOTOR_TESTS_RUNNING_H

#include <stdatomic.h>
#include <stdbool.h>

#include <jansson.h>

#include "service/engine/engine.h"
#include "service/http/http.h"
#include "service/http/keys.h"
#include "service/scratch.h"

enum {
    RUNNING_NOBODY,
    RUNNING_WRONG,
    RUNNING_RANK,
    RUNNING_REWARD,
    RUNNING_READ,
    RUNNING_METRICS,
    RUNNING_ADMIN,
    RUNNING_ROLES
};

typedef struct running {
    scratch files;
    char keys_path[512], store_path[512], head_path[512];
    char key[RUNNING_ROLES][LOTOR_KEY_LENGTH + 1]; /* RUNNING_NOBODY: "" */
    lotor_keys *keys;
    lotor_server_key *server_key;
    lotor_store *store;
    lotor_heads *heads;
    lotor_engine *engine;
    lotor_http *http;
    atomic_ullong ahead; /* milliseconds that the store's clock is ahead of the real one */
    uint16_t port;
    /* Of the last call: */
    unsigned status;
    json_t *body; /* NULL: the reply is not JSON */
    char text[65536];
} running;

/* Fails the test if the server can't be started. `patience`: seconds, 0: the default. `threads`:
 * 0: 1. */
void running_start(running *self, double patience);
void running_start_wide(running *self, double patience, unsigned threads);
void running_stop(running *self);
bool running_has_no_request(void *self); /* for test_await */

/* Makes a key and uses it as RUNNING_WRONG. `campaign`: NULL: for all. `expires`: 0: never. */
void running_use_key(running *self, unsigned roles, const char *name, const char *campaign,
                     uint64_t expires);
/* Sends one request with the key of a role; returns the HTTP status. `body` may be NULL. */
unsigned running_call(running *self, int role, const char *method, const char *path,
                      const char *body);
/* The same as admin; it must succeed. The reply is valid until the next call. */
const json_t *running_fine(running *self, const char *method, const char *path, const char *body);
/* The error code of the last reply ("" if it has none). */
const char *running_error(const running *self);

/* Sends raw bytes on a new connection, and returns the bytes that come back. It stops reading when
 * the server closes the connection, when there are `replies` complete replies, or after `seconds`
 * of silence (times the patience, see support/patience.h). */
int running_connect(const running *self);
void running_send(int connection, const void *bytes, size_t length);
size_t running_receive(int connection, char *text, size_t capacity, size_t replies, double seconds);

#endif
