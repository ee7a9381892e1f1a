/** Communicators that notes name: arguments that vary. */
#ifndef DT_STORE_NOTE_COMMUNICATORS_H
#define DT_STORE_NOTE_COMMUNICATORS_H

#include "store/store.h"

G_BEGIN_DECLS

/** The process's communicator of that number; NULL: none is recorded. Borrowed from the run. O(1) where all are. */
const DtCommunicator *dt_notes_communicator(const DtNotes *notes, gint64 number);

G_END_DECLS

#endif
