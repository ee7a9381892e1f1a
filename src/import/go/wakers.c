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

static void learn_object(DtGoWakers *wakers, guint counts[], const DtGoTold *told, guint user)
{
    guint argument = dt_go_operation_argument(told->name);
    DtGoObject *object = g_hash_table_lookup(wakers->objects, &told->address);
    if (argument == 0 || told->address == 0)
        return;
    if (!object) {
        object = g_new0(DtGoObject, 1);
        object->argument = argument;
        object->number = ++counts[argument];
        object->users = g_array_new(FALSE, FALSE, sizeof(guint));
        g_hash_table_insert(wakers->objects, g_memdup2(&told->address, sizeof(told->address)), object);
    }
    add_once(object->users, user);
}

static void learn_objects(DtGoWakers *wakers, guint counts[], const DtGoroutine *goroutine)
{
    const GArray *events = wakers->goroutines->trace->events;
    DtGoTold told;
    for (guint i = 0; i < goroutine->events->len; i++) {
        const DtGoEvent *event = &g_array_index(events, DtGoEvent, g_array_index(goroutine->events, guint, i));
        if (dt_go_objects_told(event, &told) && !told.is_over)
            learn_object(wakers, counts, &told, goroutine->number);
    }
}

const DtGoObject *dt_go_wakers_object(const DtGoWakers *wakers, guint64 address, const char *name)
{
    const DtGoObject *object = g_hash_table_lookup(wakers->objects, &address);
    return object && object->argument == dt_go_operation_argument(name) ? object : NULL;
}

/* ---- all ----------------------------------------------------------------------------------------------------- */

DtGoWakers *dt_go_wakers_new(const DtGoroutines *goroutines)
{
    guint counts[DT_ARGUMENT_WAIT_GROUP + 1] = {0};
    DtGoWakers *wakers = g_new0(DtGoWakers, 1);
    wakers->goroutines = goroutines;
    wakers->by_site = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, unref_array);
    wakers->objects = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, free_object);
    for (guint i = 0; i < goroutines->numbered->len; i++) {
        learn_waits(wakers, g_ptr_array_index(goroutines->numbered, i));
        learn_objects(wakers, counts, g_ptr_array_index(goroutines->numbered, i));
    }
    return wakers;
}

void dt_go_wakers_free(DtGoWakers *wakers)
{
    if (!wakers)
        return;
    g_hash_table_unref(wakers->by_site);
    g_hash_table_unref(wakers->objects);
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
        if (!dt_go_objects_told(event, &told))
            continue;
        if (told.is_over)
            over++;
        else if (over == 0)
            return dt_go_wakers_object(wakers, told.address, told.name);
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
