/* movielens_generate.h - the invented content of a look-alike, before it is written. */
#ifndef LOTOR_WORLD_MOVIELENS_GENERATE_H
#define LOTOR_WORLD_MOVIELENS_GENERATE_H

#include "base/random/simulation.h"
#include "world/movielens.h"

enum { LOTOR_TITLE_ROOM = 64 };

/* The genres of the movie of a rank of popularity, from 0, among `movies`: one bit each. */
uint32_t lotor_movielens_invent_genres(lotor_simulation *simulation, size_t rank, size_t movies);

/* "Stone Garden, The (1987)", in Latin-1. */
void lotor_movielens_invent_title(lotor_simulation *simulation, char title[LOTOR_TITLE_ROOM]);

#endif
