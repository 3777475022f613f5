/* reproduce_world.c - the worlds that figures are played in: see reproduce_plan.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "papers/reproduce_plan.h"

enum { PATH_ROOM = 4200, LOOK_ALIKE_USERS = 6040, LOOK_ALIKE_MOVIES = 3706, LOOK_ALIKE_SEED = 1 };

static lotor_status make_two_valued(const lotor_setting *setting, lotor_message *why,
                                    lotor_world **out)
{
    if (setting->slots > setting->arms || setting->arms == 0) {
        return lotor_fail(LOTOR_INVALID, why, "%zu good arms among %zu: there are not as many",
                          setting->slots, setting->arms);
    }
    double *means = calloc(setting->arms, sizeof *means);
    if (!means) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for %zu arms", setting->arms);
    }
    for (size_t i = 0; i < setting->arms; i++) {
        means[i] = i < setting->slots ? setting->high : setting->low;
    }
    const lotor_status status = lotor_world_bernoulli(setting->arms, means, why, out);
    free(means);
    return status;
}

/* --- MovieLens ---------------------------------------------------------------------------------- */

static const char *const movie_files[] = {"ratings.dat", "movies.dat"};
enum { MOVIE_FILES = sizeof movie_files / sizeof *movie_files };

static bool name_file(const char *folder, const char *name, const char *ending,
                      char path[PATH_ROOM])
{
    const int length = snprintf(path, PATH_ROOM, "%s/%s%s", folder, name, ending);
    return length > 0 && length < PATH_ROOM;
}

/* FNV-1a: to notice another file, not to stop a forger. */
static bool digest_file(const char *path, uint64_t *hash)
{
    unsigned char bytes[1 << 14];
    size_t length;
    FILE *file = fopen(path, "re");
    if (!file) {
        return false;
    }
    while ((length = fread(bytes, 1, sizeof bytes, file)) > 0) {
        for (size_t i = 0; i < length; i++) {
            *hash = (*hash ^ bytes[i]) * UINT64_C(0x100000001b3);
        }
    }
    *hash = (*hash ^ 0x100) * UINT64_C(0x100000001b3); /* the file's end, which is no byte */
    const bool is_read = !ferror(file);
    return fclose(file) == 0 && is_read;
}

bool lotor_movies_digest(const char *folder, uint64_t *out)
{
    *out = UINT64_C(0xcbf29ce484222325);
    bool is_read = true;
    for (size_t i = 0; i < MOVIE_FILES && is_read; i++) {
        char path[PATH_ROOM];
        is_read =
            name_file(*folder ? folder : ".", movie_files[i], "", path) && digest_file(path, out);
    }
    return is_read;
}

/* What stands in the look-alike's file "made": of what it was made, and the digest of both files. */
typedef struct stamp {
    char text[96];
} stamp;

static stamp stamp_of(uint64_t digest)
{
    stamp made;
    snprintf(made.text, sizeof made.text, "lotor %s, %d users, %d movies, seed %d: %016llx\n",
             lotor_version(), LOOK_ALIKE_USERS, LOOK_ALIKE_MOVIES, LOOK_ALIKE_SEED,
             (unsigned long long)digest);
    return made;
}

/* Both files are there as they were written. */
static bool is_whole(const char *folder)
{
    char path[PATH_ROOM], text[sizeof(stamp) + 1] = "";
    uint64_t digest;
    FILE *file = name_file(folder, "made", "", path) ? fopen(path, "re") : NULL;
    if (!file) {
        return false;
    }
    const size_t length = fread(text, 1, sizeof text - 1, file);
    (void)fclose(file);
    text[length] = '\0';
    return lotor_movies_digest(folder, &digest) && strcmp(text, stamp_of(digest).text) == 0;
}

/* What is damaged is set aside, not deleted: it might be someone's. */
static lotor_status make_again(const char *folder, lotor_message *why)
{
    char path[PATH_ROOM], aside[PATH_ROOM];
    for (size_t i = 0; i < MOVIE_FILES; i++) {
        if (name_file(folder, movie_files[i], "", path) &&
            name_file(folder, movie_files[i], ".damaged", aside)) {
            (void)rename(path, aside); /* if it is there; else generating refuses below */
        }
    }
    const lotor_status status = lotor_world_movielens_generate(
        folder, LOOK_ALIKE_USERS, LOOK_ALIKE_MOVIES, LOOK_ALIKE_SEED, why);
    if (status != LOTOR_OK) {
        return status;
    }
    uint64_t digest;
    FILE *file = lotor_movies_digest(folder, &digest) && name_file(folder, "made", "", path)
                     ? fopen(path, "we")
                     : NULL;
    const bool is_written = file && fputs(stamp_of(digest).text, file) >= 0;
    if ((file && fclose(file) != 0) || !is_written) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%s could not be written; give a folder that has room",
                          lotor_excerpt(path, strlen(path)).text);
    }
    return LOTOR_OK;
}

/* The user's copy, or a look-alike that is made once and kept beside the figures. */
static lotor_status make_movies(const lotor_reproduction *how, size_t arms, lotor_message *why,
                                lotor_world **out)
{
    if (how->movielens) {
        return lotor_world_movielens(how->movielens, arms, why, out);
    }
    char folder[PATH_ROOM - 40];
    const int length = snprintf(folder, sizeof folder, "%s/.movielens", how->scratch);
    if (length < 0 || (size_t)length >= sizeof folder) {
        return lotor_fail(LOTOR_INVALID, why, "the folder's name is longer than %zu bytes",
                          sizeof folder);
    }
    const lotor_status status = is_whole(folder) ? LOTOR_OK : make_again(folder, why);
    return status == LOTOR_OK ? lotor_world_movielens(folder, arms, why, out) : status;
}

/* --- any ---------------------------------------------------------------------------------------- */

static bool is_same_world(const lotor_setting *one, const lotor_setting *other)
{
    const char *here = one->instance ? one->instance : "";
    const char *there = other->instance ? other->instance : "";
    return one->place == other->place && strcmp(here, there) == 0 && one->arms == other->arms &&
           one->slots == other->slots && one->high == other->high && one->low == other->low;
}

lotor_status lotor_scenery_find(lotor_scenery *scenery, const lotor_reproduction *how,
                                const lotor_setting *setting, lotor_message *why)
{
    if (scenery->world && is_same_world(setting, &scenery->made)) {
        return LOTOR_OK;
    }
    lotor_world_free(scenery->world);
    scenery->world = NULL;
    scenery->made = *setting;
    switch (setting->place) {
    case LOTOR_PLACE_TWO_VALUED:
        return make_two_valued(setting, why, &scenery->world);
    case LOTOR_PLACE_MOVIELENS:
        return make_movies(how, setting->arms, why, &scenery->world);
    default:
        return lotor_world_instance(setting->instance ? setting->instance : "", setting->arms, why,
                                    &scenery->world);
    }
}
