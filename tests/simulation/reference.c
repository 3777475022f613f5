/* reference.c - the reference model and its checks. See reference.h. */
#include "simulation/reference.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/engine/fill.h"
#include "service/little.h"
#include "simulation/rows.h"

enum { ARMS_MOST = 8, ANSWERS = 8, SUMS_MOST = 4096, FACT_BYTES = 40 };

/* One value that was sent for a decision, however often. */
typedef struct answer {
    double value;
    bool is_acknowledged;
    uint64_t lsn; /* if it was acknowledged: the commit that has it */
} answer;

typedef struct decision {
    bool is_shown;
    bool is_recorded,
        was_recorded; /* blanks: what it shows is in the log, and was before the seal */
    uint64_t record_lsn;
    bool was_refused; /* feedback for it was refused for good, because it was not recorded */
    size_t arm;
    uint64_t user; /* to whom it was shown; 0: not known */
    /* blanks of campaigns that count users: the user in the record, and what became of it */
    lotor_user who;
    bool is_refused;
    answer answers[ANSWERS];
    size_t answer_count;
    uint64_t sends; /* how often feedback was sent, repeats included */
} decision;

typedef struct block {
    uint64_t first, count, nonce, until, deadline, lsn;
    /* changes of the specification up to this order were known when it was drawn */
    uint64_t guarded;
    bool is_direct;    /* drawn for one request: all of it counts as handed out */
    bool is_blank;     /* numbers only: those count that are recorded */
    bool has_report;   /* its holder has written a handout */
    uint64_t reported; /* later decisions of the block were not shown */
    uint64_t report_lsn;
    bool is_sealed, is_final;
    bool was_reported; /* the handout came before the seal, so the owner has read it */
} block;

/* One released sum: the decisions of one arm after `from`, up to `to`. */
typedef struct batch {
    size_t arm;
    uint64_t from, to, count, number, lsn;
    double value;
} batch;

typedef struct campaign {
    uint64_t id;
    char name[72];
    double default_reward;
    uint64_t cap, max_open;
    bool is_in_budget;
    bool counts_at_entry; /* users are counted when their rounds are entered */
    uint64_t *entered;    /* there: the decisions that count, in order */
    size_t entered_count, entered_room;
    bool is_sticky;       /* a user gets the same decision again until the end of the simulation */
    uint64_t *own_counts; /* sticky campaigns: the decisions of each user */
    size_t owners;
    size_t arms;
    /* is_halted: closed, paused, archived or deleted */
    bool is_halted, is_deleted, is_paused[ARMS_MOST];
    uint64_t paused_order[ARMS_MOST], halted_order; /* the order of the commit with the change */
    uint64_t paused_at[ARMS_MOST];                  /* the time of that commit */
    char ids[ARMS_MOST][8];            /* an arm that was refused leaves a gap in the ids */
    bool has_facts, is_early, is_gone; /* is_gone: its creation was lost */
    uint64_t created_lsn;
    block *blocks;
    size_t block_count, block_room;
    decision *decisions; /* the first decision is number 1 */
    size_t decision_count, decision_room;
    batch *batches;
    size_t batch_count, batch_room;
    uint64_t last_time, releases; /* of its releases */
    uint64_t *user_counts;
    size_t users;
    bool has_lost_users; /* the counts of users went back with the database */
    bool has_lost_release;
    uint64_t *lost; /* nonces of blocks that were lost with a tail of the log */
    size_t lost_count, lost_room;
} campaign;

/* Feedback that has no reply yet. */
typedef struct sent {
    uint64_t campaign, number, nonce, expires;
    int server;
    uint64_t lsn; /* of the append that may have it; 0: none */
    double value;
    bool is_open;
} sent;

struct reference {
    sim *world;
    campaign **campaigns;
    size_t count, room;
    sent *sent;
    size_t sent_count, sent_room, sent_first; /* all entries before sent_first are closed */
    reference_count counts;
    double *sums, *more;
    const lotor_server_key *server_key;
    uint64_t *spent; /* for each user: rounds in all campaigns of the budget */
    size_t spenders;
    bool has_lost_spending; /* it went back with the database */
};

static void *must(void *memory)
{
    if (!memory) {
        fprintf(stderr, "simulation: no memory\n");
        abort();
    }
    return memory;
}

#define GROW(list, count, room)                                                                    \
    do {                                                                                           \
        if ((count) == (room)) {                                                                   \
            (room) = (room) ? 2 * (room) : 16;                                                     \
            (list) = must(realloc((list), (room) * sizeof *(list)));                               \
        }                                                                                          \
    } while (0)

/* A handout as the engine writes it (append.c): stream, first, last, nonce, handed; sealed. */
static bool open_report(const lotor_server_key *server_key, uint64_t id, const lotor_log_row *row,
                        uint64_t *first, uint64_t *nonce, uint64_t *handed)
{
    unsigned char plain[40];
    if (row->length != sizeof plain + LOTOR_SERVER_KEY_OVERHEAD ||
        lotor_server_key_unseal(server_key, LOTOR_SEAL_HANDOUT, id, row->seq, row->bytes,
                                row->length, plain)) {
        return false;
    }
    *first = lotor_get_u64(plain + 8);
    *nonce = lotor_get_u64(plain + 24);
    *handed = lotor_get_u64(plain + 32);
    return true;
}

reference *reference_new(sim *world, const lotor_server_key *server_key)
{
    reference *model = must(calloc(1, sizeof *model));
    model->world = world;
    model->server_key = server_key;
    model->sums = must(calloc(2 * (size_t)SUMS_MOST, sizeof *model->sums));
    model->more = model->sums + SUMS_MOST;
    return model;
}

void reference_free(reference *model)
{
    if (!model) {
        return;
    }
    for (size_t i = 0; i < model->count; i++) {
        campaign *one = model->campaigns[i];
        free(one->blocks);
        free(one->decisions);
        free(one->batches);
        free(one->user_counts);
        free(one->own_counts);
        free(one->entered);
        free(one->lost);
        free(one);
    }
    free(model->campaigns);
    free(model->sent);
    free(model->sums);
    free(model->spent);
    free(model);
}

static campaign *find(const reference *model, uint64_t id)
{
    for (size_t i = 0; i < model->count; i++) {
        if (model->campaigns[i]->id == id && !model->campaigns[i]->is_gone) {
            return model->campaigns[i];
        }
    }
    return NULL;
}

uint64_t reference_campaign(const reference *model, const char *name)
{
    for (size_t i = 0; i < model->count; i++) {
        if (!model->campaigns[i]->is_gone && strcmp(model->campaigns[i]->name, name) == 0) {
            return model->campaigns[i]->id;
        }
    }
    return 0;
}

static decision *decision_of(const campaign *one, uint64_t number)
{
    return number > 0 && number <= one->decision_count ? &one->decisions[number - 1] : NULL;
}

static block *block_of(const campaign *one, uint64_t number)
{
    size_t low = 0, high = one->block_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (one->blocks[middle].first <= number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    block *found = low ? &one->blocks[low - 1] : NULL;
    return found && number < found->first + found->count ? found : NULL;
}

bool reference_is_lost(const reference *model, uint64_t id, uint64_t nonce)
{
    for (size_t i = 0; i < model->count; i++) {
        const campaign *one = model->campaigns[i];
        for (size_t j = 0; one->id == id && j < one->lost_count; j++) {
            if (one->lost[j] == nonce) {
                return true;
            }
        }
    }
    return false;
}

static lotor_lease lease_of(const reference *model, uint64_t id)
{
    const db_cell *cell = db_read(model->world->base, NULL, DB_LEASES, (db_key){{id, 0, 0}});
    return cell ? row_lease(cell) : (lotor_lease){0};
}

/* --- released sums ---------------------------------------------------------------------------- */

static bool add_option(double *sums, size_t *count, const double *from, size_t from_count,
                       double value)
{
    if (*count + from_count > SUMS_MOST) {
        return false;
    }
    for (size_t i = 0; i < from_count; i++) {
        sums[(*count)++] = from[i] + value;
    }
    return true;
}

static bool is_acknowledged(const decision *at)
{
    bool is = false;
    for (size_t i = 0; i < at->answer_count; i++) {
        is = is || at->answers[i].is_acknowledged;
    }
    return is;
}

/* Adds all sums that the feedback of a decision allows. Acknowledged feedback counts (the first,
 * if there are several). Feedback without a reply may count. False: there are too many sums. */
static bool add_decision(reference *model, const campaign *one, const decision *at, size_t *count)
{
    size_t made = 0;
    bool fits = true;
    if (!is_acknowledged(at)) {
        fits = add_option(model->more, &made, model->sums, *count, one->default_reward);
    }
    for (size_t i = 0; fits && i < at->answer_count; i++) {
        fits = add_option(model->more, &made, model->sums, *count, at->answers[i].value);
    }
    double *swapped = model->sums;
    model->sums = model->more;
    model->more = swapped;
    *count = made;
    return fits;
}

/* The course of a decision. It counts as handed out, unless its holder's handout says otherwise and
 * was read before the block ended. The owner may or may not read a handout that came after the seal.
 * Of blanks, those count whose record was read. */
typedef enum entry { ENTERED, VOID, EITHER } entry;
static entry entry_of(const campaign *one, uint64_t number)
{
    const block *in = block_of(one, number);
    const decision *at = decision_of(one, number);
    if (in && in->is_blank && at->is_refused) {
        return VOID; /* its user is over the cap or the budget */
    }
    if (in && in->is_blank) {
        return at->was_recorded ? ENTERED : at->is_recorded ? EITHER : VOID;
    }
    if (!in || at->is_shown || !in->has_report || number < in->first + in->reported) {
        return ENTERED;
    }
    return in->was_reported ? VOID : EITHER;
}

static void check_batch(reference *model, const campaign *one, const batch *sum)
{
    sim *world = model->world;
    size_t shown = 0, unshown = 0, entered = 0, count = 1;
    bool is_exact = true;
    model->sums[0] = 0;
    for (uint64_t number = sum->from + 1; number <= sum->to; number++) {
        const decision *at = decision_of(one, number);
        if (!at) {
            sim_violate(world,
                        "%s: release %" PRIu64 " is of decision %" PRIu64 ", which was never drawn",
                        one->name, sum->number, number);
            return;
        }
        entry fate = entry_of(one, number);
        if (fate != ENTERED && !(at->is_refused && at->was_recorded) && is_acknowledged(at)) {
            sim_violate(world,
                        "%s: the answer to decision %" PRIu64
                        " was acknowledged, and what it shows was not recorded",
                        one->name, number);
            return;
        }
        if (!at->is_shown || fate != ENTERED) {
            unshown += fate != VOID;
            entered += fate == ENTERED && one->arms == 1;
            is_exact = is_exact && !(at->is_shown && fate == EITHER && at->arm == sum->arm);
        } else if (at->arm == sum->arm) {
            shown++;
            is_exact = is_exact && add_decision(model, one, at, &count);
        }
    }
    if (sum->count < shown + entered || sum->count > shown + unshown) {
        sim_violate(world,
                    "%s: release %" PRIu64 " of arm %zu counts %" PRIu64 " displays in %" PRIu64
                    "..%" PRIu64 ": %zu were shown, of the others %zu must and %zu may count",
                    one->name, sum->number, sum->arm, sum->count, sum->from + 1, sum->to, shown,
                    entered, unshown);
        return;
    }
    if (!is_exact) {
        model->counts.vague++;
        return;
    }
    double rest = (double)(sum->count - shown) * one->default_reward;
    double nearest = INFINITY;
    for (size_t i = 0; i < count; i++) {
        double distance = fabs(model->sums[i] + rest - sum->value);
        nearest = distance < nearest ? distance : nearest;
    }
    if (nearest > 3e-4) { /* rewards are multiples of 1/1024; the noise is about 2^-20 */
        sim_violate(world,
                    "%s: release %" PRIu64 " of arm %zu, decisions %" PRIu64 "..%" PRIu64
                    ": %.6f was released, and no sum of the answers is nearer than %.6f: an answer "
                    "was lost, "
                    "or counted twice",
                    one->name, sum->number, sum->arm, sum->from + 1, sum->to, sum->value, nearest);
    }
}

/* Checks a released batch again, because news about one of its decisions came after the release. */
static void check_again(reference *model, const campaign *one, uint64_t number)
{
    for (size_t i = 0; i < one->batch_count; i++) {
        if (one->batches[i].from < number && number <= one->batches[i].to) {
            check_batch(model, one, &one->batches[i]);
        }
    }
}

static uint64_t last_to(const campaign *one, size_t arm)
{
    uint64_t last = 0;
    for (size_t i = 0; i < one->batch_count; i++) {
        if (one->batches[i].arm == arm) {
            last = one->batches[i].to;
        }
    }
    return last;
}

/* The decision whose round made a release. Where users are counted at the entry, a release says only how
 * many rounds count. */
static uint64_t decision_of_release(reference *model, const campaign *one,
                                    const lotor_release_row *row)
{
    if (!one->counts_at_entry) {
        return row->time;
    }
    if (row->time == 0 || row->time > one->entered_count) {
        sim_violate(model->world,
                    "%s: release %" PRIu64 " is of round %" PRIu64 ", and %zu rounds count",
                    one->name, row->number, row->time, one->entered_count);
        return 0;
    }
    return one->entered[row->time - 1];
}

static void take_facts(reference *model, campaign *one, const lotor_release_row *row, uint64_t lsn)
{
    for (size_t at = 0; one->has_facts && row->facts && at + FACT_BYTES <= row->facts_length;
         at += FACT_BYTES) {
        const unsigned char *bytes = row->facts + at;
        batch sum = {.arm = (size_t)lotor_get_u64(bytes + 8),
                     .count = lotor_get_u64(bytes + 24),
                     .to = decision_of_release(model, one, row),
                     .number = row->number,
                     .lsn = lsn};
        uint64_t value = lotor_get_u64(bytes + 16);
        memcpy(&sum.value, &value, sizeof sum.value);
        sum.from = last_to(one, sum.arm);
        if (one->arms == 1 && model->world->trace) {
            sim_trace(model->world, sum.count);
        }
        GROW(one->batches, one->batch_count, one->batch_room);
        one->batches[one->batch_count++] = sum;
        model->counts.batches++;
        check_batch(model, one, &sum);
    }
    if (one->arms > 1) {
        model->world->trace = 0; /* from now on, what is shown may depend on feedback */
    }
}

/* --- commits ---------------------------------------------------------------------------------- */

static void read_arms(campaign *one, const json_t *arms, uint64_t order, uint64_t now)
{
    size_t i;
    json_t *arm;
    one->arms = json_array_size(arms);
    json_array_foreach(arms, i, arm)
    {
        bool is_paused = json_is_true(json_object_get(arm, "paused"));
        if (i < ARMS_MOST && is_paused != one->is_paused[i]) {
            one->is_paused[i] = is_paused;
            one->paused_order[i] = order;
            one->paused_at[i] = now;
        }
        if (i < ARMS_MOST) {
            const char *id = json_string_value(json_object_get(arm, "id"));
            snprintf(one->ids[i], sizeof one->ids[i], "%s", id ? id : "");
        }
    }
}

/* The place of an arm in the specification; ARMS_MOST: it is not there. */
static size_t arm_of(const campaign *one, const char *id)
{
    size_t arm = 0;
    while (arm < ARMS_MOST && (arm >= one->arms || strcmp(one->ids[arm], id) != 0)) {
        arm++;
    }
    return arm;
}

/* True if the campaign may show anything. */
static void read_phase(campaign *one, const json_t *spec, bool closed, uint64_t order)
{
    one->is_deleted = json_is_true(json_object_get(spec, "deleted"));
    const bool is_halted = closed || one->is_deleted ||
                           json_is_true(json_object_get(spec, "paused")) ||
                           json_is_true(json_object_get(spec, "archived"));
    if (is_halted && !one->is_halted) {
        one->halted_order = order;
    }
    one->is_halted = is_halted;
}

static void commit_campaign(reference *model, const db_change *change, const db_tx *tx)
{
    if (!change->after) {
        sim_violate(model->world, "a campaign was deleted");
        return;
    }
    lotor_campaign_row row = row_campaign(change->after);
    campaign *one = change->before ? find(model, row.id) : must(calloc(1, sizeof *one));
    if (!one) {
        return;
    }
    json_t *spec = json_loads(row.spec, 0, NULL);
    read_arms(one, json_object_get(spec, "arms"), tx->order, model->world->now);
    read_phase(one, spec, row.closed, tx->order);
    if (!change->before) {
        const char *algorithm = json_string_value(json_object_get(spec, "algorithm"));
        one->id = row.id;
        one->created_lsn = tx->lsn;
        snprintf(one->name, sizeof one->name, "%s", row.name);
        one->default_reward = json_number_value(json_object_get(spec, "default_reward"));
        one->cap = (uint64_t)json_integer_value(json_object_get(spec, "rounds_per_user"));
        one->max_open = (uint64_t)json_integer_value(json_object_get(spec, "max_open"));
        one->is_sticky = json_is_integer(json_object_get(spec, "sticky_seconds"));
        one->is_in_budget = json_is_string(json_object_get(spec, "budget"));
        one->is_early = json_is_true(json_object_get(spec, "early_release"));
        one->counts_at_entry =
            (one->cap > 0 || one->is_in_budget) && !one->is_sticky && !one->is_early;
        one->has_facts = algorithm && (strcmp(algorithm, "batch-klucb") == 0 ||
                                       strcmp(algorithm, "lik-imed") == 0);
        GROW(model->campaigns, model->count, model->room);
        model->campaigns[model->count++] = one;
        model->counts.campaigns++;
    }
    json_decref(spec);
}

static void commit_block(reference *model, const db_change *change, const db_tx *tx)
{
    sim *world = model->world;
    campaign *one = find(model, change->key.at[0]);
    if (!one) {
        sim_violate(world, "a block of a campaign that is not there");
        return;
    }
    if (change->before && change->after) {
        sim_violate(world, "%s: the row of block %" PRIu64 " was changed", one->name,
                    change->key.at[1]);
    }
    if (!change->after) {
        lotor_block_row row = row_block(change->before);
        if (row.first + row.count - 1 > lease_of(model, one->id).final && !one->is_deleted) {
            sim_violate(world, "%s: block %" PRIu64 " was deleted before it was final", one->name,
                        row.first);
        }
        return;
    }
    lotor_block_row row = row_block(change->after);
    if (one->is_deleted) {
        sim_violate(world, "%s: block %" PRIu64 " was drawn after the campaign was deleted",
                    one->name, row.first);
    }
    if (row.first != one->decision_count + 1 || row.count == 0) {
        sim_violate(world, "%s: block %" PRIu64 " does not follow decision %zu", one->name,
                    row.first, one->decision_count);
        return;
    }
    if (one->block_count && row.deadline < one->blocks[one->block_count - 1].deadline &&
        !world->has_jumped) { /* after a jump of the clock, deadlines are moved */
        sim_violate(world,
                    "%s: the deadline of block %" PRIu64 " is before that of the previous block",
                    one->name, row.first);
    }
    if (one->is_halted && one->halted_order <= tx->guarded) {
        sim_violate(world, "%s: block %" PRIu64 " was drawn after the campaign was halted",
                    one->name, row.first);
    }
    if (one->max_open &&
        row.first + row.count - 1 - lease_of(model, one->id).final > one->max_open) {
        sim_violate(world, "%s: more than %" PRIu64 " decisions are open", one->name,
                    one->max_open);
    }
    if (row.first <= lease_of(model, one->id).sealed) {
        sim_violate(world, "%s: block %" PRIu64 " was drawn behind the seal", one->name, row.first);
    }
    sim_say(world,
            "  committed: block %" PRIu64 "..%" PRIu64 " of %s for server %" PRIx64
            ", until %" PRIu64 " deadline %" PRIu64 "%s",
            row.first, row.first + row.count - 1, one->name, row.holder >> 48, row.until,
            row.deadline,
            row.want % 2            ? ", direct"
            : row.drawn_length == 0 ? ", blanks"
                                    : "");
    sim_trace(world, one->id);
    sim_trace(world, row.first + (row.count << 32));
    sim_trace(world, row.until);
    sim_trace(world, row.deadline);
    GROW(one->blocks, one->block_count, one->block_room);
    one->blocks[one->block_count++] = (block){.first = row.first,
                                              .count = row.count,
                                              .nonce = row.nonce,
                                              .until = row.until,
                                              .deadline = row.deadline,
                                              .lsn = tx->lsn,
                                              .guarded = tx->guarded,
                                              .is_direct = row.want % 2 == 1,
                                              .is_blank = row.drawn_length == 0};
    for (uint64_t i = 0; i < row.count; i++) {
        GROW(one->decisions, one->decision_count, one->decision_room);
        one->decisions[one->decision_count++] = (decision){0};
    }
    model->counts.decisions += row.count;
}

/* The decisions of the block after those that were handed out were not shown. */
static void commit_report(reference *model, campaign *one, const lotor_log_row *row, uint64_t lsn)
{
    uint64_t first, nonce, handed;
    if (!open_report(model->server_key, one->id, row, &first, &nonce, &handed)) {
        sim_violate(model->world, "%s: a report that can't be opened", one->name);
        return;
    }
    block *in = block_of(one, first);
    if (!in || in->nonce != nonce || in->first != first || in->has_report) {
        return; /* the block is final or lost; or it is not the first handout: only the first counts */
    }
    in->has_report = true;
    in->reported = handed;
    in->report_lsn = lsn;
    for (uint64_t number = first + handed; number < first + in->count; number++) {
        if (decision_of(one, number)->is_shown) {
            sim_violate(model->world,
                        "%s: decision %" PRIu64
                        " was shown, and its block's report says that it was not",
                        one->name, number);
        }
    }
}

/* True if the record names the user, whom the clients call u1, u2, ... */
static bool is_user(const reference *model, const campaign *one, const lotor_user *who,
                    uint64_t user)
{
    char name[32];
    unsigned char hash[16];
    snprintf(name, sizeof name, "u%" PRIu64, user);
    lotor_server_key_user(model->server_key, one->id, name, strlen(name), hash);
    return memcmp(hash, who->hash, sizeof hash) == 0;
}

/* The displays of blanks. */
static void commit_shown(reference *model, campaign *one, const lotor_log_row *row, uint64_t lsn)
{
    enum { PLACE = 24 };
    uint32_t words[3 + 2 * ARMS_MOST];
    unsigned char *plain = must(malloc(row->length));
    if (row->length < PLACE + LOTOR_SERVER_KEY_OVERHEAD ||
        lotor_server_key_unseal(model->server_key, LOTOR_SEAL_SHOWN, one->id, row->seq, row->bytes,
                                row->length, plain)) {
        sim_violate(model->world, "%s: a record of blanks that can't be opened", one->name);
        free(plain);
        return;
    }
    lotor_fill fill;
    lotor_fill_reader reader = {.at = plain + PLACE,
                                .left = row->length - LOTOR_SERVER_KEY_OVERHEAD - PLACE,
                                .arms = ARMS_MOST,
                                .words = words};
    while (lotor_fill_next(&reader, &fill)) {
        block *in = block_of(one, fill.number);
        decision *at = decision_of(one, fill.number);
        if (!in || in->nonce != fill.nonce) {
            continue; /* a failover lost the block */
        }
        if (!at->is_shown || at->arm != fill.words[3] || !in->is_blank) {
            sim_violate(model->world,
                        "%s: decision %" PRIu64 " is recorded, and was not shown like that",
                        one->name, fill.number);
        }
        if (!at->is_recorded && at->was_refused && !in->is_sealed) {
            sim_violate(model->world,
                        "%s: decision %" PRIu64
                        " was called not recorded for good, and is recorded later",
                        one->name, fill.number);
        }
        if (one->counts_at_entry && at->user > 0 && !is_user(model, one, &fill.user, at->user)) {
            sim_violate(model->world, "%s: decision %" PRIu64 " is recorded for another user",
                        one->name, fill.number);
        }
        if (!at->is_recorded) {
            at->is_recorded = true;
            at->who = fill.user;
            at->was_recorded = !in->is_sealed;
            at->record_lsn = lsn;
            model->counts.blanks++;
        }
    }
    if (reader.is_damaged) {
        sim_violate(model->world, "%s: a record of blanks that can't be read", one->name);
    }
    free(plain);
}

static void commit_log(reference *model, const db_change *change, const db_tx *tx)
{
    campaign *one = find(model, change->key.at[0]);
    if (change->before && one) {
        lotor_log_row row = row_log(change->before);
        if (change->after) {
            sim_violate(model->world, "%s: a row of the log was changed", one->name);
        } else if (row.last > lease_of(model, one->id).final && !one->is_deleted) {
            sim_violate(model->world, "%s: a row of the log was deleted before it was final",
                        one->name);
        }
        return;
    }
    if (!change->after) {
        return;
    }
    lotor_log_row row = row_log(change->after);
    sim_say(model->world,
            "  committed by server %d: %s row %" PRIu64 "..%" PRIu64 " of campaign %" PRIu64
            ", stream %" PRIx64 ":%" PRIu64,
            tx->server,
            row.kind == LOTOR_LOG_HANDOUT ? "report"
            : row.kind == LOTOR_LOG_SHOWN ? "shown"
                                          : "feedback",
            row.first, row.last, change->key.at[0], row.stream >> 48, row.seq);
    if (row.kind == LOTOR_LOG_HANDOUT && one) {
        commit_report(model, one, &row, tx->lsn);
    }
    if (row.kind == LOTOR_LOG_SHOWN && one) {
        commit_shown(model, one, &row, tx->lsn);
    }
    for (size_t i = model->sent_first; row.kind == LOTOR_LOG_FEEDBACK && i < model->sent_count;
         i++) {
        sent *at = &model->sent[i];
        if (at->is_open && at->server == tx->server && at->campaign == change->key.at[0] &&
            at->number >= row.first && at->number <= row.last) {
            at->lsn = tx->lsn;
        }
    }
}

/* The newest release of a campaign that is in a server's head file. */
static uint64_t written_down(const reference *model, uint64_t id)
{
    uint64_t most = 0;
    for (size_t i = 0; i < model->world->server_count; i++) {
        const sim_server *server = &model->world->servers[i];
        for (size_t j = 0; j < server->told.count; j++) {
            const lotor_head_record *record = &server->told.records[j];
            most = record->campaign == id && record->number > most ? record->number : most;
        }
    }
    return most;
}

/* True if a server has seen a release of the campaign, or of another one of the budget, that was
 * lost. */
static bool lacks_release(const reference *model, const campaign *one)
{
    bool lacks = false;
    for (size_t i = 0; i < model->count && !lacks; i++) {
        const campaign *other = model->campaigns[i];
        const bool counts = other == one || (one->is_in_budget && other->is_in_budget);
        lacks = counts &&
                (other->has_lost_release ||
                 (!other->is_deleted && written_down(model, other->id | LOTOR_HEADS_DELETED) > 0) ||
                 written_down(model, other->id) > other->releases);
    }
    return lacks;
}

/* --- users who are counted when their rounds are entered ---------------------------------------- */

static uint64_t first_word(const db_cell *cell)
{
    uint64_t word = 0;
    if (cell) {
        memcpy(&word, cell->bytes, sizeof word);
    }
    return word;
}

/* How much a transaction has added to the first word of a row. */
static uint64_t added(const db_tx *tx, db_table table, uint64_t first, const unsigned char hash[16])
{
    for (size_t i = 0; i < tx->count; i++) {
        const db_change *change = &tx->changes[i];
        if (change->table == table && change->key.at[0] == first &&
            change->key.at[1] == lotor_get_u64(hash) &&
            change->key.at[2] == lotor_get_u64(hash + 8)) {
            return first_word(change->after) - first_word(change->before);
        }
    }
    return 0;
}

/* The rounds of a user that count, in this campaign or in all of the budget. Both only grow. */
static uint64_t count_entered(const campaign *one, const lotor_user *who, bool by_payer)
{
    uint64_t count = 0;
    for (size_t i = 0; i < one->entered_count; i++) {
        const lotor_user *other = &one->decisions[one->entered[i] - 1].who;
        count += by_payer ? memcmp(other->payer, who->payer, sizeof other->payer) == 0
                          : memcmp(other->hash, who->hash, sizeof other->hash) == 0;
    }
    return count;
}

static uint64_t count_spent(const reference *model, const lotor_user *who)
{
    uint64_t count = 0;
    for (size_t i = 0; i < model->count; i++) {
        const campaign *one = model->campaigns[i];
        count += one->is_in_budget && one->counts_at_entry && !one->is_gone
                     ? count_entered(one, who, true)
                     : 0;
    }
    return count;
}

/* True if something else may spend the budget, which the model does not see here. */
static bool has_other_spenders(const reference *model)
{
    bool has = model->has_lost_spending;
    for (size_t i = 0; i < model->count; i++) {
        has = has || (model->campaigns[i]->is_in_budget && !model->campaigns[i]->counts_at_entry);
    }
    return has;
}

/* A recorded round becomes final. The model counts by itself: a round counts if its user is below the
 * cap and the budget. Where a lost tail, other kinds of campaigns or a late record leave that open, it
 * gives up comparing sums. */
static void count_round(reference *model, campaign *one, uint64_t number)
{
    sim *world = model->world;
    decision *at = decision_of(one, number);
    const bool is_below_cap =
        one->cap == 0 || one->has_lost_users || count_entered(one, &at->who, false) < one->cap;
    const bool is_below_budget = !one->is_in_budget || model->has_lost_spending ||
                                 count_spent(model, &at->who) < SIM_BUDGET_ROUNDS;
    const bool is_open = !at->was_recorded || one->has_lost_users ||
                         (one->is_in_budget && has_other_spenders(model));
    at->is_refused = !(is_below_cap && is_below_budget);
    if (is_open && !at->is_refused) {
        one->has_facts = false;
    }
    if (!at->is_refused) {
        GROW(one->entered, one->entered_count, one->entered_room);
        one->entered[one->entered_count++] = number;
    }
    sim_say(world, "  %s: decision %" PRIu64 " %s", one->name, number,
            at->is_refused ? "is refused: its user is over a limit" : "counts for its user");
}

/* The table of users has as many new rounds as count, and no user has more than the cap. */
static void check_users(reference *model, const campaign *one, uint64_t from, uint64_t to,
                        const db_tx *tx)
{
    for (uint64_t number = from + 1; number <= to && one->has_facts && one->cap > 0; number++) {
        const decision *at = decision_of(one, number);
        uint64_t count = 0;
        for (uint64_t other = from + 1; at->is_recorded && other <= to; other++) {
            const decision *same = decision_of(one, other);
            count += same->is_recorded && !same->is_refused &&
                     memcmp(same->who.hash, at->who.hash, sizeof at->who.hash) == 0;
        }
        if (at->is_recorded && added(tx, DB_USERS, one->id, at->who.hash) != count) {
            sim_violate(model->world,
                        "%s: the user of decision %" PRIu64 " was counted %" PRIu64
                        " times, and has %" PRIu64 " rounds that count",
                        one->name, number, added(tx, DB_USERS, one->id, at->who.hash), count);
            return;
        }
    }
}

static void count_users(reference *model, campaign *one, uint64_t from, uint64_t to,
                        const db_tx *tx)
{
    if (!one->counts_at_entry || one->is_deleted) {
        return;
    }
    for (uint64_t number = from + 1; number <= to; number++) {
        const block *in = block_of(one, number);
        if (in && in->is_blank && decision_of(one, number)->is_recorded) {
            count_round(model, one, number);
        }
    }
    if (!model->world->lacks_users) {
        check_users(model, one, from, to, tx);
    }
}

static void commit_lease(reference *model, const db_change *change, const db_tx *tx)
{
    sim *world = model->world;
    campaign *one = find(model, change->key.at[0]);
    if (!one || !change->before || !change->after) {
        return;
    }
    lotor_lease was = row_lease(change->before), now = row_lease(change->after);
    if (now.final < was.final || now.sealed < was.sealed || now.epoch < was.epoch ||
        now.releases < was.releases) {
        sim_violate(world, "%s: final, sealed, epoch or releases went back", one->name);
    }
    if (now.final > now.sealed) {
        sim_violate(world, "%s: final is above sealed", one->name);
    }
    if (now.final > was.sealed) {
        sim_violate(world,
                    "%s: decisions up to %" PRIu64 " became final, and only those up to %" PRIu64
                    " were sealed before",
                    one->name, now.final, was.sealed);
    }
    if (now.owner != was.owner && now.owner != 0 && now.epoch == was.epoch) {
        sim_violate(world, "%s: the owner changed, and the epoch did not", one->name);
    }
    if (now.broken && !was.broken && !lacks_release(model, one)) {
        sim_violate(world, "%s: the campaign is broken, and no release was lost", one->name);
    }
    sim_say(world,
            "  committed by server %d: lease of %s: owner %" PRIx64 " epoch %" PRIu64
            " sealed %" PRIu64 " final %" PRIu64 " releases %" PRIu64 " due %" PRIu64 "%s",
            tx->server, one->name, now.owner >> 48, now.epoch, now.sealed, now.final, now.releases,
            now.due, now.broken ? " broken" : "");
    count_users(model, one, was.final, now.final, tx);
    bool is_moved = now.final != was.final || now.sealed != was.sealed;
    if (is_moved) {
        sim_trace(world, one->id);
        sim_trace(world, now.final);
        sim_trace(world, now.sealed);
        sim_trace(world, world->now);
        if (one->arms > 1 && !one->has_facts && now.final > was.final) {
            world->trace = 0; /* reports of the local model are used without a release */
        }
    }
    for (size_t i = 0; is_moved && i < one->block_count; i++) {
        block *at = &one->blocks[i];
        uint64_t last = at->first + at->count - 1;
        if (at->first <= now.sealed && last > now.sealed) {
            sim_violate(world, "%s: the seal is in the middle of block %" PRIu64, one->name,
                        at->first);
        }
        if (at->first > was.sealed && last <= now.sealed && !one->is_early && !world->has_jumped &&
            at->deadline >= sim_db_now(world)) {
            sim_violate(world, "%s: block %" PRIu64 " was sealed before its deadline", one->name,
                        at->first);
        }
        if (!at->is_sealed && last <= now.sealed) {
            at->is_sealed = true;
            at->was_reported = at->has_report;
        }
        at->is_final = last <= now.final;
    }
}

/* A server must not draw a release again that is in its head file, even if the release was lost. */
static void check_heads(reference *model, const campaign *one, const lotor_release_row *row,
                        int place)
{
    const sim_head_file *told = &model->world->servers[place].told;
    for (size_t i = 0; i < told->count; i++) {
        const lotor_head_record *record = &told->records[i];
        if (record->campaign == one->id && record->number >= row->number) {
            sim_violate(model->world,
                        "%s: server %d releases number %" PRIu64 " again, and has seen %" PRIu64,
                        one->name, place, row->number, record->number);
        }
    }
}

static void commit_release(reference *model, const db_change *change, const db_tx *tx)
{
    sim *world = model->world;
    campaign *one = find(model, change->key.at[0]);
    if (!one || !change->after) {
        sim_violate(world, "a release was deleted, or is of a campaign that is not there");
        return;
    }
    if (one->is_deleted) {
        sim_violate(world, "%s: a release came after the campaign was deleted", one->name);
    }
    lotor_release_row row = row_release(change->after);
    lotor_lease lease = lease_of(model, one->id);
    if (change->before || row.number != one->releases + 1) {
        sim_violate(world,
                    "%s: release %" PRIu64 " follows release %" PRIu64 ": noise was drawn twice",
                    one->name, row.number, one->releases);
        return;
    }
    if (row.time <= one->last_time || row.time > lease.final) {
        sim_violate(world,
                    "%s: release %" PRIu64 " is of decision %" PRIu64 ": the last was of %" PRIu64
                    ", and %" PRIu64 " are final",
                    one->name, row.number, row.time, one->last_time, lease.final);
    }
    one->releases = row.number;
    one->last_time = row.time;
    model->counts.releases++;
    if (one->arms == 1) {
        sim_trace(world, row.time);
    }
    check_heads(model, one, &row, tx->server);
    take_facts(model, one, &row, tx->lsn);
}

/* A campaign is created or changed together with one line of the audit log that names it. A line
 * that names no campaign is of a server's start. */
static void check_audit(reference *model, const db_tx *tx)
{
    size_t acts = 0, lines = 0;
    for (size_t i = 0; i < tx->count; i++) {
        const db_change *change = &tx->changes[i];
        if (change->table == DB_AUDIT && (change->before || change->after)) {
            if (change->before || !change->after) {
                sim_violate(model->world, "a line of the audit log was changed or deleted");
                return;
            }
            lotor_audit_row row = row_audit(change->after);
            lines += *row.campaign != '\0';
            if (row.number > 1 &&
                !db_read(model->world->base, NULL, DB_AUDIT, (db_key){{row.number - 1, 0, 0}})) {
                sim_violate(model->world, "the audit log has a gap before line %" PRIu64,
                            row.number);
            }
            if (strcmp(row.act, "accept-rollback") == 0) {
                continue;
            }
            if (strcmp(row.key, "sim") != 0) {
                sim_violate(model->world, "line %" PRIu64 " of the audit log names no key",
                            row.number);
            }
        }
        acts += change->table == DB_CAMPAIGNS && change->after != NULL;
    }
    if (acts != lines) {
        sim_violate(model->world, "%zu campaigns changed with %zu lines of the audit log", acts,
                    lines);
    }
}

/* Checks a transaction. Leases come first, since the other changes are compared with them.
 * Deletions come before new rows. */
void reference_commit(void *context, const db_tx *tx)
{
    reference *model = context;
    model->world->commits++;
    check_audit(model, tx);
    static const db_table order[] = {DB_CAMPAIGNS, DB_LEASES, DB_BLOCKS, DB_LOG, DB_RELEASES};
    for (size_t t = 0; t < sizeof order / sizeof *order; t++) {
        for (size_t i = 0; i < tx->count; i++) {
            const db_change *change = &tx->changes[i];
            if (change->table != order[t] || (!change->before && !change->after)) {
                continue;
            }
            switch (change->table) {
            case DB_CAMPAIGNS:
                commit_campaign(model, change, tx);
                break;
            case DB_LEASES:
                commit_lease(model, change, tx);
                break;
            case DB_BLOCKS:
                commit_block(model, change, tx);
                break;
            case DB_LOG:
                commit_log(model, change, tx);
                break;
            default:
                commit_release(model, change, tx);
            }
        }
    }
}

/* --- a lost tail ------------------------------------------------------------------------------ */

static void roll_back(reference *model, campaign *one, uint64_t lsn)
{
    sim *world = model->world;
    while (one->block_count && one->blocks[one->block_count - 1].lsn > lsn) {
        block *gone = &one->blocks[--one->block_count];
        GROW(one->lost, one->lost_count, one->lost_room);
        one->lost[one->lost_count++] = gone->nonce;
        one->decision_count = gone->first - 1;
    }
    for (size_t i = 0; i < one->block_count; i++) {
        block *at = &one->blocks[i];
        at->has_report = at->has_report && at->report_lsn <= lsn;
        at->is_sealed = at->first + at->count - 1 <= lease_of(model, one->id).sealed;
        at->was_reported = at->was_reported && at->is_sealed && at->has_report;
    }
    for (size_t i = 0; i < one->decision_count; i++) {
        decision *recorded = &one->decisions[i];
        recorded->is_recorded = recorded->is_recorded && recorded->record_lsn <= lsn;
        recorded->was_recorded = recorded->was_recorded && recorded->is_recorded;
        for (size_t j = 0; j < one->decisions[i].answer_count; j++) {
            answer *at = &one->decisions[i].answers[j];
            if (at->is_acknowledged && at->lsn > lsn) {
                if (world->mode != SIM_ASYNC) {
                    sim_violate(world,
                                "%s: the acknowledged answer to decision %zu was not durable",
                                one->name, i + 1);
                }
                at->is_acknowledged = false;
            }
        }
    }
    while (one->batch_count && one->batches[one->batch_count - 1].lsn > lsn) {
        one->batch_count--;
    }
    while (one->entered_count &&
           one->entered[one->entered_count - 1] > lease_of(model, one->id).final) {
        one->entered_count--;
    }
    one->has_facts = one->has_facts && !one->counts_at_entry; /* users may count once more */
    size_t place = db_from(world->base, DB_RELEASES, (db_key){{one->id, 0, 0}});
    one->releases = one->last_time = 0;
    for (; place < db_count(world->base, DB_RELEASES); place++) {
        const db_row *row = db_at(world->base, DB_RELEASES, place);
        if (row->key.at[0] != one->id) {
            break;
        }
        if (row->seen) {
            one->releases = row->key.at[1];
            one->last_time = row_release(row->seen).time;
        }
    }
    if (written_down(model, one->id) > one->releases) {
        one->has_lost_release = true;
    }
    one->has_lost_users = true;
    one->is_gone = one->created_lsn > lsn;
    const db_cell *cell = db_read(world->base, NULL, DB_CAMPAIGNS, (db_key){{one->id, 0, 0}});
    if (cell && !one->is_gone) {
        lotor_campaign_row row = row_campaign(cell);
        json_t *spec = json_loads(row.spec, 0, NULL);
        read_phase(one, spec, row.closed, world->base->last_order);
        json_decref(spec);
    }
}

void reference_rollback(void *context, uint64_t lsn)
{
    reference *model = context;
    model->has_lost_spending = true;
    for (size_t i = 0; i < model->count; i++) {
        if (!model->campaigns[i]->is_gone) {
            roll_back(model, model->campaigns[i], lsn);
        }
    }
    for (size_t i = model->sent_first; i < model->sent_count; i++) {
        model->sent[i].lsn = model->sent[i].lsn > lsn ? 0 : model->sent[i].lsn;
    }
}

bool reference_may_be_broken(const reference *model, uint64_t id)
{
    const campaign *one = find(model, id);
    return one && lacks_release(model, one);
}

bool reference_is_halted(const reference *model, uint64_t id)
{
    const campaign *one = find(model, id);
    return one && one->is_halted;
}

/* --- clients ---------------------------------------------------------------------------------- */

/* Adds a round of a user to a list that grows, and returns the number of rounds. */
static uint64_t count_user(uint64_t **counts, size_t *room, uint64_t user)
{
    if (user >= *room) {
        const size_t users = (size_t)user + 16;
        *counts = must(realloc(*counts, users * sizeof **counts));
        memset(*counts + *room, 0, (users - *room) * sizeof **counts);
        *room = users;
    }
    return ++(*counts)[user];
}

void reference_shown(reference *model, const sim_server *server, const lotor_event *event,
                     uint64_t expires, const char *id, uint64_t user)
{
    sim *world = model->world;
    campaign *one = find(model, event->campaign);
    block *in = one ? block_of(one, event->number) : NULL;
    const size_t arm = one ? arm_of(one, id) : ARMS_MOST;
    sim_trace(world, event->campaign);
    sim_trace(world, event->number);
    sim_trace(world, arm);
    sim_trace(world, world->now);
    if (!in || in->nonce != event->nonce) {
        if (!reference_is_lost(model, event->campaign, event->nonce)) {
            sim_violate(world,
                        "decision %" PRIu64 " of campaign %" PRIu64 " was shown, and was not drawn",
                        event->number, event->campaign);
        }
        return;
    }
    decision *at = decision_of(one, event->number);
    if (at->is_shown && one->is_sticky && user == at->user && arm == at->arm) {
        return; /* the user got it again */
    }
    if (at->is_shown) {
        sim_violate(world, "%s: decision %" PRIu64 " was shown twice, now by server %d", one->name,
                    event->number, server->place);
        return;
    }
    at->is_shown = true;
    at->arm = arm;
    at->user = user;
    if (user && one->is_sticky && !one->has_lost_users && !world->has_jumped &&
        count_user(&one->own_counts, &one->owners, user) > 1) {
        sim_violate(world, "%s: user %" PRIu64 " was shown a second decision, %" PRIu64, one->name,
                    user, event->number);
    }
    /* A front end fills blanks by the specification that it has read, which may be some seconds old. */
    const uint64_t late = in->is_blank ? 10000 : 0;
    if (arm < ARMS_MOST && one->is_paused[arm] && one->paused_order[arm] <= in->guarded &&
        world->now >= one->paused_at[arm] + late) {
        sim_violate(world,
                    "%s: decision %" PRIu64 " shows arm %zu, which was paused before it was drawn",
                    one->name, event->number, arm);
    }
    model->counts.shown++;
    if (world->mode == SIM_SYNC && in->lsn > world->base->durable_lsn) {
        sim_violate(world, "%s: decision %" PRIu64 " was shown before it was durable", one->name,
                    event->number);
    }
    if (in->has_report && event->number >= in->first + in->reported) {
        sim_violate(world,
                    "%s: decision %" PRIu64
                    " was shown, and its block's report says that it was not",
                    one->name, event->number);
    }
    if (!world->has_jumped && sim_db_now(world) > in->until && !in->is_direct) {
        sim_violate(world,
                    "%s: decision %" PRIu64 " was shown %" PRIu64 " ms too late by server %d",
                    one->name, event->number, sim_db_now(world) - in->until, server->place);
    }
    if (expires > in->deadline) {
        sim_violate(world, "%s: the event of decision %" PRIu64 " expires after its block",
                    one->name, event->number);
    }
    if (user && one->cap && !one->counts_at_entry && !one->has_lost_users &&
        count_user(&one->user_counts, &one->users, user) > one->cap) {
        sim_violate(world, "%s: user %" PRIu64 " has more rounds than %" PRIu64, one->name, user,
                    one->cap);
    }
    if (user && one->is_in_budget && !one->counts_at_entry && !model->has_lost_spending &&
        count_user(&model->spent, &model->spenders, user) > SIM_BUDGET_ROUNDS) {
        sim_violate(world,
                    "%s: user %" PRIu64 " has more than %d rounds in all campaigns of the budget",
                    one->name, user, SIM_BUDGET_ROUNDS);
    }
    check_again(model, one, event->number);
}

uint64_t reference_sent(reference *model, const sim_server *server, const lotor_event *event,
                        double value)
{
    GROW(model->sent, model->sent_count, model->sent_room);
    model->sent[model->sent_count] = (sent){.campaign = event->campaign,
                                            .number = event->number,
                                            .nonce = event->nonce,
                                            .expires = event->expires,
                                            .server = server->place,
                                            .value = value,
                                            .is_open = true};
    model->counts.answers++;
    campaign *one = find(model, event->campaign);
    block *in = one ? block_of(one, event->number) : NULL;
    if (in && in->nonce == event->nonce) {
        decision *at = decision_of(one, event->number);
        size_t i = 0;
        at->sends++;
        while (i < at->answer_count && at->answers[i].value != value) {
            i++;
        }
        if (i == at->answer_count && i < ANSWERS) {
            at->answers[at->answer_count++] = (answer){.value = value};
        }
    }
    return model->sent_count++;
}

void reference_replied(reference *model, uint64_t id, reference_reply reply)
{
    sent *at = &model->sent[id];
    at->is_open = false;
    while (model->sent_first < model->sent_count && !model->sent[model->sent_first].is_open) {
        model->sent_first++;
    }
    campaign *one = find(model, at->campaign);
    const block *in = one ? block_of(one, at->number) : NULL;
    if (reply == REPLY_NOT_RECORDED && in && in->nonce == at->nonce) {
        decision_of(one, at->number)->was_refused = true;
    }
    if (reply == REPLY_NOT_RECORDED && in && in->nonce == at->nonce &&
        (!in->is_blank || decision_of(one, at->number)->is_recorded)) {
        sim_violate(model->world, "%s: decision %" PRIu64 " was called not recorded, and is",
                    one->name, at->number);
    }
    if (reply == REPLY_LATE) {
        model->counts.late++;
        if (in && in->nonce == at->nonce && !one->is_early && !one->is_deleted &&
            !model->world->has_jumped && sim_db_now(model->world) < at->expires) {
            sim_violate(model->world,
                        "%s: an answer to decision %" PRIu64 " was called late %" PRIu64
                        " ms before the event expires",
                        one->name, at->number, at->expires - sim_db_now(model->world));
        }
    }
    if (reply != REPLY_ACKNOWLEDGED) {
        return;
    }
    model->counts.acknowledged++;
    if (!in || in->nonce != at->nonce) {
        if (!reference_is_lost(model, at->campaign, at->nonce)) {
            sim_violate(model->world,
                        "an answer to decision %" PRIu64 " was acknowledged, which was not drawn",
                        at->number);
        }
        return;
    }
    decision *one_decision = decision_of(one, at->number);
    /* With early_release, repeated feedback for a block that was sealed early needs no append. */
    bool is_repeat = one->is_early && one_decision->sends > 1;
    answer *found = NULL;
    for (size_t i = 0; i < one_decision->answer_count; i++) {
        answer *other = &one_decision->answers[i];
        is_repeat = is_repeat || other->is_acknowledged;
        found = other->value == at->value ? other : found;
    }
    if (at->lsn == 0 && !is_repeat && model->world->mode != SIM_ASYNC) {
        sim_violate(model->world,
                    "%s: an answer to decision %" PRIu64 " was acknowledged and not appended",
                    one->name, at->number);
    }
    if (found && at->lsn) {
        found->is_acknowledged = true;
        found->lsn = at->lsn;
        check_again(model, one, at->number);
    }
}

void reference_releases(reference *model, const sim_server *server, const char *name,
                        uint64_t releases)
{
    const campaign *one = find(model, reference_campaign(model, name));
    if (!one || one->has_lost_users) { /* a server may not know about a rollback yet */
        return;
    }
    uint64_t most = one->releases;
    if (model->world->mode == SIM_SYNC) { /* only durable releases count */
        const db_row *row;
        size_t place = db_from(model->world->base, DB_RELEASES, (db_key){{one->id, 0, 0}});
        for (most = 0; place < db_count(model->world->base, DB_RELEASES); place++) {
            row = db_at(model->world->base, DB_RELEASES, place);
            if (row->key.at[0] != one->id) {
                break;
            }
            most = row->seen && row->lsn <= model->world->base->durable_lsn ? row->key.at[1] : most;
        }
    }
    if (releases > most) {
        sim_violate(model->world,
                    "%s: server %d shows %" PRIu64 " releases, and %" PRIu64 " are durable", name,
                    server->place, releases, most);
    }
}

/* --- the end ---------------------------------------------------------------------------------- */

/* The first table that still has private rows of a deleted campaign; NULL: none has. */
static const char *left_over(const reference *model, uint64_t id)
{
    static const struct {
        db_table table;
        const char *name;
    } tables[] = {{DB_KEYS, "campaign_keys"},
                  {DB_STATES, "states"},
                  {DB_BLOCKS, "blocks"},
                  {DB_LOG, "log"},
                  {DB_USERS, "users"}};
    const db *base = model->world->base;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        size_t place = db_from(base, tables[i].table, (db_key){{id, 0, 0}});
        for (; place < db_count(base, tables[i].table); place++) {
            const db_row *row = db_at(base, tables[i].table, place);
            if (row->key.at[0] == id && row->seen) {
                return tables[i].name;
            }
        }
    }
    return NULL;
}

bool reference_is_settled(const reference *model, char *text, size_t size)
{
    for (size_t i = 0; i < model->count; i++) {
        const campaign *one = model->campaigns[i];
        lotor_lease lease = lease_of(model, one->id);
        if (one->is_gone || lease.broken) {
            continue;
        }
        if (one->is_deleted) {
            const char *const table = left_over(model, one->id);
            if (table) {
                snprintf(text, size, "%s was deleted, and table %s has rows of it", one->name,
                         table);
                return false;
            }
            continue;
        }
        if (lease.final != one->decision_count) {
            snprintf(text, size, "%s: %" PRIu64 " of %zu decisions are final, sealed are %" PRIu64,
                     one->name, lease.final, one->decision_count, lease.sealed);
            return false;
        }
    }
    return true;
}

bool reference_is_covered(const reference *model, uint64_t id)
{
    const campaign *one = find(model, id);
    if (!one || !one->has_facts || one->arms != 1 || one->decision_count > 400) {
        return true;
    }
    uint64_t last = last_to(one, 0);
    for (uint64_t number = last + 1; number <= one->decision_count; number++) {
        if (one->decisions[number - 1].answer_count) {
            return false;
        }
    }
    return true;
}

void reference_counts(const reference *model, reference_count *out)
{
    *out = model->counts;
}
