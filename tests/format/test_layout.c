/*
 * docs/trace-format.md is the contract: the tables there must be those of
 * trace_file.h, field by field, and complete.
 */
#include <glib.h>
#include <string.h>

#include "format/arguments.h"
#include "format/sealed.h"
#include "format/trace_file.h"
#include "format/unrecorded.h"
#include "store/packed/packed_format.h"

typedef struct {
    const char *structure, *field;
    gsize offset, bytes;
} Field;

#define FIELD(structure, field)                                                                                        \
    {                                                                                                                  \
#structure, #field, G_STRUCT_OFFSET(struct structure, field), sizeof(((struct structure *)NULL)->field)        \
    }
#define WHOLE(structure)                                                                                               \
    {                                                                                                                  \
#structure, NULL, 0, sizeof(struct structure)                                                                  \
    }

static const Field fields[] = {
    WHOLE(dt_file_header),
    FIELD(dt_file_header, magic),
    FIELD(dt_file_header, major),
    FIELD(dt_file_header, minor),
    FIELD(dt_file_header, endian),
    FIELD(dt_file_header, header_bytes),
    FIELD(dt_file_header, flags),
    FIELD(dt_file_header, file_bytes),
    FIELD(dt_file_header, pid),
    FIELD(dt_file_header, ppid),
    FIELD(dt_file_header, rank),
    FIELD(dt_file_header, world_size),
    FIELD(dt_file_header, start_realtime_ns),
    FIELD(dt_file_header, start_monotonic_ns),
    FIELD(dt_file_header, end_monotonic_ns),
    FIELD(dt_file_header, end_state),
    FIELD(dt_file_header, end_status),
    FIELD(dt_file_header, images_mode),
    FIELD(dt_file_header, codec),
    FIELD(dt_file_header, app_threads),
    FIELD(dt_file_header, library_threads),
    FIELD(dt_file_header, functions),
    FIELD(dt_file_header, hooked),
    FIELD(dt_file_header, skipped),
    FIELD(dt_file_header, stop_errno),
    FIELD(dt_file_header, dropped_events),
    FIELD(dt_file_header, check),
    FIELD(dt_file_header, seal),
    FIELD(dt_file_header, max_bytes),
    FIELD(dt_file_header, when_full),
    FIELD(dt_file_header, reserved0),
    FIELD(dt_file_header, lost_communicators),
    FIELD(dt_file_header, lost_signatures),
    FIELD(dt_file_header, lost_sites),
    FIELD(dt_file_header, lost_locks),
    FIELD(dt_file_header, lost_arrays),
    FIELD(dt_file_header, arguments_scale),
    FIELD(dt_file_header, reserved),
    FIELD(dt_file_header, unseen_handlers),
    FIELD(dt_file_header, host),
    FIELD(dt_file_header, executable),
    FIELD(dt_file_header, arguments),
    WHOLE(dt_unrecorded),
    FIELD(dt_unrecorded, pid),
    FIELD(dt_unrecorded, reason),
    FIELD(dt_unrecorded, monotonic_ns),
    FIELD(dt_unrecorded, check),
    FIELD(dt_unrecorded, executable),
    WHOLE(dt_chunk_header),
    FIELD(dt_chunk_header, magic),
    FIELD(dt_chunk_header, type),
    FIELD(dt_chunk_header, bytes),
    FIELD(dt_chunk_header, owner),
    FIELD(dt_chunk_header, sequence),
    FIELD(dt_chunk_header, records),
    FIELD(dt_chunk_header, check),
    FIELD(dt_chunk_header, seal),
    FIELD(dt_chunk_header, reserved),
    WHOLE(dt_segment_header),
    FIELD(dt_segment_header, magic),
    FIELD(dt_segment_header, codec),
    FIELD(dt_segment_header, first_event),
    FIELD(dt_segment_header, events),
    FIELD(dt_segment_header, bytes),
    FIELD(dt_segment_header, crc32),
    FIELD(dt_segment_header, depth),
    WHOLE(dt_commit),
    FIELD(dt_commit, words),
    FIELD(dt_commit, stream_bytes),
    FIELD(dt_commit, segment_start),
    FIELD(dt_commit, segment_words),
    FIELD(dt_commit, crc32),
    FIELD(dt_commit, active_tail),
    FIELD(dt_commit, tail_serial),
    FIELD(dt_commit, check),
    FIELD(dt_commit, pending),
    WHOLE(dt_thread),
    FIELD(dt_thread, kind),
    FIELD(dt_thread, number),
    FIELD(dt_thread, tid),
    FIELD(dt_thread, creator),
    FIELD(dt_thread, end_state),
    FIELD(dt_thread, selector),
    FIELD(dt_thread, start_monotonic_ns),
    FIELD(dt_thread, end_monotonic_ns),
    FIELD(dt_thread, dropped_events),
    FIELD(dt_thread, segments),
    FIELD(dt_thread, tail_serial),
    FIELD(dt_thread, check),
    FIELD(dt_thread, dropped_notes),
    FIELD(dt_thread, kept_stream),
    FIELD(dt_thread, kept_words),
    FIELD(dt_thread, last_seen_ns),
    FIELD(dt_thread, name),
    FIELD(dt_thread, commit),
    FIELD(dt_thread, last_signal),
    FIELD(dt_thread, open_frames),
    FIELD(dt_thread, padding),
    FIELD(dt_thread, tail),
    WHOLE(dt_last_signal),
    FIELD(dt_last_signal, number),
    FIELD(dt_last_signal, fate),
    FIELD(dt_last_signal, code),
    FIELD(dt_last_signal, sender),
    FIELD(dt_last_signal, monotonic_ns),
    FIELD(dt_last_signal, words),
    FIELD(dt_last_signal, function),
    FIELD(dt_last_signal, check),
    WHOLE(dt_function),
    FIELD(dt_function, image),
    FIELD(dt_function, symbol),
    FIELD(dt_function, flags),
    FIELD(dt_function, arguments),
    FIELD(dt_function, args),
    FIELD(dt_function, id),
    FIELD(dt_function, check),
    WHOLE(dt_open_frame),
    FIELD(dt_open_frame, address),
    FIELD(dt_open_frame, image),
    FIELD(dt_open_frame, function_image),
    FIELD(dt_open_frame, function_symbol),
    WHOLE(dt_open_frames),
    FIELD(dt_open_frames, depth),
    FIELD(dt_open_frames, count),
    FIELD(dt_open_frames, cause),
    FIELD(dt_open_frames, check),
    FIELD(dt_open_frames, fault_address),
    FIELD(dt_open_frames, hit),
    FIELD(dt_open_frames, frames),
    WHOLE(dt_call_site),
    FIELD(dt_call_site, id),
    FIELD(dt_call_site, image),
    FIELD(dt_call_site, address),
    FIELD(dt_call_site, flags),
    FIELD(dt_call_site, check),
    WHOLE(dt_image),
    FIELD(dt_image, index),
    FIELD(dt_image, flags),
    FIELD(dt_image, load_bias),
    FIELD(dt_image, hooked),
    FIELD(dt_image, skipped),
    FIELD(dt_image, check),
    FIELD(dt_image, reserved),
    FIELD(dt_image, key),
    FIELD(dt_image, path),
    WHOLE(dt_ended_thread),
    FIELD(dt_ended_thread, bytes),
    FIELD(dt_ended_thread, index),
    FIELD(dt_ended_thread, words),
    FIELD(dt_ended_thread, check),
    FIELD(dt_ended_thread, head),
    WHOLE(dt_communicator),
    FIELD(dt_communicator, bytes),
    FIELD(dt_communicator, number),
    FIELD(dt_communicator, parent),
    FIELD(dt_communicator, creation),
    FIELD(dt_communicator, key),
    FIELD(dt_communicator, rank),
    FIELD(dt_communicator, size),
    FIELD(dt_communicator, remote_size),
    FIELD(dt_communicator, check),
    WHOLE(dt_array),
    FIELD(dt_array, bytes),
    FIELD(dt_array, number),
    FIELD(dt_array, count),
    FIELD(dt_array, check),
    WHOLE(dt_notes),
    FIELD(dt_notes, position),
    WHOLE(dt_time_anchor),
    FIELD(dt_time_anchor, counter),
    FIELD(dt_time_anchor, monotonic_ns),
    FIELD(dt_time_anchor, processor_ns),
    WHOLE(dt_times),
    FIELD(dt_times, position),
    FIELD(dt_times, counter),
    FIELD(dt_times, used),
    FIELD(dt_times, reserved),
    WHOLE(dt_stamps),
    FIELD(dt_stamps, begin),
    FIELD(dt_stamps, end),
    FIELD(dt_stamps, place_of_first),
    FIELD(dt_stamps, padding),
    FIELD(dt_stamps, stamps),
    WHOLE(dt_symbols_header),
    FIELD(dt_symbols_header, magic),
    FIELD(dt_symbols_header, major),
    FIELD(dt_symbols_header, minor),
    FIELD(dt_symbols_header, endian),
    FIELD(dt_symbols_header, count),
    FIELD(dt_symbols_header, text_bytes),
    FIELD(dt_symbols_header, crc32),
    FIELD(dt_symbols_header, reserved),
    WHOLE(dt_symbol),
    FIELD(dt_symbol, address),
    FIELD(dt_symbol, size),
    FIELD(dt_symbol, name),
    FIELD(dt_symbol, flags),
    FIELD(dt_symbol, reason),
    WHOLE(dt_sealed),
    FIELD(dt_sealed, magic),
    FIELD(dt_sealed, image_bytes),
    FIELD(dt_sealed, pieces),
    FIELD(dt_sealed, blocks),
    FIELD(dt_sealed, table_bytes),
    FIELD(dt_sealed, table_crc32),
    FIELD(dt_sealed, reserved),
    FIELD(dt_sealed, check),
    WHOLE(dt_sealed_piece),
    FIELD(dt_sealed_piece, offset),
    FIELD(dt_sealed_piece, bytes),
    WHOLE(dt_sealed_block),
    FIELD(dt_sealed_block, bytes),
    FIELD(dt_sealed_block, packed_bytes),
    FIELD(dt_sealed_block, crc32),
    FIELD(dt_sealed_block, rows_bytes),
    WHOLE(dt_packed_header),
    FIELD(dt_packed_header, magic),
    FIELD(dt_packed_header, major),
    FIELD(dt_packed_header, minor),
    FIELD(dt_packed_header, endian),
    FIELD(dt_packed_header, content_bytes),
    FIELD(dt_packed_header, flags),
    FIELD(dt_packed_header, check),
    WHOLE(dt_packed_entry),
    FIELD(dt_packed_entry, kind),
    FIELD(dt_packed_entry, name_bytes),
    FIELD(dt_packed_entry, bytes),
    FIELD(dt_packed_entry, pieces),
    FIELD(dt_packed_entry, reserved),
};

static char *read_document(void)
{
    g_autoptr(GError) error = NULL;
    char *text = NULL;
    g_autofree char *path = g_test_build_filename(G_TEST_DIST, "..", "..", "docs", "trace-format.md", NULL);
    g_file_get_contents(path, &text, NULL, &error);
    g_assert_no_error(error);
    return text;
}

/* The document's tables of structures as lines "structure offset bytes field" and "structure bytes". */
static GHashTable *read_tables(const char *text)
{
    GHashTable *rows = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GRegex) heading = g_regex_new("^### (dt_\\w+), (\\d+) bytes$", 0, 0, NULL);
    g_autoptr(GRegex) row = g_regex_new("^\\| (\\d+) \\| (\\d+) \\| (\\w+) \\|", 0, 0, NULL);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    g_autofree char *structure = NULL;
    for (guint i = 0; lines[i]; i++) {
        g_autoptr(GMatchInfo) match = NULL;
        if (g_str_has_prefix(lines[i], "#"))
            g_clear_pointer(&structure, g_free);
        if (g_regex_match(heading, lines[i], 0, &match)) {
            g_autofree char *bytes = g_match_info_fetch(match, 2);
            structure = g_match_info_fetch(match, 1);
            g_hash_table_add(rows, g_strdup_printf("%s %s", structure, bytes));
        }
        g_clear_pointer(&match, g_match_info_unref);
        if (structure && g_regex_match(row, lines[i], 0, &match)) {
            g_autofree char *offset = g_match_info_fetch(match, 1), *bytes = g_match_info_fetch(match, 2);
            g_autofree char *field = g_match_info_fetch(match, 3);
            g_hash_table_add(rows, g_strdup_printf("%s %s %s %s", structure, offset, bytes, field));
        }
    }
    return rows;
}

static void test_document(void)
{
    g_autofree char *text = read_document();
    g_autoptr(GHashTable) rows = read_tables(text);
    for (guint i = 0; i < G_N_ELEMENTS(fields); i++) {
        const Field *field = &fields[i];
        g_autofree char *row = field->field
                                   ? g_strdup_printf("%s %" G_GSIZE_FORMAT " %" G_GSIZE_FORMAT " %s", field->structure,
                                                     field->offset, field->bytes, field->field)
                                   : g_strdup_printf("%s %" G_GSIZE_FORMAT, field->structure, field->bytes);
        if (!g_hash_table_remove(rows, row))
            g_error("docs/trace-format.md does not say: %s", row);
    }
    g_assert_cmpuint(g_hash_table_size(rows), ==, 0);
}

/* Each structure is its fields, end to end: nothing depends on a compiler's padding. */
static void test_no_padding(void)
{
    gsize end = 0, size = 0;
    for (guint i = 0; i < G_N_ELEMENTS(fields); i++) {
        if (!fields[i].field) {
            g_assert_cmpuint(end, ==, size);
            size = fields[i].bytes;
            end = 0;
        } else {
            g_assert_cmpuint(fields[i].offset, ==, end);
            end += fields[i].bytes;
        }
    }
    g_assert_cmpuint(end, ==, size);
}

static void test_alignment(void)
{
    g_assert_cmpuint(sizeof(struct dt_file_header), <=, DT_CHUNK_ALIGN);
    g_assert_cmpuint(sizeof(struct dt_chunk_header) + G_STRUCT_OFFSET(struct dt_thread, tail), ==, DT_CHUNK_ALIGN);
    g_assert_cmpuint((sizeof(struct dt_chunk_header) + sizeof(struct dt_thread)) % DT_CHUNK_ALIGN, ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/format/layout/document", test_document);
    g_test_add_func("/format/layout/no-padding", test_no_padding);
    g_test_add_func("/format/layout/alignment", test_alignment);
    return g_test_run();
}
