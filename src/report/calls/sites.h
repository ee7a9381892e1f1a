/** Call sites of a run, with their lines. */
#ifndef DT_REPORT_SITES_H
#define DT_REPORT_SITES_H

#include "report/report.h"

G_BEGIN_DECLS

/** The call sites of all processes, each once: by call, image and address. */
typedef struct DtSites DtSites;
/** `run` must outlive it. Looks up the lines, which may take seconds where none are stored. */
DtSites *dt_sites_of(const DtRun *run);
void dt_sites_free(DtSites *sites);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtSites, dt_sites_free)
guint dt_sites_count(const DtSites *sites);
/** Text, in `width` characters (0: any), TSV, JSON. */
char *dt_report_sites(const DtSites *sites, guint width, DtReportFormat format, GError **error);

G_END_DECLS

#endif
