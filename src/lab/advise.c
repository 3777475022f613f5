/* advise.c - see advise.h.
 *
 * First a short pilot of each candidate measures its speed. If there is time for it, all candidates
 * play the requested number of rounds, several times each. If not, all play fewer rounds in half of
 * the time. Then those that are far behind are dropped, and of the others as many as the remaining
 * time allows play the requested number of rounds, the best first.
 */
#include "lab/advise.h"

#include <math.h>
#include <stdlib.h>

#include "base/message.h"
#include "lab/problem.h"

enum { PILOT_ROUNDS = 20, RUNS_LEAST = 4, RUNS_MOST = 64, ROUNDS_PER_ARM = 10, REPEAT_GAIN = 4 };

/* All algorithms accept this many rounds. With more, some of their sums could overflow 64 bits. */
static const uint64_t MOST_ROUNDS = UINT64_C(1000000000000);
static const double FAR_BEHIND = 2.5; /* times the least regret */

/* The simulated algorithms: the candidates, then the baseline. */
typedef struct study {
    const lotor_advice_request *wish;
    lotor_problem_setup problem;
    const lotor_algorithm *rows[LOTOR_CANDIDATES_MAX + 1];
    size_t count;
    double speeds[LOTOR_CANDIDATES_MAX + 1]; /* rounds per second */
    size_t current;
} study;

/* --- candidates and world --------------------------------------------------------------------- */

bool lotor_advise_fits(const lotor_algorithm *algorithm, lotor_problem problem, lotor_model trust)
{
    if (!lotor_algorithm_is_private(algorithm) || algorithm->is_simulation_only ||
        algorithm->is_for_comparison || !lotor_algorithm_plays(algorithm, problem)) {
        return false;
    }
    /* If the server may see raw feedback, it may also get randomized feedback. */
    return lotor_algorithm_model(algorithm) == LOTOR_MODEL_LOCAL || trust != LOTOR_MODEL_LOCAL;
}

static const lotor_algorithm *baseline_of(lotor_problem problem)
{
    static const char *const ids[] = {"ucb", "omm", "cucb", "cascade-ucb", "linucb"};
    return lotor_algorithms_find(ids[problem]);
}

static const char *world_in_words(const lotor_advice_request *wish)
{
    static const char *const words[] = {
        "one best arm that pays 0.75 on average, the others evenly down to 0.25",
        "as many arms as are shown pay 0.7 on average, the others 0.3",
        "as many arms as are shown pay 0.7 on average, the others 0.3",
        "as many items as the list has attract 0.2 of the people, the others 0.05",
        "actions uniform in the unit ball, rewards +1 or -1",
    };
    return wish->means ? "the means that you gave" : words[wish->problem];
}

/* The best arms come last, so that no algorithm profits from showing the first arms first. */
double lotor_advise_typical_mean(const lotor_advice_request *wish, size_t arm)
{
    const size_t rank = wish->arms - 1 - arm;
    const bool is_good = rank < wish->slots;
    switch (wish->problem) {
    case LOTOR_PROBLEM_FINITE:
        return 0.75 - 0.5 * (double)rank / (double)(wish->arms - 1);
    case LOTOR_PROBLEM_CASCADE:
        return is_good ? 0.2 : 0.05;
    default:
        return is_good ? 0.7 : 0.3;
    }
}

static lotor_status make_problem(study *all, lotor_message *why)
{
    const lotor_advice_request *wish = all->wish;
    const bool is_linear = wish->problem == LOTOR_PROBLEM_LINEAR;
    double *typical = NULL;
    if (!is_linear && !wish->means) {
        typical = calloc(wish->arms, sizeof *typical);
        if (!typical) {
            return lotor_fail(LOTOR_MEMORY, why, "no memory for %zu arms", wish->arms);
        }
        for (size_t i = 0; i < wish->arms; i++) {
            typical[i] = lotor_advise_typical_mean(wish, i);
        }
    }
    const double *means = wish->means ? wish->means : typical;
    const lotor_simulate_params asked = {
        .policy = {.algorithm = baseline_of(wish->problem)->id,
                   .arms = wish->arms,
                   .slots = wish->slots,
                   .cascade = wish->problem == LOTOR_PROBLEM_CASCADE,
                   .dimension = is_linear ? wish->dimension : 0},
        .means = is_linear ? NULL : means,
    };
    const lotor_status status = lotor_problem_make(&asked, why, &all->problem);
    free(typical);
    return status;
}

static lotor_status check(const lotor_advice_request *wish, lotor_message *why)
{
    if (wish->arms < 2) {
        return lotor_fail(LOTOR_INVALID, why,
                          "the number of arms is %zu: with fewer than 2 there is nothing to "
                          "choose",
                          wish->arms);
    }
    if (wish->slots == 0 || wish->slots >= wish->arms) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%zu of %zu arms shown at once: give from 1 to %zu slots", wish->slots,
                          wish->arms, wish->arms - 1);
    }
    if (wish->rounds < 2 || wish->rounds > MOST_ROUNDS) {
        return lotor_fail(LOTOR_INVALID, why, "%llu rounds: give from 2 to %llu",
                          (unsigned long long)wish->rounds, (unsigned long long)MOST_ROUNDS);
    }
    const bool is_single =
        wish->problem == LOTOR_PROBLEM_FINITE || wish->problem == LOTOR_PROBLEM_LINEAR;
    if (is_single && wish->slots != 1) {
        return lotor_fail(LOTOR_INVALID, why,
                          "a %s problem shows one arm a round, not %zu: leave the slots out, or "
                          "take a matroid, semi-bandit or cascade problem",
                          lotor_problem_name(wish->problem), wish->slots);
    }
    if (wish->trust == LOTOR_MODEL_JOINT && wish->problem != LOTOR_PROBLEM_LINEAR) {
        return lotor_fail(LOTOR_INVALID, why,
                          "joint trust is for linear problems: give central or local");
    }
    return LOTOR_OK;
}

/* --- playing ---------------------------------------------------------------------------------- */

static bool tell(void *context, double share)
{
    const study *all = context;
    const lotor_advice_request *wish = all->wish;
    return wish->progress &&
           wish->progress(wish->context, ((double)all->current + share) / (double)all->count);
}

static lotor_status play(study *all, const lotor_algorithm *algorithm, uint64_t horizon,
                         uint64_t runs, lotor_message *why, lotor_experiment_result *out)
{
    const lotor_advice_request *wish = all->wish;
    const lotor_simulate_params asked = {
        .runs = runs,
        .seed = wish->seed,
        .threads = wish->threads,
        .checkpoints = 1,
        .noise_scale = 1.0,
        .progress = tell,
        .progress_context = all,
    };
    lotor_experiment trial = lotor_problem_experiment(&all->problem, &asked);
    trial.policy =
        lotor_problem_policy(&all->problem, algorithm, horizon, wish->epsilon, wish->delta);
    const lotor_status status = lotor_experiment_run(&trial, why, out);
    if (status == LOTOR_OK && out->runs < runs) {
        lotor_experiment_result_free(out);
        return lotor_fail(LOTOR_STOPPED, why, "stopped");
    }
    return status;
}

/* Measures the speed. Plays ten times as many rounds each time while that is cheap, for two
 * reasons: making a policy takes time too, and some policies are faster in longer games. */
static lotor_status time_rounds(study *all, const lotor_algorithm *algorithm, lotor_message *why,
                                double *speed)
{
    const uint64_t most = all->wish->rounds;
    /* At least 0.02 s, since starting threads takes milliseconds. */
    const double cheap = fmax(0.02, 0.05 * all->wish->seconds / (double)all->count);
    for (uint64_t rounds = PILOT_ROUNDS;; rounds *= 10) {
        const uint64_t now = rounds < most ? rounds : most;
        lotor_experiment_result result;
        const lotor_status status = play(all, algorithm, now, 1, why, &result);
        if (status != LOTOR_OK) {
            /* The algorithm refuses only the longer game: keep the speed of the shorter one. */
            return rounds > PILOT_ROUNDS && status != LOTOR_STOPPED ? LOTOR_OK : status;
        }
        const double seconds = result.seconds;
        *speed = result.rounds_per_second;
        lotor_experiment_result_free(&result);
        if (now == most || seconds > cheap) {
            return LOTOR_OK;
        }
    }
}

/* Measures speeds, and drops the algorithms that refuse these parameters. */
static lotor_status pilot(study *all, lotor_message *why)
{
    const size_t count = all->count;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const lotor_status status = time_rounds(all, all->rows[i], why, &all->speeds[kept]);
        if (status == LOTOR_MEMORY || status == LOTOR_STOPPED) {
            return status;
        }
        if (status == LOTOR_OK) {
            all->rows[kept++] = all->rows[i];
        } else if (i + 1 == count) {
            return status; /* the baseline failed: the parameters themselves are wrong */
        }
    }
    all->count = kept;
    return kept > 1 ? LOTOR_OK : LOTOR_INVALID; /* `why` has the last refusal */
}

/* 1, 2 or 5 times a power of ten, at most `most`. */
static uint64_t round_down(double most)
{
    const double power = pow(10.0, floor(log10(most)));
    const double digit = most / power;
    if (digit >= 5.0) {
        return (uint64_t)(power * 5.0);
    }
    return (uint64_t)(power * (digit >= 2.0 ? 2.0 : 1.0));
}

/* How many seconds all remaining algorithms need for one round each. */
static double seconds_per_round(const study *all)
{
    double seconds = 0.0;
    for (size_t i = 0; i < all->count; i++) {
        seconds += 1.0 / all->speeds[i];
    }
    return seconds;
}

/* The number of rounds that all algorithms can play in this time, RUNS_LEAST times each. */
static uint64_t plan_horizon(const study *all, double seconds)
{
    const double most = seconds / ((double)RUNS_LEAST * seconds_per_round(all));
    if (most >= (double)all->wish->rounds) {
        return all->wish->rounds;
    }
    return round_down(fmax(most, fmin(PILOT_ROUNDS, (double)all->wish->rounds)));
}

/* Each algorithm plays RUNS_LEAST runs, and gets an equal share of the time that is left then. */
static uint64_t plan_runs(const study *all, size_t number, double seconds, uint64_t horizon)
{
    const double needed = (double)RUNS_LEAST * (double)horizon * seconds_per_round(all);
    const double share = fmax(0.0, seconds - needed) / (double)all->count;
    const double runs = (double)RUNS_LEAST + share * all->speeds[number] / (double)horizon;
    return (uint64_t)fmin(RUNS_MOST, runs);
}

static int by_rounds_and_regret(const void *one, const void *other)
{
    const lotor_candidate *a = one, *b = other;
    return a->rounds != b->rounds ? (a->rounds < b->rounds) - (a->rounds > b->rounds)
                                  : (a->regret > b->regret) - (a->regret < b->regret);
}

/* Plays all remaining algorithms; found[i] belongs to rows[i]. Drops one that refuses so many
 * rounds. Subtracts the time that was really needed from *left. */
static lotor_status measure(study *all, double seconds, uint64_t horizon, lotor_message *why,
                            lotor_candidate *found, double *left)
{
    const size_t count = all->count;
    size_t kept = 0;
    for (all->current = 0; all->current < count; all->current++) {
        const size_t i = all->current;
        lotor_experiment_result result;
        const uint64_t runs = plan_runs(all, i, seconds, horizon);
        const lotor_status status = play(all, all->rows[i], horizon, runs, why, &result);
        if (status == LOTOR_MEMORY || status == LOTOR_STOPPED ||
            (status != LOTOR_OK && i + 1 == count)) {
            return status;
        }
        if (status != LOTOR_OK) {
            continue;
        }
        found[kept] = (lotor_candidate){all->rows[i], result.regret_mean, result.regret_stderr,
                                        result.runs, horizon};
        all->rows[kept] = all->rows[i];
        all->speeds[kept++] = result.rounds_per_second; /* on all cores, and more accurate */
        *left = fmax(0.0, *left - result.seconds);
        lotor_experiment_result_free(&result);
    }
    all->count = kept;
    return kept > 1 ? LOTOR_OK : LOTOR_INVALID; /* `why` has the last refusal */
}

void lotor_advise_finalists(const double *regrets, const double *speeds, size_t count,
                            double rounds, double seconds, bool *stays)
{
    double least = INFINITY, spent = (double)RUNS_LEAST * rounds / speeds[count - 1];
    for (size_t i = 0; i + 1 < count; i++) {
        least = fmin(least, regrets[i]);
        stays[i] = false;
    }
    stays[count - 1] = true; /* the baseline */
    for (bool is_first = true;; is_first = false) {
        size_t next = count;
        for (size_t i = 0; i + 1 < count; i++) {
            if (!stays[i] && (next == count || regrets[i] < regrets[next])) {
                next = i;
            }
        }
        if (next == count || regrets[next] > FAR_BEHIND * least) {
            return;
        }
        spent += (double)RUNS_LEAST * rounds / speeds[next];
        if (spent > seconds && !is_first) {
            return;
        }
        stays[next] = true;
    }
}

/* Drops the algorithms that do not play the requested number of rounds in the remaining time. */
static void drop_the_worst(study *all, double seconds, const lotor_candidate *found,
                           lotor_advice *out)
{
    double regrets[LOTOR_CANDIDATES_MAX + 1] = {0};
    bool stays[LOTOR_CANDIDATES_MAX + 1];
    for (size_t i = 0; i < all->count; i++) {
        regrets[i] = found[i].regret;
    }
    lotor_advise_finalists(regrets, all->speeds, all->count, (double)all->wish->rounds, seconds,
                           stays);
    size_t kept = 0;
    for (size_t i = 0; i < all->count; i++) {
        if (!stays[i]) {
            out->candidates[out->count++] = found[i];
            continue;
        }
        all->rows[kept] = all->rows[i];
        all->speeds[kept++] = all->speeds[i];
    }
    all->count = kept;
}

static lotor_status compare(study *all, lotor_message *why, lotor_advice *out)
{
    lotor_candidate found[LOTOR_CANDIDATES_MAX + 1];
    const uint64_t wanted = all->wish->rounds;
    double seconds = all->wish->seconds;
    bool is_screened = false;
    out->horizon = plan_horizon(all, seconds);
    while (out->horizon < wanted && !is_screened) {
        const uint64_t first = plan_horizon(all, seconds / 2);
        const lotor_status status = measure(all, seconds / 2, first, why, found, &seconds);
        if (status != LOTOR_OK) {
            return status;
        }
        /* A pilot is so short that a pause of the machine makes an algorithm look slow. If the
         * better speeds of now allow many more rounds, all algorithms play once more. */
        is_screened = plan_horizon(all, seconds / 2) < REPEAT_GAIN * first;
        if (is_screened) {
            drop_the_worst(all, seconds, found, out);
        }
        out->horizon = plan_horizon(all, seconds);
        out->horizon = out->horizon > first ? out->horizon : first;
    }
    if (all->problem.world && out->horizon < wanted &&
        out->horizon < ROUNDS_PER_ARM * all->wish->arms) {
        return lotor_fail(LOTOR_BUSY, why,
                          "in %g seconds only %llu rounds can be played, too few for %zu arms: "
                          "give more --seconds",
                          all->wish->seconds, (unsigned long long)out->horizon, all->wish->arms);
    }
    const lotor_status status = measure(all, seconds, out->horizon, why, found, &seconds);
    if (status != LOTOR_OK) {
        return status;
    }
    for (size_t i = 0; i + 1 < all->count; i++) {
        out->candidates[out->count++] = found[i];
    }
    out->baseline = found[all->count - 1];
    qsort(out->candidates, out->count, sizeof *out->candidates, by_rounds_and_regret);
    return LOTOR_OK;
}

/* --- choosing at random ----------------------------------------------------------------------- */

/* The mean of prod(1 - w) over all lists: an elementary symmetric polynomial divided by a binomial
 * coefficient. Items are added one by one, each with the probability that a random list contains
 * it. */
static double random_miss(const lotor_world *world, size_t slots, double *table)
{
    for (size_t k = 0; k <= slots; k++) {
        table[k] = k == 0 ? 1.0 : 0.0;
    }
    /* table[k] = e_k(1 - w) / C(n, k) over the first n items. */
    for (size_t n = 1; n <= world->arms; n++) {
        const size_t most = n < slots ? n : slots;
        for (size_t k = most; k >= 1; k--) {
            const double joins = (double)k / (double)n;
            table[k] =
                (1.0 - joins) * table[k] + joins * table[k - 1] * (1.0 - world->means[n - 1]);
        }
    }
    return table[slots];
}

/* The regret of random choices; NaN if it is not known. */
static lotor_status random_regret(const study *all, uint64_t horizon, lotor_message *why,
                                  double *out)
{
    const lotor_advice_request *wish = all->wish;
    const lotor_world *world = all->problem.world;
    *out = NAN;
    if (!world) {
        return LOTOR_OK;
    }
    lotor_reference best;
    const lotor_policy_params params = {.algorithm = baseline_of(wish->problem)->id,
                                        .arms = wish->arms,
                                        .slots = wish->slots,
                                        .horizon = horizon};
    const lotor_status status = lotor_reference_of(&params, world, why, &best);
    if (status != LOTOR_OK) {
        return status == LOTOR_MEMORY ? status : LOTOR_OK;
    }
    double value = 0.0;
    if (wish->problem == LOTOR_PROBLEM_CASCADE) {
        double *table = calloc(wish->slots + 1, sizeof *table);
        if (!table) {
            return lotor_fail(LOTOR_MEMORY, why, "no memory for %zu slots", wish->slots);
        }
        value = 1.0 - random_miss(world, wish->slots, table);
        free(table);
    } else {
        for (size_t i = 0; i < world->arms; i++) {
            value += world->means[i] * (double)wish->slots / (double)world->arms;
        }
    }
    *out = (best.per_round - value) * (double)horizon;
    return LOTOR_OK;
}

/* The lower bound for the trust that was asked for. Every algorithm of that model has the same. */
static lotor_status find_bound(const study *all, lotor_message *why, lotor_advice *out)
{
    const lotor_advice_request *wish = all->wish;
    const lotor_candidate *same = NULL;
    for (size_t i = 0; i < out->count && !same; i++) {
        const bool fits = lotor_algorithm_model(out->candidates[i].algorithm) == wish->trust;
        same = fits ? &out->candidates[i] : NULL;
    }
    if (!same || !all->problem.world) {
        return LOTOR_OK;
    }
    const lotor_policy_params params = {.algorithm = same->algorithm->id,
                                        .arms = wish->arms,
                                        .slots = wish->slots,
                                        .cascade = wish->problem == LOTOR_PROBLEM_CASCADE,
                                        .horizon = out->horizon,
                                        .epsilon = wish->epsilon};
    const lotor_status status = lotor_lower_bound_of(&params, all->problem.world, why, &out->bound);
    return status == LOTOR_MEMORY ? status : LOTOR_OK;
}

lotor_status lotor_advice_make(const lotor_advice_request *wish, lotor_message *why,
                               lotor_advice *out)
{
    *out = (lotor_advice){.world = world_in_words(wish),
                          .random_regret = NAN,
                          .bound = {.per_log_t = NAN, .classical = NAN}};
    study all = {.wish = wish};
    lotor_status status = check(wish, why);
    if (status != LOTOR_OK) {
        return status;
    }
    for (size_t i = 0; i < lotor_algorithms_size && all.count < LOTOR_CANDIDATES_MAX; i++) {
        if (lotor_advise_fits(&lotor_algorithms[i], wish->problem, wish->trust)) {
            all.rows[all.count++] = &lotor_algorithms[i];
        }
    }
    if (all.count == 0) {
        return lotor_fail(LOTOR_INVALID, why, "there is no private algorithm for a %s problem%s",
                          lotor_problem_name(wish->problem),
                          wish->trust == LOTOR_MODEL_LOCAL
                              ? " without a trusted server: give --trust central"
                              : "");
    }
    all.rows[all.count++] = baseline_of(wish->problem);
    status = make_problem(&all, why);
    if (status == LOTOR_OK) {
        status = pilot(&all, why);
    }
    if (status == LOTOR_OK) {
        status = compare(&all, why, out);
    }
    if (status == LOTOR_OK) {
        status = random_regret(&all, out->horizon, why, &out->random_regret);
    }
    if (status == LOTOR_OK) {
        status = find_bound(&all, why, out);
    }
    lotor_problem_clear(&all.problem);
    return status;
}
