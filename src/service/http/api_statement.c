/* api_statement.c - GET /v1/campaigns/NAME/statement: the privacy statement as JSON, as a page, as text, or in
 * the fields of the OpenDP deployments registry. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "service/http/api_handlers.h"
#include "service/statement/statement.h"

typedef enum statement_form { AS_JSON, AS_HTML, AS_TEXT, AS_REGISTRY, FORMS } statement_form;

static const char *const forms[FORMS] = {"json", "html", "text", "registry"};

/* --- the header Accept ------------------------------------------------------------------------ */

/* The quality, from 0 to 1000, of one range like "text/html;q=0.9". */
static unsigned quality_of(const char *range, size_t length)
{
    const char *const end = range + length;
    for (const char *at = memchr(range, ';', length); at && at + 1 < end;
         at = memchr(at + 1, ';', (size_t)(end - at) - 1)) {
        at += 1 + strspn(at + 1, " \t");
        if (at + 1 < end && (at[0] == 'q' || at[0] == 'Q') && at[1] == '=') {
            unsigned quality = 0, digits = 0;
            for (at += 2; at < end && digits < 4; at++) {
                if (*at >= '0' && *at <= '9') {
                    quality = 10 * quality + (unsigned)(*at - '0');
                    digits++;
                } else if (*at != '.') {
                    break;
                }
            }
            for (; digits < 4; digits++) {
                quality *= 10;
            }
            return quality;
        }
        at--;
    }
    return 1000;
}

/* The form that the header asks for. A type counts only if it is named: a program that accepts anything gets
 * JSON. */
static statement_form form_of_accept(const char *accept)
{
    static const char *const types[] = {
        [AS_JSON] = "application/json", [AS_HTML] = "text/html", [AS_TEXT] = "text/plain"};
    unsigned best = 0;
    statement_form form = AS_JSON;
    for (const char *at = accept; at && *at;) {
        at += strspn(at, " \t,");
        const size_t length = strcspn(at, ","), name = strcspn(at, " \t;,");
        for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
            const bool is_named = name == strlen(types[i]) && strncasecmp(at, types[i], name) == 0;
            const unsigned quality = is_named ? quality_of(at, length) : 0;
            if (quality > best) {
                best = quality;
                form = (statement_form)i;
            }
        }
        at += length;
    }
    return form;
}

/* --- the reply -------------------------------------------------------------------------------- */

/* FORMS: the query names no form that there is. */
static statement_form form_of(const lotor_request *request)
{
    const char *const wanted = request->query[0];
    if (!wanted) {
        return form_of_accept(request->accept);
    }
    size_t i = 0;
    while (i < FORMS && strcmp(forms[i], wanted) != 0) {
        i++;
    }
    return (statement_form)i;
}

lotor_completion lotor_api_statement(lotor_request *request)
{
    const statement_form form = form_of(request);
    if (form == FORMS) {
        lotor_refuse(&request->job.refusal, LOTOR_CODE_BAD_VALUE, "format",
                     "expected json, html, text or registry in the query");
        return LOTOR_COMPLETED;
    }
    request->count = form; /* the header is gone when the reply is made */
    return lotor_engine_look(request->engine, request->target, &request->job);
}

static void reply_text(lotor_request *request, const json_t *statement, bool is_page)
{
    lotor_text text = {0};
    if (is_page) {
        lotor_statement_html(statement, &text);
    } else {
        lotor_statement_text(statement, &text);
    }
    if (lotor_text_status(&text, NULL) != LOTOR_OK) {
        lotor_text_clear(&text);
    }
    request->policy = is_page ? lotor_statement_policy : NULL;
    lotor_api_reply_bytes(request, text.bytes, text.length,
                          is_page ? "text/html; charset=utf-8" : "text/plain; charset=utf-8");
}

void lotor_api_finish_statement(lotor_request *request)
{
    const statement_form form = (statement_form)request->count;
    json_t *const campaign =
        lotor_engine_describe(request->engine, request->target, &request->job.refusal);
    const uint64_t seconds = lotor_engine_time(request->engine) / 1000;
    const lotor_statement_source source = {
        .campaign = campaign, .time = (double)seconds, .commit = request->commit};
    request->count = 0; /* there are no rankings */
    if (!campaign) {
        return;
    }
    json_t *const statement = lotor_statement_new(&source);
    json_decref(campaign);
    if (!statement || form == AS_JSON) {
        lotor_api_reply_json(request, statement);
        return;
    }
    if (form == AS_REGISTRY) {
        lotor_api_reply_json(request, lotor_statement_registry(statement));
    } else {
        reply_text(request, statement, form == AS_HTML);
    }
    json_decref(statement);
}
