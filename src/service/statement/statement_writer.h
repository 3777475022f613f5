/* statement_writer.h - adds sections and blocks to a statement.
 *
 *      lotor_writer_section(writer, "claim", "The claim");
 *      lotor_writer_say(writer, "Epsilon is %s.", epsilon);      a paragraph
 *      lotor_writer_item(writer, "...");                         an item of a list
 *      lotor_writer_check(writer, "...");                        an item with a box to tick
 *      lotor_writer_row(writer, "Epsilon", "%s", epsilon);       a row: a name and its value
 *      lotor_writer_line(writer, 3, "Arm", "Mean", "Interval");  a line of a table; the first is its head
 *
 * Items, rows and lines that follow each other are one block. After a failure further calls do nothing, and
 * `failed` is set.
 */
#ifndef LOTOR_SERVICE_STATEMENT_WRITER_H
#define LOTOR_SERVICE_STATEMENT_WRITER_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "service/statement/statement.h"

enum { LOTOR_STATEMENT_NUMBER = 48 };

typedef enum lotor_statement_phase {
    LOTOR_STATEMENT_OPEN,
    LOTOR_STATEMENT_PAUSED,
    LOTOR_STATEMENT_CLOSED,
    LOTOR_STATEMENT_ARCHIVED,
    LOTOR_STATEMENT_DELETED
} lotor_statement_phase;

typedef struct lotor_writer {
    json_t *sections;
    json_t *blocks; /* of the last section; borrowed */
    bool failed;

    /* The source, with what several sections need. */
    const lotor_statement_source *source;
    const json_t *campaign, *guarantee;
    const char *model; /* "central", "local" or "joint" */
    const char *level;
    double epsilon, delta;
    bool is_private; /* a proof holds and its level is not "very weak" */
    bool is_claimed; /* a proof holds */
    char epsilon_text[LOTOR_STATEMENT_NUMBER], delta_text[LOTOR_STATEMENT_NUMBER];
    lotor_statement_phase phase;
    json_t *evidence;                              /* for the top of the statement; owned */
    char *summary;                                 /* the first paragraph; owned */
    char *level_note;                              /* what the level is for; owned */
    char time[32];                                 /* "2026-11-18T12:00:00Z" */
    char fingerprint[LOTOR_STATEMENT_FINGERPRINT]; /* of the sections before the last */
} lotor_writer;

void lotor_writer_section(lotor_writer *writer, const char *id, const char *title);
void lotor_writer_say(lotor_writer *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void lotor_writer_item(lotor_writer *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void lotor_writer_check(lotor_writer *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void lotor_writer_row(lotor_writer *writer, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void lotor_writer_line(lotor_writer *writer, size_t count, ...); /* `count` texts */

/* Six digits. Rounded up unless they are exact: a claim must not look stronger than it is. */
const char *lotor_writer_up(double value, char text[LOTOR_STATEMENT_NUMBER]);
/* A factor: three digits, or a whole number with commas; rounded up. */
const char *lotor_writer_factor(double value, char text[LOTOR_STATEMENT_NUMBER]);
/* At most `digits` significant digits, rounded to the nearest. */
const char *lotor_writer_number(double value, int digits, char text[LOTOR_STATEMENT_NUMBER]);
/* A whole number with commas: "50,000". */
const char *lotor_writer_count(double value, char text[LOTOR_STATEMENT_NUMBER]);
/* A part of 1 in percent, rounded up to one decimal: "99.9%". */
const char *lotor_writer_percent(double value, char text[LOTOR_STATEMENT_NUMBER]);
/* A time in words: "90 seconds", "2 hours". */
const char *lotor_writer_seconds(double value, char text[LOTOR_STATEMENT_NUMBER]);

/* Fields of objects: "" or 0 if they are not there. */
const char *lotor_writer_text_at(const json_t *object, const char *name);
double lotor_writer_number_at(const json_t *object, const char *name);
/* True if a field of the campaign is there, and neither null nor false. */
bool lotor_writer_has(const lotor_writer *writer, const char *field);
bool lotor_writer_is_model(const lotor_writer *writer, const char *model);

/* The sections, in the order of the statement. */
void lotor_statement_write_summary(lotor_writer *writer);
void lotor_statement_write_claim(lotor_writer *writer);
void lotor_statement_write_meaning(lotor_writer *writer);
void lotor_statement_write_strength(lotor_writer *writer);
void lotor_statement_write_protection(lotor_writer *writer);
void lotor_statement_write_composition(lotor_writer *writer);
void lotor_statement_write_utility(lotor_writer *writer);
void lotor_statement_write_biases(lotor_writer *writer);
void lotor_statement_write_data(lotor_writer *writer);
void lotor_statement_write_security(lotor_writer *writer);
void lotor_statement_write_threats(lotor_writer *writer);
void lotor_statement_write_assumptions(lotor_writer *writer);
void lotor_statement_write_evidence(lotor_writer *writer);
void lotor_statement_write_operator(lotor_writer *writer);
void lotor_statement_write_settings(lotor_writer *writer);
void lotor_statement_write_words(lotor_writer *writer);
/* The last section, which has the fingerprint of the others. */
void lotor_statement_write_review(lotor_writer *writer);

#endif
