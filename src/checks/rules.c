/* The table of rules. */
#include "checks/checks.h"

#define ALWAYS         "calls of MPI"
#define WITH_ARGUMENTS "arguments of calls"

/* clang-format off */
static const DtCheckRuleInfo rules[] = {
    [DT_CHECK_BEFORE_INIT] = {"before-init", DT_CHECK_ERROR,
        "A call of MPI was made before MPI_Init or MPI_Init_thread.", "MPI 3.1, 8.7", ALWAYS},
    [DT_CHECK_AFTER_FINALIZE] = {"after-finalize", DT_CHECK_ERROR,
        "A call of MPI was made after MPI_Finalize.", "MPI 3.1, 8.7", ALWAYS},
    [DT_CHECK_INIT_TWICE] = {"init-twice", DT_CHECK_ERROR,
        "MPI was initialised, or finalized, a second time.", "MPI 3.1, 8.7", ALWAYS},
    [DT_CHECK_NO_FINALIZE] = {"no-finalize", DT_CHECK_ERROR,
        "A process ended by itself without MPI_Finalize.", "MPI 3.1, 8.7", ALWAYS},
    [DT_CHECK_FINALIZE_THREAD] = {"finalize-thread", DT_CHECK_ERROR,
        "MPI_Finalize was called by another thread than MPI_Init.", "MPI 3.1, 12.4.3", ALWAYS},
    [DT_CHECK_ENDED_IN_CALL] = {"ended-in-call", DT_CHECK_ERROR,
        "A process ended inside a call of MPI, which found an error or crashed.", "MPI 3.1, 8.3", ALWAYS},
    [DT_CHECK_FAILED_CALL] = {"failed-call", DT_CHECK_ERROR,
        "A call returned an error instead of MPI_SUCCESS.", "MPI 3.1, 8.4", ALWAYS},
    [DT_CHECK_INVALID_RANK] = {"invalid-rank", DT_CHECK_ERROR,
        "A call names a rank that is not in its communicator.", "MPI 3.1, 3.2.3", WITH_ARGUMENTS},
    [DT_CHECK_INVALID_ROOT] = {"invalid-root", DT_CHECK_ERROR,
        "A collective call has a root that is not in its communicator.", "MPI 3.1, 5.2.2", WITH_ARGUMENTS},
    [DT_CHECK_INVALID_COUNT] = {"invalid-count", DT_CHECK_ERROR,
        "A count is negative.", "MPI 3.1, 3.2.2", WITH_ARGUMENTS},
    [DT_CHECK_INVALID_TAG] = {"invalid-tag", DT_CHECK_ERROR,
        "A tag is negative, or a message is sent with MPI_ANY_TAG.", "MPI 3.1, 3.2.3", WITH_ARGUMENTS},
    [DT_CHECK_INVALID_HANDLE] = {"invalid-handle", DT_CHECK_ERROR,
        "A call was given a null handle, or one that was freed or is not valid.", "MPI 3.1, 2.5.1", WITH_ARGUMENTS},
    [DT_CHECK_COLLECTIVE_ORDER] = {"collective-order", DT_CHECK_ERROR,
        "Members of a communicator make different collective calls at the same place in their order.",
        "MPI 3.1, 5.13", WITH_ARGUMENTS},
    [DT_CHECK_COLLECTIVE_ROOT] = {"collective-root", DT_CHECK_ERROR,
        "Members give different roots to the same collective call.", "MPI 3.1, 5.2.2", WITH_ARGUMENTS},
    [DT_CHECK_COLLECTIVE_OPERATION] = {"collective-operation", DT_CHECK_ERROR,
        "Members give different operations to the same reduction.", "MPI 3.1, 5.9", WITH_ARGUMENTS},
    [DT_CHECK_COLLECTIVE_SIZE] = {"collective-size", DT_CHECK_ERROR,
        "What a member sends in a collective call is not as much as another one expects.", "MPI 3.1, 5.1",
        WITH_ARGUMENTS},
    [DT_CHECK_COLLECTIVE_TYPE] = {"collective-type", DT_CHECK_ERROR,
        "Members give other datatypes of the same size to the same collective call.", "MPI 3.1, 5.1", WITH_ARGUMENTS},
    [DT_CHECK_COLLECTIVE_MISSING] = {"collective-missing", DT_CHECK_ERROR,
        "A member ended without a collective call that the others made.", "MPI 3.1, 5.13", WITH_ARGUMENTS},
    [DT_CHECK_MESSAGE_TRUNCATED] = {"message-truncated", DT_CHECK_ERROR,
        "A message is longer than the buffer of its receive.", "MPI 3.1, 3.2.2", WITH_ARGUMENTS},
    [DT_CHECK_MESSAGE_TYPE] = {"message-type", DT_CHECK_ERROR,
        "A message is received as another datatype than it was sent.", "MPI 3.1, 3.3.1", WITH_ARGUMENTS},
    [DT_CHECK_MESSAGE_MISMATCH] = {"message-mismatch", DT_CHECK_ERROR,
        "A receive waits for a message that its partner sent with another tag or in another communicator.",
        "MPI 3.1, 3.2.3", WITH_ARGUMENTS},
    [DT_CHECK_MESSAGE_UNRECEIVED] = {"message-unreceived", DT_CHECK_ERROR,
        "A message was sent and never received, though both processes came to MPI_Finalize.", "MPI 3.1, 8.7",
        WITH_ARGUMENTS},
    [DT_CHECK_RECEIVE_UNSENT] = {"receive-unsent", DT_CHECK_ERROR,
        "A receive can never be met: its partner ended without sending.", "MPI 3.1, 3.5", WITH_ARGUMENTS},
    [DT_CHECK_DEADLOCK] = {"deadlock", DT_CHECK_ERROR,
        "Processes or threads wait for each other.", "MPI 3.1, 3.5", WITH_ARGUMENTS " and of locks"},
    [DT_CHECK_POTENTIAL_DEADLOCK] = {"potential-deadlock", DT_CHECK_WARNING,
        "The run ended because sends were buffered, which MPI does not promise.", "MPI 3.1, 3.5", WITH_ARGUMENTS},
    [DT_CHECK_REQUEST_OPEN] = {"request-open", DT_CHECK_ERROR,
        "A request was never completed.", "MPI 3.1, 8.7", WITH_ARGUMENTS},
    [DT_CHECK_REQUEST_STARTED_TWICE] = {"request-started-twice", DT_CHECK_ERROR,
        "A persistent request was started while it was active.", "MPI 3.1, 3.9", WITH_ARGUMENTS},
    [DT_CHECK_REQUEST_FREED_ACTIVE] = {"request-freed-active", DT_CHECK_WARNING,
        "A request was freed before it was completed: nobody can know when its buffer may be used again.",
        "MPI 3.1, 3.7.3", WITH_ARGUMENTS},
    [DT_CHECK_REQUEST_UNKNOWN] = {"request-unknown", DT_CHECK_WARNING,
        "A call names a request that is not open: it was completed before, or never made.", "MPI 3.1, 3.7.3",
        WITH_ARGUMENTS},
    [DT_CHECK_RMA_NO_EPOCH] = {"rma-no-epoch", DT_CHECK_ERROR,
        "A window was accessed outside of an access epoch.", "MPI 3.1, 11.5", WITH_ARGUMENTS},
    [DT_CHECK_RMA_EPOCH_OPEN] = {"rma-epoch-open", DT_CHECK_ERROR,
        "An epoch was never closed, or its window was freed before.", "MPI 3.1, 11.5", WITH_ARGUMENTS},
    [DT_CHECK_RMA_EPOCHS_MIXED] = {"rma-epochs-mixed", DT_CHECK_ERROR,
        "An epoch was begun inside another one of its window that excludes it.", "MPI 3.1, 11.5.3", WITH_ARGUMENTS},
    [DT_CHECK_RMA_NOT_STARTED] = {"rma-not-started", DT_CHECK_ERROR,
        "An epoch was closed that was not begun.", "MPI 3.1, 11.5", WITH_ARGUMENTS},
    [DT_CHECK_THREAD_LEVEL] = {"thread-level", DT_CHECK_WARNING,
        "MPI provides less than the thread level that was asked for.", "MPI 3.1, 12.4.3", WITH_ARGUMENTS},
    [DT_CHECK_THREAD_MAIN] = {"thread-main", DT_CHECK_ERROR,
        "Another thread than the main one calls MPI, which the thread level does not allow.", "MPI 3.1, 12.4.3",
        WITH_ARGUMENTS},
    [DT_CHECK_THREAD_OVERLAP] = {"thread-overlap", DT_CHECK_ERROR,
        "Two threads were in MPI at once, which the thread level, or a collective call, does not allow.",
        "MPI 3.1, 12.4", "times (collect --times)"},
    [DT_CHECK_LEAKED_COMMUNICATOR] = {"leaked-communicator", DT_CHECK_WARNING,
        "A communicator was made and never freed.", "MPI 3.1, 6.4.3", WITH_ARGUMENTS},
    [DT_CHECK_LEAKED_DATATYPE] = {"leaked-datatype", DT_CHECK_WARNING,
        "A datatype was made and never freed.", "MPI 3.1, 4.1.9", ALWAYS},
    [DT_CHECK_LEAKED_GROUP] = {"leaked-group", DT_CHECK_WARNING,
        "A group was made and never freed.", "MPI 3.1, 6.3.3", ALWAYS},
    [DT_CHECK_LEAKED_OPERATION] = {"leaked-operation", DT_CHECK_WARNING,
        "An operation was made and never freed.", "MPI 3.1, 5.9.5", ALWAYS},
    [DT_CHECK_LEAKED_WINDOW] = {"leaked-window", DT_CHECK_WARNING,
        "A window was made and never freed.", "MPI 3.1, 11.2.5", WITH_ARGUMENTS},
    [DT_CHECK_LEAKED_FILE] = {"leaked-file", DT_CHECK_ERROR,
        "A file was opened and never closed.", "MPI 3.1, 13.2.2", WITH_ARGUMENTS},
    [DT_CHECK_LEAKED_REQUEST] = {"leaked-request", DT_CHECK_WARNING,
        "A persistent request was made and never freed.", "MPI 3.1, 3.9", WITH_ARGUMENTS},
    [DT_CHECK_LOCK_ORDER] = {"lock-order", DT_CHECK_WARNING,
        "Threads take the same locks in different orders: with other luck they wait for each other.", "POSIX, 2.9.3",
        "locks"},
    [DT_CHECK_LOCK_HELD] = {"lock-held", DT_CHECK_WARNING,
        "A thread ended while it held a lock.", "POSIX, pthread_mutex_lock", "locks"},
    [DT_CHECK_LOCK_OTHER] = {"lock-other", DT_CHECK_ERROR,
        "A lock was released by a thread that did not hold it.", "POSIX, pthread_mutex_unlock", "locks"},
    [DT_CHECK_LOCK_TWICE] = {"lock-twice", DT_CHECK_ERROR,
        "A thread waits for a lock that it holds itself.", "POSIX, pthread_mutex_lock", "locks"},
    [DT_CHECK_THREAD_UNJOINED] = {"thread-unjoined", DT_CHECK_WARNING,
        "Threads were made that nobody joined or detached.", "POSIX, pthread_join", "calls of pthreads"},
    [DT_CHECK_OMP_BARRIER] = {"omp-barrier", DT_CHECK_ERROR,
        "A barrier was not met by all threads of its team.", "OpenMP 5.0, 2.17.2", "calls of OpenMP"},
    [DT_CHECK_OMP_WORKSHARING] = {"omp-worksharing", DT_CHECK_ERROR,
        "A worksharing construct was not met by all threads of its team.", "OpenMP 5.0, 2.8", "calls of OpenMP"},
};
/* clang-format on */

G_STATIC_ASSERT(G_N_ELEMENTS(rules) == DT_CHECKS);

const DtCheckRuleInfo *dt_check_rule(DtCheckRule rule)
{
    return &rules[rule];
}

DtCheckRule dt_check_rule_find(const char *name)
{
    for (guint i = 0; i < DT_CHECKS; i++)
        if (g_str_equal(rules[i].name, name))
            return (DtCheckRule)i;
    return DT_CHECKS;
}

const char *dt_check_level_name(DtCheckLevel level)
{
    return level == DT_CHECK_ERROR ? "error" : "warning";
}
