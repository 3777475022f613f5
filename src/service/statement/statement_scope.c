/* statement_scope.c - what is protected from whom, composition, data, security, threats and assumptions. */
#include <string.h>

#include "service/statement/statement_writer.h"

static bool is_model(const lotor_writer *writer, const char *model)
{
    return strcmp(writer->model, model) == 0;
}

static bool has(const lotor_writer *writer, const char *field)
{
    const json_t *const value = json_object_get(writer->campaign, field);
    return value && !json_is_null(value) && !json_is_false(value);
}

/* Users are named in requests. */
static bool names_users(const lotor_writer *writer)
{
    return has(writer, "rounds_per_user") || has(writer, "budget") || has(writer, "sticky_seconds");
}

void lotor_statement_write_protection(lotor_writer *writer)
{
    const json_t *const exceptions = json_object_get(writer->guarantee, "not_protected");
    size_t i;
    json_t *exception;
    lotor_writer_section(writer, "protection", "Protection: what is protected, and from whom");
    if (!writer->is_private && writer->is_claimed) {
        lotor_writer_say(writer, "In practice nothing is protected, because epsilon or delta is "
                                 "too large. With small numbers it would be as follows.");
    }
    lotor_writer_row(writer, "Protected", "%s",
                     lotor_writer_text_at(writer->guarantee, "protects"));
    if (writer->is_claimed) {
        lotor_writer_row(
            writer, "From", "%s",
            is_model(writer, "local")
                ? "everybody: other people, readers of the releases, and the operator of the "
                  "server"
                : "other people who are shown something, and readers of the releases, even "
                  "if all of them compare notes");
    }
    lotor_writer_say(writer, "Not protected:");
    json_array_foreach(exceptions, i, exception)
    {
        const char *const text = json_string_value(exception);
        lotor_writer_item(writer, "%s", text ? text : "");
    }
    lotor_writer_item(writer, "Facts about many people. That most people like an article may be "
                              "learned, and is the purpose of the campaign.");
}

void lotor_statement_write_composition(lotor_writer *writer)
{
    const json_t *const budget = json_object_get(writer->guarantee, "budget");
    lotor_writer_section(writer, "composition", "Other campaigns and budgets");
    if (budget) {
        char epsilon[LOTOR_STATEMENT_NUMBER], delta[LOTOR_STATEMENT_NUMBER];
        lotor_writer_say(
            writer,
            "The campaign is in the budget \"%s\". For one user, over all campaigns of the budget "
            "together, epsilon is at most %s and delta at most %s. A round that would exceed this "
            "counts for nothing.",
            lotor_writer_text_at(budget, "name"),
            lotor_writer_up(lotor_writer_number_at(budget, "epsilon"), epsilon),
            lotor_writer_up(lotor_writer_number_at(budget, "delta"), delta));
    } else {
        lotor_writer_say(writer,
                         "The campaign is in no budget. A person who also takes part in other "
                         "campaigns is protected by the sum: the epsilons add up, and so do the "
                         "deltas.");
    }
    if (!has(writer, "rounds_per_user") && !budget) {
        lotor_writer_say(writer,
                         "The number of rounds per person is not limited either. A person who "
                         "takes part in ten rounds of this campaign has ten times the "
                         "epsilon%s. The setting rounds_per_user, or a budget, limits that.",
                         writer->delta > 0.0 ? ", and more than ten times the delta" : "");
    }
    const json_t *const prior = json_object_get(writer->guarantee, "prior");
    if (prior) {
        lotor_writer_say(
            writer,
            "The campaign also learns from the releases of the campaign \"%s\". These are "
            "public, so that adds nothing to the epsilon of either campaign. A person who "
            "took part in both is protected by the sum.",
            lotor_writer_text_at(prior, "campaign"));
    }
    lotor_writer_say(writer,
                     "Other data that the operator publishes about the same people adds up, "
                     "too, and is not known to this server.");
}

void lotor_statement_write_data(lotor_writer *writer)
{
    const bool is_local = is_model(writer, "local"), is_joint = is_model(writer, "joint");
    const bool clicks = strcmp(lotor_writer_text_at(writer->campaign, "feedback"), "clicks") == 0;
    const double wait = lotor_writer_number_at(writer->campaign, "wait_seconds");
    char seconds[LOTOR_STATEMENT_NUMBER];
    lotor_writer_section(writer, "data", "Data: collection, retention and deletion");
    lotor_writer_line(writer, 3, "Data", "How it is kept", "How long");
    if (is_local) {
        lotor_writer_line(writer, 3, "Reports: feedback to which a person's device has added noise",
                          "encrypted on disk, in the clear in memory",
                          "until the round is over and its report is added up");
    } else {
        lotor_writer_line(writer, 3,
                          clicks ? "Feedback: which shown item was clicked, or none"
                                 : "Feedback: a reward for what was shown",
                          "encrypted on disk, in the clear in memory",
                          "until the round is over and the sum that it is in is released");
    }
    if (is_joint) {
        lotor_writer_line(writer, 3,
                          "Contexts: numbers that describe what could be shown to a person",
                          "encrypted on disk, in the clear in memory",
                          "until the round is over and the sum that it is in is released");
    }
    if (names_users(writer)) {
        lotor_writer_line(writer, 3, "Users: an id that the product chooses",
                          "as a keyed hash, never in the clear",
                          "until the campaign is deleted; what a user has spent of a budget stays");
    }
    lotor_writer_line(writer, 3, "Decisions: what was shown, and when", "in the store",
                      "the open ones until their round is over; counts per arm stay");
    lotor_writer_line(writer, 3, "Releases: sums with noise, and counts of displays",
                      "public for readers, in a chain of hashes",
                      "for good: what is published can't be called back");
    lotor_writer_say(
        writer,
        "Feedback is accepted for %s after a display. A round is over after that time, "
        "with or without feedback%s.",
        lotor_writer_seconds(wait, seconds),
        has(writer, "early_release") ? ", or as soon as its feedback came (early_release)" : "");
    lotor_writer_say(writer,
                     "The service stores no names, no network addresses and no device data, "
                     "and its logs have no feedback, no context and no user id. The product "
                     "that calls the service may store them: the operator must say so.");
    lotor_writer_say(writer,
                     "Deletion of the campaign erases its key, its state, its open decisions, "
                     "its feedback and its rows about users in one step. Releases stay. Backups "
                     "that are older than the deletion still have the rest: delete them when "
                     "their retention time is over.");
    if (has(writer, "deleted")) {
        lotor_writer_say(writer, "This campaign was deleted.");
    }
}

void lotor_statement_write_security(lotor_writer *writer)
{
    lotor_writer_section(writer, "security", "Security and access");
    lotor_writer_item(
        writer,
        "Every request about a campaign needs a key. A key has roles (rank, reward, read, metrics, "
        "admin), can be limited to one campaign, and can expire. The server "
        "stores hashes of keys only.");
    lotor_writer_item(writer,
                      "The role read, which is enough for this statement, sees releases and "
                      "settings, and never feedback.");
    lotor_writer_item(writer,
                      "Feedback, contexts and unreleased sums are encrypted on disk. The key "
                      "file that opens them is a file of its own, for the server alone.");
    lotor_writer_item(writer,
                      "Every change of a campaign is a line in an audit log, whose lines are "
                      "chained by hashes.");
    lotor_writer_item(writer,
                      "The server listens on its own machine only, unless the operator chooses "
                      "otherwise. It can speak TLS, or a proxy in front of it can. This "
                      "statement does not know whether they do.");
    lotor_writer_item(writer,
                      "The server notices if its store was replaced by an older copy, and "
                      "refuses to start. If an operator accepts such a copy, this statement "
                      "says so under \"Protection\".");
}

void lotor_statement_write_threats(lotor_writer *writer)
{
    lotor_writer_section(writer, "threats", "Threat model and side channels");
    lotor_writer_line(writer, 3, "Who", "Sees", "Must be trusted");
    lotor_writer_line(writer, 3, "A visitor, or all visitors together", "what is shown", "no");
    lotor_writer_line(writer, 3, "A reader of releases (role read)", "releases and settings", "no");
    lotor_writer_line(writer, 3, "The product that calls the service",
                      is_model(writer, "local") ? "who asks; reports with noise"
                                                : "who asks, and the feedback that it passes on",
                      is_model(writer, "local") ? "to run the randomizer on the device" : "yes");
    lotor_writer_line(writer, 3, "The server, and anyone who is root on its machine",
                      is_model(writer, "local")   ? "reports with noise, and when they came"
                      : is_model(writer, "joint") ? "contexts, and feedback until it is released"
                                                  : "feedback until it is released",
                      is_model(writer, "local") ? "not with feedback" : "yes");
    lotor_writer_line(writer, 3, "Monitoring (roles metrics and admin)",
                      "exact counts of how much feedback came",
                      "yes: to publish no graphs of them");
    lotor_writer_line(writer, 3, "Anyone who has the store and the key file",
                      "everything that the server knows", "yes");
    lotor_writer_say(writer, "Side channels that the guarantee does not cover:");
    lotor_writer_item(writer,
                      "Network traffic: that a request was sent, when, from where, and its size.");
    lotor_writer_item(writer, "Time: drawing noise and replying do not take a constant time.");
    lotor_writer_item(writer,
                      "Memory: the live server has unreleased data in memory. Core dumps are "
                      "switched off; root can read memory.");
    lotor_writer_item(writer,
                      "The product: lists, logs or screens outside this service that depend on "
                      "feedback.");
    if (has(writer, "sticky_seconds")) {
        lotor_writer_item(writer,
                          "Kept decisions: anyone who has a rank key and knows a user's id gets "
                          "what this user was shown.");
    }
}

void lotor_statement_write_assumptions(lotor_writer *writer)
{
    lotor_writer_section(writer, "assumptions", "Assumptions, and who must keep them");
    lotor_writer_line(writer, 2, "Assumption", "Responsible");
    lotor_writer_line(writer, 2, "The key file stays secret.", "the operator");
    lotor_writer_line(writer, 2, "Requests from other machines are encrypted on their way (TLS).",
                      "the operator");
    lotor_writer_line(writer, 2,
                      "One copy of the store is served. No older copy is put in its place.",
                      "the operator");
    lotor_writer_line(writer, 2, "The operating system's random numbers can't be predicted.",
                      "the operator");
    lotor_writer_line(writer, 2,
                      "Which items may be shown to a person does not depend on that person's "
                      "earlier feedback.",
                      "the product");
    if (names_users(writer)) {
        lotor_writer_line(writer, 2,
                          "A person has one user id. A person with ten ids counts as ten.",
                          "the product");
    }
    if (is_model(writer, "local")) {
        lotor_writer_line(writer, 2,
                          "Devices run the randomizer as it is, once for each round, and "
                          "accept no larger epsilon.",
                          "the product");
    } else {
        lotor_writer_line(writer, 2,
                          "Feedback is sent to this server only, and is not stored "
                          "elsewhere.",
                          "the product");
    }
    if (has(writer, "early_release")) {
        lotor_writer_line(writer, 2,
                          "Whether and when a person gives feedback is not private "
                          "(early_release).",
                          "the operator");
    }
    lotor_writer_line(writer, 2,
                      "The proofs and the program are right. The section \"Evidence\" says "
                      "what was checked.",
                      "the makers of Lotor");
    if (*lotor_writer_text_at(writer->guarantee, "assumes")) {
        lotor_writer_say(writer, "In the words of the proof: %s.",
                         lotor_writer_text_at(writer->guarantee, "assumes"));
    }
}

void lotor_statement_write_operator(lotor_writer *writer)
{
    static const struct field {
        const char *name, *label;
    } fields[] = {{"purpose", "Purpose"},
                  {"controller", "Controller"},
                  {"legal_basis", "Legal basis"},
                  {"contact", "Contact"}};
    lotor_writer_section(writer, "operator", "Filled in by the operator");
    lotor_writer_say(writer, "The operator states the following. The software can't check it.");
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const char *const text = lotor_writer_text_at(writer->campaign, fields[i].name);
        lotor_writer_row(writer, fields[i].label, "%s", *text ? text : "not filled in");
    }
    lotor_writer_section(writer, "signature", "Review");
    lotor_writer_row(writer, "Reviewed by", "%s", "");
    lotor_writer_row(writer, "Date", "%s", "");
    lotor_writer_row(writer, "Signature", "%s", "");
}
