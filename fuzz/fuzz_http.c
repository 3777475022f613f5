/* fuzz_http.c - sends raw bytes on a connection to the real server: headers, queries, keys, bodies
 * in pieces. The server replies to all bytes in HTTP or closes the connection. It never has an
 * internal error, and it still serves afterwards.
 *
 * "KEY" in the input is the administrator's key, "EVENT" an event. */
#include "fuzz.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "service/http/http.h"

typedef struct scene {
    char folder[64];
    char paths[4][96]; /* store, key, head, keys */
    lotor_store *store;
    lotor_server_key *server_key;
    lotor_heads *heads;
    lotor_keys *keys;
    lotor_engine *engine;
    lotor_http *http;
    char key[LOTOR_KEY_LENGTH + 1];
    char event[LOTOR_TOKEN_LENGTH + 1];
} scene;

static scene *served;

static int connect_to(uint16_t port)
{
    const int socket_ = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    /* so that no port stays in use after the connection (TIME_WAIT) */
    const struct linger gone = {1, 0};
    CHECK(socket_ >= 0);
    CHECK(setsockopt(socket_, SOL_SOCKET, SO_LINGER, &gone, sizeof gone) == 0);
    CHECK(connect(socket_, (struct sockaddr *)&address, sizeof address) == 0);
    return socket_;
}

static void send_all(int to, const char *bytes, size_t length)
{
    while (length > 0) {
        const ssize_t sent = send(to, bytes, length, MSG_NOSIGNAL);
        if (sent <= 0) {
            return; /* the server has closed the connection: that is allowed, too */
        }
        bytes += sent;
        length -= (size_t)sent;
    }
    (void)shutdown(to, SHUT_WR);
}

/* Reads until the server closes the connection, or for a limited time. */
static size_t receive(int from, char *reply, size_t capacity, int milliseconds)
{
    size_t length = 0;
    struct pollfd ready = {.fd = from, .events = POLLIN};
    while (length < capacity - 1 && poll(&ready, 1, milliseconds) > 0) {
        const ssize_t got = recv(from, reply + length, capacity - 1 - length, 0);
        if (got <= 0) {
            break;
        }
        length += (size_t)got;
    }
    reply[length] = '\0';
    return length;
}

static size_t talk(const char *bytes, size_t length, char *reply, size_t capacity)
{
    const int connection = connect_to(lotor_http_port(served->http));
    send_all(connection, bytes, length);
    const size_t got = receive(connection, reply, capacity, 2000);
    close(connection);
    return got;
}

static void end(void)
{
    lotor_message why;
    static const char *const endings[] = {"", "-wal", "-shm", ".lock"};
    char path[128];
    lotor_http_drain(served->http);
    for (int i = 0; i < 500 && lotor_http_open(served->http) > 0; i++) {
        usleep(2000);
    }
    (void)lotor_engine_stop(served->engine, &why);
    lotor_http_free(served->http);
    lotor_engine_free(served->engine);
    lotor_heads_free(served->heads);
    lotor_server_key_free(served->server_key);
    lotor_store_close(served->store);
    lotor_keys_free(served->keys);
    for (size_t i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s%s", served->paths[0], endings[i]);
        unlink(path);
        unlink(served->paths[i]);
    }
    snprintf(path, sizeof path, "%s.lock", served->paths[2]);
    unlink(path);
    rmdir(served->folder);
    free(served);
}

static void say(char *request, size_t capacity, const char *line, const char *body)
{
    snprintf(request, capacity,
             "%s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nConnection: close\r\n"
             "Content-Length: %zu\r\n\r\n%s",
             line, served->key, strlen(body), body);
}

static void start(void)
{
    static const char *const names[] = {"s.db", "s.key", "s.head", "s.keys"};
    char request[1024], reply[4096];
    lotor_message why = {""};
    served = calloc(1, sizeof *served);
    CHECK(served);
    snprintf(served->folder, sizeof served->folder, "/dev/shm/lotor-fuzz.XXXXXX");
    CHECK(mkdtemp(served->folder));
    for (size_t i = 0; i < 4; i++) {
        snprintf(served->paths[i], sizeof served->paths[i], "%s/%s", served->folder, names[i]);
    }
    const bool stored = lotor_store_open(served->paths[0], LOTOR_STORE_SERVE, NULL, &why,
                                         &served->store) == LOTOR_OK;
    CHECK(stored &&
          lotor_server_key_open(served->paths[1], true, &why, &served->server_key) == LOTOR_OK);
    CHECK(lotor_key_make(served->paths[3], LOTOR_ROLE_ADMIN, "x", &why, served->key) == LOTOR_OK);
    CHECK(lotor_keys_open(served->paths[3], &why, &served->keys) == LOTOR_OK);
    bool were_lost = false;
    CHECK(lotor_heads_open(served->paths[2], &why, &served->heads, &were_lost) == LOTOR_OK);
    const lotor_engine_setup engine = {.allow_weak_epsilon = true,
                                       .store = served->store,
                                       .server_key = served->server_key,
                                       .heads = served->heads,
                                       .heads_were_lost = were_lost};
    CHECK(lotor_engine_new(&engine, &why, &served->engine) == LOTOR_OK);
    CHECK(lotor_engine_start(served->engine, &why) == LOTOR_OK);
    const lotor_http_setup http = {
        .engine = served->engine, .keys = served->keys, .address = "127.0.0.1", .patience = 1.0};
    CHECK(lotor_http_start(&http, &why, &served->http) == LOTOR_OK);
    say(request, sizeof request, "POST /v1/campaigns",
        "{\"name\":\"shop\",\"algorithm\":\"batch-klucb\",\"arms\":[\"a\",\"b\"],\"epsilon\":1,"
        "\"wait_seconds\":60}");
    talk(request, strlen(request), reply, sizeof reply);
    CHECK(strstr(reply, "HTTP/1.1 201"));
    say(request, sizeof request, "POST /v1/campaigns/shop/rank", "{}");
    talk(request, strlen(request), reply, sizeof reply);
    const char *const event = strstr(reply, "\"event\":");
    CHECK(event && sscanf(event, "\"event\":%*[ \"]%64[A-Za-z0-9_-]", served->event) == 1);
    atexit(end);
}

/* The input with the key and the event in place of their names. The caller frees it. */
static char *fill_in(const uint8_t *data, size_t size, size_t *length)
{
    enum { MOST = 4 }; /* replacements of each name */
    char *const text = malloc(size + MOST * (LOTOR_KEY_LENGTH + LOTOR_TOKEN_LENGTH));
    size_t left[2] = {MOST, MOST};
    CHECK(text);
    *length = 0;
    for (size_t i = 0; i < size;) {
        if (left[0] > 0 && size - i >= 3 && memcmp(data + i, "KEY", 3) == 0) {
            memcpy(text + *length, served->key, LOTOR_KEY_LENGTH);
            *length += LOTOR_KEY_LENGTH;
            left[0]--;
            i += 3;
        } else if (left[1] > 0 && size - i >= 5 && memcmp(data + i, "EVENT", 5) == 0) {
            memcpy(text + *length, served->event, LOTOR_TOKEN_LENGTH);
            *length += LOTOR_TOKEN_LENGTH;
            left[1]--;
            i += 5;
        } else {
            text[(*length)++] = (char)data[i++];
        }
    }
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char reply[1 << 20];
    static unsigned turns;
    if (!served) {
        start();
    }
    size_t length;
    char *const text = fill_in(data, size, &length);
    const size_t got = talk(text, length, reply, sizeof reply);
    if (got > 0) {
        unsigned status = 0;
        CHECK(sscanf(reply, "HTTP/1.%*1[01] %3u", &status) == 1);
        CHECK(status >= 100 && status != 500);
    }
    if (++turns % 64 == 0) { /* the server still serves */
        static const char health[] =
            "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
        (void)lotor_http_sweep(served->http);
        CHECK(talk(health, sizeof health - 1, reply, sizeof reply) > 0);
        CHECK(strstr(reply, "HTTP/1.1 200"));
    }
    free(text);
    return 0;
}
