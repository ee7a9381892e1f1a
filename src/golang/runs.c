#include "golang/runs.h"

#include <string.h>

#include "import/go/findings.h"
#include "store/file.h"
#include "text/text.h"

static const guint64 MOST_BYTES = G_GUINT64_CONSTANT(1) << 30;

char *dt_go_campaign_trace(const DtGoCampaign *campaign, guint run)
{
    return g_strdup_printf("%s/%s.%u.trace", campaign->output, campaign->name, run);
}

/* ---- a run --------------------------------------------------------------------------------------------------- */

/* Waits and wake-ups by their places: what a run exercised. */
static guint add_places(GHashTable *seen, const DtGoroutines *goroutines)
{
    const GArray *events = goroutines->trace->events;
    guint before = g_hash_table_size(seen);
    for (guint i = 0; i < events->len; i++) {
        const DtGoEvent *event = &g_array_index(events, DtGoEvent, i);
        DtGoStack stack = dt_go_stack(goroutines->trace, event->stack);
        DtGoOperation operation = dt_go_operation(goroutines, event);
        if (!operation.is_known || operation.first >= stack.count)
            continue;
        const DtGoFrame *frame = &stack.frames[operation.first];
        g_hash_table_add(seen, g_strdup_printf("%u %s:%u", event->type, frame->file, frame->line));
    }
    return g_hash_table_size(seen) - before;
}

/* The line of a log that says why the program died, and where; NULL: it did not die. g_free(). */
static char *death_in(const char *path)
{
    g_autofree char *text = dt_file_contents(path, MOST_BYTES, NULL, NULL);
    g_auto(GStrv) lines = g_strsplit(text ? text : "", "\n", -1);
    const char *death = NULL;
    for (guint i = 0; lines[i]; i++) {
        if (!death && (g_str_has_prefix(lines[i], "panic: ") || g_str_has_prefix(lines[i], "fatal error: ")))
            death = lines[i];
        /* The first frame that is no part of Go's library. */
        const char *mark = death && lines[i][0] == '\t' ? strstr(lines[i], ".go:") : NULL;
        if (!mark || strstr(lines[i], "/src/runtime/") || strstr(lines[i], "/src/testing/") ||
            strstr(lines[i], "/src/sync/"))
            continue;
        g_autofree char *place = g_strndup(lines[i] + 1, strcspn(lines[i] + 1, " "));
        const char *slash = strrchr(place, '/');
        g_autofree char *shown = dt_text_spell(slash ? slash + 1 : place), *why = dt_text_spell(death);
        return g_strdup_printf("%s: %s", shown, why);
    }
    return death ? dt_text_spell(death) : NULL;
}

static void take_all(GPtrArray *to, const GPtrArray *from)
{
    for (guint i = 0; i < from->len; i++)
        g_ptr_array_add(to, g_strdup(g_ptr_array_index(from, i)));
}

/* Each is told once, however many runs it was in. */
static void note_idle(GPtrArray *notes, const GPtrArray *idle)
{
    for (guint i = 0; i < idle->len; i++) {
        char *note = g_strconcat(g_ptr_array_index(idle, i), " (as one that serves others may)", NULL);
        if (g_ptr_array_find_with_equal_func(notes, note, g_str_equal, NULL))
            g_free(note);
        else
            g_ptr_array_add(notes, note);
    }
}

/* TRUE: something was found. A command may end while those that serve it wait for more. */
static gboolean judge(const DtGoCampaign *campaign, const DtGoFindings *findings, DtGoCampaignResult *result)
{
    const guint certain = findings->leaks->len - (campaign->is_test ? 0 : findings->idle->len);
    if (!findings->has_ended && !findings->is_quiet) {
        result->unended++;
        g_ptr_array_add(result->notes, g_strdup_printf("run %u did not end within %g s, and something still happened; "
                                                       "--timeout gives it longer",
                                                       result->runs, campaign->limit / 1000.0));
        return FALSE;
    }
    if (findings->has_ended ? certain == 0 : findings->leaks->len == 0) {
        if (findings->leaks->len == 0)
            result->normal = result->runs;
        else
            note_idle(result->notes, findings->idle);
        return FALSE;
    }
    take_all(result->lines, findings->leaks);
    g_ptr_array_add(result->lines, dt_go_findings_summary(findings));
    return TRUE;
}

/* What the trace of a run says. */
static gboolean look_at(const DtGoCampaign *campaign, GHashTable *seen, guint *news, DtGoCampaignResult *result)
{
    g_autofree char *path = dt_go_campaign_trace(campaign, result->runs);
    g_autoptr(GError) problem = NULL;
    gsize bytes;
    g_autofree char *data = dt_file_contents(path, MOST_BYTES, &bytes, &problem);
    g_autoptr(DtGoTrace) trace = data ? dt_go_trace_parse((const guint8 *)data, bytes, &problem) : NULL;
    g_clear_pointer(&data, g_free);
    if (!trace) {
        g_ptr_array_add(result->notes, g_strdup_printf("run %u left no trace: %s", result->runs, problem->message));
        return FALSE;
    }
    g_autoptr(DtGoroutines) goroutines = dt_goroutines_new(trace);
    *news = add_places(seen, goroutines);
    if (trace->is_cut)
        return FALSE;
    g_autoptr(DtGoFindings) findings = dt_go_findings_new(goroutines, "0.");
    return judge(campaign, findings, result);
}

/* ---- all ------------------------------------------------------------------------------------------------------- */

/* The first run is as the program is; of the others three in four have late goroutines. */
static guint late_in(const DtGoCampaign *campaign, guint run)
{
    enum { CYCLE = 4, WITHOUT = 3 };
    return run > 1 && campaign->yields > 0 && run % CYCLE != WITHOUT ? run : 0;
}

static gboolean run_once(const DtGoCampaign *campaign, GHashTable *seen, guint *news, DtGoCampaignResult *result,
                         GError **error)
{
    g_autofree char *trace = dt_go_campaign_trace(campaign, ++result->runs);
    g_autofree char *log = g_strdup_printf("%s/%s.%u.log", campaign->output, campaign->name, result->runs);
    DtGoRun run = {.program = campaign->program,
                   .arguments = campaign->arguments,
                   .folder = campaign->folder,
                   .trace = trace,
                   .log = log,
                   .limit = campaign->limit,
                   .yields = result->runs > 1 ? campaign->yields : 0,
                   .late = late_in(campaign, result->runs)};
    result->status = dt_go_run(&run, error);
    if (result->status < 0)
        return FALSE;
    char *death = death_in(log);
    if (death) {
        g_ptr_array_add(result->lines, death);
        result->found = result->runs;
        return TRUE;
    }
    if (look_at(campaign, seen, news, result))
        result->found = result->runs;
    return TRUE;
}

DtGoCampaignResult *dt_go_campaign(const DtGoCampaign *campaign, GError **error)
{
    g_autoptr(DtGoCampaignResult) result = g_new0(DtGoCampaignResult, 1);
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    result->lines = g_ptr_array_new_with_free_func(g_free);
    result->notes = g_ptr_array_new_with_free_func(g_free);
    const guint patience = campaign->patience > 0 ? campaign->patience : G_MAXUINT;
    for (guint still = 0; result->runs < campaign->runs && result->found == 0 && still < patience;) {
        guint news = 0;
        if (!run_once(campaign, seen, &news, result, error))
            return NULL;
        still = news > 0 ? 0 : still + 1;
    }
    return g_steal_pointer(&result);
}

void dt_go_campaign_result_free(DtGoCampaignResult *result)
{
    if (!result)
        return;
    g_ptr_array_unref(result->lines);
    g_ptr_array_unref(result->notes);
    g_free(result);
}
