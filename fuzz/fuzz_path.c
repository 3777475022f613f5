/* fuzz_path.c - reads methods and paths of a request line, and events. The result is a route or a
 * refusal. Only tokens that this server made are accepted.
 *
 * The input is "METHOD PATH"; the path is also tried as an event. With a first byte of 1, the rest is a
 * change to a good token: where, and with what. */
#include "fuzz.h"

#include <unistd.h>

#include "service/http/api.h"
#include "service/server_key/server_key.h"

static lotor_server_key *server_key;
static const lotor_event made = {3, 7, 1700000000000, 99};

static void make_vault(void)
{
    char folder[] = "/tmp/lotor-fuzz.XXXXXX", path[64];
    lotor_message why;
    CHECK(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/key", folder);
    CHECK(lotor_server_key_open(path, true, &why, &server_key) == LOTOR_OK);
    unlink(path);
    rmdir(folder);
}

static void check_path(const char *method, const char *path)
{
    char target[LOTOR_TARGET_MAX + 1], allowed[32];
    lotor_refusal refusal = {0};
    memset(target, 'x', sizeof target);
    const lotor_route *const route = lotor_api_match(method, path, target, &refusal, allowed);
    if (!route) {
        CHECK(refusal.code == LOTOR_CODE_NO_SUCH_PATH || refusal.code == LOTOR_CODE_WRONG_METHOD);
        CHECK(refusal.message.text[0] != '\0');
        return;
    }
    CHECK(strcmp(route->method, strcmp(method, "HEAD") == 0 ? "GET" : method) == 0);
    if (route < lotor_routes || route >= lotor_routes + lotor_route_count) {
        CHECK(strcmp(target, path) == 0); /* the dashboard's files */
        return;
    }
    const char *const open = strchr(route->path, '{');
    CHECK((open ? strncmp(route->path, path, (size_t)(open - route->path))
                : strcmp(route->path, path)) == 0);
    if (open) { /* the variable part of the path is in the target, and has no slash */
        CHECK(memchr(target, '\0', sizeof target) && !strchr(target, '/'));
        CHECK(strncmp(path + (open - route->path), target, strlen(target)) == 0);
        CHECK(strcmp(path + (open - route->path) + strlen(target), strchr(route->path, '}') + 1) ==
              0);
    }
}

static void check_token(const char *token)
{
    char good[LOTOR_TOKEN_LENGTH + 1];
    lotor_event event = {0};
    lotor_server_key_token(server_key, &made, good);
    const bool taken = lotor_server_key_read_token(server_key, token, &event);
    CHECK(taken == (strcmp(token, good) == 0));
    CHECK(!taken || memcmp(&event, &made, sizeof event) == 0);
}

static void change_token(const uint8_t *data, size_t size)
{
    char token[LOTOR_TOKEN_LENGTH + 1];
    lotor_server_key_token(server_key, &made, token);
    for (; size >= 2; data += 2, size -= 2) {
        token[data[0] % LOTOR_TOKEN_LENGTH] = (char)data[1];
    }
    check_token(token);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!server_key) {
        make_vault();
    }
    if (size > 0 && data[0] == 1) {
        change_token(data + 1, size - 1);
        return 0;
    }
    char *const text = calloc(1, size + 1);
    CHECK(text);
    memcpy(text, data, size);
    char *const blank = strchr(text, ' ');
    if (blank) {
        *blank = '\0';
        check_path(text, blank + 1);
        check_token(blank + 1);
    }
    free(text);
    return 0;
}
