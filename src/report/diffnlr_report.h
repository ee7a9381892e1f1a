/** Forms of a diffNLR, a file each. Internal to the reports. */
#ifndef DT_REPORT_DIFFNLR_REPORT_H
#define DT_REPORT_DIFFNLR_REPORT_H

#include "report/report.h"

#include <graphviz/cgraph.h>

G_BEGIN_DECLS

/** Two columns, normal left and faulty right, marked `=`, `-`, `+`; colours on top if wanted. */
char *dt_diffnlr_text(const DtDiffNlrReport *what, gboolean colours);
/** Every element of every block, a line each, and which run has it. */
char *dt_diffnlr_tsv(const DtDiffNlrReport *what);
/** The picture, not laid out yet. */
Agraph_t *dt_diffnlr_graph(const DtDiffNlrReport *what, GError **error);

/** A stretch cut short: `head` elements shown, `left_out` not, the rest shown again. */
typedef struct {
    gsize head, left_out;
} DtElision;
/** Keeps about `shown` elements of a stretch, two thirds of them at its head; never hides only one or two. */
static inline DtElision dt_elide(gsize length, gsize shown)
{
    if (length <= shown + 2)
        return (DtElision){length, 0};
    return (DtElision){shown - shown / 3, length - shown};
}

G_END_DECLS

#endif
