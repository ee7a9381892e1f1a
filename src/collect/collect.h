/**
 * Collection: runs a command with the tracer's runtime preloaded and keeps the
 * run directory's manifest. The runtime itself writes the traces; the two speak
 * through the environment only:
 *
 *     LD_PRELOAD            the runtime, before what is there already; not with Pin
 *     ASAN_OPTIONS          what is there already, then verify_asan_link_order=0; not with Pin
 *     DIFFTRACE_RUN         absolute path of the run directory
 *     DIFFTRACE_SHARED      1: what is made in the run follows the umask; else it is its owner's alone
 *     DIFFTRACE_NO_ARGV     1: command lines are not stored
 *     DIFFTRACE_MASK        POSIX extended regex of what is not stored of them
 *     DIFFTRACE_IMAGES      main | app | globs of images
 *     DIFFTRACE_CODEC       tz | parlot | raw
 *     DIFFTRACE_LAUNCHER    1: trace only processes that have a rank
 *     DIFFTRACE_ONLY        globs of executables' base names
 *     DIFFTRACE_INCLUDE     POSIX extended regex of functions' names
 *     DIFFTRACE_EXCLUDE     the same
 *     DIFFTRACE_MAX_SIZE    bytes of a process's file; unset: no bound
 *     DIFFTRACE_WHEN_FULL   stop | keep-last
 *     DIFFTRACE_START_DISABLED   1: recording starts off
 *     DIFFTRACE_TOGGLE_SIGNAL    number of the signal that switches it
 *     DIFFTRACE_START_AT, DIFFTRACE_STOP_AT   POSIX extended regexes of functions that do
 *     DIFFTRACE_CLOCK       globs of API calls whose times are noted
 *     DIFFTRACE_MPI_ARGS    off: no arguments of MPI calls and locks
 *     DIFFTRACE_ARGS_MEMORY bytes: room for what these name; unset: 16 MB
 *     DIFFTRACE_AGENT       path of the program: the first process on another host starts its agent there
 *     DIFFTRACE_AGENTS_FOLDER  where RUN/agents leads on a host that does not reach the run
 *     DIFFTRACE_PERF_MAP    1: stubs are named in /tmp/perf-PID.map
 *
 * The command's standard streams, working directory, process group and signal
 * dispositions are those that it would have had without us.
 */
#ifndef DT_COLLECT_COLLECT_H
#define DT_COLLECT_COLLECT_H

#include <glib.h>

G_BEGIN_DECLS

#define DT_COLLECT_ERROR (dt_collect_error_quark())
typedef enum {
    DT_COLLECT_ERROR_COMMAND, /* not there, not executable, could not be started */
    DT_COLLECT_ERROR_STATIC,  /* nothing can be preloaded into it */
    DT_COLLECT_ERROR_OPTION,
    DT_COLLECT_ERROR_RUNTIME /* the tracer's runtime is not where it should be */
} DtCollectError;
GQuark dt_collect_error_quark(void);

/** All borrowed. */
typedef struct {
    const char *const *command; /* argv, NULL at the end */
    const char *output;         /* run directory, made by dt_output_directory() */
    const char *engine;         /* native or pin, for the manifest */
    const char *runtime;        /* absolute path, see dt_collect_find_runtime(); NULL: nothing is preloaded */
    const char *const *wrapper; /* goes before every program to be traced, see dt_collect_find_pin(); or NULL */
    const char *images;
    const char *codec;
    const char *only;    /* comma list, or NULL: every executable */
    const char *include; /* regexes, or NULL */
    const char *exclude;
    gboolean no_arguments;   /* of MPI calls and locks */
    gboolean payload;        /* hashes of what MPI calls send and receive */
    const char *args_memory; /* a size: room for what arguments name; NULL: 16M */
    gdouble timeout;         /* seconds; 0: none */
    gdouble until_stuck;     /* the same of being stuck */
    const char *on_stuck;    /* what the shell runs before the job is ended for that, or NULL */
    const char *max_size;    /* of each process's file ("64M"), or NULL: no bound */
    const char *when_full;   /* stop or keep-last: what then */
    gboolean start_disabled;
    int toggle_signal;    /* 0: none */
    const char *start_at; /* regexes of functions that switch recording on and off, or NULL */
    const char *stop_at;
    const char *times;     /* "api": of calls of MPI, OpenMP and pthreads; NULL: none */
    gboolean perf_map;     /* stubs are named for perf */
    gboolean agents;       /* on other nodes are asked for */
    const char *agents_in; /* where their folder is made if the nodes do not reach the run, or NULL: in the run */
    const char *listen;    /* address on which collectors listen to agents, or NULL: as the nodes need */
    gboolean no_argv;      /* command lines are not stored */
    const char *mask;      /* regex of what is not stored of them, or NULL */
    gboolean shared;       /* the run follows the umask; else it is its owner's alone */
    gboolean no_seal;      /* trace files keep the form in which they were recorded */
} DtCollectOptions;

typedef struct {
    gboolean launcher;   /* the command starts ranks (mpirun, srun, ...) */
    gboolean privileged; /* setuid, setgid or file capabilities: nothing is preloaded */
    gboolean timed_out;
    gint told_to_end;    /* the signal to us that asked for the command's end; 0: none */
    char *stuck;         /* the job was ended because it was stuck: who waits for whom; else NULL */
    gint exit_status;    /* of the command, 128 + N for signal N */
    gint signal_number;  /* that ended it, or 0 */
    gdouble seconds;     /* wall time */
    gboolean last;       /* nobody else of our job records in this run any more: it is complete */
    gboolean lost;       /* the run directory was moved or deleted meanwhile: it is not sealed, and has no manifest */
    GPtrArray *warnings; /* (element-type utf8) */
} DtCollectResult;

void dt_collect_result_free(DtCollectResult *result);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtCollectResult, dt_collect_result_free)

/**
 * The runtime's absolute path, g_free(): beside the running executable, or in
 * ../lib/difftrace/ seen from there.
 */
char *dt_collect_find_runtime(GError **error);

/**
 * Runs the command to its end. Nothing is made or started if the options or the
 * command are no good. After `timeout`, or when it has been stuck for `until_stuck`, the command and all its
 * descendants get SIGTERM, and SIGKILL five seconds later; so they do a second after a SIGTERM to us alone, as batch
 * systems send it before a job's time is over. Other signals that end a program are passed on to the command.
 */
DtCollectResult *dt_collect(const DtCollectOptions *options, GError **error);

G_END_DECLS

#endif
