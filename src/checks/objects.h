/** Windows and files: a process numbers its own; over processes they are known by who made them, and in which order. */
#ifndef DT_CHECKS_OBJECTS_H
#define DT_CHECKS_OBJECTS_H

#include "calls/calls.h"
#include "store/store.h"

G_BEGIN_DECLS

/** A window or file of a process. */
typedef struct {
    guint64 key;                        /* the same on all members; 0: not known */
    const DtCommunicator *communicator; /* that it was made on; NULL: not known */
    guint number;                       /* among those of that communicator, from 1 */
    gboolean is_file;
} DtCheckedObject;

/** Those of the process that is being read. */
typedef struct DtCheckedObjects DtCheckedObjects;
DtCheckedObjects *dt_checked_objects_new(void);
void dt_checked_objects_free(DtCheckedObjects *objects);
/** Forgets all: another process begins. */
void dt_checked_objects_clear(DtCheckedObjects *objects);
/** TRUE if calls of the row make a window or file. */
gboolean dt_checked_objects_made_by(const struct dt_call *row);
/** The next one of the process; the members of a communicator make them in the same order. */
void dt_checked_objects_add(DtCheckedObjects *objects, const struct dt_call *row, const DtCommunicator *communicator);
/** That a call with this signature is about; NULL: none, or not known. Lives until all are cleared. */
const DtCheckedObject *dt_checked_objects_of(const DtCheckedObjects *objects, const DtSignature *signature);
/** The last one that was made; NULL: none. */
const DtCheckedObject *dt_checked_objects_last(const DtCheckedObjects *objects, gboolean file);
/** "window 1 of world"; g_free(). */
char *dt_checked_object_text(const DtCheckedObject *object);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtCheckedObjects, dt_checked_objects_free)

G_END_DECLS

#endif
