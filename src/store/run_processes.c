/* The process files of a run: which there are, what their headers say. */
#include <errno.h>
#include <string.h>

#include "store/problems.h"
#include "store/run_private.h"
#include "text/text.h"

enum { MOST_TOLD = 3 /* files that cannot be read, by their names */ };

static void count_threads(DtProcessEntry *entry)
{
    DtProcess *process = &entry->process;
    process->dropped_events = entry->file->header.dropped_events;
    const struct dt_file_header *header = &entry->file->header;
    process->unseen_handlers = header->unseen_handlers;
    process->without_room = (DtWithoutRoom){.communicators = header->lost_communicators,
                                            .signatures = header->lost_signatures,
                                            .call_sites = header->lost_sites,
                                            .locks = header->lost_locks,
                                            .arrays = header->lost_arrays,
                                            .scale = MAX(header->arguments_scale, 1)};
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
    if (header->stop_errno == EFAULT)
        return g_strdup("its file was cut short, or the file's memory unmapped, while it was recorded; the program "
                        "went on without");
    if (header->stop_errno == ENOENT)
        return g_strdup("its file was no longer where it was made: the run directory was moved or deleted, or the "
                        "program changed its root directory or its mounts");
    if (header->stop_errno == EACCES)
        return g_strdup("the program may no longer write to its file: it has become another user");
    if (header->stop_errno == ENOMEM && header->functions == 0)
        return g_strdup(
            "nothing was recorded: a limit of memory (RLIMIT_AS, RLIMIT_DATA: ulimit -v, -d) leaves less than "
            "32 MB to this process");
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
    process->host = dt_text_spell(header->host);
    process->executable = dt_text_spell(header->executable);
    process->arguments = dt_text_spell(header->arguments);
    process->called_mpi_init = (header->flags & DT_FILE_MPI_INITIALISED) != 0;
    process->called_mpi_finalize = (header->flags & DT_FILE_MPI_FINALIZED) != 0;
    process->with_payload = (header->flags & DT_FILE_PAYLOAD) != 0;
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
    g_autofree char *path = g_build_filename(run->folder, name, NULL);
    g_autoptr(GError) cause = NULL;
    g_autoptr(DtFile) file = dt_file_open_trace(path, &cause);
    if (!file) {
        gint code = cause->domain == DT_STORE_ERROR ? cause->code : DT_STORE_ERROR_IO;
        dt_set_error(error, DT_STORE_ERROR, code, "%s: unreadable: %s", name, cause->message);
        return NULL;
    }
    return dt_process_file_read(name, file, run->problems, error);
}

static gint compare_names(gconstpointer first, gconstpointer second)
{
    return strcmp(*(const char *const *)first, *(const char *const *)second);
}

static gboolean is_number(const char *text)
{
    return g_ascii_string_to_unsigned(text, 10, 0, G_MAXUINT32, NULL, NULL);
}

static gboolean is_folder(const char *path)
{
    return !g_file_test(path, G_FILE_TEST_IS_SYMLINK) && g_file_test(path, G_FILE_TEST_IS_DIR);
}

/* The folders with logs and processes of users beside the one who collected: "users/UID"; never NULL. */
static GPtrArray *list_user_folders(const char *run)
{
    GPtrArray *folders = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *path = g_build_filename(run, "users", NULL);
    g_autoptr(GDir) directory = is_folder(path) ? g_dir_open(path, 0, NULL) : NULL;
    const char *name;
    while (directory && (name = g_dir_read_name(directory))) {
        g_autofree char *folder = g_build_filename(path, name, NULL);
        if (is_number(name) && is_folder(folder))
            g_ptr_array_add(folders, g_build_filename("users", name, NULL));
    }
    g_ptr_array_sort(folders, compare_names);
    return folders;
}

static void add_folders(GPtrArray *folders, const char *run, const char *part)
{
    g_autofree char *path = g_build_filename(run, part, NULL);
    g_autoptr(GPtrArray) users = list_user_folders(path);
    g_ptr_array_add(folders, g_strdup(part));
    for (guint i = 0; i < users->len; i++)
        g_ptr_array_add(folders, g_build_filename(part, users->pdata[i], NULL));
}

GPtrArray *dt_run_folders(const DtRun *run)
{
    GPtrArray *folders = g_ptr_array_new_with_free_func(g_free);
    if (!run->parts)
        add_folders(folders, run->folder, "");
    for (guint i = 0; run->parts && i < run->parts->len; i++)
        add_folders(folders, run->folder, run->parts->pdata[i]);
    return folders;
}

/* A link in a folder that is another user's may lead anywhere. FALSE: there is no such folder. */
static gboolean list_files(const char *run, const char *folder, GPtrArray *names)
{
    g_autofree char *path = g_build_filename(run, folder, NULL);
    gboolean of_user = g_str_has_prefix(folder, "users/");
    g_autoptr(GDir) directory = of_user && !is_folder(path) ? NULL : g_dir_open(path, 0, NULL);
    const char *name;
    while (directory && (name = g_dir_read_name(directory))) {
        g_autofree char *file = g_build_filename(path, name, NULL);
        if (g_str_has_suffix(name, ".trace") && !(of_user && g_file_test(file, G_FILE_TEST_IS_SYMLINK)))
            g_ptr_array_add(names, g_build_filename(folder, name, NULL));
    }
    return directory != NULL;
}

GPtrArray *dt_list_process_files(const char *run)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    if (!list_files(run, "processes", names))
        return NULL;
    g_autoptr(GPtrArray) users = list_user_folders(run);
    for (guint i = 0; i < users->len; i++) {
        g_autofree char *folder = g_build_filename(users->pdata[i], "processes", NULL);
        list_files(run, folder, names);
    }
    g_ptr_array_sort(names, compare_names);
    return g_steal_pointer(&names);
}

gboolean dt_run_find_processes(DtRun *run, GPtrArray **names, GError **error)
{
    *names = dt_list_process_files(run->folder);
    if (*names)
        return TRUE;
    int reason = errno;
    run->parts = dt_find_parts(run->folder);
    if (run->parts) {
        *names = dt_list_gathered_files(run->folder, run->parts);
        return TRUE;
    }
    if (!g_file_test(run->path, G_FILE_TEST_EXISTS))
        dt_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_NOT_FOUND, "%s: no such directory", run->path);
    else if (dt_is_our_directory(run->path, "run"))
        dt_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_EMPTY,
                     "%s: a run without a single trace: nothing was collected into it", run->path);
    else if (reason == EACCES)
        dt_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_IO, "%s: %s", run->path, g_strerror(reason));
    else if (dt_is_our_directory(run->path, "result"))
        dt_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_NOT_FOUND,
                     "%s: not a run but the result of a comparison: for rank, report, diffnlr, jsm and dendrogram",
                     run->path);
    else if (!g_file_test(run->path, G_FILE_TEST_IS_DIR))
        dt_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_NOT_FOUND,
                     "%s: not a run but a file: a run is the directory that \"difftrace collect\" makes", run->path);
    else
        dt_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_NOT_FOUND,
                     "%s: not a run: it has no directory of processes; make one with \"difftrace collect\"", run->path);
    return FALSE;
}

/* A line for each of the first; one for all others, of which there may be very many. */
static void report_unreadable(DtRun *run, const GError *reason, guint before)
{
    if (before < MOST_TOLD)
        g_ptr_array_add(run->problems, g_strdup(reason->message));
}

static void report_others(DtRun *run, guint unreadable)
{
    if (unreadable > MOST_TOLD)
        dt_problem(run->problems, "processes/", "%u more files cannot be read and are left out",
                   unreadable - MOST_TOLD);
}

/* A file whose codec was dropped costs the run: the others will be of that codec, too. Without any file that can be
 * read the first reason is the error, but that all are of a newer version only if they are. */
gboolean dt_run_read_processes(DtRun *run, const GPtrArray *names, GError **error)
{
    g_autoptr(GError) newer = NULL, damaged = NULL;
    guint unreadable = 0;
    for (guint i = 0; i < names->len; i++) {
        g_autoptr(GError) reason = NULL;
        DtProcessFile *file = read_process_file(run, g_ptr_array_index(names, i), &reason);
        if (file) {
            g_ptr_array_add(run->processes, make_process(file));
            continue;
        }
        if (g_error_matches(reason, DT_STORE_ERROR, DT_STORE_ERROR_CODEC)) {
            g_propagate_prefixed_error(error, g_steal_pointer(&reason), "%s: ", run->path);
            return FALSE;
        }
        report_unreadable(run, reason, unreadable++);
        GError **first = g_error_matches(reason, DT_STORE_ERROR, DT_STORE_ERROR_VERSION) ? &newer : &damaged;
        if (!*first)
            *first = g_steal_pointer(&reason);
    }
    run->unreadable = unreadable;
    report_others(run, unreadable);
    if (run->processes->len > 0)
        return TRUE;
    if (damaged) {
        g_propagate_prefixed_error(error, g_steal_pointer(&damaged), "%s: ", run->path);
    } else if (newer) {
        g_propagate_prefixed_error(error, g_steal_pointer(&newer), "%s: ", run->path);
    } else {
        dt_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_EMPTY,
                     "%s: a run without a single trace: nothing was collected into it", run->path);
    }
    return FALSE;
}

void dt_run_report_stopped(DtRun *run, const DtProcessEntry *entry)
{
    if (entry->process.stopped)
        dt_problem(run->problems, entry->file->name, "recording stopped early: %s", entry->process.stopped);
}
