/** Starting a command, waiting for it, ending it when it takes too long. */
#ifndef DT_COLLECT_LAUNCH_H
#define DT_COLLECT_LAUNCH_H

#include <glib.h>

/** A child that we saw end: the command itself, or an orphan of it. */
typedef struct {
    gint pid;
    gboolean by_signal;
    gint status;    /* exit status or signal number */
    gint64 time_us; /* monotonic */
    char name[16];  /* of its program, maybe without its end, as the kernel has it */
    char host[64];  /* maybe without its end */
} DtEndedChild;

typedef struct {
    gint pid;         /* the command's */
    gint exit_status; /* 128 + N for signal N */
    gint signal_number;
    gboolean timed_out;
    gint told_to_end; /* the signal to us that asked for the command's end; 0: none */
    char *stuck;      /* what the watcher told when it found the job to be stuck, and it was ended; NULL: it was not */
    gdouble seconds;
    GArray *ended;       /* (element-type DtEndedChild), the command among them */
    GPtrArray *untraced; /* dt_untraced_descendants() when the time was over */
    gint64 ending_us;    /* wall clock: when it was ended, by us or by a signal that we passed on; 0: it was not */
    GArray *looks;       /* (element-type DtLookedAt): how far threads had come before the time was over, and then */
} DtLaunched;

void dt_launched_clear(DtLaunched *launched);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(DtLaunched, dt_launched_clear)

/** When a command is to be ended. */
typedef struct {
    gdouble timeout;          /* after so many seconds; 0: never */
    gdouble until_stuck;      /* when it has been stuck for so many seconds; 0: never */
    const char *on_stuck;     /* a command of the shell that runs before; NULL: none */
    gboolean waits_for_ranks; /* the command is a launcher: its ranks have to be gone, too */
} DtLaunchLimits;

/**
 * Runs `arguments` (looked up on PATH) with `environment` to its end, which records into `run`. Problems with what
 * watches it become `warnings` (element-type utf8). FALSE only if it could not be started.
 */
gboolean dt_launch(const char *run, char *const *arguments, char *const *environment, const DtLaunchLimits *limits,
                   DtLaunched *launched, GPtrArray *warnings, GError **error);

#endif
