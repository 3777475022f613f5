/* fuzz_keys.c - reads a file of API keys. The file is accepted, or refused with the number of the
 * wrong line. A key that is not in the file is never accepted, and a key has no more than its lines
 * say. A line that is a key is written and read again. The key is revoked.
 *
 * "HASH" in the input is replaced by the hash of a key that this program knows. */
#include "fuzz.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "service/http/keys.h"

static char folder[] = "/dev/shm/lotor-fuzz.XXXXXX", path[64];
static char key[LOTOR_KEY_LENGTH + 1], other[LOTOR_KEY_LENGTH + 1], hash[65];

static void end(void)
{
    unlink(path);
    rmdir(folder);
}

/* The known key, and the hash in its line. */
static void start(void)
{
    lotor_message why;
    char line[256], role[16];
    CHECK(sodium_init() >= 0);
    CHECK(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/keys", folder);
    CHECK(lotor_key_make(path, LOTOR_ROLE_RANK, "x", &why, key) == LOTOR_OK);
    FILE *const file = fopen(path, "r");
    CHECK(file && fgets(line, sizeof line, file));
    CHECK(sscanf(line, "%15s %64s", role, hash) == 2 && strlen(hash) == 64);
    fclose(file);
    memcpy(other, key, sizeof key);
    other[LOTOR_KEY_LENGTH - 3] = other[LOTOR_KEY_LENGTH - 3] == 'A' ? 'B' : 'A';
    atexit(end);
}

static void put(const uint8_t *data, size_t size)
{
    const int file = open(path, O_WRONLY | O_TRUNC | O_CREAT, 0600);
    CHECK(file >= 0);
    const uint8_t *const at = size ? memmem(data, size, "HASH", 4) : NULL;
    const size_t before = at ? (size_t)(at - data) : size;
    CHECK(write(file, data, before) == (ssize_t)before);
    if (at) {
        const size_t after = size - before - 4;
        CHECK(write(file, hash, 64) == 64);
        CHECK(write(file, at + 4, after) == (ssize_t)after);
    }
    close(file);
}

/* A key that was read from a line can be written, and means the same. */
static void check_line(const char *line, size_t length)
{
    unsigned char first[LOTOR_KEY_HASH], second[LOTOR_KEY_HASH];
    char written[LOTOR_KEY_LINE_ROOM];
    lotor_key_grant grant, again;
    if (!lotor_key_line_read(line, length, first, &grant)) {
        return;
    }
    CHECK(grant.roles != LOTOR_ROLE_NONE && (unsigned)grant.roles < 32);
    CHECK(strlen(grant.name) > 0 && strlen(grant.id) == LOTOR_KEY_ID_LENGTH);
    lotor_key_line_write(&grant, first, written);
    const size_t end = strlen(written);
    CHECK(end > 0 && written[end - 1] == '\n');
    written[end - 1] = '\0';
    CHECK(lotor_key_line_read(written, end - 1, second, &again));
    CHECK(memcmp(first, second, sizeof first) == 0 && grant.roles == again.roles);
    CHECK(grant.expires == again.expires && strcmp(grant.campaign, again.campaign) == 0);
    CHECK(strcmp(grant.name, again.name) == 0 && strcmp(grant.id, again.id) == 0);
}

/* Checks the first line of the file. */
static void check_first_line(void)
{
    char line[LOTOR_KEY_LINE_ROOM] = "";
    FILE *const file = fopen(path, "r");
    CHECK(file);
    const size_t length = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    const char *const newline = memchr(line, '\n', length);
    const size_t end = newline ? (size_t)(newline - line) : length;
    line[end] = '\0';
    check_line(line, end);
}

static void count_key(void *context, size_t line, const lotor_key_grant *grant)
{
    CHECK(line > 0);
    *(size_t *)context += grant != NULL;
}

/* All lines of the known key go, and the other lines stay. */
static void check_revoke(void)
{
    lotor_message why = {""};
    lotor_key_grant grant;
    size_t before = 0, after = 0;
    char id[LOTOR_KEY_ID_LENGTH + 1];
    snprintf(id, sizeof id, "%.8s", hash);
    CHECK(lotor_key_list(path, count_key, &before, &why) == LOTOR_OK);
    const lotor_status status = lotor_key_revoke(path, id, &why, &grant);
    CHECK(status == LOTOR_OK || status == LOTOR_UNKNOWN || status == LOTOR_DUPLICATE);
    CHECK(lotor_key_list(path, count_key, &after, &why) == LOTOR_OK);
    CHECK(status == LOTOR_OK ? after < before : after == before);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lotor_keys *keys = NULL;
    lotor_message why = {""};
    if (hash[0] == '\0') {
        start();
    }
    put(data, size);
    check_first_line();
    const lotor_status status = lotor_keys_open(path, &why, &keys);
    if (status != LOTOR_OK) {
        CHECK(status == LOTOR_DAMAGED && !keys && why.text[0] != '\0');
        check_revoke();
        return 0;
    }
    CHECK(lotor_keys_count(keys) <= LOTOR_KEYS_MAX);
    CHECK(lotor_keys_bad_lines(keys) == 0);
    lotor_key_grant grant, late;
    const lotor_key_verdict verdict = lotor_keys_find(keys, key, LOTOR_KEY_LENGTH, 1, &grant);
    CHECK(verdict == LOTOR_KEY_UNKNOWN || (size >= 4 && memmem(data, size, "HASH", 4)));
    CHECK((verdict == LOTOR_KEY_VALID) == (grant.roles != LOTOR_ROLE_NONE));
    CHECK((unsigned)grant.roles < 32);
    /* Later, a key has no role that it did not have before. */
    lotor_keys_find(keys, key, LOTOR_KEY_LENGTH, UINT64_MAX, &late);
    CHECK(((unsigned)late.roles & ~(unsigned)grant.roles) == 0);
    CHECK(lotor_keys_find(keys, other, LOTOR_KEY_LENGTH, 1, &late) == LOTOR_KEY_UNKNOWN);
    CHECK(lotor_keys_find(keys, key, LOTOR_KEY_LENGTH - 1, 1, &late) == LOTOR_KEY_UNKNOWN);
    CHECK(lotor_keys_reload(keys, false, &why) == LOTOR_OK);
    lotor_keys_free(keys);
    check_revoke();
    return 0;
}
