/* fuzz_inbox_load.c - loads saved inboxes. Two bytes choose the shape, and the rest is the payload.
 * A loaded inbox is saved to bytes that load to themselves, opens further rounds, and returns all
 * rounds in order. */
#include "fuzz.h"

#include "privacy/intake/inbox.h"

enum { MORE = 20 };

/* The event numbers of the rounds in the inbox follow from the last event and from the number of
 * open rounds. */
static void use(lotor_inbox *inbox)
{
    const uint32_t arm = 5;
    const int64_t units[4] = {1, 2, 3, 4};
    uint64_t last = 0;
    for (int i = 0; i < MORE; i++) {
        uint64_t event;
        if (lotor_inbox_show(inbox, &arm, 1, &event) != LOTOR_OK) {
            break; /* there are no more event numbers */
        }
        CHECK(event > last && (last == 0 || event == last + 1));
        last = event;
    }
    const size_t waiting = lotor_inbox_waiting(inbox);
    if (last > 0) {
        CHECK(lotor_inbox_observe(inbox, last, units) == LOTOR_OK);
        CHECK(lotor_inbox_observe(inbox, last, units) == LOTOR_DUPLICATE);
        for (uint64_t event = last; last - event < waiting; event--) {
            CHECK(lotor_inbox_expire(inbox, event) == LOTOR_OK);
        }
    }
    lotor_round round;
    size_t taken = 0;
    uint64_t before = 0;
    while (lotor_inbox_peek(inbox, &round)) {
        CHECK(before == 0 || round.event == before + 1);
        before = round.event;
        for (size_t i = 0; i < round.arm_count; i++) {
            (void)*(const volatile uint32_t *)&round.arms[i];
        }
        (void)*(const volatile int64_t *)&round.units[0];
        CHECK(lotor_inbox_drop(inbox));
        taken++;
    }
    if (last > 0) {
        CHECK(taken == waiting && before == last);
        CHECK(lotor_inbox_observe(inbox, last, units) == LOTOR_LATE);
    }
}

static const int64_t missing[3] = {0};

/* NULL if the bytes are refused. */
static lotor_inbox *load(size_t slots, size_t contributions, const unsigned char *bytes,
                         size_t length)
{
    lotor_inbox *inbox;
    CHECK(lotor_inbox_new(slots, contributions, missing, &inbox) == LOTOR_OK);
    lotor_reader reader;
    CHECK(lotor_reader_open(&reader, "inbox", bytes, length, NULL) == LOTOR_OK);
    CHECK(lotor_inbox_load(inbox, &reader) == LOTOR_OK);
    if (lotor_reader_finish(&reader, NULL) == LOTOR_OK) {
        return inbox;
    }
    lotor_inbox_free(inbox);
    return NULL;
}

static unsigned char *save(const lotor_inbox *inbox, size_t *length)
{
    unsigned char *bytes;
    lotor_writer writer;
    lotor_writer_start(&writer, "inbox");
    lotor_inbox_save(inbox, &writer);
    CHECK(lotor_writer_seal(&writer, &bytes, length) == LOTOR_OK);
    return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) {
        return 0;
    }
    const size_t slots = 1 + data[0] % 4, contributions = 1 + data[1] % 3;
    size_t length;
    unsigned char *bytes = fuzz_envelope("inbox", data + 2, size - 2, &length);
    lotor_inbox *inbox = load(slots, contributions, bytes, length);
    free(bytes);
    if (inbox) { /* the saved bytes may differ from those of an older version */
        size_t once_length, twice_length;
        unsigned char *once = save(inbox, &once_length);
        CHECK(once_length == length);
        lotor_inbox *again = load(slots, contributions, once, once_length);
        CHECK(again);
        unsigned char *twice = save(again, &twice_length);
        CHECK(twice_length == length && memcmp(once, twice, length) == 0);
        lotor_bytes_free(once, once_length);
        lotor_bytes_free(twice, twice_length);
        lotor_inbox_free(again);
        use(inbox);
        lotor_inbox_free(inbox);
    }
    return 0;
}
