/* record.c - the writer takes answers: checks each against its decision, keeps the first, and logs them
 * sealed, one group for each campaign and commit. */
#include "service/engine/engine_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/message.h"
#include "service/little.h"

typedef struct answer_taker {
    lotor_engine *engine;
    lotor_job *job;
    lotor_work *work;
    lotor_numbers encoded; /* (used, units...) of each that counts; private */
} answer_taker;

static lotor_status refuse(answer_taker *taking, size_t i, lotor_code code, const char *field,
                           const char *message)
{
    char full[64];
    if (taking->work->is_batch) {
        snprintf(full, sizeof full, "rewards[%zu].%s", i, field);
    } else {
        snprintf(full, sizeof full, "%s", field);
    }
    lotor_refuse(&taking->job->refusal, code, full, "%s", message);
    return LOTOR_OK;
}

/* Its decision is final, or its time is over: acknowledged, and dropped. */
static bool is_late(const answer_taker *taking, const lotor_told *told)
{
    const lotor_campaign *campaign = told->campaign;
    uint64_t final = campaign->turn.is_touched ? campaign->turn.final : campaign->final;
    return taking->work->arrival > told->event.expires || told->event.number <= final;
}

/* The position from 1 of the arm with that id; 0: no click; SIZE_MAX: it was not shown. */
static size_t position_of(const lotor_campaign *campaign, const lotor_kept *kept, const char *id)
{
    for (size_t i = 0; *id && i < kept->count; i++) {
        if (strcmp(campaign->ids[kept->arms[i]], id) == 0) {
            return i + 1;
        }
    }
    return *id ? SIZE_MAX : 0;
}

/* Callers tell a reward for every shown arm, since they can't know which of them the algorithm asks
 * about; the others are not looked at. The numbers were doubles when they came. */
static lotor_status encode_rewards(const lotor_policy *policy, const lotor_kept *kept,
                                   const int64_t *numbers, size_t count, lotor_message *why,
                                   int64_t *units, size_t *used)
{
    if (!numbers || count != kept->count) {
        return lotor_fail(LOTOR_RANGE, why,
                          "expected %zu rewards, one for each arm that was shown, in that order",
                          kept->count);
    }
    double room[16], *asked = room; /* most lists are short */
    if (kept->asked_count > sizeof room / sizeof *room &&
        !(asked = malloc(kept->asked_count * sizeof *asked))) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for an answer");
    }
    for (size_t i = 0; i < kept->asked_count; i++) {
        size_t place = 0;
        while (place + 1 < kept->count && kept->arms[place] != kept->asked[i]) {
            place++;
        }
        memcpy(&asked[i], &numbers[place], sizeof *asked);
    }
    lotor_answer answer = {.rewards = asked, .count = kept->asked_count};
    lotor_status status = lotor_policy_encode(policy, kept, &answer, why, units, used);
    lotor_wipe(asked, kept->asked_count * sizeof *asked);
    if (asked != room) {
        free(asked);
    }
    return status;
}

static lotor_status encode(answer_taker *taking, size_t i, const lotor_kept *kept, int64_t *units,
                           size_t *used, lotor_message *why)
{
    const lotor_told *told = &taking->work->told[i];
    const lotor_policy *policy = told->campaign->policy;
    /* `at` of a click is a place among the texts; then there may be no numbers at all. */
    const int64_t *all = taking->work->numbers.at;
    const int64_t *numbers = told->form == LOTOR_FORM_CLICK || !all ? NULL : all + told->at;
    static const char *const fields[] = {"rewards", "click", "report"};
    lotor_status status;
    if (told->form == LOTOR_FORM_REPORT) {
        status = lotor_policy_encode_report(policy, kept, numbers, told->count, why, units, used);
    } else if (told->form == LOTOR_FORM_CLICK) {
        const char *id = taking->work->texts + told->at * (LOTOR_NAME_MOST + 1);
        lotor_answer answer = {.click = position_of(told->campaign, kept, id)};
        if (answer.click == SIZE_MAX) {
            return refuse(taking, i, LOTOR_CODE_BAD_VALUE, "click",
                          "expected the id of an arm that was shown, or null for no click");
        }
        status = lotor_policy_encode(policy, kept, &answer, why, units, used);
    } else {
        status = encode_rewards(policy, kept, numbers, told->count, why, units, used);
    }
    if (status == LOTOR_RANGE || status == LOTOR_INVALID) {
        return refuse(taking, i, LOTOR_CODE_BAD_VALUE, fields[told->form], why->text);
    }
    return status;
}

/* Checks one; what counts is put into `encoded`, what does not as none. */
static lotor_status check(answer_taker *taking, size_t i, int64_t *units, lotor_message *why)
{
    const lotor_told *told = &taking->work->told[i];
    lotor_campaign *campaign = told->campaign;
    size_t used = 0;
    if (!is_late(taking, told)) {
        const lotor_drawn *drawn = lotor_campaign_block(campaign, told->event.number);
        if (!drawn || drawn->nonce != told->event.nonce) {
            return refuse(taking, i, LOTOR_CODE_NO_SUCH_EVENT, "event",
                          "this event is not known: the store was put back to an older copy");
        }
        if (lotor_campaign_load(taking->engine, campaign, why)) {
            lotor_refuse(&taking->job->refusal, LOTOR_CODE_STORE, "",
                         "the campaign's state can't be read at the moment: try again");
            return LOTOR_OK;
        }
        lotor_kept kept;
        lotor_drawn_kept(drawn, (size_t)(told->event.number - drawn->first), &kept);
        lotor_status status = encode(taking, i, &kept, units, &used, why);
        if (status || taking->job->refusal.code) {
            return status;
        }
    }
    int64_t count = (int64_t)used;
    bool kept = lotor_numbers_add(&taking->encoded, &count, 1) &&
                lotor_numbers_add(&taking->encoded, units, used);
    return kept ? LOTOR_OK : lotor_fail(LOTOR_MEMORY, why, "no memory for an answer");
}

static lotor_status keep(answer_taker *taking, const lotor_told *told, const int64_t *units,
                         size_t used, lotor_message *why)
{
    lotor_campaign *campaign = told->campaign;
    lotor_drawn *drawn = lotor_campaign_block(campaign, told->event.number);
    size_t place = (size_t)(told->event.number - drawn->first);
    if (drawn->used && drawn->used[place]) {
        return LOTOR_OK; /* the first counts */
    }
    lotor_status status = lotor_turn_touch(taking->engine, campaign, why);
    if (status) {
        return status;
    }
    lotor_campaign_turn *turn = &campaign->turn;
    bool is_shared = taking->engine->is_shared; /* then its room is filled from the log */
    int64_t head[2] = {(int64_t)told->event.number, (int64_t)used};
    size_t before = turn->answers.count;
    if (!lotor_numbers_add(&turn->answers, head, 2) ||
        !lotor_numbers_add(&turn->answers, units, used) ||
        (!is_shared && lotor_drawn_answer(drawn, place, units, used, campaign->width, why))) {
        turn->answers.count = before;
        return lotor_fail(LOTOR_MEMORY, why, "no memory for an answer");
    }
    if (before == 0 || told->event.number < turn->answers_first) {
        turn->answers_first = told->event.number;
    }
    if (before == 0 || told->event.number > turn->answers_last) {
        turn->answers_last = told->event.number;
    }
    taking->engine->turn.answers++;
    taking->engine->turn.has_changed = true;
    return LOTOR_OK;
}

static size_t widest(const lotor_work *work)
{
    size_t width = 1;
    for (size_t i = 0; i < work->count; i++) {
        width = work->told[i].campaign->width > width ? work->told[i].campaign->width : width;
    }
    return width;
}

/* All are checked before the first is kept: a batch is taken whole or not at all. */
lotor_status lotor_record(lotor_engine *engine, lotor_job *job, lotor_message *why)
{
    answer_taker taking = {engine, job, job->work, {0}};
    size_t width = widest(taking.work);
    int64_t *one = calloc(width, sizeof *one);
    if (!one) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for an answer");
    }
    lotor_status status = LOTOR_OK;
    for (size_t i = 0; !status && !job->refusal.code && i < taking.work->count; i++) {
        status = check(&taking, i, one, why);
    }
    size_t at = 0;
    for (size_t i = 0; !status && !job->refusal.code && at < taking.encoded.count; i++) {
        const int64_t *units = taking.encoded.at + at + 1;
        size_t used = (size_t)units[-1];
        if (used) {
            status = keep(&taking, &taking.work->told[i], units, used, why);
        }
        at += 1 + used;
    }
    lotor_wipe_free(one, width * sizeof *one);
    lotor_wipe_free(taking.encoded.at, taking.encoded.count * sizeof *taking.encoded.at);
    return status;
}

/* --- the log ------------------------------------------------------------------------------------ */

lotor_status lotor_record_write(lotor_engine *engine, lotor_campaign *campaign, lotor_message *why)
{
    const lotor_numbers *answers = &campaign->turn.answers;
    uint64_t *number = engine->is_shared ? &campaign->turn.mark.answers : &campaign->answers_number;
    size_t length = 8 * answers->count;
    unsigned char *plain = malloc(length), *sealed = malloc(length + LOTOR_SEAL_EXTRA);
    lotor_status status = LOTOR_OK;
    if (plain && sealed) {
        for (size_t i = 0; i < answers->count; i++) {
            lotor_put_u64(plain + 8 * i, (uint64_t)answers->at[i]);
        }
        lotor_answers row = {.number = ++*number,
                             .first = campaign->turn.answers_first,
                             .last = campaign->turn.answers_last,
                             .sealed = sealed,
                             .length = length + LOTOR_SEAL_EXTRA};
        lotor_vault_seal(engine->vault, LOTOR_SEAL_ANSWERS, campaign->id, row.number, plain, length,
                         sealed);
        status = lotor_store_add_answers(engine->store, campaign->id, &row, why);
        campaign->turn.has_logged = true;
    } else {
        status = lotor_fail(LOTOR_MEMORY, why, "no memory to keep answers");
    }
    lotor_wipe_free(plain, plain ? length : 0);
    free(sealed);
    return status;
}

typedef struct rereading {
    lotor_engine *engine;
    lotor_campaign *campaign;
    lotor_message *why;
} rereading;

/* One group's numbers, back to where they were. */
static lotor_status take_back(rereading *reading, const int64_t *numbers, size_t count)
{
    lotor_campaign *campaign = reading->campaign;
    for (size_t i = 0; i < count;) {
        size_t left = count - i;
        uint64_t number = (uint64_t)numbers[i];
        if (left < 2 || numbers[i + 1] < 1 || (uint64_t)numbers[i + 1] > left - 2 ||
            (uint64_t)numbers[i + 1] > campaign->width) {
            return lotor_fail(LOTOR_DAMAGED, reading->why,
                              "the answers of campaign %s are not what was written",
                              campaign->name);
        }
        size_t used = (size_t)numbers[i + 1];
        lotor_drawn *drawn =
            number > campaign->final ? lotor_campaign_block(campaign, number) : NULL;
        size_t place = drawn ? (size_t)(number - drawn->first) : 0;
        if (drawn && !(drawn->used && drawn->used[place])) {
            lotor_status status = lotor_drawn_answer(drawn, place, numbers + i + 2, used,
                                                     campaign->width, reading->why);
            if (status) {
                return status;
            }
        }
        i += 2 + used;
    }
    return LOTOR_OK;
}

static lotor_status reread(void *context, const lotor_answers *row)
{
    rereading *reading = context;
    lotor_campaign *campaign = reading->campaign;
    if (row->length < LOTOR_SEAL_EXTRA || (row->length - LOTOR_SEAL_EXTRA) % 8) {
        return lotor_fail(LOTOR_DAMAGED, reading->why,
                          "the answers of campaign %s are not what was written", campaign->name);
    }
    size_t length = row->length - LOTOR_SEAL_EXTRA, count = length / 8;
    unsigned char *plain = malloc(length ? length : 1);
    int64_t *numbers = malloc((count ? count : 1) * sizeof *numbers);
    lotor_status status = LOTOR_MEMORY;
    if (plain && numbers) {
        status = lotor_vault_open_sealed(reading->engine->vault, LOTOR_SEAL_ANSWERS, campaign->id,
                                         row->number, row->sealed, row->length, plain);
    }
    if (status) {
        lotor_explain(reading->why, "the answers of campaign %s can't be opened: %s",
                      campaign->name, lotor_status_name(status));
    } else {
        for (size_t i = 0; i < count; i++) {
            numbers[i] = (int64_t)lotor_get_u64(plain + 8 * i);
        }
        status = take_back(reading, numbers, count);
    }
    lotor_wipe_free(plain, plain ? length : 0);
    lotor_wipe_free(numbers, numbers ? length : 0);
    if (row->number > campaign->answers_number) {
        campaign->answers_number = row->number;
    }
    return status;
}

lotor_status lotor_record_read(lotor_engine *engine, lotor_campaign *campaign, lotor_message *why)
{
    rereading reading = {engine, campaign, why};
    return lotor_store_each_answers_from(engine->store, campaign->id, campaign->answers_number + 1,
                                         reread, &reading, why);
}
