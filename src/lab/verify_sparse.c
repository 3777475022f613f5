/* verify_sparse.c - verifies sparse vector on all short series of questions. Each query and its
 * neighbour differ by at most the sensitivity.
 *
 * The order of the refused queries does not matter, so multisets of (query, neighbour) are enough.
 * Each probability is enclosed once. A comparison that the bounds do not decide goes to the
 * polynomials.
 */
#include "lab/verify_sparse.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "lab/verify_parts.h"

enum { BITS = 192, MOST_MOVES = 15, MOST_QUERIES = 15, ASKED = LOTOR_SPARSE_ASKED };

typedef struct known {
    bool ready;
    lotor_enclosure value;
} known;

/* A query and its neighbour: indices into `queries`. */
typedef struct move {
    size_t from, to;
} move;

typedef struct search {
    lotor_sparse_kind kind;
    lotor_poly_claim claim;
    lotor_enclosure x, bound; /* e^-epsilon */
    size_t query_count, move_count;
    int64_t queries[MOST_QUERIES];
    move moves[MOST_MOVES];
    known *values[2]; /* [the last answer was a yes][the queries as digits] */

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

/* The probability of these answers, computed only once. `places` has the refused queries, then the
 * accepted one. */
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
    known *entry = &on->values[accepted][key];
    if (!entry->ready) {
        lotor_poly ways;
        lotor_sparse_ways(answers, on->kind, &ways);
        lotor_poly_value(&entry->value, &ways, &on->x, BITS);
        entry->ready = true;
    }
    return &entry->value;
}

/* Whether a/b is certainly above c/d. All numbers are >= 0. */
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
