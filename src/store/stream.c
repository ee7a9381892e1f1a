/* A trace's stream: its data chunks, segments and raw tails. */
#include <string.h>

#include "format/codec.h"
#include "store/problems.h"
#include "store/run_private.h"
#include "store/segments.h"
#include "store/thread_record.h"

struct DtStream {
    const DtTraceEntry *trace;
    GMappedFile *mapping;
    GPtrArray *extents; /* DtExtent */
    struct dt_thread thread;
    GArray *places; /* DtSegmentPlace */
    DtSegment current;
    guint32 *frames; /* of the current segment */
    guint8 *code;    /* of the current segment, if it lies in several chunks */
    guint16 tail[DT_TAIL_ALL_WORDS + 1];
    char *name;          /* file and trace, in problem reports */
    GPtrArray *problems; /* char * */
    char *summary;       /* of them */
};

/* ---- data chunks ----------------------------------------------------------------- */

static void free_extent(gpointer data)
{
    dt_extent_free(data);
}

static void append_chunk(DtStream *stream, const DtDataChunk *chunk, gboolean gap)
{
    const guint8 *data = (const guint8 *)g_mapped_file_get_contents(stream->mapping);
    gsize bytes = g_mapped_file_get_length(stream->mapping);
    guint64 there = chunk->offset < bytes ? bytes - chunk->offset : 0;
    if (gap)
        g_ptr_array_add(stream->extents, dt_extent_new());
    dt_extent_append(g_ptr_array_index(stream->extents, stream->extents->len - 1), data + MIN(chunk->offset, bytes),
                     (gsize)MIN(chunk->bytes, there), chunk->offset);
}

/* The thread's data chunks as extents: a new one behind every gap. Those before what was kept are left out. */
static void gather_extents(DtStream *stream, DtSegmentSearch *search)
{
    const GArray *chunks = stream->trace->process->file->data;
    gboolean gap = TRUE;
    guint32 expected = 0;
    for (guint i = 0; i < chunks->len; i++) {
        const DtDataChunk *chunk = &g_array_index(chunks, DtDataChunk, i);
        guint64 start = search->kept_stream > 0 ? chunk->sequence * (guint64)chunk->whole : 0;
        gboolean dropped = search->kept_stream > 0 && start + chunk->whole <= search->kept_stream;
        if (chunk->owner != stream->trace->record->index || dropped)
            continue;
        if (stream->extents->len == 0) {
            search->first_start = start;
            search->first_is_whole = search->kept_stream > 0 ? start <= search->kept_stream : chunk->sequence == 0;
        }
        append_chunk(stream, chunk, gap || chunk->sequence != expected);
        gap = chunk->cut;
        expected = chunk->sequence + 1;
    }
}

static void check_record(DtStream *stream, const char *name, const DtCommitChoice *choice)
{
    const guint8 *data = (const guint8 *)g_mapped_file_get_contents(stream->mapping);
    guint64 offset = stream->trace->record->offset, chunk = offset - sizeof(struct dt_chunk_header);
    guint64 there = g_mapped_file_get_length(stream->mapping) - chunk;
    if (choice->problem)
        dt_problem(stream->problems, name, "record at offset %" G_GUINT64_FORMAT ": %s", offset, choice->problem);
    else if (!stream->trace->record->packed && !dt_chunk_seal_holds(data + chunk, there))
        dt_problem(stream->problems, name,
                   "record at offset %" G_GUINT64_FORMAT ": wrong checksum: its last %u words, at most, may be wrong",
                   offset, DT_TAIL_ALL_WORDS);
}

/* Whether the stream goes on where the record says that the kept part starts. kept_words is raised first. */
static gboolean kept_part_is_there(const DtStream *stream, const DtSegmentSearch *search)
{
    guint64 kept_words = stream->thread.kept_words, at = search->kept_stream - search->first_start;
    struct dt_segment_header header;
    if (search->kept_stream == search->commit->stream_bytes)
        return kept_words == search->commit->words;
    if (stream->extents->len == 0 || search->kept_stream < search->first_start)
        return FALSE;
    const DtExtent *extent = g_ptr_array_index(stream->extents, 0);
    if (at > extent->bytes || extent->bytes - at < sizeof(header))
        return FALSE;
    dt_extent_copy(extent, at, &header, sizeof(header));
    return header.magic == DT_SEGMENT_MAGIC && header.first_event <= kept_words;
}

/* No checksum covers what was dropped while the thread runs: its record is believed if the stream agrees. */
static void gather_kept(DtStream *stream, DtSegmentSearch *search)
{
    if (search->commit) {
        search->kept_stream = MIN(stream->thread.kept_stream, search->commit->stream_bytes);
        search->dropped_words = search->kept_stream > 0 ? MIN(stream->thread.kept_words, search->commit->words) : 0;
    }
    gather_extents(stream, search);
    if (search->kept_stream == 0 || kept_part_is_there(stream, search))
        return;
    dt_problem(stream->problems, search->name, "where the kept part of its stream starts is damaged");
    search->kept_stream = search->dropped_words = search->first_start = 0;
    search->first_is_whole = FALSE;
    g_ptr_array_set_size(stream->extents, 0);
    gather_extents(stream, search);
}

/* ---- opening ----------------------------------------------------------------------- */

static void find_segments(DtStream *stream)
{
    const char *name = stream->name;
    gboolean lost = stream->trace->record->lost;
    DtCommitChoice choice = {NULL, FALSE, NULL};
    if (!lost)
        choice = dt_thread_choose_commit(&stream->thread, stream->trace->process->file->checked);
    DtSegmentSearch search = {.name = name, .extents = stream->extents, .commit = choice.commit};
    search.checked = stream->trace->process->file->checked;
    search.places = stream->places;
    search.problems = stream->problems;
    if (lost)
        dt_problem(stream->problems, name, "its record is lost: only complete segments are read");
    else
        check_record(stream, name, &choice);
    gather_kept(stream, &search);
    dt_segments_find(&search);

    gsize tail_words = dt_thread_tail_words(&stream->thread, &choice, stream->tail);
    if (tail_words == 0)
        return;
    DtSegmentPlace tail = {.segment = {.codec = DT_CODEC_RAW, .first_word = search.commit->words}};
    if (search.commit->words > search.next_word)
        tail.segment.lost_words = search.commit->words - search.next_word;
    if (stream->places->len == 0)
        tail.segment.lost_words += search.dropped_words;
    tail.segment.words = tail_words;
    tail.segment.bytes = 2 * tail_words;
    tail.segment.crc32 = dt_crc32(0, stream->tail, tail.segment.bytes);
    g_array_append_val(stream->places, tail);
}

static void sum_up_problems(DtStream *stream)
{
    if (stream->problems->len == 1)
        stream->summary = g_strdup(g_ptr_array_index(stream->problems, 0));
    else if (stream->problems->len > 1)
        stream->summary = g_strdup_printf("%s (and %u more)", (char *)g_ptr_array_index(stream->problems, 0),
                                          stream->problems->len - 1);
}

static gboolean read_record(DtStream *stream)
{
    const DtThreadRecord *record = stream->trace->record;
    const guint8 *data = (const guint8 *)g_mapped_file_get_contents(stream->mapping);
    gsize bytes = g_mapped_file_get_length(stream->mapping);
    return record->packed ? dt_thread_unpack(data, bytes, record->offset, &stream->thread)
                          : dt_thread_read(data, bytes, record->offset, &stream->thread);
}

DtStream *dt_stream_open(const DtRun *run, const DtTrace *trace, GError **error)
{
    const DtTraceEntry *entry = (const DtTraceEntry *)trace;
    g_autofree char *path = g_build_filename(run->path, entry->process->file->name, NULL);
    g_autoptr(GError) cause = NULL;
    g_autoptr(GMappedFile) mapping = g_mapped_file_new(path, FALSE, &cause);
    if (!mapping) {
        g_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_IO, "%s: %s", run->path, cause->message);
        return NULL;
    }
    g_autoptr(DtStream) stream = g_new0(DtStream, 1);
    stream->trace = entry;
    stream->name = g_strdup_printf("%s: trace %s", entry->process->file->name, trace->label);
    stream->mapping = g_steal_pointer(&mapping);
    stream->extents = g_ptr_array_new_with_free_func(free_extent);
    stream->places = g_array_new(FALSE, FALSE, sizeof(DtSegmentPlace));
    stream->problems = g_ptr_array_new_with_free_func(g_free);
    if (!entry->record->lost && !read_record(stream)) {
        g_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_DAMAGED, "%s: %s: trace %s is gone: the file has shrunk",
                    run->path, entry->process->file->name, trace->label);
        return NULL;
    }
    find_segments(stream);
    sum_up_problems(stream);
    return g_steal_pointer(&stream);
}

void dt_stream_free(DtStream *stream)
{
    if (!stream)
        return;
    g_clear_pointer(&stream->mapping, g_mapped_file_unref);
    g_ptr_array_unref(stream->extents);
    g_array_unref(stream->places);
    g_ptr_array_unref(stream->problems);
    g_free(stream->code);
    g_free(stream->frames);
    g_free(stream->summary);
    g_free(stream->name);
    g_free(stream);
}

/* ---- reading ------------------------------------------------------------------------ */

guint dt_stream_segment_count(const DtStream *stream)
{
    return stream->places->len;
}

static const guint8 *segment_code(DtStream *stream, const DtSegmentPlace *place)
{
    const guint8 *view = dt_extent_view(place->extent, place->code_offset, place->segment.bytes);
    if (view)
        return view;
    stream->code = g_realloc(stream->code, place->segment.bytes);
    dt_extent_copy(place->extent, place->code_offset, stream->code, place->segment.bytes);
    return stream->code;
}

const DtSegment *dt_stream_segment(DtStream *stream, guint index)
{
    const DtSegmentPlace *place = &g_array_index(stream->places, DtSegmentPlace, index);
    stream->current = place->segment;
    if (!place->extent) {
        stream->current.code = (const guint8 *)stream->tail;
        return &stream->current;
    }
    stream->frames = g_renew(guint32, stream->frames, place->segment.depth + (gsize)1);
    dt_extent_copy(place->extent, place->frames_offset, stream->frames, place->segment.depth * sizeof(guint32));
    stream->current.open_frames = stream->frames;
    stream->current.code = segment_code(stream, place);
    return &stream->current;
}

const char *dt_stream_name(const DtStream *stream)
{
    return stream->name;
}

const char *dt_stream_problem(const DtStream *stream)
{
    return stream->summary;
}

const guint32 *dt_stream_functions(const DtStream *stream, guint32 *count)
{
    *count = stream->trace->process->function_count;
    return stream->trace->process->functions;
}

guint32 dt_stream_function(const DtStream *stream, guint32 file_id)
{
    return file_id < stream->trace->process->function_count ? stream->trace->process->functions[file_id] : 0;
}
