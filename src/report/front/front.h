/** The first screen of the page, as markup: it is there without scripts, too. Internal to the page. */
#ifndef DT_REPORT_FRONT_FRONT_H
#define DT_REPORT_FRONT_FRONT_H

#include "report/page.h"

G_BEGIN_DECLS

/** Made once for a page; all g_free(). */
typedef struct {
    char *title;    /* of the document, a text */
    char *headline; /* a text */
    char *besides;  /* markup: what else the verdict says */
    char *sections; /* markup */
} DtFront;

/** Reads the end of the suspect's trace, and the source file it is in, if that is there. */
DtFront dt_front_new(const DtPage *page);
void dt_front_clear(DtFront *front);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(DtFront, dt_front_clear)

G_END_DECLS

#endif
