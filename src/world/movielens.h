/* movielens.h - the MovieLens 1M format, shared by the reader and the generator.
 *
 *      ratings.dat   UserID::MovieID::Rating::Timestamp     1::1193::5::978300760
 *      movies.dat    MovieID::Title (Year)::Genre|Genre     in Latin-1
 */
#ifndef LOTOR_WORLD_MOVIELENS_H
#define LOTOR_WORLD_MOVIELENS_H

#include "base/records.h"
#include "world/world.h"

enum { LOTOR_GENRES = 18, LOTOR_MOVIELENS_ARMS = 100 };

/* In the order of the README of MovieLens 1M. */
extern const char *const lotor_genre_names[LOTOR_GENRES];

typedef struct lotor_movie {
    uint32_t id;
    uint32_t genres;   /* bit g: genre g */
    uint32_t number;   /* place by increasing id, from 0 */
    uint32_t ratings;  /* number of users who rated the movie */
    lotor_slice title; /* points into the bytes of movies.dat */
} lotor_movie;

/* The data set in memory. */
typedef struct lotor_movielens {
    lotor_movie *movies; /* by increasing id */
    size_t movie_count;
    uint64_t *ratings; /* user number << 32 | movie number; increasing, without repetitions */
    size_t rating_count;
    size_t users; /* number of users; numbered from 0 by increasing id */
} lotor_movielens;

/* Reads both files from memory; their names are for messages. The caller clears *out, which is
 * empty after a failure. */
lotor_status lotor_movielens_parse(lotor_records movies, lotor_records ratings, lotor_message *why,
                                   lotor_movielens *out);
void lotor_movielens_clear(lotor_movielens *data);

/* As lotor_world_movielens, from parsed data and the bytes that it points into. Afterwards `data`
 * may only be passed to lotor_movielens_clear. */
lotor_status lotor_world_movielens_of(lotor_movielens *data, size_t arms, lotor_message *why,
                                      lotor_world **out);

#endif
