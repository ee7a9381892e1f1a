/** Prints the events of traces as they are decoded. */
#ifndef DT_COMMANDS_TRACE_PRINTER_H
#define DT_COMMANDS_TRACE_PRINTER_H

#include "report/report.h"

G_BEGIN_DECLS

typedef struct DtTracePrinter DtTracePrinter;

/** `set` (may be NULL: everything) says what is printed; `returns`: returns, too. `flat`: one event a line.
 * `with_arguments`: calls by signature, and what notes say about them. */
DtTracePrinter *dt_trace_printer_new(const DtFunctions *functions, const DtFilterSet *set, gboolean returns,
                                     gboolean flat, gboolean with_arguments);
void dt_trace_printer_free(DtTracePrinter *printer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtTracePrinter, dt_trace_printer_free)

/** Prints times, markers, and where recording was switched, too. */
void dt_trace_printer_with_notes(DtTracePrinter *printer);

/** Prints where functions stand in the source, too, as far as their images are there and tell. */
void dt_trace_printer_with_lines(DtTracePrinter *printer);

/** Prints `count` events from number `from` on, which is 1 or more. */
void dt_trace_printer_range(DtTracePrinter *printer, guint64 from, guint64 count);

/** TRUE once an event was printed. */
gboolean dt_trace_printer_has_events(const DtTracePrinter *printer);

/** Prints a trace; memory does not grow with it. *go_on is FALSE once nobody reads stdout any more. */
gboolean dt_trace_printer_print(DtTracePrinter *printer, const DtRun *run, const DtTrace *trace, gboolean *go_on,
                                GError **error);

G_END_DECLS

#endif
