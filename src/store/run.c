/* Opening a run: its process files, how each process ended, labels. */
#include <errno.h>
#include <string.h>

#include "store/ends.h"
#include "store/problems.h"
#include "store/run_private.h"

G_DEFINE_QUARK(dt - store - error - quark, dt_store_error)

/* ---- process files ---------------------------------------------------------- */

static void free_process(gpointer data)
{
    DtProcessEntry *entry = data;
    g_free((char *)entry->process.label);
    g_free((char *)entry->process.host);
    g_free((char *)entry->process.executable);
    g_free((char *)entry->process.arguments);
    g_free((char *)entry->process.stopped);
    g_free(entry->functions);
    g_clear_pointer(&entry->images, g_ptr_array_unref);
    g_clear_pointer(&entry->communicators, g_ptr_array_unref);
    dt_process_file_free(entry->file);
    g_free(entry);
}

static void free_trace(gpointer data)
{
    DtTraceEntry *entry = data;
    g_free((char *)entry->trace.label);
    g_free((char *)entry->trace.name);
    g_free(entry);
}

static void count_threads(DtProcessEntry *entry)
{
    DtProcess *process = &entry->process;
    process->dropped_events = entry->file->header.dropped_events;
    for (guint i = 0; i < entry->file->threads->len; i++) {
        const DtThreadRecord *thread = &g_array_index(entry->file->threads, DtThreadRecord, i);
        process->dropped_events += thread->dropped_events;
        process->dropped_words += thread->dropped_words;
        process->last_seen_ns = MAX(process->last_seen_ns, thread->last_seen_ns);
        process->file_bytes += thread->bytes;
    }
}

static DtProcessEntry *make_process(DtProcessFile *file)
{
    DtProcessEntry *entry = g_new0(DtProcessEntry, 1);
    const struct dt_file_header *header = &file->header;
    DtProcess *process = &entry->process;
    entry->file = file;
    entry->start_realtime_ns = header->start_realtime_ns;
    entry->forked = (header->flags & DT_FILE_FORKED) != 0;
    process->rank = MAX(header->rank, -1);
    process->world_size = MAX(header->world_size, -1);
    process->pid = header->pid;
    process->host = g_utf8_make_valid(header->host, -1);
    process->executable = g_utf8_make_valid(header->executable, -1);
    process->arguments = g_utf8_make_valid(header->arguments, -1);
    process->called_mpi_init = (header->flags & DT_FILE_MPI_INITIALISED) != 0;
    process->start_ns = header->start_monotonic_ns;
    process->end_ns = header->end_monotonic_ns;
    process->hooked = header->hooked;
    process->skipped = header->skipped;
    process->max_bytes = header->max_bytes;
    if ((header->flags & DT_FILE_STOPPED) && header->stop_errno == EFBIG && header->max_bytes > 0)
        process->stopped = g_strdup("the size of --max-size is reached");
    else if ((header->flags & DT_FILE_STOPPED) && header->stop_errno == EOPNOTSUPP)
        process->stopped =
            g_strdup("nothing was recorded: the processor's shadow stacks (CET) are on in this process; switch "
                     "them off with GLIBC_TUNABLES=glibc.cpu.x86_shstk=off");
    else if (header->flags & DT_FILE_STOPPED)
        process->stopped = g_strdup(g_strerror((gint)header->stop_errno));
    count_threads(entry);
    return entry;
}

static DtProcessFile *read_process_file(DtRun *run, const char *name, GError **error)
{
    g_autofree char *path = g_build_filename(run->path, name, NULL);
    g_autoptr(GError) cause = NULL;
    g_autoptr(DtFile) file = dt_file_open(path, &cause);
    if (!file) {
        g_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_IO, "%s: unreadable: %s", name, cause->message);
        return NULL;
    }
    return dt_process_file_read(name, file, run->problems, error);
}

static gint compare_names(gconstpointer first, gconstpointer second)
{
    return strcmp(*(const char *const *)first, *(const char *const *)second);
}

GPtrArray *dt_list_process_files(const char *run)
{
    g_autofree char *path = g_build_filename(run, "processes", NULL);
    g_autoptr(GDir) directory = g_dir_open(path, 0, NULL);
    if (!directory)
        return NULL;
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    const char *name;
    while ((name = g_dir_read_name(directory))) {
        if (g_str_has_suffix(name, ".trace"))
            g_ptr_array_add(names, g_strconcat("processes/", name, NULL));
    }
    g_ptr_array_sort(names, compare_names);
    return names;
}

/* Reads all that can be read. Without any the first reason is the error, but
   that all are of a newer version only if they are. */
static gboolean read_processes(DtRun *run, const GPtrArray *names, GError **error)
{
    g_autoptr(GError) newer = NULL, damaged = NULL;
    for (guint i = 0; i < names->len; i++) {
        g_autoptr(GError) reason = NULL;
        DtProcessFile *file = read_process_file(run, g_ptr_array_index(names, i), &reason);
        if (file) {
            g_ptr_array_add(run->processes, make_process(file));
            continue;
        }
        g_ptr_array_add(run->problems, g_strdup(reason->message));
        GError **first = g_error_matches(reason, DT_STORE_ERROR, DT_STORE_ERROR_VERSION) ? &newer : &damaged;
        if (!*first)
            *first = g_steal_pointer(&reason);
    }
    if (run->processes->len > 0)
        return TRUE;
    if (damaged) {
        g_propagate_prefixed_error(error, g_steal_pointer(&damaged), "%s: ", run->path);
    } else if (newer) {
        g_propagate_prefixed_error(error, g_steal_pointer(&newer), "%s: ", run->path);
    } else {
        g_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_EMPTY,
                    "%s: a run without a single trace: nothing was collected into it", run->path);
    }
    return FALSE;
}

/* ---- ends --------------------------------------------------------------------- */

static void set_end_from_file(DtProcessEntry *entry, const DtManifestFile *manifest)
{
    const struct dt_file_header *header = &entry->file->header;
    DtProcess *process = &entry->process;
    switch (header->end_state) {
    case DT_PROCESS_EXITED:
        process->end = DT_END_EXITED;
        process->status = header->end_status;
        break;
    case DT_PROCESS_SIGNAL:
        process->end = DT_END_SIGNAL;
        process->status = header->end_status;
        break;
    case DT_PROCESS_EXEC:
        process->end = DT_END_EXITED;
        process->executed = TRUE;
        break;
    default:
        process->end = manifest->manifest.finished ? DT_END_KILLED : DT_END_RUNNING;
    }
}

/* The last program that ran under that process id. */
static DtProcessEntry *find_ended(const DtRun *run, const DtSeenEnd *seen)
{
    DtProcessEntry *found = NULL;
    for (guint i = 0; i < run->processes->len; i++) {
        DtProcessEntry *entry = g_ptr_array_index(run->processes, i);
        if (entry->process.pid != seen->pid || (seen->host && g_strcmp0(seen->host, entry->process.host) != 0))
            continue;
        if (!found || entry->start_realtime_ns >= found->start_realtime_ns)
            found = entry;
    }
    return found;
}

/* The program that took this one's place: the next under its process id that is no child of a fork. */
static const DtProcessEntry *find_successor(const DtRun *run, const DtProcessEntry *entry)
{
    const DtProcessEntry *found = NULL;
    for (guint i = 0; i < run->processes->len; i++) {
        const DtProcessEntry *other = g_ptr_array_index(run->processes, i);
        gboolean same =
            other->process.pid == entry->process.pid && g_strcmp0(other->process.host, entry->process.host) == 0;
        if (same && !other->forked && other->start_realtime_ns > entry->start_realtime_ns &&
            (!found || other->start_realtime_ns < found->start_realtime_ns))
            found = other;
    }
    return found;
}

/* An exec that succeeds leaves no trace in the file of the program that made it. */
static void set_executed(DtRun *run)
{
    for (guint i = 0; i < run->processes->len; i++) {
        DtProcessEntry *entry = g_ptr_array_index(run->processes, i);
        const DtProcessEntry *successor =
            entry->file->header.end_state == DT_PROCESS_RUNNING ? find_successor(run, entry) : NULL;
        if (!successor)
            continue;
        entry->process.executed = TRUE;
        entry->process.end = DT_END_EXITED;
        entry->process.end_ns = successor->process.start_ns;
    }
}

static void set_ends(DtRun *run)
{
    for (guint i = 0; i < run->processes->len; i++)
        set_end_from_file(g_ptr_array_index(run->processes, i), run->manifest);
    for (guint i = 0; i < run->manifest->ends->len; i++) {
        const DtSeenEnd *seen = &g_array_index(run->manifest->ends, DtSeenEnd, i);
        DtProcessEntry *entry = find_ended(run, seen);
        if (entry) {
            entry->process.end = seen->end;
            entry->process.status = seen->status;
            if (entry->process.end_ns == 0)
                entry->process.end_ns = seen->time_ns;
        }
    }
}

/* ---- order ---------------------------------------------------------------------- */

/* By the wall clock, so that hosts compare as well as their clocks do. */
static guint64 by_wall_clock(const DtProcessEntry *entry, guint64 monotonic)
{
    guint64 start = entry->process.start_ns;
    return entry->start_realtime_ns + (monotonic > start ? monotonic - start : 0);
}

/* Those that nobody saw end come last, by when they were last seen. */
static gint compare_ends(gconstpointer first, gconstpointer second)
{
    const DtProcess *one = *(const DtProcess *const *)first, *two = *(const DtProcess *const *)second;
    if ((one->end_ns > 0) != (two->end_ns > 0))
        return one->end_ns > 0 ? -1 : 1;
    return (one->last_realtime_ns > two->last_realtime_ns) - (one->last_realtime_ns < two->last_realtime_ns);
}

static void set_end_order(DtRun *run)
{
    g_autoptr(GPtrArray) order = g_ptr_array_new();
    for (guint i = 0; i < run->processes->len; i++) {
        DtProcessEntry *entry = g_ptr_array_index(run->processes, i);
        DtProcess *process = &entry->process;
        process->last_realtime_ns = by_wall_clock(entry, process->end_ns > 0 ? process->end_ns : process->last_seen_ns);
        g_ptr_array_add(order, process);
    }
    g_ptr_array_sort(order, compare_ends);
    for (guint i = 0; i < order->len; i++)
        ((DtProcess *)g_ptr_array_index(order, i))->end_order = i + 1;
}

/* ---- the run -------------------------------------------------------------------- */

static DtRun *new_run(const char *path, DtFunctions *functions)
{
    DtRun *run = g_new0(DtRun, 1);
    gsize length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    run->path = g_strndup(path, length);
    run->functions = dt_functions_ref(functions);
    run->problems = g_ptr_array_new_with_free_func(g_free);
    run->processes = g_ptr_array_new_with_free_func(free_process);
    run->traces = g_ptr_array_new_with_free_func(free_trace);
    run->labels = g_hash_table_new(g_str_hash, g_str_equal);
    run->symbols = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)dt_symbols_free);
    return run;
}

static gboolean find_processes(DtRun *run, GPtrArray **names, GError **error)
{
    *names = dt_list_process_files(run->path);
    if (*names)
        return TRUE;
    int reason = errno;
    run->parts = dt_find_parts(run->path);
    if (run->parts) {
        *names = dt_list_gathered_files(run->path, run->parts);
        return TRUE;
    }
    if (!g_file_test(run->path, G_FILE_TEST_EXISTS))
        g_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_NOT_FOUND, "%s: no such directory", run->path);
    else if (dt_is_our_directory(run->path, "run"))
        g_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_EMPTY,
                    "%s: a run without a single trace: nothing was collected into it", run->path);
    else if (reason == EACCES)
        g_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_IO, "%s: %s", run->path, g_strerror(reason));
    else if (dt_is_our_directory(run->path, "result"))
        g_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_NOT_FOUND,
                    "%s: not a run but the result of a comparison: for rank, report, diffnlr, jsm and dendrogram",
                    run->path);
    else if (!g_file_test(run->path, G_FILE_TEST_IS_DIR))
        g_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_NOT_FOUND,
                    "%s: not a run but a file: a run is the directory that \"difftrace collect\" makes", run->path);
    else
        g_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_NOT_FOUND,
                    "%s: not a run: it has no directory of processes; make one with \"difftrace collect\"", run->path);
    return FALSE;
}

static void index_run(DtRun *run)
{
    dt_label_processes(run->processes);
    for (guint i = 0; i < run->processes->len; i++) {
        DtProcessEntry *entry = g_ptr_array_index(run->processes, i);
        dt_label_traces(entry, run->traces, run->problems);
        dt_resolve_functions(run, entry);
        if (entry->process.stopped)
            dt_problem(run->problems, entry->file->name, "recording stopped early: %s", entry->process.stopped);
    }
    for (guint i = 0; i < run->traces->len; i++) {
        DtTraceEntry *entry = g_ptr_array_index(run->traces, i);
        g_hash_table_insert(run->labels, (gpointer)entry->trace.label, entry);
    }
}

/* The first report of damage to a process file, or NULL. */
static const char *find_damage(const DtRun *run)
{
    for (guint i = 0; i < run->problems->len; i++)
        if (strstr(run->problems->pdata[i], "processes/"))
            return run->problems->pdata[i];
    return NULL;
}

static gboolean load_run(DtRun *run, GError **error)
{
    g_autoptr(GPtrArray) names = NULL;
    if (!find_processes(run, &names, error))
        return FALSE;
    run->manifest = run->parts ? dt_gathered_manifest(run->path, run->parts, run->problems)
                               : dt_manifest_load(run->path, run->problems);
    if (!read_processes(run, names, error))
        return FALSE;
    dt_ends_load(run->path, run->manifest->ends, run->problems);
    set_ends(run);
    set_executed(run);
    set_end_order(run);
    index_run(run);
    dt_find_fatal_signals(run);
    if (run->traces->len > 0)
        return TRUE;
    const char *damage = find_damage(run);
    if (damage)
        g_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_DAMAGED, "%s: no trace can be read: %s", run->path, damage);
    else
        g_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_EMPTY,
                    "%s: a run without a single trace: its processes recorded nothing", run->path);
    return FALSE;
}

static DtRun *open_run(const char *path, DtFunctions *functions, gboolean with_arguments, GError **error)
{
    DtRun *run = new_run(path, functions);
    run->with_arguments = with_arguments;
    if (load_run(run, error))
        return run;
    dt_run_free(run);
    return NULL;
}

DtRun *dt_run_open(const char *path, DtFunctions *functions, GError **error)
{
    return open_run(path, functions, FALSE, error);
}

DtRun *dt_run_open_with_arguments(const char *path, DtFunctions *functions, GError **error)
{
    return open_run(path, functions, TRUE, error);
}

void dt_run_free(DtRun *run)
{
    if (!run)
        return;
    g_hash_table_unref(run->labels);
    g_hash_table_unref(run->symbols);
    g_ptr_array_unref(run->traces);
    g_ptr_array_unref(run->processes);
    g_clear_pointer(&run->parts, g_ptr_array_unref);
    g_ptr_array_unref(run->problems);
    dt_manifest_file_free(run->manifest);
    dt_functions_unref(run->functions);
    g_free(run->path);
    g_free(run);
}

const char *dt_run_path(const DtRun *run)
{
    return run->path;
}

DtFunctions *dt_run_functions(const DtRun *run)
{
    return run->functions;
}

guint dt_run_process_count(const DtRun *run)
{
    return run->processes->len;
}

const DtProcess *dt_run_process(const DtRun *run, guint index)
{
    const DtProcessEntry *entry = g_ptr_array_index(run->processes, index);
    return &entry->process;
}

guint dt_run_trace_count(const DtRun *run)
{
    return run->traces->len;
}

const DtTrace *dt_run_trace(const DtRun *run, guint index)
{
    const DtTraceEntry *entry = g_ptr_array_index(run->traces, index);
    return &entry->trace;
}

const DtTrace *dt_run_find_trace(const DtRun *run, const char *label)
{
    g_autofree char *main_thread = strchr(label, '.') ? NULL : g_strconcat(label, ".0", NULL);
    const DtTraceEntry *entry = g_hash_table_lookup(run->labels, main_thread ? main_thread : label);
    return entry ? &entry->trace : NULL;
}

const GPtrArray *dt_run_images(const DtRun *run, const DtProcess *process)
{
    const DtProcessEntry *entry = g_ptr_array_index(run->processes, process->index);
    return entry->images;
}

const GPtrArray *dt_run_communicators(const DtRun *run, const DtProcess *process)
{
    const DtProcessEntry *entry = g_ptr_array_index(run->processes, process->index);
    return entry->communicators;
}

const DtCommunicator *dt_run_find_communicator(const DtRun *run, const DtProcess *process, const char *name)
{
    const GPtrArray *communicators = dt_run_communicators(run, process);
    for (guint i = 0; i < communicators->len; i++) {
        const DtCommunicator *communicator = communicators->pdata[i];
        if (g_str_equal(communicator->name, name))
            return communicator;
    }
    return NULL;
}

const GPtrArray *dt_run_problems(const DtRun *run)
{
    return run->problems;
}

const DtManifest *dt_run_manifest(const DtRun *run)
{
    return &run->manifest->manifest;
}
