/* budgets_show.c - describes budgets for clients: their campaigns, and what one user can spend at
 * most. Whom a budget refused, and how often, is private and never shown. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <lotor/account.h>

#include "base/digits.h"
#include "base/message.h"
#include "base/text.h"
#include "service/engine/budgets.h"
#include "service/engine/inside.h"

bool lotor_budgets_share(const lotor_campaign *one, const lotor_campaign *other)
{
    return one->budget && other->budget && one->budget->id == other->budget->id;
}

bool lotor_budgets_went_back(const lotor_user_budget *budget, const json_t *rollback)
{
    const json_t *const one = json_object_get(rollback, "budget");
    const json_t *const last = json_object_get(rollback, "last_budget");
    return budget->id == (uint64_t)json_integer_value(one) ||
           budget->id <= (uint64_t)json_integer_value(last);
}

/* True if the campaign is in the budget. The engine has one budget for each name and id that is in
 * the store; after a new connection, older ones may have the same id. */
static bool is_in(const lotor_campaign *campaign, const lotor_user_budget *budget)
{
    return campaign->budget && campaign->budget->id == budget->id;
}

/* All rounds of one user in one campaign are one mechanism. Its epsilon is that of all rounds that
 * the cap allows; INFINITY: there is no cap. */
static double epsilon_of_all(const lotor_campaign *campaign)
{
    lotor_budget whole = {campaign->promise.epsilon, 0.0};
    const lotor_status status =
        campaign->rounds_per_user
            ? lotor_account_group_privacy(whole, campaign->rounds_per_user, NULL, &whole)
            : (lotor_status)LOTOR_INVALID;
    return status == LOTOR_OK ? whole.epsilon : INFINITY;
}

/* True if zCDP can never allow more than the sum of epsilons does. The charges of a user that exceed
 * the sum have squares of more than epsilon * least / 2 together, where `least` is the smallest
 * charge. */
static bool decides_by_sum(const lotor_user_budget *budget, double least)
{
    const double most_rho = (double)budget->most_squares * 1e-9;
    return lotor_ratio_to_double(budget->spec.epsilon) * least / 2.0 > most_rho * (1.0 + 1e-9);
}

lotor_spending lotor_budgets_spending(lotor_engine *engine, const lotor_user_budget *budget)
{
    lotor_budget sum = {0.0, 0.0};
    double rho = 0.0, least = INFINITY;
    pthread_rwlock_rdlock(&engine->table_lock);
    for (size_t i = 0; i < engine->campaign_count; i++) {
        const lotor_campaign *const campaign = engine->by_place[i];
        if (is_in(campaign, budget)) {
            const lotor_budget parts[] = {sum, {epsilon_of_all(campaign), 0.0}};
            if (lotor_account_compose_basic(parts, 2, NULL, &sum) != LOTOR_OK) {
                sum.epsilon = INFINITY;
            }
            rho += lotor_account_zcdp_of_pure(parts[1].epsilon);
            least = fmin(least, parts[1].epsilon);
        }
    }
    pthread_rwlock_unlock(&engine->table_lock);
    const double epsilon = lotor_ratio_to_double(budget->spec.epsilon);
    const double delta = lotor_ratio_to_double(budget->spec.delta);
    lotor_spending most = {.epsilon = epsilon, .delta = 0.0, .composition = "basic"};
    if (sum.epsilon <= epsilon) {
        most.epsilon = sum.epsilon;
        return most;
    }
    double curved;
    if (delta > 0.0 && !decides_by_sum(budget, least)) {
        most = (lotor_spending){.epsilon = epsilon, .delta = delta, .composition = "zcdp"};
        if (isfinite(rho) &&
            lotor_account_zcdp_epsilon(nextafter(rho * (1.0 + 1e-12), INFINITY), delta, NULL,
                                       &curved) == LOTOR_OK &&
            curved < epsilon) {
            most.epsilon = curved;
        }
    }
    return most;
}

/* How many rounds of one user the budget is enough for, if the user takes part in no other campaign
 * of it. */
static uint64_t rounds_of(const lotor_campaign *campaign)
{
    const lotor_charge *const charge = &campaign->charge;
    assert(charge->amount > 0);
    const uint64_t cap = campaign->rounds_per_user;
    const uint64_t rounds = charge->most_squares > 0 ? cap : charge->most_amount / charge->amount;
    return cap > 0 && cap < rounds ? cap : rounds;
}

static json_t *campaigns_json(lotor_engine *engine, const lotor_user_budget *budget)
{
    json_t *list = json_array();
    bool fine = list != NULL;
    pthread_rwlock_rdlock(&engine->table_lock);
    for (size_t i = 0; fine && i < engine->campaign_count; i++) {
        lotor_campaign *const campaign = engine->by_place[i];
        if (is_in(campaign, budget)) {
            const uint64_t cap = campaign->rounds_per_user;
            pthread_mutex_lock(&campaign->lock);
            const bool is_deleted = campaign->spec->deleted;
            pthread_mutex_unlock(&campaign->lock);
            json_t *const row =
                json_pack("{s:s, s:f, s:o, s:I, s:b}", "name", campaign->name, "epsilon",
                          campaign->promise.epsilon, "rounds_per_user",
                          cap ? json_integer((json_int_t)cap) : json_null(), "rounds",
                          (json_int_t)rounds_of(campaign), "deleted", is_deleted);
            fine = json_array_append_new(list, row) == 0;
        }
    }
    pthread_rwlock_unlock(&engine->table_lock);
    if (!fine) {
        json_decref(list);
        return NULL;
    }
    return list;
}

static bool has_early_release(lotor_engine *engine, const lotor_user_budget *budget)
{
    bool has = false;
    pthread_rwlock_rdlock(&engine->table_lock);
    for (size_t i = 0; !has && i < engine->campaign_count; i++) {
        has = is_in(engine->by_place[i], budget) && engine->by_place[i]->is_early;
    }
    pthread_rwlock_unlock(&engine->table_lock);
    return has;
}

/* Which composition decides how much a user can spend. */
static const char *reason(const lotor_user_budget *budget, const lotor_spending *most)
{
    if (strcmp(most->composition, "zcdp") != 0) {
        return "basic composition decides: the sum over the user's rounds";
    }
    return most->epsilon < lotor_ratio_to_double(budget->spec.epsilon)
               ? "composition by zCDP decides: it is less than the sum here"
               : "the budget decides: a round is refused if both the sum and composition by zCDP "
                 "would exceed it";
}

/* How often the budget's spending went back with the store. */
static size_t count_rollbacks(lotor_engine *engine, const lotor_user_budget *budget)
{
    size_t i, count = 0;
    json_t *rollback;
    pthread_rwlock_rdlock(&engine->table_lock);
    json_array_foreach(engine->rollbacks, i, rollback)
    {
        count += lotor_budgets_went_back(budget, rollback);
    }
    pthread_rwlock_unlock(&engine->table_lock);
    return count;
}

static char *statement(lotor_engine *engine, const lotor_user_budget *budget,
                       const lotor_spending *most)
{
    char epsilon[LOTOR_DIGITS_ROOM], delta[LOTOR_DIGITS_ROOM], spent[LOTOR_DIGITS_ROOM];
    lotor_text text = {0};
    lotor_text_print(
        &text,
        "One user's feedback in all campaigns of the budget %s together has differential privacy "
        "with epsilon %s and delta %s. ",
        budget->spec.name, lotor_digits(lotor_ratio_to_double(budget->spec.epsilon), epsilon),
        lotor_digits(lotor_ratio_to_double(budget->spec.delta), delta));
    lotor_text_print(&text,
                     "With the campaigns that are in it now, a user spends at most %s (%s). ",
                     lotor_digits(most->epsilon, spent), reason(budget, most));
    lotor_text_add(&text, "A round that would exceed the budget is shown as usual, and counts for "
                          "nothing. How many rounds were refused is not reported: it is "
                          "private. A user has one id in all campaigns.");
    if (has_early_release(engine, budget)) {
        lotor_text_add(&text, " Not protected: whether and when a user gave feedback in campaigns "
                              "with early_release.");
    }
    const size_t rollbacks = count_rollbacks(engine, budget);
    if (rollbacks > 0) {
        lotor_text_print(
            &text,
            " This did not always hold: the store was replaced by an older copy, and the "
            "operator accepted that (%zu time%s). The spending of users since that copy was "
            "made is not counted, so a user may have spent epsilon and delta once more each time.",
            rollbacks, rollbacks == 1 ? "" : "s");
    }
    if (lotor_text_status(&text, NULL) != LOTOR_OK) {
        lotor_text_clear(&text);
        return NULL;
    }
    return text.bytes;
}

static json_t *budget_json(lotor_engine *engine, const lotor_user_budget *budget)
{
    json_t *out = lotor_budget_spec_write(&budget->spec);
    json_t *list = campaigns_json(engine, budget);
    const lotor_spending most = lotor_budgets_spending(engine, budget);
    char *text = statement(engine, budget, &most);
    json_t *more = list && text
                       ? json_pack("{s:f, s:O, s:{s:f, s:f, s:s}, s:s}", "created", budget->created,
                                   "campaigns", list, "most", "epsilon", most.epsilon, "delta",
                                   most.delta, "composition", most.composition, "statement", text)
                       : NULL;
    const bool fine = out && more && json_object_update(out, more) == 0;
    json_decref(list);
    json_decref(more);
    free(text);
    if (!fine) {
        json_decref(out);
        return NULL;
    }
    return out;
}

/* In the order of ids: the list has the newest first. */
static json_t *all_json(lotor_engine *engine)
{
    json_t *list = json_array();
    bool fine = list != NULL;
    for (const lotor_user_budget *one = engine->budgets; fine && one; one = one->next) {
        if (one->is_known && !one->is_damaged) {
            fine = json_array_insert_new(list, 0, budget_json(engine, one)) == 0;
        }
    }
    json_t *const out = fine ? json_pack("{s:O}", "budgets", list) : NULL;
    json_decref(list);
    return out;
}

void lotor_budgets_show(lotor_engine *engine, lotor_job *job)
{
    const lotor_job_work *const work = job->work;
    const char *const name = work->budget.name;
    const lotor_status status = lotor_budgets_read(engine, NULL);
    if (status != LOTOR_OK) {
        lotor_refuse(&job->refusal, status == LOTOR_MEMORY ? LOTOR_CODE_INTERNAL : LOTOR_CODE_STORE,
                     "", "budgets can't be read at the moment: try again");
        lotor_job_finish(job);
        return;
    }
    const lotor_user_budget *const budget = *name ? lotor_budgets_find(engine, name) : NULL;
    if (*name && (!budget || budget->is_damaged)) {
        lotor_refuse(&job->refusal, budget ? LOTOR_CODE_BROKEN : LOTOR_CODE_NO_SUCH_BUDGET, "",
                     budget ? "the budget %s was changed in the store, not by a server: see `lotor "
                              "check`"
                            : "there is no budget named %s: GET /v1/budgets lists them",
                     name);
        lotor_job_finish(job);
        return;
    }
    *work->reply = budget ? budget_json(engine, budget) : all_json(engine);
    if (!*work->reply) {
        lotor_refuse(&job->refusal, LOTOR_CODE_INTERNAL, "", "out of memory: try again later");
    }
    lotor_job_finish(job);
}
