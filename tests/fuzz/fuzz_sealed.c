/* Fuzzes the sealed form: reading it, as it is and with the checksums of its table made right; and making it of
 * whatever may lie there, which has to read as that afterwards. */
#define _GNU_SOURCE /* O_DIRECTORY */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decoder/decoder.h"
#include "format/checks.h"
#include "format/sealed.h"
#include "fuzz_target.h"
#include "store/file.h"
#include "store/sealed/sealed_writer.h"
#include "support/test_run.h"

static const char NAME[] = "node1.1000.trace";

static char *run_path;
static gint folder;

static void remove_run(void)
{
    dt_remove_tree(run_path);
    g_free(run_path);
}

static void make_run(void)
{
    run_path = dt_temporary_directory();
    dt_test_run_single(run_path, "main solve MPI_Send < < a < b < c <");
    g_autofree char *processes = g_build_filename(run_path, "processes", NULL);
    folder = open(processes, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    atexit(remove_run);
}

static void read_run(void)
{
    enum { BATCH = 1024 };
    guint32 events[BATCH];
    g_autoptr(DtFunctions) functions = dt_functions_new();
    g_autoptr(GError) error = NULL;
    g_autoptr(DtRun) run = dt_run_open(run_path, functions, &error);
    if (!run && !error)
        g_error("neither a run nor an error");
    for (guint i = 0; run && i < dt_run_trace_count(run); i++) {
        g_autoptr(DtReader) reader = dt_reader_open(run, dt_run_trace(run, i), DT_NAMES_ALONE, NULL);
        g_autoptr(DtNotes) notes = dt_notes_open(run, dt_run_trace(run, i), NULL);
        if (reader)
            dt_reader_next(reader, events, BATCH);
        if (notes && dt_notes_count(notes) > 0 && !dt_notes_get(notes, 0)->text)
            g_error("a note without a text");
    }
}

/* NULL: it cannot be opened. */
static guint8 *read_image(const char *path, gsize *bytes)
{
    enum { MOST = 1 << 26 };
    g_autoptr(DtFile) file = dt_file_open_trace(path, NULL);
    if (!file || file->bytes > MOST)
        return NULL;
    *bytes = (gsize)file->bytes;
    guint8 *image = g_malloc(*bytes + 1);
    dt_file_read(file, 0, image, *bytes);
    return image;
}

static gboolean wants(const struct dt_file_header *header, gboolean is_sealed, gpointer data)
{
    gboolean *had_checksums = data;
    (void)header;
    *had_checksums = is_sealed;
    return TRUE;
}

/* The checksums that sealing makes are not there before, and what is in free chunks not afterwards. */
static void seal(const char *path, const uint8_t *data, gsize size)
{
    gsize bytes;
    gboolean had_checksums = FALSE;
    const DtSealing sealing = {.folder = folder, .name = NAME, .wants = wants, .data = &had_checksums};
    if (!dt_sealing_run(&sealing))
        return;
    g_autofree guint8 *image = read_image(path, &bytes);
    if (!image || bytes > size)
        g_error("a sealed file that cannot be read, or is larger than what it was made of");
    for (gsize i = 0; i < bytes; i++)
        if (had_checksums && image[i] != data[i] && image[i] != 0)
            g_error("byte %" G_GSIZE_FORMAT " is another in the sealed form", i);
}

static gboolean repair(guint8 *data, gsize size)
{
    struct dt_sealed head;
    gsize table = DT_SEALED_OFFSET + sizeof(head);
    if (size < table)
        return FALSE;
    memcpy(&head, data + DT_SEALED_OFFSET, sizeof(head));
    if (head.table_bytes > size - table)
        return FALSE;
    memcpy(head.magic, DT_SEALED_MAGIC, sizeof(head.magic));
    head.table_crc32 = dt_crc32(0, data + table, head.table_bytes);
    head.check = dt_crc32(0, &head, G_STRUCT_OFFSET(struct dt_sealed, check));
    memcpy(data + DT_SEALED_OFFSET, &head, sizeof(head));
    return TRUE;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!run_path)
        make_run();
    g_autofree char *file = g_build_filename(run_path, "processes", NAME, NULL);
    g_autofree guint8 *repaired = g_memdup2(data, size);
    dt_write_bytes(file, data, size);
    read_run();
    seal(file, data, size);
    if (!repair(repaired, size))
        return 0;
    dt_write_bytes(file, repaired, size);
    read_run();
    gsize bytes;
    g_autofree guint8 *image = read_image(file, &bytes);
    (void)image;
    return 0;
}
