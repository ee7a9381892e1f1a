/*
 * Uses libdifftrace: what a run calls most, or which traces of a faulty run are to blame.
 *
 *     cc -o compare_runs compare_runs.c $(pkg-config --cflags --libs difftrace)
 *     ./compare_runs RUN
 *     ./compare_runs NORMAL FAULTY [FILTER]
 */
#include <difftrace/difftrace.h>
#include <stdlib.h>

enum { TOP = 10 };

typedef struct {
    guint32 function;
    guint64 calls;
} Count;

static gint by_calls(gconstpointer a, gconstpointer b)
{
    const Count *left = a, *right = b;
    if (left->calls != right->calls)
        return left->calls < right->calls ? 1 : -1;
    return left->function < right->function ? -1 : 1;
}

static gboolean print_top_functions(const char *path, GError **error)
{
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(DtRun) run = dt_run_open(path, functions, error);
    if (run == NULL)
        return FALSE;
    g_autoptr(DtStatistics) statistics = dt_statistics_new();
    guint64 events;
    for (guint i = 0; i < dt_run_trace_count(run); i++)
        if (!dt_statistics_add(statistics, run, dt_run_trace(run, i), 1, &events, error))
            return FALSE;
    g_autoptr(GArray) counts = g_array_new(FALSE, FALSE, sizeof(Count));
    for (guint32 id = 1; id <= dt_functions_count(functions); id++) {
        Count count = {id, dt_statistics_calls(statistics, id)};
        if (count.calls > 0)
            g_array_append_val(counts, count);
    }
    g_array_sort(counts, by_calls);
    for (guint i = 0; i < MIN(counts->len, TOP); i++) {
        const Count *count = &g_array_index(counts, Count, i);
        g_print("%12" G_GUINT64_FORMAT "  %s\n", count->calls, dt_functions_get(functions, count->function)->name);
    }
    return TRUE;
}

static void warn(const char *message, gpointer data)
{
    (void)data;
    g_printerr("compare_runs: %s\n", message);
}

static gboolean compare(const char *normal, const char *faulty, const char *filter, GError **error)
{
    const char *const filters[] = {filter, NULL};
    const DtCompareOptions options = {.filters = filters[0] != NULL ? filters : NULL};
    const DtCompareListener listener = {.warn = warn};
    g_autoptr(DtComparison) comparison = dt_compare_runs(normal, faulty, &options, &listener, error);
    if (comparison == NULL)
        return FALSE;
    g_print("%s\n", comparison->verdict);
    for (guint i = 0; i < MIN(comparison->suspects->len, TOP); i++) {
        const DtSuspectRow *suspect = comparison->suspects->pdata[i];
        g_print("%s\t%s\t%s\n", suspect->trace, suspect->level,
                suspect->first_difference != NULL ? suspect->first_difference : "");
    }
    return TRUE;
}

int main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;
    if (argc < 2 || argc > 4) {
        g_printerr("Usage: compare_runs RUN | compare_runs NORMAL FAULTY [FILTER]\n");
        return 2;
    }
    gboolean done = argc == 2 ? print_top_functions(argv[1], &error)
                              : compare(argv[1], argv[2], argc == 4 ? argv[3] : NULL, &error);
    if (!done) {
        g_printerr("compare_runs: %s\n", error->message);
        return 2;
    }
    return EXIT_SUCCESS;
}
