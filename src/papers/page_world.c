/* page_world.c - see page_world.h. */
#include "papers/page_world.h"

#include <string.h>

#include "papers/reproduce_plan.h"
#include "papers/typeset.h"
#include "policy/catalog.h"
#include "world/world.h"

/* --- cells of the figure ------------------------------------------------------------------------ */

/* The number of cells on the first panel. All panels have the same worlds. */
static size_t count_cells(const lotor_figure_result *played)
{
    return lotor_figure_cell_count(played->figure, played->is_quick) /
           lotor_figure_panels(played->figure);
}

static lotor_setting setting_at(const lotor_figure_result *played, size_t number)
{
    return lotor_figure_cell_at(played->figure, played->is_quick, number).setting;
}

static bool is_same_name(const lotor_setting *one, const lotor_setting *other)
{
    return one->instance && other->instance && strcmp(one->instance, other->instance) == 0;
}

/* True if an earlier cell has the same instance; with `arms`, also as many arms. */
static bool is_known(const lotor_figure_result *played, size_t number, bool with_arms)
{
    const lotor_setting here = setting_at(played, number);
    for (size_t i = 0; i < number; i++) {
        const lotor_setting before = setting_at(played, i);
        if (is_same_name(&before, &here) && (!with_arms || before.arms == here.arms)) {
            return true;
        }
    }
    return false;
}

/* The least and the largest of a field over all cells. */
typedef struct field_range {
    size_t low, high;
} field_range;

static field_range range_of(const lotor_figure_result *played, size_t offset)
{
    field_range range = {0, 0};
    const size_t cells = count_cells(played);
    for (size_t i = 0; i < cells; i++) {
        const lotor_setting setting = setting_at(played, i);
        size_t value;
        memcpy(&value, (const char *)&setting + offset, sizeof value);
        range.low = i == 0 || value < range.low ? value : range.low;
        range.high = value > range.high ? value : range.high;
    }
    return range;
}

static void put_range(lotor_text *text, field_range range)
{
    lotor_text_print(text, range.low == range.high ? "%zu" : "%zu to ", range.low);
    if (range.low != range.high) {
        lotor_text_print(text, "%zu", range.high);
    }
}

/* --- instances with a name ---------------------------------------------------------------------- */

static const char *words_of(const char *instance)
{
    static const char *const known[][2] = {
        {"c1", "The best arm has mean 0.75, and all others have 0.7."},
        {"c2", "Means fall from 0.75 to 0.25 in equal steps."},
        {"c3", "Means fall from 0.75 to 0.25 along a parabola, steeply at first: most arms are far "
               "below the best."},
        {"c4",
         "Means fall from 0.75 to 0.25 along a parabola, slowly at first: most arms are close "
         "to the best."},
        {"c2-printed", "The list that the thesis prints for c2."},
        {"c4-printed", "The list that the thesis prints for c4."},
        {"table-6.1",
         "Arms are vectors, and linearly independent arms may be shown together, three at most."},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(known[i][0], instance) == 0) {
            return known[i][1];
        }
    }
    return "";
}

/* Adds the means; equal means that follow each other are counted. */
static void put_means(lotor_text *text, const lotor_world *world)
{
    enum { FEW = 5 };
    for (size_t i = 0, next; i < world->arms; i = next) {
        for (next = i + 1; next < world->arms && world->means[next] == world->means[i];) {
            next++;
        }
        lotor_text_add(text, i > 0 ? ", " : "");
        lotor_typeset_number(text, world->means[i], world->arms > FEW ? 4 : 6);
        if (next > i + 1) {
            lotor_text_print(text, " (%zu times)", next - i);
        }
    }
}

static void put_vectors(lotor_text *text, const lotor_world *world)
{
    for (size_t i = 0; i < world->arms; i++) {
        lotor_text_add(text, i > 0 ? ", " : "");
        for (size_t j = 0; j < world->dimension; j++) {
            lotor_text_add(text, j > 0 ? ", " : "(");
            lotor_typeset_number(text, (double)world->vectors[i * world->dimension + j], 6);
        }
        lotor_text_add(text, ") ");
        lotor_typeset_number(text, world->means[i], 6);
    }
}

static void put_means_of(lotor_text *text, const lotor_setting *setting)
{
    lotor_world *world;
    const lotor_status status =
        lotor_world_instance(setting->instance, setting->arms, NULL, &world);
    if (status != LOTOR_OK) {
        text->is_out_of_memory = text->is_out_of_memory || status == LOTOR_MEMORY;
        return;
    }
    lotor_text_print(text, " %zu arms, means ", world->arms);
    if (world->vectors) {
        put_vectors(text, world);
    } else {
        put_means(text, world);
    }
    lotor_text_add(text, ".");
    lotor_world_free(world);
}

static void put_instances(lotor_text *text, const lotor_figure_result *played)
{
    const size_t cells = count_cells(played);
    for (size_t i = 0; i < cells; i++) {
        const lotor_setting setting = setting_at(played, i);
        if (!setting.instance || is_known(played, i, false)) {
            continue;
        }
        lotor_text_add(text, "<p class=\"world\"><b>");
        lotor_text_escape(text, setting.instance);
        lotor_text_add(text, "</b>: ");
        lotor_text_add(text, words_of(setting.instance));
        for (size_t j = i; j < cells; j++) {
            const lotor_setting other = setting_at(played, j);
            if (is_same_name(&setting, &other) && !is_known(played, j, true)) {
                put_means_of(text, &other);
            }
        }
        lotor_text_add(text, " Rewards are 0 or 1.</p>\n");
    }
}

/* --- other worlds ------------------------------------------------------------------------------- */

#define RANGE(field) range_of(played, offsetof(lotor_setting, field))

/* True if lists are shown, and people read them up to the first click. */
static bool has_lists(const lotor_setting *setting)
{
    const lotor_algorithm *row =
        setting->algorithm ? lotor_algorithms_find(setting->algorithm) : NULL;
    return setting->cascade || (row && row->problem == LOTOR_PROBLEM_CASCADE);
}

static void put_two_valued(lotor_text *text, const lotor_figure_result *played,
                           const lotor_setting *first)
{
    const bool is_list = has_lists(first);
    lotor_text_add(text, "<p class=\"world\"><b>Two means</b>: ");
    lotor_text_add(text, is_list ? "each round shows a list of K = " : "each round shows K = ");
    put_range(text, RANGE(slots));
    lotor_text_add(text, " of ");
    put_range(text, RANGE(arms));
    lotor_text_add(text, is_list
                             ? " items. A person reads it from the top and clicks the first item "
                               "that attracts. The first K items attract with probability "
                             : " arms. The first K have mean ");
    lotor_typeset_number(text, first->high, 6);
    lotor_text_add(text, ", the others ");
    lotor_text_add(text, is_list ? "with " : "");
    lotor_typeset_number(text, first->low, 6);
    lotor_text_add(text, is_list ? ".</p>\n" : ". Rewards are 0 or 1, and independent.</p>\n");
}

static void put_linear(lotor_text *text, const lotor_figure_result *played,
                       const lotor_setting *first)
{
    const field_range arms = RANGE(arms), dimension = RANGE(dimension);
    lotor_text_add(text, "<p class=\"world\"><b>");
    lotor_text_add(text, first->has_gap ? "Contexts with a gap" : "Contexts in the ball");
    lotor_text_add(text, "</b>: each round has ");
    put_range(text, arms);
    lotor_text_add(text, " new actions in d = ");
    put_range(text, dimension);
    lotor_text_add(text,
                   first->has_gap
                       ? " dimensions, on the unit sphere. One has mean reward 0.75. The means of "
                         "the others are those of random points of the sphere between −0.75 and "
                         "0.75 − gap."
                       : " dimensions, uniform in the unit ball. The mean reward of an action x is "
                         "⟨θ, x⟩, with θ uniform on the unit sphere, drawn once for a run.");
    lotor_text_add(text, " A reward is +1 or −1.</p>\n");
}

static void put_graph(lotor_text *text, const lotor_figure_result *played,
                      const lotor_setting *first)
{
    const bool covers = first->place == LOTOR_FIGURE_WORLD_COVERAGE;
    lotor_text_add(text, "<p class=\"world\"><b>");
    lotor_text_add(text, covers ? "Coverage</b>: two vertices are chosen each round, and the edges "
                                  "that leave them are shown. "
                                : "Influence</b>: one vertex is chosen each round, and news spread "
                                  "from it along the edges. ");
    lotor_text_add(text, "There are m = ");
    put_range(text, RANGE(arms));
    lotor_text_add(text, " edges. Each works with its own probability: ");
    lotor_typeset_number(text, first->high, 6);
    lotor_text_add(text, " for the best, ");
    lotor_typeset_number(text, first->low, 6);
    lotor_text_add(text, covers ? " for the others. The reward is the number of vertices that are "
                                  "reached by an edge.</p>\n"
                                : " for the others. The reward is the number of vertices that hear "
                                  "the news.</p>\n");
}

void lotor_page_put_worlds(lotor_text *text, const lotor_figure_result *played)
{
    if (count_cells(played) == 0) {
        return;
    }
    const lotor_setting first = setting_at(played, 0);
    switch (first.place) {
    case LOTOR_FIGURE_WORLD_INSTANCE:
        put_instances(text, played);
        break;
    case LOTOR_FIGURE_WORLD_TWO_VALUED:
        put_two_valued(text, played, &first);
        break;
    case LOTOR_FIGURE_WORLD_MOVIELENS:
        lotor_text_print(
            text,
            "<p class=\"world\"><b>MovieLens</b>: the %zu most rated movies. Movies may be shown "
            "together if their vectors of 18 genres are linearly independent. Each round is one "
            "random user; a movie pays 1 if that user rated it, otherwise 0.</p>\n",
            first.arms);
        break;
    case LOTOR_FIGURE_WORLD_LINEAR:
        put_linear(text, played, &first);
        break;
    case LOTOR_FIGURE_WORLD_COVERAGE:
    case LOTOR_FIGURE_WORLD_INFLUENCE:
        put_graph(text, played, &first);
        break;
    case LOTOR_FIGURE_WORLD_CONTEXTS:
        lotor_text_add(
            text, "<p class=\"world\"><b>Two contexts</b>: each round has one of two contexts, "
                  "with equal probability. An arm has mean reward 0.5 in one of them and −0.5 "
                  "in the other, and the other arm the reverse.</p>\n");
        break;
    case LOTOR_FIGURE_WORLD_FORMULA:
        break;
    }
}
