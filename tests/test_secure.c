/* test_secure.c - the secure source: uniform, not repeated by a fork, not left in memory.
 *
 * It can't be seeded, so nothing here has a fixed seed. Words are 64 bits: two equal ones among
 * the few thousand compared happen by chance once in 10^12 runs. */
#include "support/test.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/secure_words.h"
#include "support/statistics.h"

/* --- output ----------------------------------------------------------------------------------- */

TEST(two_sources_differ)
{
    lotor_source *first = new_source(), *second = new_source();
    uint64_t a[WORDS], b[WORDS], c[WORDS];
    read_words(first, a);
    read_words(second, b);
    read_words(first, c);
    assert_unrelated(a, b);
    assert_unrelated(a, c);
    lotor_secure_free(first);
    lotor_secure_free(second);
    lotor_secure_free(NULL);
}

/* 4 MiB: 256 windows, past the re-keying at each MiB. With 255 degrees of freedom, p below 1e-9 or
 * above 1 - 1e-9 happens to a good source twice in a thousand million runs. */
TEST(bytes_are_uniform)
{
    enum { BYTES = 4 << 20 };
    lotor_source *source = new_source();
    uint64_t seen[256] = {0}, seen_first[256] = {0};
    for (size_t i = 0; i < BYTES / 8; i++) {
        const uint64_t word = lotor_source_word(source);
        seen_first[word & 255]++;
        for (int byte = 0; byte < 8; byte++) {
            seen[(word >> (8 * byte)) & 255]++;
        }
    }
    double statistic = 0.0, statistic_first = 0.0;
    const double expected = (double)BYTES / 256.0, expected_first = BYTES / 8 / 256.0;
    for (size_t i = 0; i < 256; i++) {
        const double off = (double)seen[i] - expected;
        const double off_first = (double)seen_first[i] - expected_first;
        statistic += off * off / expected;
        statistic_first += off_first * off_first / expected_first;
    }
    const double p = chi_square_p(statistic, 255.0), first = chi_square_p(statistic_first, 255.0);
    assert_true(p > 1e-9 && p < 1.0 - 1e-9);
    assert_true(first > 1e-9 && first < 1.0 - 1e-9);
    assert_int_equal(source->status, LOTOR_OK);
    lotor_secure_free(source);
}

/* --- fork ------------------------------------------------------------------------------------- */

/* Forks; the child reads words and, with `deep`, forks once more and lets its own child read. */
static void child_words(lotor_source *source, bool deep, uint64_t *words)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (deep) {
            (void)lotor_source_word(source);
            const pid_t grandchild = fork();
            if (grandchild != 0) {
                int status = 1;
                waitpid(grandchild, &status, 0);
                lotor_secure_free(source);
                _exit(status != 0);
            }
        }
        read_words(source, words);
        const size_t size = WORDS * sizeof *words;
        const bool whole = write(ends[1], words, size) == (ssize_t)size;
        const bool good = whole && source->status == LOTOR_OK;
        lotor_secure_free(source);
        _exit(!good);
    }
    close(ends[1]);
    size_t got = 0;
    while (got < WORDS * sizeof *words) {
        const ssize_t more = read(ends[0], (char *)words + got, WORDS * sizeof *words - got);
        assert_true(more > 0);
        got += (size_t)more;
    }
    close(ends[0]);
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* Children forked after `used` words of a window, a grandchild, and the parent's next words, which
 * a source that survived the fork would also have given to the children. */
static void forked_after(size_t used)
{
    enum { CHILDREN = 4, READERS = CHILDREN + 2 };
    lotor_source *source = new_source();
    for (size_t i = 0; i < used; i++) {
        (void)lotor_source_word(source);
    }
    uint64_t words[READERS][WORDS];
    for (size_t i = 0; i < CHILDREN; i++) {
        child_words(source, false, words[i]);
    }
    child_words(source, true, words[CHILDREN]);
    read_words(source, words[CHILDREN + 1]);
    for (size_t a = 0; a < READERS; a++) {
        for (size_t b = 0; b < a; b++) {
            assert_unrelated(words[a], words[b]);
        }
    }
    lotor_secure_free(source);
}

TEST(forked_processes_never_share_bytes)
{
    forked_after(0);
    forked_after(1);
    forked_after(WORDS_PER_WINDOW / 2);
    forked_after(WORDS_PER_WINDOW - 1);  /* the next word is the window's last */
    forked_after(WORDS_PER_WINDOW);      /* the next one refills */
    forked_after(64 * WORDS_PER_WINDOW); /* and fetches a key */
}

/* --- memory ----------------------------------------------------------------------------------- */

/* The VmFlags line of the mapping that holds `address`. */
static bool flags_of(const void *address, char *flags, size_t capacity)
{
    FILE *maps = fopen("/proc/self/smaps", "r");
    if (!maps) {
        return false;
    }
    char line[512];
    bool inside = false, found = false;
    while (!found && fgets(line, sizeof line, maps)) {
        unsigned long from, to;
        if (sscanf(line, "%lx-%lx ", &from, &to) == 2) {
            inside = (unsigned long)address >= from && (unsigned long)address < to;
        } else if (inside && strncmp(line, "VmFlags:", 8) == 0) {
            snprintf(flags, capacity, "%s", line);
            found = true;
        }
    }
    fclose(maps);
    return found;
}

/* Tests locking on a mapping of the same size: limits and sanitizers may prevent it. */
static bool may_lock_memory(void)
{
    const size_t size = 2 * sizeof(lotor_source_window);
    void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(pages != MAP_FAILED);
    char flags[512];
    const bool may = mlock(pages, size) == 0 && flags_of(pages, flags, sizeof flags) &&
                     strstr(flags, " lo") != NULL;
    munmap(pages, size);
    return may;
}

TEST(pages_are_wiped_on_fork_and_kept_out_of_dumps)
{
    lotor_source *source = new_source();
    const char *window = (const char *)source->window;
    const bool may_lock = may_lock_memory();
    char flags[512];
    const char *places[] = {window, window + sizeof(lotor_source_window) - 1,
                            window + sizeof(lotor_source_window) + 31}; /* and the key behind it */
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        assert_true(flags_of(places[i], flags, sizeof flags));
        assert_non_null(strstr(flags, " dd"));
        assert_non_null(strstr(flags, " wf"));
        if (may_lock) {
            assert_non_null(strstr(flags, " lo"));
        }
    }
    lotor_secure_free(source);
}

/* The source's pages, from the window's first byte to the end of the last page. */
static bool found_in_pages(const lotor_source *source, uint64_t word)
{
    const unsigned char *from = (const unsigned char *)source->window;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t size = (sizeof(lotor_source_window) + 64 + page - 1) / page * page;
    return memmem(from, size, &word, sizeof word) != NULL;
}

TEST(used_bytes_are_gone)
{
    lotor_source *source = new_source();
    const lotor_source_window *window = source->window;
    uint64_t first;
    memcpy(&first, window->bytes + sizeof window->bytes - window->left, sizeof first);
    assert_true(found_in_pages(source, first)); /* so the search finds bytes that are there */
    assert_true(lotor_source_word(source) == first);
    assert_false(found_in_pages(source, first));
    for (size_t i = 0; i < 3 * WORDS_PER_WINDOW; i++) {
        const uint64_t word = lotor_source_word(source);
        if (i % 97 == 0) {
            assert_false(found_in_pages(source, word));
        }
        const size_t used = sizeof window->bytes - window->left;
        assert_int_equal(window->bytes[used - 1], 0);
    }
    lotor_secure_free(source);
}
