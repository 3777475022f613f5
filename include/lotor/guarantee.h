/* guarantee.h - a privacy promise as a value.
 *
 * Every mechanism and every policy states what it promises in these fields, and only here; the
 * text and the JSON are two views of the same value. It says what the recipe gives with exact
 * noise; `noise` says which noise this object really draws.
 */
#ifndef LOTOR_GUARANTEE_H
#define LOTOR_GUARANTEE_H

#include <stdbool.h>
#include <stddef.h>

#include <lotor/ratio.h>
#include <lotor/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum lotor_model {
    LOTOR_MODEL_NONE = 0,    /* nobody is protected */
    LOTOR_MODEL_CENTRAL = 1, /* the server sees feedback, its outputs protect it */
    LOTOR_MODEL_LOCAL = 2,   /* feedback is randomized before it leaves the person */
    LOTOR_MODEL_JOINT = 3    /* as central, but a person's own context shapes their own answer */
} lotor_model;

/* "none", "central", "local" or "joint". Never NULL. */
LOTOR_API const char *lotor_model_name(lotor_model model);

typedef enum lotor_noise_kind {
    LOTOR_NOISE_EXACT = 0,     /* exact integer samples from a cryptographic source */
    LOTOR_NOISE_SIMULATION = 1 /* fast, seeded, for experiments: protects nobody */
} lotor_noise_kind;

/* Strings are owned by the library and live as long as it is loaded, except `unit` and
 * `mechanism`, which the value holds itself. */
typedef struct lotor_guarantee {
    bool is_private;
    const char *reason; /* why not, when it is not private; else NULL */
    lotor_model model;
    double epsilon; /* INFINITY when there is no noise */
    double delta;
    char unit[96];       /* whose data: "one round's feedback", ... */
    char mechanism[128]; /* what is done, with its sizes */
    double scale; /* of the noise on one released number, in the values' own unit; where coins
                            are the noise, what `mechanism` says */
    const char *theorem; /* what proves it */
    const char *assumes; /* what must hold for it */
    const char *regret;  /* "proved", "measured", or NULL where there is no regret */
    lotor_noise_kind noise;
} lotor_guarantee;

/* Writes a few lines of text, or one JSON object, into `buffer` (always ended by a NUL when
 * capacity > 0) and returns the length that the whole needs, as snprintf does. JSON keys:
 * private, reason, model, epsilon (null at infinity), delta, unit, mechanism, scale, theorem,
 * assumes, regret, noise. */
LOTOR_API size_t lotor_guarantee_text(const lotor_guarantee *guarantee, char *buffer,
                                      size_t capacity);
LOTOR_API size_t lotor_guarantee_json(const lotor_guarantee *guarantee, char *buffer,
                                      size_t capacity);

/* The same promise for a person who takes part in up to `rounds` rounds (group privacy):
 * epsilon becomes k epsilon, delta becomes delta (e^(k epsilon) - 1) / (e^epsilon - 1), the unit
 * "one user, up to K rounds". Not private any more when delta reaches 1. `out` may be
 * `guarantee`. */
LOTOR_API lotor_status lotor_guarantee_per_user(const lotor_guarantee *guarantee, size_t rounds,
                                                lotor_message *why, lotor_guarantee *out);

#ifdef __cplusplus
}
#endif
#endif
