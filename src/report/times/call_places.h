/** Where timed calls stand in the program. Internal. */
#ifndef DT_REPORT_TIMES_CALL_PLACES_H
#define DT_REPORT_TIMES_CALL_PLACES_H

#include "times/messages.h"

G_BEGIN_DECLS

typedef struct {
    const char *name;     /* of the function */
    const char *caller;   /* the function of the program that it is called in; NULL: none */
    const char *line;     /* "heat.c:120"; NULL: not known */
    const char *sentence; /* "MPI_Recv in exchange (heat.c:120)" */
} DtCallPlace;

/** Looks each place up once; `messages` must outlive it. */
typedef struct DtCallPlaces DtCallPlaces;
DtCallPlaces *dt_call_places_new(const DtMessages *messages);
void dt_call_places_free(DtCallPlaces *places);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtCallPlaces, dt_call_places_free)
/** That of a call; equal places are the same object. Borrowed. */
const DtCallPlace *dt_call_place(DtCallPlaces *places, guint call);

G_END_DECLS

#endif
