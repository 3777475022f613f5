/* replay.c - a recorded log as a world.
 *
 * Lines "arm,reward" are sorted by arm into one array (by counting sort). `first` has the place
 * where the rewards of each arm begin:
 *
 *      first    0        3     5
 *      rewards  1 0 1    0 0   0.5 1 1 0      arm 1 has the two in the middle
 *
 * Showing an arm draws one of its rewards uniformly, with replacement. So the arm's mean is the
 * average of its rewards. If all rewards of the log are 0 or 1, the arms are Bernoulli.
 */
#include "world/replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/random/laws.h"
#include "base/records.h"
#include "base/wide.h"
#include "world/world.h"

typedef struct replay {
    lotor_world world; /* must be first: a lotor_world * is cast to the whole struct */
    double *means;
    double *rewards;
    size_t *first; /* arms + 1 */
} replay;

typedef struct entry {
    uint32_t arm;
    double reward;
} entry;

typedef struct journal {
    entry *entries;
    size_t count, room;
} journal;

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

static lotor_status note(journal *log, entry next, lotor_message *why)
{
    if (log->count == log->room) {
        const size_t room = log->room ? 2 * log->room : 1024;
        entry *larger = realloc(log->entries, room * sizeof *larger);
        if (!larger) {
            return lotor_world_out_of_memory(why);
        }
        log->entries = larger;
        log->room = room;
    }
    log->entries[log->count++] = next;
    return LOTOR_OK;
}

static lotor_status read_journal(lotor_records *records, journal *log, lotor_message *why)
{
    static const char expected[] = "expected arm,reward: the arm's number from 0, and a reward in "
                                   "[0,1], such as 3,0.5";
    while (lotor_records_next(records)) {
        lotor_slice rest = records->line, arm_text, comment = records->line;
        if (lotor_slice_cut(&comment, "#", &rest) && lotor_slice_trim(rest).length == 0) {
            continue;
        }
        uint64_t arm;
        entry next;
        if (!lotor_slice_cut(&rest, ",", &arm_text) ||
            !lotor_slice_whole(lotor_slice_trim(arm_text), LOTOR_WORLD_ARMS_MAX - 1, &arm) ||
            !lotor_slice_share(lotor_slice_trim(rest), &next.reward)) {
            return lotor_records_refuse(records, why, expected);
        }
        next.arm = (uint32_t)arm;
        const lotor_status status = note(log, next, why);
        if (status != LOTOR_OK) {
            return status;
        }
    }
    return LOTOR_OK;
}

/* Counts each arm's rewards. Refuses an arm without rewards, because its mean is unknown. */
static lotor_status find_places(replay *self, const journal *log, const char *name,
                                lotor_message *why)
{
    size_t *first = self->first;
    for (size_t i = 0; i < log->count; i++) {
        first[log->entries[i].arm + 1]++;
    }
    for (size_t arm = 0; arm < self->world.arms; arm++) {
        if (first[arm + 1] == 0) {
            return lotor_fail(LOTOR_INVALID, why,
                              "%s has no reward of arm %zu, but of arm %zu; number the arms from 0 "
                              "without gaps",
                              lotor_excerpt(name, strlen(name)).text, arm, self->world.arms - 1);
        }
        first[arm + 1] += first[arm];
    }
    return LOTOR_OK;
}

/* Sorts the rewards by arm and keeps their order. first[arm] moves forward with each placed
 * reward. */
static void place_rewards(replay *self, const journal *log)
{
    self->world.is_binary = true;
    for (size_t i = 0; i < log->count; i++) {
        const entry next = log->entries[i];
        self->rewards[self->first[next.arm]++] = next.reward;
        self->means[next.arm] += next.reward;
        if (next.reward > 0 && next.reward < 1) {
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

static lotor_status build(const journal *log, const char *name, lotor_message *why,
                          lotor_world **out)
{
    uint32_t last = 0;
    for (size_t i = 0; i < log->count; i++) {
        last = log->entries[i].arm > last ? log->entries[i].arm : last;
    }
    if (last >= log->count) { /* refused before memory for so many arms is allocated */
        return lotor_fail(LOTOR_INVALID, why,
                          "%s names arm %u, but has only %zu rewards; number the arms from 0 "
                          "without gaps",
                          lotor_excerpt(name, strlen(name)).text, (unsigned)last, log->count);
    }
    replay *self = calloc(1, sizeof *self);
    if (!self) {
        return lotor_world_out_of_memory(why);
    }
    const size_t arms = (size_t)last + 1;
    self->world = (lotor_world){.id = "replay", .arms = arms, .draw = draw, .destroy = destroy};
    self->means = calloc(arms, sizeof *self->means);
    self->rewards = calloc(log->count, sizeof *self->rewards);
    self->first = calloc(arms + 1, sizeof *self->first);
    lotor_status status = LOTOR_OK;
    if (!self->means || !self->rewards || !self->first) {
        status = lotor_world_out_of_memory(why);
    } else {
        status = find_places(self, log, name, why);
    }
    if (status != LOTOR_OK) {
        destroy(&self->world);
        return status;
    }
    place_rewards(self, log);
    self->world.means = self->means;
    *out = &self->world;
    return LOTOR_OK;
}

lotor_status lotor_world_replay_parse(const char *name, const char *bytes, size_t length,
                                      lotor_message *why, lotor_world **out)
{
    lotor_records records = lotor_records_of(name, bytes, length);
    journal log = {NULL, 0, 0};

    *out = NULL;
    lotor_status status = read_journal(&records, &log, why);
    if (status == LOTOR_OK && log.count == 0) {
        status = lotor_fail(LOTOR_INVALID, why,
                            "%s holds no rewards; expected lines arm,reward such as 3,0.5",
                            lotor_excerpt(name, strlen(name)).text);
    }
    if (status == LOTOR_OK) {
        status = build(&log, name, why, out);
    }
    free(log.entries);
    return status;
}

lotor_status lotor_world_replay(const char *file, lotor_message *why, lotor_world **out)
{
    char *bytes;
    size_t length;

    *out = NULL;
    lotor_status status = lotor_records_load(file, why, &bytes, &length);
    if (status == LOTOR_OK) {
        status = lotor_world_replay_parse(file, bytes, length, why, out);
    }
    free(bytes);
    return status;
}
