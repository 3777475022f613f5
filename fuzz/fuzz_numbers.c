/* fuzz_numbers.c - reads numbers, ranges and lists of the command line and of standard input. Each
 * gives strtod's value or is refused. The text does not end with a NUL. */
#include "fuzz.h"

#include <math.h>
#include <stdbool.h>

#include "cli/numbers.h"

static const char *text;
static size_t length;
static char *ended; /* the same text, ending with a NUL */

static void check_refusal(lotor_status status, const lotor_message *why)
{
    CHECK(status == LOTOR_INVALID);
    CHECK(why->text[0] != '\0' && memchr(why->text, '\0', sizeof why->text));
}

/* True if strtod reads the whole text, as a decimal number. Other texts that strtod accepts
 * (hexadecimal, infinity, leading blanks) do not count. */
static bool is_plain(double *value)
{
    char *end;
    *value = strtod(ended, &end);
    return length > 0 && end == ended + length && isfinite(*value) && !strpbrk(ended, "xX") &&
           !strchr(" \t\n\v\f\r", ended[0]);
}

static void check_double(void)
{
    lotor_message why = {""};
    double expected, got = 77.0, extended = 77.0;
    const bool plain = is_plain(&expected);
    const lotor_status status = lotor_parse_double(text, length, &why, &got);
    CHECK((status == LOTOR_OK) == plain);
    if (plain) {
        CHECK(memcmp(&got, &expected, sizeof got) == 0);
    } else {
        check_refusal(status, &why);
        CHECK(got == 77.0);
    }
    const lotor_status also = lotor_parse_extended(text, length, &why, &extended);
    CHECK(also == LOTOR_OK || status != LOTOR_OK);
    if (also == LOTOR_OK) {
        CHECK(status == LOTOR_OK ? memcmp(&got, &extended, sizeof got) == 0
                                 : extended == (double)INFINITY);
    }
}

/* A long double holds every 64-bit integer, so the comparison is exact. */
static void check_whole(void)
{
    lotor_message why = {""};
    uint64_t got = 77;
    const lotor_status status = lotor_parse_whole(text, length, &why, &got);
    if (status == LOTOR_OK) {
        double value;
        CHECK(is_plain(&value));
        CHECK(strtold(ended, NULL) == (long double)got);
        return;
    }
    check_refusal(status, &why);
    CHECK(got == 77);
    CHECK(length == 0 || length > 19 || strspn(ended, "0123456789") != length);
}

static void check_range(void)
{
    lotor_message why = {""};
    double low = 77.0, high = 77.0;
    const lotor_status status = lotor_parse_range(text, length, &why, &low, &high);
    if (status == LOTOR_OK) {
        CHECK(isfinite(low) && isfinite(high) && low < high);
        CHECK(memchr(text, ',', length));
    } else {
        check_refusal(status, &why);
        CHECK(low == 77.0 && high == 77.0);
    }
}

static void check_list(void)
{
    lotor_message why = {""};
    lotor_number_list list;
    const lotor_status status = lotor_parse_list(text, length, &why, &list);
    if (status == LOTOR_OK) {
        size_t commas = 0;
        for (size_t i = 0; i < length; i++) {
            commas += text[i] == ',';
        }
        CHECK(list.count == commas + 1);
        for (size_t i = 0; i < list.count; i++) {
            CHECK(!isnan(list.items[i]) && list.items[i] != (double)-INFINITY);
        }
    } else {
        check_refusal(status, &why);
        CHECK(list.items == NULL && list.count == 0);
    }
    lotor_number_list_free(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    text = (const char *)data;
    length = size;
    ended = malloc(size + 1);
    CHECK(ended);
    if (size > 0) {
        memcpy(ended, data, size);
    }
    ended[size] = '\0';
    check_double();
    check_whole();
    check_range();
    check_list();
    free(ended);
    return 0;
}
