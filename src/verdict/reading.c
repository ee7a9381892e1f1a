/* The verdict by itself: a pass of its own. */
#include "verdict/reading.h"

#include "nlr/fold_pass.h"

/* Both runs folded as positions are told. */
typedef struct {
    DtFoldPlan plans[DT_POSITION_VIEWS];
    DtFold *fold;
} Views;

static void views_clear(Views *views)
{
    g_clear_pointer(&views->fold, dt_fold_free);
    for (guint i = 0; i < DT_POSITION_VIEWS; i++) {
        dt_filter_set_free((DtFilterSet *)views->plans[i].set);
        dt_loop_table_free(views->plans[i].table);
    }
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Views, views_clear)

static gboolean add_views(Views *views, DtPass *pass, const DtVerdictRuns *runs, GError **error)
{
    const guint both[] = {0, runs->normals->len};
    for (guint i = 0; i < DT_POSITION_VIEWS; i++) {
        g_autoptr(DtFilter) filter = dt_filter_parse(dt_position_filter(i), error);
        DtFoldPlan *plan = &views->plans[i];
        if (!filter || !(plan->set = dt_filter_compile(filter, dt_run_functions(runs->faulty), error)))
            return FALSE;
        plan->k = dt_filter_k(filter, DT_NLR_DEFAULT_K);
        plan->min_repeat = DT_NLR_DEFAULT_MIN_REPEAT;
        plan->table = dt_loop_table_new();
    }
    gboolean alone = runs->normals->len == 0;
    views->fold = dt_fold_new(NULL, pass, both, alone ? 1 : 2, views->plans, DT_POSITION_VIEWS, NULL, NULL);
    return TRUE;
}

DtVerdict *dt_verdict_new(const DtVerdictRuns *runs, guint jobs, GError **error)
{
    const guint count = runs->normals->len + 1;
    g_autofree const DtRun **all = g_new(const DtRun *, count);
    for (guint i = 0; i + 1 < count; i++)
        all[i] = g_ptr_array_index(runs->normals, i);
    all[count - 1] = runs->faulty;
    g_autoptr(DtPass) pass = dt_pass_new(NULL, all, count, jobs);
    g_autoptr(DtVerdictReading) reading = dt_verdict_reading_new(pass, runs);
    g_auto(Views) views = {0};
    if (!add_views(&views, pass, runs, error))
        return NULL;
    dt_pass_read(pass, NULL, NULL);
    g_autoptr(GPtrArray) folded = dt_fold_take(views.fold, error);
    DtPositionView told[DT_POSITION_VIEWS];
    for (guint i = 0; folded && i < DT_POSITION_VIEWS; i++) {
        told[i].normal = count > 1 ? g_ptr_array_index(folded, i) : NULL;
        told[i].faulty = g_ptr_array_index(folded, (count > 1 ? DT_POSITION_VIEWS : 0) + i);
    }
    return folded ? dt_verdict_of_reading(reading, told, error) : NULL;
}
