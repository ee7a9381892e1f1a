/*
 * Fuzzes an import (DT_FUZZ_FORMAT): whatever comes in, what comes out is an error or a run without damage, whose
 * events are as many as the import says. A count of ParLOT's makes 65535 events of two bytes: inputs that make
 * very many are left out.
 */
#include <stdlib.h>

#include "codec/codec.h"
#include "decoder/decoder.h"
#include "fuzz_target.h"
#include "import/import.h"
#include "support/test_run.h"

enum { BATCH = 1024, MOST_WORDS = 20000 };

static char *folder;

static void remove_folder(void)
{
    dt_remove_tree(folder);
    g_free(folder);
}

static void write_part(const char *name, const guint8 *data, gsize bytes)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    dt_write_bytes(path, data, bytes);
}

static gboolean is_too_long(const guint8 *code, gsize bytes)
{
    g_autofree void *state = g_malloc0(dt_codec_decoder_bytes(DT_CODEC_PARLOT));
    guint16 words[BATCH];
    gsize count, total = 0;
    dt_codec_decoder_init(DT_CODEC_PARLOT, state, code, bytes, MOST_WORDS + 1, NULL);
    while ((count = dt_codec_decode(DT_CODEC_PARLOT, state, words, BATCH)) > 0)
        total += count;
    return total > MOST_WORDS;
}

/* The files of an input, one after the other: each but the last behind two bytes that tell its length. */
static const char *const *file_names(void)
{
    static const char *const text[] = {"in.txt", NULL};
    static const char *const parlot[] = {"Hdbg.17.node.1.info", "Hdbg.17.node.1.1", NULL};
    static const char *const uftrace[] = {"info", "task.txt", "sid-1.map", "app.sym", "1.dat", NULL};
    if (g_str_equal(DT_FUZZ_FORMAT, "text"))
        return text;
    return g_str_equal(DT_FUZZ_FORMAT, "parlot") ? parlot : uftrace;
}

/* Its path, or NULL. */
static char *write_input(const guint8 *data, gsize size)
{
    const char *const *names = file_names();
    for (guint i = 0; names[i]; i++) {
        gsize head = names[i + 1] ? MIN(size, 2) : 0;
        gsize bytes = names[i + 1] ? (size < 2 ? 0 : MIN(data[0] | (gsize)data[1] << 8, size - 2)) : size;
        if (g_str_equal(DT_FUZZ_FORMAT, "parlot") && !names[i + 1] && is_too_long(data, size))
            return NULL;
        write_part(names[i], data + head, bytes);
        data += head + bytes;
        size -= head + bytes;
    }
    return names[1] ? g_strdup(folder) : g_build_filename(folder, names[0], NULL);
}

static guint64 count_events(const DtRun *run)
{
    guint32 events[BATCH];
    guint64 total = 0;
    for (guint i = 0; i < dt_run_trace_count(run); i++) {
        g_autoptr(DtReader) reader = dt_reader_open(run, dt_run_trace(run, i), DT_NAMES_ALONE, NULL);
        for (gsize count = BATCH; reader && count > 0; total += count)
            count = dt_reader_next(reader, events, BATCH);
        if (!reader || dt_reader_problem(reader))
            g_error("%s", reader ? dt_reader_problem(reader) : "a trace that cannot be read");
    }
    return total;
}

static void check_run(const char *path, const DtImportResult *result)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(DtRun) run = dt_run_open(path, functions, &error);
    if (!run && g_error_matches(error, DT_STORE_ERROR, DT_STORE_ERROR_EMPTY))
        return;
    if (!run || dt_run_problems(run)->len > 0)
        g_error("%s", run ? (const char *)dt_run_problems(run)->pdata[0] : error->message);
    if (count_events(run) != result->events)
        g_error("not as many events as imported");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!folder) {
        folder = dt_temporary_directory();
        atexit(remove_folder);
    }
    g_autofree char *run = g_build_filename(folder, "run", NULL);
    g_autofree char *input = write_input(data, size);
    if (!input)
        return 0;
    g_autoptr(GError) error = NULL;
    g_autoptr(DtImportResult) result = dt_import(DT_FUZZ_FORMAT, input, run, &error);
    if (!result && !error)
        g_error("neither a run nor an error");
    if (result)
        check_run(run, result);
    dt_remove_tree(run);
    return 0;
}
