/* paper_bounds_linear.c - Shariff and Sheffet 2018, Theorems 5 and 6: upper bounds for contextual
 * linear problems.
 *
 * With x = t L^2 / (d rho_min), both theorems have the same bracket
 *
 *      [.] = sigma (2 log(2/alpha) + d log(rho_max/rho_min + x))
 *            + (S sqrt(rho_max) + gamma) sqrt(d log(1 + x))
 *
 * The three bounds on the noise, rho_min, rho_max and gamma, are computed here from the paper
 * (Propositions 9 and 11), not taken from the learner: the tests compare them.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/message.h"
#include "papers/paper_bounds_rows.h"

/* The bounds on the noise; rho_min = 0: there are none. */
typedef struct regularizer {
    double rho_min, rho_max, gamma;
} regularizer;

/* The parameters of the noise. */
typedef struct noise_facts {
    double d, m; /* m: levels of the tree */
    double odds; /* n / alpha */
    double size; /* L~^2: the largest squared length of context and reward together */
    double epsilon, delta;
} noise_facts;

/* Proposition 11, with the first of its bounds on gamma (docs/errata.md, 10). */
static regularizer gaussian(const noise_facts *of)
{
    const double sigma = 4.0 * sqrt(of->m) * of->size * log(4.0 / of->delta) / of->epsilon;
    const double tail = log(2.0 * of->odds);
    const double upsilon = sigma * sqrt(2.0 * of->m) * (4.0 * sqrt(of->d) + 2.0 * tail);
    return (regularizer){upsilon, 3.0 * upsilon,
                         sigma * sqrt(of->m / upsilon) * (sqrt(of->d) + sqrt(2.0 * tail))};
}

/* Proposition 9. If a <= b, the least eigenvalue has no bound above 0. */
static regularizer wishart(const noise_facts *of, bool is_shifted)
{
    const double degrees = of->d + 1.0 +
                           ceil(224.0 * of->m / (of->epsilon * of->epsilon) *
                                log(8.0 * of->m / of->delta) * log(2.0 / of->delta));
    const double a = sqrt(of->m * degrees), b = sqrt(of->d) + sqrt(2.0 * log(8.0 * of->odds));
    const double tail = sqrt(of->d) + sqrt(2.0 * log(2.0 * of->odds));
    if (a <= b) {
        return (regularizer){0.0, 0.0, 0.0};
    }
    if (is_shifted) {
        return (regularizer){4.0 * of->size * a * b, 8.0 * of->size * a * b,
                             sqrt(of->size * a * tail)};
    }
    return (regularizer){of->size * (a - b) * (a - b), of->size * (a + b) * (a + b),
                         sqrt(of->size) * tail};
}

static regularizer regularizer_of(const lotor_bound_facts *facts)
{
    const lotor_policy_params *policy = &facts->policy;
    const double lambda = policy->regularizer, L = policy->context_length;
    const double reward = fmax(fabs(policy->low), fabs(policy->high));
    if (isinf(facts->epsilon)) {
        return (regularizer){lambda, lambda, 0.0};
    }
    const noise_facts of = {
        .d = (double)policy->dimension,
        .m = 1.0 + ceil(log2(facts->horizon)),
        .odds = facts->horizon / facts->beta,
        .size = L * L + reward * reward,
        .epsilon = facts->epsilon,
        .delta = facts->delta,
    };
    if (strcmp(facts->algorithm->id, "jdp-linucb-gauss") == 0) {
        return gaussian(&of);
    }
    return wishart(&of, strcmp(facts->algorithm->id, "jdp-linucb-wishart-shifted") == 0);
}

/* --- laws ------------------------------------------------------------------------------------ */

enum {
    LOG_ALPHA, /* 2 log(2/alpha) */
    SIGMA,
    DIMENSION,
    RATIO,   /* rho_max / rho_min */
    GROWTH,  /* L^2 / (d rho_min) */
    WIDTH,   /* S sqrt(rho_max) + gamma */
    FAILURE, /* alpha times the most that a round can lose */
    GAP,
    NUMBERS
};

static double bracket(const double *numbers, double t)
{
    const double x = t * numbers[GROWTH], d = numbers[DIMENSION];
    return numbers[SIGMA] * (numbers[LOG_ALPHA] + d * log(numbers[RATIO] + x)) +
           numbers[WIDTH] * sqrt(d * log1p(x));
}

/* Rewards are -1 or 1, so B, the largest mean, is 1. */
static double law_root(const double *numbers, size_t count, double t)
{
    assert(count == NUMBERS);
    (void)count;
    return sqrt(8.0 * t) * bracket(numbers, t) + numbers[FAILURE] * t;
}

static double law_gap(const double *numbers, size_t count, double t)
{
    assert(count == NUMBERS);
    (void)count;
    const double inside = bracket(numbers, t);
    return 8.0 / numbers[GAP] * inside * inside + numbers[FAILURE] * t;
}

/* --- rows ------------------------------------------------------------------------------------ */

#define BRACKET                                                                                    \
    "[sigma (2 log(2/alpha) + d log(rho_max/rho_min + x)) + (S sqrt(rho_max) + gamma) sqrt(d "     \
    "log(1 + x))]"
#define REST    ", plus alpha t times the largest loss of a round; x = t L^2 / (d rho_min)"
#define THEOREM "the theorem holds with probability 1 - alpha; the last part is for the rest. "
#define NOISE   "rho_min, rho_max and gamma are those of Propositions 9 and 11 (docs/errata.md, 10)"
#define SETTING "B = 1; contexts and theta not longer than declared"

static const lotor_paper_bound theorem_5 = {
    .name = "Shariff and Sheffet 2018, Theorem 5",
    .kind = LOTOR_PAPER_BOUND_UPPER,
    .formula = "sqrt(8 t) " BRACKET REST,
    .range = "every t from 1 to the horizon",
    .conditions = SETTING,
    .remark = THEOREM NOISE,
    .law = law_root,
};
static const lotor_paper_bound theorem_6 = {
    .name = "Shariff and Sheffet 2018, Theorem 6",
    .kind = LOTOR_PAPER_BOUND_UPPER,
    .formula = "(8/gap) " BRACKET "^2" REST,
    .range = "every t from 1 to the horizon",
    .conditions = SETTING "; in every round the best action is better than all others by the gap",
    .remark = THEOREM NOISE,
    .law = law_gap,
};

/* Above this epsilon Lotor adds more noise than the paper (docs/errata.md, 10). */
static const double largest_epsilon = 65.0;

static lotor_status add(lotor_paper_bounds *list, const lotor_bound_facts *facts,
                        const lotor_paper_bound *theorem, lotor_message *why)
{
    double *numbers = lotor_paper_bounds_add(list, theorem, NUMBERS);
    if (!numbers) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for the bounds of the papers");
    }
    const lotor_policy_params *policy = &facts->policy;
    const regularizer noise = regularizer_of(facts);
    const double d = (double)policy->dimension, L = policy->context_length;
    numbers[LOG_ALPHA] = 2.0 * log(2.0 / facts->beta);
    numbers[SIGMA] = 0.5 * (policy->high - policy->low);
    numbers[DIMENSION] = d;
    numbers[FAILURE] = facts->beta * list->largest_loss;
    numbers[GAP] = facts->trial->linear->gap;
    lotor_paper_bound *row = lotor_paper_bounds_last(list);
    row->last = policy->horizon;
    if (noise.rho_min > 0.0) {
        numbers[RATIO] = noise.rho_max / noise.rho_min;
        numbers[GROWTH] = L * L / (d * noise.rho_min);
        numbers[WIDTH] = policy->theta_length * sqrt(noise.rho_max) + noise.gamma;
    } else {
        lotor_paper_bound_empty(row, "the noise is too small for its bounds");
    }
    const bool is_gaussian = strcmp(facts->algorithm->id, "jdp-linucb-gauss") == 0;
    const bool is_larger =
        is_gaussian && isfinite(facts->epsilon) && facts->epsilon >= largest_epsilon;
    lotor_paper_bound_refuse(row, is_larger ? "above epsilon 65 more noise is added than printed"
                                            : NULL);
    lotor_paper_bound_refuse(row, policy->theta_length >= 1.0 && L >= 1.0
                                      ? NULL
                                      : "theta or an action may be longer than declared");
    return LOTOR_OK;
}

static bool is_covered(const char *id)
{
    static const char *const covered[] = {"linucb", "jdp-linucb-gauss", "jdp-linucb-wishart",
                                          "jdp-linucb-wishart-shifted"};
    for (size_t i = 0; i < sizeof covered / sizeof *covered; i++) {
        if (strcmp(covered[i], id) == 0) {
            return true;
        }
    }
    return false;
}

lotor_status lotor_paper_bounds_add_linear(lotor_paper_bounds *list, const lotor_bound_facts *facts,
                                           lotor_message *why)
{
    if (!is_covered(facts->algorithm->id)) {
        return LOTOR_OK;
    }
    const lotor_linear_world *world = facts->trial->linear;
    const lotor_status status = add(list, facts, &theorem_5, why);
    const bool has_gap = world->has_gap && world->gap > 0.0;
    return status == LOTOR_OK && has_gap ? add(list, facts, &theorem_6, why) : status;
}
