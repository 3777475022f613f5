/* sample_laws.h - the laws of `lotor sample`, one row each. */
#ifndef LOTOR_CLI_SAMPLE_LAWS_H
#define LOTOR_CLI_SAMPLE_LAWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/sampler.h>

#include "base/random/generator.h"

/* The state of a law: its random source and its parameters. */
typedef struct lotor_sample_state {
    lotor_generator generator; /* for the fast laws */
    lotor_sampler *exact;      /* for exact laws, else NULL */
    double scale;              /* or sigma, or p: the parameter of the law */
    uint64_t trials;
    uint64_t dimension;
    double degrees;
    double *work, *matrix; /* dimension^2 each, for wishart */
    size_t blamed;         /* the parameter that a check refuses; initially `scale` */
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
    bool has_exact; /* lotor/sampler.h has this law, too */
    /* LOTOR_INVALID: the message says what sampler->blamed must be. */
    lotor_status (*check)(lotor_sample_state *sampler, lotor_message *why);
    /* Draws one sample and writes it to standard output. */
    void (*fast)(lotor_sample_state *sampler);
} lotor_sample_law;

/* The last row has a name of NULL. */
extern const lotor_sample_law lotor_sample_laws[];

#endif
