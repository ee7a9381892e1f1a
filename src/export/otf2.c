/* OTF2: an archive, written by the program that has OTF2's library in it. What OTF2 has no records for (call
 * signatures, notes, how processes ended) goes into attributes and properties, by which an import makes the same run of
 * it again. */
#include <string.h>

#include "calls/calls.h"
#include "export/otf2_calls.h"
#include "export/writer.h"
#include "otf2/archive.h"
#include "store/symbols/places.h"
#include "store/symbols/recorded.h"
#include "text/text.h"
#include "times/attribution.h"
#include "times/call_times.h"

enum { BATCH = 4096 };
static const gint64 NS_A_SECOND = 1000000000, NUMBERS_A_SECOND = 1000000;

/* A communicator, as the first of its members that was met knows it. */
typedef struct {
    const DtProcess *process;
    const DtCommunicator *communicator;
} Found;

typedef struct {
    DtExportWriter *writer;
    DtOtf2Archive *archive;
    DtOtf2Stream *stream;
    const DtRun *run;
    GArray *regions;           /* guint32, by function: 1 + its number; 0: none yet */
    guint region_count;        /* given out */
    GByteArray *told;          /* by function: its arguments are a string */
    GHashTable *texts;         /* of notes -> number of the string */
    GHashTable *communicators; /* key -> 1 + number */
    GArray *found;             /* Found: the same, by number */
    GPtrArray *hosts;
    GPtrArray *calls;    /* of each process in its order: ids of its file that were told (element-type GHashTable) */
    GArray *told_events; /* guint64: of each trace in its order */
    gint64 last;         /* tick */
    DtProcessFile *recorded; /* of the process */
} Otf2;

/* ---- definitions ------------------------------------------------------------------------------ */

static void put_property(const Otf2 *otf2, DtOtf2Scope scope, gint64 of, const char *name, const char *value)
{
    const gint64 values[] = {scope, of};
    const char *const texts[] = {name, value};
    dt_otf2_put(otf2->stream, DT_OTF2_PROPERTY, values, G_N_ELEMENTS(values), texts, G_N_ELEMENTS(texts));
}

static void put_numbered(const Otf2 *otf2, const DtProcess *process, const char *name, guint number, const char *value)
{
    g_autofree char *whole = g_strdup_printf("difftrace::%s %u", name, number);
    put_property(otf2, DT_OTF2_OF_PROCESS, process->index, whole, value);
}

static gint64 interface_of(const char *name)
{
    switch (dt_call_class(name)) {
    case DT_CALL_MPI:
        return DT_OTF2_BY_MPI;
    case DT_CALL_OPENMP:
        return DT_OTF2_BY_OPENMP;
    case DT_CALL_PTHREAD:
        return DT_OTF2_BY_PTHREADS;
    default:
        return DT_OTF2_BY_USER;
    }
}

/* The program's functions are the same whatever its file is called. */
static gboolean is_of_program(const Otf2 *otf2, const DtProcess *process, guint32 function)
{
    const GPtrArray *images = dt_run_images(otf2->run, process);
    DtPlace place;
    if (!dt_run_function_place(otf2->run, process, function, &place))
        return FALSE;
    for (guint i = 0; i < images->len; i++) {
        const DtImage *image = images->pdata[i];
        if (image->main_image && g_strcmp0(image->file, place.file) == 0)
            return TRUE;
    }
    return FALSE;
}

/* The number of a function's region, which is told when it is first met. */
static gint64 region_of(Otf2 *otf2, const DtProcess *process, guint32 function)
{
    guint32 *number = &g_array_index(otf2->regions, guint32, function);
    if (*number == 0) {
        const DtFunction *it = dt_functions_get(dt_run_functions(otf2->run), function);
        *number = ++otf2->region_count;
        g_autofree char *flags =
            g_strdup_printf("flags %u%s", it->flags, is_of_program(otf2, process, function) ? " program" : "");
        g_autofree char *symbol = dt_text_spell(it->symbol);
        const gint64 values[] = {(gint64)*number - 1, interface_of(it->name)};
        const char *const texts[] = {it->name, symbol, flags, it->image};
        dt_otf2_put(otf2->stream, DT_OTF2_REGION, values, G_N_ELEMENTS(values), texts, G_N_ELEMENTS(texts));
    }
    return (gint64)*number - 1;
}

/* The string of a signature's arguments. */
static gint64 arguments_of(Otf2 *otf2, guint32 signature)
{
    if (!otf2->told->data[signature]) {
        otf2->told->data[signature] = TRUE;
        const gint64 number = signature;
        g_autofree char *text = dt_signature_text(dt_functions_get(dt_run_functions(otf2->run), signature)->signature);
        const char *const texts[] = {text};
        dt_otf2_put(otf2->stream, DT_OTF2_STRING, &number, 1, texts, 1);
    }
    return signature;
}

static gint64 text_of(Otf2 *otf2, const char *text)
{
    if (*text == '\0')
        return -1;
    gpointer known = g_hash_table_lookup(otf2->texts, text);
    if (!known) {
        const gint64 number = (gint64)otf2->told->len + g_hash_table_size(otf2->texts);
        const char *const texts[] = {text};
        known = GINT_TO_POINTER((gint)number);
        g_hash_table_insert(otf2->texts, g_strdup(text), known);
        dt_otf2_put(otf2->stream, DT_OTF2_STRING, &number, 1, texts, 1);
    }
    return GPOINTER_TO_INT(known);
}

/* Gives numbers to the communicators of a process that have none yet. */
static void find_communicators(Otf2 *otf2, const DtProcess *process)
{
    const GPtrArray *communicators = dt_run_communicators(otf2->run, process);
    for (guint i = 0; i < communicators->len; i++) {
        const DtCommunicator *communicator = communicators->pdata[i];
        const Found found = {process, communicator};
        if (g_hash_table_contains(otf2->communicators, &communicator->key))
            continue;
        g_array_append_val(otf2->found, found);
        g_hash_table_insert(otf2->communicators, g_memdup2(&communicator->key, sizeof(communicator->key)),
                            GUINT_TO_POINTER(otf2->found->len));
    }
}

/* -1: not known. */
static gint64 parent_of(const Otf2 *otf2, const Found *found)
{
    const char *name = found->communicator->name, *slash = strrchr(name, '/');
    g_autofree char *above = slash ? g_strndup(name, (gsize)(slash - name)) : NULL;
    const DtCommunicator *parent = above ? dt_run_find_communicator(otf2->run, found->process, above) : NULL;
    return parent ? (gint64)GPOINTER_TO_UINT(g_hash_table_lookup(otf2->communicators, &parent->key)) - 1 : -1;
}

static void put_communicator(const Otf2 *otf2, guint number)
{
    const Found *found = &g_array_index(otf2->found, Found, number);
    const DtCommunicator *communicator = found->communicator;
    g_autoptr(GArray) values = g_array_new(FALSE, FALSE, sizeof(gint64));
    const gint64 head[] = {number, parent_of(otf2, found),
                           communicator->number == DT_COMMUNICATOR_SELF ? DT_OTF2_SELF
                           : communicator->remote_size >= 0             ? DT_OTF2_TWO_GROUPS
                                                                        : DT_OTF2_GROUP,
                           communicator->size};
    g_array_append_vals(values, head, G_N_ELEMENTS(head));
    for (gint i = 0; i < communicator->size + MAX(communicator->remote_size, 0); i++) {
        const gint64 member = communicator->members[i];
        g_array_append_val(values, member);
    }
    const char *const texts[] = {communicator->name};
    dt_otf2_put(otf2->stream, DT_OTF2_COMMUNICATOR, (const gint64 *)(gconstpointer)values->data, values->len, texts, 1);
}

/* "NUMBER: parent creation key rank remote-size number-in-the-archive members". */
static void put_communicators(Otf2 *otf2, const DtProcess *process)
{
    const GPtrArray *communicators = otf2->recorded->communicators;
    for (guint i = 0; i < communicators->len; i++) {
        const DtCommunicator *communicator = communicators->pdata[i];
        if (!communicator)
            continue;
        const DtOrigin *origin = &g_array_index(otf2->recorded->origins, DtOrigin, i);
        g_autoptr(GString) text = g_string_new(NULL);
        g_string_printf(text, "%u %u %" G_GUINT64_FORMAT " %d %d %d", origin->parent, origin->creation,
                        communicator->is_sure ? communicator->key : 0, communicator->rank, communicator->size,
                        communicator->remote_size);
        for (gint k = 0; k < communicator->size + MAX(communicator->remote_size, 0); k++)
            g_string_append_printf(text, " %d", communicator->members[k]);
        put_numbered(otf2, process, "communicator", communicator->number, text->str);
    }
}

static void put_arrays(const Otf2 *otf2, const DtProcess *process)
{
    const GPtrArray *arrays = otf2->recorded->arrays;
    for (guint i = 0; i < arrays->len; i++) {
        const DtArray *array = arrays->pdata[i];
        g_autoptr(GString) text = g_string_new(NULL);
        for (guint k = 0; array && k < array->count; k++)
            g_string_append_printf(text, "%s%" G_GINT64_FORMAT, k > 0 ? " " : "", array->values[k]);
        put_numbered(otf2, process, "array", i, text->str);
    }
}

/* Of the calls that were told: "REGION ARGUMENT...". */
static void put_calls(Otf2 *otf2, const DtProcess *process, GHashTable *calls)
{
    const GArray *functions = otf2->recorded->functions;
    for (guint i = 0; i < functions->len; i++) {
        const struct dt_function *call = &g_array_index(functions, struct dt_function, i);
        const guint32 function = dt_run_function_of_id(otf2->run, process, call->id);
        if (!g_hash_table_contains(calls, GUINT_TO_POINTER(call->id)) || function == 0)
            continue;
        g_autoptr(GString) text = g_string_new(NULL);
        g_string_printf(text, "%" G_GINT64_FORMAT, region_of(otf2, process, function));
        for (guint k = 0; k < MIN(call->arguments, (guint32)DT_FUNCTION_ARGUMENTS); k++)
            g_string_append_printf(text, " %" G_GINT64_FORMAT, call->args[k]);
        put_numbered(otf2, process, "call", call->id, text->str);
    }
}

static guint host_of(Otf2 *otf2, const char *host)
{
    for (guint i = 0; i < otf2->hosts->len; i++)
        if (g_str_equal(otf2->hosts->pdata[i], host))
            return i;
    const gint64 number = otf2->hosts->len;
    const char *const texts[] = {host};
    g_ptr_array_add(otf2->hosts, g_strdup(host));
    dt_otf2_put(otf2->stream, DT_OTF2_NODE, &number, 1, texts, 1);
    return (guint)number;
}

static void put_process(Otf2 *otf2, const DtProcess *process)
{
    const struct dt_file_header *header = &otf2->recorded->header;
    const gint64 values[] = {process->index, host_of(otf2, process->host ? process->host : "")};
    const char *const texts[] = {process->label};
    dt_otf2_put(otf2->stream, DT_OTF2_PROCESS, values, G_N_ELEMENTS(values), texts, 1);
    g_autofree char *numbers = g_strdup_printf(
        "%d %d %u %u %u %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %u %d %" G_GINT64_FORMAT,
        header->rank, header->world_size, header->pid, header->ppid, header->flags, header->start_realtime_ns,
        header->start_monotonic_ns, header->end_monotonic_ns, header->end_state, header->end_status,
        dt_process_clock_offset(process));
    put_property(otf2, DT_OTF2_OF_PROCESS, process->index, "difftrace::process", numbers);
    put_property(otf2, DT_OTF2_OF_PROCESS, process->index, "difftrace::executable", process->executable);
    put_property(otf2, DT_OTF2_OF_PROCESS, process->index, "difftrace::arguments", process->arguments);
    put_communicators(otf2, process);
    put_arrays(otf2, process);
}

/* ---- events of a trace ------------------------------------------------------------------------ */

/* An open call, which may be told later. */
typedef struct {
    guint32 id, function;
    gboolean is_wanted;
} Opened;

typedef struct {
    Otf2 *otf2;
    const DtTrace *trace;
    DtReader *ids;
    DtPlacedReader *times; /* NULL: there are none */
    guint32 events[BATCH];
    guint64 positions[BATCH];
    DtPlacedEvent *placed;
    gsize next, count, next_placed, placed_count;
    gint64 moved;
    DtNotes *notes;
    guint next_note;
    DtOtf2Calls *calls;
    DtCallStack *stack;
    DtFilterScope scope;
    GArray *kept;   /* gboolean: of each open call */
    GArray *opened; /* Opened: the same calls */
    guint64 number, told;
    gint64 now, from, to; /* of the export */
    gboolean begun;
    gboolean estimated;
} Walk;

/* The next event with its time; FALSE at the end. */
static gboolean step(Walk *walk, guint32 *event, guint64 *position)
{
    if (walk->next == walk->count) {
        walk->count = dt_reader_next_at(walk->ids, walk->events, walk->positions, BATCH);
        walk->next = 0;
    }
    if (walk->times && walk->next_placed == walk->placed_count) {
        walk->placed_count = dt_placed_reader_next(walk->times, walk->placed, BATCH);
        walk->next_placed = 0;
    }
    if (walk->next == walk->count || (walk->times && walk->next_placed == walk->placed_count))
        return FALSE;
    *event = walk->events[walk->next];
    *position = walk->positions[walk->next++];
    walk->now = (gint64)walk->number++;
    if (walk->times) {
        const DtPlacedEvent *placed = &walk->placed[walk->next_placed++];
        walk->now = MAX((gint64)placed->ns + walk->moved, 0);
        walk->estimated = !placed->stamped;
    }
    return TRUE;
}

static gboolean is_inside_kept(const Walk *walk)
{
    return walk->kept->len == 0 || g_array_index(walk->kept, gboolean, walk->kept->len - 1);
}

static void put_notes(Walk *walk, guint64 before)
{
    for (; walk->next_note < dt_notes_count(walk->notes); walk->next_note++) {
        enum { HEAD = 3 };
        const DtNote *note = dt_notes_get(walk->notes, walk->next_note);
        gint64 values[HEAD + DT_OTF2_NOTE_VALUES];
        const guint count = MIN(note->count, (guint)DT_OTF2_NOTE_VALUES);
        if (note->position >= before)
            return;
        if (note->kind == DT_NOTE_CLOCK || !walk->begun || !is_inside_kept(walk))
            continue;
        values[0] = walk->now;
        values[1] = note->kind;
        values[2] = text_of(walk->otf2, note->text);
        memcpy(values + HEAD, dt_notes_values(walk->notes, note), count * sizeof(*values));
        dt_otf2_put(walk->otf2->stream, DT_OTF2_NOTE, values, HEAD + count, NULL, 0);
        walk->told++;
    }
}

static void put_entry(Walk *walk, guint32 id, guint32 function)
{
    Otf2 *otf2 = walk->otf2;
    const DtProcess *process = walk->trace->process;
    const guint32 signature = dt_run_signature_of_id(otf2->run, process, id);
    const gboolean has_arguments = signature != 0 && signature != function;
    if (has_arguments)
        g_hash_table_add(otf2->calls->pdata[otf2->calls->len - 1], GUINT_TO_POINTER(id));
    DT_OTF2_PUT(otf2->stream, DT_OTF2_ENTER, walk->now, region_of(otf2, process, function),
                has_arguments ? (gint64)id : -1, has_arguments ? arguments_of(otf2, signature) : -1, walk->estimated);
    walk->told++;
}

static void put_return(Walk *walk, guint32 function)
{
    DT_OTF2_PUT(walk->otf2->stream, DT_OTF2_LEAVE, walk->now, region_of(walk->otf2, walk->trace->process, function),
                walk->estimated);
    walk->told++;
}

static void enter(Walk *walk, guint32 id, guint32 function, guint64 position, gboolean is_wanted)
{
    const Opened opened = {id, function, is_wanted};
    const gboolean keep = is_wanted && walk->begun;
    if (keep)
        put_entry(walk, id, function);
    dt_otf2_calls_enter(walk->calls, id, position, walk->now, keep);
    g_array_append_val(walk->kept, keep);
    g_array_append_val(walk->opened, opened);
}

static void leave(Walk *walk, guint32 function, guint64 position)
{
    dt_otf2_calls_leave(walk->calls, position, walk->now);
    if (walk->kept->len == 0)
        return;
    if (is_inside_kept(walk))
        put_return(walk, function);
    g_array_set_size(walk->kept, walk->kept->len - 1);
    g_array_set_size(walk->opened, walk->opened->len - 1);
}

static void take_event(Walk *walk, guint32 id, guint64 position)
{
    const guint32 function =
        id != DT_EVENT_RETURN ? dt_run_function_of_id(walk->otf2->run, walk->trace->process, id) : DT_EVENT_RETURN;
    const DtFilterSet *set = walk->otf2->writer->wants->set;
    if (id != DT_EVENT_RETURN && function == 0)
        return;
    guint32 applied = dt_call_stack_apply(walk->stack, function);
    gboolean keep = applied != 0 && (!set || dt_filter_scope_keeps(&walk->scope, walk->stack, function, applied));
    put_notes(walk, position);
    if (function != DT_EVENT_RETURN)
        enter(walk, id, function, position, keep);
    else
        leave(walk, applied, position);
}

/* What is open where the export begins begins there; what was noted before is left out. */
static void begin(Walk *walk, guint64 position)
{
    const gint64 now = walk->now;
    const gboolean estimated = walk->estimated;
    put_notes(walk, position);
    walk->begun = TRUE;
    walk->now = walk->from;
    walk->estimated = FALSE;
    for (guint i = 0; i < walk->opened->len; i++) {
        const Opened *opened = &g_array_index(walk->opened, Opened, i);
        g_array_index(walk->kept, gboolean, i) = opened->is_wanted;
        if (opened->is_wanted)
            put_entry(walk, opened->id, opened->function);
    }
    walk->now = now;
    walk->estimated = estimated;
}

/* And what is open where it ends returns there. */
static void end(Walk *walk)
{
    walk->now = walk->to;
    walk->estimated = FALSE;
    for (guint i = walk->opened->len; i-- > 0;)
        if (g_array_index(walk->kept, gboolean, i))
            put_return(walk, g_array_index(walk->opened, Opened, i).function);
}

static void take_events(Walk *walk)
{
    guint32 event = 0;
    guint64 position = 0;
    while (step(walk, &event, &position)) {
        if (!walk->begun && walk->now >= walk->from)
            begin(walk, position);
        if (walk->now > walk->to) {
            end(walk);
            walk->otf2->last = MAX(walk->otf2->last, walk->to);
            return;
        }
        if (walk->begun)
            walk->otf2->last = MAX(walk->otf2->last, walk->now);
        take_event(walk, event, position);
    }
    put_notes(walk, G_MAXUINT64);
}

static gboolean open_walk(Walk *walk, const DtAttribution *attribution, GError **error)
{
    const DtRun *run = walk->otf2->run;
    walk->ids = dt_reader_open(run, walk->trace, DT_FILE_IDS, error);
    walk->notes = walk->ids ? dt_notes_open(run, walk->trace, error) : NULL;
    if (!walk->notes)
        return FALSE;
    walk->times = attribution ? dt_placed_reader_open(attribution, error) : NULL;
    return !attribution || walk->times;
}

static void clear_walk(Walk *walk)
{
    g_clear_pointer(&walk->calls, dt_otf2_calls_free);
    g_clear_pointer(&walk->ids, dt_reader_free);
    g_clear_pointer(&walk->times, dt_placed_reader_free);
    g_clear_pointer(&walk->notes, dt_notes_free);
    g_clear_pointer(&walk->stack, dt_call_stack_free);
    g_clear_pointer(&walk->kept, g_array_unref);
    g_clear_pointer(&walk->opened, g_array_unref);
    g_clear_pointer(&walk->placed, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Walk, clear_walk)

static gboolean put_trace(Otf2 *otf2, const DtTrace *trace, GError **error)
{
    const gint64 location = trace->index;
    const DtExportWants *wants = otf2->writer->wants;
    g_autoptr(DtAttribution) attribution = otf2->writer->timed ? dt_attribution_new(otf2->run, trace, error) : NULL;
    g_auto(Walk) walk = {.otf2 = otf2, .trace = trace};
    if ((otf2->writer->timed && !attribution) || !open_walk(&walk, attribution, error))
        return FALSE;
    walk.placed = g_new(DtPlacedEvent, BATCH);
    walk.stack = dt_call_stack_new();
    walk.kept = g_array_new(FALSE, FALSE, sizeof(gboolean));
    walk.opened = g_array_new(FALSE, FALSE, sizeof(Opened));
    walk.from = (gint64)(wants->from * (gdouble)NS_A_SECOND);
    walk.to = wants->to > 0 ? (gint64)(wants->to * (gdouble)NS_A_SECOND) : G_MAXINT64;
    walk.begun = wants->from <= 0;
    walk.scope.set = wants->set;
    walk.moved = dt_process_clock_offset(trace->process) - otf2->writer->start_ns;
    walk.calls = dt_otf2_calls_new(otf2->run, trace, walk.notes, otf2->communicators, otf2->stream, &walk.told);
    dt_otf2_put(otf2->stream, DT_OTF2_LOCATION, &location, 1, NULL, 0);
    take_events(&walk);
    g_array_append_val(otf2->told_events, walk.told);
    return TRUE;
}

/* ---- the archive ------------------------------------------------------------------------------ */

static void put_thread(const Otf2 *otf2, const DtTrace *trace, guint64 events)
{
    const gint64 values[] = {trace->index, trace->process->index, (gint64)events};
    const char *const texts[] = {trace->label};
    dt_otf2_put(otf2->stream, DT_OTF2_THREAD, values, G_N_ELEMENTS(values), texts, 1);
    g_autofree char *numbers =
        g_strdup_printf("%d %u %d", trace->library ? DT_THREAD_LIBRARY : DT_THREAD_APP, trace->thread, trace->returned);
    put_property(otf2, DT_OTF2_OF_THREAD, trace->index, "difftrace::thread", numbers);
    put_property(otf2, DT_OTF2_OF_THREAD, trace->index, "difftrace::name", trace->name);
}

static void put_ranks(const Otf2 *otf2)
{
    const GPtrArray *traces = otf2->writer->wants->traces;
    g_autoptr(GArray) ranks = g_array_new(FALSE, FALSE, sizeof(gint64));
    const gint64 none = -1;
    for (guint i = 0; i < traces->len; i++) {
        const DtTrace *trace = traces->pdata[i];
        const gint rank = trace->process->rank;
        if (rank < 0 || !trace->process->called_mpi_init || trace->library)
            continue;
        while (ranks->len <= (guint)rank || (gint)ranks->len < trace->process->world_size)
            g_array_append_val(ranks, none);
        gint64 *location = &g_array_index(ranks, gint64, rank);
        if (*location < 0)
            *location = trace->index;
    }
    for (guint i = 0; ranks->len > 0 && i < otf2->found->len; i++) {
        const DtCommunicator *communicator = g_array_index(otf2->found, Found, i).communicator;
        for (gint k = 0; k < communicator->size; k++)
            while (communicator->members[k] >= (gint)ranks->len)
                g_array_append_val(ranks, none);
    }
    if (ranks->len > 0)
        dt_otf2_put(otf2->stream, DT_OTF2_RANKS, (const gint64 *)(gconstpointer)ranks->data, ranks->len, NULL, 0);
}

static void put_archive(const Otf2 *otf2)
{
    const DtExportWriter *writer = otf2->writer;
    const DtManifest *manifest = dt_run_manifest(otf2->run);
    g_autofree char *start = g_strdup_printf("%" G_GINT64_FORMAT, writer->start_ns);
    put_property(otf2, DT_OTF2_OF_ARCHIVE, 0, "DIFFTRACE::TIMES",
                 writer->timed ? "nanoseconds since the first trace began" : "numbers of events in their traces");
    put_property(otf2, DT_OTF2_OF_ARCHIVE, 0, "DIFFTRACE::START", start);
    put_property(otf2, DT_OTF2_OF_ARCHIVE, 0, "DIFFTRACE::HUNG",
                 manifest->timed_out || manifest->stuck ? "true" : "false");
    DT_OTF2_PUT(otf2->stream, DT_OTF2_CLOCK, writer->timed ? NS_A_SECOND : NUMBERS_A_SECOND, 0, otf2->last + 1,
                writer->timed ? writer->start_ns : -1);
}

static gboolean put_events(Otf2 *otf2, GError **error)
{
    const GPtrArray *traces = otf2->writer->wants->traces;
    const DtProcess *process = NULL;
    for (guint i = 0; i < traces->len; i++) {
        const DtTrace *trace = traces->pdata[i];
        if (trace->process != process) {
            find_communicators(otf2, trace->process);
            g_ptr_array_add(otf2->calls, g_hash_table_new(NULL, NULL));
        }
        process = trace->process;
        if (!put_trace(otf2, trace, error))
            return FALSE;
    }
    return TRUE;
}

static gboolean put_process_of(Otf2 *otf2, const DtProcess *process, guint index, GError **error)
{
    g_clear_pointer(&otf2->recorded, dt_process_file_free);
    otf2->recorded = dt_run_recorded(otf2->run, process, error);
    if (!otf2->recorded)
        return FALSE;
    put_process(otf2, process);
    put_calls(otf2, process, otf2->calls->pdata[index]);
    return TRUE;
}

/* Behind the events, which tell how many there are; what refers to something comes after it. */
static gboolean put_definitions(Otf2 *otf2, GError **error)
{
    const GPtrArray *traces = otf2->writer->wants->traces;
    guint processes = 0;
    put_archive(otf2);
    for (guint i = 0; i < traces->len; i++) {
        const DtTrace *trace = traces->pdata[i];
        const DtTrace *before = i > 0 ? traces->pdata[i - 1] : NULL;
        const gboolean is_first = !before || trace->process != before->process;
        if (is_first && !put_process_of(otf2, trace->process, processes++, error))
            return FALSE;
        put_thread(otf2, trace, g_array_index(otf2->told_events, guint64, i));
    }
    put_ranks(otf2);
    for (guint i = 0; i < otf2->found->len; i++)
        put_communicator(otf2, i);
    return TRUE;
}

gboolean dt_export_otf2_archive(DtExportWriter *writer, const char *folder, GError **error)
{
    const DtRun *run = writer->wants->run;
    const guint functions = dt_functions_count(dt_run_functions(run)) + 1;
    g_autoptr(DtOtf2Archive) archive = dt_otf2_write(folder, error);
    if (!archive)
        return FALSE;
    g_autoptr(GArray) regions = g_array_new(FALSE, TRUE, sizeof(guint32));
    g_autoptr(GByteArray) told = g_byte_array_new();
    g_autoptr(GHashTable) texts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GHashTable) communicators = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    g_autoptr(GPtrArray) calls = g_ptr_array_new_with_free_func((GDestroyNotify)g_hash_table_unref);
    g_autoptr(GArray) found = g_array_new(FALSE, FALSE, sizeof(Found));
    g_autoptr(GArray) told_events = g_array_new(FALSE, FALSE, sizeof(guint64));
    g_autoptr(GPtrArray) hosts = g_ptr_array_new_with_free_func(g_free);
    g_array_set_size(regions, functions);
    g_byte_array_set_size(told, functions);
    memset(told->data, 0, functions);
    Otf2 otf2 = {.writer = writer, .archive = archive, .stream = archive->stream, .run = run, .regions = regions};
    otf2.told = told;
    otf2.texts = texts;
    otf2.communicators = communicators;
    otf2.calls = calls;
    otf2.found = found;
    otf2.told_events = told_events;
    otf2.hosts = hosts;
    gboolean done = put_events(&otf2, error) && put_definitions(&otf2, error) && dt_otf2_finish(archive, error);
    g_clear_pointer(&otf2.recorded, dt_process_file_free);
    return done;
}
