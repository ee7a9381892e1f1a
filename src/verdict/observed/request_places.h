/**
 * Which calls tell requests by their places among the live ones, and after which calls these places are luck: requests
 * that were made before others may be complete after them (MPI_Waitany, MPI_Test).
 */
#ifndef DT_VERDICT_OBSERVED_REQUEST_PLACES_H
#define DT_VERDICT_OBSERVED_REQUEST_PLACES_H

#include "verdict/verdict.h"

G_BEGIN_DECLS

typedef enum {
    DT_PLACES_STAY,
    DT_PLACES_ARE_LUCK, /* from this call on */
    DT_PLACES_ARE_NEW   /* after this call no request is live */
} DtPlacesAfter;

/** Of a function or signature. */
typedef struct {
    guint32 placeless; /* what stands for it where places are luck: itself if it tells none, else the function */
    DtPlacesAfter after;
} DtRequestPlaces;

/** By id, 0..dt_functions_count(); g_free(). O(functions). */
DtRequestPlaces *dt_request_places(const DtFunctions *functions);

G_END_DECLS

#endif
