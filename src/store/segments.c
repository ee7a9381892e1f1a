/* Finding and checking the segments of a stream. Damage costs the segments that it hits, not those behind them. */
#include "store/segments.h"

#include <string.h>

#include "codec/codec.h"
#include "format/checks.h"
#include "store/problems.h"
#include "text/text.h"

/* One extent while it is searched. */
typedef struct {
    DtSegmentSearch *search;
    const DtExtent *extent;
    guint64 end;            /* of what was committed, as far as it is there */
    guint64 open_segment;   /* where the open segment's header is; G_MAXUINT64: not in this extent */
    gboolean cut;           /* the stream goes on behind `end`, but not in the file */
    guint64 bytes_to_spend; /* on checking whether what looks like a segment is one */
} Walk;

const guint8 dt_nothing_pending[DT_CODEC_PENDING_BYTES];

static gboolean header_at(const Walk *walk, guint64 offset, struct dt_segment_header *header)
{
    if (offset > walk->end || walk->end - offset < sizeof(*header))
        return FALSE;
    dt_extent_copy(walk->extent, offset, header, sizeof(*header));
    return header->magic == DT_SEGMENT_MAGIC;
}

static void G_GNUC_PRINTF(3, 4) report(const Walk *walk, guint64 offset, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *text = dt_text_vprintf(format, arguments);
    va_end(arguments);
    dt_problem(walk->search->problems, walk->search->name, "segment at offset %" G_GUINT64_FORMAT ": %s",
               dt_extent_file_offset(walk->extent, offset), text);
}

/* The checksum of a segment whose header and frames lie in the extent. */
static guint32 segment_crc(const Walk *walk, guint64 offset, const struct dt_segment_header *header, guint64 bytes,
                           gboolean complete)
{
    guint64 frames = offset + sizeof(*header), frames_bytes = header->depth * (guint64)sizeof(guint32);
    if (!walk->search->checked)
        return dt_extent_crc32(walk->extent, 0, frames + frames_bytes, bytes);
    guint32 crc = dt_extent_crc32(walk->extent, dt_segment_crc_begin(header), frames, frames_bytes + bytes);
    return complete ? dt_segment_crc_end(crc, header) : crc;
}

/* ---- one segment ---------------------------------------------------------------- */

static DtSegmentPlace *last_place(const Walk *walk)
{
    GArray *places = walk->search->places;
    return places->len > 0 ? &g_array_index(places, DtSegmentPlace, places->len - 1) : NULL;
}

/* No checksum can be asked about a segment whose end is missing. A whole one that starts at `first_word` knows better.
 */
static void correct_cut_segment(Walk *walk, guint64 first_word)
{
    DtSegmentSearch *search = walk->search;
    DtSegmentPlace *last = last_place(walk);
    if (!last || !last->segment.cut || search->next_word <= first_word)
        return;
    if (last->segment.first_word < first_word) {
        last->segment.words = first_word - last->segment.first_word;
        search->next_word = first_word;
    } else {
        g_array_set_size(search->places, search->places->len - 1);
        search->next_word = search->certain_word;
    }
}

static void add_place(Walk *walk, guint64 offset, const struct dt_segment_header *header, guint64 words, guint64 bytes,
                      const guint8 *pending)
{
    DtSegmentSearch *search = walk->search;
    DtSegmentPlace place = {.extent = walk->extent, .frames_offset = offset + sizeof(*header)};
    place.code_offset = place.frames_offset + header->depth * (guint64)sizeof(guint32);
    place.segment.codec = header->codec;
    place.segment.words = words;
    place.segment.bytes = (gsize)bytes;
    place.segment.crc32 = header->crc32;
    place.segment.pending = pending;
    place.segment.knows_frames = TRUE;
    place.segment.depth = header->depth;
    correct_cut_segment(walk, header->first_event);
    place.segment.first_word = search->next_word;
    if (header->first_event > search->next_word) {
        place.segment.lost_words = header->first_event - search->next_word;
        place.segment.first_word = header->first_event;
        report(walk, offset, "%" G_GUINT64_FORMAT " words before it are lost", place.segment.lost_words);
    } else if (header->first_event < search->next_word) {
        report(walk, offset, "it says that it starts at word %" G_GUINT64_FORMAT " instead of %" G_GUINT64_FORMAT,
               header->first_event, search->next_word);
    }
    if (search->places->len == 0)
        place.segment.lost_words += search->dropped_words;
    search->next_word = search->certain_word = place.segment.first_word + words;
    g_array_append_val(search->places, place);
}

/* The same of a segment whose end is missing: it proves nothing. */
static void add_cut_place(Walk *walk, guint64 offset, const struct dt_segment_header *header, guint64 words,
                          guint64 bytes)
{
    guint64 certain = walk->search->certain_word;
    add_place(walk, offset, header, words, bytes, dt_nothing_pending);
    walk->search->certain_word = certain;
    last_place(walk)->segment.cut = TRUE;
}

static gboolean codec_is_known(const Walk *walk, guint64 offset, guint32 codec)
{
    const char *dropped = dt_codec_dropped(codec);
    if (dt_codec_name(codec))
        return TRUE;
    if (dropped)
        report(walk, offset, "left out: %s", dropped);
    else
        report(walk, offset, "its codec %u is not known to this difftrace: left out", codec);
    return FALSE;
}

/* What claims more words than a writer makes is damaged, whatever its checksum says: see DT_SEGMENT_MOST_WORDS. */
static gboolean words_are_possible(const Walk *walk, guint64 offset, guint64 words)
{
    if (words <= DT_SEGMENT_MOST_WORDS)
        return TRUE;
    report(walk, offset, "it says that it holds %" G_GUINT64_FORMAT " words, and none has more than %d: left out",
           words, DT_SEGMENT_MOST_WORDS);
    return FALSE;
}

/* Bytes of header and frames, if they lie in the extent; else 0. */
static guint64 head_bytes(const Walk *walk, guint64 offset, const struct dt_segment_header *header)
{
    guint64 bytes = sizeof(*header) + header->depth * (guint64)sizeof(guint32);
    return bytes <= walk->end - offset ? bytes : 0;
}

/* The segment that was never finished: the commit record says what its header does not. */
static void take_open_segment(Walk *walk, guint64 offset)
{
    const struct dt_commit *commit = walk->search->commit;
    struct dt_segment_header header;
    guint64 head = header_at(walk, offset, &header) ? head_bytes(walk, offset, &header) : 0;
    if (head == 0) {
        report(walk, offset, "no segment header: its %" G_GUINT64_FORMAT " words are lost", commit->segment_words);
        return;
    }
    if (!codec_is_known(walk, offset, header.codec) || !words_are_possible(walk, offset, commit->segment_words))
        return;
    guint64 bytes = walk->end - offset - head;
    if (!walk->cut && segment_crc(walk, offset, &header, bytes, FALSE) != commit->crc32) {
        report(walk, offset, "wrong checksum: its %" G_GUINT64_FORMAT " words are left out", commit->segment_words);
        return;
    }
    if (walk->cut)
        report(walk, offset, "cut short: only its first %" G_GUINT64_FORMAT " bytes are there", bytes);
    header.crc32 = commit->crc32;
    if (walk->cut)
        add_cut_place(walk, offset, &header, commit->segment_words, bytes);
    else
        add_place(walk, offset, &header, commit->segment_words, bytes, commit->pending);
}

static gboolean is_whole_segment(Walk *walk, guint64 offset)
{
    struct dt_segment_header header;
    guint64 head = header_at(walk, offset, &header) ? head_bytes(walk, offset, &header) : 0;
    if (head == 0 || header.events == 0 || header.bytes > walk->end - offset - head ||
        header.first_event < walk->search->certain_word || header.bytes > walk->bytes_to_spend)
        return FALSE;
    walk->bytes_to_spend -= header.bytes;
    return segment_crc(walk, offset, &header, header.bytes, TRUE) == header.crc32;
}

/* The next place behind damage where a segment certainly starts, or the end. */
static guint64 find_next_segment(Walk *walk, guint64 offset)
{
    guint64 last = MIN(walk->open_segment, walk->end);
    while ((offset = dt_extent_find(walk->extent, offset, DT_SEGMENT_MAGIC)) < last) {
        if (is_whole_segment(walk, offset))
            return offset;
        offset++;
    }
    return last;
}

/* Takes a complete segment whose end is missing; the words at its start are good. With a segment behind it, it is not
   its end that is missing. */
static gboolean take_cut_segment(Walk *walk, guint64 offset, const struct dt_segment_header *header, guint64 head)
{
    const struct dt_commit *commit = walk->search->commit;
    gboolean possible = walk->cut && header->events > 0 && header->first_event <= commit->words &&
                        header->events <= commit->words - header->first_event &&
                        header->events <= DT_SEGMENT_MOST_WORDS;
    if (!possible || find_next_segment(walk, offset + 1) != walk->end || !codec_is_known(walk, offset, header->codec))
        return FALSE;
    guint64 bytes = walk->end - offset - head;
    report(walk, offset, "cut short: %" G_GUINT64_FORMAT " of its %" G_GUINT64_FORMAT " bytes are there", bytes,
           header->bytes);
    add_cut_place(walk, offset, header, header->events, bytes);
    return TRUE;
}

/* Takes or leaves out the complete segment at `offset`; where the next one
   starts, or G_MAXUINT64 if its header does not say. */
static guint64 take_segment(Walk *walk, guint64 offset)
{
    struct dt_segment_header header;
    guint64 head = header_at(walk, offset, &header) ? head_bytes(walk, offset, &header) : 0;
    if (head == 0) {
        report(walk, offset, "no segment header here");
        return G_MAXUINT64;
    }
    guint64 rest = walk->end - offset - head;
    if (header.bytes > rest) {
        if (take_cut_segment(walk, offset, &header, head))
            return walk->end;
        report(walk, offset, "its header is damaged: left out");
        return G_MAXUINT64;
    }
    guint64 next = offset + head + header.bytes;
    struct dt_segment_header following;
    if (segment_crc(walk, offset, &header, header.bytes, TRUE) != header.crc32) {
        report(walk, offset, "wrong checksum: left out");
        return next == walk->end || header_at(walk, next, &following) ? next : G_MAXUINT64;
    }
    if (header.events == 0)
        report(walk, offset, "it says that it holds nothing: left out");
    else if (codec_is_known(walk, offset, header.codec) && words_are_possible(walk, offset, header.events))
        add_place(walk, offset, &header, header.events, header.bytes, NULL);
    return next;
}

/* ---- one extent -------------------------------------------------------------------- */

static void walk_extent(Walk *walk, guint64 offset)
{
    while (offset < walk->end) {
        if (offset == walk->open_segment) {
            take_open_segment(walk, offset);
            return;
        }
        guint64 next = take_segment(walk, offset);
        if (next > walk->open_segment)
            next = G_MAXUINT64;
        offset = next == G_MAXUINT64 ? find_next_segment(walk, offset + 1) : next;
    }
}

/* ---- the stream ---------------------------------------------------------------------- */

static void check_words(const DtSegmentSearch *search)
{
    if (search->next_word < search->commit->words)
        dt_problem(search->problems, search->name,
                   "the last %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " committed words are lost",
                   search->commit->words - search->next_word, search->commit->words);
    else if (search->next_word > search->commit->words)
        dt_problem(search->problems, search->name,
                   "its segments hold %" G_GUINT64_FORMAT " words, its commit record %" G_GUINT64_FORMAT,
                   search->next_word, search->commit->words);
}

/* The thread's record is written in two steps; the first segment that was kept knows. */
static void find_what_was_dropped(const Walk *walk)
{
    DtSegmentSearch *search = walk->search;
    struct dt_segment_header header;
    if (search->kept_stream > 0 && header_at(walk, search->kept_stream - search->first_start, &header))
        search->next_word = search->certain_word = search->dropped_words = header.first_event;
}

void dt_segments_find(DtSegmentSearch *search)
{
    const struct dt_commit *commit = search->commit;
    search->next_word = search->certain_word = search->dropped_words;
    for (guint i = 0; i < search->extents->len; i++) {
        const DtExtent *extent = g_ptr_array_index(search->extents, i);
        Walk walk = {.search = search, .extent = extent, .open_segment = G_MAXUINT64};
        walk.bytes_to_spend = 4 * extent->bytes;
        walk.end = extent->bytes;
        if (i == 0 && search->first_is_whole && commit) {
            guint64 committed = commit->stream_bytes - MIN(search->first_start, commit->stream_bytes);
            walk.end = MIN(extent->bytes, committed);
            walk.cut = extent->bytes < committed;
            walk.open_segment = commit->segment_start - MIN(search->first_start, commit->segment_start);
            if (walk.cut)
                dt_problem(search->problems, search->name,
                           "the stream breaks off at offset %" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT
                           " bytes before its end",
                           dt_extent_file_offset(extent, extent->bytes), committed - extent->bytes);
            find_what_was_dropped(&walk);
            walk_extent(&walk, search->kept_stream - search->first_start);
        } else {
            walk_extent(&walk, find_next_segment(&walk, 0));
        }
    }
    if (!commit)
        return;
    if (search->extents->len == 0 && commit->stream_bytes > search->kept_stream)
        dt_problem(search->problems, search->name, "all %" G_GUINT64_FORMAT " bytes of its stream are missing",
                   commit->stream_bytes - search->kept_stream);
    check_words(search);
}
