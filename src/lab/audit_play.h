/* audit_play.h - plays one trial: makes a policy, calls its public functions, and records the
 * output. */
#ifndef LOTOR_LAB_AUDIT_PLAY_H
#define LOTOR_LAB_AUDIT_PLAY_H

#include "base/random/generator.h"
#include "base/source.h"
#include "lab/audit_pair.h"
#include "lab/audit_setting.h"

enum {
    LOTOR_AUDIT_POSTS = 512,  /* recorded posts per trial */
    LOTOR_AUDIT_SHOWN = 48,   /* recorded decisions after a release */
    LOTOR_AUDIT_TOGETHER = 4, /* recorded arms per decision */
    LOTOR_AUDIT_ARMS = 16     /* the most arms of a decision */
};

/* A release that was offered to the board: what the board's journal sees, even if the board refuses
 * it. */
typedef struct lotor_audit_post {
    uint64_t round; /* the round that was made final; 0: before the first round */
    uint64_t count;
    double value;
    uint32_t statistic, arm;
} lotor_audit_post;

typedef struct lotor_audit_transcript {
    uint64_t replaced;                    /* the round that differs between the two inputs */
    bool is_linear;                       /* posts are entries of a matrix, not arms */
    bool is_turned;                       /* the matrix has contexts of LOTOR_AUDIT_DIMENSION */
    bool moves_all;                       /* all entries differ between the worlds, not only one */
    bool has_gate;                        /* statistic 1 holds the answers of a gate */
    uint32_t asked[LOTOR_AUDIT_TOGETHER]; /* the asked arms of the replaced round */
    size_t asked_count;
    size_t post_count;                     /* recorded posts */
    uint64_t releases;                     /* all posts */
    uint64_t release_rounds, last_release; /* rounds with a post after the start; the last */
    uint64_t reports;                      /* posts of the replaced round */
    size_t shown_count;
    uint8_t shown_sizes[LOTOR_AUDIT_SHOWN];
    uint32_t shown[LOTOR_AUDIT_SHOWN][LOTOR_AUDIT_TOGETHER];
    lotor_audit_post posts[LOTOR_AUDIT_POSTS];
} lotor_audit_transcript;

/* A decision whose round is not final yet. */
typedef struct lotor_audit_open_round {
    uint64_t number, event;
    bool is_heard; /* its feedback was given */
    size_t count, asked_count;
    uint32_t arms[LOTOR_AUDIT_ARMS], asked[LOTOR_AUDIT_ARMS];
    double action[LOTOR_AUDIT_DIMENSION]; /* linear: the context that was shown */
} lotor_audit_open_round;

typedef struct lotor_audit_player {
    const lotor_audit_setting *setting;
    const lotor_audit_pair *pair;
    lotor_source *source;       /* exact noise; or NULL */
    lotor_generator *generator; /* simulated noise, if `source` is NULL */
    unsigned world;
    lotor_audit_transcript *transcript;

    /* During a trial. */
    lotor_policy *policy;
    uint64_t replaced;     /* the number of the replaced round */
    uint64_t round, ended; /* how many rounds were opened, and are final */
    uint64_t covered;      /* the round of the first release with the replaced round; 0: none yet */
    lotor_audit_open_round open[LOTOR_AUDIT_OPEN];
    /* A sum with the replaced round was released, or a release before that one. Until then the
     * decisions are the same in both worlds, and are not recorded. */
    bool has_released;
    bool is_stuck;      /* a release contradicts an earlier one; no mechanism here does that */
    size_t refusals;    /* remaining refusals of releases, each of a different arm */
    uint32_t refused;   /* the arm of the last refusal */
    uint64_t last_wish; /* with a gate: how many observations were wanted when it was near */
    int64_t paid;       /* reward of arm 0 in the rounds that are the same in both worlds */
} lotor_audit_player;

/* Plays one trial in the player's world. The policy is kept for the next trial, so the setting must
 * stay the same. Clear the player before the setting changes, and at the end. */
lotor_status lotor_audit_play(lotor_audit_player *player, lotor_message *why);
void lotor_audit_player_clear(lotor_audit_player *player);

#endif
