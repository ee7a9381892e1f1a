/* From the runs to one row of the ranking table, stage by stage. */
#include "cli/configuration.h"

#include "cli/cli.h"

/* ---- folding --------------------------------------------------------------------- */

static gboolean all_empty(const GPtrArray *folded)
{
    for (guint i = 0; folded != NULL && i < folded->len; i++) {
        if (dt_nlr_symbols(((const DtFoldedTrace *)folded->pdata[i])->nlr) > 0)
            return FALSE;
    }
    return TRUE;
}

DtFolding *dt_folding_new(const DtRuns *runs, const DtFilter *filter, guint k, guint min_repeat, guint jobs,
                          GError **error)
{
    g_autoptr(DtFilterSet) set = dt_filter_compile(filter, runs->functions, error);
    if (set == NULL)
        return NULL;
    g_autoptr(DtFolding) folding = g_new0(DtFolding, 1);
    folding->k = dt_filter_k(filter, k);
    folding->filter = dt_filter_notation(filter, folding->k);
    folding->min_repeat = min_repeat;
    folding->table = dt_loop_table_new();
    if (runs->normal != NULL) {
        folding->normal = dt_nlr_fold_run(runs->normal, set, folding->k, min_repeat, jobs, folding->table, error);
        if (folding->normal == NULL)
            return NULL;
    }
    folding->faulty = dt_nlr_fold_run(runs->faulty, set, folding->k, min_repeat, jobs, folding->table, error);
    if (folding->faulty == NULL)
        return NULL;
    folding->empty = all_empty(folding->normal) && all_empty(folding->faulty);
    return g_steal_pointer(&folding);
}

void dt_folding_free(DtFolding *folding)
{
    if (folding == NULL)
        return;
    g_free(folding->filter);
    g_clear_pointer(&folding->normal, g_ptr_array_unref);
    g_clear_pointer(&folding->faulty, g_ptr_array_unref);
    dt_loop_table_free(folding->table);
    g_free(folding);
}

static const DtFoldedTrace *find_folded(const GPtrArray *folded, const DtRun *run, const char *label)
{
    const DtTrace *trace = run != NULL ? dt_run_find_trace(run, label) : NULL;
    return trace != NULL && folded != NULL ? folded->pdata[trace->index] : NULL;
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

static void add_folded(DtContext *context, const DtFoldedTrace *folded, const DtFunctions *functions,
                       DtAttributeSetting attributes)
{
    dt_context_add_trace(context, folded->trace->label, dt_nlr_elements(folded->nlr), functions, attributes);
}

DtContext *dt_folding_context(const GPtrArray *folded, const DtFunctions *functions, DtAttributeSetting attributes)
{
    DtContext *context = dt_context_new();
    for (guint i = 0; i < folded->len; i++) {
        const DtFoldedTrace *each = folded->pdata[i];
        if (!each->trace->library)
            add_folded(context, each, functions, attributes);
    }
    return context;
}

static DtMatrix *common_similarity(const DtRuns *runs, const GPtrArray *folded, const guint *index,
                                   DtAttributeSetting attributes, guint jobs)
{
    g_autoptr(DtContext) context = dt_context_new();
    for (guint i = 0; i < runs->common; i++)
        add_folded(context, folded->pdata[index[i]], runs->functions, attributes);
    return dt_jaccard_matrix(context, jobs);
}

DtSimilarity *dt_similarity_new(const DtRuns *runs, const DtFolding *folding, DtAttributeSetting attributes, guint jobs)
{
    DtSimilarity *similarity = g_new0(DtSimilarity, 1);
    if (folding->normal != NULL)
        similarity->normal = common_similarity(runs, folding->normal, runs->normal_index, attributes, jobs);
    similarity->faulty = common_similarity(runs, folding->faulty, runs->faulty_index, attributes, jobs);
    return similarity;
}

void dt_similarity_free(DtSimilarity *similarity)
{
    if (similarity == NULL)
        return;
    dt_matrix_free(similarity->normal);
    dt_matrix_free(similarity->faulty);
    g_free(similarity);
}

DtMatrix *dt_similarity_matrix(const DtSimilarity *similarity, DtOf of, GError **error)
{
    if (of == DT_OF_FAULTY)
        return dt_matrix_copy(similarity->faulty);
    if (similarity->normal == NULL) {
        g_set_error(error, DT_CLI_ERROR, DT_CLI_ERROR_USAGE,
                    "--of %s: the comparison had no normal run; only --of faulty is there", dt_of_name(of));
        return NULL;
    }
    return of == DT_OF_NORMAL ? dt_matrix_copy(similarity->normal)
                              : dt_matrix_difference(similarity->faulty, similarity->normal);
}

DtDendrogram *dt_similarity_dendrogram(const DtSimilarity *similarity, DtOf of, DtLinkage linkage, GError **error)
{
    g_autoptr(DtMatrix) matrix = dt_similarity_matrix(similarity, of, error);
    if (matrix == NULL)
        return NULL;
    if (of == DT_OF_DIFFERENCE)
        return dt_dendrogram_new(matrix, linkage);
    g_autoptr(DtMatrix) distances = dt_matrix_complement(matrix);
    return dt_dendrogram_new(distances, linkage);
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

DtRankingRow *dt_configuration_rank(const DtRuns *runs, const DtFolding *folding, const DtSimilarity *similarity,
                                    DtAttributeSetting attributes, DtLinkage linkage)
{
    g_autoptr(DtPublishedRanking) ranking = dt_published_ranking_new(similarity->normal, similarity->faulty, linkage);
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
