/* check.h - a whole store looked through: tables, chain, head file and, with the key, what is sealed.
 *
 * store.h's check needs no key; this one goes on where that ends. It reads and never writes.
 */
#ifndef LOTOR_SERVICE_CHECK_H
#define LOTOR_SERVICE_CHECK_H

#include "service/store/store.h"
#include "service/vault/vault.h"

typedef struct lotor_check_counts {
    uint64_t campaigns, releases;
    uint64_t decisions; /* open ones */
    uint64_t answers;   /* groups */
    bool has_head;      /* there was a head file to compare with */
} lotor_check_counts;

/* `vault`: NULL: what is sealed is not opened. `head_path`: NULL, or where the head file may be; with a
 * vault it must be there once there was a release. LOTOR_OK, or the finding says what is wrong. */
lotor_status lotor_check(lotor_store *store, const lotor_vault *vault, const char *head_path,
                         lotor_check_counts *out, lotor_message *finding);

#endif
