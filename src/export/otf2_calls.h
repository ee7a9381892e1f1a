/** The calls of MPI of a thread as OTF2 tells them: messages, requests, collective calls. Internal to the exports. */
#ifndef DT_EXPORT_OTF2_CALLS_H
#define DT_EXPORT_OTF2_CALLS_H

#include "otf2/records.h"
#include "store/store.h"

G_BEGIN_DECLS

typedef struct DtOtf2Calls DtOtf2Calls;
/** All are borrowed; `communicators` has numbers by key (of a DtCommunicator). `count` is raised with each record. */
DtOtf2Calls *dt_otf2_calls_new(const DtRun *run, const DtTrace *trace, const DtNotes *notes, GHashTable *communicators,
                               DtOtf2Stream *stream, guint64 *count);
void dt_otf2_calls_free(DtOtf2Calls *calls);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtOtf2Calls, dt_otf2_calls_free)

/** A call was entered: puts what happens then, if it `is_told`. All calls in order; `id` is of the process's file. */
void dt_otf2_calls_enter(DtOtf2Calls *calls, guint32 id, guint64 position, gint64 time, gboolean is_told);
/** The innermost call is about to return. */
void dt_otf2_calls_leave(DtOtf2Calls *calls, guint64 position, gint64 time);

G_END_DECLS

#endif
