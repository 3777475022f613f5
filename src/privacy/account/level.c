/* level.c - how strong a guarantee is, in five levels with their reasons (account.md, "Levels"). */
#include <lotor/guarantee.h>

#include <math.h>

/* A level is for guarantees within both bounds. Rows go from strong to weak. */
static const struct row {
    lotor_level level;
    double epsilon, delta; /* the largest that have this level */
    const char *name;
    const char *epsilon_reason; /* if epsilon is above the bound of the row before */
    const char *delta_reason;   /* if delta is above the bound of the row before */
} rows[] = {
    {LOTOR_LEVEL_STRONG, 1.0, 1e-5, "strong",
     "epsilon is at most 1, which NIST SP 800-226 calls conservative",
     "epsilon is at most 1, which NIST SP 800-226 calls conservative"},
    {LOTOR_LEVEL_MODERATE, 5.0, 1e-3, "moderate",
     "epsilon is above 1, the largest that NIST SP 800-226 calls conservative, and at most 5",
     "delta is above 0.00001: an outcome may be more probable than epsilon allows, by more than "
     "1 in 100,000"},
    {LOTOR_LEVEL_WEAK, 10.0, 0.1, "weak",
     "epsilon is above 5 and at most 10: the odds of a guess, for an attacker who knows all other "
     "data, may change by a factor of more than 148",
     "delta is above 0.001: an outcome may be more probable than epsilon allows, by more than 1 in "
     "1,000"},
    {LOTOR_LEVEL_VERY_WEAK, INFINITY, INFINITY, "very weak",
     "epsilon is above 10: the odds of a guess, for an attacker who knows all other data, may "
     "change by a factor of more than 22,000",
     "delta is above 0.1: an outcome may be more probable than epsilon allows, by more than 1 in "
     "10"},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static const struct row *row_of(const lotor_guarantee *guarantee)
{
    size_t i = 0;
    while (i + 1 < ROWS &&
           !(guarantee->epsilon <= rows[i].epsilon && guarantee->delta <= rows[i].delta)) {
        i++; /* also if a number is not a number: the weakest level */
    }
    return &rows[i];
}

lotor_level lotor_guarantee_level(const lotor_guarantee *guarantee)
{
    return guarantee->is_private ? row_of(guarantee)->level : LOTOR_LEVEL_NONE;
}

const char *lotor_level_name(lotor_level level)
{
    for (size_t i = 0; i < ROWS; i++) {
        if (rows[i].level == level) {
            return rows[i].name;
        }
    }
    return "none";
}

const char *lotor_guarantee_level_reason(const lotor_guarantee *guarantee)
{
    if (!guarantee->is_private) {
        return "it is not private";
    }
    const struct row *row = row_of(guarantee);
    const bool by_epsilon = row == rows || !(guarantee->epsilon <= row[-1].epsilon);
    return by_epsilon ? row->epsilon_reason : row->delta_reason;
}
