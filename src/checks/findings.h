/** Findings while they are gathered: each once for all that have it. */
#ifndef DT_CHECKS_FINDINGS_H
#define DT_CHECKS_FINDINGS_H

#include "checks/checking.h"
#include "store/symbols/source_lines.h"

G_BEGIN_DECLS

typedef struct DtCheckFindings {
    GPtrArray *all;       /* DtCheckFinding */
    GHashTable *by_key;   /* text -> DtCheckFinding */
    DtSourceLines *lines; /* looked up when the first is asked for */
    GHashTable *sources;  /* place -> text */
} DtCheckFindings;

DtCheckFindings *dt_check_findings_new(void);
void dt_check_findings_free(DtCheckFindings *findings);
/** In the order in which they are told; takes them out. */
GPtrArray *dt_check_findings_take(DtCheckFindings *findings, const DtRun *run);

G_END_DECLS

#endif
