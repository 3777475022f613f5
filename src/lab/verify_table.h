/* verify_table.h - a randomizer with finitely many inputs and outputs, as a table of weights.
 *
 * Output z on input v has probability weight(v, z) / (sum over z' of weight(v, z')). Each weight is
 * one of a few polynomials in x = e^-decay. This is the local model: any two inputs are neighbours.
 */
#ifndef LOTOR_LAB_VERIFY_TABLE_H
#define LOTOR_LAB_VERIFY_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "lab/verify_poly.h"

enum { LOTOR_TABLE_INPUTS = 64, LOTOR_TABLE_WEIGHTS = 3, LOTOR_TABLE_TOTALS = 4 };

typedef struct lotor_verify_table {
    size_t inputs, outputs;
    lotor_poly weights[LOTOR_TABLE_WEIGHTS];
    size_t (*weight_of)(const void *law, size_t input, size_t output); /* index into weights */
    const void *law;
} lotor_verify_table;

typedef struct lotor_verify_worst {
    size_t from, to, output; /* P(output | from) / P(output | to) is the largest ratio */
    char exact[128];
    double loss;
    uint64_t compared;
    bool holds;
} lotor_verify_worst;

/* Finds the worst loss over all pairs of inputs and all outputs. LOTOR_OVERFLOW: as
 * lotor_poly_loss_sign; or there are more than LOTOR_TABLE_INPUTS inputs, or more than
 * LOTOR_TABLE_TOTALS different sums of weights. */
lotor_status lotor_verify_weigh(const lotor_verify_table *table, const lotor_poly_claim *claim,
                                lotor_message *why, lotor_verify_worst *worst);

#endif
