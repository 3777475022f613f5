/* dashboard.h - the dashboard's files and the description of the API, which cmake/embed.cmake puts
 * into the binary. */
#ifndef LOTOR_SERVICE_DASHBOARD_H
#define LOTOR_SERVICE_DASHBOARD_H

#include <stdbool.h>
#include <stddef.h>

#include "service/http/api.h"

typedef struct lotor_asset {
    const char *path; /* the path of the request */
    const char *type;
    const unsigned char *bytes;
    size_t length;
} lotor_asset;
extern const lotor_asset lotor_assets[];
extern const size_t lotor_asset_count;

/* docs/openapi.json. It has a route of its own and is not one of the pages. */
#define LOTOR_OPENAPI_PATH "/openapi.json"
extern const lotor_asset lotor_openapi;

/* The content security policy of the pages: they may load only their own files (the randomizer
 * is one of them), and call only the server that they came from. */
extern const char lotor_dashboard_policy[];

/* Returns the file with that path, or NULL. */
const lotor_asset *lotor_dashboard_find(const char *path);

/* The randomizers for the browser (clients/js). They are in the binary only if emscripten was
 * installed when it was built. */
#define LOTOR_DASHBOARD_WASM "/client/lotor.wasm"

/* If `path` is a file that pages need and this build lacks: says why, and what to do. Else NULL. */
const char *lotor_dashboard_missing(const char *path);

/* The route of all these files. No key is needed, because the files contain no data. */
extern const lotor_route lotor_dashboard_route;

#endif
