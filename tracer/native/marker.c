/* Markers that the program sets, through difftrace/marker.h. */
#include "native/stack/threads.h"
#include "record/notes.h"
#include "record/process.h"

__attribute__((visibility("default"))) void difftrace_marker(const char *text);

void difftrace_marker(const char *text)
{
    if (dt_guard || !dt_process.active || dt_process.off)
        return;
    dt_guard++;
    struct dt_thread_state *thread = dt_this_thread();
    if (thread)
        dt_note_text(thread, DT_NOTE_MARKER, NULL, 0, text);
    dt_guard--;
}
