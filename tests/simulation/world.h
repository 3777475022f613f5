/* world.h - one run of the simulation, in which the seed decides everything. */
#ifndef LOTOR_SIMULATION_WORLD_H
#define LOTOR_SIMULATION_WORLD_H

#include "simulation/reference.h"

typedef struct world_setup {
    uint64_t seed, steps;
    sim_variant variant;
    bool without[FAULT_COUNT];   /* faults that do not happen */
    bool one_arm;                /* only campaigns whose decisions do not depend on feedback */
    uint64_t values;             /* another number gives other rewards */
    bool is_verbose, says_calls; /* print what happens; also print every call of the store */
} world_setup;

typedef struct world_result {
    uint64_t steps, commits, simulated_ms;
    uint64_t faults[FAULT_COUNT];
    reference_count counts;
    uint64_t trace;
    sim_mode mode;
    size_t servers;
    bool is_violated;
    uint64_t violated_step;
    char violation[400];
} world_result;

void world_run(const world_setup *setup, lotor_server_key *server_key, world_result *out);

#endif
