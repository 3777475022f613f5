/* twin.c - prints the output of `lotor run --csv` and `lotor audit` with public functions only.
 * twin_test.sh compares the two outputs.
 *
 *      twin run ALGORITHM INSTANCE HORIZON SEED SLOTS     INSTANCE -: a linear world
 *      twin audit ALGORITHM SEED
 */
#include <lotor/lotor.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"

static int refuse(lotor_status status, const lotor_message *why)
{
    fprintf(stderr, "%s: %s\n", lotor_status_name(status), why->text);
    return 1;
}

static int run(char **words)
{
    const lotor_simulate_params params = {
        .policy = {.algorithm = words[0],
                   .horizon = strtoull(words[2], NULL, 10),
                   .slots = (size_t)strtoull(words[4], NULL, 10)},
        .instance = strcmp(words[1], "-") == 0 ? NULL : words[1],
        .seed = strtoull(words[3], NULL, 10),
    };
    lotor_simulate_result *result;
    lotor_message why = {""};
    const lotor_status status = lotor_simulate_run(&params, &why, &result);
    if (status != LOTOR_OK) {
        return refuse(status, &why);
    }
    puts("algorithm,t,mean,stderr");
    for (size_t i = 0; i < result->point_count; i++) {
        const lotor_simulate_point *point = &result->points[i];
        char mean[LOTOR_DIGITS_ROOM], error[LOTOR_DIGITS_ROOM];
        printf("%s,%llu,%s,%s\n", words[0], (unsigned long long)point->round,
               lotor_digits(point->regret, mean), lotor_digits(point->standard_error, error));
    }
    lotor_simulate_free(result);
    return 0;
}

static int audit(char **words)
{
    const lotor_audit_params params = {.algorithm = words[0],
                                       .trials = 2000,
                                       .is_seeded = true,
                                       .seed = strtoull(words[1], NULL, 10)};
    lotor_audit_result result;
    lotor_message why = {""};
    const lotor_status status = lotor_audit_run(&params, &why, &result);
    if (status != LOTOR_OK) {
        return refuse(status, &why);
    }
    char epsilon[LOTOR_DIGITS_ROOM], found[LOTOR_DIGITS_ROOM];
    printf("\"verdict\": \"%s\"\n\"violated\": %s\n\"epsilon\": %s\n\"found\": %s\n"
           "\"event\": \"%s\"\n\"view\": \"%s\"\n\"setting\": \"%s\"\n",
           result.verdict, result.is_violated ? "true" : "false",
           lotor_digits(result.epsilon, epsilon), lotor_digits(result.found, found), result.event,
           result.view, result.setting);
    return 0;
}

int main(int count, char **words)
{
    if (count == 7 && strcmp(words[1], "run") == 0) {
        return run(words + 2);
    }
    if (count == 4 && strcmp(words[1], "audit") == 0) {
        return audit(words + 2);
    }
    fputs("usage: twin run ALGORITHM INSTANCE HORIZON SEED SLOTS | twin audit ALGORITHM SEED\n",
          stderr);
    return 2;
}
