/* Opening a comparison's result again, to show parts of it that were not kept. */
#include "result/result.h"

#include "store/file.h"
#include "text/text.h"

#include <string.h>

G_DEFINE_QUARK(dt_result_error, dt_result_error)

enum { MOST_BYTES = 1 << 30 };

static void prefix_file(GError **error, const char *file)
{
    g_autofree char *line = dt_text_line(file);
    g_prefix_error(error, "%s: ", line);
}

DtComparison *dt_result_load(const char *directory, GError **error)
{
    g_autofree char *file = g_build_filename(directory, DT_RESULT_DOCUMENT, NULL);
    g_autoptr(GError) cause = NULL;
    g_autofree char *json = dt_file_contents(file, MOST_BYTES, NULL, &cause);
    if (!json) {
        if (dt_is_our_directory(directory, "run"))
            dt_set_error(error, DT_RESULT_ERROR, DT_RESULT_ERROR_NOT_FOUND,
                         "%s: a run, not the result of a comparison\nmake one with: difftrace compare NORMAL FAULTY",
                         directory);
        else if (g_error_matches(cause, G_FILE_ERROR, G_FILE_ERROR_NOENT) ||
                 g_error_matches(cause, G_FILE_ERROR, G_FILE_ERROR_NOTDIR))
            dt_set_error(error, DT_RESULT_ERROR, DT_RESULT_ERROR_NOT_FOUND,
                         "%s: no result of a comparison\nmake one with: difftrace compare NORMAL FAULTY -o %s",
                         directory, directory);
        else
            dt_set_error(error, DT_RESULT_ERROR, DT_RESULT_ERROR_NOT_FOUND, "%s: unreadable: %s", file, cause->message);
        return NULL;
    }
    DtComparison *comparison = dt_comparison_from_document(json, error);
    if (!comparison)
        prefix_file(error, file);
    return comparison;
}

DtResult *dt_result_open(const char *directory, const DtCompareListener *listener, GError **error)
{
    g_autoptr(DtResult) result = g_new0(DtResult, 1);
    result->comparison = dt_result_load(directory, error);
    if (!result->comparison)
        return NULL;
    const DtRecipe *recipe = result->comparison->recipe;
    if (!recipe || !recipe->faulty) {
        dt_set_error(error, DT_RESULT_ERROR, DT_RESULT_ERROR_NOT_FOUND,
                     "%s: does not say where its runs are; compare again", directory);
        return NULL;
    }
    g_autoptr(GError) cause = NULL;
    result->runs = dt_runs_open(recipe->normal, NULL, recipe->faulty, listener, &cause);
    if (!result->runs) {
        dt_set_error(error, DT_RESULT_ERROR, DT_RESULT_ERROR_NOT_FOUND,
                     "%s\nthe result needs the runs that it was made from, where they were; compare again",
                     cause->message);
        return NULL;
    }
    return g_steal_pointer(&result);
}

void dt_result_free(DtResult *result)
{
    if (!result)
        return;
    dt_runs_free(result->runs);
    dt_comparison_free(result->comparison);
    g_free(result);
}

/* ---- choosing ---------------------------------------------------------------------- */

static gboolean row_matches(const DtRankingRow *row, const char *filter, const char *attributes)
{
    return (!filter || g_strcmp0(row->filter, filter) == 0) &&
           (!attributes || g_strcmp0(row->attributes, attributes) == 0);
}

/* The first row with what was selected; else the first of all; NULL if there is none. */
static const DtRankingRow *best_row(const DtComparison *comparison, const char *filter, const char *attributes)
{
    for (guint i = 0; i < comparison->rows->len; i++) {
        if (row_matches(comparison->rows->pdata[i], filter, attributes))
            return comparison->rows->pdata[i];
    }
    return comparison->rows->len > 0 ? comparison->rows->pdata[0] : NULL;
}

/* The row's filter; without its own K if another one was selected. A row is from a file: it may say anything. */
static DtFilter *row_filter(const DtRankingRow *row, const DtSelection *selection, GError **error)
{
    g_autofree char *text = g_strdup(row && row->filter ? row->filter : "all");
    g_autofree char *constant = g_strdup_printf(".0K%u", row ? row->k : 0);
    if (selection->k != 0 && g_str_has_suffix(text, constant))
        text[strlen(text) - strlen(constant)] = '\0';
    return dt_filter_parse(text, error);
}

/* From the row, where nothing was selected. */
static gboolean choose_from_row(const DtRankingRow *row, const DtSelection *selection, DtChoice *choice, GError **error)
{
    if (!choice->filter)
        choice->filter = row_filter(row, selection, error);
    if (!choice->filter)
        return FALSE;
    if (selection->attributes->len > 0)
        choice->attributes = dt_selection_attributes(selection, 0);
    else if (!dt_attribute_setting_parse(row && row->attributes ? row->attributes : "sing.noFreq", &choice->attributes,
                                         error))
        return FALSE;
    if (selection->has_linkage || !row || !row->linkage) {
        choice->linkage = selection->linkage;
        return TRUE;
    }
    return dt_linkage_parse(row->linkage, &choice->linkage, error);
}

/* Older results do not say it. */
DtLoops dt_recipe_loops(const DtRecipe *recipe)
{
    DtLoops loops = {.min_repeat = recipe->min_repeat != 0 ? recipe->min_repeat : DT_NLR_DEFAULT_MIN_REPEAT,
                     .form = DT_NLR_PLAIN};
    DtNlrForm form;
    if (recipe->form && dt_nlr_form_find(recipe->form, &form))
        loops.form = form;
    return loops;
}

gboolean dt_result_choose(const DtResult *result, const DtSelection *selection, DtChoice *choice, GError **error)
{
    const DtRecipe *recipe = result->comparison->recipe;
    choice->k = selection->k != 0 ? selection->k : recipe->k != 0 ? recipe->k : DT_NLR_DEFAULT_K;
    choice->loops = dt_recipe_loops(recipe);
    if (selection->min_repeat != 0)
        choice->loops.min_repeat = selection->min_repeat;
    if (selection->has_form)
        choice->loops.form = selection->form;
    g_autofree char *filter = NULL;
    if (selection->filters->len > 0) {
        choice->filter = dt_filter_ref(dt_selection_filter(selection, 0));
        filter = dt_filter_notation(choice->filter, choice->k);
    }
    const char *attributes =
        selection->attributes->len > 0 ? dt_attribute_setting_name(dt_selection_attributes(selection, 0)) : NULL;
    return choose_from_row(best_row(result->comparison, filter, attributes), selection, choice, error);
}

void dt_choice_clear(DtChoice *choice)
{
    g_clear_pointer(&choice->filter, dt_filter_unref);
}

DtFolding *dt_result_fold(const DtResult *result, const DtChoice *choice, guint jobs, GError **error)
{
    g_autoptr(DtFolding) folding = dt_folding_new(result->runs, choice->filter, choice->k, choice->loops, jobs, error);
    if (folding && folding->empty) {
        dt_set_error(error, DT_RESULT_ERROR, DT_RESULT_ERROR_SELECTION,
                     "filter %s: keeps no call of these runs; take another --filter, e.g. all", folding->filter);
        return NULL;
    }
    return g_steal_pointer(&folding);
}

gboolean dt_result_side(const DtResult *result, const char *text, DtSide *side, GError **error)
{
    if (!text) {
        *side = result->runs->normal ? DT_SIDE_DIFFERENCE : DT_SIDE_FAULTY;
        return TRUE;
    }
    for (DtSide each = DT_SIDE_NORMAL; each <= DT_SIDE_DIFFERENCE; each++) {
        if (strcmp(text, dt_side_name(each)) == 0) {
            *side = each;
            return TRUE;
        }
    }
    dt_set_error(error, DT_RESULT_ERROR, DT_RESULT_ERROR_SELECTION, "--of '%s': unknown; normal, faulty or diff", text);
    return FALSE;
}
