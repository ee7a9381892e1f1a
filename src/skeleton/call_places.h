/** Where the recorded calls of a run stand in the source, as texts that are numbered. */
#ifndef DT_SKELETON_CALL_PLACES_H
#define DT_SKELETON_CALL_PLACES_H

#include "store/store.h"

G_BEGIN_DECLS

typedef struct DtCallPlaces DtCallPlaces;
/** New texts are added to `texts` (element-type char*, freed with it), whose first one stands for what is not known.
 * Both are borrowed. */
DtCallPlaces *dt_call_places_new(const DtRun *run, GPtrArray *texts);
void dt_call_places_free(DtCallPlaces *places);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtCallPlaces, dt_call_places_free)
/** The number of "heat.c:60 in exchange" for a call by its id in the process's file (DT_FILE_IDS); 0: it is not known.
 * What was asked for is kept: O(1) from the second question on. */
guint32 dt_call_places_find(DtCallPlaces *places, const DtProcess *process, guint32 id);

G_END_DECLS

#endif
