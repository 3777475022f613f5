/* fixture.h - gives tests the stores of version 0.1 in fixtures/. */
#ifndef LOTOR_TESTS_FIXTURE_H
#define LOTOR_TESTS_FIXTURE_H

/* Copies a legacy store, its key and its head file. `name`: clean or killed. `path`: a file, or the
 * address of the database. */
void fixture_put(const char *name, const char *path, const char *key, const char *head);
/* Reads one file of the folder, for this kind of store: "clean.events" is "pg_clean.events" for
 * a database. */
unsigned char *fixture_read(const char *name, const char *type, size_t *length);

/* Runs SQL on the store, as another program would. "@" before a table's name is its prefix in
 * PostgreSQL. */
void fixture_edit(const char *path, const char *sql);

#endif
