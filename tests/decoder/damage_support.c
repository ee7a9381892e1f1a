/* What a user sees of a run that may be damaged. */
#include "damage_support.h"

#include <malloc.h>
#include <unistd.h>

#include "decoder/decoder.h"
#include "store/symbols/places.h"
#include "support/test_run.h"

enum { BATCH = 1000 };

guint dt_damage_rounds(guint usual)
{
    const char *text = g_getenv("DIFFTRACE_DAMAGE");
    return text ? (guint)g_ascii_strtoull(text, NULL, 10) : usual;
}

char *dt_read_file(const char *path, gsize *size)
{
    char *bytes = NULL;
    g_assert_true(g_file_get_contents(path, &bytes, size, NULL));
    return bytes;
}

char *dt_directory_in_memory(void)
{
    if (access("/dev/shm", W_OK) != 0)
        return dt_temporary_directory();
    char *path = g_strdup("/dev/shm/difftrace-test-XXXXXX");
    g_assert_nonnull(g_mkdtemp(path));
    return path;
}

void dt_keep_freed_memory(void)
{
    enum { MUCH = 1 << 26 };
    mallopt(M_MMAP_THRESHOLD, MUCH);
    mallopt(M_TRIM_THRESHOLD, MUCH);
}

static void keep_silent(const gchar *domain, GLogLevelFlags level, const gchar *message, gpointer before)
{
    GLogFunc handler = *(GLogFunc *)before;
    if (!(level & G_LOG_LEVEL_DEBUG))
        handler(domain, level, message, NULL);
}

void dt_without_debug_lines(void)
{
    static GLogFunc before;
    before = g_log_set_default_handler(keep_silent, &before);
}

static void describe_manifest(const DtManifest *manifest, GString *text)
{
    g_autofree char *command = manifest->command ? g_strjoinv(" ", manifest->command) : NULL;
    g_string_append_printf(text, "%s: %s %s %s %s, %d %d %d, %d, %f\n", command, manifest->images, manifest->codec,
                           manifest->engine, manifest->version, manifest->launcher, manifest->timed_out,
                           manifest->finished, manifest->exit_status, manifest->seconds);
}

static void report(GString *reports, const char *problem)
{
    if (problem)
        g_string_append_printf(reports, "%s\n", problem);
}

static void describe_tables(const DtRun *run, const DtProcess *process, GString *text)
{
    const GPtrArray *communicators = dt_run_communicators(run, process);
    const GArray *sites = dt_run_call_sites(run, process);
    for (guint i = 0; i < communicators->len; i++) {
        const DtCommunicator *communicator = communicators->pdata[i];
        g_string_append_printf(text, "%s %" G_GUINT64_FORMAT " %d:", communicator->name, communicator->key,
                               communicator->rank);
        for (gint k = 0; k < communicator->size + MAX(communicator->remote_size, 0); k++)
            g_string_append_printf(text, " %d", communicator->members[k]);
    }
    for (guint i = 0; i < sites->len; i++) {
        const DtCallSite *site = &g_array_index(sites, DtCallSite, i);
        g_string_append_printf(text, " %u %s %" G_GUINT64_FORMAT " %d", site->id, site->place.file, site->place.address,
                               site->place.tail_call);
    }
}

static void describe_notes(const DtRun *run, const DtTrace *trace, GString *text, GString *reports)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DtNotes) notes = dt_notes_open(run, trace, &error);
    report(reports, notes ? dt_notes_problem(notes) : error->message);
    for (guint i = 0; notes && i < dt_notes_count(notes); i++) {
        const DtNote *note = dt_notes_get(notes, i);
        g_string_append_printf(text, "\n%" G_GUINT64_FORMAT " %u %s", note->position, note->kind, note->text);
        for (guint k = 0; k < note->count; k++)
            g_string_append_printf(text, " %" G_GINT64_FORMAT, dt_notes_values(notes, note)[k]);
    }
}

/* With arguments, as far as they are in the call's signature; others are in the notes. */
static void describe_events(const DtRun *run, const DtTrace *trace, GString *text, GString *reports)
{
    guint32 events[BATCH];
    gsize count;
    g_autoptr(GError) error = NULL;
    g_autoptr(DtReader) reader = dt_reader_open(run, trace, DT_NAMES_WITH_ARGUMENTS, &error);
    while (reader && (count = dt_reader_next(reader, events, BATCH)) > 0)
        for (gsize i = 0; i < count; i++) {
            g_string_append_c(text, ' ');
            g_string_append(
                text, events[i] == DT_EVENT_RETURN ? "<" : dt_functions_get(dt_run_functions(run), events[i])->name);
        }
    report(reports, reader ? dt_reader_problem(reader) : error->message);
}

static char *describe(const char *path, GString *reports, gboolean until_report)
{
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(GError) error = NULL;
    g_autoptr(DtRun) run = dt_run_open(path, functions, &error);
    GString *text = g_string_new(NULL);
    g_string_truncate(reports, 0);
    if (!run)
        g_string_append_printf(reports, "%s\n", error->message);
    else
        describe_manifest(dt_run_manifest(run), text);
    for (guint i = 0; run && i < dt_run_problems(run)->len; i++)
        report(reports, dt_run_problems(run)->pdata[i]);
    for (guint i = 0; run && i < dt_run_process_count(run); i++)
        describe_tables(run, dt_run_process(run, i), text);
    for (guint i = 0; run && i < dt_run_trace_count(run) && !(until_report && reports->len > 0); i++) {
        const DtTrace *trace = dt_run_trace(run, i);
        g_string_append_printf(text, "\n%s %s %s %d %d %d", trace->label, trace->process->host,
                               trace->process->executable, trace->process->end, trace->process->status,
                               trace->returned);
        describe_events(run, trace, text, reports);
        describe_notes(run, trace, text, reports);
    }
    return g_string_free(text, FALSE);
}

char *dt_describe_run(const char *path, GString *reports)
{
    return describe(path, reports, FALSE);
}

char *dt_describe_run_until_report(const char *path, GString *reports)
{
    return describe(path, reports, TRUE);
}
