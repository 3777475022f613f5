/* set_cover.c - learns which clinics to open, so that every district has one, and people wait as
 * little as possible. Each person's waiting time stays private.
 *
 *     cc set_cover.c $(pkg-config --cflags --libs lotor) -o set_cover && ./set_cover
 *
 * The arms are the clinics, and a reward is 1 minus the waiting time. A choice must cover all
 * districts, and costs the sum of its waiting times. To find the cheapest cover is hard (weighted
 * set cover), so this program brings its own oracle: greedy search, LOTOR_STRUCTURE_CUSTOM_ORACLE.
 * An algorithm with confidence bounds, such as batch-klucb, learns with an approximate oracle, too
 * (Chen et al. 2013).
 */
#include <stdio.h>
#include <stdlib.h>

#include <lotor/lotor.h>

enum { CLINICS = 9, DISTRICTS = 8, ALL = (1 << DISTRICTS) - 1, PEOPLE = 100000 };

/* the districts that each clinic covers, as bits */
static const unsigned covers[CLINICS] = {0x0f, 0xf0, 0x33, 0xcc, 0x3c, 0xc3, 0x55, 0xaa, 0x99};
/* mean waiting times; unknown to the policy */
static const double waiting[CLINICS] = {0.6, 0.5, 0.7, 0.4, 0.3, 0.6, 0.2, 0.3, 0.8};

static lotor_message why;

static void must(lotor_status status)
{
    if (status != LOTOR_OK) {
        fprintf(stderr, "%s: %s\n", lotor_status_name(status), why.text);
        exit(1);
    }
}

/* Oracles get any indices: infinite while an arm is unknown, and below 0 as well. */
static double cost(double index)
{
    if (index > 1.0) {
        return 0.0;
    }
    return index > -1e6 ? 1.0 - index : 1e6;
}

static int size_of(unsigned districts)
{
    int size = 0;
    for (; districts != 0; districts &= districts - 1) {
        size++;
    }
    return size;
}

/* Opens the clinic with the least cost for each new district, until all are covered. A clinic
 * covers 4 districts, so this costs at most 1 + 1/2 + 1/3 + 1/4 times the cheapest cover. */
static size_t cover(const void *context, const double *index, size_t arms, uint32_t *picked)
{
    unsigned open = ALL; /* districts that are not covered yet */
    size_t count = 0;
    (void)context;
    while (open != 0) {
        uint32_t best = 0;
        double least = 1e9;
        for (uint32_t i = 0; i < arms; i++) {
            const int news = size_of(covers[i] & open);
            if (news > 0 && cost(index[i]) / news < least) {
                best = i;
                least = cost(index[i]) / news;
            }
        }
        picked[count++] = best;
        open &= ~covers[best];
    }
    return count;
}

/* The expected reward of a set: each clinic that stays closed counts 1. */
static double value(const void *context, const double *means, const uint32_t *clinics, size_t count)
{
    double sum = CLINICS;
    (void)context;
    for (size_t i = 0; i < count; i++) {
        sum -= 1.0 - means[clinics[i]];
    }
    return sum;
}

static double total(const uint32_t *clinics, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += waiting[clinics[i]];
    }
    return sum;
}

/* The cheapest of all covers: with 9 clinics there are few. */
static double least_cost(void)
{
    double least = CLINICS;
    for (unsigned open = 0; open < 1U << CLINICS; open++) {
        unsigned covered = 0;
        double sum = 0.0;
        for (size_t i = 0; i < CLINICS; i++) {
            covered |= open >> i & 1 ? covers[i] : 0;
            sum += open >> i & 1 ? waiting[i] : 0.0;
        }
        least = covered == ALL && sum < least ? sum : least;
    }
    return least;
}

int main(void)
{
    const lotor_policy_params params = {
        .algorithm = "batch-klucb",
        .arms = CLINICS,
        .epsilon = lotor_ratio_of(1, 2),
        .structure = LOTOR_STRUCTURE_CUSTOM_ORACLE,
        .pick = cover,
        .value = value,
        .rank = CLINICS, /* the most clinics that are opened */
        .alpha = 0.69,   /* a cover costs at most 2: (9 - 2 x 25/12)/(9 - 2) */
    };
    lotor_policy *policy;
    must(lotor_policy_new(&params, &why, &policy));

    const double least = least_cost();
    double lost = 0.0, lost_early = 0.0; /* expected waiting time beyond the cheapest cover */
    for (int person = 1; person <= PEOPLE; person++) {
        lotor_decision decision;
        must(lotor_policy_choose(policy, NULL, &why, &decision));
        lost += total(decision.arms, decision.count) - least;
        double rewards[CLINICS]; /* this algorithm asks about one clinic */
        for (size_t i = 0; i < decision.asked_count; i++) {
            rewards[i] = rand() < waiting[decision.asked[i]] * RAND_MAX ? 0.0 : 1.0;
        }
        const lotor_feedback feedback = {.rewards = rewards, .count = decision.asked_count};
        must(lotor_policy_observe(policy, decision.event, &feedback, &why));
        must(lotor_policy_expire(policy, decision.event, &why));
        lost_early = person == PEOPLE / 10 ? lost : lost_early;
    }

    lotor_decision decision;
    must(lotor_policy_choose(policy, NULL, &why, &decision));
    printf("now open:");
    for (size_t i = 0; i < decision.count; i++) {
        printf(" %u", (unsigned)decision.arms[i]);
    }
    printf(", waiting %.1f (the least is %.1f)\n", total(decision.arms, decision.count), least);
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
