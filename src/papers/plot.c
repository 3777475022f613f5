/* plot.c - see plot.h.
 *
 * gnuplot runs as a program of its own. It reads its script, data included, from a file without a
 * name and writes the picture to another one, which is checked and copied: so no name that a user
 * gave is ever part of a script or of a shell's line, and what is cut short is noticed. Texts go between single quotes, inside which
 * gnuplot interprets nothing, as plain ASCII.
 *
 * Colours: Okabe and Ito's, which people tell apart whatever their colour vision.
 */
#include "papers/plot.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/digits.h"
#include "base/message.h"
#include "base/records.h"

extern char **environ;

/* Linear height while the largest curve ends below this many times the smallest; else logarithmic,
 * or the small ones would lie on the axis. */
static const double most_ratio = 12.0;

static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                      "#E69F00", "#56B4E9", "#8C6D31"};
enum { COLOURS = sizeof colours / sizeof *colours, MOST_INSIDE = 6 }; /* curves, for the legend */

static const char *terminal_of(const char *file)
{
    const size_t length = strlen(file);
    if (length >= 4 && strcmp(file + length - 4, ".svg") == 0) {
        return "svg enhanced size 900,600 dynamic font 'Helvetica,15' background 'white'";
    }
    if (length >= 4 && strcmp(file + length - 4, ".png") == 0) {
        return "pngcairo enhanced size 1350,900 font 'sans,17' background 'white'";
    }
    return NULL;
}

/* --- the script --------------------------------------------------------------------------------- */

static void put_quoted(FILE *script, const char *text)
{
    fputc('\'', script);
    for (; *text != '\0'; text++) {
        const bool plain = *text >= 0x20 && *text < 0x7f;
        fputs(*text == '\'' ? "'" : "", script); /* twice is once */
        fputc(plain ? *text : '?', script);
    }
    fputc('\'', script);
}

static void put_number(FILE *script, double value, const char *after)
{
    char digits[LOTOR_DIGITS_ROOM];
    fprintf(script, "%s%s", isfinite(value) ? lotor_digits(value, digits) : "NaN", after);
}

/* The curve's points: t, mean, bottom and top of the band. */
static void put_data(FILE *script, const lotor_curve *curve, size_t number)
{
    fprintf(script, "$curve%zu << END\n", number);
    for (size_t i = 0; i < curve->count; i++) {
        const lotor_checkpoint *point = &curve->points[i];
        const double error = isfinite(point->standard_error) ? point->standard_error : 0.0;
        fprintf(script, "%llu ", (unsigned long long)point->t);
        put_number(script, point->mean, " ");
        put_number(script, point->mean - error, " ");
        put_number(script, point->mean + error, "\n");
    }
    fputs("END\n", script);
}

/* What the height must span: the last values of the curves and of their bounds. */
typedef struct extent {
    double least, most;  /* of the last values that are positive */
    bool below;          /* a curve lies below 0: regret against a share of the optimum */
    uint64_t last_round; /* of all curves */
} extent;

static void include_value(extent *of, double value)
{
    if (value > 0.0) {
        of->least = fmin(of->least, value);
        of->most = fmax(of->most, value);
    }
}

static extent measure(const lotor_plot *plot)
{
    extent of = {INFINITY, 0.0, false, 2};
    for (size_t i = 0; i < plot->curve_count; i++) {
        const lotor_curve *curve = &plot->curves[i];
        if (curve->count == 0) {
            continue;
        }
        const lotor_checkpoint *last = &curve->points[curve->count - 1];
        of.last_round = last->t > of.last_round ? last->t : of.last_round;
        include_value(&of, last->mean);
        of.below = of.below || last->mean < -1e-6; /* and not by rounding */
        include_value(&of, curve->lower_bound * log((double)last->t));
    }
    return of;
}

static void put_frame(FILE *script, const lotor_plot *plot, const char *terminal, extent of)
{
    const bool logarithmic = !of.below && of.most > most_ratio * of.least;
    fprintf(script, "set terminal %s\n", terminal);
    fputs("set encoding utf8\nset title ", script);
    put_quoted(script, plot->title);
    fputs(" noenhanced\n"
          "set xlabel 'round t'\n"
          "set ylabel 'regret of the first t rounds'\n"
          "set border 3 lc rgb '#555555'\n"
          "set tics nomirror tc rgb 'black'\n"
          "set grid lt 1 dashtype solid lc rgb '#e4e4e4' lw 1\n"
          "set logscale x\n"
          "set style fill transparent solid 0.22 noborder\n"
          "set samples 400\n",
          script);
    fprintf(script, "set xrange [1:%llu]\nset format x '%s'\n", (unsigned long long)of.last_round,
            of.last_round < 1000 ? "%g" : "10^{%L}");
    fputs(of.last_round < 10 ? "set xtics (1,2,5)\n" : "", script);
    /* Regret grows to the right: the corner opposite to the curves is free. */
    fprintf(script, "set key %s Left reverse noenhanced samplen 3 spacing 1.25 opaque\n",
            plot->curve_count > MOST_INSIDE ? "outside right top"
            : logarithmic                   ? "inside bottom right"
            : of.below                      ? "inside bottom left"
                                            : "inside top left");
    if (logarithmic) {
        fputs("set logscale y\nset format y '10^{%L}'\nset yrange [", script);
        /* Two fifths of the height, below the last values, for the legend. */
        put_number(script, of.least / fmax(100.0, pow(of.most / of.least, 0.67)), ":*]\n");
    } else {
        fputs(of.below ? "set yrange [*:*]\n" : "set yrange [0:*]\n", script);
        fputs("set format y '%.6g'\n", script);
    }
}

/* Whether an earlier curve has the same bound, and whether another curve has a different one. */
static bool bound_is_drawn(const lotor_plot *plot, size_t number)
{
    for (size_t i = 0; i < number; i++) {
        if (plot->curves[i].lower_bound == plot->curves[number].lower_bound) {
            return true;
        }
    }
    return false;
}

static bool bounds_differ(const lotor_plot *plot)
{
    for (size_t i = 1; i < plot->curve_count; i++) {
        if (plot->curves[i].lower_bound != plot->curves[0].lower_bound) {
            return true;
        }
    }
    return false;
}

static void put_bounds(FILE *script, const lotor_plot *plot)
{
    const bool named = bounds_differ(plot);
    for (size_t i = 0; i < plot->curve_count; i++) {
        const double bound = plot->curves[i].lower_bound;
        if (!(bound > 0.0) || bound_is_drawn(plot, i)) {
            continue;
        }
        char title[128];
        snprintf(title, sizeof title, "lower bound%s%.60s (as t grows)", named ? ", " : "",
                 named ? plot->curves[i].label : "");
        fputs(", ", script);
        put_number(script, bound, "*log(x) with lines dashtype 2 lw 2 lc rgb ");
        fprintf(script, "'%s' title ", named ? colours[i % COLOURS] : "#333333");
        put_quoted(script, title);
    }
}

static void put_script(FILE *script, const lotor_plot *plot, const char *terminal)
{
    for (size_t i = 0; i < plot->curve_count; i++) {
        put_data(script, &plot->curves[i], i);
    }
    put_frame(script, plot, terminal, measure(plot));
    fputs("plot ", script);
    for (size_t i = 0; i < plot->curve_count; i++) {
        fprintf(script, "%s$curve%zu using 1:3:4 with filledcurves lc rgb '%s' notitle",
                i > 0 ? ", " : "", i, colours[i % COLOURS]);
    }
    for (size_t i = 0; i < plot->curve_count; i++) {
        fprintf(script, ", $curve%zu using 1:2 with lines lw 2.5 lc rgb '%s' dashtype %s title ", i,
                colours[i % COLOURS], i < COLOURS ? "solid" : "4");
        put_quoted(script, plot->curves[i].label);
    }
    put_bounds(script, plot);
    fputc('\n', script);
}

/* --- the program -------------------------------------------------------------------------------- */

static bool have_gnuplot(void)
{
    const char *path = getenv("PATH");
    for (const char *at = path ? path : "/usr/bin:/bin"; *at != '\0';) {
        const size_t length = strcspn(at, ":");
        char name[4096];
        const int needed = snprintf(name, sizeof name, "%.*s/gnuplot", (int)length, at);
        if (length < sizeof name && (size_t)needed < sizeof name && access(name, X_OK) == 0) {
            return true;
        }
        at += length + (at[length] == ':');
    }
    return false;
}

static lotor_status without_gnuplot(lotor_message *why)
{
    return lotor_fail(LOTOR_IO, why,
                      "pictures are drawn by gnuplot, which is not installed: install the package "
                      "gnuplot-nox (or gnuplot), or leave --plot out and take --csv");
}

static lotor_status unwritable(const char *file, int error, lotor_message *why)
{
    char text[128];
    return lotor_fail(LOTOR_IO, why, "the picture %s can't be written: %s",
                      lotor_excerpt(file, strlen(file)).text, strerror_r(error, text, sizeof text));
}

lotor_status lotor_plot_check(const char *file, lotor_message *why)
{
    if (!terminal_of(file)) {
        return lotor_fail(LOTOR_INVALID, why, "a picture's name ends in .svg or .png, not as in %s",
                          lotor_excerpt(file, strlen(file)).text);
    }
    if (!have_gnuplot()) {
        return without_gnuplot(why);
    }
    struct stat found;
    if (stat(file, &found) == 0) {
        if (S_ISDIR(found.st_mode)) {
            return unwritable(file, EISDIR, why);
        }
        return access(file, W_OK) == 0 ? LOTOR_OK : unwritable(file, errno, why);
    }
    const char *slash = strrchr(file, '/');
    char folder[4096];
    const int length = slash ? (int)(slash - file) + 1 : 2; /* with the slash: "/" stays "/" */
    if (snprintf(folder, sizeof folder, "%.*s", length, slash ? file : "./") >=
        (int)sizeof folder) {
        return unwritable(file, ENAMETOOLONG, why);
    }
    return access(folder, W_OK) == 0 ? LOTOR_OK : unwritable(file, errno, why);
}

/* Starts gnuplot on three open files and waits; 0 when it was content. */
static int run_gnuplot(int script, int picture, int complaints)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    if (posix_spawn_file_actions_init(&actions) != 0) {
        return ENOMEM;
    }
    if (posix_spawnattr_init(&attributes) != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return ENOMEM;
    }
    sigset_t none;
    sigemptyset(&none);
    int error = posix_spawnattr_setsigmask(&attributes, &none);
    error = error ? error : posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    error = error ? error : posix_spawn_file_actions_adddup2(&actions, script, STDIN_FILENO);
    error = error ? error : posix_spawn_file_actions_adddup2(&actions, picture, STDOUT_FILENO);
    error = error ? error : posix_spawn_file_actions_adddup2(&actions, complaints, STDERR_FILENO);
    char name[] = "gnuplot",
         defaults[] = "--default-settings"; /* not the user's own start-up file */
    char *const arguments[] = {name, defaults, NULL};
    pid_t child = 0;
    error =
        error ? error : posix_spawnp(&child, "gnuplot", &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    int status = 0;
    while (!error && waitpid(child, &status, 0) < 0) {
        error = errno == EINTR ? 0 : errno;
    }
    return error ? error : status == 0 ? 0 : -1;
}

/* The first line with an error of what gnuplot said, made printable. */
static lotor_status gnuplot_failed(FILE *complaints, lotor_message *why)
{
    char line[200], kept[200] = "it gave no reason";
    rewind(complaints);
    while (fgets(line, sizeof line, complaints)) {
        if (strspn(line, " \t\r\n^") != strlen(line)) {
            memcpy(kept, line, sizeof kept);
        }
    }
    for (char *at = kept; *at != '\0'; at++) {
        *at = *at >= 0x20 && *at < 0x7f ? *at : ' ';
    }
    return lotor_fail(LOTOR_IO, why, "gnuplot could not draw the picture: %s", kept);
}

static lotor_status draw(FILE *script, FILE *complaints, int picture, lotor_message *why)
{
    const int error = run_gnuplot(fileno(script), picture, fileno(complaints));
    if (error == 0) {
        return LOTOR_OK;
    }
    if (error == ENOENT) {
        return without_gnuplot(why);
    }
    if (error < 0) {
        return gnuplot_failed(complaints, why);
    }
    char text[128];
    return lotor_fail(LOTOR_IO, why, "gnuplot could not be started: %s",
                      strerror_r(error, text, sizeof text));
}

/* Whether the picture has its last bytes: on a full disk gnuplot stops writing, but not in anger. */
static bool is_complete(FILE *picture)
{
    static const char png_end[] = "IEND\256B`\202", svg_end[] = "</svg>";
    char tail[16];
    if (fseek(picture, -(long)sizeof tail, SEEK_END) != 0 ||
        fread(tail, 1, sizeof tail, picture) != sizeof tail) {
        return false;
    }
    return memcmp(tail + sizeof tail - 8, png_end, 8) == 0 ||
           memmem(tail, sizeof tail, svg_end, strlen(svg_end)) != NULL;
}

/* Copies the picture to where it belongs. */
static lotor_status deliver(FILE *picture, const char *file, lotor_message *why)
{
    if (!is_complete(picture)) {
        return lotor_fail(LOTOR_IO, why,
                          "gnuplot's picture is cut short: is the disk for temporary files full?");
    }
    const bool is_new = access(file, F_OK) != 0;
    FILE *out = fopen(file, "we");
    if (!out) {
        return unwritable(file, errno, why);
    }
    rewind(picture);
    char block[4096];
    size_t length;
    do {
        length = fread(block, 1, sizeof block, picture);
    } while (length > 0 && fwrite(block, 1, length, out) == length);
    const int failed = ferror(picture) || ferror(out) ? errno : 0;
    const int error = fclose(out) != 0 && !failed ? errno : failed;
    if (error && is_new) {
        unlink(file);
    }
    return error ? unwritable(file, error, why) : LOTOR_OK;
}

static lotor_status write_through(const lotor_plot *plot, const char *file, FILE *const parts[3],
                                  lotor_message *why)
{
    FILE *script = parts[0], *complaints = parts[1], *picture = parts[2];
    if (!script || !complaints || !picture) {
        return lotor_fail(LOTOR_IO, why, "no temporary file for gnuplot could be made");
    }
    put_script(script, plot, terminal_of(file));
    if (fflush(script) != 0 || ferror(script) || fseek(script, 0, SEEK_SET) != 0) {
        return lotor_fail(LOTOR_IO, why, "gnuplot's script could not be written");
    }
    const lotor_status status = draw(script, complaints, fileno(picture), why);
    return status == LOTOR_OK ? deliver(picture, file, why) : status;
}

lotor_status lotor_plot_write(const lotor_plot *plot, const char *file, lotor_message *why)
{
    lotor_status status = lotor_plot_check(file, why);
    if (status != LOTOR_OK) {
        return status;
    }
    FILE *const parts[] = {tmpfile(), tmpfile(), tmpfile()};
    status = write_through(plot, file, parts, why);
    for (size_t i = 0; i < 3; i++) {
        if (parts[i]) {
            fclose(parts[i]);
        }
    }
    return status;
}
