/* verify_table.c - see verify_table.h. */
#include "lab/verify_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"

/* How often each weight occurs in a row. There are only a few kinds of rows. */
typedef struct totals {
    size_t count;
    uint64_t occurs[LOTOR_TABLE_TOTALS][LOTOR_TABLE_WEIGHTS];
    lotor_poly sum[LOTOR_TABLE_TOTALS];
} totals;

typedef struct judgement {
    bool known;
    int sign;
    double loss;
} judgement;

static void count_weights(const lotor_verify_table *table, size_t input, uint64_t *occurs)
{
    memset(occurs, 0, LOTOR_TABLE_WEIGHTS * sizeof *occurs);
    for (size_t output = 0; output < table->outputs; output++) {
        occurs[table->weight_of(table->law, input, output)]++;
    }
}

/* The kind of this input's row; LOTOR_TABLE_TOTALS if there are too many kinds. */
static size_t find_total(const lotor_verify_table *table, totals *all, size_t input)
{
    uint64_t occurs[LOTOR_TABLE_WEIGHTS];
    count_weights(table, input, occurs);
    size_t kind = 0;
    while (kind < all->count && memcmp(all->occurs[kind], occurs, sizeof occurs) != 0) {
        kind++;
    }
    if (kind == all->count && kind < LOTOR_TABLE_TOTALS) {
        memcpy(all->occurs[kind], occurs, sizeof occurs);
        lotor_poly_set(&all->sum[kind], 0);
        for (size_t i = 0; i < LOTOR_TABLE_WEIGHTS; i++) {
            lotor_poly_add_shifted(&all->sum[kind], &table->weights[i], (int64_t)occurs[i], 0);
        }
        all->count++;
    }
    return kind;
}

/* Brings weight / total over the common denominator with the other row. Equal totals are left
 * out. */
static void cross(const lotor_poly *weight, const lotor_poly *other_total, bool same,
                  lotor_poly *out)
{
    if (same) {
        lotor_poly_copy(out, weight);
    } else {
        lotor_poly_multiply(out, weight, other_total);
    }
}

typedef struct comparison {
    const lotor_verify_table *table;
    const lotor_poly_claim *claim;
    totals totals;
    size_t kinds[LOTOR_TABLE_INPUTS]; /* the kind of each input's row */
    judgement seen[LOTOR_TABLE_TOTALS][LOTOR_TABLE_TOTALS][LOTOR_TABLE_WEIGHTS]
                  [LOTOR_TABLE_WEIGHTS];
} comparison;

static lotor_status judge(comparison *on, const size_t *kinds, const size_t *weights,
                          lotor_message *why, const judgement **out, char *exact, size_t capacity)
{
    judgement *entry = &on->seen[kinds[0]][kinds[1]][weights[0]][weights[1]];
    *out = entry;
    if (entry->known) {
        return LOTOR_OK;
    }
    lotor_poly p, q;
    const bool same = kinds[0] == kinds[1];
    cross(&on->table->weights[weights[0]], &on->totals.sum[kinds[1]], same, &p);
    cross(&on->table->weights[weights[1]], &on->totals.sum[kinds[0]], same, &q);
    entry->known = true;
    lotor_poly_loss_text(&p, &q, on->claim, exact, capacity, &entry->loss);
    return lotor_poly_loss_sign(&p, &q, on->claim, why, &entry->sign);
}

static lotor_status compare_inputs(comparison *on, size_t from, size_t to, lotor_message *why,
                                   lotor_verify_worst *worst)
{
    const size_t kinds[2] = {on->kinds[from], on->kinds[to]};
    for (size_t output = 0; output < on->table->outputs; output++) {
        const size_t weights[2] = {on->table->weight_of(on->table->law, from, output),
                                   on->table->weight_of(on->table->law, to, output)};
        const judgement *verdict;
        char exact[sizeof worst->exact];
        const lotor_status status = judge(on, kinds, weights, why, &verdict, exact, sizeof exact);
        if (status != LOTOR_OK) {
            return status;
        }
        worst->compared++;
        worst->holds = worst->holds && verdict->sign <= 0;
        if (verdict->loss > worst->loss) { /* only in the first comparison, which makes the text */
            worst->loss = verdict->loss;
            worst->from = from;
            worst->to = to;
            worst->output = output;
            memcpy(worst->exact, exact, sizeof exact);
        }
    }
    return LOTOR_OK;
}

lotor_status lotor_verify_weigh(const lotor_verify_table *table, const lotor_poly_claim *claim,
                                lotor_message *why, lotor_verify_worst *worst)
{
    comparison on = {.table = table, .claim = claim};
    *worst = (lotor_verify_worst){.loss = -INFINITY, .holds = true};
    for (size_t i = 0; i < table->inputs; i++) {
        on.kinds[i % LOTOR_TABLE_INPUTS] = find_total(table, &on.totals, i);
        if (i >= LOTOR_TABLE_INPUTS || on.kinds[i] == LOTOR_TABLE_TOTALS) {
            return lotor_fail(LOTOR_OVERFLOW, why,
                              "this table is too large: at most %d inputs, with %d different sums "
                              "of weights",
                              LOTOR_TABLE_INPUTS, LOTOR_TABLE_TOTALS);
        }
    }
    lotor_status status = LOTOR_OK;
    for (size_t from = 0; status == LOTOR_OK && from < table->inputs; from++) {
        for (size_t to = 0; status == LOTOR_OK && to < table->inputs; to++) {
            status = compare_inputs(&on, from, to, why, worst);
        }
    }
    return status;
}
