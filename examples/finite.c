/* finite.c - learns which of five texts people like, without revealing any person's feedback.
 *
 *     cc finite.c $(pkg-config --cflags --libs lotor) -o finite && ./finite
 *
 * Each round shows one arm. The algorithm needs no horizon: it can run for as long as people come.
 */
#include <stdio.h>
#include <stdlib.h>

#include <lotor/lotor.h>

static lotor_message why;

/* Ends the program with the library's message if a call failed. */
static void must(lotor_status status)
{
    if (status != LOTOR_OK) {
        fprintf(stderr, "%s: %s\n", lotor_status_name(status), why.text);
        exit(1);
    }
}

int main(void)
{
    static const double liked_by[] = {0.3, 0.5, 0.7, 0.4, 0.6}; /* unknown to the policy */
    const lotor_policy_params params = {
        .algorithm = "lik-imed", /* one of `lotor algorithms` */
        .arms = 5,
        .epsilon = lotor_ratio_of(1, 1),
    };
    lotor_policy *policy;
    must(lotor_policy_new(&params, &why, &policy));

    unsigned shown[5] = {0};
    for (int person = 0; person < 20000; person++) {
        lotor_decision decision;
        must(lotor_policy_choose(policy, NULL, &why, &decision));
        const uint32_t text = decision.arms[0];
        shown[text]++;
        if (person % 10 != 0) { /* one person in ten sends no feedback: that counts as 0 */
            const double likes_it = rand() < liked_by[text] * RAND_MAX ? 1.0 : 0.0;
            const lotor_feedback feedback = {.rewards = &likes_it, .count = 1};
            must(lotor_policy_observe(policy, decision.event, &feedback, &why));
        }
        must(lotor_policy_expire(policy, decision.event, &why)); /* the round is over */
    }

    for (int text = 0; text < 5; text++) {
        printf("text %d was shown %5u times\n", text, shown[text]);
    }
    lotor_guarantee guarantee;
    char words[2000];
    lotor_policy_guarantee(policy, &guarantee);
    lotor_guarantee_text(&guarantee, words, sizeof words);
    printf("\n%s", words);
    lotor_policy_free(policy);
    return 0;
}
