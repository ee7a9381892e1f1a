/* Notes of a trace: gathered from the owner's chunks, in the order of their positions. */
#include "format/note.h"

#include <string.h>

#include "store/arguments/note_communicators.h"
#include "store/run_private.h"
#include "text/text.h"

struct DtNotes {
    GArray *notes;  /* DtNote; their values and texts lie in the next two */
    GArray *values; /* gint64 */
    GStringChunk *texts;
    char *problem;
    const GPtrArray *arrays;        /* of the process */
    const GPtrArray *communicators; /* the same, by number as far as there are any */
};

typedef struct {
    DtNotes *notes;
    const char *name; /* of the file */
    guint damaged;
    guint64 first_damaged; /* offset in the file */
} Gathering;

static void damage(Gathering *gathering, guint64 offset)
{
    if (gathering->damaged++ == 0)
        gathering->first_damaged = offset;
}

static void add_note(DtNotes *notes, guint64 position, const struct dt_note *read)
{
    DtNote note = {.position = position + read->offset, .kind = read->kind, .count = read->count, .text = ""};
    note.first_value = notes->values->len;
    g_array_append_vals(notes->values, read->values, read->count);
    if (read->text_bytes > 0) {
        g_autofree char *text = dt_text_spell_bytes((const char *)read->text, read->text_bytes);
        note.text = g_string_chunk_insert(notes->texts, text);
    }
    g_array_append_val(notes->notes, note);
}

/* A chunk that is cut short gives the notes that are whole. */
static void gather_chunk(Gathering *gathering, const guint8 *data, gsize bytes, gboolean cut, guint64 offset)
{
    struct dt_notes head;
    if (bytes < sizeof(head)) {
        damage(gathering, offset);
        return;
    }
    memcpy(&head, data, sizeof(head));
    for (gsize at = sizeof(head); at < bytes;) {
        gsize length = data[at] & ~(gsize)DT_NOTE_UNFINISHED;
        gboolean finished = !(data[at] & DT_NOTE_UNFINISHED);
        struct dt_note note;
        at++;
        if (length > bytes - at) {
            if (!cut || finished)
                damage(gathering, offset + at - 1);
            return;
        }
        if (length > 0 && finished && dt_note_decode(data + at, length, &note))
            add_note(gathering->notes, head.position, &note);
        else if (length > 0 && finished)
            damage(gathering, offset + at - 1);
        at += length;
    }
}

static void gather(Gathering *gathering, const DtTraceEntry *entry, const DtFile *file)
{
    const GArray *chunks = entry->process->file->notes;
    g_auto(DtWindow) window = {.file = file};
    guint32 expected = 0;
    for (guint i = 0; i < chunks->len; i++) {
        const DtDataChunk *chunk = &g_array_index(chunks, DtDataChunk, i);
        if (chunk->owner != entry->record->index)
            continue;
        guint64 there = chunk->offset < file->bytes ? file->bytes - chunk->offset : 0;
        gsize part = (gsize)MIN(chunk->bytes, there);
        gboolean replaced = entry->record->dropped_notes > 0;
        if (chunk->sequence != expected && !replaced)
            damage(gathering, chunk->offset);
        gather_chunk(gathering, dt_window_view(&window, chunk->offset, part), part, chunk->cut || part < chunk->bytes,
                     chunk->offset);
        if (chunk->cut)
            damage(gathering, chunk->offset + part);
        expected = chunk->sequence + 1;
    }
}

static gint compare_positions(gconstpointer first, gconstpointer second)
{
    const DtNote *one = first, *two = second;
    return (one->position > two->position) - (one->position < two->position);
}

DtNotes *dt_notes_open(const DtRun *run, const DtTrace *trace, GError **error)
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
    DtNotes *notes = g_new0(DtNotes, 1);
    notes->notes = g_array_new(FALSE, FALSE, sizeof(DtNote));
    notes->values = g_array_new(FALSE, FALSE, sizeof(gint64));
    notes->texts = g_string_chunk_new(256);
    notes->arrays = entry->process->arrays;
    notes->communicators = entry->process->communicators;
    Gathering gathering = {.notes = notes, .name = entry->process->file->name};
    gather(&gathering, entry, file);
    g_array_sort(notes->notes, compare_positions); /* stable */
    if (gathering.damaged > 0)
        notes->problem = dt_text_printf("%s: trace %s: notes are damaged in %u places, the first at offset "
                                        "%" G_GUINT64_FORMAT ": some are left out",
                                        gathering.name, trace->label, gathering.damaged, gathering.first_damaged);
    return notes;
}

void dt_notes_free(DtNotes *notes)
{
    if (!notes)
        return;
    g_array_unref(notes->notes);
    g_array_unref(notes->values);
    g_string_chunk_free(notes->texts);
    g_free(notes->problem);
    g_free(notes);
}

guint dt_notes_count(const DtNotes *notes)
{
    return notes->notes->len;
}

const DtNote *dt_notes_get(const DtNotes *notes, guint index)
{
    return &g_array_index(notes->notes, DtNote, index);
}

const gint64 *dt_notes_values(const DtNotes *notes, const DtNote *note)
{
    return &g_array_index(notes->values, gint64, note->first_value);
}

const GPtrArray *dt_notes_arrays(const DtNotes *notes)
{
    return notes->arrays;
}

const DtCommunicator *dt_notes_communicator(const DtNotes *notes, gint64 number)
{
    const GPtrArray *all = notes->communicators;
    for (gint64 i = all ? MIN(number, (gint64)all->len - 1) : -1; i >= 0; i--) {
        const DtCommunicator *communicator = all->pdata[i];
        if (communicator->number <= number)
            return communicator->number == number ? communicator : NULL;
    }
    return NULL;
}

const char *dt_notes_problem(const DtNotes *notes)
{
    return notes->problem;
}
