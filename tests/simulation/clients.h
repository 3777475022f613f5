/* clients.h - the people who use the service: what they ask, of which server, and what they do with replies.
 *
 * The same requests run in the simulation (world.c) and against real stores (simulate_real.c): what differs is who
 * steps the engines. */
#ifndef LOTOR_SIMULATION_CLIENTS_H
#define LOTOR_SIMULATION_CLIENTS_H

#include "service/engine/engine.h"
#include "simulation/reference.h"

typedef struct clients clients;

typedef struct clients_plan {
    size_t campaigns;      /* at most */
    size_t decisions_most; /* of one campaign, before another one is asked for */
    bool one_arm;          /* only campaigns whose decisions can't depend on answers */
    bool is_calm;          /* no closing, no pausing, no other arms */
    uint64_t wait_ms;      /* of a campaign; 0: any */
} clients_plan;

clients *clients_new(sim *world, reference *model, lotor_vault *vault, const clients_plan *plan);
void clients_free(clients *all);

/* One request of somebody to some server that is up. */
void clients_act(clients *all);
/* The requests of a server that ended are never answered. Call it after the engine was freed. */
void clients_lose(clients *all, const sim_server *server);
/* Requests without a reply. */
size_t clients_waiting(const clients *all);
/* At the end: one plain request to each campaign on each server. clients_ranked tells whether all were served;
 * *text: the first that was not. */
void clients_rank_everywhere(clients *all);
bool clients_ranked(const clients *all, char *text, size_t size);
/* Asks once more for campaigns whose last batch is not released; false: there is none. */
bool clients_cover(clients *all);

#endif
