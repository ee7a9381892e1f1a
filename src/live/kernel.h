/** What the kernel of this host tells of a thread. */
#ifndef DT_LIVE_KERNEL_H
#define DT_LIVE_KERNEL_H

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
    gboolean is_known;
    gboolean sleeps;      /* it waits in the kernel */
    char state;           /* 'R' runs, 'S' sleeps, 'D' waits for a device, 'T' is stopped, ... */
    guint64 microseconds; /* of processor time that it has had */
    guint64 queued_us;    /* that it has waited for a processor, without the wait that it is in now */
    guint64 slices;       /* how often it got one */
} DtKernelThread;

DtKernelThread dt_kernel_thread(guint pid, guint tid);

G_END_DECLS

#endif
