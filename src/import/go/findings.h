/** What a trace of Go's says by itself, without one that is as it should be. */
#ifndef DT_IMPORT_GO_FINDINGS_H
#define DT_IMPORT_GO_FINDINGS_H

#include "import/go/goroutines.h"

G_BEGIN_DECLS

/** TRUE if it did nothing more than stop the trace: it is no more in whatever it was. */
gboolean dt_go_has_finished(const DtGoroutines *goroutines, const DtGoroutine *goroutine);
/** TRUE if it waits at the end of the trace for what nobody has done, in the program's own code or started by it. */
gboolean dt_go_is_leaked(const DtGoroutines *goroutines, const DtGoroutine *goroutine);

typedef struct {
    GPtrArray *leaks;   /* (element-type utf8) a line for each goroutine that is leaked */
    GPtrArray *idle;    /* those of them that wait as one that serves others may when a command ends: for a message */
    gboolean is_global; /* the main goroutine, or a test's, is among them */
    gboolean is_quiet;  /* for a second nobody of the program did anything, and nobody can do something by himself */
    gboolean has_ended; /* the main goroutine of what difftrace records, or all of its tests, came to the end */
} DtGoFindings;

/** `prefix` is put before the numbers of goroutines: "0.". */
DtGoFindings *dt_go_findings_new(const DtGoroutines *goroutines, const char *prefix);
void dt_go_findings_free(DtGoFindings *findings);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtGoFindings, dt_go_findings_free)

/** "global deadlock: 3 goroutines of the program wait"; g_free(). */
char *dt_go_findings_summary(const DtGoFindings *findings);

G_END_DECLS

#endif
