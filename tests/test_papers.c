/* test_papers.c - the stories of the papers agree with the figures and with the catalog. */
#include "support/test.h"

#include <string.h>

#include "papers/figure.h"
#include "papers/papers.h"
#include "policy/catalog.h"

/* Every figure has a paper with a story, and the papers are in the order of the figures. */
TEST(test_every_figure_has_a_paper)
{
    const lotor_figure *figure;
    size_t paper = 0;
    for (size_t i = 0; (figure = lotor_figure_at(i)) != NULL; i++) {
        const lotor_paper *known = lotor_paper_find(figure->paper);
        assert_non_null(known);
        if (lotor_paper_at(paper) != known) {
            paper++;
        }
        assert_ptr_equal(lotor_paper_at(paper), known);
    }
    assert_null(lotor_paper_at(paper + 1));
    assert_null(lotor_paper_find("Nobody 1999"));
}

static size_t count_sentences(const char *text)
{
    size_t sentences = 0;
    for (const char *at = strchr(text, '.'); at; at = strchr(at + 1, '.')) {
        sentences += at[1] == ' ' || at[1] == '\0';
    }
    return sentences;
}

/* With what was found, a story has from 4 to 9 sentences, and its section has its own id. */
TEST(test_stories_are_short)
{
    const lotor_paper *paper;
    for (size_t i = 0; (paper = lotor_paper_at(i)) != NULL; i++) {
        const size_t sentences = count_sentences(paper->proposes) + count_sentences(paper->claims) +
                                 count_sentences(paper->privacy);
        assert_in_range(sentences, 3, 8);
        assert_true(*paper->authors && *paper->title && *paper->venue);
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(lotor_paper_at(j)->id, paper->id);
        }
    }
}

/* The privacy claims hold exactly if no algorithm of the figures is a known leak. */
TEST(test_breaks_are_those_of_the_catalog)
{
    const lotor_paper *paper;
    for (size_t i = 0; (paper = lotor_paper_at(i)) != NULL; i++) {
        bool leaks = false;
        const lotor_figure *figure;
        for (size_t j = 0; (figure = lotor_figure_at(j)) != NULL; j++) {
            for (size_t k = 0; strcmp(figure->paper, paper->name) == 0 && k < figure->curve_count;
                 k++) {
                const char *id = figure->curves[k].setting.algorithm;
                const lotor_algorithm *row = id ? lotor_algorithms_find(id) : NULL;
                leaks = leaks || (row && lotor_algorithm_leak(row));
            }
        }
        if ((strstr(paper->privacy, "The privacy claims hold") != NULL) == leaks) {
            fail_msg("%s: %s", paper->name, leaks ? "leaks" : "does not leak");
        }
    }
}
