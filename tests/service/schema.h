/* schema.h - JSON values against the schemas of an OpenAPI file: enough of it for ours. */
#ifndef LOTOR_TESTS_SCHEMA_H
#define LOTOR_TESTS_SCHEMA_H

#include <stdbool.h>

#include <jansson.h>

/* Whether a value is what the schema says: no property more, no required one less, all the way down.
 * False: `problem` says where. Properties that came are marked in the schema ("x-seen"). */
bool schema_fits(json_t *document, json_t *schema, const json_t *value, char problem[512]);

/* Follows a $ref. Ends the test where it leads nowhere. */
json_t *schema_resolve(json_t *document, json_t *schema);

/* The first property below the schema that was never seen, or NULL. */
const char *schema_unseen(json_t *document, json_t *schema);

#endif
