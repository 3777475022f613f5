/* golden.c - prints reports of the C library, from the bytes that device.test.mjs gives to
 * lotor.wasm.
 *
 * Reads lines "SEED MECHANISM EPSILON SLOT SLOTS SCALE UNIT LOW HIGH click PLACE" or "... rewards
 * R,R,...", writes one line each: the report's numbers, or "STATUS: message". The bytes are
 * ChaCha20's, its key the seed, its nonce 0.
 */
#include <inttypes.h>
#include <sodium.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/source.h"
#include "privacy/local/randomize.h"

enum { MOST = 4096, LINE = 1 << 18 };

typedef struct keyed {
    lotor_source source; /* first */
    lotor_source_window window;
    unsigned char key[crypto_stream_chacha20_KEYBYTES];
    uint64_t blocks;
} keyed;

static void refill(lotor_source *source)
{
    static const unsigned char nonce[crypto_stream_chacha20_NONCEBYTES];
    keyed *self = (keyed *)source;
    memset(self->window.bytes, 0, sizeof self->window.bytes);
    crypto_stream_chacha20_xor_ic(self->window.bytes, self->window.bytes, sizeof self->window.bytes,
                                  nonce, self->blocks, self->key);
    self->blocks += sizeof self->window.bytes / 64;
    self->window.left = sizeof self->window.bytes;
}

static bool read_feedback(const char *kind, char *text, double *rewards, lotor_feedback *out)
{
    *out = (lotor_feedback){0};
    if (strcmp(kind, "click") == 0) {
        out->click = strtoul(text, NULL, 10);
        return true;
    }
    out->rewards = rewards;
    for (char *at = text, *end; *at != '\0' && out->count < MOST; at = *end ? end + 1 : end) {
        rewards[out->count++] = strtod(at, &end);
        if (end == at) {
            return false;
        }
    }
    return strcmp(kind, "rewards") == 0;
}

static void answer_line(char *line)
{
    static double rewards[MOST];
    static int64_t report[MOST];
    static keyed bytes;
    char mechanism[32], epsilon[64], kind[16];
    lotor_randomizer told = {.mechanism = mechanism};
    uint64_t seed;
    int at = 0;
    lotor_feedback feedback;
    lotor_message why = {""};
    if (sscanf(line, "%" SCNu64 " %31s %63s %zu %zu %" SCNu64 " %lf %lf %lf %15s %n", &seed,
               mechanism, epsilon, &told.slot, &told.slots, &told.scale, &told.unit, &told.low,
               &told.high, kind, &at) != 10 ||
        !read_feedback(kind, line + at, rewards, &feedback)) {
        fprintf(stderr, "golden: no such line: %s\n", line);
        exit(2);
    }
    memset(&bytes, 0, sizeof bytes);
    for (int i = 0; i < 8; i++) {
        bytes.key[i] = (unsigned char)(seed >> 8 * i);
    }
    bytes.source = (lotor_source){.window = &bytes.window, .refill = refill};
    size_t count = 0;
    lotor_status status = lotor_ratio_parse(epsilon, &why, &told.epsilon);
    if (status == LOTOR_OK) {
        status = lotor_randomize(&told, &feedback, &bytes.source, &why, report, &count);
    }
    if (status != LOTOR_OK) {
        printf("%s: %s\n", lotor_status_name(status), why.text);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        printf("%s%" PRId64, i ? "," : "", report[i]);
    }
    putchar('\n');
}

int main(void)
{
    static char line[LINE];
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        answer_line(line);
    }
    return 0;
}
