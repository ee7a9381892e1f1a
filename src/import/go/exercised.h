/** What the goroutines of a trace exercised of the operations at each line: blocked, woke somebody, neither. */
#ifndef DT_IMPORT_GO_EXERCISED_H
#define DT_IMPORT_GO_EXERCISED_H

#include "import/go/goroutines.h"
#include "writer/writer.h"

G_BEGIN_DECLS

/**
 * Notes it, DT_NOTE_EXERCISED, for each place of the program where the goroutine did something with channels, locks,
 * conditions, wait groups or goroutines. `is_told`: the trace tells of each operation; else only of those that waited
 * or woke somebody, and that one did neither is not asked for. O(events of the goroutine).
 */
void dt_go_exercised_note(const DtGoroutines *goroutines, const DtGoroutine *goroutine, gboolean is_told,
                          DtThreadWriter *thread);

G_END_DECLS

#endif
