/* A trace's stream: its data chunks, segments and raw tails. */
#include <string.h>

#include "base/debug.h"
#include "codec/codec.h"
#include "format/crc32.h"
#include "store/growing.h"
#include "store/problems.h"
#include "store/run_private.h"
#include "store/segments.h"
#include "store/thread_record.h"
#include "text/text.h"

/* What is found out when a stream is opened; does not change afterwards. */
typedef struct {
    const DtRun *run;
    const DtTraceEntry *trace;
    DtFile *file;
    GArray *chunks;      /* DtDataChunk: those of the file, or newer ones */
    GPtrArray *extents;  /* DtExtent */
    guint64 first_start; /* stream offset where the first one starts */
    struct dt_thread thread;
    GArray *places;      /* DtSegmentPlace */
    guint8 *tail;        /* code of the last segment, which has the words of the raw tails */
    char *name;          /* file and trace, in problem reports */
    GPtrArray *problems; /* char * */
    char *summary;       /* of them */
} Index;

struct DtStream {
    Index *index; /* g_atomic_rc_box */
    DtSegment current;
    guint32 *frames; /* of the current segment */
    guint8 *code;
    gsize code_capacity;
};

/* ---- data chunks ----------------------------------------------------------------- */

static void append_chunk(Index *index, const DtDataChunk *chunk, gboolean gap)
{
    guint64 bytes = index->file->bytes, there = chunk->offset < bytes ? bytes - chunk->offset : 0;
    if (gap)
        g_ptr_array_add(index->extents, dt_extent_new(index->file));
    dt_extent_append(g_ptr_array_index(index->extents, index->extents->len - 1), (gsize)MIN(chunk->bytes, there),
                     chunk->offset);
}

/* The thread's data chunks as extents: a new one behind every gap. Those before what was kept are left out. */
static void gather_extents(Index *index, DtSegmentSearch *search)
{
    const GArray *chunks = index->chunks;
    const gboolean is_ring = index->trace->process->file->header.when_full == DT_FULL_KEEP_LAST;
    gboolean gap = TRUE;
    guint32 expected = 0;
    guint64 before = 0;
    for (guint i = 0; i < chunks->len; i++) {
        const DtDataChunk *chunk = &g_array_index(chunks, DtDataChunk, i);
        if (chunk->owner != index->trace->record->index)
            continue;
        guint64 start = search->kept_stream == 0 ? 0 : is_ring ? chunk->sequence * (guint64)chunk->whole : before;
        before += chunk->whole;
        if (search->kept_stream > 0 && start + chunk->whole <= search->kept_stream)
            continue;
        if (index->extents->len == 0) {
            search->first_start = start;
            search->first_is_whole = search->kept_stream > 0 ? start <= search->kept_stream : chunk->sequence == 0;
        }
        append_chunk(index, chunk, gap || chunk->sequence != expected);
        gap = chunk->cut;
        expected = chunk->sequence + 1;
    }
}

static gboolean seal_holds(const Index *index, guint64 offset)
{
    struct dt_chunk_header header;
    g_auto(DtWindow) window = {.file = index->file};
    memcpy(&header, dt_window_view(&window, offset, sizeof(header)), sizeof(header));
    gsize there = (gsize)MIN(header.bytes, index->file->bytes - offset);
    return there < header.bytes || dt_chunk_seal_holds(dt_window_view(&window, offset, there), there);
}

static void check_record(Index *index, const char *name, const DtCommitChoice *choice)
{
    guint64 offset = index->trace->record->offset;
    if (choice->problem)
        dt_problem(index->problems, name, "record at offset %" G_GUINT64_FORMAT ": %s", offset, choice->problem);
    else if (!index->trace->record->packed && !seal_holds(index, offset - sizeof(struct dt_chunk_header)))
        dt_problem(index->problems, name,
                   "record at offset %" G_GUINT64_FORMAT ": wrong checksum: its last %u words, at most, may be wrong",
                   offset, DT_TAIL_ALL_WORDS);
}

/* Whether the stream goes on where the record says that the kept part starts. kept_words is raised first. */
static gboolean kept_part_is_there(const Index *index, const DtSegmentSearch *search)
{
    guint64 kept_words = index->thread.kept_words, at = search->kept_stream - search->first_start;
    struct dt_segment_header header;
    if (search->kept_stream == search->commit->stream_bytes)
        return kept_words == search->commit->words;
    if (index->extents->len == 0 || search->kept_stream < search->first_start)
        return FALSE;
    const DtExtent *extent = g_ptr_array_index(index->extents, 0);
    if (at > extent->bytes || extent->bytes - at < sizeof(header))
        return FALSE;
    dt_extent_copy(extent, at, &header, sizeof(header));
    return header.magic == DT_SEGMENT_MAGIC && header.first_event <= kept_words;
}

/* No checksum covers what was dropped while the thread runs: its record is believed if the stream agrees. */
static void gather_kept(Index *index, DtSegmentSearch *search)
{
    if (search->commit) {
        search->kept_stream = MIN(index->thread.kept_stream, search->commit->stream_bytes);
        search->dropped_words = search->kept_stream > 0 ? MIN(index->thread.kept_words, search->commit->words) : 0;
    }
    gather_extents(index, search);
    if (search->kept_stream == 0 || kept_part_is_there(index, search))
        return;
    dt_problem(index->problems, search->name, "where the kept part of its stream starts is damaged");
    search->kept_stream = search->dropped_words = search->first_start = 0;
    search->first_is_whole = FALSE;
    g_ptr_array_set_size(index->extents, 0);
    gather_extents(index, search);
}

/* While its thread runs a stream may have got chunks since the run was opened. */
static void find_new_chunks(Index *index, const struct dt_commit *commit)
{
    const DtProcessFile *known = index->trace->process->file;
    const gboolean grows =
        known->header.end_state == DT_PROCESS_RUNNING && known->header.when_full != DT_FULL_KEEP_LAST;
    guint64 bytes = 0;
    for (guint i = 0; i < known->data->len; i++) {
        const DtDataChunk *chunk = &g_array_index(known->data, DtDataChunk, i);
        bytes += chunk->owner == index->trace->record->index ? chunk->whole : 0;
    }
    if (!grows || !commit || commit->stream_bytes <= bytes)
        return;
    g_autoptr(GPtrArray) problems = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(DtProcessFile) newer = dt_process_file_read(known->name, index->file, problems, NULL);
    if (!newer)
        return;
    g_array_unref(index->chunks);
    index->chunks = g_array_ref(newer->data);
}

/* ---- opening ----------------------------------------------------------------------- */

/* The words of the raw tails, as a segment. */
static void encode_tails(Index *index, const DtCommitChoice *choice, DtSegment *segment)
{
    guint16 words[DT_TAIL_ALL_WORDS + 1];
    gsize count = dt_thread_tail_words(&index->thread, choice, index->trace->process->file->childless, words);
    g_autofree void *state = g_malloc0(dt_codec_encoder_bytes(segment->codec));
    dt_codec_encoder_init(segment->codec, state);
    index->tail = g_malloc(dt_codec_bound(segment->codec, count));
    segment->words = count;
    segment->bytes = dt_codec_encode(segment->codec, state, words, count, index->tail);
    segment->crc32 = dt_crc32(0, index->tail, segment->bytes);
}

static void find_segments(Index *index)
{
    const char *name = index->name;
    gboolean lost = index->trace->record->lost;
    DtCommitChoice choice = {NULL, FALSE, NULL};
    if (!lost)
        choice = dt_thread_choose_commit(&index->thread, index->trace->process->file->checked);
    DtSegmentSearch search = {.name = name, .extents = index->extents, .commit = choice.commit};
    search.checked = index->trace->process->file->checked;
    search.places = index->places;
    search.problems = index->problems;
    if (lost)
        dt_problem(index->problems, name, "its record is lost: only complete segments are read");
    else
        check_record(index, name, &choice);
    find_new_chunks(index, choice.commit);
    gather_kept(index, &search);
    index->first_start = search.first_start;
    dt_segments_find(&search);

    DtSegmentPlace tail = {.segment = {.codec = DT_CODEC_RAW}};
    encode_tails(index, &choice, &tail.segment);
    if (tail.segment.words == 0)
        return;
    tail.segment.first_word = search.commit->words;
    if (search.commit->words > search.next_word)
        tail.segment.lost_words = search.commit->words - search.next_word;
    if (index->places->len == 0)
        tail.segment.lost_words += search.dropped_words;
    g_array_append_val(index->places, tail);
}

static void sum_up_problems(Index *index)
{
    if (index->problems->len == 1)
        index->summary = g_strdup(g_ptr_array_index(index->problems, 0));
    else if (index->problems->len > 1)
        index->summary = g_strdup_printf("%s (and %u more)", (char *)g_ptr_array_index(index->problems, 0),
                                         index->problems->len - 1);
}

static gboolean read_record(Index *index)
{
    const DtThreadRecord *record = index->trace->record;
    if (!record->packed)
        return dt_thread_read_from(index->file, record->offset, index->trace->process->file->tail_capacity,
                                   &index->thread);
    gsize most = sizeof(struct dt_ended_thread) + sizeof(index->thread.tail[0]);
    g_autofree guint8 *data = g_malloc(most);
    gsize bytes = dt_file_read(index->file, record->offset, data, most);
    return dt_thread_unpack(data, bytes, &index->thread);
}

/* What lies before the mark was read and is taken for dropped. */
static void begin_at(Index *index, DtStreamMark from)
{
    if (from.bytes <= index->thread.kept_stream)
        return;
    index->thread.kept_stream = from.bytes;
    index->thread.kept_words = from.words;
}

static void clear_index(gpointer data)
{
    Index *index = data;
    dt_file_close(index->file);
    g_array_unref(index->chunks);
    g_ptr_array_unref(index->extents);
    g_array_unref(index->places);
    g_ptr_array_unref(index->problems);
    g_free(index->summary);
    g_free(index->tail);
    g_free(index->name);
}

static DtStream *new_stream(Index *index)
{
    DtStream *stream = g_new0(DtStream, 1);
    stream->index = index;
    return stream;
}

DtStream *dt_stream_open(const DtRun *run, const DtTrace *trace, GError **error)
{
    return dt_stream_open_from(run, trace, (DtStreamMark){0, 0}, error);
}

DtStream *dt_stream_open_from(const DtRun *run, const DtTrace *trace, DtStreamMark from, GError **error)
{
    const DtTraceEntry *entry = (const DtTraceEntry *)trace;
    g_autofree char *path = g_build_filename(run->folder, entry->process->file->name, NULL);
    g_autoptr(GError) cause = NULL;
    DtFile *file = dt_file_open_trace(path, &cause);
    if (!file) {
        dt_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_IO, "%s: %s: %s", run->path, entry->process->file->name,
                     cause->message);
        return NULL;
    }
    Index *index = g_atomic_rc_box_new0(Index);
    g_autoptr(DtStream) stream = new_stream(index);
    index->run = run;
    index->trace = entry;
    index->name = dt_text_printf("%s: trace %s", entry->process->file->name, trace->label);
    index->file = file;
    index->chunks = g_array_ref(entry->process->file->data);
    index->extents = g_ptr_array_new_with_free_func((GDestroyNotify)dt_extent_free);
    index->places = g_array_new(FALSE, FALSE, sizeof(DtSegmentPlace));
    index->problems = g_ptr_array_new_with_free_func(g_free);
    if (!entry->record->lost && !read_record(index)) {
        dt_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_DAMAGED, "%s: %s: trace %s is gone: the file has shrunk",
                     run->path, entry->process->file->name, trace->label);
        return NULL;
    }
    begin_at(index, from);
    find_segments(index);
    sum_up_problems(index);
    return g_steal_pointer(&stream);
}

static gboolean begins_before(const DtSegment *segment, guint64 position)
{
    return segment->knows_frames && segment->first_word <= position;
}

DtStreamMark dt_stream_mark(const DtStream *stream, guint64 position)
{
    const Index *index = stream->index;
    guint last = index->places->len;
    while (last > 0 && !begins_before(&g_array_index(index->places, DtSegmentPlace, last - 1).segment, position))
        last--;
    if (last == 0 || index->extents->len != 1)
        return (DtStreamMark){0, 0};
    const DtSegmentPlace *place = &g_array_index(index->places, DtSegmentPlace, last - 1);
    guint64 offset = place->frames_offset - sizeof(struct dt_segment_header);
    return (DtStreamMark){index->first_start + offset, place->segment.first_word};
}

DtStream *dt_stream_share(const DtStream *stream)
{
    return new_stream(g_atomic_rc_box_acquire(stream->index));
}

void dt_stream_free(DtStream *stream)
{
    if (!stream)
        return;
    g_atomic_rc_box_release_full(stream->index, clear_index);
    g_free(stream->code);
    g_free(stream->frames);
    g_free(stream);
}

/* ---- reading ------------------------------------------------------------------------ */

guint dt_stream_segment_count(const DtStream *stream)
{
    return stream->index->places->len;
}

/* As much of the code as is still there. */
static void read_code(DtStream *stream, const DtSegmentPlace *place)
{
    DtSegment *segment = &stream->current;
    if (segment->bytes > stream->code_capacity || !stream->code) {
        g_free(stream->code);
        stream->code_capacity = segment->bytes;
        stream->code = g_malloc(segment->bytes + 1);
    }
    gsize there = dt_extent_copy(place->extent, place->code_offset, stream->code, segment->bytes);
    segment->code = stream->code;
    if (there == segment->bytes)
        return;
    segment->gone = TRUE;
    segment->bytes = there;
    segment->pending = dt_nothing_pending;
}

const DtSegment *dt_stream_segment(DtStream *stream, guint index)
{
    const DtSegmentPlace *place = &g_array_index(stream->index->places, DtSegmentPlace, index);
    stream->current = place->segment;
    if (!place->extent) {
        stream->current.code = stream->index->tail;
        return &stream->current;
    }
    stream->frames = g_renew(guint32, stream->frames, place->segment.depth + (gsize)1);
    dt_extent_copy(place->extent, place->frames_offset, stream->frames, place->segment.depth * sizeof(guint32));
    stream->current.open_frames = stream->frames;
    read_code(stream, place);
    return &stream->current;
}

const DtSegment *dt_stream_segment_head(const DtStream *stream, guint index)
{
    return &g_array_index(stream->index->places, DtSegmentPlace, index).segment;
}

const char *dt_stream_name(const DtStream *stream)
{
    return stream->index->name;
}

const char *dt_stream_problem(const DtStream *stream)
{
    return stream->index->summary;
}

const guint32 *dt_stream_functions(const DtStream *stream, DtProjection projection, guint32 *count)
{
    const DtProcessEntry *process = stream->index->trace->process;
    *count = process->function_count;
    if (projection == DT_FILE_IDS)
        return process->file_ids;
    return projection == DT_NAMES_WITH_ARGUMENTS ? process->signatures : process->functions;
}

/* ---- what was decoded ------------------------------------------------------------------ */

/* The ids of the file are read at the end of a trace only, for what is open there. */
void dt_stream_tell_decoded(const DtStream *stream, guint64 words, DtProjection projection)
{
    const Index *index = stream->index;
    if (words > 0)
        dt_debug(DT_DEBUG_DECODE, "%s: trace %s: %s%" G_GUINT64_FORMAT " words", index->run->path,
                 index->trace->trace.label, projection == DT_FILE_IDS ? "the last " : "", words);
}
