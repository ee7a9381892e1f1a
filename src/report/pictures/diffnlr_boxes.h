/** The boxes of a diffNLR's picture and its legend, as Graphviz' markup. Internal to the reports. */
#ifndef DT_REPORT_PICTURES_DIFFNLR_BOXES_H
#define DT_REPORT_PICTURES_DIFFNLR_BOXES_H

#include "report/report.h"

G_BEGIN_DECLS

typedef enum { DT_BOX_BOTH, DT_BOX_NORMAL, DT_BOX_FAULTY } DtBoxSide;

/** Colour of a side's lines. */
const char *dt_box_side_colour(DtBoxSide side);
/** Where lines reach its boxes: "normal" at the top, "normal_end" at the bottom. */
const char *dt_box_side_port(DtBoxSide side);

/** What a box holds. */
typedef struct {
    DtBoxSide side;
    DtElements elements;
    gboolean ends; /* the trace ends here, */
    guint32 open;  /* inside this call; 0: outside any */
} DtBox;

/** Draws boxes, and keeps in mind which loops the legend has to explain. */
typedef struct {
    const DtDiffNlrReport *what;
    GHashTable *whole; /* bodies that stand in some box, all of them */
    GHashTable *named; /* bodies that are only named, or cut short */
} DtBoxes;
void dt_boxes_init(DtBoxes *boxes, const DtDiffNlrReport *what);
void dt_boxes_clear(DtBoxes *boxes);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(DtBoxes, dt_boxes_clear)

/** One box, or two side by side at one height and as wide as the wider; g_free(). */
char *dt_boxes_table(DtBoxes *boxes, const DtBox *row, guint count);

/** What is compared, and what the colours mean; g_free(). */
char *dt_boxes_title(const DtBoxes *boxes);
/** The bodies that no box drawn so far shows whole; NULL if there are none; g_free(). */
char *dt_boxes_legend(const DtBoxes *boxes);

G_END_DECLS

#endif
