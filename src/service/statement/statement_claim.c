/* statement_claim.c - the first sections of a statement: plain words, the claim, its meaning, its strength. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lotor/account.h>

#include <lotor/guarantee.h>

#include "base/rate.h"
#include "service/statement/statement_writer.h"

static bool is_local(const lotor_writer *writer)
{
    return lotor_writer_is_model(writer, "local");
}

static bool is_joint(const lotor_writer *writer)
{
    return lotor_writer_is_model(writer, "joint");
}

static bool is_deleted(const lotor_writer *writer)
{
    return writer->phase == LOTOR_STATEMENT_DELETED;
}

static json_int_t rounds_per_user(const lotor_writer *writer)
{
    return json_integer_value(json_object_get(writer->campaign, "rounds_per_user"));
}

static json_int_t accepted_rollbacks(const lotor_writer *writer)
{
    return json_integer_value(json_object_get(writer->guarantee, "accepted_rollbacks"));
}

/* How often the attacker of `print_attacker` is wrong: "26 times in 100". NULL: hardly ever. */
static const char *attacker_error(const lotor_writer *writer, char text[LOTOR_RATE_ROOM])
{
    const lotor_budget budget = {writer->epsilon, writer->delta};
    const double error = lotor_account_adversary_failure(budget);
    return error >= 1e-5 ? lotor_rate(error, " times", text) : NULL;
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

/* --- in plain words --------------------------------------------------------------------------- */

/* The name of the level of a budget. */
static const char *level_of(double epsilon, double delta)
{
    const lotor_guarantee promise = {.is_private = true, .epsilon = epsilon, .delta = delta};
    return lotor_level_name(lotor_guarantee_level(&promise));
}

/* "Level for one display: strong. No limit for a person: ten displays have ten times the epsilon." */
static void print_level(const lotor_writer *writer, lotor_text *text)
{
    const json_t *const budget = json_object_get(writer->guarantee, "budget");
    if (!writer->is_claimed) {
        lotor_text_print(text, "Level: %s.", writer->level);
        return;
    }
    const bool is_capped = rounds_per_user(writer) > 0;
    lotor_text_print(text, "Level for one %s: %s.", is_capped ? "user" : "display", writer->level);
    if (budget) {
        char epsilon[LOTOR_STATEMENT_NUMBER];
        lotor_text_print(text,
                         " For one user, over all campaigns of the budget \"%s\", epsilon is at "
                         "most %s (level: %s).",
                         lotor_writer_text_at(budget, "name"),
                         lotor_writer_up(lotor_writer_number_at(budget, "epsilon"), epsilon),
                         level_of(lotor_writer_number_at(budget, "epsilon"),
                                  lotor_writer_number_at(budget, "delta")));
    } else if (!is_capped) {
        lotor_text_add(text, " No limit for a person: ten displays have ten times the epsilon.");
    }
}

static void print_attacker(const lotor_writer *writer, lotor_text *text)
{
    char rate[LOTOR_RATE_ROOM], low[LOTOR_STATEMENT_NUMBER], high[LOTOR_STATEMENT_NUMBER];
    if (!attacker_error(writer, rate)) {
        return;
    }
    lotor_text_print(
        text,
        "Suppose an attacker knows all other data, sees everything that is shown to others or "
        "published, and at first thinks two answers equally likely. The best guess is "
        "still wrong at least %s (50 in 100 without any information). ",
        rate);
    lotor_text_print(text, "A suspicion of 10%% becomes at most %s, one of 90%% at most %s%s. ",
                     chance_after(writer, 0.1, low), chance_after(writer, 0.9, high),
                     writer->delta > 0.0 ? ", with rare exceptions (delta, section 3)" : "");
}

static const char *operator_in_words(const lotor_writer *writer)
{
    if (is_deleted(writer)) {
        return "Feedback that was not released is erased.";
    }
    if (is_local(writer)) {
        return "The operator of the server sees whether and when feedback came, but not the "
               "feedback itself, because the person's own device adds the noise.";
    }
    return is_joint(writer)
               ? "The operator of the server can see the context and the feedback themselves until "
                 "their sum is released, and must be trusted with them."
               : "The operator of the server can see the feedback itself until its sum is "
                 "released, and must be trusted with it.";
}

static void print_private(const lotor_writer *writer, lotor_text *text)
{
    const char *const who = is_local(writer) ? "The person's own device" : "The service";
    lotor_text_print(
        text,
        "%s %s random noise. This noise limits how much of what %s shown to others and "
        "published can depend on %s. ",
        who, is_deleted(writer) ? "added" : "adds", is_deleted(writer) ? "was" : "is",
        unit_in_words(writer));
    lotor_text_print(text, "%s ", writer->level_note);
    print_attacker(writer, text);
    lotor_text_add(text, operator_in_words(writer));
}

/* Frees the text, or gives it to the caller. NULL: no memory. */
static char *take(lotor_writer *writer, lotor_text *text)
{
    if (lotor_text_status(text, NULL) != LOTOR_OK) {
        lotor_text_clear(text);
        writer->failed = true;
        return NULL;
    }
    return text->bytes;
}

static void print_what_it_is(const lotor_writer *writer, lotor_text *text)
{
    const char *const title = lotor_writer_text_at(writer->campaign, "title");
    const char *const name = lotor_writer_text_at(writer->campaign, "name");
    const char *const original =
        lotor_writer_text_at(json_object_get(writer->campaign, "metadata"), "sandbox_of");
    lotor_text_print(text,
                     is_deleted(writer) ? "The campaign \"%s\" chose what people were shown, and "
                                          "learned from their feedback. It was deleted. "
                                        : "The campaign \"%s\" chooses what people are shown, and "
                                          "learns from their feedback. ",
                     *title ? title : name);
    if (*original) { /* anyone with the role admin may write that */
        lotor_text_print(text,
                         "Its metadata calls it a sandbox: a copy of the campaign \"%s\" to try it "
                         "out. %sThe original has a statement of its own. ",
                         original,
                         json_object_get(writer->guarantee, "budget")
                             ? ""
                             : "It is in no budget, so it must not be shown to real people. ");
    }
}

void lotor_statement_write_summary(lotor_writer *writer)
{
    lotor_text note = {0}, text = {0};
    lotor_writer_section(writer, "summary", "In plain words");
    print_level(writer, &note);
    writer->level_note = take(writer, &note);
    if (!writer->level_note) {
        return;
    }
    if (!writer->is_private) {
        lotor_text_add(&text, writer->is_claimed
                                  ? "Warning: this campaign protects nobody in practice. "
                                  : "Warning: this campaign has no privacy guarantee. ");
    }
    print_what_it_is(writer, &text);
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
    writer->summary = take(writer, &text);
    if (writer->summary) {
        lotor_writer_say(writer, "%s", writer->summary);
    }
}

/* --- the claim -------------------------------------------------------------------------------- */

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
    const char *silence = ", including whether there was any";
    if (lotor_writer_has(writer, "early_release")) {
        silence = ", but not in whether and when it came (early_release)";
    } else if (is_local(writer)) {
        silence = ". Whether there was any is protected from everybody but the operator";
    }
    lotor_writer_row(writer, "Neighbours", "two data sets that differ in the %s of one %s%s",
                     is_joint(writer) ? "context and the feedback" : "feedback",
                     rounds_per_user(writer) > 0 ? "user, in all rounds of this user" : "round",
                     silence);
}

/* Writes the place of a proof: the number of its section in docs/mathematics.md, and the anchor of this
 * section as scripts/site makes it ("42-growing-batches"). A theorem cites it as "Lotor: proofs, section
 * 4.2 (Growing batches)". False: the theorem cites a paper only. */
static bool find_proof(const char *theorem, char number[16], char anchor[160])
{
    static const char start[] = "Lotor: proofs, section ";
    const char *const cited = strstr(theorem, start);
    const char *const opens = cited ? strchr(cited, '(') : NULL;
    const char *const closes = opens ? strrchr(opens, ')') : NULL;
    if (!closes) {
        return false;
    }
    const char *const from = cited + sizeof start - 1;
    size_t length = 0;
    snprintf(number, 16, "%.*s", (int)strcspn(from, " "), from);
    for (const char *at = from; at < closes && length + 1 < 160; at++) {
        const unsigned char byte = (unsigned char)*at;
        if (isalnum(byte) || byte == '_' || byte == '-') {
            anchor[length++] = (char)tolower(byte);
        } else if (byte == ' ') {
            anchor[length++] = '-';
        }
    }
    anchor[length] = '\0';
    return true;
}

static void write_proof(lotor_writer *writer)
{
    const char *const theorem = lotor_writer_text_at(writer->guarantee, "theorem");
    char number[16], anchor[160];
    if (!*theorem) {
        return;
    }
    lotor_writer_row(writer, "Proof", "%s", theorem);
    if (find_proof(theorem, number, anchor)) {
        lotor_writer_row(writer, "Where the proof is",
                         "in the source code: docs/mathematics.md, section %s. On the web site of "
                         "the documents: mathematics.html#%s",
                         number, anchor);
    }
}

static void write_delta(lotor_writer *writer)
{
    if (writer->delta > 0.0 && writer->delta <= 0.5) {
        char people[LOTOR_STATEMENT_NUMBER];
        lotor_writer_row(writer, "Delta",
                         "%s. An outcome may be more probable than epsilon allows by at most this "
                         "(1 in %s)",
                         writer->delta_text,
                         lotor_writer_count(floor(1.0 / writer->delta * (1.0 + 1e-14)), people));
    } else {
        lotor_writer_row(writer, "Delta", "%s%s", writer->delta_text,
                         writer->delta > 0.0 ? "" : " (epsilon alone is the bound)");
    }
}

static void write_epsilon(lotor_writer *writer)
{
    const json_int_t rounds = rounds_per_user(writer);
    lotor_writer_row(
        writer, "Epsilon", "%s for one %s%s", writer->epsilon_text,
        rounds > 0 ? "user, in all rounds together" : "round",
        accepted_rollbacks(writer) > 0
            ? ". An older copy of the store was accepted: for some feedback it is twice "
              "that or more (section 5)"
            : "");
    if (rounds > 0) {
        char one[LOTOR_STATEMENT_NUMBER];
        lotor_writer_row(writer, "For one round",
                         "epsilon %s. A user can influence up to %lld round%s, and the epsilon of "
                         "these rounds adds up to the number above.",
                         lotor_writer_up(lotor_writer_number_at(writer->campaign, "epsilon"), one),
                         (long long)rounds, rounds == 1 ? "" : "s");
    }
}

void lotor_statement_write_claim(lotor_writer *writer)
{
    lotor_writer_section(writer, "claim", "The claim");
    if (writer->is_claimed) {
        lotor_writer_say(writer, "Everything that the campaign %s is %s with the numbers below%s.",
                         is_deleted(writer) ? "has shown to others or published"
                                            : "shows to others or publishes",
                         writer->delta > 0.0 ? "(epsilon, delta)-differentially private"
                                             : "epsilon-differentially private",
                         is_deleted(writer) ? "" : ", however long it runs");
    } else {
        lotor_writer_say(writer, "Nothing is claimed: %s.",
                         lotor_writer_text_at(writer->guarantee, "reason"));
    }
    write_epsilon(writer);
    write_delta(writer);
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

/* --- the meaning ------------------------------------------------------------------------------ */

static void write_odds(lotor_writer *writer)
{
    char factor[LOTOR_STATEMENT_NUMBER];
    if (writer->epsilon < 20.0) {
        lotor_writer_say(
            writer,
            "Odds. For an attacker who knows all other data, publishing changes the odds of any "
            "guess about %s by a factor of at most %s.",
            unit_in_words(writer), lotor_writer_factor(exp(writer->epsilon), factor));
    } else {
        lotor_writer_say(
            writer,
            "Odds. For an attacker who knows all other data, publishing can change the odds of a "
            "guess about %s by a factor of more than 100,000,000.",
            unit_in_words(writer));
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
}

void lotor_statement_write_meaning(lotor_writer *writer)
{
    char rate[LOTOR_RATE_ROOM], after[LOTOR_STATEMENT_NUMBER];
    lotor_writer_section(writer, "meaning", "Meaning of the numbers");
    if (!writer->is_claimed) {
        lotor_writer_say(writer, "There is no bound on what an attacker can find out.");
        return;
    }
    if (attacker_error(writer, rate)) {
        lotor_writer_say(
            writer,
            "Error. An attacker knows all other data, and that one of two answers is true. At "
            "first "
            "both seem equally likely. Then the attacker sees everything that is published, and "
            "picks an answer. It is the wrong one at least %s; by tossing a coin, 50 times in 100.",
            rate);
    } else {
        lotor_writer_say(writer,
                         "Error. An attacker who knows all other data, and that one of two answers "
                         "is true, may pick the wrong one less than once in 100,000 times.");
    }
    write_odds(writer);
    static const struct chance {
        double before;
        const char *text;
    } chances[] = {{0.01, "1%"}, {0.1, "10%"}, {0.5, "50%"}, {0.9, "90%"}};
    lotor_writer_line(writer, 2, "Suspicion of this attacker before",
                      "At most, after seeing everything that is published");
    for (size_t i = 0; i < sizeof chances / sizeof *chances; i++) {
        lotor_writer_line(writer, 2, chances[i].text,
                          chance_after(writer, chances[i].before, after));
    }
    lotor_writer_say(
        writer, "An answer that is rare anyway, such as a click, is guessed better than by "
                "tossing a coin. The campaign does not cause that: the guess \"no click\" is often "
                "right without any information.");
}

/* --- the strength ----------------------------------------------------------------------------- */

/* The levels, as in src/privacy/account/level.c. */
static const struct level {
    const char *name;
    double epsilon, delta; /* at most */
    const char *epsilon_text, *delta_text, *why;
} levels[] = {
    {"strong", 1.0, 1e-5, "1", "0.00001", "NIST SP 800-226 calls epsilon at most 1 conservative"},
    {"moderate", 5.0, 1e-3, "5", "0.001", "the factor in section 3 is at most about 148"},
    {"weak", 10.0, 0.1, "10", "0.1", "the factor is at most about 22,000"},
    {"very weak", INFINITY, INFINITY, "no limit", "no limit",
     "the factor may be more than that: do not call it private"},
};
enum { LEVELS = sizeof levels / sizeof *levels };

/* "epsilon 3 is above 1 and at most 5" */
static void write_reason(lotor_writer *writer)
{
    size_t i = 0;
    while (i < LEVELS && strcmp(levels[i].name, writer->level) != 0) {
        i++;
    }
    if (i == LEVELS) {
        lotor_writer_say(writer, "The level is \"%s\": %s.", writer->level,
                         lotor_writer_text_at(writer->guarantee, "level_reason"));
        return;
    }
    const bool by_epsilon = i == 0 || !(writer->epsilon <= levels[i - 1].epsilon);
    const char *const least = i == 0       ? ""
                              : by_epsilon ? levels[i - 1].epsilon_text
                                           : levels[i - 1].delta_text;
    const char *const most = by_epsilon ? levels[i].epsilon_text : levels[i].delta_text;
    const bool has_most = i + 1 < LEVELS;
    lotor_writer_say(writer, "The level is \"%s\": %s %s is %s%s%s%s%s%s.", writer->level,
                     by_epsilon ? "epsilon" : "delta",
                     by_epsilon ? writer->epsilon_text : writer->delta_text, i > 0 ? "above " : "",
                     least, i > 0 && has_most ? " and " : "", has_most ? "at most " : "",
                     has_most ? most : "",
                     i == 0 && writer->delta > 0.0 ? ", and delta is at most 0.00001" : "");
}

void lotor_statement_write_strength(lotor_writer *writer)
{
    lotor_writer_section(writer, "strength", "How strong it is");
    write_reason(writer);
    lotor_writer_line(writer, 4, "Level", "Epsilon at most", "Delta at most", "Why");
    for (size_t i = 0; i < LEVELS; i++) {
        lotor_writer_line(writer, 4, levels[i].name, levels[i].epsilon_text, levels[i].delta_text,
                          levels[i].why);
    }
    lotor_writer_say(writer,
                     "The weaker of the two numbers decides. The levels are a convention of Lotor. "
                     "No law and no standard sets a limit for epsilon. Judge the numbers for the "
                     "data in question: health data needs a smaller epsilon than the choice of a "
                     "picture.");
}
