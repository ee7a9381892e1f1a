#include "coverage/coverage.h"

#include <stdlib.h>
#include <string.h>

const char *dt_coverage_kind_name(DtCoverageKind kind)
{
    static const char *const names[] = {"goroutine", "sender", "completion", "lock"};
    return kind < G_N_ELEMENTS(names) ? names[kind] : "";
}

static void free_outcome(gpointer data)
{
    g_free(((DtCoverageOutcome *)data)->name);
    g_free(data);
}

static void free_row(gpointer data)
{
    DtCoverageRow *row = data;
    g_free(row->place);
    g_free(row->operation);
    g_free(row->node);
    g_ptr_array_unref(row->outcomes);
    g_free(row);
}

static void free_run(gpointer data)
{
    g_free(((DtCoverageRun *)data)->name);
    g_free(data);
}

DtCoverage *dt_coverage_new(void)
{
    DtCoverage *coverage = g_new0(DtCoverage, 1);
    coverage->rows = g_ptr_array_new_with_free_func(free_row);
    coverage->runs = g_ptr_array_new_with_free_func(free_run);
    coverage->by_key = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    coverage->silent = g_ptr_array_new_with_free_func(g_free);
    return coverage;
}

void dt_coverage_free(DtCoverage *coverage)
{
    if (!coverage)
        return;
    g_hash_table_unref(coverage->by_key);
    g_ptr_array_unref(coverage->rows);
    g_ptr_array_unref(coverage->runs);
    g_ptr_array_unref(coverage->silent);
    g_free(coverage);
}

/* ---- rows --------------------------------------------------------------------------------------------- */

DtCoverageRow *dt_coverage_row(DtCoverage *coverage, DtCoverageKind kind, const char *place, const char *operation,
                               const char *node)
{
    g_autofree char *key = g_strdup_printf("%d\n%s\n%s\n%s", (int)kind, place, operation, node);
    DtCoverageRow *row = g_hash_table_lookup(coverage->by_key, key);
    if (row)
        return row;
    row = g_new0(DtCoverageRow, 1);
    row->kind = kind;
    row->place = g_strdup(place);
    row->operation = g_strdup(operation);
    row->node = g_strdup(node);
    row->outcomes = g_ptr_array_new_with_free_func(free_outcome);
    g_ptr_array_add(coverage->rows, row);
    g_hash_table_insert(coverage->by_key, g_steal_pointer(&key), row);
    return row;
}

DtCoverageOutcome *dt_coverage_require(DtCoverageRow *row, const char *outcome)
{
    for (guint i = 0; i < row->outcomes->len; i++) {
        DtCoverageOutcome *known = row->outcomes->pdata[i];
        if (g_str_equal(known->name, outcome))
            return known;
    }
    DtCoverageOutcome *made = g_new0(DtCoverageOutcome, 1);
    made->name = g_strdup(outcome);
    g_ptr_array_add(row->outcomes, made);
    return made;
}

void dt_coverage_see(DtCoverage *coverage, DtCoverageRow *row, const char *outcome)
{
    DtCoverageOutcome *seen = dt_coverage_require(row, outcome);
    seen->times++;
    if (seen->first_seen > 0)
        return;
    seen->first_seen = coverage->runs->len;
    ((DtCoverageRun *)coverage->runs->pdata[coverage->runs->len - 1])->news++;
}

/* ---- runs --------------------------------------------------------------------------------------------- */

/* How often each outcome was seen before a run. */
static GHashTable *times_before(const DtCoverage *coverage)
{
    GHashTable *times = g_hash_table_new(NULL, NULL);
    for (guint i = 0; i < coverage->rows->len; i++) {
        const DtCoverageRow *row = coverage->rows->pdata[i];
        for (guint k = 0; k < row->outcomes->len; k++) {
            const DtCoverageOutcome *outcome = row->outcomes->pdata[k];
            g_hash_table_insert(times, row->outcomes->pdata[k], GSIZE_TO_POINTER((gsize)outcome->times));
        }
    }
    return times;
}

static guint count_seen(const DtCoverage *coverage, GHashTable *before)
{
    guint seen = 0;
    for (guint i = 0; i < coverage->rows->len; i++) {
        const DtCoverageRow *row = coverage->rows->pdata[i];
        for (guint k = 0; k < row->outcomes->len; k++) {
            const DtCoverageOutcome *outcome = row->outcomes->pdata[k];
            seen += outcome->times > GPOINTER_TO_SIZE(g_hash_table_lookup(before, outcome)) ? 1 : 0;
        }
    }
    return seen;
}

gboolean dt_coverage_add(DtCoverage *coverage, const DtRun *run, const char *name, GError **error)
{
    g_autoptr(GHashTable) before = times_before(coverage);
    DtCoverageRun *added = g_new0(DtCoverageRun, 1);
    added->name = g_strdup(name);
    g_ptr_array_add(coverage->runs, added);
    if (!dt_coverage_add_goroutines(coverage, run, error) || !dt_coverage_add_calls(coverage, run, error))
        return FALSE;
    added->seen = count_seen(coverage, before);
    return TRUE;
}

/* "cache.go:12" before "cache.go:100". */
static gint compare_places(const char *a, const char *b)
{
    const char *one = strrchr(a, ':'), *other = strrchr(b, ':');
    const gsize bytes = one ? (gsize)(one - a) : strlen(a), other_bytes = other ? (gsize)(other - b) : strlen(b);
    gint order = strncmp(a, b, MIN(bytes, other_bytes));
    if (order == 0 && bytes != other_bytes)
        return bytes < other_bytes ? -1 : 1;
    if (order != 0 || !one || !other)
        return order != 0 ? order : strcmp(a, b);
    const guint64 line = g_ascii_strtoull(one + 1, NULL, 10), other_line = g_ascii_strtoull(other + 1, NULL, 10);
    return line < other_line ? -1 : line > other_line;
}

static gint compare_rows(gconstpointer a, gconstpointer b)
{
    const DtCoverageRow *one = *(DtCoverageRow *const *)a, *other = *(DtCoverageRow *const *)b;
    if (one->kind != other->kind)
        return one->kind < other->kind ? -1 : 1;
    gint order = compare_places(one->place, other->place);
    if (order == 0)
        order = strcmp(one->operation, other->operation);
    return order != 0 ? order : strcmp(one->node, other->node);
}

void dt_coverage_complete(DtCoverage *coverage)
{
    coverage->required = coverage->seen = 0;
    for (guint i = coverage->rows->len; i-- > 0;) {
        const DtCoverageRow *row = coverage->rows->pdata[i];
        coverage->required += row->outcomes->len;
        for (guint k = 0; k < row->outcomes->len; k++)
            coverage->seen += ((const DtCoverageOutcome *)row->outcomes->pdata[k])->first_seen > 0 ? 1 : 0;
    }
    g_ptr_array_sort(coverage->rows, compare_rows);
}
