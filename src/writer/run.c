/* A run: its directory, its first error, how it appears at once or is gone without a trace. */
#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

#include "base/rights.h"
#include "text/text.h"
#include "writer/files.h"
#include "writer/manifest.h"
#include "writer/writer_private.h"

static void make_folder(DtRunWriter *run, const char *path)
{
    if (!run->error && g_mkdir(path, dt_mode_beside(path, 0777)) != 0)
        dt_set_write_error(&run->error, path, errno);
}

/* What makes it a run is the folder of its processes: that gets its name at the end. */
static void make_folders(DtRunWriter *run)
{
    g_autofree char *processes = g_build_filename(run->path, "processes", NULL);
    g_autofree char *images = g_build_filename(run->path, "images", NULL);
    g_autofree char *marker = g_build_filename(run->path, ".difftrace", NULL);
    if (g_file_test(processes, G_FILE_TEST_EXISTS) || g_file_test(run->processes_path, G_FILE_TEST_EXISTS) ||
        g_file_test(images, G_FILE_TEST_EXISTS)) {
        dt_set_error(&run->error, DT_WRITER_ERROR, DT_WRITER_ERROR_EXISTS,
                     "%s: there is a run already: remove it, or choose another directory", run->path);
        return;
    }
    run->has_folders = TRUE;
    const gint failure = dt_private_folder(run->path);
    if (failure != 0)
        dt_set_write_error(&run->error, run->path, failure);
    make_folder(run, run->processes_path);
    make_folder(run, images);
    dt_run_writer_write(run, marker, 0, "run\n", 4);
}

DtRunWriter *dt_run_writer_new(const char *path)
{
    DtRunWriter *run = g_new0(DtRunWriter, 1);
    run->path = g_strdup(path);
    run->processes_path = g_build_filename(path, "processes.new", NULL);
    run->processes = g_ptr_array_new_with_free_func(dt_process_writer_free);
    run->images = g_ptr_array_new_with_free_func(dt_image_writer_free);
    run->by_path = g_hash_table_new(g_str_hash, g_str_equal);
    run->encoding = g_ptr_array_new();
    run->moved = g_array_new(FALSE, FALSE, sizeof(DtMovedThread));
    run->written.warnings = g_ptr_array_new_with_free_func(g_free);
    make_folders(run);
    return run;
}

void dt_run_writer_warn(DtRunWriter *run, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_ptr_array_add(run->written.warnings, dt_text_vprintf(format, arguments));
    va_end(arguments);
}

void dt_run_writer_write(DtRunWriter *run, const char *path, guint64 offset, const void *data, gsize bytes)
{
    gint failure = run->error ? 0 : dt_write_at(path, offset, data, bytes);
    if (failure != 0)
        dt_set_write_error(&run->error, path, failure);
}

const DtWritten *dt_run_writer_written(const DtRunWriter *run)
{
    return &run->written;
}

/* ---- the end ----------------------------------------------------------------------------------- */

void dt_run_writer_hung(DtRunWriter *run)
{
    run->hung = TRUE;
}

void dt_run_writer_moved(DtRunWriter *run, const char *host, guint pid, guint thread)
{
    const DtMovedThread moved = {pid, thread};
    if (!run->host)
        run->host = g_strdup(host);
    g_array_append_val(run->moved, moved);
}

/* As if the collector had looked before the first event and after the last. */
static void write_ending(const DtRunWriter *run, JsonBuilder *manifest)
{
    json_builder_set_member_name(manifest, "ending");
    json_builder_begin_object(manifest);
    dt_manifest_string(manifest, "host", run->host);
    json_builder_set_member_name(manifest, "threads");
    json_builder_begin_array(manifest);
    for (guint i = 0; i < run->moved->len; i++) {
        const DtMovedThread *moved = &g_array_index(run->moved, DtMovedThread, i);
        g_autofree char *thread = g_strdup_printf("%u", moved->thread);
        json_builder_begin_object(manifest);
        dt_manifest_int(manifest, "pid", moved->pid);
        dt_manifest_string(manifest, "thread", thread);
        dt_manifest_int(manifest, "first", 0);
        dt_manifest_int(manifest, "last", G_MAXINT64);
        json_builder_end_object(manifest);
    }
    json_builder_end_array(manifest);
    json_builder_end_object(manifest);
}

static void write_manifest(DtRunWriter *run, const char *engine, const char *const *command)
{
    const GPtrArray *warnings = run->written.warnings;
    g_autoptr(JsonBuilder) manifest = dt_manifest_begin();
    dt_manifest_strings(manifest, "command", command, g_strv_length((char **)command));
    dt_manifest_string(manifest, "engine", engine);
    dt_manifest_boolean(manifest, "finished", TRUE);
    if (run->hung)
        dt_manifest_boolean(manifest, "timed_out", TRUE);
    if (run->host)
        write_ending(run, manifest);
    dt_manifest_strings(manifest, "warnings", (const char *const *)warnings->pdata, warnings->len);
    g_autofree char *text = dt_manifest_end(manifest);
    if (!run->error)
        dt_manifest_replace(run->path, text, &run->error);
}

static void appear(DtRunWriter *run)
{
    g_autofree char *processes = g_build_filename(run->path, "processes", NULL);
    run->appeared = !run->error && g_rename(run->processes_path, processes) == 0;
    if (!run->error && !run->appeared)
        dt_set_write_error(&run->error, processes, errno);
}

gboolean dt_run_writer_end(DtRunWriter *run, const char *engine, const char *const *command, GError **error)
{
    while (run->processes->len > 0)
        dt_process_writer_end(g_ptr_array_index(run->processes, 0));
    for (guint i = 0; i < run->images->len; i++)
        dt_image_writer_write(g_ptr_array_index(run->images, i), run);
    write_manifest(run, engine, command);
    appear(run);
    if (run->error)
        g_propagate_error(error, g_error_copy(run->error));
    return run->appeared;
}

static void remove_numbered(const char *folder, const char *extension, guint count)
{
    for (guint i = 0; i < count; i++) {
        g_autofree char *path = g_strdup_printf("%s/%u.%s", folder, i, extension);
        g_remove(path);
    }
    g_remove(folder);
}

static void discard(const DtRunWriter *run)
{
    static const char *const files[] = {"manifest.json", ".difftrace", ""};
    g_autofree char *images = g_build_filename(run->path, "images", NULL);
    remove_numbered(run->processes_path, "trace", run->written.processes);
    remove_numbered(images, "sym", run->image_count);
    for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
        g_autofree char *path = g_build_filename(run->path, files[i], NULL);
        g_remove(path);
    }
}

void dt_run_writer_free(DtRunWriter *run)
{
    if (!run)
        return;
    if (run->has_folders && !run->appeared)
        discard(run);
    g_ptr_array_unref(run->processes);
    g_ptr_array_unref(run->images);
    g_hash_table_unref(run->by_path);
    g_ptr_array_unref(run->encoding);
    g_ptr_array_unref(run->written.warnings);
    g_clear_error(&run->error);
    g_array_unref(run->moved);
    g_free(run->host);
    g_free(run->path);
    g_free(run->processes_path);
    g_free(run);
}
