/* fuzz_played.c - any bytes as the points of a played figure: points that keep their promises, or a
 * refusal. The bytes stand behind a head that fits, so that the fuzzer gets past it; without a head
 * where they begin with '#'. */
#include "fuzz.h"

#include <math.h>

#include "lab/reproduce_plan.h"

static const lotor_curve_plan curves[] = {
    {"a, \"b\"", {.algorithm = "dp-se"}},
    {"ucb", {.algorithm = "ucb"}},
};
static const lotor_panel_plan panels[] = {{"honest", 1.0}, {"x 0.01", 0.01}};
static const lotor_figure figure = {
    .id = "fuzz",
    .base = {.instance = "c1", .epsilon = 1, .horizon = 100, .runs = 2},
    .curves = curves,
    .curve_count = 2,
    .panels = panels,
    .panel_count = 2,
};

static void check_points(const lotor_played *played)
{
    CHECK(played->count == 2 && played->seconds >= 0.0);
    for (size_t i = 0; i < played->count; i++) {
        for (size_t j = 0; j < played->panels[i].count; j++) {
            const lotor_series *series = &played->panels[i].series[j];
            CHECK(!isinf(series->lower_bound));
            for (size_t k = 0; k < series->count; k++) {
                const lotor_point *point = &series->points[k];
                CHECK(isfinite(point->x) && !isinf(point->mean) && !isinf(point->standard_error));
                CHECK(!(point->standard_error < 0.0));
                CHECK(k == 0 || point->x > point[-1].x);
            }
        }
    }
}

/* The head of such a file, with as many points as there are lines. */
static char *with_head(const char *text, size_t size, size_t *length)
{
    size_t lines = size > 0 && text[size - 1] != '\n';
    for (size_t i = 0; i < size; i++) {
        lines += text[i] == '\n';
    }
    char head[512];
    const int used = snprintf(
        head, sizeof head,
        "# lotor: %s\n# figure: fuzz\n# settings: %016llx\n# scale: quick\n# seed: 1\n"
        "# horizon: 100\n# runs: 2\n# seconds: 1.5\n# remark:\n# points: %zu\n"
        "panel,curve,x,mean,stderr\n",
        lotor_version(), (unsigned long long)lotor_figure_fingerprint(&figure, true), lines);
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
    const bool bare = size > 0 && text[0] == '#';
    size_t length = size;
    char *made = bare ? NULL : with_head(text, size, &length);
    lotor_message why = {""};
    lotor_played played;
    const lotor_status status = lotor_played_parse(
        &figure, &how, (lotor_span){made ? made : text, length}, "fuzz", &why, &played);
    if (status == LOTOR_OK) {
        check_points(&played);
    } else {
        CHECK(status == LOTOR_INVALID && why.text[0] != '\0' && !played.panels);
    }
    lotor_played_clear(&played);
    free(made);
    return 0;
}
