/* evidence.h - files of this folder that cmake/embed.cmake puts into the program. */
#ifndef LOTOR_SERVICE_EVIDENCE_H
#define LOTOR_SERVICE_EVIDENCE_H

#include <stddef.h>

/* evidence.json: what the checks found. scripts/evidence writes it. */
extern const unsigned char lotor_evidence[];
extern const size_t lotor_evidence_length;

/* statement.css: the style of the page; ends in NUL. */
extern const unsigned char lotor_statement_style[];
extern const size_t lotor_statement_style_length;

#endif
