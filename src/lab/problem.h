/* problem.h - makes a world, a structure and a policy from the parameters of a simulation.
 *
 *      lotor_simulate_params ──▶ world ──▶ structure ──▶ policy parameters ──▶ experiment
 *
 * The structure says which arms may be shown together. lotor_simulate_run, the advice, the papers'
 * figures and the dashboard's simulated campaigns all make their problems here. The defaults and
 * limits of a simulation are in lotor/simulate.h.
 */
#ifndef LOTOR_LAB_PROBLEM_H
#define LOTOR_LAB_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/simulate.h>

#include "lab/simulate.h"
#include "policy/catalog.h"

typedef struct lotor_problem_setup {
    lotor_world *instance;       /* the named or given world: owns the vectors and the graph */
    lotor_world *world;          /* the world to play in: `instance`, or one with other rewards */
    lotor_change change;         /* how `world` changes with time */
    lotor_arm_schedule schedule; /* which arms there are in each round */
    bool is_linear;              /* play in `linear`; `instance` and `world` are NULL */
    lotor_linear_world linear;   /* random actions in every round */
    lotor_own own;               /* the caller's world, if it gave one */
    bool plays_own;              /* play in `own`; `instance` and `world` only have its arms */
    lotor_mean_rows rows;        /* the caller's table of means; count 0: none */
    bool rows_differ;            /* the means of the table change */
    lotor_log_file log;          /* that `own` replays, if it was read from a file */
    bool has_own_structure;      /* the structure is that of the instance: the caller gave none */
    lotor_policy_params policy;  /* as the caller gave it; arms, dimension and structure are filled
                                 * in */
    uint32_t *arrays;            /* the caller's, with arms, dimension and structure set */
} lotor_problem_setup;

/* Replaces fields of 0 by their defaults. It leaves policy.delta and policy.beta at 0: their
 * defaults depend on the algorithm, and the policy fills them in. */
void lotor_problem_fill(lotor_simulate_params *params);

/* Makes the world and the structure. Clear *out in any case. It copies the means, and borrows the
 * arrays of asked->policy. LOTOR_INVALID, LOTOR_UNKNOWN, LOTOR_RANGE: as for lotor_simulate_run. */
lotor_status lotor_problem_make(const lotor_simulate_params *asked, lotor_message *why,
                                lotor_problem_setup *out);
void lotor_problem_clear(lotor_problem_setup *setup);

/* The two steps of lotor_problem_make, for callers that have the structure as text, or that play
 * several policies in one world. The second step sets the policy of a setup. The number of arms
 * comes from the world. Missing parts of the structure come from the instance. */
lotor_status lotor_problem_make_world(const lotor_simulate_params *asked, lotor_message *why,
                                      lotor_problem_setup *out);
void lotor_problem_take_policy(lotor_problem_setup *setup, const lotor_policy_params *given);

/* problem_oracle.c: the structure from text, as lotor_simulate_problem_structure says it. On
 * failure the setup is unchanged. */
lotor_status lotor_problem_read_oracle(lotor_problem_setup *setup, const char *text, size_t slots,
                                       lotor_message *why);

/* The name of the structure in these texts: "top", "partition", "shortest-path", ... NULL if the
 * policy's structure is not one of lotor_structure. */
const char *lotor_problem_oracle_name(const lotor_problem_setup *setup);

/* The default structure for an instance: the one for its vectors or its graph, or else
 * LOTOR_STRUCTURE_TOP. */
lotor_structure lotor_problem_usual_structure(const lotor_world *instance);

/* True if the instance has the vectors or the graph that the structure needs. */
bool lotor_problem_has_structure(const lotor_world *instance, lotor_structure structure);

/* Sets a structure that the instance has. One vertex is picked; a path goes from the first to the
 * last vertex. */
void lotor_problem_use_structure(lotor_problem_setup *setup, lotor_structure structure);

/* The setup's policy for one algorithm, without an epsilon or delta that the algorithm does not
 * use. */
lotor_policy_params lotor_problem_policy(const lotor_problem_setup *setup,
                                         const lotor_algorithm *algorithm, uint64_t horizon,
                                         lotor_ratio epsilon, lotor_ratio delta);

/* `given` with the arms, the dimension and the structure of the setup, whose arrays it borrows. */
lotor_policy_params lotor_problem_join(const lotor_problem_setup *setup,
                                       const lotor_policy_params *given);

/* Says why an algorithm can't play in this world. The caller explains the reason to its own
 * user. */
lotor_simulate_misfit lotor_problem_misfit_of(const lotor_problem_setup *setup,
                                              const lotor_policy_params *policy);

/* True if the library accepts a policy with these parameters and simulated noise. */
lotor_status lotor_problem_check_policy(const lotor_policy_params *policy, lotor_message *why);

/* The parameters with the library's defaults filled in, such as slots and beta; without the
 * arrays. */
lotor_status lotor_problem_complete(const lotor_policy_params *policy, lotor_message *why,
                                    lotor_policy_params *out);

/* An experiment with setup->policy, and with the runs, seed, threads and so on of `asked`. The
 * experiment points into the setup, which must not move. */
lotor_experiment lotor_problem_experiment(const lotor_problem_setup *setup,
                                          const lotor_simulate_params *asked);

/* True if rounds, runs and checkpoints are within the limits (LOTOR_SIMULATE_ROUNDS_MAX, ...). */
lotor_status lotor_problem_check_amounts(const lotor_simulate_params *asked, lotor_message *why);

#endif
