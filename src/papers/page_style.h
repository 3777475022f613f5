/* page_style.h - the style sheet of the page. */
#ifndef LOTOR_PAPERS_PAGE_STYLE_H
#define LOTOR_PAPERS_PAGE_STYLE_H

/* Returns the style sheet as CSS. It covers wide screens, phones, the dark theme and paper. */
const char *lotor_page_style(void);

#endif
