/* The result of a comparison as data. */
#include "compare/compare.h"

#include <stdlib.h>

G_DEFINE_QUARK(dt_compare_error, dt_compare_error)

const char *dt_side_name(DtSide side)
{
    static const char *const names[] = {"normal", "faulty", "diff"};
    return names[side];
}

DtRankingRow *dt_ranking_row_new(void)
{
    return g_new0(DtRankingRow, 1);
}

void dt_ranking_row_free(DtRankingRow *row)
{
    if (!row)
        return;
    g_free(row->filter);
    g_free(row->attributes);
    g_free(row->linkage);
    g_strfreev(row->processes);
    g_strfreev(row->threads);
    g_free(row);
}

DtSuspectRow *dt_suspect_row_new(const DtSuspect *suspect)
{
    DtSuspectRow *row = g_new0(DtSuspectRow, 1);
    row->trace = g_strdup(suspect->label);
    row->level = g_strdup(dt_level_name(suspect->level));
    row->status = g_strdup(dt_status_name(suspect->status));
    row->first_difference = g_strdup(suspect->first_difference);
    row->source = g_strdup(suspect->source);
    row->why = g_strdup(suspect->why);
    row->score = suspect->score;
    row->group = suspect->group;
    return row;
}

void dt_suspect_row_free(DtSuspectRow *row)
{
    if (!row)
        return;
    g_free(row->trace);
    g_free(row->level);
    g_free(row->status);
    g_free(row->first_difference);
    g_free(row->source);
    g_free(row->why);
    g_free(row);
}

DtCheckRow *dt_check_row_new(void)
{
    DtCheckRow *row = g_new0(DtCheckRow, 1);
    row->ranks = g_array_new(FALSE, FALSE, sizeof(gint));
    return row;
}

void dt_check_row_free(DtCheckRow *row)
{
    if (!row)
        return;
    g_free(row->rule);
    g_free(row->level);
    g_free(row->meaning);
    g_free(row->section);
    g_array_unref(row->ranks);
    g_strfreev(row->traces);
    g_free(row->call);
    g_free(row->source);
    g_free(row->expected);
    g_strfreev(row->evidence);
    g_free(row);
}

static void free_recipe(DtRecipe *recipe)
{
    if (!recipe)
        return;
    g_free(recipe->normal);
    g_free(recipe->faulty);
    g_strfreev(recipe->baselines);
    g_strfreev(recipe->filters);
    g_strfreev(recipe->attributes);
    g_free(recipe->form);
    g_free(recipe->linkage);
    g_free(recipe);
}

DtPrediction *dt_prediction_new(void)
{
    DtPrediction *prediction = g_new0(DtPrediction, 1);
    prediction->from = g_array_new(FALSE, FALSE, sizeof(guint));
    return prediction;
}

void dt_prediction_free(DtPrediction *prediction)
{
    if (!prediction)
        return;
    g_array_unref(prediction->from);
    g_free(prediction->reason);
    g_strfreev(prediction->proved_lines);
    g_strfreev(prediction->unproved_lines);
    g_strfreev(prediction->open_values);
    g_free(prediction);
}

DtComparison *dt_comparison_new(void)
{
    DtComparison *comparison = g_new0(DtComparison, 1);
    comparison->rows = g_ptr_array_new_with_free_func((GDestroyNotify)dt_ranking_row_free);
    comparison->suspects = g_ptr_array_new_with_free_func((GDestroyNotify)dt_suspect_row_free);
    comparison->checks = g_ptr_array_new_with_free_func((GDestroyNotify)dt_check_row_free);
    return comparison;
}

void dt_comparison_free(DtComparison *comparison)
{
    if (!comparison)
        return;
    g_free(comparison->normal);
    g_free(comparison->faulty);
    g_strfreev(comparison->baselines);
    g_free(comparison->verdict);
    g_free(comparison->scope);
    dt_common_clear(&comparison->common);
    dt_data_verdict_unref(comparison->data);
    dt_time_verdict_unref(comparison->times);
    g_clear_pointer(&comparison->waits, dt_wait_for_free);
    g_ptr_array_unref(comparison->rows);
    g_ptr_array_unref(comparison->suspects);
    g_ptr_array_unref(comparison->checks);
    g_strfreev(comparison->only_in_normal);
    g_strfreev(comparison->only_in_faulty);
    free_recipe(comparison->recipe);
    dt_prediction_free(comparison->prediction);
    g_free(comparison);
}

/* g_ptr_array_sort() is stable: GLib documents a merge sort. */
static gint compare_rows(gconstpointer a, gconstpointer b)
{
    const DtRankingRow *first = *(DtRankingRow *const *)a, *second = *(DtRankingRow *const *)b;
    if (first->has_bscore != second->has_bscore)
        return first->has_bscore ? -1 : 1;
    if (!first->has_bscore || first->bscore == second->bscore)
        return 0;
    return first->bscore < second->bscore ? -1 : 1;
}

void dt_comparison_add_suspect(DtComparison *comparison, const DtSuspect *suspect)
{
    const GPtrArray *before = comparison->suspects;
    DtSuspectRow *row = dt_suspect_row_new(suspect);
    const char *weak = dt_level_name(DT_LEVEL_WEAK);
    if (before->len > 0 && g_str_equal(((DtSuspectRow *)before->pdata[before->len - 1])->level, weak)) {
        g_free(row->level);
        row->level = g_strdup(weak);
    }
    g_ptr_array_add(comparison->suspects, row);
}

void dt_comparison_sort(DtComparison *comparison)
{
    g_ptr_array_sort(comparison->rows, compare_rows);
}
