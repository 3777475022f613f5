/* budgets.h - budgets over several campaigns. See budgets.md for what they prove.
 *
 * A budget is (epsilon, delta) for one user in all its campaigns together. The writer keeps the
 * budgets that it has read from the store. A budget never changes and is never freed before the
 * engine, so campaigns point to it.
 */
#ifndef LOTOR_SERVICE_ENGINE_BUDGETS_H
#define LOTOR_SERVICE_ENGINE_BUDGETS_H

#include "service/engine/campaign.h"
#include "service/spec/budget_spec.h"
#include "service/store/store.h"

typedef struct lotor_user_budget {
    struct lotor_user_budget *next;
    uint64_t id;
    double created;
    lotor_budget_spec spec;
    char seal[LOTOR_BUDGET_SEAL + 1]; /* of its row, in hex */
    bool is_known;   /* the store has it: false after a new connection, until it is read again */
    bool is_damaged; /* its row is not what a server wrote; only the id and the name are set */
    /* in 1e-9ths, rounded down; most_squares 0: sums of epsilon alone count */
    uint64_t most_amount, most_squares;
} lotor_user_budget;

/* Reads all budgets from the store. */
lotor_status lotor_budgets_read(lotor_engine *engine, lotor_message *why);
/* A budget that was read and is still known; NULL: none. */
lotor_user_budget *lotor_budgets_find(const lotor_engine *engine, const char *name);
void lotor_budgets_doubt(lotor_engine *engine); /* after a new connection */
void lotor_budgets_free(lotor_engine *engine);

/* Finds the budget that the specification names, and computes what a round costs: sets `budget` and
 * `charge` of the campaign. LOTOR_DAMAGED: there is no such budget, it was changed in the store, or it is
 * not the budget that the campaign joined when it was made. */
lotor_status lotor_budgets_join(lotor_engine *engine, lotor_campaign *campaign, lotor_message *why);
/* True if two campaigns are in the same budget. */
bool lotor_budgets_share(const lotor_campaign *one, const lotor_campaign *other);
/* True if an accepted rollback, an entry of the list, concerns the budget: its spending is that of an
 * older copy. */
bool lotor_budgets_went_back(const lotor_user_budget *budget, const json_t *rollback);
/* Refuses a new campaign that can't join the budget it names. Otherwise sets the budget's seal in the
 * specification. */
lotor_status lotor_budgets_check(lotor_engine *engine, lotor_spec *spec, const lotor_policy *policy,
                                 lotor_refusal *refusal, lotor_message *why);

/* The jobs LOTOR_JOB_BUDGET and LOTOR_JOB_BUDGETS. */
void lotor_budgets_create(lotor_engine *engine, lotor_job *job);
void lotor_budgets_show(lotor_engine *engine, lotor_job *job);
/* The most that one user can spend in the campaigns that this server knows, as in the reply. */
typedef struct lotor_spending {
    double epsilon, delta;
    const char *composition; /* "basic" or "zcdp" */
} lotor_spending;
lotor_spending lotor_budgets_spending(lotor_engine *engine, const lotor_user_budget *budget);

/* users.c: one round of a user. */

/* Locks the budgets of these campaigns, in the order of ids, until the transaction ends. Call it
 * before lotor_users_charge, once in a transaction. */
lotor_status lotor_users_lock(lotor_engine *engine, lotor_campaign *const *list, size_t count,
                              lotor_message *why);
/* Counts one round of a user: in the cap of rounds per user, and in the budget. Sets
 * *counted to false if one of them is reached. Then neither has changed, and the round must count for
 * nothing. Call it in the transaction of the owner's cycle, which is fenced. */
lotor_status lotor_users_charge(lotor_engine *engine, const lotor_campaign *campaign,
                                const lotor_user *user, lotor_message *why, bool *counted);

#endif
