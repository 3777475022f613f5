/* fuzz_answer.c - the lines that an audited program prints: each is numbers, or is refused with a
 * message. The numbers of a line do not depend on how they are separated. */
#include "fuzz.h"

#include <math.h>
#include <stdbool.h>

#include "cli/audit_answer.h"

enum { CAPACITY = 16, LONGEST = 4096 };

static bool is_same(double a, double b)
{
    return isnan(a) ? isnan(b) : a == b && signbit(a) == signbit(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    double numbers[CAPACITY + 1], again[CAPACITY + 1];
    lotor_message why = {""};
    char line[LONGEST];
    size_t count = 99, other = 99;
    numbers[CAPACITY] = again[CAPACITY] = 77.0;
    const lotor_status status =
        lotor_audit_answer_read((const char *)data, size, CAPACITY, &why, numbers, &count);
    CHECK(numbers[CAPACITY] == 77.0);
    if (status != LOTOR_OK) {
        CHECK(status == LOTOR_INVALID && why.text[0] != '\0' && count == 99);
    } else {
        CHECK(count <= CAPACITY);
    }
    if (size >= sizeof line) {
        return 0;
    }
    for (size_t i = 0; i < size; i++) {
        line[i] = data[i] == ',' || data[i] == '\t' ? ' ' : (char)data[i];
    }
    CHECK(lotor_audit_answer_read(line, size, CAPACITY, NULL, again, &other) == status);
    for (size_t i = 0; status == LOTOR_OK && i < count; i++) {
        CHECK(is_same(numbers[i], again[i]));
    }
    CHECK(other == count && again[CAPACITY] == 77.0);
    return 0;
}
