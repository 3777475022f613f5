/* audit_pattern.c - see audit_pattern.h. */
#include "lab/audit_pattern.h"

#include <math.h>
#include <stdlib.h>

enum { KINDS = LOTOR_PATTERN_KINDS, LEAST = 4 }; /* LEAST: a rarer pattern has no weight */

typedef struct sighting {
    uint64_t pattern;
    uint32_t trial;
} sighting;

static int compare(const void *left, const void *right)
{
    const sighting *a = left, *b = right;
    if (a->pattern != b->pattern) {
        return a->pattern > b->pattern ? 1 : -1;
    }
    return (a->trial > b->trial) - (a->trial < b->trial);
}

/* Fills in the patterns that were seen at least LEAST times. */
static void find_weights(sighting *seen, size_t count, lotor_audit_patterns *learned)
{
    qsort(seen, count, sizeof *seen, compare);
    learned->count = 0;
    for (size_t first = 0, end; first < count; first = end) {
        double worlds[2] = {0.0, 0.0};
        for (end = first; end < count && seen[end].pattern == seen[first].pattern; end++) {
            worlds[seen[end].trial % 2] += 1.0;
        }
        if (end - first >= LEAST) {
            learned->known[learned->count++] = (lotor_audit_known_pattern){
                .pattern = seen[first].pattern,
                .weight = (float)log((worlds[0] + 0.5) / (worlds[1] + 0.5)),
                .trial = seen[first].trial,
            };
        }
    }
}

static float score(const lotor_audit_patterns *learned, uint64_t pattern)
{
    size_t low = 0, high = learned->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (learned->known[middle].pattern < pattern) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const bool is_known = low < learned->count && learned->known[low].pattern == pattern;
    return is_known ? learned->known[low].weight : 0.0F;
}

bool lotor_audit_patterns_hold(const lotor_audit_patterns *learned, const uint64_t *patterns)
{
    return score(learned, patterns[learned->kind]) >= learned->threshold;
}

/* Learns from the first `taught` trials, and chooses the threshold by the others. Returns roughly the
 * bound that the event will show. */
static double learn_kind(const uint64_t *patterns, size_t taught, size_t trials,
                         const lotor_audit_goal *goal, sighting *seen, float *scores,
                         lotor_audit_patterns *learned)
{
    for (size_t i = 0; i < taught; i++) {
        seen[i] = (sighting){patterns[i * KINDS + learned->kind], (uint32_t)i};
    }
    find_weights(seen, taught, learned);
    const size_t half = (trials - taught) / 2;
    for (size_t i = 0; i < 2 * half; i++) {
        scores[i % 2 * half + i / 2] =
            score(learned, patterns[(taught + i) * KINDS + learned->kind]);
    }
    return lotor_audit_threshold_find(scores, half, goal, &learned->threshold);
}

lotor_status lotor_audit_patterns_learn(const uint64_t *patterns, size_t trials,
                                        const lotor_audit_goal *goal, lotor_audit_patterns *out)
{
    const size_t taught = trials / 4 * 2; /* even: the same number for each world */
    lotor_audit_patterns tried[KINDS] = {{0}};
    sighting *seen = malloc(trials * sizeof *seen);
    float *scores = malloc(trials * sizeof *scores);
    bool has_memory = seen && scores;
    for (size_t kind = 0; kind < KINDS; kind++) {
        tried[kind].kind = kind;
        tried[kind].known = malloc((taught / LEAST + 1) * sizeof *tried[kind].known);
        has_memory = has_memory && tried[kind].known;
    }
    size_t best = 0;
    double bounds[KINDS] = {0.0};
    for (size_t kind = 0; kind < KINDS && has_memory; kind++) {
        bounds[kind] = learn_kind(patterns, taught, trials, goal, seen, scores, &tried[kind]);
        best = bounds[kind] > bounds[best] ? kind : best;
    }
    for (size_t kind = 0; kind < KINDS; kind++) {
        if (!has_memory || kind != best) {
            free(tried[kind].known);
            tried[kind].known = NULL;
        }
    }
    free(seen);
    free(scores);
    *out = tried[best];
    return has_memory ? LOTOR_OK : LOTOR_MEMORY;
}
