/* schema.c - compares JSON with OpenAPI schemas. See schema.h. */
#include "service/schema.h"

#include <regex.h>
#include <stdio.h>
#include <string.h>

#include "support/cmocka_all.h"

typedef struct checker {
    json_t *document;
    char *problem;
    char where[256];
} checker;

json_t *schema_resolve(json_t *document, json_t *schema)
{
    static const char start[] = "#/components/schemas/", own[] = "#/$defs/";
    const char *const reference = json_string_value(json_object_get(schema, "$ref"));
    if (!reference) {
        return schema;
    }
    json_t *const schemas = json_object_get(json_object_get(document, "components"), "schemas");
    json_t *found = NULL;
    if (strncmp(reference, start, sizeof start - 1) == 0) {
        found = json_object_get(schemas, reference + sizeof start - 1);
    } else if (strncmp(reference, own, sizeof own - 1) == 0) {
        found = json_object_get(json_object_get(document, "$defs"), reference + sizeof own - 1);
    }
    if (!found) {
        fail_msg("there is no schema %s", reference);
    }
    return found;
}

static bool wrong(const checker *self, const char *what, const char *more)
{
    snprintf(self->problem, 512, "%s: %s %s", self->where[0] ? self->where : "(top)", what, more);
    return false;
}

static bool fits(checker *self, json_t *schema, const json_t *value);

/* Checks a part of the value, and adds its name to the current path. */
static bool fits_below(checker *self, const char *name, json_t *schema, const json_t *value)
{
    const size_t length = strlen(self->where);
    snprintf(self->where + length, sizeof self->where - length, ".%s", name);
    const bool result = fits(self, schema, value);
    self->where[length] = '\0';
    return result;
}

static bool fits_object(checker *self, json_t *schema, const json_t *value)
{
    json_t *const properties = json_object_get(schema, "properties");
    json_t *const others = json_object_get(schema, "additionalProperties");
    const char *name;
    json_t *field, *required;
    size_t i;
    json_array_foreach(json_object_get(schema, "required"), i, required)
    {
        if (!json_object_get(value, json_string_value(required))) {
            return wrong(self, "lacks", json_string_value(required));
        }
    }
    json_object_foreach((json_t *)value, name, field)
    {
        json_t *property = json_object_get(properties, name);
        property = property ? property : json_is_object(others) ? others : NULL;
        if (!property && json_is_true(others)) {
            continue; /* any other property is documented as allowed */
        }
        if (!property) {
            return wrong(self, "is not documented to have", name);
        }
        json_object_set_new(property, "x-seen", json_true());
        if (!fits_below(self, name, property, field)) {
            return false;
        }
    }
    return true;
}

static bool fits_array(checker *self, json_t *schema, const json_t *value)
{
    const size_t count = json_array_size(value);
    const json_t *const least = json_object_get(schema, "minItems");
    const json_t *const most = json_object_get(schema, "maxItems");
    if ((least && count < (size_t)json_integer_value(least)) ||
        (most && count > (size_t)json_integer_value(most))) {
        return wrong(self, "has too few or too many items", "");
    }
    for (size_t i = 0; i < count; i++) {
        if (!fits_below(self, "[]", json_object_get(schema, "items"), json_array_get(value, i))) {
            return false;
        }
    }
    return true;
}

static bool fits_string(checker *self, const json_t *schema, const json_t *value)
{
    const char *const pattern = json_string_value(json_object_get(schema, "pattern"));
    json_t *const choices = json_object_get(schema, "enum");
    bool is_one = !choices;
    json_t *choice;
    size_t i;
    json_array_foreach(choices, i, choice)
    {
        is_one = is_one || json_equal(choice, (json_t *)value);
    }
    if (!is_one) {
        return wrong(self, "is none of the values:", json_string_value(value));
    }
    regex_t expression;
    if (pattern) {
        assert_int_equal(regcomp(&expression, pattern, REG_EXTENDED | REG_NOSUB), 0);
        const bool matches = regexec(&expression, json_string_value(value), 0, NULL, 0) == 0;
        regfree(&expression);
        return matches || wrong(self, "does not match", pattern);
    }
    return true;
}

static bool fits_number(checker *self, const json_t *schema, const json_t *value)
{
    const json_t *const least = json_object_get(schema, "minimum");
    const json_t *const most = json_object_get(schema, "maximum");
    const double number = json_number_value(value);
    return (!least || number >= json_number_value(least)) &&
                   (!most || number <= json_number_value(most))
               ? true
               : wrong(self, "is too small or too large", "");
}

static bool fits_one_of(checker *self, json_t *choices, const json_t *value)
{
    size_t i, count = 0;
    json_t *choice;
    json_array_foreach(choices, i, choice)
    {
        count += fits(self, choice, value);
    }
    return count == 1 || wrong(self, "fits not exactly one of the choices", "");
}

static bool fits(checker *self, json_t *schema, const json_t *value)
{
    schema = schema_resolve(self->document, schema);
    /* JSON Schema writes "nullable" as a list of two types. */
    const json_t *const types = json_object_get(schema, "type");
    const char *const second = json_string_value(json_array_get(types, 1));
    const bool may_be_null = json_is_true(json_object_get(schema, "nullable")) ||
                             (second && strcmp(second, "null") == 0);
    if (json_object_get(schema, "oneOf") && !(json_is_null(value) && may_be_null)) {
        return fits_one_of(self, json_object_get(schema, "oneOf"), value);
    }
    const char *const type = json_string_value(second ? json_array_get(types, 0) : types);
    if (json_is_null(value)) {
        return may_be_null || (type && strcmp(type, "null") == 0) ||
               wrong(self, "is null", "but not nullable");
    }
    const char *const found = json_is_object(value)    ? "object"
                              : json_is_array(value)   ? "array"
                              : json_is_string(value)  ? "string"
                              : json_is_boolean(value) ? "boolean"
                                                       : "number";
    const bool is_whole = json_is_integer(value) && type && strcmp(type, "integer") == 0;
    if (!type || (strcmp(type, found) != 0 && !is_whole)) {
        return wrong(self, "has the type", found);
    }
    return json_is_object(value)   ? fits_object(self, schema, value)
           : json_is_array(value)  ? fits_array(self, schema, value)
           : json_is_string(value) ? fits_string(self, schema, value)
           : json_is_number(value) ? fits_number(self, schema, value)
                                   : true;
}

bool schema_fits(json_t *document, json_t *schema, const json_t *value, char problem[512])
{
    checker self = {.document = document, .problem = problem};
    problem[0] = '\0';
    return fits(&self, schema, value);
}

const char *schema_unseen(json_t *document, json_t *schema)
{
    schema = schema_resolve(document, schema);
    const char *name;
    json_t *property;
    json_object_foreach(json_object_get(schema, "properties"), name, property)
    {
        const char *const below =
            json_object_get(property, "x-seen") ? schema_unseen(document, property) : name;
        if (below) {
            return below;
        }
    }
    json_t *const items = json_object_get(schema, "items");
    return items ? schema_unseen(document, items) : NULL;
}
