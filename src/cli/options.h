/* options.h - the options of a sub-command, from a table.
 *
 * A sub-command lists its options in a const table, in the order of an enum of its own, and reads
 * their values by the same enum:
 *
 *     enum { EPSILON, JSON };
 *     static const lotor_option options[] = {
 *         [EPSILON] = {.name = "epsilon", .kind = LOTOR_OPTION_RATIO, .placeholder = "E", ...},
 *         [JSON] = {.name = "json", .kind = LOTOR_OPTION_FLAG, ...},
 *     };
 *     ... arguments->values[EPSILON].ratio ...
 *
 * Help is made from the same table.
 */
#ifndef LOTOR_CLI_OPTIONS_H
#define LOTOR_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/ratio.h>
#include <lotor/status.h>

#include "cli/numbers.h"

/* The text of a default that a public header defines as a number, for `initial`. */
#define LOTOR_TEXT_OF(macro)    LOTOR_TEXT_OF_IT(macro)
#define LOTOR_TEXT_OF_IT(value) #value

enum { LOTOR_OPTIONS_MOST = 32, LOTOR_WORDS_MOST = 16 };

typedef enum lotor_option_kind {
    LOTOR_OPTION_FLAG = 0, /* given or not, takes no value */
    LOTOR_OPTION_TEXT,
    LOTOR_OPTION_CHOICE, /* one of `choices` */
    LOTOR_OPTION_NUMBER, /* a finite double */
    LOTOR_OPTION_WHOLE,  /* 0, 1, 2, ...; 5e7 is fine */
    LOTOR_OPTION_RATIO,  /* not negative, "inf" allowed */
    LOTOR_OPTION_LIST,   /* doubles with commas between */
    LOTOR_OPTION_RANGE   /* LO,HI */
} lotor_option_kind;

typedef struct lotor_option {
    const char *name; /* without the dashes */
    lotor_option_kind kind;
    bool required;
    const char *placeholder; /* what help calls the value */
    const char *initial;     /* the value when it is not given, as text; NULL: none */
    const char *choices;     /* "tree|hybrid|batch" */
    const char *help;
} lotor_option;

typedef struct lotor_value {
    bool given;       /* on the command line; an initial value leaves this false */
    const char *text; /* as typed, or as `initial` has it; NULL when there is neither */
    double number;
    uint64_t whole;
    lotor_ratio ratio;
    lotor_list list;
    double low, high;
} lotor_value;

typedef struct lotor_arguments {
    const char *command;
    bool help; /* --help or -h was there: nothing else counts */
    const char *words[LOTOR_WORDS_MOST];
    size_t word_count;
    lotor_value values[LOTOR_OPTIONS_MOST];
} lotor_arguments;

/* Reads argv[0 .. argc-1] (what follows the sub-command's name) by the table. LOTOR_INVALID: the
 * message names the option and its value. Free the arguments in either case. */
lotor_status lotor_options_parse(const lotor_option *options, size_t option_count,
                                 size_t word_limit, int argc, char *const *argv, lotor_message *why,
                                 lotor_arguments *out);
void lotor_arguments_free(lotor_arguments *arguments);

#endif
