/* algorithms.c - lotor algorithms: the catalog, as a table and as JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/json.h"
#include "cli/command.h"
#include "policy/catalog.h"

enum { JSON };

static const lotor_option options[] = {
    [JSON] = {.name = "json",
              .kind = LOTOR_OPTION_FLAG,
              .help = "a JSON array: all of it, with the parts that each is made of"},
};

static const char *model_name(lotor_model model)
{
    static const char *const names[] = {"none", "central", "local", "joint"};
    return names[model];
}

/* --- as a table --------------------------------------------------------------------------------- */

enum { COLUMNS = 5, NARROWEST = 80, WIDEST = 160, GAP = 2 };

typedef struct table {
    size_t width[COLUMNS];
} table;

/* Prints the part of the text that fits in the width, to the last space, padded; moves past it. */
static void print_part(const char **text, size_t width, bool last)
{
    const char *at = *text;
    const size_t left = strlen(at);
    size_t length = left;
    if (left > width) {
        length = width;
        while (length > 0 && at[length] != ' ') {
            length--;
        }
        length = length > 0 ? length : width; /* one long word: cut it */
    }
    if (last) {
        printf("%.*s", (int)length, at);
    } else {
        printf("%-*.*s", (int)(width + GAP), (int)length, at);
    }
    *text = at + length + strspn(at + length, " ");
}

static void print_line(const table *shape, const char *cells[COLUMNS])
{
    bool more = true;
    while (more) {
        size_t last = 0; /* nothing is padded behind the last cell that has text left */
        for (size_t i = 0; i < COLUMNS; i++) {
            last = cells[i][0] != '\0' ? i : last;
        }
        more = false;
        for (size_t i = 0; i <= last; i++) {
            print_part(&cells[i], shape->width[i], i == last);
            more = more || cells[i][0] != '\0';
        }
        fputc('\n', stdout);
    }
}

/* "epsilon-DP; regret: sum over arms of log T / gap" */
static void describe_proof(const lotor_algorithm *algorithm, char *text, size_t capacity)
{
    static const char proved[] = "proved: ";
    const bool is_proved = strncmp(algorithm->regret, proved, sizeof proved - 1) == 0;
    snprintf(text, capacity, "%sregret%s %s",
             algorithm->model == LOTOR_MODEL_NONE ? "" : "epsilon-DP; ", is_proved ? ":" : " only",
             is_proved ? algorithm->regret + sizeof proved - 1 : algorithm->regret);
}

static size_t terminal_width(void)
{
    struct winsize size;
    if (isatty(STDOUT_FILENO) != 1 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 ||
        size.ws_col < NARROWEST) {
        return NARROWEST;
    }
    return size.ws_col < WIDEST ? size.ws_col : WIDEST;
}

static table shape_for(size_t width)
{
    static const char *const heads[] = {"id", "problem", "trust"};
    table shape;
    for (size_t i = 0; i < 3; i++) {
        shape.width[i] = strlen(heads[i]);
    }
    for (size_t i = 0; i < lotor_catalog_size; i++) {
        const lotor_algorithm *row = &lotor_catalog[i];
        const size_t lengths[] = {strlen(row->id), strlen(lotor_problem_name(row->problem)),
                                  strlen(model_name(row->model))};
        for (size_t j = 0; j < 3; j++) {
            shape.width[j] = lengths[j] > shape.width[j] ? lengths[j] : shape.width[j];
        }
    }
    /* What is left, shared by what is proved (the longer texts) and the paper. */
    const size_t used =
        shape.width[0] + shape.width[1] + shape.width[2] + (size_t)(COLUMNS - 1) * GAP;
    const size_t left = width > used + 30 ? width - used : 30;
    shape.width[4] = left * 9 / 20;
    shape.width[3] = left - shape.width[4];
    return shape;
}

static void print_table(void)
{
    const table shape = shape_for(terminal_width());
    print_line(&shape,
               (const char *[COLUMNS]){"id", "problem", "trust", "what is proved", "paper"});
    for (size_t i = 0; i < lotor_catalog_size; i++) {
        const lotor_algorithm *row = &lotor_catalog[i];
        char proof[256];
        describe_proof(row, proof, sizeof proof);
        print_line(&shape, (const char *[COLUMNS]){row->id, lotor_problem_name(row->problem),
                                                   model_name(row->model), proof, row->paper});
    }
    fputs("\n"
          "problem  finite: one arm a round; matroid: an independent set a round\n"
          "trust    central: the server sees feedback, what it shows protects it; none: no\n"
          "         noise is added, a baseline\n"
          "Play one: lotor run ID --instance c1 --horizon 1e5\n",
          stdout);
}

/* --- as JSON ------------------------------------------------------------------------------------ */

static void put_row(lotor_json *json, const lotor_algorithm *row)
{
    lotor_json_open(json, NULL, '{');
    lotor_json_string(json, "id", row->id);
    lotor_json_string(json, "summary", row->summary);
    lotor_json_string(json, "problem", lotor_problem_name(row->problem));
    lotor_json_string(json, "model", model_name(row->model));
    lotor_json_bool(json, "private", row->model != LOTOR_MODEL_NONE);
    lotor_json_string(json, "not_private", row->not_private);
    lotor_json_string(json, "theorem", row->theorem);
    lotor_json_string(json, "regret", row->regret);
    lotor_json_string(json, "paper", row->paper);
    lotor_json_bool(json, "needs_horizon", row->needs_horizon);
    lotor_json_string(json, "without_horizon", row->instead);
    lotor_json_open(json, "parts", '{');
    lotor_json_string(json, "learner", row->index ? "index" : "elimination");
    lotor_json_string(json, "statistic", lotor_algorithm_statistic(row));
    lotor_json_string(json, "rule", lotor_algorithm_rule(row));
    lotor_json_string(json, "feedback", row->feedback);
    lotor_json_string(json, "oracle",
                      row->problem == LOTOR_PROBLEM_FINITE ? "best arm" : "matroid");
    lotor_json_close(json, '}');
    lotor_json_close(json, '}');
}

/* One row at a time, so that no buffer has to hold the catalog. */
static int print_json(void)
{
    fputc('[', stdout);
    for (size_t i = 0; i < lotor_catalog_size; i++) {
        char text[4096];
        lotor_json json;
        lotor_json_start(&json, text, sizeof text);
        put_row(&json, &lotor_catalog[i]);
        printf("%s%s", i > 0 ? ",\n " : "", json.length < sizeof text ? text : "null");
    }
    fputs("]\n", stdout);
    return LOTOR_EXIT_FINE;
}

static int run_algorithms(const lotor_arguments *arguments)
{
    if (arguments->values[JSON].given) {
        return print_json();
    }
    print_table();
    return LOTOR_EXIT_FINE;
}

const lotor_command lotor_command_algorithms = {
    .name = "algorithms",
    .summary = "list the algorithms: problem, trust, what is proved, paper",
    .usage = "[--json]",
    .about = "Prints the catalog, one row per algorithm. Trust: central means that the server sees "
             "feedback and that whoever sees only what it shows learns little about any one round; "
             "none means that no noise is added. In JSON each row also has the parts that it is "
             "made of: the statistic, the rule with its formula, the feedback and the oracle.",
    .examples = "  lotor algorithms\n"
                "  lotor algorithms --json\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run_algorithms,
};
