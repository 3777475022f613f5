/* account.h - the requests of `lotor account`, and the output for them.
 *
 * Every output is built once, as a list of facts, and written as text or as JSON. Numbers in the
 * text are rounded towards the weaker claim: epsilon, delta and sigma up, failure rates down.
 */
#ifndef LOTOR_CLI_ACCOUNT_H
#define LOTOR_CLI_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include <lotor/account.h>

#include "base/json.h"
#include "cli/numbers.h"

typedef struct lotor_account_request {
    lotor_number_list epsilons, deltas; /* owned by the arguments; may be empty */
    bool has_rho, has_sigma, has_sensitivity, has_total_delta;
    double rho, sigma, sensitivity, total_delta;
    uint64_t times, rounds, campaigns; /* 1 if not given */
} lotor_account_request;

typedef struct lotor_account_report {
    bool as_json;
    int paragraphs; /* number of paragraphs so far; a table counts as one */
    lotor_json json;
    char buffer[8192];
} lotor_account_report;

void lotor_account_report_start(lotor_account_report *report, bool as_json);
void lotor_account_report_finish(lotor_account_report *report);

/* "label   value" in the text, "key": value in JSON. `up` says which way the text rounds. */
void lotor_account_report_number(lotor_account_report *report, const char *key, const char *label,
                                 double value, bool up);
void lotor_account_report_whole(lotor_account_report *report, const char *key, const char *label,
                                uint64_t value);

/* Only in JSON: the text says it in another way. */
void lotor_account_report_hidden(lotor_account_report *report, const char *key, uint64_t value);

/* A budget: a row in the text, an object with epsilon, delta and adversary_failure in JSON. */
void lotor_account_report_budget(lotor_account_report *report, const char *key, const char *label,
                                 lotor_budget budget);
/* Starts a table of budgets; does nothing in JSON. */
void lotor_account_report_table(lotor_account_report *report, const char *title);

/* The final budget: its numbers at the top level of JSON, and what it means in words. */
void lotor_account_report_meaning(lotor_account_report *report, lotor_budget budget);

/* A paragraph of text; in JSON a string, if `key` is not NULL. */
void lotor_account_report_note(lotor_account_report *report, const char *key, const char *text);

/* Each function computes the output for one kind of request. */
lotor_status lotor_account_compute_budget(const lotor_account_request *question,
                                          lotor_account_report *report, lotor_message *why);
lotor_status lotor_account_compute_zcdp(const lotor_account_request *question,
                                        lotor_account_report *report, lotor_message *why);
lotor_status lotor_account_compute_noise(const lotor_account_request *question,
                                         lotor_account_report *report, lotor_message *why);

/* The count as a double, rounded up. */
double lotor_count_up(uint64_t count);

/* The budget of `times` releases with this budget: epsilons and deltas add up. */
lotor_budget lotor_budget_times(lotor_budget budget, uint64_t times);

#endif
