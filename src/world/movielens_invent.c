/* movielens_invent.c - invents genres and titles of movies.
 *
 * Each genre is about as frequent as in MovieLens 1M, and a movie has one to six genres. In the
 * real data the most popular movies span 17 of the 18 dimensions. Two rules achieve the same here:
 * - No popular movie is a documentary.
 * - Among the first 68 ranks, each of the other 17 genres gets a movie. The k-th of these movies
 *   has the k-th commonest genre, and apart from it only commoner genres. So these 17 vectors form
 *   a triangular matrix, and are independent.
 */
#include <stdbool.h>
#include <stdio.h>

#include "base/wide.h"
#include "world/movielens_generate.h"

enum {
    DOCUMENTARY = 6,
    MOST_GENRES = 6,
    PLANT_EVERY = 4,   /* these movies have ranks 3, 7, ..., 67, so they are in the first 100 */
    POPULAR = 150,     /* the fewest ranks without documentaries */
    POPULAR_SHARE = 20 /* one in this many ranks, if that is more */
};

/* About how many of the 3883 movies have each genre, in the order of lotor_genre_names. */
static const unsigned commonness[LOTOR_GENRES] = {500, 280, 105, 250, 1200, 210, 130, 1600, 70,
                                                  45,  340, 115, 105, 470,  275, 490, 140,  65};

/* All genres except documentaries, the commonest first. */
static const unsigned char by_commonness[LOTOR_GENRES - 1] = {7, 4,  0,  15, 13, 10, 1,  14, 3,
                                                              5, 16, 11, 12, 2,  8,  17, 9};

static size_t below(lotor_generator *generator, size_t limit)
{
    return (size_t)((lotor_u128)lotor_generator_word(generator) * limit >> 64);
}

/* Of 1000 movies, 520 have one genre, 340 have two, and so on. */
static size_t how_many_genres(lotor_generator *generator)
{
    static const size_t up_to[MOST_GENRES] = {520, 860, 965, 991, 998, 1000};
    const size_t place = below(generator, 1000);
    size_t count = 1;
    while (place >= up_to[count - 1]) {
        count++;
    }
    return count;
}

/* Draws one more genre, not in `taken`, in proportion to its commonness. */
static uint32_t one_more(lotor_generator *generator, uint32_t taken)
{
    size_t total = 0;
    for (size_t g = 0; g < LOTOR_GENRES; g++) {
        total += taken >> g & 1 ? 0 : commonness[g];
    }
    size_t place = below(generator, total);
    for (size_t g = 0;; g++) {
        const size_t weight = taken >> g & 1 ? 0 : commonness[g];
        if (place < weight) {
            return UINT32_C(1) << g;
        }
        place -= weight;
    }
}

uint32_t lotor_movielens_invent_genres(lotor_generator *generator, size_t rank, size_t movies)
{
    const bool popular = rank < POPULAR || rank < movies / POPULAR_SHARE;
    const size_t planted = rank / PLANT_EVERY;
    const bool plant = rank % PLANT_EVERY == PLANT_EVERY - 1 && planted < LOTOR_GENRES - 1;
    uint32_t genres = 0;
    uint32_t excluded = popular ? UINT32_C(1) << DOCUMENTARY : 0;
    size_t wanted = how_many_genres(generator);

    if (plant) {
        genres = UINT32_C(1) << by_commonness[planted];
        for (size_t k = planted + 1; k < LOTOR_GENRES - 1; k++) {
            excluded |= UINT32_C(1) << by_commonness[k];
        }
        wanted = wanted < planted + 1 ? wanted - 1 : planted;
    }
    for (; wanted > 0; wanted--) {
        genres |= one_more(generator, genres | excluded);
    }
    return genres;
}

void lotor_movielens_invent_title(lotor_generator *generator, char title[LOTOR_TITLE_ROOM])
{
    static const char *const first[] = {"Amber",    "Broken",   "Crimson",  "Distant", "Empty",
                                        "Final",    "Gentle",   "Hidden",   "Iron",    "Jagged",
                                        "Last",     "Midnight", "Northern", "Paper",   "Quiet",
                                        "Restless", "Silent",   "Stone",    "Velvet",  "Wandering"};
    static const char *const second[] = {
        "Archive",   "Bridge",  "Carnival", "Detective", "Echo",    "Frontier", "Garden",  "Harbor",
        "Invention", "Journey", "Lantern",  "Mirror",    "Orchard", "Parade",   "Raccoon", "Season",
        "Station",   "Tide",    "Caf\xe9",  "Se\xf1or",  "Voyage",  "Window"};
    const size_t firsts = sizeof first / sizeof *first;
    const size_t seconds = sizeof second / sizeof *second;
    const char *const front = first[below(generator, firsts)];
    const char *const back = second[below(generator, seconds)];
    const char *const article = below(generator, 3) == 0 ? ", The" : "";
    const unsigned year = 1919 + 81 - (unsigned)(below(generator, 9) * below(generator, 10));

    snprintf(title, LOTOR_TITLE_ROOM, "%s %s%s (%u)", front, back, article, year);
}
