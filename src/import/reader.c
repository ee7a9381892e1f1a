/* Processes and functions of formats that say little of them. */
#include "import/reader.h"

#include <string.h>

#include "calls/calls.h"

/* How it ended is not known; that its traces are whole means that it ended by itself. */
DtProcessWriter *dt_import_process(DtRunWriter *run, const DtProcessIdentity *identity)
{
    DtProcessWriter *process = dt_run_writer_process(run);
    struct dt_file_header *header = dt_process_writer_header(process);
    header->rank = identity->rank;
    header->pid = identity->pid;
    /* By which labels go: processes beside a rank are not it, and come in their order. */
    header->flags = identity->beside > 0 ? DT_FILE_FORKED : 0u;
    header->start_realtime_ns += (guint64)identity->beside << 32;
    g_strlcpy(header->host, identity->host, sizeof(header->host));
    g_strlcpy(header->executable, identity->executable, sizeof(header->executable));
    return process;
}

void dt_import_cut(DtProcessWriter *process)
{
    dt_process_writer_header(process)->end_state = DT_PROCESS_RUNNING;
}

gboolean dt_is_api_name(const char *name)
{
    enum dt_call_class call_class = dt_call_class(name);
    return call_class == DT_CALL_MPI || call_class == DT_CALL_OPENMP || call_class == DT_CALL_PTHREAD ||
           g_str_has_prefix(name, "mpi_") || g_str_has_prefix(name, "pmpi_");
}

guint32 dt_import_function(DtProcessWriter *process, const char *image_path, const char *name)
{
    DtImageWriter *image = dt_process_writer_image(process, image_path, 0);
    gboolean import = g_str_has_suffix(name, "@plt") && strlen(name) > 4;
    g_autofree char *plain = import ? g_strndup(name, strlen(name) - 4) : g_strdup(name);
    guint32 flags = (import ? DT_FUNCTION_IMPORT : 0u) | (dt_is_api_name(plain) ? DT_FUNCTION_API : 0u);
    if (g_str_has_prefix(plain, "MPI_Init"))
        dt_process_writer_header(process)->flags |= DT_FILE_MPI_INITIALISED;
    if (g_str_equal(plain, "MPI_Finalize"))
        dt_process_writer_header(process)->flags |= DT_FILE_MPI_FINALIZED;
    return dt_process_writer_function(process, image, dt_image_writer_symbol(image, plain, 0, 0, flags), flags);
}
