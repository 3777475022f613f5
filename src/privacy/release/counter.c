/* counter.c - the public counter: it encodes values, inserts them, and decodes the sum.
 * lotor/counter.h has the contract. A counter is a statistic of one arm (statistic.h). */
#include "privacy/release/counter.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/message.h"
#include "base/secure.h"
#include "privacy/encode/encode.h"
#include "privacy/release/statistic.h"

static const char saved_kind[] = "counter";

struct lotor_counter {
    const lotor_statistic_kind *kind;
    lotor_statistic *statistic;
    lotor_encoding encoding;
    lotor_release_params params;
    lotor_noise noise;
    lotor_source *owned; /* the source, if the counter made it */
};

static lotor_status unknown_mechanism(const char *name, lotor_message *why)
{
    return lotor_fail(LOTOR_UNKNOWN, why,
                      "there is no mechanism '%.40s': use tree, hybrid, batch or gaussian-tree",
                      name ? name : "");
}

static lotor_status check_delta(const lotor_counter_params *params, lotor_law law,
                                lotor_message *why)
{
    const lotor_ratio delta = params->delta;
    const bool none = delta.num == 0;
    if (law == LOTOR_LAW_LAPLACE && !none) {
        return lotor_fail(
            LOTOR_INVALID, why,
            "delta %g can't be used with %s, which needs none: leave it out, or use gaussian-tree",
            lotor_ratio_to_double(delta), params->mechanism);
    }
    if (law == LOTOR_LAW_GAUSSIAN && (none || delta.num >= delta.den)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%s needs a delta above 0 and below 1, not %g: use one far below 1 over "
                          "the number of people, such as 1e-6",
                          params->mechanism, lotor_ratio_to_double(delta));
    }
    return LOTOR_OK;
}

/* Fills in everything but the statistic. One value is one number, so the L1 and the L2 sensitivity
 * are both the width of the range. */
static lotor_status plan(const lotor_counter_params *params, lotor_message *why,
                         lotor_counter *counter)
{
    counter->kind = params->mechanism ? lotor_statistic_counter(params->mechanism) : NULL;
    if (!counter->kind) {
        return unknown_mechanism(params->mechanism, why);
    }
    if (counter->kind->needs_horizon && params->horizon == 0) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%s needs a horizon, the largest number of values: give one, or use "
                          "hybrid, which needs none",
                          params->mechanism);
    }
    lotor_status status = lotor_encoding_make(params->low, params->high, why, &counter->encoding);
    if (status == LOTOR_OK) {
        status = check_delta(params, counter->kind->law, why);
    }
    counter->params = (lotor_release_params){
        .dimension = 1,
        .horizon = params->horizon,
        .epsilon = lotor_ratio_of(params->epsilon.num, params->epsilon.den),
        .delta = lotor_ratio_of(params->delta.num, params->delta.den),
        .l1 = lotor_encoding_width(&counter->encoding),
        .l2 = lotor_encoding_width(&counter->encoding),
        .magnitude = lotor_encoding_magnitude(&counter->encoding),
    };
    return status;
}

lotor_status lotor_counter_new_on(const lotor_counter_params *params, lotor_source *source,
                                  lotor_message *why, lotor_counter **out)
{
    *out = NULL;
    lotor_counter *counter = calloc(1, sizeof *counter);
    if (!counter) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for a counter");
    }
    lotor_status status = plan(params, why, counter);
    if (status == LOTOR_OK) {
        status = lotor_statistic_new(counter->kind, 1, &counter->params, counter->encoding.unit,
                                     why, &counter->statistic);
        if (status == LOTOR_MEMORY) {
            lotor_explain(why, "no memory for a counter");
        }
    }
    if (status != LOTOR_OK) {
        free(counter);
        return status;
    }
    counter->noise = lotor_noise_exact(source);
    *out = counter;
    return LOTOR_OK;
}

/* Gives a source to the counter that it was made for, or frees it if there is no counter. */
static void keep_source(lotor_counter *counter, lotor_source *source)
{
    if (counter) {
        counter->owned = source;
    } else {
        lotor_secure_free(source);
    }
}

lotor_status lotor_counter_new(const lotor_counter_params *params, lotor_message *why,
                               lotor_counter **out)
{
    *out = NULL;
    lotor_source *source;
    lotor_status status = lotor_secure_make(why, &source);
    if (status == LOTOR_OK) {
        status = lotor_counter_new_on(params, source, why, out);
        keep_source(*out, source);
    }
    return status;
}

const char *lotor_counter_check(const lotor_counter_params *params, lotor_message *why)
{
    lotor_counter *counter;
    if (lotor_counter_new_on(params, NULL, why, &counter) != LOTOR_OK) {
        return why->text;
    }
    lotor_counter_free(counter);
    return NULL;
}

void lotor_counter_free(lotor_counter *counter)
{
    if (counter) {
        lotor_statistic_free(counter->statistic);
        lotor_secure_free(counter->owned);
        free(counter);
    }
}

lotor_status lotor_counter_add(lotor_counter *counter, double value, lotor_message *why)
{
    int64_t units = 0;
    lotor_status status = lotor_secure_refuse_child(counter->owned, "counter", why);
    if (status == LOTOR_OK) {
        status = lotor_encode(&counter->encoding, value, why, &units);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    status = lotor_statistic_add(counter->statistic, &units, &counter->noise);
    if (status == LOTOR_HORIZON) {
        lotor_explain(why,
                      "the counter was made for %" PRIu64
                      " values and has them all: make a new one "
                      "with a longer horizon",
                      lotor_counter_added_count(counter));
    } else if (status != LOTOR_OK) {
        lotor_explain(why, "the system gives no random bytes: nothing was added");
    }
    return status;
}

double lotor_counter_value(const lotor_counter *counter)
{
    return lotor_decode(&counter->encoding, lotor_statistic_running(counter->statistic).sum[0]);
}

uint64_t lotor_counter_added_count(const lotor_counter *counter)
{
    return lotor_statistic_running(counter->statistic).added;
}

uint64_t lotor_counter_covered_count(const lotor_counter *counter)
{
    return lotor_statistic_running(counter->statistic).covered;
}

void lotor_counter_guarantee(const lotor_counter *counter, lotor_guarantee *out)
{
    const lotor_release_params *params = &counter->params;
    const bool none = lotor_ratio_is_infinite(params->epsilon);
    const lotor_claim *claim = &counter->kind->claim;
    const lotor_claim_setting setting = {
        .epsilon = lotor_ratio_to_double(params->epsilon),
        .delta = lotor_ratio_to_double(params->delta),
        .l1 = (double)lotor_encoding_width(&counter->encoding),
        .l2 = (double)lotor_encoding_width(&counter->encoding),
        .horizon = params->horizon,
    };
    const lotor_claim_noise noise = {.scale = (double)lotor_statistic_scale(counter->statistic)};
    const char *reason = lotor_claim_refuse(claim->mechanism, &setting, &noise);
    char sizes[48];
    lotor_statistic_describe(counter->statistic, sizes, sizeof sizes);
    *out = (lotor_guarantee){
        .is_private = !reason,
        .reason = reason,
        .model = none ? LOTOR_MODEL_NONE : claim->model,
        .epsilon = setting.epsilon,
        .delta = setting.delta,
        .unit = "one value of the stream",
        .scale = lotor_statistic_noise(counter->statistic),
        .theorem = reason ? NULL : counter->kind->theorem,
        .assumes = "neighbouring streams differ in one value; each person gives one value; the "
                   "number of values is public; a saved state stays secret and is loaded once",
        .noise = lotor_noise_kind_of(&counter->noise),
    };
    snprintf(out->mechanism, sizeof out->mechanism, "%s (%s), %s noise", counter->kind->counter,
             sizes, none ? "no" : counter->kind->noise);
}

lotor_status lotor_counter_save(const lotor_counter *counter, unsigned char **bytes, size_t *length)
{
    *bytes = NULL;
    *length = 0;
    const lotor_status status = lotor_secure_refuse_child(counter->owned, "counter", NULL);
    if (status != LOTOR_OK) {
        return status;
    }
    lotor_writer writer;
    lotor_writer_start(&writer, saved_kind);
    lotor_write_text(&writer, counter->kind->counter);
    lotor_write_u64(&writer, counter->params.epsilon.num);
    lotor_write_u64(&writer, counter->params.epsilon.den);
    lotor_write_u64(&writer, counter->params.delta.num);
    lotor_write_u64(&writer, counter->params.delta.den);
    lotor_write_u64(&writer, counter->params.horizon);
    lotor_write_double(&writer, counter->encoding.low);
    lotor_write_double(&writer, counter->encoding.high);
    lotor_statistic_save_counter(counter->statistic, &writer);
    return lotor_writer_seal(&writer, bytes, length);
}

static lotor_ratio read_ratio(lotor_reader *reader)
{
    const uint64_t num = lotor_read_u64(reader);
    const uint64_t den = lotor_read_u64(reader);
    const lotor_ratio ratio = lotor_ratio_of(num, den);
    lotor_read_expect(reader, ratio.num == num && ratio.den == den); /* must be in lowest terms */
    return ratio;
}

lotor_status lotor_counter_load_on(const unsigned char *bytes, size_t length, lotor_source *source,
                                   lotor_message *why, lotor_counter **out)
{
    *out = NULL;
    lotor_reader reader;
    lotor_status status = lotor_reader_open(&reader, saved_kind, bytes, length, why);
    if (status != LOTOR_OK) {
        return status;
    }
    char mechanism[32];
    lotor_read_text(&reader, mechanism, sizeof mechanism);
    lotor_counter_params params = {.mechanism = mechanism};
    params.epsilon = read_ratio(&reader);
    params.delta = read_ratio(&reader);
    params.horizon = lotor_read_u64(&reader);
    params.low = lotor_read_double(&reader);
    params.high = lotor_read_double(&reader);
    if (reader.status != LOTOR_OK) {
        return lotor_reader_finish(&reader, why);
    }

    lotor_counter *counter;
    status = lotor_counter_new_on(&params, source, NULL, &counter);
    if (status == LOTOR_MEMORY) {
        return lotor_fail(status, why, "no memory to load a counter");
    }
    if (status != LOTOR_OK) {
        reader.status = LOTOR_DAMAGED;
        return lotor_reader_finish(&reader, why);
    }
    lotor_statistic_load_counter(counter->statistic, &reader);
    status = lotor_reader_finish(&reader, why);
    if (status != LOTOR_OK) {
        lotor_counter_free(counter);
        return status;
    }
    *out = counter;
    return LOTOR_OK;
}

lotor_status lotor_counter_load(const unsigned char *bytes, size_t length, lotor_message *why,
                                lotor_counter **out)
{
    *out = NULL;
    lotor_source *source;
    lotor_status status = lotor_secure_make(why, &source);
    if (status == LOTOR_OK) {
        status = lotor_counter_load_on(bytes, length, source, why, out);
        keep_source(*out, source);
    }
    return status;
}
