/* statement.h - the privacy statement of a campaign, which a reviewer can read, print and sign.
 *
 *      description of the campaign ──▶ lotor_statement_new ──▶ statement (JSON)
 *      statement ──▶ lotor_statement_html, lotor_statement_text, lotor_statement_registry
 *
 * The statement is data: a few fields for programs, and sections of paragraphs, lists, rows and tables. The
 * page and the text are written from the sections alone, so the three forms can't differ.
 * docs/statement.schema.json describes the JSON, and docs/statement.md says who it is for.
 *
 * Everything in a statement is public for readers of the campaign: it is derived from the reply of
 * GET /v1/campaigns/NAME, which never tells how much feedback there was.
 */
#ifndef LOTOR_SERVICE_STATEMENT_H
#define LOTOR_SERVICE_STATEMENT_H

#include <jansson.h>

#include "base/text.h"

/* The version of the JSON: `format` in it. */
#define LOTOR_STATEMENT_FORMAT "lotor-statement/1"

/* The hash of the page's style, for content security policies. */
#define LOTOR_STATEMENT_STYLE_HASH "'sha256-kJJt84IlGvh1A2mWu4MAWg+gIoCiTfv5InBNqC6qszc='"

/* The content security policy of the page: it has a style of its own and loads nothing. */
extern const char lotor_statement_policy[];

/* The facts that a statement is made from. */
typedef struct lotor_statement_source {
    const json_t *campaign; /* the reply of GET /v1/campaigns/NAME */
    double time;            /* Unix seconds */
    const char *commit;     /* of the program's source code; NULL: not known */
} lotor_statement_source;

/* Makes the statement; a new reference. NULL: no memory. It shares values with source->campaign, which must
 * belong to the caller alone, because reference counts are not thread-safe. */
json_t *lotor_statement_new(const lotor_statement_source *source);

/* Write a statement as one HTML page that needs no other file, and as text of at most 78 columns. The
 * statement may come from anywhere: what is not there, or is of another type, is left out. */
void lotor_statement_html(const json_t *statement, lotor_text *out);
void lotor_statement_text(const json_t *statement, lotor_text *out);

/* The fields of the OpenDP deployments registry, as far as a campaign knows them; a new reference. NULL: no
 * memory, or not a statement. */
json_t *lotor_statement_registry(const json_t *statement);

/* Writes the fingerprint of a statement: 32 hex digits of the BLAKE2b of its JSON (compact, keys sorted), without
 * the time, the fingerprint itself, and the sections with the learned numbers and with the signature. False: no
 * memory. */
enum { LOTOR_STATEMENT_FINGERPRINT = 33 };
bool lotor_statement_fingerprint(const json_t *statement, char text[LOTOR_STATEMENT_FINGERPRINT]);

/* Checks that a JSON value is a statement of this version. */
bool lotor_statement_is_valid(const json_t *statement);

#endif
