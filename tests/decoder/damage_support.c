/* What a user sees of a run that may be damaged. */
#include "damage_support.h"

#include <malloc.h>
#include <unistd.h>

#include "decoder/decoder.h"
#include "event_text.h"
#include "support/test_run.h"

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

static void describe_manifest(const DtManifest *manifest, GString *text)
{
    g_autofree char *command = manifest->command ? g_strjoinv(" ", manifest->command) : NULL;
    g_string_append_printf(text, "%s: %s %s %s %s, %d %d %d, %d, %f\n", command, manifest->images, manifest->codec,
                           manifest->engine, manifest->version, manifest->launcher, manifest->timed_out,
                           manifest->finished, manifest->exit_status, manifest->seconds);
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
        g_string_append_printf(reports, "%s\n", (const char *)dt_run_problems(run)->pdata[i]);
    for (guint i = 0; run && i < dt_run_trace_count(run) && !(until_report && reports->len > 0); i++) {
        const DtTrace *trace = dt_run_trace(run, i);
        g_autofree char *problem = NULL;
        g_autofree char *flat = dt_event_text(run, trace, 1000, &problem);
        g_string_append_printf(text, "%s %s %s %d %d %d %s\n", trace->label, trace->process->host,
                               trace->process->executable, trace->process->end, trace->process->status, trace->returned,
                               flat);
        if (problem)
            g_string_append_printf(reports, "%s\n", problem);
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
