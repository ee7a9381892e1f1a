/** What several reports need. Internal to the reports. */
#ifndef DT_REPORT_COMMON_H
#define DT_REPORT_COMMON_H

#include "report/report.h"

G_BEGIN_DECLS

/** Sets DT_REPORT_ERROR_FORMAT and returns NULL; `formats` lists those that the report has. */
char *dt_report_no_format(const char *report, DtReportFormat format, const char *formats, GError **error);

/** Name of a function, "?" for an id that is none. */
const char *dt_function_name(const DtFunctions *functions, guint32 id);

/** The same for people: cut if it is very long. */
const char *dt_function_shown(const DtFunctions *functions, guint32 id);

/** 1234567 -> "1,234,567"; g_free(). */
char *dt_grouped(guint64 number);

G_END_DECLS

#endif
