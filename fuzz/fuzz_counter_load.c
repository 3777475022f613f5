/* fuzz_counter_load.c - loads saved counters: the input as it is, and as a payload with the right
 * checksum around it. A loaded counter is saved to bytes that load to themselves, and accepts values.
 * It continues in the same way after another save and load. */
#include "fuzz.h"

#include "base/bytes.h"
#include "privacy/release/counter.h"
#include "support/test_source.h"

enum { VALUES = 40 };

/* The declared range, so that values can be chosen within it. */
static void read_range(const unsigned char *bytes, size_t length, double *low, double *high)
{
    lotor_reader reader;
    char mechanism[32];
    CHECK(lotor_reader_open(&reader, "counter", bytes, length, NULL) == LOTOR_OK);
    lotor_read_text(&reader, mechanism, sizeof mechanism);
    for (int i = 0; i < 5; i++) { /* epsilon, delta, horizon */
        (void)lotor_read_u64(&reader);
    }
    *low = lotor_read_double(&reader);
    *high = lotor_read_double(&reader);
    CHECK(reader.status == LOTOR_OK && *low < *high);
}

static lotor_counter *load_copy(const lotor_counter *counter, lotor_source *source)
{
    unsigned char *bytes;
    size_t length;
    lotor_counter *copy;
    CHECK(lotor_counter_save(counter, &bytes, &length) == LOTOR_OK);
    CHECK(lotor_counter_load_on(bytes, length, source, NULL, &copy) == LOTOR_OK);
    lotor_bytes_free(bytes, length);
    return copy;
}

/* Compares bits, so that a NaN equals itself. */
static void check_same(const lotor_counter *a, const lotor_counter *b)
{
    const double value_a = lotor_counter_value(a), value_b = lotor_counter_value(b);
    CHECK(memcmp(&value_a, &value_b, sizeof value_a) == 0);
    CHECK(lotor_counter_added_count(a) == lotor_counter_added_count(b));
    CHECK(lotor_counter_covered_count(a) == lotor_counter_covered_count(b));
    CHECK(lotor_counter_covered_count(a) <= lotor_counter_added_count(a));
}

static void use(lotor_counter *counter, test_source *source, double low, double high)
{
    test_source other_source;
    test_source_seed(source, 1);
    test_source_seed(&other_source, 1);
    lotor_counter *other = load_copy(counter, &other_source.source);
    lotor_guarantee guarantee;
    lotor_counter_guarantee(counter, &guarantee);
    CHECK(guarantee.epsilon > 0.0 && guarantee.delta >= 0.0 && guarantee.delta < 1.0);
    check_same(counter, other);
    for (int i = 0; i < VALUES; i++) {
        const double value = i % 3 == 0 ? low : high;
        const uint64_t added = lotor_counter_added_count(counter);
        const lotor_status status = lotor_counter_add(counter, value, NULL);
        CHECK(status == LOTOR_OK || status == LOTOR_HORIZON);
        CHECK(lotor_counter_added_count(counter) == added + (status == LOTOR_OK));
        CHECK(lotor_counter_add(other, value, NULL) == status);
        check_same(counter, other);
        if (i == VALUES / 2) {
            lotor_counter *next = load_copy(other, &other_source.source);
            lotor_counter_free(other);
            other = next;
        }
    }
    lotor_counter_free(other);
}

/* Saved bytes are as long as the loaded ones, and load to themselves. They may differ from the loaded
 * ones: version 0.1 saved noise that is dropped now. */
static void check_saved(const lotor_counter *counter, size_t length)
{
    unsigned char *once, *twice;
    size_t once_length, twice_length;
    test_source source;
    test_source_seed(&source, 2);
    CHECK(lotor_counter_save(counter, &once, &once_length) == LOTOR_OK);
    CHECK(once_length == length);
    lotor_counter *again;
    CHECK(lotor_counter_load_on(once, once_length, &source.source, NULL, &again) == LOTOR_OK);
    CHECK(lotor_counter_save(again, &twice, &twice_length) == LOTOR_OK);
    CHECK(twice_length == length && memcmp(once, twice, length) == 0);
    lotor_bytes_free(once, once_length);
    lotor_bytes_free(twice, twice_length);
    lotor_counter_free(again);
}

static void try_bytes(const unsigned char *bytes, size_t length)
{
    test_source source;
    test_source_seed(&source, 1);
    lotor_message why = {""};
    lotor_counter *counter;
    const lotor_status status =
        lotor_counter_load_on(bytes, length, &source.source, &why, &counter);
    if (status != LOTOR_OK) {
        CHECK(!counter && why.text[0] != '\0');
        CHECK(status == LOTOR_DAMAGED || status == LOTOR_VERSION);
        return;
    }
    check_saved(counter, length);
    double low, high;
    read_range(bytes, length, &low, &high);
    use(counter, &source, low, high);
    lotor_counter_free(counter);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_bytes(data, size);
    size_t length;
    unsigned char *sealed = fuzz_envelope("counter", data, size, &length);
    try_bytes(sealed, length);
    free(sealed);
    return 0;
}
