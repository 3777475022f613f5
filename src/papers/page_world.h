/* page_world.h - defines what a figure was played on: arms and their means, or how contexts are
 * drawn. */
#ifndef LOTOR_PAPERS_PAGE_WORLD_H
#define LOTOR_PAPERS_PAGE_WORLD_H

#include "base/text.h"
#include "papers/reproduce.h"

/* Adds a list with every instance of the figure. The means are those that were played. */
void lotor_page_put_worlds(lotor_text *text, const lotor_figure_result *played);

#endif
