/* outlook.c - when the lift of a campaign is expected to be decided, in rounds and in seconds.
 *
 * policy/outlook.c computes from releases how many rounds must measure value. The share of rounds that
 * do is public, and so is how many decisions there were recently. Nothing else is used.
 */
#include <assert.h>
#include <inttypes.h>
#include <math.h>

#include "base/text.h"
#include "service/engine/inside.h"
#include "service/spec/fields.h"

enum {
    RATE_MS = 5 * 60 * 1000, /* the recent rate is that of the last 5 to 10 minutes */
    RATE_LEAST_MS = 30 * 1000
};
static const uint64_t rounds_most = 1000000000; /* an outlook that is farther says nothing */

/* --- the number of decisions ------------------------------------------------------------------ */

static uint64_t decisions_of(const lotor_campaign *campaign)
{
    return campaign->decisions > campaign->ended ? campaign->decisions : campaign->ended;
}

void lotor_outlook_mark(lotor_campaign *campaign, uint64_t now)
{
    assert(lotor_is_locked(&campaign->lock));
    const lotor_rate_mark mark = {now, decisions_of(campaign)};
    lotor_rate_mark *const marks = campaign->marks;
    if (now == UINT64_MAX) {
        return; /* the clock was never read */
    }
    /* There are no decisions before this server has read them from the store. And the numbers can go
     * back, after a failover. */
    if (marks[1].decisions == 0 || marks[1].at > now || marks[1].decisions > mark.decisions) {
        marks[0] = marks[1] = mark;
    } else if (now - marks[1].at >= RATE_MS) {
        marks[0] = marks[1];
        marks[1] = mark;
    }
}

/* Decisions per second, recently or since the campaign was created. */
static double rate_of(const lotor_campaign *campaign, uint64_t now)
{
    const lotor_rate_mark *const from = &campaign->marks[0];
    const double decisions = (double)decisions_of(campaign);
    if (from->decisions > 0 && now >= from->at + RATE_LEAST_MS) {
        return (decisions - (double)from->decisions) * 1000.0 / (double)(now - from->at);
    }
    const double age = (double)now / 1000.0 - campaign->created;
    return now < UINT64_MAX && age > 0.0 ? decisions / age : 0.0;
}

/* --- the reply -------------------------------------------------------------------------------- */

typedef struct forecast {
    bool is_decided;
    double rounds, seconds; /* NAN: not known */
    lotor_text why;
} forecast;

/* True if the control names arms, and fewer of them may be shown than there are slots. Then every round
 * learns (policy/evaluation.md). */
static bool lacks_control(const lotor_spec *spec)
{
    size_t left = 0;
    for (size_t i = 0; i < spec->control_count; i++) {
        left += !spec->arms[spec->control[i]].paused;
    }
    return spec->control_count > 0 && left < spec->slots;
}

/* Why no more rounds are measured; NULL: they are. */
static const char *find_end(const lotor_campaign *campaign)
{
    if (campaign->spec->deleted) {
        return "The campaign was deleted: no more rounds are measured.";
    }
    if (campaign->closed) {
        return "The campaign is closed: no more rounds are measured.";
    }
    if (campaign->spec->archived) {
        return "The campaign is archived: no more rounds are measured.";
    }
    if (lacks_control(campaign->spec)) {
        return "Too few arms of the control can be shown, because some are paused or removed: no "
               "rounds are measured.";
    }
    return NULL;
}

/* The greatest number of decisions that the outlook looks at. */
static uint64_t most_rounds(const lotor_campaign *campaign)
{
    const uint64_t horizon = campaign->spec->horizon;
    return horizon > 0 && horizon < rounds_most ? horizon : rounds_most;
}

static void tell_time(const lotor_campaign *campaign, uint64_t now, forecast *out)
{
    const double rate = rate_of(campaign, now);
    if (campaign->spec->paused) {
        lotor_text_add(&out->why, " The campaign is paused, so the time is not known.");
    } else if (!(rate > 0.0)) {
        lotor_text_add(&out->why, " There were no decisions recently, so the time is not known.");
    } else {
        out->seconds = ceil(out->rounds / rate);
        lotor_text_add(&out->why, " The time is for about ");
        lotor_text_number(&out->why, rate * 3600.0, 2);
        lotor_text_add(&out->why, " decisions an hour, as recently.");
    }
}

static void tell_rounds(const lotor_campaign *campaign, const lotor_outlook *outlook, uint64_t now,
                        forecast *out)
{
    /* a share of the rounds measures, half of them the policy and half the control */
    const double needed = 2.0 * (double)outlook->count / campaign->share;
    const double so_far = (double)decisions_of(campaign);
    /* feedback for the last of them must expire, too: at least one round is left */
    out->rounds = fmax(ceil(needed - so_far), 1.0);
    lotor_text_add(&out->why, "If the difference is about ");
    lotor_text_number(&out->why, outlook->typical, 2);
    lotor_text_add(&out->why, ", as it seems now, half of such campaigns are decided after so many "
                              "more rounds.");
    tell_time(campaign, now, out);
}

/* The caller holds the campaign's lock. */
static void look_ahead(const lotor_campaign *campaign, uint64_t now, forecast *out)
{
    lotor_outlook outlook;
    *out = (forecast){.rounds = NAN, .seconds = NAN};
    if (!campaign->is_evaluated) {
        lotor_text_add(&out->why,
                       "No rounds measure value: create the campaign with an evaluation.");
        return;
    }
    const char *const end = find_end(campaign);
    const uint64_t most = most_rounds(campaign);
    const bool has =
        lotor_outlook_of(&campaign->value_estimator, &campaign->measured, &campaign->controlled,
                         (uint64_t)((double)most * campaign->share / 2.0), &outlook);
    if (has && outlook.is_decided) {
        out->is_decided = true;
        out->rounds = out->seconds = 0.0;
        lotor_text_add(&out->why, "The difference between the policy and the control is decided.");
    } else if (end) {
        lotor_text_add(&out->why, end);
    } else if (!has) {
        lotor_text_add(&out->why, "Nothing was released about value yet: ask again after the first "
                                  "releases.");
    } else if (outlook.is_far) {
        lotor_text_print(&out->why,
                         "The difference is too small, or not known well enough: it will hardly "
                         "be decided within %" PRIu64 " rounds%s.",
                         most, most == campaign->spec->horizon ? ", the horizon" : "");
    } else {
        tell_rounds(campaign, &outlook, now, out);
    }
}

static json_t *whole_or_null(double number)
{
    return isfinite(number) && number < 9e15 ? json_integer((json_int_t)number) : json_null();
}

json_t *lotor_engine_outlook(lotor_engine *engine, const char *name, lotor_refusal *refusal)
{
    forecast found;
    lotor_campaign *campaign = lotor_table_find_or_refuse(engine, name, refusal);
    if (!campaign) {
        return NULL;
    }
    const uint64_t now = lotor_engine_time(engine);
    pthread_mutex_lock(&campaign->lock);
    campaign->is_looked_at = true;
    lotor_outlook_mark(campaign, now);
    look_ahead(campaign, now, &found);
    pthread_mutex_unlock(&campaign->lock);
    json_t *out = NULL;
    if (lotor_text_status(&found.why, NULL) == LOTOR_OK) {
        out = json_pack("{s:b, s:o, s:o, s:s}", "decided", found.is_decided, "rounds",
                        whole_or_null(found.rounds), "seconds", whole_or_null(found.seconds), "why",
                        found.why.bytes);
    }
    lotor_text_clear(&found.why);
    if (!out) {
        lotor_refuse_memory(refusal);
    }
    return out;
}
