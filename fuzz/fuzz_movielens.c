/* fuzz_movielens.c - reads any bytes as a MovieLens folder: movies.dat up to the first '@', the
 * rest is ratings.dat. The result is a valid world, or a refusal. */
#include "fuzz.h"

#include "world/movielens.h"

static void check_refusal(lotor_status status, const lotor_message *why)
{
    CHECK(status == LOTOR_INVALID);
    CHECK(why->text[0] != '\0' && memchr(why->text, '\0', sizeof why->text));
    for (const char *letter = why->text; *letter; letter++) {
        CHECK(*letter >= ' ' && *letter <= '~');
    }
}

/* The mean of an arm is the share of users who rated it. A draw of all arms at once is one user. */
static void use(const lotor_world *world)
{
    enum { MOST = 64 };
    uint32_t shown[MOST];
    double sums[MOST];
    lotor_generator generator;
    lotor_generator_seed(&generator, 1);
    const size_t count = world->arms < MOST ? world->arms : MOST;
    CHECK(world->arms > 0 && world->dimension == LOTOR_GENRES);
    for (size_t i = 0; i < world->arms; i++) {
        CHECK(world->means[i] > 0 && world->means[i] <= 1);
        CHECK(i == 0 || world->means[i] <= world->means[i - 1]);
        int64_t genres = 0;
        for (size_t g = 0; g < LOTOR_GENRES; g++) {
            genres += world->vectors[i * LOTOR_GENRES + g];
        }
        CHECK(genres >= 1 && genres <= LOTOR_GENRES);
    }
    for (size_t i = 0; i < count; i++) {
        shown[i] = (uint32_t)(world->arms - 1 - i);
    }
    world->draw(world, &generator, shown, count, 1, sums);
    for (size_t i = 0; i < count; i++) {
        CHECK(sums[i] == 0 || sums[i] == 1);
        CHECK(world->means[shown[i]] < 1 || sums[i] == 1);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    const char *cut = size > 0 ? memchr(text, '@', size) : NULL;
    const size_t movies = cut ? (size_t)(cut - text) : size;
    const size_t ratings = cut ? size - movies - 1 : 0;
    lotor_message why = {""};
    lotor_movielens parsed;
    lotor_world *world = NULL;
    lotor_status status = lotor_movielens_parse(
        lotor_records_of("movies.dat", text, movies),
        lotor_records_of("ratings.dat", cut ? cut + 1 : text, ratings), &why, &parsed);
    if (status == LOTOR_OK) {
        status = lotor_world_movielens_of(&parsed, 0, &why, &world);
        CHECK(status == LOTOR_OK);
        use(world);
        lotor_world_free(world);
    } else {
        check_refusal(status, &why);
    }
    lotor_movielens_clear(&parsed);
    return 0;
}
