/* Which MPI the process uses. Told by symbols, at the end of MPI_Init: we are built without any MPI's header. */
#include <dlfcn.h>

#include "native/arguments/payload.h"
#include "record/loaded_images.h"
#include "record/signatures.h"

struct dt_mpi dt_mpi;
int dt_mpi_required_level = -1;

/* The program's scope first: Open MPI's predefined objects may be copies in the executable. */
static void *find_mpi_function(void *library, const char *name)
{
    void *found = dlsym(RTLD_DEFAULT, name);
    return found || !library ? found : dlsym(library, name);
}

static uint64_t address(void *library, const char *name)
{
    return (uint64_t)find_mpi_function(library, name);
}

/* ---- constants ------------------------------------------------------------------------------- */

static void use_open_mpi(struct dt_mpi *mpi, void *library)
{
    static const char *const operations[] = {
        NULL,
        "ompi_mpi_op_max",
        "ompi_mpi_op_min",
        "ompi_mpi_op_sum",
        "ompi_mpi_op_prod",
        "ompi_mpi_op_land",
        "ompi_mpi_op_band",
        "ompi_mpi_op_lor",
        "ompi_mpi_op_bor",
        "ompi_mpi_op_lxor",
        "ompi_mpi_op_bxor",
        "ompi_mpi_op_minloc",
        "ompi_mpi_op_maxloc",
        "ompi_mpi_op_replace",
        "ompi_mpi_op_no_op",
    };
    for (int i = DT_OPERATION_MAX; i <= DT_OPERATION_NO_OP; i++)
        mpi->operations[i] = address(library, operations[i]);
    mpi->handles_are_pointers = true;
    mpi->world = address(library, "ompi_mpi_comm_world");
    mpi->self = address(library, "ompi_mpi_comm_self");
    mpi->no_communicator = address(library, "ompi_mpi_comm_null");
    mpi->no_request = address(library, "ompi_request_null");
    mpi->no_datatype = address(library, "ompi_mpi_datatype_null");
    mpi->any_source = -1;
    mpi->proc_null = -2;
    mpi->root = -4;
    mpi->in_place = 1;
    mpi->ignored_status = 0;
    mpi->source_place = 0;
    mpi->tag_place = 1;
    mpi->status_ints = 6;
    mpi->no_group = address(library, "ompi_mpi_group_null");
    mpi->lock_exclusive = 1;
    mpi->lock_shared = 2;
    for (int i = 0; i < DT_ASSERTIONS; i++)
        mpi->assertions[i] = 1 << i;
    mpi->cartesian = 1;
    mpi->graph = 2;
    mpi->distributed_graph = 3;
}

/* MPICH and its descendants have had one binary interface since version 3.1. */
static void use_mpich(struct dt_mpi *mpi)
{
    for (uint64_t i = DT_OPERATION_MAX; i <= DT_OPERATION_NO_OP; i++)
        mpi->operations[i] = 0x58000000 + i;
    mpi->world = 0x44000000;
    mpi->self = 0x44000001;
    mpi->no_communicator = 0x04000000;
    mpi->no_request = 0x2c000000;
    mpi->no_datatype = 0x0c000000;
    mpi->any_source = -2;
    mpi->proc_null = -1;
    mpi->root = -3;
    mpi->in_place = UINT64_MAX;
    mpi->ignored_status = 1;
    mpi->source_place = 2;
    mpi->tag_place = 3;
    mpi->status_ints = 5;
    mpi->no_group = 0x08000000;
    mpi->lock_exclusive = 234;
    mpi->lock_shared = 235;
    static const int assertions[DT_ASSERTIONS] = {1024, 8192, 4096, 2048, 16384};
    for (int i = 0; i < DT_ASSERTIONS; i++)
        mpi->assertions[i] = assertions[i];
    mpi->graph = 1;
    mpi->cartesian = 2;
    mpi->distributed_graph = 3;
}

static bool find_constants(struct dt_mpi *mpi, void *library)
{
    if (find_mpi_function(library, "ompi_mpi_comm_world"))
        use_open_mpi(mpi, library);
    else if (find_mpi_function(library, "MPII_Comm_get_attr") || find_mpi_function(library, "MPIR_CommGetAttr"))
        use_mpich(mpi);
    else
        return false;
    return true;
}

/* ---- functions ------------------------------------------------------------------------------- */

bool dt_mpi_function(void *library, const char *name, void *to)
{
    void *function = find_mpi_function(library, name);
    memcpy(to, &function, sizeof function);
    return function != NULL;
}

static bool find_functions(struct dt_mpi *mpi, void *library)
{
    return dt_mpi_function(library, "PMPI_Comm_rank", &mpi->comm_rank) &&
           dt_mpi_function(library, "PMPI_Comm_size", &mpi->comm_size) &&
           dt_mpi_function(library, "PMPI_Comm_test_inter", &mpi->comm_test_inter) &&
           dt_mpi_function(library, "PMPI_Comm_remote_size", &mpi->comm_remote_size) &&
           dt_mpi_function(library, "PMPI_Comm_group", &mpi->comm_group) &&
           dt_mpi_function(library, "PMPI_Comm_remote_group", &mpi->comm_remote_group) &&
           dt_mpi_function(library, "PMPI_Group_translate_ranks", &mpi->group_translate_ranks) &&
           dt_mpi_function(library, "PMPI_Group_free", &mpi->group_free) &&
           dt_mpi_function(library, "PMPI_Type_size_x", &mpi->type_size_x) &&
           dt_mpi_function(library, "PMPI_Type_get_name", &mpi->type_get_name) &&
           dt_mpi_function(library, "PMPI_Error_class", &mpi->error_class) &&
           dt_mpi_function(library, "PMPI_Group_size", &mpi->group_size) &&
           dt_mpi_function(library, "PMPI_Topo_test", &mpi->topo_test) &&
           dt_mpi_function(library, "PMPI_Cartdim_get", &mpi->cartdim_get) &&
           dt_mpi_function(library, "PMPI_Graph_neighbors_count", &mpi->graph_neighbors_count) &&
           dt_mpi_function(library, "PMPI_Dist_graph_neighbors_count", &mpi->dist_graph_neighbors_count) &&
           dt_mpi_function(library, "PMPI_Query_thread", &mpi->query_thread);
}

/* dlerror() is the program's: it is asked, and with that emptied, only where something was not found. */
void dt_mpi_initialised(uint32_t image)
{
    struct dt_mpi mpi = {0};
    const char *path = dt_image_path(image);
    void *library = path ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (find_constants(&mpi, library) && find_functions(&mpi, library)) {
        dt_mpi_function(library, "PMPI_Comm_get_parent", &mpi.comm_get_parent);
        dt_mpi = mpi;
        if (dt_process.options.payload)
            dt_payload_initialised(library);
        dt_compiler_barrier();
        dt_mpi.ready = true;
    }
    dlerror();
    if (library)
        dlclose(library);
}

void dt_mpi_finalizing(void)
{
    dt_mpi.ready = false;
    dt_signatures_changed(); /* no cached call is valid any more */
}

/* Of Open MPI's errors the first are classes; asked about a number that is none (one that a callback of the program has
 * returned, say) it ends the program. */
int dt_mpi_error_class(int error)
{
    int class = error;
    if (dt_mpi.handles_are_pointers)
        return error;
    return dt_mpi.error_class(error, &class) == 0 ? class : error;
}

/* ---- handles --------------------------------------------------------------------------------- */

/* MPICH's handles tell their kind (0: none) and what they are of. */
static bool is_of(uint64_t handle, unsigned type)
{
    return (handle >> 30 & 3) != 0 && (handle >> 26 & 15) == type;
}

bool dt_mpi_is_communicator(uint64_t handle)
{
    if (dt_mpi.handles_are_pointers)
        return handle > 4096 && handle != dt_mpi.no_communicator;
    return is_of(handle, 1);
}

bool dt_mpi_is_datatype(uint64_t handle)
{
    if (dt_mpi.handles_are_pointers)
        return handle > 4096 && handle != dt_mpi.no_datatype;
    return is_of(handle, 3);
}

bool dt_mpi_is_group(uint64_t handle)
{
    if (dt_mpi.handles_are_pointers)
        return handle > 4096 && handle != dt_mpi.no_group;
    return is_of(handle, 2);
}
