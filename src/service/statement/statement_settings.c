/* statement_settings.c - the last sections of a statement: what the operator says, the settings of the campaign,
 * words, and the place for a signature. */
#include <stdio.h>
#include <string.h>

#include "service/statement/statement_writer.h"

static json_int_t whole_at(const lotor_writer *writer, const char *field)
{
    return json_integer_value(json_object_get(writer->campaign, field));
}

/* --- settings --------------------------------------------------------------------------------- */

/* "2 of 5 are paused or removed" */
static void write_items(lotor_writer *writer)
{
    const json_t *const arms = json_object_get(writer->campaign, "arms");
    size_t paused = 0;
    for (size_t i = 0; i < json_array_size(arms); i++) {
        paused += json_is_true(json_object_get(json_array_get(arms, i), "paused"));
    }
    lotor_writer_row(writer, "Arms", "%zu, of which %zu are paused or removed; room for %lld",
                     json_array_size(arms), paused, (long long)whole_at(writer, "max_arms"));
    lotor_writer_row(writer, "Arms in one display (slots)", "%lld",
                     (long long)whole_at(writer, "slots"));
}

static void write_feedback(lotor_writer *writer)
{
    const json_t *const range = json_object_get(writer->campaign, "reward_range");
    char low[LOTOR_STATEMENT_NUMBER], high[LOTOR_STATEMENT_NUMBER], usual[LOTOR_STATEMENT_NUMBER];
    const bool clicks = strcmp(lotor_writer_text_at(writer->campaign, "feedback"), "clicks") == 0;
    lotor_writer_row(
        writer, "Feedback", "%s from %s to %s; without feedback in time %s",
        clicks ? "clicks, which count" : "rewards",
        lotor_writer_number(json_number_value(json_array_get(range, 0)), 6, low),
        lotor_writer_number(json_number_value(json_array_get(range, 1)), 6, high),
        lotor_writer_number(lotor_writer_number_at(writer->campaign, "default_reward"), 6, usual));
    lotor_writer_row(
        writer, "Feedback is accepted for (wait_seconds)", "%s",
        lotor_writer_seconds(lotor_writer_number_at(writer->campaign, "wait_seconds"), usual));
    lotor_writer_row(writer, "early_release", "%s",
                     lotor_writer_has(writer, "early_release") ? "on" : "off");
}

static void write_users(lotor_writer *writer)
{
    char text[LOTOR_STATEMENT_NUMBER];
    if (lotor_writer_has(writer, "rounds_per_user")) {
        lotor_writer_row(writer, "rounds_per_user", "%lld",
                         (long long)whole_at(writer, "rounds_per_user"));
    } else {
        lotor_writer_row(writer, "rounds_per_user", "no limit");
    }
    lotor_writer_row(
        writer, "sticky_seconds", "%s",
        lotor_writer_has(writer, "sticky_seconds")
            ? lotor_writer_seconds(lotor_writer_number_at(writer->campaign, "sticky_seconds"), text)
            : "off");
    const char *const budget = lotor_writer_text_at(writer->campaign, "budget");
    lotor_writer_row(writer, "budget", "%s", *budget ? budget : "none");
}

static void write_half_life(lotor_writer *writer)
{
    const json_t *const value = json_object_get(writer->campaign, "half_life");
    if (json_is_integer(value)) {
        char rounds[LOTOR_STATEMENT_NUMBER];
        lotor_writer_row(writer, "half_life", "%s rounds",
                         lotor_writer_count(json_number_value(value), rounds));
    } else {
        lotor_writer_row(writer, "half_life", "%s",
                         json_is_string(value) ? json_string_value(value) : "off");
    }
}

static void write_evaluation(lotor_writer *writer)
{
    const json_t *const evaluation = json_object_get(writer->campaign, "evaluation");
    char share[LOTOR_STATEMENT_NUMBER];
    if (!json_is_object(evaluation)) {
        lotor_writer_row(writer, "evaluation", "off");
        return;
    }
    const json_t *const control = json_object_get(evaluation, "control");
    lotor_writer_row(writer, "evaluation", "%s of the rounds; the control is %s",
                     lotor_writer_percent(lotor_writer_number_at(evaluation, "share"), share),
                     json_is_array(control) ? "a fixed list of arms" : "arms at random");
}

void lotor_statement_write_settings(lotor_writer *writer)
{
    char number[LOTOR_STATEMENT_NUMBER];
    lotor_writer_section(writer, "settings", "Settings");
    lotor_writer_say(writer,
                     "If one of these differs from an earlier copy, read the statement "
                     "again. Arms can be added, paused and removed, and the room for arms can "
                     "grow. The others can't change.");
    lotor_writer_row(writer, "Algorithm", "%s",
                     lotor_writer_text_at(writer->campaign, "algorithm"));
    lotor_writer_row(writer, "Epsilon of one round", "%s",
                     lotor_writer_up(lotor_writer_number_at(writer->campaign, "epsilon"), number));
    lotor_writer_row(writer, "Delta of one round", "%s",
                     lotor_writer_up(lotor_writer_number_at(writer->campaign, "delta"), number));
    write_items(writer);
    write_feedback(writer);
    write_users(writer);
    write_half_life(writer);
    write_evaluation(writer);
    const char *const prior = lotor_writer_text_at(writer->campaign, "prior");
    lotor_writer_row(writer, "prior", "%s", *prior ? prior : "none");
    if (lotor_writer_has(writer, "dimension")) {
        lotor_writer_row(writer, "Numbers in a context (dimension)", "%lld",
                         (long long)whole_at(writer, "dimension"));
    }
    if (lotor_writer_has(writer, "horizon")) {
        lotor_writer_row(
            writer, "Planned rounds (horizon)", "%s",
            lotor_writer_count(lotor_writer_number_at(writer->campaign, "horizon"), number));
    }
}

/* --- words ------------------------------------------------------------------------------------ */

void lotor_statement_write_words(lotor_writer *writer)
{
    lotor_writer_section(writer, "words", "Words");
    lotor_writer_row(writer, "Arm", "one item that can be shown");
    lotor_writer_row(writer, "Round", "one display to one person, and the feedback that came back");
    lotor_writer_row(writer, "Epsilon",
                     "how much one round, or one user, can change what others "
                     "see. Smaller protects more");
    lotor_writer_row(writer, "Odds",
                     "how often a guess is right for each time it is wrong: odds of "
                     "1 to 9 are a chance of 10%%");
    lotor_writer_row(writer, "Release", "a sum with noise that was published. It never changes");
    lotor_writer_row(writer, "Default reward", "what a round counts if no feedback came in time");
    lotor_writer_row(writer, "Control", "rounds that show arms without learning, to compare with");
}

/* --- the operator, and the review ------------------------------------------------------------- */

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
}

void lotor_statement_write_review(lotor_writer *writer)
{
    lotor_writer_section(writer, "signature", "Review");
    lotor_writer_say(writer,
                     "I have read this statement about the campaign \"%s\", made at %s, with the "
                     "fingerprint %s.",
                     lotor_writer_text_at(writer->campaign, "name"), writer->time,
                     writer->fingerprint);
    lotor_writer_check(writer, "I approve its use for the purpose in section 14.");
    lotor_writer_check(writer, "I do not approve it.");
    lotor_writer_check(writer, "The assumptions in section 12 are confirmed by the operator and by "
                               "the makers of the product.");
    lotor_writer_row(writer, "Name", "%s", "");
    lotor_writer_row(writer, "Date", "%s", "");
    lotor_writer_row(writer, "Signature", "%s", "");
    lotor_writer_say(
        writer,
        "The fingerprint changes with everything but the time and section 7 "
        "(numbers and titles of arms): for example with a setting, or with the version of the "
        "program.");
}
