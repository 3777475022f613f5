/* make.h - what the makers of oracles share. */
#ifndef LOTOR_CHOICE_MAKE_H
#define LOTOR_CHOICE_MAKE_H

#include "choice/oracle.h"

/* Arms are numbered by uint32_t, and there has to be one. */
lotor_status lotor_oracle_check_arms(size_t arms, lotor_message *why);

/* A part of the caller's description that is NULL. */
lotor_status lotor_oracle_missing(const char *what, lotor_message *why);

lotor_status lotor_oracle_no_memory(size_t arms, lotor_message *why);

/* Sets `slots` to the rank: how many a greedy walk over all arms keeps. Refuses rank 0, with which
 * nothing could ever be shown. Frees nothing. */
lotor_status lotor_oracle_measure(lotor_oracle *oracle, lotor_message *why);

/* Takes a finished matroid oracle and gives one with the same answers, faster where it can: see
 * table.c. Frees `oracle` when it fails. */
lotor_status lotor_oracle_quicken(lotor_oracle *oracle, lotor_message *why, lotor_oracle **out);

#endif
