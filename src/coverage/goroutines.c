/* What an import noted of goroutines, DT_NOTE_EXERCISED. */
#include "coverage/coverage.h"

#include <string.h>

#include "format/trace_file.h"

static const struct {
    gint64 flag;
    const char *name;
} outcomes[] = {{DT_EXERCISED_BLOCKED, "blocked"},
                {DT_EXERCISED_WOKE, "woke another"},
                {DT_EXERCISED_PASSED, "neither"},
                {DT_EXERCISED_DONE, "done"}};

static void add_note(DtCoverage *coverage, const DtTrace *trace, const DtNote *note, const gint64 *values)
{
    const char *blank = strchr(note->text, ' ');
    if (!blank || note->count < 2)
        return;
    g_autofree char *place = g_strndup(note->text, (gsize)(blank - note->text));
    DtCoverageRow *row = dt_coverage_row(coverage, DT_COVERAGE_GOROUTINE, place, blank + 1, trace->label);
    for (guint i = 0; i < G_N_ELEMENTS(outcomes); i++) {
        if (values[1] & outcomes[i].flag)
            dt_coverage_see(coverage, row, outcomes[i].name);
        else if (values[0] & outcomes[i].flag)
            dt_coverage_require(row, outcomes[i].name);
    }
}

gboolean dt_coverage_add_goroutines(DtCoverage *coverage, const DtRun *run, GError **error)
{
    for (guint t = 0; t < dt_run_trace_count(run); t++) {
        const DtTrace *trace = dt_run_trace(run, t);
        g_autoptr(DtNotes) notes = dt_notes_open(run, trace, error);
        if (!notes)
            return FALSE;
        for (guint i = 0; i < dt_notes_count(notes); i++) {
            const DtNote *note = dt_notes_get(notes, i);
            if (note->kind == DT_NOTE_EXERCISED)
                add_note(coverage, trace, note, dt_notes_values(notes, note));
        }
    }
    return TRUE;
}
