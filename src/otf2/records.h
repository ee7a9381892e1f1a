/**
 * What an archive of OTF2's is made of, as records that two processes exchange: its definitions, then the events of
 * each location. Internal to archive.h and the program beside it.
 */
#ifndef DT_OTF2_RECORDS_H
#define DT_OTF2_RECORDS_H

#include <glib.h>

G_BEGIN_DECLS

enum { DT_OTF2_MOST_TEXTS = 4, DT_OTF2_NOTE_VALUES = 64 };

/** With its values, in order, and its texts in brackets. What is not there is -1. */
typedef enum {
    DT_OTF2_ERROR = 1, /* [one line] nothing follows */
    DT_OTF2_WARNING,   /* [one line] */
    DT_OTF2_DONE,      /* nothing follows */
    /* Definitions. */
    DT_OTF2_CREATOR,      /* [what wrote the archive] */
    DT_OTF2_PROPERTY,     /* enum DtOtf2Scope, of which [name, value] */
    DT_OTF2_CLOCK,        /* ticks a second, the first tick, ticks, wall clock of the first in ns */
    DT_OTF2_NODE,         /* number [name] a host */
    DT_OTF2_PROCESS,      /* number, node [name] */
    DT_OTF2_THREAD,       /* number, process, events [name] */
    DT_OTF2_REGION,       /* number, enum DtOtf2Interface [name, linker's name, description, source file] */
    DT_OTF2_STRING,       /* number [text] that calls and notes refer to */
    DT_OTF2_RANKS,        /* thread of each rank in MPI_COMM_WORLD */
    DT_OTF2_COMMUNICATOR, /* number, parent, enum DtOtf2Group, size of the first group, its members' ranks in
                             MPI_COMM_WORLD, those of the second [name] */
    /* Events: the first value is the time. */
    DT_OTF2_LOCATION,          /* thread: whose the events are that follow; no time */
    DT_OTF2_ENTER,             /* region, call of its process, string of its arguments, whether the time is estimated */
    DT_OTF2_LEAVE,             /* region, whether the time is estimated */
    DT_OTF2_NOTE,              /* kind, string, values */
    DT_OTF2_SEND,              /* rank in the communicator, communicator, tag, bytes */
    DT_OTF2_ISEND,             /* the same, request */
    DT_OTF2_ISEND_COMPLETE,    /* request */
    DT_OTF2_IRECV_REQUEST,     /* request; when it is read, what it gets: rank, communicator, tag, bytes */
    DT_OTF2_RECV,              /* as SEND */
    DT_OTF2_IRECV,             /* as ISEND */
    DT_OTF2_REQUEST_TEST,      /* request: it has not completed */
    DT_OTF2_REQUEST_CANCELLED, /* request */
    DT_OTF2_COLLECTIVE_BEGIN,
    DT_OTF2_COLLECTIVE_END, /* OTF2_CollectiveOp, communicator, root, bytes sent, bytes received */
    DT_OTF2_KINDS
} DtOtf2Kind;

typedef enum { DT_OTF2_OF_ARCHIVE, DT_OTF2_OF_PROCESS, DT_OTF2_OF_THREAD } DtOtf2Scope;
typedef enum { DT_OTF2_BY_USER, DT_OTF2_BY_MPI, DT_OTF2_BY_OPENMP, DT_OTF2_BY_PTHREADS } DtOtf2Interface;
typedef enum { DT_OTF2_GROUP, DT_OTF2_SELF, DT_OTF2_TWO_GROUPS } DtOtf2Group;

typedef struct {
    DtOtf2Kind kind;
    guint count; /* of values */
    const gint64 *values;
    guint texts;
    const char *text[DT_OTF2_MOST_TEXTS];
} DtOtf2Record;

/** A stream of them over a descriptor, in both directions. */
typedef struct DtOtf2Stream DtOtf2Stream;
/** Takes the descriptor, of a socket. */
DtOtf2Stream *dt_otf2_stream_new(int descriptor);
void dt_otf2_stream_free(DtOtf2Stream *stream);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtOtf2Stream, dt_otf2_stream_free)
/** Sends a record, sooner or later; FALSE once the other side is gone. O(record). */
gboolean dt_otf2_put(DtOtf2Stream *stream, DtOtf2Kind kind, const gint64 *values, guint count, const char *const *texts,
                     guint text_count);
/** What was not sent yet. */
gboolean dt_otf2_flush(DtOtf2Stream *stream);
/** The next record, borrowed until the next call; NULL at the end, or where there is no whole one. */
const DtOtf2Record *dt_otf2_next(DtOtf2Stream *stream);

/** A record of these values without texts. */
#define DT_OTF2_PUT(stream, kind, ...)                                                                                 \
    dt_otf2_put(stream, kind, (const gint64[]){__VA_ARGS__}, sizeof((const gint64[]){__VA_ARGS__}) / sizeof(gint64),   \
                NULL, 0)

G_END_DECLS

#endif
