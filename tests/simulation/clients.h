/* clients.h - the simulated clients: which requests they send to which server, and what they do
 * with the replies.
 *
 * The same requests run in the simulation (world.c) and against real stores (simulate_real.c). The
 * only difference is which code makes the engines' steps.
 */
#ifndef LOTOR_SIMULATION_CLIENTS_H
#define LOTOR_SIMULATION_CLIENTS_H

#include "service/engine/engine.h"
#include "simulation/reference.h"

typedef struct clients clients;

typedef struct clients_plan {
    size_t campaigns;      /* at most so many */
    size_t decisions_most; /* of one campaign, before another campaign is used */
    bool one_arm;          /* only campaigns whose decisions can't depend on feedback */
    bool is_calm;          /* campaigns are not closed, and arms are not paused or added */
    uint64_t wait_ms;      /* wait_seconds of a campaign, in milliseconds; 0: any */
} clients_plan;

clients *clients_new(sim *world, reference *model, lotor_server_key *server_key,
                     const clients_plan *plan);
void clients_free(clients *all);

/* Sends one request to some server that is up. */
void clients_act(clients *all);
/* Forgets the requests of a server that has ended: they get no reply. Call it after the engine
 * was freed. */
void clients_lose(clients *all, const sim_server *server);
/* The number of requests without a reply. */
size_t clients_waiting(const clients *all);
/* At the end: sends one plain request to each campaign on each server. clients_ranked tells
 * whether all were served; *text: the first that was not. */
void clients_rank_everywhere(clients *all);
bool clients_ranked(const clients *all, char *text, size_t size);
/* Sends more requests to campaigns whose last batch is not released. False: there is no such
 * campaign. */
bool clients_cover(clients *all);

#endif
