/* replay.c - a recorded log as a world.
 *
 * The events of a log (log.h) are sorted by arm into one array (by counting sort). `first` has the place
 * where the rewards of each arm begin:
 *
 *      first    0        3     5
 *      rewards  1 0 1    0 0   0.5 1 1 0      arm 1 has the two in the middle
 *
 * Showing an arm draws one of its rewards uniformly, with replacement. So the arm's mean is the
 * average of its rewards. If all rewards of the log are 0 or 1, the arms are Bernoulli.
 */
#include "world/replay.h"

#include <assert.h>
#include <stdlib.h>

#include "base/message.h"
#include "base/random/laws.h"
#include "base/wide.h"

typedef struct replay {
    lotor_world world; /* must be first: a lotor_world * is cast to the whole struct */
    double *means;
    double *rewards;
    size_t *first; /* arms + 1 */
} replay;

static void draw(const lotor_world *world, lotor_generator *generator, const uint32_t *arms,
                 size_t count, uint64_t rounds, double *sums)
{
    const replay *self = (const replay *)world;
    for (size_t i = 0; i < count; i++) {
        const uint32_t arm = arms[i];
        if (rounds > 1 && world->is_binary) {
            sums[i] = (double)lotor_random_binomial(generator, rounds, self->means[arm]);
            continue;
        }
        const size_t recorded = self->first[arm + 1] - self->first[arm];
        double sum = 0;
        for (uint64_t round = 0; round < rounds; round++) {
            const lotor_u128 place = (lotor_u128)lotor_generator_word(generator) * recorded;
            sum += self->rewards[self->first[arm] + (size_t)(place >> 64)];
        }
        sums[i] = sum;
    }
}

static void destroy(lotor_world *world)
{
    replay *self = (replay *)world;
    free(self->means);
    free(self->rewards);
    free(self->first);
    free(self);
}

/* Counts each arm's rewards: every arm has one. */
static void find_places(replay *self, const lotor_log *log)
{
    size_t *first = self->first;
    for (size_t i = 0; i < log->count; i++) {
        first[log->arms[i] + 1]++;
    }
    for (size_t arm = 0; arm < self->world.arms; arm++) {
        assert(first[arm + 1] > 0);
        first[arm + 1] += first[arm];
    }
}

/* Sorts the rewards by arm and keeps their order. first[arm] moves forward with each placed
 * reward. */
static void place_rewards(replay *self, const lotor_log *log)
{
    self->world.is_binary = true;
    for (size_t i = 0; i < log->count; i++) {
        const uint32_t arm = log->arms[i];
        const double reward = log->rewards[i];
        self->rewards[self->first[arm]++] = reward;
        self->means[arm] += reward;
        if (reward > 0 && reward < 1) {
            self->world.is_binary = false;
        }
    }
    for (size_t arm = self->world.arms; arm > 0; arm--) { /* undo: first[arm] is at the next arm */
        self->first[arm] = self->first[arm - 1];
    }
    self->first[0] = 0;
    for (size_t arm = 0; arm < self->world.arms; arm++) {
        self->means[arm] /= (double)(self->first[arm + 1] - self->first[arm]);
    }
}

lotor_status lotor_world_replay_of(const lotor_log *log, size_t wanted, lotor_message *why,
                                   lotor_world **out)
{
    size_t arms;
    *out = NULL;
    const lotor_status status = lotor_log_check(log, wanted, 0.0, 1.0, why, &arms);
    if (status != LOTOR_OK) {
        return status;
    }
    replay *self = calloc(1, sizeof *self);
    if (!self) {
        return lotor_world_out_of_memory(why);
    }
    self->world = (lotor_world){.id = "replay", .arms = arms, .draw = draw, .destroy = destroy};
    self->means = calloc(arms, sizeof *self->means);
    self->rewards = calloc(log->count, sizeof *self->rewards);
    self->first = calloc(arms + 1, sizeof *self->first);
    if (!self->means || !self->rewards || !self->first) {
        destroy(&self->world);
        return lotor_world_out_of_memory(why);
    }
    find_places(self, log);
    place_rewards(self, log);
    self->world.means = self->means;
    *out = &self->world;
    return LOTOR_OK;
}

lotor_status lotor_world_replay_parse(const char *name, const char *bytes, size_t length,
                                      lotor_message *why, lotor_world **out)
{
    lotor_log_file file;
    *out = NULL;
    lotor_status status = lotor_log_parse(name, bytes, length, why, &file);
    if (status == LOTOR_OK) {
        status = lotor_world_replay_of(&file.log, 0, why, out);
    }
    lotor_log_file_clear(&file);
    return status;
}

lotor_status lotor_world_replay(const char *file, lotor_message *why, lotor_world **out)
{
    lotor_log_file loaded;
    *out = NULL;
    lotor_status status = lotor_log_load(file, why, &loaded);
    if (status == LOTOR_OK) {
        status = lotor_world_replay_of(&loaded.log, 0, why, out);
    }
    lotor_log_file_clear(&loaded);
    return status;
}
