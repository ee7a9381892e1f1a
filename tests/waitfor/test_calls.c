/* What calls mean to those who wait. */
#include "waitfor/calls.h"

typedef struct {
    DtRole role;
    const char *functions[13];
} Expected;

static const Expected expected[] = {
    {DT_ROLE_MESSAGE, {"MPI_Send", "MPI_Bsend", "MPI_Recv", "MPI_Sendrecv_replace", "MPI_Send_c"}},
    {DT_ROLE_POSTED, {"MPI_Isend", "MPI_Irsend", "MPI_Irecv", "MPI_Isendrecv"}},
    {DT_ROLE_PERSISTENT, {"MPI_Send_init", "MPI_Ssend_init", "MPI_Recv_init", "MPI_Recv_init_c"}},
    {DT_ROLE_START, {"MPI_Start", "MPI_Startall"}},
    {DT_ROLE_PROBE, {"MPI_Probe", "MPI_Mprobe"}},
    {DT_ROLE_TEST_PROBE, {"MPI_Iprobe", "MPI_Improbe"}},
    {DT_ROLE_REQUESTS, {"MPI_Wait", "MPI_Waitall"}},
    {DT_ROLE_ANY, {"MPI_Waitany", "MPI_Waitsome"}},
    {DT_ROLE_TEST, {"MPI_Test", "MPI_Testall", "MPI_Testany", "MPI_Testsome"}},
    {DT_ROLE_COLLECTIVE,
     {"MPI_Barrier", "MPI_Iallreduce", "MPI_Bcast_init", "MPI_Ineighbor_alltoallw", "MPI_Comm_split", "MPI_Comm_idup",
      "MPI_Comm_free", "MPI_Win_fence", "MPI_Win_free", "MPI_Cart_sub", "MPI_File_open", "MPI_Intercomm_merge"}},
    {DT_ROLE_WINDOW_MADE, {"MPI_Win_create", "MPI_Win_allocate", "MPI_Win_allocate_shared", "MPI_Win_create_dynamic"}},
    {DT_ROLE_FINALIZE, {"MPI_Finalize", "PMPI_Finalize"}},
    {DT_ROLE_ACQUIRE,
     {"pthread_mutex_lock", "pthread_mutex_clocklock", "pthread_mutex_trylock", "pthread_rwlock_timedwrlock",
      "pthread_rwlock_clockrdlock", "pthread_spin_lock", "omp_set_lock", "omp_test_lock", "GOMP_critical_start",
      "__kmpc_critical", "__kmpc_test_lock"}},
    {DT_ROLE_RELEASE, {"pthread_mutex_unlock", "omp_unset_lock", "GOMP_critical_name_end", "__kmpc_end_critical"}},
    {DT_ROLE_CONDITION, {"pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_clockwait"}},
    {DT_ROLE_OTHER_WAIT,
     {"MPI_Init", "MPI_Mrecv", "MPI_Comm_create_group", "MPI_Comm_spawn", "MPI_Win_wait", "MPI_Win_lock",
      "MPI_Intercomm_create", "MPI_File_close", "MPI_File_write_all", "MPI_File_read_ordered_end"}},
    {DT_ROLE_OTHER_WAIT,
     {"pthread_join", "pthread_clockjoin_np", "pthread_barrier_wait", "sem_wait", "GOMP_parallel", "GOMP_ordered_start",
      "GOMP_parallel_loop_static", "GOMP_taskgroup_end", "__kmpc_fork_call", "__kmpc_reduce", "__kmpc_end_taskgroup"}},
    {DT_ROLE_NONE,
     {"main", "MPI_Comm_rank", "MPI_Psend_init", "MPI_Imrecv", "MPI_File_write", "MPI_Put", "MPI_Abort",
      "pthread_create", "pthread_tryjoin_np", "pthread_cond_signal", "GOMP_single_start"}},
};

static void test_roles(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(expected); i++) {
        const Expected *of = &expected[i];
        for (guint j = 0; j < G_N_ELEMENTS(of->functions) && of->functions[j]; j++)
            if (dt_role_of(of->functions[j]) != of->role)
                g_error("%s: %d", of->functions[j], dt_role_of(of->functions[j]));
    }
}

static void test_messages_that_are_not_counted(void)
{
    g_assert_true(dt_hides_messages("MPI_Mprobe"));
    g_assert_true(dt_hides_messages("MPI_Precv_init"));
    g_assert_false(dt_hides_messages("MPI_Recv_init"));
    g_assert_false(dt_hides_messages("MPI_Irecv"));
    g_assert_false(dt_hides_messages("MPI_Bcast_init"));
}

/* Calls whose members may give or get different amounts are not compared. */
static void test_equal_counts(void)
{
    static const char *const equal[] = {"MPI_Bcast", "MPI_Gather", "MPI_Scatter", "MPI_Allreduce", "MPI_Alltoall"};
    static const char *const other[] = {"MPI_Gatherv",        "MPI_Scatterv",  "MPI_Allgatherv",
                                        "MPI_Reduce_scatter", "MPI_Alltoallw", "MPI_Neighbor_alltoall",
                                        "MPI_Barrier",        "MPI_Send"};
    for (guint i = 0; i < G_N_ELEMENTS(equal); i++)
        if (!dt_has_equal_counts(equal[i]))
            g_error("%s", equal[i]);
    for (guint i = 0; i < G_N_ELEMENTS(other); i++)
        if (dt_has_equal_counts(other[i]))
            g_error("%s", other[i]);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/waitfor/calls/roles", test_roles);
    g_test_add_func("/waitfor/calls/not-counted", test_messages_that_are_not_counted);
    g_test_add_func("/waitfor/calls/equal-counts", test_equal_counts);
    return g_test_run();
}
