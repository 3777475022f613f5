/* test_forged_elimination.c - saved elimination learners, and their sums, with one forged word:
 * impossible states are refused, and possible ones load. */
#include "support/test.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "learn/elimination.h"
#include "privacy/release/epoch.h"

enum { ARMS = 4, MOST_WORDS = 64 };

typedef struct words {
    uint64_t at[MOST_WORDS];
    size_t count;
} words;

static words words_in(lotor_writer *writer)
{
    unsigned char *bytes;
    size_t length;
    lotor_reader reader;
    words out = {.count = 0};
    assert_int_equal(lotor_writer_seal(writer, &bytes, &length), LOTOR_OK);
    assert_int_equal(lotor_reader_open(&reader, "forged", bytes, length, NULL), LOTOR_OK);
    out.count = (size_t)(reader.end - reader.next) / 8;
    assert_true(out.count <= MOST_WORDS);
    for (size_t i = 0; i < out.count; i++) {
        out.at[i] = lotor_read_u64(&reader);
    }
    lotor_bytes_free(bytes, length);
    return out;
}

static lotor_elimination *learner_of(void)
{
    const lotor_rule_params params = {.arms = ARMS, .horizon = 1e5, .epsilon = 1.0, .beta = 1e-5};
    lotor_elimination *learner;
    assert_int_equal(lotor_elimination_new(&lotor_rule_dp_se2, &params, ARMS, 1.0, &learner),
                     LOTOR_OK);
    return learner;
}

static lotor_epoch *epoch_of(void)
{
    const lotor_release_params params = {
        .dimension = 1, .horizon = 1000, .epsilon = lotor_ratio_of(1, 1), .l1 = 8, .magnitude = 8};
    lotor_epoch *epoch;
    assert_int_equal(lotor_epoch_new(LOTOR_EPOCH_GATED, ARMS, &params, 0.125, NULL, &epoch),
                     LOTOR_OK);
    return epoch;
}

static words words_of(const lotor_elimination *learner, const lotor_epoch *epoch)
{
    lotor_writer writer;
    lotor_writer_start(&writer, "forged");
    if (learner) {
        lotor_elimination_save(learner, &writer);
    } else {
        lotor_epoch_save(epoch, &writer);
    }
    return words_in(&writer);
}

/* Loads the words into a learner, or into an epoch if `learner` is NULL. */
static lotor_status load(const words *from, lotor_elimination *learner, lotor_epoch *epoch)
{
    lotor_writer writer;
    lotor_reader reader;
    unsigned char *bytes;
    size_t length;
    lotor_writer_start(&writer, "forged");
    for (size_t i = 0; i < from->count; i++) {
        lotor_write_u64(&writer, from->at[i]);
    }
    assert_int_equal(lotor_writer_seal(&writer, &bytes, &length), LOTOR_OK);
    assert_int_equal(lotor_reader_open(&reader, "forged", bytes, length, NULL), LOTOR_OK);
    if (learner) {
        lotor_elimination_load(learner, &reader);
    } else {
        lotor_epoch_load(epoch, &reader);
    }
    const lotor_status status = lotor_reader_finish(&reader, NULL);
    lotor_bytes_free(bytes, length);
    return status;
}

/* Words: epoch, step, open, count, then the viable arms in increasing order. */
TEST(learners_that_can_not_be)
{
    const struct {
        words saved;
        lotor_status expected;
    } cases[] = {
        {{{1, 1, 0, 4, 0, 1, 2, 3}, 8}, LOTOR_OK},
        {{{7, 61, 1, 2, 1, 3}, 6}, LOTOR_OK},
        {{{1, 1, 0, 1, 3}, 5}, LOTOR_OK},
        {{{0, 1, 0, 4, 0, 1, 2, 3}, 8}, LOTOR_DAMAGED},  /* epochs count from 1 */
        {{{1, 0, 0, 4, 0, 1, 2, 3}, 8}, LOTOR_DAMAGED},  /* and so do steps, */
        {{{1, 62, 0, 4, 0, 1, 2, 3}, 8}, LOTOR_DAMAGED}, /* of which there are 61 */
        {{{1, 1, 2, 4, 0, 1, 2, 3}, 8}, LOTOR_DAMAGED},  /* open is 0 or 1 */
        {{{1, 1, 0, 0}, 4}, LOTOR_DAMAGED},              /* nothing to show */
        {{{1, 1, 0, 5, 0, 1, 2, 3, 3}, 9}, LOTOR_DAMAGED},
        {{{1, 1, 0, 2, 3, 1}, 6}, LOTOR_DAMAGED}, /* out of order */
        {{{1, 1, 0, 2, 1, 1}, 6}, LOTOR_DAMAGED}, /* twice */
        {{{1, 1, 0, 2, 1, 4}, 6}, LOTOR_DAMAGED}, /* no such arm */
        {{{1, 1, 0, 2, UINT64_C(1) << 32, 3}, 6}, LOTOR_DAMAGED},
        {{{1, 1, 0, 3, 0, 1}, 6}, LOTOR_DAMAGED}, /* one is missing */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lotor_elimination *learner = learner_of();
        assert_int_equal(load(&cases[i].saved, learner, NULL), cases[i].expected);
        if (cases[i].expected == LOTOR_OK) { /* it is what was written, */
            const words again = words_of(learner, NULL);
            assert_int_equal(again.count, cases[i].saved.count);
            assert_memory_equal(again.at, cases[i].saved.at, again.count * sizeof *again.at);
        } else { /* and what was refused left arms to show */
            size_t count;
            (void)lotor_elimination_viable(learner, &count);
            assert_int_equal(count, ARMS);
        }
        lotor_elimination_free(learner);
    }
}

/* Words: 4 sums, 4 draws, drawn, answered, above, 4 counts, then the gate. */
TEST(epochs_that_can_not_be)
{
    enum { DRAWN = 2 * ARMS, ANSWERED, ABOVE };
    lotor_epoch *epoch = epoch_of();
    for (size_t i = 0; i < ARMS; i++) {
        lotor_epoch_feed(epoch, i, (int64_t)i, 3);
    }
    const words good = words_of(NULL, epoch);
    lotor_epoch_free(epoch);
    static const struct {
        uint64_t drawn, answered, above;
        lotor_status expected;
    } cases[] = {{0, 0, 0, LOTOR_OK},
                 {1, 0, 0, LOTOR_OK},
                 {0, 1, 0, LOTOR_OK},
                 {0, 1, 1, LOTOR_OK},
                 {2, 0, 0, LOTOR_DAMAGED},
                 {0, 2, 0, LOTOR_DAMAGED},
                 {0, 1, 2, LOTOR_DAMAGED},
                 {0, 0, 1, LOTOR_DAMAGED}, /* above, but there was no query */
                 {UINT64_MAX, 0, 0, LOTOR_DAMAGED}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        words forged = good;
        forged.at[DRAWN] = cases[i].drawn;
        forged.at[ANSWERED] = cases[i].answered;
        forged.at[ABOVE] = cases[i].above;
        epoch = epoch_of();
        assert_int_equal(load(&forged, NULL, epoch), cases[i].expected);
        if (cases[i].expected == LOTOR_OK) {
            const words again = words_of(NULL, epoch);
            assert_int_equal(again.count, forged.count);
            assert_memory_equal(again.at, forged.at, again.count * sizeof *again.at);
            assert_int_equal(lotor_epoch_count(epoch, 3), 3);
        }
        lotor_epoch_free(epoch);
    }
}
