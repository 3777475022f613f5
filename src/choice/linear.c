/* linear.c - the linear matroid: arms are integer vectors, and independent vectors can be shown
 * together.
 *
 * Independence over the rationals is decided exactly, by arithmetic modulo primes. Take primes
 * whose product is larger than every minor. Vectors are independent if and only if they are
 * independent modulo at least one of these primes. By Hadamard's inequality, a minor is at most the
 * product of the lengths of the longest vectors (linear.md).
 *
 * span.h has the elimination modulo one prime. If the rank is r, the oracle looks at r coordinates
 * only; the constructor finds r coordinates that are enough to detect every dependent set.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "choice/make.h"
#include "choice/span.h"

enum { MOST_DIMENSIONS = 4096 };

typedef struct linear {
    lotor_oracle oracle;
    lotor_vectors vectors;
} linear;

/* Walks the arms in `order` and picks each arm that is independent of the arms picked before. */
static size_t linear_walk(const linear *self, const uint32_t *order, lotor_span *space, void *work,
                          uint32_t *picked)
{
    size_t count = 0;
    for (size_t i = 0; i < self->vectors.primes; i++) {
        lotor_span_begin(&self->vectors, i, work, &space[i]);
    }
    for (size_t i = 0; i < self->oracle.arms && count < self->oracle.slots; i++) {
        const uint32_t arm = order[i];
        assert(arm < self->oracle.arms);
        if (lotor_span_joins(&self->vectors, space, arm)) {
            picked[count++] = arm;
        }
    }
    assert(count <= self->vectors.columns);
    return count;
}

static size_t linear_pick(const lotor_oracle *oracle, const double *index, const uint32_t *order,
                          void *work, uint32_t *picked)
{
    lotor_span space[LOTOR_PRIMES];
    (void)index;
    return linear_walk((const linear *)oracle, order, space, work, picked);
}

static void linear_destroy(lotor_oracle *oracle)
{
    linear *const self = (linear *)oracle;
    free(self->vectors.start);
    free(self->vectors.column);
    free(self->vectors.value);
    free(self);
}

/* --- the constructor -------------------------------------------------------------------------- */

static uint64_t size_of(int64_t value)
{
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

/* The greatest common divisor of a vector's entries; 1 for the zero vector. */
static uint64_t common_divisor(const int64_t *vector, size_t dimension)
{
    uint64_t divisor = 0;
    for (size_t i = 0; i < dimension && divisor != 1; i++) {
        uint64_t rest = size_of(vector[i]);
        while (rest != 0) {
            const uint64_t next = divisor % rest;
            divisor = rest;
            rest = next;
        }
    }
    return divisor == 0 ? 1 : divisor;
}

/* log2 of a bound on every minor. Each vector is divided by its common divisor; the bound is the
 * product of the longest lengths, as many as there can be independent vectors. The rounding error
 * is far below the bit that LOTOR_PRIME_BITS leaves for each prime. */
static lotor_status minor_bits(size_t arms, size_t dimension, const int64_t *vectors,
                               lotor_message *why, double *bits)
{
    double *const lengths = malloc(arms * sizeof *lengths);
    uint32_t *const order = malloc(arms * sizeof *order);
    if (!lengths || !order) {
        free(lengths);
        free(order);
        return lotor_oracle_no_memory(arms, why);
    }
    for (size_t i = 0; i < arms; i++) {
        const int64_t *const vector = vectors + i * dimension;
        const double divisor = (double)common_divisor(vector, dimension);
        double squares = 0;
        for (size_t j = 0; j < dimension; j++) {
            const double entry = (double)vector[j] / divisor;
            squares += entry * entry;
        }
        lengths[i] = squares > 1 ? 0.5 * log2(squares) : 0;
    }
    lotor_oracle_order(arms, lengths, NULL, order);
    *bits = 0;
    for (size_t i = 0; i < arms && i < dimension; i++) {
        *bits += lengths[order[i]];
    }
    assert(*bits >= 0);
    free(lengths);
    free(order);
    return LOTOR_OK;
}

/* Stores the entries of all arms in the given columns. Entry j of an arm is column columns[j] of
 * its vector, modulo each prime. */
static void fill_entries(linear *self, size_t dimension, const int64_t *vectors,
                         const uint32_t *columns)
{
    size_t count = 0;
    for (size_t i = 0; i < self->oracle.arms; i++) {
        const int64_t *const vector = vectors + i * dimension;
        const uint64_t divisor = common_divisor(vector, dimension);
        self->vectors.start[i] = count;
        for (size_t j = 0; j < self->vectors.columns; j++) {
            const int64_t entry = vector[columns[j]];
            if (entry == 0) {
                continue;
            }
            for (size_t k = 0; k < self->vectors.primes; k++) {
                const uint64_t offset = lotor_prime_offset[k];
                const uint64_t value = lotor_prime_reduce(size_of(entry) / divisor, offset);
                self->vectors.value[k * self->vectors.entries + count] =
                    entry < 0 ? lotor_prime_negative(value, offset) : value;
            }
            self->vectors.column[count++] = (uint32_t)j;
        }
    }
    assert(count == self->vectors.entries);
    self->vectors.start[self->oracle.arms] = count;
}

/* How many entries of the given columns are not 0. */
static size_t count_entries(size_t arms, size_t dimension, const int64_t *vectors,
                            const uint32_t *columns, size_t count)
{
    size_t entries = 0;
    for (size_t i = 0; i < arms; i++) {
        for (size_t j = 0; j < count; j++) {
            entries += vectors[i * dimension + columns[j]] != 0;
        }
    }
    return entries;
}

static linear *linear_new(size_t arms, size_t dimension, const int64_t *vectors, size_t primes,
                          const uint32_t *columns, size_t count)
{
    linear *const self = calloc(1, sizeof *self);
    if (!self) {
        return NULL;
    }
    self->oracle = (lotor_oracle){
        .id = "linear",
        .arms = arms,
        .by_order = true,
        .alpha = 1,
        .beta = 1,
        .work_bytes = primes * lotor_span_bytes(count),
        .pick = linear_pick,
        .destroy = linear_destroy,
    };
    self->vectors.columns = count;
    self->vectors.primes = primes;
    self->vectors.entries = count_entries(arms, dimension, vectors, columns, count);
    self->vectors.start = calloc(arms + 1, sizeof *self->vectors.start);
    self->vectors.column = calloc(self->vectors.entries + 1, sizeof *self->vectors.column);
    self->vectors.value = calloc(primes * self->vectors.entries + 1, sizeof *self->vectors.value);
    if (!self->vectors.start || !self->vectors.column || !self->vectors.value) {
        linear_destroy(&self->oracle);
        return NULL;
    }
    fill_entries(self, dimension, vectors, columns);
    return self;
}

/* Finds `rank` of the `dimension` columns that preserve every independence, and puts them first in
 * `columns`. They are the columns of the functionals that the elimination of all arms removes. */
static lotor_status choose_columns(size_t arms, size_t dimension, const int64_t *vectors,
                                   size_t primes, uint32_t *columns, lotor_message *why,
                                   size_t *rank)
{
    lotor_span space[LOTOR_PRIMES] = {{0}};
    linear *const all = linear_new(arms, dimension, vectors, primes, columns, dimension);
    uint32_t *const order = calloc(2 * arms, sizeof *order);
    void *const work = all ? malloc(all->oracle.work_bytes) : NULL;
    lotor_status status = LOTOR_OK;
    if (!all || !order || !work) {
        status = lotor_oracle_no_memory(arms, why);
        goto done;
    }
    for (size_t i = 0; i < arms; i++) {
        order[i] = (uint32_t)i;
    }
    all->oracle.slots = arms;
    *rank = linear_walk(all, order, space, work, order + arms);
    for (size_t i = 0; i < primes; i++) {
        if (space[i].alive) { /* at least one prime is alive, and it found the whole rank */
            assert(space[i].left + *rank == dimension);
            memcpy(columns, space[i].live + space[i].left, *rank * sizeof *columns);
            break;
        }
    }
done:
    free(work);
    free(order);
    lotor_oracle_free(all ? &all->oracle : NULL);
    return status;
}

static lotor_status check(size_t arms, size_t dimension, const int64_t *vectors, lotor_message *why)
{
    const lotor_status status = lotor_oracle_check_arms(arms, why);
    if (status != LOTOR_OK) {
        return status;
    }
    if (dimension == 0) {
        return lotor_fail(LOTOR_INVALID, why, "vectors of dimension 0: give at least 1 entry each");
    }
    if (!vectors) {
        return lotor_oracle_missing("the vectors of the arms are", why);
    }
    if (dimension > MOST_DIMENSIONS) {
        return lotor_fail(LOTOR_INVALID, why, "%zu dimensions are too many: give at most %d",
                          dimension, MOST_DIMENSIONS);
    }
    if (arms >
        SIZE_MAX / sizeof(uint64_t) / LOTOR_PRIMES / dimension - 1) { /* sizes do not overflow */
        return lotor_oracle_no_memory(arms, why);
    }
    return LOTOR_OK;
}

lotor_status lotor_oracle_linear(size_t arms, size_t dimension, const int64_t *vectors,
                                 lotor_message *why, lotor_oracle **out)
{
    double bits = 0;
    *out = NULL;
    lotor_status status = check(arms, dimension, vectors, why);
    if (status == LOTOR_OK) {
        status = minor_bits(arms, dimension, vectors, why, &bits);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    if (bits >= LOTOR_PRIMES * LOTOR_PRIME_BITS) {
        return lotor_fail(LOTOR_OVERFLOW, why,
                          "determinants of these vectors may have %.0f bits, but independence is "
                          "exact below %d: give smaller entries or fewer dimensions",
                          ceil(bits), LOTOR_PRIMES * LOTOR_PRIME_BITS);
    }
    const size_t primes = bits < (double)LOTOR_PRIME_BITS ? 1 : bits < 2 * LOTOR_PRIME_BITS ? 2 : 3;
    uint32_t *const columns = malloc(dimension * sizeof *columns);
    if (!columns) {
        return lotor_oracle_no_memory(arms, why);
    }
    for (size_t i = 0; i < dimension; i++) {
        columns[i] = (uint32_t)i;
    }
    size_t rank = 0;
    status = choose_columns(arms, dimension, vectors, primes, columns, why, &rank);
    linear *self = NULL;
    if (status == LOTOR_OK) {
        self = linear_new(arms, dimension, vectors, primes, columns, rank);
        status =
            self ? lotor_oracle_measure(&self->oracle, why) : lotor_oracle_no_memory(arms, why);
    }
    free(columns);
    if (status != LOTOR_OK) {
        lotor_oracle_free(self ? &self->oracle : NULL);
        return status;
    }
    return lotor_oracle_quicken(&self->oracle, why, out);
}
