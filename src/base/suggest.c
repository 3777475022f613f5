/* suggest.c - see suggest.h. */
#include "base/suggest.h"

#include <stdbool.h>
#include <string.h>

enum { LONGEST = 63 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t lotor_edit_distance(const char *left, const char *right)
{
    const size_t left_length = strnlen(left, LONGEST);
    const size_t right_length = strnlen(right, LONGEST);
    /* Three rows of the table: two letters back (for swaps), one letter back, and the current
     * one. */
    size_t rows[3][LONGEST + 1] = {{0}};
    for (size_t j = 0; j <= right_length; j++) {
        rows[0][j] = j;
    }
    for (size_t i = 1; i <= left_length; i++) {
        size_t *now = rows[i % 3];
        const size_t *before = rows[(i + 2) % 3];
        const size_t *earlier = rows[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= right_length; j++) {
            const size_t change = left[i - 1] != right[j - 1];
            now[j] = least(before[j - 1] + change, least(before[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1]) {
                now[j] = least(now[j], earlier[j - 2] + 1);
            }
        }
    }
    return rows[left_length % 3][right_length];
}

/* True if two words mean the opposite of each other: they differ only by one of these pairs of
 * beginnings. */
static bool are_opposites(const char *left, const char *right)
{
    static const char *const pairs[][2] = {{"un", ""},    {"no-", ""},   {"non-", ""}, {"dis", ""},
                                           {"dis", "en"}, {"de", ""},    {"in", ""},   {"in", "de"},
                                           {"in", "ex"},  {"min", "max"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        for (size_t swapped = 0; swapped < 2; swapped++) {
            const char *const first = pairs[i][swapped], *const second = pairs[i][1 - swapped];
            const size_t skipped = strlen(first), other = strlen(second);
            if (strncmp(left, first, skipped) == 0 && strncmp(right, second, other) == 0 &&
                strcmp(left + skipped, right + other) == 0) {
                return true;
            }
        }
    }
    return false;
}

void lotor_suggestion_start(lotor_suggestion *suggestion, const char *word)
{
    suggestion->word = word;
    suggestion->nearest = NULL;
    /* Names that differ in more than a third of the letters are not suggested: "remove" must not
     * become "resume". One wrong letter is always allowed. */
    const size_t third = strnlen(word, LONGEST) / 3;
    suggestion->distance = 1 + (third > 1 ? third : 1);
}

/* Writes the first letters of a word, all of them small. Does not depend on the locale. */
static void write_small(const char *word, char out[LONGEST + 1])
{
    size_t i = 0;
    for (; i < LONGEST && word[i]; i++) {
        const bool is_capital = word[i] >= 'A' && word[i] <= 'Z';
        out[i] = is_capital ? (char)(word[i] - 'A' + 'a') : word[i];
    }
    out[i] = '\0';
}

void lotor_suggestion_offer(lotor_suggestion *suggestion, const char *name)
{
    char word[LONGEST + 1] = {0}, offered[LONGEST + 1] = {0};
    write_small(suggestion->word, word);
    write_small(name, offered);
    size_t distance = lotor_edit_distance(word, offered);
    if (strlen(word) >= 2 && strncmp(word, offered, strlen(word)) == 0) {
        /* The beginning of a name counts like one wrong letter, and the whole name like none. */
        distance = distance > 0;
    }
    if (distance < suggestion->distance && !are_opposites(word, offered)) {
        suggestion->distance = distance;
        suggestion->nearest = name;
    }
}
