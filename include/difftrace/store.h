/**
 * The store: a run directory and what it holds. Opening a run reads the process
 * files' headers and tables, not the events.
 *
 *     RUN/.difftrace            says that the directory is ours
 *     RUN/manifest.json         the collection: command, options, how it ended
 *     RUN/processes/ *.trace    one file per process (trace_file.h)
 *     RUN/images/ *.sym         symbols, once per image of the run
 *     RUN/users/UID/            the same of processes of that user
 *
 * Damage is data: a truncated or corrupted process file, a missing symbol file,
 * an empty directory are reported by dt_run_problems() and everything readable
 * stays readable. Only what leaves nothing to read is an error.
 *
 * Names come from binaries and may hold anything. A name that is spelled has no character that does not show: these,
 * and bytes that are not UTF-8, are escapes (`\xNN`, `\u{N}`), and a backslash is doubled. Different names are spelled
 * differently. Names of functions, images, hosts, executables, threads, arguments and texts of notes are spelled.
 *
 * Thread safety: a DtRun is immutable after opening; DtFunctions is not to be
 * used from two threads while runs are being opened.
 */
#ifndef DIFFTRACE_STORE_H
#define DIFFTRACE_STORE_H

#include <glib.h>

#include "arguments.h"
#include "trace_file.h"

G_BEGIN_DECLS
#pragma GCC visibility push(default)

#define DT_STORE_ERROR (dt_store_error_quark())
typedef enum {
    DT_STORE_ERROR_NOT_FOUND, /* no such directory, or not a run */
    DT_STORE_ERROR_EMPTY,     /* a run without a single trace */
    DT_STORE_ERROR_VERSION,   /* written by a newer difftrace */
    DT_STORE_ERROR_DAMAGED,
    DT_STORE_ERROR_EXISTS, /* output directory is not ours to replace */
    DT_STORE_ERROR_IO,
    DT_STORE_ERROR_CODEC /* recorded with a codec that was dropped: the message says what reads it */
} DtStoreError;
GQuark dt_store_error_quark(void);

/* ---- functions ----------------------------------------------------------- */

/**
 * Functions by dense id, 1..count, shared by all runs of one analysis so that
 * the same function has the same id in all of them. Id 0 is never a function:
 * in event streams it is the return. A function is (image, symbol, ordinal):
 * static namesakes of one image stay apart. The main executable is one image
 * whatever its file is called, so that ./app.v1 compares with ./app.v2.
 */
typedef struct DtFunctions DtFunctions;

/** A function, or one of its call signatures. */
typedef struct {
    const char *name;   /* demangled, canonical (MPI_Send for mpi_send_), spelled; of a signature with its arguments */
    const char *shown;  /* the same, cut in its middle if it is very long: for people */
    const char *symbol; /* linker name, as it is: any bytes */
    const char *image;  /* base name of the image first seen with it, spelled */
    guint flags;        /* enum dt_function_flags */
    const struct DtSignature *signature; /* NULL: a function, not one of its call signatures */
} DtFunction;

/** Numbers in their order, once for each content: equal ones are the same object. Owned by a DtFunctions. */
typedef struct {
    guint count;
    const gint64 *values;
    const char *text;       /* "[0-3 7 9^4]": runs by one, and equal ones */
    const GPtrArray *parts; /* of a derived datatype those that it is made of (element-type DtNumbers), NULL for each
                               that is none or not known; of other numbers NULL */
} DtNumbers;

/** An argument of a call. */
typedef struct {
    guint kind;    /* enum dt_argument_kind (format/arguments.h); of a later version maybe another */
    guint special; /* enum dt_argument_special; DT_SPECIAL_NONE: value and size count */
    gint64 value;
    gint64 size;              /* DT_ARGUMENT_DATA: of one element, in bytes; value is the count */
    const DtNumbers *numbers; /* what it is, if it is more than one number; value is 0 then. Of data: the derived
                                 datatype (format/datatypes.h). Else NULL */
    guint datatype;           /* of data: the number of the predefined datatype, 0: it is none, or not known */
    guint recorded_kind;      /* in the file, if it is not `kind`; else 0 */
} DtArgument;

/**
 * Calls of one function with the same arguments, such as MPI_Send(world, to +1, tag 5, 10 x 8 B). Peers are relative
 * to the own rank and communicators named by where they come from, so that the same signature has the same id on all
 * ranks and in all runs.
 */
typedef struct DtSignature {
    guint32 function;         /* whose it is */
    const char *communicator; /* DtCommunicator.name of the first argument, if it is one; else NULL */
    guint argument_count;
    DtArgument arguments[DT_FUNCTION_ARGUMENTS];
} DtSignature;

/** Without functions; one reference. */
DtFunctions *dt_functions_new(void);
/** One reference more, for any thread. */
DtFunctions *dt_functions_ref(DtFunctions *functions);
void dt_functions_unref(DtFunctions *functions);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtFunctions, dt_functions_unref)

/** The id of a function, a new one if it is not known yet. `image` is a base name and `symbol` a linker's name, any
 * bytes and both copied; `ordinal` numbers namesakes of the image from 0 on; `flags` of enum dt_function_flags. O(1).
 */
guint32 dt_functions_intern(DtFunctions *functions, const char *image, gboolean main_image, const char *symbol,
                            guint ordinal, guint flags);
/** The id of a signature of a function; `signature` is copied. Its function is an id, its argument_count at most
 * DT_FUNCTION_ARGUMENTS. O(1). */
guint32 dt_functions_intern_signature(DtFunctions *functions, const DtSignature *signature);
/** The numbers of that content; `values` is copied. O(count). */
const DtNumbers *dt_functions_intern_numbers(DtFunctions *functions, const gint64 *values, guint count);
/** The function itself: `id`, or whose signature it is. `id` in 1..count. O(1). */
guint32 dt_functions_base(const DtFunctions *functions, guint32 id);
/** TRUE if there is any signature: some run had arguments recorded. O(count). */
gboolean dt_functions_have_signatures(const DtFunctions *functions);
/** What stands between the brackets: "world, to +1, tag 5, 10 x 8 B"; free with g_free(). */
char *dt_signature_text(const DtSignature *signature);
/** One argument of it, "tag 5"; `communicator` is DtSignature.communicator or NULL. g_free(). */
char *dt_argument_text(const DtArgument *argument, const char *communicator);
/** As it stands in a file (struct dt_function, args; DT_NOTE_PARAMETER). `arrays`: of its process, DtNumbers by number,
 * may be NULL; one that is missing makes the argument unknown. */
DtArgument dt_argument_read(gint64 raw, const GPtrArray *arrays);
/** Largest id given out. */
guint32 dt_functions_count(const DtFunctions *functions);
/** Borrowed; valid as long as `functions`. `id` in 1..count; else NULL and a critical message. */
const DtFunction *dt_functions_get(const DtFunctions *functions, guint32 id);

/* ---- runs ---------------------------------------------------------------- */

typedef struct DtRun DtRun;

/**
 * What a reader of events is given of a call: its function, or its signature where arguments were recorded and its
 * function elsewhere. dt_functions_base() gives the function of either, so that both projections stay aligned.
 */
typedef enum {
    DT_NAMES_ALONE,
    DT_NAMES_WITH_ARGUMENTS,
    DT_FILE_IDS /* no functions of DtFunctions: ids of the process's own file, which tell call sites apart
                   (symbols/places.h) */
} DtProjection;

typedef enum {
    DT_END_RUNNING, /* still running when last seen, in a run not finished */
    DT_END_EXITED,  /* status = exit status */
    DT_END_SIGNAL,  /* status = signal number */
    DT_END_KILLED   /* vanished: SIGKILL or power, nobody saw how */
} DtEnd;

/** How often a process met more than it had room for; calls that a thread makes again and again count once. */
typedef struct {
    guint64 communicators, signatures, call_sites, locks, arrays;
    guint scale; /* the room it had, in units of what there is by default: collect --args-memory */
} DtWithoutRoom;

/** A process of a run; borrowed from it. */
typedef struct {
    guint index;       /* in the run */
    const char *label; /* P of the trace labels: "5", "5+1" */
    gint rank;         /* -1: none */
    gint world_size;   /* ranks of its launch, -1: unknown */
    guint pid;
    const char *host;
    const char *executable;
    const char *arguments;
    gboolean called_mpi_init, called_mpi_finalize;
    gboolean with_payload; /* there are notes of the data of calls */
    DtEnd end;
    gint status;
    gboolean executed;        /* another program took its place (exec): `end` is EXITED, `status` 0 */
    guint64 start_ns, end_ns; /* monotonic; end 0: unknown */
    guint64 last_seen_ns; /* monotonic: when a thread of it last recorded, to some hundred events; 0: no thread did */
    guint64 last_realtime_ns; /* end, or else last seen, by the wall clock: compares between hosts */
    guint end_order;          /*  1: ended first of the run's processes; those that nobody saw end are last */
    guint hooked, skipped;
    guint traces;
    guint64 dropped_events;
    guint64 unseen_handlers; /* of signals: what they called may not have been recorded */
    guint64 file_bytes;      /* committed stream bytes and tails of all threads */
    guint64 note_bytes;      /* chunks of notes of all threads */
    const char *stopped;     /* why recording stopped early, or NULL */
    guint64 max_bytes;       /* of --max-size; 0: none */
    guint64 dropped_words;   /* of all its traces, replaced by newer ones */
    DtWithoutRoom without_room;
} DtProcess;

/** A trace: what one thread of a process did; borrowed from its run. */
typedef struct {
    guint index;       /* in the run */
    const char *label; /* "5.0", "6.4", "5.a", "5+1.0" */
    const DtProcess *process;
    guint thread;          /* T; for library threads the letter's number */
    gboolean library;      /* made by a library: labelled with a letter */
    const char *name;      /* the thread's own name, maybe "" */
    guint64 words;         /* 16-bit words that are there: events, escapes counted thrice */
    guint64 dropped_words; /* before them, to keep --max-size: the first word has this position */
    guint64 bytes;         /* that they take on disk */
    gboolean returned;     /* the thread itself ended before its process did */
    gint fatal_signal; /* the signal that ended the process, if this is the thread it hit; 0: ended with its process */
    gboolean fatal_sent;        /* another process had sent it: the thread was hit by chance */
    guint32 fatal_function;     /* innermost call open then, an id of DtFunctions; 0: none */
    guint64 fatal_words;        /* that it had then: what follows are calls of handlers; 0: not known */
    guint64 dropped_notes;      /* that found no room */
    guint64 words_looked_first; /* that it had when the collector looked, some time before its time limit ended the */
    guint64 words_looked_last;  /* job, and when it did; both 0: nobody looked */
} DtTrace;

/** Image of a process, for `info`: what was hooked there. */
typedef struct {
    const char *path; /* spelled */
    const char *file; /* the path as it is, to open it */
    gboolean main_image, api_only;
    guint hooked, skipped;
    guint reasons[DT_SKIP_REASONS]; /* functions per enum dt_skip_reason */
} DtImage;

/**
 * Opens a run, or is NULL. Functions and call signatures are interned into `functions` (a reference is kept), by no
 * other thread at the same time.
 * Traces and processes are ordered: by rank, then wrappers and children, then
 * thread number, then letters. O(size of headers and tables).
 */
DtRun *dt_run_open(const char *path, DtFunctions *functions, GError **error);
/**
 * The same as dt_run_open(), but there may be no trace, where processes recorded nothing or it is damaged: for what
 * tells of processes and of what was hooked in them. Without a process it is DT_STORE_ERROR_EMPTY all the same.
 */
DtRun *dt_run_open_processes(const char *path, DtFunctions *functions, GError **error);
void dt_run_free(DtRun *run);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtRun, dt_run_free)

/** As given to dt_run_open(), without a trailing slash. */
const char *dt_run_path(const DtRun *run);
/** As given to dt_run_open(). */
DtFunctions *dt_run_functions(const DtRun *run); /* borrowed */

/** Processes, that are there under the indices 0..count-1; borrowed from the run. The index is not checked. */
guint dt_run_process_count(const DtRun *run);
const DtProcess *dt_run_process(const DtRun *run, guint index);
/** Traces, that are there under the indices 0..count-1; borrowed from the run. The index is not checked. */
guint dt_run_trace_count(const DtRun *run);
const DtTrace *dt_run_trace(const DtRun *run, guint index);
/** By label; "5" means "5.0". NULL if there is none, so any text will do. O(1). */
const DtTrace *dt_run_find_trace(const DtRun *run, const char *label);
/** The images of a process; (element-type DtImage), borrowed. */
const GPtrArray *dt_run_images(const DtRun *run, const DtProcess *process);

/** A function of an image that has no hook. */
typedef struct {
    char *name;     /* demangled and spelled, as DtFunction.name */
    guint32 reason; /* enum dt_skip_reason */
} DtSkippedFunction;
/** Those of an image of the run, in the order of its symbol file; (element-type DtSkippedFunction),
 * g_ptr_array_unref(). None if the symbol file is missing. O(their names). */
GPtrArray *dt_run_skipped_functions(const DtRun *run, const DtImage *image);

/** A communicator of a process. */
typedef struct {
    const char *name; /* "world", "self", "world/2": made by the second creation from world; "#5": origin unknown */
    guint number;     /* in the process */
    guint64 key;      /* the same on all its members, if is_sure; else no other communicator's */
    gboolean is_sure; /* FALSE: which communicator of other processes it is, is not known */
    gint rank, size;
    gint remote_size;    /* -1: no intercommunicator */
    const gint *members; /* ranks in MPI_COMM_WORLD, -1: not there; `size`, then `remote_size` of the remote group */
} DtCommunicator;
/** Those of a process, by number as far as they were recorded; (element-type DtCommunicator), borrowed. */
const GPtrArray *dt_run_communicators(const DtRun *run, const DtProcess *process);
/** By name; NULL if there is none. Borrowed. O(communicators). */
const DtCommunicator *dt_run_find_communicator(const DtRun *run, const DtProcess *process, const char *name);

/** A process that should have been recorded and was not. */
typedef struct {
    guint pid;
    const char *host;
    const char *executable; /* its path, maybe without its start; NULL: not known */
    const char *reason;     /* dt_unrecorded_reason_name() */
    guint64 time_ns;        /* monotonic: when it was told */
} DtUnrecorded;
/** Those of which the run tells, those without a known reason first, else in the order in which it was told;
 * (element-type DtUnrecorded), borrowed. */
const GPtrArray *dt_run_unrecorded(const DtRun *run);
/**
 * Processes of the run that may have ended before `process` did: those that were dead at the same time for whoever
 * waited for them, and those that were killed, that nobody saw end, and that were last seen before, by their hosts'
 * clocks. O(processes).
 */
guint dt_run_maybe_ended_before(const DtRun *run, const DtProcess *process);
/** "2 processes were not recorded: static (busybox)", a line for each reason; g_strfreev(). `unrecorded` is that of a
 * run. */
char **dt_unrecorded_lines(const GPtrArray *unrecorded);
/** How many ranks of the launch, as large as its processes say, have no file in the run; 0 if that is not known. */
guint dt_run_missing_ranks(const DtRun *run);
/** "4 of 12 ranks are recorded here, ...": a line if ranks are missing, g_free(); else NULL. */
char *dt_run_missing_ranks_line(const DtRun *run);

/** One-line reports of what is missing or damaged, file and offset named; (element-type utf8), borrowed. */
const GPtrArray *dt_run_problems(const DtRun *run);

/** What the manifest says. Strings may be NULL where it is damaged or missing. */
typedef struct {
    char **command;
    const char *images, *codec, *engine, *version;
    const char *only; /* globs of the executables that were to be recorded; NULL: all */
    gboolean launcher, timed_out;
    const char *stuck; /* NULL, or the sentence by which the job was ended: who waits for whom */
    gboolean finished; /* collect saw the command end */
    gint exit_status;  /* of the command: status, or 128 + signal */
    gdouble seconds;
    char **warnings;            /* what the collector warned of */
    guint64 ending_realtime_ns; /* wall clock: when the collector began to end the job; 0: it did not */
} DtManifest;
/** Never NULL; borrowed. */
const DtManifest *dt_run_manifest(const DtRun *run);

/**
 * Writes checksums over all of the trace files of those processes that have
 * ended: for the collector, when its command has ended. What cannot be written
 * to stays as it is, also if `run` is no run.
 */
void dt_run_seal(const char *run);

/* ---- raw access for the decoder ------------------------------------------- */

/** A complete or open segment of a trace's stream. Borrowed until the next dt_stream_segment() of the same stream. */
typedef struct {
    guint32 codec;
    guint64 first_word, words;
    const guint8 *code;
    gsize bytes;
    guint32 crc32;
    const guint8 *pending;      /* NULL: complete */
    const guint32 *open_frames; /* file ids of the calls open at its start, outermost first; NULL: unknown */
    gboolean knows_frames;      /* they are known */
    guint depth;                /* of them */
    guint64 lost_words;         /* damaged, or dropped by the tracer, and left out right before this segment */
    gboolean cut;               /* the end of its code is missing: fewer words will come */
    gboolean gone;              /* the file has become shorter since it was opened: the end of its code, too */
} DtSegment;

typedef struct DtStream DtStream;
/**
 * Finds the segments of a trace's stream and checks them. Damaged ones are left
 * out, those that follow stay; dt_stream_problem() tells. Words in the raw tails
 * are a last, raw segment. O(bytes of the stream); memory is that of the
 * segments' headers and of one segment's code. The file stays open. Of one thread; `run` must outlive it.
 */
DtStream *dt_stream_open(const DtRun *run, const DtTrace *trace, GError **error);
/** The same stream for another thread, found and checked already; to be freed by itself. O(1). */
DtStream *dt_stream_share(const DtStream *stream);
void dt_stream_free(DtStream *stream);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtStream, dt_stream_free)
/** Segments, in the order of their words, under the indices 0..count-1, which are not checked. */
guint dt_stream_segment_count(const DtStream *stream);
const DtSegment *dt_stream_segment(DtStream *stream, guint index);
/** The same without code and frames, which are NULL: nothing is read. Borrowed from the stream. */
const DtSegment *dt_stream_segment_head(const DtStream *stream, guint index);
/** The trace's file and label, to begin a report with; borrowed. */
const char *dt_stream_name(const DtStream *stream);
/** NULL, or one line: what is damaged and where; if more than one thing is, the first and how many more. Borrowed. */
const char *dt_stream_problem(const DtStream *stream);
/** What file ids (1-based) are in the run's DtFunctions, 0 if unknown: a table of `*count` entries; entry 0 is 0.
 * Borrowed from the run. */
const guint32 *dt_stream_functions(const DtStream *stream, DtProjection projection, guint32 *count);

/* ---- notes ----------------------------------------------------------------- */

/** Something told beside the words of a trace. */
typedef struct {
    guint64 position;  /* words recorded before it, counted from the thread's start */
    guint32 kind;      /* enum dt_note_kind; of a later version maybe another */
    guint count;       /* of values */
    const char *text;  /* UTF-8; "" if it has none */
    guint first_value; /* for dt_notes_values() */
} DtNote;

typedef struct DtNotes DtNotes;
/**
 * Reads all notes of a trace, ordered by position; those of one position in the order in which they were written.
 * Damaged ones are left out; dt_notes_problem() tells. O(n log n); memory is that of the notes. Needs the run no more.
 */
DtNotes *dt_notes_open(const DtRun *run, const DtTrace *trace, GError **error);
void dt_notes_free(DtNotes *notes);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtNotes, dt_notes_free)
/** Notes, that are there under the indices 0..count-1. */
guint dt_notes_count(const DtNotes *notes);
/** Borrowed, as its text. */
const DtNote *dt_notes_get(const DtNotes *notes, guint index);
/** The `count` values of one of these notes; borrowed. */
const gint64 *dt_notes_values(const DtNotes *notes, const DtNote *note);
/** The arrays of the process, for dt_argument_read(); borrowed. */
const GPtrArray *dt_notes_arrays(const DtNotes *notes);
/** NULL, or one line; borrowed. */
const char *dt_notes_problem(const DtNotes *notes);

/* ---- times ----------------------------------------------------------------- */

/** When the next word of a trace was about to be recorded. */
typedef struct {
    guint64 position; /* words recorded before it, counted from the thread's start */
    guint64 ns;       /* by the monotonic clock of the host */
    gboolean
        of_batch; /* of no word, but of the tracer's own work between two: its begin, then its end; one alone its end */
} DtStamp;

/** What a thread had used of the processor at some moment. */
typedef struct {
    guint64 ns;           /* by the monotonic clock of the host */
    guint64 processor_ns; /* since the thread's start */
} DtProcessorTime;

typedef struct DtStamps DtStamps;
/**
 * Reads all times of a trace, in the order in which they were taken: neither positions nor times descend. None where
 * the run was recorded without (dt_run_has_times()). Times that came one after the other quickly lie at most 4.5 % of
 * what passed between two from where they were. Damaged ones are left out; dt_stamps_problem() tells. O(n log n);
 * memory is that of the stamps. Needs the run no more.
 */
DtStamps *dt_stamps_open(const DtRun *run, const DtTrace *trace, GError **error);
void dt_stamps_free(DtStamps *stamps);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtStamps, dt_stamps_free)
/** All of them; borrowed. */
const DtStamp *dt_stamps_get(const DtStamps *stamps, gsize *count);
/** At the thread's start, every few milliseconds, and at its end if it had one; borrowed. */
const DtProcessorTime *dt_stamps_processor_times(const DtStamps *stamps, gsize *count);
/** How often some stamps in a row are missing. */
guint64 dt_stamps_gaps(const DtStamps *stamps);
/** NULL, or one line; borrowed. */
const char *dt_stamps_problem(const DtStamps *stamps);

/** Whether the trace has times at all. O(1). */
gboolean dt_trace_has_times(const DtTrace *trace);
/** Whether all traces of the run have. O(traces). */
gboolean dt_run_has_times(const DtRun *run);

/* ---- output directories --------------------------------------------------- */

/**
 * Makes `path` a new, empty directory for a run or a result. An earlier run or
 * result of ours there moves to `path.old`, replacing that; any other non-empty
 * directory is DT_STORE_ERROR_EXISTS and untouched. Folders above it are made as well.
 * `kind` is "run" or "result": written to path/.difftrace, by which ours are known.
 */
gboolean dt_output_directory(const char *path, const char *kind, GError **error);

/** TRUE if the directory was made by dt_output_directory() with that kind; FALSE of what is not there. */
gboolean dt_is_our_directory(const char *path, const char *kind);

#pragma GCC visibility pop
G_END_DECLS

#endif
