#include "checks/findings.h"

#include <string.h>

#include "text/text.h"

static void free_finding(gpointer data)
{
    DtCheckFinding *finding = data;
    g_array_unref(finding->ranks);
    g_ptr_array_unref(finding->traces);
    g_free(finding->call);
    g_free(finding->source);
    g_free(finding->expected);
    g_ptr_array_unref(finding->evidence);
    g_free(finding);
}

DtCheckFindings *dt_check_findings_new(void)
{
    DtCheckFindings *findings = g_new0(DtCheckFindings, 1);
    findings->all = g_ptr_array_new_with_free_func(free_finding);
    findings->by_key = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    findings->sources = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    return findings;
}

void dt_check_findings_free(DtCheckFindings *findings)
{
    if (!findings)
        return;
    g_ptr_array_unref(findings->all);
    g_hash_table_unref(findings->by_key);
    g_hash_table_unref(findings->sources);
    g_clear_pointer(&findings->lines, dt_source_lines_free);
    g_free(findings);
}

/* ---- order ----------------------------------------------------------------------------------- */

static gint compare_findings(gconstpointer a, gconstpointer b)
{
    const DtCheckFinding *one = *(const DtCheckFinding *const *)a, *other = *(const DtCheckFinding *const *)b;
    if (one->level != other->level)
        return one->level < other->level ? -1 : 1;
    if (one->rule != other->rule)
        return one->rule < other->rule ? -1 : 1;
    gint order = g_strcmp0(one->source, other->source);
    return order ? order : g_strcmp0(one->call, other->call);
}

static gint compare_ranks(gconstpointer a, gconstpointer b)
{
    gint one = *(const gint *)a, other = *(const gint *)b;
    return one < other ? -1 : one > other;
}

static gint compare_traces(gconstpointer a, gconstpointer b, gpointer user_data)
{
    const DtTrace *one = dt_run_find_trace(user_data, *(const char *const *)a);
    const DtTrace *other = dt_run_find_trace(user_data, *(const char *const *)b);
    return one->index < other->index ? -1 : one->index > other->index;
}

GPtrArray *dt_check_findings_take(DtCheckFindings *findings, const DtRun *run)
{
    GPtrArray *all = g_steal_pointer(&findings->all);
    findings->all = g_ptr_array_new_with_free_func(free_finding);
    g_hash_table_remove_all(findings->by_key);
    g_ptr_array_sort(all, compare_findings);
    for (guint i = 0; i < all->len; i++) {
        DtCheckFinding *finding = all->pdata[i];
        g_array_sort(finding->ranks, compare_ranks);
        g_ptr_array_sort_with_data(finding->traces, compare_traces, (gpointer)run);
    }
    return all;
}

/* ---- places ---------------------------------------------------------------------------------- */

static char *place_key(const DtPlace *place)
{
    return g_strdup_printf("%s %" G_GINT64_MODIFIER "x", place->key ? place->key : place->file, place->address);
}

static char *line_of_place(DtChecking *checking, const DtProcess *process, const DtPlace *place)
{
    DtCheckFindings *findings = checking->findings;
    g_autofree char *key = place_key(place);
    gpointer known;
    if (g_hash_table_lookup_extended(findings->sources, key, NULL, &known))
        return g_strdup(known);
    char *line = dt_source_lines_text_of_function(findings->lines, checking->run, process, place);
    g_hash_table_insert(findings->sources, g_steal_pointer(&key), g_strdup(line));
    return line;
}

/* Where the code of the caller calls the function, if that is at one place only. */
static char *only_line(DtChecking *checking, const DtProcess *process, guint32 caller, guint32 function)
{
    const GPtrArray *lines =
        dt_source_lines_of_code(checking->findings->lines, checking->run, process, caller, function);
    return lines->len == 1 ? g_strdup(lines->pdata[0]) : NULL;
}

char *dt_check_source_of_place(DtChecking *checking, const DtProcess *process, const DtPlace *place)
{
    if (!checking->findings->lines)
        checking->findings->lines = dt_source_lines_new();
    return line_of_place(checking, process, place);
}

char *dt_check_source(DtChecking *checking, const DtProcess *process, const DtCallSite *site, guint32 caller,
                      guint32 function)
{
    if (!checking->findings->lines)
        checking->findings->lines = dt_source_lines_new();
    if (site)
        return line_of_place(checking, process, &site->place);
    return caller && function ? only_line(checking, process, caller, function) : NULL;
}

char *dt_check_at(DtChecking *checking, const DtProcess *process, const DtCallSite *site, guint32 caller,
                  guint32 function)
{
    g_autofree char *source = dt_check_source(checking, process, site, caller, function);
    return source ? g_strdup_printf(" at %s", source) : g_strdup("");
}

/* ---- reports --------------------------------------------------------------------------------- */

void dt_check_add_rank(DtCheckFinding *finding, gint rank)
{
    GArray *ranks = finding->ranks;
    for (guint i = ranks->len; i-- > 0;)
        if (g_array_index(ranks, gint, i) == rank)
            return;
    if (rank >= 0)
        g_array_append_val(ranks, rank);
}

void dt_check_add_trace(DtChecking *checking, DtCheckFinding *finding, const DtTrace *trace)
{
    (void)checking;
    GPtrArray *traces = finding->traces;
    if (traces->len > 0 && traces->pdata[traces->len - 1] == trace->label)
        return;
    for (guint i = 0; i < traces->len; i++)
        if (traces->pdata[i] == trace->label)
            return;
    g_ptr_array_add(traces, (gpointer)trace->label);
    dt_check_add_rank(finding, trace->process->rank);
}

static char *key_of(DtCheckRule rule, const DtCallSite *site, guint32 function, guint32 caller, const char *variant)
{
    g_autofree char *place = site ? place_key(&site->place) : g_strdup_printf("in %u", caller);
    return g_strdup_printf("%d %s %u %s", (int)rule, place, function, variant ? variant : "");
}

static DtCheckFinding *add_finding(DtChecking *checking, DtCheckRule rule, DtCheckLevel level, char *key)
{
    DtCheckFinding *finding = g_new0(DtCheckFinding, 1);
    finding->rule = rule;
    finding->level = level;
    finding->ranks = g_array_new(FALSE, FALSE, sizeof(gint));
    finding->traces = g_ptr_array_new();
    finding->evidence = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(checking->findings->all, finding);
    g_hash_table_insert(checking->findings->by_key, key, finding);
    return finding;
}

/* TRUE if it is new. */
static gboolean find(DtChecking *checking, DtCheckRule rule, DtCheckLevel level, char *key, const DtTrace *trace,
                     DtCheckFinding **finding)
{
    *finding = g_hash_table_lookup(checking->findings->by_key, key);
    gboolean is_new = !*finding;
    if (is_new)
        *finding = add_finding(checking, rule, level, key);
    else
        g_free(key);
    (*finding)->times++;
    (*finding)->level = MIN((*finding)->level, level);
    if (trace)
        dt_check_add_trace(checking, *finding, trace);
    return is_new;
}

gboolean dt_check_report(DtChecking *checking, const DtCheckReport *report, DtCheckFinding **finding)
{
    const DtCheckedCall *call = report->call;
    *finding = NULL;
    if (checking->without[report->rule])
        return FALSE;
    char *key = key_of(report->rule, call ? call->site : NULL, call ? call->function : 0, call ? call->caller : 0,
                       report->variant);
    if (!find(checking, report->rule, report->level, key, report->trace, finding))
        return FALSE;
    if (call) {
        (*finding)->call = dt_check_call_text(checking, call);
        (*finding)->source =
            dt_check_source(checking, report->trace->process, call->site, call->caller, call->function);
    }
    return TRUE;
}

static char *kept_text(const DtChecking *checking, const DtKeptCall *call)
{
    const char *name = dt_check_function_name(checking, call->function);
    g_autofree char *arguments = call->form ? dt_signature_text(call->form) : NULL;
    return arguments ? g_strdup_printf("%s(%s)", name, arguments) : g_strdup(name);
}

char *dt_kept_call_text(DtChecking *checking, const DtKeptCall *call)
{
    g_autofree char *text = kept_text(checking, call);
    g_autofree char *at = dt_check_at(checking, call->trace->process, call->site, call->caller, call->function);
    return g_strconcat(text, at, NULL);
}

gboolean dt_check_report_kept(DtChecking *checking, DtCheckRule rule, DtCheckLevel level, const DtKeptCall *call,
                              const char *variant, DtCheckFinding **finding)
{
    *finding = NULL;
    if (checking->without[rule])
        return FALSE;
    char *key = key_of(rule, call->site, call->function, call->caller, variant);
    if (!find(checking, rule, level, key, call->trace, finding))
        return FALSE;
    (*finding)->call = kept_text(checking, call);
    (*finding)->source = dt_check_source(checking, call->trace->process, call->site, call->caller, call->function);
    return TRUE;
}

void dt_check_expect(DtCheckFinding *finding, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_free(finding->expected);
    finding->expected = dt_text_vprintf(format, arguments);
    va_end(arguments);
}

void dt_check_add_evidence(DtCheckFinding *finding, const char *format, ...)
{
    enum { MOST = 12 };
    va_list arguments;
    if (finding->evidence->len >= MOST)
        return;
    va_start(arguments, format);
    g_ptr_array_add(finding->evidence, dt_text_vprintf(format, arguments));
    va_end(arguments);
}

char *dt_check_call_text(const DtChecking *checking, const DtCheckedCall *call)
{
    const char *name = dt_check_function_name(checking, call->function);
    g_autofree char *arguments = call->signature ? dt_signature_text(call->signature) : NULL;
    return arguments ? g_strdup_printf("%s(%s)", name, arguments) : g_strdup(name);
}

const DtArgument *dt_check_argument(const DtSignature *signature, guint kind)
{
    for (guint i = 0; signature && i < signature->argument_count; i++)
        if (signature->arguments[i].kind == kind)
            return &signature->arguments[i];
    return NULL;
}

const char *dt_check_function_name(const DtChecking *checking, guint32 function)
{
    return dt_functions_get(checking->functions, function)->name;
}
