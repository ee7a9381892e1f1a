/** What calls mean to the ranking: kinds of functions, looked up once per function. */
#ifndef DT_VERDICT_OBSERVED_CALLS_H
#define DT_VERDICT_OBSERVED_CALLS_H

#include "verdict/verdict.h"

G_BEGIN_DECLS

typedef enum {
    DT_KIND_LIBRARY = 1 << 0,          /* dt_is_library_call() */
    DT_KIND_MPI = 1 << 1,              /* MPI_* */
    DT_KIND_POLLING = 1 << 2,          /* asks without waiting, sleeps, or asks for the time: how often is luck */
    DT_KIND_BLOCKING = 1 << 3,         /* dt_is_blocking_call() */
    DT_KIND_ENDING = 1 << 4,           /* dt_is_ending_call() */
    DT_KIND_NONDETERMINISTIC = 1 << 6, /* what comes back is the first of several that happened: MPI_Waitany */
    DT_KIND_AUXILIARY = 1 << 7,        /* text, memory, containers: what serves the program's own calls */
    DT_KIND_JOINING = 1 << 5,          /* waits for threads of its own: pthread_join, GOMP_parallel */
    DT_KIND_MEMORY = 1 << 8,           /* malloc, free, memcpy: what these call themselves is luck */
    DT_KIND_LUCKY = 1 << 9,      /* takes what comes first, or asks for it: Waitany, Test, trylock, from anybody */
    DT_KIND_SENDING = 1 << 10,   /* a message, to one rank */
    DT_KIND_RECEIVING = 1 << 11, /* likewise, or asks for one */
    DT_KIND_LOCKING = 1 << 12    /* takes a lock */
} DtCallKind;

guint dt_call_kind(const char *name);

/** TRUE for auxiliary calls that read, write, make or look at text, or ask for the environment. */
gboolean dt_is_text_call(const char *name);

/** TRUE for calls that call a function in one of the threads that come there: it is luck in which. */
gboolean dt_runs_once(const char *name);

/** Kinds by function id, 0..dt_functions_count(); g_free(). */
guint16 *dt_call_kinds(const DtFunctions *functions);

G_END_DECLS

#endif
