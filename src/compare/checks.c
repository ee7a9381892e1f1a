#include "compare/checks.h"

#include <string.h>

#include "text/text.h"

static GStrv strings_of(const GPtrArray *texts)
{
    g_autoptr(GStrvBuilder) strings = g_strv_builder_new();
    for (guint i = 0; i < texts->len; i++)
        g_strv_builder_add(strings, texts->pdata[i]);
    return g_strv_builder_end(strings);
}

DtCheckRow *dt_check_row_of(const DtCheckFinding *finding)
{
    const DtCheckRuleInfo *rule = dt_check_rule(finding->rule);
    DtCheckRow *row = dt_check_row_new();
    row->rule = g_strdup(rule->name);
    row->level = g_strdup(dt_check_level_name(finding->level));
    row->meaning = g_strdup(rule->meaning);
    row->section = g_strdup(rule->section);
    g_array_append_vals(row->ranks, finding->ranks->data, finding->ranks->len);
    row->traces = strings_of(finding->traces);
    row->call = g_strdup(finding->call);
    row->source = g_strdup(finding->source);
    row->expected = g_strdup(finding->expected);
    row->evidence = strings_of(finding->evidence);
    row->times = finding->times;
    return row;
}

/* ---- what the normal run has, too -------------------------------------------------------------- */

/* Rule, place and function: arguments and ranks may be others. */
static char *key_of(const DtCheckFinding *finding)
{
    gsize name = finding->call != NULL ? strcspn(finding->call, "(") : 0;
    return g_strdup_printf("%d %s %.*s", (int)finding->rule, finding->source != NULL ? finding->source : "", (int)name,
                           finding->call != NULL ? finding->call : "");
}

/* Set of keys. */
static GHashTable *keys_of(const DtRun *run)
{
    GHashTable *keys = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(DtChecked) checked = dt_checked_new(run, NULL, NULL);
    for (guint i = 0; checked != NULL && i < checked->findings->len; i++)
        g_hash_table_add(keys, key_of(checked->findings->pdata[i]));
    return keys;
}

static void add_rows(DtComparison *comparison, const DtChecked *checked, GHashTable *normal, gboolean in_normal)
{
    for (guint i = 0; i < checked->findings->len; i++) {
        g_autofree char *key = key_of(checked->findings->pdata[i]);
        if ((normal != NULL && g_hash_table_contains(normal, key)) != in_normal)
            continue;
        DtCheckRow *row = dt_check_row_of(checked->findings->pdata[i]);
        row->in_normal = in_normal;
        g_ptr_array_add(comparison->checks, row);
    }
}

/* ---- the verdict of a run alone ----------------------------------------------------------------- */

static gboolean has_ended_well(const DtRun *run)
{
    for (guint p = 0; p < dt_run_process_count(run); p++) {
        const DtProcess *process = dt_run_process(run, p);
        if (process->end != DT_END_EXITED || process->status != 0)
            return FALSE;
    }
    return TRUE;
}

/* "ring.c:41: MPI_Bcast(world, root 1, 4 B): Members give different roots to the same collective call [0-3]" */
static char *sentence_of(const DtCheckRow *row)
{
    g_autoptr(GPtrArray) labels = g_ptr_array_new();
    for (guint i = 0; row->traces[i] != NULL; i++)
        g_ptr_array_add(labels, row->traces[i]);
    g_autofree char *traces = labels->len > 0 ? dt_trace_list_text(labels) : NULL;
    g_autofree char *meaning = g_strndup(row->meaning, strlen(row->meaning) - 1);
    return g_strconcat("the run proves an error", row->source != NULL ? " at " : "",
                       row->source != NULL ? row->source : "", ": ", row->call != NULL ? row->call : "",
                       row->call != NULL ? ": " : "", meaning, traces != NULL ? " [" : "", traces != NULL ? traces : "",
                       traces != NULL ? "]" : "", NULL);
}

static void put_first(DtComparison *comparison)
{
    const DtCheckRow *row = comparison->checks->len > 0 ? comparison->checks->pdata[0] : NULL;
    if (row == NULL || !g_str_equal(row->level, dt_check_level_name(DT_CHECK_ERROR)))
        return;
    g_free(comparison->verdict);
    comparison->verdict = sentence_of(row);
}

/* ---- all ---------------------------------------------------------------------------------------- */

static gboolean is_short(const DtRun *run)
{
    enum { MOST_WORDS = 1 << 25 };
    guint64 words = 0;
    for (guint t = 0; t < dt_run_trace_count(run); t++)
        words += dt_run_trace(run, t)->words;
    return words <= MOST_WORDS;
}

void dt_comparison_check(DtComparison *comparison, const DtRuns *runs)
{
    const DtCheckOptions options = {.waits = comparison->waits};
    g_autoptr(DtChecked) checked = is_short(runs->faulty) ? dt_checked_new(runs->faulty, &options, NULL) : NULL;
    if (checked == NULL || checked->findings->len == 0)
        return;
    g_autoptr(GHashTable) normal = runs->normal != NULL && is_short(runs->normal) ? keys_of(runs->normal) : NULL;
    add_rows(comparison, checked, normal, FALSE);
    if (normal != NULL)
        add_rows(comparison, checked, normal, TRUE);
    if (runs->normal == NULL && has_ended_well(runs->faulty))
        put_first(comparison);
}
