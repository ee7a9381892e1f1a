/* A file of runtime/trace's: a process, whose goroutines are its threads. */
#include <string.h>

#include "import/go/findings.h"
#include "import/go/words.h"
#include "import/reader.h"
#include "store/file.h"
#include "text/text.h"

static const guint64 MOST_BYTES = G_GUINT64_CONSTANT(4) << 30;
static const char IMAGE[] = "go";

gboolean dt_is_go_trace(const char *path)
{
    guint8 head[DT_GO_HEADER_BYTES];
    guint minor;
    FILE *file = dt_file_stream(path, NULL);
    gboolean is_one = file && fread(head, sizeof(head), 1, file) == 1 && dt_go_header(head, sizeof(head), &minor);
    if (file)
        fclose(file);
    return is_one;
}

static void warn(DtRunWriter *run, const char *path, const DtGoTrace *trace)
{
    if (trace->damage)
        dt_run_writer_warn(run, "%s: damaged: %s: what comes behind is left out", path, trace->damage);
    else if (trace->is_cut)
        dt_run_writer_warn(run, "%s: its end is missing, as of a program that died: times and lines may be, too", path);
    if (trace->forced > 0)
        dt_run_writer_warn(run,
                           "%s: %u events come before what must have been before them: their order is that of times",
                           path, trace->forced);
    if (trace->has_odd_times)
        dt_run_writer_warn(run, "%s: its clock went back between processors: the order is kept, times are not exact",
                           path);
}

/* Names the image after what was in the trace. */
static void identify(DtImageWriter *image, guint rank, const char *sum)
{
    enum { DIGITS = 32 };
    g_autofree char *key = g_strdup_printf("%.*s-go%u", DIGITS, sum, rank);
    dt_image_writer_key(image, key);
}

/* *sum is that of its bytes, which are needed no more. */
static DtGoTrace *read_trace(const char *path, char **sum, GError **error)
{
    gsize bytes;
    g_autofree char *data = dt_file_contents(path, MOST_BYTES, &bytes, error);
    DtGoTrace *trace = data ? dt_go_trace_parse((const guint8 *)data, bytes, error) : NULL;
    *sum = trace ? g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)data, bytes) : NULL;
    return trace;
}

/* With goroutines that wait at its end it counts as a process that hung, else as one that has ended. */
static void end_process(DtRunWriter *run, DtProcessWriter *process, const DtGoroutines *goroutines)
{
    const DtGoTrace *trace = goroutines->trace;
    const GArray *events = trace->events;
    gboolean leaks = trace->is_cut || trace->damage;
    for (guint i = 0; i < goroutines->numbered->len; i++)
        leaks |= dt_go_is_leaked(goroutines, g_ptr_array_index(goroutines->numbered, i));
    if (leaks) {
        dt_import_cut(process);
        dt_run_writer_hung(run);
    }
    if (events->len > 0)
        dt_process_writer_header(process)->end_monotonic_ns =
            (guint64)g_array_index(events, DtGoEvent, events->len - 1).time;
    dt_process_writer_end(process);
}

gboolean dt_import_go_trace(const char *path, DtRunWriter *run, GError **error)
{
    g_autoptr(GError) problem = NULL;
    g_autofree char *sum = NULL;
    g_autoptr(DtGoTrace) trace = read_trace(path, &sum, &problem);
    if (!trace) {
        dt_set_error(error, DT_IMPORT_ERROR, DT_IMPORT_ERROR_INPUT, "%s: %s", path, problem->message);
        return FALSE;
    }
    warn(run, path, trace);
    g_autoptr(DtGoroutines) goroutines = dt_goroutines_new(trace);
    g_autoptr(DtGoWakers) wakers = dt_go_wakers_new(goroutines);
    if (goroutines->numbered->len == 0) {
        dt_set_error(error, DT_IMPORT_ERROR, DT_IMPORT_ERROR_INPUT, "%s: no goroutine of the program in it", path);
        return FALSE;
    }
    const guint rank = dt_run_writer_written(run)->processes;
    DtProcessIdentity identity = {(gint)rank, 0, rank + 1, "imported", IMAGE};
    DtProcessWriter *process = dt_import_process(run, &identity);
    DtImageWriter *image = dt_process_writer_image(process, IMAGE, DT_IMAGE_MAIN);
    g_autofree char *prefix = g_strdup_printf("%u.", rank);
    g_autoptr(DtGoFindings) findings = dt_go_findings_new(goroutines, prefix);
    g_autofree char *summary = dt_go_findings_summary(findings);
    identify(image, rank, sum);
    dt_go_write(goroutines, wakers, process, image);
    for (guint i = 0; i < findings->leaks->len; i++)
        dt_run_writer_warn(run, "%s", (const char *)g_ptr_array_index(findings->leaks, i));
    if (findings->leaks->len > 0)
        dt_run_writer_warn(run, "%s", summary);
    end_process(run, process, goroutines);
    return TRUE;
}
