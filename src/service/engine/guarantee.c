/* guarantee.c - describes a campaign's guarantee for a reviewer: the library's guarantee,
 * adapted to what the service does. See engine.md for the argument. */
#include "service/engine/inside.h"

#include "service/engine/budgets.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/digits.h"
#include "base/text.h"

static json_t *keys_of(const lotor_guarantee *promise)
{
    size_t length = lotor_guarantee_json(promise, NULL, 0);
    char *text = malloc(length + 1);
    json_t *json = NULL;
    if (text) {
        lotor_guarantee_json(promise, text, length + 1);
        json = json_loads(text, 0, NULL);
    }
    free(text);
    return json;
}

static void add_sentence(json_t *list, const char *sentence)
{
    json_array_append_new(list, json_string(sentence)); /* the caller checks the count */
}

static const char *protects(const lotor_campaign *campaign, const lotor_guarantee *promise)
{
    if (!promise->is_private) {
        return "Nothing.";
    }
    if (campaign->is_local) {
        return "A person's feedback: it is randomized on the person's side, and only the report "
               "comes here. Everything that others are shown, the released statistics and this "
               "server itself depend on reports only.";
    }
    if (campaign->serving.is_linear) {
        return campaign->is_early
                   ? "A person's feedback and context, from everybody else: from everything that "
                     "others are shown, and from the released statistics."
                   : "A person's feedback and context, and whether and when they gave feedback, "
                     "from "
                     "everybody else: from everything that others are shown, and from the released "
                     "statistics.";
    }
    if (campaign->is_early) {
        return "A person's feedback, from everybody who sees which arms are shown and the released "
               "statistics.";
    }
    return "A person's feedback, and whether and when they gave it, from everybody who sees which "
           "arms are shown and the released statistics.";
}

/* Describes the assumptions. The library's own text is about a policy that keeps rounds in
 * memory. In the service, rounds are on disk and reports come from devices. */
static void say_what_is_assumed(const lotor_campaign *campaign, char *text, size_t room)
{
    const bool linear = campaign->serving.is_linear;
    const char *condition = "";
    if (campaign->is_local) {
        condition = "each report was randomized on the person's side, as the ranking's randomizer "
                    "says; ";
    } else if (linear) {
        condition = "what a person is shown may depend on their own actions; ";
    }
    snprintf(text, room, "neighbours differ in %s%s%s; %s%s%s; %s",
             campaign->rounds_per_user ? "one user's rounds (" : "one round's ",
             linear ? "actions and reward" : "feedback",
             campaign->rounds_per_user ? "), and a user has one id" : "", condition,
             linear ? "" : "what is shown, when, and ",
             campaign->is_early ? "who answered when is public" : "when rounds expire is public",
             "the key file stays secret, and one copy of the store is served");
}

/* Adds a sentence for each accepted rollback: feedback since the older copy may be released
 * twice. */
static void add_rollbacks(const lotor_engine *engine, const lotor_campaign *campaign, json_t *list)
{
    size_t i;
    json_t *rollback;
    json_array_foreach(engine->rollbacks, i, rollback)
    {
        /* Version 0.1 noted rollbacks of whole stores: they concern all campaigns up to the last
         * one then. */
        const json_t *one = json_object_get(rollback, "campaign");
        const json_t *last = json_object_get(rollback, "last_campaign");
        const bool is_touched = one ? campaign->id == (uint64_t)json_integer_value(one)
                                    : campaign->id <= (uint64_t)json_integer_value(last);
        const bool is_spent =
            campaign->budget && lotor_budgets_went_back(campaign->budget, rollback);
        if (!is_touched && !is_spent) {
            continue;
        }
        time_t seconds = (time_t)json_number_value(json_object_get(rollback, "time"));
        struct tm date;
        char day[32] = "", before[64] = "", text[640];
        json_int_t unlisted = json_integer_value(json_object_get(rollback, "unlisted"));
        if (gmtime_r(&seconds, &date)) {
            strftime(day, sizeof day, "%Y-%m-%d %H:%M UTC", &date);
        }
        if (unlisted) {
            snprintf(before, sizeof before, ", and %lld times before that", (long long)unlisted);
        }
        if (!is_touched) { /* another campaign of the budget lacked a release */
            snprintf(text, sizeof text,
                     "On %s the store was replaced by an older copy, and the operator accepted "
                     "that. The spending of the budget %s is that of the copy: a user may have "
                     "spent its epsilon and delta once more.",
                     day, campaign->budget->spec.name);
            add_sentence(list, text);
            continue;
        }
        snprintf(
            text, sizeof text,
            "On %s%s the store was replaced by an older copy, and the operator accepted that. "
            "Feedback that was open in the copy may have been released twice, with new noise each "
            "time: for this feedback epsilon and delta count twice, and once more for each further "
            "time.%s",
            day, before,
            campaign->counts_users
                ? " The counts of rounds per user are those of the copy, too, and so is the "
                  "spending of budgets: a user may have had up to that many rounds more."
                : "");
        add_sentence(list, text);
    }
}

/* *rollbacks: how many of the sentences are about accepted rollbacks. */
static json_t *not_protected(lotor_engine *engine, const lotor_campaign *campaign,
                             size_t *rollbacks)
{
    json_t *list = json_array();
    if (!list) {
        return NULL;
    }
    size_t wanted = 1;
    if (campaign->is_local) {
        add_sentence(list,
                     "Whether and when a report came: this server sees that. The server replaces a "
                     "missing report by the default reward, which it randomizes, so it knows which "
                     "reports are missing; others see only sums.");
        wanted++;
    } else {
        add_sentence(
            list, campaign->serving.is_linear
                      ? "A person's context and feedback from the operator of this server: it "
                        "keeps them until the batch is released, on disk sealed with the key "
                        "file, and in memory in the clear."
                      : "A person's feedback from the operator of this server: it keeps feedback "
                        "until the batch is released, on disk sealed with the key file, and in "
                        "memory in the clear.");
        wanted++;
    }
    if (campaign->is_early) {
        add_sentence(list,
                     "Whether and when a person gave feedback: with early_release a round is final "
                     "when its feedback came, so the time of a release depends on it. If people "
                     "give feedback only when they liked something, that reveals their feedback.");
        wanted++;
    }
    if (campaign->serving.is_linear) {
        add_sentence(list,
                     "A person's own context from anyone who sees the person's own ranking, or the "
                     "arms in the store: the context decides what the person is shown, as joint "
                     "privacy allows.");
        wanted++;
    }
    add_sentence(
        list, campaign->serving.is_linear
                  ? "That a person was shown something, and when, and which arms were named "
                    "eligible. The counts of feedback in the metrics are exact: they are for "
                    "keys with the role metrics or admin."
                  : "That a person was shown something, when, and which arms: decisions are "
                    "public, as are the arms that were named eligible. The counts of feedback in "
                    "the metrics are exact: they are for keys with the role metrics or admin.");
    size_t before = json_array_size(list);
    pthread_rwlock_rdlock(&engine->table_lock);
    add_rollbacks(engine, campaign, list);
    pthread_rwlock_unlock(&engine->table_lock);
    *rollbacks = json_array_size(list) - before;
    if (before != wanted) {
        json_decref(list);
        return NULL;
    }
    return list;
}

/* The statement also says these facts about the campaign. */
typedef struct campaign_facts {
    bool is_deleted;
    json_t *sandbox_of; /* the name of the original, a new reference; NULL: not a sandbox */
} campaign_facts;

static campaign_facts facts_of(lotor_campaign *campaign)
{
    pthread_mutex_lock(&campaign->lock);
    const json_t *const own = json_object_get(campaign->spec->labels, "");
    json_t *const original = json_object_get(json_object_get(own, "metadata"), "sandbox_of");
    const campaign_facts facts = {.is_deleted = campaign->spec->deleted,
                                  .sandbox_of =
                                      json_is_string(original) ? json_incref(original) : NULL};
    pthread_mutex_unlock(&campaign->lock);
    return facts;
}

static char *statement(const lotor_campaign *campaign, const lotor_guarantee *promise,
                       const campaign_facts *facts, const json_t *exceptions)
{
    static const char *const models[] = {"no", "central", "local", "joint"};
    char epsilon[LOTOR_DIGITS_ROOM], delta[LOTOR_DIGITS_ROOM];
    lotor_text text = {0};
    const lotor_level level = lotor_guarantee_level(promise);
    if (level == LOTOR_LEVEL_VERY_WEAK) {
        lotor_text_add(&text, "Warning: this campaign protects nobody in practice. ");
    }
    lotor_text_print(&text, "Campaign %s runs %s. ", campaign->name, campaign->serving.id);
    if (facts->sandbox_of) {
        lotor_text_print(&text, "It is a sandbox of the campaign %s, to try it out%s. ",
                         json_string_value(facts->sandbox_of),
                         campaign->budget ? ""
                                          : ". It is in no budget, so it must not be shown to real "
                                            "people");
    }
    if (promise->is_private) {
        lotor_text_print(
            &text,
            "It gives %s differential privacy with epsilon %s and delta %s for %s, by %s "
            "(%s). ",
            models[promise->model], lotor_digits(promise->epsilon, epsilon),
            lotor_digits(promise->delta, delta), promise->unit, promise->mechanism,
            promise->theorem ? promise->theorem : "no theorem");
        if (campaign->rounds_per_user > 1) {
            lotor_text_print(
                &text,
                "This is for all of a user's rounds together: a user can influence up to "
                "%llu rounds, and for one round alone epsilon is %s. ",
                (unsigned long long)campaign->rounds_per_user,
                lotor_digits(campaign->promise.epsilon, epsilon));
        }
        lotor_text_print(&text, "The level of this guarantee is %s: %s. ", lotor_level_name(level),
                         lotor_guarantee_level_reason(promise));
    } else {
        lotor_text_print(&text, "It is not private: %s. ", promise->reason ? promise->reason : "");
    }
    if (campaign->is_evaluated) { /* policy/evaluation.md */
        lotor_text_print(
            &text,
            "A share of %s of the rounds, chosen by a coin, measures the value of what "
            "is shown and teaches the algorithm nothing. %s ",
            lotor_digits(campaign->share, epsilon),
            campaign->is_local
                ? "The device sends one report of each round, about its value or for the "
                  "algorithm, and either one is randomized for this epsilon."
                : "Each round feeds exactly one of these statistics, each with noise for this "
                  "epsilon.");
    }
    if (campaign->prior[0]) { /* policy/prior.md */
        lotor_text_print(&text,
                         "It also learns from the first %" PRIu64
                         " releases of campaign %s, which were public before this campaign was "
                         "made. The guarantee of %s covers the feedback behind them, and this "
                         "guarantee is the same as without them. For a person who takes part in "
                         "both campaigns, the two add up. ",
                         campaign->prior_releases, campaign->prior, campaign->prior);
    }
    if (campaign->normalizes) {
        lotor_text_add(&text,
                       "The service scales contexts that are longer than 1 down to length 1 "
                       "before it uses them, so the bound that the guarantee needs holds for "
                       "every context. ");
    }
    if (facts->is_deleted) {
        lotor_text_add(&text, "The campaign was deleted: its key, its state and all feedback that "
                              "was not released are erased from the store, and the guarantee is "
                              "about the releases that are left. ");
    }
    if (campaign->sticky > 0) { /* stickies.md */
        char seconds[LOTOR_DIGITS_ROOM];
        lotor_text_print(&text,
                         "Within %s seconds a user gets the same decision again: it is one round, "
                         "and its feedback counts once. ",
                         lotor_digits((double)campaign->sticky / 1000, seconds));
        if (campaign->rounds_per_user == 1) {
            lotor_text_add(&text, "Since only one round of a user counts, epsilon is for all of "
                                  "that user's feedback, not for one round of many. ");
        }
    }
    if (campaign->budget) { /* budgets.md */
        const lotor_budget_spec *budget = &campaign->budget->spec;
        lotor_text_print(&text,
                         "It is in the budget %s: for one user, over all campaigns of the budget "
                         "together, epsilon is at most %s and delta at most %s. A round of a user "
                         "that would exceed this counts for nothing. ",
                         budget->name,
                         lotor_digits(lotor_ratio_to_double(budget->epsilon), epsilon),
                         lotor_digits(lotor_ratio_to_double(budget->delta), delta));
    }
    lotor_text_print(&text, "%s: %s ",
                     level == LOTOR_LEVEL_VERY_WEAK ? "Protected in theory, not in practice"
                                                    : "Protected",
                     protects(campaign, promise));
    if (promise->assumes) {
        lotor_text_print(&text, "It is assumed that %s. ", promise->assumes);
    }
    lotor_text_add(&text, "Not protected:");
    for (size_t i = 0; i < json_array_size(exceptions); i++) {
        lotor_text_print(&text, " %s", json_string_value(json_array_get(exceptions, i)));
    }
    if (lotor_text_status(&text, NULL) != LOTOR_OK) {
        lotor_text_clear(&text);
        return NULL;
    }
    return text.bytes;
}

bool lotor_campaign_promise(const lotor_campaign *campaign, lotor_guarantee *out)
{
    *out = campaign->promise;
    return !campaign->rounds_per_user ||
           lotor_guarantee_per_user(out, (size_t)campaign->rounds_per_user, NULL, out) == LOTOR_OK;
}

json_t *lotor_campaign_guarantee(lotor_engine *engine, lotor_campaign *campaign)
{
    lotor_guarantee promise;
    if (!lotor_campaign_promise(campaign, &promise)) {
        return NULL;
    }
    char assumes[512];
    say_what_is_assumed(campaign, assumes, sizeof assumes);
    promise.assumes = assumes;
    size_t rollbacks = 0;
    json_t *json = keys_of(&promise), *exceptions = not_protected(engine, campaign, &rollbacks);
    const campaign_facts facts = facts_of(campaign);
    char *text = exceptions ? statement(campaign, &promise, &facts, exceptions) : NULL;
    bool fine =
        json && text && json_object_set_new(json, "campaign", json_string(campaign->name)) == 0 &&
        json_object_set_new(json, "algorithm", json_string(campaign->serving.id)) == 0 &&
        json_object_set_new(json, "protects", json_string(protects(campaign, &promise))) == 0 &&
        json_object_set(json, "not_protected", exceptions) == 0 &&
        json_object_set_new(json, "accepted_rollbacks", json_integer((json_int_t)rollbacks)) == 0 &&
        json_object_set_new(json, "statement", json_string(text)) == 0;
    if (fine && campaign->budget) {
        fine = json_object_set_new(json, "budget",
                                   lotor_budget_spec_write(&campaign->budget->spec)) == 0;
    }
    if (fine && campaign->prior[0]) {
        fine = json_object_set_new(json, "prior",
                                   json_pack("{s:s, s:I}", "campaign", campaign->prior, "releases",
                                             (json_int_t)campaign->prior_releases)) == 0;
    }
    if (fine && facts.sandbox_of) {
        fine = json_object_set(json, "sandbox_of", facts.sandbox_of) == 0;
    }
    if (fine && campaign->rounds_per_user) {
        fine = json_object_set_new(json, "per_round",
                                   json_pack("{s:f, s:f}", "epsilon", campaign->promise.epsilon,
                                             "delta", campaign->promise.delta)) == 0;
    }
    json_decref(facts.sandbox_of);
    json_decref(exceptions);
    free(text);
    if (!fine) {
        json_decref(json);
        return NULL;
    }
    return json;
}
