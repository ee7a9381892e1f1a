/*
 * The run that a trace of Go's becomes: a trace for each goroutine of the program, with the calls of the stacks at its
 * events, innermost what it does with channels and locks.
 */
#include "import/go/words.h"

#include <string.h>

#include "calls/calls.h"
#include "format/arguments.h"
#include "import/go/exercised.h"
#include "import/go/findings.h"
#include "import/go/objects.h"
#include "store/symbols/source_lines.h"
#include "store/symbols/stored_lines.h"

/* An open call, and the place in its code that the next inner one was made at. */
typedef struct {
    guint32 function; /* id */
    guint place;
} Frame;

typedef struct {
    const DtGoroutines *goroutines;
    const DtGoWakers *wakers;
    DtProcessWriter *process;
    DtImageWriter *image;
    GHashTable *functions;  /* name -> id */
    GArray *symbols;        /* guint32, by id of function less 1; of signatures that of their function */
    GHashTable *places;     /* "file:line function" -> number from 1 */
    GString *lines;         /* the image's */
    GHashTable *signatures; /* "function object" -> id */
} Words;

/* What is written of one goroutine. */
typedef struct {
    Words *words;
    const DtGoroutine *goroutine;
    DtThreadWriter *thread;
    GArray *frames;  /* Frame, outermost first: of the program */
    GArray *open;    /* guint32: operations that were begun, outermost first */
    guint asked;     /* how many of them told their object: they end when they say so */
    guint64 merged;  /* stack of the last operation, if further wake-ups belong to it; 0: none */
    guint32 merging; /* id of it */
} Telling;

/* ---- functions and places ---------------------------------------------------------------------------- */

enum { FIRST_PLACE = 0x1000, PLACE_BYTES = 16 };

static guint64 address_of(guint place)
{
    return FIRST_PLACE + (guint64)place * PLACE_BYTES;
}

static guint place_of(Words *words, const DtGoFrame *frame)
{
    g_autofree char *key = g_strdup_printf("%u %s\n%s", frame->line, frame->file, frame->function);
    guint place = GPOINTER_TO_UINT(g_hash_table_lookup(words->places, key));
    if (place > 0)
        return place;
    place = g_hash_table_size(words->places) + 1;
    g_hash_table_insert(words->places, g_steal_pointer(&key), GUINT_TO_POINTER(place));
    if (*frame->file) {
        g_autoptr(GArray) lines = g_array_new(FALSE, FALSE, sizeof(DtSourceFrame));
        DtSourceFrame line = {frame->function, frame->file, frame->line};
        g_array_append_val(lines, line);
        dt_stored_lines_add(words->lines, address_of(place), lines);
    }
    return place;
}

/* `frame` NULL: where it stands is not known. */
static guint32 function_of(Words *words, const char *name, const DtGoFrame *frame)
{
    guint32 id = GPOINTER_TO_UINT(g_hash_table_lookup(words->functions, name));
    if (id > 0)
        return id;
    guint32 flags = dt_call_class(name) == DT_CALL_GO ? DT_FUNCTION_API : 0u;
    guint64 address = frame ? address_of(place_of(words, frame)) : 0;
    guint32 symbol = dt_image_writer_symbol(words->image, name, address, 0, flags);
    id = dt_process_writer_function(words->process, words->image, symbol, flags);
    g_array_append_val(words->symbols, symbol);
    g_hash_table_insert(words->functions, g_strdup(name), GUINT_TO_POINTER(id));
    return id;
}

static guint32 signature_of(Words *words, guint32 function, const DtGoObject *object)
{
    if (!object || object->argument == 0)
        return function;
    g_autofree char *key = g_strdup_printf("%u %d %u", function, (int)object->argument, object->number);
    guint32 id = GPOINTER_TO_UINT(g_hash_table_lookup(words->signatures, key));
    if (id > 0)
        return id;
    const gint64 argument = dt_argument(object->argument, object->number);
    id = dt_process_writer_signature(words->process, function, &argument, 1);
    guint32 symbol = g_array_index(words->symbols, guint32, function - 1);
    g_array_append_val(words->symbols, symbol);
    g_hash_table_insert(words->signatures, g_steal_pointer(&key), GUINT_TO_POINTER(id));
    return id;
}

/* ---- calls ---------------------------------------------------------------------------------------------- */

static void enter(Telling *telling, guint32 id, const DtGoEvent *event)
{
    dt_thread_writer_time(telling->thread, (guint64)event->time);
    dt_thread_writer_event(telling->thread, id);
}

static void leave(Telling *telling, const DtGoEvent *event)
{
    dt_thread_writer_time(telling->thread, (guint64)event->time);
    dt_thread_writer_event(telling->thread, DT_WORD_RETURN);
}

/* The calls of a stack from frame `first` on become the open ones; those that are it already stay. */
static void come_to(Telling *telling, const DtGoEvent *event, guint first)
{
    Words *words = telling->words;
    DtGoStack stack = dt_go_stack(words->goroutines->trace, event->stack);
    guint depth = stack.count > first ? stack.count - first : 0, same = 0;
    g_autofree Frame *wanted = g_new0(Frame, (gsize)depth + 1);
    for (guint i = 0; i < depth; i++) {
        const DtGoFrame *frame = &stack.frames[stack.count - 1 - i];
        wanted[i] = (Frame){function_of(words, frame->function, frame), place_of(words, frame)};
    }
    /* A call that goes on may be elsewhere by now; what it called then is over. */
    for (gboolean goes_on = TRUE; goes_on && same < depth && same < telling->frames->len;) {
        const Frame *open = &g_array_index(telling->frames, Frame, same);
        if (open->function != wanted[same].function)
            break;
        goes_on = open->place == wanted[same].place;
        same++;
    }
    for (guint i = telling->frames->len; i > same; i--)
        leave(telling, event);
    g_array_set_size(telling->frames, 0);
    for (guint i = 0; i < depth; i++) {
        if (i >= same)
            enter(telling, wanted[i].function, event);
        g_array_append_val(telling->frames, wanted[i]);
    }
}

static void begin(Telling *telling, const DtGoEvent *event, const DtGoOperation *operation, const DtGoObject *object)
{
    /* Within an operation, as Cond.Wait unlocks its lock, nothing changes outside. */
    if (telling->open->len == 0)
        come_to(telling, event, operation->first);
    guint32 id = signature_of(telling->words, function_of(telling->words, operation->name, NULL), object);
    enter(telling, id, event);
    g_array_append_val(telling->open, id);
}

static void finish(Telling *telling, const DtGoEvent *event)
{
    leave(telling, event);
    g_array_set_size(telling->open, telling->open->len - 1);
}

/* Operations that do not say themselves when they are over: with the next thing that the goroutine does. */
static void finish_plain(Telling *telling, const DtGoEvent *event)
{
    while (telling->open->len > telling->asked)
        finish(telling, event);
}

static void note_thread(Telling *telling, guint32 kind, const DtGoroutine *other)
{
    const gint64 number = other && !other->is_library ? (gint64)other->number : -1;
    dt_thread_writer_note(telling->thread, kind, &number, 1, NULL);
}

/* ---- events ----------------------------------------------------------------------------------------------- */

static gboolean is_blocking(guint type)
{
    switch (type) {
    case DT_GO_STOP:
    case DT_GO_SLEEP:
    case DT_GO_BLOCK:
    case DT_GO_BLOCK_SEND:
    case DT_GO_BLOCK_RECEIVE:
    case DT_GO_BLOCK_SELECT:
    case DT_GO_BLOCK_SYNC:
    case DT_GO_BLOCK_COND:
    case DT_GO_BLOCK_NET:
    case DT_GO_SYSCALL:
    case DT_GO_IN_SYSCALL:
    case DT_GO_WAITING:
        return TRUE;
    default:
        return FALSE;
    }
}

/* What may wake several at once. */
static gboolean wakes_many(const char *name)
{
    static const char *const names[] = {"chan close", "Cond.Broadcast", "RWMutex.Unlock", "WaitGroup.Done"};
    for (guint i = 0; i < G_N_ELEMENTS(names); i++)
        if (g_str_equal(name, names[i]))
            return TRUE;
    return FALSE;
}

static void tell_creation(Telling *telling, const DtGoEvent *event)
{
    const DtGoroutine *made = dt_goroutines_find(telling->words->goroutines, event->arguments[0]);
    if (!made || made->is_library || made->creator != telling->goroutine || telling->open->len > 0)
        return;
    come_to(telling, event, 0);
    g_autofree char *name = g_strdup_printf("go %s", *made->entry ? made->entry : "(unknown)");
    enter(telling, function_of(telling->words, name, NULL), event);
    leave(telling, event);
}

/* The goroutine has woken another one: what it did is a call of its own unless it has been told. */
static void tell_wakeup(Telling *telling, const DtGoEvent *event)
{
    const DtGoroutine *woken = dt_goroutines_find(telling->words->goroutines, event->arguments[0]);
    DtGoOperation operation = dt_go_operation(telling->words->goroutines, event);
    if (telling->asked > 0) {
        note_thread(telling, DT_NOTE_WOKE, woken);
        return;
    }
    if (!operation.name || !woken || woken->is_library)
        return;
    if (telling->merged != event->stack || event->stack == 0 || !wakes_many(operation.name)) {
        begin(telling, event, &operation, NULL);
        note_thread(telling, DT_NOTE_WOKE, woken);
        finish(telling, event);
    } else {
        note_thread(telling, DT_NOTE_WOKE, woken);
    }
    telling->merged = event->stack;
}

/* FALSE: it tells of no object. */
static gboolean tell_object(Telling *telling, const DtGoEvent *event)
{
    DtGoTold told;
    if (!dt_go_objects_told(event, &told))
        return FALSE;
    finish_plain(telling, event);
    if (told.is_over && telling->asked > 0) {
        telling->asked--;
        finish(telling, event);
    }
    if (told.is_over || told.is_made)
        return TRUE;
    DtGoOperation operation = dt_go_operation(telling->words->goroutines, event);
    operation.name = told.name;
    const DtGoObject *object = dt_go_wakers_object(telling->words->wakers, event);
    begin(telling, event, &operation, object);
    telling->asked++;
    return TRUE;
}

static void tell_start(Telling *telling, const DtGoEvent *event, const DtGoroutine *waker)
{
    if (!telling->goroutine->started)
        return;
    /* Stacks of the main goroutine are without the runtime's function that it starts with. */
    if (telling->frames->len == 0 && telling->open->len == 0 && telling->goroutine->id != 1) {
        Frame entry = {
            function_of(telling->words, *telling->goroutine->entry ? telling->goroutine->entry : "(unknown)", NULL), 0};
        enter(telling, entry.function, event);
        g_array_append_val(telling->frames, entry);
    }
    if (telling->open->len > 0 && waker)
        note_thread(telling, DT_NOTE_WOKEN, waker);
    finish_plain(telling, event);
}

/* `waker` is who ended the wait that it is in, if anybody did. */
static void tell(Telling *telling, const DtGoEvent *event, const DtGoroutine **waker)
{
    const DtGoroutine *own = telling->goroutine;
    if (event->type == DT_GO_UNBLOCK && event->arguments[0] == own->id) {
        *waker = dt_goroutines_find(telling->words->goroutines, event->goroutine);
        return;
    }
    if (event->type != DT_GO_UNBLOCK)
        telling->merged = 0;
    if (is_blocking(event->type)) {
        DtGoOperation operation = dt_go_operation(telling->words->goroutines, event);
        finish_plain(telling, event);
        if (telling->asked == 0)
            begin(telling, event, &operation, NULL);
        return;
    }
    switch (event->type) {
    case DT_GO_CREATE:
        finish_plain(telling, event);
        tell_creation(telling, event);
        break;
    case DT_GO_START:
    case DT_GO_START_LABEL:
    case DT_GO_SYSCALL_EXIT:
        tell_start(telling, event, *waker);
        *waker = NULL;
        break;
    case DT_GO_UNBLOCK:
        finish_plain(telling, event);
        tell_wakeup(telling, event);
        break;
    case DT_GO_TASK_END:
        tell_object(telling, event);
        break;
    default:
        break;
    }
}

/* ---- the end ---------------------------------------------------------------------------------------------- */

/* Who made each open call, from the innermost outwards. */
static void keep_frames(const Telling *telling)
{
    enum { IMAGE = 1 };
    struct dt_open_frames *kept = &dt_thread_writer_record(telling->thread)->open_frames;
    const GArray *frames = telling->frames;
    kept->cause = DT_OPEN_END;
    kept->depth = frames->len + telling->open->len;
    for (guint i = kept->depth; i-- > 0 && kept->count < DT_OPEN_FRAMES;) {
        gboolean is_operation = i >= frames->len;
        guint32 id = is_operation ? g_array_index(telling->open, guint32, i - frames->len)
                                  : g_array_index(frames, Frame, i).function;
        guint caller = MIN(i, frames->len);
        guint place = caller > 0 ? g_array_index(frames, Frame, caller - 1).place : 0;
        struct dt_open_frame frame = {.function_image = IMAGE,
                                      .function_symbol = g_array_index(telling->words->symbols, guint32, id - 1)};
        if (place > 0) {
            frame.image = IMAGE;
            frame.address = address_of(place) + 1;
        }
        kept->frames[kept->count++] = frame;
    }
}

static void tell_end(Telling *telling, const DtGoEvent *last)
{
    const DtGoroutine *own = telling->goroutine;
    gboolean ended = own->state == DT_GO_HAS_ENDED || dt_go_has_finished(telling->words->goroutines, own);
    if (ended) {
        while (telling->open->len > 0)
            finish(telling, last);
        for (guint i = telling->frames->len; i > 0; i--)
            leave(telling, last);
        dt_thread_writer_record(telling->thread)->end_state = DT_THREAD_RETURNED;
        return;
    }
    dt_go_wakers_note(telling->words->wakers, own, telling->thread);
    keep_frames(telling);
}

static void describe(const DtGoroutine *own, struct dt_thread *record, const DtGoEvent *first, const DtGoEvent *last)
{
    const char *dot = strrchr(own->entry, '.');
    record->tid = (guint32)own->id;
    if (own->creator && !own->creator->is_library)
        record->creator = own->creator->number;
    record->start_monotonic_ns = first ? (guint64)first->time : 0;
    record->end_monotonic_ns = last ? (guint64)last->time : 0;
    record->last_seen_ns = record->end_monotonic_ns;
    g_strlcpy(record->name, dot && dot[1] ? dot + 1 : own->entry, sizeof(record->name));
}

static void tell_goroutine(Words *words, const DtGoroutine *own)
{
    g_autoptr(GArray) frames = g_array_new(FALSE, FALSE, sizeof(Frame));
    g_autoptr(GArray) open = g_array_new(FALSE, FALSE, sizeof(guint32));
    Telling telling = {.words = words, .goroutine = own, .frames = frames, .open = open};
    const GArray *events = words->goroutines->trace->events;
    const DtGoEvent *first = NULL, *last = NULL;
    const DtGoroutine *waker = NULL;
    telling.thread = dt_process_writer_thread(words->process, DT_THREAD_APP, own->number);
    for (guint i = 0; i < own->events->len; i++) {
        last = &g_array_index(events, DtGoEvent, g_array_index(own->events, guint, i));
        first = first ? first : last;
        tell(&telling, last, &waker);
    }
    static const DtGoEvent nothing = {0};
    tell_end(&telling, last ? last : &nothing);
    dt_go_exercised_note(words->goroutines, own, g_hash_table_size(words->wakers->told) > 0, telling.thread);
    describe(own, dt_thread_writer_record(telling.thread), first, last);
    dt_thread_writer_end(telling.thread);
}

void dt_go_write(const DtGoroutines *goroutines, const DtGoWakers *wakers, DtProcessWriter *process,
                 DtImageWriter *image)
{
    g_autoptr(GHashTable) functions = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GHashTable) places = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GHashTable) signatures = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GArray) symbols = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_autoptr(GString) lines = dt_stored_lines_begin();
    Words words = {goroutines, wakers, process, image, functions, symbols, places, lines, signatures};
    for (guint i = 0; i < goroutines->numbered->len; i++)
        tell_goroutine(&words, g_ptr_array_index(goroutines->numbered, i));
    dt_stored_lines_end(lines);
    dt_image_writer_lines(image, lines->str);
}
