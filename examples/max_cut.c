/* max_cut.c - learns how to split eight players into two teams, so that the games between the teams
 * are worth watching. Each spectator's opinion stays private.
 *
 *     cc max_cut.c $(pkg-config --cflags --libs lotor) -o max_cut && ./max_cut
 *
 * The arms are pairs of players who could meet. A split shows all pairs that it separates: a cut of
 * the graph. To find the best cut is hard (MAX-CUT), so this program brings its own oracle, which
 * finds at least half of it: LOTOR_STRUCTURE_CUSTOM_ORACLE. An algorithm with confidence bounds,
 * such as batch-klucb, learns with an approximate oracle, too (Chen et al. 2013).
 */
#include <stdio.h>
#include <stdlib.h>

#include <lotor/lotor.h>

enum { PLAYERS = 8, PAIRS = 14, STARTS = 30, PEOPLE = 100000 };

static const uint32_t one[PAIRS] = {0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 4, 4, 5, 6};
static const uint32_t other[PAIRS] = {1, 2, 4, 7, 2, 3, 6, 3, 5, 4, 5, 7, 6, 7};
/* how many like each game; unknown to the policy */
static const double liked[PAIRS] = {0.9, 0.2, 0.1, 0.8, 0.8, 0.2, 0.1,
                                    0.9, 0.1, 0.7, 0.9, 0.2, 0.8, 0.9};

static lotor_message why;

static void must(lotor_status status)
{
    if (status != LOTOR_OK) {
        fprintf(stderr, "%s: %s\n", lotor_status_name(status), why.text);
        exit(1);
    }
}

/* Oracles get any indices: infinite while an arm is unknown, and below 0 as well. */
static double weight(double index)
{
    return index > 1e6 ? 1e6 : index > 0.0 ? index : 0.0;
}

/* The weight that the cut gains if a player moves to the other team. */
static double gain(const double *index, const int *team, uint32_t player)
{
    double sum = 0.0;
    for (size_t i = 0; i < PAIRS; i++) {
        if (one[i] == player || other[i] == player) {
            sum += team[one[i]] == team[other[i]] ? weight(index[i]) : -weight(index[i]);
        }
    }
    return sum;
}

/* Moves players as long as that helps, and returns the weight of the cut. In the end at least half
 * the weight of each player's pairs is in the cut, so at least half of all. */
static double improve(const double *index, int *team)
{
    for (int moved = 1; moved;) {
        moved = 0;
        for (uint32_t player = 0; player < PLAYERS; player++) {
            if (gain(index, team, player) > 1e-9) {
                team[player] = !team[player];
                moved = 1;
            }
        }
    }
    double sum = 0.0;
    for (size_t i = 0; i < PAIRS; i++) {
        sum += team[one[i]] != team[other[i]] ? weight(index[i]) : 0.0;
    }
    return sum;
}

/* The best cut that is found from some splits. They are always the same: an oracle must be pure. */
static size_t cut(const void *context, const double *index, size_t arms, uint32_t *picked)
{
    double best = -1.0;
    size_t count = 0;
    (void)context;
    for (unsigned start = 1; start <= STARTS; start++) {
        int team[PLAYERS];
        for (unsigned player = 0; player < PLAYERS; player++) {
            team[player] = 37 * start >> player & 1;
        }
        const double sum = improve(index, team);
        if (sum > best) {
            best = sum;
            count = 0;
            for (uint32_t i = 0; i < arms; i++) {
                if (team[one[i]] != team[other[i]]) {
                    picked[count++] = i;
                }
            }
        }
    }
    return count;
}

static double value(const uint32_t *pairs, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += liked[pairs[i]];
    }
    return sum;
}

/* The best of all cuts: with 8 players there are only 128. */
static double best_cut(void)
{
    double best = 0.0;
    for (unsigned split = 0; split < 1U << (PLAYERS - 1); split++) {
        double sum = 0.0;
        for (size_t i = 0; i < PAIRS; i++) {
            sum += (split >> one[i] & 1) != (split >> other[i] & 1) ? liked[i] : 0.0;
        }
        best = sum > best ? sum : best;
    }
    return best;
}

int main(void)
{
    const lotor_policy_params params = {
        .algorithm = "batch-klucb",
        .arms = PAIRS,
        .epsilon = lotor_ratio_of(1, 2),
        .structure = LOTOR_STRUCTURE_CUSTOM_ORACLE,
        .pick = cut,
        .rank = PAIRS, /* the most pairs in a cut */
        .alpha = 0.5,
    };
    lotor_policy *policy;
    must(lotor_policy_new(&params, &why, &policy));

    const double best = best_cut();
    double lost = 0.0, lost_early = 0.0; /* expected opinion below the best cut */
    for (int person = 1; person <= PEOPLE; person++) {
        lotor_decision decision;
        must(lotor_policy_choose(policy, NULL, &why, &decision));
        lost += best - value(decision.arms, decision.count);
        double rewards[PAIRS]; /* this algorithm asks about one game */
        for (size_t i = 0; i < decision.asked_count; i++) {
            rewards[i] = rand() < liked[decision.asked[i]] * RAND_MAX ? 1.0 : 0.0;
        }
        const lotor_feedback feedback = {.rewards = rewards, .count = decision.asked_count};
        must(lotor_policy_observe(policy, decision.event, &feedback, &why));
        must(lotor_policy_expire(policy, decision.event, &why));
        lost_early = person == PEOPLE / 10 ? lost : lost_early;
    }

    lotor_decision decision;
    must(lotor_policy_choose(policy, NULL, &why, &decision));
    printf("now shown: %zu games, worth %.1f (the best is %.1f)\n", decision.count,
           value(decision.arms, decision.count), best);
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
