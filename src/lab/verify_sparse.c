/* verify_sparse.c - verifies sparse vector on all short series of queries. Each query and its
 * neighbour differ by at most the sensitivity.
 *
 * The order of the refused queries does not matter. So it is enough to try multisets of pairs
 * (query, neighbour). Each probability is enclosed once. If the enclosures do not decide a
 * comparison, the polynomials do.
 *
 * Let z be the noise on the threshold, A the noise on a query, and x = e^(-1/b). A query is given
 * by its distance q from the threshold, and its answer is yes if q + A >= z. Then
 *
 *     P(z) = (1-x)/(1+x) x^|z|
 *     P(A >= k) = x^k/(1+x) for k >= 0,  1 - x^(1-k)/(1+x) for k <= 0
 *
 * so (1+x) P(yes) and (1+x) P(no) are polynomials. The sum over z is cut into a finite middle and
 * two tails. In a tail, every |z - q| is z - q, or every one is q - z. At distance t along a tail,
 * let w = x^t: then the product is a polynomial in w, and the sum of w^c over t is 1/(1 - x^c).
 * With n queries, everything gets the denominator (1+x)^(n+1) (1-x^2)(1-x^3)...(1-x^(n+1)). The
 * factor 1-x of P(z) cancels.
 */
#include "lab/verify_sparse.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "lab/verify.h"
#include "lab/verify_drive.h"
#include "privacy/release/sparse.h"

/* --- probabilities of answers -------------------------------------------------------------------- */

enum { POWERS = LOTOR_SPARSE_ASKED + 2 }; /* powers of w: 0, and one for each noise */

typedef struct tail {
    size_t powers; /* the coefficients of higher powers are 0 */
    lotor_poly of[POWERS];
} tail;

/* Multiplies a tail by plain + factor * x^power * w. */
static void multiply_tail(tail *by, const lotor_poly *plain, int64_t factor, size_t power)
{
    for (size_t c = by->powers + 1; c-- > 0;) {
        lotor_poly next;
        lotor_poly_set(&next, 0);
        if (c < by->powers) {
            lotor_poly_multiply(&next, &by->of[c], plain);
        }
        if (c > 0) {
            lotor_poly_add_shifted(&next, &by->of[c - 1], factor, power);
        }
        lotor_poly_copy(&by->of[c], &next);
    }
    by->powers++;
}

typedef struct plane {
    lotor_sparse_kind kind;
    lotor_poly zero, one, sum; /* 0, 1, 1 + x */
} plane;

static void make_plane(plane *out, lotor_sparse_kind kind)
{
    out->kind = kind;
    lotor_poly_set(&out->zero, 0);
    lotor_poly_set(&out->one, 1);
    lotor_poly_set(&out->sum, 1);
    lotor_poly_add_shifted(&out->sum, &out->one, 1, 1);
}

/* (1+x) P(q + A >= z) for a yes, (1+x) P(q + A < z) for a no. If queries have no noise: 1 or 0. */
static void answer_at(const plane *on, int64_t q, int64_t z, bool yes, lotor_poly *out)
{
    if (on->kind == LOTOR_SPARSE_BARE_QUERIES) {
        lotor_poly_set(out, (q >= z) == yes);
        return;
    }
    const bool is_tail = (z >= q) == yes; /* this answer has the smaller probability: x^distance */
    const size_t distance = (size_t)(z >= q ? z - q : q - z + 1);
    lotor_poly_copy(out, is_tail ? &on->zero : &on->sum);
    lotor_poly_add_shifted(out, &on->one, is_tail ? 1 : -1, distance);
}

/* The product of the factors of all answers, at one z. */
static void answers_at(const plane *on, const lotor_sparse_answers *answers, int64_t z,
                       lotor_poly *out)
{
    lotor_poly factor, product;
    lotor_poly_set(out, 1);
    for (size_t i = 0; i < answers->refused + answers->accepted; i++) {
        const bool yes = i == answers->refused;
        answer_at(on, yes ? answers->yes : answers->no[i], z, yes, &factor);
        lotor_poly_multiply(&product, out, &factor);
        lotor_poly_copy(out, &product);
    }
}

/* Multiplies by the factor of one answer along a tail. The tail starts at z and goes down (every q
 * >= z) or up (every q < z). */
static void answer_along(const plane *on, tail *by, int64_t q, int64_t z, bool yes, bool up)
{
    if (on->kind == LOTOR_SPARSE_BARE_QUERIES) {
        multiply_tail(by, up == yes ? &on->zero : &on->one, 0, 0);
        return;
    }
    const size_t distance = (size_t)(up ? z - q : q - z + 1);
    const bool is_tail = up == yes;
    multiply_tail(by, is_tail ? &on->zero : &on->sum, is_tail ? 1 : -1, distance);
}

/* The sum over a tail, times the product of 1 - x^c over c = 1..noises. */
static void add_tail(const plane *on, const lotor_sparse_answers *answers, int64_t z, bool up,
                     size_t noises, lotor_poly *sum)
{
    tail by = {.powers = 1};
    lotor_poly_copy(&by.of[0], &on->one);
    multiply_tail(&by, &on->zero, 1, (size_t)(up ? z : -z)); /* x^|z| */
    for (size_t i = 0; i < answers->refused + answers->accepted; i++) {
        const bool yes = i == answers->refused;
        answer_along(on, &by, yes ? answers->yes : answers->no[i], z, yes, up);
    }
    for (size_t c = 1; c < by.powers; c++) {
        lotor_poly product = by.of[c], next;
        for (size_t other = 1; other <= noises; other++) {
            if (other != c) {
                lotor_poly_copy(&next, &product);
                lotor_poly_add_shifted(&next, &product, -1, other);
                lotor_poly_copy(&product, &next);
            }
        }
        lotor_poly_add(sum, &product);
    }
}

void lotor_sparse_ways(const lotor_sparse_answers *answers, lotor_sparse_kind kind, lotor_poly *out)
{
    plane on;
    make_plane(&on, kind);
    if (kind == LOTOR_SPARSE_BARE_THRESHOLD) {
        answers_at(&on, answers, 0, out);
        return;
    }
    int64_t low = 0, high = 0;
    for (size_t i = 0; i < answers->refused + answers->accepted; i++) {
        const int64_t q = i == answers->refused ? answers->yes : answers->no[i];
        low = q < low ? q : low;
        high = q > high ? q : high;
    }
    const size_t noises = answers->refused + answers->accepted + 1;
    lotor_poly middle, at, product;
    lotor_poly_set(&middle, 0);
    for (int64_t z = low + 1; z <= high; z++) {
        answers_at(&on, answers, z, &at);
        lotor_poly_add_shifted(&middle, &at, 1, (size_t)(z < 0 ? -z : z));
    }
    for (size_t c = 1; c <= noises; c++) {
        lotor_poly_copy(&product, &middle);
        lotor_poly_add_shifted(&product, &middle, -1, c);
        lotor_poly_copy(&middle, &product);
    }
    lotor_poly_copy(out, &middle);
    add_tail(&on, answers, low, false, noises, out);
    add_tail(&on, answers, high + 1, true, noises, out);
}

/* --- running the real code ----------------------------------------------------------------------- */

/* The number of the first query that is above the threshold, from 1; 0 if none is. This is the
 * definition of sparse vector. */
static size_t first_above(const int64_t *queries, const int64_t *noises, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (queries[i] + noises[i + 1] >= noises[0]) {
            return i + 1;
        }
    }
    return 0;
}

/* The same number, found by running the library's code. The code must read one draw for the
 * threshold and a new one for each query up to the first yes, and must stop there. Otherwise:
 * SIZE_MAX. */
static size_t first_by_code(lotor_drive *drive, lotor_sparse sparse, uint64_t drawn,
                            const int64_t *queries, const int64_t *noises, size_t count,
                            size_t asked)
{
    lotor_drive_clear(drive);
    for (size_t i = 0; i <= asked; i++) {
        lotor_drive_draw(drive, noises[i], drawn);
    }
    lotor_noise noise = lotor_drive_noise(drive);
    bool above = false;
    size_t i = 0;
    lotor_status status = lotor_sparse_begin(&sparse, &noise);
    while (status == LOTOR_OK && i < count && !above) {
        status = lotor_sparse_ask(&sparse, queries[i++], 0, &noise, &above);
    }
    if (status != LOTOR_OK || !lotor_drive_is_done(drive)) {
        return SIZE_MAX;
    }
    if (!above) {
        return 0;
    }
    return lotor_sparse_ask(&sparse, 0, 0, &noise, &above) == LOTOR_RELEASED ? i : SIZE_MAX;
}

/* Compares code and definition for every query in -1..1 and every noise in -reach..reach. */
static bool answers_alike(const lotor_sparse *sparse, uint64_t drawn, size_t count, int64_t reach)
{
    lotor_drive drive;
    lotor_drive_start(&drive);
    const uint64_t span = 2 * (uint64_t)reach + 1;
    uint64_t cases = 1;
    for (size_t i = 0; i < count; i++) {
        cases *= 3 * span;
    }
    for (uint64_t at = 0; at < cases * span; at++) {
        int64_t queries[LOTOR_SPARSE_ASKED], noises[LOTOR_SPARSE_ASKED + 1];
        uint64_t rest = at / span;
        noises[0] = (int64_t)(at % span) - reach;
        for (size_t i = 0; i < count; i++) {
            queries[i] = (int64_t)(rest % 3) - 1;
            noises[i + 1] = (int64_t)(rest / 3 % span) - reach;
            rest /= 3 * span;
        }
        const size_t first = first_above(queries, noises, count);
        const size_t asked = first ? first : count;
        if (first_by_code(&drive, *sparse, drawn, queries, noises, count, asked) != first) {
            return false;
        }
    }
    return true;
}

lotor_status lotor_sparse_drive(uint64_t sensitivity, lotor_ratio epsilon, lotor_message *why,
                                uint64_t *scale, uint64_t *drawn)
{
    lotor_sparse sparse;
    lotor_status status = lotor_sparse_make(sensitivity, epsilon, why, &sparse);
    *scale = sparse.scale;
    if (status == LOTOR_OK) {
        status = lotor_drive_scale(LOTOR_LAW_LAPLACE, sparse.scale, why, drawn);
    }
    if (status == LOTOR_OK &&
        !(answers_alike(&sparse, *drawn, 1, 3) && answers_alike(&sparse, *drawn, 2, 2) &&
          answers_alike(&sparse, *drawn, 3, 1))) {
        return lotor_fail(LOTOR_DAMAGED, why,
                          "sparse vector does not answer as its definition says: noise once on the "
                          "threshold, new noise on each query, and an end at the first yes");
    }
    return status;
}

enum { BITS = 192, MOST_MOVES = 15, MOST_QUERIES = 15, ASKED = LOTOR_SPARSE_ASKED };

typedef struct cached_value {
    bool ready;
    lotor_enclosure value;
} cached_value;

/* A query and its neighbour: indices into `queries`. */
typedef struct move {
    size_t from, to;
} move;

typedef struct search {
    lotor_sparse_kind kind;
    lotor_poly_claim claim;
    lotor_enclosure x, bound; /* `bound` is e^-epsilon */
    size_t query_count, move_count;
    int64_t queries[MOST_QUERIES];
    move moves[MOST_MOVES];
    cached_value *values[2]; /* [whether the last answer is yes][the queries as digits] */

    uint64_t compared;
    bool holds;
    bool found;
    lotor_sparse_answers worst[2];
    lotor_enclosure worst_value[2];
} search;

static size_t place_query(search *on, int64_t query)
{
    size_t i = 0;
    while (i < on->query_count && on->queries[i] != query) {
        i++;
    }
    if (i == on->query_count) {
        on->queries[on->query_count++] = query;
    }
    return i;
}

/* Makes queries `spacing` apart around the threshold, each moved by up to `sensitivity`. */
static void make_moves(search *on, int64_t spacing, int64_t sensitivity)
{
    for (int64_t base = -1; base <= 1; base++) {
        for (int64_t by = -sensitivity; by <= sensitivity; by++) {
            const size_t from = place_query(on, base * spacing);
            const size_t to = place_query(on, base * spacing + by);
            on->moves[on->move_count++] = (move){from, to};
        }
    }
}

static size_t power_of(size_t base, size_t exponent)
{
    size_t product = 1;
    for (; exponent > 0; exponent--) {
        product *= base;
    }
    return product;
}

static int compare_places(const void *a, const void *b)
{
    const size_t first = *(const size_t *)a, second = *(const size_t *)b;
    return first < second ? -1 : first > second;
}

/* The probability of these answers, computed only once. `places` lists the refused queries and then
 * the accepted one. */
static const lotor_enclosure *value_of(search *on, const size_t *places, size_t asked,
                                       bool accepted, lotor_sparse_answers *answers)
{
    size_t sorted[ASKED], key = 0;
    memcpy(sorted, places, asked * sizeof *places);
    qsort(sorted, asked - accepted, sizeof *sorted, compare_places);
    *answers = (lotor_sparse_answers){.refused = asked - accepted, .accepted = accepted};
    for (size_t i = 0; i < asked; i++) {
        key = key * (on->query_count + 1) + sorted[i] + 1;
        if (i < answers->refused) {
            answers->no[i] = on->queries[sorted[i]];
        } else {
            answers->yes = on->queries[sorted[i]];
        }
    }
    cached_value *entry = &on->values[accepted][key];
    if (!entry->ready) {
        lotor_poly ways;
        lotor_sparse_ways(answers, on->kind, &ways);
        lotor_poly_value(&entry->value, &ways, &on->x, BITS);
        entry->ready = true;
    }
    return &entry->value;
}

/* True if a/b is certainly above c/d. All numbers are at least 0. */
static bool is_above(const lotor_enclosure *a, const lotor_enclosure *b, const lotor_enclosure *c,
                     const lotor_enclosure *d)
{
    lotor_big left, right;
    lotor_big_multiply(&left, &a->low, &d->low);
    lotor_big_multiply(&right, &c->high, &b->high);
    return lotor_big_sign(&a->low) > 0 && lotor_big_compare(&left, &right) > 0;
}

static lotor_status compare(search *on, const lotor_sparse_answers *answers,
                            const lotor_enclosure *const *values, int from, lotor_message *why)
{
    const lotor_enclosure *p = values[from], *q = values[!from];
    lotor_enclosure scaled;
    lotor_enclosure_multiply(&scaled, p, &on->bound, BITS);
    lotor_enclosure_subtract(&scaled, &scaled, q);
    int sign = lotor_enclosure_sign(&scaled);
    if (sign == 0) {
        lotor_poly first, second;
        lotor_sparse_ways(&answers[from], on->kind, &first);
        lotor_sparse_ways(&answers[!from], on->kind, &second);
        const lotor_status status = lotor_poly_loss_sign(&first, &second, &on->claim, why, &sign);
        if (status != LOTOR_OK) {
            return status;
        }
    }
    on->compared++;
    on->holds = on->holds && sign <= 0;
    if (!on->found || is_above(p, q, &on->worst_value[0], &on->worst_value[1])) {
        on->found = true;
        on->worst[0] = answers[from];
        on->worst[1] = answers[!from];
        lotor_enclosure_copy(&on->worst_value[0], p);
        lotor_enclosure_copy(&on->worst_value[1], q);
    }
    return LOTOR_OK;
}

/* Compares the inputs both ways. */
static lotor_status compare_moves(search *on, const size_t *moves, size_t asked, bool accepted,
                                  lotor_message *why)
{
    size_t from[ASKED] = {0}, to[ASKED] = {0};
    for (size_t i = 0; i < asked; i++) {
        from[i] = on->moves[moves[i]].from;
        to[i] = on->moves[moves[i]].to;
    }
    lotor_sparse_answers answers[2];
    const lotor_enclosure *const values[2] = {
        value_of(on, from, asked, accepted, &answers[0]),
        value_of(on, to, asked, accepted, &answers[1]),
    };
    const lotor_status status = compare(on, answers, values, 0, why);
    return status == LOTOR_OK ? compare(on, answers, values, 1, why) : status;
}

/* Moves to the next multiset of `refused` moves: indices in non-decreasing order. False after the
 * last. */
static bool next_multiset(size_t *moves, size_t refused, size_t count)
{
    size_t i = refused;
    while (i > 0 && moves[i - 1] == count - 1) {
        i--;
    }
    if (i == 0) {
        return false;
    }
    const size_t next = moves[i - 1] + 1;
    for (size_t j = i - 1; j < refused; j++) {
        moves[j] = next;
    }
    return true;
}

static lotor_status compare_all(search *on, size_t asked, bool accepted, lotor_message *why)
{
    const size_t refused = asked - accepted;
    size_t moves[ASKED] = {0};
    lotor_status status = LOTOR_OK;
    do {
        for (size_t last = 0; status == LOTOR_OK && last < (accepted ? on->move_count : 1);
             last++) {
            if (accepted) {
                moves[refused] = last;
            }
            status = compare_moves(on, moves, asked, accepted, why);
        }
    } while (status == LOTOR_OK && next_multiset(moves, refused, on->move_count));
    return status;
}

static lotor_status search_all(search *on, lotor_message *why)
{
    on->holds = true;
    lotor_enclosure_exp_minus(&on->x, on->claim.decay, BITS);
    lotor_enclosure_exp_minus(&on->bound, on->claim.epsilon, BITS);
    const size_t entries = power_of(on->query_count + 1, ASKED);
    for (int i = 0; i < 2; i++) {
        on->values[i] = calloc(entries, sizeof *on->values[i]);
    }
    lotor_status status = on->values[0] && on->values[1] ? LOTOR_OK : LOTOR_MEMORY;
    if (status != LOTOR_OK) {
        lotor_explain(why, "not enough memory to verify sparse vector");
    }
    for (size_t asked = 1; status == LOTOR_OK && asked <= ASKED; asked++) {
        status = compare_all(on, asked, true, why);
        if (status == LOTOR_OK) {
            status = compare_all(on, asked, false, why);
        }
    }
    free(on->values[0]);
    free(on->values[1]);
    return status;
}

static void write_queries(const lotor_sparse_answers *answers, char *text, size_t capacity)
{
    size_t used = 0;
    for (size_t i = 0; i < answers->refused + answers->accepted; i++) {
        const int64_t query = i == answers->refused ? answers->yes : answers->no[i];
        used += (size_t)snprintf(text + used, capacity - used, "%s%" PRId64, i ? " " : "", query);
    }
}

static void write_worst(const search *on, lotor_verify_finding *finding)
{
    lotor_poly p, q;
    lotor_sparse_ways(&on->worst[0], on->kind, &p);
    lotor_sparse_ways(&on->worst[1], on->kind, &q);
    lotor_poly_loss_text(&p, &q, &on->claim, finding->exact, sizeof finding->exact, &finding->loss);
    char first[48], second[48];
    write_queries(&on->worst[0], first, sizeof first);
    write_queries(&on->worst[1], second, sizeof second);
    snprintf(finding->inputs, sizeof finding->inputs, "queries (%s) and (%s)", first, second);
    if (on->worst[0].accepted) {
        snprintf(finding->output, sizeof finding->output, "first yes at question %zu",
                 on->worst[0].refused + 1);
    } else {
        snprintf(finding->output, sizeof finding->output, "no yes in %zu questions",
                 on->worst[0].refused);
    }
    finding->compared = on->compared;
    finding->holds = on->holds;
}

static lotor_sparse_kind kind_of(const lotor_verify_mechanism *mechanism)
{
    if (strcmp(mechanism->id, "sparse-bare-threshold") == 0) {
        return LOTOR_SPARSE_BARE_THRESHOLD;
    }
    return strcmp(mechanism->id, "sparse-bare-queries") == 0 ? LOTOR_SPARSE_BARE_QUERIES
                                                             : LOTOR_SPARSE_BOTH;
}

/* The queries are adjacent; or, if `wide`, three scales apart, where the loss is close to its
 * bound. Polynomials have room for 24 units. */
static lotor_status verify_at(const lotor_verify_mechanism *mechanism,
                              const lotor_verify_request *request, lotor_ratio epsilon, bool wide,
                              lotor_message *why, lotor_verify_take *take, void *context)
{
    const uint64_t sensitivity = 1;
    search on = {.kind = kind_of(mechanism), .claim = {.epsilon = epsilon}};
    uint64_t scale, drawn;
    lotor_status status = lotor_sparse_drive(sensitivity, epsilon, why, &scale, &drawn);
    if (status == LOTOR_OK) {
        status = lotor_verify_decay(drawn, request, why, &on.claim.decay);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    const uint64_t apart = scale > 8 ? 24 : 3 * scale;
    const int64_t spacing = wide ? (int64_t)apart : 1;
    make_moves(&on, spacing, (int64_t)sensitivity);
    status = search_all(&on, why);
    if (status != LOTOR_OK) {
        return status;
    }
    lotor_verify_finding finding = {
        .mechanism = mechanism->id, .is_leak = mechanism->is_leak, .epsilon = epsilon};
    write_worst(&on, &finding);
    snprintf(finding.setting, sizeof finding.setting,
             "up to %d questions, queries %" PRId64 " apart, scale %" PRIu64 ", drawn %" PRIu64
             "%s",
             ASKED, spacing, scale, drawn, lotor_verify_scaled(request).text);
    take(context, &finding);
    return LOTOR_OK;
}

lotor_status lotor_verify_sparse(const lotor_verify_mechanism *mechanism,
                                 const lotor_verify_request *request, lotor_message *why,
                                 lotor_verify_take *take, void *context)
{
    static const lotor_verify_epsilons several = {{{1, 2}, {1, 1}, {3, 1}}, 3};
    static const lotor_verify_epsilons one = {{{1, 1}}, 1}; /* a leak shows at any epsilon */
    const lotor_verify_epsilons epsilons =
        lotor_verify_which(request, mechanism->is_leak ? &one : &several);
    lotor_status status = LOTOR_OK;
    for (size_t i = 0; i < epsilons.count; i++) {
        for (int wide = 0; status == LOTOR_OK && wide < 2; wide++) {
            status = verify_at(mechanism, request, epsilons.at[i], wide, why, take, context);
        }
    }
    return status;
}
