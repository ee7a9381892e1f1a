#include "import/go/wakers.h"

#include "format/arguments.h"
#include "import/go/objects.h"

/* ---- sets of goroutines -------------------------------------------------------------------------------- */

enum { MOST_WAKERS = 60 }; /* a note has room for 64 values */

static void add_once(GArray *numbers, guint number)
{
    for (guint i = 0; i < numbers->len; i++)
        if (g_array_index(numbers, guint, i) == number)
            return;
    if (numbers->len < MOST_WAKERS)
        g_array_append_val(numbers, number);
}

static void unref_array(gpointer array)
{
    g_array_unref(array);
}

/* ---- by site -------------------------------------------------------------------------------------------- */

/* What it waits in, and where; NULL: that is not known. */
static char *site_of(const DtGoroutines *goroutines, guint type, guint64 stack_id)
{
    const DtGoEvent event = {.type = type, .stack = stack_id};
    DtGoOperation operation = dt_go_operation(goroutines, &event);
    DtGoStack stack = dt_go_stack(goroutines->trace, stack_id);
    if (!operation.name || operation.first >= stack.count)
        return NULL;
    const DtGoFrame *frame = &stack.frames[operation.first];
    return g_strdup_printf("%s %s:%u", operation.name, frame->file, frame->line);
}

static void learn_wakeup(DtGoWakers *wakers, const DtGoroutine *waker, guint type, guint64 stack)
{
    g_autofree char *site = site_of(wakers->goroutines, type, stack);
    if (!site || !waker || waker->is_library)
        return;
    GArray *numbers = g_hash_table_lookup(wakers->by_site, site);
    if (!numbers) {
        numbers = g_array_new(FALSE, FALSE, sizeof(guint));
        g_hash_table_insert(wakers->by_site, g_steal_pointer(&site), numbers);
    }
    add_once(numbers, waker->number);
}

static gboolean is_wait(guint type)
{
    return type == DT_GO_BLOCK || (type >= DT_GO_BLOCK_SEND && type <= DT_GO_BLOCK_COND);
}

/* The waits of a goroutine that others have ended. */
static void learn_waits(DtGoWakers *wakers, const DtGoroutine *goroutine)
{
    const GArray *events = wakers->goroutines->trace->events;
    const DtGoEvent *wait = NULL;
    for (guint i = 0; i < goroutine->events->len; i++) {
        const DtGoEvent *event = &g_array_index(events, DtGoEvent, g_array_index(goroutine->events, guint, i));
        if (is_wait(event->type) && event->goroutine == goroutine->id)
            wait = event;
        if (event->type != DT_GO_UNBLOCK || event->arguments[0] != goroutine->id || !wait)
            continue;
        learn_wakeup(wakers, dt_goroutines_find(wakers->goroutines, event->goroutine), wait->type, wait->stack);
        wait = NULL;
    }
}

/* ---- by object ------------------------------------------------------------------------------------------- */

static void free_object(gpointer data)
{
    g_array_unref(((DtGoObject *)data)->users);
    g_free(data);
}

/* The object at an address; another one if something else was there before. */
static DtGoObject *object_at(DtGoWakers *wakers, GHashTable *living, const DtGoTold *told)
{
    const guint argument = dt_go_operation_argument(told->name);
    DtGoObject *object = g_hash_table_lookup(living, &told->address);
    if (argument == 0 || told->address == 0)
        return NULL;
    if (object && object->argument == argument && !told->is_made)
        return object;
    object = g_new0(DtGoObject, 1);
    object->argument = argument;
    object->is_made = told->is_made;
    object->users = g_array_new(FALSE, FALSE, sizeof(guint));
    g_ptr_array_add(wakers->objects, object);
    g_hash_table_replace(living, g_memdup2(&told->address, sizeof(told->address)), object);
    return object;
}

/* In the order in which things happened: an address may be of several, one after the other. */
static void learn_objects(DtGoWakers *wakers)
{
    const GArray *events = wakers->goroutines->trace->events;
    g_autoptr(GHashTable) living = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    DtGoTold told;
    for (guint i = 0; i < events->len; i++) {
        const DtGoEvent *event = &g_array_index(events, DtGoEvent, i);
        if (!dt_go_objects_told(event, &told) || told.is_over)
            continue;
        DtGoObject *object = object_at(wakers, living, &told);
        const DtGoroutine *user = dt_goroutines_find(wakers->goroutines, event->goroutine);
        if (object)
            g_hash_table_insert(wakers->told, GUINT_TO_POINTER(i), object);
        if (object && !told.is_made && user && !user->is_library)
            add_once(object->users, user->number);
    }
}

/* The innermost frame of the program, else the innermost of all. */
static DtGoFrame frame_of(const DtGoroutines *goroutines, guint64 id)
{
    DtGoStack stack = dt_go_stack(goroutines->trace, id);
    for (guint i = 0; i < stack.count; i++)
        if (!dt_goroutines_is_library(goroutines, &stack.frames[i]))
            return stack.frames[i];
    return stack.count > 0 ? stack.frames[0] : (DtGoFrame){0, "", "", 0};
}

enum { OF_LINE = 1000, MOST_LINES = 2000000 };

/* The line, and three digits of what else there is; the next ones that are free, if another object has these. */
static guint free_number(GHashTable *taken, guint argument, guint line, const char *key)
{
    guint digits = g_str_hash(key) % OF_LINE;
    for (guint i = 0; i < OF_LINE; i++, digits = (digits + 1) % OF_LINE) {
        const guint number = MIN(line, MOST_LINES) * OF_LINE + digits;
        gint64 both = dt_argument(argument, number);
        if (number > 0 && g_hash_table_add(taken, g_memdup2(&both, sizeof(both))))
            return number;
    }
    return MIN(line, MOST_LINES) * OF_LINE + digits;
}

/* What was given so far. */
typedef struct {
    GHashTable *counts; /* "kind goroutine file:line" -> so many objects */
    GHashTable *taken;  /* arguments, with their kinds */
} Names;

static void name_object(const DtGoWakers *wakers, const Names *names, DtGoObject *object, const DtGoroutine *creator,
                        const DtGoEvent *event)
{
    DtGoFrame frame = frame_of(wakers->goroutines, event->stack);
    g_autofree char *line = dt_go_frame_line(&frame);
    g_autofree char *site = g_strdup_printf("%u %u %s", object->argument, creator->number, line);
    const guint ordinal = GPOINTER_TO_UINT(g_hash_table_lookup(names->counts, site)) + 1;
    g_autofree char *key = g_strdup_printf("%s %u", site, ordinal);
    g_hash_table_insert(names->counts, g_steal_pointer(&site), GUINT_TO_POINTER(ordinal));
    object->number = free_number(names->taken, object->argument, frame.line, key);
}

/* What a goroutine made; with `all` also what it was the first to use. */
static void name_objects(const DtGoWakers *wakers, const Names *names, const DtGoroutine *goroutine, gboolean all)
{
    const GArray *events = wakers->goroutines->trace->events;
    for (guint i = 0; i < goroutine->events->len; i++) {
        const guint index = g_array_index(goroutine->events, guint, i);
        const DtGoEvent *event = &g_array_index(events, DtGoEvent, index);
        DtGoObject *object = g_hash_table_lookup(wakers->told, GUINT_TO_POINTER(index));
        DtGoTold told;
        if (object && object->number == 0 && event->goroutine == goroutine->id &&
            (all || (dt_go_objects_told(event, &told) && (told.is_made || !object->is_made))))
            name_object(wakers, names, object, goroutine, event);
    }
}

const DtGoObject *dt_go_wakers_object(const DtGoWakers *wakers, const DtGoEvent *event)
{
    const DtGoEvent *first = &g_array_index(wakers->goroutines->trace->events, DtGoEvent, 0);
    return g_hash_table_lookup(wakers->told, GUINT_TO_POINTER((guint)(event - first)));
}

/* ---- all ----------------------------------------------------------------------------------------------------- */

DtGoWakers *dt_go_wakers_new(const DtGoroutines *goroutines)
{
    DtGoWakers *wakers = g_new0(DtGoWakers, 1);
    const GPtrArray *numbered = goroutines->numbered;
    wakers->goroutines = goroutines;
    wakers->by_site = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, unref_array);
    wakers->objects = g_ptr_array_new_with_free_func(free_object);
    wakers->told = g_hash_table_new(NULL, NULL);
    learn_objects(wakers);
    g_autoptr(GHashTable) counts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GHashTable) taken = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    const Names names = {counts, taken};
    for (guint i = 0; i < numbered->len; i++) {
        learn_waits(wakers, g_ptr_array_index(numbered, i));
        name_objects(wakers, &names, g_ptr_array_index(numbered, i), FALSE);
    }
    /* What a goroutine of the library made for the program. */
    for (guint i = 0; i < numbered->len; i++)
        name_objects(wakers, &names, g_ptr_array_index(numbered, i), TRUE);
    return wakers;
}

void dt_go_wakers_free(DtGoWakers *wakers)
{
    if (!wakers)
        return;
    g_hash_table_unref(wakers->by_site);
    g_hash_table_unref(wakers->told);
    g_ptr_array_unref(wakers->objects);
    g_free(wakers);
}

/* The object of the last operation that told one and is not over; NULL: none. */
static const DtGoObject *open_object(const DtGoWakers *wakers, const DtGoroutine *goroutine)
{
    const GArray *events = wakers->goroutines->trace->events;
    guint over = 0;
    DtGoTold told;
    for (guint i = goroutine->events->len; i-- > 0;) {
        const DtGoEvent *event = &g_array_index(events, DtGoEvent, g_array_index(goroutine->events, guint, i));
        if (!dt_go_objects_told(event, &told) || told.is_made)
            continue;
        if (told.is_over)
            over++;
        else if (over == 0)
            return dt_go_wakers_object(wakers, event);
        else
            over--;
    }
    return NULL;
}

static void add_living(const DtGoWakers *wakers, const DtGoroutine *own, const GArray *numbers, GArray *living)
{
    for (guint i = 0; numbers && i < numbers->len; i++) {
        guint number = g_array_index(numbers, guint, i);
        const DtGoroutine *other = g_ptr_array_index(wakers->goroutines->numbered, number);
        if (other != own && other->state != DT_GO_HAS_ENDED)
            add_once(living, number);
    }
}

void dt_go_wakers_note(const DtGoWakers *wakers, const DtGoroutine *goroutine, DtThreadWriter *thread)
{
    if (goroutine->state != DT_GO_IS_BLOCKED)
        return;
    g_autoptr(GArray) living = g_array_new(FALSE, FALSE, sizeof(guint));
    g_autofree char *site = site_of(wakers->goroutines, goroutine->last_type, goroutine->last_stack);
    const DtGoObject *object = open_object(wakers, goroutine);
    if (object)
        add_living(wakers, goroutine, object->users, living);
    if (living->len == 0 && site)
        add_living(wakers, goroutine, g_hash_table_lookup(wakers->by_site, site), living);
    gint64 values[MOST_WAKERS];
    for (guint i = 0; i < living->len; i++)
        values[i] = g_array_index(living, guint, i);
    if (living->len > 0)
        dt_thread_writer_note(thread, DT_NOTE_WAKERS, values, living->len, NULL);
}
