/** Where timed calls stand in the program. Internal. */
#ifndef DT_REPORT_TIMES_TIMED_PLACES_H
#define DT_REPORT_TIMES_TIMED_PLACES_H

#include "times/messages.h"

G_BEGIN_DECLS

typedef struct {
    const char *name;     /* of the function */
    const char *caller;   /* the function of the program that it is called in; NULL: none */
    const char *line;     /* "heat.c:120"; NULL: not known */
    const char *sentence; /* "MPI_Recv in exchange (heat.c:120)" */
} DtTimedPlace;

/** Looks each place up once; `messages` must outlive it. */
typedef struct DtTimedPlaces DtTimedPlaces;
DtTimedPlaces *dt_timed_places_new(const DtMessages *messages);
void dt_timed_places_free(DtTimedPlaces *places);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtTimedPlaces, dt_timed_places_free)
/** That of a call; equal places are the same object. Borrowed. */
const DtTimedPlace *dt_timed_place(DtTimedPlaces *places, guint call);

G_END_DECLS

#endif
