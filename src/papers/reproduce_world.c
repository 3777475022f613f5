/* reproduce_world.c - makes the worlds of the figures: see reproduce_plan.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/message.h"
#include "papers/reproduce_plan.h"

enum { PATH_ROOM = 4200, LOOK_ALIKE_USERS = 6040, LOOK_ALIKE_MOVIES = 3706, LOOK_ALIKE_SEED = 1 };

/* The lines of ratings.dat and movies.dat of MovieLens 1M, by its own description. */
enum { MOVIELENS_RATINGS = 1000209, MOVIELENS_MOVIES = 3883 };

/* Means with as many good arms as are shown, followed by the others. The caller frees *out. */
static lotor_status two_valued_means(const lotor_setting *setting, lotor_message *why, double **out)
{
    if (setting->slots > setting->arms || setting->arms == 0) {
        return lotor_fail(LOTOR_INVALID, why, "%zu good arms among %zu: there are not as many",
                          setting->slots, setting->arms);
    }
    *out = calloc(setting->arms, sizeof **out);
    if (!*out) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for %zu arms", setting->arms);
    }
    for (size_t i = 0; i < setting->arms; i++) {
        (*out)[i] = i < setting->slots ? setting->high : setting->low;
    }
    return LOTOR_OK;
}

/* --- MovieLens -------------------------------------------------------------------------------- */

static const char *const movie_files[] = {"ratings.dat", "movies.dat"};
enum { MOVIE_FILES = sizeof movie_files / sizeof *movie_files };

static bool name_file(const char *folder, const char *name, const char *ending,
                      char path[PATH_ROOM])
{
    const int length = snprintf(path, PATH_ROOM, "%s/%s%s", folder, name, ending);
    return length > 0 && length < PATH_ROOM;
}

/* Goes on from *hash. The hash tells that a file changed; it does not stop a forger. */
static bool digest_file(const char *path, uint64_t *hash)
{
    unsigned char bytes[1 << 14];
    size_t length;
    FILE *file = fopen(path, "re");
    if (!file) {
        return false;
    }
    while ((length = fread(bytes, 1, sizeof bytes, file)) > 0) {
        *hash = lotor_hash_bytes(*hash, bytes, length);
    }
    *hash = lotor_hash_byte(*hash, 0x100); /* the end of the file: differs from every byte */
    const bool is_read = !ferror(file);
    return fclose(file) == 0 && is_read;
}

bool lotor_movies_digest(const char *folder, uint64_t *out)
{
    *out = LOTOR_HASH_START;
    bool is_read = true;
    for (size_t i = 0; i < MOVIE_FILES && is_read; i++) {
        char path[PATH_ROOM];
        is_read =
            name_file(*folder ? folder : ".", movie_files[i], "", path) && digest_file(path, out);
    }
    return is_read;
}

/* The number of lines of a file; 0 if it can't be read. */
static uint64_t count_lines(const char *folder, const char *name)
{
    char path[PATH_ROOM];
    unsigned char bytes[1 << 14];
    uint64_t lines = 0;
    FILE *file = name_file(*folder ? folder : ".", name, "", path) ? fopen(path, "re") : NULL;
    for (size_t length; file && (length = fread(bytes, 1, sizeof bytes, file)) > 0;) {
        for (size_t i = 0; i < length; i++) {
            lines += bytes[i] == '\n';
        }
    }
    if (file) {
        (void)fclose(file);
    }
    return lines;
}

bool lotor_movies_are_real(const char *folder)
{
    return count_lines(folder, movie_files[0]) == MOVIELENS_RATINGS &&
           count_lines(folder, movie_files[1]) == MOVIELENS_MOVIES;
}

/* The content of the look-alike's file "made": its parameters, and the hash of both files. */
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

/* True if both files are there and unchanged. */
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

/* Renames damaged files instead of deleting them: they might belong to the user. */
static lotor_status make_again(const char *folder, lotor_message *why)
{
    char path[PATH_ROOM], aside[PATH_ROOM];
    for (size_t i = 0; i < MOVIE_FILES; i++) {
        if (name_file(folder, movie_files[i], "", path) &&
            name_file(folder, movie_files[i], ".damaged", aside)) {
            (void)rename(path, aside); /* if this fails, the generator below refuses to overwrite */
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

/* The name of the instance: the user's copy, or a look-alike that is made once and kept next to the
 * figures. */
static lotor_status name_movies(const lotor_reproduction *how, lotor_message *why,
                                char name[PATH_ROOM])
{
    static const char prefix[] = "movielens:";
    char *folder = name + strlen(prefix);
    const size_t room = PATH_ROOM - 40 - strlen(prefix); /* leaves room for names of files */
    const int length = how->movielens
                           ? snprintf(name, PATH_ROOM, "%s%s", prefix, how->movielens)
                           : snprintf(name, PATH_ROOM, "%s%s/.movielens", prefix, how->scratch);
    if (length < 0 || (size_t)length >= room + strlen(prefix)) {
        return lotor_fail(LOTOR_INVALID, why, "the folder's name is longer than %zu bytes", room);
    }
    return how->movielens || is_whole(folder) ? LOTOR_OK : make_again(folder, why);
}

/* --- problems --------------------------------------------------------------------------------- */

/* Makes the parameters of the simulation, without the world's means and name. */
static lotor_status ask(const lotor_setting *setting, lotor_message *why,
                        lotor_simulate_params *out)
{
    const bool is_linear = setting->place == LOTOR_FIGURE_WORLD_LINEAR;
    *out = (lotor_simulate_params){
        .policy = {.algorithm = setting->algorithm,
                   .arms = setting->arms,
                   .slots = is_linear ? 0 : setting->slots,
                   .cascade = setting->cascade,
                   .horizon = setting->horizon,
                   .beta = setting->beta,
                   .regularizer = setting->regularizer,
                   .dimension = is_linear ? setting->dimension : 0},
        .has_gap = is_linear && setting->has_gap,
        .gap = setting->gap,
    };
    const lotor_status status = lotor_setting_ratio(setting->epsilon, why, &out->policy.epsilon);
    return status == LOTOR_OK ? lotor_setting_ratio(setting->delta, why, &out->policy.delta)
                              : status;
}

static lotor_status make_world(const lotor_reproduction *how, const lotor_setting *setting,
                               const lotor_simulate_params *asked, lotor_message *why,
                               lotor_problem_setup *out)
{
    lotor_simulate_params named = *asked;
    double *means = NULL;
    uint32_t *ends = NULL;
    char movies[PATH_ROOM];
    lotor_status status = LOTOR_OK;
    if (setting->place == LOTOR_FIGURE_WORLD_TWO_VALUED) {
        status = two_valued_means(setting, why, &means);
        named.means = means;
    } else if (lotor_setting_has_graph(setting)) {
        status = lotor_figure_graph(setting, why, &means, &ends);
        named.means = means;
    } else if (setting->place == LOTOR_FIGURE_WORLD_MOVIELENS) {
        status = name_movies(how, why, movies);
        named.instance = movies;
    } else if (setting->place != LOTOR_FIGURE_WORLD_LINEAR) {
        named.instance = setting->instance ? setting->instance : "";
    }
    if (status == LOTOR_OK) {
        status = lotor_problem_make_world(&named, why, out);
        out->arrays = ends; /* the setup frees them */
    } else {
        free(ends);
    }
    free(means);
    return status;
}

static bool is_same_world(const lotor_setting *one, const lotor_setting *other)
{
    const char *here = one->instance ? one->instance : "";
    const char *there = other->instance ? other->instance : "";
    return one->place == other->place && strcmp(here, there) == 0 && one->arms == other->arms &&
           one->slots == other->slots && one->high == other->high && one->low == other->low;
}

lotor_status lotor_figure_cell_problem_make(lotor_figure_cell_problem *self,
                                            const lotor_reproduction *how,
                                            const lotor_setting *setting, lotor_message *why)
{
    lotor_simulate_params asked;
    lotor_status status = ask(setting, why, &asked);
    if (status == LOTOR_OK && !(self->setup.world && is_same_world(setting, &self->made))) {
        lotor_problem_clear(&self->setup);
        self->made = *setting;
        status = make_world(how, setting, &asked, why, &self->setup);
    }
    if (status == LOTOR_OK && lotor_setting_has_graph(setting)) {
        lotor_figure_graph_use(setting, self->setup.arrays, &asked.policy);
    }
    if (status == LOTOR_OK) {
        lotor_problem_take_policy(&self->setup, &asked.policy);
    }
    return status;
}
