/*
 * Filtering and folding all traces of runs, in parallel; sharing what is equal, and
 * numbering bodies in order.
 */
#include "base/debug.h"
#include "filters/taps.h"
#include "nlr/call_tree.h"
#include "nlr/fold_job.h"
#include "nlr/fold_pass.h"
#include "nlr/sequence.h"

G_STATIC_ASSERT(DT_NLR_MAX_K == DT_FILTER_MAX_K);

typedef DtFoldJob Job;

struct DtFold {
    const DtParallel *parallel; /* NULL: alone */
    DtPass *pass;
    guint *runs; /* their numbers in the pass */
    guint run_count;
    DtFoldPlan *plans;
    guint plan_count;
    DtProjection projection;
    Job *jobs;        /* by distinct trace; those that are wanted */
    guint *member_of; /* who does which of them; NULL: alone */
};

/* ---- what is to be folded ----------------------------------------------------------------- */

static const DtRun *run_at(const DtFold *fold, guint run)
{
    return dt_pass_run(fold->pass, fold->runs[run]);
}

static Job *job_of(const DtFold *fold, guint run, guint trace)
{
    const DtDistinctTrace *distinct = dt_pass_find(fold->pass, fold->runs[run], trace);
    return &fold->jobs[fold->projection == DT_NAMES_ALONE ? distinct->by_names : distinct->number];
}

static void start_job(const DtFold *fold, Job *job)
{
    if (job->loose)
        return;
    job->loose = g_new0(DtLooseNlr *, fold->plan_count);
    job->nlr = g_new0(DtNlr *, fold->plan_count);
    job->open = g_new0(GArray *, fold->plan_count);
}

static void find_jobs(DtFold *fold, DtFoldWants wants, gpointer user_data)
{
    guint traces = 0;
    fold->jobs = g_new0(Job, (gsize)dt_pass_count(fold->pass) + 1);
    for (guint run = 0; run < fold->run_count; run++) {
        for (guint i = 0; i < dt_run_trace_count(run_at(fold, run)); i++) {
            if (wants && !wants(dt_run_trace(run_at(fold, run), i), user_data))
                continue;
            start_job(fold, job_of(fold, run, i));
            traces++;
        }
    }
    dt_debug(DT_DEBUG_FOLD, "%u traces in %u ways, %s; %u are distinct in the pass", traces, fold->plan_count,
             fold->projection == DT_NAMES_ALONE ? "by names" : "with arguments", dt_pass_count(fold->pass));
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
    const DtFold *fold;
    DtNlrFolder **folders;
    DtTreeBuilder **builders; /* NULL: no call tree */
    DtTaps *taps;             /* of the trace at hand */
} Worker;

static gpointer start_worker(gpointer consumer)
{
    const DtFold *fold = consumer;
    Worker *worker = g_new0(Worker, 1);
    worker->fold = fold;
    worker->folders = g_new0(DtNlrFolder *, fold->plan_count);
    worker->builders = g_new0(DtTreeBuilder *, fold->plan_count);
    for (guint p = 0; p < fold->plan_count; p++) {
        const DtFoldPlan *plan = &fold->plans[p];
        worker->folders[p] = dt_nlr_folder_new(plan->k, plan->min_repeat);
        if (plan->form == DT_NLR_CALL_TREE)
            worker->builders[p] = dt_tree_builder_new(worker->folders[p], plan->k, plan->min_repeat);
    }
    return worker;
}

static void stop_worker(gpointer thread)
{
    Worker *worker = thread;
    for (guint p = 0; p < worker->fold->plan_count; p++) {
        dt_tree_builder_free(worker->builders[p]);
        dt_nlr_folder_free(worker->folders[p]);
    }
    g_free(worker->folders);
    g_free(worker->builders);
    g_free(worker);
}

static DtFilterTap tap_of(const Worker *worker, guint plan, GArray *open)
{
    const DtFilterSet *set = worker->fold->plans[plan].set;
    const DtProjection projection = worker->fold->projection;
    if (!worker->builders[plan])
        return (DtFilterTap){set, fold_symbols, worker->folders[plan], open, repeat_symbols, FALSE, projection};
    return (DtFilterTap){set,       dt_tree_builder_take, worker->builders[plan], open, dt_tree_builder_repeat, TRUE,
                         projection};
}

static gboolean begin_job(gpointer thread, const DtDistinctTrace *distinct)
{
    Worker *worker = thread;
    const DtFold *fold = worker->fold;
    Job *job = &fold->jobs[distinct->number];
    if (!job->loose || (fold->member_of && fold->member_of[distinct->number] != fold->parallel->rank))
        return FALSE;
    g_autofree DtFilterTap *taps = g_new0(DtFilterTap, fold->plan_count);
    for (guint p = 0; p < fold->plan_count; p++) {
        job->open[p] = g_array_new(FALSE, FALSE, sizeof(guint32));
        taps[p] = tap_of(worker, p, job->open[p]);
    }
    worker->taps = dt_taps_new(taps, fold->plan_count);
    return TRUE;
}

static void follow_job(gpointer thread, const DtCallBatch *batch)
{
    dt_taps_follow(((Worker *)thread)->taps, batch);
}

static void give_forms(const DtFold *fold, Job *job)
{
    for (guint p = 0; p < fold->plan_count; p++) {
        const DtFoldPlan *plan = &fold->plans[p];
        if (plan->form == DT_NLR_COUNT_BLIND)
            job->loose[p] = dt_loose_nlr_count_blind(job->loose[p], plan->k, plan->min_repeat);
    }
}

static void end_job(gpointer thread, const DtDistinctTrace *distinct)
{
    Worker *worker = thread;
    const DtFold *fold = worker->fold;
    Job *job = &fold->jobs[distinct->number];
    dt_taps_finish(worker->taps, (const guint32 *)(const void *)distinct->open->data, distinct->open->len,
                   dt_run_functions(distinct->run));
    job->problem = g_strdup(distinct->problem);
    job->failure = distinct->failure ? g_error_copy(distinct->failure) : NULL;
    for (guint p = 0; p < fold->plan_count; p++)
        job->loose[p] = worker->builders[p] ? dt_tree_builder_finish(worker->builders[p])
                                            : dt_nlr_folder_finish_loose(worker->folders[p]);
    if (!fold->parallel)
        give_forms(fold, job);
}

static void gather_jobs(DtFold *fold)
{
    const guint count = dt_pass_count(fold->pass);
    dt_fold_gather(fold->parallel, fold->jobs, count, fold->member_of, fold->plan_count);
#pragma omp parallel for schedule(dynamic) num_threads((int)dt_pass_jobs(fold->pass))
    for (guint i = 0; i < (dt_parallel_is_root(fold->parallel) ? count : 0); i++) {
        if (fold->jobs[i].loose)
            give_forms(fold, &fold->jobs[i]);
    }
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
    if (!folded)
        return;
    dt_nlr_free(folded->nlr);
    g_array_unref(folded->open);
    g_free(folded->problem);
    g_free(folded);
}

/* The one NLR of all that are equal; `known` borrows them. */
static DtNlr *take_nlr(Job *job, guint plan, const DtFoldPlan *how, GHashTable *known)
{
    if (job->nlr[plan])
        return dt_nlr_ref(job->nlr[plan]);
    DtNlr *nlr = dt_loose_nlr_intern(g_steal_pointer(&job->loose[plan]), how->table, how->tree);
    DtNlr *equal = g_hash_table_lookup(known, nlr);
    if (equal) {
        dt_nlr_free(nlr);
        nlr = dt_nlr_ref(equal);
    } else {
        g_hash_table_add(known, nlr);
    }
    job->nlr[plan] = nlr;
    return nlr;
}

static GPtrArray *take_run(const DtFold *fold, guint run, guint plan, GHashTable *known)
{
    GPtrArray *all = g_ptr_array_new_with_free_func((GDestroyNotify)dt_folded_trace_free);
    for (guint i = 0; i < dt_run_trace_count(run_at(fold, run)); i++) {
        Job *job = job_of(fold, run, i);
        DtFoldedTrace *folded = g_new(DtFoldedTrace, 1);
        folded->trace = dt_run_trace(run_at(fold, run), i);
        folded->nlr = take_nlr(job, plan, &fold->plans[plan], known);
        folded->open = g_array_ref(job->open[plan]);
        folded->problem = g_strdup(job->problem);
        g_ptr_array_add(all, folded);
    }
    return all;
}

static GPtrArray *take_all(const DtFold *fold)
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
static gboolean check_failures(const DtFold *fold, GError **error)
{
    for (guint run = 0; run < fold->run_count; run++) {
        guint count = dt_run_trace_count(run_at(fold, run)), failures = 0;
        const GError *first = NULL;
        for (guint i = 0; i < count; i++) {
            const Job *job = job_of(fold, run, i);
            failures += job->failure != NULL;
            first = !first ? job->failure : first;
        }
        if (failures > 0 && failures == count) {
            g_propagate_error(error, g_error_copy(first));
            return FALSE;
        }
    }
    return TRUE;
}

/* ---- life ------------------------------------------------------------------------------------- */

DtFold *dt_fold_new(const DtParallel *parallel, DtPass *pass, const guint *runs, guint run_count,
                    const DtFoldPlan *plans, guint plan_count, DtFoldWants wants, gpointer user_data)
{
    DtFold *fold = g_new0(DtFold, 1);
    fold->parallel = parallel;
    fold->pass = pass;
    fold->runs = g_memdup2(runs, run_count * sizeof *runs);
    fold->run_count = run_count;
    fold->plans = g_memdup2(plans, plan_count * sizeof *plans);
    fold->plan_count = plan_count;
    fold->projection = plan_count > 0 ? plans[0].projection : DT_NAMES_ALONE;
    find_jobs(fold, wants, user_data);
    if (parallel)
        fold->member_of = dt_fold_assign(parallel, fold->jobs, pass);
    dt_pass_add(pass, &(DtEventConsumer){start_worker, begin_job, follow_job, end_job, stop_worker, fold});
    return fold;
}

void dt_fold_free(DtFold *fold)
{
    if (!fold)
        return;
    for (guint i = 0; i < dt_pass_count(fold->pass); i++) {
        Job *job = &fold->jobs[i];
        for (guint p = 0; p < (job->loose ? fold->plan_count : 0); p++) {
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
    g_free(fold->runs);
    g_free(fold->plans);
    g_free(fold->member_of);
    g_free(fold);
}

void dt_fold_share_as(DtFold *fold, const DtFold *other)
{
    for (guint i = 0; fold->parallel && i < dt_pass_count(fold->pass); i++)
        fold->member_of[i] = other->member_of[dt_pass_get(fold->pass, i)->by_names];
}

void dt_fold_gather_all(DtFold *fold)
{
    if (fold->parallel)
        gather_jobs(fold);
}

GPtrArray *dt_fold_take(DtFold *fold, GError **error)
{
    dt_fold_gather_all(fold);
    if (!dt_parallel_is_root(fold->parallel))
        return g_ptr_array_new();
    return check_failures(fold, error) ? take_all(fold) : NULL;
}

DtFoldedTrace *dt_fold_take_one(const DtFold *fold, guint plan, guint run, const DtTrace *trace, DtLoopTable *table)
{
    const Job *job = job_of(fold, run, trace->index);
    if (!job->loose || job->failure)
        return NULL;
    DtFoldedTrace *folded = g_new0(DtFoldedTrace, 1);
    const DtLooseNlr *kept = job->loose[plan];
    folded->trace = trace;
    folded->nlr =
        dt_loose_nlr_intern(dt_loose_nlr_new(dt_loose_nlr_bodies(kept), dt_loose_nlr_elements(kept)), table, NULL);
    folded->open = g_array_ref(job->open[plan]);
    folded->problem = g_strdup(job->problem);
    return folded;
}

gboolean dt_fold_plans_travel(const DtFoldPlan *plans, guint plan_count)
{
    gboolean any = FALSE;
    for (guint p = 0; p < plan_count; p++)
        any |= plans[p].form == DT_NLR_CALL_TREE;
    return !any;
}

/* ---- alone in a pass ---------------------------------------------------------------------------- */

GPtrArray *dt_nlr_fold_runs_parallel(const DtParallel *parallel, const DtRun *const *runs, guint run_count,
                                     const DtFoldPlan *plans, guint plan_count, guint jobs, DtFoldProgress progress,
                                     gpointer user_data, GError **error)
{
    if (!dt_fold_plans_travel(plans, plan_count)) {
        if (!dt_parallel_is_root(parallel))
            return g_ptr_array_new();
        parallel = NULL;
    }
    g_autofree guint *all = g_new(guint, run_count);
    for (guint run = 0; run < run_count; run++)
        all[run] = run;
    g_autoptr(DtPass) pass = dt_pass_new(parallel, runs, run_count, jobs);
    g_autoptr(DtFold) fold = dt_fold_new(parallel, pass, all, run_count, plans, plan_count, NULL, NULL);
    dt_pass_read(pass, progress, user_data);
    return dt_fold_take(fold, error);
}

GPtrArray *dt_nlr_fold_runs(const DtRun *const *runs, guint run_count, const DtFoldPlan *plans, guint plan_count,
                            guint jobs, DtFoldProgress progress, gpointer user_data, GError **error)
{
    return dt_nlr_fold_runs_parallel(NULL, runs, run_count, plans, plan_count, jobs, progress, user_data, error);
}

GPtrArray *dt_nlr_fold_run(const DtRun *run, const DtFilterSet *set, guint k, guint min_repeat, guint jobs,
                           DtLoopTable *table, GError **error)
{
    const DtFoldPlan plan = {.set = set, .k = k, .min_repeat = min_repeat, .table = table, .form = DT_NLR_PLAIN};
    g_autoptr(GPtrArray) all = dt_nlr_fold_runs(&run, 1, &plan, 1, jobs, NULL, NULL, error);
    return all ? g_ptr_array_ref(all->pdata[0]) : NULL;
}
