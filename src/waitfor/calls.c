#include "waitfor/calls.h"

#include "calls/calls.h"

static DtRole role_of_requests(const struct dt_call *call)
{
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
    return waits ? DT_ROLE_MESSAGE : dt_call_has(call, DT_PARAMETER_REQUEST_MADE) ? DT_ROLE_POSTED : DT_ROLE_NONE;
}

static gboolean is_of_all_members(const struct dt_call *call)
{
    return call->properties & DT_CALL_COLLECTIVE && !(call->properties & (DT_CALL_OF_GROUP | DT_CALL_BETWEEN_GROUPS)) &&
           dt_call_has(call, DT_PARAMETER_COMM);
}

static DtRole role_of(const struct dt_call *call)
{
    if (dt_call_has(call, DT_PARAMETER_REQUEST_AT) || dt_call_has(call, DT_PARAMETER_REQUESTS))
        return role_of_requests(call);
    DtRole role = role_of_messages(call);
    if (role != DT_ROLE_NONE)
        return role;
    if (is_of_all_members(call))
        return DT_ROLE_COLLECTIVE;
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
    return call ? role_of(call) : DT_ROLE_NONE;
}
