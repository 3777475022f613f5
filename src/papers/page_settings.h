/* page_settings.h - writes the tables of the settings that were played. */
#ifndef LOTOR_PAPERS_PAGE_SETTINGS_H
#define LOTOR_PAPERS_PAGE_SETTINGS_H

#include "papers/reproduce.h"

void lotor_page_put_settings(lotor_text *text, const lotor_figure_result *played);

#endif
