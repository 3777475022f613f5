/* statement_registry.c - a statement in the fields of the OpenDP deployments registry.
 *
 * The registry keeps one YAML file for each deployment, and YAML accepts JSON. The fields are those of its
 * records (https://registry.opendp.org). A field that the campaign does not know is left out, to be filled in by a person.
 */
#include <stdlib.h>
#include <string.h>

#include "service/statement/statement_writer.h"

static bool put(json_t *object, const char *name, json_t *value)
{
    return json_object_set_new(object, name, value) == 0;
}

/* Leaves the field out if the text is empty. */
static bool put_text(json_t *object, const char *name, const char *text)
{
    return !*text || put(object, name, json_string(text));
}

/* A line of text for each line of a table: "- FIRST; HEAD: CELL; HEAD: CELL". */
static void add_lines(lotor_text *text, const json_t *lines)
{
    const json_t *const head = json_array_get(lines, 0);
    for (size_t i = 1; i < json_array_size(lines); i++) {
        const json_t *const line = json_array_get(lines, i);
        for (size_t j = 0; j < json_array_size(line); j++) {
            const char *const name = json_string_value(json_array_get(head, j));
            const char *const cell = json_string_value(json_array_get(line, j));
            if (j == 0) {
                lotor_text_print(text, "- %s", cell ? cell : "");
            } else {
                lotor_text_print(text, "; %s: %s", name ? name : "", cell ? cell : "");
            }
        }
        lotor_text_add(text, "\n");
    }
}

/* The items and lines of a section, joined to one text; "" if there is none. The caller frees it. NULL: no
 * memory. */
static char *section_text(const json_t *statement, const char *id)
{
    lotor_text text = {0};
    size_t i, j, k;
    json_t *section, *block, *item;
    lotor_text_add(&text, "");
    json_array_foreach(json_object_get(statement, "sections"), i, section)
    {
        if (strcmp(lotor_writer_text_at(section, "id"), id) != 0) {
            continue;
        }
        json_array_foreach(json_object_get(section, "blocks"), j, block)
        {
            if (*lotor_writer_text_at(block, "text")) {
                lotor_text_print(&text, "%s\n", lotor_writer_text_at(block, "text"));
            }
            json_array_foreach(json_object_get(block, "items"), k, item)
            {
                const char *const words = json_string_value(item);
                lotor_text_print(&text, "- %s\n", words ? words : "");
            }
            add_lines(&text, json_object_get(block, "lines"));
        }
    }
    if (lotor_text_status(&text, NULL) != LOTOR_OK) {
        lotor_text_clear(&text);
        return NULL;
    }
    return text.bytes;
}

static bool put_section(json_t *object, const char *name, const json_t *statement, const char *id)
{
    char *const text = section_text(statement, id);
    const bool fine = text && put_text(object, name, text);
    free(text);
    return fine;
}

static json_t *product_json(const json_t *statement)
{
    const json_t *const operator= json_object_get(statement, "operator");
    const char *const title = lotor_writer_text_at(statement, "title");
    const char *const curator = lotor_writer_text_at(operator, "controller");
    json_t *const product = json_object();
    const bool fine =
        product &&
        put_text(product, "name", *title ? title : lotor_writer_text_at(statement, "campaign")) &&
        (!*curator || put(product, "data_curators", json_pack("[s]", curator))) &&
        put_text(product, "intended_use", lotor_writer_text_at(operator, "purpose")) &&
        put_text(product, "data_product_type", "Machine learning model") &&
        put_text(product, "description", lotor_writer_text_at(statement, "summary"));
    if (!fine) {
        json_decref(product);
        return NULL;
    }
    return product;
}

static json_t *loss_json(const json_t *claim)
{
    json_t *const parameters = json_object();
    const json_t *const per_round = json_object_get(claim, "epsilon_per_round");
    const double delta = lotor_writer_number_at(claim, "delta");
    bool fine =
        parameters && put(parameters, "epsilon", json_incref(json_object_get(claim, "epsilon")));
    if (delta > 0.0) {
        fine = fine && put(parameters, "delta", json_real(delta));
    }
    json_t *const loss =
        fine ? json_pack("{s:s, s:s, s:O, s:s}", "privacy_unit",
                         per_round && !json_is_null(per_round) ? "User-level" : "Event-level",
                         "privacy_unit_description", lotor_writer_text_at(claim, "unit"),
                         "privacy_parameters", parameters, "privacy_parameters_description",
                         lotor_writer_text_at(claim, "meaning"))
             : NULL;
    json_decref(parameters);
    return loss;
}

static json_t *model_json(const json_t *statement, const char *model)
{
    const bool is_local = strcmp(model, "local") == 0;
    json_t *const out = json_pack(
        "{s:s, s:s, s:s, s:s, s:s}", "model_name", is_local ? "Local" : "Central", "release_type",
        "Many releases", "release_type_description",
        is_local ? "Each report is randomized on the person's device, before it is sent."
                 : "Sums are released in batches. The privacy parameters are for all releases "
                   "together.",
        "data_source_type", "Dynamic", "access_type", "Non-interactive");
    const bool fine =
        out && put_section(out, "actors", statement, "threats") &&
        (strcmp(model, "joint") != 0 ||
         put_text(
             out, "model_name_description",
             "Joint differential privacy: what a person is shown may depend on that person's own "
             "context; what others see protects it."));
    if (!fine) {
        json_decref(out);
        return NULL;
    }
    return out;
}

static json_t *deployment_json(const json_t *statement)
{
    const json_t *const claim = json_object_get(statement, "claim");
    const bool is_pure = !(lotor_writer_number_at(claim, "delta") > 0.0);
    const char *const model = lotor_writer_text_at(claim, "model");
    json_t *const flavor =
        json_pack("{s:s, s:s}", "name", is_pure ? "Pure DP" : "Approximate DP", "data_domain",
                  "Feedback on what was shown, one record for each round");
    json_t *const accounting = json_object();
    json_t *const implementation =
        json_pack("{s:s, s:s}", "mechanisms", lotor_writer_text_at(claim, "mechanism"),
                  "justification", lotor_writer_text_at(claim, "theorem"));
    json_t *deployment = NULL;
    if (flavor && accounting && implementation &&
        put_section(flavor, "unprotected_quantities", statement, "protection") &&
        put_section(accounting, "composition", statement, "composition") &&
        put_text(accounting, "post_processing",
                 strcmp(model, "joint") == 0
                     ? "The choice for a person is computed from released sums and from this "
                       "person's own context. All estimates and intervals are computed from "
                       "released sums."
                 : strcmp(model, "local") == 0
                     ? "Everything that is shown, all estimates and all intervals are computed "
                       "from reports, which are private before they arrive."
                     : "Everything that is shown, all estimates and all intervals are computed "
                       "from released sums.")) {
        deployment = json_pack("{s:o, s:O, s:o, s:o, s:O, s:O}", "product", product_json(statement),
                               "dp_flavor", flavor, "privacy_loss", loss_json(claim), "model",
                               model_json(statement, model), "accounting", accounting,
                               "implementation", implementation);
    }
    json_decref(flavor);
    json_decref(accounting);
    json_decref(implementation);
    return deployment;
}

json_t *lotor_statement_registry(const json_t *statement)
{
    if (!lotor_statement_is_valid(statement) ||
        !json_is_object(json_object_get(statement, "claim"))) {
        return NULL;
    }
    return json_pack("{s:s, s:o}", "status", "Draft", "deployment", deployment_json(statement));
}
