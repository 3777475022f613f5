/* serve_log.h - the log of lotor serve, on standard error: lines of text, or of JSON.
 *
 * The log has starts, stops and errors; as JSON also requests. It never has feedback, contexts,
 * users, keys or events. Whether and when a person gave feedback is private, too, and logs are
 * copied to many places: so a request with feedback has a line only if the server failed (5xx).
 */
#ifndef LOTOR_CLI_SERVE_LOG_H
#define LOTOR_CLI_SERVE_LOG_H

#include <stdbool.h>

#include "service/http/http.h"

typedef struct lotor_serve_log {
    bool is_json;
} lotor_serve_log;

typedef enum lotor_serve_log_level {
    LOTOR_SERVE_LOG_INFO,
    LOTOR_SERVE_LOG_WARNING,
    LOTOR_SERVE_LOG_ERROR
} lotor_serve_log_level;

__attribute__((format(printf, 3, 4))) void lotor_serve_log_note(const lotor_serve_log *log,
                                                                lotor_serve_log_level level,
                                                                const char *format, ...);

/* For lotor_http_setup; the context is the lotor_serve_log. */
void lotor_serve_log_entry(void *context, const lotor_http_entry *entry);

#endif
