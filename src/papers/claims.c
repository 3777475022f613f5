/* claims.c - walks over the claims of all papers. See claims.h. */
#include "papers/claims.h"

#include <assert.h>
#include <string.h>

#include "papers/claims_table.h"

typedef struct claim_table {
    const lotor_paper_claim *claims;
    const size_t *count;
} claim_table;

static const claim_table tables[] = {
    {lotor_claims_sajed, &lotor_claims_sajed_count},
    {lotor_claims_sajed_a, &lotor_claims_sajed_a_count},
    {lotor_claims_chandak, &lotor_claims_chandak_count},
    {lotor_claims_wang, &lotor_claims_wang_count},
    {lotor_claims_chen, &lotor_claims_chen_count},
    {lotor_claims_shariff, &lotor_claims_shariff_count},
};

const lotor_paper_claim *lotor_paper_claim_at(size_t number)
{
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        if (number < *tables[i].count) {
            return &tables[i].claims[number];
        }
        number -= *tables[i].count;
    }
    return NULL;
}

size_t lotor_paper_claim_check_count(const lotor_paper_claim *claim)
{
    size_t count = 0;
    while (count < LOTOR_PAPER_CLAIM_CHECKS && claim->checks[count].way != LOTOR_WAY_END) {
        count++;
    }
    return count;
}

/* True if one of the words is the figure's id, or begins it and is not an id itself. */
static bool has_word(const char *words, const char *id)
{
    while (*words) {
        const size_t length = strcspn(words, " ");
        char word[100];
        assert(length > 0 && length < sizeof word);
        memcpy(word, words, length);
        word[length] = '\0';
        if (strcmp(id, word) == 0 || (strncmp(id, word, length) == 0 && !lotor_figure_find(word))) {
            return true;
        }
        words += length;
        words += strspn(words, " ");
    }
    return false;
}

bool lotor_paper_claim_check_has_figure(const lotor_paper_claim_check *self,
                                        const lotor_figure *figure, const lotor_figure_check *check)
{
    if (self->way != LOTOR_WAY_FIGURE || !has_word(self->name, figure->id)) {
        return false;
    }
    return !check || !self->part || strncmp(check->claim, self->part, strlen(self->part)) == 0;
}

bool lotor_paper_claim_has_figure(const lotor_paper_claim *claim, const lotor_figure *figure,
                                  const lotor_figure_check *check)
{
    const size_t count = lotor_paper_claim_check_count(claim);
    for (size_t i = 0; i < count; i++) {
        if (lotor_paper_claim_check_has_figure(&claim->checks[i], figure, check)) {
            return true;
        }
    }
    return false;
}

const char *lotor_paper_claim_kind_name(lotor_paper_claim_kind kind)
{
    static const char *const names[] = {
        [LOTOR_PAPER_CLAIM_PRIVACY] = "privacy",     [LOTOR_PAPER_CLAIM_REGRET] = "regret",
        [LOTOR_PAPER_CLAIM_BOUND] = "bound",         [LOTOR_PAPER_CLAIM_EXPERIMENT] = "experiment",
        [LOTOR_PAPER_CLAIM_AUXILIARY] = "auxiliary",
    };
    return names[kind];
}

const char *lotor_paper_claim_verdict_name(lotor_paper_claim_verdict verdict)
{
    static const char *const names[LOTOR_PAPER_CLAIM_VERDICTS] = {
        [LOTOR_PAPER_CLAIM_PLAYED] = "by its figures",
        [LOTOR_PAPER_CLAIM_PROVED] = "holds (proved)",
        [LOTOR_PAPER_CLAIM_TESTED] = "holds (tested)",
        [LOTOR_PAPER_CLAIM_TYPO] = "typo",
        [LOTOR_PAPER_CLAIM_REPAIRED] = "proof has a gap, repaired",
        [LOTOR_PAPER_CLAIM_GAP] = "proof has a gap",
        [LOTOR_PAPER_CLAIM_FALSE] = "false as stated",
        [LOTOR_PAPER_CLAIM_CITED] = "cited, not checked",
        [LOTOR_PAPER_CLAIM_UNCHECKED] = "not checked",
    };
    return names[verdict];
}

const char *lotor_paper_claim_way_name(lotor_paper_claim_way way)
{
    static const char *const names[] = {
        [LOTOR_WAY_END] = "",
        [LOTOR_WAY_FIGURE] = "figure",
        [LOTOR_WAY_TEST] = "test",
        [LOTOR_WAY_PROOF] = "proof",
        [LOTOR_WAY_ERRATUM] = "erratum",
        [LOTOR_WAY_CITED] = "cited",
        [LOTOR_WAY_NONE] = "unchecked",
    };
    return names[way];
}
