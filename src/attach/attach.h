/**
 * Processes that run now and are not recorded: who belongs to a job, what its threads are in, with which arguments they
 * called MPI. Everything is read from outside (/proc, ptrace, libdw); a process is held for milliseconds, one at a
 * time, and goes on whatever becomes of us: no signal is sent to it.
 *
 *     job.c        the processes of a job, their ranks and labels
 *     hold.c       stops the threads of a process and lets them go
 *     images.c     files of programs and libraries, shared by all processes; names, lines
 *     unwind.c     frames of a held process, by libdw
 *     call_origin.c  what is known of a call from where it is made: debug information and code
 *     code.c       the instructions before a call (Capstone)
 *     passed.c     the arguments of a call, from its caller's registers
 *     meaning.c    which rank, tag, communicator and datatype these are
 *     motion.c     whether a thread's open call returns between two looks
 *     attach.c     all of it together
 */
#ifndef DT_ATTACH_ATTACH_H
#define DT_ATTACH_ATTACH_H

#include "attach/motion.h"
#include "calls/calls.h"
#include "store/store.h"

G_BEGIN_DECLS

#define DT_ATTACH_ERROR (dt_attach_error_quark())
typedef enum {
    DT_ATTACH_ERROR_NOT_FOUND, /* there is no such process */
    DT_ATTACH_ERROR_NOT_SEEN   /* of none of the processes anything could be read */
} DtAttachError;
GQuark dt_attach_error_quark(void);

/** What numbers and handles mean differs between MPIs. */
typedef enum { DT_OTHER_MPI, DT_OPEN_MPI, DT_MPICH } DtMpi;

/** Values of a call's parameters, as far as they are known for certain. */
typedef struct {
    const struct dt_call *call;
    DtMpi flavour;
    gboolean by_reference; /* Fortran's: the parameters are addresses; values are what is there */
    gboolean known[DT_CALL_MOST_PARAMETERS];
    gint64 values[DT_CALL_MOST_PARAMETERS]; /* by number; what is an int in C is that int */
    const char
        *names[DT_CALL_MOST_PARAMETERS];   /* of predefined objects of MPI's: "MPI_COMM_WORLD", "MPI_INT"; or NULL */
    gint64 sizes[DT_CALL_MOST_PARAMETERS]; /* of predefined datatypes in bytes, 0: not known */
    gint64 owner; /* of a lock: the thread (kernel's id) that holds it; of a join: the one that is waited for; 0: not
                     known */
} DtPassed;

typedef enum { DT_PEER_IS_RANK, DT_PEER_IS_ANY, DT_PEER_IS_NONE, DT_PEER_IS_UNKNOWN } DtPeerKind;
/** What a parameter that is a rank means: MPIs have different numbers for anybody and for nobody. */
static inline DtPeerKind dt_passed_peer(const DtPassed *passed, guint number)
{
    const gint64 of_mpich[] = {-2, -1}, of_others[] = {-1, -2};
    const gint64 *special = passed->flavour == DT_MPICH ? of_mpich : of_others;
    gint64 value = passed->values[number];
    if (!passed->known[number] || value >= 0)
        return passed->known[number] ? DT_PEER_IS_RANK : DT_PEER_IS_UNKNOWN;
    if (passed->flavour == DT_OTHER_MPI)
        return DT_PEER_IS_UNKNOWN;
    return value == special[0] ? DT_PEER_IS_ANY : value == special[1] ? DT_PEER_IS_NONE : DT_PEER_IS_UNKNOWN;
}

/** The DT_ARGUMENT_OPERATION of a predefined operation by its name, "MPI_SUM"; 0: it is none. */
static inline gint32 dt_passed_operation(const char *name)
{
    static const char *const names[] = {"MPI_MAX",    "MPI_MIN",    "MPI_SUM",     "MPI_PROD", "MPI_LAND",
                                        "MPI_BAND",   "MPI_LOR",    "MPI_BOR",     "MPI_LXOR", "MPI_BXOR",
                                        "MPI_MINLOC", "MPI_MAXLOC", "MPI_REPLACE", "MPI_NO_OP"};
    for (guint i = 0; name && i < G_N_ELEMENTS(names); i++)
        if (g_str_equal(names[i], name))
            return (gint32)i + DT_OPERATION_MAX;
    return 0;
}

/** A frame of a stack. */
typedef struct {
    guint32 function;    /* id in the functions given */
    guint32 call;        /* the same, or its signature with the arguments that are known */
    const char *place;   /* "heat.c:120", spelled, where it is now; NULL: not known. Borrowed */
    gboolean is_inlined; /* into the frame before it */
    gboolean is_library; /* of an image that is not the program's own */
    gboolean is_hidden;  /* in the depth of a library, or what starts a program or thread: a recorded run has no such */
    DtPassed *passed;    /* NULL: no call of an API, or nothing is known of its arguments */
} DtAttachedFrame;

/** What looks at a thread, one after the other, show. */
typedef enum {
    DT_MOTION_UNKNOWN, /* looked at once; or it is stopped, or could not run, so that standing still means nothing */
    DT_MOTION_MOVED,
    DT_MOTION_SAME, /* in the same calls at each look; it may have left them and come back */
    DT_MOTION_NONE  /* its open call has not returned in between */
} DtMotion;

/** A thread, as a trace of a run. */
typedef struct {
    DtTrace trace;
    pid_t tid;
    char state; /* the kernel's letter, before it was last looked at: 'T' is stopped by a signal */
    DtMotion motion;
    DtMotionStart start;
    guint64 mark; /* of where the program's own frames are, and what their caller's registers and stack hold */
    guint64 return_address; /* of the call that it is in; 0: it is in none */
    gboolean is_copying;    /* its call moves data */
    GArray *frames;         /* outermost first (element-type DtAttachedFrame); empty: not known */
    char *problem;          /* why it is not known, or where it breaks off; NULL: it is whole */
} DtAttachedThread;

/** A process of a job. */
typedef struct {
    DtProcess process;  /* as far as it is known from outside: index, label, rank, world_size, pid, host, executable */
    guint64 start;      /* DtRunning.start */
    char *run;          /* that records it, and knows better than we what it is in; NULL: none */
    gboolean is_seen;   /* its threads were looked at */
    gboolean has_ended; /* it is gone, or a zombie */
    char *problem;      /* one line: why not, or what is not known; NULL: nothing is missing */
    GPtrArray
        *threads;    /* (element-type DtAttachedThread) the program's by number, then those that only libraries run */
    guint64 held_us; /* how long it was stopped at a time, at most */
} DtAttachedProcess;

typedef struct DtImages DtImages;

typedef struct {
    DtFunctions *functions;
    GPtrArray *processes; /* (element-type DtAttachedProcess) by rank, then by pid */
    gboolean is_whole;    /* the launcher has all its ranks on this host: those that are not there have ended */
    guint looks;          /* at each process, so far */
    guint64 watched_us;   /* from the first look to the last */
    DtImages *images;
} DtAttachedJob;

/**
 * The processes of these pids (element-type pid_t); or, with `launcher`, its descendants that have a rank of the
 * launcher's; if none has one all of them, and itself if there are none. Ourselves never. Nothing is looked at yet: one
 * may be gone. NULL if there is no such process. `functions` must outlive it. `depths`: frames of libraries have lines,
 * too, as far as they have debug information, which takes a tenth of a second for the C library's.
 */
DtAttachedJob *dt_attached_job_new(const GArray *pids, gboolean launcher, gboolean depths, DtFunctions *functions,
                                   GError **error);
void dt_attached_job_free(DtAttachedJob *job);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtAttachedJob, dt_attached_job_free)

/**
 * Looks at all processes that no run records. What cannot be seen of one is its problem; FALSE only if of none anything
 * is known. Costs 1 to 3 ms a process, and once some ms for each image with debug information. To be called once, by
 * one thread, which is the one that holds the processes.
 */
gboolean dt_attached_job_look(DtAttachedJob *job, GError **error);

/** How many ranks the job has, here or elsewhere, 0 if none; *seen: of how many the stacks are known. */
guint dt_attached_job_ranks(const DtAttachedJob *job, guint *seen);

/**
 * Looks again, several times within a second, and longer if threads wait for a processor, at the threads that are in a
 * call: says of each how it moved. Ends as soon as all have. By the same thread as the first look.
 */
void dt_attached_job_watch(DtAttachedJob *job);

G_END_DECLS

#endif
