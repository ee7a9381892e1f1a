/**
 * How a trace leaves what it does normally, as a call that can be named: from the order of its calls where that is
 * certain, else from what its functions call (docs/algorithms/verdict.md).
 */
#ifndef DT_VERDICT_DEPARTURE_H
#define DT_VERDICT_DEPARTURE_H

#include "verdict/evidence.h"

G_BEGIN_DECLS

typedef enum {
    DT_DEPARTURE_NONE,
    DT_DEPARTURE_ARGUMENTS, /* a call comes with other arguments */
    DT_DEPARTURE_LEFT_OUT,  /* a call that comes normally does not */
    DT_DEPARTURE_ADDED,     /* a call comes that does not come there normally */
    DT_DEPARTURE_INSTEAD    /* a call comes in the place of another one */
} DtDepartureKind;

/** Functions are of the projection that the departure was found in; dt_functions_base() of callers. */
typedef struct {
    DtDepartureKind kind;
    guint64 position;     /* entries of the trace before it */
    guint32 caller;       /* who makes the call, or does not; 0: the thread itself */
    guint32 call;         /* the call that comes; LEFT_OUT: that does not come */
    guint32 other;        /* ARGUMENTS, INSTEAD: what comes normally; LEFT_OUT: what comes then, 0 if nothing */
    guint32 other_caller; /* LEFT_OUT: who makes that */
    guint nth;            /* calls of `call` by `caller`, in the same call of it, that come before */
    double times, usual;  /* calls of `call` by `caller`; normally: the mean */
    gboolean in_order;    /* the order of calls tells it */
    gboolean cut_short;   /* the trace did not finish: that a call comes less often says nothing */
} DtDeparture;

/** Evidence by names, and with arguments (`arguments` NULL: not recorded). */
typedef struct {
    const DtCorpus *names, *arguments;
    const DtEvidence *by_names, *by_arguments; /* per trace */
} DtDepartureSources;

/** Of a trace of the faulty run that has references. O(elements of the trace and its references). */
DtDeparture dt_departure_find(const DtDepartureSources *sources, guint trace);

/** The same call of the same function, in the same way. */
gboolean dt_departure_equal(const DtFunctions *functions, const DtDeparture *a, const DtDeparture *b);

/** A demangled name without parameters, arguments of templates, and anonymous namespaces; g_free(). */
char *dt_short_name(const char *name);

/**
 * "solve calls MPI_Barrier (heat.c:120), where MPI_Send comes normally"; NULL for NONE. `place`: where the call is
 * made, or NULL; `process`: makes relative ranks absolute, or NULL. g_free().
 */
char *dt_departure_text(const DtFunctions *functions, const DtDeparture *departure, const char *place,
                        const DtProcess *process);

/** What comes, and what comes normally: "tag 8" and "tag 1", "24 calls" and "23 calls", "MPI_Send" and "MPI_Recv".
 * g_free() both. */
void dt_departure_sides(const DtFunctions *functions, const DtDeparture *departure, const DtProcess *process,
                        char **faulty, char **normal);

G_END_DECLS

#endif
