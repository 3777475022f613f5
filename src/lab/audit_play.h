/* audit_play.h - one trial: a learner is made, played through its public calls, and watched. */
#ifndef LOTOR_LAB_AUDIT_PLAY_H
#define LOTOR_LAB_AUDIT_PLAY_H

#include "base/random/simulation.h"
#include "base/source.h"
#include "lab/audit_scene.h"
#include "lab/audit_setting.h"

enum {
    LOTOR_AUDIT_POSTS = 512,  /* of a trial that are kept */
    LOTOR_AUDIT_SHOWN = 48,   /* decisions after a release that are kept */
    LOTOR_AUDIT_TOGETHER = 4, /* arms of a decision that are kept */
};

/* A fact that was offered to the board: what its journal sees, also when it refuses. */
typedef struct lotor_audit_post {
    uint64_t round; /* that was expiring; 0: before the first */
    uint64_t count;
    double value;
    uint32_t statistic, arm;
} lotor_audit_post;

typedef struct lotor_audit_transcript {
    uint64_t replaced;                    /* the scene's round */
    bool is_linear;                       /* what is posted are entries of a matrix, not arms */
    bool moves_all;                       /* all entries differ between the worlds, not one */
    bool has_gate;                        /* statistic 1 holds the answers of a gate */
    uint32_t asked[LOTOR_AUDIT_TOGETHER]; /* by the replaced round */
    size_t asked_count;
    size_t post_count;                     /* kept */
    uint64_t releases;                     /* all that were offered */
    uint64_t release_rounds, last_release; /* rounds with one, the start apart; the latest */
    uint64_t reports;                      /* releases of the replaced round */
    size_t shown_count;
    uint8_t shown_sizes[LOTOR_AUDIT_SHOWN];
    uint32_t shown[LOTOR_AUDIT_SHOWN][LOTOR_AUDIT_TOGETHER];
    lotor_audit_post posts[LOTOR_AUDIT_POSTS];
} lotor_audit_transcript;

typedef struct lotor_audit_player {
    const lotor_audit_setting *setting;
    const lotor_audit_scene *scene;
    lotor_source *source;         /* exact noise; or NULL */
    lotor_simulation *simulation; /* simulated noise, in its place */
    unsigned world;
    lotor_audit_transcript *transcript;

    /* During a trial. */
    lotor_policy *policy;
    uint64_t round;
    bool has_released;  /* sums with the replaced round in them, or what came before its release:
                           until then decisions are the same in both worlds, and not noted */
    bool is_stuck;      /* a release contradicts one before it: no mechanism here does that */
    size_t refusals;    /* of releases, of different arms in turn, that are still to come */
    uint32_t refused;   /* the latest arm that met one */
    uint64_t last_wish; /* of a gate: how many observations were wanted when it was near */
    int64_t paid;       /* to arm 0, by the rounds that are the same in both worlds */
} lotor_audit_player;

/* Plays it in its world. The policy is kept for the next trial, so the setting must stay the same:
 * clear the player before it changes, and at the end. */
lotor_status lotor_audit_play(lotor_audit_player *player, lotor_message *why);
void lotor_audit_player_clear(lotor_audit_player *player);

#endif
