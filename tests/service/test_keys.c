/* test_keys.c - bearer keys: the file, the roles, and what is refused. */
#include "support/test.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
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
    assert_int_equal(lotor_keys_role(keys, first, LOTOR_KEY_LENGTH), LOTOR_ROLE_RANK);
    assert_int_equal(lotor_keys_role(keys, second, LOTOR_KEY_LENGTH), LOTOR_ROLE_ADMIN);
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
    assert_int_equal(lotor_keys_role(keys, unknown, LOTOR_KEY_LENGTH), LOTOR_ROLE_NONE);
    assert_int_equal(lotor_keys_role(keys, key, LOTOR_KEY_LENGTH), LOTOR_ROLE_NONE);
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
    assert_int_equal(lotor_keys_role(keys, first, LOTOR_KEY_LENGTH), LOTOR_ROLE_NONE);
    assert_int_equal(lotor_keys_role(keys, second, LOTOR_KEY_LENGTH), LOTOR_ROLE_REWARD);
    assert_int_equal(lotor_keys_role(keys, third, LOTOR_KEY_LENGTH), LOTOR_ROLE_ADMIN);
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
    assert_int_equal(lotor_keys_role(keys, key, LOTOR_KEY_LENGTH), LOTOR_ROLE_NONE);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(rename(aside, path), 0);
    assert_int_equal(lotor_keys_role(keys, key, LOTOR_KEY_LENGTH), LOTOR_ROLE_RANK);
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
        assert_int_equal(lotor_keys_role(keys, made[i], LOTOR_KEY_LENGTH), roles[i]);
        /* Every character counts, and so does the length. */
        for (size_t j = 0; j < LOTOR_KEY_LENGTH; j++) {
            char other[LOTOR_KEY_LENGTH + 1];
            memcpy(other, made[i], sizeof other);
            other[j] = other[j] == 'x' ? 'y' : 'x';
            assert_int_equal(lotor_keys_role(keys, other, LOTOR_KEY_LENGTH), LOTOR_ROLE_NONE);
        }
        assert_int_equal(lotor_keys_role(keys, made[i], LOTOR_KEY_LENGTH - 1), LOTOR_ROLE_NONE);
    }
    assert_int_equal(lotor_keys_role(keys, "", 0), LOTOR_ROLE_NONE);
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
    assert_int_equal(lotor_keys_role(keys, key, LOTOR_KEY_LENGTH),
                     LOTOR_ROLE_RANK | LOTOR_ROLE_REWARD);
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
    assert_int_equal(lotor_keys_role(keys, key, LOTOR_KEY_LENGTH), LOTOR_ROLE_RANK);
    unlink(path); /* without the file, no key works */
    assert_int_equal(lotor_keys_reload(keys, true, &why), LOTOR_OK);
    assert_int_equal(lotor_keys_role(keys, key, LOTOR_KEY_LENGTH), LOTOR_ROLE_NONE);
    lotor_keys_free(keys);
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
