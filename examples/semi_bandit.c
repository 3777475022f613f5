/* semi_bandit.c - learns the quickest way across town from people who each report the delay of one
 * street.
 *
 *     cc semi_bandit.c $(pkg-config --cflags --libs lotor) -o semi_bandit && ./semi_bandit
 *
 * Each round shows the set that an oracle picks: here a path in a directed graph without cycles.
 * The arms are the edges of the graph, and a reward is 1 minus the delay.
 * LOTOR_STRUCTURE_CUSTOM_ORACLE is for your own oracle.
 */
#include <stdio.h>
#include <stdlib.h>

#include <lotor/lotor.h>

enum { STREETS = 9, CORNERS = 6, PEOPLE = 100000 };

/* From corner 0 to corner 5: over the bridge (1, 3), through the park (2, 4), or across. */
static const uint32_t from[STREETS] = {0, 0, 1, 1, 2, 2, 3, 3, 4};
static const uint32_t to[STREETS] = {1, 2, 3, 4, 3, 4, 4, 5, 5};
/* unknown to the policy */
static const double delay[STREETS] = {0.2, 0.5, 0.6, 0.3, 0.5, 0.2, 0.5, 0.3, 0.3};

static lotor_message why;

static void must(lotor_status status)
{
    if (status != LOTOR_OK) {
        fprintf(stderr, "%s: %s\n", lotor_status_name(status), why.text);
        exit(1);
    }
}

int main(void)
{
    const lotor_policy_params params = {
        .algorithm = "lik-imed",
        .arms = STREETS,
        .epsilon = lotor_ratio_of(1, 2),
        .structure = LOTOR_STRUCTURE_PATH,
        .from = from,
        .to = to,
        .vertices = CORNERS,
        .source = 0,
        .sink = 5,
    };
    lotor_policy *policy;
    must(lotor_policy_new(&params, &why, &policy));

    double lost = 0.0, lost_early = 0.0; /* expected delay beyond the best, 0.8 */
    for (int person = 1; person <= PEOPLE; person++) {
        lotor_decision decision;
        must(lotor_policy_choose(policy, NULL, &why, &decision));
        for (size_t i = 0; i < decision.count; i++) {
            lost += delay[decision.arms[i]];
        }
        lost -= 0.8;
        double rewards[STREETS]; /* this algorithm asks for one street of the path */
        for (size_t i = 0; i < decision.asked_count; i++) {
            rewards[i] = rand() < delay[decision.asked[i]] * RAND_MAX ? 0.0 : 1.0;
        }
        const lotor_feedback feedback = {.rewards = rewards, .count = decision.asked_count};
        must(lotor_policy_observe(policy, decision.event, &feedback, &why));
        must(lotor_policy_expire(policy, decision.event, &why));
        lost_early = person == PEOPLE / 10 ? lost : lost_early;
    }

    lotor_decision decision;
    must(lotor_policy_choose(policy, NULL, &why, &decision));
    double total = 0.0;
    printf("now shown:");
    for (size_t i = 0; i < decision.count; i++) {
        printf(" %u->%u", from[decision.arms[i]], to[decision.arms[i]]);
        total += delay[decision.arms[i]];
    }
    printf(", delay %.1f (the best is 0.8)\n", total);
    printf("lost per person: %.4f in the first tenth, %.4f after it\n", lost_early / (PEOPLE / 10),
           (lost - lost_early) / (PEOPLE - PEOPLE / 10));

    lotor_guarantee guarantee;
    char words[2000];
    lotor_policy_guarantee(policy, &guarantee);
    lotor_guarantee_text(&guarantee, words, sizeof words);
    printf("\n%s", words);
    lotor_policy_free(policy);
    return 0;
}
