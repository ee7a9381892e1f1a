/* Identity and names of functions. */
#include "store/store.h"

static void assert_name(const char *symbol, guint flags, const char *name)
{
    g_autoptr(DtFunctions) functions = dt_functions_new();
    guint32 id = dt_functions_intern(functions, "image", FALSE, symbol, 0, flags);
    g_assert_cmpstr(dt_functions_get(functions, id)->name, ==, name);
    g_assert_cmpstr(dt_functions_get(functions, id)->symbol, ==, symbol);
}

static void test_identity(void)
{
    g_autoptr(DtFunctions) functions = dt_functions_new();
    guint32 solve = dt_functions_intern(functions, "app.v1", TRUE, "solve", 0, 0);
    g_assert_cmpuint(solve, ==, 1);
    /* The main executable is one image, whatever its name. */
    g_assert_cmpuint(dt_functions_intern(functions, "app.v2", TRUE, "solve", 0, 0), ==, solve);
    g_assert_cmpstr(dt_functions_get(functions, solve)->image, ==, "app.v1");
    /* The API flag does not make another function, the import flag does. */
    g_assert_cmpuint(dt_functions_intern(functions, "app.v1", TRUE, "solve", 0, DT_FUNCTION_API), ==, solve);
    guint32 others[] = {
        dt_functions_intern(functions, "app.v1", TRUE, "solve", 1, 0),
        dt_functions_intern(functions, "app.v1", TRUE, "solve", 0, DT_FUNCTION_IMPORT),
        dt_functions_intern(functions, "app.v1", FALSE, "solve", 0, 0),
        dt_functions_intern(functions, "libx.so", FALSE, "solve", 0, 0),
        dt_functions_intern(functions, "app.v1", TRUE, "solve2", 0, 0),
    };
    for (guint i = 0; i < G_N_ELEMENTS(others); i++)
        g_assert_cmpuint(others[i], ==, solve + 1 + i);
    g_assert_cmpuint(dt_functions_count(functions), ==, 1 + G_N_ELEMENTS(others));
}

static void test_stable_pointers(void)
{
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(DtFunctions) same = dt_functions_ref(functions);
    dt_functions_intern(functions, "app", TRUE, "first", 0, 0);
    const DtFunction *first = dt_functions_get(functions, 1);
    for (guint i = 0; i < 10000; i++) {
        g_autofree char *symbol = g_strdup_printf("f%u", i);
        g_assert_cmpuint(dt_functions_intern(functions, "app", TRUE, symbol, 0, 0), ==, i + 2);
    }
    g_assert_true(first == dt_functions_get(same, 1));
    g_assert_cmpstr(first->name, ==, "first");
}

static void test_mpi_names(void)
{
    static const char *const variants[] = {"MPI_Send",  "PMPI_Send",   "mpi_send",     "mpi_send_",      "mpi_send__",
                                           "MPI_SEND",  "pmpi_send_",  "PMPI_SEND",    "mpi_send_f08_",  "MPI_Send_f08",
                                           "MPI_SEND_", "pmpi_send__", "mpi_send_f08", "mpi_send_f08ts_"};
    for (guint i = 0; i < G_N_ELEMENTS(variants); i++) {
        assert_name(variants[i], DT_FUNCTION_API, "MPI_Send");
        assert_name(variants[i], 0, "MPI_Send");
    }
    assert_name("mpi_comm_rank_", 0, "MPI_Comm_rank");
    assert_name("mpi_file_open_", 0, "MPI_File_open");
    assert_name("mpi_type_create_hvector_", 0, "MPI_Type_create_hvector");
    assert_name("mpi_type_create_f90_real_", 0, "MPI_Type_create_f90_real");
    assert_name("PMPI_T_pvar_get_num", 0, "MPI_T_pvar_get_num");
    assert_name("MPI_Status_c2f08", 0, "MPI_Status_c2f08");
}

/* Functions that a later MPI may have are MPI's if the tracer says so, a program's own are not. */
static void test_unknown_mpi_names(void)
{
    assert_name("mpi_exchange_halo_", 0, "mpi_exchange_halo_");
    assert_name("mpi_future_call_", DT_FUNCTION_API, "MPI_Future_call");
    assert_name("PMPI_Future_Call", DT_FUNCTION_API, "MPI_Future_Call");
    assert_name("mpi_", DT_FUNCTION_API, "mpi_");
    assert_name("mpi_1", DT_FUNCTION_API, "mpi_1");
    assert_name("p", DT_FUNCTION_API, "p");
    assert_name("", DT_FUNCTION_API, "");
}

static void test_demangling(void)
{
    assert_name("main", 0, "main");
    assert_name("_ZN5Solve4stepEi", 0, "Solve::step(int)");
    assert_name("_ZN5Solve4stepEi._omp_fn.0", 0, "Solve::step(int)._omp_fn.0");
    assert_name("step.part.0", 0, "step.part.0");
    assert_name("_Znonsense", 0, "_Znonsense");
    assert_name("puts", DT_FUNCTION_IMPORT, "puts@plt");
    assert_name("_ZN5Solve4stepEi", DT_FUNCTION_IMPORT, "Solve::step(int)@plt");
    assert_name("bad\xff name", 0, "bad\\xff name");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/store/functions/identity", test_identity);
    g_test_add_func("/store/functions/stable-pointers", test_stable_pointers);
    g_test_add_func("/store/functions/mpi-names", test_mpi_names);
    g_test_add_func("/store/functions/unknown-mpi-names", test_unknown_mpi_names);
    g_test_add_func("/store/functions/demangling", test_demangling);
    return g_test_run();
}
