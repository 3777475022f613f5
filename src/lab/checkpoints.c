/* checkpoints.c - see checkpoints.h. */
#include "lab/checkpoints.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <lotor/simulate.h>

#include "base/message.h"
#include "base/quote.h"
#include "base/records.h"

lotor_status lotor_checkpoint_times(uint64_t horizon, size_t wanted, uint64_t **times,
                                    size_t *count)
{
    if (wanted == 0) {
        wanted = 50;
    }
    uint64_t *made = calloc(wanted, sizeof *made);
    if (!made) {
        return LOTOR_MEMORY;
    }
    size_t kept = 0;
    for (size_t i = 0; i < wanted; i++) {
        const double share = wanted > 1 ? (double)i / (double)(wanted - 1) : 1.0;
        const double exact = pow((double)horizon, share);
        const uint64_t t = i + 1 == wanted ? horizon : (uint64_t)llround(exact);
        if (t <= horizon && (kept == 0 || t > made[kept - 1])) {
            made[kept++] = t;
        }
    }
    *times = made;
    *count = kept;
    return LOTOR_OK;
}

/* `wanted` rounds in equal steps, the last one at the horizon; every round if there are not so
 * many. */
static lotor_status equal_steps(uint64_t horizon, uint64_t wanted, uint64_t **times, size_t *count)
{
    const uint64_t n = wanted < horizon ? wanted : horizon;
    uint64_t *made = calloc((size_t)n, sizeof *made);
    if (!made) {
        return LOTOR_MEMORY;
    }
    const uint64_t step = horizon / n, rest = horizon % n;
    for (uint64_t i = 1; i <= n; i++) {
        made[i - 1] = i * step + i * rest / n; /* i horizon / n, rounded down */
    }
    *times = made;
    *count = (size_t)n;
    return LOTOR_OK;
}

/* --- the text ----------------------------------------------------------------------------------- */

static lotor_status refuse(const char *text, lotor_message *why)
{
    return lotor_fail(LOTOR_INVALID, why,
                      "checkpoints %s: expected a number of them such as log:50 or linear:50 (at "
                      "most %d), or increasing rounds such as 100,1e3,1e4",
                      lotor_quote_text(text).text, LOTOR_SIMULATE_CHECKPOINTS_MAX);
}

/* Reads the rounds of a list. `made` has room for all of them and the horizon. */
static lotor_status read_list(const char *text, uint64_t horizon, lotor_message *why,
                              uint64_t *made, size_t *count)
{
    size_t kept = 0;
    for (const char *at = text;; at++) {
        const size_t length = strcspn(at, ",");
        uint64_t t;
        if (!lotor_slice_count((lotor_slice){at, length}, LOTOR_SIMULATE_ROUNDS_MAX, &t) ||
            t == 0) {
            return refuse(text, why);
        }
        if (t > horizon) {
            return lotor_fail(LOTOR_INVALID, why,
                              "checkpoints %s: round %" PRIu64
                              " is past the last round, which is %" PRIu64
                              ": leave it out, or play a longer horizon",
                              lotor_quote_text(text).text, t, horizon);
        }
        if (kept > 0 && t <= made[kept - 1]) {
            return lotor_fail(LOTOR_INVALID, why,
                              "checkpoints %s: round %" PRIu64 " comes after round %" PRIu64
                              ": give the rounds in increasing order, each once",
                              lotor_quote_text(text).text, t, made[kept - 1]);
        }
        made[kept++] = t;
        at += length;
        if (*at == '\0') {
            break;
        }
    }
    if (made[kept - 1] != horizon) {
        made[kept++] = horizon;
    }
    *count = kept;
    return LOTOR_OK;
}

static lotor_status make_list(const char *text, size_t commas, uint64_t horizon, lotor_message *why,
                              uint64_t **times, size_t *count)
{
    if (commas + 2 > LOTOR_SIMULATE_CHECKPOINTS_MAX) {
        return refuse(text, why);
    }
    uint64_t *made = calloc(commas + 2, sizeof *made);
    if (!made) {
        return LOTOR_MEMORY;
    }
    const lotor_status status = read_list(text, horizon, why, made, count);
    if (status != LOTOR_OK) {
        free(made);
        return status;
    }
    *times = made;
    return LOTOR_OK;
}

lotor_status lotor_checkpoints_read(const char *text, size_t wanted, uint64_t horizon,
                                    lotor_message *why, uint64_t **times, size_t *count)
{
    static const char linear[] = "linear:", spaced[] = "log:";
    if (!text) {
        return lotor_checkpoint_times(horizon, wanted, times, count);
    }
    size_t commas = 0;
    for (const char *at = text; *at != '\0'; at++) {
        commas += *at == ',';
    }
    if (commas > 0) {
        return make_list(text, commas, horizon, why, times, count);
    }
    const bool is_linear = strncmp(text, linear, sizeof linear - 1) == 0;
    const bool is_log = strncmp(text, spaced, sizeof spaced - 1) == 0;
    const char *number = text + (is_linear ? sizeof linear - 1 : is_log ? sizeof spaced - 1 : 0);
    uint64_t asked;
    if (!lotor_slice_count((lotor_slice){number, strlen(number)}, LOTOR_SIMULATE_CHECKPOINTS_MAX,
                           &asked) ||
        asked == 0) {
        return refuse(text, why);
    }
    return is_linear ? equal_steps(horizon, asked, times, count)
                     : lotor_checkpoint_times(horizon, (size_t)asked, times, count);
}
