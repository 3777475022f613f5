/* demo.h - the parts of `lotor demo`: the shelf, the people, the screen.
 *
 *      demo.c          the story: folder, keys, server, kill -9 half-way, the end
 *      demo_shelf.c    the articles, and the last people
 *      demo_people.c   people who ask, look, like and answer, over HTTP, many at once
 *      demo_screen.c   what is drawn while they do
 */
#ifndef LOTOR_CLI_DEMO_H
#define LOTOR_CLI_DEMO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include <lotor/ratio.h>
#include <lotor/status.h>

#include "base/random/simulation.h"

enum { DEMO_ITEMS = 20, DEMO_SLOTS = 4, DEMO_RECENT = 1000 };
#define DEMO_SILENT 0.1 /* the share of people who never answer */

/* What is on the shelf. `liked`: how often somebody who sees it likes it; the server never learns it. */
typedef struct demo_item {
    const char *id;
    double liked;
} demo_item;
extern const demo_item demo_shelf[DEMO_ITEMS];

/* One person in ten never answers, and that counts as no like. So what can be heard of an item is: */
double demo_heard(size_t item);
double demo_best(void);   /* likes heard per person, if the four best are shown */
double demo_random(void); /* and four at random */
bool demo_is_best(size_t item);

/* What happened so far. The ring has the last people: what they were shown, and how many likes came. */
typedef struct demo_tally {
    uint64_t people, shown, likes; /* who came; who was shown something; likes heard of them */
    uint64_t silent;               /* who never answers */
    uint64_t answered;             /* answers that the server replied to */
    uint64_t late;                 /* of these, those that came after their round was over */
    uint64_t repeated;             /* answers that were sent again */
    uint64_t asked_again;          /* rankings that were lost and asked for again */
    uint8_t recent_items[DEMO_RECENT][DEMO_SLOTS];
    uint8_t recent_likes[DEMO_RECENT];
    double estimate[DEMO_ITEMS]; /* as the server released them */
    uint64_t counted[DEMO_ITEMS];
} demo_tally;

uint64_t demo_recent(const demo_tally *tally); /* people in the ring */
double demo_recent_likes(const demo_tally *tally);
double demo_recent_share(const demo_tally *tally, size_t item);
double
demo_recent_best(const demo_tally *tally); /* share of shown places that had one of the best */

typedef struct demo_crowd demo_crowd;
typedef struct demo_crowd_setup {
    uint16_t port;
    const char *rank_key, *reward_key, *admin_key;
    const char *campaign;
    uint64_t people, seed;
    double pace;         /* people a second */
    lotor_ratio epsilon; /* what a device must know in a local campaign */
} demo_crowd_setup;

lotor_status demo_crowd_new(const demo_crowd_setup *setup, lotor_message *why, demo_crowd **out);
void demo_crowd_free(demo_crowd *crowd);
const demo_tally *demo_crowd_tally(const demo_crowd *crowd);

/* Lives on for some milliseconds. LOTOR_IO: the server said what it should not; see `why`. */
lotor_status demo_crowd_step(demo_crowd *crowd, lotor_message *why);
bool demo_crowd_is_over(const demo_crowd *crowd); /* everybody has asked, and answered who does */
bool demo_crowd_is_busy(const demo_crowd *crowd); /* some request is on its way now */
/* The time until resume does not count: nobody new comes while the server is away. */
void demo_crowd_pause(demo_crowd *crowd);
void demo_crowd_resume(demo_crowd *crowd);

/* The screen: a table that is drawn again and again on a terminal, else a line per tenth. */
typedef struct demo_screen {
    bool on_terminal;
    bool is_drawn;
    uint64_t people; /* expected */
    uint64_t next_line;
    double last;
} demo_screen;
void demo_screen_begin(demo_screen *screen, uint64_t people);
void demo_screen_show(demo_screen *screen, const demo_tally *tally, bool now);
void demo_screen_say(demo_screen *screen, const demo_tally *tally, const char *sentence);
void demo_screen_end(demo_screen *screen, const demo_tally *tally);

/* The guarantee as the server states it, in words. */
void demo_print_guarantee(const json_t *guarantee);

#endif
