/* Fuzzes the reader of notes: what it reads can be written again, and then is read the same. */
#include <string.h>

#include <glib.h>

#include "format/note.h"
#include "fuzz_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct dt_note note, again;
    guint8 body[DT_NOTE_BODY];
    g_autofree guint8 *exact = g_memdup2(data, size);
    if (size == 0 || size > DT_NOTE_BODY || !dt_note_decode(exact, size, &note))
        return 0;
    gsize bytes = dt_note_encode(&note, body);
    if (bytes == 0)
        return 0; /* varints longer than they need be may have been shorter than those written */
    if (!dt_note_decode(body, bytes, &again) || again.offset != note.offset || again.kind != note.kind ||
        again.count != note.count || memcmp(again.values, note.values, note.count * sizeof(*note.values)) != 0)
        g_error("a note that changed when it was written again");
    if (again.text_bytes > note.text_bytes || memcmp(again.text, note.text, again.text_bytes) != 0)
        g_error("a note whose text changed when it was written again");
    return 0;
}
