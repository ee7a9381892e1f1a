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
    gsize name = finding->call ? strcspn(finding->call, "(") : 0;
    return g_strdup_printf("%d %s %.*s", (int)finding->rule, finding->source ? finding->source : "", (int)name,
                           finding->call ? finding->call : "");
}

static gboolean is_short(const DtRun *run)
{
    enum { MOST_WORDS = 1 << 25 };
    guint64 words = 0;
    for (guint t = 0; t < dt_run_trace_count(run); t++)
        words += dt_run_trace(run, t)->words;
    return words <= MOST_WORDS;
}

/* FALSE: what rules find in the run is not known. */
static gboolean add_keys(GHashTable *keys, const DtRun *run)
{
    g_autoptr(DtChecked) checked = is_short(run) ? dt_checked_new(run, NULL, NULL) : NULL;
    for (guint i = 0; checked && i < checked->findings->len; i++)
        g_hash_table_add(keys, key_of(checked->findings->pdata[i]));
    return checked != NULL;
}

/* Set of the keys of all normal runs; NULL: not all of them are known. */
static GHashTable *normal_keys(const DtRuns *runs)
{
    g_autoptr(GHashTable) keys = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint i = 0; i < runs->normals->len; i++)
        if (!add_keys(keys, runs->normals->pdata[i]))
            return NULL;
    return g_steal_pointer(&keys);
}

static void add_rows(DtComparison *comparison, const DtChecked *checked, GHashTable *normal, gboolean in_normal)
{
    for (guint i = 0; i < checked->findings->len; i++) {
        g_autofree char *key = key_of(checked->findings->pdata[i]);
        if ((normal && g_hash_table_contains(normal, key)) != in_normal)
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
    for (guint i = 0; row->traces[i]; i++)
        g_ptr_array_add(labels, row->traces[i]);
    g_autofree char *traces = labels->len > 0 ? dt_trace_list_text(labels) : NULL;
    g_autofree char *meaning = g_strndup(row->meaning, strlen(row->meaning) - 1);
    return g_strconcat("the run proves an error", row->source ? " at " : "", row->source ? row->source : "", ": ",
                       row->call ? row->call : "", row->call ? ": " : "", meaning, traces ? " [" : "",
                       traces ? traces : "", traces ? "]" : "", NULL);
}

static gboolean is_error(const DtCheckRow *row)
{
    return !row->in_normal && g_strcmp0(row->level, dt_check_level_name(DT_CHECK_ERROR)) == 0;
}

/* Of those that the normal runs do not have; NULL: none. */
static const DtCheckRow *first_error(const DtComparison *comparison)
{
    for (guint i = 0; i < comparison->checks->len; i++)
        if (is_error(comparison->checks->pdata[i]))
            return comparison->checks->pdata[i];
    return NULL;
}

static void put_first(DtComparison *comparison, const DtCheckRow *error)
{
    g_free(comparison->verdict);
    comparison->verdict = sentence_of(error);
}

/* ---- what a proof makes of a verdict that accuses nobody ----------------------------------------- */

/* Of the culprits, if a proof names few: shared among them. */
static const double PROVED = 0.9;

static gboolean accuses_somebody(const DtComparison *comparison)
{
    for (guint i = 0; i < comparison->suspects->len; i++)
        if (g_strcmp0(((DtSuspectRow *)comparison->suspects->pdata[i])->level, dt_level_name(DT_LEVEL_SUSPECT)) == 0)
            return TRUE;
    return FALSE;
}

/* Its row, which is taken out; NULL: it has none. */
static DtSuspectRow *take_suspect(DtComparison *comparison, const char *label)
{
    for (guint i = 0; i < comparison->suspects->len; i++)
        if (g_strcmp0(((DtSuspectRow *)comparison->suspects->pdata[i])->trace, label) == 0)
            return g_ptr_array_steal_index(comparison->suspects, i);
    return NULL;
}

static DtSuspectRow *accused_row(DtComparison *comparison, const DtCheckRow *error, const char *label, double score)
{
    DtSuspectRow *row = take_suspect(comparison, label);
    if (!row) {
        row = g_new0(DtSuspectRow, 1);
        row->trace = g_strdup(label);
        row->status = g_strdup(dt_status_name(DT_STATUS_FINISHED));
        row->source = g_strdup(error->source);
        row->why = sentence_of(error);
    }
    g_free(row->level);
    row->level = g_strdup(dt_level_name(DT_LEVEL_SUSPECT));
    row->score = MAX(row->score, score);
    return row;
}

/* If most processes have the error, nobody stands out. */
static void accuse_proved(DtComparison *comparison, const DtRun *faulty, const DtCheckRow *error)
{
    const guint count = g_strv_length(error->traces);
    if (count == 0 || (count > 1 && 2 * count > dt_run_process_count(faulty)))
        return;
    for (guint i = count; i > 0; --i)
        g_ptr_array_insert(comparison->suspects, 0,
                           accused_row(comparison, error, error->traces[i - 1], PROVED / count));
    g_free(comparison->scope);
    comparison->scope = g_strdup(dt_scope_name(count == 1 ? DT_SCOPE_ONE : DT_SCOPE_SEVERAL));
}

/* What a run proves is never outranked by what all ranks have in common. */
static void judge_by_proof(DtComparison *comparison, const DtRun *faulty, const DtCheckRow *error)
{
    if (accuses_somebody(comparison))
        return;
    g_autofree char *proof = sentence_of(error), *besides = comparison->verdict;
    comparison->verdict = g_strdup_printf("%s; besides: %s", proof, besides ? besides : "no difference");
    accuse_proved(comparison, faulty, error);
}

/* ---- all ---------------------------------------------------------------------------------------- */

void dt_comparison_check(DtComparison *comparison, const DtRuns *runs, gboolean *failed)
{
    const DtCheckOptions options = {.waits = comparison->waits};
    g_autoptr(DtChecked) checked = is_short(runs->faulty) ? dt_checked_new(runs->faulty, &options, NULL) : NULL;
    *failed = FALSE;
    if (!checked || checked->findings->len == 0)
        return;
    g_autoptr(GHashTable) normal = runs->normal ? normal_keys(runs) : NULL;
    add_rows(comparison, checked, normal, FALSE);
    if (normal)
        add_rows(comparison, checked, normal, TRUE);
    const DtCheckRow *error = first_error(comparison);
    *failed = error && (normal || !runs->normal);
    if (error && !runs->normal && has_ended_well(runs->faulty))
        put_first(comparison, error);
    else if (*failed && runs->normal)
        judge_by_proof(comparison, runs->faulty, error);
}
