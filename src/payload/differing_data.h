/**
 * The data of a faulty run against those of normal ones: `collect --payload`. What varies among the normal runs is no
 * evidence, nor are other data from the same place in the program. docs/algorithms/payload.md
 */
#ifndef DT_PAYLOAD_DIFFERING_DATA_H
#define DT_PAYLOAD_DIFFERING_DATA_H

#include "payload/data_events.h"
#include "store/symbols/source_lines.h"

G_BEGIN_DECLS

/** Data that differ, of which no cause differs. */
typedef struct {
    const char *label; /* of the trace; borrowed from the run */
    DtDataEventKind kind;
    char *call, *source; /* "MPI_Send", "halo.c:41"; source NULL: not known */
    guint64 nth;         /* of the rank's calls of the function, from 1 */
    guint64 starts;      /* of a persistent request; 0: it is none */
    gint peer;           /* rank in the world; -1: none, or not known */
    gboolean under_way;  /* what was sent is as usual */
    guint32 hash, usual; /* usual 0 if it is CHANGED */
} DtDataDeparture;

typedef struct {
    GPtrArray *firsts;          /* DtDataDeparture, by rank */
    guint normals;              /* runs */
    guint ranks;                /* of the faulty one */
    guint64 compared;           /* data of the faulty run that could be compared, */
    guint64 varying, differing; /* and of these, those whose like varies, and those that differ */
    char *varies;               /* where the first of those is that vary: "MPI_Send at halo.c:41"; NULL */
} DtDifferingData;

/** NULL without an error if a run has no data recorded, or there is no normal one. `normals`: (element-type DtRun). */
DtDifferingData *dt_differing_data_find(const GPtrArray *normals, const DtRun *faulty, GError **error);
void dt_differing_data_free(DtDifferingData *data);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtDifferingData, dt_differing_data_free)
/** The departure of a trace; NULL: none. */
const DtDataDeparture *dt_differing_data_of(const DtDifferingData *data, const char *label);
/** "its MPI_Send at halo.c:41, the 12th, sends other data to rank 4 than in the normal runs"; g_free(). */
char *dt_data_departure_text(const DtDataDeparture *departure);
/** What is to be said of data that vary by themselves; NULL: nothing; g_free(). */
char *dt_differing_data_caution(const DtDifferingData *data);

G_END_DECLS

#endif
