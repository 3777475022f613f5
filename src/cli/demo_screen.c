/* demo_screen.c - the output of `lotor demo` while it runs: a table on a terminal, else lines. */
#ifdef LOTOR_SERVICE
#include "base/time.h"
#include "cli/demo.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/print.h"
#include "service/client/client.h"

enum { BAR = 28, TABLE_LINES = DEMO_ITEMS + 3, COLUMNS = 78 }; /* 24 lines with the cursor line */
#define DRAWN_EVERY 0.15                                       /* seconds */

static void put_bar(double share, int width)
{
    const int full = (int)lround(fmin(fmax(share, 0.0), 1.0) * width);
    for (int i = 0; i < width; i++) {
        putchar(i < full ? '#' : '.');
    }
}

/* Writes "12,345"; for at most six digits. */
static const char *grouped(uint64_t value, char text[16])
{
    if (value < 1000) {
        snprintf(text, 16, "%u", (unsigned)value);
    } else {
        snprintf(text, 16, "%u,%03u", (unsigned)(value / 1000), (unsigned)(value % 1000));
    }
    return text;
}

/* Orders the items by their true values, so that learning fills the bars at the top. */
static void order_of(uint8_t order[DEMO_ITEMS])
{
    memset(order, 0, DEMO_ITEMS);
    for (size_t i = 0; i < DEMO_ITEMS; i++) {
        size_t at = i;
        for (; at > 0 && demo_shelf[order[at - 1]].liked < demo_shelf[i].liked; at--) {
            order[at] = order[at - 1];
        }
        order[at] = (uint8_t)i;
    }
}

static void put_table(const demo_tally *tally, uint64_t people)
{
    uint8_t order[DEMO_ITEMS];
    char come[16], all[16];
    const double worst = demo_random(), best = demo_best(), likes = demo_recent_likes(tally);
    order_of(order);
    printf("  article         truth*  learnt   shown to, of the last %d people\033[K\n",
           DEMO_RECENT);
    for (size_t i = 0; i < DEMO_ITEMS; i++) {
        const size_t item = order[i];
        printf("  %-15s %5.2f   ", demo_shelf[item].id, demo_heard(item));
        if (tally->counted[item] > 0) {
            printf("%5.2f    ", tally->estimate[item]);
        } else {
            printf("  -      ");
        }
        put_bar(demo_recent_share(tally, item), BAR);
        printf(" %3.0f%%\033[K\n", 100.0 * demo_recent_share(tally, item));
    }
    printf("  likes per person, of the last %d: %.2f   people %s of %s\033[K\n", DEMO_RECENT, likes,
           grouped(tally->shown, come), grouped(people, all));
    printf("  random %.2f ", worst);
    put_bar((likes - worst) / (best - worst), 40);
    printf(" best %.2f\033[K\n", best);
}

static void put_line(const demo_tally *tally)
{
    char come[16];
    printf("  %7s   %8.2f      %4.0f%%\n", grouped(tally->shown, come), demo_recent_likes(tally),
           100.0 * demo_recent_best(tally));
}

/* True if the window is large enough for the table; otherwise lines are printed. */
static bool has_room(void)
{
    struct winsize window;
    return isatty(STDOUT_FILENO) == 1 &&
           (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_row == 0 ||
            (window.ws_row > TABLE_LINES && window.ws_col >= COLUMNS));
}

void demo_screen_begin(demo_screen *screen, uint64_t people)
{
    *screen =
        (demo_screen){.on_terminal = has_room(), .people = people, .next_line = (people + 19) / 20};
    if (!screen->on_terminal) {
        printf("            likes per person,  of the four best,\n"
               "   people   of the last %d   shown among these (at random: 20%%)\n",
               DEMO_RECENT);
        fflush(stdout);
    }
}

static void draw_table(demo_screen *screen, const demo_tally *tally)
{
    if (screen->is_drawn) {
        printf("\033[%dA\r", TABLE_LINES);
    }
    put_table(tally, screen->people);
    screen->is_drawn = true;
    screen->last = lotor_time_seconds();
    fflush(stdout);
}

void demo_screen_show(demo_screen *screen, const demo_tally *tally, bool now)
{
    if (screen->on_terminal) {
        if (now || lotor_time_seconds() - screen->last > DRAWN_EVERY) {
            draw_table(screen, tally);
        }
    } else if (tally->shown >= screen->next_line) {
        screen->next_line += (screen->people + 19) / 20;
        put_line(tally);
        fflush(stdout);
    }
}

/* Prints a sentence above the table. */
void demo_screen_say(demo_screen *screen, const demo_tally *tally, const char *sentence)
{
    if (screen->on_terminal && screen->is_drawn) {
        printf("\033[%dA\r\033[J", TABLE_LINES);
        screen->is_drawn = false;
    }
    fputs("  ", stdout);
    lotor_print_wrapped(stdout, sentence, 2, 2);
    if (screen->on_terminal) {
        putchar('\n');
        draw_table(screen, tally);
    }
    fflush(stdout);
}

void demo_screen_end(demo_screen *screen, const demo_tally *tally)
{
    if (screen->on_terminal) {
        draw_table(screen, tally);
        return;
    }
    uint8_t order[DEMO_ITEMS];
    order_of(order);
    printf("\n  article         truth*  learnt   shown to, of the last %d people\n", DEMO_RECENT);
    for (size_t i = 0; i < DEMO_ITEMS; i++) {
        const size_t item = order[i];
        printf("  %-15s %5.2f   %5.2f    %3.0f%%\n", demo_shelf[item].id, demo_heard(item),
               tally->estimate[item], 100.0 * demo_recent_share(tally, item));
    }
}

static void put_field(const json_t *guarantee, const char *key, const char *label)
{
    const json_t *value = json_object_get(guarantee, key);
    const char *text = json_string_value(value);
    if (text && text[0]) {
        printf("    %-10s ", label);
        lotor_print_wrapped(stdout, text, 15, 15);
    } else if (json_is_array(value) && json_array_size(value) > 0) {
        for (size_t i = 0; i < json_array_size(value); i++) {
            const char *entry = json_string_value(json_array_get(value, i));
            printf("    %-10s ", i == 0 ? label : "");
            lotor_print_wrapped(stdout, entry ? entry : "", 15, 15);
        }
    }
}

void demo_print_guarantee(const json_t *guarantee)
{
    const double epsilon = json_number_value(json_object_get(guarantee, "epsilon"));
    printf("    %s: epsilon = %g, %s model\n",
           json_is_true(json_object_get(guarantee, "private")) ? "private" : "NOT private", epsilon,
           json_string_value(json_object_get(guarantee, "model"))
               ? json_string_value(json_object_get(guarantee, "model"))
               : "?");
    put_field(guarantee, "reason", "reason");
    put_field(guarantee, "unit", "unit");
    put_field(guarantee, "mechanism", "mechanism");
    put_field(guarantee, "theorem", "theorem");
    put_field(guarantee, "assumes", "assumes");
    put_field(guarantee, "level", "level");
    put_field(guarantee, "level_reason", "because");
    put_field(guarantee, "meaning", "meaning");
    put_field(guarantee, "protects", "protected");
    put_field(guarantee, "not_protected", "not so");
}
#endif
