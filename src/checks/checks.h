/**
 * What one run proves to be wrong in its use of MPI, OpenMP and pthreads. docs/checks.md
 *
 * A rule finds an error only if the record proves it; what depends on luck, or what the record cannot prove alone, is
 * a warning. A rule that lacks what it needs is silent.
 */
#ifndef DT_CHECKS_CHECKS_H
#define DT_CHECKS_CHECKS_H

#include "store/store.h"
#include "waitfor/waitfor.h"

G_BEGIN_DECLS

/** All rules, in the order in which findings are told. docs/checks.md has a section for each. */
#define DT_CHECK_ROWS(ROW)                                                                                             \
    ROW(BEFORE_INIT)                                                                                                   \
    ROW(AFTER_FINALIZE)                                                                                                \
    ROW(INIT_TWICE)                                                                                                    \
    ROW(NO_FINALIZE)                                                                                                   \
    ROW(FINALIZE_THREAD)                                                                                               \
    ROW(ENDED_IN_CALL)                                                                                                 \
    ROW(CRASH)                                                                                                         \
    ROW(ABORT)                                                                                                         \
    ROW(UNCAUGHT_EXCEPTION)                                                                                            \
    ROW(KILLED)                                                                                                        \
    ROW(RANK_MISSING)                                                                                                  \
    ROW(FAILED_CALL)                                                                                                   \
    ROW(INVALID_RANK)                                                                                                  \
    ROW(INVALID_ROOT)                                                                                                  \
    ROW(INVALID_COUNT)                                                                                                 \
    ROW(INVALID_TAG)                                                                                                   \
    ROW(INVALID_HANDLE)                                                                                                \
    ROW(OPERATION_TYPE)                                                                                                \
    ROW(COLLECTIVE_ORDER)                                                                                              \
    ROW(COLLECTIVE_ROOT)                                                                                               \
    ROW(COLLECTIVE_OPERATION)                                                                                          \
    ROW(COLLECTIVE_SIZE)                                                                                               \
    ROW(COLLECTIVE_TYPE)                                                                                               \
    ROW(COLLECTIVE_ARGUMENT)                                                                                           \
    ROW(COLLECTIVE_GROUP)                                                                                              \
    ROW(COLLECTIVE_MISSING)                                                                                            \
    ROW(GRAPH_NEIGHBOURS)                                                                                              \
    ROW(INTERCOMM_LEADERS)                                                                                             \
    ROW(MESSAGE_TRUNCATED)                                                                                             \
    ROW(MESSAGE_TYPE)                                                                                                  \
    ROW(READY_SEND)                                                                                                    \
    ROW(MESSAGE_MISMATCH)                                                                                              \
    ROW(MESSAGE_UNRECEIVED)                                                                                            \
    ROW(RECEIVE_UNSENT)                                                                                                \
    ROW(DEADLOCK)                                                                                                      \
    ROW(POTENTIAL_DEADLOCK)                                                                                            \
    ROW(STATUS_COUNT)                                                                                                  \
    ROW(REQUEST_OPEN)                                                                                                  \
    ROW(REQUEST_STARTED_TWICE)                                                                                         \
    ROW(REQUEST_NOT_PERSISTENT)                                                                                        \
    ROW(REQUEST_FREED_ACTIVE)                                                                                          \
    ROW(REQUEST_OF_COLLECTIVE)                                                                                         \
    ROW(REQUEST_UNKNOWN)                                                                                               \
    ROW(RMA_NO_EPOCH)                                                                                                  \
    ROW(RMA_EPOCH_OPEN)                                                                                                \
    ROW(RMA_EPOCHS_MIXED)                                                                                              \
    ROW(RMA_NOT_STARTED)                                                                                               \
    ROW(RMA_GROUPS)                                                                                                    \
    ROW(RMA_TYPE)                                                                                                      \
    ROW(RMA_RANGE)                                                                                                     \
    ROW(RMA_CONFLICT)                                                                                                  \
    ROW(RMA_LOCK_ORDER)                                                                                                \
    ROW(IO_MODE)                                                                                                       \
    ROW(IO_SPLIT)                                                                                                      \
    ROW(IO_CONFLICT)                                                                                                   \
    ROW(THREAD_LEVEL)                                                                                                  \
    ROW(THREAD_MAIN)                                                                                                   \
    ROW(THREAD_OVERLAP)                                                                                                \
    ROW(LEAKED_COMMUNICATOR)                                                                                           \
    ROW(LEAKED_DATATYPE)                                                                                               \
    ROW(LEAKED_GROUP)                                                                                                  \
    ROW(LEAKED_OPERATION)                                                                                              \
    ROW(LEAKED_WINDOW)                                                                                                 \
    ROW(LEAKED_FILE)                                                                                                   \
    ROW(LEAKED_REQUEST)                                                                                                \
    ROW(LEAKED_ERRHANDLER)                                                                                             \
    ROW(LEAKED_INFO)                                                                                                   \
    ROW(LEAKED_KEYVAL)                                                                                                 \
    ROW(LOCK_ORDER)                                                                                                    \
    ROW(LOCK_HELD)                                                                                                     \
    ROW(LOCK_OTHER)                                                                                                    \
    ROW(LOCK_TWICE)                                                                                                    \
    ROW(LOCK_DESTROYED)                                                                                                \
    ROW(CONDITION_UNLOCKED)                                                                                            \
    ROW(THREAD_UNJOINED)                                                                                               \
    ROW(THREAD_JOINED_TWICE)                                                                                           \
    ROW(OMP_BARRIER)                                                                                                   \
    ROW(OMP_WORKSHARING)

#define DT_CHECK_INDEX(NAME) DT_CHECK_##NAME,
typedef enum { DT_CHECK_ROWS(DT_CHECK_INDEX) DT_CHECKS } DtCheckRule;
#undef DT_CHECK_INDEX

typedef enum { DT_CHECK_ERROR, DT_CHECK_WARNING } DtCheckLevel;
/** "error"; static. */
const char *dt_check_level_name(DtCheckLevel level);

/** What a rule is. */
typedef struct {
    const char *name;    /* "collective-order" */
    DtCheckLevel level;  /* the highest that it finds */
    const char *meaning; /* one sentence */
    const char *section; /* where the standard says so: "MPI 3.1, 8.7" */
    const char *needs;   /* what the record must have for it */
} DtCheckRuleInfo;
/** DT_CHECKS rules; `rule` is one. */
const DtCheckRuleInfo *dt_check_rule(DtCheckRule rule);
/** By name; DT_CHECKS: there is none. */
DtCheckRule dt_check_rule_find(const char *name);

/** Something that is wrong, once for all ranks and all times that it was. */
typedef struct {
    DtCheckRule rule;
    DtCheckLevel level;
    GArray *ranks;       /* in MPI_COMM_WORLD, ascending (element-type gint); empty: of no rank */
    GPtrArray *traces;   /* labels of the threads, in the order of the run (element-type utf8), borrowed from the run */
    char *call;          /* "MPI_Send(world, to +1, tag 5, 10 x INT)"; NULL: it is about no call */
    char *source;        /* "ring.c:41"; NULL: not known */
    char *expected;      /* what would be right: one sentence */
    GPtrArray *evidence; /* what was seen: sentences (element-type utf8) */
    guint64 times;       /* that it was found */
} DtCheckFinding;

typedef struct {
    GPtrArray *findings; /* DtCheckFinding: errors first, then in the order of rules and places */
    guint errors, warnings;
    GPtrArray *silent; /* why rules could not look: sentences (element-type utf8) */
    /* Communicators of which it is not known which ones of other processes they are, by name and trace label of the
     * process: "world/2 on 3" (element-type utf8). */
    GPtrArray *unsure;
} DtChecked;

/** Which rules to apply. */
typedef struct {
    gboolean without[DT_CHECKS];
    const DtWaitFor *waits; /* of the run, if it is there already; else NULL */
} DtCheckOptions;

/**
 * Applies the rules to a run, also to one that still grows. `options` NULL: all rules. NULL and an error of the store
 * if a trace cannot be read. O(events), memory by the number of different calls, of open calls, and of the collective
 * calls of one rank a communicator.
 */
DtChecked *dt_checked_new(const DtRun *run, const DtCheckOptions *options, GError **error);
/** Leaves errors alone. */
void dt_checked_drop_warnings(DtChecked *checked);
void dt_checked_free(DtChecked *checked);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtChecked, dt_checked_free)

G_END_DECLS

#endif
