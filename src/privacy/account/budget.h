/* budget.h - refusing what is not a budget. */
#ifndef LOTOR_PRIVACY_ACCOUNT_BUDGET_H
#define LOTOR_PRIVACY_ACCOUNT_BUDGET_H

#include <lotor/account.h>

/* LOTOR_OK when 0 <= epsilon (infinity too) and 0 <= delta <= 1, else LOTOR_INVALID. */
lotor_status lotor_account_check(lotor_budget budget, lotor_message *why);

/* LOTOR_OK when `value` is 0 or more, infinity too; else LOTOR_INVALID, naming `name`. */
lotor_status lotor_account_check_size(const char *name, double value, lotor_message *why);

/* The same for what must lie in [0,1]. */
lotor_status lotor_account_check_share(const char *name, double value, lotor_message *why);

#endif
