/* simulate.c - runs seeds, each in its own process, and shrinks those that fail.
 *
 *      simulate --seeds N --steps M [--first SEED] [--jobs J] [--variant NAME]
 *               [--without KINDS] [--verbose]
 *      simulate --variants --seeds N --steps M     checks that every broken store is found
 *
 * Exit code 1: a violation was found; with --variants: a broken store was not found.
 */
#include <inttypes.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "simulation/world.h"

enum { JOBS_MOST = 16, SECONDS_MOST = 300, TIMING_EVERY = 5, SHOWN_MOST = 10 };

typedef struct options {
    uint64_t seeds, first;
    size_t jobs;
    world_setup setup;
    double seconds; /* 0: no limit */
    bool is_quiet;  /* child processes print nothing */
    bool is_test;   /* run all broken variants */
} options;

/* Memory that is shared by parent and child. */
typedef struct job {
    world_result result;
    pid_t process; /* 0: no process */
    uint64_t seed;
    bool is_over;
} job;

typedef struct total {
    uint64_t runs, steps, commits, simulated_ms, violations;
    uint64_t faults[FAULT_COUNT];
    reference_count counts;
    uint64_t modes[4];
} total;

static lotor_server_key *server_key;

/* Invariant 7: what is shown, and when, does not depend on the feedback. Runs such a seed twice. */
static bool is_timing_seed(const options *wanted, uint64_t seed)
{
    return seed % TIMING_EVERY == 0 && wanted->setup.variant == VARIANT_NONE;
}

static void run_seed(const options *wanted, uint64_t seed, world_result *out)
{
    world_setup setup = wanted->setup;
    setup.seed = seed;
    setup.one_arm = is_timing_seed(wanted, seed) && seed % (2 * TIMING_EVERY) == 0;
    world_run(&setup, server_key, out);
    if (is_timing_seed(wanted, seed) && !out->is_violated && out->trace && !setup.is_verbose) {
        uint64_t trace = out->trace;
        setup.values = 1;
        world_run(&setup, server_key, out);
        if (!out->is_violated && out->trace != trace) {
            out->is_violated = true;
            out->violated_step = out->steps;
            snprintf(out->violation, sizeof out->violation,
                     "times, decisions or the borders of batches depend on what people answered");
        }
    }
}

static void start_job(const options *wanted, uint64_t seed, job *at)
{
    memset(at, 0, sizeof *at);
    at->seed = seed;
    fflush(NULL);
    pid_t child = fork();
    if (child < 0) {
        perror("simulate: fork");
        exit(2);
    }
    if (child == 0) {
        if (wanted->is_quiet && !freopen("/dev/null", "w", stderr)) {
            _exit(2);
        }
        alarm(SECONDS_MOST);
        run_seed(wanted, seed, &at->result);
        at->is_over = true;
        fflush(NULL);
        _exit(0);
    }
    at->process = child;
}

/* Ends a job. A child process that crashed is a violation, too. */
static void end_job(job *at, int status)
{
    at->process = 0;
    if (!at->is_over) {
        world_result *result = &at->result;
        result->is_violated = true;
        result->violated_step = result->steps;
        if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
            snprintf(result->violation, sizeof result->violation, "no end after %d seconds",
                     SECONDS_MOST);
        } else if (WIFSIGNALED(status)) {
            snprintf(result->violation, sizeof result->violation, "ended by signal %d",
                     WTERMSIG(status));
        } else {
            snprintf(result->violation, sizeof result->violation, "ended with code %d",
                     WEXITSTATUS(status));
        }
    }
}

static void run_one(const options *wanted, uint64_t seed, job *at)
{
    start_job(wanted, seed, at);
    int status = 0;
    waitpid(at->process, &status, 0);
    end_job(at, status);
}

/* --- shrinking -------------------------------------------------------------------------------- */

/* True if two messages are the same but for their numbers. */
static bool is_alike(const char *a, const char *b)
{
    for (;;) {
        while (*a && (strchr("0123456789.", *a))) {
            a++;
        }
        while (*b && (strchr("0123456789.", *b))) {
            b++;
        }
        if (*a != *b || !*a) {
            return *a == *b;
        }
        a++;
        b++;
    }
}

static bool still_fails(const options *wanted, uint64_t seed, const char *like, job *at)
{
    run_one(wanted, seed, at);
    return at->result.is_violated && is_alike(at->result.violation, like);
}

static void print_command(const options *wanted, uint64_t seed)
{
    printf("    again: simulate --first %" PRIu64 " --seeds 1 --steps %" PRIu64, seed,
           wanted->setup.steps);
    if (wanted->setup.variant) {
        printf(" --variant %s", sim_variant_names[wanted->setup.variant]);
    }
    const char *between = " --without ";
    for (size_t i = 0; i < FAULT_COUNT; i++) {
        if (wanted->setup.without[i]) {
            printf("%s%s", between, sim_fault_names[i]);
            between = ",";
        }
    }
    printf(" --verbose\n");
}

static void shrink(const options *wanted, uint64_t seed, const world_result *failed, job *at)
{
    options less = *wanted;
    world_result last = *failed;
    less.is_quiet = true;
    less.setup.is_verbose = false;
    for (size_t i = 0; i < FAULT_COUNT; i++) {
        if (less.setup.without[i]) {
            continue;
        }
        less.setup.without[i] = true;
        bool is_needed = false;
        if (last.faults[i] || !at->is_over) {
            is_needed = !still_fails(&less, seed, failed->violation, at);
        }
        if (is_needed) {
            less.setup.without[i] = false;
        } else if (at->result.is_violated && is_alike(at->result.violation, failed->violation)) {
            last = at->result;
        }
    }
    if (last.violated_step < less.setup.steps) {
        less.setup.steps = last.violated_step;
    }
    uint64_t low = 0, high = less.setup.steps; /* fewer steps may fail, too */
    for (int tries = 0; tries < 8 && high - low > 16; tries++) {
        less.setup.steps = low + (high - low) / 2;
        if (still_fails(&less, seed, failed->violation, at)) {
            high = less.setup.steps;
            last = at->result;
        } else {
            low = less.setup.steps;
        }
    }
    less.setup.steps = high;
    printf("    smallest: %s\n", last.violation);
    print_command(&less, seed);
}

/* --- many seeds ------------------------------------------------------------------------------- */

static void add(total *sum, const world_result *result)
{
    sum->runs++;
    sum->steps += result->steps;
    sum->commits += result->commits;
    sum->simulated_ms += result->simulated_ms;
    sum->modes[result->mode]++;
    for (size_t i = 0; i < FAULT_COUNT; i++) {
        sum->faults[i] += result->faults[i];
    }
    sum->counts.campaigns += result->counts.campaigns;
    sum->counts.decisions += result->counts.decisions;
    sum->counts.shown += result->counts.shown;
    sum->counts.answers += result->counts.answers;
    sum->counts.acknowledged += result->counts.acknowledged;
    sum->counts.late += result->counts.late;
    sum->counts.releases += result->counts.releases;
    sum->counts.batches += result->counts.batches;
    sum->counts.vague += result->counts.vague;
    sum->counts.blanks += result->counts.blanks;
    sum->violations += result->is_violated;
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void print_total(const total *sum, double seconds)
{
    printf("%" PRIu64 " runs (%" PRIu64 " exclusive, %" PRIu64 " single, %" PRIu64
           " synchronous, %" PRIu64 " asynchronous), %" PRIu64 " steps, %" PRIu64
           " commits, %.0f simulated hours\n",
           sum->runs, sum->modes[0], sum->modes[1], sum->modes[2], sum->modes[3], sum->steps,
           sum->commits, (double)sum->simulated_ms / 3600000);
    printf("%" PRIu64 " campaigns, %" PRIu64 " decisions, %" PRIu64 " shown, %" PRIu64
           " answers sent, %" PRIu64 " acknowledged, %" PRIu64 " late, %" PRIu64
           " releases, %" PRIu64 " sums compared, %" PRIu64 " too vague, %" PRIu64
           " blanks recorded\n",
           sum->counts.campaigns, sum->counts.decisions, sum->counts.shown, sum->counts.answers,
           sum->counts.acknowledged, sum->counts.late, sum->counts.releases, sum->counts.batches,
           sum->counts.vague, sum->counts.blanks);
    printf("faults:");
    for (size_t i = 0; i < FAULT_COUNT; i++) {
        printf(" %s %" PRIu64, sim_fault_names[i], sum->faults[i]);
    }
    printf("\n%.1f s, %.0f steps/s, %" PRIu64 " violations\n", seconds,
           (double)sum->steps / seconds, sum->violations);
}

/* The seeds that failed, at most SHOWN_MOST. */
typedef struct failures {
    uint64_t seeds[SHOWN_MOST];
    char first[400]; /* the reason of the first failure */
    size_t count;
} failures;

static void take_result(const options *wanted, const job *at, total *sum, failures *failed)
{
    add(sum, &at->result);
    if (!at->result.is_violated || failed->count == SHOWN_MOST) {
        return;
    }
    if (failed->count == 0) {
        snprintf(failed->first, sizeof failed->first, "%s", at->result.violation);
    }
    failed->seeds[failed->count++] = at->seed;
    if (wanted->setup.variant == VARIANT_NONE || !wanted->is_quiet) {
        printf("violation: seed %" PRIu64 ", step %" PRIu64 ": %s\n", at->seed,
               at->result.violated_step, at->result.violation);
        fflush(stdout);
    }
}

static double run_seeds(const options *wanted, job *jobs, total *sum, failures *failed)
{
    size_t running = 0;
    double begun = seconds_now();
    uint64_t next = wanted->first, end = wanted->first + wanted->seeds;
    uint64_t enough = wanted->setup.variant != VARIANT_NONE ? 1 : SHOWN_MOST;
    for (;;) {
        bool is_late = wanted->seconds > 0 && seconds_now() - begun > wanted->seconds;
        if (next < end && !is_late && sum->violations < enough && running < wanted->jobs) {
            size_t place = 0;
            while (jobs[place].process) {
                place++;
            }
            start_job(wanted, next++, &jobs[place]);
            running++;
            continue;
        }
        if (running == 0) {
            return seconds_now() - begun;
        }
        int status = 0;
        pid_t ended = wait(&status);
        for (size_t i = 0; ended > 0 && i < wanted->jobs; i++) {
            if (jobs[i].process == ended) {
                end_job(&jobs[i], status);
                take_result(wanted, &jobs[i], sum, failed);
                running--;
            }
        }
    }
}

static int run_all(const options *wanted, job *jobs)
{
    static total sum;
    static failures failed;
    double seconds = run_seeds(wanted, jobs, &sum, &failed);
    for (size_t i = 0; i < failed.count && i < 3 && !wanted->setup.is_verbose; i++) {
        printf("shrinking seed %" PRIu64 "\n", failed.seeds[i]);
        fflush(stdout);
        options again = *wanted;
        again.is_quiet = true;
        run_one(&again, failed.seeds[i], &jobs[0]);
        if (jobs[0].result.is_violated) {
            world_result first = jobs[0].result;
            shrink(wanted, failed.seeds[i], &first, &jobs[0]);
        } else {
            printf("    the second run of this seed does not fail: something is not simulated\n");
        }
    }
    print_total(&sum, seconds);
    return sum.violations > 0;
}

/* Tests the checks themselves: every broken store must be found. */
static int run_variants(const options *wanted, job *jobs)
{
    size_t missed = 0;
    for (int i = VARIANT_NONE + 1; i < VARIANT_COUNT; i++) {
        total sum = {0};
        failures failed = {.count = 0};
        options one = *wanted;
        one.is_quiet = true;
        one.setup.variant = (sim_variant)i;
        one.seconds = wanted->seconds > 0 ? wanted->seconds : 60;
        double seconds = run_seeds(&one, jobs, &sum, &failed);
        missed += failed.count == 0;
        if (failed.count) {
            printf("%-14s found by seed %" PRIu64 " in %.1f s: %s\n", sim_variant_names[i],
                   failed.seeds[0], seconds, failed.first);
        } else {
            printf("%-14s NOT FOUND in %" PRIu64 " runs, %.1f s\n", sim_variant_names[i], sum.runs,
                   seconds);
        }
        fflush(stdout);
    }
    printf("%zu of %d broken variants were not found\n", missed, VARIANT_COUNT - 1);
    return missed > 0;
}

/* --- the command ------------------------------------------------------------------------------ */

static int find_name(const char *const *names, int count, const char *name)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return i;
        }
    }
    fprintf(stderr, "simulate: there is no '%s'; expected one of:", name);
    for (int i = 0; i < count; i++) {
        fprintf(stderr, " %s", names[i]);
    }
    fprintf(stderr, "\n");
    exit(2);
}

static uint64_t number_of(const char *text)
{
    char *end;
    uint64_t number = strtoull(text, &end, 10);
    if (*end || end == text) {
        fprintf(stderr, "simulate: '%s' is not a number\n", text);
        exit(2);
    }
    return number;
}

static void read_options(int count, char **words, options *out)
{
    *out = (options){.seeds = 20, .first = 1, .jobs = 1, .setup = {.steps = 20000}};
    for (int i = 1; i < count; i++) {
        const char *name = words[i];
        if (strcmp(name, "--verbose") == 0 || strcmp(name, "--calls") == 0) {
            out->setup.is_verbose = true;
            out->setup.says_calls = out->setup.says_calls || name[2] == 'c';
            continue;
        }
        if (strcmp(name, "--variants") == 0) {
            out->is_test = true;
            continue;
        }
        if (strcmp(name, "--quiet") == 0) {
            out->is_quiet = true;
            continue;
        }
        const char *value = ++i < count ? words[i] : "";
        if (strcmp(name, "--seeds") == 0) {
            out->seeds = number_of(value);
        } else if (strcmp(name, "--steps") == 0) {
            out->setup.steps = number_of(value);
        } else if (strcmp(name, "--first") == 0) {
            out->first = number_of(value);
        } else if (strcmp(name, "--values") == 0) {
            out->setup.values = number_of(value);
        } else if (strcmp(name, "--seconds") == 0) {
            out->seconds = (double)number_of(value);
        } else if (strcmp(name, "--jobs") == 0) {
            out->jobs = (size_t)number_of(value);
            out->jobs = out->jobs < JOBS_MOST ? out->jobs : JOBS_MOST;
        } else if (strcmp(name, "--variant") == 0) {
            out->setup.variant = (sim_variant)find_name(sim_variant_names, VARIANT_COUNT, value);
        } else if (strcmp(name, "--without") == 0) {
            char *list = strdup(value), *rest = NULL;
            for (char *one = strtok_r(list, ",", &rest); one; one = strtok_r(NULL, ",", &rest)) {
                out->setup.without[find_name(sim_fault_names, FAULT_COUNT, one)] = true;
            }
            free(list);
        } else {
            fprintf(stderr, "usage: simulate [--seeds N] [--steps M] [--first SEED] [--jobs J] "
                            "[--seconds S] [--values N] [--variant NAME] [--without KIND,KIND] "
                            "[--verbose] [--calls] [--quiet]\n");
            exit(2);
        }
    }
}

/* Makes the key, which is the same for all servers and all runs. */
static void make_vault(void)
{
    char folder[] = "/tmp/lotor-simulation-XXXXXX", path[64];
    lotor_message why = {""};
    if (!mkdtemp(folder)) {
        perror("simulate: mkdtemp");
        exit(2);
    }
    snprintf(path, sizeof path, "%s/x.key", folder);
    sim_seams(NULL);
    if (lotor_server_key_open(path, true, &why, &server_key)) {
        fprintf(stderr, "simulate: %s\n", why.text);
        exit(2);
    }
    unlink(path);
    rmdir(folder);
}

int main(int count, char **words)
{
    options wanted;
    read_options(count, words, &wanted);
    make_vault();
    job *jobs = mmap(NULL, JOBS_MOST * sizeof *jobs, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (jobs == MAP_FAILED) {
        perror("simulate: mmap");
        return 2;
    }
    int code = wanted.is_test ? run_variants(&wanted, jobs) : run_all(&wanted, jobs);
    lotor_server_key_free(server_key);
    return code;
}
