/* linear.c - each visitor has different actions, and three numbers describe each action.
 *
 *     cc linear.c $(pkg-config --cflags --libs lotor) -o linear && ./linear
 *
 * The mean reward of an action is linear in its numbers, with unknown weights. Privacy is joint:
 * the decisions of other visitors do not reveal a visitor's context or reward. A visitor's own
 * decision may depend on the visitor's context.
 */
#include <stdio.h>
#include <stdlib.h>

#include <lotor/lotor.h>

enum { ACTIONS = 8, DIMENSION = 3, PEOPLE = 40000, PARTS = 4 };

static const double weight[DIMENSION] = {0.6, -0.3, 0.4}; /* unknown to the policy */

static lotor_message why;

static void must(lotor_status status)
{
    if (status != LOTOR_OK) {
        fprintf(stderr, "%s: %s\n", lotor_status_name(status), why.text);
        exit(1);
    }
}

static double uniform(void) /* in [-1, 1] */
{
    return 2.0 * rand() / RAND_MAX - 1.0;
}

static double worth(const double *action)
{
    return weight[0] * action[0] + weight[1] * action[1] + weight[2] * action[2];
}

/* No action is longer than 1, as the policy requires: 3 x 0.57^2 < 1. */
static void bring(double actions[ACTIONS][DIMENSION])
{
    for (int a = 0; a < ACTIONS; a++) {
        for (int i = 0; i < DIMENSION; i++) {
            actions[a][i] = 0.57 * uniform();
        }
    }
}

int main(void)
{
    const lotor_policy_params params = {
        .algorithm = "jdp-batch",
        .arms = ACTIONS,
        .dimension = DIMENSION,
        .horizon = PEOPLE,
        .epsilon = lotor_ratio_of(1, 1),
        .delta = lotor_ratio_of(1, 100000),
    };
    lotor_policy *policy;
    must(lotor_policy_new(&params, &why, &policy));

    double got[PARTS] = {0}, best[PARTS] = {0};
    for (int person = 0; person < PEOPLE; person++) {
        double actions[ACTIONS][DIMENSION];
        bring(actions);
        lotor_decision decision;
        must(lotor_policy_choose(policy, actions[0], &why, &decision));
        const double value = worth(actions[decision.arms[0]]);
        const double reward = value + 0.2 * uniform(); /* in [-1, 1] */
        const lotor_feedback feedback = {.rewards = &reward, .count = 1};
        must(lotor_policy_observe(policy, decision.event, &feedback, &why));
        must(lotor_policy_expire(policy, decision.event, &why));

        double most = worth(actions[0]);
        for (int a = 1; a < ACTIONS; a++) {
            const double other = worth(actions[a]);
            most = other > most ? other : most;
        }
        const int part = person / (PEOPLE / PARTS);
        got[part] += value;
        best[part] += most;
    }

    for (int part = 0; part < PARTS; part++) {
        printf("quarter %d: %5.1f%% of the best worth\n", part + 1, 100.0 * got[part] / best[part]);
    }
    lotor_guarantee guarantee;
    char words[2000];
    lotor_policy_guarantee(policy, &guarantee);
    lotor_guarantee_text(&guarantee, words, sizeof words);
    printf("\n%s", words);
    lotor_policy_free(policy);
    return 0;
}
