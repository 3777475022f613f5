/* old_head.c - writes head files of schema 1. See old_head.h. */
#include "service/old_head.h"

#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "service/little.h"

enum { PAGE = 4096, TURN = 8, COVERED = 72, SLOT = COVERED + 32, FILE_SIZE = 2 * PAGE };

static bool is_whole(const unsigned char slot[SLOT])
{
    unsigned char hash[32];
    crypto_generichash(hash, sizeof hash, slot, COVERED, NULL, 0);
    return memcmp(hash, slot + COVERED, sizeof hash) == 0;
}

static void write_slot(const lotor_legacy_head *head, uint64_t turn, unsigned char slot[SLOT])
{
    memcpy(slot, "lotorhd1", TURN);
    lotor_put_u64(slot + TURN, turn);
    lotor_put_u64(slot + TURN + 8, head->starts);
    lotor_put_u64(slot + TURN + 16, head->releases);
    lotor_put_u64(slot + TURN + 24, head->rollbacks);
    memcpy(slot + TURN + 32, head->hash, 32);
    crypto_generichash(slot + COVERED, 32, slot, COVERED, NULL, 0);
}

void old_head_write(const char *path, const lotor_legacy_head *head)
{
    unsigned char bytes[FILE_SIZE] = {0};
    const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0 || pread(file, bytes, sizeof bytes, 0) < 0) {
        perror(path);
        abort();
    }
    const uint64_t turns[2] = {lotor_get_u64(bytes + TURN), lotor_get_u64(bytes + PAGE + TURN)};
    const bool whole[2] = {is_whole(bytes), is_whole(bytes + PAGE)};
    const int newer = whole[1] && (!whole[0] || (int64_t)(turns[1] - turns[0]) > 0);
    const int place = whole[0] || whole[1] ? 1 - newer : 0;
    write_slot(head, whole[newer] ? turns[newer] + 1 : 1, bytes + (size_t)place * PAGE);
    if (pwrite(file, bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) {
        perror(path);
        abort();
    }
    close(file);
}
