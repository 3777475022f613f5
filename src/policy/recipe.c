/* recipe.c - catalogs of own algorithms: lotor/experimental/catalog.h.
 *
 * A recipe becomes a row like those of catalog.c. Its statistic decides what the row claims, and
 * promise.c derives from that and from the feedback whether the row is private. A recipe has no
 * field for a model, a theorem or a calibration, so it can't state them.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/quote.h"
#include "base/suggest.h"
#include "policy/catalog.h"
#include "privacy/encode/feedback.h"

enum { ID_MOST = 40 };

/* A statistic that recipes can take. A recipe's computations on releases are post-processing, so
 * the theorem is that of the releases. */
typedef struct base {
    const char *name;
    const lotor_statistic_kind *kind;
    const char *theorem; /* NULL: nothing is proved */
    bool needs_horizon;
    lotor_ratio delta; /* the default; 0/0: the guarantee is pure */
    const char *usual; /* the usual problem */
} base;

static const base bases[] = {
    {"growing",
     &lotor_statistic_growing,
     "post-processing; Laplace mechanism (Dwork, McSherry, Nissim and Smith 2006) on disjoint "
     "batches; Lotor: proofs, section 4.2 (Growing batches, one arm recorded a round)",
     false,
     {0, 0},
     "any"},
    {"episodes",
     &lotor_statistic_episodes,
     "post-processing; Laplace mechanism (Dwork, McSherry, Nissim and Smith 2006) on disjoint "
     "batches; Lotor: proofs, section 4.3 (Episodes)",
     false,
     {0, 0},
     "any"},
    {"episodes-kept",
     &lotor_statistic_episodes_kept,
     "post-processing; Laplace mechanism (Dwork, McSherry, Nissim and Smith 2006) on disjoint "
     "batches; Lotor: proofs, section 4.3 (Episodes)",
     false,
     {0, 0},
     "any"},
    {"doubling",
     &lotor_statistic_doubling,
     "post-processing; Laplace mechanism (Dwork, McSherry, Nissim and Smith 2006) on disjoint "
     "batches; Lotor: proofs, section 4.1 (Batches)",
     false,
     {0, 0},
     "finite"},
    {"tree",
     &lotor_statistic_tree_tight,
     "post-processing; binary mechanism (Chan, Shi and Song 2011), one tree per arm; Lotor: "
     "proofs, section 4.4 (Binary tree)",
     true,
     {0, 0},
     "finite"},
    {"gaussian-tree",
     &lotor_statistic_tree_gaussian,
     "post-processing; Gaussian mechanism on tree nodes by zCDP (Bun and Steinke 2016); Lotor: "
     "proofs, section 4.4 (Binary tree)",
     true,
     {1, 100000},
     "finite"},
    {"hybrid",
     &lotor_statistic_hybrid,
     "post-processing; hybrid mechanism (Chan, Shi and Song 2011), one counter per arm; Lotor: "
     "proofs, section 4.5 (Hybrid counter)",
     false,
     {0, 0},
     "finite"},
    {"vector-tree",
     &lotor_statistic_vector_tree,
     "post-processing; binary mechanism on vectors (Chen et al. 2020, Theorem 7)",
     true,
     {0, 0},
     "semi-bandit"},
    {"reports",
     &lotor_statistic_reports,
     "post-processing; Laplace mechanism (Dwork, McSherry, Nissim and Smith 2006) on one round's "
     "rewards; Lotor: proofs, section 4.10 (Local Laplace reports)",
     false,
     {0, 0},
     "finite"},
    {"bits",
     &lotor_statistic_bits,
     "post-processing; randomized response (Warner 1965); Lotor: proofs, section 4.11 (One bit)",
     false,
     {0, 0},
     "any"},
    {"cube-reports",
     &lotor_statistic_cube_reports,
     "post-processing; randomized signs; Lotor: proofs, section 4.13 (K rewards on the cube)",
     false,
     {0, 0},
     "semi-bandit"},
    {"click-batches",
     &lotor_statistic_click_batches,
     "post-processing; Laplace mechanism (Dwork, McSherry, Nissim and Smith 2006) on batches of "
     "displays; Lotor: proofs, section 4.9 (Clicks in batches of displays)",
     false,
     {0, 0},
     "cascade"},
    {"click-reports",
     &lotor_statistic_click_reports,
     "post-processing; randomized response (Warner 1965) on K + 1 places; Lotor: proofs, section "
     "4.12 (The place of a click)",
     false,
     {0, 0},
     "cascade"},
    {"exact", &lotor_statistic_exact, NULL, false, {0, 0}, "finite"},
};

enum { BASES = sizeof bases / sizeof *bases };

/* One recipe. Rows do not move when others are added, because policies point to them. */
typedef struct entry {
    struct entry *next;
    lotor_recipe recipe; /* its texts are the library's, or in `texts` */
    lotor_algorithm row;
    char texts[]; /* the id and the summary */
} entry;

struct lotor_catalog {
    entry *first;
};

const char *lotor_recipe_statistic(size_t place)
{
    return place < BASES ? bases[place].name : NULL;
}

lotor_status lotor_catalog_new(lotor_message *why, lotor_catalog **out)
{
    *out = calloc(1, sizeof **out);
    return *out ? LOTOR_OK : lotor_fail(LOTOR_MEMORY, why, "no memory for a catalog");
}

void lotor_catalog_free(lotor_catalog *catalog)
{
    entry *next = catalog ? catalog->first : NULL;
    while (next) {
        entry *freed = next;
        next = next->next;
        free(freed);
    }
    free(catalog);
}

static const entry *find_own(const lotor_catalog *catalog, const char *id)
{
    const entry *found = catalog ? catalog->first : NULL;
    while (found && id && strcmp(found->recipe.id, id) != 0) {
        found = found->next;
    }
    return id ? found : NULL;
}

const lotor_algorithm *lotor_catalog_find(const lotor_catalog *catalog, const char *id)
{
    const entry *own = find_own(catalog, id);
    return own ? &own->row : lotor_algorithms_find(id);
}

lotor_status lotor_catalog_refuse(const lotor_catalog *catalog, const char *word,
                                  lotor_message *why)
{
    if (!catalog || !word || *word == '\0') {
        return lotor_algorithms_refuse(word, why);
    }
    lotor_suggestion suggestion;
    lotor_suggestion_start(&suggestion, word);
    for (const entry *own = catalog->first; own; own = own->next) {
        lotor_suggestion_offer(&suggestion, own->recipe.id);
    }
    if (!suggestion.nearest) {
        return lotor_algorithms_refuse(word, why);
    }
    return lotor_fail(LOTOR_UNKNOWN, why, "there is no algorithm %s: did you mean %s?",
                      lotor_quote_text(word).text, suggestion.nearest);
}

lotor_status lotor_catalog_info(const lotor_catalog *catalog, const char *id, lotor_message *why,
                                lotor_algorithm_info *out)
{
    const entry *own = find_own(catalog, id);
    if (!own) {
        return lotor_catalog_refuse(catalog, id, why);
    }
    *out = lotor_algorithm_facts(&own->row);
    return LOTOR_OK;
}

/* --- adding ------------------------------------------------------------------------------------- */

static lotor_status check_id(const lotor_catalog *catalog, const char *id, lotor_message *why)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    const size_t length = id ? strnlen(id, ID_MOST + 1) : 0;
    if (length == 0) {
        return lotor_fail(LOTOR_INVALID, why, "a recipe needs an id, such as my-ucb");
    }
    if (length > ID_MOST || id[strspn(id, allowed)] != '\0') {
        return lotor_fail(LOTOR_INVALID, why,
                          "the id %s: an id has 1 to %d letters, digits, '-', '_' or '.'",
                          lotor_quote_text(id).text, ID_MOST);
    }
    if (lotor_catalog_find(catalog, id)) {
        return lotor_fail(LOTOR_INVALID, why, "%s is the id of another algorithm: take another id",
                          id);
    }
    return LOTOR_OK;
}

static lotor_status find_base(const char *name, lotor_message *why, const base **out)
{
    char names[200];
    size_t length = 0;
    for (size_t i = 0; i < BASES; i++) {
        if (name && strcmp(bases[i].name, name) == 0) {
            *out = &bases[i];
            return LOTOR_OK;
        }
        length += (size_t)snprintf(names + length, sizeof names - length, "%s%s",
                                   i == 0 ? "" : ", ", bases[i].name);
        assert(length < sizeof names);
    }
    return name ? lotor_fail(LOTOR_UNKNOWN, why, "there is no statistic %s: choose from %s",
                             lotor_quote_text(name).text, names)
                : lotor_fail(LOTOR_INVALID, why, "a recipe needs a statistic: choose from %s",
                             names);
}

static lotor_status find_problem(const char *name, lotor_message *why, lotor_problem *out)
{
    for (lotor_problem i = LOTOR_PROBLEM_FINITE; i <= LOTOR_PROBLEM_ANY; i++) {
        if (i != LOTOR_PROBLEM_LINEAR && strcmp(lotor_problem_name(i), name) == 0) {
            *out = i;
            return LOTOR_OK;
        }
    }
    return lotor_fail(LOTOR_UNKNOWN, why,
                      "there is no problem %s for recipes: choose from finite, matroid, "
                      "semi-bandit, cascade and any",
                      lotor_quote_text(name).text);
}

/* The usual feedback of a problem. */
static const char *usual_feedback(lotor_problem problem, bool records_one)
{
    switch (problem) {
    case LOTOR_PROBLEM_FINITE:
        return "one";
    case LOTOR_PROBLEM_CASCADE:
        return records_one ? "first-slot" : "cascade";
    default:
        return records_one ? "least-shown" : "semi";
    }
}

/* Does a policy feed such feedback to the statistic? Whether that is private is asked later, by
 * promise.c. */
static bool is_fed(const lotor_statistic_kind *kind, lotor_problem problem,
                   lotor_feedback_kind feedback)
{
    const bool is_one = problem == LOTOR_PROBLEM_FINITE;
    const bool is_list = problem == LOTOR_PROBLEM_CASCADE;
    const bool is_cube = kind->report == LOTOR_REPORT_CUBE;
    switch (feedback) {
    case LOTOR_FEEDBACK_ONE:
        return is_one && !kind->hears_lists && !is_cube;
    case LOTOR_FEEDBACK_SEMI:
        return !is_one && !is_list && !kind->hears_lists && !kind->records_one;
    case LOTOR_FEEDBACK_LEAST_SHOWN: /* if the statistic does not hold lists, it has no batches */
        return !is_one && !is_list && !kind->hears_lists && !is_cube &&
               (kind->records_one || !kind->schedule);
    case LOTOR_FEEDBACK_CASCADE:
        return is_list &&
               (kind->hears_lists || (kind->insert && kind->is_at_once && !kind->records_one));
    case LOTOR_FEEDBACK_FIRST_SLOT:
        return is_list && kind->records_one;
    }
    return false;
}

static lotor_status find_feedback(const lotor_recipe *recipe, const base *from,
                                  lotor_problem problem, lotor_message *why, const char **out)
{
    const lotor_statistic_kind *kind = from->kind;
    const char *name =
        recipe->feedback ? recipe->feedback : usual_feedback(problem, kind->records_one);
    const lotor_feedback_model *model = lotor_feedback_find(name);
    if (!model) {
        return lotor_fail(
            LOTOR_UNKNOWN, why,
            "there is no feedback %s: choose from one, semi, least-shown, cascade and "
            "first-slot",
            lotor_quote_text(name).text);
    }
    if (recipe->choose && problem == LOTOR_PROBLEM_MATROID) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%s chooses arms itself, so it can't be for matroids: give it an index "
                          "function, or problem semi-bandit",
                          recipe->id);
    }
    const bool is_any = problem == LOTOR_PROBLEM_ANY;
    if ((is_any && !kind->records_one) || !is_fed(kind, problem, model->kind)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "statistic %s can't be used with problem %s and feedback %s: leave both "
                          "out for the usual ones (problem %s)",
                          from->name, lotor_problem_name(problem), model->id, from->usual);
    }
    *out = model->id;
    return LOTOR_OK;
}

/* The row of a recipe. Its promise follows from the statistic and the feedback. */
static lotor_status make_row(const lotor_recipe *recipe, lotor_message *why, const base **from,
                             lotor_algorithm *out)
{
    lotor_problem problem = LOTOR_PROBLEM_FINITE;
    const char *feedback = NULL;
    lotor_status status = find_base(recipe->statistic, why, from);
    if (status == LOTOR_OK) {
        status = find_problem(recipe->problem ? recipe->problem : (*from)->usual, why, &problem);
    }
    if (status == LOTOR_OK) {
        status = find_feedback(recipe, *from, problem, why, &feedback);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    *out = (lotor_algorithm){
        .problem = problem,
        .paper = "an own algorithm",
        .model = (*from)->kind->claim.model,
        .theorem = (*from)->theorem,
        .regret = "nothing is known: it is an own algorithm",
        .feedback = feedback,
        .on_lists = problem == LOTOR_PROBLEM_ANY ? "first-slot" : NULL,
        .delta = (*from)->delta,
        .needs_horizon = (*from)->needs_horizon || recipe->needs_horizon,
        .is_for_comparison = true,
        .statistic = (*from)->kind,
    };
    return LOTOR_OK;
}

lotor_status lotor_catalog_add(lotor_catalog *catalog, const lotor_recipe *recipe,
                               lotor_message *why)
{
    const base *from = NULL;
    lotor_algorithm row;
    lotor_status status = check_id(catalog, recipe->id, why);
    if (status == LOTOR_OK && !recipe->index == !recipe->choose) {
        status = lotor_fail(LOTOR_INVALID, why,
                            "%s has %s: a recipe has exactly one of index and choose", recipe->id,
                            recipe->index ? "both index and choose" : "no function");
    }
    if (status == LOTOR_OK) {
        status = make_row(recipe, why, &from, &row);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    const char *summary = recipe->summary ? recipe->summary : "an own algorithm";
    const size_t id_size = strlen(recipe->id) + 1, summary_size = strlen(summary) + 1;
    entry *made = malloc(sizeof *made + id_size + summary_size);
    if (!made) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for another algorithm");
    }
    memcpy(made->texts, recipe->id, id_size);
    memcpy(made->texts + id_size, summary, summary_size);
    made->recipe = *recipe;
    made->recipe.id = made->texts;
    made->recipe.summary = made->texts + id_size;
    made->recipe.statistic = from->name;
    made->recipe.problem = lotor_problem_name(row.problem);
    made->recipe.feedback = row.feedback;
    made->row = row;
    made->row.id = made->recipe.id;
    made->row.summary = made->recipe.summary;
    made->row.own = &made->recipe;
    made->row.catalog = catalog;
    made->next = catalog->first;
    catalog->first = made;
    return LOTOR_OK;
}
