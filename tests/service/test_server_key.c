/* test_server_key.c - the key file, sealing, event tokens, users, and the head file. */
#include "support/test.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "service/old_head.h"
#include "service/scratch.h"
#include "service/server_key/server_key.h"

static lotor_message why;
static scratch files;

/* A key made by hand: 32 bytes 0x01 ... 0x20, and the first 8 bytes of its BLAKE2b-256. */
static const char *known_key(void)
{
    static char line[90];
    unsigned char key[32], hash[32];
    for (unsigned char i = 0; i < 32; i++) {
        key[i] = (unsigned char)(i + 1);
    }
    crypto_generichash(hash, 32, key, 32, NULL, 0);
    sodium_bin2hex(line, 65, key, 32);
    line[64] = ' ';
    sodium_bin2hex(line + 65, 17, hash, 8);
    strcat(line, "\n");
    return line;
}

static const char *put_key(const char *line, mode_t mode)
{
    const char *path = scratch_path(&files, "key");
    scratch_write(path, line, strlen(line));
    chmod(path, mode);
    return path;
}

static lotor_server_key *known_server_key(void)
{
    lotor_server_key *server_key;
    assert_int_equal(lotor_server_key_open(put_key(known_key(), 0600), false, &why, &server_key),
                     LOTOR_OK);
    return server_key;
}

static int start(void **state)
{
    (void)state;
    scratch_start(&files);
    return sodium_init() < 0;
}

static int end(void **state)
{
    (void)state;
    scratch_end(&files);
    return 0;
}

TEST_WITH(test_a_key_is_made_once, start, end)
{
    lotor_server_key *first, *again;
    struct stat facts;
    char name[LOTOR_SERVER_KEY_NAME + 1], other[LOTOR_SERVER_KEY_NAME + 1];
    const char *path = scratch_path(&files, "key");
    assert_int_equal(lotor_server_key_open(path, false, &why, &first), LOTOR_UNKNOWN);
    assert_null(first);
    assert_int_equal(lotor_server_key_open(path, true, &why, &first), LOTOR_OK);
    assert_int_equal(lotor_server_key_open(path, true, &why, &again), LOTOR_OK);
    assert_int_equal(stat(path, &facts), 0);
    assert_int_equal(facts.st_mode & 07777, 0600);
    assert_int_equal(facts.st_nlink, 1); /* no temporary file is left */
    lotor_server_key_name(first, name);
    lotor_server_key_name(again, other);
    assert_string_equal(name, other);
    lotor_server_key_free(again);
    unlink(path);
    assert_int_equal(lotor_server_key_open(path, true, &why, &again), LOTOR_OK);
    lotor_server_key_name(again, other);
    assert_string_not_equal(name, other);
    lotor_server_key_free(first);
    lotor_server_key_free(again);
    lotor_server_key_free(NULL);
    assert_int_equal(
        lotor_server_key_open(scratch_path(&files, "no/such/folder"), true, &why, &again),
        LOTOR_UNFINISHED);
}

TEST_WITH(test_a_key_that_others_can_read_is_refused, start, end)
{
    lotor_server_key *server_key;
    static const mode_t modes[] = {0640, 0604, 0620, 0602, 0610, 0601, 0666};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        const char *path = put_key(known_key(), modes[i]);
        assert_int_equal(lotor_server_key_open(path, true, &why, &server_key), LOTOR_INVALID);
        assert_null(server_key);
        assert_non_null(strstr(why.text, "chmod 600"));
    }
    assert_int_equal(lotor_server_key_open(put_key(known_key(), 0400), true, &why, &server_key),
                     LOTOR_OK);
    lotor_server_key_free(server_key);
}

TEST_WITH(test_a_damaged_key_is_refused_and_left_alone, start, end)
{
    lotor_server_key *server_key;
    const size_t length = strlen(known_key());
    for (size_t i = 0; i <= length; i++) {
        char line[100];
        strcpy(line, known_key());
        if (i < length) {
            line[i] = line[i] == '0' ? '1' : '0'; /* one wrong character */
        } else {
            strcat(line, "\n");
        }
        const char *path = put_key(line, 0600);
        assert_int_equal(lotor_server_key_open(path, true, &why, &server_key), LOTOR_DAMAGED);
        size_t found;
        unsigned char *bytes = scratch_read(path, &found);
        assert_string_equal((char *)bytes, line);
        free(bytes);
        strcpy(line, known_key());
        line[i < length ? i : 0] = '\0'; /* cut off */
        assert_int_equal(lotor_server_key_open(put_key(line, 0600), true, &why, &server_key),
                         LOTOR_DAMAGED);
    }
    assert_int_equal(lotor_server_key_open(files.folder, true, &why, &server_key), LOTOR_DAMAGED);
}

TEST_WITH(test_sealed_bytes_open_only_as_what_they_are, start, end)
{
    lotor_server_key *server_key = known_server_key();
    unsigned char sealed[5 + LOTOR_SERVER_KEY_OVERHEAD], twice[5 + LOTOR_SERVER_KEY_OVERHEAD],
        plain[5];
    lotor_server_key_seal(server_key, LOTOR_SEAL_STATE, 3, 4, "hello", 5, sealed);
    lotor_server_key_seal(server_key, LOTOR_SEAL_STATE, 3, 4, "hello", 5, twice);
    assert_memory_not_equal(sealed, twice, sizeof sealed); /* the nonce is random */
    assert_int_equal(
        lotor_server_key_unseal(server_key, LOTOR_SEAL_STATE, 3, 4, sealed, sizeof sealed, plain),
        LOTOR_OK);
    assert_memory_equal(plain, "hello", 5);
    static const uint64_t wrong[][3] = {{LOTOR_SEAL_FEEDBACK, 3, 4},
                                        {LOTOR_SEAL_ACTION, 3, 4},
                                        {LOTOR_SEAL_STATE, 4, 4},
                                        {LOTOR_SEAL_STATE, 3, 3},
                                        {LOTOR_SEAL_STATE, 4, 3}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(lotor_server_key_unseal(server_key, (lotor_seal_use)wrong[i][0],
                                                 wrong[i][1], wrong[i][2], sealed, sizeof sealed,
                                                 plain),
                         LOTOR_DAMAGED);
    }
    for (size_t bit = 0; bit < 8 * sizeof sealed; bit++) {
        sealed[bit / 8] ^= (unsigned char)(1 << bit % 8);
        assert_int_equal(lotor_server_key_unseal(server_key, LOTOR_SEAL_STATE, 3, 4, sealed,
                                                 sizeof sealed, plain),
                         LOTOR_DAMAGED);
        sealed[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    for (size_t length = 0; length < sizeof sealed; length++) {
        assert_int_equal(
            lotor_server_key_unseal(server_key, LOTOR_SEAL_STATE, 3, 4, sealed, length, plain),
            LOTOR_DAMAGED);
    }
    assert_int_equal(lotor_server_key_unseal(server_key, LOTOR_SEAL_STATE, 3, 4, NULL, 0, plain),
                     LOTOR_DAMAGED);
    unlink(scratch_path(&files, "key"));
    lotor_server_key *other;
    assert_int_equal(lotor_server_key_open(scratch_path(&files, "key"), true, &why, &other),
                     LOTOR_OK);
    assert_int_equal(
        lotor_server_key_unseal(other, LOTOR_SEAL_STATE, 3, 4, sealed, sizeof sealed, plain),
        LOTOR_DAMAGED);
    lotor_server_key_free(other);
    lotor_server_key_free(server_key);
}

static const lotor_event one_event = {.campaign = 1, .number = 0x0203, .expires = 4, .nonce = 5};

/* The event made by hand: four numbers in little-endian. */
static void event_by_hand(unsigned char bytes[32])
{
    memset(bytes, 0, 32);
    bytes[0] = 1;
    bytes[8] = 3;
    bytes[9] = 2;
    bytes[16] = 4;
    bytes[24] = 5;
}

static void derived_by_hand(unsigned use, unsigned char derived[32])
{
    unsigned char key[32];
    for (unsigned char i = 0; i < 32; i++) {
        key[i] = (unsigned char)(i + 1);
    }
    crypto_kdf_derive_from_key(derived, 32, use, "lotor-v1", key);
}

static void token_by_hand(const unsigned char bytes[48], char token[LOTOR_TOKEN_LENGTH + 1])
{
    sodium_bin2base64(token, LOTOR_TOKEN_LENGTH + 1, bytes, 48,
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

TEST_WITH(test_a_token_is_what_the_contract_says, start, end)
{
    lotor_server_key *server_key = known_server_key();
    char token[LOTOR_TOKEN_LENGTH + 1], again[LOTOR_TOKEN_LENGTH + 1],
        right[LOTOR_TOKEN_LENGTH + 1];
    lotor_event found;
    lotor_server_key_token(server_key, &one_event, token);
    /* The derived keys number 7 (the tag) and 8 (the stream, whose nonce is the tag). */
    unsigned char derived[32], plain[32], bytes[48], nonce[24] = {0};
    event_by_hand(plain);
    derived_by_hand(7, derived);
    crypto_generichash(bytes, 16, plain, 32, derived, 32);
    memcpy(nonce, bytes, 16);
    derived_by_hand(8, derived);
    crypto_stream_xchacha20_xor(bytes + 16, plain, 32, nonce, derived);
    token_by_hand(bytes, right);
    assert_string_equal(token, right);
    /* Golden value: other versions must read today's tokens. */
    assert_string_equal(token, "LE3Bs91t6H44aOcjk7wt7fVSfDYBB2N2rDrOlygSrSV77ObrsrKA_gWbQqn-u0Tn");
    lotor_server_key_token(server_key, &one_event, again);
    assert_string_equal(token, again);
    assert_true(lotor_server_key_read_token(server_key, token, &found));
    assert_memory_equal(&found, &one_event, sizeof found);
    lotor_server_key_free(server_key);
}

TEST_WITH(test_a_token_has_one_spelling, start, end)
{
    lotor_server_key *server_key = known_server_key();
    char token[LOTOR_TOKEN_LENGTH + 1];
    lotor_event found;
    for (size_t i = 0; i < LOTOR_TOKEN_LENGTH; i++) {
        for (int byte = 1; byte < 256; byte++) {
            lotor_server_key_token(server_key, &one_event, token);
            const bool is_same = token[i] == (char)byte;
            token[i] = (char)byte;
            assert_int_equal(lotor_server_key_read_token(server_key, token, &found), is_same);
        }
    }
    lotor_server_key_free(server_key);
}

/* Tokens of version 0.1 have the four numbers in clear, followed by a tag of derived key 4. */
TEST_WITH(test_a_token_of_the_version_before_is_taken, start, end)
{
    lotor_server_key *server_key = known_server_key();
    unsigned char derived[32], bytes[48];
    char token[LOTOR_TOKEN_LENGTH + 1];
    lotor_event found;
    event_by_hand(bytes);
    derived_by_hand(4, derived);
    crypto_generichash(bytes + 32, 16, bytes, 32, derived, 32);
    token_by_hand(bytes, token);
    assert_true(lotor_server_key_read_token(server_key, token, &found));
    assert_memory_equal(&found, &one_event, sizeof found);
    for (size_t bit = 0; bit < 8 * sizeof bytes; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        token_by_hand(bytes, token);
        assert_false(lotor_server_key_read_token(server_key, token, &found));
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    /* A legacy token with the tag of a current token is refused, since a client could use it to
     * guess the numbers in the current token. */
    derived_by_hand(7, derived);
    crypto_generichash(bytes + 32, 16, bytes, 32, derived, 32);
    token_by_hand(bytes, token);
    assert_false(lotor_server_key_read_token(server_key, token, &found));
    lotor_server_key_free(server_key);
}

TEST_WITH(test_forged_tokens_are_refused, start, end)
{
    lotor_server_key *server_key = known_server_key();
    const lotor_event event = {.campaign = 7, .number = 8, .expires = 9, .nonce = 10};
    char token[LOTOR_TOKEN_LENGTH + 2], forged[LOTOR_TOKEN_LENGTH + 1];
    lotor_event found = {.campaign = 99};
    lotor_server_key_token(server_key, &event, token);
    for (size_t i = 0; i < LOTOR_TOKEN_LENGTH; i++) {
        static const char letters[] = "Ab0-_=+/ .";
        const char kept = token[i];
        for (const char *letter = letters; *letter; letter++) {
            token[i] = *letter;
            assert_int_equal(lotor_server_key_read_token(server_key, token, &found),
                             *letter == kept);
        }
        token[i] = '\0';
        assert_false(lotor_server_key_read_token(server_key, token, &found));
        token[i] = kept;
    }
    found = (lotor_event){.campaign = 99};
    unsigned char bytes[48];
    size_t used;
    assert_int_equal(sodium_base642bin(bytes, 48, token, LOTOR_TOKEN_LENGTH, NULL, &used, NULL,
                                       sodium_base64_VARIANT_URLSAFE_NO_PADDING),
                     0);
    for (size_t bit = 0; bit < 8 * sizeof bytes; bit++) { /* each bit counts */
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        token_by_hand(bytes, forged);
        assert_false(lotor_server_key_read_token(server_key, forged, &found));
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    assert_int_equal(found.campaign, 99); /* a forged token gives nothing */
    strcat(token, "A");
    assert_false(lotor_server_key_read_token(server_key, token, &found));
    assert_false(lotor_server_key_read_token(server_key, "", &found));
    lotor_server_key_free(server_key);
}

/* Tokens of one campaign and one block, with consecutive numbers: half of all bits differ, and
 * no character is the same in all of them. */
TEST_WITH(test_tokens_of_neighbours_share_nothing, start, end)
{
    enum { EVENTS = 64 };
    lotor_server_key *server_key = known_server_key();
    unsigned char bytes[EVENTS][48];
    size_t used;
    for (size_t i = 0; i < EVENTS; i++) {
        const lotor_event event = {
            .campaign = 3, .number = 1000 + i, .expires = 1700000000000, .nonce = 77};
        char token[LOTOR_TOKEN_LENGTH + 1];
        lotor_server_key_token(server_key, &event, token);
        assert_int_equal(sodium_base642bin(bytes[i], 48, token, LOTOR_TOKEN_LENGTH, NULL, &used,
                                           NULL, sodium_base64_VARIANT_URLSAFE_NO_PADDING),
                         0);
    }
    for (size_t bit = 0; bit < 8 * sizeof bytes[0]; bit++) {
        int ones = 0, flips = 0;
        for (size_t i = 0; i < EVENTS; i++) {
            const int now = bytes[i][bit / 8] >> bit % 8 & 1;
            ones += now;
            flips += i > 0 && now != (bytes[i - 1][bit / 8] >> bit % 8 & 1);
        }
        assert_in_range(ones, 10, EVENTS - 10); /* the key is fixed, so this never varies */
        assert_in_range(flips, 10, EVENTS - 10);
    }
    lotor_server_key_free(server_key);
}

TEST_WITH(test_a_user_has_another_hash_in_every_campaign, start, end)
{
    lotor_server_key *server_key = known_server_key();
    unsigned char one[16], same[16], other[16], longer[16];
    lotor_server_key_user(server_key, 1, "ann", 3, one);
    lotor_server_key_user(server_key, 1, "annabel", 3, same);
    lotor_server_key_user(server_key, 2, "ann", 3, other);
    lotor_server_key_user(server_key, 1, "ann", 2, longer);
    assert_memory_equal(one, same, 16);
    assert_memory_not_equal(one, other, 16);
    assert_memory_not_equal(one, longer, 16);
    lotor_server_key_free(server_key);
}

static lotor_legacy_head head_of(uint64_t starts, uint64_t releases)
{
    lotor_legacy_head head = {.starts = starts, .releases = releases};
    memset(head.hash, (int)releases, sizeof head.hash);
    return head;
}

TEST_WITH(test_the_head_is_the_last_one_written, start, end)
{
    const char *path = scratch_path(&files, "key.head");
    lotor_legacy_head found;
    assert_int_equal(lotor_legacy_head_read(path, &why, &found), LOTOR_UNKNOWN);
    for (uint64_t i = 1; i < 9; i++) {
        const lotor_legacy_head head = head_of(1, i);
        old_head_write(path, &head);
        assert_int_equal(lotor_legacy_head_read(path, &why, &found), LOTOR_OK);
        assert_memory_equal(&found, &head, sizeof head);
    }
    /* An older head, after the operator accepted a rollback. */
    const lotor_legacy_head back = head_of(2, 3);
    old_head_write(path, &back);
    assert_int_equal(lotor_legacy_head_read(path, &why, &found), LOTOR_OK);
    assert_memory_equal(&found, &back, sizeof back);
}

/* After every crash during a write, the head is the new one or the one before. */
TEST_WITH(test_a_torn_head_is_the_one_before, start, end)
{
    const char *path = scratch_path(&files, "key.head");
    size_t length;
    for (uint64_t turn = 2; turn < 6; turn++) {
        const lotor_legacy_head before = head_of(1, turn - 1), after = head_of(1, turn);
        lotor_legacy_head found;
        old_head_write(path, &before);
        unsigned char *old = scratch_read(path, &length);
        old_head_write(path, &after);
        unsigned char *new = scratch_read(path, &length);
        int changed = 0;
        for (size_t cut = 0; cut < length; cut++) {
            changed += old[cut] != new[cut];
            if (old[cut] == new[cut]) {
                continue;
            }
            unsigned char *torn = malloc(length);
            assert_non_null(torn);
            memcpy(torn, new,
                   /* the beginning was written and the end was not; and the other way round */
                   cut);
            memcpy(torn + cut, old + cut, length - cut);
            scratch_write(path, torn, length);
            assert_int_equal(lotor_legacy_head_read(path, &why, &found), LOTOR_OK);
            assert_memory_equal(&found, &before, sizeof found);
            memcpy(torn, old, cut + 1);
            memcpy(torn + cut + 1, new + cut + 1, length - cut - 1);
            scratch_write(path, torn, length);
            assert_int_equal(lotor_legacy_head_read(path, &why, &found), LOTOR_OK);
            assert_memory_equal(&found, &before, sizeof found);
            free(torn);
        }
        assert_in_range(changed, 30, 200);
        scratch_write(path, new, length);
        free(old);
        free(new);
    }
}

/* The numbers count modulo 2^64: writes after the largest number can still be read. */
TEST_WITH(test_turns_have_no_end, start, end)
{
    enum { TURN = 8, COVERED = 72 };
    const char *path = scratch_path(&files, "key.head");
    lotor_legacy_head head = head_of(1, 1), found;
    size_t length;
    old_head_write(path, &head);
    unsigned char *bytes = scratch_read(path, &length);
    memset(bytes + TURN, 0xff, 8);
    crypto_generichash(bytes + COVERED, 32, bytes, COVERED, NULL, 0);
    scratch_write(path, bytes, length);
    free(bytes);
    for (uint64_t i = 2; i < 6; i++) {
        head = head_of(1, i);
        old_head_write(path, &head);
        assert_int_equal(lotor_legacy_head_read(path, &why, &found), LOTOR_OK);
        assert_memory_equal(&found, &head, sizeof head);
    }
}

TEST_WITH(test_a_damaged_head_is_refused, start, end)
{
    const char *path = scratch_path(&files, "key.head");
    const lotor_legacy_head head = head_of(1, 1);
    lotor_legacy_head found;
    old_head_write(path, &head);
    size_t length;
    unsigned char *bytes = scratch_read(path, &length);
    bytes[20] ^= 1; /* the only valid slot */
    scratch_write(path, bytes, length);
    assert_int_equal(lotor_legacy_head_read(path, &why, &found), LOTOR_DAMAGED);
    bytes[20] ^= 1;
    scratch_write(path, bytes, 100);
    assert_int_equal(lotor_legacy_head_read(path, &why, &found), LOTOR_DAMAGED);
    scratch_write(path, "", 0);
    assert_int_equal(lotor_legacy_head_read(path, &why, &found), LOTOR_DAMAGED);
    free(bytes);
    assert_int_equal(lotor_legacy_head_read(scratch_path(&files, "."), &why, &found),
                     LOTOR_UNFINISHED);
}
