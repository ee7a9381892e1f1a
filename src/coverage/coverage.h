/**
 * What runs exercised of what they could have, and what none of them ever did: the outcomes of operations of
 * goroutines at each line, the senders of receives from anybody, the requests that completed first of several, and
 * locks that were held by another thread or not. docs/man/difftrace-coverage.md
 *
 * Source of what is asked for of goroutines: GOAT (S. Taheri and G. Gopalakrishnan). The rest is the same idea.
 */
#ifndef DT_COVERAGE_COVERAGE_H
#define DT_COVERAGE_COVERAGE_H

#include "store/store.h"

G_BEGIN_DECLS

typedef enum {
    DT_COVERAGE_GOROUTINE,  /* blocked, woke another, neither, done */
    DT_COVERAGE_SENDER,     /* from whom a receive from anybody got a message */
    DT_COVERAGE_COMPLETION, /* which of several requests completed before others */
    DT_COVERAGE_LOCK,       /* whether another thread held the lock */
    DT_COVERAGE_KINDS
} DtCoverageKind;
/** "goroutine"; static. */
const char *dt_coverage_kind_name(DtCoverageKind kind);

/** One way in which an operation can go. */
typedef struct {
    char *name;       /* "blocked", "from 3" */
    guint64 times;    /* that it was seen to, of all runs; of goroutines: runs in which it was */
    guint first_seen; /* number of the run that saw it first, from 1 on; 0: none did */
} DtCoverageOutcome;

/** An operation at a place. */
typedef struct {
    DtCoverageKind kind;
    char *place;     /* "cache.go:12"; else the name of the function around it; "": not known */
    char *operation; /* "chan send", "MPI_Recv" */
    char *node;      /* who: the label of a goroutine, a rank's; of a lock the process and the lock's number */
    GPtrArray
        *outcomes; /* (element-type DtCoverageOutcome) all that are required, in the order in which they came up */
} DtCoverageRow;

typedef struct {
    char *name; /* as it was given */
    guint seen; /* outcomes, of those that the rows have */
    guint news; /* of them no run before saw */
} DtCoverageRun;

typedef struct {
    GPtrArray *rows;    /* (element-type DtCoverageRow) by kind, place, operation and node once runs are complete */
    GPtrArray *runs;    /* (element-type DtCoverageRun) */
    GHashTable *by_key; /* rows by what they are of; borrowed */
    GPtrArray *silent;  /* why something could not be looked at: sentences (element-type utf8) */
    guint required, seen;
} DtCoverage;

DtCoverage *dt_coverage_new(void);
void dt_coverage_free(DtCoverage *coverage);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtCoverage, dt_coverage_free)

/** What a run exercised; `name` is what it is called. FALSE with an error of the store: it cannot be read. O(events).
 */
gboolean dt_coverage_add(DtCoverage *coverage, const DtRun *run, const char *name, GError **error);
/** After the last run: sums, and rows in order. O(n log n). */
void dt_coverage_complete(DtCoverage *coverage);

/* ---- what the parts of the stage share -------------------------------------------------------------- */

/** The row of it, made if there is none. */
DtCoverageRow *dt_coverage_row(DtCoverage *coverage, DtCoverageKind kind, const char *place, const char *operation,
                               const char *node);
/** It can go so. */
DtCoverageOutcome *dt_coverage_require(DtCoverageRow *row, const char *outcome);
/** It went so, in the run that is being added. */
void dt_coverage_see(DtCoverage *coverage, DtCoverageRow *row, const char *outcome);

/** Of goroutines; and of calls of MPI and of locks. */
gboolean dt_coverage_add_goroutines(DtCoverage *coverage, const DtRun *run, GError **error);
gboolean dt_coverage_add_calls(DtCoverage *coverage, const DtRun *run, GError **error);

G_END_DECLS

#endif
