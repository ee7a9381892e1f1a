/* Fuzzes packed runs: unpacking them, as they are and with what was changed inside of the frame, all checksums right.
 * The input is the content of the frame, or a whole file. Nothing may come to lie outside of the new directory. */
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "format/crc32.h"
#include "format/trace_file.h"
#include "fuzz_target.h"
#include "store/packed/packed_format.h"
#include "store/packed/unpack.h"
#include "support/test_run.h"

enum { MOST = 1 << 26 };

static char *folder;

static void remove_folder(void)
{
    dt_remove_tree(folder);
    g_free(folder);
}

static guint count_entries(void)
{
    g_autoptr(GDir) directory = g_dir_open(folder, 0, NULL);
    guint count = 0;
    while (g_dir_read_name(directory))
        count++;
    return count;
}

static void unpack(const guint8 *data, gsize size)
{
    g_autofree char *file = g_build_filename(folder, "a.dtz", NULL), *run = g_build_filename(folder, "run", NULL);
    g_autoptr(GError) error = NULL;
    dt_write_bytes(file, data, size);
    gboolean done = dt_unpack(file, run, MOST, size % 2 == 0, &error);
    if (done == (error != NULL))
        g_error("neither a run nor an error, or both");
    if (count_entries() != (done ? 2 : 1))
        g_error("something lies beside the run, or is left of one");
    dt_remove_tree(run);
}

/* Of all entries that can be found, so that changes reach what lies behind them. */
static void repair(guint8 *content, gsize size)
{
    struct dt_packed_entry entry;
    for (gsize at = 0; size - at >= sizeof(entry) + sizeof(guint32);) {
        memcpy(&entry, content + at, sizeof(entry));
        gsize room = size - at - sizeof(entry) - sizeof(guint32);
        if (entry.name_bytes > room || entry.bytes > room - entry.name_bytes)
            return;
        gsize bytes = sizeof(entry) + entry.name_bytes + (gsize)entry.bytes;
        guint32 crc = dt_crc32(0, content + at, bytes);
        memcpy(content + at + bytes, &crc, sizeof(crc));
        at += bytes + sizeof(crc);
    }
}

static void unpack_content(const guint8 *data, gsize size)
{
    struct dt_packed_header header = {
        .major = DT_PACKED_MAJOR, .minor = DT_PACKED_MINOR, .endian = DT_ENDIAN_MARK, .content_bytes = size};
    memcpy(header.magic, DT_PACKED_MAGIC, sizeof(header.magic));
    header.check = dt_crc32(0, &header, G_STRUCT_OFFSET(struct dt_packed_header, check));
    g_autofree guint8 *content = g_memdup2(data, size);
    repair(content, size);
    gsize bound = ZSTD_compressBound(size);
    g_autofree guint8 *file = g_malloc(sizeof(header) + bound);
    memcpy(file, &header, sizeof(header));
    gsize bytes = ZSTD_compress(file + sizeof(header), bound, content, size, 1);
    unpack(file, sizeof(header) + bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!folder) {
        folder = dt_temporary_directory();
        atexit(remove_folder);
    }
    if (size >= sizeof(DT_PACKED_MAGIC) && memcmp(data, DT_PACKED_MAGIC, strlen(DT_PACKED_MAGIC)) == 0)
        unpack(data, size);
    else
        unpack_content(data, size);
    return 0;
}
