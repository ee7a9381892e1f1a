/** What a run sends, receives and contributes, as hashes: `collect --payload`. */
#ifndef DT_PAYLOAD_DATA_EVENTS_H
#define DT_PAYLOAD_DATA_EVENTS_H

#include "store/symbols/places.h"

G_BEGIN_DECLS

typedef enum {
    DT_DATA_EVENT_SENT,     /* a message, or what else only the caller knows of: a write to a file, MPI_Put */
    DT_DATA_EVENT_RECEIVED, /* likewise */
    DT_DATA_EVENT_CHANGED,  /* what is sent was changed before its request completed */
    DT_DATA_EVENT_GIVEN,    /* to a collective call, when it is made */
    DT_DATA_EVENT_GOT,      /* of it, when it is complete */
    DT_DATA_EVENT_KINDS
} DtDataEventKind;

/** Numbers of channels, the same in all runs of a comparison: "world 3>4 tag 7", "world MPI_Allreduce". */
typedef struct {
    GHashTable *numbers;
    guint count;
} DtDataNames;
DtDataNames *dt_data_names_new(void);
void dt_data_names_free(DtDataNames *names);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtDataNames, dt_data_names_free)

/** The nth on a channel is the same message, or part of the same collective call, on all ranks and in all runs. */
typedef struct {
    DtDataEventKind kind;
    gboolean known; /* its hash is */
    guint32 hash;
    guint channel;
    guint64 number; /* on the channel, from 1 */
    guint family;   /* of calls from one place in the program: by function and call site */
    guint32 function;
    guint64 nth;            /* the how manieth call of the function, from 1 */
    guint64 starts;         /* of a persistent request, up to and with this one; 0: it is none */
    const DtCallSite *site; /* NULL: not known */
    gint peer;              /* rank in the world; -1: none, or not known */
    gboolean waits_for_all; /* of GOT: the data of all members go into it; else those of the peer, if there is one */
} DtDataEvent;

/** Of a rank's first thread, in its order. */
typedef struct {
    gint rank;
    const DtTrace *trace;
    GArray *events; /* DtDataEvent */
} DtDataOfRank;

/** TRUE if any process of the run has such notes. */
gboolean dt_run_has_payload(const DtRun *run);
/** Of all ranks; (element-type DtDataOfRank), the caller's. O(events of their first threads). */
GPtrArray *dt_data_events_read(const DtRun *run, DtDataNames *names, GError **error);

G_END_DECLS

#endif
