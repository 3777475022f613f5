/* randomize.c - lotor randomize: does what a person's device does in a local campaign. It is for
 * trying out the service with curl. It takes feedback and the ranking's `randomizer`, and prints a
 * report, as the body of a reward.
 */
#ifdef LOTOR_SERVICE

#include <jansson.h>
#include <lotor/randomizer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "base/message.h"
#include "cli/command.h"
#include "cli/numbers.h"

enum { RANDOMIZER, REWARDS, CLICK };

static const lotor_option options[] = {
    [RANDOMIZER] = {.name = "randomizer",
                    .kind = LOTOR_OPTION_TEXT,
                    .required = true,
                    .placeholder = "JSON",
                    .help = "the field `randomizer` of the reply to rank, or the whole reply"},
    [REWARDS] = {.name = "rewards",
                 .kind = LOTOR_OPTION_LIST,
                 .placeholder = "R,...",
                 .help = "the rewards of the asked arms: of the arm in place `slot`, or of all if "
                         "it is 0"},
    [CLICK] = {.name = "click",
               .kind = LOTOR_OPTION_TEXT,
               .placeholder = "PLACE",
               .help = "the position of the first click, from 1, or none"},
};

static lotor_status refuse_field(const char *name, const char *wanted, lotor_message *why)
{
    return lotor_fail(LOTOR_INVALID, why, "the randomizer's %s must be %s", name, wanted);
}

/* Refuses a randomizer without one of its fields. */
static lotor_status refuse_missing(const char *name, lotor_message *why)
{
    return lotor_fail(
        LOTOR_INVALID, why,
        "the randomizer has no field %s: give the randomizer exactly as rank returned it", name);
}

static lotor_status read_whole(const json_t *object, const char *name, lotor_message *why,
                               uint64_t *out)
{
    const json_t *field = json_object_get(object, name);
    if (!field) {
        return refuse_missing(name, why);
    }
    if (!json_is_integer(field) || json_integer_value(field) < 0) {
        return refuse_field(name, "a whole number from 0", why);
    }
    *out = (uint64_t)json_integer_value(field);
    return LOTOR_OK;
}

static lotor_status read_number(const json_t *object, const char *name, lotor_message *why,
                                double *out)
{
    const json_t *field = json_object_get(object, name);
    if (!field) {
        return refuse_missing(name, why);
    }
    if (!json_is_number(field)) {
        return refuse_field(name, "a number", why);
    }
    *out = json_number_value(field);
    return LOTOR_OK;
}

/* Reads epsilon through its shortest decimal, as the server does: 0.1 is one tenth. */
static lotor_status read_epsilon(const json_t *object, lotor_message *why, lotor_ratio *out)
{
    const json_t *field = json_object_get(object, "epsilon");
    char text[LOTOR_DIGITS_ROOM];
    if (!field) {
        return refuse_missing("epsilon", why);
    }
    const char *given = json_string_value(field); /* NULL if it is not a string */
    if (json_is_number(field)) {
        given = lotor_digits(json_number_value(field), text);
    }
    return given ? lotor_ratio_parse(given, why, out)
                 : refuse_field("epsilon", "a number above 0", why);
}

static lotor_status check_fields(json_t *object, lotor_message *why)
{
    static const char *const known[] = {"mechanism", "slot", "epsilon", "scale",
                                        "unit",      "low",  "high",    "slots"};
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value)
    {
        bool found = false;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
            found = found || strcmp(name, known[i]) == 0;
        }
        if (!found) {
            return lotor_fail(LOTOR_INVALID, why,
                              "the randomizer has a field '%.40s', which is not known: give the "
                              "randomizer exactly as rank returned it",
                              name);
        }
    }
    return LOTOR_OK;
}

/* Reads the randomizer. Its mechanism points into the JSON object. */
static lotor_status read_randomizer(json_t *object, lotor_message *why, lotor_randomizer *out)
{
    *out = (lotor_randomizer){.mechanism = json_string_value(json_object_get(object, "mechanism"))};
    uint64_t slot = 0, slots = 0;
    lotor_status status = check_fields(object, why);
    if (status == LOTOR_OK && !json_object_get(object, "mechanism")) {
        status = refuse_missing("mechanism", why);
    } else if (status == LOTOR_OK && !out->mechanism) {
        status =
            refuse_field("mechanism", "bit, sum-bit, click-bit, position, laplace or cube", why);
    }
    status = status == LOTOR_OK ? read_epsilon(object, why, &out->epsilon) : status;
    status = status == LOTOR_OK ? read_whole(object, "slot", why, &slot) : status;
    status = status == LOTOR_OK ? read_whole(object, "slots", why, &slots) : status;
    status = status == LOTOR_OK ? read_whole(object, "scale", why, &out->scale) : status;
    status = status == LOTOR_OK ? read_number(object, "unit", why, &out->unit) : status;
    status = status == LOTOR_OK ? read_number(object, "low", why, &out->low) : status;
    status = status == LOTOR_OK ? read_number(object, "high", why, &out->high) : status;
    if (status == LOTOR_OK && (slots == 0 || slots > LOTOR_RANDOMIZER_SLOTS_MAX || slot > slots)) {
        status = refuse_field("slots", "from 1 to 4096, and not below its slot", why);
    }
    out->slot = (size_t)slot;
    out->slots = (size_t)slots;
    return status;
}

static lotor_status read_feedback(const lotor_arguments *arguments, lotor_message *why,
                                  lotor_feedback *out)
{
    const lotor_option_value *values = arguments->values;
    if (values[REWARDS].given == values[CLICK].given) {
        return lotor_fail(LOTOR_INVALID, why, "give either --rewards or --click");
    }
    *out = (lotor_feedback){values[REWARDS].list.items, values[REWARDS].list.count, 0};
    if (values[REWARDS].given || strcmp(values[CLICK].text, "none") == 0) {
        return LOTOR_OK;
    }
    uint64_t click = 0;
    const char *text = values[CLICK].text;
    if (lotor_parse_whole(text, strlen(text), NULL, &click) != LOTOR_OK || click == 0 ||
        click > LOTOR_RANDOMIZER_SLOTS_MAX) {
        return lotor_fail(LOTOR_INVALID, why,
                          "--click: expected a position in the list, from 1, or none");
    }
    out->click = (size_t)click;
    return LOTOR_OK;
}

/* Prints a single number if the mechanism sends one, else a list. */
static void print_report(const lotor_randomizer *randomizer, const int64_t *report, size_t count)
{
    const bool list =
        strcmp(randomizer->mechanism, "laplace") == 0 || strcmp(randomizer->mechanism, "cube") == 0;
    printf("{\"report\": %s", list ? "[" : "");
    for (size_t i = 0; i < count; i++) {
        printf("%s%lld", i ? ", " : "", (long long)report[i]);
    }
    printf("%s}\n", list ? "]" : "");
}

static lotor_status send(const lotor_randomizer *randomizer, const lotor_feedback *feedback,
                         lotor_message *why)
{
    size_t count = 0;
    int64_t *report = calloc(randomizer->slots, sizeof *report);
    if (!report) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory");
    }
    const lotor_status status = lotor_randomizer_report(randomizer, feedback, why, report, &count);
    if (status == LOTOR_OK) {
        print_report(randomizer, report, count);
    }
    free(report);
    return status;
}

static int run_randomize(const lotor_arguments *arguments)
{
    lotor_message why = {""};
    lotor_feedback feedback;
    lotor_status status = read_feedback(arguments, &why, &feedback);
    json_t *root = NULL;
    if (status == LOTOR_OK) {
        root = json_loads(arguments->values[RANDOMIZER].text, JSON_REJECT_DUPLICATES, NULL);
        json_t *inner = json_object_get(root, "randomizer"); /* if a whole reply was given */
        json_t *object = inner ? inner : root;
        lotor_randomizer randomizer = {0};
        if (!json_is_object(object)) {
            status = lotor_fail(LOTOR_INVALID, &why,
                                "--randomizer: expected a JSON object, as rank returned it");
        } else {
            status = read_randomizer(object, &why, &randomizer);
        }
        status = status == LOTOR_OK ? send(&randomizer, &feedback, &why) : status;
    }
    json_decref(root);
    return status == LOTOR_OK ? LOTOR_EXIT_FINE
                              : lotor_command_refuse(arguments->command, status, why.text);
}

const lotor_command lotor_command_randomize = {
    .name = "randomize",
    .summary = "make a private report from feedback, as a person's device does",
    .usage = "--randomizer JSON (--rewards R,... | --click PLACE|none)",
    .about = "In a campaign of the local model, the reply to rank has a randomizer. The person's "
             "device applies it before it sends anything. This command acts as the device, for "
             "trying out such a campaign by hand. It prints the body of a reward request. The "
             "noise is exact, from a cryptographic source. The command refuses a randomizer whose "
             "noise does not give the epsilon that it states.",
    .examples = "  lotor randomize --click 2 --randomizer '{\"mechanism\": \"position\", \"slot\": "
                "0,\n"
                "      \"epsilon\": 1, \"scale\": 0, \"unit\": 0, \"low\": 0, \"high\": 1, "
                "\"slots\": 3}'\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run_randomize,
};

#endif
