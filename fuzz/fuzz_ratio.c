/* fuzz_ratio.c - reads epsilon and delta as text and as doubles. There is never a crash, and the
 * value is never rounded up. */
#include "fuzz.h"

#include <math.h>

#include <lotor/ratio.h>

static uint64_t greatest_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static void check_shape(lotor_ratio ratio)
{
    CHECK(greatest_divisor(ratio.num, ratio.den) == 1);
    CHECK(lotor_ratio_is_infinite(ratio) == (ratio.den == 0));
    CHECK(ratio.den == 0 || ratio.num <= UINT64_C(1) << 63);
}

/* Compares with strtold (64 bits of mantissa): the result is at most the text's value, and at most
 * one unit of the 18th decimal, or of the 18th digit, below it. */
static void check_text(const char *text)
{
    lotor_message why = {""};
    lotor_ratio ratio = {7, 7};
    const lotor_status status = lotor_ratio_parse(text, &why, &ratio);
    CHECK(lotor_ratio_parse(text, NULL, &ratio) == status);
    if (status != LOTOR_OK) {
        CHECK(status == LOTOR_INVALID && ratio.num == 7 && ratio.den == 7);
        CHECK(why.text[0] != '\0' && memchr(why.text, '\0', sizeof why.text));
        return;
    }
    check_shape(ratio);
    char *end;
    const long double exact = strtold(text, &end);
    CHECK(*end == '\0');
    if (lotor_ratio_is_infinite(ratio)) {
        CHECK(strpbrk(text, "iI")); /* the word "inf", not a number that is too large */
        return;
    }
    const long double got = (long double)ratio.num / (long double)ratio.den;
    /* rounding errors of strtold and of the division */
    const long double rounding = exact * 0x1p-61L;
    CHECK(got <= exact + rounding);
    CHECK(exact - got <= fmaxl(1e-18L, exact * 1.1e-18L) + rounding);
    CHECK((exact > 0.0L) == (ratio.num > 0));
    CHECK(fabsl((long double)lotor_ratio_to_double(ratio) - got) <= got * 0x1p-52L);
}

/* Denominators are powers of two here, so the long double is exact. */
static void check_double(double value)
{
    lotor_ratio ratio;
    if (lotor_ratio_from_double(value, NULL, &ratio) != LOTOR_OK) {
        CHECK(isnan(value) || value < 0.0 || value > 0x1p63 || (value > 0.0 && value < 0x1p-63));
        return;
    }
    check_shape(ratio);
    if (isinf(value)) {
        CHECK(lotor_ratio_is_infinite(ratio));
        return;
    }
    const long double got = (long double)ratio.num / (long double)ratio.den;
    CHECK(got <= (long double)value && (long double)value - got < 0x1p-63L);
    CHECK(value < 1.0 || got == (long double)value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    CHECK(text);
    if (size > 0) {
        memcpy(text, data, size);
    }
    text[size] = '\0';
    check_text(text);
    free(text);
    if (size >= sizeof(double)) {
        double value;
        memcpy(&value, data, sizeof value);
        check_double(value);
        check_double(fabs(value));
    }
    return 0;
}
