/* compose.c - what several privacy guarantees give together (Kairouz, Oh and Viswanath 2015,
 * "KOV").
 *
 * No (epsilon, delta)-private output reveals more than the following one. With probability delta it
 * shows the bit itself; otherwise it shows the bit through a coin that lies with probability p =
 * 1/(1 + e^epsilon). So k guarantees reveal no more than k such coins. If l of them lie:
 *
 *     P(l) = C(k,l) p^l (1-p)^(k-l)        for the other bit:  Q(l) = P(l) e^(-(k-2l) epsilon)
 *
 * The exact delta at a total epsilon E is the sum of max(0, P(l) - e^E Q(l)). At the corners E =
 * (k-2i) epsilon this is KOV's Theorem 3.3. Between the corners it is the same privacy region, and
 * the least E is found by bisection. All terms are positive, so nothing cancels.
 */
#include <assert.h>
#include <math.h>

#include <lotor/account.h>

#include "base/message.h"
#include "privacy/account/arithmetic.h"
#include "privacy/account/binomial.h"
#include "privacy/account/budget.h"

/* The sum has about sqrt(k) terms that matter. Above this k it would take too long. Then the closed
 * bound for different guarantees is used, which is proved, too. */
static const uint64_t MOST_SUMMED = 1ull << 26;

/* The k coins. */
typedef struct coins {
    double epsilon;               /* of one coin, > 0 and finite */
    double times;                 /* k */
    double lie, truth, log_truth; /* p, 1-p, log(1-p) */
    double delta;                 /* the largest delta that is allowed */
} coins;

/* (k - 2l) epsilon - total, rounded once: the privacy loss of l lies beyond `total`. */
static double excess(const coins *all, double lies, double total)
{
    return fma(all->times - 2.0 * lies, all->epsilon, -total);
}

/* The largest number of lies with excess > 0, or -1. */
static double last_count(const coins *all, double total)
{
    double last = ceil((all->times - total / all->epsilon) / 2.0) - 1.0;
    while (last >= 0.0 && excess(all, last, total) <= 0.0) {
        last -= 1.0;
    }
    while (excess(all, last + 1.0, total) > 0.0) {
        last += 1.0;
    }
    return last;
}

/* The sum over numbers of lies of P(l) (1 - e^(-excess)), divided by P(start). It starts at the
 * largest P and goes both ways. It ends when a geometric series shows that the rest is
 * negligible. */
static double relative_sum(const coins *all, double start, double last, double total)
{
    assert(start >= 0.0 && start <= last && last <= all->times);
    const double odds = exp(-all->epsilon); /* p / (1-p) */
    const double not_worth = 1e-20;
    double sum = -expm1(-excess(all, start, total));
    double share = 1.0;
    for (double lies = start; lies >= 1.0; lies -= 1.0) {
        const double ratio = lies / ((all->times - lies + 1.0) * odds);
        share *= ratio;
        sum += share * -expm1(-excess(all, lies - 1.0, total));
        if (share < not_worth * (1.0 - ratio) * sum) {
            break;
        }
    }
    share = 1.0;
    for (double lies = start + 1.0; lies <= last; lies += 1.0) {
        const double ratio = (all->times - lies + 1.0) * odds / lies;
        share *= ratio;
        sum += share * -expm1(-excess(all, lies, total));
        if (share < not_worth * (1.0 - ratio) * sum) {
            break;
        }
    }
    return sum;
}

/* True if the exact delta of the coins at `total`, with slack, is small enough. */
static bool is_enough(double total, const void *context)
{
    const coins *all = context;
    const double last = last_count(all, total);
    if (last < 0.0) {
        return true;
    }
    const double start = fmin(last, floor((all->times + 1.0) * all->lie));
    const double log_start =
        lotor_account_log_binomial(start, all->times, all->lie, all->truth, all->log_truth);
    const double log_sum = log(relative_sum(all, start, last, total));
    return log_start + log_sum + LOTOR_ACCOUNT_SLACK <= log(all->delta);
}

/* The least total epsilon of `times` coins at `delta`; at most `most`, the plain sum. */
static double least_epsilon(double epsilon, double times, double delta, double most)
{
    assert(epsilon > 0.0 && times >= 1.0 && delta > 0.0 && most > 0.0);
    const double opposite = exp(-epsilon);
    const coins all = {.epsilon = epsilon,
                       .times = times,
                       .lie = opposite / (1.0 + opposite),
                       .truth = 1.0 / (1.0 + opposite),
                       .log_truth = -log1p(opposite),
                       .delta = delta};
    double before = epsilon * 1e-12, after = most;
    if (is_enough(0.0, &all)) {
        return 0.0;
    }
    if (before >= after || is_enough(before, &all)) {
        return fmin(before, after);
    }
    find_turn(is_enough, &all, &before, &after);
    return after;
}

/* The part of the total `delta` that is left for the coins, if none of the `times` guarantees may
 * show its bit outright: 1 - (1 - delta) / (1 - part)^times, rounded down. */
static double delta_left(double delta, double part, double times)
{
    const double rounding = 0x1p-49;
    const double log_total = log1p(-delta) * (1.0 - rounding);
    const double log_parts = times * log1p(-part) * (1.0 + rounding);
    return -expm1(log_total - log_parts);
}

/* The sums over all guarantees that Theorem 3.5 uses. */
typedef struct sums {
    double epsilons; /* the sum of epsilon */
    double means;    /* the sum of epsilon tanh(epsilon/2), the expected privacy loss */
    double squares;  /* the sum of epsilon^2 */
} sums;

/* KOV's Theorem 3.5: the smallest of three bounds on the total epsilon. */
static double closed_bound(const sums *all, double slack)
{
    const double spread = 2.0 * all->squares;
    const double first = log(exp(1.0) + sqrt(all->squares) / slack);
    const double second = -log(slack);
    const double bound = all->means + sqrt(spread * fmin(first, second));
    return fmin(all->epsilons, bound * (1.0 + LOTOR_ACCOUNT_SLACK));
}

static double compose_coins(double epsilon, uint64_t times, double delta)
{
    const double count = times > 1ull << 53 ? nextafter((double)times, INFINITY) : (double)times;
    const double most = multiply_up(epsilon, count);
    const bool is_negligible = most < 1e-250; /* the terms of the sum would underflow */
    if (is_negligible || isinf(most) || delta <= 0.0) {
        return most;
    }
    if (times <= MOST_SUMMED) {
        return least_epsilon(epsilon, count, delta, most);
    }
    const sums all = {most, most * tanh(epsilon / 2.0), most * epsilon};
    return closed_bound(&all, delta);
}

lotor_status lotor_account_compose_same(lotor_budget part, uint64_t times, double delta,
                                        lotor_message *why, lotor_budget *out)
{
    lotor_status status = lotor_account_check(part, why);
    if (status == LOTOR_OK) {
        status = lotor_account_check_share("the total delta", delta, why);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    if (times == 0) {
        return lotor_fail(LOTOR_INVALID, why, "0 guarantees to compose: expected at least 1");
    }
    if (delta == 1.0) {
        *out = (lotor_budget){0.0, 1.0};
        return LOTOR_OK;
    }
    const double count = (double)times;
    const double failing = fmin(-expm1(count * log1p(-part.delta)), count * part.delta);
    if (delta < failing) {
        return lotor_fail(LOTOR_INVALID, why,
                          "the total delta is %g: %llu guarantees of delta %g need at least %g",
                          delta, (unsigned long long)times, part.delta, failing);
    }
    const double left = delta_left(delta, part.delta, count);
    *out = (lotor_budget){compose_coins(part.epsilon, times, left), delta};
    return LOTOR_OK;
}

lotor_status lotor_account_compose_mixed(const lotor_budget *parts, size_t count, double slack,
                                         lotor_message *why, lotor_budget *out)
{
    lotor_budget basic;
    const lotor_status status = lotor_account_compose_basic(parts, count, why, &basic);
    if (status != LOTOR_OK) {
        return status;
    }
    if (!(slack > 0.0 && slack < 1.0)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "slack is %g: expected a delta between 0 and 1 to spend on composing",
                          slack);
    }
    sums all = {basic.epsilon, 0.0, 0.0};
    double log_none_fails = 0.0;
    for (size_t i = 0; i < count; i++) {
        const double epsilon = parts[i].epsilon;
        all.means = add_up(all.means, multiply_up(epsilon, tanh(epsilon / 2.0)));
        all.squares = add_up(all.squares, multiply_up(epsilon, epsilon));
        log_none_fails += log1p(-parts[i].delta);
    }
    const double epsilon = closed_bound(&all, slack);
    if (epsilon >= basic.epsilon) {
        slack = 0.0; /* the plain sum is best, and it needs no slack */
    }
    const double delta = -expm1(log_none_fails + log1p(-slack)) * (1.0 + LOTOR_ACCOUNT_SLACK);
    *out = (lotor_budget){epsilon, fmin(delta, fmin(1.0, add_up(basic.delta, slack)))};
    assert(out->epsilon <= basic.epsilon && out->delta >= 0.0 && out->delta <= 1.0);
    return LOTOR_OK;
}
