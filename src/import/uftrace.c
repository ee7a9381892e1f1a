/*
 * uftrace's data directories: "info" (a binary header, then text), "task.txt" (who ran what, from when on), sid-*.map
 * and *.sym (what was where), TID.dat (records). A directory of such directories is one run: a number at the end of
 * their names is their rank.
 */
#include "import/uftrace.h"
#include "store/file.h"

#include <stdio.h>
#include <string.h>

#include "text/text.h"

enum { HEADER_BYTES = 40, OLDEST_VERSION = 3, NEWEST_VERSION = 4, LITTLE_ENDIAN_CODE = 1 };
static const char MAGIC[8] = "Ftrace!";

typedef struct {
    guint64 pid;
    DtUftraceProcess read;
    guint threads;
} Process;

/* One data directory. */
typedef struct {
    const char *folder;
    DtRunWriter *run;
    DtUftraceImages *images;
    GHashTable *spaces;   /* session id -> DtUftraceSpace, or NULL */
    GPtrArray *processes; /* Process, in order */
    GHashTable *tids;     /* "TID" of those that have been read */
    gint rank;
} Import;

/* ---- info ---------------------------------------------------------------------------------- */

static gboolean has_magic(const char *folder)
{
    char magic[sizeof(MAGIC)] = {0};
    g_autofree char *path = g_build_filename(folder, "info", NULL);
    FILE *file = dt_file_stream(path, NULL);
    gboolean is = file && fread(magic, sizeof(magic), 1, file) == 1 && memcmp(magic, MAGIC, sizeof(magic)) == 0;
    if (file)
        fclose(file);
    return is;
}

static gboolean check_info(const char *folder, GError **error)
{
    g_autofree char *path = g_build_filename(folder, "info", NULL);
    gsize bytes = 0;
    guint32 version;
    g_autofree char *text = dt_uftrace_file_read(path, &bytes, error);
    if (!text)
        return FALSE;
    if (bytes < HEADER_BYTES || memcmp(text, MAGIC, sizeof(MAGIC)) != 0) {
        dt_set_error(error, DT_IMPORT_ERROR, DT_IMPORT_ERROR_INPUT, "%s: not the info of uftrace's data, or cut short",
                     path);
        return FALSE;
    }
    memcpy(&version, text + sizeof(MAGIC), sizeof(version));
    version = GUINT32_FROM_LE(version);
    if (text[14] != LITTLE_ENDIAN_CODE || version < OLDEST_VERSION || version > NEWEST_VERSION) {
        dt_set_error(error, DT_IMPORT_ERROR, DT_IMPORT_ERROR_INPUT,
                     "%s: version %u%s: versions %d to %d of little-endian machines can be read", path, version,
                     text[14] != LITTLE_ENDIAN_CODE ? ", big-endian" : "", OLDEST_VERSION, NEWEST_VERSION);
        return FALSE;
    }
    return TRUE;
}

/* ---- task.txt ------------------------------------------------------------------------------- */

static void free_process(gpointer data)
{
    Process *process = data;
    g_array_unref(process->read.sessions);
    g_hash_table_unref(process->read.by_symbol);
    g_hash_table_unref(process->read.by_name);
    g_free(process);
}

/* The value of "NAME=" in a line, in or without quotes; "" if it is not there. */
static char *field(const char *line, const char *name)
{
    g_autofree char *key = g_strdup_printf(" %s=", name);
    const char *start = strstr(line, key);
    if (!start)
        return g_strdup("");
    start += strlen(key);
    gboolean quoted = *start == '"';
    return g_strndup(start + quoted, strcspn(start + quoted, quoted ? "\"" : " \r"));
}

static guint64 number(const char *line, const char *name, guint base)
{
    g_autofree char *text = field(line, name);
    return g_ascii_strtoull(text, NULL, base);
}

/* "SECONDS.NANOSECONDS" */
static guint64 time_of(const char *line)
{
    g_autofree char *text = field(line, "timestamp");
    char *rest = NULL;
    guint64 seconds = g_ascii_strtoull(text, &rest, 10);
    return seconds * 1000000000 + (*rest == '.' ? g_ascii_strtoull(rest + 1, NULL, 10) : 0);
}

static Process *find_process(Import *import, guint64 pid)
{
    for (guint i = 0; i < import->processes->len; i++) {
        Process *process = g_ptr_array_index(import->processes, i);
        if (process->pid == pid)
            return process;
    }
    return NULL;
}

static Process *need_process(Import *import, guint64 pid, const char *executable)
{
    Process *process = find_process(import, pid);
    if (process)
        return process;
    DtProcessIdentity identity = {import->rank, import->rank < 0 ? 0 : import->processes->len, (guint32)pid, "imported",
                                  executable};
    process = g_new0(Process, 1);
    process->pid = pid;
    process->read.writer = dt_import_process(import->run, &identity);
    process->read.by_symbol = g_hash_table_new(NULL, NULL);
    process->read.by_name = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    process->read.sessions = g_array_new(FALSE, FALSE, sizeof(DtUftraceSession));
    if (*executable)
        dt_process_writer_image(process->read.writer, executable, DT_IMAGE_MAIN);
    g_ptr_array_add(import->processes, process);
    return process;
}

static DtUftraceSpace *find_space(Import *import, const char *id)
{
    gpointer space = NULL;
    g_autoptr(GError) error = NULL;
    if (g_hash_table_lookup_extended(import->spaces, id, NULL, &space))
        return space;
    space = dt_uftrace_space_read(import->images, import->folder, id, &error);
    if (!space)
        dt_run_writer_warn(import->run, "%s: its functions have no names", error->message);
    g_hash_table_insert(import->spaces, g_strdup(id), space);
    return space;
}

static void take_session(Import *import, const char *line)
{
    g_autofree char *id = field(line, "sid"), *executable = field(line, "exename");
    Process *process = need_process(import, number(line, "pid", 10), executable);
    DtUftraceSession session = {time_of(line), find_space(import, id)};
    g_array_append_val(process->read.sessions, session);
}

static void read_task(Import *import, Process *process, guint64 tid)
{
    g_autofree char *name = g_strdup_printf("%" G_GUINT64_FORMAT, tid), *file = g_strconcat(name, ".dat", NULL);
    g_autofree char *path = g_build_filename(import->folder, file, NULL);
    if (g_hash_table_contains(import->tids, name) || !g_file_test(path, G_FILE_TEST_EXISTS))
        return;
    g_hash_table_add(import->tids, g_steal_pointer(&name));
    DtThreadWriter *thread = dt_process_writer_thread(process->read.writer, DT_THREAD_APP, process->threads++);
    dt_uftrace_records_read(path, &process->read, thread, import->run);
    dt_thread_writer_end(thread);
}

/* A child starts with what its parent ran. */
static void take_fork(Import *import, const char *line)
{
    const Process *parent = find_process(import, number(line, "ppid", 10));
    guint64 pid = number(line, "pid", 10), time = time_of(line);
    if (!parent || find_process(import, pid))
        return;
    Process *child = need_process(import, pid, "");
    for (guint i = parent->read.sessions->len; i-- > 0;) {
        DtUftraceSession session = g_array_index(parent->read.sessions, DtUftraceSession, i);
        if (i > 0 && session.time > time)
            continue;
        g_array_append_val(child->read.sessions, session);
        break;
    }
}

static void take_library(Import *import, const char *line)
{
    g_autofree char *id = field(line, "sid"), *path = field(line, "libname");
    DtUftraceSpace *space = g_hash_table_lookup(import->spaces, id);
    if (space)
        dt_uftrace_space_add(space, import->images, number(line, "base", 16), path);
}

/* Who there was, and from when on; their records need all of it. */
static void take_processes(Import *import, GStrv lines)
{
    for (guint i = 0; lines[i]; i++) {
        if (g_str_has_prefix(lines[i], "SESS "))
            take_session(import, lines[i]);
        else if (g_str_has_prefix(lines[i], "FORK "))
            take_fork(import, lines[i]);
        else if (g_str_has_prefix(lines[i], "DLOP "))
            take_library(import, lines[i]);
    }
}

static void take_tasks(Import *import, GStrv lines)
{
    for (guint i = 0; lines[i]; i++) {
        gboolean forked = g_str_has_prefix(lines[i], "FORK ");
        if (!forked && !g_str_has_prefix(lines[i], "TASK "))
            continue;
        guint64 pid = number(lines[i], "pid", 10);
        read_task(import, need_process(import, pid, ""), forked ? pid : number(lines[i], "tid", 10));
    }
}

/* ---- directories ------------------------------------------------------------------------------ */

static void warn_of_others(Import *import)
{
    g_autoptr(GDir) directory = g_dir_open(import->folder, 0, NULL);
    const char *name;
    gboolean kernel = FALSE;
    while (directory && (name = g_dir_read_name(directory))) {
        g_autofree char *tid = g_strndup(name, strcspn(name, "."));
        kernel |= g_str_has_prefix(name, "kernel-cpu");
        if (g_str_has_suffix(name, ".dat") && g_ascii_isdigit(*name) && !g_hash_table_contains(import->tids, tid))
            dt_run_writer_warn(import->run, "%s/%s: no task of task.txt: left out", import->folder, name);
    }
    if (kernel)
        dt_run_writer_warn(import->run, "%s: functions of the kernel are left out", import->folder);
}

static gboolean import_folder(const char *folder, gint rank, DtRunWriter *run, GError **error)
{
    g_autofree char *path = g_build_filename(folder, "task.txt", NULL);
    g_autofree char *text = check_info(folder, error) ? dt_uftrace_file_read(path, NULL, error) : NULL;
    if (!text)
        return FALSE;
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    g_autoptr(DtUftraceImages) images = dt_uftrace_images_read(folder);
    g_autoptr(GHashTable) spaces =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)dt_uftrace_space_free);
    g_autoptr(GPtrArray) processes = g_ptr_array_new_with_free_func(free_process);
    g_autoptr(GHashTable) tids = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    Import import = {folder, run, images, spaces, processes, tids, rank};
    take_processes(&import, lines);
    take_tasks(&import, lines);
    warn_of_others(&import);
    if (g_hash_table_size(tids) == 0)
        dt_set_error(error, DT_IMPORT_ERROR, DT_IMPORT_ERROR_INPUT,
                     "%s: no trace there: no TID.dat of a task in task.txt", folder);
    return g_hash_table_size(tids) > 0;
}

typedef struct {
    char *folder;
    gint rank;
} Part;

static void clear_part(gpointer data)
{
    g_free(((Part *)data)->folder);
}

static gint compare_parts(gconstpointer one, gconstpointer two)
{
    return ((const Part *)one)->rank - ((const Part *)two)->rank;
}

/* (element-type Part) the data directories below, whose names end with a number, by that. */
static GArray *list_parts(const char *path)
{
    GArray *parts = g_array_new(FALSE, FALSE, sizeof(Part));
    g_autoptr(GDir) directory = g_dir_open(path, 0, NULL);
    const char *name;
    g_array_set_clear_func(parts, clear_part);
    while (directory && (name = g_dir_read_name(directory))) {
        const char *digits = name + strlen(name);
        while (digits > name && g_ascii_isdigit(digits[-1]))
            digits--;
        Part part = {g_build_filename(path, name, NULL), (gint)g_ascii_strtoll(digits, NULL, 10)};
        if (*digits && strlen(digits) < 9 && has_magic(part.folder))
            g_array_append_val(parts, part);
        else
            clear_part(&part);
    }
    g_array_sort(parts, compare_parts);
    return parts;
}

gboolean dt_is_uftrace(const char *path)
{
    g_autoptr(GArray) parts = list_parts(path);
    return has_magic(path) || parts->len > 0;
}

gboolean dt_import_uftrace(const char *path, DtRunWriter *run, GError **error)
{
    g_autoptr(GArray) parts = list_parts(path);
    g_autofree char *info = g_build_filename(path, "info", NULL);
    if (g_file_test(info, G_FILE_TEST_EXISTS))
        return import_folder(path, -1, run, error);
    for (guint i = 0; i < parts->len; i++) {
        const Part *part = &g_array_index(parts, Part, i);
        g_autoptr(GError) problem = NULL;
        if (!import_folder(part->folder, part->rank, run, &problem))
            dt_run_writer_warn(run, "%s", problem->message);
    }
    if (parts->len == 0)
        dt_set_error(
            error, DT_IMPORT_ERROR, DT_IMPORT_ERROR_INPUT,
            "%s: no data of uftrace there (info, task.txt, TID.dat), nor directories of it that end with a rank", path);
    return parts->len > 0;
}
