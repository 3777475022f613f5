/* http_head.c - checks the headers of a request. See http_head.h. */
#include "service/http/http_head.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "service/http/body.h"

typedef struct head_facts {
    unsigned lengths, encodings; /* how many headers of each kind there are */
    bool is_odd, is_too_large;
} head_facts;

static enum MHD_Result look(void *context, enum MHD_ValueKind kind, const char *name,
                            const char *value)
{
    head_facts *const facts = context;
    (void)kind;
    if (strcasecmp(name, MHD_HTTP_HEADER_CONTENT_LENGTH) == 0) {
        facts->lengths++;
        facts->is_too_large = facts->is_too_large || strtoull(value, NULL, 10) > LOTOR_BODY_MOST;
    } else if (strcasecmp(name, MHD_HTTP_HEADER_TRANSFER_ENCODING) == 0) {
        facts->encodings++;
        facts->is_odd = facts->is_odd || strcasecmp(value, "chunked") != 0;
    } else if (strpbrk(name, " \t")) {
        /* Some programs read "Content-Length : 2" as a length; libmicrohttpd does not. */
        facts->is_odd = true;
    }
    return MHD_YES;
}

lotor_code lotor_http_too_large(lotor_refusal *refusal)
{
    return lotor_refuse(refusal, LOTOR_CODE_TOO_LARGE, "",
                        "the body is too large: expected at most %d bytes", LOTOR_BODY_MOST);
}

lotor_code lotor_http_check_head(struct MHD_Connection *connection, lotor_refusal *refusal)
{
    head_facts facts = {.lengths = 0};
    MHD_get_connection_values(connection, MHD_HEADER_KIND, look, &facts);
    if (facts.is_odd || facts.lengths + facts.encodings > 1) {
        return lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, "",
                            "where the body ends is not clear: expected one header "
                            "\"Content-Length: N\" or \"Transfer-Encoding: chunked\", and no "
                            "header with a space in its name");
    }
    return facts.is_too_large ? lotor_http_too_large(refusal) : LOTOR_CODE_NONE;
}
