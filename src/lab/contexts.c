/* contexts.c - Shariff and Sheffet 2018, Claim 13: with plain differential privacy, the regret of a
 * contextual bandit grows linearly. See contexts.h.
 *
 * A small world where the claim bites. Each person has one of two contexts, with probability 1/2.
 * There are two arms. Arm 0 is best in context 0, arm 1 in context 1:
 *
 *                   arm 0    arm 1
 *      context 0     0.5     -0.5       mean rewards; a reward is +1 or -1
 *      context 1    -0.5      0.5
 *
 * Context c is a unit vector of the plane. Arm 0 has that vector and arm 1 its negative; theta is
 * (1, -1)/2.
 *
 * Plain differential privacy also protects a person's context from those who see the arm that the
 * person was shown. Let e0 and e1 be the probabilities of the wrong arm in context 0 and 1, given all
 * other people. Arm 0 is shown with probability 1 - e0 in context 0, and e1 in context 1. So
 *
 *      1 - e0 <= exp(epsilon) e1 + delta,    1 - e1 <= exp(epsilon) e0 + delta
 *
 * and the sum of both gives (e0 + e1)/2 >= (1 - delta)/(1 + exp(epsilon)). Every round costs at least
 * GAP times that, however much was learnt: more than GAP/4 for all epsilon < log 2 and delta < 1/4.
 *
 * Randomized response reaches that bound at delta = 0: it shows the arm that a learner thinks best
 * with probability exp(epsilon)/(1 + exp(epsilon)), and else the other arm.
 *
 * Joint differential privacy protects a context from those who see the arms of all other people.
 * The person's own arm may depend on it, and the bound does not hold.
 */
#include "lab/contexts.h"

#include <math.h>
#include <stdbool.h>

#include "base/random/laws.h"
#include "policy/policy.h"
#include "world/linear.h"

enum { ARMS = 2, DIMENSION = 2 };

#define MEAN 0.5
#define GAP  (2.0 * MEAN)

/* A run. */
typedef struct visit {
    lotor_policy *policy;
    lotor_generator world;
    double flip;
} visit;

/* Plays a round and returns its expected regret. */
static lotor_status play_round(visit *run, lotor_message *why, double *regret)
{
    double actions[ARMS * DIMENSION] = {0.0};
    const uint32_t context = (uint32_t)(lotor_generator_word(&run->world) >> 63);
    actions[context] = 1.0;
    actions[DIMENSION + context] = -1.0;
    lotor_decision decision;
    lotor_status status = lotor_policy_choose(run->policy, actions, why, &decision);
    if (status != LOTOR_OK) {
        return status;
    }
    const bool is_best = decision.arms[0] == context;
    *regret = GAP * (is_best ? run->flip : 1.0 - run->flip);
    const double reward = lotor_linear_world_reward(&run->world, is_best ? MEAN : -MEAN);
    const lotor_feedback feedback = {&reward, 1, 0};
    status = lotor_policy_observe(run->policy, decision.event, &feedback, why);
    return status == LOTOR_OK ? lotor_policy_expire(run->policy, decision.event, why) : status;
}

static lotor_status play_rounds(visit *run, const double *times, size_t count, lotor_message *why,
                                double *regrets)
{
    double regret = 0.0;
    uint64_t t = 0;
    for (size_t i = 0; i < count; i++) {
        while ((double)t < times[i]) {
            double lost = 0.0;
            const lotor_status status = play_round(run, why, &lost);
            if (status != LOTOR_OK) {
                return status;
            }
            regret += lost;
            t++;
        }
        regrets[i] = regret;
    }
    return LOTOR_OK;
}

lotor_status lotor_contexts_run(const lotor_contexts *setting, const lotor_run_randomness *streams,
                                const double *times, size_t count, lotor_message *why,
                                double *regrets)
{
    lotor_policy_params params = setting->policy;
    lotor_generator noise = streams->noise;
    visit run = {.world = streams->world, .flip = setting->flip};
    params.arms = ARMS;
    params.dimension = DIMENSION;
    lotor_status status =
        lotor_policy_new_simulated(&params, 1.0, &noise, streams->choices, why, &run.policy);
    if (status == LOTOR_OK) {
        status = play_rounds(&run, times, count, why, regrets);
    }
    lotor_policy_free(run.policy);
    return status;
}

double lotor_contexts_flip(double epsilon)
{
    return 1.0 / (1.0 + exp(epsilon));
}

double lotor_contexts_least(double epsilon, double delta)
{
    return GAP * (1.0 - delta) / (1.0 + exp(epsilon));
}
