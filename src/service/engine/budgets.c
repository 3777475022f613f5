/* budgets.c - the budgets that this server knows: reads and authenticates them, makes new ones, and
 * describes them. See budgets.h. */
#include "service/engine/budgets.h"

#include <assert.h>
#include <math.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lotor/account.h>

#include "base/message.h"
#include "base/text.h"
#include "service/engine/inside.h"
#include "service/little.h"

static_assert(LOTOR_BUDGET_SEAL == 2 * LOTOR_STORE_HASH, "two hex digits for each byte");

enum { PER_ONE = 1000000000 }; /* amounts are whole numbers of 1e-9 */

/* --- amounts ---------------------------------------------------------------------------------- */

static uint64_t at_most(unsigned __int128 value, uint64_t most)
{
    return value < most ? (uint64_t)value : most;
}

/* A ratio as an amount, rounded down or up. */
static uint64_t amount_of(lotor_ratio ratio, bool rounds_up, uint64_t most)
{
    const unsigned __int128 product = (unsigned __int128)ratio.num * PER_ONE;
    return at_most(product / ratio.den + (rounds_up && product % ratio.den != 0), most);
}

/* The same for a double. The product is rounded, so the next double is taken. */
static uint64_t amount_up(double value)
{
    const double amount = ceil(nextafter(value * (double)PER_ONE, INFINITY));
    return amount < (double)LOTOR_SPEND_MOST ? (uint64_t)amount : LOTOR_SPEND_MOST;
}

static uint64_t amount_down(double value)
{
    const double amount = floor(nextafter(value * (double)PER_ONE, 0.0));
    return amount < (double)LOTOR_SPEND_MOST ? (uint64_t)amount : LOTOR_SPEND_MOST - 1;
}

static lotor_status find_limits(lotor_user_budget *budget, lotor_message *why)
{
    const lotor_budget_spec *const spec = &budget->spec;
    budget->most_amount = amount_of(spec->epsilon, false, LOTOR_SPEND_MOST - 1);
    budget->most_squares = 0;
    if (spec->delta.num == 0) {
        return LOTOR_OK;
    }
    double rho;
    const lotor_budget whole = {lotor_ratio_to_double(spec->epsilon),
                                lotor_ratio_to_double(spec->delta)};
    const lotor_status status = lotor_account_zcdp_rho(whole, why, &rho);
    if (status == LOTOR_OK) {
        budget->most_squares = amount_down(rho);
    }
    return status;
}

/* Returns the cost of one charge of a campaign. Without a delta, each round is charged. With one, the first round
 * of a user is charged with all rounds that the cap allows: these are one mechanism. */
static lotor_charge find_charge(const lotor_user_budget *budget, const lotor_spec *spec,
                                const lotor_guarantee *promise)
{
    lotor_charge charge = {.most_amount = budget->most_amount,
                           .most_squares = budget->most_squares};
    uint64_t round = amount_of(spec->epsilon, true, LOTOR_SPEND_MOST);
    if (promise->epsilon > lotor_ratio_to_double(spec->epsilon)) {
        round = amount_up(promise->epsilon);
    }
    const uint64_t rounds = budget->most_squares > 0 ? spec->rounds_per_user : 1;
    charge.amount = at_most((unsigned __int128)round * rounds, LOTOR_SPEND_MOST);
    if (budget->most_squares > 0) {
        const double whole = nextafter((double)charge.amount / (double)PER_ONE, INFINITY);
        charge.squares = amount_up(lotor_account_zcdp_of_pure(whole));
    }
    return charge;
}

static bool is_affordable(const lotor_charge *charge)
{
    return charge->amount <= charge->most_amount ||
           (charge->most_squares > 0 && charge->squares <= charge->most_squares);
}

/* --- known budgets ---------------------------------------------------------------------------- */

static void seal_row(const lotor_engine *engine, const lotor_budget_row *row,
                     unsigned char seal[LOTOR_STORE_HASH])
{
    unsigned char numbers[16];
    uint64_t created;
    memcpy(&created, &row->created, sizeof created);
    lotor_put_u64(numbers, row->id);
    lotor_put_u64(numbers + 8, created);
    const lotor_server_key_part parts[] = {{"budget", sizeof "budget"},
                                           {numbers, sizeof numbers},
                                           {row->name, strlen(row->name) + 1},
                                           {row->spec, strlen(row->spec) + 1}};
    lotor_server_key_tag(engine->server_key, parts, 4, seal);
}

/* Reads an authenticated specification. Only a server wrote it, so it can be read. */
static lotor_status parse(const lotor_budget_row *row, lotor_user_budget *out)
{
    lotor_refusal refusal;
    json_error_t error;
    json_t *const json = json_loads(row->spec, 0, &error);
    if (!json && json_error_code(&error) == json_error_out_of_memory) {
        return LOTOR_MEMORY;
    }
    const lotor_code code = lotor_budget_spec_read(json, &refusal, &out->spec);
    json_decref(json);
    out->is_damaged = code != LOTOR_CODE_NONE || strcmp(out->spec.name, row->name) != 0 ||
                      find_limits(out, NULL) != LOTOR_OK;
    return LOTOR_OK;
}

static lotor_status see_row(void *context, const lotor_budget_row *row)
{
    lotor_engine *const engine = context;
    unsigned char seal[LOTOR_STORE_HASH];
    lotor_user_budget *const found = calloc(1, sizeof *found);
    if (!found) {
        return LOTOR_MEMORY;
    }
    *found = (lotor_user_budget){.id = row->id, .created = row->created, .is_known = true};
    seal_row(engine, row, seal);
    sodium_bin2hex(found->seal, sizeof found->seal, seal, sizeof seal);
    lotor_status status = LOTOR_OK;
    found->is_damaged = sodium_memcmp(seal, row->seal, sizeof seal) != 0;
    if (!found->is_damaged) {
        status = parse(row, found);
    }
    snprintf(found->spec.name, sizeof found->spec.name, "%.*s", LOTOR_NAME_MAX, row->name);
    for (lotor_user_budget *old = engine->budgets; status == LOTOR_OK && old; old = old->next) {
        if (old->id == found->id && old->created == found->created &&
            old->is_damaged == found->is_damaged && old->most_amount == found->most_amount &&
            old->most_squares == found->most_squares && strcmp(old->seal, found->seal) == 0 &&
            strcmp(old->spec.name, found->spec.name) == 0) {
            old->is_known = true;
            free(found);
            return LOTOR_OK;
        }
    }
    if (status != LOTOR_OK) {
        free(found);
        return status;
    }
    found->next = engine->budgets;
    engine->budgets = found;
    return LOTOR_OK;
}

lotor_status lotor_budgets_read(lotor_engine *engine, lotor_message *why)
{
    return lotor_store_each_budget(engine->store, see_row, engine, why);
}

lotor_user_budget *lotor_budgets_find(const lotor_engine *engine, const char *name)
{
    lotor_user_budget *found = engine->budgets;
    while (found && !(found->is_known && strcmp(found->spec.name, name) == 0)) {
        found = found->next;
    }
    return found;
}

void lotor_budgets_doubt(lotor_engine *engine)
{
    for (lotor_user_budget *budget = engine->budgets; budget; budget = budget->next) {
        budget->is_known = false;
    }
}

void lotor_budgets_free(lotor_engine *engine)
{
    for (lotor_user_budget *next, *budget = engine->budgets; budget; budget = next) {
        next = budget->next;
        free(budget);
    }
    engine->budgets = NULL;
}

/* Finds a budget, first in memory, then in the store. *out is NULL if there is none. */
static lotor_status look_up(lotor_engine *engine, const char *name, lotor_message *why,
                            lotor_user_budget **out)
{
    *out = lotor_budgets_find(engine, name);
    if (*out) {
        return LOTOR_OK;
    }
    const lotor_status status = lotor_budgets_read(engine, why);
    *out = status == LOTOR_OK ? lotor_budgets_find(engine, name) : NULL;
    return status;
}

/* --- campaigns -------------------------------------------------------------------------------- */

lotor_status lotor_budgets_join(lotor_engine *engine, lotor_campaign *campaign, lotor_message *why)
{
    lotor_user_budget *budget;
    const lotor_spec *const spec = campaign->spec;
    if (!spec->budget[0]) {
        return LOTOR_OK;
    }
    const lotor_status status = look_up(engine, spec->budget, why, &budget);
    if (status != LOTOR_OK) {
        return status;
    }
    if (!budget || budget->is_damaged) {
        return lotor_fail(LOTOR_DAMAGED, why,
                          budget ? "its budget %s was changed in the store, not by a server"
                                 : "its budget %s is missing in the store",
                          spec->budget);
    }
    if (strcmp(budget->seal, spec->budget_seal) != 0) {
        return lotor_fail(LOTOR_DAMAGED, why,
                          "its budget %s is not the one that it joined: the budget was made again",
                          spec->budget);
    }
    campaign->budget = budget;
    campaign->charge = find_charge(budget, spec, &campaign->promise);
    return LOTOR_OK;
}

/* Why a campaign with this guarantee can't be in a budget; NULL: it can. */
static const char *find_obstacle(const lotor_guarantee *promise)
{
    if (!promise->is_private || isinf(promise->epsilon)) {
        return "this campaign is not private";
    }
    if (promise->delta > 0.0) {
        return "the guarantee of this campaign has a delta, and a sum with it is not proved";
    }
    return promise->model == LOTOR_MODEL_JOINT
               ? "this campaign shows people arms by their own contexts, and a sum with it is not "
                 "proved"
               : NULL;
}

lotor_status lotor_budgets_check(lotor_engine *engine, lotor_spec *spec, const lotor_policy *policy,
                                 lotor_refusal *refusal, lotor_message *why)
{
    lotor_user_budget *budget;
    lotor_guarantee promise;
    if (!spec->budget[0]) {
        return LOTOR_OK;
    }
    const lotor_status status = look_up(engine, spec->budget, why, &budget);
    if (status != LOTOR_OK) {
        return status;
    }
    if (!budget || budget->is_damaged) {
        lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, "budget",
                     budget ? "the budget %s was changed in the store, not by a server: expected "
                              "another budget"
                            : "there is no budget named %s: make it first (POST /v1/budgets)",
                     spec->budget);
        return LOTOR_OK;
    }
    lotor_policy_guarantee(policy, &promise);
    const char *const obstacle = find_obstacle(&promise);
    if (obstacle) {
        lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, "budget",
                     "%s: expected no budget, or an algorithm such as batch-klucb with delta 0",
                     obstacle);
    } else if (budget->most_squares > 0 && spec->rounds_per_user == 0) {
        lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, "rounds_per_user",
                     "the budget %s has a delta: its campaigns need a cap of rounds per user, such "
                     "as 1",
                     spec->budget);
    } else {
        const lotor_charge charge = find_charge(budget, spec, &promise);
        if (!is_affordable(&charge)) {
            lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, "epsilon",
                         "%s more than the budget %s has: expected a smaller epsilon, or another "
                         "budget",
                         budget->most_squares > 0 ? "rounds_per_user rounds cost"
                                                  : "one round costs",
                         spec->budget);
        }
    }
    memcpy(spec->budget_seal, budget->seal, sizeof spec->budget_seal);
    return LOTOR_OK;
}

/* --- creating budgets ------------------------------------------------------------------------- */

static bool is_same(lotor_ratio one, lotor_ratio other)
{
    return (unsigned __int128)one.num * other.den == (unsigned __int128)other.num * one.den;
}

static void compare(const lotor_user_budget *known, const lotor_budget_spec *spec, lotor_job *job)
{
    const bool same_epsilon = is_same(known->spec.epsilon, spec->epsilon);
    const bool same_delta = is_same(known->spec.delta, spec->delta);
    job->was_there = true;
    if (known->is_damaged || !same_epsilon || !same_delta) {
        const char *const field = same_epsilon ? "delta" : "epsilon";
        lotor_refuse(&job->refusal, LOTOR_CODE_EXISTS, field,
                     "a budget with that name exists, with another value of %s: expected the same "
                     "%s, or another name",
                     field, field);
    }
}

static lotor_status put_budget(lotor_engine *engine, const lotor_job *job,
                               const lotor_budget_spec *spec, const char *text, lotor_message *why)
{
    unsigned char seal[LOTOR_STORE_HASH];
    lotor_budget_row row = {
        .name = spec->name, .spec = text, .seal = seal, .created = (double)engine->low / 1000};
    lotor_status status = lotor_store_next_budget(engine->store, why, &row.id);
    if (status != LOTOR_OK) {
        return status;
    }
    seal_row(engine, &row, seal);
    status = lotor_store_add_budget(engine->store, &row, why);
    lotor_text change = {0};
    lotor_text_print(&change, "budget %s, epsilon ", spec->name);
    lotor_text_number(&change, lotor_ratio_to_double(spec->epsilon), 6);
    lotor_text_print(&change, ", delta ");
    lotor_text_number(&change, lotor_ratio_to_double(spec->delta), 6);
    if (status == LOTOR_OK) {
        status = lotor_text_status(&change, why);
    }
    if (status == LOTOR_OK) {
        status = lotor_audit_write(engine, job, "", "budget", change.bytes, why);
    }
    lotor_text_clear(&change);
    return status;
}

static lotor_status add(lotor_engine *engine, const lotor_job *job, const lotor_budget_spec *spec,
                        lotor_message *why)
{
    json_t *const json = lotor_budget_spec_write(spec);
    char *const text = json ? json_dumps(json, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    json_decref(json);
    if (!text) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for a budget: try again");
    }
    lotor_status status = lotor_engine_begin(engine, why);
    if (status == LOTOR_OK) {
        status = put_budget(engine, job, spec, text, why);
        if (status != LOTOR_OK) {
            lotor_store_rollback(engine->store);
        } else {
            status = lotor_engine_commit(engine, why);
        }
    }
    free(text);
    return status;
}

static lotor_status create(lotor_engine *engine, lotor_job *job, lotor_message *why)
{
    const lotor_budget_spec *const spec = &((lotor_job_work *)job->work)->budget;
    lotor_user_budget *known;
    lotor_user_budget limits = {.spec = *spec};
    lotor_status status = look_up(engine, spec->name, why, &known);
    if (status != LOTOR_OK || known) {
        if (known) {
            compare(known, spec, job);
        }
        return status;
    }
    if (lotor_engine_is_too_weak(engine, spec->epsilon, 0, job)) {
        return LOTOR_OK;
    }
    if (find_limits(&limits, why) != LOTOR_OK) {
        lotor_refuse(&job->refusal, LOTOR_CODE_BAD_VALUE, "delta", "%s", why->text);
        return LOTOR_OK;
    }
    status = add(engine, job, spec, why);
    const lotor_status again =
        status == LOTOR_OK || status == LOTOR_DUPLICATE ? lotor_budgets_read(engine, why) : status;
    known = lotor_budgets_find(engine, spec->name);
    if (status == LOTOR_DUPLICATE && again == LOTOR_OK && known) {
        compare(known, spec, job);
    }
    return again;
}

void lotor_budgets_create(lotor_engine *engine, lotor_job *job)
{
    lotor_message why;
    job->was_there = false;
    const lotor_status status = create(engine, job, &why);
    if (status != LOTOR_OK) {
        lotor_job_fail(job, status);
        return;
    }
    if (job->refusal.code == LOTOR_CODE_NONE) {
        lotor_budgets_show(engine, job);
    } else {
        lotor_job_finish(job);
    }
}

lotor_completion lotor_engine_create_budget(lotor_engine *engine, const lotor_budget_spec *spec,
                                            json_t **reply, lotor_job *job)
{
    *reply = NULL;
    job->refusal.code = LOTOR_CODE_NONE;
    lotor_job_work *const work = malloc(sizeof *work);
    if (!work) {
        return lotor_job_no_memory(job);
    }
    *work = (lotor_job_work){.reply = reply, .budget = *spec};
    return lotor_engine_queue(engine, job, LOTOR_JOB_BUDGET, work);
}

lotor_completion lotor_engine_budgets(lotor_engine *engine, const char *name, json_t **reply,
                                      lotor_job *job)
{
    *reply = NULL;
    job->refusal.code = LOTOR_CODE_NONE;
    lotor_job_work *const work = malloc(sizeof *work);
    if (!work) {
        return lotor_job_no_memory(job);
    }
    *work = (lotor_job_work){.reply = reply};
    snprintf(work->budget.name, sizeof work->budget.name, "%s", name ? name : "");
    return lotor_engine_queue(engine, job, LOTOR_JOB_BUDGETS, work);
}
