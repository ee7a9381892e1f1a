/* From the runs to one row of the ranking table, stage by stage. */
#include "compare/reading.h"
#include "text/text.h"

/* ---- folding --------------------------------------------------------------------- */

DtFolding *dt_folding_prepare(const DtRuns *runs, const DtFilter *filter, guint k, DtLoops loops, DtFoldPlan *plan,
                              GError **error)
{
    plan->set = dt_filter_compile(filter, runs->functions, error);
    if (!plan->set)
        return NULL;
    DtFolding *folding = g_new0(DtFolding, 1);
    folding->k = plan->k = dt_filter_k(filter, k);
    folding->loops = loops;
    plan->min_repeat = loops.min_repeat;
    plan->form = loops.form;
    plan->projection = loops.projection;
    folding->filter = dt_filter_notation(filter, folding->k);
    folding->table = plan->table = dt_loop_table_new();
    folding->tree = plan->tree = dt_call_tree_new(runs->functions);
    return folding;
}

DtFolding *dt_folding_new(const DtRuns *runs, const DtFilter *filter, guint k, DtLoops loops, guint jobs,
                          GError **error)
{
    static const DtReadingWants nothing_else = {0};
    g_autoptr(GPtrArray) filters = g_ptr_array_new();
    g_ptr_array_add(filters, (gpointer)filter);
    g_autoptr(DtReading) reading = dt_reading_new(runs, NULL, filters, k, loops, jobs, &nothing_else, error);
    g_autoptr(GPtrArray) foldings = reading ? dt_reading_take_foldings(reading) : NULL;
    return foldings ? g_ptr_array_steal_index(foldings, 0) : NULL;
}

void dt_folding_free(DtFolding *folding)
{
    if (!folding)
        return;
    g_free(folding->filter);
    g_clear_pointer(&folding->normal, g_ptr_array_unref);
    g_clear_pointer(&folding->faulty, g_ptr_array_unref);
    dt_loop_table_free(folding->table);
    dt_call_tree_free(folding->tree);
    g_free(folding);
}

static const DtFoldedTrace *find_folded(const GPtrArray *folded, const DtRun *run, const char *label)
{
    const DtTrace *trace = run ? dt_run_find_trace(run, label) : NULL;
    return trace && folded ? folded->pdata[trace->index] : NULL;
}

const DtFoldedTrace *dt_folding_normal(const DtFolding *folding, const DtRuns *runs, const char *label)
{
    return find_folded(folding->normal, runs->normal, label);
}

const DtFoldedTrace *dt_folding_faulty(const DtFolding *folding, const DtRuns *runs, const char *label)
{
    return find_folded(folding->faulty, runs->faulty, label);
}

/* ---- similarity --------------------------------------------------------------------- */

/* A context whose traces of equal NLRs are mined once. */
typedef struct {
    DtContext *context;
    GHashTable *objects; /* DtNlr -> its first object + 1 */
    const DtFunctions *functions;
    DtAttributeSetting attributes;
} Mining;

static Mining mining_new(const DtFunctions *functions, DtAttributeSetting attributes)
{
    return (Mining){dt_context_new(), g_hash_table_new(NULL, NULL), functions, attributes};
}

static DtContext *mining_finish(Mining *mining)
{
    g_hash_table_unref(mining->objects);
    return mining->context;
}

static guint mine_new(Mining *mining, const char *label, const DtFoldedTrace *folded)
{
    guint object = dt_context_add_trace(mining->context, label, dt_nlr_elements(folded->nlr), mining->functions,
                                        mining->attributes);
    g_hash_table_insert(mining->objects, folded->nlr, GUINT_TO_POINTER(object + 1));
    return object;
}

/* An object for each trace. */
static void mine(Mining *mining, const char *label, const DtFoldedTrace *folded)
{
    guint first = GPOINTER_TO_UINT(g_hash_table_lookup(mining->objects, folded->nlr));
    if (first > 0)
        dt_context_add_alike(mining->context, label, first - 1);
    else
        mine_new(mining, label, folded);
}

/* An object for all traces of one NLR, under the label of the first. */
static guint mine_once(Mining *mining, const char *label, const DtFoldedTrace *folded)
{
    guint first = GPOINTER_TO_UINT(g_hash_table_lookup(mining->objects, folded->nlr));
    return first > 0 ? first - 1 : mine_new(mining, label, folded);
}

/* How many traces have each NLR. */
static GHashTable *count_alike(const GPtrArray *folded, guint *traces)
{
    GHashTable *counts = g_hash_table_new(NULL, NULL);
    *traces = 0;
    for (guint i = 0; i < folded->len; i++) {
        const DtFoldedTrace *each = folded->pdata[i];
        if (each->trace->library)
            continue;
        guint count = GPOINTER_TO_UINT(g_hash_table_lookup(counts, each->nlr)) + 1;
        g_hash_table_insert(counts, each->nlr, GUINT_TO_POINTER(count));
        ++*traces;
    }
    return counts;
}

DtContext *dt_folding_context(const GPtrArray *folded, const DtFunctions *functions, DtAttributeSetting attributes)
{
    Mining mining = mining_new(functions, attributes);
    guint traces;
    g_autoptr(GHashTable) counts = count_alike(folded, &traces);
    for (guint i = 0; i < folded->len; i++) {
        const DtFoldedTrace *each = folded->pdata[i];
        if (each->trace->library)
            continue;
        if (traces <= DT_CONTEXT_TRACES) {
            mine(&mining, each->trace->label, each);
            continue;
        }
        guint count = GPOINTER_TO_UINT(g_hash_table_lookup(counts, each->nlr));
        g_autofree char *label = dt_label_and_more(each->trace->label, count);
        if (count > 0)
            mine(&mining, label, each);
        g_hash_table_remove(counts, each->nlr);
    }
    return mining_finish(&mining);
}

static DtMatrix *common_similarity(const DtRuns *runs, const GPtrArray *folded, const guint *index,
                                   DtAttributeSetting attributes, guint jobs)
{
    Mining mining = mining_new(runs->functions, attributes);
    g_autofree guint *object_of = g_new(guint, runs->common);
    for (guint i = 0; i < runs->common; i++)
        object_of[i] = mine_once(&mining, runs->labels[i], folded->pdata[index[i]]);
    g_autoptr(DtContext) context = mining_finish(&mining);
    return dt_matrix_spread(dt_jaccard_matrix(context, jobs), object_of, runs->common);
}

DtSimilarity *dt_similarity_new(const DtRuns *runs, const DtFolding *folding, DtAttributeSetting attributes, guint jobs)
{
    DtSimilarity *similarity = g_new0(DtSimilarity, 1);
    if (folding->normal)
        similarity->normal = common_similarity(runs, folding->normal, runs->normal_index, attributes, jobs);
    similarity->faulty = common_similarity(runs, folding->faulty, runs->faulty_index, attributes, jobs);
    return similarity;
}

void dt_similarity_free(DtSimilarity *similarity)
{
    if (!similarity)
        return;
    dt_matrix_free(similarity->normal);
    dt_matrix_free(similarity->faulty);
    g_free(similarity);
}

DtMatrix *dt_similarity_matrix(const DtSimilarity *similarity, DtSide side, GError **error)
{
    if (side == DT_SIDE_FAULTY)
        return dt_matrix_copy(similarity->faulty);
    if (!similarity->normal) {
        dt_set_error(error, DT_COMPARE_ERROR, DT_COMPARE_ERROR_SELECTION,
                     "--of %s: the comparison had no normal run; only --of faulty is there", dt_side_name(side));
        return NULL;
    }
    return side == DT_SIDE_NORMAL ? dt_matrix_copy(similarity->normal)
                                  : dt_matrix_difference(similarity->faulty, similarity->normal);
}

DtDendrogram *dt_similarity_dendrogram(const DtSimilarity *similarity, DtSide side, DtLinkage linkage, GError **error)
{
    DtMatrix *matrix = dt_similarity_matrix(similarity, side, error);
    if (!matrix)
        return NULL;
    if (side != DT_SIDE_DIFFERENCE)
        dt_matrix_complement(matrix);
    return dt_dendrogram_take(matrix, linkage);
}

/* ---- ranking --------------------------------------------------------------------------- */

/* Suspicious ones in the ranking's order: main threads by process, or the other threads. */
static GStrv suspicious_labels(const DtRuns *runs, const DtPublishedRanking *ranking, gboolean main_threads)
{
    g_autoptr(GStrvBuilder) labels = g_strv_builder_new();
    guint listed = 0;
    for (guint i = 0; i < ranking->n && listed < DT_RANKING_LISTED; i++) {
        guint place = ranking->order[i];
        const DtTrace *trace = dt_run_trace(runs->faulty, runs->faulty_index[place]);
        gboolean is_main = trace->thread == 0 && !trace->library;
        if (!ranking->suspicious[place] || is_main != main_threads)
            continue;
        g_strv_builder_add(labels, is_main ? trace->process->label : trace->label);
        listed++;
    }
    return g_strv_builder_end(labels);
}

DtRankingRow *dt_configuration_rank(const DtRuns *runs, const DtFolding *folding, DtAttributeSetting attributes,
                                    DtLinkage linkage)
{
    g_autoptr(DtSimilarity) similarity = dt_similarity_new(runs, folding, attributes, 1);
    g_autoptr(DtPublishedRanking) ranking =
        dt_published_ranking_take(g_steal_pointer(&similarity->normal), g_steal_pointer(&similarity->faulty), linkage);
    DtRankingRow *row = dt_ranking_row_new();
    row->filter = g_strdup(folding->filter);
    row->attributes = g_strdup(dt_attribute_setting_name(attributes));
    row->linkage = g_strdup(dt_linkage_name(linkage));
    row->k = folding->k;
    row->has_bscore = ranking->has_bscore;
    row->bscore = ranking->bscore;
    row->processes = suspicious_labels(runs, ranking, TRUE);
    row->threads = suspicious_labels(runs, ranking, FALSE);
    return row;
}
