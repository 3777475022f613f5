/* make.h - what the constructors of oracles share. */
#ifndef LOTOR_CHOICE_MAKE_H
#define LOTOR_CHOICE_MAKE_H

#include "choice/oracle.h"

/* Checks that there is at least one arm, and that uint32_t can number the arms. */
lotor_status lotor_oracle_check_arms(size_t arms, lotor_message *why);

/* Refuses a part of the caller's description that is NULL; `what` begins the message. */
lotor_status lotor_oracle_missing(const char *what, lotor_message *why);

lotor_status lotor_oracle_no_memory(size_t arms, lotor_message *why);

/* Sets `slots` to the rank: the number of arms that a greedy walk over all arms keeps. Refuses rank
 * 0, because then nothing could ever be shown. Frees nothing. */
lotor_status lotor_oracle_measure(lotor_oracle *oracle, lotor_message *why);

/* Takes ownership of a finished matroid oracle, and returns an oracle with the same picks, faster
 * if possible (table.c). Frees `oracle` if it fails. */
lotor_status lotor_oracle_quicken(lotor_oracle *oracle, lotor_message *why, lotor_oracle **out);

#endif
