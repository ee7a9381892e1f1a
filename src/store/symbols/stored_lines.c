#include "store/symbols/stored_lines.h"

#include <string.h>

#include "format/crc32.h"
#include "store/symbols/source_lines.h"

/* "difftrace lines 1 CRC\n", then a line an address: the address, then function, file and line of each frame, with a
 * tab between. Strings are escaped as in C. */
#define HEAD "difftrace lines 1 "
enum { CRC_DIGITS = 8, HEAD_BYTES = sizeof(HEAD) - 1 + CRC_DIGITS + 1 };

struct DtStoredLines {
    GHashTable *by_address; /* address -> GArray */
    GStringChunk *texts;
};

static void free_frames(gpointer frames)
{
    g_array_unref(frames);
}

void dt_stored_lines_free(DtStoredLines *lines)
{
    if (!lines)
        return;
    g_hash_table_unref(lines->by_address);
    g_string_chunk_free(lines->texts);
    g_free(lines);
}

static const char *text_of(DtStoredLines *lines, const char *escaped)
{
    g_autofree char *text = g_strcompress(escaped);
    return g_string_chunk_insert_const(lines->texts, text);
}

static gboolean parse_line(DtStoredLines *lines, const char *line)
{
    g_auto(GStrv) fields = g_strsplit(line, "\t", -1);
    guint count = g_strv_length(fields);
    guint64 address, number;
    if (count % 3 != 1 || !g_ascii_string_to_unsigned(fields[0], 16, 0, G_MAXUINT64, &address, NULL))
        return FALSE;
    GArray *frames = g_array_new(FALSE, FALSE, sizeof(DtSourceFrame));
    g_hash_table_insert(lines->by_address, g_memdup2(&address, sizeof(address)), frames);
    for (guint i = 1; i < count; i += 3) {
        if (!g_ascii_string_to_unsigned(fields[i + 2], 10, 0, G_MAXUINT, &number, NULL) || fields[i + 1][0] == '\0')
            return FALSE;
        DtSourceFrame frame = {text_of(lines, fields[i]), text_of(lines, fields[i + 1]), (guint)number};
        g_array_append_val(frames, frame);
    }
    return TRUE;
}

static gboolean head_is_good(const char *text, gsize bytes)
{
    if (bytes < HEAD_BYTES || memcmp(text, HEAD, sizeof(HEAD) - 1) != 0 || text[HEAD_BYTES - 1] != '\n')
        return FALSE;
    g_autofree char *wanted = g_strndup(text + sizeof(HEAD) - 1, CRC_DIGITS);
    g_autofree char *found =
        g_strdup_printf("%08x", dt_crc32(0, (const guint8 *)text + HEAD_BYTES, bytes - HEAD_BYTES));
    return g_str_equal(wanted, found) && strlen(text) == bytes;
}

DtStoredLines *dt_stored_lines_parse(const char *text, gsize bytes)
{
    if (!head_is_good(text, bytes))
        return NULL;
    g_autoptr(DtStoredLines) lines = g_new0(DtStoredLines, 1);
    lines->by_address = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, free_frames);
    lines->texts = g_string_chunk_new(4096);
    g_auto(GStrv) rows = g_strsplit(text + HEAD_BYTES, "\n", -1);
    for (guint i = 0; rows[i]; i++)
        if (rows[i][0] != '\0' && !parse_line(lines, rows[i]))
            return NULL;
    return g_steal_pointer(&lines);
}

const GArray *dt_stored_lines_at(const DtStoredLines *lines, guint64 address)
{
    return g_hash_table_lookup(lines->by_address, &address);
}

/* ---- writing ------------------------------------------------------------------------------------- */

GString *dt_stored_lines_begin(void)
{
    return g_string_new(HEAD "00000000\n");
}

void dt_stored_lines_add(GString *text, guint64 address, const GArray *frames)
{
    g_string_append_printf(text, "%" G_GINT64_MODIFIER "x", address);
    for (guint i = 0; i < frames->len; i++) {
        const DtSourceFrame *frame = &g_array_index(frames, DtSourceFrame, i);
        g_autofree char *function = g_strescape(frame->function, NULL);
        g_autofree char *file = g_strescape(frame->file, NULL);
        g_string_append_printf(text, "\t%s\t%s\t%u", function, file, frame->line);
    }
    g_string_append_c(text, '\n');
}

void dt_stored_lines_end(GString *text)
{
    guint32 crc = dt_crc32(0, (const guint8 *)text->str + HEAD_BYTES, text->len - HEAD_BYTES);
    g_autofree char *digits = g_strdup_printf("%08x", crc);
    memcpy(text->str + sizeof(HEAD) - 1, digits, CRC_DIGITS);
}
