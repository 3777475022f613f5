/* fixture.h - the stores of version 0.1 in fixtures/, put where a test wants them. */
#ifndef LOTOR_TESTS_FIXTURE_H
#define LOTOR_TESTS_FIXTURE_H

/* An old store, its key and its head file. `name`: clean or killed. `path`: a file, or the database's address. */
void fixture_put(const char *name, const char *path, const char *key, const char *head);
/* One file of the folder, for this kind of store: "clean.events" is "pg_clean.events" for a database. */
unsigned char *fixture_read(const char *name, const char *type, size_t *length);

/* SQL beside the store, by somebody else. "@" before the name of a table is its prefix in PostgreSQL. */
void fixture_edit(const char *path, const char *sql);

#endif
