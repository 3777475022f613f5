/* schema.h - compares JSON values with the schemas of an OpenAPI file, or with a JSON Schema, as far as ours need it. */
#ifndef LOTOR_TESTS_SCHEMA_H
#define LOTOR_TESTS_SCHEMA_H

#include <stdbool.h>

#include <jansson.h>

/* True if a value fits the schema: no unknown property and no missing one, at any depth. False:
 * `problem` says where. Marks the properties that it has seen in the schema ("x-seen"). */
bool schema_fits(json_t *document, json_t *schema, const json_t *value, char problem[512]);

/* Follows a $ref. Fails the test if it leads nowhere. */
json_t *schema_resolve(json_t *document, json_t *schema);

/* The first property of the schema that was never seen, or NULL. */
const char *schema_unseen(json_t *document, json_t *schema);

#endif
