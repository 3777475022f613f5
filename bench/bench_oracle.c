/* bench_oracle.c - the time of one pick of an oracle and of one ordering of the arms, on one core.
 *
 * Orders and indices are random and change with every call, as under Thompson sampling, so that the
 * processor can't predict them. Target: 200 ns for a pick on Table 6.1 of Chandak 2023.
 */
#include <string.h>

#include "base/random/laws.h"
#include "bench.h"
#include "choice/oracle.h"

enum { CASES = 1 << 10, MOST_ARMS = 128, PICKS = 2000000 };

typedef struct scene {
    lotor_oracle *oracle;
    size_t arms;
    void *work;
    double index[CASES][MOST_ARMS];
    uint64_t tie[CASES][MOST_ARMS];
    uint32_t order[CASES][MOST_ARMS];
} scene;

static double pick(void *state, size_t count)
{
    const scene *const here = state;
    uint32_t picked[MOST_ARMS];
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t turn = i % CASES;
        const size_t size = here->oracle->pick(here->oracle, here->index[turn], here->order[turn],
                                               here->work, picked);
        sum += picked[size - 1];
    }
    return sum;
}

static double order(void *state, size_t count)
{
    const scene *const here = state;
    uint32_t sorted[MOST_ARMS];
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        lotor_oracle_order(here->arms, here->index[i % CASES], NULL, sorted);
        sum += sorted[0];
    }
    return sum;
}

/* All indices are equal, as at the start: a random number decides. */
static double order_equal(void *state, size_t count)
{
    static const double equal[MOST_ARMS];
    const scene *const here = state;
    uint32_t sorted[MOST_ARMS];
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        lotor_oracle_order(here->arms, equal, here->tie[i % CASES], sorted);
        sum += sorted[0];
    }
    return sum;
}

static void draw(scene *here, size_t arms)
{
    lotor_generator generator;
    lotor_generator_seed(&generator, 1);
    here->arms = arms;
    for (size_t i = 0; i < CASES; i++) {
        for (size_t j = 0; j < arms; j++) {
            here->index[i][j] = lotor_random_gaussian(&generator);
            here->tie[i][j] = lotor_generator_word(&generator);
        }
        lotor_oracle_order(arms, here->index[i], NULL, here->order[i]);
    }
}

static double ordering(scene *here, size_t arms, bench_function *function)
{
    draw(here, arms);
    return bench_nanoseconds(function, here, PICKS * 10 / arms);
}

/* Frees the oracle at the end. */
static double picking(scene *here, lotor_oracle *oracle, size_t count)
{
    if (!oracle || !(here->work = malloc(oracle->work_bytes + 1))) {
        fprintf(stderr, "no oracle\n");
        exit(EXIT_FAILURE);
    }
    here->oracle = oracle;
    draw(here, oracle->arms);
    const double cost = bench_nanoseconds(pick, here, count);
    free(here->work);
    lotor_oracle_free(oracle);
    return cost;
}

static lotor_oracle *top(size_t arms, size_t slots)
{
    lotor_oracle *oracle;
    (void)lotor_oracle_top(arms, slots, NULL, &oracle);
    return oracle;
}

/* Random edges on half as many vertices. */
static lotor_oracle *graphic(size_t arms)
{
    lotor_generator generator;
    uint32_t from[MOST_ARMS], to[MOST_ARMS];
    lotor_oracle *oracle;
    lotor_generator_seed(&generator, 2);
    for (size_t i = 0; i < arms; i++) {
        from[i] = (uint32_t)(lotor_generator_word(&generator) % (arms / 2));
        to[i] = (uint32_t)(lotor_generator_word(&generator) % (arms / 2));
    }
    (void)lotor_oracle_graphic(arms, from, to, arms / 2, NULL, &oracle);
    return oracle;
}

/* `layers` columns of `width` vertices, with all edges from one column to the next, and a source
 * and a sink outside. */
static lotor_oracle *path(uint32_t layers, uint32_t width)
{
    uint32_t from[MOST_ARMS], to[MOST_ARMS];
    lotor_oracle *oracle;
    size_t arms = 0;
    for (uint32_t i = 0; i < width; i++) {
        from[arms] = 0;
        to[arms++] = 1 + i;
        from[arms] = 1 + (layers - 1) * width + i;
        to[arms++] = 1 + layers * width;
        for (uint32_t j = 0; j < (layers - 1) * width; j++) {
            from[arms] = 1 + j;
            to[arms++] = 1 + (j / width + 1) * width + i;
        }
    }
    (void)lotor_oracle_path(arms, from, to, 2 + layers * width, 0, 1 + layers * width, NULL,
                            &oracle);
    return oracle;
}

/* The same edges for coverage and influence. */
static void random_edges(size_t arms, size_t vertices, uint32_t *from, uint32_t *to)
{
    lotor_generator generator;
    lotor_generator_seed(&generator, 4);
    for (size_t i = 0; i < arms; i++) {
        from[i] = (uint32_t)(lotor_generator_word(&generator) % vertices);
        to[i] = (uint32_t)(lotor_generator_word(&generator) % vertices);
    }
}

static lotor_oracle *coverage(size_t arms, size_t vertices, size_t seeds)
{
    uint32_t from[MOST_ARMS], to[MOST_ARMS];
    lotor_oracle *oracle;
    random_edges(arms, vertices, from, to);
    (void)lotor_oracle_coverage(arms, from, to, vertices, seeds, NULL, &oracle);
    return oracle;
}

static lotor_oracle *influence(size_t arms, size_t vertices, size_t seeds, size_t samples)
{
    uint32_t from[MOST_ARMS], to[MOST_ARMS];
    lotor_oracle *oracle;
    random_edges(arms, vertices, from, to);
    (void)lotor_oracle_influence(arms, from, to, vertices, seeds, samples, NULL, &oracle);
    return oracle;
}

/* Random vectors. Each entry is from 1 to `scale` with probability 1/every, otherwise 0. */
static lotor_oracle *linear(size_t arms, size_t dimension, uint64_t every, uint64_t scale)
{
    static int64_t vectors[MOST_ARMS * MOST_ARMS];
    lotor_generator generator;
    lotor_oracle *oracle;
    lotor_generator_seed(&generator, 3);
    for (size_t i = 0; i < arms * dimension; i++) {
        const bool there = lotor_generator_word(&generator) % every == 0;
        vectors[i] = there ? 1 + (int64_t)(lotor_generator_word(&generator) % scale) : 0;
    }
    (void)lotor_oracle_linear(arms, dimension, vectors, NULL, &oracle);
    return oracle;
}

/* Chandak 2023, Table 6.1. */
static lotor_oracle *table_6_1(void)
{
    static const int64_t vectors[7][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1},
                                          {0, 1, 1}, {2, 0, 0}, {0, 0, 0}};
    lotor_oracle *oracle;
    (void)lotor_oracle_linear(7, 3, vectors[0], NULL, &oracle);
    return oracle;
}

int main(void)
{
    scene *const here = malloc(sizeof *here);
    if (!here) {
        fprintf(stderr, "no memory\n");
        return EXIT_FAILURE;
    }
    memset(here, 0, sizeof *here);
    bench_heading();
    const double table = picking(here, table_6_1(), 10 * PICKS);
    bool met = bench_at_most("linear, Table 6.1", table, "ns", table, 200);
    const double few = picking(here, linear(11, 3, 2, 9), PICKS);
    met &= bench_at_most("linear, 11 arms, dimension 3", few, "ns", few, 200);
    bench_plain("linear, 100 arms, 18 genres", picking(here, linear(100, 18, 8, 1), PICKS / 20),
                "ns");
    bench_plain("linear, 100 arms, 18 dense", picking(here, linear(100, 18, 1, 9), PICKS / 20),
                "ns");
    bench_plain("linear, 100 arms, 10 large entries",
                picking(here, linear(100, 10, 1, 10000), PICKS / 20), "ns");
    bench_plain("graphic, 7 edges", picking(here, graphic(7), PICKS), "ns");
    bench_plain("graphic, 40 edges", picking(here, graphic(40), PICKS), "ns");
    bench_plain("path, 6 layers of 4", picking(here, path(6, 4), PICKS / 20), "ns");
    bench_plain("coverage, 100 edges, 4 of 30", picking(here, coverage(100, 30, 4), PICKS / 20),
                "ns");
    bench_plain("influence, the same, 1000 samples",
                picking(here, influence(100, 30, 4, 1000), PICKS / 4000), "ns");
    bench_plain("top 4 of 20", picking(here, top(20, 4), PICKS), "ns");
    static const size_t arms[] = {5, 7, 10, 20, 32, 33, 100};
    for (size_t i = 0; i < sizeof arms / sizeof *arms; i++) {
        char name[40];
        snprintf(name, sizeof name, "order %zu arms", arms[i]);
        bench_plain(name, ordering(here, arms[i], order), "ns");
        snprintf(name, sizeof name, "order %zu equal arms", arms[i]);
        bench_plain(name, ordering(here, arms[i], order_equal), "ns");
    }
    free(here);
    return bench_status(met);
}
