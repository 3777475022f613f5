/* api_dashboard.c - the routes that mainly the dashboard uses: the history of releases, advice
 * and simulations; and the audit log. */
#include <stdlib.h>
#include <string.h>

#include "base/quote.h"
#include "service/http/api_handlers.h"
#include "service/http/calculations.h"
#include "service/http/releases_csv.h"
#include "service/spec/fields.h"

enum { RELEASES_MOST = 1000, RELEASES_USUAL = 100 };
enum { AFTER, LIMIT, FORMAT }; /* the query of releases */

/* Reads a whole number from the query. *out keeps its value if the parameter was not given. */
static bool read_whole(lotor_request *request, size_t place, uint64_t least, uint64_t most,
                       uint64_t *out)
{
    const char *const text = request->query[place];
    if (!text) {
        return true;
    }
    const size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 18 || text[digits] != '\0') {
        lotor_refuse(&request->job.refusal, LOTOR_CODE_BAD_VALUE, request->route->query[place],
                     "%s is %s in the query: expected a whole number", request->route->query[place],
                     lotor_quote_text(text).text);
        return false;
    }
    json_t *const number = json_integer(strtoll(text, NULL, 10));
    const lotor_code code = number ? lotor_field_whole(number, request->route->query[place], least,
                                                       most, &request->job.refusal, out)
                                   : lotor_refuse_memory(&request->job.refusal);
    json_decref(number);
    return code == LOTOR_CODE_NONE;
}

static bool is_csv(const lotor_request *request)
{
    return request->query[FORMAT] && strcmp(request->query[FORMAT], "csv") == 0;
}

/* A page of CSV is as long as possible, because a person gets it by hand. */
lotor_completion lotor_api_releases(lotor_request *request)
{
    const char *const format = request->query[FORMAT];
    uint64_t after = 0, limit = is_csv(request) ? RELEASES_MOST : RELEASES_USUAL;
    if (format && !is_csv(request) && strcmp(format, "json") != 0) {
        lotor_refuse(&request->job.refusal, LOTOR_CODE_BAD_VALUE, "format",
                     "format is %s in the query: expected json or csv",
                     lotor_quote_text(format).text);
        return LOTOR_COMPLETED;
    }
    if (!read_whole(request, AFTER, 0, INT64_MAX, &after) ||
        !read_whole(request, LIMIT, 1, RELEASES_MOST, &limit)) {
        return LOTOR_COMPLETED;
    }
    return lotor_engine_releases(request->engine, request->target, after, limit, &request->json,
                                 &request->job);
}

lotor_completion lotor_api_audit(lotor_request *request)
{
    uint64_t after = 0, limit = RELEASES_USUAL;
    if (!read_whole(request, 0, 0, INT64_MAX, &after) ||
        !read_whole(request, 1, 1, RELEASES_MOST, &limit)) {
        return LOTOR_COMPLETED;
    }
    return lotor_engine_audit(request->engine, after, limit, &request->json, &request->job);
}

void lotor_api_finish_releases(lotor_request *request)
{
    const char *const note = json_string_value(json_object_get(request->json, "note"));
    if (!is_csv(request)) {
        lotor_api_finish_read(request);
        return;
    }
    if (note) {
        lotor_refuse(&request->job.refusal, LOTOR_CODE_NOT_OFFERED, "format",
                     "this campaign has no history of releases by arm: %s", note);
        return;
    }
    lotor_text text = {0};
    lotor_releases_csv(request->json, &text);
    if (lotor_text_status(&text, NULL) != LOTOR_OK) {
        lotor_text_clear(&text);
    }
    lotor_api_reply_bytes(request, text.bytes, text.length, "text/csv; charset=utf-8");
}

void lotor_api_finish_read(lotor_request *request)
{
    json_t *const reply = request->result ? request->result : request->json;
    lotor_api_reply_json(request, json_incref(reply));
}

static lotor_completion calculate(lotor_request *request, lotor_calculation *run)
{
    if (!lotor_api_read(request)) {
        return LOTOR_COMPLETED;
    }
    return lotor_calculations_start(request->calculations, run, request->json, &request->result,
                                    &request->job);
}

lotor_completion lotor_api_advise(lotor_request *request)
{
    return calculate(request, request->calculations ? request->calculations->advise : NULL);
}

lotor_completion lotor_api_simulate(lotor_request *request)
{
    return calculate(request, request->calculations ? request->calculations->simulate : NULL);
}
