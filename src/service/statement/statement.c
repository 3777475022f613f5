/* statement.c - makes the statement of a campaign: the fields for programs, and the sections. */
#include "service/statement/statement.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <lotor/account.h>
#include <sodium.h>

#include "service/statement/statement_writer.h"

/* The sections, in the order of the statement. Texts name some of them by their number: 3 is the meaning, 5 the
 * protection, 7 the usefulness, 12 the assumptions, 13 the evidence, 14 the operator's texts. */
static void (*const sections[])(lotor_writer *writer) = {
    lotor_statement_write_summary,    lotor_statement_write_claim,
    lotor_statement_write_meaning,    lotor_statement_write_strength,
    lotor_statement_write_protection, lotor_statement_write_composition,
    lotor_statement_write_utility,    lotor_statement_write_biases,
    lotor_statement_write_data,       lotor_statement_write_security,
    lotor_statement_write_threats,    lotor_statement_write_assumptions,
    lotor_statement_write_evidence,   lotor_statement_write_operator,
    lotor_statement_write_settings,   lotor_statement_write_words,
};

static const char about[] =
    "Technical statement about one campaign. It is not a privacy notice to visitors (GDPR, Article "
    "13), and not a warranty: \"guarantee\" means a mathematical bound under the assumptions in "
    "section 12.";

static const char *const operator_fields[] = {"purpose", "controller", "legal_basis", "contact"};

static lotor_statement_phase phase_of(const json_t *campaign)
{
    if (json_is_true(json_object_get(campaign, "deleted"))) {
        return LOTOR_STATEMENT_DELETED;
    }
    if (json_is_true(json_object_get(campaign, "archived"))) {
        return LOTOR_STATEMENT_ARCHIVED;
    }
    if (json_is_true(json_object_get(campaign, "closed"))) {
        return LOTOR_STATEMENT_CLOSED;
    }
    return json_is_true(json_object_get(campaign, "paused")) ? LOTOR_STATEMENT_PAUSED
                                                             : LOTOR_STATEMENT_OPEN;
}

/* "2026-11-18T12:00:00Z" */
static void write_time(double seconds, char text[32])
{
    const time_t whole = (time_t)seconds;
    struct tm date;
    text[0] = '\0';
    if (gmtime_r(&whole, &date)) {
        strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &date);
    }
}

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
    writer->phase = phase_of(source->campaign);
    write_time(source->time, writer->time);
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

/* --- the top ---------------------------------------------------------------------------------- */

/* One or a few sentences: the claim, the phase, and accepted rollbacks. NULL: no memory. */
static char *headline(const lotor_writer *writer)
{
    static const char *const phases[] = {
        [LOTOR_STATEMENT_OPEN] = "",
        [LOTOR_STATEMENT_PAUSED] = " It is paused, and shows nothing for now.",
        [LOTOR_STATEMENT_CLOSED] = " It has ended, and shows nothing any more.",
        [LOTOR_STATEMENT_ARCHIVED] = " It is archived, and shows nothing unless it is taken back.",
        [LOTOR_STATEMENT_DELETED] = " It was deleted. Its releases stay.",
    };
    const bool was = writer->phase == LOTOR_STATEMENT_DELETED;
    lotor_text text = {0};
    if (writer->is_private && was) {
        lotor_text_add(&text, "This campaign was deleted. Its releases stay, and have a privacy "
                              "guarantee.");
    } else if (writer->is_private) {
        lotor_text_print(&text, "This campaign has a privacy guarantee.%s", phases[writer->phase]);
    } else if (writer->is_claimed) {
        lotor_text_print(&text, "Warning: this campaign %s nobody in practice.%s",
                         was ? "protected" : "protects", phases[writer->phase]);
    } else {
        lotor_text_print(&text, "Warning: this campaign %s no privacy guarantee.%s",
                         was ? "had" : "has", phases[writer->phase]);
    }
    if (json_integer_value(json_object_get(writer->guarantee, "accepted_rollbacks")) > 0) {
        lotor_text_add(&text,
                       " An older copy of its store was accepted: some feedback is protected "
                       "less (section 5).");
    }
    if (lotor_text_status(&text, NULL) != LOTOR_OK) {
        lotor_text_clear(&text);
    }
    return text.bytes;
}

static json_t *statement_json(const lotor_writer *writer, const char *head)
{
    static const char *const phases[] = {"open", "paused", "closed", "archived", "deleted"};
    const lotor_statement_source *const source = writer->source;
    return json_pack(
        "{s:s, s:s, s:O?, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:O, s:O}", "format",
        LOTOR_STATEMENT_FORMAT, "campaign", lotor_writer_text_at(source->campaign, "name"), "title",
        json_object_get(source->campaign, "title"), "algorithm",
        lotor_writer_text_at(source->campaign, "algorithm"), "about", about, "time", writer->time,
        "phase", phases[writer->phase], "headline", head, "level", writer->level, "level_note",
        writer->level_note, "summary", writer->summary, "claim", claim_json(writer), "operator",
        share_fields(source->campaign, operator_fields,
                     sizeof operator_fields / sizeof *operator_fields),
        "evidence", writer->evidence, "sections", writer->sections);
}

/* --- the fingerprint -------------------------------------------------------------------------- */

/* True if the fingerprint covers a section. It leaves out the learned numbers, and the section that has the
 * fingerprint. */
static bool is_covered(const json_t *section)
{
    const char *const id = lotor_writer_text_at(section, "id");
    return strcmp(id, "utility") != 0 && strcmp(id, "signature") != 0;
}

/* The part that the fingerprint covers; a new reference. NULL: no memory. (json_copy would lose fields without notice.) */
static json_t *covered_json(const json_t *statement)
{
    json_t *const copy = json_object(), *const list = json_array();
    const char *name;
    json_t *value;
    size_t i;
    bool fine = copy && list;
    json_array_foreach(json_object_get(statement, "sections"), i, value)
    {
        fine = fine && (!is_covered(value) || json_array_append(list, value) == 0);
    }
    json_object_foreach((json_t *)statement, name, value)
    {
        const bool is_left_out = strcmp(name, "time") == 0 || strcmp(name, "fingerprint") == 0;
        json_t *const put = strcmp(name, "sections") == 0 ? list : value;
        fine = fine && (is_left_out || json_object_set(copy, name, put) == 0);
    }
    json_decref(list);
    if (!fine) {
        json_decref(copy);
        return NULL;
    }
    return copy;
}

static int hash_more(const char *bytes, size_t length, void *state)
{
    return crypto_generichash_update(state, (const unsigned char *)bytes, length);
}

/* The text goes straight into the hash: jansson's json_dumps loses keys without notice if there is no memory. */
bool lotor_statement_fingerprint(const json_t *statement, char text[LOTOR_STATEMENT_FINGERPRINT])
{
    json_t *const covered = covered_json(statement);
    unsigned char hash[(LOTOR_STATEMENT_FINGERPRINT - 1) / 2];
    crypto_generichash_state state;
    crypto_generichash_init(&state, NULL, 0, sizeof hash);
    const bool fine = covered && json_dump_callback(covered, hash_more, &state,
                                                    JSON_COMPACT | JSON_SORT_KEYS) == 0;
    json_decref(covered);
    crypto_generichash_final(&state, hash, sizeof hash);
    text[0] = '\0';
    if (fine) {
        sodium_bin2hex(text, LOTOR_STATEMENT_FINGERPRINT, hash, sizeof hash);
    }
    return fine;
}

/* Adds the fingerprint, and the section that has it. */
static bool sign(lotor_writer *writer, json_t *statement)
{
    if (!lotor_statement_fingerprint(statement, writer->fingerprint)) {
        return false;
    }
    lotor_statement_write_review(writer);
    return !writer->failed &&
           json_object_set_new(statement, "fingerprint", json_string(writer->fingerprint)) == 0;
}

json_t *lotor_statement_new(const lotor_statement_source *source)
{
    lotor_writer writer;
    start(&writer, source);
    for (size_t i = 0; !writer.failed && i < sizeof sections / sizeof *sections; i++) {
        sections[i](&writer);
    }
    char *const head = writer.failed ? NULL : headline(&writer);
    json_t *out = head ? statement_json(&writer, head) : NULL;
    if (out && !sign(&writer, out)) {
        json_decref(out);
        out = NULL;
    }
    json_decref(writer.sections);
    json_decref(writer.evidence);
    free(writer.summary);
    free(writer.level_note);
    free(head);
    return out;
}

bool lotor_statement_is_valid(const json_t *statement)
{
    return strcmp(lotor_writer_text_at(statement, "format"), LOTOR_STATEMENT_FORMAT) == 0 &&
           json_is_array(json_object_get(statement, "sections"));
}
