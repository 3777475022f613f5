/* backup.c - lotor backup: copies a store, even while a server writes to it. */
#ifdef LOTOR_SERVICE
#include <stdio.h>

#include "base/message.h"
#include "base/quote.h"
#include "cli/command.h"
#include "cli/print.h"
#include "service/store/store.h"

enum { JSON };

static const lotor_option options[] = {
    [JSON] = {.name = "json",
              .kind = LOTOR_OPTION_FLAG,
              .help = "write one JSON object: copy (the path of the copy), checked; or error"},
};

static void print_done(const char *to, bool json)
{
    if (json) {
        fputs("{\"copy\": ", stdout);
        lotor_print_json_string(stdout, to);
        fputs(", \"checked\": true}\n", stdout);
        return;
    }
    printf("%s is a complete copy, and was checked.\n", lotor_quote_text(to).text);
    puts("The key is not in it: keep a copy of the key file elsewhere. To restore, stop the "
         "server\nand put the copy in the store's place. The head file next to the key has all "
         "releases since\nthe copy. So the server refuses an older copy unless you start it with "
         "--accept-rollback.\nFrom then on the guarantees show that.");
}

static int run_backup(const lotor_arguments *arguments)
{
    lotor_message why;
    lotor_store *store = NULL, *copy = NULL;
    const bool json = arguments->values[JSON].given;
    if (arguments->word_count != 2) {
        lotor_explain(&why, "expected a store and a new file: lotor backup FILE COPY");
        lotor_print_error(json, why.text);
        return lotor_command_refuse(arguments->command, LOTOR_INVALID, why.text);
    }
    const char *to = arguments->words[1];
    lotor_status status =
        lotor_store_open(arguments->words[0], LOTOR_STORE_READ, NULL, &why, &store);
    if (status == LOTOR_OK) {
        status = lotor_store_backup(store, to, &why);
    }
    /* Check the copy: an unchecked backup may be worthless. */
    if (status == LOTOR_OK) {
        status = lotor_store_open(to, LOTOR_STORE_READ, NULL, &why, &copy);
    }
    if (status == LOTOR_OK) {
        status = lotor_store_check(copy, &why);
    }
    lotor_store_close(copy);
    lotor_store_close(store);
    if (status != LOTOR_OK) {
        lotor_print_error(json, why.text);
        lotor_print_complaint(arguments->command, "%s", why.text);
        return LOTOR_EXIT_FAILED;
    }
    print_done(to, json);
    return LOTOR_EXIT_FINE;
}

const lotor_command lotor_command_backup = {
    .name = "backup",
    .summary = "copy a server's store, also while the server runs",
    .usage = "FILE COPY [--json]",
    .about =
        "Copies a store as it is at one moment to a new file, and checks the copy. The command "
        "never overwrites an existing file, and does not copy the key file. Without the key nobody "
        "can open the sealed parts of the copy, so keep a copy of the key too, in another place. A "
        "restored copy is older than the latest releases. The server detects this and refuses the "
        "copy, unless you start it with --accept-rollback. Then feedback since the copy may be "
        "released twice, with up to twice the epsilon, and the guarantees say so.",
    .examples = "  lotor backup store.db store-$(date +%F).db\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .word_limit = 2,
    .run = run_backup,
};
#else
typedef int lotor_backup_is_left_out; /* a file must not be empty */
#endif
