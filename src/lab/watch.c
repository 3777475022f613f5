/* watch.c - see lotor/watch.h. */
#include <lotor/watch.h>

#include <math.h>
#include <stdlib.h>

#include "base/message.h"
#include "lab/problem.h"
#include "policy/policy.h"
#include "policy/serving.h"

typedef struct watched_run {
    const lotor_watch_params *watch;
    lotor_problem_setup problem;
    lotor_policy *policy;
    lotor_generator people, noise;
    lotor_estimator estimator;
    double *rewards; /* one per slot */
    uint64_t *shown; /* per arm: number of displays so far */
    double paid;
} watched_run;

void lotor_watch_free(lotor_watch_result *result)
{
    if (result) {
        free(result->rounds);
        free(result->reward);
        free(result->states);
        free(result);
    }
}

/* Frames are spaced as squares: there are more at the beginning, when the policy learns most. */
static lotor_status make_result(const lotor_watch_params *watch, lotor_message *why,
                                lotor_watch_result **out)
{
    const size_t frames = watch->frames < watch->rounds ? watch->frames : (size_t)watch->rounds;
    lotor_watch_result *made = calloc(1, sizeof *made);
    if (made) {
        *made = (lotor_watch_result){.arms = watch->arms,
                                     .rounds = calloc(frames, sizeof *made->rounds),
                                     .reward = calloc(frames, sizeof *made->reward),
                                     .states = calloc(frames * watch->arms, sizeof *made->states)};
    }
    *out = made;
    if (!made || !made->rounds || !made->reward || !made->states) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for %zu frames", frames);
    }
    for (size_t i = 1; i <= frames; i++) {
        const double share = (double)i / (double)frames;
        const uint64_t round = (uint64_t)ceil(share * share * (double)watch->rounds);
        const uint64_t before = made->frames > 0 ? made->rounds[made->frames - 1] : 0;
        if (round > before && round <= watch->rounds) {
            made->rounds[made->frames++] = round;
        }
    }
    made->rounds[made->frames - 1] = watch->rounds;
    return LOTOR_OK;
}

static lotor_status make_show(watched_run *self, lotor_message *why)
{
    const lotor_watch_params *watch = self->watch;
    const lotor_simulate_params asked = {
        .policy = {.algorithm = watch->algorithm,
                   .arms = watch->arms,
                   .slots = watch->slots,
                   .horizon = watch->rounds,
                   .epsilon = watch->epsilon},
        .means = watch->means,
    };
    lotor_generator_seed(&self->people, watch->seed);
    self->noise = self->people;
    lotor_generator_jump(&self->noise);
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
                                "%s is not for people who like or don't: take lik-imed or "
                                "rr-imed",
                                watch->algorithm);
        }
    }
    return status;
}

static lotor_status play_round(watched_run *self, lotor_message *why)
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
    const lotor_feedback feedback = {.rewards = self->rewards, .count = decision.asked_count};
    const uint64_t event = decision.event;
    status = lotor_policy_observe(self->policy, event, &feedback, why);
    return status == LOTOR_OK ? lotor_policy_expire(self->policy, event, why) : status;
}

static void look(const watched_run *self, size_t frame, lotor_watch_result *out)
{
    out->reward[frame] = self->paid / (double)out->rounds[frame];
    for (size_t i = 0; i < out->arms; i++) {
        lotor_arm_sums reading;
        lotor_estimate estimate;
        lotor_policy_arm_sums(self->policy, &self->estimator, i, &reading);
        if (!lotor_estimate_of(&self->estimator, &reading, &estimate)) {
            estimate = (lotor_estimate){NAN, NAN, NAN};
        }
        out->states[frame * out->arms + i] =
            (lotor_watch_arm){estimate.mean, estimate.low, estimate.high, self->shown[i]};
    }
}

lotor_status lotor_watch_run(const lotor_watch_params *watch, lotor_message *why,
                             lotor_watch_result **out)
{
    *out = NULL;
    if (watch->rounds == 0 || watch->frames == 0 || watch->arms == 0) {
        return lotor_fail(LOTOR_INVALID, why, "there must be arms, rounds and frames");
    }
    watched_run self = {.watch = watch};
    lotor_watch_result *made;
    lotor_status status = make_result(watch, why, &made);
    if (status == LOTOR_OK) {
        status = make_show(&self, why);
    }
    uint64_t played = 0;
    for (size_t frame = 0; status == LOTOR_OK && frame < made->frames; frame++) {
        for (; status == LOTOR_OK && played < made->rounds[frame]; played++) {
            status = play_round(&self, why);
        }
        if (status == LOTOR_OK) {
            look(&self, frame, made);
        }
    }
    lotor_policy_free(self.policy);
    lotor_problem_clear(&self.problem);
    free(self.rewards);
    free(self.shown);
    if (status != LOTOR_OK) {
        lotor_watch_free(made);
        return status;
    }
    *out = made;
    return LOTOR_OK;
}
