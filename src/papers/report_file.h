/* report_file.h - writes a file of the report. */
#ifndef LOTOR_PAPERS_REPORT_FILE_H
#define LOTOR_PAPERS_REPORT_FILE_H

#include "base/text.h"

/* Writes FOLDER/NAME under another name first and renames it. So the file is either complete or
 * unchanged. LOTOR_MEMORY: the text is not complete. */
lotor_status lotor_report_write(const lotor_text *text, const char *folder, const char *name,
                                lotor_message *why);

/* The same for a whole path. */
lotor_status lotor_report_write_file(const lotor_text *text, const char *file, lotor_message *why);

#endif
