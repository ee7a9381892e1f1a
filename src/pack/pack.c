/* Packing a run: its files, trace files as their parts, event code last. */
#include "pack/pack.h"

#include <string.h>

#include "pack/anonymous.h"
#include "pack/packer.h"
#include "pack/recode.h"
#include "pack/trace_parts.h"
#include "store/file.h"
#include "store/packed/names.h"
#include "store/packed/packed_format.h"
#include "store/packed/symbol_columns.h"
#include "text/text.h"

enum { MOST_FILE_BYTES = 1 << 30 };

typedef struct {
    DtRun *run;
    DtPacker *packer;
    GPtrArray *codes; /* (element-type DtTraceCode), to be written when all else is */
    DtPackResult *result;
    const DtPseudonyms *names; /* of an anonymous run; else NULL */
    GHashTable *numbers;       /* of files and folders, in an anonymous run; else NULL */
} Packing;

/* ---- which files there are ---------------------------------------------------------------------- */

static gboolean is_plain_file(const char *path)
{
    return !g_file_test(path, G_FILE_TEST_IS_SYMLINK) && g_file_test(path, G_FILE_TEST_IS_REGULAR);
}

static gboolean is_folder(const char *path)
{
    return !g_file_test(path, G_FILE_TEST_IS_SYMLINK) && g_file_test(path, G_FILE_TEST_IS_DIR);
}

static void find_files(const char *run, const char *under, guint depth, GPtrArray *names)
{
    g_autofree char *path = g_build_filename(run, under, NULL);
    g_autoptr(GDir) directory = g_dir_open(path, 0, NULL);
    const char *base;
    while (directory && (base = g_dir_read_name(directory))) {
        g_autofree char *name = *under ? g_strconcat(under, "/", base, NULL) : g_strdup(base);
        g_autofree char *there = g_build_filename(run, name, NULL);
        if (is_folder(there) && depth > 0)
            find_files(run, name, depth - 1, names);
        else if (dt_packed_name_is_good(name) && is_plain_file(there))
            g_ptr_array_add(names, g_steal_pointer(&name));
    }
}

static gint compare_names(gconstpointer first, gconstpointer second)
{
    return strcmp(*(const char *const *)first, *(const char *const *)second);
}

/* ---- one file -------------------------------------------------------------------------------------- */

static const DtProcessEntry *find_process(const DtRun *run, const char *name)
{
    for (guint i = 0; i < run->processes->len; i++) {
        const DtProcessEntry *entry = run->processes->pdata[i];
        if (strcmp(entry->file->name, name) == 0)
            return entry;
    }
    return NULL;
}

/* NULL: it is left out. */
static char *new_name_of(const Packing *packing, const char *name)
{
    return packing->names ? dt_anonymous_file_name(packing->names, name, packing->numbers) : g_strdup(name);
}

/* What cannot be read for what it is cannot be made anonymous and is left out. */
static void pack_data(Packing *packing, const char *name, const char *data, gsize bytes)
{
    g_autofree char *new_name = new_name_of(packing, name);
    g_autofree char *new_data =
        packing->numbers && new_name ? dt_anonymous_file(packing->names, name, data, &bytes) : NULL;
    if (packing->numbers && !new_data)
        return;
    const guint8 *body = (const guint8 *)(new_data ? new_data : data);
    g_autoptr(GByteArray) columns = g_str_has_suffix(new_name, ".sym") ? dt_symbol_columns_pack(body, bytes) : NULL;
    gboolean has_columns = columns && columns->len <= DT_PACKED_SYMBOLS_BYTES;
    bytes = has_columns ? columns->len : bytes;
    dt_packer_begin(packing->packer, has_columns ? DT_PACKED_SYMBOLS : DT_PACKED_FILE, new_name, bytes, 0);
    dt_packer_add(packing->packer, has_columns ? columns->data : body, bytes);
    dt_packer_end_entry(packing->packer);
}

static gboolean pack_file(Packing *packing, const char *name, const char *path, GError **error)
{
    gsize bytes;
    g_autoptr(GError) cause = NULL;
    g_autofree char *data = dt_file_contents(path, MOST_FILE_BYTES, &bytes, &cause);
    if (!data) {
        dt_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_IO, "%s: %s", path, cause->message);
        return FALSE;
    }
    packing->result->from_bytes += bytes;
    pack_data(packing, name, data, bytes);
    return TRUE;
}

/* FALSE: what it is cannot be told, and it is packed as any file. */
static gboolean pack_trace(Packing *packing, const char *name, const char *path)
{
    const DtProcessEntry *process = find_process(packing->run, name);
    g_autoptr(DtFile) file = process ? dt_file_open_trace(path, NULL) : NULL;
    if (!file)
        return FALSE;
    g_autoptr(GPtrArray) recoded = dt_recode_process(packing->run, process, &packing->result->kept);
    g_autofree char *new_name = new_name_of(packing, name);
    DtTraceCode *code = dt_trace_parts_write(packing->packer, new_name, file, process->file, recoded, packing->names);
    if (!code)
        return FALSE;
    packing->result->from_bytes += file->bytes;
    packing->result->processes++;
    g_ptr_array_add(packing->codes, code);
    return TRUE;
}

static gboolean pack_all(Packing *packing, GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    find_files(packing->run->path, "", 4, names);
    g_ptr_array_sort(names, compare_names);
    for (guint i = 0; i < names->len; i++) {
        const char *name = names->pdata[i];
        g_autofree char *path = g_build_filename(packing->run->path, name, NULL);
        if (dt_packed_name_is_trace(name) && pack_trace(packing, name, path))
            continue;
        if (!pack_file(packing, name, path, error))
            return FALSE;
    }
    for (guint i = 0; i < packing->codes->len; i++)
        dt_trace_code_write(packing->codes->pdata[i], packing->packer);
    return dt_packer_end(packing->packer, &packing->result->bytes, error);
}

gboolean dt_pack(const char *path, const char *file, const DtPseudonyms *names, DtPackResult *result, GError **error)
{
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(DtRun) run = dt_run_open_processes(path, functions, error);
    *result = (DtPackResult){0};
    if (!run)
        return FALSE;
    g_autoptr(DtPacker) packer = dt_packer_new(file, names ? DT_PACKED_ANONYMOUS : 0, error);
    if (!packer)
        return FALSE;
    g_autoptr(GPtrArray) codes = g_ptr_array_new_with_free_func((GDestroyNotify)dt_trace_code_free);
    g_autoptr(GHashTable) numbers = names ? g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free) : NULL;
    Packing packing = {run, packer, codes, result, names, numbers};
    return pack_all(&packing, error);
}
