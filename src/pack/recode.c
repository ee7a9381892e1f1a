/* Recoding, segment by segment. Segments stay what they are: each can still be decoded without those before. */
#include "pack/recode.h"

#include <string.h>

#include "codec/codec.h"
#include "format/checks.h"
#include "store/thread_record.h"

enum { BATCH = 1 << 16 };

typedef struct {
    GByteArray *stream;
    GByteArray *words; /* of a segment */
    void *decoder, *encoder, *checker;
    guint32 decoder_codec;
} Work;

/* ---- a segment -------------------------------------------------------------------------------- */

/* FALSE if they are not as many as they should be. */
static gboolean decode(Work *work, const DtSegment *segment)
{
    guint16 batch[4096];
    guint64 total = 0;
    gsize count;
    if (work->decoder_codec != segment->codec) {
        g_free(work->decoder);
        work->decoder = g_malloc0(dt_codec_decoder_bytes(segment->codec));
        work->decoder_codec = segment->codec;
    }
    g_byte_array_set_size(work->words, 0);
    dt_codec_decoder_init(segment->codec, work->decoder, segment->code, segment->bytes, segment->words,
                          segment->pending);
    while ((count = dt_codec_decode(segment->codec, work->decoder, batch, G_N_ELEMENTS(batch))) > 0) {
        total += count;
        if (total > segment->words || total > DT_SEGMENT_MOST_WORDS)
            return FALSE;
        g_byte_array_append(work->words, (const guint8 *)batch, (guint)(count * sizeof(batch[0])));
    }
    return total == segment->words && dt_codec_at_end(segment->codec, work->decoder);
}

static void encode(Work *work)
{
    gsize words = work->words->len / sizeof(guint16);
    const guint16 *from = (const guint16 *)(const void *)work->words->data;
    g_autofree guint8 *code = g_malloc(dt_codec_bound(DT_CODEC_TZ, BATCH) + dt_codec_bound(DT_CODEC_TZ, 0));
    dt_codec_encoder_init(DT_CODEC_TZ, work->encoder);
    for (gsize done = 0; done < words; done += BATCH) {
        gsize bytes = dt_codec_encode(DT_CODEC_TZ, work->encoder, from + done, MIN(BATCH, words - done), code);
        g_byte_array_append(work->stream, code, (guint)bytes);
    }
    gsize bytes = dt_codec_finish(DT_CODEC_TZ, work->encoder, code);
    g_byte_array_append(work->stream, code, (guint)bytes);
}

/* Whether the code gives the words again. */
static gboolean holds(Work *work, const guint8 *code, gsize bytes)
{
    guint16 batch[4096];
    gsize words = work->words->len / sizeof(guint16), done = 0, count;
    dt_codec_decoder_init(DT_CODEC_TZ, work->checker, code, bytes, words, NULL);
    while ((count = dt_codec_decode(DT_CODEC_TZ, work->checker, batch, G_N_ELEMENTS(batch))) > 0) {
        if (count > words - done ||
            memcmp(batch, work->words->data + done * sizeof(batch[0]), count * sizeof(batch[0])) != 0)
            return FALSE;
        done += count;
    }
    return done == words && dt_codec_at_end(DT_CODEC_TZ, work->checker);
}

static gboolean add_segment(Work *work, const DtSegment *segment)
{
    if (!segment->knows_frames || !decode(work, segment))
        return FALSE;
    struct dt_segment_header header = {.magic = DT_SEGMENT_MAGIC,
                                       .codec = DT_CODEC_TZ,
                                       .first_event = segment->first_word,
                                       .events = segment->words,
                                       .depth = segment->depth};
    guint at = work->stream->len;
    g_byte_array_append(work->stream, (const guint8 *)&header, sizeof(header));
    g_byte_array_append(work->stream, (const guint8 *)segment->open_frames, segment->depth * (guint)sizeof(guint32));
    guint code = work->stream->len;
    encode(work);
    header.bytes = work->stream->len - code;
    if (!holds(work, work->stream->data + code, header.bytes))
        return FALSE;
    guint32 crc = dt_crc32(dt_segment_crc_begin(&header), work->stream->data + at + sizeof(header),
                           work->stream->len - at - sizeof(header));
    header.crc32 = dt_segment_crc_end(crc, &header);
    memcpy(work->stream->data + at, &header, sizeof(header));
    return TRUE;
}

/* ---- a thread ----------------------------------------------------------------------------------- */

/* Words that a record and its stream tell of, all of them there, from the first on. */
static gboolean is_whole(const DtTraceEntry *trace, DtStream *stream, const struct dt_commit *commit)
{
    guint64 next = 0;
    if (trace->record->lost || dt_stream_problem(stream))
        return FALSE;
    for (guint i = 0; i < dt_stream_segment_count(stream); i++) {
        const DtSegment *segment = dt_stream_segment_head(stream, i);
        if (segment->lost_words > 0 || segment->cut || segment->first_word != next)
            return FALSE;
        if (next < commit->words)
            next += segment->words;
    }
    return next == commit->words;
}

static gboolean add_stream(Work *work, DtStream *stream, const struct dt_commit *commit)
{
    for (guint i = 0; i < dt_stream_segment_count(stream); i++) {
        if (dt_stream_segment_head(stream, i)->first_word >= commit->words)
            break; /* the tails' */
        if (!add_segment(work, dt_stream_segment(stream, i)))
            return FALSE;
    }
    return TRUE;
}

static gboolean read_record(const DtTraceEntry *trace, const DtFile *file, struct dt_thread *thread)
{
    const DtThreadRecord *record = trace->record;
    if (!record->packed)
        return dt_thread_read_from(file, record->offset, trace->process->file->tail_capacity, thread);
    struct dt_ended_thread ended;
    memset(thread, 0, sizeof(*thread));
    if (dt_file_read(file, record->offset, &ended, sizeof(ended)) < sizeof(ended))
        return FALSE;
    memcpy(thread, ended.head, sizeof(ended.head));
    return TRUE;
}

/* Room that the chunks have in which its code lies now; 0: they do not follow each other. */
static guint64 count_room(const DtProcessFile *file, guint32 owner)
{
    guint64 room = 0;
    guint32 expected = 0;
    for (guint i = 0; i < file->data->len; i++) {
        const DtDataChunk *chunk = &g_array_index(file->data, DtDataChunk, i);
        if (chunk->owner != owner)
            continue;
        if (chunk->sequence != expected++ || chunk->cut)
            return 0;
        room += chunk->whole;
    }
    return room;
}

static struct dt_commit new_commit(const struct dt_commit *old, guint64 bytes)
{
    struct dt_commit commit = {.words = old->words,
                               .stream_bytes = bytes,
                               .segment_start = bytes,
                               .active_tail = old->active_tail,
                               .tail_serial = old->tail_serial};
    commit.check = dt_commit_check(&commit);
    return commit;
}

static guint64 commits_at(const DtThreadRecord *record)
{
    return record->offset + (record->packed ? G_STRUCT_OFFSET(struct dt_ended_thread, head) : 0) +
           G_STRUCT_OFFSET(struct dt_thread, commit);
}

/* NULL: it stays as it is. */
static DtRecoded *recode_thread(const DtRun *run, const DtTraceEntry *trace, const DtFile *file, Work *work)
{
    struct dt_thread thread;
    g_autoptr(DtStream) stream = dt_stream_open(run, &trace->trace, NULL);
    if (!stream || trace->record->lost || !read_record(trace, file, &thread))
        return NULL;
    DtCommitChoice choice = dt_thread_choose_commit(&thread, TRUE);
    if (!choice.commit || choice.problem || thread.kept_stream > 0 || !is_whole(trace, stream, choice.commit))
        return NULL;
    work->stream = g_byte_array_new();
    if (!add_stream(work, stream, choice.commit) ||
        work->stream->len > count_room(trace->process->file, trace->record->index)) {
        g_byte_array_unref(work->stream);
        return NULL;
    }
    DtRecoded *recoded = g_new0(DtRecoded, 1);
    recoded->owner = trace->record->index;
    recoded->stream = work->stream;
    recoded->commits_at = commits_at(trace->record);
    recoded->commit = new_commit(choice.commit, work->stream->len);
    return recoded;
}

static void free_recoded(gpointer data)
{
    DtRecoded *recoded = data;
    g_byte_array_unref(recoded->stream);
    g_free(recoded);
}

GPtrArray *dt_recode_process(const DtRun *run, const DtProcessEntry *process, guint *kept)
{
    GPtrArray *all = g_ptr_array_new_with_free_func(free_recoded);
    g_autofree char *path = g_build_filename(run->path, process->file->name, NULL);
    g_autoptr(DtFile) file = dt_file_open_trace(path, NULL);
    Work work = {.words = g_byte_array_new()};
    work.encoder = g_malloc0(dt_codec_encoder_bytes(DT_CODEC_TZ));
    work.checker = g_malloc0(dt_codec_decoder_bytes(DT_CODEC_TZ));
    gboolean may = file && process->file->checked && process->file->header.when_full != DT_FULL_KEEP_LAST;
    for (guint i = 0; i < run->traces->len; i++) {
        const DtTraceEntry *trace = run->traces->pdata[i];
        if (trace->process != process || count_room(process->file, trace->record->index) == 0)
            continue;
        DtRecoded *recoded = may ? recode_thread(run, trace, file, &work) : NULL;
        if (recoded)
            g_ptr_array_add(all, recoded);
        else
            *kept += 1;
    }
    g_free(work.decoder);
    g_free(work.encoder);
    g_free(work.checker);
    g_byte_array_unref(work.words);
    return all;
}
