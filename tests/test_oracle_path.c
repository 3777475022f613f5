/* test_oracle_path.c - compares the path oracle with all paths, found by walking.
 *
 * Weights are quarters, so that sums are exact and equal paths are equal. */
#include "support/test.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random/laws.h"
#include "choice/oracle.h"

enum { MOST = 14, VERTICES = 7, GRAPHS = 800, WEIGHTS = 20 };

static size_t below(lotor_generator *generator, size_t bound)
{
    return (size_t)(lotor_generator_word(generator) % bound);
}

typedef struct graph {
    size_t arms;
    uint32_t from[MOST], to[MOST];
    uint32_t source, sink;
} graph;

/* Infinities are counted, the finite rest is added up. */
typedef struct worth {
    int infinite;
    int lowest;
    double sum;
} worth;

static worth worth_of(const double *weight, const uint32_t *way, size_t count)
{
    worth all = {0, 0, 0};
    for (size_t i = 0; i < count; i++) {
        const double it = weight[way[i]];
        if (isnan(it) || it == -INFINITY) {
            all.lowest++;
        } else if (it == INFINITY) {
            all.infinite++;
        } else {
            all.sum += it - 1;
        }
    }
    return all;
}

static bool less(worth a, worth b)
{
    if (a.infinite != b.infinite) {
        return a.infinite < b.infinite;
    }
    return a.lowest != b.lowest ? a.lowest > b.lowest : a.sum < b.sum;
}

/* All paths from source to sink, by trying every edge at every vertex. */
typedef struct walk {
    const graph *on;
    const double *weight; /* NULL: weights are not needed */
    uint32_t way[MOST];
    size_t paths;
    size_t longest;
    worth best;
} walk;

static void walk_from(walk *it, uint32_t vertex, size_t steps)
{
    if (vertex == it->on->sink) {
        const worth is = it->weight ? worth_of(it->weight, it->way, steps) : (worth){0, 0, 0};
        it->best = it->paths == 0 || less(it->best, is) ? is : it->best;
        it->longest = steps > it->longest ? steps : it->longest;
        it->paths++;
        return;
    }
    for (size_t i = 0; i < it->on->arms; i++) {
        if (it->on->from[i] == vertex) {
            it->way[steps] = (uint32_t)i;
            walk_from(it, it->on->to[i], steps + 1);
        }
    }
}

static walk walk_all(const graph *on, const double *weight)
{
    walk it = {.on = on, .weight = weight};
    walk_from(&it, on->source, 0);
    return it;
}

/* Edges go up in a random order of the vertices, whose names have gaps. */
static graph random_graph(lotor_generator *generator, bool cycles)
{
    uint32_t name[VERTICES] = {0};
    graph it = {.arms = 1 + below(generator, MOST)};
    const size_t vertices = 2 + below(generator, VERTICES - 1);
    for (size_t i = 0; i < vertices; i++) {
        const size_t at = below(generator, i + 1);
        name[i] = name[at];
        name[at] = (uint32_t)(i * i * 20);
    }
    for (size_t i = 0; i < it.arms; i++) {
        const size_t a = below(generator, vertices - 1);
        const size_t b = a + 1 + below(generator, vertices - 1 - a);
        const bool back = cycles && below(generator, 6) == 0;
        it.from[i] = name[back ? b : a];
        it.to[i] = name[back ? a : b];
    }
    it.source = name[below(generator, 2) % vertices];
    it.sink = name[vertices - 1];
    return it;
}

static lotor_status make(const graph *on, lotor_message *why, lotor_oracle **oracle)
{
    return lotor_oracle_path(on->arms, on->from, on->to, 1000, on->source, on->sink, why, oracle);
}

static void pick_and_compare(lotor_generator *generator, const graph *on, lotor_oracle *oracle)
{
    static const double choices[] = {-INFINITY, -1, 0.25, 0.5, 0.75, 1, 2, INFINITY, NAN};
    double weight[MOST];
    uint64_t tie[MOST];
    uint32_t order[MOST], picked[MOST + 1];
    void *const work = malloc(oracle->work_bytes);
    assert_non_null(work);
    for (size_t i = 0; i < on->arms; i++) {
        weight[i] = choices[below(generator, sizeof choices / sizeof *choices)];
        tie[i] = lotor_generator_word(generator);
    }
    const walk all = walk_all(on, weight);
    lotor_oracle_order(on->arms, weight, tie, order);
    picked[oracle->slots] = 77;
    const size_t count = oracle->pick(oracle, weight, order, work, picked);
    assert_in_range(count, 1, oracle->slots);
    assert_int_equal(picked[oracle->slots], 77);
    assert_int_equal(on->from[picked[0]], on->source);
    assert_int_equal(on->to[picked[count - 1]], on->sink);
    for (size_t i = 1; i < count; i++) {
        assert_int_equal(on->to[picked[i - 1]], on->from[picked[i]]);
    }
    const worth is = worth_of(weight, picked, count);
    assert_false(less(is, all.best));
    assert_false(less(all.best, is));
    if (is.infinite == 0 && is.lowest == 0) {
        assert_true(lotor_oracle_value(oracle, weight, picked, count, work) == is.sum);
    }
    free(work);
}

TEST(test_all_paths)
{
    lotor_generator generator;
    size_t made = 0;
    (void)state;
    lotor_generator_seed(&generator, 11);
    for (size_t i = 0; i < GRAPHS; i++) {
        const graph on = random_graph(&generator, false);
        const walk all = walk_all(&on, NULL);
        lotor_message why;
        lotor_oracle *oracle;
        if (all.paths == 0 || on.source == on.sink) {
            assert_int_equal(make(&on, &why, &oracle), LOTOR_INVALID);
            assert_non_null(strstr(why.text, on.source == on.sink ? "both vertex" : "no path"));
            assert_null(oracle);
            continue;
        }
        assert_int_equal(make(&on, &why, &oracle), LOTOR_OK);
        assert_string_equal(oracle->id, "path");
        assert_int_equal(oracle->slots, all.longest);
        assert_int_equal(oracle->seeds, 0);
        assert_null(lotor_oracle_seeds(oracle, &made));
        assert_true(!oracle->by_order && oracle->alpha == 1 && oracle->beta == 1);
        for (size_t round = 0; round < WEIGHTS; round++) {
            pick_and_compare(&generator, &on, oracle);
        }
        lotor_oracle_free(oracle);
        made++;
    }
    assert_in_range(made, GRAPHS / 3, GRAPHS - 50); /* both were met often */
}

/* True if a walk of at most `steps` edges leads from one vertex to the other. */
static bool leads(const graph *on, uint32_t from, uint32_t to, size_t steps)
{
    for (size_t i = 0; i < on->arms && from != to && steps > 0; i++) {
        if (on->from[i] == from && leads(on, on->to[i], to, steps - 1)) {
            return true;
        }
    }
    return from == to;
}

/* The edge in the message is on a cycle: a walk leads from its end to its start. */
TEST(test_cycles)
{
    lotor_generator generator;
    size_t refused = 0;
    (void)state;
    lotor_generator_seed(&generator, 12);
    for (size_t i = 0; i < GRAPHS; i++) {
        graph on = random_graph(&generator, true);
        on.arms = on.arms < 9 ? on.arms : 9; /* walks that go round are many */
        lotor_message why = {""};
        lotor_oracle *oracle;
        bool cycle = false;
        for (size_t arm = 0; arm < on.arms; arm++) {
            cycle |= leads(&on, on.to[arm], on.from[arm], VERTICES);
        }
        if (on.source == on.sink) {
            continue;
        }
        const lotor_status status = make(&on, &why, &oracle);
        assert_int_equal(strstr(why.text, "is on a cycle") != NULL, cycle);
        if (cycle) {
            char *rest;
            const size_t arm = strtoul(why.text + strlen("arm "), &rest, 10);
            char expected[64];
            assert_true(arm < on.arms);
            snprintf(expected, sizeof expected, ", the edge %lu-%lu, is on a cycle",
                     (unsigned long)on.from[arm], (unsigned long)on.to[arm]);
            assert_int_equal(strncmp(rest, expected, strlen(expected)), 0);
            assert_true(leads(&on, on.to[arm], on.from[arm], VERTICES));
            assert_int_equal(status, LOTOR_INVALID);
            refused++;
        }
        lotor_oracle_free(oracle);
    }
    assert_in_range(refused, GRAPHS / 8, GRAPHS - GRAPHS / 8);
}

/* 0→1→3 costs 0.1 + 0.2, 0→2→3 costs 0.05 + 0.3, 0→3 costs 0.25: the last. Without its last place
 * it is the first; a weight above 1 pays. An edge behind the sink and one before the source don't
 * matter. */
TEST(test_golden)
{
    static const uint32_t from[] = {0, 0, 1, 2, 0, 3, 5};
    static const uint32_t to[] = {1, 2, 3, 3, 3, 4, 0};
    static const uint32_t order[] = {6, 5, 4, 3, 2, 1, 0};
    double weight[] = {0.9, 0.95, 0.8, 0.7, 0.75, INFINITY, INFINITY};
    uint32_t picked[2];
    lotor_oracle *oracle;
    (void)state;
    assert_int_equal(lotor_oracle_path(7, from, to, 6, 0, 3, NULL, &oracle), LOTOR_OK);
    assert_int_equal(oracle->slots, 2);
    void *const work = malloc(oracle->work_bytes);
    assert_non_null(work);
    assert_int_equal(oracle->pick(oracle, weight, order, work, picked), 1);
    assert_int_equal(picked[0], 4);
    assert_true(lotor_oracle_value(oracle, weight, picked, 1, work) == -0.25);
    weight[4] = 0.5;
    assert_int_equal(oracle->pick(oracle, weight, order, work, picked), 2);
    assert_int_equal(picked[0], 0);
    assert_int_equal(picked[1], 2);
    assert_true(fabs(lotor_oracle_value(oracle, weight, picked, 2, work) + 0.3) < 1e-15);
    weight[3] = 1.5;
    assert_int_equal(oracle->pick(oracle, weight, order, work, picked), 2);
    assert_int_equal(picked[0], 1);
    assert_int_equal(picked[1], 3);
    weight[4] = INFINITY; /* before any sum */
    assert_int_equal(oracle->pick(oracle, weight, order, work, picked), 1);
    weight[0] = weight[2] = INFINITY; /* two of them */
    assert_int_equal(oracle->pick(oracle, weight, order, work, picked), 2);
    assert_int_equal(picked[0], 0);
    free(work);
    lotor_oracle_free(oracle);
}

/* Three paths of two edges and one weight: each is picked in a third of the orders. Of 3000, 1000
 * in the mean, standard deviation sqrt(3000 2/9) = 25.8; within 5 of them. */
TEST(test_ties)
{
    static const uint32_t from[] = {0, 0, 0, 1, 2, 3};
    static const uint32_t to[] = {1, 2, 3, 4, 4, 4};
    static const double levels[] = {INFINITY, 0.5, -INFINITY};
    lotor_generator generator;
    lotor_oracle *oracle;
    (void)state;
    lotor_generator_seed(&generator, 13);
    assert_int_equal(lotor_oracle_path(6, from, to, 5, 0, 4, NULL, &oracle), LOTOR_OK);
    void *const work = malloc(oracle->work_bytes);
    assert_non_null(work);
    for (size_t level = 0; level < 3; level++) {
        const double it = levels[level];
        const double weight[] = {it, it, it, it, it, it};
        size_t times[3] = {0};
        for (size_t round = 0; round < 3000; round++) {
            uint64_t tie[6];
            uint32_t order[6], picked[2];
            for (size_t i = 0; i < 6; i++) {
                tie[i] = lotor_generator_word(&generator);
            }
            lotor_oracle_order(6, weight, tie, order);
            assert_int_equal(oracle->pick(oracle, weight, order, work, picked), 2);
            times[picked[0]]++;
        }
        for (size_t i = 0; i < 3; i++) {
            assert_in_range(times[i], 1000 - 129, 1000 + 129);
        }
    }
    free(work);
    lotor_oracle_free(oracle);
}
