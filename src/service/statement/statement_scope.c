/* statement_scope.c - what is protected from whom, composition, data, security, threats and assumptions. */
#include <stdio.h>
#include <string.h>

#include "service/statement/statement_writer.h"

static bool is_local(const lotor_writer *writer)
{
    return lotor_writer_is_model(writer, "local");
}

static bool is_joint(const lotor_writer *writer)
{
    return lotor_writer_is_model(writer, "joint");
}

/* Users are named in requests. */
static bool names_users(const lotor_writer *writer)
{
    return lotor_writer_has(writer, "rounds_per_user") || lotor_writer_has(writer, "budget") ||
           lotor_writer_has(writer, "sticky_seconds");
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
            is_local(writer)
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
    if (!lotor_writer_has(writer, "rounds_per_user") && !budget) {
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

/* --- data ------------------------------------------------------------------------------------- */

static void write_feedback(lotor_writer *writer)
{
    static const char over[] =
        "until its round and all earlier rounds are over; then it is in a sum";
    const bool clicks = strcmp(lotor_writer_text_at(writer->campaign, "feedback"), "clicks") == 0;
    const char *what = clicks ? "Feedback: which shown item was clicked, or none"
                              : "Feedback: a reward for what was shown";
    if (is_local(writer)) {
        what = "Reports: feedback to which a person's device has added noise";
    }
    lotor_writer_line(writer, 3, what,
                      "encrypted on disk, in the clear in memory. Which round it is for is not "
                      "encrypted",
                      over);
    if (is_joint(writer)) {
        lotor_writer_line(writer, 3,
                          "Contexts: numbers that describe what could be shown to a person",
                          "encrypted on disk, in the clear in memory", over);
    }
    if (is_local(writer)) {
        lotor_writer_line(writer, 3, "Sums of reports", "encrypted on disk, in the clear in memory",
                          "until the campaign is deleted");
    } else {
        lotor_writer_line(writer, 3, "Sums that are not released yet: exact, of several rounds",
                          "encrypted on disk, in the clear in memory",
                          "until enough further rounds are over. There is no limit of time: a "
                          "campaign that ends or falls quiet keeps its last sums until it is "
                          "deleted");
    }
}

static void write_users(lotor_writer *writer)
{
    static const char hash[] = "by a keyed hash of the id that the product chose, never by the id";
    if (lotor_writer_has(writer, "rounds_per_user")) {
        lotor_writer_line(writer, 3, "Users: in how many rounds each one was", hash,
                          "until the campaign is deleted");
    }
    if (lotor_writer_has(writer, "budget")) {
        lotor_writer_line(writer, 3, "Users: what each one has spent of the budget", hash,
                          "as long as the store: deleting the campaign does not change it");
    }
    if (lotor_writer_has(writer, "sticky_seconds")) {
        char seconds[LOTOR_STATEMENT_NUMBER], most[2 * LOTOR_STATEMENT_NUMBER + 80];
        snprintf(most, sizeof most,
                 "%s after the display, and about a minute more while a server runs",
                 lotor_writer_seconds(lotor_writer_number_at(writer->campaign, "sticky_seconds"),
                                      seconds));
        lotor_writer_line(writer, 3, "Users: what each one was shown last (sticky_seconds)",
                          "by the same hash. What was shown is encrypted; the number of the round "
                          "is not",
                          most);
    }
}

/* True if the store has what was shown only in sealed records of blanks (engine.md, "Blanks"). The items of
 * rounds that the owner has drawn are in the clear. */
static bool seals_shown_items(const lotor_writer *writer)
{
    const bool is_drawn_for_a_request =
        lotor_writer_has(writer, "early_release") || lotor_writer_has(writer, "sticky_seconds");
    return !is_drawn_for_a_request &&
           (is_joint(writer) || (names_users(writer) && !is_local(writer)));
}

static const char *shown_items_in_words(const lotor_writer *writer)
{
    if (seals_shown_items(writer)) {
        return names_users(writer) ? "what was shown is encrypted, with the user's hash"
                                   : "what was shown is encrypted";
    }
    const bool is_drawn = names_users(writer) || lotor_writer_has(writer, "early_release");
    return is_drawn ? "in the clear" : "in the clear, unless the request named eligible items";
}

static void write_data_table(lotor_writer *writer)
{
    lotor_writer_line(writer, 3, "Data", "How it is kept", "How long");
    write_feedback(writer);
    write_users(writer);
    lotor_writer_line(writer, 3, "Open rounds: what was shown, and when feedback ends",
                      shown_items_in_words(writer), "until they are over. Counts per item stay");
    lotor_writer_line(writer, 3, "Releases: sums with noise, and counts of displays",
                      "public for readers, in a chain of hashes",
                      "for good: what is published can't be called back");
    lotor_writer_line(writer, 3,
                      "Audit log: which key changed what, and when. Names of keys may be names of "
                      "staff",
                      "in the clear, in a chain of hashes", "as long as the store");
}

void lotor_statement_write_data(lotor_writer *writer)
{
    char seconds[LOTOR_STATEMENT_NUMBER];
    const bool is_deleted = writer->phase == LOTOR_STATEMENT_DELETED;
    const char *const spent =
        lotor_writer_has(writer, "budget") ? " So does what users have spent of the budget." : "";
    lotor_writer_section(writer, "data", "Data: collection, retention and deletion");
    if (is_deleted) {
        lotor_writer_say(writer,
                         "This campaign was deleted. Of the following, the store still has the "
                         "releases, counts of displays and the audit log.%s",
                         *spent ? " It also has what users have spent of the budget." : "");
    }
    write_data_table(writer);
    lotor_writer_say(
        writer,
        "Feedback is accepted for %s after a display. A round is over after that time, "
        "with or without feedback%s.",
        lotor_writer_seconds(lotor_writer_number_at(writer->campaign, "wait_seconds"), seconds),
        lotor_writer_has(writer, "early_release")
            ? ", or as soon as its feedback came (early_release)"
            : "");
    lotor_writer_say(
        writer, "The service stores no names of visitors, no network addresses and no data "
                "about devices. It uses the address of a caller for the connection only. Its "
                "logs have no feedback, no context and no user id. A log of requests, which "
                "the operator can switch on, has their times and the caller's trace ids, which "
                "may lead to a person. The product that calls the service may store more: the "
                "operator must say so.");
    lotor_writer_say(writer,
                     "Deleting the campaign erases its key, its state, its open rounds, its "
                     "feedback and its rows about users in one step. Releases and the audit log "
                     "stay.%s Backups are not known to this server. Those that are older than the "
                     "deletion still have everything: delete them when their retention time is "
                     "over.",
                     spent);
}

/* --- security --------------------------------------------------------------------------------- */

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
                      "Every change of a campaign through the server is a line in an audit log, "
                      "whose lines are chained by hashes. Keys that are made or revoked by the "
                      "command lotor key are not in it. Anyone who can write to the store can "
                      "replace the log.");
    lotor_writer_item(writer,
                      "The server listens on its own machine only, unless the operator chooses "
                      "otherwise. It can speak TLS, or a proxy in front of it can. This "
                      "statement does not know whether they do.");
    lotor_writer_item(writer,
                      "The server notices most older copies of its store, and refuses to serve "
                      "them. It does not notice a copy that comes with its head file, or a copy "
                      "after which nothing was released. If an operator accepts an older copy, "
                      "this statement says so under \"Protection\".");
}

/* The facts that the store shows without the key file. */
static const char *store_in_words(const lotor_writer *writer)
{
    if (seals_shown_items(writer)) {
        return names_users(writer) ? "releases, settings, the audit log, which open rounds have "
                                     "feedback, and hashes of users"
                                   : "releases, settings, the audit log, and which open rounds "
                                     "have feedback";
    }
    return names_users(writer)
               ? "releases, settings, the audit log, what was shown in open rounds, "
                 "which open rounds have feedback, and hashes of users"
               : "releases, settings, the audit log, what was shown in open rounds, "
                 "and which open rounds have feedback";
}

void lotor_statement_write_threats(lotor_writer *writer)
{
    lotor_writer_section(writer, "threats", "Threat model and side channels");
    lotor_writer_line(writer, 3, "Who", "Sees", "Must be trusted");
    lotor_writer_line(writer, 3, "A visitor, or all visitors together", "what is shown", "no");
    lotor_writer_line(writer, 3, "A reader of releases (role read)", "releases and settings", "no");
    lotor_writer_line(writer, 3, "The product that calls the service",
                      is_local(writer) ? "who asks; reports with noise"
                                       : "who asks, and the feedback that it passes on",
                      is_local(writer) ? "to run the randomizer on the device" : "yes");
    lotor_writer_line(writer, 3, "The server, and anyone who is root on its machine",
                      is_local(writer)   ? "reports with noise, and when they came"
                      : is_joint(writer) ? "contexts and feedback, until their sum is released"
                                         : "feedback, until its sum is released",
                      is_local(writer) ? "not with feedback" : "yes");
    lotor_writer_line(writer, 3, "Monitoring (roles metrics and admin)",
                      "exact counts of how much feedback came",
                      "yes: to publish no graphs of them");
    lotor_writer_line(writer, 3, "Anyone who has the store or a backup, without the key file",
                      store_in_words(writer), "yes: with whether a person gave feedback");
    lotor_writer_line(writer, 3, "Anyone who has the store or a backup, and the key file",
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
    if (lotor_writer_has(writer, "sticky_seconds")) {
        lotor_writer_item(writer,
                          "Kept decisions: anyone who has a rank key and knows a user's id gets "
                          "what this user was shown.");
    }
}

/* --- assumptions ------------------------------------------------------------------------------ */

static void write_operator_duties(lotor_writer *writer)
{
    lotor_writer_check(writer, "The key file stays secret, and is not kept with the backups.");
    lotor_writer_check(writer,
                       "Requests from other machines are encrypted on their way (TLS). A proxy in "
                       "front of the server writes no access log: its paths would say who gave "
                       "feedback.");
    lotor_writer_check(writer, "Disks and backups are encrypted.");
    lotor_writer_check(writer,
                       "One copy of the store is served. No older copy is put in its place.");
    lotor_writer_check(
        writer, "Few people have keys with the roles metrics and admin. The exact counts are "
                "not published.");
    lotor_writer_check(writer, "The audit log is copied to another place.");
    lotor_writer_check(writer, "The operating system's random numbers can't be predicted.");
    if (lotor_writer_has(writer, "early_release")) {
        lotor_writer_check(writer, "Whether and when a person gives feedback needs no protection "
                                   "(early_release is on).");
    }
}

static void write_product_duties(lotor_writer *writer)
{
    lotor_writer_check(writer,
                       "Which items may be shown to a person (eligible) does not depend on that "
                       "person's earlier feedback.");
    if (names_users(writer)) {
        lotor_writer_check(writer,
                           "A person has one user id, on all devices. A person with ten ids counts "
                           "as ten.");
    }
    if (is_local(writer)) {
        lotor_writer_check(writer, "Devices run the randomizer as it is, once for each round, and "
                                   "accept no larger epsilon.");
        lotor_writer_check(writer, "Devices send a report whatever the feedback is, also if there "
                                   "was none. If they report only after a click, each report "
                                   "reveals the click.");
    }
    lotor_writer_check(
        writer, "Feedback goes to this server only. No analytics, log, list or screen of the "
                "product stores it or depends on it.");
}

void lotor_statement_write_assumptions(lotor_writer *writer)
{
    lotor_writer_section(writer, "assumptions", "Assumptions, and who must keep them");
    lotor_writer_say(writer, "The operator makes sure of this:");
    write_operator_duties(writer);
    lotor_writer_say(writer, "The makers of the product make sure of this:");
    write_product_duties(writer);
    lotor_writer_say(writer, "Also assumed: the proofs and the program are right. Nobody warrants "
                             "this. Section 13 says what was checked.");
    if (*lotor_writer_text_at(writer->guarantee, "assumes")) {
        lotor_writer_say(writer, "In the words of the proof: %s.",
                         lotor_writer_text_at(writer->guarantee, "assumes"));
    }
}
