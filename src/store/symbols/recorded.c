#include "store/symbols/recorded.h"

#include "store/run_private.h"

DtProcessFile *dt_run_recorded(const DtRun *run, const DtProcess *process, GError **error)
{
    const DtProcessEntry *entry = (const DtProcessEntry *)(gconstpointer)process;
    g_autofree char *path = g_build_filename(run->folder, entry->file->name, NULL);
    g_autoptr(DtFile) file = dt_file_open_trace(path, error);
    g_autoptr(GPtrArray) problems = g_ptr_array_new_with_free_func(g_free);
    return file ? dt_process_file_read(entry->file->name, file, problems, error) : NULL;
}
