/* check.h - a whole store looked through: tables, chains, head file and, with the key, what is sealed.
 *
 * The store's own check needs no key; this one goes on where that ends. It reads and never writes.
 */
#ifndef LOTOR_SERVICE_ENGINE_CHECK_H
#define LOTOR_SERVICE_ENGINE_CHECK_H

#include "service/store/heads.h"
#include "service/store/store.h"
#include "service/vault/vault.h"

typedef struct lotor_check_counts {
    uint64_t campaigns, releases;
    uint64_t decisions; /* open ones */
    uint64_t rows;      /* of the log, if there is a key */
} lotor_check_counts;

/* `vault`: NULL: what is sealed is not opened. `heads`: NULL: there is no head file. LOTOR_OK, or the finding says
 * what is wrong. */
lotor_status lotor_check(lotor_store *store, lotor_vault *vault, lotor_heads *heads,
                         lotor_check_counts *out, lotor_message *finding);

#endif
