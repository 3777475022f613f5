/* cors.c - see cors.h. */
#include "service/http/cors.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/quote.h"
#include "service/http/api_handlers.h"

struct lotor_cors {
    size_t count;
    char origins[LOTOR_CORS_ORIGINS_MAX][LOTOR_CORS_ORIGIN_ROOM];
};

/* True if the text is a port as browsers write it: not 0, no leading zero, at most 65535. */
static bool is_port(const char *text)
{
    const size_t digits = strspn(text, "0123456789");
    return digits >= 1 && digits <= 5 && text[digits] == '\0' && text[0] != '0' &&
           strtoul(text, NULL, 10) <= 65535;
}

/* NULL: the origin is as browsers send it. Else what was expected. */
static const char *complaint_about(const char *origin)
{
    const bool is_secure = strncmp(origin, "https://", 8) == 0;
    if (!is_secure && strncmp(origin, "http://", 7) != 0) {
        return "expected https:// or http:// and a host, such as https://shop.example; a wildcard "
               "is not possible";
    }
    const char *const host = origin + (is_secure ? 8 : 7);
    size_t length;
    if (host[0] == '[') {
        length = 1 + strspn(host + 1, "0123456789abcdef:.");
        length += host[length] == ']';
        length = host[length - 1] == ']' && length > 2 ? length : 0;
    } else {
        length = strspn(host, "abcdefghijklmnopqrstuvwxyz0123456789.-_");
    }
    if (length == 0 || (host[length] != '\0' && host[length] != ':')) {
        return "expected a host in lower case, and no path or slash after it";
    }
    if (host[length] == ':') {
        const char *const port = host + length + 1;
        if (!is_port(port)) {
            return "expected a port from 1 to 65535 after the colon";
        }
        if (strcmp(port, is_secure ? "443" : "80") == 0) {
            return "browsers leave out the default port: leave it out, too";
        }
    }
    return NULL;
}

lotor_status lotor_cors_new(const char *list, lotor_message *why, lotor_cors **out)
{
    *out = NULL;
    lotor_cors *const cors = calloc(1, sizeof *cors);
    if (!cors) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for the list of origins");
    }
    for (const char *rest = list;; rest++) {
        const size_t length = strcspn(rest, ",");
        if (cors->count == LOTOR_CORS_ORIGINS_MAX || length >= LOTOR_CORS_ORIGIN_ROOM) {
            free(cors);
            return lotor_fail(LOTOR_INVALID, why,
                              "--cors: expected at most %d origins of at most %d bytes",
                              LOTOR_CORS_ORIGINS_MAX, LOTOR_CORS_ORIGIN_ROOM - 1);
        }
        char *const origin = cors->origins[cors->count++];
        memcpy(origin, rest, length);
        const char *const complaint = complaint_about(origin);
        if (complaint) {
            const lotor_status status =
                lotor_fail(LOTOR_INVALID, why, "--cors: %s is not an origin: %s",
                           lotor_quote_text(origin).text, complaint);
            free(cors);
            return status;
        }
        rest += length;
        if (!*rest) {
            *out = cors;
            return LOTOR_OK;
        }
    }
}

void lotor_cors_free(lotor_cors *cors)
{
    free(cors);
}

const char *lotor_cors_find(const lotor_cors *cors, const char *origin)
{
    for (size_t i = 0; cors && origin && i < cors->count; i++) {
        if (strcmp(cors->origins[i], origin) == 0) {
            return cors->origins[i];
        }
    }
    return NULL;
}

static lotor_completion reply_nothing(lotor_request *request)
{
    lotor_api_reply_bytes(request, malloc(1), 0, "text/plain; charset=utf-8");
    return LOTOR_COMPLETED;
}

const lotor_route lotor_cors_route = {"OPTIONS",     "*",  LOTOR_ROLE_NONE, LOTOR_SCOPE_SERVER, 204,
                                      reply_nothing, NULL, {NULL}};
