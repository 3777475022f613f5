/* dashboard.c - serves the dashboard's files. They contain no data: the pages fetch data from
 * the API with a key. */
#include "service/http/dashboard.h"

#include <stdlib.h>
#include <string.h>

#include "service/http/api_handlers.h"
#include "service/statement/statement.h"

const char lotor_dashboard_policy[] =
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' "
    /* a privacy statement that a page fetches and opens has its own style */
    LOTOR_STATEMENT_STYLE_HASH "; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const lotor_asset *lotor_dashboard_find(const char *path)
{
    for (size_t i = 0; i < lotor_asset_count; i++) {
        if (strcmp(lotor_assets[i].path, path) == 0) {
            return &lotor_assets[i];
        }
    }
    return NULL;
}

const char *lotor_dashboard_missing(const char *path)
{
    if (strcmp(path, LOTOR_DASHBOARD_WASM) != 0 || lotor_dashboard_find(path)) {
        return NULL;
    }
    return "this server was built without emscripten, so its pages have no randomizer and send no "
           "reports: build it with `make wasm` and start it again";
}

static void reply_asset(lotor_request *request, const lotor_asset *asset)
{
    char *const copy = malloc(asset->length + 1);
    if (copy) {
        memcpy(copy, asset->bytes, asset->length);
    }
    lotor_api_reply_bytes(request, copy, asset->length, asset->type);
}

static lotor_completion serve(lotor_request *request)
{
    reply_asset(request, lotor_dashboard_find(request->target));
    request->policy = lotor_dashboard_policy;
    return LOTOR_COMPLETED;
}

lotor_completion lotor_api_openapi(lotor_request *request)
{
    reply_asset(request, &lotor_openapi);
    return LOTOR_COMPLETED;
}

const lotor_route lotor_dashboard_route = {"GET", "/",  LOTOR_ROLE_NONE, LOTOR_SCOPE_SERVER, 200,
                                           serve, NULL, {NULL}};
