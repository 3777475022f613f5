/* audit_play.c - see audit_play.h. */
#include "lab/audit_play.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "policy/serving.h"
#include "privacy/local/randomize.h"

enum { REFUSALS = 3 }; /* per trial, each followed by a reload */

/* The known part of a sum that comes from the other rounds; it is subtracted. It consists of their
 * rewards, and for a matrix of dimension 1 of the squares of their contexts, which are 1 and -1.
 * (If contexts are turned, those of the other rounds are 0.) */
static double common_sum(const lotor_audit_player *player, uint64_t round, size_t statistic,
                         size_t arm, uint64_t count)
{
    const bool is_linear = player->policy->linear != NULL;
    if (player->pair->is_turned || arm != 0 || (statistic != 0 && !is_linear)) {
        return 0.0;
    }
    if (!is_linear) {
        return (double)player->paid;
    }
    /* A later batch has as many rounds as all batches before it. */
    const uint64_t replaced = player->replaced;
    const bool covers =
        statistic == 0 ? round >= replaced && count > 0 : replaced > count && replaced <= 2 * count;
    return (double)(covers ? count - 1 : count);
}

/* True if a release contains the replaced round, as far as its arm and its time tell. */
static bool is_covering(const lotor_audit_transcript *transcript, uint64_t round, size_t statistic,
                        size_t arm)
{
    if (round < transcript->replaced || (transcript->has_gate && statistic != 0)) {
        return false;
    }
    bool asked = transcript->is_linear;
    for (size_t i = 0; i < transcript->asked_count; i++) {
        asked = asked || transcript->asked[i] == arm;
    }
    return asked;
}

static void note_post(lotor_audit_player *player, uint64_t round, size_t statistic, size_t arm,
                      const lotor_fact *fact)
{
    lotor_audit_transcript *transcript = player->transcript;
    const double common = common_sum(player, round, statistic, arm, fact->count);
    transcript->releases++;
    transcript->reports += round == transcript->replaced;
    if (round != transcript->last_release) {
        transcript->release_rounds++;
        transcript->last_release = round;
    }
    player->has_released = player->has_released || ((statistic == 0 || !transcript->has_gate) &&
                                                    round >= transcript->replaced);
    if (player->covered == 0 && is_covering(transcript, round, statistic, arm)) {
        player->covered = round;
    }
    if (transcript->post_count < LOTOR_AUDIT_POSTS) {
        transcript->posts[transcript->post_count++] = (lotor_audit_post){
            round, fact->count, fact->value - common, (uint32_t)statistic, (uint32_t)arm};
    }
}

/* The number of the round that is being made final. Elimination counts it before it releases. */
static uint64_t final_round(const lotor_policy *policy)
{
    return policy->elimination ? policy->rounds_ended : policy->rounds_ended + 1;
}

/* The board's journal. */
static lotor_status note_release(void *context, size_t statistic, size_t arm,
                                 const lotor_fact *fact)
{
    lotor_audit_player *player = context;
    const uint64_t round = final_round(player->policy);
    note_post(player, round, statistic, arm, fact);
    if (player->refusals > 0 && player->refused != arm && round >= player->replaced) {
        player->refusals--;
        player->refused = (uint32_t)arm;
        return LOTOR_UNFINISHED;
    }
    return LOTOR_OK;
}

/* Notes the board's content before the first round. */
static void note_start(lotor_audit_player *player)
{
    const lotor_board *board = player->policy->board;
    for (size_t statistic = 0; statistic < board->statistics; statistic++) {
        for (size_t arm = 0; arm < board->arms; arm++) {
            const lotor_fact *fact = lotor_board_at(board, statistic, arm);
            if (fact->time > 0) {
                note_post(player, 0, statistic, arm, fact);
            }
        }
    }
}

static void note_asked(lotor_audit_transcript *transcript, const uint32_t *asked, size_t count)
{
    transcript->asked_count = count < LOTOR_AUDIT_TOGETHER ? count : LOTOR_AUDIT_TOGETHER;
    for (size_t i = 0; i < transcript->asked_count; i++) {
        transcript->asked[i] = asked[i];
    }
}

static void note_decision(lotor_audit_player *player, const lotor_decision *decision)
{
    lotor_audit_transcript *transcript = player->transcript;
    if (player->round == transcript->replaced) {
        /* A joint guarantee does not cover the decision of the replaced round itself. Its two
         * actions are equal, and have number 0 in the other rounds. */
        static const uint32_t alike[1] = {0};
        const bool joint = player->policy->linear != NULL;
        note_asked(transcript, joint ? alike : decision->asked, joint ? 1 : decision->asked_count);
    } else if (player->has_released && transcript->shown_count < LOTOR_AUDIT_SHOWN) {
        const size_t at = transcript->shown_count++;
        size_t i = 0;
        for (; i < decision->count && i < LOTOR_AUDIT_TOGETHER; i++) {
            transcript->shown[at][i] = decision->arms[i];
        }
        transcript->shown_sizes[at] = (uint8_t)i;
    }
}

/* The exact observations before the first round, for algorithms whose paper starts with them. */
static void fill_first(const lotor_audit_player *player, double *first, size_t arms)
{
    const bool ones = player->replaced == 0 &&
                      player->pair->feedback[player->world] == LOTOR_AUDIT_FEEDBACK_LARGEST;
    for (size_t i = 0; i < arms; i++) {
        first[i] = ones ? 1.0 : 0.0;
    }
}

static uint64_t random_word(const lotor_audit_player *player)
{
    return player->source ? lotor_source_word(player->source)
                          : lotor_generator_word(player->generator);
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The number of the replaced round. It is drawn independently of the world, so that the trials of a
 * world stay independent and of one law. */
static uint64_t draw_replaced(const lotor_audit_player *player)
{
    const lotor_audit_pair *pair = player->pair;
    if (pair->replaced_last == 0) {
        return pair->replaced;
    }
    const uint64_t rounds = player->setting->rounds;
    const uint64_t first = smaller(pair->replaced, rounds);
    return first + random_word(player) % (smaller(pair->replaced_last, rounds) - first + 1);
}

static lotor_status make(lotor_audit_player *player, lotor_message *why)
{
    double first[16];
    lotor_policy_params params = player->setting->params;
    const lotor_algorithm *algorithm = lotor_policy_row(&params);
    params.cascade = algorithm->problem == LOTOR_PROBLEM_ANY && player->pair->is_list;
    if (algorithm->starts_exact && params.arms <= 16) {
        fill_first(player, first, params.arms);
        params.first = first;
    }
    const uint64_t seed = random_word(player);
    lotor_status status;
    if (player->policy) {
        status = lotor_policy_restart(player->policy, params.first, seed, why);
    } else if (player->source) {
        status = lotor_policy_new_on(&params, player->source, seed, why, &player->policy);
    } else {
        status =
            lotor_policy_new_simulated(&params, 1.0, player->generator, seed, why, &player->policy);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    note_start(player);
    if (player->replaced == 0) {
        const uint32_t every[LOTOR_AUDIT_TOGETHER] = {0, 1, 2, 3};
        note_asked(player->transcript, every, params.arms);
    }
    player->refusals = player->pair->reloads ? REFUSALS : 0;
    player->refused = UINT32_MAX;
    lotor_board_set_journal(player->policy->board, note_release, player);
    return LOTOR_OK;
}

/* The reward of the rounds that are the same in both worlds. It is 0, except with a gate: there arm
 * 0 pays until the difference of the arms is half a noise scale below the threshold. At that point
 * the gate's answer tells the most for its frequency. The threshold is public. */
static double common_reward(lotor_audit_player *player, uint32_t arm)
{
    if (player->setting->gate_noise == 0.0 || arm != 0) {
        return 0.0;
    }
    const lotor_elimination_plan *plan = lotor_elimination_next(player->policy->elimination);
    const double wish = plan->threshold - 0.5 * player->setting->gate_noise;
    if ((double)player->paid < wish) {
        player->paid++;
        return 1.0;
    }
    player->last_wish = plan->rounds;
    return 0.0;
}

/* The reward of asked arm number `place` in the replaced round. */
static double replaced_reward(const lotor_audit_player *player, size_t place)
{
    const lotor_policy_params *params = &player->policy->params;
    switch (player->pair->feedback[player->world]) {
    case LOTOR_AUDIT_FEEDBACK_LARGEST:
    case LOTOR_AUDIT_FEEDBACK_LAST:
        return params->high;
    case LOTOR_AUDIT_FEEDBACK_FIRST:
        return place == 0 ? params->high : params->low;
    case LOTOR_AUDIT_FEEDBACK_DEFAULT:
        return params->default_reward;
    case LOTOR_AUDIT_FEEDBACK_LEAST:
    case LOTOR_AUDIT_FEEDBACK_NOTHING:
        break;
    }
    return params->low;
}

static size_t replaced_click(const lotor_audit_player *player, size_t count)
{
    const lotor_audit_feedback feedback = player->pair->feedback[player->world];
    if (feedback == LOTOR_AUDIT_FEEDBACK_LARGEST) {
        return 1;
    }
    return feedback == LOTOR_AUDIT_FEEDBACK_LAST ? count : 0;
}

/* Fills in the feedback of a round, with room for LOTOR_AUDIT_ARMS rewards. False: there is none. */
static bool fill_feedback(lotor_audit_player *player, const lotor_audit_open_round *round,
                          double *rewards, lotor_feedback *out)
{
    const bool replaced = round->number == player->replaced;
    if (replaced && player->pair->feedback[player->world] == LOTOR_AUDIT_FEEDBACK_NOTHING) {
        return false;
    }
    if (player->policy->coder.hears_clicks) {
        *out = (lotor_feedback){.click = replaced ? replaced_click(player, round->count) : 0};
        return true;
    }
    *out = (lotor_feedback){rewards, round->asked_count, 0};
    for (size_t i = 0; i < round->asked_count; i++) {
        rewards[i] = replaced ? replaced_reward(player, i) : common_reward(player, round->asked[i]);
    }
    return true;
}

/* Gives the feedback of a round of the library's own inbox. */
static lotor_status hear(lotor_audit_player *player, lotor_audit_open_round *round,
                         lotor_message *why)
{
    double rewards[LOTOR_AUDIT_ARMS];
    lotor_feedback feedback;
    if (round->is_heard || player->pair->is_served) {
        return LOTOR_OK;
    }
    round->is_heard = true;
    return fill_feedback(player, round, rewards, &feedback)
               ? lotor_policy_observe(player->policy, round->event, &feedback, why)
               : LOTOR_OK;
}

/* Saves and loads the state, as after a crash. The loaded policy draws other random bytes. */
static lotor_status reload(lotor_audit_player *player, lotor_message *why)
{
    unsigned char *bytes;
    size_t length;
    lotor_status status = lotor_policy_save(player->policy, &bytes, &length);
    if (status != LOTOR_OK) {
        return status;
    }
    lotor_policy_free(player->policy);
    player->policy = NULL;
    status = lotor_policy_load_on(bytes, length, &player->setting->params, player->source, why,
                                  &player->policy);
    free(bytes);
    if (status == LOTOR_OK) {
        lotor_board_set_journal(player->policy->board, note_release, player);
    }
    return status;
}

static lotor_status expire(lotor_audit_player *player, uint64_t event, lotor_message *why)
{
    lotor_status status = lotor_policy_expire(player->policy, event, why);
    while (status == LOTOR_UNFINISHED && player->source) {
        status = reload(player, why);
        if (status == LOTOR_OK) {
            status = lotor_policy_expire(player->policy, event, why);
        }
        /* Noise was drawn again and contradicts the board. Attacks use what was seen so far. */
        if (status == LOTOR_RELEASED) {
            player->is_stuck = true;
            return LOTOR_OK;
        }
    }
    return status;
}

/* The service's work on a final round: it encodes the feedback, or takes a report that the
 * person's device made, and enters the round. */
static lotor_status enter(lotor_audit_player *player, const lotor_audit_open_round *round,
                          lotor_message *why)
{
    double rewards[LOTOR_AUDIT_ARMS];
    int64_t report[LOTOR_AUDIT_ARMS], units[LOTOR_AUDIT_ARMS + 1];
    size_t count = 0, used = 0;
    lotor_feedback feedback;
    lotor_randomizer randomizer;
    const lotor_display display = {round->arms, round->count, round->asked, round->asked_count,
                                   player->policy->linear ? round->action : NULL};
    if (!fill_feedback(player, round, rewards, &feedback)) {
        return lotor_policy_enter(player->policy, &display, NULL, 0, why);
    }
    assert(lotor_policy_width(player->policy) <= LOTOR_AUDIT_ARMS + 1);
    lotor_status status;
    if (lotor_policy_randomizer(player->policy, &display, &randomizer)) {
        status = lotor_randomize(&randomizer, &feedback, player->source, why, report, &count);
        if (status == LOTOR_OK) {
            status = lotor_policy_encode_report(player->policy, &display, report, count, why, units,
                                                &used);
        }
    } else {
        status = lotor_policy_encode(player->policy, &display, &feedback, why, units, &used);
    }
    return status == LOTOR_OK ? lotor_policy_enter(player->policy, &display, units, used, why)
                              : status;
}

/* In linear problems a round has two opposite actions and shows one of them. In the replaced round,
 * both actions are equal, and the pair of inputs sets them. So the context that is shown does not
 * depend on earlier rounds. Turned contexts have a scalar product of 1/2, and all entries of their
 * outer products differ from 0; the other rounds then have the context 0. */
static const double *contexts_of(const lotor_audit_player *player)
{
    enum { ROOM = 2 * LOTOR_AUDIT_DIMENSION };
    static const double opposite[2] = {1.0, -1.0}, alike[2] = {1.0, 1.0};
    static const double none[ROOM] = {0.0};
    static const double turned[2][ROOM] = {{0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5},
                                           {0.5, 0.5, 0.5, -0.5, 0.5, 0.5, 0.5, -0.5}};
    const bool replaced = player->round == player->replaced;
    if (!player->policy->linear) {
        return NULL;
    }
    if (player->pair->is_turned) {
        return replaced ? turned[player->world] : none;
    }
    if (!replaced) {
        return opposite;
    }
    return player->pair->lacks_context[player->world] ? none : alike;
}

/* Random arms are eligible: each with probability 1/2, but at least as many as are shown. */
static void draw_mask(const lotor_audit_player *player, bool *eligible)
{
    const lotor_policy_params *params = &player->policy->params;
    size_t count = 0;
    while (count < params->slots) {
        const uint64_t word = random_word(player);
        count = 0;
        for (size_t i = 0; i < params->arms; i++) {
            eligible[i] = (word >> i) & 1;
            count += eligible[i];
        }
    }
}

static lotor_status choose(lotor_audit_player *player, lotor_message *why, lotor_decision *out)
{
    const double *contexts = contexts_of(player);
    if (!player->pair->is_served) {
        return lotor_policy_choose(player->policy, contexts, why, out);
    }
    bool eligible[LOTOR_AUDIT_ARMS];
    assert(player->policy->params.arms <= LOTOR_AUDIT_ARMS);
    draw_mask(player, eligible);
    return lotor_policy_draw(player->policy, contexts, eligible, why, out);
}

/* True if the trial is over: no later release contains the replaced round, or enough of them were
 * seen. */
static bool is_over(const lotor_audit_player *player)
{
    if (player->is_stuck) {
        return true;
    }
    if (player->setting->is_stretched) {
        return player->covered > 0 && player->ended >= player->covered + LOTOR_AUDIT_AFTER;
    }
    if (!player->setting->stops_early || player->ended < player->replaced) {
        return false;
    }
    if (player->has_released) {
        return player->transcript->shown_count >= player->setting->watched;
    }
    return player->last_wish != 0 &&
           lotor_elimination_next(player->policy->elimination)->rounds != player->last_wish;
}

static size_t open_limit(const lotor_audit_player *player)
{
    return player->pair->open > 1 ? player->pair->open : 1;
}

static lotor_audit_open_round *round_at(lotor_audit_player *player, uint64_t number)
{
    return &player->open[number % LOTOR_AUDIT_OPEN];
}

static lotor_status open_round(lotor_audit_player *player, lotor_message *why)
{
    lotor_decision decision;
    player->round++;
    const lotor_status status = choose(player, why, &decision);
    if (status != LOTOR_OK) {
        return status;
    }
    assert(decision.count <= LOTOR_AUDIT_ARMS && decision.asked_count <= LOTOR_AUDIT_ARMS);
    lotor_audit_open_round *round = round_at(player, player->round);
    round->number = player->round;
    round->event = decision.event;
    round->is_heard = false;
    round->count = decision.count;
    round->asked_count = decision.asked_count;
    memcpy(round->arms, decision.arms, decision.count * sizeof *round->arms);
    memcpy(round->asked, decision.asked, decision.asked_count * sizeof *round->asked);
    if (player->policy->linear) {
        const size_t dimension = player->policy->params.dimension;
        memcpy(round->action, contexts_of(player) + decision.arms[0] * dimension,
               dimension * sizeof *round->action);
    }
    note_decision(player, &decision);
    return LOTOR_OK;
}

/* With several open rounds, feedback comes late and out of order: after up to three more rounds. */
static lotor_status hear_due(lotor_audit_player *player, lotor_message *why)
{
    const size_t limit = open_limit(player);
    lotor_status status = LOTOR_OK;
    for (uint64_t number = player->ended + 1; number <= player->round && status == LOTOR_OK;
         number++) {
        if (number + number * (number + 1) / 2 % limit <= player->round) {
            status = hear(player, round_at(player, number), why);
        }
    }
    return status;
}

/* Makes the oldest open round final. */
static lotor_status end_round(lotor_audit_player *player, lotor_message *why)
{
    lotor_audit_open_round *round = round_at(player, player->ended + 1);
    lotor_status status = hear(player, round, why);
    if (status == LOTOR_OK) {
        status =
            player->pair->is_served ? enter(player, round, why) : expire(player, round->event, why);
    }
    player->ended++;
    return status;
}

static lotor_status play_rounds(lotor_audit_player *player, lotor_message *why)
{
    const uint64_t rounds = player->setting->rounds;
    const size_t limit = open_limit(player);
    lotor_status status = LOTOR_OK;
    while (status == LOTOR_OK && player->ended < rounds) {
        while (status == LOTOR_OK && player->round < rounds &&
               player->round - player->ended < limit) {
            status = open_round(player, why);
            if (status == LOTOR_OK) {
                status = hear_due(player, why);
            }
        }
        if (status == LOTOR_OK) {
            status = end_round(player, why);
        }
        if (status == LOTOR_OK && is_over(player)) {
            break;
        }
    }
    return status;
}

lotor_status lotor_audit_play(lotor_audit_player *player, lotor_message *why)
{
    lotor_audit_transcript *transcript = player->transcript;
    player->replaced = transcript->replaced = draw_replaced(player);
    transcript->asked_count = transcript->post_count = transcript->shown_count = 0;
    transcript->releases = transcript->reports = 0;
    transcript->release_rounds = transcript->last_release = 0;
    player->round = player->ended = player->covered = player->last_wish = 0;
    player->paid = 0;
    player->refusals = 0;
    player->has_released = player->is_stuck = false;
    lotor_status status = make(player, why);
    transcript->is_linear = status == LOTOR_OK && player->policy->linear != NULL;
    transcript->moves_all = player->pair->lacks_context[0] || player->pair->lacks_context[1];
    transcript->has_gate = status == LOTOR_OK && player->policy->elimination != NULL;
    transcript->is_turned = player->pair->is_turned;
    if (status == LOTOR_OK) {
        status = play_rounds(player, why);
    }
    if (status != LOTOR_OK) {
        lotor_audit_player_clear(player);
    }
    return status;
}

void lotor_audit_player_clear(lotor_audit_player *player)
{
    lotor_policy_free(player->policy);
    player->policy = NULL;
}
