/* statement_use.c - how useful the noisy numbers are, and the known biases of learning from them. */
#include <stdio.h>
#include <string.h>

#include "service/statement/statement_writer.h"

enum { ARMS_SHOWN = 20 };

/* "0.31 (0.28 to 0.34)", or "not known yet" */
static const char *interval_text(const json_t *estimate, double factor, const char *unit,
                                 char text[192])
{
    const json_t *const mean = json_object_get(estimate, "mean");
    const json_t *const interval = json_object_get(estimate, "interval");
    char middle[LOTOR_STATEMENT_NUMBER], low[LOTOR_STATEMENT_NUMBER], high[LOTOR_STATEMENT_NUMBER];
    if (!json_is_number(mean) || !json_is_object(interval)) {
        return "not known yet";
    }
    snprintf(text, 192, "%s%s (%s%s to %s%s)",
             lotor_writer_number(factor * json_number_value(mean), 3, middle), unit,
             lotor_writer_number(factor * lotor_writer_number_at(interval, "low"), 3, low), unit,
             lotor_writer_number(factor * lotor_writer_number_at(interval, "high"), 3, high), unit);
    return text;
}

static void write_lift(lotor_writer *writer, const json_t *lift)
{
    char policy[192], control[192], absolute[192], relative[192];
    const char *const decided = lotor_writer_text_at(lift, "decided");
    lotor_writer_say(writer, "Some rounds measure what learning is worth, against a control. The "
                             "numbers in parentheses are 95%% intervals, for one look at a time "
                             "that was chosen in advance. \"Decided\" is stricter: it allows for "
                             "looking often.");
    lotor_writer_row(writer, "Mean value, learned choice", "%s",
                     interval_text(json_object_get(lift, "policy"), 1.0, "", policy));
    lotor_writer_row(writer, "Mean value, control", "%s",
                     interval_text(json_object_get(lift, "control"), 1.0, "", control));
    lotor_writer_row(writer, "Lift", "%s",
                     interval_text(json_object_get(lift, "absolute"), 1.0, "", absolute));
    lotor_writer_row(writer, "Relative lift", "%s",
                     interval_text(json_object_get(lift, "relative"), 100.0, "%", relative));
    lotor_writer_row(writer, "Decided", "%s", *decided ? decided : "not yet");
}

static void write_arms(lotor_writer *writer, const json_t *arms)
{
    const size_t count = json_array_size(arms);
    size_t known = 0;
    if (lotor_writer_is_model(writer, "joint")) {
        lotor_writer_say(writer, "This campaign chooses by context. It publishes a weight for each "
                                 "number of the context, and no estimate for an arm.");
        return;
    }
    for (size_t i = 0; i < count; i++) {
        known += json_is_number(json_object_get(json_array_get(arms, i), "mean"));
    }
    if (known == 0) {
        lotor_writer_say(writer, "No estimate of an arm is published yet.");
        return;
    }
    lotor_writer_say(writer,
                     "Estimates are published for %zu of %zu arms. Each has a 95%% interval, which "
                     "includes the noise.",
                     known, count);
    lotor_writer_line(writer, 3, "Arm", "Mean (95% interval)", "Rounds in it");
    for (size_t i = 0, shown = 0; i < count && shown < ARMS_SHOWN; i++) {
        const json_t *const arm = json_array_get(arms, i);
        if (json_is_number(json_object_get(arm, "mean"))) {
            char interval[192], rounds[LOTOR_STATEMENT_NUMBER];
            const char *const title = lotor_writer_text_at(arm, "title");
            shown++;
            lotor_writer_line(writer, 3, *title ? title : lotor_writer_text_at(arm, "id"),
                              interval_text(arm, 1.0, "", interval),
                              lotor_writer_count(lotor_writer_number_at(arm, "count"), rounds));
        }
    }
    if (known > ARMS_SHOWN) {
        lotor_writer_say(writer, "The description of the campaign has the rest (%zu).",
                         known - ARMS_SHOWN);
    }
}

void lotor_statement_write_utility(lotor_writer *writer)
{
    const json_t *const lift = json_object_get(writer->campaign, "lift");
    char final[LOTOR_STATEMENT_NUMBER], scale[LOTOR_STATEMENT_NUMBER],
        share[LOTOR_STATEMENT_NUMBER];
    lotor_writer_section(writer, "utility", "Usefulness");
    if (writer->phase == LOTOR_STATEMENT_DELETED) {
        lotor_writer_say(writer, "The campaign was deleted, with its estimates and its measured "
                                 "lift. Its releases are still in the store.");
        return;
    }
    lotor_writer_say(
        writer,
        "Rounds that are over so far: %s. Noise makes learning slower; how much depends on "
        "epsilon, the number of arms and the number of people.",
        lotor_writer_count(lotor_writer_number_at(writer->campaign, "final"), final));
    const json_t *const noise = json_object_get(writer->guarantee, "scale");
    if (json_is_number(noise)) {
        /* the scale of randomized response is a probability */
        const bool is_lie =
            strstr(lotor_writer_text_at(writer->guarantee, "mechanism"), "chance of a lie") != NULL;
        lotor_writer_row(
            writer, is_lie ? "Chance that a report is changed" : "Scale of the noise on one number",
            "%s%s", lotor_writer_number(json_number_value(noise), 4, scale),
            is_lie ? "" : ", in the unit of a reward");
    }
    const char *const regret = lotor_writer_text_at(writer->guarantee, "regret");
    lotor_writer_row(writer, "Expected loss while learning", "%s",
                     !*regret                          ? "no bound is known"
                     : strcmp(regret, "measured") == 0 ? "no bound is proved: it was only measured "
                                                         "in simulations"
                                                       : regret);
    const json_t *const evaluation = json_object_get(writer->campaign, "evaluation");
    if (json_is_object(evaluation)) {
        lotor_writer_row(
            writer, "Loss by measuring",
            "half of the measured rounds, %s of all rounds, show the control. They go "
            "on as long as the campaign, and gain nothing from learning.",
            lotor_writer_percent(lotor_writer_number_at(evaluation, "share") / 2.0, share));
    }
    if (json_is_object(lift)) {
        write_lift(writer, lift);
    } else if (!json_is_object(evaluation)) {
        lotor_writer_say(writer,
                         "This campaign does not measure lift, so nobody knows what learning "
                         "is worth here. The setting evaluation measures it.");
    }
    write_arms(writer, json_object_get(writer->campaign, "arms"));
}

void lotor_statement_write_biases(lotor_writer *writer)
{
    lotor_writer_section(writer, "biases", "Known biases of learning with noise");
    lotor_writer_item(writer,
                      "Small groups. The noise is the same for all, so it hides more of what a "
                      "small group likes than of what a large group likes. Choices follow the "
                      "majority more than they would without noise.");
    lotor_writer_item(writer,
                      "Rare arms. An arm that is shown rarely has few rounds in its numbers, so "
                      "its interval is wide. A good arm can be given up, or found late, by "
                      "chance.");
    lotor_writer_item(writer,
                      "Silence. A person who gives no feedback in time counts with the default "
                      "reward. So people who give feedback rarely count mostly with the default "
                      "reward.");
    lotor_writer_item(writer,
                      "Adaptive choice. Arms that looked bad by chance are shown less, so their "
                      "mean is measured less well than that of the leaders, and tends to be too "
                      "low.");
    lotor_writer_item(
        writer, "%s",
        lotor_writer_has(writer, "half_life")
            ? "New arms and changes. Older releases count less (half_life), so the "
              "learned values follow changes of taste, and are less exact. Nothing is "
              "deleted by that."
            : "New arms and changes. The learned values are averages over all rounds, "
              "so later changes of taste show slowly.");
    lotor_writer_item(writer,
                      "The service knows no groups of people. Whether a group is treated worse "
                      "must be examined with other data, which needs privacy of its own.");
}
