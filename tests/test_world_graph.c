/* test_world_graph.c - arms that are edges: grids; graphs and coverage systems from files. */
#include "support/test.h"
#include "support/worlds.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "world/bernoulli.h"
#include "world/graph.h"
#include "world/world.h"

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

static lotor_world *make(const char *name, size_t arms)
{
    lotor_world *world;
    lotor_message why = {""};
    if (lotor_world_instance(name, arms, &why, &world) != LOTOR_OK) {
        fail_msg("%s: %s", name, why.text);
    }
    return world;
}

static void assert_edges(const lotor_world *world, size_t count, const uint32_t edges[][2])
{
    assert_int_equal(world->arms, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(world->from[i], edges[i][0]);
        assert_int_equal(world->to[i], edges[i][1]);
    }
}

/* Grids --------------------------------------------------------------------------------------- */

TEST(grids_have_their_edges)
{
    static const uint32_t two_by_three[][2] = {{0, 1}, {0, 3}, {1, 2}, {1, 4},
                                               {2, 5}, {3, 4}, {4, 5}};
    static const uint32_t row[][2] = {{0, 1}, {1, 2}, {2, 3}};
    lotor_world *world = make("grid:2x3", 0);
    assert_edges(world, 7, two_by_three);
    assert_int_equal(world->vertices, 6);
    assert_false(world->is_bipartite);
    assert_true(world->is_binary);
    assert_string_equal(world->id, "bernoulli");
    assert_null(world->vectors);
    lotor_world_free(world);

    world = make("grid:1x4", 3);
    assert_edges(world, 3, row);
    assert_int_equal(world->vertices, 4);
    lotor_world_free(world);
    world = make("grid:4x1", 0); /* a column: the same numbers */
    assert_edges(world, 3, row);
    lotor_world_free(world);
}

/* Every grid up to 12 x 12 has R(C-1) + C(R-1) edges, each to the right or down, none twice. The
 * means are hundredths from 0.2 to 0.9, and depend only on the edges' numbers. */
TEST(grids_of_all_sizes)
{
    lotor_world *large = make("grid:12x12", 264);
    for (unsigned rows = 1; rows <= 12; rows++) {
        for (unsigned columns = 1; columns <= 12; columns++) {
            char name[32];
            bool seen[2 * 144] = {false};
            const size_t edges = (size_t)rows * (columns - 1) + (size_t)columns * (rows - 1);
            if (edges == 0) {
                continue;
            }
            snprintf(name, sizeof name, "grid:%ux%u", rows, columns);
            lotor_world *world = make(name, edges);
            assert_int_equal(world->arms, edges);
            assert_int_equal(world->vertices, rows * columns);
            for (size_t i = 0; i < edges; i++) {
                const uint32_t from = world->from[i], to = world->to[i];
                const bool right = to == from + 1 && to / columns == from / columns;
                const bool down = to == from + columns;
                assert_true(to < rows * columns && (right || down));
                /* in a column of vertices an edge down also ends at the next number */
                assert_false(seen[2 * from + (right ? 0 : 1)]);
                seen[2 * from + (right ? 0 : 1)] = true;
                assert_true(world->means[i] >= 0.2 && world->means[i] <= 0.9);
                assert_true(world->means[i] == large->means[i]);
                assert_true(round(world->means[i] * 100) / 100 == world->means[i]);
            }
            lotor_world_free(world);
        }
    }
    lotor_world_free(large);
}

/* The means are fixed: those of grid:5x5, computed in another language. */
TEST(grid_means_are_fixed)
{
    static const double means[] = {0.89, 0.59, 0.47, 0.20, 0.50, 0.80, 0.26, 0.70, 0.33, 0.65,
                                   0.24, 0.28, 0.82, 0.87, 0.40, 0.28, 0.73, 0.27, 0.38, 0.75,
                                   0.63, 0.25, 0.65, 0.88, 0.23, 0.76, 0.25, 0.73, 0.20, 0.65,
                                   0.49, 0.45, 0.73, 0.29, 0.33, 0.46, 0.51, 0.29, 0.36, 0.57};
    lotor_world *world = make("grid:5x5", 0);
    for (size_t i = 0; i < LENGTH(means); i++) {
        assert_true(world->means[i] == means[i]);
    }
    lotor_world_free(world);
}

typedef struct ways {
    const lotor_world *world;
    uint32_t sink;
    size_t count;
    double best, second;
} ways;

/* Walks every path from this vertex to the sink. */
static void walk(ways *found, uint32_t vertex, double cost)
{
    if (vertex == found->sink) {
        found->count++;
        if (cost < found->best) {
            found->second = found->best;
            found->best = cost;
        } else if (cost < found->second) {
            found->second = cost;
        }
        return;
    }
    for (size_t i = 0; i < found->world->arms; i++) {
        if (found->world->from[i] == vertex) {
            walk(found, found->world->to[i], cost + 1 - found->world->means[i]);
        }
    }
}

/* A square of n x n has binomial(2n-2, n-1) paths; all of them are walked. */
TEST(the_cheapest_way_stands_out)
{
    static const struct {
        const char *name;
        size_t ways;
        double gap;
    } cases[] = {{"grid:2x2", 2, 0.57},
                 {"grid:3x3", 6, 0.23},
                 {"grid:4x4", 20, 0.22},
                 {"grid:5x5", 70, 0.15},
                 {"grid:6x6", 252, 0.13}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        lotor_world *world = make(cases[i].name, 0);
        ways found = {world, (uint32_t)world->vertices - 1, 0, (double)INFINITY, (double)INFINITY};
        walk(&found, 0, 0);
        assert_int_equal(found.count, cases[i].ways);
        assert_true(fabs(found.second - found.best - cases[i].gap) < 1e-12);
        assert_true(found.second - found.best >= 0.1);
        lotor_world_free(world);
    }
}

TEST(grids_refuse)
{
    static const char *const wrong[] = {
        "",
        "5",
        "x",
        "5x",
        "x5",
        "0x5",
        "5x0",
        "1x1",
        "5x5x",
        "-5x5",
        "5 x5",
        "5X5",
        "5x5 ",
        "0x0",
        "+5x5",
        "5.0x5",
        "5x5x5",
        "708x708",
        "1x1000002",
        "1000002x1",
        "18446744073709551616x1",
        "4294967297x4294967297",
        "\x1b[2Jx2",
    };
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        char name[64];
        lotor_message why = {""};
        lotor_world *world = (lotor_world *)&why;
        snprintf(name, sizeof name, "grid:%s", wrong[i]);
        assert_int_equal(lotor_world_instance(name, 0, &why, &world), LOTOR_INVALID);
        assert_null(world);
        assert_says(&why,
                    "is not a grid: expected rows x columns of vertices, such as grid:5x5, with "
                    "from 1 to 1000000 edges");
        assert_null(strchr(why.text, '\x1b'));
    }
    lotor_message why;
    lotor_world *world;
    assert_int_equal(lotor_world_instance("grid:5x5", 39, &why, &world), LOTOR_INVALID);
    assert_string_equal(why.text, "\"5x5\" has 40 edges, which are its arms, not 39: leave their "
                                  "number out");
    assert_null(world);
    assert_int_equal(lotor_world_instance("grid5x5", 0, &why, &world), LOTOR_UNKNOWN);
    assert_says(&why, "grid:5x5 (or other rows x columns), graph:FILE, coverage:FILE, replay:FILE, "
                      "unbiased-replay:FILE, and movielens:DIR");
}

/* The largest grids: 1 x 1000001, and 707 x 707 with 998284 edges. */
TEST(grids_can_be_large)
{
    lotor_world *world = make("grid:1x1000001", 0);
    assert_int_equal(world->arms, 1000000);
    assert_int_equal(world->vertices, 1000001);
    assert_int_equal(world->to[999999], 1000000);
    lotor_world_free(world);
    world = make("grid:707x707", 998284);
    assert_int_equal(world->vertices, 499849);
    assert_int_equal(world->to[998283], 499848);
    lotor_world_free(world);
}

/* Files --------------------------------------------------------------------------------------- */

static lotor_status parse(const char *text, bool is_bipartite, lotor_message *why,
                          lotor_world **world)
{
    return lotor_world_graph_parse("edges.txt", text, strlen(text), is_bipartite, 0, why, world);
}

static const char listed[] = "# from to mean\r\n"
                             "4 1 0.5\r\n"
                             "\n"
                             "0,1,0.25 # a comment\n"
                             "  1 , 0\t,\t.75  \n"
                             "0\t0 1e-1\n"
                             "#9 9 9\n"
                             "2, 7 1.000\n"
                             "7,2,125E-3\n"
                             "00 002 0";

TEST(graphs_are_read)
{
    static const uint32_t edges[][2] = {{4, 1}, {0, 1}, {1, 0}, {0, 0}, {2, 7}, {7, 2}, {0, 2}};
    static const double means[] = {0.5, 0.25, 0.75, 0.1, 1, 0.125, 0};
    for (int bipartite = 0; bipartite < 2; bipartite++) {
        lotor_world *world;
        assert_int_equal(parse(listed, bipartite, NULL, &world), LOTOR_OK);
        assert_edges(world, 7, edges);
        assert_memory_equal(world->means, means, sizeof means);
        assert_int_equal(world->vertices, 8);
        assert_int_equal(world->is_bipartite, bipartite);
        assert_true(world->is_binary);
        assert_string_equal(world->id, "bernoulli");
        assert_non_null(lotor_bernoulli_thresholds(world));
        lotor_world_free(world);
    }
}

/* The number of vertices: from the largest number of all, or of those on the left. */
TEST(vertices_are_counted)
{
    static const struct {
        const char *text;
        size_t graph, left;
    } cases[] = {{"0 0 1", 1, 1},
                 {"0 9 1", 10, 1},
                 {"9 0 1", 10, 10},
                 {"1 2 1\n0 5 1\n3 4 0", 6, 4},
                 {"0 16777215 1", 16777216, 1},
                 {"16777215 3 1", 16777216, 16777216}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        lotor_world *world;
        assert_int_equal(parse(cases[i].text, false, NULL, &world), LOTOR_OK);
        assert_int_equal(world->vertices, cases[i].graph);
        lotor_world_free(world);
        assert_int_equal(parse(cases[i].text, true, NULL, &world), LOTOR_OK);
        assert_int_equal(world->vertices, cases[i].left);
        lotor_world_free(world);
    }
}

TEST(means_are_decimals)
{
    static const struct {
        const char *text;
        double mean;
    } cases[] = {
        {"0 1 0.1", 0.1},
        {"0 1 0.30000000000000004", 0.30000000000000004},
        {"0 1 .5", 0.5},
        {"0 1 1.", 1},
        {"0 1 5e-1", 0.5},
        {"0 1 123.456e-3", 0.123456},
        {"0 1 10E-1", 1},
        {"0 1 1e-999", 0},
        {"0 1 0.00000000000000000000000000000000000001", 1e-38},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        lotor_world *world;
        assert_int_equal(parse(cases[i].text, false, NULL, &world), LOTOR_OK);
        assert_true(world->means[0] == cases[i].mean);
        lotor_world_free(world);
    }
}

TEST(files_refuse)
{
    static const char expected[] = "expected from, to and mean: vertices from 0 to 16777215 and a "
                                   "mean in [0,1], such as 0 1 0.5";
    static const struct {
        const char *text, *line;
    } cases[] = {
        {"0 1 1\nhello\n", "\"edges.txt\", line 2: \"hello\": "},
        {"0 1 1\n\n#\n1;2;1", "line 4: \"1;2;1\": "},
        {"0", "line 1: \"0\": "},
        {"0 1", "line 1: \"0 1\": "},
        {"0 1 #0.5", "line 1: \"0 1 #0.5\": "},
        {"0 1 0.5 7", "line 1"},
        {"0 1 0.5,", "line 1"},
        {"0 1 0.5,7", "line 1"},
        {",0 1 0.5", "line 1"},
        {"0,,1,0.5", "line 1"},
        {"0, ,1,0.5", "line 1"},
        {"0 1,,0.5", "line 1"},
        {"0 -1 0.5", "line 1"},
        {"+0 1 0.5", "line 1"},
        {"0.0 1 0.5", "line 1"},
        {"0 x 0.5", "line 1"},
        {"16777216 1 0.5", "line 1"},
        {"1 16777216 0.5", "line 1"},
        {"1 99999999999999999999999 0.5", "line 1"},
        {"0 1 1.01", "line 1"},
        {"0 1 2", "line 1"},
        {"0 1 -0.5", "line 1"},
        {"0 1 +0.5", "line 1"},
        {"0 1 nan", "line 1"},
        {"0 1 inf", "line 1"},
        {"0 1 0x1p-1", "line 1"},
        {"0 1 1e", "line 1"},
        {"0 1 1e-", "line 1"},
        {"0 1 1e2", "line 1"},
        {"0 1 1e+0", "line 1"},
        {"0 1 1e-1e-1", "line 1"},
        {"0 1 e-2", "line 1"},
        {"0 1 .", "line 1"},
        {"0 1 0..5", "line 1"},
        {"0 1 0.5.", "line 1"},
        {"0 1 1e-99999999999999999999", "line 1"},
        {"0 1 0.00000000000000000000000000000000000000000000000001", "line 1"},
        {"\x1b[31m 0 1\n", "\"\\x1b[31m 0 1\": "},
        {"0 1 0.5\xff", "\"0 1 0.5\\xff\": "},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        for (int bipartite = 0; bipartite < 2; bipartite++) {
            lotor_message why = {""};
            lotor_world *world = (lotor_world *)&why;
            assert_int_equal(parse(cases[i].text, bipartite, &why, &world), LOTOR_INVALID);
            assert_null(world);
            assert_says(&why, cases[i].line);
            assert_says(&why, expected);
        }
    }
    lotor_message why;
    lotor_world *world;
    assert_int_equal(lotor_world_graph_parse("x", "0 1 1\n0\0 1 1\n", 13, false, 0, &why, &world),
                     LOTOR_INVALID);
    assert_says(&why, "line 2: \"0\\x00 1 1\"");
    assert_null(world);
    assert_int_equal(parse("5 5 5", false, NULL, &world), LOTOR_INVALID);
}

TEST(empty_files_are_refused)
{
    static const char *const empty[] = {"", "\n\n \t\r\n", "# 0 1 0.5\n", "#"};
    for (size_t i = 0; i < LENGTH(empty); i++) {
        lotor_message why;
        lotor_world *world;
        assert_int_equal(parse(empty[i], i % 2, &why, &world), LOTOR_INVALID);
        assert_string_equal(why.text,
                            "\"edges.txt\" holds no edges; expected lines of from, to and "
                            "mean, such as 0 1 0.5");
        assert_null(world);
    }
}

/* The message names the first line that repeats an edge, and the earlier line. The opposite
 * direction, and other edges with one of the same ends, are not repetitions. */
TEST(repeated_edges_are_refused)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"0 1 0.5\n0 1 0.5",
         "\"edges.txt\", line 2: \"0 1 0.5\": the edge 0 -> 1 is on line 1 already: keep one of "
         "them"},
        {"5 6 1\n#\n3,4,1\n\n1 2 1\n3 4 0 # again\n1 2 0\n5 6 1\n3 4 1",
         "line 6: \"3 4 0 # again\": the edge 3 -> 4 is on line 3 already"},
        {"0 1 1\n1 0 1\n0 16777215 1\n1 0 1\n",
         "line 4: \"1 0 1\": the edge 1 -> 0 is on line 2 already"},
        {"9 9 1\n9 9 1\n9 9 1", "line 2: \"9 9 1\": the edge 9 -> 9 is on line 1 already"},
        {"00 1 1\n0 01 1", "line 2: \"0 01 1\": the edge 0 -> 1 is on line 1 already"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        for (int bipartite = 0; bipartite < 2; bipartite++) {
            lotor_message why;
            lotor_world *world;
            assert_int_equal(parse(cases[i].text, bipartite, &why, &world), LOTOR_INVALID);
            assert_says(&why, cases[i].says);
            assert_null(world);
        }
    }
}

TEST(the_number_of_arms_must_fit)
{
    lotor_message why;
    lotor_world *world;
    assert_int_equal(lotor_world_graph_parse("g", listed, strlen(listed), false, 7, &why, &world),
                     LOTOR_OK);
    lotor_world_free(world);
    assert_int_equal(lotor_world_graph_parse("g", listed, strlen(listed), false, 8, &why, &world),
                     LOTOR_INVALID);
    assert_string_equal(why.text,
                        "\"g\" has 7 edges, which are its arms, not 8: leave their number out");
    assert_null(world);
}

/* Pseudorandom bytes from the relevant letters: a refusal with a printable message, or a valid
 * world. */
TEST(any_bytes_are_read_or_refused)
{
    static const char letters[] = "0011229,, .  e-#\n\n\n\t\r\xff";
    lotor_generator generator;
    size_t worlds = 0;
    lotor_generator_seed(&generator, 4);
    for (int i = 0; i < 200000; i++) {
        char bytes[40];
        const size_t length = lotor_generator_word(&generator) % (sizeof bytes + 1);
        for (size_t k = 0; k < length; k++) { /* the letters and the NUL behind them */
            bytes[k] = letters[lotor_generator_word(&generator) % sizeof letters];
        }
        lotor_message why = {""};
        lotor_world *world;
        const lotor_status status =
            lotor_world_graph_parse("bytes", bytes, length, i % 2, 0, &why, &world);
        if (status == LOTOR_OK) {
            worlds++;
            for (size_t arm = 0; arm < world->arms; arm++) {
                assert_true(world->means[arm] >= 0 && world->means[arm] <= 1);
                assert_true(world->from[arm] < world->vertices);
                assert_true(i % 2 || world->to[arm] < world->vertices);
            }
            lotor_world_free(world);
        } else {
            assert_int_equal(status, LOTOR_INVALID);
            assert_null(world);
            assert_true(why.text[0] != '\0');
            for (const char *letter = why.text; *letter; letter++) {
                assert_true(*letter >= ' ' && *letter <= '~');
            }
        }
    }
    assert_true(worlds > 100);
}

/* A path of LINES edges, longer than the first read and the first buffer. The order of the file is
 * kept, which is not that of the numbers. By both names. */
TEST(files_are_loaded)
{
    enum { LINES = 20000 };
    static const char *const kinds[] = {"graph:", "coverage:"};
    char path[] = "/tmp/lotor-graph-XXXXXX", name[64];
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    FILE *file = fdopen(descriptor, "w");
    assert_non_null(file);
    for (int i = LINES; i > 0; i--) {
        fprintf(file, "%d %d 0.%d\n", i - 1, i, i % 10);
    }
    assert_int_equal(fclose(file), 0);
    for (int bipartite = 0; bipartite < 2; bipartite++) {
        snprintf(name, sizeof name, "%s%s", kinds[bipartite], path);
        lotor_world *world = make(name, 0);
        assert_int_equal(world->arms, LINES);
        assert_int_equal(world->is_bipartite, bipartite);
        assert_int_equal(world->vertices, bipartite ? LINES : LINES + 1);
        for (uint32_t i = 0; i < LINES; i++) {
            assert_int_equal(world->from[i], LINES - 1 - i);
            assert_int_equal(world->to[i], LINES - i);
            assert_true(world->means[i] == (LINES - i) % 10 / 10.0);
        }
        lotor_world_free(world);
    }
    unlink(path);
    lotor_message why;
    lotor_world *world;
    assert_int_equal(lotor_world_instance("graph:/no/such/file", 0, &why, &world), LOTOR_UNKNOWN);
    assert_says(&why, "\"/no/such/file\" could not be read: No such file");
    assert_null(world);
    assert_int_equal(lotor_world_instance("coverage:/", 0, &why, &world), LOTOR_INVALID);
    assert_says(&why, "directory");
    assert_int_equal(lotor_world_instance("coverage:", 0, &why, &world), LOTOR_UNKNOWN);
    assert_null(world);
}

/* An edge pays according to its mean: 10^5 rounds, within six deviations sqrt(n p (1 - p)). */
TEST(edges_pay)
{
    enum { ROUNDS = 100000 };
    lotor_world *world;
    lotor_generator generator;
    lotor_generator_seed(&generator, 6);
    assert_int_equal(parse(listed, false, NULL, &world), LOTOR_OK);
    const uint32_t shown[] = {6, 4, 1, 5};
    double total[4] = {0}, sums[4];
    for (int i = 0; i < ROUNDS; i++) {
        world->draw(world, &generator, shown, 4, 1, sums);
        for (int k = 0; k < 4; k++) {
            total[k] += sums[k];
        }
    }
    for (int k = 0; k < 4; k++) {
        const double p = world->means[shown[k]];
        assert_true(fabs(total[k] - (double)ROUNDS * p) <= 6 * sqrt((double)ROUNDS * p * (1 - p)));
    }
    lotor_world_free(world);
}

/* The caller's arrays are copied; other worlds have no graph. */
TEST(worlds_own_their_graph)
{
    uint32_t from[] = {0, 1}, to[] = {1, 2};
    double means[] = {0.5, 0.5};
    lotor_world *world;
    assert_int_equal(
        lotor_world_bernoulli_graph(2, means, &(lotor_edges){from, to, 3, false}, NULL, &world),
        LOTOR_OK);
    from[0] = to[0] = 9;
    assert_edges(world, 2, (const uint32_t[][2]){{0, 1}, {1, 2}});
    lotor_world_free(world);
    means[1] = 1.5;
    lotor_message why;
    assert_int_equal(
        lotor_world_bernoulli_graph(2, means, &(lotor_edges){from, to, 3, false}, &why, &world),
        LOTOR_RANGE);
    assert_says(&why, "mean of arm 1");
    assert_null(world);
    static const char *const others[] = {"c1", "table-6.1"};
    for (size_t i = 0; i < LENGTH(others); i++) {
        world = make(others[i], 0);
        assert_true(!world->from && !world->to && world->vertices == 0 && !world->is_bipartite);
        lotor_world_free(world);
    }
}

/* Memory -------------------------------------------------------------------------------------- */

static lotor_status make_any(int which, lotor_message *why, lotor_world **out)
{
    if (which == 0) {
        return lotor_world_instance("grid:3x3", 0, why, out);
    }
    return parse(listed, which == 2, why, out);
}

TEST(every_allocation_can_fail)
{
    for (int which = 0; which < 3; which++) {
        expect_each_allocation(make_any, which, 7);
    }
}
