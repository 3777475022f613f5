/* fuzz_head.c - the head file, and the server's key file beside it: read, or refused as damaged; a head
 * that was written over whatever stood there is read back.
 *
 * The first byte says what the rest is: a key file, a whole head file, or what stands in the two slots of
 * one, with the right checksums. */
#include "fuzz.h"

#include <fcntl.h>
#include <unistd.h>

#include "service/vault/vault.h"

enum { PAGE = 4096, COVERED = 72, SLOT = COVERED + 32, FILE_SIZE = 2 * PAGE };

static char folder[] = "/dev/shm/lotor-fuzz.XXXXXX", path[64];

static void end(void)
{
    unlink(path);
    rmdir(folder);
}

static void put(const unsigned char *bytes, size_t size)
{
    const int file = open(path, O_WRONLY | O_TRUNC | O_CREAT, 0600);
    CHECK(file >= 0 && write(file, bytes, size) == (ssize_t)size);
    close(file);
}

static void put_slots(const uint8_t *data, size_t size)
{
    unsigned char bytes[FILE_SIZE] = {0};
    for (size_t slot = 0; slot < 2; slot++) {
        unsigned char *const at = bytes + slot * PAGE;
        const size_t taken = size < COVERED - 8 ? size : COVERED - 8;
        memcpy(at, "lotorhd1", 8);
        memcpy(at + 8, data, taken);
        data += taken;
        size -= taken;
        if (taken > 0) {
            crypto_generichash(at + COVERED, 32, at, COVERED, NULL, 0);
        }
    }
    put(bytes, sizeof bytes);
}

static void check_head(void)
{
    lotor_head head = {0}, again = {0};
    lotor_message why = {""};
    const lotor_status status = lotor_head_read(path, &why, &head);
    if (status != LOTOR_OK) {
        CHECK(status == LOTOR_DAMAGED && why.text[0] != '\0');
        CHECK(lotor_head_write(path, &head, &why) == LOTOR_DAMAGED); /* it is not overwritten */
        return;
    }
    for (int i = 0; i < 3; i++) {
        head.releases++;
        CHECK(lotor_head_write(path, &head, &why) == LOTOR_OK);
        CHECK(lotor_head_read(path, &why, &again) == LOTOR_OK);
        CHECK(memcmp(&head, &again, sizeof head) == 0);
    }
}

static void check_key(void)
{
    lotor_vault *vault = NULL;
    lotor_message why = {""};
    const lotor_status status = lotor_vault_open(path, false, &why, &vault);
    CHECK((status == LOTOR_OK) == (vault != NULL));
    CHECK(status == LOTOR_OK || why.text[0] != '\0');
    lotor_vault_free(vault);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (path[0] == '\0') {
        CHECK(sodium_init() >= 0 && mkdtemp(folder));
        snprintf(path, sizeof path, "%s/file", folder);
        atexit(end);
    }
    if (size == 0) {
        return 0;
    }
    switch (data[0] % 3) {
    case 0:
        put(data + 1, size - 1);
        check_key();
        break;
    case 1:
        put(data + 1, size - 1);
        check_head();
        break;
    default:
        put_slots(data + 1, size - 1);
        check_head();
    }
    return 0;
}
