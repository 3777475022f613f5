/* fuzz_block.c - stored blocks of decisions: refused as damaged, or decisions over known arms that are
 * packed to the same words. The first bytes are the count, the arms and the dimension. */
#include "fuzz.h"

#include "service/engine/engine_parts.h"

static void check_decisions(const lotor_drawn *drawn, size_t arms)
{
    for (size_t i = 0; i < drawn->count; i++) {
        lotor_kept kept;
        const size_t slot = lotor_drawn_kept(drawn, i, &kept);
        CHECK(kept.count >= 1 && kept.count <= arms && slot <= kept.count);
        CHECK(kept.asked_count >= 1 && kept.asked_count <= kept.count);
        for (size_t j = 0; j < kept.count; j++) {
            CHECK(kept.arms[j] < arms);
        }
        for (size_t j = 0; j < kept.asked_count; j++) {
            CHECK(kept.asked[j] < arms);
        }
        CHECK((kept.action != NULL) == (drawn->dimension > 0));
    }
}

static void check_answers(lotor_drawn *drawn)
{
    const int64_t units[2] = {5, -7};
    lotor_message why = {""};
    for (size_t i = 0; i < drawn->count; i++) {
        size_t used = 99;
        CHECK(lotor_drawn_answer(drawn, i, units, 2, 2, &why) == LOTOR_OK);
        const int64_t *const kept = lotor_drawn_units(drawn, i, &used);
        CHECK(used == 2 && kept[0] == 5 && kept[1] == -7);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 4) {
        return 0;
    }
    const size_t arms = (size_t)data[1] + 1, dimension = data[2] % 4;
    unsigned char *const copy = malloc(size); /* so that reading past it is noticed */
    CHECK(copy);
    memcpy(copy, data + 4, size - 4);
    const lotor_block row = {.first = 1,
                             .count = data[3] == 255 ? UINT64_MAX - data[0] : data[0],
                             .drawn = copy,
                             .drawn_length = size - 4};
    lotor_drawn *drawn = NULL;
    lotor_message why = {""};
    const lotor_status status = lotor_drawn_unpack(&row, arms, dimension, &why, &drawn);
    if (status != LOTOR_OK) {
        CHECK(status == LOTOR_DAMAGED && why.text[0] != '\0');
    } else {
        unsigned char *packed;
        size_t length;
        CHECK(drawn->count == row.count);
        check_decisions(drawn, arms);
        check_answers(drawn);
        CHECK(lotor_drawn_pack(drawn, &why, &packed, &length) == LOTOR_OK);
        CHECK(length == row.drawn_length && memcmp(packed, copy, length) == 0);
        free(packed);
        lotor_drawn_free(drawn);
    }
    free(copy);
    return 0;
}
