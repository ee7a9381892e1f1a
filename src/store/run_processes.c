/* The process files of a run: which there are, what their headers say. */
#include <errno.h>
#include <string.h>

#include "store/problems.h"
#include "store/run_private.h"

static void count_threads(DtProcessEntry *entry)
{
    DtProcess *process = &entry->process;
    process->dropped_events = entry->file->header.dropped_events;
    process->unseen_handlers = entry->file->header.unseen_handlers;
    for (guint i = 0; i < entry->file->threads->len; i++) {
        const DtThreadRecord *thread = &g_array_index(entry->file->threads, DtThreadRecord, i);
        process->dropped_events += thread->dropped_events;
        process->dropped_words += thread->dropped_words;
        process->last_seen_ns = MAX(process->last_seen_ns, thread->last_seen_ns);
        process->file_bytes += thread->bytes;
    }
    for (guint i = 0; i < entry->file->notes->len; i++)
        process->note_bytes += g_array_index(entry->file->notes, DtDataChunk, i).bytes;
}

static char *explain_stop(const struct dt_file_header *header)
{
    if (header->stop_errno == EFBIG && header->max_bytes > 0)
        return g_strdup("the size of --max-size is reached");
    if (header->stop_errno == EOPNOTSUPP)
        return g_strdup("nothing was recorded: the processor's shadow stacks (CET) are on in this process; switch "
                        "them off with GLIBC_TUNABLES=glibc.cpu.x86_shstk=off");
    if (header->stop_errno == EPERM)
        return g_strdup("a filter of system calls that the program set lets no more room be taken");
    if (header->stop_errno == ENOEXEC)
        return g_strdup(
            "nothing was recorded: this system forbids memory that is writable and executable at once, which "
            "the tracer's hooks need; look at its rules (SELinux, MemoryDenyWriteExecute of systemd)");
    return g_strdup(g_strerror((gint)header->stop_errno));
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
    if (header->flags & DT_FILE_STOPPED)
        process->stopped = explain_stop(header);
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

gboolean dt_run_find_processes(DtRun *run, GPtrArray **names, GError **error)
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

/* Without any file that can be read the first reason is the error, but that all are of a newer version only if they
 * are. */
gboolean dt_run_read_processes(DtRun *run, const GPtrArray *names, GError **error)
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

void dt_run_report_stopped(DtRun *run, const DtProcessEntry *entry)
{
    if (entry->process.stopped)
        dt_problem(run->problems, entry->file->name, "recording stopped early: %s", entry->process.stopped);
}
