/* policy.c - which of five variants do people like, without telling what anyone answered?
 *
 *     cc policy.c -llotor -o policy && ./policy
 */
#include <stdio.h>
#include <stdlib.h>

#include <lotor/lotor.h>

int main(void)
{
    static const double liked_by[] = {0.3, 0.5, 0.7, 0.4, 0.6}; /* what nobody knows */
    const lotor_policy_params params = {
        .algorithm = "dpucb-mat", /* one of `lotor algorithms`; this one needs no horizon */
        .arms = 5,
        .epsilon = lotor_ratio_of(1, 1),
    };
    lotor_message why;
    lotor_policy *policy;
    if (lotor_policy_new(&params, &why, &policy) != LOTOR_OK) {
        fprintf(stderr, "%s\n", why.text);
        return 1;
    }
    unsigned shown[5] = {0};
    for (int person = 0; person < 20000; person++) {
        lotor_decision decision;
        if (lotor_policy_choose(policy, NULL, &why, &decision) != LOTOR_OK) {
            fprintf(stderr, "%s\n", why.text);
            break;
        }
        const uint32_t variant = decision.arms[0];
        shown[variant]++;
        const double likes_it = rand() < liked_by[variant] * RAND_MAX ? 1.0 : 0.0;
        const lotor_answer answer = {.rewards = &likes_it, .count = 1};
        lotor_policy_observe(policy, decision.event, &answer, &why);
        lotor_policy_expire(policy, decision.event, &why);
    }
    for (int variant = 0; variant < 5; variant++) {
        printf("variant %d was shown %5u times\n", variant, shown[variant]);
    }
    lotor_guarantee guarantee;
    char text[2000];
    lotor_policy_guarantee(policy, &guarantee);
    lotor_guarantee_text(&guarantee, text, sizeof text);
    printf("\n%s", text);
    lotor_policy_free(policy);
    return 0;
}
