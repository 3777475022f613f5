/* log.c - see log.h. */
#include "world/log.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/digits.h"
#include "base/message.h"
#include "base/records.h"

enum { FIELDS = 3, LEAST_ROOM = 1024 };

static const char *const names[FIELDS] = {"arm", "reward", "propensity"};

static const char expected[] =
    "expected arm,reward or arm,reward,propensity, the same in all lines: the arm's number from 0, "
    "a reward in [0,1], and a probability above 0, such as 3,0.5 or 3,0.5,0.25";

/* Splits a line at its commas. Returns the number of fields; 0 if there are too many. */
static size_t split(lotor_slice line, lotor_slice fields[FIELDS])
{
    lotor_slice rest = line;
    size_t count = 0;
    while (count < FIELDS && lotor_slice_cut(&rest, ",", &fields[count])) {
        fields[count] = lotor_slice_trim(fields[count]);
        count++;
    }
    if (count == FIELDS) {
        return 0;
    }
    fields[count] = lotor_slice_trim(rest);
    return count + 1;
}

static bool is_header(const lotor_slice *fields, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (fields[i].length != strlen(names[i]) ||
            strncasecmp(fields[i].text, names[i], fields[i].length) != 0) {
            return false;
        }
    }
    return true;
}

static bool grow_arms(uint32_t **arms, size_t room)
{
    uint32_t *larger = realloc(*arms, room * sizeof *larger);
    if (!larger) {
        return false;
    }
    *arms = larger;
    return true;
}

static bool grow_numbers(double **numbers, size_t room)
{
    double *larger = realloc(*numbers, room * sizeof *larger);
    if (!larger) {
        return false;
    }
    *numbers = larger;
    return true;
}

static lotor_status make_room(lotor_log_file *file, bool has_propensities, lotor_message *why)
{
    if (file->log.count < file->room) {
        return LOTOR_OK;
    }
    const size_t room = file->room ? 2 * file->room : LEAST_ROOM;
    if (!grow_arms(&file->arms, room) || !grow_numbers(&file->rewards, room) ||
        (has_propensities && !grow_numbers(&file->propensities, room))) {
        return lotor_world_out_of_memory(why);
    }
    file->room = room;
    return LOTOR_OK;
}

static lotor_status note(lotor_log_file *file, const lotor_records *records,
                         const lotor_slice *fields, size_t count, lotor_message *why)
{
    uint64_t arm;
    double reward, propensity = 1.0;
    if (!lotor_slice_whole(fields[0], LOTOR_WORLD_ARMS_MAX - 1, &arm) ||
        !lotor_slice_share(fields[1], &reward) ||
        (count == FIELDS && !(lotor_slice_share(fields[2], &propensity) && propensity > 0.0))) {
        return lotor_records_refuse(records, why, expected);
    }
    const lotor_status status = make_room(file, count == FIELDS, why);
    if (status != LOTOR_OK) {
        return status;
    }
    const size_t at = file->log.count++;
    file->arms[at] = (uint32_t)arm;
    file->rewards[at] = reward;
    if (count == FIELDS) {
        file->propensities[at] = propensity;
    }
    return LOTOR_OK;
}

lotor_status lotor_log_parse(const char *name, const char *bytes, size_t length, lotor_message *why,
                             lotor_log_file *out)
{
    *out = (lotor_log_file){.log = {.name = name}};
    lotor_records records = lotor_records_of(name, bytes, length);
    size_t width = 0; /* fields of a line; 0: not known yet */
    while (lotor_records_next(&records)) {
        lotor_slice line = records.line, comment = records.line, fields[FIELDS];
        if (lotor_slice_cut(&comment, "#", &line) && lotor_slice_trim(line).length == 0) {
            continue;
        }
        const size_t count = split(line, fields);
        if (count < 2 || (width != 0 && count != width)) {
            return lotor_records_refuse(&records, why, expected);
        }
        const bool is_first = width == 0;
        width = count;
        if (is_first && is_header(fields, count)) {
            continue;
        }
        const lotor_status status = note(out, &records, fields, count, why);
        if (status != LOTOR_OK) {
            return status;
        }
    }
    if (out->log.count == 0) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%s holds no rewards; expected lines arm,reward such as 3,0.5",
                          lotor_excerpt(name, strlen(name)).text);
    }
    out->log.arms = out->arms;
    out->log.rewards = out->rewards;
    out->log.propensities = out->propensities;
    return LOTOR_OK;
}

lotor_status lotor_log_load(const char *file, lotor_message *why, lotor_log_file *out)
{
    char *bytes;
    size_t length;
    *out = (lotor_log_file){.log = {.name = file}};
    lotor_status status = lotor_records_load(file, why, &bytes, &length);
    if (status == LOTOR_OK) {
        status = lotor_log_parse(file, bytes, length, why, out);
    }
    free(bytes);
    return status;
}

void lotor_log_file_clear(lotor_log_file *file)
{
    free(file->arms);
    free(file->rewards);
    free(file->propensities);
    *file = (lotor_log_file){0};
}

/* The name of a log, for messages. */
static lotor_excerpt_text name_of(const lotor_log *log)
{
    return log->name ? lotor_excerpt(log->name, strlen(log->name))
                     : (lotor_excerpt_text){"the log"};
}

/* Checks the numbers of every event. *last is the largest arm. */
static lotor_status check_events(const lotor_log *log, double low, double high, lotor_message *why,
                                 uint32_t *last)
{
    const lotor_excerpt_text name = name_of(log);
    char digits[LOTOR_DIGITS_ROOM], least[LOTOR_DIGITS_ROOM], most[LOTOR_DIGITS_ROOM];
    *last = 0;
    for (size_t i = 0; i < log->count; i++) {
        *last = log->arms[i] > *last ? log->arms[i] : *last;
        if (!(log->rewards[i] >= low && log->rewards[i] <= high)) {
            return lotor_fail(LOTOR_RANGE, why,
                              "%s: the reward of event %zu (counted from 0) is %s; rewards lie in "
                              "[%s,%s]",
                              name.text, i, lotor_digits(log->rewards[i], digits),
                              lotor_digits(low, least), lotor_digits(high, most));
        }
        if (log->propensities && !(log->propensities[i] > 0.0 && log->propensities[i] <= 1.0)) {
            return lotor_fail(LOTOR_RANGE, why,
                              "%s: the propensity of event %zu (counted from 0) is %s; it is a "
                              "probability above 0",
                              name.text, i, lotor_digits(log->propensities[i], digits));
        }
    }
    return LOTOR_OK;
}

/* Refuses an arm without an event, because nothing is known of it. */
static lotor_status check_gaps(const lotor_log *log, size_t arms, uint32_t last, lotor_message *why)
{
    unsigned char *is_known = calloc(arms, 1);
    if (!is_known) {
        return lotor_world_out_of_memory(why);
    }
    for (size_t i = 0; i < log->count; i++) {
        is_known[log->arms[i]] = 1;
    }
    const unsigned char *gap = memchr(is_known, 0, arms);
    const size_t arm = gap ? (size_t)(gap - is_known) : arms;
    free(is_known);
    if (arm == arms) {
        return LOTOR_OK;
    }
    if (arm > last) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%s has no reward of arm %zu, but there are %zu arms: leave their number "
                          "out",
                          name_of(log).text, arm, arms);
    }
    return lotor_fail(LOTOR_INVALID, why,
                      "%s has no reward of arm %zu, but of arm %u; number the arms from 0 "
                      "without gaps",
                      name_of(log).text, arm, (unsigned)last);
}

lotor_status lotor_log_check(const lotor_log *log, size_t arms, double low, double high,
                             lotor_message *why, size_t *out)
{
    const lotor_excerpt_text name = name_of(log);
    if (log->count == 0 || !log->arms || !log->rewards) {
        return lotor_fail(LOTOR_INVALID, why, "%s holds no events: give arms and rewards",
                          name.text);
    }
    uint32_t last;
    const lotor_status status = check_events(log, low, high, why, &last);
    if (status != LOTOR_OK) {
        return status;
    }
    if (arms != 0 && last >= arms) {
        return lotor_fail(LOTOR_INVALID, why, "%s names arm %u, but there are %zu arms, from 0",
                          name.text, (unsigned)last, arms);
    }
    *out = arms != 0 ? arms : (size_t)last + 1;
    if (*out > log->count) { /* refused before memory for so many arms is allocated */
        return lotor_fail(LOTOR_INVALID, why,
                          "%s names arm %zu, but has only %zu rewards; number the arms from 0 "
                          "without gaps",
                          name.text, *out - 1, log->count);
    }
    return check_gaps(log, *out, last, why);
}
