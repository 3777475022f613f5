/* fuzz_graph.c - reads any bytes as a file of edges. The lowest bit of the first byte says whether
 * the file is a coverage system. The result is a valid world, or a refusal. */
#include "fuzz.h"

#include "world/graph.h"

static void check_refusal(lotor_status status, const lotor_message *why)
{
    CHECK(status == LOTOR_INVALID);
    CHECK(why->text[0] != '\0' && memchr(why->text, '\0', sizeof why->text));
    for (const char *letter = why->text; *letter; letter++) {
        CHECK(*letter >= ' ' && *letter <= '~');
    }
}

static void use(const lotor_world *world)
{
    lotor_generator generator;
    size_t left = 0, right = 0;
    lotor_generator_seed(&generator, 1);
    CHECK(world->arms > 0);
    for (uint32_t arm = 0; arm < world->arms; arm++) {
        double sum;
        CHECK(world->means[arm] >= 0 && world->means[arm] <= 1);
        left = world->from[arm] >= left ? world->from[arm] + 1 : left;
        right = world->to[arm] >= right ? world->to[arm] + 1 : right;
        world->draw(world, &generator, &arm, 1, 1, &sum);
        CHECK(sum == 0 || sum == 1);
        for (uint32_t earlier = 0; earlier < arm; earlier++) {
            CHECK(world->from[arm] != world->from[earlier] || world->to[arm] != world->to[earlier]);
        }
    }
    CHECK(world->vertices == (world->is_bipartite || left > right ? left : right));
    CHECK(world->vertices <= 1 << 24);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    const bool is_bipartite = data[0] & 1;
    const char *bytes = (const char *)data + 1;
    lotor_message why = {""};
    lotor_world *world, *again;
    const lotor_status status =
        lotor_world_graph_parse("edges", bytes, size - 1, is_bipartite, 0, &why, &world);
    if (status != LOTOR_OK) {
        CHECK(world == NULL);
        check_refusal(status, &why);
        return 0;
    }
    CHECK(world->is_bipartite == is_bipartite);
    use(world);
    CHECK(lotor_world_graph_parse("edges", bytes, size - 1, is_bipartite, world->arms + 1, &why,
                                  &again) == LOTOR_INVALID);
    CHECK(again == NULL);
    lotor_world_free(world);
    return 0;
}
