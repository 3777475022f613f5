/* fuzz_block.c - reads stored blocks of decisions, and the same bytes as records of what blanks have
 * shown. A block is refused as damaged, or it has decisions with known arms that are packed to the same
 * row again. Records are read up to a damaged one, and are packed to the same bytes again. The first
 * bytes are the count, the arms and the length of each sealed action. */
#include "fuzz.h"

#include "service/engine/block.h"
#include "service/engine/fill.h"

static void check_decisions(const lotor_block *block, size_t arms)
{
    for (size_t i = 0; !block->is_blank && i < block->count; i++) {
        lotor_display display;
        const size_t slot = lotor_block_kept(block, i, &display);
        CHECK(display.count >= 1 && display.count <= arms && slot <= display.count);
        CHECK(display.asked_count >= 1 && display.asked_count <= display.count);
        for (size_t j = 0; j < display.count; j++) {
            CHECK(display.arms[j] < arms);
        }
        const bool learns =
            lotor_round_role_of(display.asked, display.asked_count) == LOTOR_ROUND_LEARNS;
        for (size_t j = 0; learns && j < display.asked_count; j++) {
            CHECK(display.asked[j] < arms);
        }
        CHECK(learns || lotor_round_can_record(display.asked[0], arms));
        CHECK((lotor_block_action(block, i) != NULL) == (block->action_each > 0));
    }
}

static void check_packed(lotor_block *block, const lotor_block_row *row)
{
    unsigned char hash[LOTOR_BLOCK_HASH];
    lotor_message why = {""};
    lotor_block_row again;
    memcpy(hash, block->hash, sizeof hash);
    CHECK(lotor_block_pack(block, &why) == LOTOR_OK);
    CHECK(memcmp(hash, block->hash, sizeof hash) == 0);
    lotor_block_row_of(block, &again);
    CHECK(again.first == row->first && again.count == row->count && again.want == row->want);
    CHECK(again.drawn_length == row->drawn_length && again.action_length == row->action_length);
    CHECK(memcmp(again.drawn, row->drawn, row->drawn_length) == 0);
    CHECK(row->action_length == 0 || memcmp(again.action, row->action, row->action_length) == 0);
}

/* Reads the same bytes as decisions without a block, as in the reply to a want. */
static void check_words(const lotor_block_row *row, size_t arms, bool is_fine)
{
    lotor_block *block = NULL;
    lotor_message why = {""};
    const lotor_status status =
        lotor_block_unpack_words(row->drawn, row->drawn_length, row->count, arms, &why, &block);
    CHECK(status == LOTOR_OK || status == LOTOR_DAMAGED);
    CHECK(status == LOTOR_OK || !is_fine);
    if (status == LOTOR_OK) {
        unsigned char *bytes;
        size_t length;
        check_decisions(block, arms);
        CHECK(lotor_block_pack_words(block, &why, &bytes, &length) == LOTOR_OK);
        CHECK(length == row->drawn_length && memcmp(bytes, row->drawn, length) == 0);
        free(bytes);
        lotor_block_free(block);
    }
}

/* Fills records in that belong to a block of 8 blanks. */
static void check_records(const unsigned char *bytes, size_t length, size_t arms)
{
    uint32_t *const words = malloc((3 + 2 * arms) * sizeof *words);
    lotor_block *const block = lotor_block_new_blank(8);
    lotor_fill_list again = {0};
    lotor_fill fill;
    CHECK(words && block);
    block->first = 1;
    lotor_fill_reader reader = {.at = bytes, .left = length, .arms = arms, .words = words};
    while (lotor_fill_next(&reader, &fill)) {
        const size_t before = again.length;
        CHECK(lotor_fill_list_add(&again, &fill));
        CHECK(again.length <= length && again.length > before);
        if (fill.number <= block->count && !lotor_block_is_known(block, (size_t)fill.number - 1) &&
            lotor_block_fill(block, &fill)) {
            lotor_display display;
            CHECK(lotor_block_is_known(block, (size_t)fill.number - 1));
            lotor_block_kept(block, (size_t)fill.number - 1, &display);
            CHECK(display.count == fill.words[0] && display.arms[0] == fill.words[3]);
        }
    }
    CHECK(again.length == 0 || memcmp(again.bytes, bytes, again.length) == 0);
    CHECK(reader.is_damaged || again.length == length);
    lotor_fill_list_clear(&again);
    lotor_block_free(block);
    free(words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const unsigned char actions[3 * 256];
    if (size < 4) {
        return 0;
    }
    const size_t arms = (size_t)data[1] + 1, each = data[2] % 4;
    unsigned char *const copy = malloc(size - 3); /* so that sanitizers notice reads past the end */
    CHECK(copy);
    memcpy(copy, data + 4, size - 4);
    const lotor_block_row row = {.first = data[2] / 4 + 1,
                                 .count = data[3] == 255 ? UINT64_MAX - data[0] : data[0],
                                 .holder = data[3],
                                 .want = data[2],
                                 .until = 1,
                                 .deadline = 2,
                                 .nonce = 3,
                                 .drawn = copy,
                                 .drawn_length = size - 4,
                                 .action = each ? actions : NULL,
                                 .action_length = each * data[0]};
    lotor_block *block = NULL;
    lotor_message why = {""};
    const lotor_status status = lotor_block_unpack(&row, arms, &why, &block);
    check_words(&row, arms, status == LOTOR_OK && !block->is_blank);
    check_records(copy, size - 4, arms);
    if (status != LOTOR_OK) {
        CHECK(status == LOTOR_DAMAGED && why.text[0] != '\0');
    } else {
        CHECK(block->count == row.count && lotor_block_last(block) >= block->first);
        check_decisions(block, arms);
        check_packed(block, &row);
        lotor_block_free(block);
    }
    free(copy);
    return 0;
}
