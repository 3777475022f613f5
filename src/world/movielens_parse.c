/* movielens_parse.c - parses the two files of a MovieLens 1M folder. See movielens.h.
 *
 * Every line must be valid. A file that is cut short or has another format is refused as a whole,
 * and the message shows the line. A rating becomes a number, user << 32 | movie, which sorts by
 * user and then by movie; the real file is sorted by user already. If a user rated a movie twice,
 * it counts once, because a round asks only whether the user rated it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "world/movielens.h"
#include "world/world.h"

const char *const lotor_genre_names[LOTOR_GENRES] = {
    "Action",      "Adventure", "Animation", "Children's", "Comedy", "Crime",
    "Documentary", "Drama",     "Fantasy",   "Film-Noir",  "Horror", "Musical",
    "Mystery",     "Romance",   "Sci-Fi",    "Thriller",   "War",    "Western"};

static size_t count_lines(lotor_slice text)
{
    size_t lines = 1;
    for (size_t i = 0; i < text.length; i++) {
        lines += text.text[i] == '\n';
    }
    return lines;
}

static bool read_genre(lotor_slice name, uint32_t *genres)
{
    for (size_t g = 0; g < LOTOR_GENRES; g++) {
        if (name.length == strlen(lotor_genre_names[g]) &&
            memcmp(name.text, lotor_genre_names[g], name.length) == 0) {
            *genres |= UINT32_C(1) << g;
            return true;
        }
    }
    return false;
}

static bool read_genres(lotor_slice list, uint32_t *genres)
{
    lotor_slice name;
    *genres = 0;
    while (lotor_slice_cut(&list, "|", &name)) {
        if (!read_genre(name, genres)) {
            return false;
        }
    }
    return read_genre(list, genres);
}

/* A title may contain anything, even "::". The genres follow the last "::". */
static const char *read_movie(lotor_slice line, lotor_movie *movie)
{
    lotor_slice id_text, part, title;
    uint64_t id;
    if (!lotor_slice_cut(&line, "::", &id_text)) {
        return "expected MovieID::Title::Genres";
    }
    if (!lotor_slice_whole(id_text, UINT32_MAX, &id) || id == 0) {
        return "expected MovieID::Title::Genres with a MovieID from 1 to 4294967295";
    }
    title.text = line.text;
    if (!lotor_slice_cut(&line, "::", &part)) {
        return "expected MovieID::Title::Genres, but there are no genres";
    }
    while (lotor_slice_cut(&line, "::", &part)) {
    }
    title.length = (size_t)(line.text - title.text) - 2;
    *movie = (lotor_movie){.id = (uint32_t)id, .title = title};
    if (!read_genres(line, &movie->genres)) {
        return "expected genres with | between them, each one of the 18 of MovieLens 1M "
               "(Action, Children's, Film-Noir, Sci-Fi, ...)";
    }
    return NULL;
}

static int by_id(const void *left, const void *right)
{
    const uint32_t a = ((const lotor_movie *)left)->id;
    const uint32_t b = ((const lotor_movie *)right)->id;
    return (a > b) - (a < b);
}

static lotor_status read_movies(lotor_records *records, lotor_message *why, lotor_movielens *data)
{
    data->movies = calloc(count_lines(records->rest), sizeof *data->movies);
    if (!data->movies) {
        return lotor_world_out_of_memory(why);
    }
    while (lotor_records_next(records)) {
        const char *wrong = read_movie(records->line, &data->movies[data->movie_count]);
        if (wrong) {
            return lotor_records_refuse(records, why, wrong);
        }
        data->movie_count++;
    }
    qsort(data->movies, data->movie_count, sizeof *data->movies, by_id);
    for (size_t i = 0; i < data->movie_count; i++) {
        data->movies[i].number = (uint32_t)i;
        if (i > 0 && data->movies[i].id == data->movies[i - 1].id) {
            return lotor_fail(LOTOR_INVALID, why, "%s has more than one line for movie %u",
                              lotor_excerpt(records->name, strlen(records->name)).text,
                              (unsigned)data->movies[i].id);
        }
    }
    return LOTOR_OK;
}

/* The index of a movie; movie_count if it does not exist. */
static size_t find_movie(const lotor_movielens *data, uint32_t id)
{
    size_t low = 0, high = data->movie_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (data->movies[middle].id < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < data->movie_count && data->movies[low].id == id ? low : data->movie_count;
}

static const char *read_rating(lotor_slice line, const lotor_movielens *data, uint64_t *rating)
{
    lotor_slice user_text, movie_text, stars_text;
    uint64_t user, movie, stars, seconds;
    if (!lotor_slice_cut(&line, "::", &user_text) || !lotor_slice_cut(&line, "::", &movie_text) ||
        !lotor_slice_cut(&line, "::", &stars_text)) {
        return "expected UserID::MovieID::Rating::Timestamp";
    }
    if (!lotor_slice_whole(user_text, UINT32_MAX, &user) || user == 0) {
        return "expected UserID::MovieID::Rating::Timestamp with a UserID from 1 to 4294967295";
    }
    if (!lotor_slice_whole(movie_text, UINT32_MAX, &movie)) {
        return "expected UserID::MovieID::Rating::Timestamp with a whole MovieID";
    }
    if (!lotor_slice_whole(stars_text, 5, &stars) || stars == 0) {
        return "expected UserID::MovieID::Rating::Timestamp with a Rating from 1 to 5";
    }
    if (!lotor_slice_whole(line, INT64_MAX, &seconds)) {
        return "expected UserID::MovieID::Rating::Timestamp with a Timestamp in whole seconds";
    }
    const size_t index = find_movie(data, (uint32_t)movie);
    if (index == data->movie_count) {
        return "this movie is not in movies.dat";
    }
    *rating = user << 32 | index;
    return NULL;
}

static int by_number(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left;
    const uint64_t b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* Sorts the ratings, removes repetitions, numbers the users, and counts users and ratings. */
static void settle(lotor_movielens *data)
{
    uint64_t *const ratings = data->ratings;
    uint64_t previous = 0; /* not a rating: user ids start at 1 */
    size_t kept = 0;

    qsort(ratings, data->rating_count, sizeof *ratings, by_number);
    for (size_t i = 0; i < data->rating_count; i++) {
        const uint64_t rating = ratings[i];
        if (rating == previous) {
            continue;
        }
        data->users += rating >> 32 != previous >> 32;
        previous = rating;
        ratings[kept++] = (uint64_t)(data->users - 1) << 32 | (rating & UINT32_MAX);
        data->movies[rating & UINT32_MAX].ratings++;
    }
    data->rating_count = kept;
}

static lotor_status read_ratings(lotor_records *records, lotor_message *why, lotor_movielens *data)
{
    data->ratings = calloc(count_lines(records->rest), sizeof *data->ratings);
    if (!data->ratings) {
        return lotor_world_out_of_memory(why);
    }
    while (lotor_records_next(records)) {
        const char *wrong = read_rating(records->line, data, &data->ratings[data->rating_count]);
        if (wrong) {
            return lotor_records_refuse(records, why, wrong);
        }
        data->rating_count++;
    }
    if (data->rating_count == 0) {
        return lotor_fail(LOTOR_INVALID, why, "%s holds no ratings",
                          lotor_excerpt(records->name, strlen(records->name)).text);
    }
    settle(data);
    return LOTOR_OK;
}

lotor_status lotor_movielens_parse(lotor_records movies, lotor_records ratings, lotor_message *why,
                                   lotor_movielens *out)
{
    *out = (lotor_movielens){0};
    lotor_status status = read_movies(&movies, why, out);
    if (status == LOTOR_OK) {
        status = read_ratings(&ratings, why, out);
    }
    if (status != LOTOR_OK) {
        lotor_movielens_clear(out);
    }
    return status;
}

void lotor_movielens_clear(lotor_movielens *data)
{
    free(data->movies);
    free(data->ratings);
    *data = (lotor_movielens){0};
}
