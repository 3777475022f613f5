/* fixture.c - reads the stores in fixtures/. See fixture.h. */
#include "support/cmocka_all.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#ifdef LOTOR_POSTGRES
#include <libpq-fe.h>
#endif

#include "service/fixture.h"
#include "service/place.h"
#include "service/scratch.h"

unsigned char *fixture_read(const char *name, const char *type, size_t *length)
{
    char path[700];
    snprintf(path, sizeof path, FIXTURES "/%s%s%s", place_is_database() ? "pg_" : "", name, type);
    return scratch_read(path, length);
}

static void copy(const char *name, const char *type, const char *to)
{
    size_t length;
    unsigned char *const bytes = fixture_read(name, type, &length);
    scratch_write(to, bytes, length);
    assert_int_equal(chmod(to, 0600), 0);
    free(bytes);
}

static void run(const char *path, const char *sql)
{
    if (place_is_database()) {
#ifdef LOTOR_POSTGRES
        PGconn *const connection = PQconnectdb(path);
        PGresult *const result = PQexec(connection, sql);
        if (PQresultStatus(result) != PGRES_COMMAND_OK &&
            PQresultStatus(result) != PGRES_TUPLES_OK) {
            fail_msg("%s", PQerrorMessage(connection));
        }
        PQclear(result);
        PQfinish(connection);
#endif
        return;
    }
    sqlite3 *db;
    char *words = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &words) != SQLITE_OK) {
        fail_msg("%s: %s", sql, words);
    }
    sqlite3_close(db);
}

void fixture_edit(const char *path, const char *sql)
{
    const char *const prefix = place_is_database() ? "lotor_" : "";
    char text[1400];
    size_t length = 0;
    for (const char *at = sql; *at; at++) {
        length += (size_t)snprintf(text + length, sizeof text - length, "%s",
                                   *at == '@' ? prefix : (char[]){*at, '\0'});
        assert_true(length < sizeof text);
    }
    run(path, text);
}

void fixture_put(const char *name, const char *path, const char *key, const char *head)
{
    const bool is_database = place_is_database();
    copy(name, is_database ? ".key" : ".db.key", key);
    copy(name, is_database ? ".key.head" : ".db.key.head", head);
    if (is_database) {
        size_t length;
        unsigned char *const sql = fixture_read(name, ".sql", &length);
        place_clear();
        run(path, (const char *)sql);
        free(sql);
    } else {
        char other[620];
        snprintf(other, sizeof other, "%s-wal", path);
        remove(other);
        snprintf(other, sizeof other, "%s-shm", path);
        remove(other);
        copy(name, ".db", path);
    }
}
