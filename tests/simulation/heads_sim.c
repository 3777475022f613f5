/* heads_sim.c - implements heads.h for the simulation: the head file belongs to the simulated
 * server, and survives its crashes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulation/sim.h"

static lotor_head_record *find(sim_head_file *file, uint64_t campaign)
{
    for (size_t i = 0; i < file->count; i++) {
        if (file->records[i].campaign == campaign) {
            return &file->records[i];
        }
    }
    return NULL;
}

lotor_heads *sim_heads_open(sim_server *server)
{
    lotor_heads *heads = calloc(1, sizeof *heads);
    if (!heads) {
        abort();
    }
    heads->server = server;
    heads->memory = server->disk;
    return heads;
}

lotor_status lotor_heads_open(const char *path, lotor_message *why, lotor_heads **out,
                              bool *was_lost)
{
    (void)path;
    *out = NULL;
    *was_lost = true;
    snprintf(why->text, sizeof why->text, "a simulated head file is opened by sim_heads_open");
    return LOTOR_UNFINISHED;
}

void lotor_heads_free(lotor_heads *heads)
{
    free(heads);
}

bool lotor_heads_get(const lotor_heads *heads, uint64_t campaign, lotor_head_record *out)
{
    bool forgets = heads->server->sim->variant == VARIANT_NO_HEADS && campaign > 0;
    for (size_t i = 0; i < heads->memory.count && !forgets; i++) {
        if (heads->memory.records[i].campaign == campaign) {
            *out = heads->memory.records[i];
            return true;
        }
    }
    return false;
}

bool lotor_heads_at(const lotor_heads *heads, size_t index, lotor_head_record *out)
{
    const bool has = heads->server->sim->variant != VARIANT_NO_HEADS && index < heads->memory.count;
    if (has) {
        *out = heads->memory.records[index];
    }
    return has;
}

lotor_status lotor_heads_put(lotor_heads *heads, const lotor_head_record *head, lotor_message *why)
{
    (void)why;
    lotor_head_record *record = find(&heads->memory, head->campaign);
    if (!record) {
        if (heads->memory.count == SIM_HEADS) {
            return LOTOR_MEMORY;
        }
        record = &heads->memory.records[heads->memory.count++];
    }
    heads->is_changed = heads->is_changed || memcmp(record, head, sizeof *head) != 0;
    *record = *head;
    return LOTOR_OK;
}

lotor_status lotor_heads_write(lotor_heads *heads, lotor_message *why)
{
    sim_server *server = heads->server;
    if (why) {
        snprintf(why->text, sizeof why->text, "the simulated disk refused");
    }
    if (!heads->is_changed) {
        return LOTOR_OK;
    }
    if (fiber_current() && !server->is_crashed) {
        fiber_yield();
    }
    if (!server->is_crashed && server->traps[FAULT_HEADS]) {
        /* the fault lasts for a while */
        server->traps[FAULT_HEADS] = !rng_one_in(&server->sim->schedule, 4);
        server->sim->faults[FAULT_HEADS]++;
        return LOTOR_UNFINISHED;
    }
    if (server->is_crashed) {
        return LOTOR_UNFINISHED;
    }
    server->disk = heads->memory;
    server->has_disk = true;
    server->told = heads->memory;
    heads->is_changed = false;
    if (fiber_current()) {
        fiber_yield();
    }
    return LOTOR_OK;
}
