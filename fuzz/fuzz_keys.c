/* fuzz_keys.c - reads a file of API keys. The file is accepted, or refused with the number of the
 * wrong line. A key that is not in the file is never accepted.
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lotor_keys *keys = NULL;
    lotor_message why = {""};
    if (hash[0] == '\0') {
        start();
    }
    put(data, size);
    const lotor_status status = lotor_keys_open(path, &why, &keys);
    if (status != LOTOR_OK) {
        CHECK(status == LOTOR_DAMAGED && !keys && why.text[0] != '\0');
        return 0;
    }
    CHECK(lotor_keys_count(keys) <= LOTOR_KEYS_MAX);
    const lotor_role role = lotor_keys_role(keys, key, LOTOR_KEY_LENGTH);
    CHECK(role == LOTOR_ROLE_NONE || (size >= 4 && memmem(data, size, "HASH", 4)));
    CHECK((unsigned)role <= (LOTOR_ROLE_RANK | LOTOR_ROLE_REWARD | LOTOR_ROLE_ADMIN));
    CHECK(lotor_keys_role(keys, other, LOTOR_KEY_LENGTH) == LOTOR_ROLE_NONE);
    CHECK(lotor_keys_role(keys, key, LOTOR_KEY_LENGTH - 1) == LOTOR_ROLE_NONE);
    CHECK(lotor_keys_reload(keys, false, &why) == LOTOR_OK);
    lotor_keys_free(keys);
    return 0;
}
