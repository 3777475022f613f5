/* test_heads.c - the head file: everything written before the last write is there, whatever
 * happens to the last write. */
#include "support/test.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "service/fine.h"
#include "service/little.h"
#include "service/old_head.h"
#include "service/scratch.h"
#include "service/server_key/server_key.h"
#include "service/store/heads.h"

static scratch files;
static char path[600];

static int start(void **state)
{
    (void)state;
    scratch_start(&files);
    snprintf(path, sizeof path, "%s", scratch_path(&files, "x.head"));
    return sodium_init() < 0;
}

static int end(void **state)
{
    (void)state;
    scratch_end(&files);
    return 0;
}

static lotor_heads *open_heads(bool expected_lost)
{
    lotor_heads *heads;
    bool lost;
    fine(lotor_heads_open(path, &why, &heads, &lost));
    assert_int_equal(lost, expected_lost);
    return heads;
}

static void put(lotor_heads *heads, uint64_t campaign, uint64_t number)
{
    lotor_head_record record = {.campaign = campaign, .number = number};
    memset(record.hash, (int)(number % 251), sizeof record.hash);
    fine(lotor_heads_put(heads, &record, &why));
}

/* 0: there is no record. */
static uint64_t number_of(const lotor_heads *heads, uint64_t campaign)
{
    lotor_head_record record;
    unsigned char hash[32];
    if (!lotor_heads_get(heads, campaign, &record)) {
        return 0;
    }
    memset(hash, (int)(record.number % 251), sizeof hash);
    assert_memory_equal(record.hash, hash, sizeof hash);
    return record.number;
}

TEST_WITH(test_heads_stay, start, end)
{
    lotor_heads *heads = open_heads(true);
    assert_int_equal(number_of(heads, 1), 0);
    fine(lotor_heads_write(heads, &why)); /* nothing new, so no file is made */
    assert_int_equal(access(path, F_OK), -1);
    put(heads, 7, 1);
    put(heads, 2, 9);
    put(heads, 0, 3);
    fine(lotor_heads_write(heads, &why));
    put(heads, 7, 2);
    fine(lotor_heads_write(heads, &why));
    put(heads, 7, 3); /* never written */
    assert_int_equal(number_of(heads, 7), 3);
    lotor_heads_free(heads);
    struct stat facts;
    assert_int_equal(stat(path, &facts), 0);
    assert_int_equal(facts.st_mode & 07777, 0600);
    heads = open_heads(false);
    assert_int_equal(number_of(heads, 7), 2);
    assert_int_equal(number_of(heads, 2), 9);
    assert_int_equal(number_of(heads, 0), 3);
    put(heads, 7, 1); /* an accepted rollback */
    fine(lotor_heads_write(heads, &why));
    lotor_heads_free(heads);
    heads = open_heads(false);
    assert_int_equal(number_of(heads, 7), 1);
    lotor_heads_free(heads);
    lotor_heads_free(NULL);
}

TEST_WITH(test_the_file_does_not_grow_for_ever, start, end)
{
    struct stat first, last;
    lotor_heads *heads = open_heads(true);
    for (uint64_t i = 1; i <= 9000; i++) {
        put(heads, i % 3, i);
        fine(lotor_heads_write(heads, &why));
        if (i == 1) {
            assert_int_equal(stat(path, &first), 0);
        }
    }
    assert_int_equal(stat(path, &last), 0);
    assert_int_equal(first.st_size, last.st_size);
    for (uint64_t i = 1; i <= 5000; i++) { /* many campaigns */
        put(heads, i, i);
    }
    fine(lotor_heads_write(heads, &why));
    lotor_heads_free(heads);
    heads = open_heads(false);
    for (uint64_t i = 1; i <= 5000; i++) {
        assert_int_equal(number_of(heads, i), i);
    }
    lotor_heads_free(heads);
}

/* Any sectors of the last write may be missing. Everything before it is there. */
TEST_WITH(test_a_torn_write_loses_only_itself, start, end)
{
    enum { RECORDS = 40 };
    lotor_heads *heads = open_heads(true);
    for (uint64_t i = 1; i <= RECORDS; i++) {
        put(heads, i, 1);
    }
    fine(lotor_heads_write(heads, &why));
    size_t length, again;
    unsigned char *const before = scratch_read(path, &length);
    for (uint64_t i = 1; i <= RECORDS; i++) {
        put(heads, i, 2);
    }
    fine(lotor_heads_write(heads, &why));
    lotor_heads_free(heads);
    unsigned char *const after = scratch_read(path, &again);
    assert_int_equal(length, again);
    unsigned char *const torn = malloc(length);
    for (unsigned seed = 0; seed < 300; seed++) {
        memcpy(torn, before, length);
        for (size_t sector = 0; sector < length; sector += 512) {
            if (randombytes_uniform(2)) {
                memcpy(torn + sector, after + sector, 512);
            }
        }
        scratch_write(path, torn, length);
        heads = open_heads(false);
        for (uint64_t i = 1; i <= RECORDS; i++) {
            assert_in_range(number_of(heads, i), 1, 2);
        }
        put(heads, 1, 3); /* writing continues */
        fine(lotor_heads_write(heads, &why));
        put(heads, 2, 3);
        fine(lotor_heads_write(heads, &why));
        lotor_heads_free(heads);
        heads = open_heads(false);
        assert_int_equal(number_of(heads, 1), 3);
        assert_int_equal(number_of(heads, 2), 3);
        assert_in_range(number_of(heads, RECORDS), 1, 2);
        lotor_heads_free(heads);
    }
    free(before);
    free(after);
    free(torn);
}

/* A changed byte anywhere but in the last write is noticed. */
TEST_WITH(test_damage_counts_as_lost, start, end)
{
    lotor_heads *heads = open_heads(true);
    for (uint64_t i = 1; i <= 10; i++) {
        put(heads, 1, i);
        put(heads, 2, i);
        fine(lotor_heads_write(heads, &why));
    }
    lotor_heads_free(heads);
    size_t length;
    unsigned char *const bytes = scratch_read(path, &length);
    for (size_t at = 0; at < 64 * 19; at += 5) { /* the file's header and all writes but the last */
        bytes[at] ^= 4;
        scratch_write(path, bytes, length);
        heads = open_heads(true);
        assert_int_equal(number_of(heads, 1), 0);
        lotor_heads_free(heads);
        bytes[at] ^= 4;
    }
    scratch_write(path, bytes, length / 2);
    lotor_heads_free(open_heads(true));
    scratch_write(path, bytes, length - 1);
    lotor_heads_free(open_heads(true));
    scratch_write(path, bytes, 0);
    heads = open_heads(true);
    put(heads, 4, 5);
    fine(lotor_heads_write(heads, &why)); /* a new file replaces it */
    lotor_heads_free(heads);
    heads = open_heads(false);
    assert_int_equal(number_of(heads, 4), 5);
    lotor_heads_free(heads);
    free(bytes);
}

TEST_WITH(test_two_servers_share_a_file, start, end)
{
    lotor_heads *one = open_heads(true), *two = open_heads(true);
    for (uint64_t i = 1; i <= 5000; i++) { /* both rewrite the file from time to time */
        put(one, 1, i);
        put(one, 3, 2 * i);
        fine(lotor_heads_write(one, &why));
        put(two, 2, i);
        put(two, 3, 2 * i - 1); /* older than what the other server has written */
        fine(lotor_heads_write(two, &why));
    }
    lotor_heads_free(one);
    lotor_heads_free(two);
    one = open_heads(false);
    assert_int_equal(number_of(one, 1), 5000);
    assert_int_equal(number_of(one, 2), 5000);
    assert_int_equal(number_of(one, 3), 10000);
    lotor_heads_free(one);
}

TEST_WITH(test_a_file_of_schema_1, start, end)
{
    lotor_legacy_head old = {.starts = 4, .releases = 70, .rollbacks = 2};
    memset(old.hash, 70, sizeof old.hash);
    old_head_write(path, &old);
    old_head_write(path, &old);
    for (int i = 0; i < 2; i++) {
        lotor_heads *heads = open_heads(false);
        lotor_head_record record;
        assert_true(lotor_heads_get(heads, 0, &record));
        assert_int_equal(record.number, 4);
        assert_int_equal(lotor_get_u64(record.hash), 2);
        assert_int_equal(number_of(heads, LOTOR_HEADS_OLD), 70);
        fine(lotor_heads_write(heads, &why)); /* in the new format */
        lotor_heads_free(heads);
        assert_int_equal(lotor_legacy_head_read(path, &why, &old), LOTOR_DAMAGED);
    }
}

TEST_WITH(test_a_folder_that_takes_nothing, start, end)
{
    lotor_heads *heads = open_heads(true);
    put(heads, 1, 1);
    fine(lotor_heads_write(heads, &why));
    char away[620];
    snprintf(away, sizeof away, "%s.part", path);
    assert_int_equal(mkdir(away, 0700), 0); /* the new file can't be made */
    unlink(path);
    put(heads, 1, 2);
    assert_int_equal(lotor_heads_write(heads, &why), LOTOR_UNFINISHED);
    assert_int_equal(rmdir(away), 0);
    fine(lotor_heads_write(heads, &why));
    lotor_heads_free(heads);
    heads = open_heads(false);
    assert_int_equal(number_of(heads, 1), 2);
    lotor_heads_free(heads);
}
