/* metrics.c - the metrics for Prometheus. The count of feedback is private, so a role is
 * needed. */
#include <inttypes.h>

#include "base/text.h"
#include "service/engine/inside.h"

static uint64_t value(const _Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

static void one(lotor_text *text, const char *name, const char *type, const char *help,
                uint64_t number)
{
    lotor_text_print(text, "# HELP lotor_%s %s\n# TYPE lotor_%s %s\nlotor_%s %" PRIu64 "\n", name,
                     help, name, type, name, number);
}

static void add_histogram(lotor_text *text, const lotor_engine_counts *counters)
{
    lotor_text_add(text, "# HELP lotor_commit_seconds How long commits took.\n"
                         "# TYPE lotor_commit_seconds histogram\n");
    uint64_t sum = 0;
    for (size_t i = 0; i <= LOTOR_COMMIT_BUCKETS; i++) {
        sum += value(&counters->commit_buckets[i]);
        lotor_text_add(text, "lotor_commit_seconds_bucket{le=\"");
        if (i < LOTOR_COMMIT_BUCKETS) {
            lotor_text_fixed(text, (double)((uint64_t)250 << i) * 1e-6, 6);
        } else {
            lotor_text_add(text, "+Inf");
        }
        lotor_text_print(text, "\"} %" PRIu64 "\n", sum);
    }
    lotor_text_add(text, "lotor_commit_seconds_sum ");
    lotor_text_fixed(text, (double)value(&counters->commit_microseconds) * 1e-6, 6);
    lotor_text_print(text, "\nlotor_commit_seconds_count %" PRIu64 "\n", sum);
}

/* The numbers of a campaign for Prometheus. */
typedef struct campaign_metric {
    const char *name, *type, *help;
    bool is_of_time; /* it depends on when rounds become final */
    uint64_t (*count)(const lotor_campaign *campaign);
} campaign_metric;

static uint64_t count_decisions(const lotor_campaign *campaign)
{
    return campaign->decisions;
}

static uint64_t count_releases(const lotor_campaign *campaign)
{
    return campaign->releases;
}

static uint64_t count_open_rounds(const lotor_campaign *campaign)
{
    return campaign->decisions > campaign->ended ? campaign->decisions - campaign->ended : 0;
}

static uint64_t count_open(lotor_engine *engine, uint64_t *campaigns)
{
    uint64_t open = 0;
    pthread_rwlock_rdlock(&engine->table_lock);
    *campaigns = engine->campaign_count;
    for (size_t i = 0; i < engine->campaign_count; i++) {
        lotor_campaign *campaign = engine->by_place[i];
        pthread_mutex_lock(&campaign->lock);
        open += count_open_rounds(campaign);
        pthread_mutex_unlock(&campaign->lock);
    }
    pthread_rwlock_unlock(&engine->table_lock);
    return open;
}

static const campaign_metric campaign_metrics[] = {
    {"decisions_total", "counter", "Decisions of the campaign, by all servers.", false,
     count_decisions},
    {"releases_total", "counter", "Releases of the campaign.", false, count_releases},
    {"rounds_open", "gauge",
     "Rounds of the campaign that are not final yet; not for campaigns with early_release.", true,
     count_open_rounds},
};

/* The numbers of each campaign are public: displays are public, releases are published, and a round
 * becomes final at a time that does not depend on feedback. With early_release that time does
 * depend on feedback, so the number of open rounds is left out. */
static void add_campaigns(lotor_text *text, lotor_engine *engine)
{
    pthread_rwlock_rdlock(&engine->table_lock);
    for (size_t j = 0; j < sizeof campaign_metrics / sizeof *campaign_metrics; j++) {
        const campaign_metric *const metric = &campaign_metrics[j];
        lotor_text_print(text, "# HELP lotor_campaign_%s %s\n# TYPE lotor_campaign_%s %s\n",
                         metric->name, metric->help, metric->name, metric->type);
        for (size_t i = 0; i < engine->campaign_count; i++) {
            lotor_campaign *const campaign = engine->by_place[i];
            pthread_mutex_lock(&campaign->lock);
            const uint64_t count = metric->count(campaign);
            pthread_mutex_unlock(&campaign->lock);
            if (!metric->is_of_time || !campaign->is_early) {
                lotor_text_print(text, "lotor_campaign_%s{campaign=\"%s\"} %" PRIu64 "\n",
                                 metric->name, campaign->name, count);
            }
        }
    }
    pthread_rwlock_unlock(&engine->table_lock);
}

char *lotor_engine_metrics(lotor_engine *engine)
{
    const lotor_engine_counts *counters = &engine->counters;
    lotor_text text = {0};
    uint64_t campaigns, open = count_open(engine, &campaigns);
    one(&text, "decisions_total", "counter", "Decisions handed out since the start.",
        value(&counters->decisions));
    one(&text, "feedback_total", "counter",
        "Feedback acknowledged since the start, repeats included. Private: for the operator only.",
        value(&counters->feedback));
    one(&text, "rounds_final_total", "counter", "Rounds that became final since the start.",
        value(&counters->rounds));
    one(&text, "releases_total", "counter", "Rounds that released something since the start.",
        value(&counters->releases));
    one(&text, "commits_total", "counter", "Commits since the start.", value(&counters->commits));
    one(&text, "store_failures_total", "counter",
        "Steps of the engine in which the store refused something.", value(&counters->failures));
    one(&text, "rounds_open", "gauge", "Rounds that are not final yet.", open);
    one(&text, "campaigns", "gauge", "Campaigns, closed ones included.", campaigns);
    one(&text, "ready", "gauge", "1 if the last commit succeeded, else 0.",
        lotor_engine_is_ready(engine));
    one(&text, "uptime_seconds", "gauge", "Seconds since the start.",
        (lotor_engine_boot(engine) - engine->started_at) / 1000);
    add_histogram(&text, counters);
    add_campaigns(&text, engine);
    if (lotor_text_status(&text, NULL) != LOTOR_OK) {
        lotor_text_clear(&text);
        return NULL;
    }
    return text.bytes;
}
