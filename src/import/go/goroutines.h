/** The goroutines of a trace: where each was made, what it does first, and a number that is the same in other runs. */
#ifndef DT_IMPORT_GO_GOROUTINES_H
#define DT_IMPORT_GO_GOROUTINES_H

#include "import/go/trace.h"

G_BEGIN_DECLS

typedef enum {
    DT_GO_IS_RUNNABLE,
    DT_GO_IS_RUNNING,
    DT_GO_IS_BLOCKED, /* goes on when somebody does something: locks, channels, conditions */
    DT_GO_IS_STOPPED, /* for ever: `select {}`, a channel that is nil */
    DT_GO_IS_ASLEEP,
    DT_GO_IS_IN_NETWORK,
    DT_GO_IS_IN_SYSCALL,
    DT_GO_HAS_ENDED
} DtGoState;

typedef struct DtGoroutine DtGoroutine;
struct DtGoroutine {
    guint64 id;           /* Go's, which is another one in each run */
    guint born;           /* when it was started, less than those started later; 0: it was there before */
    DtGoroutine *creator; /* NULL: made before the trace began, or not known */
    const char *entry;    /* function that it runs; "": unknown */
    DtGoFrame site;       /* of its `go`; no function: not known */
    gboolean is_library;  /* the runtime's, or one of the library's helpers: no goroutine of the program */
    guint depth;          /* how far from those that were there before the trace */
    guint number;         /* in the run, by path of creation: 0 is main; of a library's: G_MAXUINT */
    gboolean started;
    GArray *events;     /* (element-type guint) indices of its events, and of the wake-ups that it got */
    DtGoState state;    /* at the end */
    guint64 last_stack; /* where it went into that state */
    gint64 since;       /* when it did, ns */
    guint last_type;
};

typedef struct {
    const DtGoTrace *trace;
    GPtrArray *all;      /* (element-type DtGoroutine) by when they were started */
    GPtrArray *numbered; /* those of the program, by number; borrowed */
    GHashTable *by_id;
    char *library; /* folder of Go's own sources, with a slash at its end; NULL: not known */
} DtGoroutines;

/** O(events + goroutines log goroutines). The trace must outlive them. */
DtGoroutines *dt_goroutines_new(const DtGoTrace *trace);
void dt_goroutines_free(DtGoroutines *goroutines);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtGoroutines, dt_goroutines_free)

/** NULL: there is none. */
DtGoroutine *dt_goroutines_find(const DtGoroutines *goroutines, guint64 id);
/** TRUE if the code is of Go's library, or of what difftrace lays around a program. */
gboolean dt_goroutines_is_library(const DtGoroutines *goroutines, const DtGoFrame *frame);
/** What a frame is at: "worker.go:12"; g_free(). */
char *dt_go_frame_line(const DtGoFrame *frame);

/* ---- operations -------------------------------------------------------------------------------------- */

/** What a goroutine does at an event, as the frames of the library on top of its stack tell it. */
typedef struct {
    const char *name;  /* "chan send", "Mutex.Lock" (src/calls/go.c); NULL: nothing worth a call */
    guint first;       /* frame of the stack that called it */
    gboolean is_known; /* by a function of the library; else by the type of the event alone */
} DtGoOperation;
DtGoOperation dt_go_operation(const DtGoroutines *goroutines, const DtGoEvent *event);

G_END_DECLS

#endif
