/* Exporting: the format, whether there are times, and the text's way out. */
#include "export/writer.h"

#include "text/text.h"
#include "times/call_times.h"
#include "times/timed_reader.h"

G_DEFINE_QUARK(dt_export_error, dt_export_error)

enum { FLUSH_BYTES = 1 << 16 };

/* How many runs a format is of. */
typedef struct {
    const char *name;
    gboolean (*write)(DtExportWriter *writer, GError **error);
    guint least, most;
    gboolean of_times;
} Format;

static const Format formats[] = {
    [DT_EXPORT_CHROME] = {"chrome", dt_export_chrome, 1, 1, FALSE},
    [DT_EXPORT_STACK_COUNTS] = {"folded", dt_export_stack_counts, 1, 1, FALSE},
    [DT_EXPORT_STACK_TIMES] = {"folded-time", dt_export_stack_counts, 1, 1, TRUE},
    [DT_EXPORT_CALLGRIND] = {"callgrind", dt_export_callgrind, 1, 1, FALSE},
    [DT_EXPORT_CSV] = {"csv", dt_export_csv, 1, 1, FALSE},
    [DT_EXPORT_DIFFERENT_COUNTS] = {"difffolded", dt_export_stack_counts, 2, 2, FALSE},
    [DT_EXPORT_DIFFERENT_TIMES] = {"difffolded-time", dt_export_stack_counts, 2, 2, TRUE},
    [DT_EXPORT_PERFETTO] = {"perfetto", dt_export_perfetto, 1, 2, FALSE},
};

gboolean dt_export_format_parse(const char *text, DtExportFormat *format, GError **error)
{
    for (guint i = 0; i < G_N_ELEMENTS(formats); i++) {
        if (g_ascii_strcasecmp(text, formats[i].name) == 0) {
            *format = (DtExportFormat)i;
            return TRUE;
        }
    }
    dt_set_error(
        error, DT_EXPORT_ERROR, DT_EXPORT_ERROR_FORMAT,
        "--format '%s': unknown; chrome, folded, folded-time, difffolded, difffolded-time, callgrind, dot, csv, "
        "perfetto or otf2",
        text);
    return FALSE;
}

gboolean dt_export_flush(DtExportWriter *writer, gboolean end)
{
    if (!writer->failed && (end || writer->text->len >= FLUSH_BYTES)) {
        writer->failed = !writer->sink(writer->text->str, writer->text->len, writer->user_data);
        g_string_truncate(writer->text, 0);
    }
    return !writer->failed;
}

/* When the first of the traces began, by the wall clocks of their hosts. */
static gboolean find_start(DtExportWriter *writer, GError **error)
{
    const GPtrArray *traces = writer->wants->traces;
    writer->timed = traces->len > 0;
    for (guint i = 0; i < traces->len; i++)
        writer->timed &= dt_trace_has_times(traces->pdata[i]);
    for (guint i = 0; writer->timed && i < traces->len; i++) {
        const DtTrace *trace = traces->pdata[i];
        g_autoptr(DtTimedReader) reader = dt_timed_reader_open(writer->wants->run, trace, DT_NAMES_ALONE, error);
        if (!reader)
            return FALSE;
        gint64 first = (gint64)dt_timed_reader_first_ns(reader) + dt_process_clock_offset(trace->process);
        if (dt_timed_reader_first_ns(reader) > 0 && (writer->start_ns == 0 || first < writer->start_ns))
            writer->start_ns = first;
    }
    return TRUE;
}

static gboolean has_its_runs(const DtExportWants *wants, GError **error)
{
    const Format *format = &formats[wants->format];
    guint runs = wants->other ? 2 : 1;
    if (runs >= format->least && runs <= format->most)
        return TRUE;
    dt_set_error(error, DT_EXPORT_ERROR, DT_EXPORT_ERROR_RUNS, "--format %s: of %s; %s", format->name,
                 format->most == 1 ? "one run" : "two runs",
                 format->most == 1 ? "export each to a file of its own" : "name the run to compare with, too");
    return FALSE;
}

static gboolean has_times(const DtExportWriter *writer, const char *what, GError **error)
{
    if (writer->timed)
        return TRUE;
    dt_set_error(error, DT_EXPORT_ERROR, DT_EXPORT_ERROR_NO_TIMES,
                 "%s: %s: not all traces have times; record with collect --times=functions",
                 dt_run_path(writer->wants->run), what);
    return FALSE;
}

static gboolean has_window(const DtExportWriter *writer, GError **error)
{
    const DtExportWants *wants = writer->wants;
    return (wants->from <= 0 && wants->to <= 0) || has_times(writer, "--since, --until", error);
}

static gboolean has_its_times(const DtExportWriter *writer, GError **error)
{
    const Format *format = &formats[writer->wants->format];
    return format->of_times ? has_times(writer, format->name, error) : has_window(writer, error);
}

/* What a run alone would be exported with. */
static gboolean begin(DtExportWriter *writer, GError **error)
{
    return find_start(writer, error) && has_its_times(writer, error);
}

gboolean dt_export(const DtExportWants *wants, DtExportSink sink, gpointer user_data, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    DtExportWriter writer = {.wants = wants, .text = text, .sink = sink, .user_data = user_data};
    DtExportWants others = *wants;
    others.run = wants->other;
    others.traces = wants->other_traces;
    DtExportWriter other = {.wants = &others};
    if (!has_its_runs(wants, error) || !begin(&writer, error) || (wants->other && !begin(&other, error)))
        return FALSE;
    if (wants->other)
        writer.other = &other;
    if (!formats[wants->format].write(&writer, error))
        return FALSE;
    if (dt_export_flush(&writer, TRUE))
        return TRUE;
    g_set_error_literal(error, DT_EXPORT_ERROR, DT_EXPORT_ERROR_WRITE, "not all could be written");
    return FALSE;
}

gboolean dt_export_otf2(const DtExportWants *wants, const char *folder, GError **error)
{
    DtExportWriter writer = {.wants = wants};
    if (wants->other) {
        dt_set_error(error, DT_EXPORT_ERROR, DT_EXPORT_ERROR_RUNS,
                     "--format otf2: of one run; export each to a directory of its own");
        return FALSE;
    }
    return find_start(&writer, error) && has_window(&writer, error) && dt_export_otf2_archive(&writer, folder, error);
}
