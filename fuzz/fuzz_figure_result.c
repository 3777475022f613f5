/* fuzz_figure_result.c - reads any bytes as the points of a figure result: they give valid points,
 * or are refused. The bytes follow the keys of a valid header, so that the fuzzer gets past it. If
 * they begin with '!', there is no header. A complete file has two points in each of four
 * curves. */
#include "fuzz.h"

#include <math.h>

#include "papers/reproduce_plan.h"

static const lotor_curve_plan curves[] = {
    {"a, \"b\"", {.algorithm = "dp-se"}},
    {"ucb", {.algorithm = "ucb"}},
};
static const lotor_panel_plan panels[] = {{"honest", 1.0}, {"x 0.01", 0.01}};
static const lotor_figure figure = {
    .id = "fuzz",
    .base = {.instance = "c1", .epsilon = 1, .horizon = 2, .runs = 2},
    .log_x = true,
    .lists_sets = true,
    .curves = curves,
    .curve_count = 2,
    .panels = panels,
    .panel_count = 2,
};

static void check_set(const lotor_figure_result *played, const lotor_arm_set *set)
{
    CHECK(set->count > 0 && set->count <= played->name_count);
    for (size_t i = 0; i < set->count; i++) {
        CHECK(set->arms[i] < played->name_count && played->names[set->arms[i]]);
    }
}

static void check_points(const lotor_figure_result *played)
{
    CHECK(played->count == 2 && played->seconds >= 0.0 && played->seconds <= 1e8);
    check_set(played, &played->best);
    for (size_t i = 0; i < played->count; i++) {
        for (size_t j = 0; j < played->panels[i].count; j++) {
            const lotor_series *series = &played->panels[i].series[j];
            CHECK(!isinf(series->lower_bound) && series->count == 2);
            check_set(played, &series->shown);
            for (size_t k = 0; k < series->count; k++) {
                const lotor_curve_point *point = &series->points[k];
                CHECK(point->x == (double)k + 1.0 && isfinite(point->mean));
                CHECK(isfinite(point->standard_error) && point->standard_error >= 0.0);
            }
        }
    }
}

/* The keys of a valid header, then the text. */
static char *with_head(const char *text, size_t size, size_t *length)
{
    char head[512];
    const int used =
        snprintf(head, sizeof head,
                 "# lotor: %s\n# figure: fuzz\n# settings: %016llx\n# scale: quick\n# seed: 1\n"
                 "# horizon: 2\n# runs: 2\n# seconds: 1.5\n# remark:\n# points: 8\n",
                 lotor_version(), (unsigned long long)lotor_figure_fingerprint(&figure, true));
    CHECK(used > 0 && (size_t)used < sizeof head);
    char *bytes = malloc((size_t)used + size);
    CHECK(bytes);
    memcpy(bytes, head, (size_t)used);
    if (size > 0) {
        memcpy(bytes + used, text, size);
    }
    *length = (size_t)used + size;
    return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const lotor_reproduction how = {.is_quick = true, .seed = 1};
    const char *text = (const char *)data;
    const bool bare = size > 0 && text[0] == '!';
    text += bare;
    size -= bare;
    size_t length = size;
    char *made = bare ? NULL : with_head(text, size, &length);
    lotor_message why = {""};
    lotor_figure_result played;
    const lotor_status status = lotor_figure_result_parse(
        &figure, &how, (lotor_slice){made ? made : text, length}, "fuzz", &why, &played);
    if (status == LOTOR_OK) {
        check_points(&played);
    } else {
        CHECK(status == LOTOR_INVALID && why.text[0] != '\0' && !played.panels);
    }
    lotor_figure_result_clear(&played);
    free(made);
    return 0;
}
