/**
 * How rules see a run: families of rules are told of each call of MPI, OpenMP and pthreads when it is entered and when
 * it returns, trace by trace in the order of the run, and give findings.
 */
#ifndef DT_CHECKS_CHECKING_H
#define DT_CHECKS_CHECKING_H

#include "calls/calls.h"
#include "checks/checks.h"
#include "checks/objects.h"
#include "decoder/live_requests.h"
#include "decoder/status.h"
#include "store/symbols/places.h"

G_BEGIN_DECLS

/** An open call, or one that returns. */
typedef struct {
    const struct dt_call *row; /* NULL: it has none */
    enum dt_call_class of;
    guint32 function;                   /* in DtFunctions, without arguments */
    guint32 caller;                     /* the innermost function around it that is the program's; 0: none */
    const DtCallSite *site;             /* NULL: not known */
    const DtSignature *signature;       /* as they were this time; NULL: arguments were not recorded */
    const DtSignature *form;            /* as the run knows them: some may vary; lives as long as the run */
    const DtCommunicator *communicator; /* NULL: none, or not known */
    guint64 begin_ns, end_ns;           /* 0: not known */
    gint failed;                        /* class of the error that it returned; 0: none */
    gint lock_error;                    /* what a call of locks returned, if not 0 */
    gboolean makes, persistent, frees;  /* it makes a request; frees those it names */
    guint32 made;                       /* number of the request that it makes; 0: none */
    guint64 marks[4];                   /* for the family that a slot belongs to */
    DtSignature own;                    /* what `signature` is, if arguments vary */
} DtCheckedCall;

/** Slots of marks. */
enum { DT_MARK_SEND, DT_MARK_RECEIVE, DT_MARK_COLLECTIVE, DT_MARK_OTHER };

/** A trace that is being read. */
typedef struct {
    const DtRun *run;
    const DtTrace *trace;
    const DtProcess *process;
    gboolean is_complete; /* all of it is there, from the beginning of the thread on */
    gboolean is_first;    /* of its process */
    const DtNotes *notes;
    DtLiveRequests *live;
    const guint32 *named; /* at enter: requests that the call names, 0: not known which */
    guint named_count;
    gboolean knows_requests;  /* at enter: what is above is known */
    const guint32 *completed; /* at leave: requests that the return has completed */
    guint completed_count;
    const DtCheckedObjects *objects; /* of the process; at leave with what the call has made */
    guint depth;                     /* of open calls that are told, the current one included */
    guint32 body;                    /* the outermost body of a team of OpenMP that is open: a function; 0: none */
    GHashTable *bodies;              /* function -> how often the thread entered it as one (guint64); borrowed */
} DtCheckedTrace;

typedef struct DtChecking DtChecking;

/** A family of rules. */
typedef struct {
    gpointer (*start)(DtChecking *checking);
    void (*begin)(gpointer family, const DtCheckedTrace *trace);
    void (*enter)(gpointer family, const DtCheckedTrace *trace, DtCheckedCall *call);
    /* It has returned. */
    void (*leave)(gpointer family, const DtCheckedTrace *trace, DtCheckedCall *call);
    /* A receive or probe from anybody got this, `call` NULL: by a request, `request`. */
    void (*got)(gpointer family, const DtCheckedTrace *trace, DtCheckedCall *call, guint32 request, gint64 source,
                gint64 tag);
    /* The trace is over; `open` (element-type DtCheckedCall *) never returned, outermost first. */
    void (*end)(gpointer family, const DtCheckedTrace *trace, const GPtrArray *open);
    /* All traces of the process are over; `is_complete`: they were all there, from their beginnings on. */
    void (*end_process)(gpointer family, const DtProcess *process, gboolean is_complete);
    void (*finish)(gpointer family); /* all traces are read */
    void (*stop)(gpointer family);
} DtCheckFamily;

extern const DtCheckFamily dt_check_life, dt_check_arguments, dt_check_requests, dt_check_collectives,
    dt_check_messages, dt_check_windows, dt_check_threads, dt_check_leaks, dt_check_locks, dt_check_teams,
    dt_check_waits, dt_check_files, dt_check_accesses, dt_check_topologies, dt_check_groups, dt_check_statuses;

/* ---- what families know together ------------------------------------------------------------- */

/** Of a process of the application, as it came out at the end; by index in the run. */
typedef struct {
    gboolean is_wanted;       /* it is of the application */
    gboolean is_read;         /* traces of it were read */
    gboolean is_complete;     /* and all of them were there */
    gboolean finalized;       /* MPI_Finalize was entered */
    gboolean lacks_arguments; /* a call came without the arguments that it should have */
    guint threads;            /* traces of it that are not of libraries' threads */
    gboolean is_shared;       /* several threads may call MPI: one may complete or end what another one has begun */
    gboolean has_ended;       /* in any way; else it still runs */
    DtStatus status;          /* known when all families but that of the life of processes finish */
} DtCheckedProcess;

struct DtChecking {
    const DtRun *run;
    const DtFunctions *functions;
    gboolean without[DT_CHECKS];
    const DtWaitFor *waits; /* NULL: not known yet */
    DtCheckedProcess *processes;
    GHashTable *by_rank; /* rank in the world -> DtProcess, of the application */
    gboolean with_mpi;   /* some process called MPI_Init */
    struct DtCheckFindings *findings;
};

/* ---- findings -------------------------------------------------------------------------------- */

/** A finding as a rule gives it. Equal are those with the same rule, place, function and `variant`. */
typedef struct {
    DtCheckRule rule;
    DtCheckLevel level;
    const DtTrace *trace;      /* whose it is; NULL: add ranks with dt_check_add_rank() */
    const DtCheckedCall *call; /* NULL: about none */
    const char *variant;       /* what tells it from others at that place; NULL: nothing */
} DtCheckReport;

/**
 * TRUE if it is new: then its texts are to be given. FALSE: it was found before, its trace and one more time are
 * noted. `*finding` is NULL if the rule is not wanted.
 */
gboolean dt_check_report(DtChecking *checking, const DtCheckReport *report, DtCheckFinding **finding);
/** The call that a finding is about, if it is over by now. */
typedef struct {
    const DtTrace *trace;
    const DtCallSite *site;
    const DtSignature *form; /* NULL: not recorded */
    guint32 function, caller;
} DtKeptCall;
static inline DtKeptCall dt_check_keep(const DtCheckedTrace *trace, const DtCheckedCall *call)
{
    return (DtKeptCall){trace->trace, call->site, call->form, call->function, call->caller};
}
/** "MPI_Send(world, to +1, tag 5, 10 x INT) at ring.c:41"; g_free(). */
char *dt_kept_call_text(DtChecking *checking, const DtKeptCall *call);
/** The same of a call that was kept. */
gboolean dt_check_report_kept(DtChecking *checking, DtCheckRule rule, DtCheckLevel level, const DtKeptCall *call,
                              const char *variant, DtCheckFinding **finding);
void dt_check_expect(DtCheckFinding *finding, const char *format, ...) G_GNUC_PRINTF(2, 3);
void dt_check_add_evidence(DtCheckFinding *finding, const char *format, ...) G_GNUC_PRINTF(2, 3);
/** "ring.c:41"; g_free(); NULL: not known. Looks it up: not for each event. */
char *dt_check_source(DtChecking *checking, const DtProcess *process, const DtCallSite *site, guint32 caller,
                      guint32 function);
char *dt_check_source_of_place(DtChecking *checking, const DtProcess *process, const DtPlace *place);
/** " at ring.c:41", or "". */
char *dt_check_at(DtChecking *checking, const DtProcess *process, const DtCallSite *site, guint32 caller,
                  guint32 function);
void dt_check_add_trace(DtChecking *checking, DtCheckFinding *finding, const DtTrace *trace);
void dt_check_add_rank(DtCheckFinding *finding, gint rank);
/** Name and arguments; g_free(). */
char *dt_check_call_text(const DtChecking *checking, const DtCheckedCall *call);

/* ---- calls ----------------------------------------------------------------------------------- */

static inline gboolean dt_check_is(const DtCheckedCall *call, const char *name)
{
    return call->row && g_str_equal(call->row->name, name);
}
static inline gboolean dt_check_has(const DtCheckedCall *call, guint32 property)
{
    return call->row && call->row->properties & property;
}
/** The first argument of the kind, whatever it is; NULL. */
const DtArgument *dt_check_argument(const DtSignature *signature, guint kind);
const char *dt_check_function_name(const DtChecking *checking, guint32 function);

/* ---- all ------------------------------------------------------------------------------------- */

/** What families need; `options` NULL: all rules. The run must outlive it. */
DtChecking *dt_checking_new(const DtRun *run, const DtCheckOptions *options);
void dt_checking_free(DtChecking *checking);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtChecking, dt_checking_free)

/** Tells the families of all traces. */
gboolean dt_checking_read(DtChecking *checking, const DtCheckFamily *const *families, gpointer *own, guint count,
                          GError **error);

G_END_DECLS

#endif
