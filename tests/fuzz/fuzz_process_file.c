/* Fuzzes the process file: opening the run that it makes, and reading all its traces, with what is recorded of calls of
 * MPI and what is made of that; as it is, and with checksums made right. */
#include <stdlib.h>

#include "corpus_run.h"
#include "decoder/decoder.h"
#include "fuzz_target.h"
#include "payload/data_events.h"
#include "repair.h"
#include "skeleton/skeleton.h"
#include "store/arguments/datatypes.h"
#include "support/test_calls.h"
#include "times/timed_reader.h"
#include "waitfor/waitfor.h"

enum { BATCH = 1024, MOST_EVENTS = 1 << 14 };

static void read_trace(const DtRun *run, const DtTrace *trace)
{
    g_autoptr(DtReader) reader = dt_reader_open(run, trace, DT_NAMES_ALONE, NULL);
    g_autoptr(DtCallStack) stack = dt_call_stack_new();
    guint32 events[BATCH];
    gsize count, total = 0;
    guint depth;
    while (reader && total < MOST_EVENTS && (count = dt_reader_next(reader, events, BATCH)) > 0) {
        total += count;
        for (gsize i = 0; i < count; i++)
            dt_call_stack_apply(stack, events[i]);
    }
    for (guint64 position = 1; reader && position <= 10 * MOST_EVENTS; position *= 7) {
        dt_reader_seek(reader, position);
        if (!dt_reader_open_calls(reader, &depth) && depth > 0)
            g_error("open calls that are nowhere");
        dt_reader_next(reader, events, 3);
    }
    for (guint part = 0; reader && part < MIN(dt_reader_part_count(reader), 3); part++) {
        g_autoptr(DtReader) opened = dt_reader_open_part(reader, part);
        dt_reader_next(opened, events, BATCH);
    }
}

static void read_notes(const DtRun *run, const DtTrace *trace)
{
    g_autoptr(DtNotes) notes = dt_notes_open(run, trace, NULL);
    gint64 sum = 0;
    for (guint i = 0; notes && i < dt_notes_count(notes); i++) {
        const DtNote *note = dt_notes_get(notes, i);
        for (guint value = 0; value < note->count; value++)
            sum ^= dt_notes_values(notes, note)[value];
        if (!g_utf8_validate(note->text, -1, NULL))
            g_error("the text of a note is not UTF-8: %" G_GINT64_FORMAT, sum);
    }
}

/* Times do not descend, and positions neither. */
static void read_times(const DtRun *run, const DtTrace *trace)
{
    g_autoptr(DtTimedReader) reader = dt_timed_reader_open(run, trace, DT_NAMES_ALONE, NULL);
    g_autoptr(DtStamps) stamps = dt_stamps_open(run, trace, NULL);
    g_autofree DtTimedEvent *events = g_new(DtTimedEvent, BATCH);
    gsize count = 0, total = 0;
    const DtStamp *all = stamps ? dt_stamps_get(stamps, &count) : NULL;
    for (gsize i = 1; i < count; i++)
        if (all[i].ns < all[i - 1].ns || all[i].position < all[i - 1].position)
            g_error("times descend");
    while (reader && total < MOST_EVENTS && (count = dt_timed_reader_next(reader, events, BATCH)) > 0)
        total += count;
}

static void check_text(const char *text)
{
    if (!g_utf8_validate(text, -1, NULL))
        g_error("the text of a call is not UTF-8");
}

static void read_calls(const DtRun *run, const DtTrace *trace)
{
    g_autoptr(DtReader) reader = dt_reader_open(run, trace, DT_NAMES_WITH_ARGUMENTS, NULL);
    g_autoptr(DtCallDetails) details = dt_call_details_open(run, trace, NULL);
    guint32 events[BATCH], last = 0;
    guint64 positions[BATCH];
    gsize count, total = 0;
    while (reader && details && total < MOST_EVENTS &&
           (count = dt_reader_next_at(reader, events, positions, BATCH)) > 0) {
        total += count;
        for (gsize i = 0; i < count; i++) {
            dt_call_details_follow(details, events[i], positions[i]);
            if (events[i] == DT_EVENT_RETURN)
                continue;
            g_autofree char *name = dt_call_details_name(details, events[i], positions[i]);
            g_autofree char *text = dt_call_details_text(details, positions[i]);
            check_text(name);
            check_text(text ? text : "");
            last = events[i];
        }
    }
    g_autofree char *open = last ? dt_call_details_last_name(details, last) : NULL;
    check_text(open ? open : "");
}

static void read_datatypes(const DtFunctions *functions)
{
    for (guint32 id = 1; id <= dt_functions_count(functions); id++) {
        const DtSignature *signature = dt_functions_get(functions, id)->signature;
        for (guint i = 0; signature && i < signature->argument_count; i++) {
            const DtArgument *argument = &signature->arguments[i];
            gboolean is_derived = argument->numbers && argument->numbers->parts;
            g_autoptr(GArray) parameters = is_derived ? dt_datatype_parameters(argument->numbers) : NULL;
            for (guint k = 0; parameters && k < parameters->len; k++)
                check_text(g_array_index(parameters, DtDatatypeParameter, k).name);
        }
    }
}

/* What is made of all calls of MPI. */
static void use_calls(const DtRun *run)
{
    const DtSkeletonOptions options = {.no_lines = TRUE};
    g_autoptr(DtDataNames) names = dt_data_names_new();
    g_autoptr(GPtrArray) data = dt_data_events_read(run, names, NULL);
    g_autoptr(DtSkeleton) skeleton = dt_skeleton_of_run(run, &options, NULL);
    g_autoptr(DtWaitFor) waits = dt_wait_for_new(run, 1, NULL);
    g_autofree char *text = skeleton ? dt_skeleton_text(skeleton) : NULL;
    if (data && data->len > dt_run_trace_count(run))
        g_error("data of more traces than there are");
    check_text(text ? text : "");
    check_text(waits ? waits->summary : "");
}

static void read_run(const char *path)
{
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(GError) error = NULL;
    g_autoptr(DtRun) run = dt_run_open(path, functions, &error);
    if (!run && !error)
        g_error("neither a run nor an error");
    for (guint i = 0; run && i < dt_run_trace_count(run); i++)
        read_trace(run, dt_run_trace(run, i));
    for (guint i = 0; run && i < dt_run_trace_count(run); i++)
        read_notes(run, dt_run_trace(run, i));
    for (guint i = 0; run && i < dt_run_trace_count(run); i++)
        read_calls(run, dt_run_trace(run, i));
    for (guint i = 0; run && i < dt_run_trace_count(run); i++)
        read_times(run, dt_run_trace(run, i));
    if (run) {
        read_datatypes(functions);
        use_calls(run);
    }
}

static char *run_path;

static void remove_run(void)
{
    dt_remove_tree(run_path);
    g_free(run_path);
}

/* A good run for its symbol files; its process file is replaced every time. */
static void make_run(void)
{
    run_path = dt_temporary_directory();
    DtTestRun *writer = dt_test_run_new(run_path);
    DtTestThread *thread = dt_test_process_thread(dt_test_run_process(writer, 1), DT_THREAD_APP, 0);
    dt_test_thread_events(thread, CORPUS_EVENTS);
    dt_test_thread_calls(thread);
    dt_test_run_finish(writer);
    atexit(remove_run);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!run_path)
        make_run();
    g_autofree char *file = g_build_filename(run_path, "processes", "node1.1000.trace", NULL);
    g_autofree guint8 *repaired = g_memdup2(data, size);
    dt_write_bytes(file, data, size);
    read_run(run_path);
    dt_repair(repaired, size);
    dt_write_bytes(file, repaired, size);
    read_run(run_path);
    return 0;
}
