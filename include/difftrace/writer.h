/**
 * Writer: makes runs that the tracer did not record: of other tools' traces, of simulations, of tests. Every command
 * reads them like recorded ones.
 *
 *     g_autoptr(DtRunWriter) run = dt_run_writer_new("run");
 *     DtProcessWriter *process = dt_run_writer_process(run);
 *     DtImageWriter *program = dt_process_writer_image(process, "/home/me/app", DT_IMAGE_MAIN);
 *     guint32 symbol = dt_image_writer_symbol(program, "solve", 0x1040, 96, 0);
 *     guint32 solve = dt_process_writer_function(process, program, symbol, 0);
 *     DtThreadWriter *thread = dt_process_writer_thread(process, DT_THREAD_APP, 0);
 *
 *     dt_process_writer_header(process)->rank = 0;
 *     dt_thread_writer_event(thread, solve);
 *     dt_thread_writer_event(thread, DT_WORD_RETURN);
 *     if (!dt_run_writer_end(run, "by hand", command, &error))
 *         g_printerr("%s\n", error->message);
 *
 * A run has processes, a process has threads, images and functions; each is the child of the one that made it and is
 * freed with it. Processes and threads may be written side by side or one after the other; one that is ended takes no
 * memory any more. Whatever the length of a trace, a thread holds at most some megabytes of it: the rest is in the
 * file. A DtRunWriter is used by one thread at a time.
 *
 * What a process and a thread are, the format's own records tell (trace_file.h; docs/trace-format.md explains each
 * field). dt_process_writer_header() and dt_thread_writer_record() give them to be filled in; what has no default said
 * here is 0. Times are in these records, and as notes of the kind DT_NOTE_CLOCK anywhere between events: the format has
 * no times of single calls.
 *
 * The run appears when it is complete: until dt_run_writer_end() has put its last part in place, RUN/processes is not
 * there, and no command takes the directory for a run. Errors are kept until then. After the first one nothing more is
 * written.
 */
#ifndef DIFFTRACE_WRITER_H
#define DIFFTRACE_WRITER_H

#include <glib.h>

#include "arguments.h"
#include "trace_file.h"

G_BEGIN_DECLS
#pragma GCC visibility push(default)

#define DT_WRITER_ERROR (dt_writer_error_quark())
typedef enum {
    DT_WRITER_ERROR_EXISTS, /* there is a run already */
    DT_WRITER_ERROR_IO,     /* a file or directory could not be written */
    DT_WRITER_ERROR_CODEC   /* a process has a codec that does not exist */
} DtWriterError;
GQuark dt_writer_error_quark(void);

typedef struct DtRunWriter DtRunWriter;
typedef struct DtProcessWriter DtProcessWriter;
typedef struct DtThreadWriter DtThreadWriter;
typedef struct DtImageWriter DtImageWriter;

/* ---- the run --------------------------------------------------------------------------------- */

/** The run `path`: a directory that does not exist yet, or one without a run. Never NULL: what cannot be made is told
 * by dt_run_writer_end(). */
DtRunWriter *dt_run_writer_new(const char *path);
/** Without dt_run_writer_end(), or after its failure, removes what was written, and the directory if nothing else is
 * in it. Frees its processes, threads and images, too. */
void dt_run_writer_free(DtRunWriter *run);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtRunWriter, dt_run_writer_free)

/** A warning for whoever reads the run; the manifest has them. */
void dt_run_writer_warn(DtRunWriter *run, const char *format, ...) G_GNUC_PRINTF(2, 3);

/** The run was ended because it did not end by itself: its processes that are not DT_PROCESS_EXITED hung. */
void dt_run_writer_hung(DtRunWriter *run);
/** That thread, the T of its label, of a process that hung was still getting on when the run was ended. All such
 * processes are on one host. */
void dt_run_writer_moved(DtRunWriter *run, const char *host, guint pid, guint thread);

/**
 * Ends all processes, writes the manifest and lets the run appear. `engine` says what recorded it, `command`, which
 * NULL ends, how. FALSE and one line of what could not be written, why, and what to do about it if anything failed
 * since dt_run_writer_new(). Once, and the last call but dt_run_writer_written() and dt_run_writer_free().
 */
gboolean dt_run_writer_end(DtRunWriter *run, const char *engine, const char *const *command, GError **error);

/** What a run has; events are those of threads that have ended. */
typedef struct {
    guint processes, threads;
    guint64 events;
    GPtrArray *warnings; /* (element-type utf8) */
} DtWritten;
/** Borrowed; as it is at the time of each look. */
const DtWritten *dt_run_writer_written(const DtRunWriter *run);

/* ---- processes ------------------------------------------------------------------------------- */

/** A further process; freed by dt_process_writer_end(), or with the run. */
DtProcessWriter *dt_run_writer_process(DtRunWriter *run);

/**
 * What the process is: host, pid, rank, executable, command line, times, how it ended. May be changed until the process
 * ends, `codec` until it has a thread. It starts without a rank, as DT_PROCESS_EXITED with the status 0, with the codec
 * LZR, and with a start_realtime_ns later than that of the processes before: labels of processes without a rank go by
 * it. Magic, version and sizes, counts of threads and functions, check and seal are the writer's.
 */
struct dt_file_header *dt_process_writer_header(DtProcessWriter *process);

/** The number of an array that arguments are: an argument of it has dt_argument_first_array() of its kind + number as
 * its value. `values` is copied. O(count). */
guint32 dt_process_writer_array(DtProcessWriter *process, const gint64 *values, guint count);
/** A communicator that arguments name, which is copied; bytes and check are the writer's. `size` is at least 0, and
 * `members` has `size` ranks, then remote_size ones if that is above 0 (arguments.h). */
void dt_process_writer_communicator(DtProcessWriter *process, const struct dt_communicator *communicator,
                                    const gint32 *members);

/** Nothing more will come: ends its threads, writes the rest of it and frees the process. */
void dt_process_writer_end(DtProcessWriter *process);

/* ---- functions ------------------------------------------------------------------------------- */

/** The process's image of that path, a new one if it has none; freed with the process. Its symbols are written with
 * the process. `flags` of enum dt_image_flags are added. Without any DT_IMAGE_MAIN a process's first image is the
 * program, unless it is DT_IMAGE_API_ONLY. O(images of the process). */
DtImageWriter *dt_process_writer_image(DtProcessWriter *process, const char *path, guint32 flags);

/** The run's image of that path, for the functions of any of its processes; freed with the run. O(1). */
DtImageWriter *dt_run_writer_image(DtRunWriter *run, const char *path, guint32 flags);

/** A further symbol of the image: its index. `name` is as linkers have it; address and size may be 0, `flags` are of
 * enum dt_function_flags. Symbols of one name are different ones: static functions of different files. */
guint32 dt_image_writer_symbol(DtImageWriter *image, const char *name, guint64 address, guint32 size, guint32 flags);

/** The key that the image's files are named after: at least 16 hexadecimal digits that tell what it is, and "-NAME";
 * else it is a number. Copied; of letters, digits and "-", and of no other image of the run. */
void dt_image_writer_key(DtImageWriter *image, const char *key);
/** The lines of the source that its addresses are at: the text of docs/trace-format.md, section 9, Lines, which is
 * copied. For an image with a key of its own. */
void dt_image_writer_lines(DtImageWriter *image, const char *text);

/** A further function of the process: its id, from 1 on. `image` is the process's own or the run's, `symbol` one of
 * its dt_image_writer_symbol(), `flags` of enum dt_function_flags. */
guint32 dt_process_writer_function(DtProcessWriter *process, DtImageWriter *image, guint32 symbol, guint32 flags);

/** A call signature, that is, calls of `function` with these arguments (arguments.h): its id. Of more than
 * DT_FUNCTION_ARGUMENTS the first. `function` is an id of a function of the process, no signature's. */
guint32 dt_process_writer_signature(DtProcessWriter *process, guint32 function, const gint64 *arguments, guint count);

/** How many ids were given out. */
guint32 dt_process_writer_functions(const DtProcessWriter *process);

/* ---- threads --------------------------------------------------------------------------------- */

/** A further thread; `kind` of enum dt_thread_kind, `number` is T of the label P.T, below 2^32 - 1. Freed by
 * dt_thread_writer_end(), or with the process. */
DtThreadWriter *dt_process_writer_thread(DtProcessWriter *process, guint32 kind, guint32 number);

/** What the thread is: tid, creator, name, times, how it ended, the signal that hit it. May be changed until the thread
 * ends. Segments, commits, tails and check are the writer's. */
struct dt_thread *dt_thread_writer_record(DtThreadWriter *thread);

/** The entry into a function or signature by its id in the process, or with DT_WORD_RETURN the return from the
 * innermost open call. The id is not looked up: whoever reads the run leaves out calls of functions that it does not
 * know. */
void dt_thread_writer_event(DtThreadWriter *thread, guint32 id);

/** The id of the innermost open call; 0: none. */
guint32 dt_thread_writer_top(const DtThreadWriter *thread);

/** A note behind the last event so far: `kind` of enum dt_note_kind with its values, at most 64
 * (NULL if there are none); `text` may be NULL and is cut to what fits. One whose values do not fit is counted in
 * dropped_notes. */
void dt_thread_writer_note(DtThreadWriter *thread, guint32 kind, const gint64 *values, guint count, const char *text);

/** The next event happens then, by the monotonic clock of its host; times must not descend. O(1). */
void dt_thread_writer_time(DtThreadWriter *thread, guint64 ns);
/** At that time the thread has used so much of the processor (above 0). O(1). */
void dt_thread_writer_processor_time(DtThreadWriter *thread, guint64 ns, guint64 processor_ns);

/** Nothing more will come: writes the rest of it and frees the thread. */
void dt_thread_writer_end(DtThreadWriter *thread);

#pragma GCC visibility pop
G_END_DECLS

#endif
