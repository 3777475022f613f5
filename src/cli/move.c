/* move.c - lotor move: copies a store from a file to a database, or back. */
#ifdef LOTOR_SERVICE
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/message.h"
#include "base/quote.h"
#include "cli/command.h"
#include "cli/print.h"
#include "service/store/store.h"

/* Removes an incomplete target, so that the next attempt does not find an existing file. */
static void remove_made(const char *path)
{
    static const char *const ends[] = {"", "-wal", "-shm", ".lock"};
    char name[PATH_MAX];
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        if (snprintf(name, sizeof name, "%s%s", path, ends[i]) < (int)sizeof name) {
            unlink(name);
        }
    }
}

/* Opens the source as a server does, which fails while a server uses the file. */
static lotor_status move(const char *from_path, const char *to_path, lotor_message *why)
{
    struct stat facts;
    lotor_store *from = NULL, *to = NULL;
    const bool is_file = !lotor_store_is_address(from_path);
    if (is_file && stat(from_path, &facts) != 0) {
        return lotor_fail(LOTOR_UNKNOWN, why, "the old store %s does not exist: check its path",
                          lotor_quote_text(from_path).text);
    }
    if (!lotor_store_is_address(to_path) && stat(to_path, &facts) == 0) {
        return lotor_fail(LOTOR_DUPLICATE, why,
                          "the new file %s exists, and is not overwritten: give another name",
                          lotor_quote_text(to_path).text);
    }
    lotor_status status = lotor_store_open(
        from_path, is_file ? LOTOR_STORE_SERVE : LOTOR_STORE_READ, NULL, why, &from);
    if (status == LOTOR_OK) {
        status = lotor_store_open(to_path, LOTOR_STORE_SERVE, NULL, why, &to);
    }
    if (status == LOTOR_OK) {
        status = lotor_store_copy(from, to, why);
    }
    if (status == LOTOR_OK) {
        status = lotor_store_check(to, why);
    }
    const bool leaves_file = status != LOTOR_OK && to && !lotor_store_is_address(to_path);
    lotor_store_close(to);
    lotor_store_close(from);
    if (leaves_file) {
        remove_made(to_path);
    }
    return status;
}

static int run_move(const lotor_arguments *arguments)
{
    lotor_message why;
    if (arguments->word_count != 2) {
        return lotor_command_refuse(arguments->command, LOTOR_INVALID,
                                    "expected the old store and the new one: lotor move FILE "
                                    "postgres://USER@HOST/DATABASE");
    }
    if (move(arguments->words[0], arguments->words[1], &why) != LOTOR_OK) {
        lotor_print_complaint(arguments->command, "%s", why.text);
        return LOTOR_EXIT_FAILED;
    }
    puts("Everything is in the new store, and was checked. Serve the new store with the same key "
         "file\nand bearer keys. Never serve the old store again: it would release the same data "
         "twice.");
    return LOTOR_EXIT_FINE;
}

const lotor_command lotor_command_move = {
    .name = "move",
    .summary = "move a server's store to a database, or back to a file",
    .usage = "STORE NEW",
    .about =
        "Copies all campaigns, open rounds, feedback and releases to a new, empty store, and "
        "checks it. No server may use the old store. A store is a file, or a database: "
        "postgres://USER@HOST/DATABASE. The command does not copy keys: serve the new store with "
        "--key-file and --keys. Decisions that were drawn but not shown yet count as shown. The "
        "command does not change the old store. After the first release of the new store, the head "
        "file next to the key shows that the old store is older, and a server refuses it.",
    .examples = "  lotor move shop.db postgres://lotor@db.example/lotor\n",
    .word_limit = 2,
    .run = run_move,
};
#else
typedef int lotor_move_is_left_out; /* a file must not be empty */
#endif
