/* Filtering and folding all traces of a run, in parallel; numbering their bodies in order. */
#include <omp.h>

#include "nlr/fold.h"

G_STATIC_ASSERT(DT_NLR_MAX_K == DT_FILTER_MAX_K);

/* What a worker makes of one trace. */
typedef struct {
    const DtTrace *trace;
    DtLooseNlr *loose;
    GArray *open;
    char *problem;
    GError *failure; /* it could not be read at all */
} Job;

static void fold_symbols(const guint32 *symbols, gsize count, gpointer folder)
{
    dt_nlr_folder_push(folder, symbols, count);
}

static void do_job(Job *job, DtNlrFolder *folder, const DtRun *run, const DtFilterSet *set)
{
    job->open = g_array_new(FALSE, FALSE, sizeof(guint32));
    if (!dt_filter_run(set, run, job->trace, fold_symbols, folder, job->open, &job->problem, &job->failure))
        job->problem = g_strdup(job->failure->message);
    job->loose = dt_nlr_folder_finish_loose(folder);
}

static int by_descending_words(const void *a, const void *b)
{
    const DtTrace *left = (*(Job *const *)a)->trace;
    const DtTrace *right = (*(Job *const *)b)->trace;
    if (left->words != right->words)
        return left->words > right->words ? -1 : 1;
    return left->index < right->index ? -1 : 1;
}

/* The longest first, so that no worker is left alone with it at the end. */
static Job **order_jobs(Job *jobs, guint count)
{
    Job **order = g_new(Job *, count);
    for (guint i = 0; i < count; i++)
        order[i] = &jobs[i];
    qsort(order, count, sizeof *order, by_descending_words);
    return order;
}

static void do_jobs(Job *jobs, guint count, guint workers, const DtRun *run, const DtFilterSet *set, guint k,
                    guint min_repeat)
{
    g_autofree Job **order = order_jobs(jobs, count);
#pragma omp parallel num_threads((int)workers)
    {
        DtNlrFolder *folder = dt_nlr_folder_new(k, min_repeat);
#pragma omp for schedule(dynamic, 1)
        for (guint i = 0; i < count; i++)
            do_job(order[i], folder, run, set);
        dt_nlr_folder_free(folder);
    }
}

void dt_folded_trace_free(DtFoldedTrace *folded)
{
    if (folded == NULL)
        return;
    dt_nlr_free(folded->nlr);
    g_array_unref(folded->open);
    g_free(folded->problem);
    g_free(folded);
}

static DtFoldedTrace *take_folded(Job *job, DtLoopTable *table)
{
    DtFoldedTrace *folded = g_new(DtFoldedTrace, 1);
    folded->trace = job->trace;
    folded->nlr = dt_loose_nlr_intern(job->loose, table);
    folded->open = job->open;
    folded->problem = job->problem;
    return folded;
}

GPtrArray *dt_nlr_fold_run(const DtRun *run, const DtFilterSet *set, guint k, guint min_repeat, guint jobs,
                           DtLoopTable *table, GError **error)
{
    guint count = dt_run_trace_count(run);
    guint workers = jobs > 0 ? jobs : (guint)omp_get_num_procs();
    g_autofree Job *all = g_new0(Job, count);
    for (guint i = 0; i < count; i++)
        all[i].trace = dt_run_trace(run, i);
    do_jobs(all, count, CLAMP(workers, 1, MAX(count, 1)), run, set, k, min_repeat);

    g_autoptr(GPtrArray) folded = g_ptr_array_new_with_free_func((GDestroyNotify)dt_folded_trace_free);
    guint failures = 0;
    GError *first = NULL;
    for (guint i = 0; i < count; i++) {
        g_ptr_array_add(folded, take_folded(&all[i], table));
        if (all[i].failure == NULL)
            continue;
        failures++;
        if (first == NULL)
            first = g_steal_pointer(&all[i].failure);
        g_clear_error(&all[i].failure);
    }
    if (failures > 0 && failures == count) {
        g_propagate_error(error, first);
        return NULL;
    }
    g_clear_error(&first);
    return g_steal_pointer(&folded);
}
