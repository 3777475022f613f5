/* demo_shelf.c - the items of the demo, and statistics about the last people. */
#ifdef LOTOR_SERVICE
#include "cli/demo.h"

const demo_item demo_shelf[DEMO_ITEMS] = {
    {"allergies", 0.27},   {"anxiety", 0.80},  {"back-pain", 0.42},     {"burnout", 0.85},
    {"cholesterol", 0.15}, {"cold", 0.08},     {"contraception", 0.36}, {"debt", 0.70},
    {"diabetes", 0.21},    {"drinking", 0.45}, {"fasting", 0.30},       {"flu-shots", 0.05},
    {"gambling", 0.24},    {"grief", 0.40},    {"headache", 0.33},      {"menopause", 0.18},
    {"sleep", 0.75},       {"smoking", 0.12},  {"teeth", 0.06},         {"therapy", 0.10},
};

double demo_heard(size_t item)
{
    return (1.0 - DEMO_SILENT) * demo_shelf[item].liked;
}

bool demo_is_best(size_t item)
{
    size_t better = 0;
    for (size_t i = 0; i < DEMO_ITEMS; i++) {
        better += demo_shelf[i].liked > demo_shelf[item].liked;
    }
    return better < DEMO_SLOTS;
}

double demo_best(void)
{
    double sum = 0.0;
    for (size_t i = 0; i < DEMO_ITEMS; i++) {
        sum += demo_is_best(i) ? demo_heard(i) : 0.0;
    }
    return sum;
}

double demo_random(void)
{
    double sum = 0.0;
    for (size_t i = 0; i < DEMO_ITEMS; i++) {
        sum += demo_heard(i);
    }
    return sum * (double)DEMO_SLOTS / (double)DEMO_ITEMS;
}

uint64_t demo_recent(const demo_tally *tally)
{
    return tally->shown < DEMO_RECENT ? tally->shown : DEMO_RECENT;
}

double demo_recent_likes(const demo_tally *tally)
{
    const uint64_t count = demo_recent(tally);
    double sum = 0.0;
    for (uint64_t i = 0; i < count; i++) {
        sum += tally->recent_likes[i];
    }
    return count > 0 ? sum / (double)count : 0.0;
}

double demo_recent_share(const demo_tally *tally, size_t item)
{
    const uint64_t count = demo_recent(tally);
    double sum = 0.0;
    for (uint64_t i = 0; i < count; i++) {
        for (size_t slot = 0; slot < DEMO_SLOTS; slot++) {
            sum += tally->recent_items[i][slot] == item;
        }
    }
    return count > 0 ? sum / (double)count : 0.0;
}

double demo_recent_best(const demo_tally *tally)
{
    double sum = 0.0;
    for (size_t i = 0; i < DEMO_ITEMS; i++) {
        sum += demo_is_best(i) ? demo_recent_share(tally, i) : 0.0;
    }
    return sum / (double)DEMO_SLOTS;
}
#endif
