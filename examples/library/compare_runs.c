/*
 * Uses libdifftrace: what a run calls most, or where each trace of a run first departs from that of another run.
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

static const DtFoldedTrace *find_trace(const GPtrArray *folded, const char *label)
{
    for (guint i = 0; i < folded->len; i++) {
        const DtFoldedTrace *trace = g_ptr_array_index(folded, i);
        if (g_str_equal(trace->trace->label, label))
            return trace;
    }
    return NULL;
}

static void print_differences(const GPtrArray *normal, const GPtrArray *faulty, const DtFunctions *functions)
{
    for (guint i = 0; i < faulty->len; i++) {
        const DtFoldedTrace *trace = g_ptr_array_index(faulty, i);
        const DtFoldedTrace *reference = find_trace(normal, trace->trace->label);
        if (reference == NULL) {
            g_print("%s: only in the second run\n", trace->trace->label);
            continue;
        }
        g_autoptr(DtDiffNlr) diff = dt_diffnlr_new(reference, trace);
        g_autofree char *first = dt_diffnlr_first_difference(diff, functions);
        if (first != NULL)
            g_print("%s: %s\n", trace->trace->label, first);
    }
}

static gboolean compare(const char *normal_path, const char *faulty_path, const char *filter_text, GError **error)
{
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(DtRun) normal = dt_run_open(normal_path, functions, error);
    g_autoptr(DtRun) faulty = normal != NULL ? dt_run_open(faulty_path, functions, error) : NULL;
    g_autoptr(DtFilter) filter = faulty != NULL ? dt_filter_parse(filter_text, error) : NULL;
    g_autoptr(DtFilterSet) set = filter != NULL ? dt_filter_compile(filter, functions, error) : NULL;
    if (set == NULL)
        return FALSE;
    g_autoptr(DtLoopTable) loops = dt_loop_table_new();
    guint k = dt_filter_k(filter, DT_NLR_DEFAULT_K);
    g_autoptr(GPtrArray) folded_normal = dt_nlr_fold_run(normal, set, k, DT_NLR_DEFAULT_MIN_REPEAT, 0, loops, error);
    if (folded_normal == NULL)
        return FALSE;
    g_autoptr(GPtrArray) folded_faulty = dt_nlr_fold_run(faulty, set, k, DT_NLR_DEFAULT_MIN_REPEAT, 0, loops, error);
    if (folded_faulty == NULL)
        return FALSE;
    print_differences(folded_normal, folded_faulty, functions);
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
                              : compare(argv[1], argv[2], argc == 4 ? argv[3] : "mpiall", &error);
    if (!done) {
        g_printerr("compare_runs: %s\n", error->message);
        return 2;
    }
    return EXIT_SUCCESS;
}
