/* matroid.c - fills a page of health advice: two articles about the mind, one about exercise, one
 * about food.
 *
 *     cc matroid.c $(pkg-config --cflags --libs lotor) -o matroid && ./matroid
 *
 * Each round shows a set of arms that is independent in a matroid, here a partition matroid. Every
 * article on the page gets a reward, and all rewards of one person's page are protected together.
 */
#include <stdio.h>
#include <stdlib.h>

#include <lotor/lotor.h>

enum { ARTICLES = 9, KINDS = 3, PEOPLE = 50000 };

static const char *const title[ARTICLES] = {
    "sleep", "stress", "debt and mood", "running", "walking", "sports", "sugar", "salt", "water"};
static const uint32_t kind[ARTICLES] = {0, 0, 0, 1, 1, 1, 2, 2, 2};
/* unknown to the policy */
static const double read_by[ARTICLES] = {0.7, 0.6, 0.3, 0.2, 0.3, 0.1, 0.5, 0.4, 0.2};

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
    static const uint32_t at_most[KINDS] = {2, 1, 1};
    const lotor_policy_params params = {
        .algorithm = "dpucb-mat",
        .arms = ARTICLES,
        .epsilon = lotor_ratio_of(1, 1),
        .structure = LOTOR_STRUCTURE_PARTITION,
        .group = kind,
        .capacity = at_most,
        .groups = KINDS,
    };
    lotor_policy *policy;
    must(lotor_policy_new(&params, &why, &policy));

    unsigned shown[ARTICLES] = {0}; /* in the second half */
    for (int person = 0; person < PEOPLE; person++) {
        lotor_decision decision;
        must(lotor_policy_choose(policy, NULL, &why, &decision));
        for (size_t i = 0; i < decision.count; i++) {
            shown[decision.arms[i]] += person >= PEOPLE / 2;
        }
        double rewards[ARTICLES];
        for (size_t i = 0; i < decision.asked_count; i++) {
            rewards[i] = rand() < read_by[decision.asked[i]] * RAND_MAX ? 1.0 : 0.0;
        }
        const lotor_feedback feedback = {.rewards = rewards, .count = decision.asked_count};
        must(lotor_policy_observe(policy, decision.event, &feedback, &why));
        must(lotor_policy_expire(policy, decision.event, &why));
    }

    for (int article = 0; article < ARTICLES; article++) {
        printf("%-14s of kind %u, on %3.0f%% of the last pages\n", title[article], kind[article],
               100.0 * shown[article] / (PEOPLE / 2));
    }
    lotor_guarantee guarantee;
    char words[2000];
    lotor_policy_guarantee(policy, &guarantee);
    lotor_guarantee_text(&guarantee, words, sizeof words);
    printf("\n%s", words);
    lotor_policy_free(policy);
    return 0;
}
