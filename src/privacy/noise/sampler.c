/* sampler.c - the public functions for exact samples (lotor/sampler.h). */
#include <lotor/sampler.h>

#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/quote.h"
#include "base/secure.h"
#include "privacy/noise/exact.h"

typedef struct exact_law {
    const char *name;
    lotor_status (*check)(uint64_t num, uint64_t den, lotor_message *why);
    int64_t (*draw)(lotor_source *source, uint64_t num, uint64_t den);
} exact_law;

struct lotor_sampler {
    const exact_law *law;
    lotor_ratio size;
    lotor_source *source;
};

/* Failures are counted one by one, so the count is always far below 2^63. */
static int64_t draw_geometric(lotor_source *source, uint64_t num, uint64_t den)
{
    return (int64_t)lotor_exact_geometric(source, num, den);
}

static const exact_law exact_laws[] = {
    {"discrete-laplace", lotor_exact_check_laplace, lotor_exact_laplace},
    {"discrete-gaussian", lotor_exact_check_gaussian, lotor_exact_gaussian},
    {"geometric", lotor_exact_check_geometric, draw_geometric},
};

static lotor_status find_exact_law(const char *name, lotor_message *why, const exact_law **out)
{
    for (size_t i = 0; name && i < sizeof exact_laws / sizeof *exact_laws; i++) {
        if (strcmp(exact_laws[i].name, name) == 0) {
            *out = &exact_laws[i];
            return LOTOR_OK;
        }
    }
    return lotor_fail(
        LOTOR_UNKNOWN, why,
        "there is no exact sampler of %s: give discrete-laplace, discrete-gaussian or "
        "geometric",
        name ? lotor_quote_text(name).text : "no law");
}

lotor_status lotor_sampler_new(const lotor_sampler_params *params, lotor_message *why,
                               lotor_sampler **out)
{
    lotor_sampler made = {.size = params->size};
    *out = NULL;
    lotor_status status = find_exact_law(params->law, why, &made.law);
    if (status == LOTOR_OK) {
        status = made.law->check(made.size.num, made.size.den, why);
    }
    if (status == LOTOR_OK) {
        status = lotor_secure_make(why, &made.source);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    lotor_sampler *sampler = malloc(sizeof *sampler);
    if (!sampler) {
        lotor_secure_free(made.source);
        return lotor_fail(LOTOR_MEMORY, why, "no memory for a sampler");
    }
    *sampler = made;
    *out = sampler;
    return LOTOR_OK;
}

void lotor_sampler_free(lotor_sampler *sampler)
{
    if (sampler) {
        lotor_secure_free(sampler->source);
        free(sampler);
    }
}

lotor_status lotor_sampler_draw(lotor_sampler *sampler, lotor_message *why, int64_t *out)
{
    const int64_t drawn = sampler->law->draw(sampler->source, sampler->size.num, sampler->size.den);
    const lotor_status status = sampler->source->status;
    if (status != LOTOR_OK) {
        return lotor_fail(status, why, "the kernel gave no more random bytes");
    }
    *out = drawn;
    return LOTOR_OK;
}
