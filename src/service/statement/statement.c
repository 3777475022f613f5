/* statement.c - makes the statement of a campaign: the fields for programs, and the sections. */
#include "service/statement/statement.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <lotor/account.h>

#include "service/statement/statement_writer.h"

/* The sections, in the order of the statement. */
static void (*const sections[])(lotor_writer *writer) = {
    lotor_statement_write_summary,    lotor_statement_write_claim,
    lotor_statement_write_meaning,    lotor_statement_write_strength,
    lotor_statement_write_protection, lotor_statement_write_composition,
    lotor_statement_write_utility,    lotor_statement_write_biases,
    lotor_statement_write_data,       lotor_statement_write_security,
    lotor_statement_write_threats,    lotor_statement_write_assumptions,
    lotor_statement_write_evidence,   lotor_statement_write_operator,
};

static const char *const operator_fields[] = {"purpose", "controller", "legal_basis", "contact"};

static void start(lotor_writer *writer, const lotor_statement_source *source)
{
    *writer = (lotor_writer){.source = source, .campaign = source->campaign};
    writer->sections = json_array();
    writer->failed = writer->sections == NULL;
    writer->guarantee = json_object_get(source->campaign, "guarantee");
    writer->model = lotor_writer_text_at(writer->guarantee, "model");
    writer->level = lotor_writer_text_at(writer->guarantee, "level");
    const json_t *const epsilon = json_object_get(writer->guarantee, "epsilon");
    writer->epsilon = json_is_number(epsilon) ? json_number_value(epsilon) : INFINITY;
    writer->delta = lotor_writer_number_at(writer->guarantee, "delta");
    writer->is_private = json_is_true(json_object_get(writer->guarantee, "private"));
    writer->is_claimed = writer->is_private || strcmp(writer->level, "very weak") == 0;
    lotor_writer_up(writer->epsilon, writer->epsilon_text);
    lotor_writer_up(writer->delta, writer->delta_text);
}

/* "2026-11-18T12:00:00Z" */
static json_t *time_json(double seconds)
{
    const time_t whole = (time_t)seconds;
    struct tm date;
    char text[32] = "";
    if (gmtime_r(&whole, &date)) {
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &date);
    }
    return json_string(text);
}

/* Some fields of an object, shared with it; null for those that it does not have. */
static json_t *share_fields(const json_t *object, const char *const *names, size_t count)
{
    json_t *const copy = json_object();
    for (size_t i = 0; copy && i < count; i++) {
        const json_t *const value = json_object_get(object, names[i]);
        if (json_object_set_new(copy, names[i],
                                value ? json_incref((json_t *)value) : json_null()) != 0) {
            json_decref(copy);
            return NULL;
        }
    }
    return copy;
}

static json_t *claim_json(const lotor_writer *writer)
{
    static const char *const names[] = {"private", "reason", "epsilon",      "delta",   "unit",
                                        "model",   "level",  "level_reason", "meaning", "mechanism",
                                        "theorem", "noise",  "assumes"};
    json_t *const claim = share_fields(writer->guarantee, names, sizeof names / sizeof *names);
    const lotor_budget budget = {writer->epsilon, writer->delta};
    const double failure = writer->is_claimed ? lotor_account_adversary_failure(budget) : 0.0;
    const json_t *const rounds = json_object_get(writer->campaign, "rounds_per_user");
    const json_t *const epsilon = json_object_get(writer->campaign, "epsilon");
    const bool is_capped = json_is_integer(rounds) && epsilon;
    if (json_object_set_new(claim, "attacker_error", json_real(failure)) != 0 ||
        json_object_set_new(claim, "epsilon_per_round",
                            is_capped ? json_incref((json_t *)epsilon) : json_null()) != 0) {
        json_decref(claim);
        return NULL;
    }
    return claim;
}

static const char *headline(const lotor_writer *writer)
{
    if (writer->is_private) {
        return "This campaign has a privacy guarantee.";
    }
    return writer->is_claimed ? "Warning: this campaign protects nobody in practice."
                              : "Warning: this campaign has no privacy guarantee.";
}

json_t *lotor_statement_new(const lotor_statement_source *source)
{
    lotor_writer writer;
    start(&writer, source);
    for (size_t i = 0; !writer.failed && i < sizeof sections / sizeof *sections; i++) {
        sections[i](&writer);
    }
    json_t *out = NULL;
    if (!writer.failed) {
        const json_t *const title = json_object_get(source->campaign, "title");
        out = json_pack(
            "{s:s, s:s, s:O?, s:s, s:o, s:s, s:s, s:s, s:o, s:o, s:O, s:O}", "format",
            LOTOR_STATEMENT_FORMAT, "campaign", lotor_writer_text_at(source->campaign, "name"),
            "title", title, "algorithm", lotor_writer_text_at(source->campaign, "algorithm"),
            "time", time_json(source->time), "headline", headline(&writer), "level", writer.level,
            "summary", writer.summary, "claim", claim_json(&writer), "operator",
            share_fields(source->campaign, operator_fields,
                         sizeof operator_fields / sizeof *operator_fields),
            "evidence", writer.evidence, "sections", writer.sections);
    }
    json_decref(writer.sections);
    json_decref(writer.evidence);
    free(writer.summary);
    return out;
}

bool lotor_statement_is_valid(const json_t *statement)
{
    return strcmp(lotor_writer_text_at(statement, "format"), LOTOR_STATEMENT_FORMAT) == 0 &&
           json_is_array(json_object_get(statement, "sections"));
}
