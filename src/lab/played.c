/* played.c - a played figure as CSV, and back: see reproduce.h.
 *
 *      # lotor: 0.1.0
 *      # figure: sajed-6.1
 *      # settings: 9f3c...               of all that is played, see lotor_figure_fingerprint
 *      # scale: quick
 *      # seed: 1
 *      # horizon: 100000
 *      # runs: 10
 *      # seconds: 1.25
 *      # remark:
 *      # points: 120                     so that a cut file is noticed
 *      # lower bound: honest noise,dp-se,12.5
 *      panel,curve,x,mean,stderr
 *      honest noise,dp-se,1,0.05,0.01
 *
 * A number that is not there is an empty field. Labels are quoted where CSV asks for it. The reader
 * trusts nothing: a file may have been edited, cut, or written by another version.
 */
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/digits.h"
#include "base/message.h"
#include "lab/reproduce_plan.h"
#include "world/records.h"

enum { MOST_POINTS = 1 << 20 };

/* --- writing ------------------------------------------------------------------------------------ */

static void put_text(FILE *file, const char *text)
{
    if (!strpbrk(text, ",\"\r\n#") && *text != ' ') {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"') {
            fputc('"', file);
        }
        fputc(*text == '\n' || *text == '\r' ? ' ' : *text, file);
    }
    fputc('"', file);
}

/* After a comma; nothing where there is no number. */
static void put_number(FILE *file, double value)
{
    char text[LOTOR_DIGITS_ROOM];
    fprintf(file, ",%s", isfinite(value) ? lotor_digits(value, text) : "");
}

static size_t count_points(const lotor_played *played)
{
    size_t points = 0;
    for (size_t i = 0; i < played->count; i++) {
        for (size_t j = 0; j < played->panels[i].count; j++) {
            points += played->panels[i].series[j].count;
        }
    }
    return points;
}

static void put_head(FILE *file, const lotor_played *played)
{
    char seconds[LOTOR_DIGITS_ROOM];
    fprintf(file, "# lotor: %s\n# figure: %s\n", lotor_version(), played->figure->id);
    fprintf(file, "# settings: %016llx\n",
            (unsigned long long)lotor_figure_fingerprint(played->figure, played->is_quick));
    fprintf(file, "# scale: %s\n# seed: %llu\n", played->is_quick ? "quick" : "paper",
            (unsigned long long)played->seed);
    fprintf(file, "# horizon: %llu\n# runs: %llu\n", (unsigned long long)played->horizon,
            (unsigned long long)played->runs);
    fprintf(file, "# seconds: %s\n# remark:%s%s\n# points: %zu\n",
            lotor_digits(played->seconds, seconds), *played->remark ? " " : "", played->remark,
            count_points(played));
}

static void put_curves(FILE *file, const lotor_panel *panel, bool bounds)
{
    for (size_t j = 0; j < panel->count; j++) {
        const lotor_series *series = &panel->series[j];
        const size_t lines = bounds ? (size_t)isfinite(series->lower_bound) : series->count;
        for (size_t k = 0; k < lines; k++) {
            fputs(bounds ? "# lower bound: " : "", file);
            put_text(file, panel->label);
            fputc(',', file);
            put_text(file, series->label);
            put_number(file, bounds ? series->lower_bound : series->points[k].x);
            if (!bounds) {
                put_number(file, series->points[k].mean);
                put_number(file, series->points[k].standard_error);
            }
            fputc('\n', file);
        }
    }
}

static void put_all(FILE *file, const lotor_played *played)
{
    put_head(file, played);
    for (size_t i = 0; i < played->count; i++) {
        put_curves(file, &played->panels[i], true);
    }
    fputs("panel,curve,x,mean,stderr\n", file);
    for (size_t i = 0; i < played->count; i++) {
        put_curves(file, &played->panels[i], false);
    }
}

static lotor_status unwritable(const char *path, int error, lotor_message *why)
{
    char text[128];
    return lotor_fail(LOTOR_INVALID, why, "%s could not be written: %s",
                      lotor_excerpt(path, strlen(path)).text,
                      strerror_r(error ? error : EIO, text, sizeof text));
}

static lotor_status write_partial(const lotor_played *played, const char *partial,
                                  lotor_message *why)
{
    FILE *file = fopen(partial, "we");
    if (!file) {
        return unwritable(partial, errno, why);
    }
    errno = 0;
    put_all(file, played);
    const bool written = fflush(file) == 0 && !ferror(file) && fsync(fileno(file)) == 0;
    const int error = errno;
    if (fclose(file) != 0 && written) {
        return unwritable(partial, errno, why);
    }
    return written ? LOTOR_OK : unwritable(partial, error, why);
}

lotor_status lotor_played_write(const lotor_played *played, const char *file, lotor_message *why)
{
    static const char ending[] = ".partial";
    const size_t length = strlen(file);
    char *partial = malloc(length + sizeof ending);
    if (!partial) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory to write the points");
    }
    memcpy(partial, file, length);
    memcpy(partial + length, ending, sizeof ending);
    lotor_status status = write_partial(played, partial, why);
    if (status == LOTOR_OK && rename(partial, file) != 0) {
        status = unwritable(file, errno, why);
    }
    if (status != LOTOR_OK) {
        unlink(partial);
    }
    free(partial);
    return status;
}

/* --- reading ------------------------------------------------------------------------------------ */

/* A file being read. */
typedef struct reader {
    lotor_records records;
    lotor_played *out;
    size_t promised; /* points */
    size_t found;
    unsigned seen; /* a bit for each key of the head */
} reader;

static bool is_text(lotor_span span, const char *text)
{
    return span.length == strlen(text) && memcmp(span.text, text, span.length) == 0;
}

/* Takes a field and the comma behind it (or the end of the line) off *rest, and compares it with
 * `text` as it would have been written. */
static bool take_text(lotor_span *rest, const char *text)
{
    const char *at = rest->text, *end = rest->text + rest->length;
    const bool quoted = strpbrk(text, ",\"\r\n#") || *text == ' ';
    if (quoted && (at == end || *at++ != '"')) {
        return false;
    }
    for (; *text; text++) {
        if (quoted && *text == '"' && (at == end || *at++ != '"')) {
            return false;
        }
        const char expected = *text == '\n' || *text == '\r' ? ' ' : *text;
        if (at == end || *at++ != expected) {
            return false;
        }
    }
    if ((quoted && (at == end || *at++ != '"')) || at == end || *at++ != ',') {
        return false;
    }
    *rest = (lotor_span){at, (size_t)(end - at)};
    return true;
}

/* A finite decimal. strtod wants the locale's own point. */
static bool read_number(lotor_span span, double *out)
{
    enum { LONGEST = 40 };
    char text[2 * LONGEST];
    const char *point = localeconv()->decimal_point;
    const size_t wide = strlen(point);
    size_t used = 0;
    if (span.length == 0 || span.length > LONGEST || wide == 0 || wide > 8) {
        return false;
    }
    for (size_t i = 0, points = 0; i < span.length; i++) {
        if (span.text[i] == '.' && points++ == 0) {
            memcpy(text + used, point, wide);
            used += wide;
        } else if (memchr("0123456789+-eE", span.text[i], 14)) {
            text[used++] = span.text[i];
        } else {
            return false;
        }
    }
    text[used] = '\0';
    char *end;
    *out = strtod(text, &end);
    return *end == '\0' && end != text && isfinite(*out);
}

static bool read_optional(lotor_span span, double *out)
{
    *out = NAN;
    return span.length == 0 || read_number(span, out);
}

enum head_key { VERSION, FIGURE, SETTINGS, SCALE, SEED, HORIZON, RUNS, SECONDS, REMARK, POINTS };

static const char *const head_keys[] = {"lotor",   "figure", "settings", "scale",  "seed",
                                        "horizon", "runs",   "seconds",  "remark", "points"};
enum { KEYS = sizeof head_keys / sizeof *head_keys };

static lotor_status is_other(const reader *from, lotor_message *why, const char *what)
{
    return lotor_records_refuse(&from->records, why, what);
}

static lotor_status read_fact(reader *from, enum head_key key, lotor_span value, lotor_message *why)
{
    const lotor_played *out = from->out;
    char settings[20];
    uint64_t whole;
    switch (key) {
    case VERSION:
        return is_text(value, lotor_version()) ? LOTOR_OK
                                               : is_other(from, why, "it is of another version");
    case FIGURE:
        return is_text(value, out->figure->id) ? LOTOR_OK
                                               : is_other(from, why, "it is another figure");
    case SETTINGS:
        snprintf(settings, sizeof settings, "%016llx",
                 (unsigned long long)lotor_figure_fingerprint(out->figure, out->is_quick));
        return is_text(value, settings)
                   ? LOTOR_OK
                   : is_other(from, why, "the figure was played with other settings");
    case SCALE:
        return is_text(value, out->is_quick ? "quick" : "paper")
                   ? LOTOR_OK
                   : is_other(from, why, "it was played at another scale");
    case REMARK:
        return is_text(value, out->remark) ? LOTOR_OK
                                           : is_other(from, why, "it was played on other data");
    case SECONDS:
        return read_number(value, &from->out->seconds) && out->seconds >= 0.0
                   ? LOTOR_OK
                   : is_other(from, why, "expected how long it took");
    default:
        break;
    }
    if (!lotor_span_whole(value, UINT64_MAX, &whole)) {
        return is_other(from, why, "expected a whole number");
    }
    if (key == POINTS) {
        from->promised = (size_t)whole;
        return whole <= MOST_POINTS ? LOTOR_OK : is_other(from, why, "too many points");
    }
    const uint64_t expected = key == SEED ? out->seed : key == RUNS ? out->runs : out->horizon;
    return whole == expected ? LOTOR_OK
                             : is_other(from, why,
                                        key == SEED ? "it was played with another seed"
                                                    : "it was played at another length");
}

/* The series that the line starts with, whose fields are then cut off *rest. */
static lotor_series *find_series(const reader *from, lotor_span *rest)
{
    for (size_t i = 0; i < from->out->count; i++) {
        const lotor_panel *panel = &from->out->panels[i];
        for (size_t j = 0; j < panel->count; j++) {
            lotor_span after = *rest;
            if (take_text(&after, panel->label) && take_text(&after, panel->series[j].label)) {
                *rest = after;
                return &panel->series[j];
            }
        }
    }
    return NULL;
}

static lotor_status read_head_line(reader *from, lotor_message *why)
{
    lotor_span value = {from->records.line.text + 1, from->records.line.length - 1}, key;
    if (!lotor_span_cut(&value, ":", &key)) {
        return is_other(from, why, "expected a key and a value");
    }
    key = lotor_span_trim(key);
    value = lotor_span_trim(value);
    if (is_text(key, "lower bound")) {
        lotor_series *series = find_series(from, &value);
        return series && read_number(value, &series->lower_bound)
                   ? LOTOR_OK
                   : is_other(from, why, "expected panel,curve,number");
    }
    for (unsigned i = 0; i < KEYS; i++) {
        if (is_text(key, head_keys[i])) {
            if (from->seen & 1U << i) {
                return is_other(from, why, "it is there twice");
            }
            from->seen |= 1U << i;
            return read_fact(from, (enum head_key)i, value, why);
        }
    }
    return is_other(from, why, "no such key");
}

/* Room for one more point: by doubling, from the powers of two. */
static bool grow(lotor_series *series)
{
    if (series->count & (series->count - 1)) {
        return true;
    }
    const size_t room = series->count > 0 ? 2 * series->count : 1;
    lotor_point *more = realloc(series->points, room * sizeof *more);
    if (more) {
        series->points = more;
    }
    return more != NULL;
}

static lotor_status read_point(reader *from, lotor_message *why)
{
    lotor_span rest = from->records.line, x, mean;
    lotor_point point;
    lotor_series *series = find_series(from, &rest);
    if (!series) {
        return is_other(from, why, "the figure has no such curve");
    }
    if (!lotor_span_cut(&rest, ",", &x) || !lotor_span_cut(&rest, ",", &mean) ||
        !read_number(x, &point.x) || !read_optional(mean, &point.mean) ||
        !read_optional(rest, &point.standard_error) || point.standard_error < 0.0) {
        return is_other(from, why, "expected panel,curve,x,mean,stderr");
    }
    if (series->count > 0 && !(point.x > series->points[series->count - 1].x)) {
        return is_other(from, why, "x does not increase");
    }
    if (++from->found > from->promised) {
        return is_other(from, why, "more points than the head says");
    }
    if (!grow(series)) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for the points of %s",
                          from->out->figure->id);
    }
    series->points[series->count++] = point;
    return LOTOR_OK;
}

static lotor_status read_lines(reader *from, lotor_message *why)
{
    bool in_head = true;
    lotor_status status = LOTOR_OK;
    while (status == LOTOR_OK && lotor_records_next(&from->records)) {
        if (in_head && from->records.line.text[0] == '#') {
            status = read_head_line(from, why);
        } else if (in_head) {
            in_head = false;
            if (from->seen != (1U << KEYS) - 1 ||
                !is_text(from->records.line, "panel,curve,x,mean,stderr")) {
                status = is_other(from, why, "the head of the file is not complete");
            }
        } else {
            status = read_point(from, why);
        }
    }
    if (status == LOTOR_OK && (in_head || from->found != from->promised)) {
        return is_other(from, why, "the file ends too early");
    }
    return status;
}

lotor_status lotor_played_parse(const lotor_figure *figure, const lotor_reproduction *how,
                                lotor_span bytes, const char *name, lotor_message *why,
                                lotor_played *out)
{
    lotor_status status = lotor_played_frame(figure, how, why, out);
    if (status == LOTOR_OK) {
        reader from = {.records = lotor_records_of(name, bytes.text, bytes.length), .out = out};
        status = read_lines(&from, why);
    }
    if (status != LOTOR_OK) {
        lotor_played_clear(out);
    }
    return status;
}

lotor_status lotor_played_read(const lotor_figure *figure, const lotor_reproduction *how,
                               const char *file, lotor_message *why, lotor_played *out)
{
    char *bytes;
    size_t length;
    *out = (lotor_played){0};
    lotor_status status = lotor_records_load(file, why, &bytes, &length);
    if (status == LOTOR_OK) {
        status = lotor_played_parse(figure, how, (lotor_span){bytes, length}, file, why, out);
        free(bytes);
    }
    return status;
}
