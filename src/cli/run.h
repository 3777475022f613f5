/* run.h - what `lotor run` was asked, what came out, and the parts that take care of either.
 *
 *      arguments ─▶ plan: a problem, and algorithms that fit it
 *          └─▶ lotor_simulate_problem_run, one algorithm after the other ─▶ outcomes ─▶ report
 */
#ifndef LOTOR_CLI_RUN_H
#define LOTOR_CLI_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/algorithm.h>
#include <lotor/simulate.h>

#include "base/json.h"
#include "cli/options.h"

/* The options, in the order of run.c's table. */
enum {
    LOTOR_RUN_MEANS,
    LOTOR_RUN_INSTANCE,
    LOTOR_RUN_REPLAY,
    LOTOR_RUN_UNBIASED,
    LOTOR_RUN_DIMENSION,
    LOTOR_RUN_GAP,
    LOTOR_RUN_ARMS,
    LOTOR_RUN_REWARDS,
    LOTOR_RUN_WORLD,
    LOTOR_RUN_SCHEDULE,
    LOTOR_RUN_SLOTS,
    LOTOR_RUN_ORACLE,
    LOTOR_RUN_PROBLEM,
    LOTOR_RUN_FEEDBACK,
    LOTOR_RUN_HORIZON,
    LOTOR_RUN_DELAY,
    LOTOR_RUN_EXPIRY,
    LOTOR_RUN_MISSING,
    LOTOR_RUN_EPSILON,
    LOTOR_RUN_DELTA,
    LOTOR_RUN_BETA,
    LOTOR_RUN_NOISE_SCALE,
    LOTOR_RUN_CLIP,
    LOTOR_RUN_CAUTION,
    LOTOR_RUN_LAG,
    LOTOR_RUN_WINDOW,
    LOTOR_RUN_HALF_LIFE,
    LOTOR_RUN_ALARM,
    LOTOR_RUN_VARIANCE,
    LOTOR_RUN_RUNS,
    LOTOR_RUN_SEED,
    LOTOR_RUN_THREADS,
    LOTOR_RUN_EXACT_ROUNDS,
    LOTOR_RUN_CHECKPOINTS,
    LOTOR_RUN_JSON,
    LOTOR_RUN_CSV,
    LOTOR_RUN_PLOT,
    LOTOR_RUN_CURVES,
    LOTOR_RUN_OPTIONS
};

enum { LOTOR_RUN_MAX = 32 }; /* algorithms at once */

typedef struct lotor_run_plan {
    const lotor_option_value *values; /* of the options */
    lotor_algorithm_info algorithms[LOTOR_RUN_MAX];
    size_t count;
    char place[80];   /* where they are played, for people: "c2", "means", ... */
    char *replay;     /* the name of the instance that --replay FILE is; or NULL */
    bool is_recorded; /* rewards are those of a log or of a data set */
    lotor_simulate_problem *problem;
    lotor_simulate_problem_facts facts; /* of the problem */
} lotor_run_plan;

/* The result of one algorithm. */
typedef struct lotor_outcome {
    const lotor_algorithm_info *algorithm;
    lotor_simulate_result *result;
} lotor_outcome;

/* run_plan.c: everything is checked before anything is played. Clear the plan in any case. */
lotor_status lotor_run_plan_make(const lotor_arguments *arguments, lotor_message *why,
                                 lotor_run_plan *out);
void lotor_run_plan_clear(lotor_run_plan *plan);

/* The plan's parameters for one algorithm, without those that the algorithm does not use. */
lotor_simulate_params lotor_run_params(const lotor_run_plan *plan,
                                       const lotor_algorithm_info *algorithm);

/* True if a log is replayed without bias: then regret is not known. */
bool lotor_run_is_unbiased(const lotor_run_plan *plan);

/* run_notes.c: true if an algorithm uses an option. The second function prints a note for each option that is
 * ignored. */
bool lotor_run_uses(const lotor_algorithm_info *algorithm, size_t option);
void lotor_run_notes(const lotor_run_plan *plan, const lotor_option *options);

/* run_print.c, run_json.c: the outcomes, on standard output. */
void lotor_run_text(const lotor_run_plan *plan, const lotor_outcome *outcomes, size_t count);
void lotor_run_csv(const lotor_run_plan *plan, const lotor_outcome *outcomes, size_t count);
lotor_status lotor_run_json(const lotor_run_plan *plan, const lotor_outcome *outcomes, size_t count,
                            lotor_message *why);

/* run_shown.c: what was shown most often at the end: as text where there is a graph; as JSON. */
void lotor_run_shown(const lotor_run_plan *plan, const lotor_outcome *outcomes, size_t count);
void lotor_run_put_shown(lotor_json *json, const lotor_run_plan *plan,
                         const lotor_simulate_result *result);

/* "c2, 5 arms, epsilon 0.5, 10 runs". */
void lotor_run_title(const lotor_run_plan *plan, uint64_t runs, char *text, size_t capacity);

#endif
