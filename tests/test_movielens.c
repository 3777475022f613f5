/* test_movielens.c - MovieLens folders: a tiny handwritten one, malformed ones, generated ones.
 *
 * Files are made in a new folder under TMPDIR or /tmp, which is removed at the end.
 */
#include "support/test.h"

#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/failing_memory.h"
#include "support/statistics.h"
#include "world/movielens.h"
#include "world/world.h"

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

enum { PATH_ROOM = 512 };

static char folder[PATH_ROOM - 100];

static const char *path_of(const char *name)
{
    static char path[PATH_ROOM];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void put_file(const char *name, const char *text)
{
    FILE *file = fopen(path_of(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

static bool exists(const char *name)
{
    return access(path_of(name), F_OK) == 0;
}

static void empty_folder(void)
{
    static const char *const names[] = {"ratings.dat", "movies.dat", "ratings.dat.partial",
                                        "movies.dat.partial"};
    for (size_t i = 0; i < LENGTH(names); i++) {
        unlink(path_of(names[i]));
    }
}

static int make_folder(void **state)
{
    (void)state;
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/lotor-movielens-XXXXXX", base ? base : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    empty_folder();
    return rmdir(folder);
}

static void assert_says(const lotor_message *why, const char *part)
{
    if (!strstr(why->text, part)) {
        fail_msg("\"%s\" does not say \"%s\"", why->text, part);
    }
}

/* By hand -------------------------------------------------------------------------------------- */

/* Movie 1 was rated by users 5, 9 and 12; 2 by 5 and 12; 3 by 9 and 12; 10 by 100; 7 by nobody.
 * Lines are in no order, one is there twice, titles hold "::" and Latin-1. */
static const char tiny_movies[] = "1::Alpha (1990)::Drama\n"
                                  "10::Delta (1993)::Western\r\n"
                                  "3::Gam\xe9 :: Two (1992)::Children's|Film-Noir\n"
                                  "2::Beta, The (1991)::Action|Sci-Fi|Drama\n"
                                  "7::Unseen (1994)::Documentary\n";
static const char tiny_ratings[] = "12::1::3::978300760\n"
                                   "5::1::5::978302109\r\n"
                                   "9::3::4::978301968\n"
                                   "100::10::1::978300275\n"
                                   "12::3::2::978824291\n"
                                   "\n"
                                   "5::1::4::978302268\n"
                                   "5::2::4::978302039\n"
                                   "9::1::5::978300719\n"
                                   "12::2::1::978302268";

static lotor_status parse(const char *movies, const char *ratings, size_t arms, lotor_message *why,
                          lotor_world **out)
{
    lotor_movielens data;
    *out = NULL;
    lotor_status status = lotor_movielens_parse(
        lotor_records_of("movies.dat", movies, strlen(movies)),
        lotor_records_of("ratings.dat", ratings, strlen(ratings)), why, &data);
    if (status == LOTOR_OK) {
        status = lotor_world_movielens_of(&data, arms, why, out);
    }
    lotor_movielens_clear(&data);
    return status;
}

static void assert_genres(const lotor_world *world, size_t arm, size_t count, const size_t *genres)
{
    int64_t expected[18] = {0};
    for (size_t i = 0; i < count; i++) {
        expected[genres[i]] = 1;
    }
    assert_memory_equal(world->vectors + arm * 18, expected, sizeof expected);
}

/* Genres by their position in the README's list: Action 0, Children's 3, Drama 7, Film-Noir 9,
 * Sci-Fi 14, Western 17. Movies 2 and 3 tie: the lower id first. */
TEST(tiny_folder_is_read)
{
    static const double means[] = {0.75, 0.5, 0.5, 0.25};
    put_file("movies.dat", tiny_movies);
    put_file("ratings.dat", tiny_ratings);
    char name[PATH_ROOM + 16];
    snprintf(name, sizeof name, "movielens:%s", folder);
    for (size_t arms = 0; arms <= 4; arms++) {
        lotor_world *world;
        assert_int_equal(lotor_world_instance(name, arms, NULL, &world), LOTOR_OK);
        assert_string_equal(world->id, "movielens");
        assert_false(world->is_binary); /* rewards of one round depend on each other */
        assert_int_equal(world->arms, arms ? arms : 4);
        assert_int_equal(world->dimension, 18);
        assert_memory_equal(world->means, means, world->arms * sizeof *means);
        assert_genres(world, 0, 1, (const size_t[]){7});
        if (world->arms == 4) {
            assert_genres(world, 1, 3, (const size_t[]){0, 14, 7});
            assert_genres(world, 2, 2, (const size_t[]){3, 9});
            assert_genres(world, 3, 1, (const size_t[]){17});
        }
        lotor_world_free(world);
    }
    lotor_message why;
    lotor_world *world;
    assert_int_equal(lotor_world_movielens(folder, 5, &why, &world), LOTOR_INVALID);
    assert_string_equal(why.text, "5 arms were asked for, but only 4 movies were rated");
    assert_null(world);
    empty_folder();
}

/* A round is one user: 5 pays arms 0 and 1, 9 pays 0 and 2, 12 pays 0, 1 and 2, 100 pays 3. */
static double user_mass(int64_t mask, const void *law)
{
    const double *share = law;
    return mask == 3   ? share[0]
           : mask == 5 ? share[1]
           : mask == 7 ? share[2]
           : mask == 8 ? share[3]
                       : 0;
}

TEST(rounds_are_users)
{
    static int64_t samples[SAMPLES];
    static const double shares[] = {0.25, 0.25, 0.25, 0.25};
    static const double wrong[] = {0.225, 0.275, 0.25, 0.25};
    lotor_world *world;
    lotor_generator generator;
    lotor_generator_seed(&generator, 31);
    assert_int_equal(parse(tiny_movies, tiny_ratings, 0, NULL, &world), LOTOR_OK);
    for (size_t i = 0; i < SAMPLES; i++) {
        double sums[4];
        world->draw(world, &generator, (const uint32_t[]){3, 1, 0, 2}, 4, 1, sums);
        samples[i] = (int64_t)(sums[2] + 2 * sums[1] + 4 * sums[3] + 8 * sums[0]);
    }
    assert_true(chi_square_test(samples, SAMPLES, user_mass, shares) > P_ACCEPT);
    assert_true(chi_square_test(samples, SAMPLES, user_mass, wrong) < P_ACCEPT);

    /* Many rounds: every user pays exactly one of arm 0 and arm 3. */
    double sums[2];
    world->draw(world, &generator, (const uint32_t[]){0, 3}, 2, 1000, sums);
    assert_true(sums[0] + sums[1] == 1000);
    assert_true(fabs(sums[0] - 750) < 4 * sqrt(1000 * 0.75 * 0.25));
    lotor_world_free(world);
}

/* Malformed ------------------------------------------------------------------------------------ */

TEST(missing_files_are_named)
{
    lotor_message why;
    lotor_world *world;
    assert_int_equal(lotor_world_movielens(folder, 0, &why, &world), LOTOR_UNKNOWN);
    assert_says(&why, "does not exist");
    assert_says(&why, "a MovieLens 1M folder has ratings.dat and movies.dat");
    put_file("ratings.dat", tiny_ratings);
    assert_int_equal(lotor_world_movielens(folder, 0, &why, &world), LOTOR_UNKNOWN);
    assert_says(&why, "/movies.dat\" does not exist; a MovieLens 1M folder");
    assert_int_equal(mkdir(path_of("movies.dat"), 0777), 0);
    assert_int_equal(lotor_world_movielens(folder, 0, &why, &world), LOTOR_INVALID);
    assert_says(&why, "/movies.dat\" could not be read: Is a directory");
    assert_int_equal(rmdir(path_of("movies.dat")), 0);
    put_file("movies.dat", "1::A (2000)::Drama\nbroken\n");
    assert_int_equal(lotor_world_movielens(folder, 0, &why, &world), LOTOR_INVALID);
    assert_says(&why, "/movies.dat\", line 2: \"broken\": expected MovieID::Title::Genres");
    assert_null(world);
    empty_folder();
}

TEST(malformed_lines_are_shown)
{
    static const char movie[] = "1::A (2000)::Drama\n";
    static const struct {
        const char *movies, *ratings, *says;
    } cases[] = {
        {"1\n", "", "\"movies.dat\", line 1: \"1\": expected MovieID::Title::Genres"},
        {"1::A\n", "", "there are no genres"},
        {"1::A::\n", "", "18 of MovieLens"},
        {"1::A::Drama|\n", "", "18 of MovieLens"},
        {"1::A::Drama|Opera\n", "", "line 1: \"1::A::Drama|Opera\""},
        {"1::A::drama\n", "", "18 of MovieLens"},
        {"0::A::Drama\n", "", "a MovieID from 1"},
        {"x::A::Drama\n", "", "a MovieID from 1"},
        {"::A::Drama\n", "", "a MovieID from 1"},
        {"4294967296::A::Drama\n", "", "a MovieID from 1"},
        {"99999999999999999999999999::A::Drama\n", "", "a MovieID from 1"},
        {"1::A::Drama\n2::B::War\n1::C::War\n", "", "more than one line for movie 1"},
        {movie, "", "\"ratings.dat\" holds no ratings"},
        {movie, " \n\r\n", "\"ratings.dat\" holds no ratings"},
        {"", "1::1::5::1\n", "line 1: \"1::1::5::1\": this movie is not in movies.dat"},
        {movie, "1::1::5::1\n1::2::5::1\n", "line 2: \"1::2::5::1\": this movie is not"},
        {movie, "1::1::5\n", "expected UserID::MovieID::Rating::Timestamp"},
        {movie, "1::1::5::\n", "Timestamp in whole seconds"},
        {movie, "1::1::5::1::1\n", "Timestamp in whole seconds"},
        {movie, "1::1::5::-1\n", "Timestamp in whole seconds"},
        {movie, "1::1::5::9223372036854775808\n", "Timestamp in whole seconds"},
        {movie, "1::1::6::1\n", "a Rating from 1 to 5"},
        {movie, "1::1::0::1\n", "a Rating from 1 to 5"},
        {movie, "1::1::4.5::1\n", "a Rating from 1 to 5"},
        {movie, "0::1::5::1\n", "a UserID from 1"},
        {movie, "4294967296::1::5::1\n", "a UserID from 1"},
        {movie, "1::4294967297::5::1\n", "a whole MovieID"},
        {movie, "1,1,5,1\n", "\"ratings.dat\", line 1: \"1,1,5,1\": expected UserID"},
        {movie, "1::1::5::1\n1::1::5::1 \x07\n", "line 2: \"1::1::5::1 \\x07\""},
        {"\x7f"
         "ELF\x02\x01\x01",
         "", "\"\\x7fELF\\x02\\x01\\x01\""},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        lotor_message why = {""};
        lotor_world *world;
        assert_int_equal(parse(cases[i].movies, cases[i].ratings, 0, &why, &world), LOTOR_INVALID);
        assert_null(world);
        assert_says(&why, cases[i].says);
    }
    lotor_movielens data;
    lotor_message why;
    static const char with_nul[] = "1\0::1::5::1\n";
    assert_int_equal(lotor_movielens_parse(lotor_records_of("m", movie, strlen(movie)),
                                           lotor_records_of("r", with_nul, sizeof with_nul - 1),
                                           &why, &data),
                     LOTOR_INVALID);
    assert_says(&why, "\"r\", line 1: \"1\\x00::1::5::1\"");
    assert_null(data.movies);
}

TEST(one_rating_is_a_world)
{
    lotor_world *world;
    assert_int_equal(parse("4294967295::::War", "4294967295::4294967295::1::0", 1, NULL, &world),
                     LOTOR_OK);
    assert_int_equal(world->arms, 1);
    assert_true(world->means[0] == 1);
    lotor_world_free(world);
}

/* Generated ------------------------------------------------------------------------------------ */

/* Over the reals, with partial pivoting; entries start as 0 and 1. */
static size_t rank_of(const lotor_world *world)
{
    static double rows[100][18];
    const size_t arms = world->arms;
    size_t rank = 0;
    assert_true(arms <= 100);
    for (size_t i = 0; i < arms * 18; i++) {
        rows[i / 18][i % 18] = (double)world->vectors[i];
    }
    for (size_t column = 0; column < 18 && rank < arms; column++) {
        size_t best = rank;
        for (size_t i = rank; i < arms; i++) {
            best = fabs(rows[i][column]) > fabs(rows[best][column]) ? i : best;
        }
        if (fabs(rows[best][column]) < 1e-9) {
            continue;
        }
        for (size_t k = 0; k < 18; k++) {
            const double swap = rows[rank][k];
            rows[rank][k] = rows[best][k];
            rows[best][k] = swap;
        }
        for (size_t i = rank + 1; i < arms; i++) {
            const double factor = rows[i][column] / rows[rank][column];
            for (size_t k = 0; k < 18; k++) {
                rows[i][k] -= factor * rows[rank][k];
            }
        }
        rank++;
    }
    return rank;
}

static size_t lines_in(const char *name)
{
    FILE *file = fopen(path_of(name), "rb");
    assert_non_null(file);
    size_t lines = 0;
    for (int letter; (letter = getc(file)) != EOF;) {
        lines += letter == '\n';
    }
    fclose(file);
    return lines;
}

/* The shape of MovieLens 1M: 1,000,209 ratings, the most rated movie by 57% of the users. Expected
 * here: a little more than 1.000 million, because some users are made more active; activity varies
 * by 85% of its mean, so 6040 users give a deviation of 0.85/sqrt(6040) = 1.1%, and 4% is the
 * tolerance. The share of the first movie is 0.56 with a deviation of sqrt(0.56 * 0.44/6040) =
 * 0.0064, and it is the largest of some near it: between 0.53 and 0.60. */
TEST(look_alike_has_the_shape)
{
    assert_int_equal(lotor_world_movielens_generate(folder, 6040, 3706, 1, NULL), LOTOR_OK);
    assert_false(exists("ratings.dat.partial") || exists("movies.dat.partial"));
    assert_int_equal(lines_in("movies.dat"), 3706);
    const double ratings = (double)lines_in("ratings.dat");
    assert_true(fabs(ratings - 1000209) < 40000);

    lotor_world *world;
    assert_int_equal(lotor_world_movielens(folder, 0, NULL, &world), LOTOR_OK);
    assert_int_equal(world->arms, 100);
    assert_true(world->means[0] > 0.53 && world->means[0] < 0.60);
    assert_true(world->means[99] > 0.2 && world->means[99] < world->means[0] / 1.5);
    assert_int_equal(rank_of(world), 17);
    for (size_t i = 0; i < 100; i++) {
        int64_t genres = 0;
        for (size_t g = 0; g < 18; g++) {
            genres += world->vectors[i * 18 + g];
        }
        assert_in_range(genres, 1, 6);
        assert_int_equal(world->vectors[i * 18 + 6], 0); /* no documentaries */
        assert_true(i == 0 || world->means[i] <= world->means[i - 1]);
    }
    lotor_world_free(world);

    /* all users are there: 6040 * mean is whole */
    assert_int_equal(lotor_world_movielens(folder, 3000, NULL, &world), LOTOR_OK);
    for (size_t i = 0; i < 3000; i++) {
        const double raters = world->means[i] * 6040;
        assert_true(fabs(raters - round(raters)) < 1e-9);
    }
    assert_true(world->means[1500] < 0.05 && world->means[2999] < 0.01);
    lotor_world_free(world);
    empty_folder();
}

static size_t read_back(const char *name, char *text, size_t room)
{
    FILE *file = fopen(path_of(name), "rb");
    assert_non_null(file);
    const size_t length = fread(text, 1, room, file);
    assert_true(length < room);
    fclose(file);
    return length;
}

TEST(seeds_decide)
{
    enum { ROOM = 1 << 20 };
    char *first = malloc(ROOM), *second = malloc(ROOM);
    assert_non_null(first);
    assert_non_null(second);
    static const char *const names[] = {"movies.dat", "ratings.dat"};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(lotor_world_movielens_generate(folder, 100, 200, 5, NULL), LOTOR_OK);
        const size_t length = read_back(names[i], first, ROOM);
        empty_folder();
        assert_int_equal(lotor_world_movielens_generate(folder, 100, 200, 5, NULL), LOTOR_OK);
        assert_int_equal(read_back(names[i], second, ROOM), length);
        assert_memory_equal(first, second, length);
        empty_folder();
        assert_int_equal(lotor_world_movielens_generate(folder, 100, 200, 6, NULL), LOTOR_OK);
        const size_t other = read_back(names[i], second, ROOM);
        assert_true(other != length || memcmp(first, second, length) != 0);
        empty_folder();
    }
    free(first);
    free(second);
}

/* Data of any size can be read back, with all users. */
TEST(any_size_reads_back)
{
    static const size_t sizes[][2] = {{1, 1}, {1, 500}, {500, 1}, {3, 3}, {40, 17}, {300, 150}};
    for (size_t i = 0; i < LENGTH(sizes); i++) {
        const size_t users = sizes[i][0], movies = sizes[i][1];
        lotor_world *world;
        assert_int_equal(lotor_world_movielens_generate(folder, users, movies, i, NULL), LOTOR_OK);
        assert_int_equal(lotor_world_movielens(folder, 0, NULL, &world), LOTOR_OK);
        assert_in_range(world->arms, 1, movies);
        for (size_t arm = 0; arm < world->arms; arm++) {
            const double raters = world->means[arm] * (double)users;
            assert_true(fabs(raters - round(raters)) < 1e-9);
        }
        lotor_world_free(world);
        empty_folder();
    }
}

TEST(generator_refuses)
{
    static const size_t sizes[][2] = {{0, 5},       {5, 0},          {1000001, 5},
                                      {5, 1000001}, {1000000, 4001}, {SIZE_MAX, SIZE_MAX}};
    lotor_message why;
    for (size_t i = 0; i < LENGTH(sizes); i++) {
        assert_int_equal(lotor_world_movielens_generate(folder, sizes[i][0], sizes[i][1], 1, &why),
                         LOTOR_INVALID);
        assert_says(&why, "from 1 to 1000000 users");
    }

    /* the user's own copy is never overwritten, and nothing is written next to it */
    put_file("ratings.dat", "mine");
    assert_int_equal(lotor_world_movielens_generate(folder, 5, 5, 1, &why), LOTOR_INVALID);
    assert_says(&why, "/ratings.dat\" exists already");
    assert_int_equal(lines_in("ratings.dat"), 0);
    assert_false(exists("movies.dat") || exists("movies.dat.partial"));

    /* impossible folders: inside a file, and inside a folder that does not exist */
    char inside[PATH_ROOM];
    snprintf(inside, sizeof inside, "%s/ratings.dat/x", folder);
    assert_int_equal(lotor_world_movielens_generate(inside, 5, 5, 1, &why), LOTOR_INVALID);
    assert_says(&why, "could not be written: Not a directory");
    snprintf(inside, sizeof inside, "%s/no/x", folder);
    assert_int_equal(lotor_world_movielens_generate(inside, 5, 5, 1, &why), LOTOR_INVALID);
    assert_says(&why, "/no/x\" could not be written: No such file or directory");
    empty_folder();
}

/* A limit on the size of a file: movies.dat fits in 20,000 bytes, ratings.dat does not. The new
 * folder is removed again. */
TEST(full_disk_leaves_nothing)
{
    struct rlimit before, low;
    char inside[PATH_ROOM];
    lotor_message why = {""};
    snprintf(inside, sizeof inside, "%s/new", folder);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    low = before;
    low.rlim_cur = 20000;
    assert_ptr_not_equal(signal(SIGXFSZ, SIG_IGN), SIG_ERR);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
    const lotor_status status = lotor_world_movielens_generate(inside, 500, 300, 1, &why);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(status, LOTOR_INVALID);
    assert_says(&why, "ratings.dat.partial\" could not be written: File too large");
    assert_false(exists("new"));
}

/* Memory --------------------------------------------------------------------------------------- */

TEST(every_allocation_can_fail)
{
    lotor_message why;
    lotor_world *world;
    const size_t live = failing_memory_live();
    failing_memory_start(0);
    assert_int_equal(lotor_world_movielens_generate(folder, 20, 30, 1, NULL), LOTOR_OK);
    const size_t generating = failing_memory_stop();
    failing_memory_start(0);
    assert_int_equal(lotor_world_movielens(folder, 3, NULL, &world), LOTOR_OK);
    const size_t reading = failing_memory_stop();
    lotor_world_free(world);
    assert_int_equal(failing_memory_live(), live);
    assert_true(generating >= 7 && reading >= 11);
    for (size_t fails = 1; fails <= reading; fails++) {
        failing_memory_start(fails);
        assert_int_equal(lotor_world_movielens(folder, 3, &why, &world), LOTOR_MEMORY);
        (void)failing_memory_stop();
        assert_null(world);
        assert_says(&why, "memory");
        assert_int_equal(failing_memory_live(), live);
    }
    for (size_t fails = 1; fails <= generating; fails++) {
        empty_folder();
        failing_memory_start(fails);
        assert_int_equal(lotor_world_movielens_generate(folder, 20, 30, 1, &why), LOTOR_MEMORY);
        (void)failing_memory_stop();
        assert_false(exists("movies.dat") || exists("ratings.dat"));
        assert_int_equal(failing_memory_live(), live);
    }
}

TEST_GROUP(make_folder, remove_folder);
