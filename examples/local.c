/* local.c - a private yes-or-no question on 10,000 devices: no raw feedback leaves any of them.
 *
 *     cc local.c $(pkg-config --cflags --libs lotor) -o local && ./local
 *
 * This is the device's side of the local model, and a server that sees only reports. `lotor serve`
 * sends such a randomizer with each decision of a local campaign.
 */
#include <stdio.h>
#include <stdlib.h>

#include <lotor/lotor.h>

enum { DEVICES = 10000 };

static lotor_message why;

/* Runs on the device: turns the person's feedback into a report that may be sent. */
static int64_t report_of(const lotor_randomizer *randomizer, double feedback)
{
    const lotor_feedback raw = {.rewards = &feedback, .count = 1};
    int64_t report;
    size_t count;
    const lotor_status status = lotor_randomizer_report(randomizer, &raw, &why, &report, &count);
    if (status != LOTOR_OK) {
        fprintf(stderr, "%s: %s\n", lotor_status_name(status), why.text);
        exit(1);
    }
    return report;
}

int main(void)
{
    const lotor_randomizer randomizer = {
        .mechanism = "bit", /* randomized response: the truth in p = e/(1 + e) of the reports */
        .slot = 1,
        .slots = 1,
        .epsilon = lotor_ratio_of(1, 1),
        .low = 0.0,
        .high = 1.0,
    };
    const double truthful = 0.7310585786; /* p at epsilon 1 */

    double truth = 0.0;  /* no server has this number */
    double ones = 0.0;   /* the server has this number */
    unsigned differ = 0; /* reports that differ from the feedback */
    for (int device = 0; device < DEVICES; device++) {
        const double feedback = rand() < 0.3 * RAND_MAX ? 1.0 : 0.0;
        const int64_t report = report_of(&randomizer, feedback);
        truth += feedback;
        ones += (double)report;
        differ += (double)report != feedback;
    }

    /* The mean of the reports is (1 - p) + (2p - 1) times the share of yes. */
    const double estimate = (ones / (double)DEVICES - (1.0 - truthful)) / (2.0 * truthful - 1.0);
    printf("%u of %d reports were not what the person answered\n", differ, DEVICES);
    printf("said yes, from reports: %.1f%%, give or take 2.1; in truth: %.1f%%\n", 100.0 * estimate,
           100.0 * truth / (double)DEVICES);
    printf("who reads a report, and first thinks both answers equally likely, guesses wrong at "
           "least %d times in 100\n",
           (int)(100.0 * lotor_account_adversary_failure((lotor_budget){.epsilon = 1.0})));
    return 0;
}
