/* guarantee.h - a privacy guarantee as a value.
 *
 * Every mechanism and every policy states its guarantee in these fields, and only here. The text
 * and the JSON are written from the same value. The guarantee is that of the mechanism with exact
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
    LOTOR_MODEL_CENTRAL = 1, /* the server sees feedback; its outputs protect the feedback */
    LOTOR_MODEL_LOCAL = 2,   /* feedback is randomized before it leaves the person's device */
    LOTOR_MODEL_JOINT = 3 /* as central, but a person's own context shapes what that person sees */
} lotor_model;

/* "none", "central", "local" or "joint". Never NULL. */
LOTOR_API const char *lotor_model_name(lotor_model model);

typedef enum lotor_noise_kind {
    LOTOR_NOISE_EXACT = 0,     /* exact integer samples from a cryptographic source */
    LOTOR_NOISE_SIMULATION = 1 /* fast seeded noise for experiments: protects nobody */
} lotor_noise_kind;

/* How strong a guarantee is. Each level has a largest epsilon and a largest delta. */
typedef enum lotor_level {
    LOTOR_LEVEL_NONE = 0,      /* not private */
    LOTOR_LEVEL_VERY_WEAK = 1, /* a proof holds, but protects hardly: say that it is not private */
    LOTOR_LEVEL_WEAK = 2,      /* epsilon at most 10, delta at most 0.1 */
    LOTOR_LEVEL_MODERATE = 3,  /* epsilon at most 5, delta at most 1e-3 */
    LOTOR_LEVEL_STRONG = 4     /* epsilon at most 1, delta at most 1e-5 */
} lotor_level;

/* "none", "very weak", "weak", "moderate" or "strong". Never NULL. */
LOTOR_API const char *lotor_level_name(lotor_level level);

/* Strings are owned by the library and live as long as it is loaded. `unit` and `mechanism` are
 * arrays inside the value. */
typedef struct lotor_guarantee {
    bool is_private;    /* a proof holds; lotor_guarantee_level says how strong it is */
    const char *reason; /* why it is not private; NULL if it is */
    lotor_model model;
    double epsilon; /* INFINITY if there is no noise */
    double delta;
    char unit[96];       /* the unit of privacy: "one round's feedback", ... */
    char mechanism[128]; /* the mechanism and its sizes */

    /* Scale of the noise on one released number, in the unit of the values. If the noise consists
     * of random bits, `mechanism` says what the number means. */
    double scale;
    const char *theorem; /* the proof; NULL for a policy that is not private */
    const char *assumes; /* the assumptions of the proof */
    const char *regret;  /* "proved", "measured", or NULL if there is no regret */
    lotor_noise_kind noise;
    bool is_seed_reason; /* `reason` is that the noise comes from a seed (lotor_lab_policy_new) */
} lotor_guarantee;

/* Writes a few lines of text, or one JSON object, into `buffer`. Ends it with a NUL if capacity >
 * 0. Returns the length of the whole text, as snprintf does. JSON keys: private, reason, model,
 * epsilon (null at infinity), delta, unit, mechanism, scale, theorem, assumes, regret, noise, level,
 * level_reason, meaning (null if nobody is protected). If the level is "very weak", the first line
 * of the text is a warning, and `private` is false in the JSON. */
LOTOR_API size_t lotor_guarantee_text(const lotor_guarantee *guarantee, char *buffer,
                                      size_t capacity);
LOTOR_API size_t lotor_guarantee_json(const lotor_guarantee *guarantee, char *buffer,
                                      size_t capacity);

/* The level of a guarantee, and one sentence that says why it is this one. */
LOTOR_API lotor_level lotor_guarantee_level(const lotor_guarantee *guarantee);
LOTOR_API const char *lotor_guarantee_level_reason(const lotor_guarantee *guarantee);

/* The guarantee for a person who takes part in up to k = `rounds` rounds (group privacy). epsilon
 * becomes k epsilon; delta becomes delta (e^(k epsilon) - 1) / (e^epsilon - 1); the unit becomes
 * "one user, up to K rounds". The result is not private if delta reaches 1. `out` may be
 * `guarantee`. */
LOTOR_API lotor_status lotor_guarantee_per_user(const lotor_guarantee *guarantee, size_t rounds,
                                                lotor_message *why, lotor_guarantee *out);

#ifdef __cplusplus
}
#endif
#endif
