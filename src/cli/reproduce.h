/* reproduce.h - the parts of `lotor reproduce`: options, figures, printing. */
#ifndef LOTOR_CLI_REPRODUCE_H
#define LOTOR_CLI_REPRODUCE_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/options.h"
#include "papers/verdict.h"

/* The options, in the order of reproduce.c's table. */
enum {
    LOTOR_REPRODUCE_SCALE,
    LOTOR_REPRODUCE_OUT,
    LOTOR_REPRODUCE_MOVIELENS,
    LOTOR_REPRODUCE_THREADS,
    LOTOR_REPRODUCE_SEED,
    LOTOR_REPRODUCE_RESUME,
    LOTOR_REPRODUCE_LIST,
    LOTOR_REPRODUCE_CLAIMS,
    LOTOR_REPRODUCE_JSON
};

/* One figure of the table. */
typedef struct lotor_figure_entry {
    const lotor_figure *figure;
    bool is_asked;
    bool is_there; /* `played` is complete */
    bool is_kept;  /* it was read from the folder, not played */
    double work;   /* without experiments that earlier figures also have */
    lotor_figure_result played;
} lotor_figure_entry;

/* All figures, in the order of the table. */
typedef struct lotor_figure_list {
    lotor_figure_entry *places;
    size_t count;
} lotor_figure_list;

/* Makes the list of figures, and marks those that the words name: "all", ids, or beginnings of ids.
 * Clear it in any case. In reproduce_pick.c. */
lotor_status lotor_figure_list_make(const lotor_arguments *arguments, lotor_message *why,
                                    lotor_figure_list *out);
void lotor_figure_list_clear(lotor_figure_list *shelf);

/* The figures that are complete, in one array; with `is_asked`, only those that were asked for. They
 * are borrowed: the caller frees only the array. NULL: out of memory. */
lotor_figure_result *lotor_figure_list_complete(const lotor_figure_list *shelf, bool is_asked,
                                                size_t *count);

/* Room for the path of a file in the folder. The folder's path has at most 4000 bytes. */
enum { LOTOR_REPRODUCE_PATH = 4200 };

/* Makes the folder and its parents, and checks that it is writable. In reproduce_folder.c. */
lotor_status lotor_reproduce_folder(const char *folder, lotor_message *why);

/* Print to standard output; in reproduce_print.c. As text: a line or more per figure as soon as it
 * is complete, and a summary. As JSON: an array of all. */
void lotor_reproduce_list(bool json);
void lotor_reproduce_line(const lotor_figure_entry *place);
void lotor_reproduce_summary(const lotor_figure_list *shelf, const char *folder, double seconds);
void lotor_reproduce_json(const lotor_figure_list *shelf);

/* Prints the claims of the papers that the words name, or all. Returns the exit status. In
 * reproduce_claims.c. */
int lotor_reproduce_claims(const lotor_arguments *arguments, bool json);

#endif
