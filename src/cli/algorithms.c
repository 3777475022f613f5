/* algorithms.c - lotor algorithms: prints the catalog as a table or as JSON. */
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
              .help = "write a JSON array with all rows, and the parts of each algorithm"},
};

/* --- text: a block per problem, at least two lines per algorithm ------------------------------ */

enum { NARROWEST = 80, WIDEST = 160, GAP = 2 };

/* Prints words from the cursor on, which is at `column`. The next lines are indented by
 * `indent`. */
static void print_words(const char *text, size_t column, size_t indent, size_t width)
{
    for (bool first = true; *text != '\0'; first = false) {
        const size_t length = strcspn(text, " ");
        if (!first && column + 1 + length > width) {
            printf("\n%*s", (int)indent, "");
            column = indent;
        } else if (!first) {
            fputc(' ', stdout);
            column++;
        }
        printf("%.*s", (int)length, text);
        column += length;
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', stdout);
}

/* Writes a text such as "epsilon-DP; regret: sum over arms of log T / gap". */
static void describe_proof(const lotor_algorithm *algorithm, char *text, size_t capacity)
{
    static const char proved[] = "proved: ";
    const bool is_proved = strncmp(algorithm->regret, proved, sizeof proved - 1) == 0;
    const char *leak = lotor_algorithm_leak(algorithm);
    const char *promise = "";
    if (lotor_algorithm_has_noise(algorithm)) {
        promise = algorithm->delta.num != 0 ? "(epsilon, delta)-DP; " : "epsilon-DP; ";
    }
    snprintf(text, capacity, "%s%s%sregret%s %s%s", leak ? "not private: " : promise,
             leak ? leak : "", leak ? "; " : "", is_proved ? ":" : "",
             is_proved ? algorithm->regret + sizeof proved - 1 : algorithm->regret,
             algorithm->is_simulation_only ? "; simulations only" : "");
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

static const char *problem_in_words(lotor_problem problem)
{
    static const char *const words[] = {
        "one arm a round",
        "an independent set a round, with a reward for every arm",
        "a set that an oracle finds: a path, a tree, vertices of a graph",
        "a list a round, read up to the first click",
        "one action a round, from the person's context",
        "one arm, an independent set, a set that an oracle finds, or a list",
    };
    return words[problem];
}

/* The width of the column of ids; at least the usual width, so that most blocks are aligned. */
static size_t id_width_of(lotor_problem problem)
{
    size_t longest = 20;
    for (size_t i = 0; i < lotor_algorithms_size; i++) {
        const size_t length = strlen(lotor_algorithms[i].id);
        if (lotor_algorithms[i].problem == problem && length > longest) {
            longest = length;
        }
    }
    return longest;
}

static void print_algorithm(const lotor_algorithm *row, size_t width)
{
    enum { INDENT = 2, FURTHER = 6, TRUST = 7 };
    char proof[512];
    const size_t id_width = id_width_of(row->problem);
    const size_t paper = INDENT + id_width + GAP + TRUST + GAP;
    printf("%*s%-*s%-*s", INDENT, "", (int)(id_width + GAP), row->id, TRUST + GAP,
           lotor_model_name(lotor_algorithm_model(row)));
    print_words(row->paper, paper, paper, width);
    describe_proof(row, proof, sizeof proof);
    printf("%*s", FURTHER, "");
    print_words(proof, FURTHER, FURTHER, width);
}

static void print_table(void)
{
    const size_t width = terminal_width();
    printf("  %-*s%-9s%s\n      %s\n", (int)id_width_of(LOTOR_PROBLEM_FINITE) + GAP, "id", "trust",
           "paper", "what is proved");
    for (size_t i = 0; i < lotor_algorithms_size; i++) {
        const lotor_algorithm *row = &lotor_algorithms[i];
        if (i == 0 || row->problem != lotor_algorithms[i - 1].problem) {
            printf("\n%s: %s\n", lotor_problem_name(row->problem), problem_in_words(row->problem));
        }
        print_algorithm(row, width);
    }
    fputs("\n"
          "trust  central: the server sees feedback, what it shows protects it; local:\n"
          "       noise is added before feedback leaves the person; joint: as central, but\n"
          "       a person's own actions shape what they are shown; none: no noise is\n"
          "       added, a baseline\n"
          "Play one: lotor run ID --instance c1 --horizon 1e5\n"
          "          lotor run ID --dimension 5 --horizon 1e5   (linear)\n",
          stdout);
}

/* --- as JSON ---------------------------------------------------------------------------------- */

static const char *oracle_name(lotor_problem problem)
{
    static const char *const names[] = {"best arm", "matroid", "any", "top", "best action", "any"};
    return names[problem];
}

static void put_row(lotor_json *json, const lotor_algorithm *row)
{
    const lotor_promise promise = lotor_algorithm_promise(row);
    lotor_json_open(json, NULL, '{');
    lotor_json_string(json, "id", row->id);
    lotor_json_string(json, "summary", row->summary);
    lotor_json_string(json, "problem", lotor_problem_name(row->problem));
    lotor_json_string(json, "model", lotor_model_name(promise.model));
    lotor_json_bool(json, "private", !promise.reason);
    lotor_json_string(json, "not_private", promise.reason);
    lotor_json_string(json, "theorem", promise.reason ? NULL : row->theorem);
    lotor_json_string(json, "regret", row->regret);
    lotor_json_string(json, "paper", row->paper);
    lotor_json_bool(json, "has_delta", row->delta.num != 0);
    lotor_json_bool(json, "simulation_only", row->is_simulation_only);
    lotor_json_bool(json, "needs_horizon", row->needs_horizon);
    lotor_json_string(json, "without_horizon", row->instead);
    lotor_json_open(json, "parts", '{');
    lotor_json_string(json, "learner", lotor_algorithm_learner(row));
    lotor_json_string(json, "statistic", lotor_algorithm_statistic(row));
    lotor_json_string(json, "rule", lotor_algorithm_rule(row));
    lotor_json_string(json, "feedback", row->feedback);
    lotor_json_string(json, "oracle", oracle_name(row->problem));
    lotor_json_close(json, '}');
    lotor_json_close(json, '}');
}

/* Prints one row at a time, so that no buffer has to hold the whole catalog. */
static int print_json(void)
{
    fputc('[', stdout);
    for (size_t i = 0; i < lotor_algorithms_size; i++) {
        char text[4096];
        lotor_json json;
        lotor_json_start(&json, text, sizeof text);
        put_row(&json, &lotor_algorithms[i]);
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
    .about =
        "Prints the catalog, one row per algorithm. Trust says who sees feedback. If it is "
        "central, the server sees it, and the outputs of the server reveal little about any one "
        "round. If it is local, noise is added before feedback leaves the person's device. Joint "
        "trust is like central trust, but what a person is shown may also depend on their own "
        "actions. If it is none, no noise is added.\n\nIf a paper's guarantee does not hold, the "
        "row says why the algorithm is not private. In JSON each row also has the parts of the "
        "algorithm: the statistic, the rule with its formula, the feedback and the oracle.",
    .examples = "  lotor algorithms\n"
                "  lotor algorithms --json\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run_algorithms,
};
