/**
 * Makes run directories for tests: what the tracer would have written, had it
 * recorded the events given, up to the moment when it was killed. By the writer
 * (src/writer); what the writer never leaves, open segments and words in tails,
 * is made here. Uses nothing of the store or the decoder.
 *
 *     DtTestRun *writer = dt_test_run_new(path);
 *     DtTestProcess *process = dt_test_run_process(writer, 5);
 *     DtTestThread *thread = dt_test_process_thread(process, DT_THREAD_APP, 0);
 *     dt_test_thread_events(thread, "main MPI_Init < MPI_Send < MPI_Recv");
 *     dt_test_run_finish(writer);
 *
 * Functions by name, as linker symbols:
 *     solve            of the main executable
 *     libx.so:solve    of a library
 *     solve#2          the second symbol of that name in its image
 *     puts@plt         with the import flag
 * Names of the MPI (MPI_*, PMPI_*, mpi_*, pmpi_*), OpenMP (GOMP_*, omp_*) and
 * pthread interfaces belong to libmpi.so.40, libgomp.so.1 and libc.so.6 and
 * have the API flag, unless a library is named.
 *
 * Failures to write end the test program.
 */
#ifndef DT_SUPPORT_RUN_WRITER_H
#define DT_SUPPORT_RUN_WRITER_H

#include <glib.h>

#include "codec/codec.h"
#include "writer/stream.h"
#include "writer/writer.h"

G_BEGIN_DECLS

typedef struct DtTestRun DtTestRun;
typedef struct DtTestProcess DtTestProcess;
typedef struct DtTestThread DtTestThread;

/** Public fields may be changed until dt_test_run_finish(). Strings are borrowed. */
struct DtTestRun {
    gboolean finished, timed_out; /* TRUE, FALSE */
    gint exit_status;
    double seconds;
    const char *manifest_processes; /* JSON array, or NULL */
    const char *ending;             /* JSON object: where threads were when the collector looked; or NULL */
    gint world_size;                /* 0: as many as there are processes */
    /*< private >*/
    char *path;
    DtRunWriter *writer;
    GPtrArray *processes; /* DtTestProcess */
    GHashTable *symbols;  /* image, name -> index + 1 */
    guint process_count;  /* also of those that were flushed */
    guint32 codec;        /* of the first process, as are the ranks */
    gboolean ranked;
};

struct DtTestProcess {
    gint rank;        /* as given; -1: none */
    guint pid;        /* from 1000 on */
    guint32 codec;    /* DT_CODEC_PARLOT */
    guint32 flags;    /* enum dt_file_flags; those of MPI are added when it is called */
    guint64 start_ns; /* later for each process */
    guint64 end_ns;
    guint32 end_state; /* DT_PROCESS_EXITED */
    gint end_status;
    guint32 stop_errno;
    const char *host, *executable, *arguments;
    guint16 major, minor;  /* of the format */
    gboolean sealed;       /* TRUE: as the collector leaves it */
    gboolean tables_first; /* functions before the threads: no cut loses them */
    gboolean later;        /* with what a later minor version may add: chunks of a type that is not known yet, a longer
                              header, longer records of threads, flags */
    /*< private >*/
    DtTestRun *run;
    DtProcessWriter *writer;
    GPtrArray *threads; /* DtTestThread */
    GHashTable *ids;    /* name -> file id */
    GArray *sites;      /* struct dt_call_site */
};

struct DtTestThread {
    guint32 kind, number; /* as given */
    guint32 end_state;    /* enum dt_thread_end */
    guint32 fatal_signal; /* that it brought upon itself and that ended the process; 0: none */
    const char *name;
    gsize segment_words; /* a segment ends at the next event after so many; 0: DT_SEGMENT_WORDS */
    gboolean finish;     /* TRUE: the last segment is complete. FALSE: open, as in a process that was killed */
    gsize batch_words;   /* words encoded between two commits; 0: 4096 */
    gsize tail_words;    /* of the end, left in the raw tails; at most both hold */
    gboolean two_tails;  /* half of them in the tail that is not active */
    gboolean packed;     /* its record in a chunk of ended threads, as well as its own if `gaps`; not with two_tails */
    gboolean childless;  /* in the tails, two of three calls that return at once are one word */
    gboolean gaps;       /* with places in the tails that were never written */
    gboolean timed;      /* every third word of the stream has a time, some are missing; so have those in the tails */
    gsize chunk_bytes;   /* of data chunks; DT_CHUNK_ALIGN */
    guint64 dropped_notes;
    /* NULL, or a thread with the same events, whose process has the same ids: they are coded once for all. */
    DtTestThread *like;
    /*< private >*/
    DtTestProcess *process;
    GArray *words; /* guint16 */
    GByteArray *notes;
    DtStreamWriter *stream; /* what they are coded to; NULL: not coded yet */
};

/** Makes the directory `path`, which must not exist or be empty. */
DtTestRun *dt_test_run_new(const char *path);

/** A further process; owned by the writer. */
DtTestProcess *dt_test_run_process(DtTestRun *writer, gint rank);

/** A further thread of the process; owned by it. */
DtTestThread *dt_test_process_thread(DtTestProcess *process, guint32 kind, guint32 number);

/** Appends events to the thread: names enter, "<" returns; separated by blanks. */
void dt_test_thread_events(DtTestThread *thread, const char *events);
void dt_test_thread_call(DtTestThread *thread, const char *function);
void dt_test_thread_return(DtTestThread *thread);
/** By file id; DT_WORD_RETURN returns. */
void dt_test_thread_event(DtTestThread *thread, guint32 id);

/** Notes something behind the last event so far; `text` may be NULL. All notes must fit into one chunk of 4 kB. */
void dt_test_thread_note(DtTestThread *thread, guint32 kind, const gint64 *values, guint count, const char *text);

/** The file id that `function` has in the process; given out if it had none. */
guint32 dt_test_process_id(DtTestProcess *process, const char *function);

/** Where the calls of a signature come from. `image`: index field of the caller's dt_image, or another number: one in
 * which nothing is hooked. `flags` of enum dt_site_flags. */
void dt_test_process_site(DtTestProcess *process, guint32 id, guint32 image, guint64 address, guint32 flags);

/** Name of the process's file, relative to the run; free with g_free(). */
char *dt_test_process_file(const DtTestProcess *process);

/** Writes the processes that there are and forgets them, for runs that do not fit into memory. */
void dt_test_run_flush(DtTestRun *writer);

/** Writes everything and frees the writer. */
void dt_test_run_finish(DtTestRun *writer);

/** Frees the writer without writing. */
void dt_test_run_free(DtTestRun *writer);

/** A run of one process without rank and one thread, ended normally. */
void dt_test_run_single(const char *path, const char *events);

/** Writes a file, without waiting for the disk. */
void dt_write_bytes(const char *path, const void *data, gsize bytes);

/** Removes a directory and everything in it. */
void dt_remove_tree(const char *path);

/** A new temporary directory; free with g_free() after dt_remove_tree(). */
char *dt_temporary_directory(void);

G_END_DECLS

#endif
