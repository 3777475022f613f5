/* reproduce.c - lotor reproduce: plays the papers' figures and writes a report on them.
 *
 * After every figure, its points, its picture and the page are written. So a run that is stopped
 * leaves a usable report. With --resume, finished figures are read from the folder and not played
 * again.
 */
#include "cli/reproduce.h"
#include "base/time.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/message.h"
#include "base/quote.h"
#include "cli/command.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "papers/page.h"
#include "papers/reproduce_plan.h"
#include "papers/summary.h"
#include "world/world.h"

enum { LONGEST_FOLDER = 4000, PATH_ROOM = LOTOR_REPRODUCE_PATH, MOST_THREADS = 256 };

static const lotor_option options[] = {
    [LOTOR_REPRODUCE_SCALE] =
        {.name = "scale",
         .kind = LOTOR_OPTION_CHOICE,
         .placeholder = "SCALE",
         .initial = "quick",
         .choices = "quick|paper",
         .help = "quick: fewer rounds and runs, about a minute in all; paper: as in the papers"},
    [LOTOR_REPRODUCE_OUT] = {.name = "out",
                             .kind = LOTOR_OPTION_TEXT,
                             .placeholder = "DIR",
                             .initial = "report",
                             .help = "the folder for index.html, summary.md, ID.svg and ID.csv"},
    [LOTOR_REPRODUCE_MOVIELENS] =
        {.name = "movielens",
         .kind = LOTOR_OPTION_TEXT,
         .placeholder = "DIR",
         .help = "your copy of MovieLens 1M (ratings.dat, movies.dat); without it the command "
                 "invents data of the same format, and the report says so"},
    [LOTOR_REPRODUCE_THREADS] = {.name = "threads",
                                 .kind = LOTOR_OPTION_WHOLE,
                                 .placeholder = "N",
                                 .help = "the most threads (default: one per core)"},
    [LOTOR_REPRODUCE_SEED] = {.name = "seed",
                              .kind = LOTOR_OPTION_WHOLE,
                              .placeholder = "S",
                              .initial = "1",
                              .help = "the same seed gives the same numbers, on any number of "
                                      "threads"},
    [LOTOR_REPRODUCE_RESUME] = {.name = "resume",
                                .kind = LOTOR_OPTION_FLAG,
                                .help = "keep the finished figures in DIR that have the same seed; "
                                        "DIR must have the same scale"},
    [LOTOR_REPRODUCE_LIST] = {.name = "list",
                              .kind = LOTOR_OPTION_FLAG,
                              .help = "only list the figures"},
    [LOTOR_REPRODUCE_CLAIMS] =
        {.name = "claims",
         .kind = LOTOR_OPTION_FLAG,
         .help = "only list the claims of the papers: each claim with its verdict and what checks "
                 "it; ID is then the beginning of a claim's id"},
    [LOTOR_REPRODUCE_JSON] = {.name = "json",
                              .kind = LOTOR_OPTION_FLAG,
                              .help = "write an array with an object per figure, or per claim"},
};

/* The state of one run of the command. */
typedef struct session {
    const lotor_option_value *values;
    const char *folder;
    lotor_figure_list shelf;
    lotor_reproduction how;
    const lotor_figure_result **known; /* complete figures of the list */
    lotor_progress progress;
    double start;
    bool has_failed; /* a figure could not be played */
} session;

static void name_file(const session *self, const lotor_figure *figure, const char *ending,
                      char path[PATH_ROOM])
{
    snprintf(path, PATH_ROOM, "%s/%.100s%s", self->folder, figure->id, ending);
}

/* --- before anything is played ---------------------------------------------------------------- */

/* Refuses to overwrite or mix results of the papers' scale, which take hours, with those of the
 * quick scale. */
static lotor_status check_scale(const session *self, lotor_message *why)
{
    for (size_t i = 0; i < self->shelf.count; i++) {
        const lotor_figure_entry *place = &self->shelf.places[i];
        char path[PATH_ROOM];
        name_file(self, place->figure, ".csv", path);
        if (place->is_asked && lotor_figure_result_is_of_other_scale(path, self->how.is_quick)) {
            return lotor_fail(LOTOR_INVALID, why,
                              "--resume: %s in %s was played at the %s scale; use --scale %s, or "
                              "give another --out",
                              place->figure->id, lotor_quote_text(self->folder).text,
                              self->how.is_quick ? "paper" : "quick",
                              self->how.is_quick ? "paper" : "quick");
        }
    }
    return LOTOR_OK;
}

/* Checks the data set first, so that an error shows before hours of other figures. */
static lotor_status check_movies(const session *self, lotor_message *why)
{
    bool needed = false;
    for (size_t i = 0; i < self->shelf.count; i++) {
        const lotor_figure_entry *place = &self->shelf.places[i];
        needed = needed || (place->is_asked && lotor_figure_has_movies(place->figure));
    }
    if (!needed || !self->how.movielens) {
        return LOTOR_OK;
    }
    lotor_world *world;
    lotor_message reason;
    const lotor_status status = lotor_world_movielens(self->how.movielens, 0, &reason, &world);
    if (status != LOTOR_OK) {
        return lotor_fail(status, why, "--movielens: %.290s", reason.text);
    }
    lotor_world_free(world);
    return LOTOR_OK;
}

static lotor_status check_options(const session *self, lotor_message *why)
{
    const lotor_option_value *threads = &self->values[LOTOR_REPRODUCE_THREADS];
    if (threads->given && (threads->whole == 0 || threads->whole > MOST_THREADS)) {
        return lotor_fail(LOTOR_INVALID, why, "--threads %s: it must lie between 1 and %d",
                          lotor_quote_text(threads->text).text, MOST_THREADS);
    }
    if (*self->folder == '\0' || strlen(self->folder) > LONGEST_FOLDER) {
        return lotor_fail(LOTOR_INVALID, why, "--out %s: a folder's name has from 1 to %d bytes",
                          lotor_quote_text(self->folder).text, LONGEST_FOLDER);
    }
    return LOTOR_OK;
}

static lotor_status begin(const lotor_arguments *arguments, lotor_message *why, session *self)
{
    const lotor_option_value *values = arguments->values;
    *self = (session){
        .values = values,
        .folder = values[LOTOR_REPRODUCE_OUT].text,
        .start = lotor_time_seconds(),
    };
    self->how = (lotor_reproduction){
        .is_quick = strcmp(values[LOTOR_REPRODUCE_SCALE].text, "quick") == 0,
        .seed = values[LOTOR_REPRODUCE_SEED].whole,
        .threads = (size_t)values[LOTOR_REPRODUCE_THREADS].whole,
        .movielens = values[LOTOR_REPRODUCE_MOVIELENS].text,
        .scratch = self->folder,
        .progress = lotor_progress_tell,
        .context = &self->progress,
    };
    lotor_status status = lotor_figure_list_make(arguments, why, &self->shelf);
    if (status == LOTOR_OK) {
        self->known = calloc(self->shelf.count + 1, sizeof(lotor_figure_result *));
        self->how.known = self->known;
        status = self->known ? LOTOR_OK : lotor_fail(LOTOR_MEMORY, why, "no memory");
    }
    if (status == LOTOR_OK) {
        status = check_options(self, why);
    }
    return status == LOTOR_OK ? check_movies(self, why) : status;
}

/* --- files ------------------------------------------------------------------------------------ */

/* Writes index.html and summary.md with all complete figures. */
static lotor_status write_page(const session *self, lotor_message *why)
{
    size_t count;
    lotor_figure_result *complete = lotor_figure_list_complete(&self->shelf, false, &count);
    if (!complete) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for the report");
    }
    lotor_status status = lotor_page_write(complete, count, self->folder, why);
    if (status == LOTOR_OK) {
        const lotor_summary_place here = lotor_summary_here();
        status = lotor_summary_write(complete, count, &here, self->folder, why);
    }
    free(complete);
    return status;
}

/* Makes the figure's experiments available to later figures. */
static void add_known(session *self, const lotor_figure_entry *place)
{
    self->known[self->how.known_count++] = &place->played;
}

/* Writes points, picture and page. Figures that were read share one update of the page. */
static lotor_status write_figure(const session *self, const lotor_figure_entry *place,
                                 lotor_message *why)
{
    char path[PATH_ROOM];
    lotor_status status = LOTOR_OK;
    if (!place->is_kept) {
        name_file(self, place->figure, ".csv", path);
        status = lotor_figure_result_write(&place->played, path, why);
    }
    if (status == LOTOR_OK) {
        name_file(self, place->figure, ".svg", path);
        status = lotor_page_svg(&place->played, path, why);
    }
    return status == LOTOR_OK && !place->is_kept ? write_page(self, why) : status;
}

/* Reads finished figures. Figures that are not requested now stay on the page, too. */
static void read_finished(session *self)
{
    for (size_t i = 0; i < self->shelf.count; i++) {
        lotor_figure_entry *place = &self->shelf.places[i];
        char path[PATH_ROOM];
        lotor_message why;
        name_file(self, place->figure, ".csv", path);
        const lotor_status status =
            lotor_figure_result_read(place->figure, &self->how, path, &why, &place->played);
        place->is_there = place->is_kept = status == LOTOR_OK;
        if (place->is_kept) {
            add_known(self, place);
        }
        if (place->is_asked && status != LOTOR_OK && status != LOTOR_UNKNOWN) {
            lotor_print_complaint("reproduce", "%s is played again: %s", place->figure->id,
                                  why.text);
        }
    }
}

/* --- the figures ------------------------------------------------------------------------------ */

static int refuse(lotor_status status, const char *message)
{
    if (status == LOTOR_INVALID) {
        return lotor_command_refuse("reproduce", status, message);
    }
    lotor_print_complaint("reproduce", "%s", message);
    return LOTOR_EXIT_FAILED;
}

/* Writes a complete figure and prints its line. */
static int finish_figure(session *self, const lotor_figure_entry *place)
{
    lotor_message why;
    lotor_progress_wipe(&self->progress);
    if (write_figure(self, place, &why) != LOTOR_OK) {
        lotor_print_complaint("reproduce", "%s", why.text);
        return LOTOR_EXIT_FAILED;
    }
    if (!self->values[LOTOR_REPRODUCE_JSON].given) {
        lotor_reproduce_line(place);
    }
    return LOTOR_EXIT_FINE;
}

static int play_figure(session *self, lotor_figure_entry *place)
{
    lotor_message why = {""};
    lotor_progress_next(&self->progress, place->figure->id, place->work);
    const lotor_status status = lotor_figure_play(place->figure, &self->how, &why, &place->played);
    lotor_progress_wipe(&self->progress);
    if (status == LOTOR_STOPPED) {
        lotor_figure_result_clear(&place->played);
        return LOTOR_EXIT_INTERRUPTED;
    }
    if (status != LOTOR_OK) {
        lotor_figure_result_clear(&place->played);
        lotor_print_complaint("reproduce", "%s", why.text);
        self->has_failed = true; /* go on with the other figures */
        return LOTOR_EXIT_FINE;
    }
    place->is_there = true;
    add_known(self, place);
    return finish_figure(self, place);
}

/* Computes the work of each figure, without experiments that earlier or stored figures have.
 * Returns the number of figures to play. */
static size_t plan_work(session *self, double *work)
{
    const lotor_figure **before = calloc(self->shelf.count + 1, sizeof(lotor_figure *));
    size_t count = 0, before_count = 0;
    *work = 0.0;
    for (size_t i = 0; before && i < self->shelf.count; i++) {
        if (self->shelf.places[i].is_there) {
            before[before_count++] = self->shelf.places[i].figure;
        }
    }
    for (size_t i = 0; i < self->shelf.count; i++) {
        lotor_figure_entry *place = &self->shelf.places[i];
        if (place->is_asked && !place->is_there) {
            place->work =
                lotor_figure_work(place->figure, self->how.is_quick, before, before_count);
            *work += place->work;
            count++;
            if (before) { /* without memory, the remaining time is overestimated */
                before[before_count++] = place->figure;
            }
        }
    }
    free(before);
    return count;
}

/* Prints the kept figures, then plays the others, until a file can't be written or Ctrl-C. */
static int play_all(session *self)
{
    double work;
    const size_t count = plan_work(self, &work);
    int result = LOTOR_EXIT_FINE;
    bool any_kept = false;
    lotor_progress_begin(&self->progress, count, work);
    for (size_t i = 0; i < self->shelf.count && result == LOTOR_EXIT_FINE; i++) {
        if (self->shelf.places[i].is_asked && self->shelf.places[i].is_kept) {
            result = finish_figure(self, &self->shelf.places[i]);
            any_kept = true;
        }
    }
    lotor_message why;
    if (any_kept && result == LOTOR_EXIT_FINE && write_page(self, &why) != LOTOR_OK) {
        lotor_print_complaint("reproduce", "%s", why.text);
        result = LOTOR_EXIT_FAILED;
    }
    for (size_t i = 0; i < self->shelf.count && result == LOTOR_EXIT_FINE; i++) {
        if (self->shelf.places[i].is_asked && !self->shelf.places[i].is_there) {
            result = play_figure(self, &self->shelf.places[i]);
        }
    }
    lotor_progress_end(&self->progress);
    return result;
}

static void summarize(const session *self, int result)
{
    if (self->values[LOTOR_REPRODUCE_JSON].given) {
        lotor_reproduce_json(&self->shelf);
    } else if (result == LOTOR_EXIT_FINE) {
        lotor_reproduce_summary(&self->shelf, self->folder, lotor_time_seconds() - self->start);
    }
    if (result == LOTOR_EXIT_INTERRUPTED) {
        lotor_print_complaint("reproduce",
                              "stopped: the complete figures are kept; continue with --resume");
    }
}

static int run_reproduce(const lotor_arguments *arguments)
{
    if (arguments->values[LOTOR_REPRODUCE_LIST].given) {
        if (arguments->values[LOTOR_REPRODUCE_CLAIMS].given) {
            return lotor_command_refuse(
                "reproduce", LOTOR_INVALID,
                "--list lists figures and --claims claims: give one of them");
        }
        if (arguments->word_count > 0) {
            return lotor_command_refuse("reproduce", LOTOR_INVALID,
                                        "--list lists all figures: give no ids with it");
        }
        lotor_reproduce_list(arguments->values[LOTOR_REPRODUCE_JSON].given);
        return LOTOR_EXIT_FINE;
    }
    if (arguments->values[LOTOR_REPRODUCE_CLAIMS].given) {
        return lotor_reproduce_claims(arguments, arguments->values[LOTOR_REPRODUCE_JSON].given);
    }
    session self;
    lotor_message why;
    lotor_status status = begin(arguments, &why, &self);
    if (status == LOTOR_OK) {
        status = lotor_reproduce_folder(self.folder, &why);
    }
    if (status == LOTOR_OK && self.values[LOTOR_REPRODUCE_RESUME].given) {
        status = check_scale(&self, &why);
    }
    int result;
    if (status != LOTOR_OK) {
        result = refuse(status, why.text);
    } else {
        if (self.values[LOTOR_REPRODUCE_RESUME].given) {
            read_finished(&self);
        }
        result = play_all(&self);
        summarize(&self, result);
        result = result == LOTOR_EXIT_FINE && self.has_failed ? LOTOR_EXIT_FAILED : result;
    }
    lotor_figure_list_clear(&self.shelf);
    free(self.known);
    return result;
}

const lotor_command lotor_command_reproduce = {
    .name = "reproduce",
    .summary = "repeat the experiments of the papers and check their claims",
    .usage = "(ID... | all) [--scale quick|paper] [--out DIR] [--movielens DIR] [--threads N] "
             "[--seed S] [--resume] [--json] | --list [--json] | --claims [ID...] [--json]",
    .about =
        "Plays the experiments of the papers and writes a report: DIR/index.html, with each figure "
        "and the claims of its paper, DIR/summary.md, a table of all claims, and DIR/ID.csv and "
        "DIR/ID.svg. The command computes a verdict on each claim from the measurements and their "
        "standard errors: the claim holds, does not hold, or is not decided. A claim is not "
        "decided if the difference is within two standard errors (more if there are few runs), or "
        "if the rounds that the quick scale leaves out could change the verdict. With one run the "
        "error is not known, and a factor of 3 decides. At the quick scale verdicts are "
        "provisional: --scale paper makes them final. A claim that does not hold is a result, not "
        "a failure: the exit status is 0.\n\nVerdicts are about the paper's own setting. Wang et "
        "al. 2022 multiply their noise by 0.01: a second verdict says what happens with the noise "
        "that their privacy claim needs. Claims about MovieLens 1M have a verdict only with your "
        "copy of the data (--movielens). ID is an id from --list, or the beginning of several ids: "
        "sajed means all figures of Sajed 2019. The command writes the report after every figure. "
        "Ctrl-C stops with exit status 130, and --resume continues.\n\n--claims lists the "
        "theorems, lemmas and sentences about experiments of the five papers. Each claim has a "
        "verdict, or names the figures that decide.",
    .examples = "  lotor reproduce --list\n"
                "  lotor reproduce --claims shariff\n"
                "  lotor reproduce chandak-6.1 chandak-6.3a --out \"$(mktemp -d)\"\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .word_limit = LOTOR_WORDS_MAX,
    .run = run_reproduce,
};
