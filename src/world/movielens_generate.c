/* movielens_generate.c - writes a look-alike of MovieLens 1M.
 *
 * The licence of the data set forbids shipping it. So this file writes data of the same format and
 * with similar statistics, but with invented content. The movie of rank r (from 0, of M) is rated
 * by a share
 *
 *      p(r) = 0.56 (1 + r/B)^-1.3 (1 - (r/M)^4),    B = 0.0402 M
 *
 * of the users: about half of them for the first movie (0.568 in the real data), 2% for the median
 * movie (as in the real data), and hardly anybody for the last. With 6040 users and 3706 movies
 * there are one million ratings. Users differ in their activity a: 0.15 plus an exponential of mean
 * 0.85. A user rates a movie with probability 1 - exp(-a rate(r)), where rate(r) is such that the
 * average over users is p(r).
 *
 * Files are written under a temporary name and renamed when they are complete. Nothing is
 * overwritten, because the folder could hold the real data set.
 */
#include "world/movielens_generate.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/message.h"
#include "base/random/laws.h"
#include "base/wide.h"
#include "world/world.h"

enum {
    MOST_USERS = 1000000,
    MOST_MOVIES = 1000000,
    LEAST_RATINGS = 20,  /* the fewest ratings of a user, as in the real data */
    SPARSE_RATINGS = 40, /* but at most one in this many movies, plus one */
    ID_GAP = 16,         /* one in this many movie ids is missing */
    FIRST_SECOND = 956703932,
    SECONDS = 80000000 /* approximate time between the first and the last rating */
};

static const double MOST_PAIRS = 4e9;
static const double LEAST_ACTIVITY = 0.15;

typedef struct look_alike {
    lotor_generator generator;
    size_t users, movies;
    double *rate;     /* per movie, in the order of ids */
    uint32_t *genres; /* per movie, in the order of ids */
    uint32_t *rated;  /* the movies of the current user */
} look_alike;

static double share_of_users(double rank, double movies)
{
    const double place = rank / movies;
    return 0.56 * pow(1 + rank / (0.0402 * movies), -1.3) * (1 - pow(place, 4));
}

/* The rate for which 1 - E exp(-a rate) = share. The expectation over a has a closed form. The rate
 * is found by bisection: shares are below 0.56, so rates are below 2. */
static double rate_for(double share)
{
    double low = 0, high = 2;
    for (int i = 0; i < 50; i++) {
        const double rate = (low + high) / 2;
        const double nobody = exp(-LEAST_ACTIVITY * rate) / (1 + (1 - LEAST_ACTIVITY) * rate);
        if (1 - nobody < share) {
            low = rate;
        } else {
            high = rate;
        }
    }
    return (low + high) / 2;
}

/* Gives each movie a random rank. */
static void deal_movies(look_alike *self)
{
    uint32_t *const rank = self->rated;
    for (size_t i = 0; i < self->movies; i++) {
        const lotor_u128 place = (lotor_u128)lotor_generator_word(&self->generator) * (i + 1);
        const size_t other = (size_t)(place >> 64);
        rank[i] = rank[other];
        rank[other] = (uint32_t)i;
    }
    for (size_t i = 0; i < self->movies; i++) {
        self->rate[i] = rate_for(share_of_users(rank[i], (double)self->movies));
        self->genres[i] = lotor_movielens_invent_genres(&self->generator, rank[i], self->movies);
    }
}

static unsigned long id_of(size_t movie)
{
    return (unsigned long)(movie + movie / (ID_GAP - 1) + 1);
}

static void write_movies(look_alike *self, FILE *file)
{
    for (size_t i = 0; i < self->movies; i++) {
        char title[LOTOR_TITLE_ROOM];
        lotor_movielens_invent_title(&self->generator, title);
        fprintf(file, "%lu::%s::", id_of(i), title);
        const char *between = "";
        for (size_t g = 0; g < LOTOR_GENRES; g++) {
            if (self->genres[i] >> g & 1) {
                fprintf(file, "%s%s", between, lotor_genre_names[g]);
                between = "|";
            }
        }
        putc('\n', file);
    }
}

/* Fills self->rated for one user. A user with too few ratings is drawn again, and more active. */
static size_t rate_movies(look_alike *self)
{
    const size_t sparse = self->movies / SPARSE_RATINGS + 1;
    const size_t least = sparse < LEAST_RATINGS ? sparse : LEAST_RATINGS;
    double activity =
        LEAST_ACTIVITY + lotor_random_exponential(&self->generator, 1 - LEAST_ACTIVITY);
    for (;; activity *= 1.5) {
        size_t count = 0;
        for (size_t i = 0; i < self->movies; i++) {
            self->rated[count] = (uint32_t)i;
            count += lotor_random_uniform(&self->generator) > exp(-activity * self->rate[i]);
        }
        if (count >= least) {
            return count;
        }
    }
}

/* One to five stars, in 6, 11, 26, 35 and 22 of 100 ratings, as in the real data. */
static unsigned stars(uint64_t word)
{
    const unsigned place = (unsigned)(word % 100);
    return 1u + (place >= 6) + (place >= 17) + (place >= 43) + (place >= 78);
}

static void write_ratings(look_alike *self, FILE *file)
{
    for (size_t user = 0; user < self->users && !ferror(file); user++) {
        const size_t count = rate_movies(self);
        uint64_t second = FIRST_SECOND + lotor_generator_word(&self->generator) % SECONDS;
        for (size_t i = 0; i < count; i++) {
            const uint64_t word = lotor_generator_word(&self->generator);
            second += word >> 59;
            fprintf(file, "%zu::%lu::%u::%llu\n", user + 1, id_of(self->rated[i]), stars(word),
                    (unsigned long long)second);
        }
    }
}

static lotor_status unwritable(const char *path, int error, lotor_message *why)
{
    char text[128];
    return lotor_fail(LOTOR_INVALID, why, "%s could not be written: %s; nothing was generated",
                      lotor_excerpt(path, strlen(path)).text, strerror_r(error, text, sizeof text));
}

/* --- files ------------------------------------------------------------------------------------ */

typedef struct output {
    const char *name;
    void (*write)(look_alike *self, FILE *file);
    char *path, *partial;
} output;

static lotor_status name_output(output *target, const char *folder, lotor_message *why)
{
    const size_t room = strlen(folder) + strlen(target->name) + sizeof "/.partial";
    target->path = malloc(room);
    target->partial = malloc(room);
    if (!target->path || !target->partial) {
        return lotor_world_out_of_memory(why);
    }
    snprintf(target->path, room, "%s/%s", folder, target->name);
    snprintf(target->partial, room, "%s.partial", target->path);
    if (access(target->path, F_OK) == 0) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%s exists already and stays as it is; name another folder, or remove it",
                          lotor_excerpt(target->path, strlen(target->path)).text);
    }
    return LOTOR_OK;
}

static lotor_status write_partial(look_alike *self, const output *target, lotor_message *why)
{
    FILE *file = fopen(target->partial, "we");
    if (!file) {
        return unwritable(target->partial, errno, why);
    }
    errno = 0;
    target->write(self, file);
    const bool written = fflush(file) == 0 && !ferror(file) && fsync(fileno(file)) == 0;
    const int error = errno != 0 ? errno : EIO; /* of the first call that failed */
    if (fclose(file) != 0 && written) {
        return unwritable(target->partial, errno, why);
    }
    return written ? LOTOR_OK : unwritable(target->partial, error, why);
}

/* Writes all files completely before it renames the first. */
static lotor_status write_outputs(look_alike *self, const output *outputs, size_t count,
                                  lotor_message *why)
{
    lotor_status status = LOTOR_OK;
    for (size_t i = 0; i < count && status == LOTOR_OK; i++) {
        status = write_partial(self, &outputs[i], why);
    }
    size_t named = 0;
    while (named < count && status == LOTOR_OK) {
        if (rename(outputs[named].partial, outputs[named].path) != 0) {
            status = unwritable(outputs[named].path, errno, why);
        } else {
            named++;
        }
    }
    for (size_t i = 0; i < count && status != LOTOR_OK; i++) {
        unlink(i < named ? outputs[i].path : outputs[i].partial);
    }
    return status;
}

static lotor_status generate_into(look_alike *self, const char *folder, lotor_message *why)
{
    output outputs[] = {{.name = "movies.dat", .write = write_movies},
                        {.name = "ratings.dat", .write = write_ratings}};
    const size_t count = sizeof outputs / sizeof *outputs;
    lotor_status status = LOTOR_OK;

    for (size_t i = 0; i < count && status == LOTOR_OK; i++) {
        status = name_output(&outputs[i], folder, why);
    }
    if (status == LOTOR_OK) {
        const bool made = mkdir(folder, 0777) == 0;
        if (!made && errno != EEXIST) {
            status = unwritable(folder, errno, why);
        } else {
            status = write_outputs(self, outputs, count, why);
        }
        if (made && status != LOTOR_OK) {
            rmdir(folder);
        }
    }
    for (size_t i = 0; i < count; i++) {
        free(outputs[i].path);
        free(outputs[i].partial);
    }
    return status;
}

lotor_status lotor_world_movielens_generate(const char *folder, size_t users, size_t movies,
                                            uint64_t seed, lotor_message *why)
{
    if (users == 0 || users > MOST_USERS || movies == 0 || movies > MOST_MOVIES ||
        (double)users * (double)movies > MOST_PAIRS) {
        return lotor_fail(LOTOR_INVALID, why,
                          "from 1 to %d users and from 1 to %d movies can be generated, and users "
                          "times movies up to %.0f, not %zu users and %zu movies",
                          MOST_USERS, MOST_MOVIES, MOST_PAIRS, users, movies);
    }
    look_alike self = {.users = users, .movies = movies};
    lotor_status status = LOTOR_OK;
    lotor_generator_seed(&self.generator, seed);
    self.rate = malloc(movies * sizeof *self.rate);
    self.genres = malloc(movies * sizeof *self.genres);
    self.rated = malloc(movies * sizeof *self.rated);
    if (!self.rate || !self.genres || !self.rated) {
        status = lotor_world_out_of_memory(why);
    } else {
        deal_movies(&self);
        status = generate_into(&self, *folder ? folder : ".", why);
    }
    free(self.rate);
    free(self.genres);
    free(self.rated);
    return status;
}
