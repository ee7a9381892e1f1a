/*
 * Filtering and folding all traces of runs, in parallel; sharing what is equal, and
 * numbering bodies in order.
 */
#include <omp.h>

#include "nlr/call_tree.h"
#include "nlr/fold_job.h"
#include "nlr/fold_parallel.h"
#include "nlr/sequence.h"

G_STATIC_ASSERT(DT_NLR_MAX_K == DT_FILTER_MAX_K);

typedef DtFoldJob Job;

typedef struct {
    const DtParallel *parallel; /* NULL: alone */
    const DtRun *const *runs;
    guint run_count;
    const DtFoldPlan *plans;
    guint plan_count;
    guint workers;
    DtFoldProgress progress;
    gpointer user_data;

    guint trace_count;
    guint *first_trace; /* by run */
    guint *job_of;      /* by trace of all runs */
    Job *jobs;
    guint job_count;
    guint64 all_words, done_words;
} Fold;

/* ---- traces with the same events --------------------------------------------------------- */

static void trace_at(const Fold *fold, guint index, const DtRun **run, const DtTrace **trace)
{
    guint r = 0;
    while (r + 1 < fold->run_count && index >= fold->first_trace[r + 1])
        r++;
    *run = fold->runs[r];
    *trace = dt_run_trace(*run, index - fold->first_trace[r]);
}

static char **digest_traces(const Fold *fold)
{
    char **digests = g_new0(char *, fold->trace_count + 1);
    guint first, end;
    dt_parallel_share(fold->parallel, fold->trace_count, &first, &end);
#pragma omp parallel for schedule(dynamic, 16) num_threads((int)fold->workers)
    for (guint i = first; i < end; i++) {
        const DtRun *run;
        const DtTrace *trace;
        trace_at(fold, i, &run, &trace);
        digests[i] = dt_trace_digest(run, trace);
    }
    if (fold->parallel != NULL)
        dt_fold_exchange_digests(fold->parallel, digests, fold->trace_count);
    return digests;
}

static void add_job(Fold *fold, guint trace)
{
    Job *job = &fold->jobs[fold->job_count++];
    trace_at(fold, trace, &job->run, &job->trace);
    job->loose = g_new0(DtLooseNlr *, fold->plan_count);
    job->nlr = g_new0(DtNlr *, fold->plan_count);
    job->open = g_new0(GArray *, fold->plan_count);
    fold->all_words += job->trace->words;
}

static void find_jobs(Fold *fold)
{
    char **digests = digest_traces(fold);
    g_autoptr(GHashTable) known = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = 0; i < fold->trace_count; i++) {
        gpointer number = digests[i] != NULL ? g_hash_table_lookup(known, digests[i]) : NULL;
        if (number == NULL) {
            add_job(fold, i);
            number = GUINT_TO_POINTER(fold->job_count);
            if (digests[i] != NULL)
                g_hash_table_insert(known, digests[i], number);
        }
        fold->job_of[i] = GPOINTER_TO_UINT(number) - 1;
    }
    for (guint i = 0; i < fold->trace_count; i++)
        g_free(digests[i]);
    g_free(digests);
}

/* ---- folding ------------------------------------------------------------------------------ */

static void fold_symbols(const guint32 *symbols, gsize count, gpointer folder)
{
    dt_nlr_folder_push(folder, symbols, count);
}

static void repeat_symbols(gsize count, guint64 times, gpointer folder)
{
    dt_nlr_folder_repeat(folder, count, times);
}

/* What a worker folds with, by plan. */
typedef struct {
    DtNlrFolder **folders;
    DtTreeBuilder **builders; /* NULL: no call tree */
    DtFilterTap *taps;
} Worker;

static Worker worker_new(const Fold *fold)
{
    Worker worker = {g_new0(DtNlrFolder *, fold->plan_count), g_new0(DtTreeBuilder *, fold->plan_count),
                     g_new0(DtFilterTap, fold->plan_count)};
    for (guint p = 0; p < fold->plan_count; p++) {
        const DtFoldPlan *plan = &fold->plans[p];
        worker.folders[p] = dt_nlr_folder_new(plan->k, plan->min_repeat);
        if (plan->form == DT_NLR_CALL_TREE)
            worker.builders[p] = dt_tree_builder_new(worker.folders[p], plan->k, plan->min_repeat);
    }
    return worker;
}

static void worker_clear(const Fold *fold, Worker *worker)
{
    for (guint p = 0; p < fold->plan_count; p++) {
        dt_tree_builder_free(worker->builders[p]);
        dt_nlr_folder_free(worker->folders[p]);
    }
    g_free(worker->folders);
    g_free(worker->builders);
    g_free(worker->taps);
}

static DtFilterTap tap_of(const Worker *worker, guint plan, const DtFilterSet *set, GArray *open)
{
    if (worker->builders[plan] == NULL)
        return (DtFilterTap){set, fold_symbols, worker->folders[plan], open, repeat_symbols, FALSE};
    return (DtFilterTap){set, dt_tree_builder_take, worker->builders[plan], open, dt_tree_builder_repeat, TRUE};
}

static void do_job(const Fold *fold, Job *job, const Worker *worker)
{
    for (guint p = 0; p < fold->plan_count; p++) {
        job->open[p] = g_array_new(FALSE, FALSE, sizeof(guint32));
        worker->taps[p] = tap_of(worker, p, fold->plans[p].set, job->open[p]);
    }
    if (!dt_filter_run_taps(worker->taps, fold->plan_count, job->run, job->trace, &job->problem, &job->failure))
        job->problem = g_strdup(job->failure->message);
    for (guint p = 0; p < fold->plan_count; p++)
        job->loose[p] = worker->builders[p] != NULL ? dt_tree_builder_finish(worker->builders[p])
                                                    : dt_nlr_folder_finish_loose(worker->folders[p]);
}

static void give_forms(const Fold *fold, Job *job)
{
    for (guint p = 0; p < fold->plan_count; p++) {
        const DtFoldPlan *plan = &fold->plans[p];
        if (plan->form == DT_NLR_COUNT_BLIND)
            job->loose[p] = dt_loose_nlr_count_blind(job->loose[p], plan->k, plan->min_repeat);
    }
}

static int by_descending_words(const void *a, const void *b)
{
    const Job *left = *(Job *const *)a, *right = *(Job *const *)b;
    if (left->trace->words != right->trace->words)
        return left->trace->words > right->trace->words ? -1 : 1;
    return left < right ? -1 : 1;
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

static void note_done(Fold *fold, const Job *job)
{
    guint64 done;
#pragma omp atomic capture
    done = fold->done_words += job->trace->words;
    if (fold->progress != NULL && omp_get_thread_num() == 0)
        fold->progress(done, fold->all_words, fold->user_data);
}

/* `count` of them, in parallel, in that order. */
static void do_jobs(Fold *fold, Job *const *order, guint count)
{
    guint workers = CLAMP(fold->workers, 1, MAX(count, 1));
#pragma omp parallel num_threads((int)workers)
    {
        Worker worker = worker_new(fold);
#pragma omp for schedule(dynamic, 1)
        for (guint i = 0; i < count; i++) {
            do_job(fold, order[i], &worker);
            if (fold->parallel == NULL)
                give_forms(fold, order[i]);
            note_done(fold, order[i]);
        }
        worker_clear(fold, &worker);
    }
}

static void do_all_jobs(Fold *fold)
{
    g_autofree Job **order = order_jobs(fold->jobs, fold->job_count);
    if (fold->parallel == NULL) {
        do_jobs(fold, order, fold->job_count);
        return;
    }
    g_autofree guint *member_of = dt_fold_assign(fold->parallel, fold->jobs, order, fold->job_count);
    guint own = 0;
    fold->all_words = 0;
    for (guint i = 0; i < fold->job_count; i++) {
        if (member_of[order[i] - fold->jobs] != fold->parallel->rank)
            continue;
        order[own++] = order[i];
        fold->all_words += order[i]->trace->words;
    }
    do_jobs(fold, order, own);
    dt_fold_gather(fold->parallel, fold->jobs, fold->job_count, member_of, fold->plan_count);
#pragma omp parallel for schedule(dynamic) num_threads((int)fold->workers)
    for (guint i = 0; i < (dt_parallel_is_root(fold->parallel) ? fold->job_count : 0); i++)
        give_forms(fold, &fold->jobs[i]);
}

/* ---- results in the order of the traces ------------------------------------------------------ */

static guint nlr_hash(gconstpointer data)
{
    DtElements elements = dt_nlr_elements(data);
    return (guint)(dt_sequence_hash(elements.elements, elements.length) >> 32);
}

static gboolean nlr_equal(gconstpointer a, gconstpointer b)
{
    return dt_nlr_equal(a, b);
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

/* The one NLR of all that are equal; `known` borrows them. */
static DtNlr *take_nlr(Job *job, guint plan, const DtFoldPlan *how, GHashTable *known)
{
    if (job->nlr[plan] != NULL)
        return dt_nlr_ref(job->nlr[plan]);
    DtNlr *nlr = dt_loose_nlr_intern(g_steal_pointer(&job->loose[plan]), how->table, how->tree);
    DtNlr *equal = g_hash_table_lookup(known, nlr);
    if (equal != NULL) {
        dt_nlr_free(nlr);
        nlr = dt_nlr_ref(equal);
    } else {
        g_hash_table_add(known, nlr);
    }
    job->nlr[plan] = nlr;
    return nlr;
}

static GPtrArray *take_run(const Fold *fold, guint run, guint plan, GHashTable *known)
{
    GPtrArray *all = g_ptr_array_new_with_free_func((GDestroyNotify)dt_folded_trace_free);
    for (guint i = 0; i < dt_run_trace_count(fold->runs[run]); i++) {
        Job *job = &fold->jobs[fold->job_of[fold->first_trace[run] + i]];
        DtFoldedTrace *folded = g_new(DtFoldedTrace, 1);
        folded->trace = dt_run_trace(fold->runs[run], i);
        folded->nlr = take_nlr(job, plan, &fold->plans[plan], known);
        folded->open = g_array_ref(job->open[plan]);
        folded->problem = g_strdup(job->problem);
        g_ptr_array_add(all, folded);
    }
    return all;
}

static GPtrArray *take_all(const Fold *fold)
{
    GPtrArray *all = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
    g_ptr_array_set_size(all, (gint)(fold->run_count * fold->plan_count));
    for (guint plan = 0; plan < fold->plan_count; plan++) {
        g_autoptr(GHashTable) known = g_hash_table_new(nlr_hash, nlr_equal);
        for (guint run = 0; run < fold->run_count; run++)
            all->pdata[run * fold->plan_count + plan] = take_run(fold, run, plan, known);
    }
    return all;
}

/* FALSE if there is a run of which no trace could be read. */
static gboolean check_failures(const Fold *fold, GError **error)
{
    for (guint run = 0; run < fold->run_count; run++) {
        guint count = dt_run_trace_count(fold->runs[run]), failures = 0;
        const GError *first = NULL;
        for (guint i = 0; i < count; i++) {
            const Job *job = &fold->jobs[fold->job_of[fold->first_trace[run] + i]];
            failures += job->failure != NULL;
            first = first == NULL ? job->failure : first;
        }
        if (failures > 0 && failures == count) {
            g_propagate_error(error, g_error_copy(first));
            return FALSE;
        }
    }
    return TRUE;
}

static void clear_fold(Fold *fold)
{
    for (guint i = 0; i < fold->job_count; i++) {
        Job *job = &fold->jobs[i];
        for (guint p = 0; p < fold->plan_count; p++) {
            dt_loose_nlr_free(job->loose[p]);
            g_clear_pointer(&job->open[p], g_array_unref);
        }
        g_free(job->loose);
        g_free(job->nlr);
        g_free(job->open);
        g_free(job->problem);
        g_clear_error(&job->failure);
    }
    g_free(fold->jobs);
    g_free(fold->first_trace);
    g_free(fold->job_of);
}

/* Nodes of call trees do not travel. */
static gboolean any_call_tree(const DtFoldPlan *plans, guint plan_count)
{
    gboolean any = FALSE;
    for (guint p = 0; p < plan_count; p++)
        any |= plans[p].form == DT_NLR_CALL_TREE;
    return any;
}

GPtrArray *dt_nlr_fold_runs_parallel(const DtParallel *parallel, const DtRun *const *runs, guint run_count,
                                     const DtFoldPlan *plans, guint plan_count, guint jobs, DtFoldProgress progress,
                                     gpointer user_data, GError **error)
{
    if (any_call_tree(plans, plan_count)) {
        if (!dt_parallel_is_root(parallel))
            return g_ptr_array_new();
        parallel = NULL;
    }
    Fold fold = {parallel, runs, run_count, plans, plan_count, .progress = progress, .user_data = user_data};
    fold.workers = jobs > 0 ? jobs : (guint)omp_get_max_threads();
    fold.first_trace = g_new0(guint, run_count + 1);
    for (guint run = 0; run < run_count; run++)
        fold.first_trace[run + 1] = fold.first_trace[run] + dt_run_trace_count(runs[run]);
    fold.trace_count = fold.first_trace[run_count];
    fold.job_of = g_new0(guint, fold.trace_count + 1);
    fold.jobs = g_new0(Job, fold.trace_count + 1);
    find_jobs(&fold);
    do_all_jobs(&fold);
    GPtrArray *all = NULL;
    if (!dt_parallel_is_root(parallel))
        all = g_ptr_array_new();
    else if (check_failures(&fold, error))
        all = take_all(&fold);
    clear_fold(&fold);
    return all;
}

GPtrArray *dt_nlr_fold_runs(const DtRun *const *runs, guint run_count, const DtFoldPlan *plans, guint plan_count,
                            guint jobs, DtFoldProgress progress, gpointer user_data, GError **error)
{
    return dt_nlr_fold_runs_parallel(NULL, runs, run_count, plans, plan_count, jobs, progress, user_data, error);
}

GPtrArray *dt_nlr_fold_run(const DtRun *run, const DtFilterSet *set, guint k, guint min_repeat, guint jobs,
                           DtLoopTable *table, GError **error)
{
    const DtFoldPlan plan = {set, k, min_repeat, table, DT_NLR_PLAIN, NULL};
    g_autoptr(GPtrArray) all = dt_nlr_fold_runs(&run, 1, &plan, 1, jobs, NULL, NULL, error);
    return all != NULL ? g_ptr_array_ref(all->pdata[0]) : NULL;
}
