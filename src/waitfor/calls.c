#include "waitfor/calls.h"

#include <string.h>

#include "calls/calls.h"

static DtRole role_of_requests(const struct dt_call *call)
{
    if (call == dt_call_find("MPI_Start") || call == dt_call_find("MPI_Startall"))
        return DT_ROLE_START;
    if (call->properties & DT_CALL_POLLING)
        return DT_ROLE_TEST;
    if (!(call->properties & DT_CALL_BLOCKING))
        return DT_ROLE_NONE;
    return dt_call_has(call, DT_PARAMETER_INDEX) || dt_call_has(call, DT_PARAMETER_INDICES) ? DT_ROLE_ANY
                                                                                            : DT_ROLE_REQUESTS;
}

/* DT_ROLE_NONE: it has none of its own. */
static DtRole role_of_messages(const struct dt_call *call)
{
    gboolean waits = (call->properties & DT_CALL_BLOCKING) != 0;
    if (call->properties & DT_CALL_PROBING)
        return waits ? DT_ROLE_PROBE : DT_ROLE_TEST_PROBE;
    /* What MPI_Mprobe has found is received without saying whose message it is. */
    if (!(call->properties & DT_CALL_POINT_TO_POINT) || !dt_call_has(call, DT_PARAMETER_COMM))
        return DT_ROLE_NONE;
    if (dt_call_has(call, DT_PARAMETER_PERSISTENT_REQUEST_MADE) && !dt_call_has(call, DT_PARAMETER_PARTITION_COUNT))
        return DT_ROLE_PERSISTENT;
    return waits ? DT_ROLE_MESSAGE : dt_call_has(call, DT_PARAMETER_REQUEST_MADE) ? DT_ROLE_POSTED : DT_ROLE_NONE;
}

static gboolean is_of_all_members(const struct dt_call *call)
{
    const gboolean has_others = call->properties & DT_CALL_BETWEEN_GROUPS && dt_call_makers(call) != DT_MADE_BY_PARENT;
    return call->properties & DT_CALL_COLLECTIVE && !(call->properties & DT_CALL_OF_GROUP) && !has_others;
}

/* DT_ROLE_NONE: it is no collective call, or nothing is known of its members. */
static DtRole role_of_collectives(const struct dt_call *call)
{
    if (!is_of_all_members(call))
        return DT_ROLE_NONE;
    if (dt_call_has(call, DT_PARAMETER_COMM) || dt_call_has(call, DT_PARAMETER_COMM_FREED))
        return dt_call_has(call, DT_PARAMETER_WINDOW_MADE) ? DT_ROLE_WINDOW_MADE : DT_ROLE_COLLECTIVE;
    if (dt_call_has(call, DT_PARAMETER_WINDOW) || dt_call_has(call, DT_PARAMETER_WINDOW_FREED))
        return DT_ROLE_COLLECTIVE;
    return DT_ROLE_NONE;
}

static DtRole role_of(const struct dt_call *call)
{
    if (dt_call_has(call, DT_PARAMETER_REQUEST_AT) || dt_call_has(call, DT_PARAMETER_REQUESTS))
        return role_of_requests(call);
    DtRole role = role_of_messages(call);
    if (role == DT_ROLE_NONE)
        role = role_of_collectives(call);
    if (role != DT_ROLE_NONE)
        return role;
    if (call->properties & DT_CALL_ACQUIRING)
        return DT_ROLE_ACQUIRE;
    if (call->properties & DT_CALL_RELEASING)
        return DT_ROLE_RELEASE;
    if (!(call->properties & DT_CALL_BLOCKING))
        return DT_ROLE_NONE;
    return dt_call_has(call, DT_PARAMETER_CONDITION) ? DT_ROLE_CONDITION : DT_ROLE_OTHER_WAIT;
}

DtRole dt_role_of(const char *function)
{
    const struct dt_call *call = dt_call_find(function);
    if (call && call == dt_call_find("MPI_Finalize"))
        return DT_ROLE_FINALIZE;
    return call ? role_of(call) : DT_ROLE_NONE;
}

/* Of the row of MPI_Wtime nothing but its name says that it is a clock; C++ and Fortran have theirs. */
static gboolean is_clock(const char *function)
{
    static const char *const clocks[] = {"MPI_Wtime", "omp_get_wtime", "time@plt", "clock@plt", "times@plt"};
    for (guint i = 0; i < G_N_ELEMENTS(clocks); i++)
        if (g_str_equal(function, clocks[i]))
            return TRUE;
    return (strstr(function, "chrono") && strstr(function, "::now(")) || strstr(function, "system_clock_");
}

gboolean dt_waits_for_time(const char *function)
{
    const struct dt_call *call = dt_call_find(function);
    return call && call->properties & DT_CALL_BLOCKING && dt_call_has(call, DT_PARAMETER_TIMEOUT);
}

DtPause dt_pause_of(const char *function)
{
    const struct dt_call *call = dt_call_find(function);
    gboolean waits = call && dt_call_class(function) == DT_CALL_SYSTEM && call->properties & DT_CALL_POLLING;
    if (is_clock(function))
        return DT_PAUSE_CLOCK;
    if (!waits || dt_call_has(call, DT_PARAMETER_SEMAPHORE))
        return DT_PAUSE_NONE;
    gboolean sleeps = dt_call_has(call, DT_PARAMETER_TIMEOUT) || dt_call_has(call, DT_PARAMETER_NUMBER) ||
                      call == dt_call_find("sched_yield");
    return sleeps ? DT_PAUSE_SLEEP : DT_PAUSE_CLOCK;
}

gboolean dt_hides_messages(const char *function)
{
    const struct dt_call *call = dt_call_find(function);
    return call && call->properties & DT_CALL_POINT_TO_POINT &&
           (dt_call_has(call, DT_PARAMETER_MESSAGE_MADE) || dt_call_has(call, DT_PARAMETER_PARTITION_COUNT));
}

gboolean dt_has_arguments(const char *function)
{
    return (dt_call_properties(function) & DT_CALL_WITH_ARGUMENTS) != 0;
}

gboolean dt_is_started(const char *function)
{
    const struct dt_call *call = dt_call_find(function);
    return call && is_of_all_members(call) && dt_call_has(call, DT_PARAMETER_REQUEST_MADE);
}

DtMembersAwaited dt_members_awaited(const char *function)
{
    const struct dt_call *call = dt_call_find(function);
    if (!call || !is_of_all_members(call) || call->properties & DT_CALL_NEIGHBOURHOOD)
        return DT_MEMBERS_SOME;
    if (dt_call_has(call, DT_PARAMETER_ROOT))
        return dt_call_has(call, DT_PARAMETER_BUFFER) || dt_call_has(call, DT_PARAMETER_RECEIVED_OR_IN_PLACE)
                   ? DT_MEMBERS_ROOT
                   : DT_MEMBERS_ALL_BY_ROOT;
    if (dt_call_has(call, DT_PARAMETER_COMM_MADE) || dt_call_has(call, DT_PARAMETER_COMM_MADE_LATER) ||
        dt_call_has(call, DT_PARAMETER_WINDOW_MADE) || dt_call_has(call, DT_PARAMETER_FILE_MADE) ||
        dt_call_has(call, DT_PARAMETER_WINDOW_FREED))
        return DT_MEMBERS_ALL;
    /* Who gives nothing to a member of MPI_Alltoallv is not waited for, nor who comes after it in MPI_Scan. */
    const gboolean is_prefix = strstr(function, "can") != NULL;
    const gboolean has_parts = dt_call_has(call, DT_PARAMETER_COUNTS) && !dt_call_has(call, DT_PARAMETER_OPERATION);
    return call->properties & DT_CALL_EXCHANGE && !is_prefix && !has_parts ? DT_MEMBERS_ALL : DT_MEMBERS_SOME;
}

gboolean dt_has_equal_counts(const char *function)
{
    const struct dt_call *call = dt_call_find(function);
    return call && call->properties & DT_CALL_EXCHANGE && is_of_all_members(call) &&
           !(call->properties & DT_CALL_NEIGHBOURHOOD) && dt_call_has(call, DT_PARAMETER_COUNT) &&
           !dt_call_has(call, DT_PARAMETER_COUNTS);
}
