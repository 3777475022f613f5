/* test_keys.c - bearer keys: the file, the roles, and what is refused. */
#include "support/test.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <sodium.h>

#include "service/http/keys.h"
#include "service/scratch.h"
#include "support/failing_memory.h"

static scratch files;
static char path[512];
static lotor_message why;

static int start(void **state)
{
    (void)state;
    scratch_start(&files);
    snprintf(path, sizeof path, "%s", scratch_path(&files, "keys"));
    return 0;
}

static int end(void **state)
{
    (void)state;
    scratch_end(&files);
    return 0;
}

static lotor_keys *opened(void)
{
    lotor_keys *keys = NULL;
    if (lotor_keys_open(path, &why, &keys) != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    return keys;
}

/* The roles of a key at a time when no key of these tests has expired. */
static lotor_role role_of(lotor_keys *keys, const char *key, size_t length)
{
    lotor_key_grant grant;
    const lotor_key_verdict verdict = lotor_keys_find(keys, key, length, 1000, &grant);
    assert_int_equal(verdict == LOTOR_KEY_VALID, grant.roles != LOTOR_ROLE_NONE);
    return grant.roles;
}

/* The last line may lack its newline, as some editors leave it. The disk may be full in the
 * middle of a line. */
TEST(test_a_key_has_a_line_of_its_own)
{
    char first[LOTOR_KEY_LENGTH + 1], second[LOTOR_KEY_LENGTH + 1];
    struct stat before, after;
    assert_int_equal(lotor_key_make(path, LOTOR_ROLE_RANK, "one", &why, first), LOTOR_OK);
    assert_int_equal(stat(path, &before), 0);
    assert_int_equal(truncate(path, before.st_size - 1), 0);
    assert_int_equal(lotor_key_make(path, LOTOR_ROLE_ADMIN, "two", &why, second), LOTOR_OK);
    lotor_keys *const keys = opened();
    assert_int_equal(role_of(keys, first, LOTOR_KEY_LENGTH), LOTOR_ROLE_RANK);
    assert_int_equal(role_of(keys, second, LOTOR_KEY_LENGTH), LOTOR_ROLE_ADMIN);
    lotor_keys_free(keys);

    assert_int_equal(stat(path, &before), 0);
    struct rlimit unlimited, few;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &unlimited), 0);
    few = unlimited;
    few.rlim_cur = (rlim_t)before.st_size + 10;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &few), 0);
    const lotor_status status = lotor_key_make(path, LOTOR_ROLE_RANK, "three", &why, first);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &unlimited), 0);
    assert_int_equal(status, LOTOR_IO);
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(after.st_size, before.st_size);
    lotor_keys_free(opened());
    assert_int_equal(unlink(path), 0);
}

/* A request may be the first to notice a broken file. The error is still reported to the log,
 * once. */
TEST(test_a_broken_file_is_told_once)
{
    static const char unknown[] = "lotor_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    char key[LOTOR_KEY_LENGTH + 1];
    assert_int_equal(strlen(unknown), LOTOR_KEY_LENGTH);
    assert_int_equal(lotor_key_make(path, LOTOR_ROLE_RANK, "one", &why, key), LOTOR_OK);
    lotor_keys *const keys = opened();
    scratch_write(path, "nonsense\n", 9);
    assert_int_equal(role_of(keys, unknown, LOTOR_KEY_LENGTH), LOTOR_ROLE_NONE);
    assert_int_equal(role_of(keys, key, LOTOR_KEY_LENGTH), LOTOR_ROLE_NONE);
    assert_int_equal(lotor_keys_reload(keys, true, &why), LOTOR_DAMAGED);
    assert_int_equal(lotor_keys_reload(keys, true, &why), LOTOR_OK);
    lotor_keys_free(keys);
    assert_int_equal(unlink(path), 0);
}

/* Good lines count, and keys without a line stop working, whatever the other lines are. */
TEST(test_a_bad_line_among_good_ones)
{
    static const char bad[] = "rank 0123 x\nwhat is this\n\0admin\n";
    char first[LOTOR_KEY_LENGTH + 1], second[LOTOR_KEY_LENGTH + 1], third[LOTOR_KEY_LENGTH + 1];
    char *const text = malloc(8192);
    size_t length;
    assert_non_null(text);
    assert_int_equal(lotor_key_make(path, LOTOR_ROLE_RANK, "one", &why, first), LOTOR_OK);
    assert_int_equal(lotor_key_make(path, LOTOR_ROLE_REWARD, "two", &why, second), LOTOR_OK);
    lotor_keys *const keys = opened();
    assert_int_equal(lotor_key_make(path, LOTOR_ROLE_ADMIN, "three", &why, third), LOTOR_OK);
    /* Without the first key: a good line, four bad ones (the last is far too long), a good line. */
    char *const lines = (char *)scratch_read(path, &length);
    const char *const after_first = strchr(lines, '\n') + 1;
    const char *const after_second = strchr(after_first, '\n') + 1;
    char *at = text;
    at = mempcpy(at, after_first, (size_t)(after_second - after_first));
    at = mempcpy(at, bad, sizeof bad - 1);
    memset(at, 'x', 5000);
    at[5000] = '\n';
    at += 5001;
    at = mempcpy(at, after_second, length - (size_t)(after_second - lines));
    scratch_write(path, text, (size_t)(at - text));
    assert_int_equal(lotor_keys_reload(keys, true, &why), LOTOR_DAMAGED);
    assert_non_null(strstr(why.text, "line 2 (and 3 more lines) of the key file"));
    assert_int_equal(lotor_keys_count(keys), 2);
    assert_int_equal(role_of(keys, first, LOTOR_KEY_LENGTH), LOTOR_ROLE_NONE);
    assert_int_equal(role_of(keys, second, LOTOR_KEY_LENGTH), LOTOR_ROLE_REWARD);
    assert_int_equal(role_of(keys, third, LOTOR_KEY_LENGTH), LOTOR_ROLE_ADMIN);
    assert_false(lotor_keys_are_lost(keys));
    /* A server that starts has an operator, so it refuses the file. */
    lotor_keys *other;
    assert_int_equal(lotor_keys_open(path, &why, &other), LOTOR_DAMAGED);
    lotor_keys_free(keys);
    free(lines);
    free(text);
    assert_int_equal(unlink(path), 0);
}

/* If the file can't be read, no key is known. Each call tries again, but reports it once. */
TEST(test_a_file_that_can_not_be_read)
{
    char key[LOTOR_KEY_LENGTH + 1], aside[600];
    assert_int_equal(lotor_key_make(path, LOTOR_ROLE_RANK, "one", &why, key), LOTOR_OK);
    lotor_keys *const keys = opened();
    snprintf(aside, sizeof aside, "%s.aside", path);
    assert_int_equal(rename(path, aside), 0);
    assert_int_equal(mkdir(path, 0700), 0); /* a folder: even root can't read it as a file */
    assert_int_equal(lotor_keys_reload(keys, true, &why), LOTOR_INVALID);
    assert_int_equal(lotor_keys_reload(keys, true, &why), LOTOR_OK);
    /* an explicit reload always reports it */
    assert_int_equal(lotor_keys_reload(keys, false, &why), LOTOR_INVALID);
    assert_true(lotor_keys_are_lost(keys));
    assert_int_equal(lotor_keys_count(keys), 0);
    assert_int_equal(role_of(keys, key, LOTOR_KEY_LENGTH), LOTOR_ROLE_NONE);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(rename(aside, path), 0);
    assert_int_equal(role_of(keys, key, LOTOR_KEY_LENGTH), LOTOR_ROLE_RANK);
    assert_false(lotor_keys_are_lost(keys));
    /* Noticed first by a call without a message. */
    assert_int_equal(chmod(path, 0604), 0);
    const struct timespec other[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    assert_int_equal(utimensat(AT_FDCWD, path, other, 0), 0);
    assert_int_equal(lotor_keys_reload(keys, true, NULL), LOTOR_INVALID);
    assert_int_equal(lotor_keys_reload(keys, true, &why), LOTOR_INVALID);
    assert_int_equal(lotor_keys_reload(keys, true, &why), LOTOR_OK);
    lotor_keys_free(keys);
    assert_int_equal(unlink(path), 0);
}

/* The file is changed in place, with the same size, and the time of the last write is set back. The
 * kernel's clock for files ticks every few milliseconds, so the test waits for another tick. */
TEST(test_no_change_is_hidden)
{
    char old[LOTOR_KEY_LENGTH + 1], new[LOTOR_KEY_LENGTH + 1];
    size_t length, other_length;
    struct stat now;
    unlink(path);
    assert_int_equal(lotor_key_make(path, LOTOR_ROLE_RANK, "n", &why, new), LOTOR_OK);
    unsigned char *const text = scratch_read(path, &length);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(lotor_key_make(path, LOTOR_ROLE_RANK, "n", &why, old), LOTOR_OK);
    lotor_keys *const keys = opened();
    assert_int_equal(stat(path, &now), 0);
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    FILE *const file = fopen(path, "r+e");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
    const struct timespec times[2] = {now.st_atim, now.st_mtim};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    free(scratch_read(path, &other_length));
    assert_int_equal(other_length, length);
    assert_int_equal(lotor_keys_reload(keys, true, &why), LOTOR_OK);
    assert_int_equal(role_of(keys, old, LOTOR_KEY_LENGTH), LOTOR_ROLE_NONE);
    assert_int_equal(role_of(keys, new, LOTOR_KEY_LENGTH), LOTOR_ROLE_RANK);
    /* and a mode that lets others read it */
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    assert_int_equal(chmod(path, 0644), 0);
    assert_int_equal(lotor_keys_reload(keys, true, &why), LOTOR_INVALID);
    assert_true(lotor_keys_are_lost(keys));
    lotor_keys_free(keys);
    free(text);
    assert_int_equal(unlink(path), 0);
}

TEST(test_a_key_has_the_role_it_was_made_for)
{
    static const lotor_role roles[] = {LOTOR_ROLE_RANK, LOTOR_ROLE_REWARD, LOTOR_ROLE_ADMIN};
    char made[3][LOTOR_KEY_LENGTH + 1];
    struct stat now;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(lotor_key_make(path, roles[i], "me", &why, made[i]), LOTOR_OK);
        assert_int_equal(strlen(made[i]), LOTOR_KEY_LENGTH);
        assert_memory_equal(made[i], "lotor_", 6);
    }
    assert_int_equal(stat(path, &now), 0);
    assert_int_equal(now.st_mode & 0777, 0600);
    lotor_keys *const keys = opened();
    assert_int_equal(lotor_keys_count(keys), 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(role_of(keys, made[i], LOTOR_KEY_LENGTH), roles[i]);
        /* Every character counts, and so does the length. */
        for (size_t j = 0; j < LOTOR_KEY_LENGTH; j++) {
            char other[LOTOR_KEY_LENGTH + 1];
            memcpy(other, made[i], sizeof other);
            other[j] = other[j] == 'x' ? 'y' : 'x';
            assert_int_equal(role_of(keys, other, LOTOR_KEY_LENGTH), LOTOR_ROLE_NONE);
        }
        assert_int_equal(role_of(keys, made[i], LOTOR_KEY_LENGTH - 1), LOTOR_ROLE_NONE);
    }
    assert_int_equal(role_of(keys, "", 0), LOTOR_ROLE_NONE);
    lotor_keys_free(keys);
}

/* The file has only hashes: BLAKE2b-256 of the keys. */
TEST(test_the_file_has_no_key_in_it)
{
    char key[LOTOR_KEY_LENGTH + 1], hex[65], line[256];
    unsigned char hash[32];
    size_t length;
    unlink(path);
    assert_int_equal(lotor_key_make(path, LOTOR_ROLE_ADMIN, "web-1", &why, key), LOTOR_OK);
    crypto_generichash(hash, sizeof hash, (const unsigned char *)key, LOTOR_KEY_LENGTH, NULL, 0);
    sodium_bin2hex(hex, sizeof hex, hash, sizeof hash);
    snprintf(line, sizeof line, "admin %s web-1\n", hex);
    char *const text = (char *)scratch_read(path, &length);
    assert_int_equal(length, strlen(line));
    assert_memory_equal(text, line, length);
    free(text);
}

/* A key with two lines has both roles, and never those of admin. */
TEST(test_two_roles_for_one_key)
{
    char key[LOTOR_KEY_LENGTH + 1], both[512];
    size_t length;
    unlink(path);
    assert_int_equal(lotor_key_make(path, LOTOR_ROLE_RANK, "n", &why, key), LOTOR_OK);
    char *const text = (char *)scratch_read(path, &length);
    snprintf(both, sizeof both, "%.*sreward%.*s", (int)length, text, (int)length - 4, text + 4);
    scratch_write(path, both, strlen(both));
    lotor_keys *const keys = opened();
    assert_int_equal(lotor_keys_count(keys), 2);
    assert_int_equal(role_of(keys, key, LOTOR_KEY_LENGTH), LOTOR_ROLE_RANK | LOTOR_ROLE_REWARD);
    lotor_keys_free(keys);
    free(text);
}

#define HASH "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

TEST(test_files_that_are_refused)
{
    static const char *const broken[] = {
        "root " HASH " x\n",   "admin\n",
        "admin 0123 x\n",      "admin " HASH "0 x\n",
        "admin" HASH " x\n",   "Admin " HASH " x\n",
        " admin " HASH " x\n", HASH " admin x\n",
        "admin " HASH "\tx\n", "admin " HASH " ok\nwhat is this\n",
    };
    lotor_keys *keys;
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        scratch_write(path, broken[i], strlen(broken[i]));
        if (lotor_keys_open(path, &why, &keys) != LOTOR_DAMAGED || keys) {
            fail_msg("taken: %s", broken[i]);
        }
        assert_non_null(strstr(why.text, "line "));
        assert_null(strstr(why.text, "0123456789abcdef")); /* a hash must not be in the log */
    }
    char *const longer = malloc(4000);
    memset(longer, 'a', 4000);
    scratch_write(path, longer, 4000);
    assert_int_equal(lotor_keys_open(path, &why, &keys), LOTOR_DAMAGED);
    free(longer);
    static const char fine[] = "# a comment\n\nrank " HASH "\nreward " HASH " a name\nadmin " HASH;
    scratch_write(path, fine, strlen(fine));
    keys = opened();
    assert_int_equal(lotor_keys_count(keys), 3);
    lotor_keys_free(keys);
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(lotor_keys_open(path, &why, &keys), LOTOR_INVALID);
    assert_non_null(strstr(why.text, "0600"));
    char key[LOTOR_KEY_LENGTH + 1];
    assert_int_equal(lotor_key_make(path, LOTOR_ROLE_RANK, "x", &why, key), LOTOR_INVALID);
    assert_string_equal(key, "");
    chmod(path, 0600);
}

TEST(test_too_many_keys)
{
    char *const text = malloc((LOTOR_KEYS_MAX + 1) * 80), *at = text;
    for (int i = 0; i <= LOTOR_KEYS_MAX; i++) {
        at += sprintf(at, "rank %s n\n", HASH);
    }
    lotor_keys *keys;
    scratch_write(path, text, (size_t)(at - text));
    assert_int_equal(lotor_keys_open(path, &why, &keys), LOTOR_DAMAGED);
    scratch_write(path, text, (size_t)(at - text) - strlen("rank " HASH " n\n"));
    keys = opened();
    assert_int_equal(lotor_keys_count(keys), LOTOR_KEYS_MAX);
    lotor_keys_free(keys);
    /* One more would count for nothing, so it is not made. */
    char key[LOTOR_KEY_LENGTH + 1];
    size_t length;
    assert_int_equal(lotor_key_make(path, LOTOR_ROLE_RANK, "more", &why, key), LOTOR_INVALID);
    assert_non_null(strstr(why.text, "1024"));
    assert_string_equal(key, "");
    free(scratch_read(path, &length));
    assert_int_equal(length, (size_t)(at - text) - strlen("rank " HASH " n\n"));
    free(text);
}

TEST(test_names)
{
    char key[LOTOR_KEY_LENGTH + 1];
    static const char *const bad[] = {
        "", "a b", "a\nadmin", "caf\xc3\xa9",
        "01234567890123456789012345678901234567890123456789012345678901234"};
    unlink(path);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(lotor_key_make(path, LOTOR_ROLE_RANK, bad[i], &why, key), LOTOR_INVALID);
    }
    assert_int_equal(access(path, F_OK), -1); /* nothing was made */
    assert_int_equal(lotor_key_make("/nonexistent/keys", LOTOR_ROLE_RANK, "n", &why, key),
                     LOTOR_IO);
}

TEST(test_no_file_is_no_key)
{
    char key[LOTOR_KEY_LENGTH + 1];
    unlink(path);
    lotor_keys *const keys = opened();
    assert_int_equal(lotor_keys_count(keys), 0);
    assert_int_equal(lotor_key_make(path, LOTOR_ROLE_RANK, "n", &why, key), LOTOR_OK);
    assert_int_equal(role_of(keys, key, LOTOR_KEY_LENGTH), LOTOR_ROLE_RANK);
    unlink(path); /* without the file, no key works */
    assert_int_equal(lotor_keys_reload(keys, true, &why), LOTOR_OK);
    assert_int_equal(role_of(keys, key, LOTOR_KEY_LENGTH), LOTOR_ROLE_NONE);
    lotor_keys_free(keys);
}

/* --- roles, campaigns and expiry -------------------------------------------------------------- */

TEST(test_roles_in_any_combination)
{
    static const struct {
        const char *text;
        unsigned roles;
    } good[] = {
        {"rank", LOTOR_ROLE_RANK},
        {"rank,reward", LOTOR_ROLE_RANK | LOTOR_ROLE_REWARD},
        {"reward,rank", LOTOR_ROLE_RANK | LOTOR_ROLE_REWARD},
        {"metrics,read", LOTOR_ROLE_READ | LOTOR_ROLE_METRICS},
        {"rank,reward,read,metrics,admin", 31},
    };
    static const char *const bad[] = {
        "",     ",",           "rank,", ",rank",     "rank,,reward", "rank reward",
        "Rank", "rank;reward", "all",   "rankreward"};
    char text[LOTOR_ROLES_ROOM];
    lotor_role roles;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(lotor_roles_read(good[i].text, strlen(good[i].text), &roles));
        assert_int_equal(roles, good[i].roles);
        lotor_roles_write(roles, text);
        assert_true(lotor_roles_read(text, strlen(text), &roles));
        assert_int_equal(roles, good[i].roles);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(lotor_roles_read(bad[i], strlen(bad[i]), &roles));
    }
    /* admin may do everything; no other role includes another: metrics have exact counts of
     * feedback, and read shows what is public */
    for (unsigned has = 1; has <= LOTOR_ROLE_METRICS; has *= 2) {
        for (unsigned needed = 1; needed <= LOTOR_ROLE_METRICS; needed *= 2) {
            const bool is_enough = has == needed || has == LOTOR_ROLE_ADMIN;
            assert_int_equal(lotor_role_covers((lotor_role)has, (lotor_role)needed), is_enough);
        }
    }
}

TEST(test_a_key_with_limits)
{
    char key[LOTOR_KEY_LENGTH + 1];
    lotor_key_grant grant;
    size_t length;
    unlink(path);
    const lotor_key_setup setup = {.roles = (lotor_role)(LOTOR_ROLE_RANK | LOTOR_ROLE_READ),
                                   .name = "web-1",
                                   .campaign = "shop",
                                   .expires = 2000};
    assert_int_equal(lotor_key_make_with(path, &setup, &why, key), LOTOR_OK);
    char *const text = (char *)scratch_read(path, &length);
    static const char terms[] = "rank,read;campaign=shop;expires=1970-01-01T00:33:20Z ";
    assert_memory_equal(text, terms, sizeof terms - 1);
    free(text);
    lotor_keys *const keys = opened();
    assert_int_equal(lotor_keys_find(keys, key, LOTOR_KEY_LENGTH, 1999, &grant), LOTOR_KEY_VALID);
    assert_int_equal(grant.roles, setup.roles);
    assert_string_equal(grant.campaign, "shop");
    assert_string_equal(grant.name, "web-1");
    assert_int_equal(strlen(grant.id), LOTOR_KEY_ID_LENGTH);
    assert_int_equal(lotor_keys_find(keys, key, LOTOR_KEY_LENGTH, 2000, &grant), LOTOR_KEY_EXPIRED);
    assert_int_equal(grant.roles, LOTOR_ROLE_NONE);
    assert_string_equal(grant.campaign, "");
    assert_int_equal(lotor_keys_find(keys, key, LOTOR_KEY_LENGTH, UINT64_MAX, &grant),
                     LOTOR_KEY_EXPIRED);
    lotor_keys_free(keys);
    const lotor_key_setup bad[] = {
        {.roles = LOTOR_ROLE_NONE, .name = "x"},
        {.roles = LOTOR_ROLE_RANK, .name = "x", .campaign = ""},
        {.roles = LOTOR_ROLE_RANK, .name = "x", .campaign = "a b"},
        {.roles = LOTOR_ROLE_RANK, .name = "x", .campaign = "a;expires=never"},
        {.roles = LOTOR_ROLE_RANK, .name = "x", .campaign = "-a"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(lotor_key_make_with(path, &bad[i], &why, key), LOTOR_INVALID);
    }
}

/* Each line of a key ends by itself. All lines of a key are for the same campaign. */
TEST(test_lines_of_one_key_with_limits)
{
    static const char later[] = "rank;expires=1970-01-01T00:33:20Z ",
                      sooner[] = "reward;expires=1970-01-01T00:16:40Z ",
                      elsewhere[] = "admin;campaign=shop ";
    char key[LOTOR_KEY_LENGTH + 1], lines[2048];
    size_t length;
    lotor_key_grant grant;
    unlink(path);
    assert_int_equal(lotor_key_make(path, LOTOR_ROLE_RANK, "n", &why, key), LOTOR_OK);
    char *const text = (char *)scratch_read(path, &length);
    const char *const rest = strchr(text, ' ') + 1;
    const int left = (int)(length - (size_t)(rest - text));
    snprintf(lines, sizeof lines, "%s%.*s%s%.*s", later, left, rest, sooner, left, rest);
    scratch_write(path, lines, strlen(lines));
    lotor_keys *const keys = opened();
    assert_int_equal(lotor_keys_find(keys, key, LOTOR_KEY_LENGTH, 999, &grant), LOTOR_KEY_VALID);
    assert_int_equal(grant.roles, LOTOR_ROLE_RANK | LOTOR_ROLE_REWARD);
    assert_int_equal(lotor_keys_find(keys, key, LOTOR_KEY_LENGTH, 1000, &grant), LOTOR_KEY_VALID);
    assert_int_equal(grant.roles, LOTOR_ROLE_RANK);
    assert_int_equal(lotor_keys_find(keys, key, LOTOR_KEY_LENGTH, 2000, &grant), LOTOR_KEY_EXPIRED);
    snprintf(lines, sizeof lines, "%s%.*s%s%.*s", later, left, rest, elsewhere, left, rest);
    scratch_write(path, lines, strlen(lines));
    assert_int_equal(lotor_keys_reload(keys, false, &why), LOTOR_DAMAGED);
    assert_non_null(strstr(why.text, "line 2 "));
    assert_int_equal(lotor_keys_bad_lines(keys), 1);
    assert_int_equal(lotor_keys_find(keys, key, LOTOR_KEY_LENGTH, 1000, &grant), LOTOR_KEY_VALID);
    assert_int_equal(grant.roles, LOTOR_ROLE_RANK);
    scratch_write(path, "", 0);
    assert_int_equal(lotor_keys_reload(keys, false, &why), LOTOR_OK); /* an empty file: no key */
    assert_int_equal(lotor_keys_find(keys, key, LOTOR_KEY_LENGTH, 1, &grant), LOTOR_KEY_UNKNOWN);
    assert_int_equal(lotor_keys_bad_lines(keys), 0);
    lotor_keys_free(keys);
    free(text);
}

TEST(test_limits_that_are_refused)
{
    static const char *const bad[] = {
        "rank; " HASH " x",
        "rank;campaign= " HASH " x",
        "rank;campaign=a;campaign=b " HASH " x",
        "rank;campaign=a/b " HASH " x",
        "rank;campaign=-a " HASH " x",
        "rank;expires= " HASH " x",
        "rank;expires=2027-01-31 " HASH " x",
        "rank;expires=2027-02-29T00:00:00Z " HASH " x",
        "rank;expires=2027-01-31T24:00:00Z " HASH " x",
        "rank;expires=2027-01-31T00:00:00+ " HASH " x",
        "rank;expires=1970-01-01T00:00:00Z " HASH " x",
        "rank;expires=never " HASH " x",
        "rank;expires=2027-01-31T00:00:00Z;expires=2028-01-31T00:00:00Z " HASH " x",
        "rank;name=x " HASH " x",
        "campaign=a " HASH " x",
        ";campaign=a " HASH " x",
        "rank;Campaign=a " HASH " x",
    };
    unsigned char hash[LOTOR_KEY_HASH];
    lotor_key_grant grant;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (lotor_key_line_read(bad[i], strlen(bad[i]), hash, &grant)) {
            fail_msg("taken: %s", bad[i]);
        }
    }
    /* The name comes last, and is never a limit. */
    static const char fine[] = "rank " HASH " campaign=shop";
    assert_true(lotor_key_line_read(fine, sizeof fine - 1, hash, &grant));
    assert_string_equal(grant.campaign, "");
    assert_string_equal(grant.name, "campaign=shop");
    /* Bytes of an old name that can't be printed. */
    static const char odd[] = "rank " HASH " caf\xc3\xa9\x1b[1m";
    assert_true(lotor_key_line_read(odd, sizeof odd - 1, hash, &grant));
    assert_string_equal(grant.name, "caf???[1m");
}

TEST(test_times_of_keys)
{
    static const struct {
        const char *text;
        uint64_t seconds;
    } times[] = {
        {"1970-01-01T00:00:00Z", 0},
        {"1970-01-01T00:00:01Z", 1},
        {"2000-02-29T12:34:56Z", 951827696},
        {"2001-03-01T00:00:00Z", 983404800},
        {"2026-11-18T00:33:16Z", 1794961996},
        {"2100-03-01T00:00:00Z", 4107542400},
        {"9999-12-31T23:59:59Z", 253402300799},
    };
    char text[LOTOR_KEY_TIME_LENGTH + 1];
    uint64_t seconds;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        assert_true(lotor_key_time_read(times[i].text, strlen(times[i].text), &seconds));
        assert_int_equal(seconds, times[i].seconds);
        lotor_key_time_write(seconds, text);
        assert_string_equal(text, times[i].text);
    }
    for (uint64_t day = 0; day < 200 * 366; day++) {
        lotor_key_time_write(day * 86400 + 86399, text);
        assert_true(lotor_key_time_read(text, strlen(text), &seconds));
        assert_int_equal(seconds, day * 86400 + 86399);
    }
    static const struct {
        const char *text;
        uint64_t seconds; /* 0: refused */
    } given[] = {{"30m", 1000 + 1800},
                 {"12h", 1000 + 43200},
                 {"90d", 1000 + 7776000},
                 {"2027-01-31", 1801353600},
                 {"1970-01-02T00:00:00Z", 86400},
                 {"", 0},
                 {"0d", 0},
                 {"d", 0},
                 {"90", 0},
                 {"90w", 0},
                 {"-1d", 0},
                 {"99999999d", 0},
                 {"1.5h", 0},
                 {"2027-1-31", 0},
                 {"2027-01-32", 0},
                 {"tomorrow", 0},
                 {"2027-01-31T00:00", 0}};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        seconds = 0;
        const bool is_fine = lotor_key_expiry_read(given[i].text, 1000, &seconds);
        if (is_fine != (given[i].seconds > 0) || (is_fine && seconds != given[i].seconds)) {
            fail_msg("%s: %llu", given[i].text, (unsigned long long)seconds);
        }
    }
}

/* --- listing and revoking --------------------------------------------------------------------- */

typedef struct seen_keys {
    size_t keys, bad, lines[8];
    char names[200];
} seen_keys;

static void see_key(void *context, size_t line, const lotor_key_grant *grant)
{
    seen_keys *const seen = context;
    seen->lines[(seen->keys + seen->bad) % 8] = line;
    seen->keys += grant != NULL;
    seen->bad += grant == NULL;
    if (grant) {
        strcat(strcat(seen->names, grant->name), " ");
    }
}

TEST(test_a_key_is_revoked)
{
    char first[LOTOR_KEY_LENGTH + 1], second[LOTOR_KEY_LENGTH + 1], third[LOTOR_KEY_LENGTH + 1];
    lotor_key_grant gone, grant;
    struct stat now;
    seen_keys seen = {0};
    unlink(path);
    assert_int_equal(lotor_key_list(path, see_key, &seen, &why), LOTOR_UNKNOWN);
    assert_int_equal(lotor_key_revoke(path, "one", &why, &gone), LOTOR_UNKNOWN);
    assert_int_equal(lotor_key_make(path, LOTOR_ROLE_RANK, "one", &why, first), LOTOR_OK);
    lotor_keys *const keys = opened();
    size_t length;
    unsigned char *const one = scratch_read(path, &length);
    char *const text = malloc(length + 6000);
    assert_non_null(text);
    /* A comment, the key twice, an empty line, and a bad line that is far too long. */
    const int head = snprintf(text, 1000, "# mine\n%.*s%.*s\n", (int)length, one, (int)length, one);
    memset(text + head, 'x', 5000);
    text[head + 5000] = '\n';
    scratch_write(path, text, (size_t)head + 5001);
    assert_int_equal(lotor_key_make(path, LOTOR_ROLE_REWARD, "two", &why, second), LOTOR_OK);
    assert_int_equal(lotor_key_make(path, LOTOR_ROLE_READ, "two", &why, third), LOTOR_OK);
    assert_int_equal(lotor_key_list(path, see_key, &seen, &why), LOTOR_OK);
    assert_int_equal(seen.keys, 4);
    assert_int_equal(seen.bad, 1);
    assert_int_equal(seen.lines[2], 5); /* the bad line */
    assert_string_equal(seen.names, "one one two two ");

    assert_int_equal(lotor_key_revoke(path, "two", &why, &gone), LOTOR_DUPLICATE);
    assert_non_null(strstr(why.text, "id"));
    assert_int_equal(lotor_key_revoke(path, "nobody", &why, &gone), LOTOR_UNKNOWN);
    assert_int_equal(lotor_key_revoke(path, "one", &why, &gone), LOTOR_OK);
    assert_string_equal(gone.name, "one");
    assert_int_equal(lotor_keys_reload(keys, true, &why), LOTOR_DAMAGED);
    assert_int_equal(role_of(keys, first, LOTOR_KEY_LENGTH), LOTOR_ROLE_NONE);
    assert_int_equal(role_of(keys, second, LOTOR_KEY_LENGTH), LOTOR_ROLE_REWARD);
    assert_int_equal(lotor_keys_find(keys, third, LOTOR_KEY_LENGTH, 1, &grant), LOTOR_KEY_VALID);
    assert_int_equal(lotor_key_revoke(path, grant.id, &why, &gone), LOTOR_OK);
    assert_int_equal(role_of(keys, third, LOTOR_KEY_LENGTH), LOTOR_ROLE_READ); /* not read yet */
    assert_int_equal(lotor_keys_reload(keys, true, &why), LOTOR_DAMAGED);
    assert_int_equal(role_of(keys, third, LOTOR_KEY_LENGTH), LOTOR_ROLE_NONE);
    assert_int_equal(stat(path, &now), 0);
    assert_int_equal(now.st_mode & 0777, 0600);
    /* Everything else stays as it was. */
    unsigned char *const left = scratch_read(path, &length);
    assert_memory_equal(left, "# mine\n\nxxxx", 12);
    free(left);
    lotor_keys_free(keys);
    free(text);
    free(one);
}

/* A draft that was left, or a link in its place, is removed and never written through. */
TEST(test_a_draft_is_not_written_through)
{
    char key[LOTOR_KEY_LENGTH + 1], draft[600], victim[600];
    lotor_key_grant gone;
    size_t length;
    snprintf(draft, sizeof draft, "%s.new", path);
    snprintf(victim, sizeof victim, "%s.victim", path);
    for (size_t i = 0; i < 2; i++) {
        unlink(path);
        scratch_write(victim, "mine", 4);
        assert_int_equal(lotor_key_make(path, LOTOR_ROLE_RANK, "one", &why, key), LOTOR_OK);
        assert_int_equal(i ? link(victim, draft) : symlink(victim, draft), 0);
        assert_int_equal(lotor_key_revoke(path, "one", &why, &gone), LOTOR_OK);
        unsigned char *const left = scratch_read(victim, &length);
        assert_int_equal(length, 4);
        assert_memory_equal(left, "mine", 4);
        free(left);
        assert_int_equal(unlink(victim), 0);
    }
    assert_int_equal(unlink(path), 0);
}

/* If the new file can't be written, the old one stays. */
TEST(test_a_key_can_not_be_revoked)
{
    char key[LOTOR_KEY_LENGTH + 1], draft[600];
    lotor_key_grant gone;
    size_t before, after;
    unlink(path);
    assert_int_equal(lotor_key_make(path, LOTOR_ROLE_RANK, "one", &why, key), LOTOR_OK);
    unsigned char *const old = scratch_read(path, &before);
    snprintf(draft, sizeof draft, "%s.new", path);
    assert_int_equal(mkdir(draft, 0700), 0);
    assert_int_equal(lotor_key_revoke(path, "one", &why, &gone), LOTOR_IO);
    assert_int_equal(rmdir(draft), 0);
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(lotor_key_revoke(path, "one", &why, &gone), LOTOR_INVALID);
    assert_int_equal(chmod(path, 0600), 0);
    unsigned char *const now = scratch_read(path, &after);
    assert_int_equal(before, after);
    assert_memory_equal(old, now, before);
    free(old);
    free(now);
    unlink(path);
}

TEST(test_every_allocation_can_fail)
{
    const size_t live = failing_memory_live();
    size_t failures = 0;
    for (bool failed = true; failed; failures += failed) {
        lotor_keys *keys = NULL;
        failing_memory_start(failures + 1);
        failed = lotor_keys_open(path, &why, &keys) == LOTOR_MEMORY;
        failing_memory_stop();
        assert_int_equal(failed, keys == NULL);
        lotor_keys_free(keys);
        assert_int_equal(failing_memory_live(), live);
    }
    assert_true(failures >= 2);
}

TEST_GROUP(start, end);
