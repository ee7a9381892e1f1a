/** Lines of the source around a place. Internal to the page. */
#ifndef DT_REPORT_FRONT_EXCERPT_H
#define DT_REPORT_FRONT_EXCERPT_H

#include "report/front/facts.h"

G_BEGIN_DECLS

/** The line `place` ("sort.c:71") with one above and one below, of the file that the program was compiled from, if it
 * is there. `trace` is of `run`. */
DtFrontExcerpt dt_front_excerpt(const DtRun *run, const DtTrace *trace, const char *place);
void dt_front_excerpt_clear(DtFrontExcerpt *excerpt);

G_END_DECLS

#endif
