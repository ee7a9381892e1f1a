/* One pass over the runs of a comparison, for all that it needs of them. */
#include "compare/reading.h"

#include "nlr/fold_pass.h"
#include "verdict/reading.h"

struct DtReading {
    const DtRuns *runs;
    DtPass *pass;
    GPtrArray *foldings; /* (element-type DtFolding) by filter, then for positions alone */
    const DtFolding *views[DT_POSITION_VIEWS];
    guint filters;             /* so many of the foldings are by filter */
    GArray *plans;             /* (element-type DtFoldPlan) of the foldings */
    GPtrArray *sets;           /* (element-type DtFilterSet) of all plans */
    GPtrArray *notations;      /* (element-type utf8) by filter */
    DtFold *names, *arguments; /* arguments NULL: not asked for, or not recorded */
    DtVerdictReading *verdict; /* NULL: not asked for */
};

static guint run_number(const DtReading *reading, DtSide of)
{
    return of == DT_SIDE_NORMAL ? 0 : reading->runs->normals->len;
}

/* ---- plans ------------------------------------------------------------------------- */

static gboolean add_folding(DtReading *reading, const DtFilter *filter, guint k, DtLoops loops, GError **error)
{
    DtFoldPlan plan = {0};
    DtFolding *folding = dt_folding_prepare(reading->runs, filter, k, loops, &plan, error);
    if (!folding)
        return FALSE;
    g_ptr_array_add(reading->foldings, folding);
    g_ptr_array_add(reading->sets, (gpointer)plan.set);
    g_array_append_val(reading->plans, plan);
    return TRUE;
}

static const DtFolding *find_view(const DtReading *reading, const char *notation)
{
    for (guint i = 0; i < reading->foldings->len; i++) {
        const DtFolding *folding = reading->foldings->pdata[i];
        if (folding->loops.form == DT_NLR_PLAIN && folding->loops.min_repeat == DT_NLR_DEFAULT_MIN_REPEAT &&
            folding->loops.projection == DT_NAMES_ALONE && g_str_equal(folding->filter, notation))
            return folding;
    }
    return NULL;
}

/* Positions are told by two filters, whichever are swept. */
static gboolean add_views(DtReading *reading, GError **error)
{
    static const DtLoops plain = {DT_NLR_DEFAULT_MIN_REPEAT, DT_NLR_PLAIN, DT_NAMES_ALONE};
    for (guint i = 0; i < DT_POSITION_VIEWS; i++) {
        if ((reading->views[i] = find_view(reading, dt_position_filter(i))))
            continue;
        g_autoptr(DtFilter) filter = dt_filter_parse(dt_position_filter(i), error);
        if (!filter || !add_folding(reading, filter, DT_NLR_DEFAULT_K, plain, error))
            return FALSE;
        reading->views[i] = reading->foldings->pdata[reading->foldings->len - 1];
    }
    return TRUE;
}

static gboolean add_foldings(DtReading *reading, const GPtrArray *filters, guint k, DtLoops loops,
                             const DtReadingWants *wants, GError **error)
{
    for (guint i = 0; i < filters->len; i++) {
        if (!add_folding(reading, filters->pdata[i], k, loops, error))
            return FALSE;
        g_ptr_array_add(reading->notations, g_strdup(((DtFolding *)reading->foldings->pdata[i])->filter));
    }
    reading->filters = filters->len;
    return !wants->verdict || add_views(reading, error);
}

/* ---- arguments ------------------------------------------------------------------------ */

/* Only what is in both runs and differs may have a difference to be shown, and only of the application's threads. */
static gboolean may_differ(const DtTrace *trace, gpointer user_data)
{
    const DtReading *reading = user_data;
    const DtTrace *normal = dt_run_find_trace(reading->runs->normal, trace->label);
    const DtTrace *faulty = dt_run_find_trace(reading->runs->faulty, trace->label);
    return normal && faulty && !trace->library && MAX(normal->words, faulty->words) <= DT_ARGUMENT_DIFF_WORDS &&
           dt_pass_find(reading->pass, 0, normal->index) !=
               dt_pass_find(reading->pass, run_number(reading, DT_SIDE_FAULTY), faulty->index);
}

static void add_arguments(DtReading *reading, const DtParallel *parallel, const guint *numbers)
{
    g_autofree DtFoldPlan *plans = g_new0(DtFoldPlan, reading->filters);
    for (guint i = 0; i < reading->filters; i++) {
        plans[i] = g_array_index(reading->plans, DtFoldPlan, i);
        plans[i].form = DT_NLR_PLAIN;
        plans[i].projection = DT_NAMES_WITH_ARGUMENTS;
    }
    reading->arguments = dt_fold_new(parallel, reading->pass, numbers, 2, plans, reading->filters, may_differ, reading);
    dt_fold_share_as(reading->arguments, reading->names);
}

DtFoldedTrace *dt_reading_with_arguments(const DtReading *reading, const char *notation, DtSide of, const char *label,
                                         DtLoopTable *table)
{
    guint plan;
    const DtRun *run = of == DT_SIDE_NORMAL ? reading->runs->normal : reading->runs->faulty;
    if (!reading->arguments || !g_ptr_array_find_with_equal_func(reading->notations, notation, g_str_equal, &plan))
        return NULL;
    return dt_fold_take_one(reading->arguments, plan, of == DT_SIDE_NORMAL ? 0 : 1, dt_run_find_trace(run, label),
                            table);
}

/* ---- reading ----------------------------------------------------------------------------- */

static void start_pass(DtReading *reading, const DtParallel *parallel, guint jobs)
{
    const DtRuns *runs = reading->runs;
    g_autoptr(GPtrArray) all = g_ptr_array_copy(runs->normals, NULL, NULL);
    g_ptr_array_set_free_func(all, NULL);
    g_ptr_array_add(all, runs->faulty);
    reading->pass = dt_pass_new(parallel, (const DtRun *const *)all->pdata, all->len, jobs);
}

/* Each member folds a share; the verdict is the root's. */
static void add_consumers(DtReading *reading, const DtParallel *parallel, const DtReadingWants *wants)
{
    const DtRuns *runs = reading->runs;
    const guint numbers[] = {0, run_number(reading, DT_SIDE_FAULTY)};
    const gboolean alone = !runs->normal;
    reading->names =
        dt_fold_new(parallel, reading->pass, numbers, alone ? 1 : 2,
                    (const DtFoldPlan *)(const void *)reading->plans->data, reading->plans->len, NULL, NULL);
    if (wants->argument_diffs && !wants->names_alone && !alone && dt_functions_have_signatures(runs->functions))
        add_arguments(reading, parallel, numbers);
    if (wants->verdict && dt_parallel_is_root(parallel))
        reading->verdict = dt_verdict_reading_new(
            reading->pass, &(DtVerdictRuns){runs->normals, runs->faulty, wants->names_alone, wants->no_times});
}

static void tell_progress(guint64 done, guint64 all, gpointer listener)
{
    dt_compare_progress(listener, "reading", done, all);
}

static gboolean all_empty(const GPtrArray *folded)
{
    for (guint i = 0; folded && i < folded->len; i++) {
        if (dt_nlr_symbols(((const DtFoldedTrace *)folded->pdata[i])->nlr) > 0)
            return FALSE;
    }
    return TRUE;
}

static gboolean take_names(DtReading *reading, GError **error)
{
    g_autoptr(GPtrArray) folded = dt_fold_take(reading->names, error);
    const guint count = reading->foldings->len, faulty = reading->runs->normal ? count : 0;
    for (guint i = 0; folded && folded->len > 0 && i < count; i++) {
        DtFolding *folding = reading->foldings->pdata[i];
        if (reading->runs->normal)
            folding->normal = g_ptr_array_ref(folded->pdata[i]);
        folding->faulty = g_ptr_array_ref(folded->pdata[faulty + i]);
        folding->empty = all_empty(folding->normal) && all_empty(folding->faulty);
    }
    if (folded && folded->len == 0)
        g_ptr_array_set_size(reading->foldings, 0);
    return folded != NULL;
}

DtReading *dt_reading_new(const DtRuns *runs, const DtParallel *parallel, const GPtrArray *filters, guint k,
                          DtLoops loops, guint jobs, const DtReadingWants *wants, GError **error)
{
    g_autoptr(DtReading) reading = g_new0(DtReading, 1);
    reading->runs = runs;
    reading->foldings = g_ptr_array_new_with_free_func((GDestroyNotify)dt_folding_free);
    reading->sets = g_ptr_array_new_with_free_func((GDestroyNotify)dt_filter_set_free);
    reading->plans = g_array_new(FALSE, FALSE, sizeof(DtFoldPlan));
    reading->notations = g_ptr_array_new_with_free_func(g_free);
    if (!add_foldings(reading, filters, k, loops, wants, error))
        return NULL;
    if (!dt_fold_plans_travel((const DtFoldPlan *)(const void *)reading->plans->data, reading->plans->len)) {
        if (!dt_parallel_is_root(parallel)) {
            g_ptr_array_set_size(reading->foldings, 0);
            return g_steal_pointer(&reading);
        }
        parallel = NULL;
    }
    tell_progress(0, 1, (gpointer)runs->listener);
    start_pass(reading, parallel, jobs);
    add_consumers(reading, parallel, wants);
    dt_pass_read(reading->pass, tell_progress, (gpointer)runs->listener);
    if (reading->arguments)
        dt_fold_gather_all(reading->arguments);
    gboolean taken = take_names(reading, error);
    dt_compare_progress(runs->listener, NULL, 0, 0);
    return taken ? g_steal_pointer(&reading) : NULL;
}

void dt_reading_free(DtReading *reading)
{
    if (!reading)
        return;
    dt_fold_free(reading->names);
    dt_fold_free(reading->arguments);
    dt_verdict_reading_free(reading->verdict);
    dt_pass_free(reading->pass);
    g_ptr_array_unref(reading->foldings);
    g_ptr_array_unref(reading->sets);
    g_ptr_array_unref(reading->notations);
    g_array_unref(reading->plans);
    g_free(reading);
}

/* ---- what was read ----------------------------------------------------------------------------- */

GPtrArray *dt_reading_take_foldings(DtReading *reading)
{
    GPtrArray *taken = g_ptr_array_new_with_free_func((GDestroyNotify)dt_folding_free);
    for (guint i = 0; i < reading->filters && reading->foldings->len > 0; i++)
        g_ptr_array_add(taken, g_ptr_array_steal_index(reading->foldings, 0));
    return taken;
}

DtVerdict *dt_reading_verdict(DtReading *reading, GError **error)
{
    DtPositionView views[DT_POSITION_VIEWS];
    for (guint i = 0; i < DT_POSITION_VIEWS; i++)
        views[i] = (DtPositionView){reading->views[i]->normal, reading->views[i]->faulty};
    return dt_verdict_of_reading(reading->verdict, views, error);
}

const DtDistinctTrace *dt_reading_find(const DtReading *reading, DtSide of, const DtTrace *trace)
{
    const DtDistinctTrace *found = dt_pass_find(reading->pass, run_number(reading, of), trace->index);
    if (!found->was_read)
        found = dt_pass_get(reading->pass, found->by_names);
    return found->was_read ? found : NULL;
}
