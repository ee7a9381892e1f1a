/*
 * Tables of the calls whose meaning the ranking knows: those of libraries, those
 * that wait, poll, or end the process.
 */
#include "verdict/calls.h"

#include <string.h>

static const char *const library_prefixes[] = {"MPI_", "pthread_", "GOMP_", "omp_", "__kmpc_", NULL};

static const char *const mpi_blocking[] = {"Recv",
                                           "Mrecv",
                                           "Send",
                                           "Ssend",
                                           "Bsend",
                                           "Rsend",
                                           "Sendrecv",
                                           "Sendrecv_replace",
                                           "Wait",
                                           "Waitall",
                                           "Waitany",
                                           "Waitsome",
                                           "Probe",
                                           "Mprobe",
                                           "Barrier",
                                           "Bcast",
                                           "Gather",
                                           "Gatherv",
                                           "Scatter",
                                           "Scatterv",
                                           "Allgather",
                                           "Allgatherv",
                                           "Alltoall",
                                           "Alltoallv",
                                           "Alltoallw",
                                           "Reduce",
                                           "Allreduce",
                                           "Reduce_scatter",
                                           "Reduce_scatter_block",
                                           "Scan",
                                           "Exscan",
                                           "Neighbor_allgather",
                                           "Neighbor_allgatherv",
                                           "Neighbor_alltoall",
                                           "Neighbor_alltoallv",
                                           "Neighbor_alltoallw",
                                           "Init",
                                           "Init_thread",
                                           "Finalize",
                                           "Comm_split",
                                           "Comm_split_type",
                                           "Comm_dup",
                                           "Comm_dup_with_info",
                                           "Comm_create",
                                           "Comm_create_group",
                                           "Comm_free",
                                           "Comm_accept",
                                           "Comm_connect",
                                           "Comm_disconnect",
                                           "Comm_spawn",
                                           "Comm_spawn_multiple",
                                           "Intercomm_create",
                                           "Intercomm_merge",
                                           "Cart_create",
                                           "Cart_sub",
                                           "Graph_create",
                                           "Dist_graph_create",
                                           "Dist_graph_create_adjacent",
                                           "Win_create",
                                           "Win_allocate",
                                           "Win_allocate_shared",
                                           "Win_create_dynamic",
                                           "Win_free",
                                           "Win_fence",
                                           "Win_start",
                                           "Win_complete",
                                           "Win_wait",
                                           "Win_lock",
                                           "Win_lock_all",
                                           "Win_unlock",
                                           "Win_unlock_all",
                                           "Win_flush",
                                           "Win_flush_all",
                                           "File_open",
                                           "File_close",
                                           "File_read_all",
                                           "File_write_all",
                                           "File_read_at_all",
                                           "File_write_at_all",
                                           "File_set_view",
                                           NULL};

static const char *const thread_blocking[] = {"pthread_mutex_lock",
                                              "pthread_mutex_timedlock",
                                              "pthread_rwlock_rdlock",
                                              "pthread_rwlock_wrlock",
                                              "pthread_spin_lock",
                                              "pthread_cond_wait",
                                              "pthread_cond_timedwait",
                                              "pthread_cond_clockwait",
                                              "pthread_barrier_wait",
                                              "sem_wait",
                                              "sem_timedwait",
                                              "GOMP_barrier",
                                              "GOMP_barrier_cancel",
                                              "GOMP_critical_start",
                                              "GOMP_critical_name_start",
                                              "GOMP_atomic_start",
                                              "GOMP_ordered_start",
                                              "GOMP_single_copy_start",
                                              "GOMP_taskwait",
                                              "GOMP_taskgroup_end",
                                              "GOMP_loop_end",
                                              "GOMP_loop_end_cancel",
                                              "GOMP_sections_end",
                                              "GOMP_sections_end_cancel",
                                              "GOMP_doacross_wait",
                                              "omp_set_lock",
                                              "omp_set_nest_lock",
                                              "__kmpc_barrier",
                                              "__kmpc_critical",
                                              "__kmpc_critical_with_hint",
                                              "__kmpc_ordered",
                                              "__kmpc_set_lock",
                                              "__kmpc_set_nest_lock",
                                              "__kmpc_omp_taskwait",
                                              "__kmpc_end_taskgroup",
                                              "__kmpc_reduce",
                                              "__kmpc_cancel_barrier",
                                              "__kmpc_doacross_wait",
                                              NULL};

/* These run the region themselves: they wait only when nothing is open inside. */
static const char *const joins[] = {"pthread_join",         "pthread_timedjoin_np", "pthread_tryjoin_np",
                                    "pthread_clockjoin_np", "GOMP_parallel",        "GOMP_parallel_end",
                                    "GOMP_parallel_start",  "GOMP_teams_reg",       "__kmpc_fork_call",
                                    "__kmpc_fork_teams",    "__kmpc_join_barrier",  NULL};
static const char *const join_prefixes[] = {"GOMP_parallel_loop_", "GOMP_parallel_sections", "GOMP_parallel_reductions",
                                            NULL};

static const char *const polls[] = {"MPI_Iprobe",
                                    "MPI_Improbe",
                                    "MPI_Test",
                                    "MPI_Testall",
                                    "MPI_Testany",
                                    "MPI_Testsome",
                                    "MPI_Test_cancelled",
                                    "MPI_Request_get_status",
                                    "MPI_Win_test",
                                    "pthread_mutex_trylock",
                                    "pthread_rwlock_tryrdlock",
                                    "pthread_rwlock_trywrlock",
                                    "pthread_spin_trylock",
                                    "pthread_yield",
                                    "pthread_tryjoin_np",
                                    "sem_trywait",
                                    "omp_test_lock",
                                    "omp_test_nest_lock",
                                    "__kmpc_test_lock",
                                    "__kmpc_test_nest_lock",
                                    "sched_yield",
                                    "usleep",
                                    "nanosleep",
                                    "clock_nanosleep",
                                    "sleep",
                                    "MPI_Wtime",
                                    "omp_get_wtime",
                                    "clock_gettime",
                                    "gettimeofday",
                                    "GOMP_taskyield",
                                    "__kmpc_omp_taskyield",
                                    NULL};

static const char *const lucky[] = {"MPI_Waitany",
                                    "MPI_Waitsome",
                                    "GOMP_loop_dynamic_next",
                                    "GOMP_loop_guided_next",
                                    "GOMP_loop_nonmonotonic_dynamic_next",
                                    "GOMP_loop_nonmonotonic_guided_next",
                                    "GOMP_sections_next",
                                    "GOMP_single_start",
                                    "__kmpc_dispatch_next_4",
                                    "__kmpc_dispatch_next_8",
                                    "__kmpc_single",
                                    NULL};

static const char *const endings[] = {"abort",
                                      "exit",
                                      "_exit",
                                      "_Exit",
                                      "quick_exit",
                                      "raise",
                                      "__assert_fail",
                                      "__assert_perror_fail",
                                      "__assert",
                                      "__stack_chk_fail",
                                      "__chk_fail",
                                      "__fortify_fail",
                                      "std::terminate()",
                                      "std::terminate",
                                      "_ZSt9terminatev",
                                      "_gfortran_stop_string",
                                      "_gfortran_stop_numeric",
                                      "_gfortran_error_stop_string",
                                      "_gfortran_error_stop_numeric",
                                      "_gfortran_runtime_error",
                                      "MPI_Abort",
                                      NULL};

static gboolean has_prefix_of(const char *function, const char *const *prefixes)
{
    for (; *prefixes; ++prefixes) {
        if (g_str_has_prefix(function, *prefixes))
            return TRUE;
    }
    return FALSE;
}

static gboolean is_one_of(const char *function, const char *const *names)
{
    for (; *names; ++names) {
        if (strcmp(function, *names) == 0)
            return TRUE;
    }
    return FALSE;
}

static gboolean is_join(const char *function)
{
    return is_one_of(function, joins) || has_prefix_of(function, join_prefixes);
}

gboolean dt_is_library_call(const char *function)
{
    return has_prefix_of(function, library_prefixes);
}

gboolean dt_is_blocking_call(const char *function)
{
    if (g_str_has_prefix(function, "MPI_"))
        return is_one_of(function + strlen("MPI_"), mpi_blocking);
    if (is_one_of(function, polls))
        return FALSE;
    return is_one_of(function, thread_blocking) || is_join(function);
}

gboolean dt_is_ending_call(const char *function)
{
    return is_one_of(function, endings);
}

/* "sched_yield" of "sched_yield@plt", as calls from images into others are named. */
static char *bare_name(const char *function)
{
    gsize length = strlen(function) - (g_str_has_suffix(function, "@plt") ? strlen("@plt") : 0);
    return g_strndup(function, length);
}

guint dt_call_kind(const char *name)
{
    g_autofree char *function = bare_name(name);
    guint kind = 0;
    kind |= dt_is_library_call(function) ? DT_CALL_LIBRARY : 0;
    kind |= g_str_has_prefix(function, "MPI_") ? DT_CALL_MPI : 0;
    kind |= is_one_of(function, polls) ? DT_CALL_POLL : 0;
    kind |= dt_is_blocking_call(function) ? DT_CALL_BLOCKING : 0;
    kind |= dt_is_ending_call(function) ? DT_CALL_ENDING : 0;
    kind |= is_join(function) ? DT_CALL_JOIN : 0;
    kind |= is_one_of(function, lucky) ? DT_CALL_LUCK : 0;
    return kind;
}

static gboolean receives_from_anybody(const DtSignature *signature)
{
    for (guint i = 0; signature && i < signature->argument_count; ++i) {
        const DtArgument *argument = &signature->arguments[i];
        if (argument->kind == DT_ARGUMENT_FROM && argument->special == DT_SPECIAL_ANY)
            return TRUE;
    }
    return FALSE;
}

guint8 *dt_call_kinds(const DtFunctions *functions)
{
    guint32 count = dt_functions_count(functions);
    guint8 *kinds = g_new0(guint8, (gsize)count + 1);
    for (guint32 id = 1; id <= count; ++id) {
        kinds[id] = (guint8)dt_call_kind(dt_functions_get(functions, dt_functions_base(functions, id))->name);
        if (receives_from_anybody(dt_functions_get(functions, id)->signature))
            kinds[id] |= DT_CALL_LUCK;
    }
    return kinds;
}
