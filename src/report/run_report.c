/* What a run holds, as text and JSON. */
#include "decoder/status.h"
#include "report/common.h"
#include "report/json.h"
#include "report/table.h"

#include "format/skip_reason.h"
#include "text/text.h"

#include <string.h>

/* Totals over all processes. */
typedef struct {
    guint64 events, words, bytes, note_bytes, hooked, skipped, dropped, replaced, notes;
    guint64 crowded_out;     /* of `dropped`: while recording went on */
    guint64 unseen_handlers; /* of signals */
    DtWithoutRoom without_room;
    guint64 reasons[DT_SKIP_REASONS];
} Totals;

static const char *end_name(DtEnd end)
{
    static const char *const names[] = {"running", "exited", "signal", "killed"};
    return names[end];
}

static char *end_text(const DtProcess *process)
{
    switch (process->end) {
    case DT_END_EXITED:
        if (process->executed)
            return g_strdup("executed another program");
        return g_strdup_printf("exited with status %d", process->status);
    case DT_END_SIGNAL:
        return g_strdup_printf("signal %d (%s)", process->status, g_strsignal(process->status));
    case DT_END_KILLED:
        return g_strdup("killed, nobody saw how");
    case DT_END_RUNNING:
        break;
    }
    return g_strdup("still running when last seen");
}

/* Traces of a process follow each other: `next` is the first that was not counted yet. */
static void process_totals(const DtRunReport *what, const DtProcess *process, guint *next, guint64 *events,
                           guint64 *bytes)
{
    *events = 0;
    *bytes = 0;
    for (; *next < dt_run_trace_count(what->run); ++*next) {
        const DtTrace *trace = dt_run_trace(what->run, *next);
        if (trace->process != process)
            return;
        *events += what->events[*next];
        *bytes += trace->bytes;
    }
}

/* An image is counted once, by its path, with its best hooked process. */
static GHashTable *images_by_path(const DtRun *run)
{
    GHashTable *images = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint p = 0; p < dt_run_process_count(run); p++) {
        const GPtrArray *list = dt_run_images(run, dt_run_process(run, p));
        for (guint i = 0; list && i < list->len; i++) {
            const DtImage *image = list->pdata[i];
            const DtImage *known = g_hash_table_lookup(images, image->path);
            if (!known || image->hooked > known->hooked)
                g_hash_table_replace(images, (gpointer)image->path, (gpointer)image);
        }
    }
    return images;
}

static gint compare_images(gconstpointer a, gconstpointer b)
{
    const DtImage *first = *(DtImage *const *)a, *second = *(DtImage *const *)b;
    if (first->main_image != second->main_image)
        return first->main_image ? -1 : 1;
    return strcmp(first->path, second->path);
}

static GPtrArray *sorted_images(const DtRun *run)
{
    g_autoptr(GHashTable) images = images_by_path(run);
    GPtrArray *sorted = g_ptr_array_new();
    GHashTableIter iterator;
    gpointer image;
    g_hash_table_iter_init(&iterator, images);
    while (g_hash_table_iter_next(&iterator, NULL, &image))
        g_ptr_array_add(sorted, image);
    g_ptr_array_sort(sorted, compare_images);
    return sorted;
}

static void add_without_room(DtWithoutRoom *all, const DtWithoutRoom *one)
{
    all->communicators += one->communicators;
    all->signatures += one->signatures;
    all->call_sites += one->call_sites;
    all->locks += one->locks;
    all->arrays += one->arrays;
    all->scale = MAX(all->scale, one->scale);
}

static Totals totals_of(const DtRunReport *what, const GPtrArray *images)
{
    Totals totals = {0};
    for (guint i = 0; i < dt_run_trace_count(what->run); i++) {
        totals.events += what->events[i];
        totals.words += dt_run_trace(what->run, i)->words;
        totals.bytes += dt_run_trace(what->run, i)->bytes;
        totals.replaced += dt_run_trace(what->run, i)->dropped_words;
        totals.notes += dt_run_trace(what->run, i)->dropped_notes;
    }
    for (guint i = 0; i < dt_run_process_count(what->run); i++) {
        const DtProcess *process = dt_run_process(what->run, i);
        totals.dropped += process->dropped_events;
        totals.crowded_out += process->stopped ? 0 : process->dropped_events;
        totals.unseen_handlers += process->unseen_handlers;
        totals.note_bytes += process->note_bytes;
        add_without_room(&totals.without_room, &process->without_room);
    }
    for (guint i = 0; i < images->len; i++) {
        const DtImage *image = images->pdata[i];
        totals.hooked += image->hooked;
        totals.skipped += image->skipped;
        for (guint reason = 0; reason < DT_SKIP_REASONS; reason++)
            totals.reasons[reason] += image->reasons[reason];
    }
    return totals;
}

/* Bytes of the events as recorded, two a word, per byte on disk; 0 if there is none. */
static double ratio(const Totals *totals)
{
    return totals->bytes > 0 ? 2.0 * (double)totals->words / (double)totals->bytes : 0;
}

/* ---- text ------------------------------------------------------------------- */

static void append_reasons(GString *out, const guint64 *reasons)
{
    const char *before = ": ";
    for (guint32 reason = 1; reason < DT_SKIP_REASONS; reason++) {
        if (reasons[reason] == 0)
            continue;
        g_string_append_printf(out, "%s%" G_GUINT64_FORMAT " %s", before, reasons[reason], dt_skip_reason_name(reason));
        before = ", ";
    }
}

/* As it would be typed. */
static char *command_text(char **words)
{
    static const char plain[] = G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_@%+=:,./-";
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint i = 0; words[i]; i++) {
        gboolean is_plain = words[i][0] != '\0' && words[i][strspn(words[i], plain)] == '\0';
        g_autofree char *quoted = is_plain ? g_strdup(words[i]) : g_shell_quote(words[i]);
        g_string_append_printf(text, "%s%s", i > 0 ? " " : "", quoted);
    }
    return g_string_free(g_steal_pointer(&text), FALSE);
}

static void append_command(GString *out, const DtManifest *manifest)
{
    g_autofree char *command = manifest->command ? command_text(manifest->command) : NULL;
    dt_text_append(out, "command    %s\n", command ? command : "not known");
    if (manifest->timed_out)
        g_string_append_printf(out, "ended      by the timeout, after %.1f s\n", manifest->seconds);
    else if (manifest->stuck)
        dt_text_append(out, "ended      after %.1f s: %s\n", manifest->seconds, manifest->stuck);
    else if (manifest->finished && manifest->ending_realtime_ns > 0)
        g_string_append_printf(out, "ended      status %d, after %.1f s, by a signal to the collector\n",
                               manifest->exit_status, manifest->seconds);
    else if (manifest->finished)
        g_string_append_printf(out, "ended      status %d, after %.1f s\n", manifest->exit_status, manifest->seconds);
    else
        g_string_append(out, "ended      not seen: still running, or the collection itself was killed\n");
}

static DtTable *process_table(const DtRunReport *what)
{
    DtTable *table = dt_table_new("process|>pid|~host|>threads|>events|>bytes|end");
    guint next = 0;
    for (guint i = 0; i < dt_run_process_count(what->run); i++) {
        const DtProcess *process = dt_run_process(what->run, i);
        guint64 events = 0, bytes = 0;
        process_totals(what, process, &next, &events, &bytes);
        g_autofree char *end = end_text(process);
        g_autofree char *stopped =
            process->stopped ? g_strdup_printf("; recording stopped: %s", process->stopped) : g_strdup("");
        dt_table_add(table, process->label);
        dt_table_add_format(table, "%u", process->pid);
        dt_table_add(table, process->host);
        dt_table_add_format(table, "%u", process->traces);
        dt_table_add_format(table, "%" G_GUINT64_FORMAT, events);
        dt_table_add_format(table, "%" G_GUINT64_FORMAT, bytes);
        dt_table_add_format(table, "%s%s", end, stopped);
    }
    return table;
}

static void append_processes(GString *out, const DtRunReport *what)
{
    g_autoptr(DtTable) table = process_table(what);
    dt_table_append_text(table, out, what->width);
}

/* The functions without a hook, image by image. */
static DtTable *skipped_table(const DtRunReport *what, const GPtrArray *images)
{
    DtTable *table = dt_table_new("~image|~skipped function|reason");
    for (guint i = 0; i < images->len; i++) {
        const DtImage *image = images->pdata[i];
        g_autoptr(GPtrArray) functions = dt_run_skipped_functions(what->run, image);
        for (guint k = 0; k < functions->len; k++) {
            const DtSkippedFunction *function = functions->pdata[k];
            dt_table_add(table, image->path);
            dt_table_add(table, function->name);
            dt_table_add(table, dt_skip_reason_name(function->reason));
        }
    }
    return table;
}

static char *run_tsv(const DtRunReport *what)
{
    GString *out = g_string_new(NULL);
    g_autoptr(GPtrArray) images = sorted_images(what->run);
    g_autoptr(DtTable) table = what->skipped ? skipped_table(what, images) : process_table(what);
    dt_table_append_tsv(table, out);
    return g_string_free(out, FALSE);
}

static void append_images(GString *out, const GPtrArray *images, guint width)
{
    g_autoptr(DtTable) table = dt_table_new("~image|>hooked|>skipped|reasons");
    for (guint i = 0; i < images->len; i++) {
        const DtImage *image = images->pdata[i];
        g_autoptr(GString) reasons = g_string_new(image->api_only ? "API calls only" : "");
        guint64 counts[DT_SKIP_REASONS];
        for (guint reason = 0; reason < DT_SKIP_REASONS; reason++)
            counts[reason] = image->reasons[reason];
        append_reasons(reasons, counts);
        const char *text = g_str_has_prefix(reasons->str, ": ") ? reasons->str + 2 : reasons->str;
        dt_table_add(table, image->path);
        dt_table_add_format(table, "%u", image->hooked);
        dt_table_add_format(table, "%u", image->skipped);
        dt_table_add(table, text);
    }
    dt_table_append_text(table, out, width);
}

static void append_without_room(GString *out, const DtWithoutRoom *without)
{
    enum { COMMUNICATORS = 4096, SIGNATURES = 32768, LOCKS = 49152, ARRAY_MEGABYTES = 64, UNIT_MEGABYTES = 16 };
    const struct {
        guint64 times;
        guint room; /* in units of the scale */
        const char *what, *lost;
    } rows[] = {
        {without->communicators, COMMUNICATORS, "communicators or windows", "shown as unknown"},
        {without->signatures, SIGNATURES, "signatures of calls", "calls recorded without arguments"},
        {without->call_sites, SIGNATURES, "signatures with call sites",
         "calls recorded without their place in the source"},
        {without->locks, LOCKS, "locks", "shown as unknown"},
        {without->arrays, ARRAY_MEGABYTES, "MB of arrays", "shown as unknown"},
    };
    gboolean any = FALSE;
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        if (rows[i].times == 0)
            continue;
        any = TRUE;
        g_string_append_printf(out, "no room    for more than %u %s, met %" G_GUINT64_FORMAT " times: %s\n",
                               rows[i].room * without->scale, rows[i].what, rows[i].times, rows[i].lost);
    }
    if (any)
        g_string_append_printf(out, "           collect --args-memory=%uM has room for twice as many\n",
                               2 * UNIT_MEGABYTES * without->scale);
}

static void append_dropped(GString *out, const Totals *totals)
{
    if (totals->dropped > totals->crowded_out)
        g_string_append_printf(out, "dropped    %" G_GUINT64_FORMAT " events after recording stopped\n",
                               totals->dropped - totals->crowded_out);
    if (totals->crowded_out > 0)
        g_string_append_printf(
            out, "dropped    %" G_GUINT64_FORMAT " events of signal handlers that left the tracer no time to write\n",
            totals->crowded_out);
    if (totals->unseen_handlers > 0)
        g_string_append_printf(out,
                               "unseen     %" G_GUINT64_FORMAT
                               " signal handlers began while the tracer was at work: what they called may be missing\n",
                               totals->unseen_handlers);
    append_without_room(out, &totals->without_room);
    if (totals->replaced > 0)
        g_string_append_printf(out,
                               "dropped    %" G_GUINT64_FORMAT " events before the first kept, to keep --max-size\n",
                               totals->replaced);
    if (totals->notes > 0)
        g_string_append_printf(out, "dropped    %" G_GUINT64_FORMAT " notes\n", totals->notes);
}

static const DtProcess *process_ended(const DtRun *run, guint order)
{
    for (guint i = 0; i < dt_run_process_count(run); i++)
        if (dt_run_process(run, i)->end_order == order)
            return dt_run_process(run, i);
    return NULL;
}

/* TRUE if the process ended by what it did itself, so that no launcher ended it after another. */
static gboolean ended_by_itself(const DtProcess *process)
{
    return process->end == DT_END_EXITED || (process->end == DT_END_SIGNAL && dt_is_own_signal(process->status));
}

/* How long before the next that was seen to end; between hosts as well as their clocks agree. */
static void append_lead(GString *out, const DtProcess *first, const DtProcess *next)
{
    if (!next || next->end_ns == 0)
        return;
    double seconds = (double)((gint64)(next->last_realtime_ns - first->last_realtime_ns)) / 1e9;
    gboolean same_host = g_strcmp0(first->host, next->host) == 0;
    g_string_append_printf(out, "; %.3f s before process %s%s", seconds, next->label,
                           same_host ? "" : ", by their hosts' clocks");
}

/* Of a command that ended by itself and left processes whose end nobody saw. */
static void append_unknown_end(GString *out, const DtRun *run)
{
    const DtManifest *manifest = dt_run_manifest(run);
    guint unseen = 0;
    for (guint i = 0; i < dt_run_process_count(run); i++)
        unseen += dt_run_process(run, i)->end == DT_END_KILLED;
    if (unseen > 0 && manifest->launcher && !manifest->timed_out && manifest->ending_realtime_ns == 0)
        g_string_append_printf(out, "first end  not known: nobody saw when %u processes were killed\n", unseen);
}

/* After a crash the launcher ends the others: who was first is what matters. */
static void append_first_end(GString *out, const DtRun *run)
{
    const DtProcess *first = process_ended(run, 1), *next = process_ended(run, 2);
    if (!next)
        return;
    if (first->end_ns == 0) {
        append_unknown_end(out, run);
        return;
    }
    g_autofree char *end = end_text(first);
    guint unseen = dt_run_maybe_ended_before(run, first);
    if (unseen > 0 && !ended_by_itself(first)) {
        g_string_append_printf(out,
                               "first end  not known: %u processes that were killed may have been first; of the "
                               "others process %s was: %s\n",
                               unseen, first->label, end);
        return;
    }
    g_string_append_printf(out, "first end  process %s: %s", first->label, end);
    append_lead(out, first, next);
    if (unseen > 0)
        g_string_append_printf(out, "; %u processes that were killed may have ended before", unseen);
    g_string_append_c(out, '\n');
}

/* "signal 11 (Segmentation fault) hit 5.0 in exchange" */
static void append_fatal_signals(GString *out, const DtRun *run)
{
    for (guint i = 0; i < dt_run_trace_count(run); i++) {
        const DtTrace *trace = dt_run_trace(run, i);
        if (trace->fatal_signal == 0)
            continue;
        g_string_append_printf(out, "%s  signal %d (%s)%s hit %s", "fatal    ", trace->fatal_signal,
                               g_strsignal(trace->fatal_signal), trace->fatal_sent ? " of another process" : "",
                               trace->label);
        if (trace->fatal_function != 0)
            g_string_append_printf(out, " in %s",
                                   dt_functions_get(dt_run_functions(run), trace->fatal_function)->shown);
        g_string_append_c(out, '\n');
    }
}

static void append_remarks(GString *out, const DtRun *run)
{
    char **warnings = dt_run_manifest(run)->warnings;
    for (guint i = 0; warnings && warnings[i]; i++) {
        g_string_append(out, i == 0 ? "\n" : "");
        dt_text_append(out, "warning: %s\n", warnings[i]);
    }
    const GPtrArray *problems = dt_run_problems(run);
    for (guint i = 0; i < problems->len; i++)
        g_string_append_printf(out, "%sproblem: %s\n", i == 0 ? "\n" : "", (const char *)problems->pdata[i]);
}

static void append_unrecorded(GString *out, const DtRun *run)
{
    g_autofree char *missing = !dt_run_manifest(run)->only ? dt_run_missing_ranks_line(run) : NULL;
    if (missing)
        dt_text_append(out, "unrecorded %s\n", missing);
    g_auto(GStrv) lines = dt_unrecorded_lines(dt_run_unrecorded(run));
    for (guint i = 0; lines[i]; i++)
        dt_text_append(out, "unrecorded %s\n", lines[i]);
}

static char *run_text(const DtRunReport *what)
{
    const DtRun *run = what->run;
    g_autoptr(GPtrArray) images = sorted_images(run);
    Totals totals = totals_of(what, images);
    GString *out = g_string_new(NULL);
    dt_text_append(out, "run        %s\n", dt_run_path(run));
    append_command(out, dt_run_manifest(run));
    g_string_append_printf(out, "processes  %u\nthreads    %u\n", dt_run_process_count(run), dt_run_trace_count(run));
    g_autofree char *events = dt_grouped(totals.events);
    g_autofree char *bytes = dt_grouped(totals.bytes);
    g_string_append_printf(out, "events     %s\nbytes      %s\n", events, bytes);
    if (totals.bytes > 0)
        g_string_append_printf(out, "ratio      %.1f (2 bytes an event as recorded, to these bytes)\n", ratio(&totals));
    g_autofree char *note_bytes = dt_grouped(totals.note_bytes);
    if (totals.note_bytes > 0)
        g_string_append_printf(out, "notes      %s bytes more: times, requests, what calls found out\n", note_bytes);
    g_string_append_printf(out, "hooks      %" G_GUINT64_FORMAT " functions hooked, %" G_GUINT64_FORMAT " skipped",
                           totals.hooked, totals.skipped);
    append_reasons(out, totals.reasons);
    g_string_append_c(out, '\n');
    append_dropped(out, &totals);
    append_first_end(out, run);
    append_fatal_signals(out, run);
    append_unrecorded(out, run);
    g_string_append_c(out, '\n');
    append_processes(out, what);
    if (images->len > 0) {
        g_string_append_c(out, '\n');
        append_images(out, images, what->width);
    }
    if (what->skipped && totals.skipped > 0) {
        g_autoptr(DtTable) skipped = skipped_table(what, images);
        g_string_append_c(out, '\n');
        dt_table_append_text(skipped, out, what->width);
    }
    append_remarks(out, run);
    return g_string_free(out, FALSE);
}

/* ---- JSON ----------------------------------------------------------------------- */

static void add_manifest(JsonBuilder *builder, const DtManifest *manifest)
{
    dt_json_strings(builder, "command", (const char *const *)manifest->command);
    dt_json_string(builder, "images_mode", manifest->images);
    dt_json_string(builder, "codec", manifest->codec);
    dt_json_string(builder, "engine", manifest->engine);
    dt_json_string(builder, "collected_by", manifest->version);
    dt_json_boolean(builder, "launcher", manifest->launcher);
    dt_json_boolean(builder, "timed_out", manifest->timed_out);
    dt_json_string(builder, "stuck", manifest->stuck);
    dt_json_boolean(builder, "finished", manifest->finished);
    if (manifest->finished)
        dt_json_integer(builder, "exit_status", manifest->exit_status);
    else
        dt_json_null(builder, "exit_status");
    dt_json_number(builder, "seconds", manifest->seconds);
}

static void add_process(JsonBuilder *builder, const DtRunReport *what, const DtProcess *process, guint *next)
{
    guint64 events = 0, bytes = 0;
    process_totals(what, process, next, &events, &bytes);
    dt_json_begin_object(builder, NULL);
    dt_json_label(builder, "process", process->label);
    dt_json_integer(builder, "rank", process->rank);
    dt_json_integer(builder, "pid", process->pid);
    dt_json_string(builder, "host", process->host);
    dt_json_string(builder, "executable", process->executable);
    dt_json_string(builder, "arguments", process->arguments);
    dt_json_boolean(builder, "mpi", process->called_mpi_init);
    dt_json_integer(builder, "threads", process->traces);
    dt_json_integer(builder, "events", (gint64)events);
    dt_json_integer(builder, "bytes", (gint64)bytes);
    dt_json_integer(builder, "note_bytes", (gint64)process->note_bytes);
    dt_json_integer(builder, "hooked", process->hooked);
    dt_json_integer(builder, "skipped", process->skipped);
    dt_json_integer(builder, "dropped", (gint64)process->dropped_events);
    dt_json_integer(builder, "unseen_handlers", (gint64)process->unseen_handlers);
    dt_json_integer(builder, "replaced", (gint64)process->dropped_words);
    dt_json_string(builder, "end", end_name(process->end));
    if (process->end == DT_END_EXITED || process->end == DT_END_SIGNAL)
        dt_json_integer(builder, "status", process->status);
    else
        dt_json_null(builder, "status");
    dt_json_boolean(builder, "executed", process->executed);
    dt_json_integer(builder, "end_order", process->end_order);
    dt_json_string(builder, "stopped", process->stopped);
    json_builder_end_object(builder);
}

static void add_fatal_signal(JsonBuilder *builder, const DtRun *run, const DtTrace *trace)
{
    if (trace->fatal_signal == 0) {
        dt_json_null(builder, "fatal");
        return;
    }
    dt_json_begin_object(builder, "fatal");
    dt_json_integer(builder, "signal", trace->fatal_signal);
    dt_json_boolean(builder, "sent", trace->fatal_sent);
    if (trace->fatal_function != 0)
        dt_json_string(builder, "function", dt_functions_get(dt_run_functions(run), trace->fatal_function)->name);
    else
        dt_json_null(builder, "function");
    json_builder_end_object(builder);
}

static void add_traces(JsonBuilder *builder, const DtRunReport *what)
{
    dt_json_begin_array(builder, "traces");
    for (guint i = 0; i < dt_run_trace_count(what->run); i++) {
        const DtTrace *trace = dt_run_trace(what->run, i);
        dt_json_begin_object(builder, NULL);
        dt_json_string(builder, "trace", trace->label);
        dt_json_string(builder, "name", trace->name);
        dt_json_boolean(builder, "library", trace->library);
        dt_json_integer(builder, "events", (gint64)what->events[i]);
        dt_json_integer(builder, "bytes", (gint64)trace->bytes);
        dt_json_integer(builder, "replaced", (gint64)trace->dropped_words);
        add_fatal_signal(builder, what->run, trace);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
}

static void add_unrecorded(JsonBuilder *builder, const DtRun *run)
{
    const GPtrArray *unrecorded = dt_run_unrecorded(run);
    dt_json_begin_array(builder, "unrecorded");
    for (guint i = 0; i < unrecorded->len; i++) {
        const DtUnrecorded *process = unrecorded->pdata[i];
        dt_json_begin_object(builder, NULL);
        dt_json_integer(builder, "pid", process->pid);
        dt_json_string(builder, "host", process->host);
        dt_json_string(builder, "executable", process->executable);
        dt_json_string(builder, "reason", process->reason);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
}

static void add_reasons(JsonBuilder *builder, const guint64 *reasons)
{
    dt_json_begin_object(builder, "reasons");
    for (guint32 reason = 1; reason < DT_SKIP_REASONS; reason++) {
        if (reasons[reason] > 0)
            dt_json_integer(builder, dt_skip_reason_name(reason), (gint64)reasons[reason]);
    }
    json_builder_end_object(builder);
}

static void add_skipped_functions(JsonBuilder *builder, const DtRun *run, const DtImage *image)
{
    g_autoptr(GPtrArray) functions = dt_run_skipped_functions(run, image);
    dt_json_begin_array(builder, "skipped_functions");
    for (guint i = 0; i < functions->len; i++) {
        const DtSkippedFunction *function = functions->pdata[i];
        dt_json_begin_object(builder, NULL);
        dt_json_string(builder, "function", function->name);
        dt_json_string(builder, "reason", dt_skip_reason_name(function->reason));
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
}

static void add_images(JsonBuilder *builder, const DtRunReport *what, const GPtrArray *images)
{
    dt_json_begin_array(builder, "images");
    for (guint i = 0; i < images->len; i++) {
        const DtImage *image = images->pdata[i];
        guint64 counts[DT_SKIP_REASONS];
        for (guint reason = 0; reason < DT_SKIP_REASONS; reason++)
            counts[reason] = image->reasons[reason];
        dt_json_begin_object(builder, NULL);
        dt_json_string(builder, "path", image->path);
        dt_json_boolean(builder, "main", image->main_image);
        dt_json_boolean(builder, "api_only", image->api_only);
        dt_json_integer(builder, "hooked", image->hooked);
        dt_json_integer(builder, "skipped", image->skipped);
        add_reasons(builder, counts);
        if (what->skipped)
            add_skipped_functions(builder, what->run, image);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
}

static void add_json_without_room(JsonBuilder *builder, const DtWithoutRoom *without)
{
    json_builder_set_member_name(builder, "without_room");
    json_builder_begin_object(builder);
    dt_json_integer(builder, "communicators", (gint64)without->communicators);
    dt_json_integer(builder, "signatures", (gint64)without->signatures);
    dt_json_integer(builder, "call_sites", (gint64)without->call_sites);
    dt_json_integer(builder, "locks", (gint64)without->locks);
    dt_json_integer(builder, "arrays", (gint64)without->arrays);
    json_builder_end_object(builder);
}

static char *run_json(const DtRunReport *what)
{
    const DtRun *run = what->run;
    g_autoptr(GPtrArray) images = sorted_images(run);
    Totals totals = totals_of(what, images);
    JsonBuilder *builder = dt_json_document();
    dt_json_string(builder, "run", dt_run_path(run));
    add_manifest(builder, dt_run_manifest(run));
    dt_json_begin_array(builder, "processes");
    guint next = 0;
    for (guint i = 0; i < dt_run_process_count(run); i++)
        add_process(builder, what, dt_run_process(run, i), &next);
    json_builder_end_array(builder);
    add_unrecorded(builder, run);
    dt_json_integer(builder, "missing_ranks", dt_run_missing_ranks(run));
    add_traces(builder, what);
    dt_json_integer(builder, "threads", dt_run_trace_count(run));
    dt_json_integer(builder, "events", (gint64)totals.events);
    dt_json_integer(builder, "bytes", (gint64)totals.bytes);
    dt_json_integer(builder, "note_bytes", (gint64)totals.note_bytes);
    if (totals.bytes > 0)
        dt_json_number(builder, "ratio", ratio(&totals));
    else
        dt_json_null(builder, "ratio");
    dt_json_integer(builder, "dropped", (gint64)totals.dropped);
    dt_json_integer(builder, "unseen_handlers", (gint64)totals.unseen_handlers);
    dt_json_integer(builder, "replaced", (gint64)totals.replaced);
    add_json_without_room(builder, &totals.without_room);
    dt_json_integer(builder, "hooked", (gint64)totals.hooked);
    dt_json_integer(builder, "skipped", (gint64)totals.skipped);
    add_reasons(builder, totals.reasons);
    add_images(builder, what, images);
    dt_json_strings(builder, "warnings", (const char *const *)dt_run_manifest(run)->warnings);
    dt_json_begin_array(builder, "problems");
    const GPtrArray *problems = dt_run_problems(run);
    for (guint i = 0; i < problems->len; i++)
        dt_json_string(builder, NULL, problems->pdata[i]);
    json_builder_end_array(builder);
    return dt_json_finish(builder);
}

char *dt_report_run(const DtRunReport *what, DtReportFormat format, GError **error)
{
    switch (format) {
    case DT_FORMAT_TEXT:
    case DT_FORMAT_TERMINAL:
        return run_text(what);
    case DT_FORMAT_JSON:
        return run_json(what);
    case DT_FORMAT_TSV:
        return run_tsv(what);
    default:
        return dt_report_no_format("info", format, "text, tsv and json", error);
    }
}
