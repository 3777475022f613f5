/* movielens.c - users and the movies they rated, as a world (Chandak 2023, section 6.1.2).
 *
 * The arms are the most rated movies. A round draws one user at random. Each shown movie pays 1 if
 * that user rated it, so the rewards of one round depend on each other. The world stores one bit
 * for each user and arm:
 *
 *              arm 0  1  2 ... 63 | 64 ...
 *      user 0      1  0  1      0    1           mean of an arm = ones in its column / users
 *      user 1      0  0  1      1    0
 *
 * An arm's vector says which of the 18 genres it has, so sets of independent vectors are diverse.
 */
#include "world/movielens.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/wide.h"
#include "world/world.h"

typedef struct movielens {
    lotor_world world; /* must be first: a lotor_world * is cast to the whole struct */
    double *means;
    char **names;
    char *letters; /* the text of all names */
    int64_t *vectors;
    uint64_t *bits; /* users x words */
    size_t users, words;
} movielens;

static void draw(const lotor_world *world, lotor_generator *generator, const uint32_t *arms,
                 size_t count, uint64_t rounds, double *sums)
{
    const movielens *self = (const movielens *)world;
    for (size_t i = 0; i < count; i++) {
        sums[i] = 0;
    }
    for (uint64_t round = 0; round < rounds; round++) {
        const lotor_u128 place = (lotor_u128)lotor_generator_word(generator) * self->users;
        const uint64_t *rated = self->bits + (size_t)(place >> 64) * self->words;
        for (size_t i = 0; i < count; i++) {
            sums[i] += (double)(rated[arms[i] / 64] >> (arms[i] % 64) & 1);
        }
    }
}

static void destroy(lotor_world *world)
{
    movielens *self = (movielens *)world;
    free(self->means);
    free(self->names);
    free(self->letters);
    free(self->vectors);
    free(self->bits);
    free(self);
}

static int by_popularity(const void *left, const void *right)
{
    const lotor_movie *a = left;
    const lotor_movie *b = right;
    if (a->ratings != b->ratings) {
        return a->ratings < b->ratings ? 1 : -1;
    }
    return (a->id > b->id) - (a->id < b->id);
}

/* Sorts the movies by popularity. Returns the arm of each movie, by its number before the sort. */
static uint32_t *rank_movies(lotor_movielens *data)
{
    uint32_t *arm_of = calloc(data->movie_count + 1, sizeof *arm_of);
    if (!arm_of) {
        return NULL;
    }
    qsort(data->movies, data->movie_count, sizeof *data->movies, by_popularity);
    for (size_t rank = 0; rank < data->movie_count; rank++) {
        arm_of[data->movies[rank].number] = (uint32_t)rank;
    }
    return arm_of;
}

static lotor_status check_arms(const lotor_movielens *data, size_t *arms, lotor_message *why)
{
    size_t rated = 0;
    for (size_t i = 0; i < data->movie_count; i++) {
        rated += data->movies[i].ratings > 0;
    }
    if (*arms == 0) {
        *arms = rated < LOTOR_MOVIELENS_ARMS ? rated : LOTOR_MOVIELENS_ARMS;
    }
    if (*arms > rated || *arms > LOTOR_WORLD_ARMS_MAX) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%zu arms were asked for, but only %zu movies were rated", *arms, rated);
    }
    return LOTOR_OK;
}

static void fill(movielens *self, const lotor_movielens *data, const uint32_t *arm_of)
{
    const size_t arms = self->world.arms;
    for (size_t i = 0; i < data->rating_count; i++) {
        const size_t user = (size_t)(data->ratings[i] >> 32);
        const uint32_t arm = arm_of[data->ratings[i] & UINT32_MAX];
        if (arm < arms) {
            self->bits[user * self->words + arm / 64] |= UINT64_C(1) << (arm % 64);
        }
    }
    for (size_t arm = 0; arm < arms; arm++) {
        self->means[arm] = (double)data->movies[arm].ratings / (double)data->users;
        for (size_t g = 0; g < LOTOR_GENRES; g++) {
            self->vectors[arm * LOTOR_GENRES + g] = data->movies[arm].genres >> g & 1;
        }
    }
}

/* Converts the titles to UTF-8. In Latin-1 a byte is a character; from 0x80 on it takes two bytes
 * in UTF-8. Characters that can't be printed become blanks. */
static bool name_arms(movielens *self, const lotor_movielens *data)
{
    size_t room = 1;
    for (size_t arm = 0; arm < self->world.arms; arm++) {
        room += 2 * data->movies[arm].title.length + 1;
    }
    self->letters = malloc(room);
    if (!self->letters) {
        return false;
    }
    char *at = self->letters;
    for (size_t arm = 0; arm < self->world.arms; arm++) {
        const lotor_slice title = data->movies[arm].title;
        self->names[arm] = at;
        for (size_t i = 0; i < title.length; i++) {
            const unsigned char byte = (unsigned char)title.text[i];
            if (byte >= 0xa0) {
                *at++ = (char)(0xc0 | byte >> 6);
                *at++ = (char)(0x80 | (byte & 0x3f));
            } else {
                *at++ = byte >= ' ' && byte < 0x7f ? (char)byte : ' ';
            }
        }
        *at++ = '\0';
    }
    return true;
}

static movielens *reserve(size_t arms, size_t users)
{
    movielens *self = calloc(1, sizeof *self);
    if (!self) {
        return NULL;
    }
    self->users = users;
    self->words = (arms + 63) / 64;
    self->means = calloc(arms, sizeof *self->means);
    self->names = calloc(arms, sizeof *self->names);
    self->vectors = calloc(arms, LOTOR_GENRES * sizeof *self->vectors);
    self->bits = calloc(users, self->words * sizeof *self->bits);
    if (!self->means || !self->names || !self->vectors || !self->bits) {
        destroy(&self->world);
        return NULL;
    }
    return self;
}

lotor_status lotor_world_movielens_of(lotor_movielens *data, size_t arms, lotor_message *why,
                                      lotor_world **out)
{
    *out = NULL;
    const lotor_status status = check_arms(data, &arms, why);
    if (status != LOTOR_OK) {
        return status;
    }
    uint32_t *arm_of = rank_movies(data);
    movielens *self = arm_of ? reserve(arms, data->users) : NULL;
    if (!self) {
        free(arm_of);
        return lotor_world_out_of_memory(why);
    }
    self->world = (lotor_world){
        .id = "movielens",
        .arms = arms,
        .means = self->means,
        .names = (const char *const *)self->names,
        .vectors = self->vectors,
        .dimension = LOTOR_GENRES,
        .draw = draw,
        .destroy = destroy,
    };
    fill(self, data, arm_of);
    free(arm_of);
    if (!name_arms(self, data)) {
        destroy(&self->world);
        return lotor_world_out_of_memory(why);
    }
    *out = &self->world;
    return LOTOR_OK;
}

/* One file of the folder: its path, which messages need, and its bytes. */
typedef struct part {
    char *path;
    char *bytes;
    size_t length;
} part;

static lotor_status load(const char *folder, const char *name, lotor_message *why, part *out)
{
    const size_t room = strlen(folder) + strlen(name) + 2;
    out->path = malloc(room);
    if (!out->path) {
        return lotor_world_out_of_memory(why);
    }
    snprintf(out->path, room, "%s/%s", folder, name);
    /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the caller frees the path */
    const lotor_status status = lotor_records_load(out->path, why, &out->bytes, &out->length);
    if (status == LOTOR_UNKNOWN) {
        return lotor_fail(LOTOR_UNKNOWN, why,
                          "the file %s does not exist; a MovieLens 1M folder has ratings.dat and "
                          "movies.dat (from grouplens.org, or written by lotor movielens)",
                          lotor_excerpt(out->path, strlen(out->path)).text);
    }
    return status;
}

lotor_status lotor_world_movielens(const char *folder, size_t arms, lotor_message *why,
                                   lotor_world **out)
{
    part ratings = {0}, movies = {0};
    lotor_movielens data = {0};

    *out = NULL;
    folder = *folder ? folder : ".";
    lotor_status status = load(folder, "ratings.dat", why, &ratings);
    if (status == LOTOR_OK) {
        status = load(folder, "movies.dat", why, &movies);
    }
    if (status == LOTOR_OK) {
        status = lotor_movielens_parse(
            lotor_records_of(movies.path, movies.bytes, movies.length),
            lotor_records_of(ratings.path, ratings.bytes, ratings.length), why, &data);
    }
    free(ratings.bytes); /* parsed: free this memory before the next allocations */
    free(ratings.path);
    free(movies.path);
    if (status == LOTOR_OK) {
        status = lotor_world_movielens_of(&data, arms, why, out);
    }
    free(movies.bytes); /* not earlier: the titles point into these bytes */
    lotor_movielens_clear(&data);
    return status;
}
