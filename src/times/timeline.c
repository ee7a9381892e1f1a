#include "times/timeline.h"

#include "calls/calls.h"

typedef struct {
    const DtTimelineWants *wants;
    const DtMessages *messages;
    DtTimeline *timeline;
    gboolean *of_program; /* by function: it runs the program's own code */
} Drawing;

/* A part of the time spread over the columns that it lies in. */
static void add(const Drawing *drawing, gfloat *columns, gint64 from, gint64 to)
{
    const DtTimeline *timeline = drawing->timeline;
    const gdouble width = (gdouble)(timeline->end - timeline->begin) / timeline->columns;
    from = MAX(from, timeline->begin);
    to = MIN(to, timeline->end);
    if (from >= to)
        return;
    const gdouble begin = (gdouble)(from - timeline->begin), end = (gdouble)(to - timeline->begin);
    for (guint i = (guint)MIN(begin / width, timeline->columns - 1); i < timeline->columns && i * width < end; i++)
        columns[i] += (gfloat)MAX(0, MIN(end, (i + 1) * width) - MAX(begin, i * width));
}

/* A thread ends when its process was last seen, if it never left its last call. */
static gint64 end_of(const DtMessages *messages, const DtTimedRow *row)
{
    if (row->calls == 0 || dt_messages_call(messages, row->first_call + row->calls - 1)->end != DT_NO_TIME)
        return row->end;
    const DtTimedRank *rank = &g_array_index(messages->ranks, DtTimedRank, row->rank);
    const guint64 seen = MAX(rank->process->end_ns, rank->process->last_seen_ns);
    return seen > 0 ? MAX(row->end, (gint64)(seen + (guint64)rank->base)) : row->end;
}

gboolean dt_timeline_span(const DtMessages *messages, gint64 *begin, gint64 *end)
{
    *begin = G_MAXINT64;
    *end = G_MININT64;
    for (guint i = 0; i < messages->rows->len; i++) {
        const DtTimedRow *row = &g_array_index(messages->rows, DtTimedRow, i);
        if (row->begin == DT_NO_TIME || row->end == DT_NO_TIME)
            continue;
        *begin = MIN(*begin, row->begin);
        *end = MAX(*end, end_of(messages, row));
    }
    gint64 span;
    return *begin < *end && !__builtin_sub_overflow(*end, *begin, &span);
}

static void add_call(const Drawing *drawing, gsize place, guint number, gint64 from, gint64 until)
{
    const DtTimedCall *call = dt_messages_call(drawing->messages, number);
    if (call->end == DT_NO_TIME) {
        add(drawing, drawing->timeline->waiting + place, from, until);
        return;
    }
    const DtCallWait *wait = &g_array_index(drawing->wants->states->of_calls, DtCallWait, number);
    const gint64 ns = wait->kind != DT_WAIT_NONE ? CLAMP(wait->ns, 0, until - from) : 0;
    add(drawing, drawing->timeline->waiting + place, from, from + ns);
    add(drawing, drawing->timeline->in_calls + place, from + ns, until);
}

/* A call within another one is part of that. */
static void add_row(const Drawing *drawing, const DtTimedRow *row, guint group)
{
    const gint64 end = end_of(drawing->messages, row);
    const gsize place = (gsize)group * drawing->timeline->columns;
    gint64 covered = row->begin;
    add(drawing, drawing->timeline->present + place, row->begin, end);
    for (guint i = row->first_call; i < row->first_call + row->calls; i++) {
        const DtTimedCall *call = dt_messages_call(drawing->messages, i);
        if (call->begin == DT_NO_TIME || drawing->of_program[call->function])
            continue;
        const gint64 until = call->end != DT_NO_TIME ? call->end : end, from = MAX(call->begin, covered);
        if (until <= from)
            continue;
        add_call(drawing, place, i, from, until);
        covered = until;
    }
}

static gboolean *find_of_program(const DtFunctions *functions)
{
    const guint32 count = dt_functions_count(functions);
    gboolean *of_program = g_new0(gboolean, count + 1);
    for (guint32 id = 1; id <= count; id++) {
        const char *name = dt_functions_get(functions, id)->name;
        of_program[id] = dt_call_class(name) == DT_CALL_OPENMP && dt_call_properties(name) & DT_CALL_JOINING;
    }
    return of_program;
}

DtTimeline *dt_timeline_new(const DtTimelineWants *wants)
{
    const DtMessages *messages = wants->states->messages;
    const gsize cells = (gsize)wants->groups * wants->columns;
    DtTimeline *timeline = g_new0(DtTimeline, 1);
    *timeline = (DtTimeline){.groups = wants->groups,
                             .columns = wants->columns,
                             .begin = wants->begin,
                             .end = wants->end,
                             .present = g_new0(gfloat, cells),
                             .in_calls = g_new0(gfloat, cells),
                             .waiting = g_new0(gfloat, cells)};
    g_autofree gboolean *of_program = find_of_program(dt_run_functions(messages->run));
    const Drawing drawing = {wants, messages, timeline, of_program};
    for (guint i = 0; i < messages->rows->len; i++) {
        const DtTimedRow *row = &g_array_index(messages->rows, DtTimedRow, i);
        if (wants->group_of[i] != DT_NO_CALL && row->begin != DT_NO_TIME && row->end != DT_NO_TIME)
            add_row(&drawing, row, wants->group_of[i]);
    }
    return timeline;
}

void dt_timeline_free(DtTimeline *timeline)
{
    if (!timeline)
        return;
    g_free(timeline->present);
    g_free(timeline->in_calls);
    g_free(timeline->waiting);
    g_free(timeline);
}
