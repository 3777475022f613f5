/* budget.h - checks of privacy budgets. */
#ifndef LOTOR_PRIVACY_ACCOUNT_BUDGET_H
#define LOTOR_PRIVACY_ACCOUNT_BUDGET_H

#include <lotor/account.h>

/* LOTOR_OK if epsilon >= 0 (or infinity) and 0 <= delta <= 1; otherwise LOTOR_INVALID. */
lotor_status lotor_account_check(lotor_budget budget, lotor_message *why);

/* LOTOR_OK if `value` is 0 or more (or infinity); otherwise LOTOR_INVALID, and the message has
 * `name`. */
lotor_status lotor_account_check_size(const char *name, double value, lotor_message *why);

/* The same for a value that must be in [0,1]. */
lotor_status lotor_account_check_share(const char *name, double value, lotor_message *why);

#endif
