/* The formats that can be imported. */
#include "import/import.h"

#include <errno.h>

#include "import/reader.h"
#include "text/text.h"

G_DEFINE_QUARK(dt - import - error - quark, dt_import_error)

typedef struct {
    const char *name;
    gboolean (*is_it)(const char *path);
    DtImportReader read;
} Format;

static const Format formats[] = {
    {"parlot", dt_is_parlot, dt_import_parlot},
    {"text", dt_is_text, dt_import_text},
    {"uftrace", dt_is_uftrace, dt_import_uftrace},
};

const char *const *dt_import_formats(void)
{
    static const char *const names[] = {"parlot", "text", "uftrace", NULL};
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

DtImportResult *dt_import(const char *name, const char *path, const char *output, GError **error)
{
    if (!g_file_test(path, G_FILE_TEST_EXISTS)) {
        dt_set_error(error, DT_IMPORT_ERROR, DT_IMPORT_ERROR_INPUT, "%s: %s", path, g_strerror(ENOENT));
        return NULL;
    }
    const Format *format = find_format(name, path, error);
    if (!format || !dt_output_directory(output, "run", error))
        return NULL;
    const char *const command[] = {"difftrace", "import", "--from", format->name, path, NULL};
    g_autoptr(DtRunWriter) run = dt_run_writer_new(output);
    gboolean written = format->read(path, run, error) && dt_run_writer_end(run, format->name, command, error);
    return written ? result_of(dt_run_writer_written(run)) : NULL;
}

void dt_import_result_free(DtImportResult *result)
{
    if (!result)
        return;
    g_ptr_array_unref(result->warnings);
    g_free(result);
}
