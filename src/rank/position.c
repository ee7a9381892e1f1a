/*
 * Folds both runs, by their MPI calls and if need be by all calls, to say in
 * terms of loops where traces part.
 */
#include "rank/position.h"

enum { VIEWS = 2 };

/* Both runs folded under one filter. */
typedef struct {
    gboolean tried; /* nothing is there if the filter keeps nothing */
    DtLoopTable *table;
    GPtrArray *normal, *faulty; /* (element-type DtFoldedTrace) */
} View;

struct DtPositions {
    const DtRun *normal, *faulty;
    guint jobs;
    View views[VIEWS];
};

static const char *const view_filters[VIEWS] = {"11.mpiall", "11.all"};

DtPositions *dt_positions_new(const DtRun *normal, const DtRun *faulty, guint jobs)
{
    DtPositions *positions = g_new0(DtPositions, 1);
    positions->normal = normal;
    positions->faulty = faulty;
    positions->jobs = jobs;
    return positions;
}

void dt_positions_free(DtPositions *positions)
{
    if (!positions)
        return;
    for (guint i = 0; i < VIEWS; ++i) {
        g_clear_pointer(&positions->views[i].normal, g_ptr_array_unref);
        g_clear_pointer(&positions->views[i].faulty, g_ptr_array_unref);
        g_clear_pointer(&positions->views[i].table, dt_loop_table_free);
    }
    g_free(positions);
}

static gboolean fold(DtPositions *positions, guint index, GError **error)
{
    View *view = &positions->views[index];
    if (view->tried)
        return TRUE;
    view->tried = TRUE;
    g_autoptr(DtFilter) filter = dt_filter_parse(view_filters[index], error);
    if (!filter)
        return FALSE;
    g_autoptr(DtFilterSet) set = dt_filter_compile(filter, dt_run_functions(positions->faulty), error);
    if (!set)
        return FALSE;
    if (dt_filter_set_count(set) == 0)
        return TRUE;
    view->table = dt_loop_table_new();
    if (positions->normal) {
        view->normal = dt_nlr_fold_run(positions->normal, set, DT_NLR_DEFAULT_K, DT_NLR_DEFAULT_MIN_REPEAT,
                                       positions->jobs, view->table, error);
        if (!view->normal)
            return FALSE;
    }
    view->faulty = dt_nlr_fold_run(positions->faulty, set, DT_NLR_DEFAULT_K, DT_NLR_DEFAULT_MIN_REPEAT, positions->jobs,
                                   view->table, error);
    return view->faulty != NULL;
}

/* Tells the difference under one view; TRUE if there is one. */
static gboolean tell(const DtPositions *positions, const View *view, const DtTrace *trace, char **first_difference,
                     char **end_position)
{
    const DtFunctions *functions = dt_run_functions(positions->faulty);
    const DtTrace *normal_trace = positions->normal ? dt_run_find_trace(positions->normal, trace->label) : NULL;
    const DtFoldedTrace *faulty = g_ptr_array_index(view->faulty, trace->index);
    const DtFoldedTrace *normal = normal_trace ? g_ptr_array_index(view->normal, normal_trace->index) : faulty;
    g_autoptr(DtDiffNlr) diff = dt_diffnlr_new(normal, faulty);
    if (!*end_position)
        *end_position = dt_diffnlr_end_position(diff, functions);
    if (!normal_trace)
        return *end_position != NULL;
    *first_difference = dt_diffnlr_first_difference(diff, functions);
    return *first_difference != NULL;
}

gboolean dt_positions_find(DtPositions *positions, const DtTrace *faulty, char **first_difference, char **end_position,
                           GError **error)
{
    *first_difference = NULL;
    *end_position = NULL;
    for (guint i = 0; i < VIEWS; ++i) {
        if (!fold(positions, i, error))
            return FALSE;
        const View *view = &positions->views[i];
        if (view->faulty && tell(positions, view, faulty, first_difference, end_position))
            break;
    }
    return TRUE;
}
