/** What the reader of OTF2's archives is made of: definitions, processes, and calls of MPI. */
#ifndef DT_IMPORT_OTF2_OTF2_H
#define DT_IMPORT_OTF2_OTF2_H

#include "calls/calls.h"
#include "import/reader.h"
#include "otf2/archive.h"

G_BEGIN_DECLS

typedef struct {
    char *name, *symbol, *description, *file;
    gint64 interface;          /* enum DtOtf2Interface */
    const struct dt_call *row; /* of MPI's; NULL: it is none */
} DtOtf2Region;

/** A process or a thread. */
typedef struct {
    gint64 parent; /* node of a process, process of a thread */
    char *name;
    GHashTable *properties; /* name -> text; NULL: none */
    gint number;            /* of a thread in its process */
} DtOtf2Place;

typedef struct {
    gint64 number, parent;
    gint kind; /* enum DtOtf2Group */
    guint first, count;
    gint32 *members; /* `first` of the first group, then the others */
} DtOtf2Communicator;

/** The process that is being written. */
typedef struct {
    gint64 id;
    DtProcessWriter *writer;
    gint rank;                 /* -1 */
    gint64 moved;              /* added to nanoseconds: its monotonic clock */
    GHashTable *functions;     /* region -> id */
    GHashTable *calls;         /* numbers of our own archives -> id */
    GHashTable *signatures;    /* text -> id */
    GHashTable *communicators; /* number in the archive -> 1 + number in the process */
    GHashTable *arrays;        /* text -> 1 + number */
    guint next_communicator;
    guint64 latest; /* ns */
} DtOtf2Process;

typedef struct {
    const char *path;
    DtRunWriter *run;
    gboolean is_ours, is_timed, hung;
    gint64 start_ns;
    gint64 resolution, first_tick, realtime;
    GHashTable *regions;      /* number -> DtOtf2Region */
    GHashTable *processes;    /* number -> DtOtf2Place */
    GHashTable *threads;      /* the same */
    GHashTable *nodes;        /* the same */
    GArray *ranks;            /* gint64: threads */
    GPtrArray *communicators; /* DtOtf2Communicator */
    DtOtf2Process process;    /* `writer` NULL: none */
    DtThreadWriter *thread;   /* NULL: none */
    struct DtOtf2Thread *mpi; /* what was read of its calls of MPI */
    guint open;               /* calls */
    guint64 unknown;          /* events of regions or calls that are not defined */
} DtOtf2Import;

/** The id of a region's function in the process; 0: there is no such region. */
guint32 dt_otf2_function(DtOtf2Import *import, gint64 region);
/** Tells when the next event happens. */
void dt_otf2_time(DtOtf2Import *import, gint64 tick);

/* ---- archives of our own ---------------------------------------------------------------------- */

/** The process as its properties say. */
void dt_otf2_own_process(DtOtf2Import *import, const DtOtf2Place *place);
/** The id of one of its calls; 0: there is no such call. */
guint32 dt_otf2_own_call(DtOtf2Import *import, gint64 number);

/* ---- archives of others ----------------------------------------------------------------------- */

/** The calls of MPI of a thread: a call is held until what it is about is known. */
typedef struct DtOtf2Thread DtOtf2Thread;
DtOtf2Thread *dt_otf2_thread_new(void);
void dt_otf2_thread_free(DtOtf2Thread *thread);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtOtf2Thread, dt_otf2_thread_free)
void dt_otf2_thread_enter(DtOtf2Import *import, gint64 tick, gint64 region);
void dt_otf2_thread_leave(DtOtf2Import *import, gint64 tick);
/** What happens in the call. */
void dt_otf2_thread_event(DtOtf2Import *import, const DtOtf2Record *record);
/** Nothing more will come. */
void dt_otf2_thread_end(DtOtf2Import *import);

G_END_DECLS

#endif
