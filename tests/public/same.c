/* same.c - simulations by the public C API, for same_test.py, which compares them with other clients.
 *
 *      same simulate ALGORITHM HORIZON EPSILON SEED RUNS SLOTS CASCADE WORLD
 *      same watch ALGORITHM ROUNDS EPSILON SEED SLOTS FRAMES MEANS
 *
 * WORLD is means:LIST, instance:NAME or linear:DIMENSION:GAP. The program prints lines
 * "name number..."; the numbers are hexadecimal, so that none is rounded.
 */
#include <lotor/lotor.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ARMS = 32 };

static int refuse(lotor_status status, const lotor_message *why)
{
    fprintf(stderr, "%s: %s\n", lotor_status_name(status), why->text);
    return 1;
}

static uint64_t whole(const char *text)
{
    return strtoull(text, NULL, 10);
}

/* Reads a list such as "0.5,0.6"; returns how many numbers it has. */
static size_t read_means(const char *text, double means[MOST_ARMS])
{
    size_t count = 0;
    for (char *end; count < MOST_ARMS && *text != '\0'; text = *end == ',' ? end + 1 : end) {
        means[count++] = strtod(text, &end);
    }
    return count;
}

static void read_world(const char *text, double means[MOST_ARMS], lotor_simulate_params *params)
{
    const char *value = strchr(text, ':') + 1;
    if (strncmp(text, "means:", 6) == 0) {
        params->policy.arms = read_means(value, means);
        params->means = means;
    } else if (strncmp(text, "instance:", 9) == 0) {
        params->instance = value;
    } else {
        char *gap;
        params->policy.dimension = strtoull(value, &gap, 10);
        params->has_gap = true;
        params->gap = strtod(gap + 1, NULL);
    }
}

static int simulate(char **words)
{
    double means[MOST_ARMS];
    lotor_message why = {""};
    lotor_simulate_params params = {
        .policy = {.algorithm = words[0],
                   .horizon = whole(words[1]),
                   .slots = whole(words[5]),
                   .cascade = whole(words[6]) != 0},
        .seed = whole(words[3]),
        .runs = whole(words[4]),
    };
    lotor_status status = lotor_ratio_parse(words[2], &why, &params.policy.epsilon);
    if (status != LOTOR_OK) {
        return refuse(status, &why);
    }
    read_world(words[7], means, &params);
    lotor_simulate_result *result;
    status = lotor_simulate_run(&params, &why, &result);
    if (status != LOTOR_OK) {
        return refuse(status, &why);
    }
    printf("runs %llu\narms %zu\n", (unsigned long long)result->runs, result->arms);
    printf("regret %a %a\n", result->regret, result->regret_error);
    printf("per_round %a %a\n", result->per_round, result->round_error);
    printf("best %a\nlower_bound %a\n", result->best_per_round, result->lower_bound);
    printf("classical_bound %a\n", result->classical_bound);
    printf("epsilon %a\nfavourite", result->guarantee.epsilon);
    for (size_t i = 0; i < result->favourite_count; i++) {
        printf(" %lu", (unsigned long)result->favourite[i]);
    }
    fputc('\n', stdout);
    for (size_t i = 0; i < result->point_count; i++) {
        const lotor_simulate_point *point = &result->points[i];
        printf("point %llu %a %a\n", (unsigned long long)point->round, point->regret,
               point->standard_error);
    }
    lotor_simulate_free(result);
    return 0;
}

static int watch(char **words)
{
    double means[MOST_ARMS];
    lotor_message why = {""};
    lotor_watch_params params = {
        .algorithm = words[0],
        .rounds = whole(words[1]),
        .seed = whole(words[3]),
        .slots = whole(words[4]),
        .frames = whole(words[5]),
        .means = means,
        .arms = read_means(words[6], means),
    };
    lotor_status status = lotor_ratio_parse(words[2], &why, &params.epsilon);
    if (status != LOTOR_OK) {
        return refuse(status, &why);
    }
    lotor_watch_result *result;
    status = lotor_watch_run(&params, &why, &result);
    if (status != LOTOR_OK) {
        return refuse(status, &why);
    }
    for (size_t frame = 0; frame < result->frames; frame++) {
        printf("frame %llu %a\n", (unsigned long long)result->rounds[frame], result->reward[frame]);
        for (size_t i = 0; i < result->arms; i++) {
            const lotor_watch_arm *arm = &result->states[frame * result->arms + i];
            printf("arm %llu %a %a %a\n", (unsigned long long)arm->shown, arm->mean, arm->low,
                   arm->high);
        }
    }
    lotor_watch_free(result);
    return 0;
}

int main(int count, char **words)
{
    if (count == 10 && strcmp(words[1], "simulate") == 0) {
        return simulate(words + 2);
    }
    if (count == 9 && strcmp(words[1], "watch") == 0) {
        return watch(words + 2);
    }
    fputs("usage: same simulate ALGORITHM HORIZON EPSILON SEED RUNS SLOTS CASCADE WORLD |\n"
          "       same watch ALGORITHM ROUNDS EPSILON SEED SLOTS FRAMES MEANS\n",
          stderr);
    return 2;
}
