/* releases_csv.c - see releases_csv.h. */
#include "service/http/releases_csv.h"

#include <string.h>

#include "base/digits.h"

static void add_whole(lotor_text *text, const json_t *object, const char *name)
{
    lotor_text_print(text, "%" JSON_INTEGER_FORMAT,
                     json_integer_value(json_object_get(object, name)));
}

/* Adds a comma and a number; only the comma if there is no number. */
static void add_number(lotor_text *text, const json_t *number)
{
    char digits[LOTOR_DIGITS_ROOM];
    lotor_text_add(text, ",");
    if (json_is_number(number)) {
        lotor_text_add(text, lotor_digits(json_number_value(number), digits));
    }
}

static const char *text_in(const json_t *object, const char *name)
{
    const char *const text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

static const json_t *estimate_of(const json_t *release, const char *arm)
{
    size_t i;
    const json_t *estimate;
    json_array_foreach(json_object_get(release, "arms"), i, estimate)
    {
        if (strcmp(text_in(estimate, "id"), arm) == 0) {
            return estimate;
        }
    }
    return NULL;
}

static void add_fact(lotor_text *text, const json_t *release, const json_t *fact)
{
    const char *const arm = text_in(fact, "arm");
    const json_t *const estimate = estimate_of(release, arm);
    const json_t *const interval = json_object_get(estimate, "interval");
    add_whole(text, release, "number");
    lotor_text_add(text, ",");
    add_whole(text, release, "round");
    lotor_text_print(text, ",%s,%s,", arm, text_in(fact, "value_of"));
    add_whole(text, fact, "statistic");
    add_number(text, json_object_get(fact, "value"));
    lotor_text_add(text, ",");
    add_whole(text, fact, "count");
    add_number(text, json_object_get(estimate, "mean"));
    add_number(text, json_object_get(interval, "low"));
    add_number(text, json_object_get(interval, "high"));
    lotor_text_add(text, ",");
    if (json_is_integer(json_object_get(release, "time"))) {
        add_whole(text, release, "time");
    }
    lotor_text_add(text, "\n");
}

void lotor_releases_csv(const json_t *reply, lotor_text *text)
{
    size_t i, j;
    const json_t *release, *fact;
    lotor_text_add(text, LOTOR_RELEASES_CSV_HEADER);
    json_array_foreach(json_object_get(reply, "releases"), i, release)
    {
        json_array_foreach(json_object_get(release, "facts"), j, fact)
        {
            add_fact(text, release, fact);
        }
    }
}
