/* device.c - the interface of lotor.wasm: a person's feedback comes in, a report goes out.
 *
 *      call = device_open(...)      memory for one report
 *      ... write the mechanism, epsilon and the rewards where device_mechanism, ... say ...
 *      device_run(call, ...)        how many numbers the report has, or -status
 *      ... read the report, or the message ...
 *      device_close(call)           everything is wiped
 *
 * The mathematics is in src/privacy/local, as everywhere else. A call has its own memory and its
 * own source, and uses no static variable, so calls may be nested. Numbers are passed as doubles.
 * Whole numbers are exact below 2^53, and a randomizer whose reports could be larger is refused.
 */
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "base/memory.h"
#include "base/message.h"
#include "privacy/local/randomize.h"

#define BORDER(name) __attribute__((export_name(#name), used)) name

/* The host fills `count` bytes with cryptographic random bytes and returns 1, or returns 0. */
__attribute__((import_module("host"), import_name("fill"))) int host_fill(unsigned char *bytes,
                                                                          size_t count);

enum { MOST_TEXT = 4096, DRAWN_AT_ONCE = 1024, STACK_USED = 24576 };

typedef struct device_call {
    lotor_source source; /* first, so that a source is a call */
    lotor_source_window window;
    lotor_message why;
    uint64_t worthless; /* after the host failed: see refill */
    size_t numbers;     /* room in `rewards`, and in `report` */
    size_t size;        /* of all of this */
    int64_t *report;
    char *mechanism, *epsilon;
    double rewards[];
} device_call;

/* base/memory.c has libsodium's; this is the same in plain C: the compiler must assume that the memory
 * is read after it. */
void lotor_wipe(void *memory, size_t size)
{
    if (memory) {
        memset(memory, 0, size);
        __asm__ volatile("" : : "r"(memory) : "memory");
    }
}

/* Wipes what the functions of a report left on the stack in linear memory, below the caller's
 * frame. */
static __attribute__((noinline)) void wipe_stack(void)
{
    unsigned char below[STACK_USED];
    lotor_wipe(below, sizeof below);
}

/* SplitMix64. It only makes sampling loops end after a failure: the report that is drawn from it is
 * never read. */
static uint64_t worthless_word(uint64_t *state)
{
    uint64_t word = *state += UINT64_C(0x9e3779b97f4a7c15);
    word = (word ^ word >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ word >> 27) * UINT64_C(0x94d049bb133111eb);
    return word ^ word >> 31;
}

/* Fills a part of the window at a time, since most reports need a few words. */
static void refill(lotor_source *source)
{
    device_call *call = (device_call *)source;
    unsigned char *bytes = call->window.bytes + sizeof call->window.bytes - DRAWN_AT_ONCE;
    if (source->status == LOTOR_OK && host_fill(bytes, DRAWN_AT_ONCE) != 1) {
        source->status = LOTOR_ENTROPY;
    }
    for (size_t at = 0; source->status != LOTOR_OK && at < DRAWN_AT_ONCE; at += sizeof(uint64_t)) {
        const uint64_t word = worthless_word(&call->worthless);
        memcpy(bytes + at, &word, sizeof word);
    }
    call->window.left = DRAWN_AT_ONCE;
}

/* Allocates memory for so many rewards, so many numbers in a report, and texts of so many bytes
 * with their zero bytes. NULL: there is no memory, or no randomizer needs that much. */
device_call *BORDER(device_open)(size_t numbers, size_t mechanism, size_t epsilon)
{
    if (numbers > LOTOR_RANDOMIZER_SLOTS_MAX || mechanism > MOST_TEXT || epsilon > MOST_TEXT) {
        return NULL;
    }
    const size_t rewards = numbers * sizeof(double), report = numbers * sizeof(int64_t);
    const size_t size = sizeof(device_call) + rewards + report + mechanism + epsilon + 2;
    device_call *call = calloc(1, size);
    if (!call) {
        return NULL;
    }
    call->source.window = &call->window;
    call->source.refill = refill;
    call->numbers = numbers;
    call->size = size;
    call->report = (int64_t *)(call->rewards + numbers);
    call->mechanism = (char *)(call->report + numbers);
    call->epsilon = call->mechanism + mechanism + 1;
    return call;
}

void BORDER(device_close)(device_call *call)
{
    if (call) {
        lotor_wipe(call, call->size);
        free(call);
    }
    wipe_stack();
}

/* The addresses of the parts of a call. */
char *BORDER(device_mechanism)(device_call *call)
{
    return call->mechanism;
}

char *BORDER(device_epsilon)(device_call *call)
{
    return call->epsilon;
}

double *BORDER(device_rewards)(device_call *call)
{
    return call->rewards;
}

int64_t *BORDER(device_report)(device_call *call)
{
    return call->report;
}

const char *BORDER(device_message)(device_call *call)
{
    return call->why.text;
}

const char *BORDER(device_status_name)(int status)
{
    return lotor_status_name((lotor_status)status);
}

/* Writes a number as the decimal text that the command and the server read: 0.1 is a tenth. Needs
 * LOTOR_DIGITS_ROOM bytes. */
size_t BORDER(device_digits_room)(void)
{
    return LOTOR_DIGITS_ROOM;
}

void BORDER(device_digits)(device_call *call, double value)
{
    (void)lotor_digits(value, call->epsilon);
}

/* Reports are whole numbers in JSON, which JavaScript reads as doubles. */
static lotor_status check_exact(const lotor_randomizer *told, lotor_message *why)
{
    const int64_t most_exact = (INT64_C(1) << 53) - 1;
    lotor_encoding encoding;
    const lotor_status status = lotor_encoding_make(told->low, told->high, why, &encoding);
    if (status != LOTOR_OK) {
        return status;
    }
    const lotor_report_range range = lotor_randomize_range(&encoding, told->scale);
    return range.least >= -most_exact && range.most <= most_exact
               ? LOTOR_OK
               : lotor_fail(
                     LOTOR_INVALID, why,
                     "reports with noise of scale %llu could pass 2^53, and JavaScript would "
                     "round them: use a larger epsilon or fewer slots",
                     (unsigned long long)told->scale);
}

/* `scale` is a whole number below 2^53. `rewarded`: the feedback is `count` rewards; otherwise it
 * is the click. */
int BORDER(device_run)(device_call *call, size_t slot, size_t slots, double scale, double unit,
                       double low, double high, int rewarded, size_t count, size_t click)
{
    if (slots > call->numbers || count > call->numbers) {
        lotor_explain(&call->why, "there is no room for so many numbers");
        return -(int)LOTOR_INVALID;
    }
    lotor_randomizer told = {
        .mechanism = call->mechanism,
        .slot = slot,
        .scale = (uint64_t)scale,
        .unit = unit,
        .low = low,
        .high = high,
        .slots = slots,
    };
    const lotor_feedback feedback = {rewarded ? call->rewards : NULL, count, click};
    size_t drawn = 0;
    lotor_status status = lotor_ratio_parse(call->epsilon, &call->why, &told.epsilon);
    if (status == LOTOR_OK) {
        status = lotor_randomize(&told, &feedback, &call->source, &call->why, call->report, &drawn);
    }
    if (status == LOTOR_OK && strcmp(call->mechanism, LOTOR_RANDOMIZE_LAPLACE) == 0) {
        status = check_exact(&told, &call->why);
    }
    if (status != LOTOR_OK) {
        lotor_wipe(call->report, call->numbers * sizeof *call->report);
    }
    if (status == LOTOR_ENTROPY) {
        lotor_explain(&call->why, "the system gives no random bytes: nothing may be sent");
    }
    return status == LOTOR_OK ? (int)drawn : -(int)status;
}
