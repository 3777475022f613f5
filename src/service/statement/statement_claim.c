/* statement_claim.c - the first sections of a statement: plain words, the claim, its meaning, its strength. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lotor/account.h>

#include "service/statement/statement_writer.h"

static bool is_local(const lotor_writer *writer)
{
    return strcmp(writer->model, "local") == 0;
}

static bool is_joint(const lotor_writer *writer)
{
    return strcmp(writer->model, "joint") == 0;
}

static json_int_t rounds_per_user(const lotor_writer *writer)
{
    return json_integer_value(json_object_get(writer->campaign, "rounds_per_user"));
}

static double attacker_error(const lotor_writer *writer)
{
    const lotor_budget budget = {writer->epsilon, writer->delta};
    return writer->is_claimed ? lotor_account_adversary_failure(budget) : 0.0;
}

/* The unit of privacy, as the object of a sentence. */
static const char *unit_in_words(const lotor_writer *writer)
{
    if (rounds_per_user(writer) > 0) {
        return is_joint(writer) ? "all feedback and contexts of one user together"
                                : "all feedback of one user together";
    }
    return is_joint(writer) ? "the context and the feedback that one person gives in one round"
                            : "the feedback that one person gives in one round";
}

/* "26 times in 100" or "5 times in 1,000,000", rounded down; false: less often than that. */
static bool odds_in_words(double error, char text[64])
{
    static const double of[] = {100.0, 1e4, 1e6};
    static const char *const names[] = {"100", "10,000", "1,000,000"};
    for (size_t i = 0; i < 3; i++) {
        const double times = floor(of[i] * error);
        if (times >= 1.0) {
            snprintf(text, 64, "%.0f %s in %s", times, times < 2.0 ? "time" : "times", names[i]);
            return true;
        }
    }
    return false;
}

static void print_private(const lotor_writer *writer, lotor_text *text)
{
    char odds[64];
    const bool has_odds = odds_in_words(attacker_error(writer), odds);
    lotor_text_print(text,
                     "%s random noise, which limits how much of what is shown to others and "
                     "published can depend on %s. ",
                     is_local(writer) ? "The person's own device adds" : "The service adds",
                     unit_in_words(writer));
    if (has_odds) {
        lotor_text_print(text,
                         "An attacker who knows everyone else's data, and who sees everything that "
                         "is published, "
                         "still guesses one bit of it wrong at least %s. By tossing a coin the "
                         "attacker would be "
                         "wrong 50 times in 100. ",
                         odds);
    }
    lotor_text_print(text, "The level of this protection is \"%s\". ", writer->level);
    if (rounds_per_user(writer) == 0) {
        lotor_text_add(text, "A person who takes part in several rounds is protected less: the "
                             "numbers are for one round. ");
    }
    lotor_text_add(text,
                   is_local(writer)
                       ? "The operator of the server sees whether and when feedback came, but "
                         "not the feedback itself, because the person's own device adds the noise."
                   : is_joint(writer)
                       ? "The operator of the server can see the context and the feedback "
                         "themselves until they have been added up, and must be trusted with them."
                       : "The operator of the server can see the feedback itself until it has "
                         "been added up, and must be trusted with it.");
}

void lotor_statement_write_summary(lotor_writer *writer)
{
    lotor_text text = {0};
    const char *const title = lotor_writer_text_at(writer->campaign, "title");
    const char *const name = lotor_writer_text_at(writer->campaign, "name");
    lotor_writer_section(writer, "summary", "In plain words");
    if (!writer->is_private) {
        lotor_text_add(&text, writer->is_claimed
                                  ? "Warning: this campaign protects nobody in practice. "
                                  : "Warning: this campaign has no privacy guarantee. ");
    }
    lotor_text_print(&text,
                     "The campaign \"%s\" chooses what people are shown, and learns from their "
                     "feedback. ",
                     *title ? title : name);
    const char *const original =
        lotor_writer_text_at(json_object_get(writer->campaign, "metadata"), "sandbox_of");
    if (*original) {
        lotor_text_print(&text,
                         "It is a sandbox: a copy of the campaign \"%s\" to try it out. It is in "
                         "no budget, so it must not be shown to real people. The original has its "
                         "own statement. ",
                         original);
    }
    if (writer->is_private) {
        print_private(writer, &text);
    } else if (writer->is_claimed) {
        lotor_text_print(
            &text,
            "There is some random noise, but far too little: epsilon is %s, and delta is %s. "
            "Assume that anyone who sees what is published can find out %s.",
            writer->epsilon_text, writer->delta_text, unit_in_words(writer));
    } else {
        lotor_text_print(&text,
                         "Assume that anyone who sees what is published can find out each person's "
                         "feedback. Reason: %s.",
                         lotor_writer_text_at(writer->guarantee, "reason"));
    }
    if (lotor_text_status(&text, NULL) != LOTOR_OK) {
        lotor_text_clear(&text);
        writer->failed = true;
        return;
    }
    writer->summary = text.bytes;
    lotor_writer_say(writer, "%s", writer->summary);
}

static const char *model_in_words(const lotor_writer *writer)
{
    if (is_local(writer)) {
        return "local: noise is added on the person's own device, before anything is sent";
    }
    if (is_joint(writer)) {
        return "joint: the server sees contexts and feedback. What other people see protects them; "
               "what a person is shown may depend on that person's own context";
    }
    return "central: the server sees feedback, and everything that it shows or publishes protects "
           "it";
}

static void write_neighbours(lotor_writer *writer)
{
    const bool is_early = json_is_true(json_object_get(writer->campaign, "early_release"));
    const char *silence = ", including whether there was any";
    if (is_early) {
        silence = ", but not in whether and when it came (early_release)";
    } else if (is_local(writer)) {
        silence = ". Whether there was any is protected from everybody but the operator";
    }
    lotor_writer_row(writer, "Neighbours", "two data sets that differ in the %s of one %s%s",
                     is_joint(writer) ? "context and the feedback" : "feedback",
                     rounds_per_user(writer) > 0 ? "user, in all rounds of this user" : "round",
                     silence);
}

/* The place of a proof on the page of proofs: "mathematics.html#4.1-batches". A theorem cites it as
 * "Lotor: proofs, section 4.1 (Batches)". False: it cites a paper only. */
static bool find_proof(const char *theorem, char place[160])
{
    static const char start[] = "Lotor: proofs, section ";
    const char *const cited = strstr(theorem, start);
    const char *const opens = cited ? strchr(cited, '(') : NULL;
    const char *const closes = opens ? strrchr(opens, ')') : NULL;
    if (!closes) {
        return false;
    }
    size_t length = (size_t)snprintf(place, 160, "mathematics.html#");
    for (const char *at = cited + sizeof start - 1; at < closes && length + 1 < 160; at++) {
        const unsigned char byte = (unsigned char)*at;
        if (isalnum(byte) || byte == '.') {
            place[length++] = (char)tolower(byte);
        } else if (byte == ' ') {
            place[length++] = '-';
        }
    }
    place[length] = '\0';
    return true;
}

static void write_proof(lotor_writer *writer)
{
    const char *const theorem = lotor_writer_text_at(writer->guarantee, "theorem");
    char place[160];
    if (!*theorem) {
        return;
    }
    lotor_writer_row(writer, "Proof", "%s", theorem);
    if (find_proof(theorem, place)) {
        lotor_writer_row(
            writer, "Where the proof is",
            "\"Lotor: proofs\" is the document \"The mathematics behind each guarantee\", "
            "which comes with the source code: %s",
            place);
    }
}

void lotor_statement_write_claim(lotor_writer *writer)
{
    const json_int_t rounds = rounds_per_user(writer);
    lotor_writer_section(writer, "claim", "The claim");
    if (!writer->is_claimed) {
        lotor_writer_say(writer, "Nothing is claimed: %s.",
                         lotor_writer_text_at(writer->guarantee, "reason"));
    } else if (writer->delta > 0.0) {
        lotor_writer_say(
            writer, "Everything that the campaign shows to others or publishes is (epsilon, "
                    "delta)-differentially private with the numbers below, however long it runs.");
    } else {
        lotor_writer_say(writer,
                         "Everything that the campaign shows to others or publishes is "
                         "epsilon-differentially private with the numbers below, however long "
                         "it runs.");
    }
    lotor_writer_row(writer, "Epsilon", "%s (per %s)", writer->epsilon_text,
                     rounds > 0 ? "user" : "round");
    if (rounds > 0) {
        char one[LOTOR_STATEMENT_NUMBER];
        lotor_writer_row(writer, "For one round",
                         "epsilon %s. A user can influence up to %lld round%s, and the epsilon of "
                         "these rounds adds up to the number above.",
                         lotor_writer_up(lotor_writer_number_at(writer->campaign, "epsilon"), one),
                         (long long)rounds, rounds == 1 ? "" : "s");
    }
    lotor_writer_row(writer, "Delta", "%s%s", writer->delta_text,
                     writer->delta > 0.0 ? "" : " (the bound never fails)");
    lotor_writer_row(writer, "Unit of privacy", "%s",
                     lotor_writer_text_at(writer->guarantee, "unit"));
    lotor_writer_row(writer, "Model of trust", "%s", model_in_words(writer));
    write_neighbours(writer);
    lotor_writer_row(writer, "Mechanism", "%s",
                     lotor_writer_text_at(writer->guarantee, "mechanism"));
    lotor_writer_row(writer, "Noise", "%s",
                     strcmp(lotor_writer_text_at(writer->guarantee, "noise"), "exact") == 0
                         ? "exact: drawn in whole numbers from a cryptographic source, without "
                           "rounding errors"
                         : "simulated: it protects nobody");
    lotor_writer_row(writer, "Algorithm", "%s",
                     lotor_writer_text_at(writer->campaign, "algorithm"));
    write_proof(writer);
}

/* The largest chance, in percent, that an attacker can have after seeing everything that is published.
 * Rounded up, and never to 100 unless it is 100. */
static const char *chance_after(const lotor_writer *writer, double before,
                                char text[LOTOR_STATEMENT_NUMBER])
{
    const double odds = before * exp(writer->epsilon);
    const double after = isfinite(odds) ? 100.0 * odds / (1.0 - before + odds) : 100.0;
    if (after > 99.9) {
        snprintf(text, LOTOR_STATEMENT_NUMBER, "over 99.9%%");
    } else {
        snprintf(text, LOTOR_STATEMENT_NUMBER, "%.1f%%", ceil(10.0 * after) / 10.0);
    }
    return text;
}

void lotor_statement_write_meaning(lotor_writer *writer)
{
    char odds[64], factor[LOTOR_STATEMENT_NUMBER], after[LOTOR_STATEMENT_NUMBER];
    lotor_writer_section(writer, "meaning", "Meaning of the numbers");
    if (!writer->is_claimed) {
        lotor_writer_say(writer, "There is no bound on what an attacker can find out.");
        return;
    }
    if (odds_in_words(attacker_error(writer), odds)) {
        lotor_writer_say(
            writer,
            "As an attacker's error: an attacker who knows everyone else's data still "
            "guesses one bit wrong at least %s. The attacker sees everything that is "
            "published, and one of two values that the attacker chose is true, each with "
            "the same chance.",
            odds);
    } else {
        lotor_writer_say(writer,
                         "As an attacker's error: an attacker who knows everyone else's data "
                         "may guess one bit wrong less than once in a million times.");
    }
    if (writer->epsilon < 20.0) {
        lotor_writer_say(
            writer,
            "As odds: what is published changes the odds of any guess about a person by a "
            "factor of at most %s, up or down.",
            lotor_writer_up(exp(writer->epsilon), factor));
    } else {
        lotor_writer_say(writer,
                         "As odds: what is published can change the odds of a guess about a "
                         "person by a factor of more than 100,000,000.");
    }
    if (writer->delta > 0.0) {
        /* The first bound has the factor 1 - delta. Where the odds change by more than e^(2 epsilon),
         * P <= e^epsilon Q + delta <= e^-epsilon P + delta, so P <= delta / (1 - e^-epsilon). */
        char rare[LOTOR_STATEMENT_NUMBER];
        lotor_writer_say(
            writer,
            "The attacker's error allows for %s (delta). The bound on the odds and the table below "
            "have exceptions because of delta: the odds rise by more than the square of that "
            "factor with a probability of at most %s.",
            writer->delta_text,
            lotor_writer_up(fmin(1.0, writer->delta / -expm1(-writer->epsilon)), rare));
    }
    static const struct chance {
        double before;
        const char *text;
    } chances[] = {{0.01, "1%"}, {0.1, "10%"}, {0.5, "50%"}, {0.9, "90%"}};
    lotor_writer_line(writer, 2, "An attacker's guess before", "At most, after seeing everything");
    for (size_t i = 0; i < sizeof chances / sizeof *chances; i++) {
        lotor_writer_line(writer, 2, chances[i].text,
                          chance_after(writer, chances[i].before, after));
    }
}

void lotor_statement_write_strength(lotor_writer *writer)
{
    lotor_writer_section(writer, "strength", "How strong it is");
    lotor_writer_say(writer, "The level of this campaign is \"%s\": %s.", writer->level,
                     lotor_writer_text_at(writer->guarantee, "level_reason"));
    lotor_writer_line(writer, 4, "Level", "Epsilon at most", "Delta at most", "Why");
    lotor_writer_line(writer, 4, "strong", "1", "0.00001",
                      "NIST SP 800-226 calls epsilon at most 1 conservative");
    lotor_writer_line(writer, 4, "moderate", "5", "0.001",
                      "the odds of a guess change by a factor of at most 149");
    lotor_writer_line(writer, 4, "weak", "10", "0.1",
                      "the odds of a guess can change by a factor of more than 148");
    lotor_writer_line(
        writer, 4, "very weak", "no limit", "no limit",
        "the odds can change by a factor of more than 22,000: do not call it private");
    lotor_writer_say(writer,
                     "The levels are a convention of Lotor. No law and no standard sets a "
                     "limit for epsilon. Judge the numbers for the data in question: health "
                     "data needs a smaller epsilon than the choice of a picture.");
}
