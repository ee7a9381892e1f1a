/**
 * Runs that still grow: how far their threads have come, and whether they can get on. A run is watched by reading its
 * files; nothing is asked of the job.
 *
 *     heads       dt_live_refresh(): headers and threads' records, some microseconds a thread
 *     the run     dt_live_run(): opened anew when something of it is to be named
 *     being stuck dt_stuck_look(): the wait-for graph, from facts that are kept from look to look
 *
 * docs/algorithms/stuck.md
 */
#ifndef DT_LIVE_LIVE_H
#define DT_LIVE_LIVE_H

#include "live/remote.h"
#include "waitfor/waitfor.h"

G_BEGIN_DECLS

/* ---- heads --------------------------------------------------------------------------------- */

/** A process of the run, as its file's header tells of it; borrowed. */
typedef struct {
    const char *file; /* relative to the run */
    const char *host;
    guint pid;
    gint rank, world_size; /* -1: none, unknown */
    guint64 start_ns;      /* monotonic, on its host */
    gboolean is_here;      /* on this host: the kernel tells of it */
    gboolean is_seen;      /* it is, or an agent on its host has told of it lately */
    gboolean was_seen;     /* at some time */
    gint64 came_us;        /* monotonic, here: when its file was found */
    gboolean ended;
    gboolean told_end; /* its file tells how */
    gint64 ended_us;   /* monotonic, here: when a refresh saw first that it had ended; 0: it has not */
} DtLiveProcess;

/** A thread that has not returned; borrowed. */
typedef struct {
    const DtLiveProcess *process;
    guint number; /* T of the label P.T; for library threads the letter's number */
    gboolean library;
    guint tid;        /* the kernel's */
    guint64 words;    /* its position: those that it has recorded */
    gint64 moved_us;  /* monotonic, here: when a refresh saw first that it had come there */
    guint32 calls[2]; /* innermost open calls, the innermost first, as ids of its file; 0: not in its last words */
    gdouble words_a_second; /* between the last two refreshes */
} DtLiveThread;

typedef struct DtLive DtLive;
/** `path`: of a run, in which there may be nothing yet. DT_STORE_ERROR_NOT_FOUND if it is none. */
DtLive *dt_live_open(const char *path, GError **error);
void dt_live_free(DtLive *live);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtLive, dt_live_free)
/** From now on only files of processes on this host are read, by the names that the tracer gives to files. */
void dt_live_keep_host(DtLive *live);
/** As given to dt_live_open(). */
const char *dt_live_path(const DtLive *live);

/**
 * Reads what is new: files that came, chunks behind those known, the records of threads. What cannot be read yet is
 * left out. O(files + threads); nothing is kept mapped.
 */
void dt_live_refresh(DtLive *live);
/** On file systems of a network: what processes of this host that stand still have written is sent to other hosts,
 * once. After a refresh. */
void dt_live_show(DtLive *live);
/** Of the last refresh; those of processes that ended are not there. By file, then by their order in it. */
guint dt_live_thread_count(const DtLive *live);
const DtLiveThread *dt_live_thread(const DtLive *live, guint index);
/** Processes that are there, and how many of them have ended. */
guint dt_live_process_count(const DtLive *live, guint *ended);
/** By index below that. */
const DtLiveProcess *dt_live_process(const DtLive *live, guint index);
/** That of a trace of the run; NULL: it was not there at the last refresh. O(1), and O(threads) once a refresh. */
const DtLiveThread *dt_live_find(DtLive *live, const DtTrace *trace);

/**
 * What the agent of another host tells of all processes there (element-type DtNodeProcess), which is kept: what is
 * seen of them until nothing has been told for DT_REMOTE_OLD_SECONDS. docs/agents.md
 */
void dt_live_hear(DtLive *live, const char *host, GArray *processes);
/** TRUE if there is no file of some of those processes. O(processes). */
gboolean dt_live_lacks(const DtLive *live, const char *host, const GArray *processes);
/** What the kernel of its host tells of a thread. O(threads of its process) at worst. */
typedef struct {
    DtKernelThread kernel; /* not known: the thread is gone, or its host is not seen */
    guint64 words;         /* its position by what its host sees; of a thread on this host, by the refresh */
    gint64 told_us;        /* monotonic, here: when that was told; 0: now */
} DtThreadState;
DtThreadState dt_live_state(const DtLive *live, const DtLiveThread *thread);

/** The run as it is now, opened with dt_live_functions(); borrowed until the next call. NULL: it cannot be opened yet.
 */
DtRun *dt_live_run(DtLive *live, GError **error);
/** The same functions for as long as the run is watched. */
DtFunctions *dt_live_functions(const DtLive *live);

/* ---- being stuck ------------------------------------------------------------------------------ */

typedef enum {
    DT_JOB_GOES_ON, /* or nobody knows */
    DT_JOB_STUCK,   /* what waits in it will wait for ever */
    DT_JOB_OVER     /* its processes have ended, or its collector has */
} DtJobState;

typedef struct DtStuck DtStuck;
/** Watches a job, which is called stuck after `seconds` without a fact that could end it. `live` is borrowed. */
DtStuck *dt_stuck_new(DtLive *live, gdouble seconds);
void dt_stuck_free(DtStuck *stuck);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtStuck, dt_stuck_free)

/**
 * After a refresh: whether the job can get on. Reads traces only when that may have changed, and then at most for a
 * small part of the time that goes by. To be called every half second or so.
 */
DtJobState dt_stuck_look(DtStuck *stuck);
/** Reads the files and the traces now, and decides once more: what is to be ended may just have gone on. */
DtJobState dt_stuck_look_again(DtStuck *stuck);
/** By waiter of dt_stuck_waits(), TRUE for each that by the last look waits for what cannot come, and has stood still
 * for a moment: who is to blame may be said, though the job is not yet called stuck. NULL: nobody. Borrowed until the
 * next look. */
const gboolean *dt_stuck_for_ever(const DtStuck *stuck);
/** The wait-for graph of the last time that traces were read; NULL: they were not. Borrowed until the next look; its
 * run is dt_live_run()'s. */
const DtWaitFor *dt_stuck_waits(const DtStuck *stuck);
/** For how many seconds those who will wait for ever have stood still; 0 if the job is not stuck. */
gdouble dt_stuck_seconds(const DtStuck *stuck);

G_END_DECLS

#endif
