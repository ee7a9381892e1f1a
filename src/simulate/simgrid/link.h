/** What the module of SimGrid gives: a simulated machine, on whose hosts something is computed and between which
 * messages are under way. */
#ifndef DT_SIMULATE_SIMGRID_LINK_H
#define DT_SIMULATE_SIMGRID_LINK_H

#include <glib.h>

G_BEGIN_DECLS

/** Of one process there is one at most: SimGrid has one engine. */
typedef struct DtMachine DtMachine;
/** `activity` is over; NULL: nothing is under way. It may begin others. */
typedef void (*DtMachineStep)(gpointer activity, gpointer data);

typedef struct {
    /** Of a platform file of SimGrid's. NULL: SimGrid refuses it; *why is one line, g_free(). */
    DtMachine *(*load)(const char *path, char **why);
    guint (*hosts)(const DtMachine *machine);
    guint (*cores)(const DtMachine *machine, guint host);
    /** Calls `step`, with NULL first, until nothing is under way after a call with NULL. */
    void (*run)(DtMachine *machine, DtMachineStep step, gpointer data);
    /** Only in a step: what is computed in `ns` on a host with a speed of 1 Gflop/s. */
    void (*compute)(DtMachine *machine, guint host, gint64 ns, gpointer activity);
    void (*transfer)(DtMachine *machine, guint from, guint to, gint64 bytes, gpointer activity);
    /** Since run() was called, in ns. */
    gint64 (*now)(const DtMachine *machine);
    void (*free)(DtMachine *machine);
} DtMachineFunctions;

/** The module's own. */
const DtMachineFunctions *dt_machine_functions(void);
typedef const DtMachineFunctions *(*DtMachineGet)(void);

G_END_DECLS

#endif
