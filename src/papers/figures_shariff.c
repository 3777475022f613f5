/* figures_shariff.c - Shariff and Sheffet 2018: contextual linear bandits, section D of the
 * supplement.
 *
 * The settings are those of the authors' published code: d^2 actions on the sphere in every round,
 * one with mean 0.75 and the others below 0.75 - gap; epsilon 1, delta 0.1, alpha 1/(2n).
 */
#include <math.h>

#include "papers/figures.h"

#define PAPER "Shariff and Sheffet 2018"

#define SPHERE(rounds, times)                                                                      \
    .epsilon = 1, .delta = 0.1, .place = LOTOR_FIGURE_WORLD_LINEAR, .has_gap = true,               \
    .regularizer = 1, .horizon = (rounds), .runs = (times)

/* --- 1: dimensions ---------------------------------------------------------------------------- */

/* 4 * 2^(i/4), rounded, as in the authors' code. */
static const double dimensions[] = {4, 5, 6, 7, 8, 10, 11, 13, 16, 19, 23, 27, 32, 38, 45, 54, 64};

static const lotor_curve_plan plain[] = {{"linucb", {.algorithm = "linucb"}}};

static const lotor_figure_check dimension_checks[] = {
    {"regret grows with the dimension", LOTOR_CHECK_RISES, .first = "linucb"},
    {"it grows no faster than d^2 (Theorem 6)", LOTOR_CHECK_SLOPE, .first = "linucb",
     .low = -INFINITY, .high = 2.2},
};

/* --- 2: mechanisms ---------------------------------------------------------------------------- */

#define AT_GAP(name, id, value)                                                                    \
    {                                                                                              \
        name ", gap " #value,                                                                      \
        {                                                                                          \
            .algorithm = (id), .has_gap = true, .gap = (value)                                     \
        }                                                                                          \
    }
#define MECHANISMS(value)                                                                          \
    AT_GAP("linucb", "linucb", value), AT_GAP("gauss", "jdp-linucb-gauss", value),                 \
        AT_GAP("wishart", "jdp-linucb-wishart", value),                                            \
        AT_GAP("shifted wishart", "jdp-linucb-wishart-shifted", value)

static const lotor_curve_plan mechanisms[] = {MECHANISMS(0), MECHANISMS(0.1)};

#define GROWS(label, text, most)                                                                   \
    {                                                                                              \
        .claim = label ": " text, .kind = LOTOR_CHECK_SLOPE, .first = (label), .low = -INFINITY,   \
        .high = (most)                                                                             \
    }
#define ROOT "regret grows no faster than sqrt n, logarithms aside (Theorem 5)"
#define LOGS "regret grows no faster than log^2 n, a slope below 0.3 (Theorem 6)"

static const lotor_figure_check mechanism_checks[] = {
    GROWS("linucb, gap 0", ROOT, 0.65),
    GROWS("gauss, gap 0", ROOT, 0.65),
    GROWS("wishart, gap 0", ROOT, 0.65),
    GROWS("shifted wishart, gap 0", ROOT, 0.65),
    GROWS("linucb, gap 0.1", LOGS, 0.3),
    GROWS("gauss, gap 0.1", LOGS, 0.3),
    GROWS("wishart, gap 0.1", LOGS, 0.3),
    GROWS("shifted wishart, gap 0.1", LOGS, 0.3),
    LOTOR_BELOW("without privacy the loss is least", "linucb, gap 0.1", "gauss, gap 0.1"),
    LOTOR_BELOW("the shift helps: shifted Wishart noise loses less than Wishart noise",
                "shifted wishart, gap 0.1", "wishart, gap 0.1"),
};

/* --- 3: the smallest eigenvalue of the regularizer -------------------------------------------- */

/* A geometric sequence from the smallest to the largest rho_min of the mechanisms (linear_rules.c)
 * at n = 5*10^7: from that of the Gaussian to that of Wishart, rounded. The shifted Wishart
 * mechanism has 170239. tests/test_figures.c computes them again. */
static const double regularizers[] = {93108,   174051,  325365,  608223,
                                      1136986, 2125435, 3973199, 7427332};

#define GAP(value)                                                                                 \
    {                                                                                              \
        "gap " #value,                                                                             \
        {                                                                                          \
            .has_gap = true, .gap = (value)                                                        \
        }                                                                                          \
    }
static const lotor_curve_plan gaps[] = {GAP(0),      GAP(0.0015625), GAP(0.003125), GAP(0.00625),
                                        GAP(0.0125), GAP(0.025),     GAP(0.05),     GAP(0.1)};

/* These regularizers outweigh the few rounds of the quick scale: nothing is learned there. Theorem 5
 * bounds the regret at gap 0 by a multiple of the square root. A slope over this range does not test
 * an upper bound: at the paper's scale it is 0.82 +- 0.07. */
static const lotor_figure_check regularizer_checks[] = {
    {
        "at gap 0 regret grows with the regularizer",
        LOTOR_CHECK_RISES,
        .first = "gap 0",
    },
    {
        "at gap 0.1 regret grows with the regularizer",
        LOTOR_CHECK_RISES,
        .first = "gap 0.1",
    },
    {"at gap 0.1 it grows no faster than in proportion (Theorem 6)", LOTOR_CHECK_SLOPE,
     .first = "gap 0.1", .low = -INFINITY, .high = 1.1},
};

#define ROW(number, text, said, list, tested)                                                      \
    .id = "shariff-" #number, .paper = PAPER, .where = "supplement, experiment " #number,          \
    .title = (text), .claim = (said), .curves = (list), .curve_count = LOTOR_ITEMS(list),          \
    .checks = (tested), .check_count = LOTOR_ITEMS(tested), .quick_runs = 2, .log_x = true,        \
    .log_y = true

const lotor_figure lotor_figures_shariff[] = {
    {ROW(1, "Contexts: regret over the dimension",
         "Without privacy regret grows with the dimension, at a gap at most like d^2.", plain,
         dimension_checks),
     .note = "One run of each, so that it has no error bands.",
     .base = {SPHERE(100000, 1), .gap = 0.1}, .quick_horizon = 1000, .axis = LOTOR_AXIS_DIMENSION,
     .values = dimensions, .value_count = LOTOR_ITEMS(dimensions), .quick_stride = 4},
    {ROW(2, "Contexts: the mechanisms, with and without a gap",
         "Regret grows like sqrt n, and with a gap like log^2 n; the mechanisms differ by how much "
         "they have to regularize.",
         mechanisms, mechanism_checks),
     .note = "At the paper's scale one run of each, without error bands; alpha is 1/(2n).",
     .base = {SPHERE(50000000, 1), .dimension = 5}, .quick_horizon = 50000},
    {ROW(3, "Contexts: regret over the regularizer, at eight gaps",
         "Regret grows with the smallest eigenvalue that a mechanism adds: at most like its root, "
         "and with a gap in proportion to it.",
         gaps, regularizer_checks),
     .note =
         "One run of each, so that it has no error bands. Plain linucb with the regularizers that "
         "the mechanisms have; their noise is left out.",
     .base = {SPHERE(50000000, 1), .algorithm = "linucb", .dimension = 5}, .quick_horizon = 10000,
     .axis = LOTOR_AXIS_REGULARIZER, .values = regularizers,
     .value_count = LOTOR_ITEMS(regularizers)},
};
const size_t lotor_figures_shariff_count = LOTOR_ITEMS(lotor_figures_shariff);
