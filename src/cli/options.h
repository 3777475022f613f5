/* options.h - parses the options of a sub-command, by a table.
 *
 * A sub-command lists its options in a const table, indexed by its own enum, and reads their values
 * by the same enum:
 *
 *     enum { EPSILON, JSON };
 *     static const lotor_option options[] = {
 *         [EPSILON] = {.name = "epsilon", .kind = LOTOR_OPTION_RATIO, .placeholder = "E", ...},
 *         [JSON] = {.name = "json", .kind = LOTOR_OPTION_FLAG, ...},
 *     };
 *     ... arguments->values[EPSILON].ratio ...
 *
 * Help is generated from the same table.
 */
#ifndef LOTOR_CLI_OPTIONS_H
#define LOTOR_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/ratio.h>
#include <lotor/status.h>

#include "cli/numbers.h"

/* Turns a macro that is a number in a public header into text, for `initial`. */
#define LOTOR_TEXT_OF(macro)    LOTOR_TEXT_OF_IT(macro)
#define LOTOR_TEXT_OF_IT(value) #value

enum { LOTOR_OPTIONS_MAX = 48, LOTOR_WORDS_MAX = 16 };

typedef enum lotor_option_kind {
    LOTOR_OPTION_FLAG = 0, /* takes no value */
    LOTOR_OPTION_TEXT,
    LOTOR_OPTION_CHOICE, /* one of `choices` */
    LOTOR_OPTION_NUMBER, /* a finite double */
    LOTOR_OPTION_WHOLE,  /* 0, 1, 2, ...; 5e7 is allowed */
    LOTOR_OPTION_RATIO,  /* not negative, "inf" allowed */
    LOTOR_OPTION_LIST,   /* doubles separated by commas */
    LOTOR_OPTION_RANGE   /* LO,HI */
} lotor_option_kind;

typedef struct lotor_option {
    const char *name; /* without the dashes */
    lotor_option_kind kind;
    bool required;
    const char *placeholder; /* the name of the value in help */
    const char *initial;     /* the default, as text; NULL: none */
    const char *choices;     /* "tree|hybrid|batch" */
    const char *help;
} lotor_option;

typedef struct lotor_option_value {
    bool given;       /* by the user; false for a default */
    const char *text; /* as typed, or the default; NULL if there is neither */
    double number;
    uint64_t whole;
    lotor_ratio ratio;
    lotor_number_list list;
    double low, high;
} lotor_option_value;

typedef struct lotor_arguments {
    const char *command;
    bool help; /* --help or -h was given: nothing else counts */
    const char *words[LOTOR_WORDS_MAX];
    size_t word_count;
    lotor_option_value values[LOTOR_OPTIONS_MAX];
} lotor_arguments;

/* Parses argv[0 .. argc-1], the arguments after the sub-command's name. LOTOR_INVALID: the message
 * names the option and its value. Free the arguments in either case. */
lotor_status lotor_options_parse(const lotor_option *options, size_t option_count,
                                 size_t word_limit, int argc, char *const *argv, lotor_message *why,
                                 lotor_arguments *out);
/* Reads one value, which is not a flag's. `shown` names the option in messages, such as "--port".
 * The value keeps the pointer to the text. */
lotor_status lotor_option_read(const lotor_option *option, const char *shown, const char *text,
                               lotor_message *why, lotor_option_value *value);
void lotor_arguments_free(lotor_arguments *arguments);

#endif
