/** Who may end the wait of a goroutine: those who have ended such a wait before. And which object is which. */
#ifndef DT_IMPORT_GO_WAKERS_H
#define DT_IMPORT_GO_WAKERS_H

#include "import/go/goroutines.h"
#include "writer/writer.h"

G_BEGIN_DECLS

/** A lock, a channel, a condition or a wait group. */
typedef struct {
    guint argument; /* enum dt_argument_kind; 0: none */
    guint number;   /* among those of its kind, by the first use of the goroutine with the least number */
    GArray *users;  /* (element-type guint) numbers of goroutines, each once */
} DtGoObject;

typedef struct {
    const DtGoroutines *goroutines;
    GHashTable *by_site; /* "operation file:line" that was waited at -> (element-type guint) numbers of who woke */
    GHashTable *objects; /* address -> DtGoObject */
} DtGoWakers;

/** O(events). */
DtGoWakers *dt_go_wakers_new(const DtGoroutines *goroutines);
void dt_go_wakers_free(DtGoWakers *wakers);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtGoWakers, dt_go_wakers_free)

/** NULL: it is not known. `name` is of the operation. */
const DtGoObject *dt_go_wakers_object(const DtGoWakers *wakers, guint64 address, const char *name);

/** Of a goroutine that waits at its end: notes who is likely to be able to wake it, if anybody is known. */
void dt_go_wakers_note(const DtGoWakers *wakers, const DtGoroutine *goroutine, DtThreadWriter *thread);

G_END_DECLS

#endif
