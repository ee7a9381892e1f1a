/** What a call means to those who wait: looked up once per function. */
#ifndef DT_WAITFOR_CALLS_H
#define DT_WAITFOR_CALLS_H

#include <glib.h>

G_BEGIN_DECLS

typedef enum {
    DT_ROLE_NONE,
    DT_ROLE_MESSAGE,     /* sends or receives, as its arguments say, and waits until it is done */
    DT_ROLE_POSTED,      /* the same without waiting */
    DT_ROLE_PERSISTENT,  /* says of what messages will be that it starts later */
    DT_ROLE_START,       /* starts them */
    DT_ROLE_PROBE,       /* waits for a message that another call receives */
    DT_ROLE_REQUESTS,    /* waits for all requests */
    DT_ROLE_ANY,         /* waits for one of its requests */
    DT_ROLE_COLLECTIVE,  /* of all members of a communicator or window; waits or not */
    DT_ROLE_WINDOW_MADE, /* a collective call that makes a window on a communicator */
    DT_ROLE_FINALIZE,
    DT_ROLE_ACQUIRE,
    DT_ROLE_RELEASE,
    DT_ROLE_CONDITION, /* releases a lock, waits, acquires it again */
    DT_ROLE_TEST,      /* asks for requests without waiting */
    DT_ROLE_TEST_PROBE,
    DT_ROLE_OTHER_WAIT /* joins, barriers of threads, semaphores */
} DtRole;

DtRole dt_role_of(const char *function);
/** TRUE of calls that ask whether something has happened and return at once: while they are open, nobody waits. */
static inline gboolean dt_role_asks(DtRole role)
{
    return role == DT_ROLE_TEST || role == DT_ROLE_TEST_PROBE;
}

/** What a program does between two questions whether something has happened. */
typedef enum {
    DT_PAUSE_NONE,
    DT_PAUSE_SLEEP, /* lets others run: usleep, sched_yield */
    DT_PAUSE_CLOCK  /* asks for the time, by which it may decide to ask no more */
} DtPause;
/** TRUE of calls that wait for others, but for a time that they are given at most: sem_timedwait. */
gboolean dt_waits_for_time(const char *function);
DtPause dt_pause_of(const char *function);
/** TRUE if messages come and go by this call, or by what it makes, and nobody can tell which: MPI_Mprobe, partitioned
 * messages. */
gboolean dt_hides_messages(const char *function);
/** TRUE of calls that are recorded with arguments, if any are. */
gboolean dt_has_arguments(const char *function);
/** TRUE of collective calls that return at once and end with a request. */
gboolean dt_is_started(const char *function);
/** For whom a member of a collective call surely waits. */
typedef enum {
    DT_MEMBERS_SOME,       /* MPI does not say: some of the others may be enough */
    DT_MEMBERS_ALL,        /* for all others */
    DT_MEMBERS_ROOT,       /* for the root; the root itself for some */
    DT_MEMBERS_ALL_BY_ROOT /* the root for all others; they for some */
} DtMembersAwaited;
DtMembersAwaited dt_members_awaited(const char *function);
/** TRUE of collective calls in which each member gives or gets as much as each other. */
gboolean dt_has_equal_counts(const char *function);

G_END_DECLS

#endif
