/* What the events of a trace follow from, as a digest. */
#include "codec/codec.h"
#include "decoder/decoder.h"

static void add_number(GChecksum *sum, guint64 number)
{
    g_checksum_update(sum, (const guchar *)&number, sizeof number);
}

static void add_segment(GChecksum *sum, const DtSegment *segment)
{
    add_number(sum, segment->codec);
    add_number(sum, segment->words);
    add_number(sum, segment->bytes);
    g_checksum_update(sum, segment->code, (gssize)segment->bytes);
    add_number(sum, segment->pending != NULL);
    if (segment->pending)
        g_checksum_update(sum, segment->pending, DT_CODEC_PENDING_BYTES);
}

static void add_functions(GChecksum *sum, const DtStream *stream, DtProjection projection)
{
    guint32 count = 0;
    const guint32 *functions = dt_stream_functions(stream, projection, &count);
    add_number(sum, count);
    g_checksum_update(sum, (const guchar *)functions, (gssize)(count * sizeof *functions));
}

char *dt_trace_digest(const DtRun *run, const DtTrace *trace)
{
    g_autoptr(DtStream) stream = dt_stream_open(run, trace, NULL);
    if (!stream || dt_stream_problem(stream))
        return NULL;
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    for (guint i = 0; i < dt_stream_segment_count(stream); i++) {
        const DtSegment *segment = dt_stream_segment(stream, i);
        if (segment->lost_words > 0 || segment->cut || segment->gone)
            return NULL;
        add_segment(sum, segment);
    }
    add_number(sum, trace->fatal_words);
    add_functions(sum, stream, DT_NAMES_ALONE);
    g_autoptr(GChecksum) with_arguments = g_checksum_copy(sum);
    add_functions(with_arguments, stream, DT_NAMES_WITH_ARGUMENTS);
    return g_strconcat(g_checksum_get_string(sum), g_checksum_get_string(with_arguments), NULL);
}
