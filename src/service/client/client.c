/* client.c - a small HTTP/1.1 client. See client.h; client_reply.c parses replies. */
#include "service/client/client.h"
#include "base/time.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/message.h"
#include "base/quote.h"
#include "service/client/client_reply.h"

enum { KEY_MOST = 255, HEADER_MOST = 1024, READ_STEP = 16384 };

struct lotor_client {
    struct sockaddr_in server;
    char key[KEY_MOST + 1];
    int socket; /* -1: not connected */
    int epoll;  /* -1: not used */
    void *owner;
    bool is_busy;
    bool is_broken; /* no memory, or the connection could not be opened */
    const char *reason;
    double deadline;
    char *out; /* the request */
    size_t out_length, out_capacity, sent;
    char *in; /* the reply, as far as it has come */
    size_t in_length, in_capacity;
};

lotor_status lotor_client_new(const char *address, uint16_t port, const char *key,
                              lotor_message *why, lotor_client **out)
{
    struct in_addr numeric;
    if (inet_pton(AF_INET, address, &numeric) != 1) {
        return lotor_fail(LOTOR_INVALID, why,
                          "the server's address is %s: expected a numeric IPv4 address such as "
                          "127.0.0.1",
                          lotor_quote_text(address).text);
    }
    if (key && strlen(key) > KEY_MOST) {
        return lotor_fail(LOTOR_INVALID, why, "the key has more than %d characters", KEY_MOST);
    }
    lotor_client *client = calloc(1, sizeof *client);
    if (!client) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for a client");
    }
    client->server =
        (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = numeric};
    if (key) {
        memcpy(client->key, key, strlen(key));
    }
    client->socket = -1;
    client->epoll = -1;
    *out = client;
    return LOTOR_OK;
}

void lotor_client_close(lotor_client *client)
{
    if (client->socket >= 0) {
        close(client->socket); /* this also removes it from epoll */
        client->socket = -1;
    }
    client->is_busy = false;
}

void lotor_client_free(lotor_client *client)
{
    if (client) {
        lotor_client_close(client);
        lotor_wipe_free(client->out, client->out_capacity);
        lotor_wipe_free(client->in, client->in_capacity);
        lotor_wipe_free(client, sizeof *client);
    }
}

void lotor_client_set_port(lotor_client *client, uint16_t port)
{
    lotor_client_close(client);
    client->server.sin_port = htons(port);
}

void lotor_client_watch(lotor_client *client, int epoll)
{
    client->epoll = epoll;
}

void lotor_client_set_owner(lotor_client *client, void *owner)
{
    client->owner = owner;
}

void *lotor_client_owner(const lotor_client *client)
{
    return client->owner;
}

bool lotor_client_is_busy(const lotor_client *client)
{
    return client->is_busy;
}

double lotor_client_deadline(const lotor_client *client)
{
    return client->deadline;
}

/* Makes room for `wanted` bytes. Moved bytes are wiped at their old place, since they may be
 * private. */
static bool reserve(char **bytes, size_t *capacity, size_t length, size_t wanted)
{
    if (wanted <= *capacity) {
        return true;
    }
    const size_t larger = wanted < 2 * *capacity ? 2 * *capacity : wanted;
    char *moved = malloc(larger);
    if (!moved) {
        return false;
    }
    if (length > 0) {
        memcpy(moved, *bytes, length);
    }
    lotor_wipe_free(*bytes, *capacity);
    *bytes = moved;
    *capacity = larger;
    return true;
}

/* Begins to connect. The request is sent when the connection is open. */
static bool open_connection(lotor_client *client)
{
    const int one = 1;
    client->socket = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (client->socket < 0) {
        return false;
    }
    setsockopt(client->socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (connect(client->socket, (const struct sockaddr *)&client->server, sizeof client->server) !=
            0 &&
        errno != EINPROGRESS) {
        return false;
    }
    if (client->epoll >= 0) {
        struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | (uint32_t)EPOLLET,
                                    .data.ptr = client};
        return epoll_ctl(client->epoll, EPOLL_CTL_ADD, client->socket, &event) == 0;
    }
    return true;
}

void lotor_client_start(lotor_client *client, const char *method, const char *path,
                        const char *body, size_t length, double timeout_seconds)
{
    client->is_busy = true;
    client->is_broken = false;
    client->reason = "";
    client->deadline = lotor_time_seconds() + timeout_seconds;
    client->sent = 0;
    client->in_length = 0;
    client->out_length = 0;
    char header[HEADER_MOST];
    const int header_length = snprintf(
        header, sizeof header,
        "%s %s HTTP/1.1\r\nHost: lotor\r\n%s%s%s%sContent-Length: %zu\r\n\r\n", method, path,
        client->key[0] ? "Authorization: Bearer " : "", client->key, client->key[0] ? "\r\n" : "",
        body ? "Content-Type: application/json\r\n" : "", length);
    if (header_length < 0 || (size_t)header_length >= sizeof header ||
        !reserve(&client->out, &client->out_capacity, 0, (size_t)header_length + length)) {
        client->is_broken = true;
        client->reason = "the request could not be made: no memory, or the path is too long";
        return;
    }
    memcpy(client->out, header, (size_t)header_length);
    lotor_wipe(header, sizeof header);
    if (length > 0) {
        memcpy(client->out + header_length, body, length);
    }
    client->out_length = (size_t)header_length + length;
    if (client->socket < 0 && !open_connection(client)) {
        client->is_broken = true;
        client->reason = "there is no connection to the server";
    }
}

static lotor_reply_outcome lose(lotor_client *client, const char *reason, lotor_reply *reply)
{
    *reply = (lotor_reply){.outcome = LOTOR_REPLY_LOST,
                           .body = "",
                           .may_have_been_seen = client->sent > 0,
                           .reason = reason};
    lotor_client_close(client);
    return LOTOR_REPLY_LOST;
}

/* Sends what can be sent now. Returns NULL, or what failed. */
static const char *send_more(lotor_client *client)
{
    while (client->sent < client->out_length) {
        const ssize_t count = send(client->socket, client->out + client->sent,
                                   client->out_length - client->sent, MSG_NOSIGNAL);
        if (count > 0) {
            client->sent += (size_t)count;
        } else if (errno == EAGAIN || errno == ENOTCONN) {
            return NULL;
        } else if (errno != EINTR) {
            return client->sent > 0 ? "the connection was lost while the request was sent"
                                    : "there is no connection to the server";
        }
    }
    return NULL;
}

/* Reads what has arrived. *ended: the server closed the connection. */
static const char *receive_more(lotor_client *client, bool *ended)
{
    *ended = false;
    for (;;) {
        if (client->in_length > LOTOR_REPLY_MAX) {
            return "the reply is too long";
        }
        if (!reserve(&client->in, &client->in_capacity, client->in_length,
                     client->in_length + READ_STEP + 1)) {
            return "no memory for the reply";
        }
        const size_t room = client->in_capacity - client->in_length - 1;
        const ssize_t count = recv(client->socket, client->in + client->in_length, room, 0);
        if (count > 0) {
            client->in_length += (size_t)count;
            if ((size_t)count < room) {
                return NULL; /* probably all of it; if not, epoll reports the rest */
            }
        } else if (count == 0) {
            *ended = true;
            return NULL;
        } else if (errno == EAGAIN || errno == ENOTCONN) {
            return NULL;
        } else if (errno != EINTR) {
            *ended = true;
            return NULL;
        }
    }
}

/* Servers close idle connections. It is better to notice that before the next request is sent. */
static void notice_end(lotor_client *client)
{
    char byte;
    if (client->socket >= 0 && recv(client->socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0) {
        lotor_client_close(client);
    }
}

lotor_reply_outcome lotor_client_advance(lotor_client *client, lotor_reply *reply)
{
    *reply = (lotor_reply){.outcome = LOTOR_REPLY_BUSY, .body = "", .reason = ""};
    if (!client->is_busy) {
        notice_end(client); /* epoll reported something between two requests */
        return LOTOR_REPLY_BUSY;
    }
    if (client->is_broken) {
        return lose(client, client->reason, reply);
    }
    const char *reason = send_more(client);
    bool ended = false;
    if (!reason) {
        reason = receive_more(client, &ended);
    }
    if (reason) {
        return lose(client, reason, reply);
    }
    lotor_reply_form form;
    const lotor_reply_progress progress =
        lotor_reply_read(client->in, client->in_length, ended, &form);
    if (progress == LOTOR_REPLY_BAD) {
        return lose(client, "the reply is not valid HTTP", reply);
    }
    if (progress == LOTOR_REPLY_PART) {
        if (ended) {
            return lose(client, "the connection was lost before the reply was complete", reply);
        }
        return lotor_time_seconds() > client->deadline
                   ? lose(client, "the reply did not come in time", reply)
                   : LOTOR_REPLY_BUSY;
    }
    client->in[form.body_at + form.body_length] = '\0';
    *reply = (lotor_reply){.outcome = LOTOR_REPLY_DONE,
                           .status = form.status,
                           .body = client->in + form.body_at,
                           .length = form.body_length,
                           .reason = ""};
    client->is_busy = false;
    if (ended || form.closes || client->sent < client->out_length) {
        lotor_client_close(client);
    }
    return LOTOR_REPLY_DONE;
}

lotor_reply_outcome lotor_client_call(lotor_client *client, const char *method, const char *path,
                                      const char *body, double timeout_seconds, lotor_reply *reply)
{
    notice_end(client);
    lotor_client_start(client, method, path, body, body ? strlen(body) : 0, timeout_seconds);
    while (lotor_client_advance(client, reply) == LOTOR_REPLY_BUSY) {
        struct pollfd wanted = {.fd = client->socket, .events = POLLIN};
        if (client->sent < client->out_length) {
            wanted.events = POLLIN | POLLOUT;
        }
        const double left = client->deadline - lotor_time_seconds();
        if (poll(&wanted, 1, left < 0.0 ? 0 : (int)(1e3 * left) + 1) < 0 && errno != EINTR) {
            return lose(client, "waiting for the server failed", reply);
        }
    }
    return reply->outcome;
}

unsigned lotor_client_json(lotor_client *client, const char *method, const char *path,
                           const json_t *body, double timeout_seconds, json_t **out)
{
    *out = NULL;
    char *text = NULL;
    if (body) {
        text = json_dumps(body, JSON_COMPACT);
        if (!text) {
            return 0;
        }
    }
    lotor_reply reply;
    lotor_client_call(client, method, path, text, timeout_seconds, &reply);
    lotor_wipe_free(text, text ? strlen(text) : 0);
    if (reply.outcome == LOTOR_REPLY_DONE) {
        *out = json_loadb(reply.body, reply.length, 0, NULL);
    }
    return reply.status;
}
