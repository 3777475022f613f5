/* audit_scope.c - see audit_scope.h. */
#include "lab/audit_scope.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A part of what could go wrong. A pair of inputs exercises it if `is_in` says so, and if the trials
 * came as far as a release that contains the replaced round. */
typedef struct part {
    const char *words;
    bool (*is_in)(const lotor_audit_pair *pair, const lotor_audit_maxima *most);
    bool (*concerns)(const lotor_algorithm *algorithm); /* NULL: all algorithms */
} part;

static bool is_first(const lotor_audit_pair *pair, const lotor_audit_maxima *most)
{
    (void)most;
    return pair->replaced == 1;
}

static bool is_late(const lotor_audit_pair *pair, const lotor_audit_maxima *most)
{
    (void)most;
    return pair->replaced_last > 0;
}

static bool has_open(const lotor_audit_pair *pair, const lotor_audit_maxima *most)
{
    (void)most;
    return pair->open > 1;
}

static bool is_served(const lotor_audit_pair *pair, const lotor_audit_maxima *most)
{
    (void)most;
    return pair->is_served;
}

static bool is_unanswered(const lotor_audit_pair *pair, const lotor_audit_maxima *most)
{
    (void)most;
    return pair->feedback[1] == LOTOR_AUDIT_FEEDBACK_NOTHING;
}

static bool is_reloaded(const lotor_audit_pair *pair, const lotor_audit_maxima *most)
{
    (void)most;
    return pair->reloads;
}

static bool has_together(const lotor_audit_pair *pair, const lotor_audit_maxima *most)
{
    (void)pair;
    return most->together >= 2;
}

static bool is_turned(const lotor_audit_pair *pair, const lotor_audit_maxima *most)
{
    (void)most;
    return pair->is_turned;
}

static bool is_linear(const lotor_algorithm *algorithm)
{
    return algorithm->linear != NULL;
}

static const part parts[] = {
    {"the first round replaced", is_first, NULL},
    {"a round from 5 to 40 replaced", is_late, NULL},
    {"4 open rounds", has_open, NULL},
    {"the serving path with masks", is_served, NULL},
    {"a round without feedback", is_unanswered, NULL},
    {"a reload during a release", is_reloaded, NULL},
    {"differences of numbers released together", has_together, NULL},
    {"contexts of dimension 4", is_turned, is_linear},
};

enum { PARTS = sizeof parts / sizeof *parts };

void lotor_audit_scope_take(lotor_audit_scope *scope, const lotor_audit_pair *pair,
                            const lotor_audit_maxima *most)
{
    scope->rounds = most->rounds > scope->rounds ? most->rounds : scope->rounds;
    for (size_t i = 0; i < PARTS && most->covered > 0; i++) {
        scope->parts |= (unsigned)parts[i].is_in(pair, most) << i;
    }
}

static void add(char *list, const char *words)
{
    const size_t length = strlen(list);
    snprintf(list + length, LOTOR_AUDIT_SCOPE - length, "%s%s", length > 0 ? "; " : "", words);
}

void lotor_audit_scope_words(const lotor_audit_scope *scope, const lotor_audit_request *audit,
                             char *exercised, char *not_exercised)
{
    static const char *const views[] = {"decisions", "releases", "reports"};
    exercised[0] = not_exercised[0] = '\0';
    for (size_t i = 0; i < PARTS; i++) {
        if (!parts[i].concerns || parts[i].concerns(audit->algorithm)) {
            add((scope->parts >> i) & 1 ? exercised : not_exercised, parts[i].words);
        }
    }
    char text[64];
    snprintf(text, sizeof text, "up to %" PRIu64 " rounds", scope->rounds);
    add(exercised, text);
    for (size_t view = 0; view < 3; view++) {
        const bool exists = view != LOTOR_VIEW_REPORTS ||
                            lotor_algorithm_model(audit->algorithm) == LOTOR_MODEL_LOCAL;
        if (exists && view != (size_t)audit->view) {
            snprintf(text, sizeof text, "the view of %s", views[view]);
            add(not_exercised, text);
        }
    }
    snprintf(text, sizeof text, "more than %" PRIu64 " rounds", scope->rounds);
    add(not_exercised, text);
}
