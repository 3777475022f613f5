/* cascade.c - a list that people read from the top until they click.
 *
 *     cc cascade.c $(pkg-config --cflags --libs lotor) -o cascade && ./cascade
 *
 * Each round shows a list of three of ten items. The feedback is the position of the first click,
 * if there was one.
 */
#include <stdio.h>
#include <stdlib.h>

#include <lotor/lotor.h>

enum { ITEMS = 10, SLOTS = 3, PEOPLE = 60000 };

static const double clicked_by[ITEMS] = {0.05, 0.3,  0.1, 0.05, 0.25,
                                         0.1,  0.05, 0.2, 0.1,  0.05}; /* unknown to the policy */

static lotor_message why;

static void must(lotor_status status)
{
    if (status != LOTOR_OK) {
        fprintf(stderr, "%s: %s\n", lotor_status_name(status), why.text);
        exit(1);
    }
}

/* The position of the first click from 1, or 0 for none. */
static size_t read_list(const lotor_decision *decision)
{
    for (size_t place = 1; place <= decision->count; place++) {
        if (rand() < clicked_by[decision->arms[place - 1]] * RAND_MAX) {
            return place;
        }
    }
    return 0;
}

int main(void)
{
    const lotor_policy_params params = {
        .algorithm = "lik-imed",
        .arms = ITEMS,
        .slots = SLOTS,
        .epsilon = lotor_ratio_of(1, 1),
        .cascade = true, /* the feedback is clicks */
    };
    lotor_policy *policy;
    must(lotor_policy_new(&params, &why, &policy));

    unsigned clicks[4] = {0}; /* in each quarter */
    for (int person = 0; person < PEOPLE; person++) {
        lotor_decision decision;
        must(lotor_policy_choose(policy, NULL, &why, &decision));
        const lotor_feedback feedback = {.click = read_list(&decision)};
        must(lotor_policy_observe(policy, decision.event, &feedback, &why));
        must(lotor_policy_expire(policy, decision.event, &why));
        clicks[person / (PEOPLE / 4)] += feedback.click > 0;
    }

    for (int quarter = 0; quarter < 4; quarter++) {
        printf("quarter %d: %.1f%% of the lists were clicked\n", quarter + 1,
               100.0 * clicks[quarter] / (PEOPLE / 4));
    }
    printf("the best list: %.1f%%, one at random: about 33%%\n", 100.0 * (1.0 - 0.7 * 0.75 * 0.8));
    lotor_decision decision;
    must(lotor_policy_choose(policy, NULL, &why, &decision));
    printf("now shown: %u, %u, %u (the best are 1, 4 and 7)\n", decision.arms[0], decision.arms[1],
           decision.arms[2]);

    lotor_guarantee guarantee;
    char words[2000];
    lotor_policy_guarantee(policy, &guarantee);
    lotor_guarantee_text(&guarantee, words, sizeof words);
    printf("\n%s", words);
    lotor_policy_free(policy);
    return 0;
}
