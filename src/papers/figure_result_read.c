/* figure_result_read.c - reads a figure result from its CSV file. figure_result_write.c describes
 * the format.
 *
 * The reader trusts nothing: a file may have been edited, cut, or written by another version. It
 * accepts a file only if it has exactly the points that would be played.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/records.h"
#include "papers/figure_result_fields.h"
#include "papers/reproduce_plan.h"

enum { MOST_POINTS = 1 << 20, MOST_ARMS = 1 << 16 };

/* About three years. */
static const double MOST_SECONDS = 1e8;

/* A file being read. */
typedef struct reader {
    lotor_records records;
    lotor_figure_result *out;
    size_t promised; /* number of points by the header */
    size_t found;
    unsigned seen; /* one bit per key of the header */
    bool has_data;
    size_t names_room;
} reader;

static lotor_status no_memory(const reader *from, lotor_message *why)
{
    return lotor_fail(LOTOR_MEMORY, why, "no memory for the points of %s", from->out->figure->id);
}

enum head_key { VERSION, FIGURE, SETTINGS, SCALE, SEED, HORIZON, RUNS, SECONDS, REMARK, POINTS };

static const char *const head_keys[] = {"lotor",   "figure", "settings", "scale",  "seed",
                                        "horizon", "runs",   "seconds",  "remark", "points"};
enum { KEYS = sizeof head_keys / sizeof *head_keys };

static lotor_status is_other(const reader *from, lotor_message *why, const char *what)
{
    return lotor_records_refuse(&from->records, why, what);
}

static lotor_status read_fact(reader *from, enum head_key key, lotor_slice value,
                              lotor_message *why)
{
    const lotor_figure_result *out = from->out;
    char settings[20];
    uint64_t whole;
    switch (key) {
    case VERSION:
        return lotor_figure_result_is_text(value, lotor_version())
                   ? LOTOR_OK
                   : is_other(from, why, "it is of another version");
    case FIGURE:
        return lotor_figure_result_is_text(value, out->figure->id)
                   ? LOTOR_OK
                   : is_other(from, why, "it is another figure");
    case SETTINGS:
        snprintf(settings, sizeof settings, "%016llx",
                 (unsigned long long)lotor_figure_fingerprint(out->figure, out->is_quick));
        return lotor_figure_result_is_text(value, settings)
                   ? LOTOR_OK
                   : is_other(from, why, "the figure was played with other settings");
    case SCALE:
        return lotor_figure_result_is_text(value, out->is_quick ? "quick" : "paper")
                   ? LOTOR_OK
                   : is_other(from, why, "it was played at another scale");
    case REMARK:
        return lotor_figure_result_is_text(value, out->remark)
                   ? LOTOR_OK
                   : is_other(from, why, "it was played on other data");
    case SECONDS:
        return lotor_figure_result_read_number(value, &from->out->seconds) && out->seconds >= 0.0 &&
                       out->seconds <= MOST_SECONDS
                   ? LOTOR_OK
                   : is_other(from, why, "expected how long it took");
    default:
        break;
    }
    if (!lotor_slice_whole(value, UINT64_MAX, &whole)) {
        return is_other(from, why, "expected a whole number");
    }
    if (key == POINTS) {
        from->promised = (size_t)whole;
        return whole <= MOST_POINTS ? LOTOR_OK : is_other(from, why, "too many points");
    }
    if (key == SEED) {
        return whole == out->seed ? LOTOR_OK
                                  : is_other(from, why, "it was played with another seed");
    }
    const uint64_t expected = key == RUNS ? out->runs : out->horizon;
    return whole == expected ? LOTOR_OK : is_other(from, why, "it was played at another length");
}

/* Finds the series that the line starts with, and removes its fields from *rest. */
static lotor_series *find_series(const reader *from, lotor_slice *rest)
{
    for (size_t i = 0; i < from->out->count; i++) {
        const lotor_panel *panel = &from->out->panels[i];
        for (size_t j = 0; j < panel->count; j++) {
            lotor_slice after = *rest;
            if (lotor_figure_result_take_text(&after, panel->label) &&
                lotor_figure_result_take_text(&after, panel->series[j].label)) {
                *rest = after;
                return &panel->series[j];
            }
        }
    }
    return NULL;
}

/* Reads "NUMBER,NAME"; numbers count up from 0. */
static lotor_status read_name(reader *from, lotor_slice value, lotor_message *why)
{
    lotor_figure_result *out = from->out;
    lotor_slice number;
    uint64_t arm;
    if (!lotor_slice_cut(&value, ",", &number) || !lotor_slice_whole(number, MOST_ARMS, &arm) ||
        arm != out->name_count || memchr(value.text, '\0', value.length)) {
        return is_other(from, why, "expected the next arm's number and its name");
    }
    if (out->name_count == from->names_room) {
        const size_t room = from->names_room ? 2 * from->names_room : 16;
        char **more = realloc(out->names, room * sizeof *more);
        if (!more) {
            return no_memory(from, why);
        }
        out->names = more;
        from->names_room = room;
    }
    char *name = malloc(value.length + 1);
    if (!name) {
        return no_memory(from, why);
    }
    memcpy(name, value.text, value.length);
    name[value.length] = '\0';
    out->names[out->name_count++] = name;
    return LOTOR_OK;
}

/* Reads a set: numbers of arms that have names, without repetitions, separated by blanks. */
static lotor_status read_set(reader *from, lotor_slice value, lotor_message *why,
                             lotor_arm_set *out)
{
    static const char wrong[] = "expected different numbers of arms with names, once for a set";
    const size_t arms = from->out->name_count;
    if (out->arms) {
        return is_other(from, why, wrong);
    }
    out->arms = calloc(arms + 1, sizeof *out->arms);
    if (!out->arms) {
        return no_memory(from, why);
    }
    for (bool is_last = false; !is_last;) {
        lotor_slice number;
        uint64_t arm;
        is_last = !lotor_slice_cut(&value, " ", &number);
        number = is_last ? value : number;
        if (arms == 0 || !lotor_slice_whole(number, arms - 1, &arm) ||
            lotor_set_has(out, (uint32_t)arm)) {
            return is_other(from, why, wrong);
        }
        out->arms[out->count++] = (uint32_t)arm;
    }
    return LOTOR_OK;
}

/* Reads panel,curve,verdict,epsilon,delta,found. */
static lotor_status read_claim(reader *from, lotor_slice value, lotor_message *why)
{
    lotor_series *series = find_series(from, &value);
    lotor_slice verdict, epsilon, delta;
    uint64_t kind;
    if (!series || series->claim.is_known || !lotor_slice_cut(&value, ",", &verdict) ||
        !lotor_slice_cut(&value, ",", &epsilon) || !lotor_slice_cut(&value, ",", &delta) ||
        !lotor_slice_whole(verdict, LOTOR_AUDIT_NOTHING_SEEN, &kind) ||
        !lotor_figure_result_read_optional(epsilon, &series->claim.epsilon) ||
        !lotor_figure_result_read_number(delta, &series->claim.delta) ||
        !lotor_figure_result_read_number(value, &series->claim.found)) {
        return is_other(from, why, "expected panel,curve,verdict,epsilon,delta,found");
    }
    if (isnan(series->claim.epsilon)) {
        series->claim.epsilon = INFINITY;
    }
    series->claim.verdict = (lotor_audit_verdict)kind;
    series->claim.is_known = true;
    return LOTOR_OK;
}

static lotor_status read_head_line(reader *from, lotor_message *why)
{
    lotor_slice value = {from->records.line.text + 1, from->records.line.length - 1}, key;
    if (!lotor_slice_cut(&value, ":", &key)) {
        return is_other(from, why, "expected a key and a value");
    }
    key = lotor_slice_trim(key);
    value = lotor_slice_trim(value);
    if (lotor_figure_result_is_text(key, "lower bound")) {
        lotor_series *series = find_series(from, &value);
        return series && isnan(series->lower_bound) &&
                       lotor_figure_result_read_number(value, &series->lower_bound)
                   ? LOTOR_OK
                   : is_other(from, why, "expected panel,curve,number, once for a curve");
    }
    if (lotor_figure_result_is_text(key, "data")) {
        const bool is_first = !from->has_data;
        from->has_data = true;
        return is_first && *from->out->data && lotor_figure_result_is_text(value, from->out->data)
                   ? LOTOR_OK
                   : is_other(from, why, "it was played on other data");
    }
    if (from->out->figure->lists_sets && lotor_figure_result_is_text(key, "name")) {
        return read_name(from, value, why);
    }
    if (from->out->figure->lists_sets && lotor_figure_result_is_text(key, "best")) {
        return read_set(from, value, why, &from->out->best);
    }
    if (from->out->figure->lists_sets && lotor_figure_result_is_text(key, "shown")) {
        lotor_series *series = find_series(from, &value);
        return series ? read_set(from, value, why, &series->shown)
                      : is_other(from, why, "the figure has no such curve");
    }
    if (from->out->figure->audits && lotor_figure_result_is_text(key, "audit")) {
        return read_claim(from, value, why);
    }
    for (unsigned i = 0; i < KEYS; i++) {
        if (lotor_figure_result_is_text(key, head_keys[i])) {
            if (from->seen & 1U << i) {
                return is_other(from, why, "it is there twice");
            }
            from->seen |= 1U << i;
            return read_fact(from, (enum head_key)i, value, why);
        }
    }
    return is_other(from, why, "no such key");
}

/* Makes room for one more point. The room is a power of two, and doubles when it is full. */
static bool grow(lotor_series *series)
{
    if (series->count & (series->count - 1)) {
        return true;
    }
    const size_t room = series->count > 0 ? 2 * series->count : 1;
    lotor_curve_point *more = realloc(series->points, room * sizeof *more);
    if (more) {
        series->points = more;
    }
    return more != NULL;
}

static lotor_status read_point(reader *from, lotor_message *why)
{
    lotor_slice rest = from->records.line, x, mean;
    lotor_curve_point point;
    lotor_series *series = find_series(from, &rest);
    if (!series) {
        return is_other(from, why, "the figure has no such curve");
    }
    if (!lotor_slice_cut(&rest, ",", &x) || !lotor_slice_cut(&rest, ",", &mean) ||
        !lotor_figure_result_read_number(x, &point.x) ||
        !lotor_figure_result_read_number(mean, &point.mean) ||
        !lotor_figure_result_read_optional(rest, &point.standard_error) ||
        point.standard_error < 0.0) {
        return is_other(from, why, "expected panel,curve,x,mean,stderr");
    }
    if (series->count > 0 && !(point.x > series->points[series->count - 1].x)) {
        return is_other(from, why, "x does not increase");
    }
    if (++from->found > from->promised) {
        return is_other(from, why, "more points than the head says");
    }
    if (!grow(series)) {
        return no_memory(from, why);
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
                !lotor_figure_result_is_text(from->records.line, "panel,curve,x,mean,stderr")) {
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

/* --- completeness ----------------------------------------------------------------------------- */

/* Checks that the series has the points of the plan, with errors if there are several runs or a
 * formula. */
static lotor_status check_series(const reader *from, size_t panel, size_t curve, lotor_message *why)
{
    const lotor_figure_result *out = from->out;
    const lotor_series *series = &out->panels[panel].series[curve];
    double *places;
    size_t count;
    if (lotor_curve_places(out->figure, out->is_quick, panel, curve, &places, &count) != LOTOR_OK) {
        return no_memory(from, why);
    }
    const size_t cells = lotor_figure_cell_count(out->figure, out->is_quick);
    const size_t curves = out->count * out->panels[panel].count;
    const lotor_setting setting =
        lotor_figure_cell_at(out->figure, out->is_quick,
                             (panel * out->panels[panel].count + curve) * (cells / curves))
            .setting;
    const bool has_error = setting.runs > 1 || lotor_setting_is_computed(&setting);
    bool is_as_planned = series->count == count;
    for (size_t i = 0; i < count && is_as_planned; i++) {
        is_as_planned = series->points[i].x == places[i] &&
                        isnan(series->points[i].standard_error) == !has_error;
    }
    free(places);
    return is_as_planned ? LOTOR_OK
                         : lotor_fail(LOTOR_INVALID, why,
                                      "%s: the points of %.80s are not those that are played",
                                      from->records.name, series->label);
}

static lotor_status check_all(const reader *from, lotor_message *why)
{
    const lotor_figure_result *out = from->out;
    lotor_status status = LOTOR_OK;
    bool has_sets = out->best.arms != NULL, has_claims = true;
    for (size_t i = 0; i < out->count; i++) {
        for (size_t j = 0; j < out->panels[i].count && status == LOTOR_OK; j++) {
            status = check_series(from, i, j, why);
            has_sets = has_sets && out->panels[i].series[j].shown.arms;
            has_claims = has_claims && out->panels[i].series[j].claim.is_known;
        }
    }
    if (status == LOTOR_OK && out->figure->lists_sets && !has_sets) {
        return lotor_fail(LOTOR_INVALID, why, "%s: what was shown at the end is missing",
                          from->records.name);
    }
    if (status == LOTOR_OK && out->figure->audits && !has_claims) {
        return lotor_fail(LOTOR_INVALID, why, "%s: what the audits found is missing",
                          from->records.name);
    }
    if (status == LOTOR_OK && *out->data && !from->has_data) {
        return lotor_fail(LOTOR_INVALID, why, "%s does not say on which data it was played",
                          from->records.name);
    }
    return status;
}

lotor_status lotor_figure_result_parse(const lotor_figure *figure, const lotor_reproduction *how,
                                       lotor_slice bytes, const char *name, lotor_message *why,
                                       lotor_figure_result *out)
{
    lotor_status status = lotor_figure_result_frame(figure, how, why, out);
    if (status == LOTOR_OK) {
        reader from = {.records = lotor_records_of(name, bytes.text, bytes.length), .out = out};
        status = read_lines(&from, why);
        if (status == LOTOR_OK && bytes.text[bytes.length - 1] != '\n') {
            status = lotor_fail(LOTOR_INVALID, why, "%s: the last line is cut", name);
        }
        status = status == LOTOR_OK ? check_all(&from, why) : status;
    }
    if (status != LOTOR_OK) {
        lotor_figure_result_clear(out);
    }
    return status;
}

lotor_status lotor_figure_result_read(const lotor_figure *figure, const lotor_reproduction *how,
                                      const char *file, lotor_message *why,
                                      lotor_figure_result *out)
{
    char *bytes;
    size_t length;
    *out = (lotor_figure_result){0};
    lotor_status status = lotor_records_load(file, why, &bytes, &length);
    if (status == LOTOR_OK) {
        status =
            lotor_figure_result_parse(figure, how, (lotor_slice){bytes, length}, file, why, out);
        free(bytes);
    }
    return status;
}

bool lotor_figure_result_is_of_other_scale(const char *file, bool is_quick)
{
    char *bytes;
    size_t length;
    if (lotor_records_load(file, NULL, &bytes, &length) != LOTOR_OK) {
        return false;
    }
    lotor_records records = lotor_records_of(file, bytes, length);
    bool is_other = false;
    while (!is_other && lotor_records_next(&records) && records.line.text[0] == '#') {
        is_other = lotor_figure_result_is_text(records.line,
                                               is_quick ? "# scale: paper" : "# scale: quick");
    }
    free(bytes);
    return is_other;
}
