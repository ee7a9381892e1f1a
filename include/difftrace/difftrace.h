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
 * Errors are GErrors, one domain per stage: bad input is one, and never ends the program. What a function returns is
 * the caller's, to be freed as its type or comment says; const pointers are borrowed. A DtRun may be read by many
 * threads. While the major version is 0, minor versions may change the interface.
 *
 * What every function expects of its caller, unless its comment says otherwise:
 *
 * - No pointer is NULL, but for `error` (who does not ask for the reason), `user_data`, and what is given to a function
 *   that ends in _free or _unref, which then does nothing. Strings end with a NUL.
 * - An index is below the count that belongs to it; a function's id is one that the same DtFunctions gave out, 1 to
 *   dt_functions_count(); a value of an enum is one of its names.
 * - Things that are given together belong together: a trace, a process to the run; runs, folded traces, filter sets and
 *   call trees to the same DtFunctions; elements to the loop table they were folded over.
 * - What is borrowed lives at least as long as what borrows it.
 *
 * To break these is an error of the program, not of its input: of some there is a critical message of GLib's, and the
 * function does nothing and returns NULL, FALSE or 0; elsewhere what happens is undefined. A function sets `error`
 * exactly if it returns NULL or FALSE and its comment does not give these another meaning.
 */
#ifndef DIFFTRACE_DIFFTRACE_H
#define DIFFTRACE_DIFFTRACE_H

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
#define DT_LIBRARY_VERSION "0.1.0"

#endif
