/** Who may end the wait of a goroutine: those who have ended such a wait before. And which object is which. */
#ifndef DT_IMPORT_GO_WAKERS_H
#define DT_IMPORT_GO_WAKERS_H

#include "import/go/goroutines.h"
#include "writer/writer.h"

G_BEGIN_DECLS

/**
 * A lock, a channel, a condition or a wait group. Its number is the same in all runs in which the same goroutine makes
 * it at the same line, as the same one of those that the goroutine makes there; a lock is made by who uses it first
 * among the goroutines in the order of their numbers. The line is the number but its last three digits.
 */
typedef struct {
    guint argument; /* enum dt_argument_kind */
    guint number;
    gboolean is_made; /* where it was made is told */
    GArray *users;    /* (element-type guint) numbers of goroutines, each once */
} DtGoObject;

typedef struct {
    const DtGoroutines *goroutines;
    GHashTable *by_site; /* "operation file:line" that was waited at -> (element-type guint) numbers of who woke */
    GPtrArray *objects;  /* (element-type DtGoObject) */
    GHashTable *told;    /* index of an event -> DtGoObject that the event tells of; borrowed */
} DtGoWakers;

/** O(events). */
DtGoWakers *dt_go_wakers_new(const DtGoroutines *goroutines);
void dt_go_wakers_free(DtGoWakers *wakers);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtGoWakers, dt_go_wakers_free)

/** What an event of the trace tells of; NULL: nothing, or it is not known. */
const DtGoObject *dt_go_wakers_object(const DtGoWakers *wakers, const DtGoEvent *event);

/** Of a goroutine that waits at its end: notes who is likely to be able to wake it, if anybody is known. */
void dt_go_wakers_note(const DtGoWakers *wakers, const DtGoroutine *goroutine, DtThreadWriter *thread);

G_END_DECLS

#endif
