/* audit_play.c - see audit_play.h. */
#include "lab/audit_play.h"

#include <math.h>
#include <stdlib.h>

enum { REFUSALS = 3 }; /* per trial, each followed by a reload */

/* The known part of a sum that comes from the other rounds; it is subtracted. It consists of their
 * rewards, and for a matrix of dimension 1 of the squares of their contexts, which are 1 and -1. */
static double common_sum(const lotor_audit_player *player, size_t statistic, size_t arm,
                         uint64_t count)
{
    if (statistic != 0 || arm != 0) {
        return 0.0;
    }
    if (!player->policy->linear) {
        return (double)player->paid;
    }
    return (double)(player->round >= player->pair->replaced && count > 0 ? count - 1 : count);
}

static lotor_status note_post(void *context, size_t statistic, size_t arm, const lotor_fact *fact)
{
    lotor_audit_player *player = context;
    lotor_audit_transcript *transcript = player->transcript;
    const double common = common_sum(player, statistic, arm, fact->count);
    transcript->releases++;
    transcript->reports += player->round == transcript->replaced;
    if (player->round != transcript->last_release) {
        transcript->release_rounds++;
        transcript->last_release = player->round;
    }
    player->has_released = player->has_released || ((statistic == 0 || !transcript->has_gate) &&
                                                    player->round >= transcript->replaced);
    if (transcript->post_count < LOTOR_AUDIT_POSTS) {
        transcript->posts[transcript->post_count++] = (lotor_audit_post){
            player->round, fact->count, fact->value - common, (uint32_t)statistic, (uint32_t)arm};
    }
    if (player->refusals > 0 && player->refused != arm && player->round >= transcript->replaced) {
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
                (void)note_post(player, statistic, arm, fact);
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
    const bool ones = player->pair->replaced == 0 &&
                      player->pair->feedback[player->world] == LOTOR_AUDIT_FEEDBACK_LARGEST;
    for (size_t i = 0; i < arms; i++) {
        first[i] = ones ? 1.0 : 0.0;
    }
}

static lotor_status make(lotor_audit_player *player, lotor_message *why)
{
    double first[16];
    lotor_policy_params params = player->setting->params;
    const lotor_algorithm *algorithm = lotor_catalog_find(params.algorithm);
    params.cascade = algorithm->problem == LOTOR_PROBLEM_ANY && player->pair->is_list;
    if (algorithm->starts_exact && params.arms <= 16) {
        fill_first(player, first, params.arms);
        params.first = first;
    }
    const uint64_t seed = player->source ? lotor_source_word(player->source)
                                         : lotor_generator_word(player->generator);
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
    if (player->pair->replaced == 0) {
        const uint32_t every[LOTOR_AUDIT_TOGETHER] = {0, 1, 2, 3};
        note_asked(player->transcript, every, params.arms);
    }
    player->refusals = player->pair->reloads ? REFUSALS : 0;
    player->refused = UINT32_MAX;
    lotor_board_set_journal(player->policy->board, note_post, player);
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

static double replaced_reward(const lotor_audit_player *player)
{
    const lotor_policy_params *params = &player->policy->params;
    switch (player->pair->feedback[player->world]) {
    case LOTOR_AUDIT_FEEDBACK_LARGEST:
    case LOTOR_AUDIT_FEEDBACK_LAST:
        return params->high;
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

static lotor_status feedback(lotor_audit_player *player, const lotor_decision *decision,
                             lotor_message *why)
{
    double rewards[16];
    lotor_feedback given = {rewards, decision->asked_count, 0};
    const bool replaced = player->round == player->pair->replaced;
    if (replaced && player->pair->feedback[player->world] == LOTOR_AUDIT_FEEDBACK_NOTHING) {
        return LOTOR_OK;
    }
    for (size_t i = 0; i < decision->asked_count && i < 16; i++) {
        rewards[i] = replaced ? replaced_reward(player) : common_reward(player, decision->asked[i]);
    }
    if (replaced) {
        given.click = replaced_click(player, decision->count);
    }
    return lotor_policy_observe(player->policy, decision->event, &given, why);
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
    status = lotor_policy_load_on(bytes, length, NULL, player->source, why, &player->policy);
    free(bytes);
    if (status == LOTOR_OK) {
        lotor_board_set_journal(player->policy->board, note_post, player);
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

/* In linear problems a round has two opposite actions and shows one of them. In the replaced round,
 * both actions are equal, and the pair of inputs sets them. So the context that is shown does not
 * depend on earlier rounds. */
static lotor_status choose(lotor_audit_player *player, lotor_message *why, lotor_decision *out)
{
    static const double opposite[2] = {1.0, -1.0}, alike[2] = {1.0, 1.0}, none[2] = {0.0, 0.0};
    const bool replaced = player->round == player->pair->replaced;
    const double *own = player->pair->lacks_context[player->world] ? none : alike;
    const double *context = replaced ? own : opposite;
    return lotor_policy_choose(player->policy, player->policy->linear ? context : NULL, why, out);
}

/* Whether the trial is over: no later release contains the replaced round, or enough of them were
 * seen. */
static bool is_over(const lotor_audit_player *player)
{
    if (player->is_stuck) {
        return true;
    }
    if (!player->setting->stops_early || player->round < player->pair->replaced) {
        return false;
    }
    if (player->has_released) {
        return player->transcript->shown_count >= player->setting->watched;
    }
    return player->last_wish != 0 &&
           lotor_elimination_next(player->policy->elimination)->rounds != player->last_wish;
}

static lotor_status play_round(lotor_audit_player *player, lotor_message *why)
{
    lotor_decision decision;
    lotor_status status = choose(player, why, &decision);
    if (status != LOTOR_OK) {
        return status;
    }
    note_decision(player, &decision);
    status = feedback(player, &decision, why);
    return status == LOTOR_OK ? expire(player, decision.event, why) : status;
}

lotor_status lotor_audit_play(lotor_audit_player *player, lotor_message *why)
{
    lotor_audit_transcript *transcript = player->transcript;
    transcript->replaced = player->pair->replaced;
    transcript->asked_count = transcript->post_count = transcript->shown_count = 0;
    transcript->releases = transcript->reports = 0;
    transcript->release_rounds = transcript->last_release = 0;
    player->round = player->last_wish = 0;
    player->paid = 0;
    player->refusals = 0;
    player->has_released = player->is_stuck = false;
    lotor_status status = make(player, why);
    transcript->is_linear = status == LOTOR_OK && player->policy->linear != NULL;
    transcript->moves_all = player->pair->lacks_context[0] || player->pair->lacks_context[1];
    transcript->has_gate = status == LOTOR_OK && player->policy->elimination != NULL;
    while (status == LOTOR_OK && player->round < player->setting->rounds) {
        player->round++;
        status = play_round(player, why);
        if (status == LOTOR_OK && is_over(player)) {
            break;
        }
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
