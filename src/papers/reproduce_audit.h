/* reproduce_audit.h - audits the algorithms of a figure. */
#ifndef LOTOR_PAPERS_REPRODUCE_AUDIT_H
#define LOTOR_PAPERS_REPRODUCE_AUDIT_H

#include "papers/reproduce.h"

/* Audits the algorithm of every curve, at the figure's epsilon, with seeded noise. Writes the
 * results to the claims of the series. LOTOR_STOPPED: `tell` returned true. */
lotor_status lotor_figure_audit(const lotor_figure *figure, const lotor_reproduction *how,
                                bool (*tell)(void *context, double share), void *context,
                                lotor_message *why, lotor_figure_result *out);

#endif
