/* Which names the categories hold, and which they do not. */
#include <string.h>

#include "filters/filters.h"

/* Every name is in the category exactly if `expected`. */
static void assert_names(const char *category, const char *const *names, gboolean expected)
{
    for (; *names; names++) {
        if (dt_category_has(category, *names, 0) != expected)
            g_error("%s %s %s", category, expected ? "lacks" : "holds", *names);
        g_autofree char *import = g_strdup_printf("%s@plt", *names);
        g_assert_cmpint(dt_category_has(category, import, DT_FUNCTION_IMPORT), ==, expected);
    }
}

static void test_mpi(void)
{
    static const char *const in[] = {"MPI_Send", "MPI_Init_thread", "MPI_T_pvar_read", "MPI_Comm_f2c", NULL};
    static const char *const out[] = {"PMPI_Send", "mpi_send_",   "ompi_send", "MPIR_Init",
                                      "MPI",       "my_MPI_Send", "",          NULL};
    assert_names("mpiall", in, TRUE);
    assert_names("mpi", in, TRUE);
    assert_names("mpiall", out, FALSE);
    g_assert_true(dt_category_has("mpiall", "MPI_Send(dest=3, tag=1)", 0));
}

/* The functions of chapters 5 (collective communication) and 7.6, 7.7 (neighbourhoods) of MPI 3.1. */
static const char *const MPI_31_COLLECTIVES[] = {"MPI_Barrier",
                                                 "MPI_Bcast",
                                                 "MPI_Gather",
                                                 "MPI_Gatherv",
                                                 "MPI_Scatter",
                                                 "MPI_Scatterv",
                                                 "MPI_Allgather",
                                                 "MPI_Allgatherv",
                                                 "MPI_Alltoall",
                                                 "MPI_Alltoallv",
                                                 "MPI_Alltoallw",
                                                 "MPI_Reduce",
                                                 "MPI_Allreduce",
                                                 "MPI_Reduce_scatter_block",
                                                 "MPI_Reduce_scatter",
                                                 "MPI_Scan",
                                                 "MPI_Exscan",
                                                 "MPI_Ibarrier",
                                                 "MPI_Ibcast",
                                                 "MPI_Igather",
                                                 "MPI_Igatherv",
                                                 "MPI_Iscatter",
                                                 "MPI_Iscatterv",
                                                 "MPI_Iallgather",
                                                 "MPI_Iallgatherv",
                                                 "MPI_Ialltoall",
                                                 "MPI_Ialltoallv",
                                                 "MPI_Ialltoallw",
                                                 "MPI_Ireduce",
                                                 "MPI_Iallreduce",
                                                 "MPI_Ireduce_scatter_block",
                                                 "MPI_Ireduce_scatter",
                                                 "MPI_Iscan",
                                                 "MPI_Iexscan",
                                                 "MPI_Neighbor_allgather",
                                                 "MPI_Neighbor_allgatherv",
                                                 "MPI_Neighbor_alltoall",
                                                 "MPI_Neighbor_alltoallv",
                                                 "MPI_Neighbor_alltoallw",
                                                 "MPI_Ineighbor_allgather",
                                                 "MPI_Ineighbor_allgatherv",
                                                 "MPI_Ineighbor_alltoall",
                                                 "MPI_Ineighbor_alltoallv",
                                                 "MPI_Ineighbor_alltoallw",
                                                 NULL};

static void test_mpi_collectives(void)
{
    static const char *const mpi_4[] = {"MPI_Barrier_init",
                                        "MPI_Bcast_init",
                                        "MPI_Allreduce_init",
                                        "MPI_Reduce_scatter_block_init",
                                        "MPI_Neighbor_alltoallw_init",
                                        "MPI_Bcast_c",
                                        "MPI_Ibcast_c",
                                        "MPI_Allgatherv_c",
                                        "MPI_Ineighbor_alltoallw_c",
                                        "MPI_Bcast_init_c",
                                        "MPI_Alltoallw_init_c",
                                        NULL};
    static const char *const out[] = {"MPI_Send",
                                      "MPI_Reduce_local",
                                      "MPI_Reduce_local_c",
                                      "MPI_Comm_split",
                                      "MPI_Init",
                                      "MPI_File_write_all",
                                      "MPI_Send_init",
                                      "MPI_Isend",
                                      "MPI_Bcast_x",
                                      "MPI_Ibcast_init",
                                      "MPI_Barrier_c",
                                      "MPI_bcast",
                                      "MPI_IBcast",
                                      "MPI_",
                                      "MPI_I",
                                      "MPI_c",
                                      "MPI_init",
                                      "Bcast",
                                      "ompi_coll_base_bcast",
                                      "MPIR_Bcast",
                                      NULL};
    assert_names("mpicol", MPI_31_COLLECTIVES, TRUE);
    assert_names("mpicol", mpi_4, TRUE);
    assert_names("mpicol", out, FALSE);
    assert_names("mpisr", MPI_31_COLLECTIVES, FALSE);
    g_assert_cmpuint(G_N_ELEMENTS(MPI_31_COLLECTIVES) - 1, ==, 44);
}

static void test_mpi_send_receive(void)
{
    static const char *const in[] = {"MPI_Send", "MPI_Isend", "MPI_Recv", "MPI_Irecv", "MPI_Wait", "MPI_Irecv_c", NULL};
    static const char *const out[] = {"MPI_Ssend", "MPI_Sendrecv", "MPI_Waitall", "MPI_Wait_c", "MPI_Send_init",
                                      "MPI_Probe", "send",         "MPI_",        NULL};
    assert_names("mpisr", in, TRUE);
    assert_names("mpisr", out, FALSE);
}

static void test_mpi_inner(void)
{
    static const char *const in[] = {"ompi_request_wait",
                                     "opal_progress",
                                     "mca_pml_ob1_send",
                                     "orte_init",
                                     "prte_init",
                                     "pmix_init",
                                     "PMIx_Init",
                                     "MPIR_Wait",
                                     "MPID_Send",
                                     "MPIDI_CH3_Progress",
                                     "MPIDU_Sched_start",
                                     "MPII_Init_thread",
                                     "MPL_trid",
                                     "ADIOI_GEN_WriteContig",
                                     "PMI_Init",
                                     "NBC_Progress",
                                     "opal_libevent2022_event_base_loop",
                                     NULL};
    static const char *const out[] = {"MPI_Send",
                                      "PMPI_Send",
                                      "mpi_send_",
                                      "pmpi_send_",
                                      "MPIX_Query_cuda_support",
                                      "MPI::Comm::Send(void*)",
                                      "main",
                                      "malloc",
                                      "composite_init",
                                      "my_ompi_x",
                                      NULL};
    assert_names("mpiint", in, TRUE);
    assert_names("mpiint", out, FALSE);
}

static void test_openmp(void)
{
    static const char *const in[] = {"GOMP_parallel", "GOMP_critical_start", "omp_get_thread_num",
                                     "omp_set_lock_", "__kmpc_fork_call",    NULL};
    static const char *const out[] = {"main._omp_fn.0", "gomp_team_start", "pthread_create",
                                      "MPI_Init",       "comp_x",          NULL};
    assert_names("ompall", in, TRUE);
    assert_names("omp", in, TRUE);
    assert_names("ompall", out, FALSE);
}

static void test_openmp_critical(void)
{
    static const char *const in[] = {
        "GOMP_critical_start", "GOMP_critical_end",         "GOMP_critical_name_start", "GOMP_critical_name_end",
        "__kmpc_critical",     "__kmpc_critical_with_hint", "__kmpc_end_critical",      NULL};
    static const char *const out[] = {"GOMP_barrier", "GOMP_atomic_start", "omp_set_lock", "critical_start", NULL};
    assert_names("ompcrit", in, TRUE);
    assert_names("ompall", in, TRUE);
    assert_names("ompcrit", out, FALSE);
}

static void test_openmp_mutex(void)
{
    static const char *const in[] = {"omp_init_lock",
                                     "omp_set_lock",
                                     "omp_unset_lock",
                                     "omp_test_lock",
                                     "omp_destroy_lock",
                                     "omp_init_lock_with_hint",
                                     "omp_init_nest_lock",
                                     "omp_set_nest_lock",
                                     "omp_unset_nest_lock",
                                     "omp_test_nest_lock",
                                     "omp_destroy_nest_lock",
                                     "omp_init_nest_lock_with_hint",
                                     "omp_set_lock_",
                                     "__kmpc_set_lock",
                                     "__kmpc_test_nest_lock",
                                     "gomp_mutex_lock_slow",
                                     "GOMP_atomic_start",
                                     "GOMP_atomic_end",
                                     NULL};
    static const char *const out[] = {
        "GOMP_critical_start", "omp_get_thread_num", "pthread_mutex_lock", "set_lock", "GOMP_barrier", NULL};
    assert_names("ompmutex", in, TRUE);
    assert_names("ompmutex", out, FALSE);
}

static void test_memory(void)
{
    static const char *const in[] = {"malloc",
                                     "calloc",
                                     "realloc",
                                     "free",
                                     "posix_memalign",
                                     "aligned_alloc",
                                     "memcpy",
                                     "memmove",
                                     "memset",
                                     "memcmp",
                                     "memchr",
                                     "mmap",
                                     "munmap",
                                     "sbrk",
                                     "__libc_malloc",
                                     "__GI___libc_free",
                                     "_int_malloc",
                                     "__memcpy_avx_unaligned_erms",
                                     "__memset_avx2_unaligned",
                                     "__memmove_sse2_unaligned_erms",
                                     "__memcpy_chk",
                                     "memcpy@@GLIBC_2.14",
                                     "operator new(unsigned long)",
                                     "operator delete[](void*)",
                                     "__memcmpeq",
                                     NULL};
    static const char *const out[] = {
        "strlen",      "MPI_Alloc_mem",   "memory_pool_new",    "mallocate", "free_list", "Pool::malloc(int)",
        "malloc(int)", "operator+(A, B)", "operator new_thing", "",          NULL};
    assert_names("mem", in, TRUE);
    assert_names("mem", out, FALSE);
}

static void test_string(void)
{
    static const char *const in[] = {"strlen",        "strcpy",       "strncpy",  "strcat", "strcmp",
                                     "strtok_r",      "strdup",       "__strdup", "strtol", "__strtol_internal",
                                     "__strlen_avx2", "__strcpy_chk", "wcslen",   "stpcpy", NULL};
    static const char *const out[] = {"memcpy", "stream_open", "structure", "string_new", "str", "strlen(A)", NULL};
    assert_names("str", in, TRUE);
    assert_names("str", out, FALSE);
}

static void test_network(void)
{
    static const char *const in[] = {"socket",
                                     "connect",
                                     "bind",
                                     "listen",
                                     "accept4",
                                     "send",
                                     "sendmsg",
                                     "recvfrom",
                                     "__send",
                                     "__libc_recv",
                                     "getaddrinfo",
                                     "setsockopt",
                                     "inet_ntop",
                                     "htons",
                                     "mca_btl_tcp_send",
                                     "pmix_ptl_tcp_connect",
                                     "open_socket",
                                     "Tcp_open",
                                     "ibv_post_send",
                                     NULL};
    static const char *const out[] = {"MPI_Send",         "sender",      "reconnect",
                                      "sendfile_x",       "websocketry", "Client::connect(int)",
                                      "neural_net_train", NULL};
    assert_names("net", in, TRUE);
    assert_names("net", out, FALSE);
}

static void test_poll(void)
{
    static const char *const in[] = {"poll",
                                     "__poll",
                                     "ppoll",
                                     "select",
                                     "pselect",
                                     "epoll_wait",
                                     "sched_yield",
                                     "pthread_yield",
                                     "sched_setaffinity",
                                     "opal_event_poll",
                                     "__poll_chk",
                                     NULL};
    static const char *const out[] = {"pollution", "schedule", "selected", "usleep", "MPI_Test", "select(A)", NULL};
    assert_names("poll", in, TRUE);
    assert_names("poll", out, FALSE);
}

static void test_imports(void)
{
    g_assert_true(dt_category_has("plt", "puts@plt", DT_FUNCTION_IMPORT));
    g_assert_true(dt_category_has("plt", "puts", DT_FUNCTION_IMPORT | DT_FUNCTION_API));
    g_assert_true(dt_category_has("plt", "puts@plt", 0));
    g_assert_false(dt_category_has("plt", "puts", 0));
    g_assert_false(dt_category_has("plt", "puts", DT_FUNCTION_API));
    g_assert_false(dt_category_has("plt", ".plt", 0));
}

static void test_all(void)
{
    static const char *const in[] = {"main", "MPI_Send", "a::b(int)", ".plt", "", NULL};
    assert_names("all", in, TRUE);
    g_assert_false(dt_category_has("everything", "main", 0));
    g_assert_false(dt_category_has("cust:main", "main", 0));
}

/* The public list is what dt_category_has() knows. */
static void test_list(void)
{
    static const char *const expected[] = {"mpiall",   "mpicol",     "mpisr",        "mpiint",     "ompall", "ompcrit",
                                           "ompmutex", "mem",        "net",          "poll",       "str",    "plt",
                                           "all",      "cust:REGEX", "caller:REGEX", "under:REGEX"};
    const DtFilterCategory *category = dt_filter_categories();
    for (guint i = 0; i < G_N_ELEMENTS(expected); i++, category++) {
        g_assert_cmpstr(category->name, ==, expected[i]);
        g_assert_cmpuint(strlen(category->description), >, 0);
    }
    g_assert_null(category->name);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/filters/categories/mpiall", test_mpi);
    g_test_add_func("/filters/categories/mpicol", test_mpi_collectives);
    g_test_add_func("/filters/categories/mpisr", test_mpi_send_receive);
    g_test_add_func("/filters/categories/mpiint", test_mpi_inner);
    g_test_add_func("/filters/categories/ompall", test_openmp);
    g_test_add_func("/filters/categories/ompcrit", test_openmp_critical);
    g_test_add_func("/filters/categories/ompmutex", test_openmp_mutex);
    g_test_add_func("/filters/categories/mem", test_memory);
    g_test_add_func("/filters/categories/str", test_string);
    g_test_add_func("/filters/categories/net", test_network);
    g_test_add_func("/filters/categories/poll", test_poll);
    g_test_add_func("/filters/categories/plt", test_imports);
    g_test_add_func("/filters/categories/all", test_all);
    g_test_add_func("/filters/categories/list", test_list);
    return g_test_run();
}
