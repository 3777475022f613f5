/* audit_bound.c - see audit_bound.h. */
#include "lab/audit_bound.h"

#include <math.h>

#include "lab/interval.h"

double lotor_audit_loss(double p, double q, double delta)
{
    const double left = p - delta;
    if (!(left > q)) {
        return 0.0;
    }
    return q > 0.0 ? log(left / q) : INFINITY;
}

bool lotor_audit_counts_vary(const lotor_audit_counts *counts)
{
    bool came = false, failed = false;
    for (unsigned world = 0; world < 2; world++) {
        const uint64_t seen = counts->seen[world];
        came = came || seen >= LOTOR_AUDIT_FREQUENT;
        failed = failed || counts->trials[world] - seen >= LOTOR_AUDIT_FREQUENT;
    }
    return came && failed;
}

lotor_audit_bound lotor_audit_bound_of(const lotor_audit_counts *counts, double delta, double miss)
{
    double low[2], high[2], share[2];
    for (unsigned world = 0; world < 2; world++) {
        const uint64_t k = counts->seen[world], n = counts->trials[world];
        low[world] = lotor_proportion_low(k, n, miss);
        high[world] = lotor_proportion_high(k, n, miss);
        share[world] = (double)k / (double)n;
    }
    lotor_audit_bound best = {.epsilon = -1.0};
    for (unsigned i = 0; i < 4; i++) {
        const unsigned to = i & 1, from = 1 - to;
        const bool of_not = i >= 2;
        const lotor_audit_bound bound = {
            .epsilon = of_not ? lotor_audit_loss(1.0 - high[to], 1.0 - low[from], delta)
                              : lotor_audit_loss(low[to], high[from], delta),
            .likely = of_not ? lotor_audit_loss(1.0 - share[to], 1.0 - share[from], delta)
                             : lotor_audit_loss(share[to], share[from], delta),
            .at_most = of_not ? lotor_audit_loss(1.0 - low[to], 1.0 - high[from], delta)
                              : lotor_audit_loss(high[to], low[from], delta),
            .of_not = of_not,
            .to = to,
            .is_frequent = (of_not ? counts->trials[to] - counts->seen[to] : counts->seen[to]) >=
                           LOTOR_AUDIT_FREQUENT,
        };
        /* The slack covers rounding: between equals, take the event and not its absence. */
        const double slack = 1e-9 * best.epsilon;
        const bool says_more =
            bound.is_frequent && (!best.is_frequent || bound.likely > best.likely);
        if (bound.epsilon > best.epsilon + fabs(slack) ||
            (bound.epsilon >= best.epsilon && says_more)) {
            best = bound;
        }
    }
    return best;
}
