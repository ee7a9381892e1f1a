#include "decoder/mpi_errors.h"

typedef enum { OTHER_MPI, OPEN_MPI, MPICH } Implementation;

static Implementation implementation_of(const DtRun *run, const DtProcess *process)
{
    const GPtrArray *images = dt_run_images(run, process);
    for (guint i = 0; images && i < images->len; i++) {
        g_autofree char *name = g_path_get_basename(((const DtImage *)images->pdata[i])->path);
        if (g_str_has_prefix(name, "libmpich") || g_str_equal(name, "libmpi.so.12"))
            return MPICH;
        if (g_str_has_prefix(name, "libmpi.so"))
            return OPEN_MPI;
    }
    return OTHER_MPI;
}

const char *dt_mpi_error_name(const DtRun *run, const DtProcess *process, gint error_class)
{
    static const char *const of_open_mpi[] = {
        [1] = "MPI_ERR_BUFFER",
        [2] = "MPI_ERR_COUNT",
        [3] = "MPI_ERR_TYPE",
        [4] = "MPI_ERR_TAG",
        [5] = "MPI_ERR_COMM",
        [6] = "MPI_ERR_RANK",
        [7] = "MPI_ERR_REQUEST",
        [8] = "MPI_ERR_ROOT",
        [9] = "MPI_ERR_GROUP",
        [10] = "MPI_ERR_OP",
        [11] = "MPI_ERR_TOPOLOGY",
        [12] = "MPI_ERR_DIMS",
        [13] = "MPI_ERR_ARG",
        [14] = "MPI_ERR_UNKNOWN",
        [15] = "MPI_ERR_TRUNCATE",
        [16] = "MPI_ERR_OTHER",
        [17] = "MPI_ERR_INTERN",
        [18] = "MPI_ERR_IN_STATUS",
        [19] = "MPI_ERR_PENDING",
        [20] = "MPI_ERR_ACCESS",
        [21] = "MPI_ERR_AMODE",
        [22] = "MPI_ERR_ASSERT",
        [23] = "MPI_ERR_BAD_FILE",
        [24] = "MPI_ERR_BASE",
        [25] = "MPI_ERR_CONVERSION",
        [26] = "MPI_ERR_DISP",
        [27] = "MPI_ERR_DUP_DATAREP",
        [28] = "MPI_ERR_FILE_EXISTS",
        [29] = "MPI_ERR_FILE_IN_USE",
        [30] = "MPI_ERR_FILE",
        [31] = "MPI_ERR_INFO_KEY",
        [32] = "MPI_ERR_INFO_NOKEY",
        [33] = "MPI_ERR_INFO_VALUE",
        [34] = "MPI_ERR_INFO",
        [35] = "MPI_ERR_IO",
        [36] = "MPI_ERR_KEYVAL",
        [37] = "MPI_ERR_LOCKTYPE",
        [38] = "MPI_ERR_NAME",
        [39] = "MPI_ERR_NO_MEM",
        [40] = "MPI_ERR_NOT_SAME",
        [41] = "MPI_ERR_NO_SPACE",
        [42] = "MPI_ERR_NO_SUCH_FILE",
        [43] = "MPI_ERR_PORT",
        [44] = "MPI_ERR_QUOTA",
        [45] = "MPI_ERR_READ_ONLY",
        [46] = "MPI_ERR_RMA_CONFLICT",
        [47] = "MPI_ERR_RMA_SYNC",
        [48] = "MPI_ERR_SERVICE",
        [49] = "MPI_ERR_SIZE",
        [50] = "MPI_ERR_SPAWN",
        [51] = "MPI_ERR_UNSUPPORTED_DATAREP",
        [52] = "MPI_ERR_UNSUPPORTED_OPERATION",
        [53] = "MPI_ERR_WIN",
        [68] = "MPI_ERR_RMA_RANGE",
        [69] = "MPI_ERR_RMA_ATTACH",
        [70] = "MPI_ERR_RMA_FLAVOR",
        [71] = "MPI_ERR_RMA_SHARED",
    };
    static const char *const of_mpich[] = {
        [0] = "MPI_ERR_LASTCODE",
        [1] = "MPI_ERR_BUFFER",
        [2] = "MPI_ERR_COUNT",
        [3] = "MPI_ERR_TYPE",
        [4] = "MPI_ERR_TAG",
        [5] = "MPI_ERR_COMM",
        [6] = "MPI_ERR_RANK",
        [7] = "MPI_ERR_ROOT",
        [8] = "MPI_ERR_GROUP",
        [9] = "MPI_ERR_OP",
        [10] = "MPI_ERR_TOPOLOGY",
        [11] = "MPI_ERR_DIMS",
        [12] = "MPI_ERR_ARG",
        [13] = "MPI_ERR_UNKNOWN",
        [14] = "MPI_ERR_TRUNCATE",
        [15] = "MPI_ERR_OTHER",
        [16] = "MPI_ERR_INTERN",
        [17] = "MPI_ERR_IN_STATUS",
        [18] = "MPI_ERR_PENDING",
        [19] = "MPI_ERR_REQUEST",
        [20] = "MPI_ERR_ACCESS",
        [21] = "MPI_ERR_AMODE",
        [22] = "MPI_ERR_BAD_FILE",
        [23] = "MPI_ERR_CONVERSION",
        [24] = "MPI_ERR_DUP_DATAREP",
        [25] = "MPI_ERR_FILE_EXISTS",
        [26] = "MPI_ERR_FILE_IN_USE",
        [27] = "MPI_ERR_FILE",
        [28] = "MPI_ERR_INFO",
        [29] = "MPI_ERR_INFO_KEY",
        [30] = "MPI_ERR_INFO_VALUE",
        [31] = "MPI_ERR_INFO_NOKEY",
        [32] = "MPI_ERR_IO",
        [33] = "MPI_ERR_NAME",
        [34] = "MPI_ERR_NO_MEM",
        [35] = "MPI_ERR_NOT_SAME",
        [36] = "MPI_ERR_NO_SPACE",
        [37] = "MPI_ERR_NO_SUCH_FILE",
        [38] = "MPI_ERR_PORT",
        [39] = "MPI_ERR_QUOTA",
        [40] = "MPI_ERR_READ_ONLY",
        [41] = "MPI_ERR_SERVICE",
        [42] = "MPI_ERR_SPAWN",
        [43] = "MPI_ERR_UNSUPPORTED_DATAREP",
        [44] = "MPI_ERR_UNSUPPORTED_OPERATION",
        [45] = "MPI_ERR_WIN",
        [46] = "MPI_ERR_BASE",
        [47] = "MPI_ERR_LOCKTYPE",
        [48] = "MPI_ERR_KEYVAL",
        [49] = "MPI_ERR_RMA_CONFLICT",
        [50] = "MPI_ERR_RMA_SYNC",
        [51] = "MPI_ERR_SIZE",
        [52] = "MPI_ERR_DISP",
        [53] = "MPI_ERR_ASSERT",
        [55] = "MPI_ERR_RMA_RANGE",
        [56] = "MPI_ERR_RMA_ATTACH",
        [57] = "MPI_ERR_RMA_SHARED",
        [58] = "MPI_ERR_RMA_FLAVOR",
        [75] = "MPI_ERR_SESSION",
        [76] = "MPI_ERR_PROC_ABORTED",
        [77] = "MPI_ERR_VALUE_TOO_LARGE",
    };
    switch (error_class > 0 ? implementation_of(run, process) : OTHER_MPI) {
    case OPEN_MPI:
        return error_class < (gint)G_N_ELEMENTS(of_open_mpi) ? of_open_mpi[error_class] : NULL;
    case MPICH:
        return error_class < (gint)G_N_ELEMENTS(of_mpich) ? of_mpich[error_class] : NULL;
    case OTHER_MPI:
        break;
    }
    return NULL;
}
