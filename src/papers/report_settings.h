/* report_settings.h - the tables of what was played, curve by curve. */
#ifndef LOTOR_PAPERS_REPORT_SETTINGS_H
#define LOTOR_PAPERS_REPORT_SETTINGS_H

#include "papers/reproduce.h"

void lotor_report_put_settings(lotor_text *text, const lotor_played *played);

#endif
