/* watch.h - one simulated campaign, to be looked at while it learns: at some rounds, what is known of
 * every arm by then, how often it was shown, and what people got. */
#ifndef LOTOR_LAB_WATCH_H
#define LOTOR_LAB_WATCH_H

#include <stddef.h>
#include <stdint.h>

#include <lotor/ratio.h>

#include "policy/serving.h"

typedef struct lotor_watch {
    const char *algorithm; /* one whose people answer with rewards */
    lotor_ratio epsilon;   /* infinity: without noise */
    size_t arms, slots;
    const double *means; /* arms: how often each is liked */
    uint64_t rounds;
    size_t frames; /* how often it is looked at, at most */
    uint64_t seed;
} lotor_watch;

typedef struct lotor_watched {
    size_t frames;
    uint64_t *rounds;          /* frames: after how many rounds; the last is the end */
    double *reward;            /* frames: expected likes per person so far */
    lotor_estimate *estimates; /* frames x arms; a mean of NaN: nothing released yet */
    uint64_t *shown;           /* frames x arms */
} lotor_watched;

/* With simulated noise. The same seed gives the same people and the same coins. LOTOR_INVALID: not such
 * an algorithm, or numbers that make no sense. */
lotor_status lotor_watch_play(const lotor_watch *watch, lotor_message *why, lotor_watched *out);
void lotor_watched_free(lotor_watched *watched);

#endif
