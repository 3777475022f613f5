/* place.c - chooses where a test's store is. See place.h. */
#include "service/place.h"

#include <stdio.h>
#include <stdlib.h>

bool place_is_database(void)
{
    return getenv("LOTOR_TEST_POSTGRES") != NULL;
}

const char *place_of(scratch *files)
{
    return place_is_database() ? getenv("LOTOR_TEST_POSTGRES") : scratch_path(files, "x.db");
}

#ifdef LOTOR_POSTGRES
#include <libpq-fe.h>

void place_clear(void)
{
    if (!place_is_database()) {
        return;
    }
    PGconn *connection = PQconnectdb(getenv("LOTOR_TEST_POSTGRES"));
    PGresult *result =
        PQexec(connection, "SET client_min_messages = error; "
                           "DROP TABLE IF EXISTS lotor_users, lotor_releases, "
                           "lotor_answers, lotor_blocks, lotor_marks, lotor_states, "
                           "lotor_campaigns, lotor_meta, lotor_servers, "
                           "lotor_campaign_keys, lotor_leases, lotor_log, "
                           "lotor_wants, lotor_spend, lotor_audit, lotor_budgets, lotor_stickies");
    if (PQresultStatus(result) != PGRES_COMMAND_OK) {
        fprintf(stderr, "%s\n", PQerrorMessage(connection));
        abort();
    }
    PQclear(result);
    PQfinish(connection);
}
#else
void place_clear(void)
{
    if (place_is_database()) {
        fputs("built without libpq\n", stderr);
        abort();
    }
}
#endif

int place_needs_database(void **state)
{
    (void)state;
    if (!place_is_database()) {
        fputs("this needs a database: run it by tests/service/shared/postgres.sh with ...\n",
              stderr);
        return 1;
    }
    return 0;
}
