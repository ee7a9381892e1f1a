/*
 * Folds both runs, by their MPI calls and if need be by all calls, to say in
 * terms of loops where traces part.
 */
#include "verdict/position.h"

enum { VIEWS = 2 };

/* What was told of two equal pairs of traces is equal. */
typedef struct {
    char *first_difference, *end_position; /* or NULL */
} Told;

/* Both runs folded under one filter. */
typedef struct {
    gboolean tried; /* nothing is there if the filter keeps nothing */
    DtLoopTable *table;
    GPtrArray *normal, *faulty; /* (element-type DtFoldedTrace) */
    GHashTable *told;           /* by what pair_key() says (GBytes to Told) */
} View;

struct DtPositions {
    const DtRun *normal, *faulty;
    guint jobs;
    View views[VIEWS];
};

static const char *const view_filters[VIEWS] = {"11.mpiall", "11.all"};

static void told_free(gpointer data)
{
    Told *told = data;
    g_free(told->first_difference);
    g_free(told->end_position);
    g_free(told);
}

DtPositions *dt_positions_new(const DtRun *normal, const DtRun *faulty, guint jobs)
{
    DtPositions *positions = g_new0(DtPositions, 1);
    positions->normal = normal;
    positions->faulty = faulty;
    positions->jobs = jobs;
    for (guint i = 0; i < VIEWS; ++i)
        positions->views[i].told =
            g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, told_free);
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
        g_hash_table_unref(positions->views[i].told);
    }
    g_free(positions);
}

static gboolean fold_view(DtPositions *positions, guint index, GError **error)
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

/* Equal sequences are one, so that their addresses tell them; what is open comes after. */
static GBytes *pair_key(const DtFoldedTrace *normal, const DtFoldedTrace *faulty)
{
    const gconstpointer ends[] = {normal->nlr, faulty->nlr, GUINT_TO_POINTER(normal->open->len)};
    g_autoptr(GByteArray) key = g_byte_array_new();
    g_byte_array_append(key, (const guint8 *)ends, sizeof ends);
    g_byte_array_append(key, (const guint8 *)normal->open->data, normal->open->len * (guint)sizeof(guint32));
    g_byte_array_append(key, (const guint8 *)faulty->open->data, faulty->open->len * (guint)sizeof(guint32));
    return g_byte_array_free_to_bytes(g_steal_pointer(&key));
}

static const Told *tell_pair(const View *view, const DtFoldedTrace *normal, const DtFoldedTrace *faulty,
                             const DtFunctions *functions)
{
    GBytes *key = pair_key(normal, faulty);
    Told *told = g_hash_table_lookup(view->told, key);
    if (told) {
        g_bytes_unref(key);
        return told;
    }
    g_autoptr(DtDiffNlr) diff = dt_diffnlr_new(normal, faulty);
    told = g_new0(Told, 1);
    told->end_position = dt_diffnlr_end_position(diff, functions);
    if (normal != faulty)
        told->first_difference = dt_diffnlr_first_difference(diff, functions);
    g_hash_table_insert(view->told, key, told);
    return told;
}

/* Tells the difference under one view; TRUE if there is one. */
static gboolean tell_view(const DtPositions *positions, const View *view, const DtTrace *trace, char **first_difference,
                          char **end_position)
{
    const DtFunctions *functions = dt_run_functions(positions->faulty);
    const DtTrace *normal_trace = positions->normal ? dt_run_find_trace(positions->normal, trace->label) : NULL;
    const DtFoldedTrace *faulty = g_ptr_array_index(view->faulty, trace->index);
    const DtFoldedTrace *normal = normal_trace ? g_ptr_array_index(view->normal, normal_trace->index) : faulty;
    const Told *told = tell_pair(view, normal, faulty, functions);
    if (!*end_position)
        *end_position = g_strdup(told->end_position);
    if (!normal_trace)
        return *end_position != NULL;
    *first_difference = g_strdup(told->first_difference);
    return *first_difference != NULL;
}

gboolean dt_positions_find(DtPositions *positions, const DtTrace *faulty, char **first_difference, char **end_position,
                           GError **error)
{
    *first_difference = NULL;
    *end_position = NULL;
    for (guint i = 0; i < VIEWS; ++i) {
        if (!fold_view(positions, i, error))
            return FALSE;
        const View *view = &positions->views[i];
        if (view->faulty && tell_view(positions, view, faulty, first_difference, end_position))
            break;
    }
    return TRUE;
}
