/* audit_outputs_words.c - see audit_outputs_words.h. */
#include "lab/audit_outputs_words.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { NAME = 80, TERMS = 3, SHOWN = 4, RANGES = 2 };

/* A sentence that is written piece by piece; what does not fit is cut. */
typedef struct sentence {
    char *text;
    size_t length, capacity;
} sentence;

__attribute__((format(printf, 2, 3))) static void say(sentence *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length =
        vsnprintf(out->text + out->length, out->capacity - out->length, format, arguments);
    va_end(arguments);
    if (length > 0) {
        out->length += (size_t)length;
        out->length = out->length < out->capacity ? out->length : out->capacity - 1;
    }
}

/* The pair (i, j), i > j, at this place of the differences or sums. */
static void find_pair(size_t place, size_t *i, size_t *j)
{
    *i = 1;
    while (place >= *i) {
        place -= *i;
        ++*i;
    }
    *j = place;
}

static void name_pair(size_t place, const char *word, char *name)
{
    size_t i, j;
    find_pair(place, &i, &j);
    snprintf(name, NAME, "number %zu %s number %zu", i + 1, word, j + 1);
}

static void name_node(size_t place, char *name)
{
    const size_t number = place + 1, before = number & (number - 1);
    if (before > 0) {
        snprintf(name, NAME, "number %zu minus number %zu", number, before);
    } else {
        snprintf(name, NAME, "number %zu", number);
    }
}

static void name_extra(size_t place, char *name)
{
    static const char *const words[] = {"the count of numbers", "the count of NaNs",
                                        "the count of infinities", "the count of zeros",
                                        "the count of repeated numbers"};
    snprintf(name, NAME, "%s", words[place]);
}

static void name_of(const lotor_audit_frame *frame, size_t number, char *name)
{
    static const char *const summary[] = {"the sum",
                                          "the sum of squares",
                                          "the smallest number",
                                          "the largest number",
                                          "the largest minus the smallest number",
                                          "the place of the smallest number",
                                          "the place of the largest number"};
    size_t reading = 0;
    while (reading < LOTOR_OUTPUTS_READINGS &&
           number >= frame->layout.readings[reading].start + frame->layout.readings[reading].size) {
        reading++;
    }
    if (reading == LOTOR_OUTPUTS_READINGS) {
        name_extra(number - frame->layout.extras.start, name);
        return;
    }
    const size_t place = number - frame->layout.readings[reading].start;
    switch (reading) {
    case LOTOR_OUTPUTS_VALUES:
        snprintf(name, NAME, "number %zu", place + 1);
        break;
    case LOTOR_OUTPUTS_STEPS:
        snprintf(name, NAME, "number %zu minus number %zu", place + 2, place + 1);
        break;
    case LOTOR_OUTPUTS_NODES:
        name_node(place, name);
        break;
    case LOTOR_OUTPUTS_DIFFERENCES:
        name_pair(place, "minus", name);
        break;
    case LOTOR_OUTPUTS_SUMS:
        name_pair(place, "plus", name);
        break;
    case LOTOR_OUTPUTS_SUMMARY:
        snprintf(name, NAME, "%s", summary[place]);
        break;
    case LOTOR_OUTPUTS_GRAINS:
        snprintf(name, NAME, "the exponent of the lowest bit of number %zu", place + 1);
        break;
    default:
        snprintf(name, NAME, "the fraction of number %zu", place + 1);
        break;
    }
}

/* A number as the mechanism gave it, from the centered one. */
static double exact_of(const lotor_audit_frame *frame, size_t number, float centered)
{
    return frame->centers[number] + (double)centered / frame->scales[number];
}

/* --- the likelihood ratio ----------------------------------------------------------------------- */

/* True if a bin of the only feature belongs to the event. */
static bool is_in(const lotor_audit_classifier *learned, size_t bin, bool of_not)
{
    return (learned->features[0].weights[bin] >= learned->threshold) != of_not;
}

static void say_range(const lotor_audit_frame *frame, const lotor_audit_feature *feature,
                      size_t first, size_t last, sentence *out)
{
    const bool has_low = first > 1, has_high = last <= feature->edge_count;
    const double low = has_low ? exact_of(frame, feature->number, feature->edges[first - 2]) : 0.0;
    const double high = has_high ? exact_of(frame, feature->number, feature->edges[last - 1]) : 0.0;
    if (has_low && has_high) {
        say(out, "from %.6g to below %.6g", low, high);
    } else if (has_low) {
        say(out, "at or above %.6g", low);
    } else if (has_high) {
        say(out, "below %.6g", high);
    } else {
        say(out, "any number");
    }
}

/* The ranges of the only feature that make up the event. */
static void say_ranges(const lotor_audit_frame *frame, const lotor_audit_classifier *learned,
                       bool of_not, sentence *out)
{
    const lotor_audit_feature *feature = &learned->features[0];
    const size_t bins = feature->edge_count + 2;
    char name[NAME];
    name_of(frame, feature->number, name);
    say(out, "%s is ", name);
    size_t ranges = 0;
    for (size_t first = 1, last; first < bins; first = last + 1) {
        last = first;
        if (!is_in(learned, first, of_not)) {
            continue;
        }
        while (last + 1 < bins && is_in(learned, last + 1, of_not)) {
            last++;
        }
        if (ranges < RANGES) {
            say(out, "%s", ranges > 0 ? ", or " : "");
            say_range(frame, feature, first, last, out);
        }
        ranges++;
    }
    if (ranges > RANGES) {
        say(out, ", or in %zu other learned ranges", ranges - RANGES);
    }
    const bool was_missing = feature->weights[0] != 0.0F; /* it is 0 if the number never was */
    if (was_missing && is_in(learned, 0, of_not)) {
        say(out, "%s", ranges > 0 ? ", or missing" : "missing");
    }
}

static void describe_ratio(const lotor_audit_frame *frame, const lotor_audit_classifier *learned,
                           bool of_not, sentence *out)
{
    if (learned->count == 1) {
        say_ranges(frame, learned, of_not, out);
        return;
    }
    const char *side = of_not ? "below" : "at or above";
    if (learned->count == 0) {
        say(out, "a learned likelihood ratio is %s its threshold", side);
        return;
    }
    size_t best = 0;
    for (size_t i = 1; i < learned->count; i++) {
        best = learned->features[i].telling > learned->features[best].telling ? i : best;
    }
    char name[NAME];
    name_of(frame, learned->features[best].number, name);
    say(out, "a learned likelihood ratio of %zu numbers, most of all of %s, is %s its threshold",
        learned->count, name, side);
}

/* --- the weighted sum --------------------------------------------------------------------------- */

static double weight_of(const lotor_audit_frame *frame, const lotor_audit_line *line, size_t place)
{
    return (double)line->weights[place] * frame->scales[line->part.start + place];
}

static void describe_line(const lotor_audit_frame *frame, const lotor_audit_line *line, bool of_not,
                          sentence *out)
{
    double most = 0.0, threshold = (double)line->threshold;
    for (size_t i = 0; i < line->part.size; i++) {
        const double weight = weight_of(frame, line, i);
        most = fabs(weight) > fabs(most) ? weight : most; /* with its sign: it becomes 1 */
        threshold += weight * frame->centers[line->part.start + i];
    }
    if (most == 0.0) {
        say(out, "a learned weighted sum of the numbers is %s its threshold",
            of_not ? "below" : "at or above");
        return;
    }
    const bool is_turned = most < 0.0;
    static const char *const sides[2][2] = {{"at or above", "below"}, {"at or below", "above"}};
    static const double LEAST = 0.01; /* smaller weights are not worth a word */
    size_t terms = 0;
    for (size_t i = 0; i < line->part.size; i++) {
        const double weight = weight_of(frame, line, i) / most;
        if (fabs(weight) < LEAST) {
            continue;
        }
        if (terms < TERMS) {
            const char *sign = terms > 0 ? " + " : "";
            sign = weight < 0.0 ? " - " : sign;
            say(out, "%s", sign);
            if (fabs(fabs(weight) - 1.0) >= 0.5 * LEAST) {
                say(out, "%.3g x ", fabs(weight));
            }
            say(out, "number %zu", i + 1);
        }
        terms++;
    }
    if (terms > TERMS) {
        say(out, " and %zu more terms", terms - TERMS);
    }
    say(out, " is %s %.6g", sides[is_turned][of_not], threshold / most + 0.0); /* no "-0" */
}

/* --- patterns ----------------------------------------------------------------------------------- */

/* The output of a training trial, as far as its row shows it. */
static void say_output(const lotor_audit_frame *frame, const float *row, sentence *out)
{
    const size_t count = (size_t)exact_of(frame, frame->layout.extras.start + LOTOR_OUTPUT_COUNT,
                                          row[frame->layout.extras.start + LOTOR_OUTPUT_COUNT]);
    say(out, "(");
    for (size_t i = 0; i < count && i < SHOWN && i < frame->width; i++) {
        say(out, "%s%.6g", i > 0 ? ", " : "", exact_of(frame, i, row[i]));
    }
    say(out, "%s", count > SHOWN ? ", ...)" : ")");
}

/* Patterns that are not known have weight 0. So the known patterns on the other side of the threshold
 * than 0 are a list, and the event is that the output is in the list, or that it is not. */
static void describe_patterns(const lotor_audit_frame *frame, const lotor_audit_patterns *learned,
                              const float *numbers, bool of_not, sentence *out)
{
    const bool is_above = learned->threshold > 0.0F;
    const lotor_audit_known_pattern *best = NULL;
    size_t listed = 0;
    for (size_t i = 0; i < learned->count; i++) {
        const lotor_audit_known_pattern *known = &learned->known[i];
        if ((known->weight >= learned->threshold) == is_above) {
            listed++;
            best = !best || fabsf(known->weight) > fabsf(best->weight) ? known : best;
        }
    }
    say(out, "the output is %s %zu learned %s", is_above != of_not ? "one of" : "none of", listed,
        learned->kind == LOTOR_PATTERN_FINE ? "ones" : "cells");
    if (best) {
        say(out, "%s", learned->kind == LOTOR_PATTERN_FINE ? ", such as " : ", such as that of ");
        say_output(frame, numbers + best->trial * frame->layout.row, out);
    }
}

void lotor_audit_output_describe(const lotor_audit_frame *frame, const lotor_audit_lesson *lesson,
                                 const float *numbers, size_t which, bool of_not, char *text,
                                 size_t capacity)
{
    sentence out = {.text = text, .capacity = capacity};
    text[0] = '\0';
    if (which == LOTOR_AUDIT_RATIO) {
        describe_ratio(frame, &lesson->ratio, of_not, &out);
    } else if (which == LOTOR_AUDIT_LINE) {
        describe_line(frame, &lesson->line, of_not, &out);
    } else {
        describe_patterns(frame, &lesson->patterns, numbers, of_not, &out);
    }
}
