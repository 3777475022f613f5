/* demo.h - the parts of `lotor demo`: the items, the people, the screen.
 *
 *      demo.c          the sequence: folder, keys, server, kill -9 half-way, the end
 *      demo_shelf.c    the items, and statistics about the last people
 *      demo_people.c   people who ask, look, like and send feedback, over HTTP, many at once
 *      demo_screen.c   the output while they do
 */
#ifndef LOTOR_CLI_DEMO_H
#define LOTOR_CLI_DEMO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include <lotor/ratio.h>
#include <lotor/status.h>

#include "base/random/generator.h"

enum { DEMO_ITEMS = 20, DEMO_SLOTS = 4, DEMO_RECENT = 1000 };
#define DEMO_SILENT 0.1 /* share of people who never send feedback */

/* An item. `liked` is the share of viewers who like it; the server never sees this number. */
typedef struct demo_item {
    const char *id;
    double liked;
} demo_item;
extern const demo_item demo_shelf[DEMO_ITEMS];

/* The expected likes that the server gets for an item. One person in ten never sends feedback, and
 * that counts as no like. */
double demo_heard(size_t item);
double demo_best(void);   /* expected likes per person, if the four best items are shown */
double demo_random(void); /* the same for four random items */
bool demo_is_best(size_t item);

/* Statistics so far. The ring has the last people: the items they saw, and their number of
 * likes. */
typedef struct demo_tally {
    uint64_t people, shown, likes; /* people who came; who got a ranking; their likes */
    uint64_t silent;               /* people who never send feedback */
    uint64_t answered;             /* feedback that the server acknowledged */
    uint64_t late;                 /* acknowledged feedback that came after the round was final */
    uint64_t repeated;             /* feedback that was sent again */
    uint64_t asked_again;          /* requests for a ranking that were repeated */
    uint8_t recent_items[DEMO_RECENT][DEMO_SLOTS];
    uint8_t recent_likes[DEMO_RECENT];
    double estimate[DEMO_ITEMS]; /* released by the server */
    uint64_t counted[DEMO_ITEMS];
} demo_tally;

uint64_t demo_recent(const demo_tally *tally); /* people in the ring */
double demo_recent_likes(const demo_tally *tally);
double demo_recent_share(const demo_tally *tally, size_t item);
double demo_recent_best(const demo_tally *tally); /* share of places with one of the best items */

typedef struct demo_crowd demo_crowd;
typedef struct demo_crowd_setup {
    uint16_t port;
    const char *rank_key, *reward_key, *admin_key;
    const char *campaign;
    uint64_t people, seed;
    double pace;         /* people per second */
    lotor_ratio epsilon; /* for the devices in a local campaign */
} demo_crowd_setup;

lotor_status demo_crowd_new(const demo_crowd_setup *setup, lotor_message *why, demo_crowd **out);
void demo_crowd_free(demo_crowd *crowd);
const demo_tally *demo_crowd_tally(const demo_crowd *crowd);

/* Simulates some milliseconds. LOTOR_IO: an unexpected reply of the server; see `why`. */
lotor_status demo_crowd_step(demo_crowd *crowd, lotor_message *why);
bool demo_crowd_is_over(const demo_crowd *crowd); /* all people are finished */
bool demo_crowd_is_busy(const demo_crowd *crowd); /* a request is under way */
/* The time between pause and resume does not count: no new people come while the server is down. */
void demo_crowd_pause(demo_crowd *crowd);
void demo_crowd_resume(demo_crowd *crowd);

/* The screen: a table that is redrawn on a terminal; otherwise one line per tenth of the people. */
typedef struct demo_screen {
    bool on_terminal;
    bool is_drawn;
    uint64_t people; /* expected number */
    uint64_t next_line;
    double last;
} demo_screen;
void demo_screen_begin(demo_screen *screen, uint64_t people);
void demo_screen_show(demo_screen *screen, const demo_tally *tally, bool now);
void demo_screen_say(demo_screen *screen, const demo_tally *tally, const char *sentence);
void demo_screen_end(demo_screen *screen, const demo_tally *tally);

/* Prints the guarantee that the server states. */
void demo_print_guarantee(const json_t *guarantee);

#endif
