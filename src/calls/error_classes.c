/* What a call of MPI must have to fail with an error of a class; with those that are not here any may. */
#include <string.h>

#include "calls/calls.h"

enum { MOST_KINDS = 5 };

bool dt_call_may_fail_with(const struct dt_call *call, const char *error_class)
{
    static const struct {
        const char *name;
        enum dt_parameter_kind kinds[MOST_KINDS];
    } classes[] = {
        {"MPI_ERR_BUFFER", {DT_PARAMETER_DATATYPE, DT_PARAMETER_OTHER_DATATYPE, DT_PARAMETER_DATATYPES}},
        {"MPI_ERR_COUNT",
         {DT_PARAMETER_COUNT, DT_PARAMETER_COUNTS, DT_PARAMETER_OTHER_COUNT, DT_PARAMETER_REQUEST_COUNT}},
        {"MPI_ERR_TYPE",
         {DT_PARAMETER_DATATYPE, DT_PARAMETER_OTHER_DATATYPE, DT_PARAMETER_DATATYPES, DT_PARAMETER_DATATYPE_AT,
          DT_PARAMETER_DATATYPE_FREED}},
        {"MPI_ERR_TRUNCATE",
         {DT_PARAMETER_DATATYPE, DT_PARAMETER_OTHER_DATATYPE, DT_PARAMETER_DATATYPES, DT_PARAMETER_REQUEST_AT,
          DT_PARAMETER_REQUESTS}},
        {"MPI_ERR_TAG", {DT_PARAMETER_TAG, DT_PARAMETER_LEADER_TAG}},
        {"MPI_ERR_COMM", {DT_PARAMETER_COMM, DT_PARAMETER_COMM_FREED, DT_PARAMETER_PEER_COMM}},
        {"MPI_ERR_RANK",
         {DT_PARAMETER_DESTINATION, DT_PARAMETER_SOURCE, DT_PARAMETER_TARGET, DT_PARAMETER_RANK, DT_PARAMETER_RANKS}},
        {"MPI_ERR_ROOT", {DT_PARAMETER_ROOT}},
        {"MPI_ERR_OP", {DT_PARAMETER_OPERATION, DT_PARAMETER_OPERATION_FREED}},
        {"MPI_ERR_WIN", {DT_PARAMETER_WINDOW, DT_PARAMETER_WINDOW_FREED}},
        {"MPI_ERR_GROUP", {DT_PARAMETER_GROUP, DT_PARAMETER_GROUP_FREED}},
        {"MPI_ERR_REQUEST",
         {DT_PARAMETER_REQUEST, DT_PARAMETER_REQUEST_AT, DT_PARAMETER_REQUEST_FREED, DT_PARAMETER_REQUESTS}},
        {"MPI_ERR_FILE", {DT_PARAMETER_FILE, DT_PARAMETER_FILE_FREED}},
        {"MPI_ERR_RMA_RANGE", {DT_PARAMETER_WINDOW}},
        {"MPI_ERR_RMA_SYNC", {DT_PARAMETER_WINDOW, DT_PARAMETER_WINDOW_FREED}},
        {"MPI_ERR_RMA_CONFLICT", {DT_PARAMETER_WINDOW}},
    };
    for (unsigned i = 0; i < sizeof classes / sizeof *classes; i++) {
        if (strcmp(classes[i].name, error_class) != 0)
            continue;
        for (unsigned k = 0; k < MOST_KINDS && classes[i].kinds[k]; k++)
            if (dt_call_has(call, classes[i].kinds[k]))
                return true;
        return false;
    }
    return true;
}
