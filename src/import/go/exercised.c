/*
 * Coverage requirements. Source: GOAT, S. Taheri and G. Gopalakrishnan; the cases of a select are not in a trace, so a
 * select counts as one operation.
 */
#include "import/go/exercised.h"

#include "import/go/objects.h"

enum {
    BLOCKED = DT_EXERCISED_BLOCKED,
    WOKE = DT_EXERCISED_WOKE,
    PASSED = DT_EXERCISED_PASSED,
    DONE = DT_EXERCISED_DONE
};

static const struct {
    const char *name;
    guint required;
} requirements[] = {
    {"chan send", BLOCKED | WOKE | PASSED},
    {"chan receive", BLOCKED | WOKE | PASSED},
    {"chan select", BLOCKED | WOKE | PASSED},
    {"Mutex.Lock", BLOCKED | PASSED},
    {"RWMutex.Lock", BLOCKED | PASSED},
    {"RWMutex.RLock", BLOCKED | PASSED},
    {"WaitGroup.Wait", BLOCKED | PASSED},
    {"Cond.Wait", BLOCKED | PASSED},
    {"Mutex.Unlock", WOKE | PASSED},
    {"RWMutex.Unlock", WOKE | PASSED},
    {"RWMutex.RUnlock", WOKE | PASSED},
    {"chan close", WOKE | PASSED},
    {"WaitGroup.Done", WOKE | PASSED},
    {"Cond.Signal", DONE},
    {"Cond.Broadcast", DONE},
};

typedef struct {
    gint64 required, seen, times;
} Place;

/* An operation that is under way. */
typedef struct {
    char *key; /* NULL: none that is asked for */
    guint required, seen;
    guint depth; /* of operations that were told and are not over; those within the outermost are its own business */
} Current;

typedef struct {
    const DtGoroutines *goroutines;
    gboolean is_told;
    GHashTable *places; /* "file:line operation" -> Place */
    GPtrArray *order;   /* their keys, borrowed */
    Current current;
} Walk;

static guint required_of(const Walk *walk, const char *name, gboolean never_blocks)
{
    for (guint i = 0; i < G_N_ELEMENTS(requirements); i++)
        if (g_str_equal(requirements[i].name, name))
            return requirements[i].required & ~(never_blocks ? (guint)BLOCKED : 0u) &
                   ~(walk->is_told ? 0u : (guint)PASSED);
    return 0;
}

static void add(Walk *walk, const char *key, guint required, guint seen)
{
    Place *place = g_hash_table_lookup(walk->places, key);
    if (!place) {
        char *own = g_strdup(key);
        place = g_new0(Place, 1);
        g_hash_table_insert(walk->places, own, place);
        g_ptr_array_add(walk->order, own);
    }
    place->required |= required;
    place->seen |= seen & required;
    place->times++;
}

/* NULL: not the program's own code, or nothing that is asked for. */
static char *key_of(const Walk *walk, const DtGoEvent *event, guint first, const char *name)
{
    DtGoStack stack = dt_go_stack(walk->goroutines->trace, event->stack);
    if (first >= stack.count || dt_goroutines_is_library(walk->goroutines, &stack.frames[first]))
        return NULL;
    g_autofree char *line = dt_go_frame_line(&stack.frames[first]);
    return g_strdup_printf("%s %s", line, name);
}

static void finish(Walk *walk)
{
    Current *current = &walk->current;
    if (current->key) {
        guint seen = current->seen ? current->seen : (guint)PASSED;
        add(walk, current->key, current->required, current->required == DONE ? (guint)DONE : seen);
    }
    g_clear_pointer(&current->key, g_free);
    current->seen = 0;
}

static void take_told(Walk *walk, const DtGoEvent *event, const DtGoTold *told)
{
    Current *current = &walk->current;
    if (told->is_made)
        return;
    if (told->is_over) {
        current->depth -= current->depth > 0 ? 1 : 0;
        if (current->depth == 0)
            finish(walk);
        return;
    }
    if (current->depth++ > 0)
        return;
    DtGoOperation operation = dt_go_operation(walk->goroutines, event);
    current->required = required_of(walk, told->name, told->never_blocks);
    current->key = current->required ? key_of(walk, event, operation.first, told->name) : NULL;
}

/* The goroutine waits, or has woken another one. */
static void take(Walk *walk, const DtGoEvent *event, guint seen)
{
    if (walk->current.depth > 0) {
        walk->current.seen |= walk->current.depth == 1 ? seen : 0;
        return;
    }
    DtGoOperation operation = dt_go_operation(walk->goroutines, event);
    guint required = operation.is_known ? required_of(walk, operation.name, FALSE) : 0;
    g_autofree char *key = required ? key_of(walk, event, operation.first, operation.name) : NULL;
    if (key)
        add(walk, key, required, required == DONE ? (guint)DONE : seen);
}

static void take_creation(Walk *walk, const DtGoEvent *event)
{
    const DtGoroutine *made = dt_goroutines_find(walk->goroutines, event->arguments[0]);
    if (!made || made->is_library || walk->current.depth > 0)
        return;
    g_autofree char *name = g_strdup_printf("go %s", *made->entry ? made->entry : "(unknown)");
    g_autofree char *key = key_of(walk, event, 0, name);
    if (key)
        add(walk, key, DONE, DONE);
}

static void take_event(Walk *walk, const DtGoroutine *own, const DtGoEvent *event)
{
    DtGoTold told;
    if (dt_go_objects_told(event, &told)) {
        take_told(walk, event, &told);
        return;
    }
    if (event->goroutine != own->id)
        return;
    const DtGoroutine *woken =
        event->type == DT_GO_UNBLOCK ? dt_goroutines_find(walk->goroutines, event->arguments[0]) : NULL;
    if (event->type == DT_GO_CREATE)
        take_creation(walk, event);
    else if (event->type == DT_GO_STOP || event->type == DT_GO_BLOCK ||
             (event->type >= DT_GO_BLOCK_SEND && event->type <= DT_GO_BLOCK_COND))
        take(walk, event, BLOCKED);
    else if (woken && woken != own && !woken->is_library)
        take(walk, event, WOKE);
}

void dt_go_exercised_note(const DtGoroutines *goroutines, const DtGoroutine *goroutine, gboolean is_told,
                          DtThreadWriter *thread)
{
    g_autoptr(GHashTable) places = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    g_autoptr(GPtrArray) order = g_ptr_array_new();
    Walk walk = {.goroutines = goroutines, .is_told = is_told, .places = places, .order = order};
    for (guint i = 0; i < goroutine->events->len; i++)
        take_event(&walk, goroutine,
                   &g_array_index(goroutines->trace->events, DtGoEvent, g_array_index(goroutine->events, guint, i)));
    /* One that is under way at the end has waited, or is not known to have done anything. */
    if (walk.current.seen > 0)
        finish(&walk);
    g_free(walk.current.key);
    for (guint i = 0; i < order->len; i++) {
        const Place *place = g_hash_table_lookup(places, order->pdata[i]);
        const gint64 values[] = {place->required, place->seen, place->times};
        dt_thread_writer_note(thread, DT_NOTE_EXERCISED, values, G_N_ELEMENTS(values), order->pdata[i]);
    }
}
