/* movielens.c - lotor movielens: writes invented data in the format of MovieLens 1M.
 *
 * The licence of the data set forbids shipping it. The invented data has the same format and
 * statistics.
 */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/message.h"
#include "base/quote.h"
#include "cli/command.h"
#include "cli/print.h"
#include "world/world.h"

enum { USERS, MOVIES, SEED, JSON };

static const lotor_option options[] = {
    [USERS] = {.name = "users",
               .kind = LOTOR_OPTION_WHOLE,
               .placeholder = "N",
               .initial = "6040",
               .help = "the number of users"},
    [MOVIES] = {.name = "movies",
                .kind = LOTOR_OPTION_WHOLE,
                .placeholder = "N",
                .initial = "3706",
                .help = "the number of movies"},
    [SEED] = {.name = "seed",
              .kind = LOTOR_OPTION_WHOLE,
              .placeholder = "S",
              .initial = "1",
              .help = "the same seed gives the same files"},
    [JSON] = {.name = "json",
              .kind = LOTOR_OPTION_FLAG,
              .help = "write one JSON object: folder, users, movies, seed"},
};

static void print_json(const char *folder, const lotor_arguments *arguments)
{
    char text[6 * 4096 + 256]; /* a path of 4096 bytes, each escaped */
    lotor_json json;
    lotor_json_start(&json, text, sizeof text);
    lotor_json_open(&json, NULL, '{');
    lotor_json_string(&json, "folder", folder);
    for (size_t i = USERS; i <= SEED; i++) {
        lotor_json_whole(&json, options[i].name, arguments->values[i].whole);
    }
    lotor_json_close(&json, '}');
    puts(json.length < sizeof text ? text : "null");
}

static int run_movielens(const lotor_arguments *arguments)
{
    if (arguments->word_count == 0) {
        return lotor_command_refuse(arguments->command, LOTOR_INVALID,
                                    "no folder is given: expected lotor movielens DIR");
    }
    const char *folder = arguments->words[0];
    const lotor_option_value *values = arguments->values;
    lotor_message why;
    const lotor_status status =
        lotor_world_movielens_generate(folder, (size_t)values[USERS].whole,
                                       (size_t)values[MOVIES].whole, values[SEED].whole, &why);
    if (status != LOTOR_OK) {
        return lotor_command_refuse(arguments->command, status, why.text);
    }
    if (values[JSON].given) {
        print_json(folder, arguments);
        return LOTOR_EXIT_FINE;
    }
    printf("ratings.dat and movies.dat are in %s: invented, in the format of MovieLens 1M.\nUse "
           "them: lotor run dpucb-mat --instance movielens:DIR --horizon 2e4 --epsilon 2\n",
           lotor_quote_text(folder).text);
    return LOTOR_EXIT_FINE;
}

const lotor_command lotor_command_movielens = {
    .name = "movielens",
    .summary = "write an invented data set in the format of MovieLens 1M",
    .usage = "DIR [--users N] [--movies N] [--seed S] [--json]",
    .about = "Writes ratings.dat and movies.dat into the folder DIR, which is made if it does not "
             "exist. Existing files are not changed. Format and statistics are those of MovieLens "
             "1M, and the content is invented. The licence of MovieLens 1M forbids passing on the "
             "real data. If you have your own copy of the data set, use it directly: lotor run "
             "reads it with --instance movielens:DIR.",
    .examples = "  lotor movielens \"$(mktemp -d)/look-alike\" --users 500 --movies 300\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .word_limit = 1,
    .run = run_movielens,
};
