/* check.h - checks a whole store: tables, chains, the head file and, with the key, everything
 * sealed.
 *
 * lotor_store_check checks what is possible without the key; this check continues from there. It
 * never writes.
 */
#ifndef LOTOR_SERVICE_ENGINE_CHECK_H
#define LOTOR_SERVICE_ENGINE_CHECK_H

#include "service/server_key/server_key.h"
#include "service/store/heads.h"
#include "service/store/store.h"

typedef struct lotor_engine_check_counts {
    uint64_t campaigns, releases;
    uint64_t decisions; /* open decisions */
    uint64_t rows;      /* rows of the log; 0 without a key */
} lotor_engine_check_counts;

/* `server_key` NULL: sealed data is not opened. `heads` NULL: there is no head file. Returns
 * LOTOR_OK, or the finding says what is wrong. */
lotor_status lotor_engine_check(lotor_store *store, lotor_server_key *server_key,
                                lotor_heads *heads, lotor_engine_check_counts *out,
                                lotor_message *finding);

#endif
