/* fuzz_replay.c - reads any bytes as a recorded log. The result is a valid world, or a refusal. */
#include "fuzz.h"

#include "world/replay.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lotor_message why = {""};
    lotor_world *world;
    const lotor_status status =
        lotor_world_replay_parse("log", (const char *)data, size, &why, &world);
    if (status != LOTOR_OK) {
        CHECK(status == LOTOR_INVALID && world == NULL);
        CHECK(why.text[0] != '\0' && memchr(why.text, '\0', sizeof why.text));
        for (const char *letter = why.text; *letter; letter++) {
            CHECK(*letter >= ' ' && *letter <= '~');
        }
        return 0;
    }
    lotor_generator generator;
    lotor_generator_seed(&generator, 1);
    for (uint32_t arm = 0; arm < world->arms; arm++) {
        double sum;
        CHECK(world->means[arm] >= 0 && world->means[arm] <= 1);
        world->draw(world, &generator, &arm, 1, 1, &sum);
        CHECK(sum >= 0 && sum <= 1);
        CHECK(!world->is_binary || sum == 0 || sum == 1);
        world->draw(world, &generator, &arm, 1, 50, &sum);
        CHECK(sum >= 0 && sum <= 50);
    }
    lotor_world_free(world);
    return 0;
}
