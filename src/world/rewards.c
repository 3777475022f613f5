/* rewards.c - another law of rewards for a world, by its name: see lotor_world_rewards. */
#include <string.h>

#include "base/message.h"
#include "base/quote.h"
#include "base/records.h"
#include "world/world.h"

typedef struct law {
    const char *name;
    double usual; /* the number after the colon, if it is left out; 0: the name takes none */
    lotor_status (*make)(size_t arms, const double *means, double number, lotor_message *why,
                         lotor_world **out);
} law;

static lotor_status make_uniform(size_t arms, const double *means, double unused,
                                 lotor_message *why, lotor_world **out)
{
    (void)unused;
    return lotor_world_uniform(arms, means, why, out);
}

static const law laws[] = {
    {"beta", 0, lotor_world_beta},
    {"uniform", 0, make_uniform},
    {"gaussian", LOTOR_WORLD_DEVIATION_USUAL, lotor_world_gaussian},
    {"pareto", LOTOR_WORLD_SHAPE_USUAL, lotor_world_pareto},
};

/* Finds the law of "NAME" or "NAME:NUMBER"; NULL if there is none. */
static const law *find_law(const char *text, double *number)
{
    const size_t length = strcspn(text, ":");
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        const law *found = &laws[i];
        if (strlen(found->name) != length || memcmp(found->name, text, length) != 0) {
            continue;
        }
        *number = found->usual;
        if (text[length] == '\0') {
            return found;
        }
        const char *digits = text + length + 1;
        return found->usual > 0 && lotor_slice_number((lotor_slice){digits, strlen(digits)}, number)
                   ? found
                   : NULL;
    }
    return NULL;
}

lotor_status lotor_world_rewards(const lotor_world *instance, const char *text,
                                 double concentration, lotor_message *why, lotor_world **out)
{
    *out = NULL;
    double number;
    const law *found = find_law(text, &number);
    if (!found) {
        return lotor_fail(LOTOR_INVALID, why,
                          "rewards %s: choose from bernoulli, beta, uniform, gaussian:S (S is the "
                          "standard deviation, such as 0.1) and pareto:A (A is the shape, such as "
                          "2.5)",
                          lotor_quote_text(text).text);
    }
    lotor_message reason;
    const lotor_status status = found->make(
        instance->arms, instance->means, found->usual > 0 ? number : concentration, &reason, out);
    return status == LOTOR_OK ? LOTOR_OK
                              : lotor_fail(status, why, "rewards %s: %.300s",
                                           lotor_quote_text(text).text, reason.text);
}
