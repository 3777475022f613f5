/* audit_couple.h - coupled worlds: checks the proof of a privacy claim on one trace.
 *
 * Two worlds play the same trace. They differ in one round's feedback (in linear problems also in
 * that round's context), and in nothing else. A script replaces the noise (noise.h): world 0
 * releases its exact numbers plus simulated noise, and world 1 is made to release the same numbers.
 *
 *      world 0   exact 17 ──▶ released 20      noise +3
 *      world 1   exact 16 ──▶ released 20      noise +4      distance |17 - 16|
 *
 * With the same releases everything that is published must be the same: the decisions, and every
 * number on the board, at the same times. And the distances of the exact numbers, divided by the
 * scales of their noise, must add up to no more than the claim. Given the law of the noise, that is
 * the proof of the claim, so a trace that breaks it is a counterexample. audit_couple.md has the
 * argument.
 *
 *   trace      what happens, drawn from a seed: audit_couple_trace.c
 *   worlds     two policies in step, and what they must have in common: audit_couple.c
 *   loss       the distances, as a share of the claim: audit_couple_loss.c
 */
#ifndef LOTOR_LAB_AUDIT_COUPLE_H
#define LOTOR_LAB_AUDIT_COUPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/status.h>

#include "base/random/generator.h"
#include "policy/policy.h"

/* --- the loss --------------------------------------------------------------------------------- */

/* The sums of the distances of one trace. */
typedef struct lotor_couple_loss {
    double laplace;   /* the sum of |distance| / scale */
    double gaussian;  /* the sum of distance^2 / (2 scale^2): zCDP */
    double sparse;    /* finished series of sparse vector */
    double wishart;   /* the largest norm of a distance, in squared lengths of a vector */
    uint64_t nodes;   /* how many matrices with Wishart noise have a distance */
    bool is_bare;     /* there is a distance in a number without noise */
    double series;    /* the largest distance of a query of the open series ... */
    double query;     /* ... and the largest one divided by the scale of its noise */
    double threshold; /* the scale of the open series' threshold noise */
} lotor_couple_loss;

/* Adds what one request for noise moves: `distance` has an entry for each of its numbers. */
void lotor_couple_loss_add(lotor_couple_loss *loss, const lotor_noise_request *request,
                           const int64_t *distance);

/* The loss as a share of what the policy claims: 1 is all of it. INFINITY: no claim covers it. */
double lotor_couple_loss_share(const lotor_couple_loss *loss, const lotor_policy *policy,
                               lotor_ratio epsilon);

/* --- the worlds ------------------------------------------------------------------------------- */

enum { LOTOR_COUPLE_ARMS = 20, LOTOR_COUPLE_WORDS = 300 };

/* One request for noise, or one post, of the latest step. */
typedef struct lotor_couple_note {
    lotor_noise_request request; /* count 0: a post */
    size_t statistic, arm;
    lotor_fact fact;
} lotor_couple_note;

/* The effect of a step on one world. `numbers` has the exact numbers of its requests, one after the
 * other. */
typedef struct lotor_couple_notes {
    lotor_couple_note *notes;
    size_t count, room;
    int64_t *numbers;
    size_t number_count, number_room;
} lotor_couple_notes;

struct lotor_couple;

typedef struct lotor_couple_world {
    lotor_noise_script script; /* the first member: the script is the world */
    struct lotor_couple *couple;
    bool is_second;
    lotor_policy *policy, *chooser; /* the chooser of its blanks; NULL: none */
    lotor_couple_notes done;
    size_t used_notes, used_numbers; /* of the other world: how many were matched */
} lotor_couple_world;

typedef struct lotor_couple {
    lotor_couple_world world[2];
    lotor_generator noise, coins[2]; /* of the releases; of local randomizers, the same in both */
    double stretch;                  /* how much larger than usual the simulated noise is */
    int64_t *released;               /* numbers of the step, as world 0 released them */
    size_t released_room;
    lotor_couple_loss loss;
    uint64_t replaced;      /* the round that differs */
    bool is_replaced_final; /* that round is final */
    bool is_telling;        /* the replaced round has moved a number that was released */
    bool is_violated;
    char violation[LOTOR_COUPLE_WORDS];
    uint64_t releases, decisions; /* how many were compared */
    lotor_status status;          /* LOTOR_MEMORY: notes could not be kept */
} lotor_couple;

/* Makes both worlds with the same parameters. `noise_scale` divides epsilon, as in the lab. */
lotor_status lotor_couple_make(lotor_couple *couple, const lotor_policy_params *params,
                               const double *const first[2], double noise_scale, uint64_t seed,
                               lotor_message *why);

/* From the first round on, some rounds of both worlds measure value (policy/evaluation.h). */
lotor_status lotor_couple_evaluate(lotor_couple *couple, const lotor_evaluation_params *params,
                                   lotor_message *why);
void lotor_couple_clear_worlds(lotor_couple *couple); /* frees the policies alone */
void lotor_couple_clear(lotor_couple *couple);

/* Ends a step, in which both worlds did the same: compares what they did, and adds the distances to
 * the loss. */
void lotor_couple_compare(lotor_couple *couple);

/* Notes a violation, unless there is one already. */
void lotor_couple_violate(lotor_couple *couple, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Compares everything that the worlds have published: every fact on their boards, and the mean of every
 * arm. */
void lotor_couple_compare_all(lotor_couple *couple);

/* Compares two decisions. */
void lotor_couple_same_decision(lotor_couple *couple, const lotor_decision *one,
                                const lotor_decision *other);

/* Saves both worlds and loads them again, as after a restart. A state that can't be loaded is a
 * violation. */
lotor_status lotor_couple_reload(lotor_couple *couple, const lotor_policy_params *params,
                                 lotor_message *why);

/* Blanks (policy/serving.h). The function lotor_couple_make_choosers makes a chooser of each
 * world's policy, as a service does after a release. The function lotor_couple_draw_blank numbers a
 * round in one world, and lets the chooser say what it shows; *size is that of its batch. */
lotor_status lotor_couple_make_choosers(lotor_couple *couple, const lotor_policy_params *params,
                                        uint64_t seed, lotor_message *why);
lotor_status lotor_couple_draw_blank(lotor_couple_world *world, const double *contexts,
                                     const bool *eligible, lotor_message *why, lotor_decision *out,
                                     uint64_t *size);

/* --- traces ----------------------------------------------------------------------------------- */

typedef struct lotor_couple_trace_result {
    double share;    /* the loss as a share of the claim */
    bool is_telling; /* the replaced round was in a release, or something differed */
    bool is_violated;
    char violation[LOTOR_COUPLE_WORDS];
    char setting[LOTOR_COUPLE_WORDS];
    uint64_t releases, decisions;
} lotor_couple_trace_result;

/* Plays the trace with this seed. A share above 1 is a violation. */
lotor_status lotor_couple_play(const lotor_algorithm *algorithm, double noise_scale, uint64_t seed,
                               lotor_message *why, lotor_couple_trace_result *out);

/* The same for a long trace, which reaches large batches, large counts and late rounds. The command does not play long
 * traces, because they would change the evidence of every statement. Not for algorithms that eliminate arms: all of
 * their traces are long. */
lotor_status lotor_couple_play_long(const lotor_algorithm *algorithm, uint64_t seed,
                                    lotor_message *why, lotor_couple_trace_result *out);

#endif
