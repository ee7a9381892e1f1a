/**
 * Execution traces of Go's runtime, as runtime/trace writes them: events in order, stacks, goroutines.
 *
 * Two formats are read into the same events. Source of both: Go's runtime/trace.go and internal/trace (1.5 to 1.21),
 * internal/trace/tracev2 (1.22 and later).
 */
#ifndef DT_IMPORT_GO_TRACE_H
#define DT_IMPORT_GO_TRACE_H

#include <glib.h>

G_BEGIN_DECLS

/** By Go's numbers in the first format, to which those of the second are brought. */
typedef enum {
    DT_GO_NONE = 0,
    DT_GO_BATCH = 1,
    DT_GO_FREQUENCY = 2,
    DT_GO_STACK = 3,
    DT_GO_PROC_START = 5,
    DT_GO_GC_START = 7,
    DT_GO_GC_DONE = 8,
    DT_GO_STW_START = 9,
    DT_GO_STW_DONE = 10,
    DT_GO_SWEEP_DONE = 12,
    DT_GO_CREATE = 13, /* goroutine, stack where it starts; stack of `go` */
    DT_GO_START = 14,  /* goroutine, sequence */
    DT_GO_END = 15,
    DT_GO_STOP = 16, /* it will never go on */
    DT_GO_SCHED = 17,
    DT_GO_PREEMPT = 18,
    DT_GO_SLEEP = 19,
    DT_GO_BLOCK = 20,
    DT_GO_UNBLOCK = 21, /* goroutine, sequence */
    DT_GO_BLOCK_SEND = 22,
    DT_GO_BLOCK_RECEIVE = 23,
    DT_GO_BLOCK_SELECT = 24,
    DT_GO_BLOCK_SYNC = 25,
    DT_GO_BLOCK_COND = 26,
    DT_GO_BLOCK_NET = 27,
    DT_GO_SYSCALL = 28,
    DT_GO_SYSCALL_EXIT = 29, /* goroutine, sequence, when it really left */
    DT_GO_SYSCALL_BLOCK = 30,
    DT_GO_WAITING = 31,
    DT_GO_IN_SYSCALL = 32,
    DT_GO_TIMER_GOROUTINE = 35,
    DT_GO_FUTILE_WAKEUP = 36,
    DT_GO_STRING = 37,
    DT_GO_START_LOCAL = 38,
    DT_GO_UNBLOCK_LOCAL = 39,
    DT_GO_SYSCALL_EXIT_LOCAL = 40,
    DT_GO_START_LABEL = 41,
    DT_GO_BLOCK_GC = 42,
    DT_GO_TASK_CREATE = 45,
    DT_GO_TASK_END = 46, /* task: also what the overlay tells of locks and channels (objects.h) */
    DT_GO_REGION = 47,
    DT_GO_LOG = 48,
    DT_GO_SAMPLE = 49,
    DT_GO_EVENT_TYPES = 50,
    /* Of the second format, while it is read; then they are one of those above. */
    DT_GO_STATUS = 50,      /* goroutine, status at the begin of a generation */
    DT_GO_CREATE_AS = 51,   /* as CREATE, and its status */
    DT_GO_SYSCALL_OVER = 52 /* goroutine, 1: it had lost its processor meanwhile */
} DtGoEventType;

/** What Go's own tools call it, and the names of its arguments, NULL at the end. */
typedef struct {
    const char *name;
    guint oldest; /* minor version of Go's that had it first */
    gboolean has_stack;
    const char *arguments[4];
} DtGoEventKind;
/** NULL: no such type. */
const DtGoEventKind *dt_go_event_kind(guint type);

enum { DT_GO_ARGUMENTS = 3 };

typedef struct {
    gint64 time;       /* ticks while it is read, then ns since the first */
    guint64 offset;    /* in the file */
    guint64 goroutine; /* 0: none */
    guint64 arguments[DT_GO_ARGUMENTS];
    guint64 stack; /* id; 0: none */
    gint64 processor;
    guint type; /* DtGoEventType */
} DtGoEvent;

typedef struct {
    guint64 pc; /* return address */
    const char *function, *file;
    guint line;
} DtGoFrame;

/** Innermost first. */
typedef struct {
    guint count;
    const DtGoFrame *frames;
} DtGoStack;

typedef struct {
    guint minor;             /* of the Go that wrote it: 1.minor */
    GArray *events;          /* (element-type DtGoEvent) in order */
    GHashTable *stacks;      /* id -> DtGoStack */
    GHashTable *strings;     /* id -> text, made to end with a NUL */
    GHashTable *timers;      /* set of goroutines that are the runtime's for timers */
    gint64 ticks_per_second; /* 0: not known, as the program died; times are ticks then */
    gboolean is_cut;         /* its end is missing */
    gboolean has_odd_times;  /* times do not ascend in the order in which things happened */
    guint forced;            /* events for which nothing that must be before them was there */
    char *damage;            /* what was found where reading had to stop; NULL */
} DtGoTrace;

/** A trace in memory; what could be read of a damaged one. NULL with a reason alone: it is none, or nothing is left. */
DtGoTrace *dt_go_trace_parse(const guint8 *data, gsize bytes, GError **error);
void dt_go_trace_free(DtGoTrace *trace);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtGoTrace, dt_go_trace_free)

/** TRUE if these first bytes are those of a trace; *minor is the version that wrote it. */
gboolean dt_go_header(const guint8 *data, gsize bytes, guint *minor);
/** Bytes of the header. */
enum { DT_GO_HEADER_BYTES = 16 };

/** A stack by its id; one without frames if there is none. */
DtGoStack dt_go_stack(const DtGoTrace *trace, guint64 id);

/* ---- what the readers of the formats share ------------------------------------------------------- */

/** LEB128; FALSE at the end of the data, or if it is longer than 10 bytes. */
typedef struct {
    const guint8 *data;
    gsize bytes, at;
} DtGoBytes;
gboolean dt_go_number(DtGoBytes *from, guint64 *number);

/** Where reading stopped, and why; only the first is kept. */
void dt_go_damaged(DtGoTrace *trace, gsize at, const char *what);

/** Events of a processor, or thread, in its order. */
typedef struct DtGoLane DtGoLane;
DtGoLane *dt_go_lane_new(void);
void dt_go_lane_add(DtGoLane *lane, const DtGoEvent *event);
void dt_go_lane_free(gpointer lane);

/** Format 1: fills in all but the order; events by processor (key gint64, element-type DtGoLane). */
GHashTable *dt_go_read_first(DtGoTrace *trace, DtGoBytes *from);
/** Puts the events of all processors, or threads, in order, behind those that are there: the lanes are empty then, and
 * all the while little more memory is needed than for the events once. O(events * processors). */
void dt_go_merge(DtGoTrace *trace, GHashTable *lanes);
/** Makes times of the ticks of all events. */
void dt_go_make_times(DtGoTrace *trace);
/** Takes out wake-ups that came to nothing: block, unblock, start and preemption of one goroutine. */
void dt_go_drop_futile(DtGoTrace *trace);
/** Takes out the sleeps by which difftrace go makes goroutines late: they go on as if nothing had been. */
void dt_go_drop_stays(DtGoTrace *trace);
/** Format 2, whole. */
void dt_go_read_second(DtGoTrace *trace, DtGoBytes *from);

/** Functions that difftrace go gave another name have their own again: main.difftraceMain is main.main. In place. */
void dt_go_give_names_back(char *text);

G_END_DECLS

#endif
