/* http_listen.c - opens the socket that the server listens on. */
#include "service/http/http_listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/message.h"
#include "base/quote.h"

static bool parse_address(const char *text, uint16_t port, struct sockaddr_storage *out,
                          socklen_t *length)
{
    memset(out, 0, sizeof *out);
    struct sockaddr_in *const four = (struct sockaddr_in *)out;
    struct sockaddr_in6 *const six = (struct sockaddr_in6 *)out;
    if (inet_pton(AF_INET, text, &four->sin_addr) == 1) {
        four->sin_family = AF_INET;
        four->sin_port = htons(port);
        *length = sizeof *four;
        return true;
    }
    if (inet_pton(AF_INET6, text, &six->sin6_addr) == 1) {
        six->sin6_family = AF_INET6;
        six->sin6_port = htons(port);
        *length = sizeof *six;
        return true;
    }
    return false;
}

bool lotor_http_is_loopback(const char *address)
{
    struct in_addr four;
    struct in6_addr six;
    if (inet_pton(AF_INET, address, &four) == 1) {
        return ntohl(four.s_addr) >> 24 == 127;
    }
    return inet_pton(AF_INET6, address, &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

lotor_status lotor_http_listen(const lotor_http_setup *setup, lotor_message *why, int *out,
                               uint16_t *port)
{
    struct sockaddr_storage address;
    socklen_t length = 0;
    const int on = 1;
    if (!parse_address(setup->address, setup->port, &address, &length)) {
        return lotor_fail(
            LOTOR_INVALID, why,
            "%s is not an IP address to listen on: expected one such as 127.0.0.1 or ::1",
            lotor_quote_text(setup->address).text);
    }
    const int handle = socket(address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (handle < 0 || setsockopt(handle, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(handle, (const struct sockaddr *)&address, length) != 0 || listen(handle, 1024) != 0 ||
        getsockname(handle, (struct sockaddr *)&address, &length) != 0) {
        const int error = errno;
        if (handle >= 0) {
            close(handle);
        }
        return lotor_fail(error == EADDRINUSE ? LOTOR_BUSY : LOTOR_IO, why,
                          "can't listen on %s, port %u: %s; choose another "
                          "with --listen and --port (0: any free port)",
                          lotor_quote_text(setup->address).text, (unsigned)setup->port,
                          strerror(error));
    }
    *port = ntohs(address.ss_family == AF_INET ? ((struct sockaddr_in *)&address)->sin_port
                                               : ((struct sockaddr_in6 *)&address)->sin6_port);
    *out = handle;
    return LOTOR_OK;
}
