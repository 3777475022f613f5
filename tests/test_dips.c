/* test_dips.c - the table behind skips in simulations, compared with blocks whose every node is drawn;
 * and blocks that a tree takes as one node.
 */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "base/random/laws.h"
#include "privacy/release/dips.h"
#include "privacy/release/statistic.h"
#include "privacy/release/tree.h"
#include "support/statistics.h"
#include "support/test_source.h"

enum { HORIZON = 50000000, BLOCKS = 100000 };

static lotor_dips *make_dips(void)
{
    lotor_dips *dips;
    assert_int_equal(lotor_dips_new(HORIZON, &dips), LOTOR_OK);
    return dips;
}

/* --- the table -------------------------------------------------------------------------------- */

/* Moves a margin at the lower end of a cell by noise. */
static int move_cell(int cell, double noise)
{
    const double moved = floor(cell + noise * (double)LOTOR_DIPS_FINENESS);
    if (moved < 0.0) {
        return -1;
    }
    return moved < LOTOR_DIPS_CELLS - 1 ? (int)moved : LOTOR_DIPS_CELLS - 1;
}

/* Draws the nodes of a block, in halves; true if there is a dip. */
static bool draw_block(unsigned level, int cell, double scale, lotor_generator *generator)
{
    if (cell < 0 || level == 0) {
        return cell < 0;
    }
    if (draw_block(level - 1, cell, scale, generator)) {
        return true;
    }
    const int next = move_cell(cell, lotor_random_laplace(generator, scale));
    return draw_block(level - 1, next, scale, generator);
}

/* The square of how far a number of dips among BLOCKS blocks is off, in standard errors. */
static double square_off(double dips, double chance)
{
    const double off = dips - (double)BLOCKS * chance;
    return off * off / ((double)BLOCKS * chance * (1.0 - chance));
}

/* 100,000 blocks of each size and margin, with at least 20 expected dips; chi-square over all margins
 * of a size. Noise that is 10% larger is noticed at every size. */
TEST(dips_are_as_likely_as_the_table_says)
{
    enum { MARGINS = 5 };
    static const int cells[MARGINS] = {16, 20, 24, 33, 40};
    lotor_dips *dips = make_dips();
    lotor_generator generator;
    lotor_generator_seed(&generator, 20);
    for (unsigned level = 1; level <= 7; level++) {
        double off = 0.0, larger_off = 0.0;
        for (size_t c = 0; c < MARGINS; c++) {
            const double chance = dips->chance[level][cells[c]];
            double right = 0.0, larger = 0.0;
            assert_true((double)BLOCKS * chance >= 20.0 && (double)BLOCKS * (1.0 - chance) >= 20.0);
            for (size_t i = 0; i < BLOCKS; i++) {
                right += draw_block(level, cells[c], 1.0, &generator);
                larger += draw_block(level, cells[c], 1.1, &generator);
            }
            off += square_off(right, chance);
            larger_off += square_off(larger, chance);
        }
        assert_true(chi_square_p(off, MARGINS) > P_ACCEPT);
        assert_true(chi_square_p(larger_off, MARGINS) < P_ACCEPT);
    }
    lotor_dips_free(dips);
}

/* The smallest block has one node inside: P(Laplace < -m) = exp(-m)/2. */
TEST(the_smallest_blocks_have_one_node)
{
    lotor_dips *dips = make_dips();
    for (int i = 0; i < LOTOR_DIPS_CELLS; i++) {
        const double expected = 0.5 * exp(-(double)i / (double)LOTOR_DIPS_FINENESS);
        assert_true(dips->chance[0][i] == 0.0);
        assert_true(fabs(dips->chance[1][i] / expected - 1.0) < 1e-12);
    }
    for (unsigned level = 1; level <= LOTOR_DIPS_LEVELS; level++) {
        for (int i = 1; i < LOTOR_DIPS_CELLS; i++) { /* larger blocks, smaller margins: more */
            assert_true(dips->chance[level][i] > dips->chance[level - 1][i] - 1e-15);
            assert_true(dips->chance[level][i] < dips->chance[level][i - 1] + 1e-15);
        }
    }
    lotor_dips_free(dips);
}

TEST(margins_are_rounded_down_to_cells)
{
    assert_int_equal(lotor_dips_cell(-1e-9), -1);
    assert_int_equal(lotor_dips_cell(NAN), -1);
    assert_int_equal(lotor_dips_cell(0.0), 0);
    assert_int_equal(lotor_dips_cell(0.124), 0);
    assert_int_equal(lotor_dips_cell(0.125), 1);
    assert_int_equal(lotor_dips_cell(49.87), 398);
    assert_int_equal(lotor_dips_cell(1e300), 399);
}

/* Hoeffding by hand: 2^6 values fall short of their mean by 2^3 sqrt(log(5e7 * 1e12) / 2). */
TEST(rewards_fall_by_at_most_hoeffding)
{
    lotor_dips *dips = make_dips();
    assert_true(fabs(dips->fall[6] - 8.0 * sqrt(0.5 * log(5e19))) < 1e-9);
    assert_true(2.0 * dips->fall[6] * dips->fall[6] / 64.0 > log(HORIZON) + log(1e12) - 1e-9);
    lotor_dips_free(dips);
}

/* --- a real tree ------------------------------------------------------------------------------ */

/* Inserts 2^level zeros behind `before` other ones; true if the output falls more than `margin` scales
 * below where it was before the block, inside it. */
static bool tree_dips(lotor_tree *tree, uint64_t before, unsigned level, double margin,
                      lotor_noise *noise)
{
    const int64_t zero = 0;
    lotor_tree_restart(tree, HORIZON, tree->scale);
    for (uint64_t i = 0; i < before; i++) {
        assert_int_equal(lotor_tree_insert(tree, &zero, noise), LOTOR_OK);
    }
    const double line = (double)tree->output[0] - margin * (double)tree->scale;
    bool dips = false;
    for (uint64_t i = 1; i < UINT64_C(1) << level; i++) {
        assert_int_equal(lotor_tree_insert(tree, &zero, noise), LOTOR_OK);
        dips = dips || (double)tree->output[0] <= line;
    }
    return dips;
}

/* A real dip is at most as likely as the table says, and at least as likely as with one cell more for
 * every node on the way, which is what rounding can take. Beyond this, six standard errors are
 * allowed: with other seeds it would fail once in 10^9 comparisons. */
TEST(a_tree_dips_less_often_than_the_table_says)
{
    enum { TREES = 40000, MARGIN = 3 };
    lotor_dips *dips = make_dips();
    lotor_generator generator;
    lotor_generator_seed(&generator, 21);
    lotor_noise noise = lotor_noise_simulated(&generator);
    lotor_tree *tree;
    assert_int_equal(lotor_tree_new(1, HORIZON, LOTOR_LAW_LAPLACE, 1 << 20, &tree), LOTOR_OK);
    for (unsigned level = 1; level <= 5; level++) {
        const int cell = MARGIN * LOTOR_DIPS_FINENESS;
        const double most = dips->chance[level][cell];
        const double least = dips->chance[level][cell + (int)level];
        double found = 0.0;
        for (size_t i = 0; i < TREES; i++) {
            found += tree_dips(tree, UINT64_C(3) << level, level, MARGIN, &noise);
        }
        const double share = found / (double)TREES, error = sqrt(most / (double)TREES);
        assert_true(share < most + 6.0 * error);
        assert_true(share > least - 6.0 * error);
        assert_true(share < 2.0 * most && share > 0.5 * least); /* not an empty claim */
    }
    lotor_tree_free(tree);
    lotor_dips_free(dips);
}

/* --- nodes before a dip ----------------------------------------------------------------------- */

/* Draws a node until a dip follows it. */
static double draw_until_dip(unsigned level, int cell, double scale, lotor_generator *generator)
{
    for (;;) {
        const double noise = lotor_random_laplace(generator, scale);
        if (draw_block(level, move_cell(cell, noise), scale, generator)) {
            return noise;
        }
    }
}

/* 60,000 nodes, given a dip after them, from the table and by trial and error. With noise that is 10%
 * larger the second law is another one. */
TEST(nodes_before_a_dip_have_their_law)
{
    enum { NODES = 60000 };
    static const int cells[] = {0, 3, 24};
    static double table[NODES], tried[NODES], larger[NODES];
    lotor_dips *dips = make_dips();
    lotor_generator generator;
    lotor_generator_seed(&generator, 22);
    for (unsigned level = 0; level <= 4; level += 2) {
        for (size_t c = 0; c < sizeof cells / sizeof *cells; c++) {
            for (size_t i = 0; i < NODES; i++) {
                int cell = cells[c];
                table[i] = lotor_dips_draw(dips, level, &cell, &generator);
                assert_int_equal(cell, move_cell(cells[c], table[i]));
                assert_true(level > 0 || cell == -1);
                tried[i] = draw_until_dip(level, cells[c], 1.0, &generator);
                larger[i] = draw_until_dip(level, cells[c], 1.1, &generator);
            }
            assert_true(two_sample_test(table, tried, NODES) > P_ACCEPT);
            assert_true(two_sample_test(table, larger, NODES) < P_ACCEPT);
        }
    }
    lotor_dips_free(dips);
}

/* The last cell has no upper end. */
TEST(nodes_rise_beyond_the_last_cell)
{
    lotor_dips *dips = make_dips();
    lotor_generator generator;
    lotor_generator_seed(&generator, 23);
    size_t rises = 0;
    double largest = 0.0;
    for (size_t i = 0; i < 100000; i++) {
        int cell = LOTOR_DIPS_CELLS - 1;
        const double noise = lotor_dips_draw(dips, 10, &cell, &generator);
        rises += noise > 0.0;
        largest = fmax(largest, noise);
        assert_true(noise < 0.0 || cell == LOTOR_DIPS_CELLS - 1);
    }
    assert_true(rises > 0 && largest > 1.0);
    lotor_dips_free(dips);
}

/* --- blocks of a tree ------------------------------------------------------------------------- */

static lotor_tree *make_tree(uint64_t horizon, uint64_t scale)
{
    lotor_tree *tree;
    assert_int_equal(lotor_tree_new(1, horizon, LOTOR_LAW_LAPLACE, scale, &tree), LOTOR_OK);
    return tree;
}

/* Without noise a block leaves the tree in the state of single values, also at the end of the
 * horizon. */
TEST(blocks_are_values)
{
    enum { VALUES = 45 };
    lotor_generator generator;
    lotor_generator_seed(&generator, 24);
    lotor_noise noise = lotor_noise_simulated(&generator);
    for (uint64_t horizon = VALUES; horizon <= VALUES + 40; horizon++) {
        lotor_tree *one = make_tree(horizon, 0), *many = make_tree(horizon, 0);
        int64_t next = 1;
        while (many->count < VALUES) {
            unsigned level = many->count ? (unsigned)__builtin_ctzll(many->count) : 4;
            while (many->count + (UINT64_C(1) << level) > VALUES) {
                level--;
            }
            int64_t sum = 0;
            for (uint64_t i = 0; i < UINT64_C(1) << level; i++, next = next * 7 % 1009) {
                assert_int_equal(lotor_tree_insert(one, &next, &noise), LOTOR_OK);
                sum += next;
            }
            lotor_tree_insert_block(many, level, sum, 0);
            assert_int_equal(many->count, one->count);
            assert_memory_equal(many->output, one->output,
                                (1 + 2 * (size_t)one->levels) * sizeof *one->output);
        }
        lotor_tree_free(one);
        lotor_tree_free(many);
    }
}

static int64_t count_draws(void *context, uint32_t arm, uint64_t rounds)
{
    (void)arm;
    *(uint64_t *)context += rounds;
    return 0;
}

static lotor_status refuse(lotor_noise_script *script, const lotor_noise_request *request,
                           int64_t *numbers)
{
    (void)script;
    (void)request;
    (void)numbers;
    return LOTOR_ENTROPY;
}

/* Where a skip ends: after how many values, and with how much noise in the output since its start. */
typedef struct end {
    double values, noise;
} end;

/* Draws the nodes of a block in the order of single values, up to the first dip. Returns true if there
 * is one; *at is where it is. */
static bool walk(unsigned level, int cell, end *at, lotor_generator *generator)
{
    if (level == 0) {
        return false;
    }
    const end start = *at;
    if (walk(level - 1, cell, at, generator)) {
        return true;
    }
    const double noise = lotor_random_laplace(generator, 1.0);
    const int next = move_cell(cell, noise);
    *at = (end){start.values + ldexp(1.0, (int)level - 1), start.noise + noise};
    return next < 0 || walk(level - 1, next, at, generator);
}

/* 200,000 skips over a block of 32 values, and as many blocks whose nodes are drawn one by one: they end
 * after the same number of values, with the same noise. Every fifth block has a dip or so. At another
 * margin, a quarter of the scale away, both laws are others. */
TEST(skips_end_at_the_first_dip)
{
    enum { SKIPS = 200000, LEVEL = 5, CELL = 44, SCALE = 1 << 24 };
    static double values[2][SKIPS], noises[2][SKIPS];
    lotor_dips *dips = make_dips();
    lotor_generator generator;
    lotor_generator_seed(&generator, 27);
    lotor_noise noise = lotor_noise_simulated(&generator);
    lotor_tree *tree = make_tree(HORIZON, SCALE);
    uint64_t drawn = 0;
    assert_true(dips->chance[LEVEL][CELL] <= 0.25); /* otherwise smaller blocks are tried */
    for (int off = 0; off <= 2; off += 2) {
        const lotor_skip skip = {.dips = dips,
                                 .margin = (double)SCALE * ((double)CELL + 0.5) /
                                           (double)LOTOR_DIPS_FINENESS,
                                 .most = 1 << LEVEL,
                                 .draw = count_draws,
                                 .context = &drawn};
        for (size_t i = 0; i < SKIPS; i++) {
            lotor_tree_restart(tree, HORIZON, SCALE);
            lotor_tree_insert_block(tree, LEVEL + 1, 0, 0);
            values[0][i] = (double)lotor_tree_skip(tree, 1.0, &skip, &noise);
            noises[0][i] = (double)tree->output[0] / (double)SCALE;
            end at = {0.0, 0.0};
            if (!walk(LEVEL, CELL + off, &at, &generator)) {
                at = (end){1 << LEVEL, lotor_random_laplace(&generator, 1.0)};
            }
            values[1][i] = at.values;
            noises[1][i] = at.noise;
        }
        const double by_values = two_sample_test(values[0], values[1], SKIPS);
        const double by_noises = two_sample_test(noises[0], noises[1], SKIPS);
        assert_true((by_values > P_ACCEPT) == (off == 0));
        assert_true((by_noises > P_ACCEPT) == (off == 0));
        assert_true(values[0][SKIPS / 20] < 1 << LEVEL && values[0][SKIPS / 2] == 1 << LEVEL);
    }
    lotor_tree_free(tree);
    lotor_dips_free(dips);
}

/* Skips are for simulated noise alone, and need a margin, a count with room for a block, and noise. */
TEST(only_simulations_skip)
{
    lotor_dips *dips = make_dips();
    uint64_t drawn = 0;
    lotor_skip skip = {.dips = dips,
                       .margin = 1e5,
                       .width = 1,
                       .most = 64,
                       .draw = count_draws,
                       .context = &drawn};
    const double unit = 0x1p-20;
    test_source source;
    test_source_seed(&source, 25);
    lotor_generator generator;
    lotor_generator_seed(&generator, 26);
    lotor_noise_script script = {.add = refuse};
    lotor_noise exact = lotor_noise_exact(&source.source);
    lotor_noise scripted = lotor_noise_scripted(&script, &generator);
    lotor_noise simulated = lotor_noise_simulated(&generator);
    lotor_tree *tree = make_tree(200, 100 << 20), *bare = make_tree(200, 0);
    assert_int_equal(lotor_tree_skip(tree, unit, &skip, &simulated), 0); /* the count is 0 */
    for (unsigned i = 0; i < 2; i++) {
        lotor_tree_insert_block(i ? bare : tree, 6, 0, 0);
    }
    assert_int_equal(lotor_tree_skip(tree, unit, &skip, &exact), 0);
    assert_int_equal(test_source_words(&source), 0);
    assert_int_equal(lotor_tree_skip(tree, unit, &skip, &scripted), 0);
    assert_int_equal(lotor_tree_skip(bare, unit, &skip, &simulated), 0);
    skip.margin = 12.0; /* as much as 8 rewards can fall, and nothing for the noise */
    assert_int_equal(lotor_tree_skip(tree, unit, &skip, &simulated), 0);
    skip.margin = 1e5;
    skip.loss = 1e5;
    assert_int_equal(lotor_tree_skip(tree, unit, &skip, &simulated), 0);
    skip.loss = 0.0;
    skip.most = 7;
    assert_int_equal(lotor_tree_skip(tree, unit, &skip, &simulated), 0);
    assert_int_equal(tree->count + drawn, 64);
    skip.most = 63;
    assert_int_equal(lotor_tree_skip(tree, unit, &skip, &simulated), 32);
    skip.most = 1000;
    assert_int_equal(lotor_tree_skip(tree, unit, &skip, &simulated), 32);
    assert_int_equal(lotor_tree_skip(tree, unit, &skip, &simulated), 64);
    assert_int_equal(lotor_tree_skip(tree, unit, &skip, &simulated), 8); /* the horizon is 200 */
    assert_int_equal(lotor_tree_skip(tree, unit, &skip, &simulated), 0);
    assert_int_equal(drawn, 136);
    lotor_tree_free(tree);
    lotor_tree_free(bare);
    lotor_dips_free(dips);
}
