/* test_advise.c - which algorithms play all rounds when there is not enough time for all of them. */
#include "support/test.h"

#include "lab/advise.h"

enum { COUNT = 5 };

static void expect(const double *regrets, const double *speeds, double rounds, double seconds,
                   const char *who)
{
    bool stays[COUNT];
    lotor_advise_finalists(regrets, speeds, COUNT, rounds, seconds, stays);
    for (size_t i = 0; i < COUNT; i++) {
        assert_int_equal(stays[i], who[i] == 'y');
    }
}

/* Each plays four runs of 1000 rounds: 4 seconds at 1000 rounds a second. The last is the baseline. */
TEST(as_many_as_time_allows_play_on_and_the_best_first)
{
    static const double regrets[COUNT] = {12, 10, 26, 20, 1};
    static const double even[COUNT] = {1000, 1000, 1000, 1000, 1000};
    expect(regrets, even, 1000, 16, "yynyy"); /* 26 is more than 2.5 times 10 */
    expect(regrets, even, 1000, 15.9, "yynny");
    expect(regrets, even, 1000, 12, "yynny");
    expect(regrets, even, 1000, 11.9, "nynny");
    expect(regrets, even, 1000, 8, "nynny");
    expect(regrets, even, 1000, 0.1, "nynny"); /* the best one stays in any case */
}

/* A fast algorithm leaves its time to the others. */
TEST(time_is_shared_by_need)
{
    static const double regrets[COUNT] = {12, 10, 30, 20, 1};
    static const double speeds[COUNT] = {1000, 1e6, 1000, 500, 1e6};
    expect(regrets, speeds, 1000, 4.01, "yynny");
    expect(regrets, speeds, 1000, 12.01, "yynyy");
    expect(regrets, speeds, 1000, 12.0, "yynny");
}
