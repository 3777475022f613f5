/* page_settings.c - writes tables of the settings: first the settings that all curves share, then
 * those of each curve. Both are taken from the experiments as they were played. */
#include "papers/page_settings.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "papers/reproduce_plan.h"
#include "papers/typeset.h"

typedef enum field {
    FIELD_ALGORITHM,
    FIELD_EPSILON,
    FIELD_DELTA,
    FIELD_BETA,
    FIELD_NOISE,
    FIELD_PLACE,
    FIELD_ARMS,
    FIELD_SLOTS,
    FIELD_DIMENSION,
    FIELD_GAP,
    FIELD_REGULARIZER,
    FIELD_HORIZON,
    FIELD_RUNS,
    FIELDS
} field;

static const char *const field_names[FIELDS] = {
    "algorithm", "ε",           "δ",   "β",           "noise",  "played on", "arms",
    "slots",     "dimension d", "gap", "regularizer", "rounds", "runs"};

static const char *name_of(const lotor_figure *figure, int which)
{
    return which == FIELD_BETA && figure->base.place == LOTOR_FIGURE_WORLD_LINEAR
               ? "α"
               : field_names[which];
}

static bool put_number_unless_0(lotor_text *text, double value)
{
    if (value == 0.0) {
        return false;
    }
    if (isinf(value)) {
        lotor_text_add(text, "∞ (no noise)");
    } else {
        lotor_typeset_number(text, value, 6);
    }
    return true;
}

static bool put_whole_unless_0(lotor_text *text, uint64_t value)
{
    if (value > 0) {
        lotor_text_grouped(text, value);
    }
    return value > 0;
}

static bool put_place(lotor_text *text, const lotor_setting *setting)
{
    switch (setting->place) {
    case LOTOR_FIGURE_WORLD_INSTANCE:
        lotor_text_escape(text, setting->instance);
        return setting->instance != NULL;
    case LOTOR_FIGURE_WORLD_TWO_VALUED:
        lotor_text_add(text, "means ");
        lotor_typeset_number(text, setting->high, 6);
        lotor_text_add(text, " (first slots) and ");
        lotor_typeset_number(text, setting->low, 6);
        return true;
    case LOTOR_FIGURE_WORLD_COVERAGE:
    case LOTOR_FIGURE_WORLD_INFLUENCE:
        lotor_text_add(text, setting->place == LOTOR_FIGURE_WORLD_COVERAGE
                                 ? "coverage by two vertices, edges with means "
                                 : "influence of one vertex, edges with means ");
        lotor_text_number(text, setting->high, 6);
        lotor_text_add(text, " (the best) and ");
        lotor_text_number(text, setting->low, 6);
        return true;
    case LOTOR_FIGURE_WORLD_MOVIELENS:
        lotor_text_add(text, "MovieLens");
        return true;
    case LOTOR_FIGURE_WORLD_LINEAR:
        lotor_text_add(text,
                       setting->has_gap ? "linear, arms with a gap" : "linear, the unit ball");
        return true;
    case LOTOR_FIGURE_WORLD_CONTEXTS:
        lotor_text_add(text, "two contexts with opposite best arms");
        return true;
    case LOTOR_FIGURE_WORLD_FORMULA:
        lotor_text_add(text, "nothing: a formula");
        return true;
    }
    return false;
}

/* Writes a field. False, and nothing written, if the field has its default. */
static bool put_field(lotor_text *text, const lotor_setting *setting, field which)
{
    switch (which) {
    case FIELD_ALGORITHM:
        if (setting->place == LOTOR_FIGURE_WORLD_FORMULA) {
            return false;
        }
        lotor_typeset(text, setting->algorithm, LOTOR_TYPESET_HTML);
        return setting->algorithm != NULL;
    case FIELD_EPSILON:
        return put_number_unless_0(text, setting->epsilon);
    case FIELD_DELTA:
        return put_number_unless_0(text, setting->delta);
    case FIELD_BETA:
        return put_number_unless_0(text, setting->beta);
    case FIELD_NOISE:
        if (setting->noise_scale == 1.0) {
            return false;
        }
        lotor_text_add(text, "× ");
        return put_number_unless_0(text, setting->noise_scale);
    case FIELD_PLACE:
        return put_place(text, setting);
    case FIELD_ARMS:
        return put_whole_unless_0(text, setting->arms);
    case FIELD_SLOTS:
        return put_whole_unless_0(text, setting->slots);
    case FIELD_DIMENSION:
        return put_whole_unless_0(text, setting->dimension);
    case FIELD_GAP:
        if (setting->has_gap) {
            lotor_typeset_number(text, setting->gap, 6);
        }
        return setting->has_gap;
    case FIELD_REGULARIZER:
        return put_number_unless_0(text, setting->regularizer);
    case FIELD_HORIZON:
        return put_whole_unless_0(text, setting->horizon);
    case FIELD_RUNS:
        return put_whole_unless_0(text, setting->runs);
    case FIELDS:
        break;
    }
    return false;
}

/* --- settings of the figure ------------------------------------------------------------------- */

static void put_played(lotor_text *text, const char *name, uint64_t played, uint64_t paper)
{
    lotor_text_print(text, "<tr><th scope=\"row\">%s</th><td>", name);
    lotor_text_grouped(text, played);
    if (played != paper && paper > 0) {
        lotor_text_add(text, " (at paper scale: ");
        lotor_text_grouped(text, paper);
        lotor_text_add(text, ")");
    }
    lotor_text_add(text, "</td></tr>\n");
}

static const char *axis_name(lotor_figure_axis axis)
{
    static const char *const names[] = {"rounds",    "ε",   "1/ε",         "arms",   "slots",
                                        "dimension", "gap", "regularizer", "setting"};
    return (size_t)axis < sizeof names / sizeof *names ? names[axis] : "values";
}

/* Writes the values of the axis: those of the first curve. */
static void put_values(lotor_text *text, const lotor_figure_result *played)
{
    enum { MOST = 12 };
    if (played->figure->axis == LOTOR_AXIS_ROUND || played->count == 0 ||
        played->panels[0].count == 0) {
        return;
    }
    const lotor_series *series = &played->panels[0].series[0];
    lotor_text_print(text, "<tr><th scope=\"row\">%s varied</th><td>",
                     axis_name(played->figure->axis));
    if (series->count > MOST) {
        lotor_text_print(text, "%zu values from ", series->count);
        lotor_typeset_number(text, series->points[0].x, 6);
        lotor_text_add(text, " to ");
        lotor_typeset_number(text, series->points[series->count - 1].x, 6);
    }
    for (size_t i = 0; i < series->count && series->count <= MOST; i++) {
        lotor_text_add(text, i > 0 ? ", " : "");
        lotor_typeset_number(text, series->points[i].x, 6);
    }
    lotor_text_add(text, "</td></tr>\n");
}

/* --- settings of the curves ------------------------------------------------------------------- */

/* True if the axis or the panels set the field: then a curve has several values of it. */
static bool is_varied(const lotor_figure *figure, const lotor_setting *setting, int which)
{
    switch (figure->axis) {
    case LOTOR_AXIS_EPSILON:
    case LOTOR_AXIS_PER_EPSILON:
        return which == FIELD_EPSILON;
    case LOTOR_AXIS_ARMS:
        return which == FIELD_ARMS;
    case LOTOR_AXIS_SLOTS:
        return which == FIELD_SLOTS;
    case LOTOR_AXIS_DIMENSION:
        return which == FIELD_DIMENSION || (which == FIELD_ARMS && setting->has_gap);
    case LOTOR_AXIS_GAP:
        return which == FIELD_GAP;
    case LOTOR_AXIS_REGULARIZER:
        return which == FIELD_REGULARIZER;
    case LOTOR_AXIS_SETTING:
        return which == FIELD_PLACE || which == FIELD_EPSILON || which == FIELD_ARMS;
    case LOTOR_AXIS_ROUND:
        break;
    }
    return which == FIELD_NOISE && figure->panels;
}

/* The field's value for a curve; "" if it has none. Clear *out in any case. */
static const char *value_of(const lotor_figure_result *played, size_t curve, int which,
                            lotor_text *out)
{
    const lotor_figure *figure = played->figure;
    const size_t cells = lotor_figure_cell_count(figure, played->is_quick);
    const size_t values = cells / lotor_figure_panels(figure) / figure->curve_count;
    const lotor_setting setting =
        lotor_figure_cell_at(figure, played->is_quick, curve * values).setting;
    *out = (lotor_text){0};
    if (is_varied(figure, &setting, which) || !put_field(out, &setting, (field)which)) {
        return "";
    }
    return out->bytes ? out->bytes : "";
}

typedef enum spread { SPREAD_NONE, SPREAD_SAME, SPREAD_OWN } spread;

/* True if the curves have the field, and all have the same value. */
static spread spread_of(lotor_text *text, const lotor_figure_result *played, int which)
{
    lotor_text first;
    const char *value = value_of(played, 0, which, &first);
    spread found = *value ? SPREAD_SAME : SPREAD_NONE;
    for (size_t i = 1; i < played->figure->curve_count; i++) {
        lotor_text other;
        if (strcmp(value_of(played, i, which, &other), value) != 0) {
            found = SPREAD_OWN;
        }
        text->is_out_of_memory = text->is_out_of_memory || other.is_out_of_memory;
        lotor_text_clear(&other);
    }
    text->is_out_of_memory = text->is_out_of_memory || first.is_out_of_memory;
    lotor_text_clear(&first);
    return found;
}

static void put_value(lotor_text *text, const lotor_figure_result *played, size_t curve, int which)
{
    lotor_text value;
    lotor_text_add(text, value_of(played, curve, which, &value));
    text->is_out_of_memory = text->is_out_of_memory || value.is_out_of_memory;
    lotor_text_clear(&value);
}

static void put_base(lotor_text *text, const lotor_figure_result *played, const spread *spreads)
{
    const lotor_figure *figure = played->figure;
    lotor_text_add(text, "<table class=\"settings\"><caption>Settings</caption><tbody>\n");
    if (figure->base.place != LOTOR_FIGURE_WORLD_FORMULA) {
        put_played(text, "rounds", played->horizon, figure->base.horizon);
        put_played(text, "runs", played->runs, figure->base.runs);
    }
    lotor_text_print(text, "<tr><th scope=\"row\">seed</th><td>%" PRIu64 "</td></tr>\n",
                     played->seed);
    for (int i = 0; i < FIELD_HORIZON; i++) {
        if (spreads[i] == SPREAD_SAME) {
            lotor_text_print(text, "<tr><th scope=\"row\">%s</th><td>", name_of(figure, i));
            put_value(text, played, 0, i);
            lotor_text_add(text, "</td></tr>\n");
        }
    }
    put_values(text, played);
    lotor_text_add(text, "</tbody></table>\n");
}

static void put_curves(lotor_text *text, const lotor_figure_result *played, const spread *spreads)
{
    const lotor_figure *figure = played->figure;
    lotor_text_add(text, "<table><caption>Curves</caption><thead><tr><th scope=\"col\">curve</th>");
    for (int i = 0; i < FIELDS; i++) {
        if (spreads[i] == SPREAD_OWN) {
            lotor_text_print(text, "<th scope=\"col\">%s</th>", name_of(figure, i));
        }
    }
    lotor_text_add(text, "</tr></thead><tbody>\n");
    for (size_t i = 0; i < figure->curve_count; i++) {
        lotor_text_add(text, "<tr><th scope=\"row\">");
        lotor_typeset(text, figure->curves[i].label, LOTOR_TYPESET_HTML);
        lotor_text_add(text, "</th>");
        for (int j = 0; j < FIELDS; j++) {
            if (spreads[j] == SPREAD_OWN) {
                lotor_text_add(text, "<td>");
                put_value(text, played, i, j);
                lotor_text_add(text, "</td>");
            }
        }
        lotor_text_add(text, "</tr>\n");
    }
    lotor_text_add(text, "</tbody></table>\n");
}

void lotor_page_put_settings(lotor_text *text, const lotor_figure_result *played)
{
    spread spreads[FIELDS];
    bool any_own = false;
    for (int i = 0; i < FIELDS; i++) {
        spreads[i] = spread_of(text, played, i);
        any_own = any_own || spreads[i] == SPREAD_OWN;
    }
    lotor_text_add(text, "<div class=\"tables\"><div class=\"scroll\" tabindex=\"0\" "
                         "role=\"region\" aria-label=\"Settings\">\n");
    put_base(text, played, spreads);
    lotor_text_add(text, "</div>");
    if (any_own) {
        lotor_text_add(
            text, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Curves\">\n");
        put_curves(text, played, spreads);
        lotor_text_add(text, "</div>");
    }
    lotor_text_add(text, "</div>\n");
}
