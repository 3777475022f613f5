/* page_style.h - the style sheet of the page. */
#ifndef LOTOR_PAPERS_PAGE_STYLE_H
#define LOTOR_PAPERS_PAGE_STYLE_H

/* For a wide screen, a phone, a dark theme, and paper. */
const char *lotor_page_style(void);

#endif
