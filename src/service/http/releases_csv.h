/* releases_csv.h - the history of releases as CSV, for spreadsheets and data frames. */
#ifndef LOTOR_SERVICE_RELEASES_CSV_H
#define LOTOR_SERVICE_RELEASES_CSV_H

#include <jansson.h>

#include "base/text.h"

#define LOTOR_RELEASES_CSV_HEADER                                                                  \
    "number,round,arm,value_of,statistic,value,count,mean,low,high,time\n"

/* Writes the reply of lotor_engine_releases as CSV: a header, and a line for each released fact
 * with the arm's estimate then. A fact about the value of rounds has no arm, but says whose value
 * it is. A missing value is an empty field. Ids have no commas or quotes. */
void lotor_releases_csv(const json_t *reply, lotor_text *text);

#endif
