#include "import/go/goroutines.h"

#include <string.h>

#include "text/text.h"

/* ---- one goroutine -------------------------------------------------------------------------------------- */

static void free_goroutine(gpointer data)
{
    DtGoroutine *goroutine = data;
    g_array_unref(goroutine->events);
    g_free(goroutine);
}

static DtGoroutine *need(DtGoroutines *goroutines, guint64 id)
{
    DtGoroutine *goroutine = dt_goroutines_find(goroutines, id);
    if (goroutine)
        return goroutine;
    goroutine = g_new0(DtGoroutine, 1);
    goroutine->id = id;
    goroutine->entry = "";
    goroutine->events = g_array_new(FALSE, FALSE, sizeof(guint));
    g_ptr_array_add(goroutines->all, goroutine);
    g_hash_table_insert(goroutines->by_id, &goroutine->id, goroutine);
    return goroutine;
}

DtGoroutine *dt_goroutines_find(const DtGoroutines *goroutines, guint64 id)
{
    return g_hash_table_lookup(goroutines->by_id, &id);
}

/* ---- the library ------------------------------------------------------------------------------------------ */

/* Go's folder, by the file of a function that every program has. */
static char *find_library(const DtGoTrace *trace)
{
    GHashTableIter each;
    gpointer value;
    g_hash_table_iter_init(&each, trace->stacks);
    while (g_hash_table_iter_next(&each, NULL, &value)) {
        const DtGoStack *stack = value;
        for (guint i = 0; i < stack->count; i++) {
            const DtGoFrame *frame = &stack->frames[i];
            const char *folder =
                g_str_has_prefix(frame->function, "runtime.") ? g_strrstr(frame->file, "runtime/") : NULL;
            if (folder)
                return g_strndup(frame->file, (gsize)(folder - frame->file));
        }
    }
    return NULL;
}

gboolean dt_goroutines_is_library(const DtGoroutines *goroutines, const DtGoFrame *frame)
{
    const char *slash = strrchr(frame->file, '/');
    if (g_str_has_prefix(slash ? slash + 1 : frame->file, "zz_difftrace"))
        return TRUE;
    /* Of a program that was built without paths the library's files are "sync/mutex.go", others "module@v1/file.go". */
    if (!goroutines->library || *goroutines->library == 0)
        return g_str_has_prefix(frame->function, "runtime.") || g_str_has_prefix(frame->function, "sync.") ||
               g_str_has_prefix(frame->function, "testing.") || g_str_has_prefix(frame->function, "internal/");
    return g_str_has_prefix(frame->file, goroutines->library);
}

char *dt_go_frame_line(const DtGoFrame *frame)
{
    const char *slash = strrchr(frame->file, '/');
    g_autofree char *name = dt_text_spell(slash ? slash + 1 : frame->file);
    return g_strdup_printf("%s:%u", name, frame->line);
}

/* The runtime's helpers, the trace's own, and those that a library keeps for the whole program. */
static gboolean is_helper(const DtGoroutine *goroutine)
{
    static const char *const prefixes[] = {"runtime.", "runtime/trace.", "os/signal.", "internal/", "time.goFunc"};
    if (goroutine->id == 1)
        return FALSE;
    for (guint i = 0; i < G_N_ELEMENTS(prefixes); i++)
        if (g_str_has_prefix(goroutine->entry, prefixes[i]))
            return TRUE;
    return FALSE;
}

/* ---- what happens to goroutines --------------------------------------------------------------------------- */

static gboolean starts_a_trace(DtGoStack stack)
{
    for (guint i = 0; i < stack.count; i++)
        if (g_str_has_prefix(stack.frames[i].function, "runtime/trace.Start") ||
            g_str_equal(stack.frames[i].function, "runtime.StartTrace"))
            return TRUE;
    return FALSE;
}

static void create(DtGoroutines *goroutines, const DtGoEvent *event, guint index)
{
    DtGoroutine *made = need(goroutines, event->arguments[0]);
    DtGoStack entry = dt_go_stack(goroutines->trace, event->arguments[1]);
    DtGoStack stack = dt_go_stack(goroutines->trace, event->stack);
    if (entry.count > 0)
        made->entry = entry.frames[entry.count - 1].function;
    if (stack.count == 0 || starts_a_trace(stack))
        return;
    made->born = index + 1;
    made->creator = event->goroutine ? need(goroutines, event->goroutine) : NULL;
    made->site = stack.frames[0];
    if (made->creator == made)
        made->creator = NULL;
}

static void enter(DtGoroutine *goroutine, const DtGoEvent *event, DtGoState state)
{
    goroutine->state = state;
    goroutine->since = event->time;
    goroutine->last_type = event->type;
    if (state != DT_GO_IS_RUNNABLE && state != DT_GO_IS_RUNNING)
        goroutine->last_stack = event->stack;
}

static void change_state(DtGoroutine *goroutine, const DtGoEvent *event)
{
    switch (event->type) {
    case DT_GO_START:
    case DT_GO_START_LABEL:
        goroutine->started = TRUE;
        enter(goroutine, event, DT_GO_IS_RUNNING);
        break;
    case DT_GO_END:
        enter(goroutine, event, DT_GO_HAS_ENDED);
        break;
    case DT_GO_STOP:
        enter(goroutine, event, DT_GO_IS_STOPPED);
        break;
    case DT_GO_SLEEP:
        enter(goroutine, event, DT_GO_IS_ASLEEP);
        break;
    case DT_GO_BLOCK_NET:
        enter(goroutine, event, DT_GO_IS_IN_NETWORK);
        break;
    case DT_GO_BLOCK:
    case DT_GO_BLOCK_GC:
    case DT_GO_BLOCK_SEND:
    case DT_GO_BLOCK_RECEIVE:
    case DT_GO_BLOCK_SELECT:
    case DT_GO_BLOCK_SYNC:
    case DT_GO_BLOCK_COND:
    case DT_GO_WAITING:
        enter(goroutine, event, DT_GO_IS_BLOCKED);
        break;
    case DT_GO_SCHED:
        enter(goroutine, event, DT_GO_IS_RUNNABLE);
        goroutine->last_stack = event->stack;
        break;
    case DT_GO_PREEMPT:
    case DT_GO_SYSCALL_EXIT:
        enter(goroutine, event, DT_GO_IS_RUNNABLE);
        break;
    case DT_GO_SYSCALL:
    case DT_GO_IN_SYSCALL:
        enter(goroutine, event, event->type == DT_GO_SYSCALL ? DT_GO_IS_RUNNING : DT_GO_IS_IN_SYSCALL);
        goroutine->last_stack = event->stack;
        break;
    case DT_GO_SYSCALL_BLOCK:
        goroutine->state = DT_GO_IS_IN_SYSCALL;
        break;
    default:
        break;
    }
}

static void follow(DtGoroutines *goroutines, guint index)
{
    const DtGoEvent *event = &g_array_index(goroutines->trace->events, DtGoEvent, index);
    if (event->type == DT_GO_CREATE)
        create(goroutines, event, index);
    if (event->type == DT_GO_UNBLOCK) {
        DtGoroutine *woken = need(goroutines, event->arguments[0]);
        enter(woken, event, DT_GO_IS_RUNNABLE);
        g_array_append_val(woken->events, index);
    }
    if (event->goroutine == 0 || (event->type == DT_GO_UNBLOCK && event->arguments[0] == event->goroutine))
        return;
    DtGoroutine *own = need(goroutines, event->goroutine);
    DtGoStack stack = dt_go_stack(goroutines->trace, event->stack);
    if (*own->entry == '\0' && stack.count > 0)
        own->entry = stack.frames[stack.count - 1].function;
    change_state(own, event);
    g_array_append_val(own->events, index);
}

/* ---- numbers ------------------------------------------------------------------------------------------------ */

/* By when they were started. Ids tell that only of those that were there before: each processor has some in store. */
static gint compare_births(gconstpointer one, gconstpointer other)
{
    const DtGoroutine *a = *(DtGoroutine *const *)one, *b = *(DtGoroutine *const *)other;
    if (a->born != b->born)
        return a->born < b->born ? -1 : 1;
    return (a->id > b->id) - (a->id < b->id);
}

/* The first that a program has. */
static gboolean is_main(const DtGoroutine *goroutine)
{
    return goroutine->id == 1;
}

/* By what is the same in each run: main first; then by how far down, the creator's number, the site of `go`, and there
 * by time of creation. */
static gint compare_paths(gconstpointer one, gconstpointer other)
{
    const DtGoroutine *a = *(DtGoroutine *const *)one, *b = *(DtGoroutine *const *)other;
    if (is_main(a) != is_main(b))
        return is_main(a) ? -1 : 1;
    if (a->depth != b->depth)
        return a->depth < b->depth ? -1 : 1;
    guint above = a->creator ? a->creator->number : 0, other_above = b->creator ? b->creator->number : 0;
    if (above != other_above)
        return above < other_above ? -1 : 1;
    gint order = g_strcmp0(a->site.file, b->site.file);
    if (order == 0 && a->site.line != b->site.line)
        order = a->site.line < b->site.line ? -1 : 1;
    if (order == 0)
        order = strcmp(a->entry, b->entry);
    return order != 0 ? order : compare_births(one, other);
}

/* How far a goroutine is from those that have no creator; creators are older, so they come first. A forged trace may
 * have them otherwise. */
static void measure(DtGoroutine *goroutine)
{
    if (goroutine->creator && goroutine->creator->born >= goroutine->born)
        goroutine->creator = NULL;
    goroutine->depth = goroutine->creator ? goroutine->creator->depth + 1 : 0;
    goroutine->is_library = is_helper(goroutine);
}

static gint compare_depths(gconstpointer one, gconstpointer other)
{
    const DtGoroutine *a = *(DtGoroutine *const *)one, *b = *(DtGoroutine *const *)other;
    return a->depth != b->depth ? (a->depth < b->depth ? -1 : 1) : compare_births(one, other);
}

/* Level after level: the numbers of creators order the next. */
static void give_numbers(DtGoroutines *goroutines)
{
    GPtrArray *numbered = goroutines->numbered;
    g_ptr_array_sort(goroutines->all, compare_births);
    for (guint i = 0; i < goroutines->all->len; i++) {
        DtGoroutine *goroutine = g_ptr_array_index(goroutines->all, i);
        measure(goroutine);
        goroutine->number = G_MAXUINT;
        if (!goroutine->is_library)
            g_ptr_array_add(numbered, goroutine);
    }
    g_ptr_array_sort(numbered, compare_depths);
    for (guint start = 0, end; start < numbered->len; start = end) {
        guint depth = ((DtGoroutine *)numbered->pdata[start])->depth;
        for (end = start; end < numbered->len && ((DtGoroutine *)numbered->pdata[end])->depth == depth; end++)
            ;
        qsort(numbered->pdata + start, end - start, sizeof(gpointer), compare_paths);
        for (guint i = start; i < end; i++)
            ((DtGoroutine *)numbered->pdata[i])->number = i;
    }
}

/* ---- all ------------------------------------------------------------------------------------------------------ */

DtGoroutines *dt_goroutines_new(const DtGoTrace *trace)
{
    DtGoroutines *goroutines = g_new0(DtGoroutines, 1);
    goroutines->trace = trace;
    goroutines->all = g_ptr_array_new_with_free_func(free_goroutine);
    goroutines->numbered = g_ptr_array_new();
    goroutines->by_id = g_hash_table_new(g_int64_hash, g_int64_equal);
    goroutines->library = find_library(trace);
    for (guint i = 0; i < trace->events->len; i++)
        follow(goroutines, i);
    give_numbers(goroutines);
    return goroutines;
}

void dt_goroutines_free(DtGoroutines *goroutines)
{
    if (!goroutines)
        return;
    g_hash_table_unref(goroutines->by_id);
    g_ptr_array_unref(goroutines->numbered);
    g_ptr_array_unref(goroutines->all);
    g_free(goroutines->library);
    g_free(goroutines);
}
