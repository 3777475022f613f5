/* tree_skip.c - many values of a tree at once, in simulations: lotor_tree_skip. dips.md has the proof.
 *
 * The next block of 2^k values is inserted as one node if its noise has no dip below what is left of
 * the margin. Left is the margin, less the loss over the block, less the most that the values can fall
 * below their mean (Hoeffding). The table says how likely a dip is. If there is one, the block is
 * halved until the place of the first dip is found, and the values up to there are inserted.
 */
#include <assert.h>
#include <stdbool.h>

#include "base/random/laws.h"
#include "privacy/release/dips.h"
#include "privacy/release/statistic.h"
#include "privacy/release/tree.h"

enum { LEAST_LEVEL = 3 }; /* smaller blocks save no time */
_Static_assert(1 << LEAST_LEVEL == LOTOR_SKIP_GRAIN, "blocks start at multiples of the grain");

/* Blocks in which a dip is more likely are halved instead. */
static const double MOST_CHANCE = 0.25;

/* A block, and the cell of the margin that is left for its noise. */
typedef struct block {
    unsigned level;
    int cell;
} block;

/* The largest block in which a dip is unlikely; level 0 if there is none. */
static block find_block(const lotor_tree *tree, double unit, const lotor_skip *skip)
{
    const double scale = (double)tree->scale * unit;
    const double margin = skip->margin - 32.0 * unit; /* covers the rounding of the nodes' noise */
    const uint64_t left = tree->horizon - tree->count;
    const uint64_t most = skip->most < left ? skip->most : left;
    unsigned level = tree->count > 0 ? (unsigned)__builtin_ctzll(tree->count) : 0;
    level = level < LOTOR_DIPS_LEVELS ? level : LOTOR_DIPS_LEVELS;
    for (; level >= LEAST_LEVEL; level--) {
        const double size = (double)(UINT64_C(1) << level);
        if (UINT64_C(1) << level > most) {
            continue;
        }
        const double rest = margin - size * skip->loss - skip->width * skip->dips->fall[level];
        const int cell = lotor_dips_cell(rest / scale);
        if (cell >= 0 && skip->dips->chance[level][cell] <= MOST_CHANCE) {
            return (block){level, cell};
        }
    }
    return (block){0, -1};
}

static void insert(lotor_tree *tree, unsigned level, const lotor_skip *skip, int64_t drawn)
{
    const uint64_t size = UINT64_C(1) << level;
    lotor_tree_insert_block(tree, level, skip->draw(skip->context, skip->arm, size), drawn);
}

/* Inserts the values of a block that has a dip, up to the first dip. Returns how many. */
static uint64_t insert_to_dip(lotor_tree *tree, block at, const lotor_skip *skip,
                              lotor_generator *generator)
{
    const lotor_dips *dips = skip->dips;
    const uint64_t start = tree->count;
    while (at.cell >= 0) {
        assert(at.level > 0);
        const double whole = dips->chance[at.level][at.cell];
        at.level--;
        if (lotor_random_uniform(generator) * whole < dips->chance[at.level][at.cell]) {
            continue; /* the first half has a dip */
        }
        const double draw = lotor_dips_draw(dips, at.level, &at.cell, generator);
        insert(tree, at.level, skip, lotor_noise_whole(draw * (double)tree->scale));
    }
    return tree->count - start;
}

uint64_t lotor_tree_skip(lotor_tree *tree, double unit, const lotor_skip *skip, lotor_noise *noise)
{
    assert(tree->dimension == 1 && tree->law == LOTOR_LAW_LAPLACE && skip->loss >= 0.0);
    const bool is_simulated = noise->generator && !noise->exact && !noise->script;
    if (!is_simulated || tree->scale == 0) {
        return 0;
    }
    const block at = find_block(tree, unit, skip);
    if (at.level == 0) {
        return 0;
    }
    const double toss = lotor_random_fraction(lotor_generator_word(noise->generator));
    if (toss < skip->dips->chance[at.level][at.cell]) {
        return insert_to_dip(tree, at, skip, noise->generator);
    }
    int64_t drawn = 0; /* simulated noise never fails */
    (void)lotor_noise_add_one(noise, tree->law, tree->scale, &drawn);
    insert(tree, at.level, skip, drawn);
    return UINT64_C(1) << at.level;
}
