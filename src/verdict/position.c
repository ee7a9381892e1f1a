/*
 * Both runs folded by their MPI calls, and if need be by all calls, to say in
 * terms of loops where traces part.
 */
#include "verdict/position.h"

G_STATIC_ASSERT(DT_NLR_DEFAULT_K == 1000); /* as the filters say */

/* What was told of two equal pairs of traces is equal. */
typedef struct {
    char *first_difference, *end_position; /* or NULL */
} Told;

struct DtPositions {
    const DtRun *normal, *faulty;
    DtPositionView views[DT_POSITION_VIEWS];
    GHashTable *told[DT_POSITION_VIEWS]; /* by what pair_key() says (GBytes to Told) */
};

const char *dt_position_filter(guint view)
{
    static const char *const filters[DT_POSITION_VIEWS] = {"11.mpiall.0K1000", "11.all.0K1000"};
    return filters[view];
}

static void told_free(gpointer data)
{
    Told *told = data;
    g_free(told->first_difference);
    g_free(told->end_position);
    g_free(told);
}

DtPositions *dt_positions_new(const DtRun *normal, const DtRun *faulty, const DtPositionView *views)
{
    DtPositions *positions = g_new0(DtPositions, 1);
    positions->normal = normal;
    positions->faulty = faulty;
    for (guint i = 0; i < DT_POSITION_VIEWS; i++) {
        positions->views[i] = views[i];
        positions->told[i] =
            g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, told_free);
    }
    return positions;
}

void dt_positions_free(DtPositions *positions)
{
    if (!positions)
        return;
    for (guint i = 0; i < DT_POSITION_VIEWS; i++)
        g_hash_table_unref(positions->told[i]);
    g_free(positions);
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

static const Told *tell_pair(GHashTable *all, const DtFoldedTrace *normal, const DtFoldedTrace *faulty,
                             const DtFunctions *functions)
{
    GBytes *key = pair_key(normal, faulty);
    Told *told = g_hash_table_lookup(all, key);
    if (told) {
        g_bytes_unref(key);
        return told;
    }
    g_autoptr(DtDiffNlr) diff = dt_diffnlr_new(normal, faulty);
    told = g_new0(Told, 1);
    told->end_position = dt_diffnlr_end_position(diff, functions);
    if (normal != faulty)
        told->first_difference = dt_diffnlr_first_difference(diff, functions);
    g_hash_table_insert(all, key, told);
    return told;
}

/* Tells the difference under one view; TRUE if there is one. */
static gboolean tell_view(const DtPositions *positions, guint number, const DtTrace *trace, char **first_difference,
                          char **end_position)
{
    const DtPositionView *view = &positions->views[number];
    const DtFunctions *functions = dt_run_functions(positions->faulty);
    const DtTrace *normal_trace = positions->normal ? dt_run_find_trace(positions->normal, trace->label) : NULL;
    const DtFoldedTrace *faulty = g_ptr_array_index(view->faulty, trace->index);
    const DtFoldedTrace *normal = normal_trace ? g_ptr_array_index(view->normal, normal_trace->index) : faulty;
    const Told *told = tell_pair(positions->told[number], normal, faulty, functions);
    if (!*end_position)
        *end_position = g_strdup(told->end_position);
    if (!normal_trace)
        return *end_position != NULL;
    *first_difference = g_strdup(told->first_difference);
    return *first_difference != NULL;
}

void dt_positions_find(DtPositions *positions, const DtTrace *faulty, char **first_difference, char **end_position)
{
    *first_difference = NULL;
    *end_position = NULL;
    for (guint i = 0; i < DT_POSITION_VIEWS; i++) {
        if (positions->views[i].faulty && tell_view(positions, i, faulty, first_difference, end_position))
            break;
    }
}
