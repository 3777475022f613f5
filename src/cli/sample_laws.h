/* sample_laws.h - the laws that `lotor sample` draws from: one row each. */
#ifndef LOTOR_CLI_SAMPLE_LAWS_H
#define LOTOR_CLI_SAMPLE_LAWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/sampler.h>

#include "base/random/simulation.h"

/* What a law is drawn with. */
typedef struct lotor_sample_state {
    lotor_simulation simulation; /* for the fast laws */
    lotor_sampler *exact;        /* for the exact ones, else NULL */
    double scale;                /* or sigma, or p: the law's real parameter */
    uint64_t trials;
    uint64_t dimension;
    double degrees;
    double *work, *matrix; /* dimension^2 each, for wishart */
    size_t blamed;         /* the parameter that a check refuses: at first `scale` */
    bool json;
} lotor_sample_state;

/* The options that are parameters of laws; the first rows of sample's option table. */
enum {
    LOTOR_SAMPLE_SCALE,
    LOTOR_SAMPLE_SIGMA,
    LOTOR_SAMPLE_P,
    LOTOR_SAMPLE_N,
    LOTOR_SAMPLE_DIMENSION,
    LOTOR_SAMPLE_DEGREES,
    LOTOR_SAMPLE_PARAMETERS
};

typedef struct lotor_sample_law {
    const char *name;
    bool takes[LOTOR_SAMPLE_PARAMETERS];
    bool has_exact; /* lotor/sampler.h draws from it, too */
    /* LOTOR_INVALID and what sampler->blamed must be. */
    lotor_status (*check)(lotor_sample_state *sampler, lotor_message *why);
    /* Draws once and writes the draw to standard output. */
    void (*fast)(lotor_sample_state *sampler);
} lotor_sample_law;

/* Ends with a row whose name is NULL. */
extern const lotor_sample_law lotor_sample_laws[];

#endif
