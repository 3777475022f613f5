/* serve_log.c - see serve_log.h. A line is written at once, so lines of several threads do not
 * mix. */
#ifdef LOTOR_SERVICE
#include "cli/serve_log.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "base/json.h"

enum { TEXT_ROOM = 480, LINE_ROOM = 4 * TEXT_ROOM, STAMP_ROOM = 40 };

static const char *level_name(lotor_serve_log_level level)
{
    static const char *const names[] = {"info", "warning", "error"};
    return names[level];
}

/* The time as text; as JSON, with milliseconds. */
static void stamp(bool has_milliseconds, char text[STAMP_ROOM])
{
    struct timespec now;
    struct tm parts;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &parts);
    const size_t length = strftime(text, STAMP_ROOM, "%Y-%m-%dT%H:%M:%S", &parts);
    if (has_milliseconds) {
        snprintf(text + length, STAMP_ROOM - length, ".%03uZ",
                 (unsigned)(now.tv_nsec / 1000000) % 1000);
    } else {
        snprintf(text + length, STAMP_ROOM - length, "Z");
    }
}

static void begin(lotor_json *json, char line[LINE_ROOM], lotor_serve_log_level level,
                  const char *message)
{
    char time[STAMP_ROOM];
    stamp(true, time);
    lotor_json_start(json, line, LINE_ROOM - 1);
    lotor_json_open(json, NULL, '{');
    lotor_json_string(json, "time", time);
    lotor_json_string(json, "level", level_name(level));
    lotor_json_string(json, "message", message);
}

static void end(lotor_json *json, char line[LINE_ROOM])
{
    lotor_json_close(json, '}');
    if (json->length < LINE_ROOM - 1) { /* a line that is cut would not be JSON */
        line[json->length++] = '\n';
        fwrite(line, 1, json->length, stderr);
    }
}

void lotor_serve_log_note(const lotor_serve_log *log, lotor_serve_log_level level,
                          const char *format, ...)
{
    char text[TEXT_ROOM], line[LINE_ROOM], time[STAMP_ROOM];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (log->is_json) {
        lotor_json json;
        begin(&json, line, level, text);
        end(&json, line);
        return;
    }
    stamp(false, time);
    fprintf(stderr, "%s %s%s\n", time, level == LOTOR_SERVE_LOG_WARNING ? "warning: " : "", text);
}

void lotor_serve_log_entry(void *context, const lotor_http_entry *entry)
{
    const lotor_serve_log *const log = context;
    const bool has_feedback = entry->route && entry->route->role == LOTOR_ROLE_REWARD;
    const bool has_failed = entry->status >= 500;
    if (!log->is_json || (has_feedback && !has_failed)) {
        return;
    }
    char line[LINE_ROOM];
    lotor_json json;
    begin(&json, line, has_failed ? LOTOR_SERVE_LOG_ERROR : LOTOR_SERVE_LOG_INFO, "request");
    lotor_json_string(&json, "request_id", entry->id);
    lotor_json_string(&json, "traceparent", entry->traceparent[0] ? entry->traceparent : NULL);
    lotor_json_string(&json, "method", entry->route ? entry->route->method : NULL);
    lotor_json_string(&json, "route", entry->route ? entry->route->path : NULL);
    lotor_json_string(&json, "campaign", entry->campaign[0] ? entry->campaign : NULL);
    lotor_json_whole(&json, "status", entry->status);
    lotor_json_string(&json, "code", entry->code);
    lotor_json_whole(&json, "microseconds", (uint64_t)(entry->seconds * 1e6));
    lotor_json_bool(&json, "complete", entry->is_complete);
    end(&json, line);
}
#endif
