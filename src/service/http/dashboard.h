/* dashboard.h - the files of the dashboard, which are in the binary (cmake/embed.cmake). */
#ifndef LOTOR_SERVICE_DASHBOARD_H
#define LOTOR_SERVICE_DASHBOARD_H

#include <stddef.h>

#include "service/http/api.h"

typedef struct lotor_asset {
    const char *path; /* as it is asked for */
    const char *type;
    const unsigned char *bytes;
    size_t length;
} lotor_asset;
extern const lotor_asset lotor_assets[];
extern const size_t lotor_asset_count;

/* What a page may do: nothing but load its own files (the randomizer is one) and talk to the server it
 * came from. */
extern const char lotor_dashboard_policy[];

/* NULL: there is none at that path. */
const lotor_asset *lotor_dashboard_find(const char *path);

/* The randomizers (clients/js): there if emscripten was, at build time. */
#define LOTOR_DASHBOARD_WASM "/client/lotor.wasm"

/* Why a file that pages need is not in this build, and what to do; NULL: it is, or no page needs it. */
const char *lotor_dashboard_missing(const char *path);

/* The route of all of them: open, as they hold nothing; what they show needs a key. */
extern const lotor_route lotor_dashboard_route;

#endif
