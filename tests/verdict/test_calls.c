/*
 * What calls mean.
 */
#include "verdict/observed/calls.h"

static void test_blocking(void)
{
    const char *blocking[] = {"MPI_Recv",
                              "MPI_Send",
                              "MPI_Ssend",
                              "MPI_Wait",
                              "MPI_Waitall",
                              "MPI_Waitany",
                              "MPI_Probe",
                              "MPI_Sendrecv",
                              "MPI_Allreduce",
                              "MPI_Barrier",
                              "MPI_Bcast",
                              "MPI_Init",
                              "MPI_Init_thread",
                              "MPI_Finalize",
                              "MPI_Comm_split",
                              "pthread_join",
                              "pthread_mutex_lock",
                              "pthread_cond_wait",
                              "pthread_barrier_wait",
                              "GOMP_barrier",
                              "GOMP_critical_start",
                              "GOMP_parallel",
                              "GOMP_parallel_loop_static",
                              "__kmpc_barrier",
                              "MPI_Mrecv",
                              "MPI_Send_c",
                              "MPI_File_write_all",
                              "MPI_File_write_ordered",
                              "pthread_mutex_clocklock",
                              "pthread_rwlock_timedrdlock",
                              "pthread_rwlock_timedwrlock",
                              "sem_wait"};
    const char *others[] = {"MPI_Isend",
                            "MPI_Irecv",
                            "MPI_Ibarrier",
                            "MPI_Iallreduce",
                            "MPI_Test",
                            "MPI_Iprobe",
                            "MPI_Abort",
                            "pthread_mutex_unlock",
                            "pthread_create",
                            "MPI_Comm_rank",
                            "main",
                            "solve",
                            "pthread_mutex_trylock",
                            "abort",
                            "Recv",
                            "GOMP_critical_end"};
    for (guint i = 0; i < G_N_ELEMENTS(blocking); i++)
        g_assert_true(dt_is_blocking_call(blocking[i]));
    for (guint i = 0; i < G_N_ELEMENTS(others); i++)
        g_assert_false(dt_is_blocking_call(others[i]));
}

static void test_ending(void)
{
    const char *endings[] = {"abort",
                             "exit",
                             "raise",
                             "__assert_fail",
                             "MPI_Abort",
                             "_exit",
                             "__chk_fail",
                             "_gfortran_stop_string",
                             "_gfortran_os_error",
                             "std::terminate()"};
    const char *others[] = {"MPI_Finalize", "main", "pthread_exit", "myexit", "atexit"};
    for (guint i = 0; i < G_N_ELEMENTS(endings); i++)
        g_assert_true(dt_is_ending_call(endings[i]));
    for (guint i = 0; i < G_N_ELEMENTS(others); i++)
        g_assert_false(dt_is_ending_call(others[i]));
}

static void test_library(void)
{
    const char *calls[] = {"MPI_Send", "pthread_create", "GOMP_barrier", "omp_get_thread_num", "__kmpc_fork_call"};
    const char *others[] = {"main", "PMPI", "ompi_init", "memcpy", "xMPI_Send"};
    for (guint i = 0; i < G_N_ELEMENTS(calls); i++)
        g_assert_true(dt_is_library_call(calls[i]));
    for (guint i = 0; i < G_N_ELEMENTS(others); i++)
        g_assert_false(dt_is_library_call(others[i]));
}

static void test_kinds(void)
{
    g_assert_cmpuint(dt_call_kind("main"), ==, 0);
    g_assert_cmpuint(dt_call_kind("malloc"), ==, DT_KIND_AUXILIARY | DT_KIND_MEMORY);
    g_assert_cmpuint(dt_call_kind("strlen"), ==, DT_KIND_AUXILIARY);
    g_assert_cmpuint(dt_call_kind("MPI_Abort"), ==, DT_KIND_LIBRARY | DT_KIND_MPI | DT_KIND_ENDING);
    g_assert_cmpuint(dt_call_kind("MPI_Testall"), ==, DT_KIND_LIBRARY | DT_KIND_MPI | DT_KIND_POLLING | DT_KIND_LUCKY);
    g_assert_cmpuint(dt_call_kind("sched_yield"), ==, DT_KIND_POLLING);
    g_assert_cmpuint(dt_call_kind("pthread_join"), ==, DT_KIND_LIBRARY | DT_KIND_BLOCKING | DT_KIND_JOINING);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/rank/calls/blocking", test_blocking);
    g_test_add_func("/rank/calls/ending", test_ending);
    g_test_add_func("/rank/calls/library", test_library);
    g_test_add_func("/rank/calls/kinds", test_kinds);
    return g_test_run();
}
