/* Times of a trace: rows of bytes of its committed words, and the stamps of those in the raw tails. */
#include "format/stamp_code.h"

#include <string.h>

#include "format/tail.h"
#include "format/varint.h"
#include "store/problems.h"
#include "store/run_private.h"
#include "store/thread_record.h"

struct DtStamps {
    GArray *stamps;     /* DtStamp */
    GArray *processors; /* DtProcessorTime */
    guint64 gaps;
    char *problem;
};

/* Times by the counter, before they are by the clock. */
typedef struct {
    const DtTraceEntry *entry;
    const DtFile *file;
    GArray *stamps;  /* DtStamp, whose ns are ticks */
    GArray *anchors; /* struct dt_time_anchor */
    guint64 gaps;
    guint damaged;
    guint64 first_damaged; /* offset in the file */
} Gathering;

static void damage(Gathering *gathering, guint64 offset)
{
    if (gathering->damaged++ == 0)
        gathering->first_damaged = offset;
}

static void add_stamp(Gathering *gathering, guint64 position, guint64 ticks, gboolean of_batch)
{
    DtStamp stamp = {position, ticks, of_batch};
    g_array_append_val(gathering->stamps, stamp);
}

static void add_anchor(Gathering *gathering, const struct dt_time_anchor *anchor)
{
    if (anchor->counter > 0 && anchor->monotonic_ns > 0)
        g_array_append_val(gathering->anchors, *anchor);
}

/* ---- rows --------------------------------------------------------------------- */

/* How far a row has been read. */
typedef struct {
    const guint8 *at, *end;
    guint64 position, ticks;
    gboolean of_batch; /* the time that comes is */
} Row;

static gboolean read_bytes(Row *row, void *value, gsize bytes)
{
    if (bytes > (gsize)(row->end - row->at))
        return FALSE;
    memcpy(value, row->at, bytes);
    row->at += bytes;
    return TRUE;
}

static gboolean read_time(Gathering *gathering, Row *row, guint8 code)
{
    guint64 passed = dt_time_ticks(code), words;
    if (code == DT_TIME_LONG && !read_bytes(row, &passed, sizeof(passed)))
        return FALSE;
    if (!dt_varint_get(&row->at, row->end, &words) || words > G_MAXINT64 - row->position ||
        passed > G_MAXINT64 - row->ticks)
        return FALSE;
    row->position += words;
    row->ticks += passed;
    add_stamp(gathering, row->position, row->ticks, row->of_batch);
    row->of_batch = FALSE;
    return TRUE;
}

static gboolean read_item(Gathering *gathering, Row *row)
{
    struct dt_time_anchor anchor;
    guint8 code = *row->at++;
    if (code >= DT_TIME_NONE_PASSED && code <= DT_TIME_LONG)
        return read_time(gathering, row, code);
    if (code == DT_TIME_BATCH) {
        row->of_batch = TRUE;
        return TRUE;
    }
    if (code == DT_TIME_LOST) {
        gathering->gaps++;
        return TRUE;
    }
    if (code != DT_TIME_ANCHOR || !read_bytes(row, &anchor, sizeof(anchor)))
        return FALSE;
    add_anchor(gathering, &anchor);
    return TRUE;
}

static void read_row(Gathering *gathering, const guint8 *data, gsize bytes, guint64 offset)
{
    struct dt_times head;
    if (bytes < sizeof(head)) {
        damage(gathering, offset);
        return;
    }
    memcpy(&head, data, sizeof(head));
    if (head.used > bytes - sizeof(head))
        damage(gathering, offset);
    const guint8 *first = data + sizeof(head);
    Row row = {first, first + MIN(head.used, bytes - sizeof(head)), head.position, head.counter, FALSE};
    if (head.position > G_MAXINT64 || head.counter > G_MAXINT64)
        row.at = row.end;
    while (row.at < row.end)
        if (!read_item(gathering, &row)) {
            damage(gathering, offset + (gsize)(row.at - data));
            return;
        }
}

static void read_rows(Gathering *gathering)
{
    const GArray *chunks = gathering->entry->process->file->times;
    g_auto(DtWindow) window = {.file = gathering->file};
    guint32 expected = 0;
    for (guint i = 0; i < chunks->len; i++) {
        const DtDataChunk *chunk = &g_array_index(chunks, DtDataChunk, i);
        if (chunk->owner != gathering->entry->record->index)
            continue;
        guint64 there = chunk->offset < gathering->file->bytes ? gathering->file->bytes - chunk->offset : 0;
        gsize part = (gsize)MIN(chunk->bytes, there);
        if (chunk->sequence != expected)
            gathering->gaps++;
        read_row(gathering, dt_window_view(&window, chunk->offset, part), part, chunk->offset);
        if (chunk->cut)
            damage(gathering, chunk->offset + part);
        expected = chunk->sequence + 1;
    }
}

enum { PLACES = DT_TAIL_WORDS + DT_TAIL_SLACK }; /* of a tail; the bit above tells which of the two a place is in */

/* ---- raw tails ---------------------------------------------------------------- */

/* The counter's upper bits are not in a stamp: it is not long after `since`. */
static guint64 ticks_after(guint64 stamp, guint64 since)
{
    const guint64 bits = G_MAXUINT64 >> DT_STAMP_PLACE_BITS, ticks = stamp >> DT_STAMP_PLACE_BITS;
    return since + ((ticks - since) & bits);
}

/* Of the first reading of the clocks. */
static guint64 first_counter(const Gathering *gathering)
{
    guint64 first = G_MAXUINT64;
    for (guint i = 0; i < gathering->anchors->len; i++)
        first = MIN(first, g_array_index(gathering->anchors, struct dt_time_anchor, i).counter);
    return gathering->anchors->len > 0 ? first : 0;
}

/* Stamps of one tail: those whose words are there, and one of a word that was about to be. */
static void read_tail(Gathering *gathering, const guint16 *words, const guint64 *stamps, guint32 bit, guint64 *position)
{
    guint from = 0;
    const guint64 since = first_counter(gathering);
    for (guint i = 0; i < PLACES; i++) {
        guint place = (guint)(stamps[i] & DT_STAMP_PLACE);
        if (stamps[i] == 0 || (place & PLACES) != bit || (place &= PLACES - 1) < from)
            continue;
        for (; from < place; from++)
            *position += dt_tail_count(words[from]);
        add_stamp(gathering, *position, ticks_after(stamps[i], since), FALSE);
    }
    for (; from < PLACES; from++)
        *position += dt_tail_count(words[from]);
}

static void read_stamps(Gathering *gathering, const struct dt_stamps *stamps, gboolean tails)
{
    const DtThreadRecord *record = gathering->entry->record;
    const DtProcessFile *process = gathering->entry->process->file;
    g_autofree struct dt_thread *thread = g_new0(struct dt_thread, 1);
    add_anchor(gathering, &stamps->begin);
    if (tails && !record->packed && !record->lost &&
        dt_thread_read_from(gathering->file, record->offset, process->tail_capacity, thread)) {
        DtCommitChoice choice = dt_thread_choose_commit(thread, process->checked);
        guint64 position = choice.commit ? choice.commit->words : 0;
        for (guint32 tail = 0; choice.commit && choice.has_tails && tail < 2; tail++) {
            guint32 which = (choice.commit->active_tail & 1) ^ tail;
            if (tail == 1 && thread->tail_serial[which] != choice.commit->tail_serial + 1)
                break;
            read_tail(gathering, thread->tail[which], stamps->stamps[which],
                      (stamps->place_of_first ^ (which ? PLACES : 0)) & PLACES, &position);
        }
    }
    add_anchor(gathering, &stamps->end);
}

static void read_chunk_of_stamps(Gathering *gathering, gboolean tails)
{
    const GArray *chunks = gathering->entry->process->file->stamps;
    g_autofree struct dt_stamps *stamps = g_new0(struct dt_stamps, 1);
    for (guint i = 0; i < chunks->len; i++) {
        const DtDataChunk *chunk = &g_array_index(chunks, DtDataChunk, i);
        if (chunk->owner != gathering->entry->record->index)
            continue;
        gsize got = dt_file_read(gathering->file, chunk->offset, (guint8 *)stamps, sizeof(*stamps));
        if (got < sizeof(*stamps))
            damage(gathering, chunk->offset);
        read_stamps(gathering, stamps, tails && got == sizeof(*stamps));
    }
}

/* ---- the clock ---------------------------------------------------------------- */

static gint compare_anchors(gconstpointer first, gconstpointer second)
{
    const struct dt_time_anchor *one = first, *two = second;
    return (one->counter > two->counter) - (one->counter < two->counter);
}

static gint compare_stamps(gconstpointer first, gconstpointer second)
{
    const DtStamp *one = first, *two = second;
    return (one->position > two->position) - (one->position < two->position);
}

static gdouble ns_a_tick(const struct dt_time_anchor *from, const struct dt_time_anchor *to)
{
    if (to->counter <= from->counter || to->monotonic_ns <= from->monotonic_ns)
        return 0;
    return (gdouble)(to->monotonic_ns - from->monotonic_ns) / (gdouble)(to->counter - from->counter);
}

static void gather_anchors(const DtProcessEntry *process, const DtFile *file, GArray *anchors)
{
    DtTraceEntry entry = {.process = (DtProcessEntry *)process};
    Gathering all = {.entry = &entry, .file = file, .anchors = anchors};
    all.stamps = g_array_new(FALSE, FALSE, sizeof(DtStamp));
    for (guint i = 0; i < process->file->threads->len; i++) {
        entry.record = &g_array_index(process->file->threads, DtThreadRecord, i);
        read_rows(&all);
        read_chunk_of_stamps(&all, FALSE);
        g_array_set_size(all.stamps, 0);
    }
    g_array_unref(all.stamps);
}

/* Of the process: anchors of all of its threads lie further apart; 0: there is one at most. */
static gdouble find_rate(const Gathering *gathering)
{
    g_autoptr(GArray) anchors = g_array_new(FALSE, FALSE, sizeof(struct dt_time_anchor));
    gather_anchors(gathering->entry->process, gathering->file, anchors);
    g_array_sort(anchors, compare_anchors);
    if (anchors->len < 2)
        return 0;
    return ns_a_tick(&g_array_index(anchors, struct dt_time_anchor, 0),
                     &g_array_index(anchors, struct dt_time_anchor, anchors->len - 1));
}

static guint64 on_line(const struct dt_time_anchor *anchor, guint64 ticks, gdouble rate)
{
    gdouble ns = (gdouble)(gint64)(ticks - anchor->counter) * rate;
    return ns < 0 && (guint64)-ns > anchor->monotonic_ns ? 0 : anchor->monotonic_ns + (guint64)(gint64)ns;
}

/* Between two readings of the clocks on a straight line, behind the last by the rate of all. */
static void convert(GArray *stamps, const GArray *anchors, gdouble rate)
{
    guint next = 0;
    guint64 latest = 0;
    for (guint i = 0; i < stamps->len; i++) {
        DtStamp *stamp = &g_array_index(stamps, DtStamp, i);
        while (next < anchors->len && g_array_index(anchors, struct dt_time_anchor, next).counter <= stamp->ns)
            next++;
        const struct dt_time_anchor *before = &g_array_index(anchors, struct dt_time_anchor, next > 0 ? next - 1 : 0);
        gdouble here = next > 0 && next < anchors->len ? ns_a_tick(before, before + 1) : 0;
        latest = MAX(latest, on_line(before, stamp->ns, here > 0 ? here : rate));
        stamp->ns = latest;
    }
}

static void set_processors(DtStamps *stamps, const GArray *anchors)
{
    for (guint i = 0; i < anchors->len; i++) {
        const struct dt_time_anchor *anchor = &g_array_index(anchors, struct dt_time_anchor, i);
        DtProcessorTime time = {anchor->monotonic_ns, anchor->processor_ns};
        if (anchor->processor_ns > 0)
            g_array_append_val(stamps->processors, time);
    }
}

static void set_times(DtStamps *stamps, Gathering *gathering, const char *label)
{
    gdouble rate = 0;
    g_array_sort(gathering->anchors, compare_anchors);
    g_array_sort(gathering->stamps, compare_stamps); /* stable */
    if (gathering->anchors->len > 0)
        rate = ns_a_tick(&g_array_index(gathering->anchors, struct dt_time_anchor, 0),
                         &g_array_index(gathering->anchors, struct dt_time_anchor, gathering->anchors->len - 1));
    if (rate <= 0 && gathering->stamps->len > 0)
        rate = find_rate(gathering);
    set_processors(stamps, gathering->anchors);
    if (rate > 0 && gathering->anchors->len > 0) {
        convert(gathering->stamps, gathering->anchors, rate);
        stamps->stamps = g_array_ref(gathering->stamps);
    } else if (gathering->stamps->len > 0 && !stamps->problem)
        stamps->problem = g_strdup_printf("%s: trace %s: its clock was read once only: its times are not known",
                                          gathering->entry->process->file->name, label);
}

/* ---- opening ------------------------------------------------------------------ */

DtStamps *dt_stamps_open(const DtRun *run, const DtTrace *trace, GError **error)
{
    const DtTraceEntry *entry = (const DtTraceEntry *)trace;
    g_autofree char *path = g_build_filename(run->folder, entry->process->file->name, NULL);
    g_autoptr(GError) cause = NULL;
    g_autoptr(DtFile) file = dt_file_open_trace(path, &cause);
    if (!file) {
        dt_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_IO, "%s: %s: %s", run->path, entry->process->file->name,
                     cause->message);
        return NULL;
    }
    DtStamps *stamps = g_new0(DtStamps, 1);
    stamps->processors = g_array_new(FALSE, FALSE, sizeof(DtProcessorTime));
    Gathering gathering = {.entry = entry, .file = file};
    gathering.stamps = g_array_new(FALSE, FALSE, sizeof(DtStamp));
    gathering.anchors = g_array_new(FALSE, FALSE, sizeof(struct dt_time_anchor));
    read_rows(&gathering);
    read_chunk_of_stamps(&gathering, TRUE);
    stamps->gaps = gathering.gaps;
    if (gathering.damaged > 0)
        stamps->problem =
            g_strdup_printf("%s: trace %s: times are damaged in %u places, the first at offset "
                            "%" G_GUINT64_FORMAT ": some are left out",
                            entry->process->file->name, trace->label, gathering.damaged, gathering.first_damaged);
    set_times(stamps, &gathering, trace->label);
    if (!stamps->stamps)
        stamps->stamps = g_array_new(FALSE, FALSE, sizeof(DtStamp));
    g_array_unref(gathering.stamps);
    g_array_unref(gathering.anchors);
    return stamps;
}

void dt_stamps_free(DtStamps *stamps)
{
    if (!stamps)
        return;
    g_array_unref(stamps->stamps);
    g_array_unref(stamps->processors);
    g_free(stamps->problem);
    g_free(stamps);
}

const DtStamp *dt_stamps_get(const DtStamps *stamps, gsize *count)
{
    *count = stamps->stamps->len;
    return (const DtStamp *)(const void *)stamps->stamps->data;
}

const DtProcessorTime *dt_stamps_processor_times(const DtStamps *stamps, gsize *count)
{
    *count = stamps->processors->len;
    return (const DtProcessorTime *)(const void *)stamps->processors->data;
}

guint64 dt_stamps_gaps(const DtStamps *stamps)
{
    return stamps->gaps;
}

const char *dt_stamps_problem(const DtStamps *stamps)
{
    return stamps->problem;
}

static gboolean has_chunk(const GArray *chunks, guint32 owner)
{
    for (guint i = 0; i < chunks->len; i++)
        if (g_array_index(chunks, DtDataChunk, i).owner == owner)
            return TRUE;
    return FALSE;
}

gboolean dt_trace_has_times(const DtTrace *trace)
{
    const DtTraceEntry *entry = (const DtTraceEntry *)trace;
    const DtProcessFile *file = entry->process->file;
    return has_chunk(file->times, entry->record->index) || has_chunk(file->stamps, entry->record->index);
}

gboolean dt_run_has_times(const DtRun *run)
{
    for (guint i = 0; i < run->traces->len; i++)
        if (!dt_trace_has_times(g_ptr_array_index(run->traces, i)))
            return FALSE;
    return run->traces->len > 0;
}
