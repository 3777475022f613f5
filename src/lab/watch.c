/* watch.c - see watch.h. */
#include "lab/watch.h"

#include <math.h>
#include <stdlib.h>

#include "base/message.h"
#include "lab/problem.h"
#include "policy/policy.h"

typedef struct show {
    const lotor_watch *watch;
    lotor_problem_setup problem;
    lotor_policy *policy;
    lotor_simulation people, noise;
    lotor_estimator estimator;
    double *rewards; /* slots */
    uint64_t *shown; /* arms, so far */
    double paid;
} show;

void lotor_watched_free(lotor_watched *watched)
{
    free(watched->rounds);
    free(watched->reward);
    free(watched->estimates);
    free(watched->shown);
    *watched = (lotor_watched){0};
}

/* More of them at the beginning, where most is learnt: they are spaced as squares. */
static lotor_status make_room(const lotor_watch *watch, lotor_message *why, lotor_watched *out)
{
    const size_t frames = watch->frames < watch->rounds ? watch->frames : (size_t)watch->rounds;
    *out = (lotor_watched){
        .rounds = calloc(frames, sizeof *out->rounds),
        .reward = calloc(frames, sizeof *out->reward),
        .estimates = calloc(frames * watch->arms, sizeof *out->estimates),
        .shown = calloc(frames * watch->arms, sizeof *out->shown),
    };
    if (!out->rounds || !out->reward || !out->estimates || !out->shown) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for %zu frames", frames);
    }
    for (size_t i = 1; i <= frames; i++) {
        const double share = (double)i / (double)frames;
        const uint64_t round = (uint64_t)ceil(share * share * (double)watch->rounds);
        const uint64_t before = out->frames > 0 ? out->rounds[out->frames - 1] : 0;
        if (round > before && round <= watch->rounds) {
            out->rounds[out->frames++] = round;
        }
    }
    out->rounds[out->frames - 1] = watch->rounds;
    return LOTOR_OK;
}

static lotor_status make_show(show *self, lotor_message *why)
{
    const lotor_watch *watch = self->watch;
    const lotor_simulate_params asked = {
        .policy = {.algorithm = watch->algorithm,
                   .arms = watch->arms,
                   .slots = watch->slots,
                   .horizon = watch->rounds,
                   .epsilon = watch->epsilon},
        .means = watch->means,
    };
    lotor_simulation_seed(&self->people, watch->seed);
    self->noise = self->people;
    lotor_simulation_jump(&self->noise);
    self->rewards = calloc(watch->arms, sizeof *self->rewards);
    self->shown = calloc(watch->arms, sizeof *self->shown);
    lotor_status status = self->rewards && self->shown
                              ? LOTOR_OK
                              : lotor_fail((lotor_status)LOTOR_MEMORY, why, "no memory to play");
    if (status == LOTOR_OK) {
        status = lotor_problem_make(&asked, why, &self->problem);
    }
    if (status == LOTOR_OK) {
        status = lotor_policy_new_simulated(&self->problem.policy, 1.0, &self->noise, watch->seed,
                                            why, &self->policy);
    }
    if (status == LOTOR_OK) {
        lotor_policy_estimator(self->policy, &self->estimator);
        if (self->policy->params.cascade || self->estimator.kind == LOTOR_ESTIMATE_NONE) {
            status = lotor_fail(LOTOR_INVALID, why,
                                "%s is not for people who like or don't: take batch-klucb or "
                                "rr-klucb",
                                watch->algorithm);
        }
    }
    return status;
}

static lotor_status play_round(show *self, lotor_message *why)
{
    lotor_decision decision;
    lotor_status status = lotor_policy_choose(self->policy, NULL, why, &decision);
    if (status != LOTOR_OK) {
        return status;
    }
    for (size_t i = 0; i < decision.count; i++) {
        self->shown[decision.arms[i]]++;
        self->paid += self->watch->means[decision.arms[i]];
    }
    const lotor_world *world = self->problem.world;
    world->draw(world, &self->people, decision.asked, decision.asked_count, 1, self->rewards);
    const lotor_answer answer = {.rewards = self->rewards, .count = decision.asked_count};
    const uint64_t event = decision.event;
    status = lotor_policy_observe(self->policy, event, &answer, why);
    return status == LOTOR_OK ? lotor_policy_expire(self->policy, event, why) : status;
}

static void look(const show *self, size_t frame, lotor_watched *out)
{
    const size_t arms = self->watch->arms;
    out->reward[frame] = self->paid / (double)out->rounds[frame];
    for (size_t i = 0; i < arms; i++) {
        lotor_reading reading;
        lotor_estimate *estimate = &out->estimates[frame * arms + i];
        lotor_policy_read(self->policy, &self->estimator, i, &reading);
        if (!lotor_estimate_of(&self->estimator, &reading, estimate)) {
            *estimate = (lotor_estimate){NAN, NAN, NAN};
        }
        out->shown[frame * arms + i] = self->shown[i];
    }
}

lotor_status lotor_watch_play(const lotor_watch *watch, lotor_message *why, lotor_watched *out)
{
    *out = (lotor_watched){0};
    if (watch->rounds == 0 || watch->frames == 0 || watch->arms == 0) {
        return lotor_fail(LOTOR_INVALID, why, "there must be arms, rounds and frames");
    }
    show self = {.watch = watch};
    lotor_status status = make_room(watch, why, out);
    if (status == LOTOR_OK) {
        status = make_show(&self, why);
    }
    uint64_t played = 0;
    for (size_t frame = 0; status == LOTOR_OK && frame < out->frames; frame++) {
        for (; status == LOTOR_OK && played < out->rounds[frame]; played++) {
            status = play_round(&self, why);
        }
        if (status == LOTOR_OK) {
            look(&self, frame, out);
        }
    }
    lotor_policy_free(self.policy);
    lotor_problem_clear(&self.problem);
    free(self.rewards);
    free(self.shown);
    if (status != LOTOR_OK) {
        lotor_watched_free(out);
    }
    return status;
}
