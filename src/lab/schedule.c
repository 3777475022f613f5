/* schedule.c - see schedule.h. */
#include "lab/schedule.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <lotor/simulate.h>

#include "base/message.h"
#include "base/quote.h"
#include "base/records.h"

typedef struct entry {
    uint64_t round;
    uint64_t arm;
    bool comes;
} entry;

/* Reads a round, such as 20000 or 2e4. */
static bool read_round(lotor_slice text, uint64_t *out)
{
    double number;
    if (!lotor_slice_number(text, &number) || !(number >= 1.0) ||
        number > (double)LOTOR_SIMULATE_ROUNDS_MAX) {
        return false;
    }
    *out = (uint64_t)number;
    return (double)*out == number;
}

/* Reads "1000:+5". */
static bool read_entry(lotor_slice text, entry *out)
{
    lotor_slice round;
    if (!lotor_slice_cut(&text, ":", &round) || text.length == 0) {
        return false;
    }
    out->comes = text.text[0] == '+';
    return (out->comes || text.text[0] == '-') && read_round(round, &out->round) &&
           lotor_slice_whole((lotor_slice){text.text + 1, text.length - 1}, UINT32_MAX, &out->arm);
}

/* Reads all entries; returns their number, 0 if the text is not a schedule. */
static size_t read_entries(const char *text, entry *entries)
{
    lotor_slice rest = {text, strlen(text)};
    size_t count = 0;
    for (bool is_last = false; !is_last;) {
        lotor_slice item;
        is_last = !lotor_slice_cut(&rest, ",", &item);
        if (count == LOTOR_SCHEDULE_MAX || !read_entry(is_last ? rest : item, &entries[count])) {
            return 0;
        }
        if (count > 0 && entries[count].round < entries[count - 1].round) {
            return 0;
        }
        count++;
    }
    return count;
}

/* Makes the periods. Returns the entry that makes no sense, or NULL. */
static const entry *fill(const entry *entries, size_t count, lotor_arm_schedule *out)
{
    const size_t arms = out->arms;
    memset(out->there, true, arms);
    for (size_t i = count; i > 0; i--) { /* the first entry of an arm decides about the start */
        if (entries[i - 1].arm >= arms) {
            return &entries[i - 1];
        }
        out->there[entries[i - 1].arm] = !entries[i - 1].comes;
    }
    out->periods = 1;
    for (size_t i = 0; i < count; i++) {
        const uint64_t first = entries[i].round - 1;
        bool *there = out->there + (out->periods - 1) * arms;
        if (first > out->first[out->periods - 1]) {
            out->first[out->periods++] = first;
            memcpy(there + arms, there, arms * sizeof *there);
            there += arms;
        }
        if (there[entries[i].arm] == entries[i].comes) {
            return &entries[i];
        }
        there[entries[i].arm] = entries[i].comes;
    }
    assert(out->periods <= count + 1);
    return NULL;
}

static lotor_status refuse_entry(const char *text, const entry *wrong, size_t arms,
                                 lotor_message *why)
{
    const unsigned long long arm = wrong->arm;
    if (wrong->arm >= arms) {
        return lotor_fail(LOTOR_INVALID, why,
                          "schedule %s: there is no arm %llu; the arms are 0 to %zu",
                          lotor_quote_text(text).text, arm, arms - 1);
    }
    return lotor_fail(LOTOR_INVALID, why, "schedule %s: in round %llu arm %llu is %s already",
                      lotor_quote_text(text).text, (unsigned long long)wrong->round, arm,
                      wrong->comes ? "there" : "gone");
}

lotor_status lotor_arm_schedule_read(const char *text, size_t arms, lotor_message *why,
                                     lotor_arm_schedule *out)
{
    *out = (lotor_arm_schedule){.arms = arms};
    if (!text) {
        return LOTOR_OK;
    }
    entry *entries = calloc(LOTOR_SCHEDULE_MAX, sizeof *entries);
    const size_t count = entries ? read_entries(text, entries) : 0;
    lotor_status status = LOTOR_OK;
    if (!entries) {
        status = lotor_fail(LOTOR_MEMORY, why, "no memory for the schedule");
    } else if (count == 0) {
        status =
            lotor_fail(LOTOR_INVALID, why,
                       "schedule %s: expected ROUND:+ARM and ROUND:-ARM such as 1e3:+5,2e4:-2, "
                       "with commas between, rounds from 1 in order, and at most %d entries",
                       lotor_quote_text(text).text, (int)LOTOR_SCHEDULE_MAX);
    } else if (arms > LOTOR_SCHEDULE_CELLS_MAX / (count + 1)) {
        status =
            lotor_fail(LOTOR_INVALID, why, "schedule %s: %zu entries are too many for %zu arms",
                       lotor_quote_text(text).text, count, arms);
    } else {
        out->first = calloc(count + 1, sizeof *out->first);
        out->there = calloc((count + 1) * arms, sizeof *out->there);
        const bool failed = !out->first || !out->there;
        const entry *wrong = failed ? NULL : fill(entries, count, out);
        if (failed) {
            status = lotor_fail(LOTOR_MEMORY, why, "no memory for the schedule");
        } else if (wrong) {
            status = refuse_entry(text, wrong, arms, why);
        }
    }
    free(entries);
    return status;
}

void lotor_arm_schedule_clear(lotor_arm_schedule *schedule)
{
    free(schedule->first);
    free(schedule->there);
    *schedule = (lotor_arm_schedule){0};
}

lotor_status lotor_arm_schedule_check(const lotor_arm_schedule *schedule, size_t least,
                                      uint64_t horizon, lotor_message *why)
{
    for (size_t i = 0; i < schedule->periods && schedule->first[i] < horizon; i++) {
        size_t count = 0;
        for (size_t arm = 0; arm < schedule->arms; arm++) {
            count += schedule->there[i * schedule->arms + arm];
        }
        if (count < least) {
            return lotor_fail(
                LOTOR_INVALID, why,
                "schedule: in round %llu there are too few arms (%zu of at least %zu): "
                "add more arms before you remove others",
                (unsigned long long)schedule->first[i] + 1, count, least);
        }
    }
    return LOTOR_OK;
}
