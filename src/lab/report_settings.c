/* report_settings.c - what was played, as tables: the figure's settings, then what each curve has of
 * its own. */
#include "lab/report_parts.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

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
    return which == FIELD_BETA && figure->base.place == LOTOR_PLACE_LINEAR ? "α"
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
        lotor_text_number(text, value, 6);
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
    case LOTOR_PLACE_INSTANCE:
        lotor_text_escape(text, setting->instance);
        return setting->instance != NULL;
    case LOTOR_PLACE_TWO_VALUED:
        lotor_text_add(text, "means ");
        lotor_text_number(text, setting->high, 6);
        lotor_text_add(text, " (first slots) and ");
        lotor_text_number(text, setting->low, 6);
        return true;
    case LOTOR_PLACE_MOVIELENS:
        lotor_text_add(text, "MovieLens");
        return true;
    case LOTOR_PLACE_LINEAR:
        lotor_text_add(text,
                       setting->has_gap ? "linear, arms with a gap" : "linear, the unit ball");
        return true;
    case LOTOR_PLACE_FORMULA:
        lotor_text_add(text, "nothing: a formula");
        return true;
    }
    return false;
}

/* Writes a field; false (and nothing written) where it is left to its default. */
static bool put_field(lotor_text *text, const lotor_setting *setting, field which)
{
    switch (which) {
    case FIELD_ALGORITHM:
        lotor_text_escape(text, setting->algorithm);
        return setting->algorithm != NULL;
    case FIELD_EPSILON:
        return put_number_unless_0(text, setting->epsilon);
    case FIELD_DELTA:
        return put_number_unless_0(text, setting->delta);
    case FIELD_BETA:
        return put_number_unless_0(text, setting->beta);
    case FIELD_NOISE:
        if (setting->noise_scale != 0.0) {
            lotor_text_add(text, "× ");
        }
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
            lotor_text_number(text, setting->gap, 6);
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

/* --- the figure's ------------------------------------------------------------------------------- */

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

static const char *axis_name(lotor_axis axis)
{
    static const char *const names[] = {"rounds", "ε",         "1/ε", "arms",
                                        "slots",  "dimension", "gap", "regularizer"};
    return (size_t)axis < sizeof names / sizeof *names ? names[axis] : "values";
}

/* The values of the axis: those of the first curve, which were played. */
static void put_values(lotor_text *text, const lotor_played *played)
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
        lotor_text_number(text, series->points[0].x, 6);
        lotor_text_add(text, " to ");
        lotor_text_number(text, series->points[series->count - 1].x, 6);
    }
    for (size_t i = 0; i < series->count && series->count <= MOST; i++) {
        lotor_text_add(text, i > 0 ? ", " : "");
        lotor_text_number(text, series->points[i].x, 6);
    }
    lotor_text_add(text, "</td></tr>\n");
}

static void put_base(lotor_text *text, const lotor_played *played)
{
    const lotor_figure *figure = played->figure;
    lotor_text_add(text, "<table class=\"settings\"><caption>Settings</caption><tbody>\n");
    if (figure->base.place != LOTOR_PLACE_FORMULA) {
        put_played(text, "rounds", played->horizon, figure->base.horizon);
        put_played(text, "runs", played->runs, figure->base.runs);
    }
    lotor_text_print(text, "<tr><th scope=\"row\">seed</th><td>%" PRIu64 "</td></tr>\n",
                     played->seed);
    for (int i = 0; i < FIELD_HORIZON; i++) {
        lotor_text value = {0};
        if (put_field(&value, &figure->base, (field)i) && value.bytes) {
            lotor_text_print(text, "<tr><th scope=\"row\">%s</th><td>%s</td></tr>\n",
                             name_of(figure, i), value.bytes);
        }
        text->is_out_of_memory = text->is_out_of_memory || value.is_out_of_memory;
        lotor_text_clear(&value);
    }
    put_values(text, played);
    lotor_text_add(text, "</tbody></table>\n");
}

/* --- the curves' -------------------------------------------------------------------------------- */

/* Whether any curve sets the field. */
static bool any_sets(lotor_text *text, const lotor_figure *figure, field which)
{
    bool is_set = false;
    for (size_t i = 0; i < figure->curve_count && !is_set; i++) {
        lotor_text value = {0};
        is_set = put_field(&value, &figure->curves[i].setting, which);
        text->is_out_of_memory = text->is_out_of_memory || value.is_out_of_memory;
        lotor_text_clear(&value);
    }
    return is_set;
}

void report_put_settings(lotor_text *text, const lotor_played *played)
{
    const lotor_figure *figure = played->figure;
    bool is_column[FIELDS];
    lotor_text_add(text, "<div class=\"tables\"><div class=\"scroll\" tabindex=\"0\">\n");
    put_base(text, played);
    lotor_text_add(text, "</div><div class=\"scroll\" tabindex=\"0\">\n<table><caption>Curves"
                         "</caption><thead><tr><th scope=\"col\">curve</th>");
    for (int i = 0; i < FIELDS; i++) {
        is_column[i] = any_sets(text, figure, (field)i);
        if (is_column[i]) {
            lotor_text_print(text, "<th scope=\"col\">%s</th>", name_of(figure, i));
        }
    }
    lotor_text_add(text, "</tr></thead><tbody>\n");
    for (size_t i = 0; i < figure->curve_count; i++) {
        lotor_text_add(text, "<tr><th scope=\"row\">");
        lotor_text_escape(text, figure->curves[i].label);
        lotor_text_add(text, "</th>");
        for (int j = 0; j < FIELDS; j++) {
            if (is_column[j]) {
                lotor_text_add(text, "<td>");
                if (!put_field(text, &figure->curves[i].setting, (field)j) && j < FIELD_HORIZON) {
                    put_field(text, &figure->base, (field)j);
                }
                lotor_text_add(text, "</td>");
            }
        }
        lotor_text_add(text, "</tr>\n");
    }
    lotor_text_add(text, "</tbody></table></div></div>\n");
}
