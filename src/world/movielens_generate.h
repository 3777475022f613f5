/* movielens_generate.h - invented genres and titles for a generated MovieLens data set. */
#ifndef LOTOR_WORLD_MOVIELENS_GENERATE_H
#define LOTOR_WORLD_MOVIELENS_GENERATE_H

#include "base/random/generator.h"
#include "world/movielens.h"

enum { LOTOR_TITLE_ROOM = 64 };

/* The genres of a movie, one bit each. `rank` is its popularity from 0, among `movies`. */
uint32_t lotor_movielens_invent_genres(lotor_generator *generator, size_t rank, size_t movies);

/* Invents a title such as "Stone Garden, The (1987)", in Latin-1. */
void lotor_movielens_invent_title(lotor_generator *generator, char title[LOTOR_TITLE_ROOM]);

#endif
