/*
 * The table of calls: how it is found in, and what must be true of all rows.
 */
#include "calls/calls.h"

#include <glib.h>
#include <string.h>

static gboolean has(const char *name, guint32 properties)
{
    return (dt_call_properties(name) & properties) == properties;
}

typedef void (*RowTest)(enum dt_call_class call_class, const struct dt_call *call);

static void for_each_row(RowTest test)
{
    for (enum dt_call_class call_class = DT_CALL_MPI; call_class <= DT_CALL_GO; call_class++) {
        const struct dt_call_rows rows = dt_calls_of_class(call_class);
        g_assert_cmpuint(rows.count, >, 10);
        for (gsize i = 0; i < rows.count; i++)
            test(call_class, &rows.calls[i]);
    }
    g_assert_cmpuint(dt_calls_of_class(DT_CALL_UNKNOWN).count, ==, 0);
}

static char *whole_name(enum dt_call_class call_class, const struct dt_call *call)
{
    return g_strconcat(call_class == DT_CALL_MPI ? "MPI_" : "", call->name, NULL);
}

/* ---- finding ------------------------------------------------------------------------------ */

static void find_row(enum dt_call_class call_class, const struct dt_call *call)
{
    g_autofree char *name = whole_name(call_class, call), *longer = g_strconcat(name, "x", NULL);
    g_assert_true(dt_call_find(name) == call);
    g_assert_null(dt_call_find(longer));
    g_assert_cmpint(dt_call_class(name), ==, call_class);
    g_assert_cmpuint(dt_call_properties(name), ==, call->properties);
}

static void test_order(void)
{
    for (enum dt_call_class call_class = DT_CALL_MPI; call_class <= DT_CALL_GO; call_class++) {
        const struct dt_call_rows rows = dt_calls_of_class(call_class);
        for (gsize i = 1; i < rows.count; i++) {
            const char *a = rows.calls[i - 1].name, *b = rows.calls[i].name;
            if ((call_class == DT_CALL_MPI ? g_ascii_strcasecmp(a, b) : strcmp(a, b)) >= 0)
                g_error("the row of %s stands before that of %s", a, b);
        }
    }
}

static void test_find(void)
{
    for_each_row(find_row);
    const char *unknown[] = {"",          "MPI_",        "MPI_send",      "MPI_SEND",      "mpi_send", "Send",
                             "MPI_Se",    "MPI_Send_x",  "MPI_c",         "MPI_Barrier_c", "main",     "PMPI_",
                             "pthread_x", "GOMP_future", "PGOMP_barrier", "xMPI_Send",     "Exit",     "_EXIT"};
    for (guint i = 0; i < G_N_ELEMENTS(unknown); i++)
        g_assert_null(dt_call_find(unknown[i]));
    g_assert_cmpstr(dt_call_find("PMPI_Comm_rank")->name, ==, "Comm_rank");
    g_assert_true(dt_call_find("_exit") != dt_call_find("_Exit"));
    g_assert_true(dt_call_find("sem_wait@plt") == dt_call_find("sem_wait"));
    g_assert_true(dt_call_properties("sem_wait@plt") & DT_CALL_BLOCKING);
    g_assert_cmpint(dt_call_class("sem_wait@plt"), ==, DT_CALL_SYSTEM);
    g_assert_null(dt_call_find("sem_wait@plt@plt"));
    g_assert_null(dt_call_find("@plt"));
}

static void test_large(void)
{
    const struct dt_call *send = dt_call_find("MPI_Send");
    g_assert_true(dt_call_find("MPI_Send_c") == send && dt_call_find("PMPI_Send_c") == send);
    g_assert_null(dt_call_find("MPI_Send_C"));
    g_assert_true(dt_call_is_large(send, "MPI_Send_c"));
    g_assert_false(dt_call_is_large(send, "MPI_Send"));
    const struct dt_call *contents = dt_call_find("MPI_Type_get_contents_c");
    g_assert_true(contents != dt_call_find("MPI_Type_get_contents") && !dt_call_is_large(contents, contents->name));
}

static void test_any_spelling(void)
{
    const char *spellings[] = {"comm_rank", "COMM_RANK", "Comm_rank"};
    for (guint i = 0; i < G_N_ELEMENTS(spellings); i++)
        g_assert_cmpstr(dt_call_find_mpi(spellings[i])->name, ==, "Comm_rank");
    g_assert_cmpstr(dt_call_find_mpi("SEND_C")->name, ==, "Send");
    g_assert_true(dt_call_is_large(dt_call_find_mpi("SEND_C"), "SEND_C"));
    g_assert_null(dt_call_find_mpi("barrier_c"));
    g_assert_null(dt_call_find_mpi("my_own"));
}

/* ---- what is recorded ----------------------------------------------------------------------- */

static void test_recorded(void)
{
    const struct {
        const char *name;
        enum dt_call_class call_class, recorded;
    } calls[] = {
        {"MPI_Send", DT_CALL_MPI, DT_CALL_MPI},
        {"PMPI_Send_c", DT_CALL_MPI, DT_CALL_MPI},
        {"MPI_T_init_thread", DT_CALL_MPI, DT_CALL_MPI},
        {"MPI_Of_tomorrow", DT_CALL_MPI, DT_CALL_MPI},
        {"MPI_SEND", DT_CALL_MPI, DT_CALL_UNKNOWN},
        {"MPI_Send_f", DT_CALL_MPI, DT_CALL_UNKNOWN},
        {"MPI_Send_f08", DT_CALL_MPI, DT_CALL_UNKNOWN},
        {"MPI_Comm_c2f", DT_CALL_MPI, DT_CALL_UNKNOWN},
        {"MPI_Status_f082c", DT_CALL_MPI, DT_CALL_UNKNOWN},
        {"MPI_Own_fn", DT_CALL_MPI, DT_CALL_UNKNOWN},
        {"MPI_", DT_CALL_MPI, DT_CALL_UNKNOWN},
        {"mpi_send_", DT_CALL_UNKNOWN, DT_CALL_UNKNOWN},
        {"GOMP_of_tomorrow", DT_CALL_OPENMP, DT_CALL_OPENMP},
        {"GOMP_PLUGIN_malloc", DT_CALL_OPENMP, DT_CALL_UNKNOWN},
        {"__kmpc_fork_call", DT_CALL_OPENMP, DT_CALL_OPENMP},
        {"omp_get_num_threads", DT_CALL_OPENMP, DT_CALL_OPENMP},
        {"pthread_create", DT_CALL_PTHREAD, DT_CALL_PTHREAD},
        {"pthread_self", DT_CALL_PTHREAD, DT_CALL_UNKNOWN},
        {"pthread_attr_init", DT_CALL_PTHREAD, DT_CALL_UNKNOWN},
        {"pthread_mutexattr_settype", DT_CALL_PTHREAD, DT_CALL_UNKNOWN},
        {"exit", DT_CALL_END, DT_CALL_END},
        {"execve", DT_CALL_END, DT_CALL_END},
        {"__chk_fail", DT_CALL_END, DT_CALL_END},
        {"_gfortran_stop_string", DT_CALL_END, DT_CALL_END},
        {"sem_wait", DT_CALL_SYSTEM, DT_CALL_UNKNOWN},
        {"main", DT_CALL_UNKNOWN, DT_CALL_UNKNOWN},
    };
    for (guint i = 0; i < G_N_ELEMENTS(calls); i++) {
        g_assert_cmpint(dt_call_class(calls[i].name), ==, calls[i].call_class);
        g_assert_cmpint(dt_call_recorded(calls[i].name), ==, calls[i].recorded);
    }
}

/* ---- all rows ------------------------------------------------------------------------------- */

static void assert_implies(const struct dt_call *call, guint32 property, guint32 others)
{
    g_assert_true(!(call->properties & property) || (call->properties & others) == others);
}

static gboolean has_lock(const struct dt_call *call)
{
    return (call->properties & DT_CALL_UNNAMED_LOCK) || dt_call_has(call, DT_PARAMETER_LOCK);
}

static void check_row(enum dt_call_class call_class, const struct dt_call *call)
{
    assert_implies(call, DT_CALL_EXCHANGE, DT_CALL_COLLECTIVE);
    assert_implies(call, DT_CALL_NEIGHBOURHOOD, DT_CALL_EXCHANGE);
    assert_implies(call, DT_CALL_OF_GROUP, DT_CALL_COLLECTIVE);
    assert_implies(call, DT_CALL_MAY_FAIL, DT_CALL_ACQUIRING);
    assert_implies(call, DT_CALL_FAILING, DT_CALL_ENDING);
    /* Whoever polls does not wait. */
    g_assert_false((call->properties & DT_CALL_POLLING) && (call->properties & DT_CALL_BLOCKING));
    g_assert_true(call_class == DT_CALL_MPI || !(call->properties & (DT_CALL_LARGE_VARIANT | DT_CALL_COLLECTIVE)));
    g_assert_true(!(call->properties & (DT_CALL_ACQUIRING | DT_CALL_RELEASING)) || has_lock(call));
    /* What completes later does not wait now. */
    g_assert_false(dt_call_has(call, DT_PARAMETER_REQUEST_MADE) && (call->properties & DT_CALL_BLOCKING));
    g_assert_false(dt_call_has(call, DT_PARAMETER_PERSISTENT_REQUEST_MADE) && (call->properties & DT_CALL_BLOCKING));
    for (guint i = 0; call->parameters[i]; i++) {
        if (call->parameters[i] == DT_PARAMETER_REQUEST_COUNT)
            g_assert_cmpint(call->parameters[i + 1], ==, DT_PARAMETER_REQUESTS);
        if (call->parameters[i] == DT_PARAMETER_COUNT && (call->properties & DT_CALL_WITH_ARGUMENTS) &&
            !dt_call_has(call, DT_PARAMETER_DATATYPE_MADE))
            g_assert_cmpint(call->parameters[i + 1], ==, DT_PARAMETER_DATATYPE);
    }
}

static void test_rows(void)
{
    for_each_row(check_row);
}

/* The same communication: MPI_Ibcast and MPI_Bcast_init take what MPI_Bcast takes, and what tells that it is done. */
static void assert_takes(const struct dt_call *call, const struct dt_call *plain, gboolean persistent)
{
    guint i = 0, changed = plain->properties & (DT_CALL_EXCHANGE | DT_CALL_NEIGHBOURHOOD | DT_CALL_POINT_TO_POINT);
    for (; plain->parameters[i] && plain->parameters[i] != DT_PARAMETER_STATUS; i++)
        g_assert_cmpint(call->parameters[i], ==, plain->parameters[i]);
    if (persistent && (call->properties & DT_CALL_EXCHANGE))
        g_assert_cmpint(call->parameters[i++], ==, DT_PARAMETER_INFO);
    g_assert_cmpint(call->parameters[i++], ==,
                    persistent ? DT_PARAMETER_PERSISTENT_REQUEST_MADE : DT_PARAMETER_REQUEST_MADE);
    g_assert_cmpint(call->parameters[i], ==, DT_PARAMETER_NONE);
    g_assert_cmpuint(call->properties & changed, ==, changed);
    g_assert_cmpuint(call->properties & DT_CALL_LARGE_VARIANT, ==, plain->properties & DT_CALL_LARGE_VARIANT);
}

static void test_variants(void)
{
    const struct dt_call_rows rows = dt_calls_of_class(DT_CALL_MPI);
    guint non_blocking = 0, persistent = 0;
    for (gsize i = 0; i < rows.count; i++) {
        const struct dt_call *call = &rows.calls[i];
        if (!(call->properties & (DT_CALL_EXCHANGE | DT_CALL_POINT_TO_POINT)) ||
            dt_call_has(call, DT_PARAMETER_PARTITION_COUNT))
            continue;
        g_autofree char *without = g_strdup(call->name);
        if (g_str_has_suffix(call->name, "_init")) {
            without[strlen(without) - strlen("_init")] = '\0';
            assert_takes(call, dt_call_find_mpi(without), TRUE);
            persistent++;
        } else if (dt_call_has(call, DT_PARAMETER_REQUEST_MADE)) {
            g_assert_true(call->name[0] == 'I');
            assert_takes(call, dt_call_find_mpi(without + 1), FALSE);
            non_blocking++;
        } else {
            g_assert_true(call->properties & (DT_CALL_BLOCKING | DT_CALL_POLLING));
        }
    }
    g_assert_cmpuint(non_blocking, ==, 22 + 8); /* collectives, neighbourhood ones among them; and Isend...Imrecv */
    g_assert_cmpuint(persistent, ==, 22 + 5);
}

/* ---- what the tables that this one replaces did not agree on --------------------------------- */

static void test_waiting(void)
{
    const char *blocking[] = {"MPI_Mrecv",
                              "MPI_Neighbor_alltoallw",
                              "MPI_File_write_all",
                              "MPI_File_read_ordered",
                              "MPI_Win_flush_local",
                              "pthread_mutex_clocklock",
                              "pthread_rwlock_timedrdlock",
                              "pthread_rwlock_timedwrlock",
                              "pthread_rwlock_clockwrlock",
                              "GOMP_ordered_start",
                              "GOMP_doacross_ull_wait",
                              "GOMP_taskgroup_end",
                              "__kmpc_reduce",
                              "sem_clockwait"};
    const char *others[] = {"MPI_Imrecv",           "MPI_File_write",       "MPI_Ibcast",
                            "MPI_Bcast_init",       "pthread_tryjoin_np",   "pthread_mutex_trylock",
                            "__kmpc_reduce_nowait", "GOMP_loop_end_nowait", "sem_post"};
    for (guint i = 0; i < G_N_ELEMENTS(blocking); i++)
        g_assert_true(has(blocking[i], DT_CALL_BLOCKING));
    for (guint i = 0; i < G_N_ELEMENTS(others); i++)
        g_assert_false(has(others[i], DT_CALL_BLOCKING));
    g_assert_true(has("GOMP_loop_ull_dynamic_next", DT_CALL_NONDETERMINISTIC));
    g_assert_true(has("GOMP_parallel_loop_nonmonotonic_guided", DT_CALL_BLOCKING | DT_CALL_JOINING));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/calls/order", test_order);
    g_test_add_func("/calls/find", test_find);
    g_test_add_func("/calls/large", test_large);
    g_test_add_func("/calls/any-spelling", test_any_spelling);
    g_test_add_func("/calls/recorded", test_recorded);
    g_test_add_func("/calls/rows", test_rows);
    g_test_add_func("/calls/variants", test_variants);
    g_test_add_func("/calls/waiting", test_waiting);
    return g_test_run();
}
