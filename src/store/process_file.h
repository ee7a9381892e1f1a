/**
 * A process's trace file: its header, tables and where the pieces of its
 * threads' streams lie. Nothing in it is believed unchecked.
 */
#ifndef DT_STORE_PROCESS_FILE_H
#define DT_STORE_PROCESS_FILE_H

#include "format/unrecorded.h"
#include "store/file.h"
#include "store/store.h"

G_BEGIN_DECLS

/** Where a thread's record lies, and what a listing of traces needs of it. */
typedef struct {
    guint32 index;   /* of the thread in the file: owner of its chunks */
    gboolean lost;   /* the record itself: offset and most of the rest are unknown */
    guint64 offset;  /* of struct dt_thread, or of struct dt_ended_thread */
    gboolean packed; /* the latter */
    guint32 kind, number;
    gboolean returned;
    char name[17];
    guint64 words, bytes;  /* that are there */
    guint64 dropped_words; /* before them, to keep a bound */
    guint64 dropped_events, dropped_notes;
    guint64 last_seen_ns;         /* monotonic; its start at least */
    struct dt_last_signal signal; /* number 0: none, or damaged */
    struct dt_open_frames *open;  /* of the file's; NULL: none, or damaged */
} DtThreadRecord;

/** The payload of a chunk of data, notes, times or stamps. */
typedef struct {
    guint32 owner, sequence;
    guint64 offset;
    gsize bytes; /* in the file; less than `whole` if the file is cut short */
    gsize whole;
    gboolean cut;
} DtDataChunk;

/** Where a communicator comes from. */
typedef struct {
    guint32 parent, creation; /* as in struct dt_communicator */
} DtOrigin;

/** An array that arguments are. */
typedef struct {
    guint count;
    gint64 values[];
} DtArray;

typedef struct {
    char *name; /* "processes/x.trace": for problem reports */
    struct dt_file_header header;
    gboolean checked;         /* its version has checksums */
    gboolean childless;       /* words of its tails may stand for two: format/tail.h */
    gsize tail_capacity;      /* words of a raw tail */
    guint64 first_hole;       /* where a chunk should start and nothing is written; 0: nowhere */
    GArray *threads;          /* DtThreadRecord, by index */
    GArray *data;             /* DtDataChunk, by owner and sequence */
    GArray *notes;            /* the same */
    GArray *times;            /* the same */
    GArray *stamps;           /* the same: one for each thread that lives */
    GArray *images;           /* struct dt_image, in file order */
    GArray *functions;        /* struct dt_function, in file order */
    GArray *sites;            /* struct dt_call_site, in file order */
    GArray *site_images;      /* struct dt_image: of images in which nothing is hooked */
    GPtrArray *communicators; /* DtCommunicator, by number; holes are NULL; names are not there yet */
    GArray *origins;          /* DtOrigin, of each of them */
    GPtrArray *arrays;        /* DtArray, by number; holes are NULL */
    GArray *unrecorded;       /* struct dt_unrecorded: what it tells of others, and of what it executed */
} DtProcessFile;

/** NULL with DT_STORE_ERROR_VERSION or _DAMAGED if nothing can be read; smaller damage goes to `problems`. */
DtProcessFile *dt_process_file_read(const char *name, const DtFile *from, GPtrArray *problems, GError **error);
void dt_process_file_free(DtProcessFile *file);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtProcessFile, dt_process_file_free)

/** No chunk has more but those of data: what claims to is damaged, and is not read whole. */
enum { DT_CHUNK_MOST_BYTES = 1 << 28 };

/** FALSE: the collector's checksum of the chunk is there and wrong. Of a chunk that is cut short it says nothing. */
gboolean dt_chunk_seal_holds(const guint8 *chunk, guint64 bytes);

G_END_DECLS

#endif
