/* row.c - finds a row of the catalog, and names its parts (catalog.h). */
#include <assert.h>
#include <string.h>

#include "base/message.h"
#include "base/quote.h"
#include "base/suggest.h"
#include "policy/catalog.h"

const lotor_algorithm *lotor_algorithms_find(const char *id)
{
    for (size_t i = 0; id && i < lotor_algorithms_size; i++) {
        if (strcmp(lotor_algorithms[i].id, id) == 0) {
            return &lotor_algorithms[i];
        }
    }
    return NULL;
}

const char *lotor_algorithms_nearest(const char *word)
{
    lotor_suggestion suggestion;
    lotor_suggestion_start(&suggestion, word);
    for (size_t i = 0; i < lotor_algorithms_size; i++) {
        lotor_suggestion_offer(&suggestion, lotor_algorithms[i].id);
    }
    return suggestion.nearest;
}

lotor_status lotor_algorithms_refuse(const char *word, lotor_message *why)
{
    if (!word || *word == '\0') {
        return lotor_fail(LOTOR_UNKNOWN, why,
                          "no algorithm is named: give the id of one, such as dp-se");
    }
    const char *nearest = lotor_algorithms_nearest(word);
    return lotor_fail(LOTOR_UNKNOWN, why, "there is no algorithm %s%s%s%s",
                      lotor_quote_text(word).text, nearest ? ": did you mean " : "",
                      nearest ? nearest : "", nearest ? "?" : "");
}

const char *lotor_problem_name(lotor_problem problem)
{
    static const char *const names[] = {"finite",  "matroid", "semi-bandit",
                                        "cascade", "linear",  "any"};
    assert((size_t)problem < sizeof names / sizeof *names);
    return names[problem];
}

const char *lotor_model_name(lotor_model model)
{
    static const char *const names[] = {"none", "central", "local", "joint"};
    assert((size_t)model < sizeof names / sizeof *names);
    return names[model];
}

const char *lotor_algorithm_learner(const lotor_algorithm *algorithm)
{
    assert(lotor_algorithm_learners(algorithm) == 1);
    if (algorithm->imed || algorithm->own) {
        return algorithm->imed ? "imed" : "own";
    }
    return algorithm->index ? "index" : algorithm->elimination ? "elimination" : "linear";
}

const char *lotor_algorithm_statistic(const lotor_algorithm *algorithm)
{
    return algorithm->statistic     ? algorithm->statistic->name
           : algorithm->elimination ? lotor_epoch_name(algorithm->epochs)
                                    : lotor_matrix_name(algorithm->matrix);
}

const char *lotor_algorithm_rule(const lotor_algorithm *algorithm)
{
    if (algorithm->imed) {
        return algorithm->imed->formula;
    }
    if (algorithm->own) {
        return "the caller's function";
    }
    return algorithm->index         ? algorithm->index->formula
           : algorithm->elimination ? algorithm->elimination->formula
                                    : algorithm->linear->formula;
}
