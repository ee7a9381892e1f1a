/* Calls by stack, for flame graphs: frames separated by ';', then how often it was called so, or the time in it; of two
 * runs both. */
#include "export/writer.h"
#include "text/text.h"

/* What is called deeper counts as one frame: a runaway recursion would make a text that grows with its square. */
enum { DEEPEST = 256, DEEPER = 0, NS_A_MICROSECOND = 1000, RUNS = 2 };

/* A stack: its innermost function, and the stack that it was called from. */
typedef struct {
    guint32 function;
    guint parent;
    guint64 calls[RUNS];
    guint64 ns[RUNS]; /* in the stack and nothing deeper */
} Stack;

typedef struct {
    GArray *stacks;      /* (element-type Stack); 0: nothing is open */
    GHashTable *numbers; /* parent and function -> number */
    GArray *open;        /* numbers of the stacks that are open (element-type guint) */
    gint64 ns;           /* of the event before */
    guint run;           /* which of the two */
} StackCounts;

static guint stack_of(StackCounts *counts, guint parent, guint32 function)
{
    gint64 key = (gint64)((guint64)parent << 32 | function);
    gpointer known = g_hash_table_lookup(counts->numbers, &key);
    if (known)
        return GPOINTER_TO_UINT(known);
    Stack stack = {.function = function, .parent = parent};
    g_array_append_val(counts->stacks, stack);
    guint number = counts->stacks->len - 1;
    g_hash_table_insert(counts->numbers, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(number));
    return number;
}

/* What has passed was spent in the innermost open stack. */
static void spend(StackCounts *counts, gint64 ns)
{
    if (counts->open->len > 0 && ns > counts->ns)
        g_array_index(counts->stacks, Stack, g_array_index(counts->open, guint, counts->open->len - 1))
            .ns[counts->run] += (guint64)(ns - counts->ns);
    counts->ns = ns;
}

static gboolean count_call(const DtExportEvent *event, gpointer user_data)
{
    StackCounts *counts = user_data;
    spend(counts, event->own_ns);
    if (!event->entry) {
        g_array_set_size(counts->open, event->depth - 1);
        return TRUE;
    }
    guint parent = counts->open->len > 0 ? g_array_index(counts->open, guint, counts->open->len - 1) : 0;
    guint number = event->depth > DEEPEST + 1
                       ? parent
                       : stack_of(counts, parent, event->depth > DEEPEST ? (guint32)DEEPER : event->function);
    g_array_index(counts->stacks, Stack, number).calls[counts->run]++;
    g_array_append_val(counts->open, number);
    return TRUE;
}

/* A name's own semicolons would end the frame. */
static void append_frame(GString *out, const DtRun *run, guint32 function)
{
    g_autofree char *name = dt_text_frame(function != DEEPER ? dt_export_name(run, function) : "(deeper)");
    g_string_append(out, name);
}

static void append_stack(GString *out, const StackCounts *counts, const DtRun *run, guint number)
{
    g_autoptr(GArray) path = g_array_new(FALSE, FALSE, sizeof(guint32));
    for (guint at = number; at != 0; at = g_array_index(counts->stacks, Stack, at).parent)
        g_array_append_val(path, g_array_index(counts->stacks, Stack, at).function);
    for (guint i = path->len; i > 0; i--) {
        append_frame(out, run, g_array_index(path, guint32, i - 1));
        if (i > 1)
            g_string_append_c(out, ';');
    }
}

/* All traces of a run into its column. */
static gboolean count_run(const DtExportWriter *writer, StackCounts *counts, GError **error)
{
    const GPtrArray *traces = writer->wants->traces;
    for (guint i = 0; i < traces->len; i++) {
        DtExportEnd last;
        g_array_set_size(counts->open, 0);
        counts->ns = 0;
        if (!dt_export_walk(writer, traces->pdata[i], count_call, counts, &last, error))
            return FALSE;
        spend(counts, last.own_ns);
    }
    return TRUE;
}

static void append_counts(DtExportWriter *writer, const StackCounts *counts, guint number, gboolean by_time)
{
    const Stack *stack = &g_array_index(counts->stacks, Stack, number);
    guint64 values[RUNS];
    for (guint i = 0; i < RUNS; i++)
        values[i] = by_time ? (stack->ns[i] + NS_A_MICROSECOND / 2) / NS_A_MICROSECOND : stack->calls[i];
    if (by_time && values[0] == 0 && values[1] == 0)
        return;
    append_stack(writer->text, counts, writer->wants->run, number);
    for (guint i = 0; i < (writer->other ? 2u : 1u); i++)
        g_string_append_printf(writer->text, " %" G_GUINT64_FORMAT, values[i]);
    g_string_append_c(writer->text, '\n');
}

gboolean dt_export_stack_counts(DtExportWriter *writer, GError **error)
{
    const DtExportFormat format = writer->wants->format;
    const gboolean by_time = format == DT_EXPORT_STACK_TIMES || format == DT_EXPORT_DIFFERENT_TIMES;
    g_autoptr(GArray) stacks = g_array_new(FALSE, TRUE, sizeof(Stack)), open = g_array_new(FALSE, FALSE, sizeof(guint));
    g_autoptr(GHashTable) numbers = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    StackCounts counts = {.stacks = stacks, .numbers = numbers, .open = open};
    g_array_set_size(stacks, 1);
    if (!count_run(writer, &counts, error))
        return FALSE;
    counts.run = 1;
    if (writer->other && !count_run(writer->other, &counts, error))
        return FALSE;
    for (guint number = 1; number < stacks->len && dt_export_flush(writer, FALSE); number++)
        append_counts(writer, &counts, number, by_time);
    return TRUE;
}
