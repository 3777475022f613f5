/* reproduce_audit.h - what an audit finds against the algorithms of a figure. */
#ifndef LOTOR_PAPERS_REPRODUCE_AUDIT_H
#define LOTOR_PAPERS_REPRODUCE_AUDIT_H

#include "papers/reproduce.h"

/* Audits the algorithm of every curve, at the figure's epsilon, with the seed's noise; fills in the
 * series' claims. LOTOR_STOPPED when `tell` says so. */
lotor_status lotor_figure_audit(const lotor_figure *figure, const lotor_reproduction *how,
                                bool (*tell)(void *context, double share), void *context,
                                lotor_message *why, lotor_played *out);

#endif
