/* account.h - what `lotor account` is asked, and how it answers.
 *
 * Every answer is built once, as a list of facts, and written as text or as JSON. Numbers in the
 * text are rounded towards the weaker claim: epsilon, delta and sigma up, failure rates down.
 */
#ifndef LOTOR_CLI_ACCOUNT_H
#define LOTOR_CLI_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include <lotor/account.h>

#include "base/json.h"
#include "cli/numbers.h"

typedef struct lotor_question {
    lotor_list epsilons, deltas; /* owned by the arguments; one epsilon or more, or none */
    bool has_rho, has_sigma, has_sensitivity, has_total_delta;
    double rho, sigma, sensitivity, total_delta;
    uint64_t times, rounds, campaigns; /* 1 when not asked for */
} lotor_question;

typedef struct lotor_report {
    bool as_json;
    int paragraphs; /* of text so far, a table counting as one */
    lotor_json json;
    char buffer[8192];
} lotor_report;

void lotor_report_start(lotor_report *report, bool as_json);
void lotor_report_finish(lotor_report *report);

/* "label   value" in the text, "key": value in JSON. `up` says which way the text rounds. */
void lotor_report_number(lotor_report *report, const char *key, const char *label, double value,
                         bool up);
void lotor_report_whole(lotor_report *report, const char *key, const char *label, uint64_t value);

/* In JSON only: the text says it otherwise. */
void lotor_report_hidden(lotor_report *report, const char *key, uint64_t value);

/* A budget: a row in the text, an object with epsilon, delta and adversary_failure in JSON. */
void lotor_report_budget(lotor_report *report, const char *key, const char *label,
                         lotor_budget budget);
/* The head of a table of budgets; nothing in JSON. */
void lotor_report_table(lotor_report *report, const char *title);

/* The final budget: its numbers at the top level of JSON, and what it means in words. */
void lotor_report_meaning(lotor_report *report, lotor_budget budget);

/* A paragraph of text; a string in JSON when `key` is not NULL. */
void lotor_report_note(lotor_report *report, const char *key, const char *text);

/* The kinds of questions. */
lotor_status lotor_answer_budget(const lotor_question *question, lotor_report *report,
                                 lotor_message *why);
lotor_status lotor_answer_zcdp(const lotor_question *question, lotor_report *report,
                               lotor_message *why);
lotor_status lotor_answer_noise(const lotor_question *question, lotor_report *report,
                                lotor_message *why);

/* The count as a double that is not below it. */
double lotor_count_up(uint64_t count);

/* A budget that is met `times` times: epsilons and deltas add up. */
lotor_budget lotor_budget_times(lotor_budget budget, uint64_t times);

#endif
