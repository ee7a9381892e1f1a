#include "waitfor/calls.h"

#include <string.h>

typedef struct {
    DtRole role;
    const char *const *names;
} Names;

#define NAMES(...)                                                                                                     \
    (const char *const[])                                                                                              \
    {                                                                                                                  \
        __VA_ARGS__, NULL                                                                                              \
    }

static const Names mpi[] = {
    {DT_ROLE_MESSAGE, NAMES("Send", "Bsend", "Ssend", "Rsend", "Recv", "Sendrecv", "Sendrecv_replace")},
    {DT_ROLE_POSTED, NAMES("Isend", "Ibsend", "Issend", "Irsend", "Irecv", "Isendrecv", "Isendrecv_replace")},
    {DT_ROLE_PROBE, NAMES("Probe", "Mprobe")},
    {DT_ROLE_REQUESTS, NAMES("Wait", "Waitall")},
    {DT_ROLE_ANY, NAMES("Waitany", "Waitsome")},
    {DT_ROLE_TEST, NAMES("Test", "Testall", "Testany", "Testsome")},
    {DT_ROLE_TEST_PROBE, NAMES("Iprobe", "Improbe")},
    {DT_ROLE_COLLECTIVE,
     NAMES("Barrier", "Bcast", "Gather", "Gatherv", "Scatter", "Scatterv", "Allgather", "Allgatherv", "Alltoall",
           "Alltoallv", "Alltoallw", "Reduce", "Allreduce", "Reduce_scatter", "Reduce_scatter_block", "Scan", "Exscan",
           "Ibarrier", "Ibcast", "Igather", "Igatherv", "Iscatter", "Iscatterv", "Iallgather", "Iallgatherv",
           "Ialltoall", "Ialltoallv", "Ialltoallw", "Ireduce", "Iallreduce", "Ireduce_scatter", "Ireduce_scatter_block",
           "Iscan", "Iexscan", "Comm_dup", "Comm_dup_with_info", "Comm_split", "Comm_split_type", "Comm_create",
           "Cart_create", "Cart_sub", "Graph_create", "Dist_graph_create", "Dist_graph_create_adjacent", "Win_create",
           "Win_allocate", "Win_allocate_shared", "Win_create_dynamic", "Neighbor_allgather", "Neighbor_allgatherv",
           "Neighbor_alltoall", "Neighbor_alltoallv")},
    {DT_ROLE_OTHER_WAIT, NAMES("Init", "Init_thread", "Finalize", "Win_free", "Win_fence", "Win_start", "Win_complete",
                               "Win_wait", "Win_lock", "Win_unlock", "Win_lock_all", "Win_unlock_all", "Win_flush",
                               "Win_flush_all", "Comm_free", "Comm_disconnect", "Intercomm_create", "Intercomm_merge",
                               "Comm_create_group", "Comm_spawn", "Comm_accept", "Comm_connect")},
};

static const Names threads[] = {
    {DT_ROLE_ACQUIRE,
     NAMES("pthread_mutex_lock", "pthread_mutex_timedlock", "pthread_mutex_clocklock", "pthread_mutex_trylock",
           "pthread_rwlock_rdlock", "pthread_rwlock_wrlock", "pthread_rwlock_timedrdlock", "pthread_rwlock_timedwrlock",
           "pthread_rwlock_tryrdlock", "pthread_rwlock_trywrlock", "pthread_spin_lock", "pthread_spin_trylock",
           "omp_set_lock", "omp_set_nest_lock", "omp_test_lock", "omp_test_nest_lock", "GOMP_critical_start",
           "GOMP_critical_name_start", "__kmpc_critical", "__kmpc_critical_with_hint", "__kmpc_set_lock",
           "__kmpc_set_nest_lock")},
    {DT_ROLE_RELEASE, NAMES("pthread_mutex_unlock", "pthread_rwlock_unlock", "pthread_spin_unlock", "omp_unset_lock",
                            "omp_unset_nest_lock", "GOMP_critical_end", "GOMP_critical_name_end", "__kmpc_end_critical",
                            "__kmpc_unset_lock", "__kmpc_unset_nest_lock")},
    {DT_ROLE_CONDITION, NAMES("pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_clockwait")},
    {DT_ROLE_OTHER_WAIT, NAMES("pthread_join", "pthread_timedjoin_np", "pthread_barrier_wait", "sem_wait",
                               "sem_timedwait", "GOMP_barrier", "GOMP_taskwait", "GOMP_parallel", "GOMP_loop_end",
                               "GOMP_sections_end", "__kmpc_barrier", "__kmpc_omp_taskwait", "__kmpc_fork_call")},
};

static DtRole find(const Names *table, gsize rows, const char *name)
{
    for (gsize row = 0; row < rows; ++row) {
        for (const char *const *other = table[row].names; *other; ++other) {
            if (strcmp(name, *other) == 0)
                return table[row].role;
        }
    }
    return DT_ROLE_NONE;
}

DtRole dt_role_of(const char *function)
{
    if (g_str_has_prefix(function, "MPI_"))
        return find(mpi, G_N_ELEMENTS(mpi), function + strlen("MPI_"));
    return find(threads, G_N_ELEMENTS(threads), function);
}
