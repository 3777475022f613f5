/* delay.c - see delay.h. */
#include "lab/delay.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/quote.h"
#include "base/random/laws.h"
#include "base/records.h"

/* Delays beyond the longest simulation are all alike. */
static const uint64_t longest = UINT64_C(1) << 53;

/* --- the text ----------------------------------------------------------------------------------- */

/* Reads "10000" or "1e4" up to one of the bytes in `ends`, and moves *at there. */
static bool read_whole(const char **at, const char *ends, uint64_t *out)
{
    const lotor_slice number = {*at, strcspn(*at, ends)};
    *at += number.length;
    return lotor_slice_count(number, longest, out);
}

/* Reads "W:A". */
static bool read_pareto(const char *at, lotor_delay *out)
{
    if (!read_whole(&at, ":", &out->most) || *at++ != ':') {
        return false;
    }
    return lotor_slice_number((lotor_slice){at, strlen(at)}, &out->shape) && out->most > 0 &&
           out->shape >= 0.1 && out->shape <= 100.0;
}

/* Reads "0=0.5,10=0.3,1e3=0.2". */
static bool read_list(const char *at, lotor_delay *out)
{
    double sum = 0.0;
    for (;; at++) {
        if (out->count == LOTOR_DELAY_LIST_MAX) {
            return false;
        }
        if (!read_whole(&at, "=", &out->rounds[out->count]) || *at++ != '=') {
            return false;
        }
        const size_t length = strcspn(at, ",");
        if (!lotor_slice_share((lotor_slice){at, length}, &out->shares[out->count])) {
            return false;
        }
        sum += out->shares[out->count++];
        at += length;
        if (*at == '\0') {
            return fabs(sum - 1.0) < 1e-9;
        }
    }
}

/* Reads "A-B". */
static bool read_uniform(const char *at, lotor_delay *out)
{
    return read_whole(&at, "-", &out->least) && *at++ == '-' && read_whole(&at, "", &out->most) &&
           out->least <= out->most;
}

static bool read_one(const char *at, lotor_delay *out)
{
    return read_whole(&at, "", &out->most);
}

lotor_status lotor_delay_read(const char *text, lotor_message *why, lotor_delay *out)
{
    static const struct {
        const char *prefix;
        lotor_delay_law law;
        bool (*read)(const char *at, lotor_delay *out);
    } laws[] = {{"uniform:", LOTOR_DELAY_UNIFORM, read_uniform},
                {"geometric:", LOTOR_DELAY_GEOMETRIC, read_one},
                {"pareto:", LOTOR_DELAY_PARETO, read_pareto},
                {"list:", LOTOR_DELAY_LIST, read_list},
                {"", LOTOR_DELAY_FIXED, read_one}};
    *out = (lotor_delay){.law = LOTOR_DELAY_FIXED};
    if (!text) {
        return LOTOR_OK;
    }
    size_t i = 0;
    while (strncmp(text, laws[i].prefix, strlen(laws[i].prefix)) != 0) {
        i++; /* the last prefix fits every text */
    }
    out->law = laws[i].law;
    return laws[i].read(text + strlen(laws[i].prefix), out)
               ? LOTOR_OK
               : lotor_fail(LOTOR_INVALID, why,
                            "delay %s: expected a whole number of rounds such as 1e4, uniform:A-B "
                            "with A at most B, geometric:W, pareto:W:A with A from 0.1 to 100, or "
                            "list:0=0.5,10=0.3,1e3=0.2 with at most %d delays and probabilities "
                            "that add up to 1; no delay above 2^53",
                            lotor_quote_text(text).text, (int)LOTOR_DELAY_LIST_MAX);
}

/* --- delays ------------------------------------------------------------------------------------- */

static uint64_t draw(const lotor_delay *delay, lotor_generator *generator)
{
    switch (delay->law) {
    case LOTOR_DELAY_FIXED:
        break;
    case LOTOR_DELAY_UNIFORM: {
        const double values = (double)(delay->most - delay->least) + 1.0;
        const uint64_t above = (uint64_t)(lotor_random_uniform(generator) * values);
        const uint64_t drawn = delay->least + above;
        return drawn < delay->most ? drawn : delay->most;
    }
    case LOTOR_DELAY_GEOMETRIC: {
        if (delay->most == 0) {
            return 0;
        }
        /* The whole part of an exponential draw is geometric. */
        const double scale = 1.0 / log1p(1.0 / (double)delay->most);
        return (uint64_t)fmin(lotor_random_exponential(generator, scale), (double)longest);
    }
    case LOTOR_DELAY_PARETO: {
        const double tail = pow(lotor_random_uniform(generator), -1.0 / delay->shape) - 1.0;
        return (uint64_t)fmin((double)delay->most * tail, (double)longest);
    }
    case LOTOR_DELAY_LIST: {
        double left = lotor_random_uniform(generator);
        size_t i = 0;
        while (i + 1 < delay->count && left >= delay->shares[i]) {
            left -= delay->shares[i++];
        }
        return delay->rounds[i];
    }
    }
    return delay->most;
}

static double list_beyond(const lotor_delay *delay, uint64_t rounds)
{
    double sum = 0.0;
    for (size_t i = 0; i < delay->count; i++) {
        sum += delay->rounds[i] > rounds ? delay->shares[i] : 0.0;
    }
    return fmin(sum, 1.0);
}

double lotor_delay_beyond(const lotor_delay *delay, uint64_t rounds)
{
    const double next = (double)rounds + 1.0; /* the least delay that is too long */
    switch (delay->law) {
    case LOTOR_DELAY_FIXED:
        break;
    case LOTOR_DELAY_UNIFORM:
        if (rounds >= delay->least && rounds < delay->most) {
            return (double)(delay->most - rounds) / ((double)(delay->most - delay->least) + 1.0);
        }
        break;
    case LOTOR_DELAY_GEOMETRIC:
        return delay->most == 0 ? 0.0 : exp(-next * log1p(1.0 / (double)delay->most));
    case LOTOR_DELAY_PARETO:
        return pow(1.0 + next / (double)delay->most, -delay->shape);
    case LOTOR_DELAY_LIST:
        return list_beyond(delay, rounds);
    }
    return delay->most > rounds ? 1.0 : 0.0;
}

/* --- rounds that wait --------------------------------------------------------------------------- */

lotor_delay_queue lotor_delay_queue_of(const lotor_delay *delay, uint64_t horizon, uint64_t seed)
{
    lotor_delay_queue queue = {.delay = delay, .horizon = horizon};
    lotor_generator_seed(&queue.generator, lotor_mix(seed ^ UINT64_C(0x64656c61792d6f66)));
    return queue;
}

void lotor_delay_queue_free(lotor_delay_queue *queue)
{
    free(queue->items);
    queue->items = NULL;
}

static lotor_delayed_rounds *at_place(const lotor_delay_queue *queue, size_t place)
{
    return &queue->items[(queue->head + place) & (queue->room - 1)];
}

static lotor_status grow(lotor_delay_queue *queue)
{
    const size_t room = queue->room > 0 ? 2 * queue->room : 64; /* a power of two */
    if (room > SIZE_MAX / 2 / sizeof *queue->items) {
        return LOTOR_MEMORY;
    }
    lotor_delayed_rounds *larger = malloc(room * sizeof *larger);
    if (!larger) {
        return LOTOR_MEMORY;
    }
    for (size_t i = 0; i < queue->count; i++) {
        larger[i] = *at_place(queue, i);
    }
    free(queue->items);
    queue->items = larger;
    queue->head = 0;
    queue->room = room;
    return LOTOR_OK;
}

/* When the next `rounds` rounds, and all before them, are final. */
static uint64_t find_final(lotor_delay_queue *queue, uint64_t rounds)
{
    if (queue->delay->law == LOTOR_DELAY_FIXED) {
        return queue->shown + rounds + queue->delay->most;
    }
    lotor_generator local = queue->generator; /* a copy, to keep it in registers */
    uint64_t final = queue->final;
    for (uint64_t t = queue->shown + 1; t <= queue->shown + rounds; t++) {
        const uint64_t arrives = t + draw(queue->delay, &local);
        final = arrives > final ? arrives : final;
    }
    queue->generator = local;
    return final;
}

lotor_status lotor_delay_queue_add(lotor_delay_queue *queue, lotor_delayed_rounds added)
{
    assert(added.rounds > 0);
    const bool is_kept = queue->final <= queue->horizon;
    if (is_kept && queue->count == queue->room && grow(queue) != LOTOR_OK) {
        return LOTOR_MEMORY;
    }
    if (is_kept) {
        added.final = queue->final = find_final(queue, added.rounds);
        *at_place(queue, queue->count++) = added;
    }
    queue->shown += added.rounds;
    return LOTOR_OK;
}

bool lotor_delay_queue_take(lotor_delay_queue *queue, uint64_t t, lotor_delayed_rounds *out)
{
    if (queue->count == 0 || at_place(queue, 0)->final > t) {
        return false;
    }
    *out = *at_place(queue, 0);
    queue->head = (queue->head + 1) & (queue->room - 1);
    queue->count--;
    queue->ends -= queue->ends > 0;
    return true;
}

lotor_status lotor_delay_queue_expire(lotor_delay_queue *queue, lotor_policy *policy,
                                      lotor_message *why)
{
    lotor_status status = lotor_delay_queue_add(queue, (lotor_delayed_rounds){.rounds = 1});
    lotor_delayed_rounds final;
    while (status == LOTOR_OK && lotor_delay_queue_take(queue, queue->shown, &final)) {
        status = lotor_policy_expire(policy, ++queue->expired, why);
    }
    return status;
}

uint64_t lotor_delay_queue_next_end(lotor_delay_queue *queue)
{
    while (queue->ends < queue->count && !at_place(queue, queue->ends)->ends_a_batch) {
        queue->ends++;
    }
    return queue->ends < queue->count ? at_place(queue, queue->ends)->final : UINT64_MAX;
}
