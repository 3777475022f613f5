/* bench_people.c - how many people a contextual choice needs until it loses half of what choosing at random
 * loses (docs/choosing.md has the table).
 *
 * Two worlds, in d dimensions:
 *   - groups: as in docs/contexts.md. A person is of one of 2 groups, each as likely, and each pair of a group and
 *     one of d/2 arms has a number of its own. Of each group, 20% + G click its favourite arm and 20% any
 *     other one.
 *   - mixed: each of 5 arms has a random unit vector x in each round, and is clicked by 50% + <theta, x>/2.
 * A click is 1, and no click is -1. D is how much more often the best arm is clicked than a random one. The
 * horizon is the number of people, so each number of people is played by itself.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random/laws.h"
#include "bench.h"
#include "policy/policy.h"

enum { ARMS_MOST = 8, NUMBERS = 128, RUNS = 6, PEOPLE_LEAST = 250, PEOPLE_MOST = 1 << 18 };

typedef struct setting {
    const char *algorithm;
    bool has_groups;
    size_t dimension;
    double epsilon;
    double gap; /* D */
} setting;

typedef struct world {
    const setting *at;
    size_t arms;
    double length;             /* mixed: of theta; groups: G */
    double contexts[NUMBERS];  /* of the round */
    double clicked[ARMS_MOST]; /* of the round: the probability of a click */
    lotor_generator random;
} world;

static void draw_groups(world *self)
{
    const size_t dimension = self->at->dimension;
    const size_t group = lotor_generator_word(&self->random) >> 63;
    for (size_t i = 0; i < self->arms; i++) {
        for (size_t j = 0; j < dimension; j++) {
            self->contexts[i * dimension + j] = j == 2 * i + group ? 1.0 : 0.0;
        }
        self->clicked[i] = 0.2 + (i == group ? self->length : 0.0);
    }
}

static void draw_mixed(world *self)
{
    for (size_t i = 0; i < self->arms; i++) {
        double square = 0.0, *row = self->contexts + i * self->at->dimension;
        for (size_t j = 0; j < self->at->dimension; j++) {
            row[j] = lotor_random_gaussian(&self->random);
            square += row[j] * row[j];
        }
        for (size_t j = 0; j < self->at->dimension; j++) {
            row[j] *= (1.0 - 1e-12) / sqrt(square);
        }
        self->clicked[i] = 0.5 + 0.5 * self->length * row[0]; /* theta is along the first axis */
    }
}

static void draw(world *self)
{
    if (self->at->has_groups) {
        draw_groups(self);
    } else {
        draw_mixed(self);
    }
}

static double best_of(const world *self)
{
    double best = 0.0;
    for (size_t i = 0; i < self->arms; i++) {
        best = fmax(best, self->clicked[i]);
    }
    return best;
}

/* Chooses the length so that the best arm is better than a random one by D. */
static void set_length(world *self)
{
    enum { DRAWS = 100000 };
    double sum = 0.0;
    lotor_generator_seed(&self->random, 1);
    self->length = 1.0;
    if (self->at->has_groups) {
        self->length = self->at->gap / (1.0 - 1.0 / (double)self->arms);
        return;
    }
    const size_t draws = bench_size(DRAWS);
    for (size_t i = 0; i < draws; i++) {
        draw(self);
        sum += best_of(self) - 0.5;
    }
    self->length = self->at->gap / (sum / (double)draws);
}

static void stop(const lotor_message *why)
{
    fprintf(stderr, "%s\n", why->text);
    exit(EXIT_FAILURE);
}

/* The loss of one run, as a share of what choosing at random loses. */
static double play(world *self, uint64_t people, uint64_t seed)
{
    const setting *at = self->at;
    lotor_message why = {""};
    lotor_generator noise;
    lotor_policy *policy;
    lotor_policy_params params = {.algorithm = at->algorithm,
                                  .arms = self->arms,
                                  .dimension = at->dimension,
                                  .horizon = people,
                                  .delta = lotor_ratio_of(1, 100000),
                                  .low = -1.0,
                                  .high = 1.0};
    lotor_generator_seed(&self->random, seed);
    lotor_generator_seed(&noise, seed + 1000);
    if (lotor_ratio_from_double(at->epsilon, &why, &params.epsilon) != LOTOR_OK ||
        lotor_policy_new_simulated(&params, 1.0, &noise, seed, &why, &policy) != LOTOR_OK) {
        stop(&why);
    }
    double lost = 0.0;
    for (uint64_t t = 0; t < people; t++) {
        lotor_decision decision;
        draw(self);
        if (lotor_policy_choose(policy, self->contexts, &why, &decision) != LOTOR_OK) {
            stop(&why);
        }
        const double clicked = self->clicked[decision.arms[0]];
        lost += best_of(self) - clicked;
        const double reward = lotor_random_uniform(&self->random) < clicked ? 1.0 : -1.0;
        const lotor_feedback feedback = {.rewards = &reward, .count = 1};
        if (lotor_policy_observe(policy, decision.event, &feedback, &why) != LOTOR_OK ||
            lotor_policy_expire(policy, decision.event, &why) != LOTOR_OK) {
            stop(&why);
        }
    }
    lotor_policy_free(policy);
    return lost / (at->gap * (double)people);
}

static double share(world *self, uint64_t people)
{
    const size_t runs = bench_size(RUNS);
    double sum = 0.0;
    for (uint64_t i = 0; i < runs; i++) {
        sum += play(self, people, i + 1);
    }
    return sum / (double)runs;
}

/* Doubles the number of people until half is lost at most, and takes the point between the last two. */
static void find_people(const setting *at)
{
    world self = {.at = at, .arms = at->has_groups ? at->dimension / 2 : 5};
    set_length(&self);
    printf("%-10s %-6s d %-2zu epsilon %-4g D %-4g ", at->algorithm,
           at->has_groups ? "groups" : "mixed", at->dimension, at->epsilon, at->gap);
    const size_t most = bench_size(PEOPLE_MOST);
    double before = 1.0;
    for (uint64_t people = PEOPLE_LEAST; people <= most; people *= 2) {
        const double now = share(&self, people);
        if (now <= 0.5) {
            const double part = before > now ? (before - 0.5) / (before - now) : 1.0;
            printf("%7.0f people (%.0f%% at %llu)\n",
                   (double)people * exp2(fmin(fmax(part, 0.0), 1.0) - 1.0), 100.0 * now,
                   (unsigned long long)people);
            fflush(stdout);
            return;
        }
        before = now;
    }
    printf("more than %zu (%.0f%%)\n", most, 100.0 * before);
    fflush(stdout);
}

int main(void)
{
    static const char *const algorithms[] = {"jdp-bayes", "jdp-batch"};
    static const struct {
        bool has_groups;
        size_t dimension;
        double epsilon, gap;
    } worlds[] = {
        {true, 4, 1.0, 0.05},  {true, 4, 1.0, 0.1},   {true, 4, 1.0, 0.2},   {true, 8, 1.0, 0.1},
        {true, 8, 1.0, 0.2},   {true, 16, 1.0, 0.2},  {true, 4, 0.25, 0.2},  {true, 4, 4.0, 0.2},
        {false, 2, 1.0, 0.1},  {false, 4, 1.0, 0.05}, {false, 4, 1.0, 0.1},  {false, 4, 1.0, 0.2},
        {false, 4, 0.25, 0.2}, {false, 8, 1.0, 0.1},  {false, 16, 1.0, 0.1},
    };
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
        for (size_t j = 0; j < sizeof worlds / sizeof *worlds; j++) {
            find_people(&(setting){algorithms[i], worlds[j].has_groups, worlds[j].dimension,
                                   worlds[j].epsilon, worlds[j].gap});
        }
    }
    return EXIT_SUCCESS;
}
