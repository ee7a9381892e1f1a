/* The formats that can be imported. */
#include "import/import.h"

#include <errno.h>

#include "import/reader.h"
#include "text/text.h"

G_DEFINE_QUARK(dt_import_error, dt_import_error)

typedef struct {
    const char *name;
    gboolean (*is_it)(const char *path);
    DtImportReader read;
    gboolean takes_several; /* files: each is a process */
} Format;

static const Format formats[] = {
    {"go-trace", dt_is_go_trace, dt_import_go_trace, TRUE}, {"otf2", dt_is_otf2, dt_import_otf2, FALSE},
    {"parlot", dt_is_parlot, dt_import_parlot, FALSE},      {"text", dt_is_text, dt_import_text, FALSE},
    {"uftrace", dt_is_uftrace, dt_import_uftrace, FALSE},
};

const char *const *dt_import_formats(void)
{
    static const char *const names[] = {"go-trace", "otf2", "parlot", "text", "uftrace", NULL};
    G_STATIC_ASSERT(G_N_ELEMENTS(names) == G_N_ELEMENTS(formats) + 1);
    return names;
}

static const Format *find_format(const char *name, const char *path, GError **error)
{
    for (guint i = 0; i < G_N_ELEMENTS(formats); i++)
        if (name ? g_str_equal(name, formats[i].name) : formats[i].is_it(path))
            return &formats[i];
    g_autofree char *known = g_strjoinv(", ", (char **)dt_import_formats());
    if (name)
        dt_set_error(error, DT_IMPORT_ERROR, DT_IMPORT_ERROR_FORMAT, "--from %s: no such format: there are %s", name,
                     known);
    else
        dt_set_error(error, DT_IMPORT_ERROR, DT_IMPORT_ERROR_FORMAT,
                     "%s: in none of the formats %s, by its looks: name one with --from", path, known);
    return NULL;
}

static DtImportResult *result_of(const DtWritten *written)
{
    DtImportResult *result = g_new0(DtImportResult, 1);
    result->processes = written->processes;
    result->threads = written->threads;
    result->events = written->events;
    result->warnings = g_ptr_array_ref(written->warnings);
    return result;
}

static gboolean are_there(const char *const *paths, GError **error)
{
    for (guint i = 0; paths[i]; i++) {
        if (g_file_test(paths[i], G_FILE_TEST_EXISTS))
            continue;
        dt_set_error(error, DT_IMPORT_ERROR, DT_IMPORT_ERROR_INPUT, "%s: %s", paths[i], g_strerror(ENOENT));
        return FALSE;
    }
    return TRUE;
}

static gboolean read_all(const Format *format, const char *const *paths, DtRunWriter *run, GError **error)
{
    if (paths[0] && paths[1] && !format->takes_several) {
        dt_set_error(error, DT_IMPORT_ERROR, DT_IMPORT_ERROR_INPUT,
                     "%s: %s is one path: import each to a run of its own", paths[1], format->name);
        return FALSE;
    }
    for (guint i = 0; paths[i]; i++)
        if (!format->read(paths[i], run, error))
            return FALSE;
    return TRUE;
}

DtImportResult *dt_import_several(const char *name, const char *const *paths, const char *output, GError **error)
{
    const Format *format = are_there(paths, error) ? find_format(name, paths[0], error) : NULL;
    if (!format || !dt_output_directory(output, "run", error))
        return NULL;
    g_autoptr(GPtrArray) command = g_ptr_array_new();
    g_ptr_array_add(command, "difftrace");
    g_ptr_array_add(command, "import");
    g_ptr_array_add(command, "--from");
    g_ptr_array_add(command, (gpointer)format->name);
    for (guint i = 0; paths[i]; i++)
        g_ptr_array_add(command, (gpointer)paths[i]);
    g_ptr_array_add(command, NULL);
    g_autoptr(DtRunWriter) run = dt_run_writer_new(output);
    gboolean written = read_all(format, paths, run, error) &&
                       dt_run_writer_end(run, format->name, (const char *const *)command->pdata, error);
    return written ? result_of(dt_run_writer_written(run)) : NULL;
}

DtImportResult *dt_import(const char *name, const char *path, const char *output, GError **error)
{
    const char *const paths[] = {path, NULL};
    return dt_import_several(name, paths, output, error);
}

void dt_import_result_free(DtImportResult *result)
{
    if (!result)
        return;
    g_ptr_array_unref(result->warnings);
    g_free(result);
}
