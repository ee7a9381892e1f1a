/** What names processes and threads of a run that still grows: labels change while processes come, this does not. */
#ifndef DT_WAITFOR_THREAD_KEY_H
#define DT_WAITFOR_THREAD_KEY_H

#include "store/store.h"

G_BEGIN_DECLS

/** A process id may be given again on its host, so its start belongs to the name. `host` is borrowed. */
typedef struct {
    const char *host;
    guint64 start_ns;
    guint pid;
} DtProcessKey;

typedef struct {
    DtProcessKey process;
    guint number; /* T of the label P.T; for library threads the letter's number */
    gboolean library;
} DtThreadKey;

DtProcessKey dt_process_key_of(const DtProcess *process);
DtThreadKey dt_thread_key_of(const DtTrace *trace);

/** For hash tables; the hash does not read the host's name. O(1), but for the comparison of equal names. */
guint dt_process_key_hash(gconstpointer key);
gboolean dt_process_key_equal(gconstpointer one, gconstpointer other);
guint dt_thread_key_hash(gconstpointer key);
gboolean dt_thread_key_equal(gconstpointer one, gconstpointer other);

/** With a host of its own; g_free(). For what outlives the run that the key is of. */
DtProcessKey *dt_process_key_copy(const DtProcessKey *key);
DtThreadKey *dt_thread_key_copy(const DtThreadKey *key);

G_END_DECLS

#endif
