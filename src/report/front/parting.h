/** Call by call where two folded sequences part, and how they end. Internal to the page. */
#ifndef DT_REPORT_FRONT_PARTING_H
#define DT_REPORT_FRONT_PARTING_H

#include "report/report.h"

G_BEGIN_DECLS

enum { DT_PARTING_BEFORE = 5, DT_PARTING_AFTER = 5, DT_PARTING_LAST = 2 };

/** What a run does from there on. */
typedef struct {
    guint32 after[DT_PARTING_AFTER + DT_PARTING_LAST]; /* symbols; all of them where they are few */
    guint count;
    guint64 left_out; /* calls between them and the last ones */
    guint32 last[DT_PARTING_LAST];
    guint last_count;
} DtPartingSide;

typedef struct {
    guint64 done;   /* calls that the faulty run has made before */
    gboolean first; /* there is no difference before it */
    gboolean told;  /* the reason does not tell of other calls */
    guint32 before[DT_PARTING_BEFORE];
    guint before_count; /* the last of these, if both runs have made them */
    DtPartingSide normal, faulty;
} DtParting;

/**
 * The first call that is another one, or missing, on either side; of several differences the one that `reason` tells
 * of (DtSuspectRow.why; NULL: any), or else the first. Calls are the same if their functions are; if all are,
 * or the reason tells of a call with other arguments, arguments count as well. If it tells of a crash, that is the last
 * difference. FALSE: there is none, or it is too far
 * inside of loops that are not alike. O(elements), and at most DT_PARTING_STEPS calls.
 */
gboolean dt_parting_find(const DtDiffNlrReport *what, const char *reason, DtParting *parting);
/** The call that is made by such a reason, and the one that normally comes; each g_free(), NULL: it does not say. */
void dt_parting_told_calls(const char *reason, char **called, char **normally);
enum { DT_PARTING_STEPS = 1 << 20 };

G_END_DECLS

#endif
