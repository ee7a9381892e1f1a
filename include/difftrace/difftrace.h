/**
 * libdifftrace: reads runs that "difftrace collect" recorded, writes others, and has the stages of their comparison.
 *
 *     cc $(pkg-config --cflags difftrace) program.c $(pkg-config --libs difftrace)
 *
 * One header per stage, in the order in which data flows; each includes those before it that it needs:
 *
 *     writer.h    a run that was not recorded, written event by event
 *     store.h     a run directory: processes, traces, functions, damage
 *     decoder.h   the events of a trace, its call stack, statistics
 *     filters.h   which functions an analysis looks at
 *     nlr.h       traces folded into loops
 *     fca.h       attributes of traces, formal contexts, lattices
 *     cluster.h   Jaccard matrices, dendrograms, B-scores
 *     diffnlr.h   the difference of two folded traces
 *     waitfor.h   who waits for whom at the end of a run
 *     verdict.h   suspects and the verdict
 *     compare.h   all of it for two runs, in one call
 *     report.h    all of these as text, JSON, tables and pictures; page.h: as one page
 *     export.h    runs in other tools' formats
 *     import.h    other tools' traces as runs
 *
 * Errors are GErrors, one domain per stage. What a function returns is the caller's, to be freed as its type or comment
 * says; const pointers are borrowed. A DtRun may be read by many threads. While the major version is 0, minor
 * versions may change the interface.
 */
#ifndef DT_DIFFTRACE_H
#define DT_DIFFTRACE_H

#include "cluster.h"
#include "compare.h"
#include "decoder.h"
#include "diffnlr.h"
#include "export.h"
#include "fca.h"
#include "filters.h"
#include "import.h"
#include "nlr.h"
#include "page.h"
#include "report.h"
#include "store.h"
#include "verdict.h"
#include "waitfor.h"
#include "writer.h"

/** Of the headers; that of the installed library: pkg-config --modversion difftrace. */
#define DT_LIBRARY_VERSION "@PROJECT_VERSION@"

#endif
