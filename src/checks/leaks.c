/* What was made and never freed by a process that came to MPI_Finalize. */
#include "checks/checking.h"
#include "format/arguments.h"

/* Objects that are told by number or by name, so that each one is known, or only counted. */
typedef enum { COMMUNICATORS, DATATYPES, GROUPS, OPERATIONS, WINDOWS, FILES, ERRHANDLERS, INFOS, KEYVALS, KINDS } Kind;

typedef struct {
    GHashTable *made;    /* place that made some -> DtKeptCall */
    DtKeptCall last;     /* that freed one */
    gint64 count;        /* made less freed */
    gboolean freed;      /* some were */
    gboolean is_foreign; /* some were made by calls that are not counted */
    gboolean made_empty; /* an empty group, which need not be freed and may be */
    gboolean is_unsure;
} Objects;

typedef struct {
    DtChecking *checking;
    const DtProcess *process;
    Objects objects[KINDS];
    gboolean has_attributes;     /* whose delete functions may free objects in MPI_Finalize */
    GHashTable *communicators;   /* DtCommunicator that is not freed -> DtKeptCall that made it */
    GHashTable *creations;       /* DtCommunicator -> how many calls made others from it */
    GPtrArray *by_number[KINDS]; /* DtKeptCall of windows and files by number; NULL: freed */
} Leaks;

static void free_kept(gpointer data)
{
    g_free(data);
}

static gpointer start(DtChecking *checking)
{
    Leaks *own = g_new0(Leaks, 1);
    own->checking = checking;
    for (guint i = 0; i < KINDS; i++) {
        own->objects[i].made = g_hash_table_new_full(NULL, NULL, NULL, g_free);
        own->by_number[i] = g_ptr_array_new_with_free_func(free_kept);
    }
    own->communicators = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    own->creations = g_hash_table_new(NULL, NULL);
    return own;
}

static void stop(gpointer family)
{
    Leaks *own = family;
    for (guint i = 0; i < KINDS; i++) {
        g_hash_table_unref(own->objects[i].made);
        g_ptr_array_unref(own->by_number[i]);
    }
    g_hash_table_unref(own->communicators);
    g_hash_table_unref(own->creations);
    g_free(own);
}

static DtCheckRule rule_of(Kind kind)
{
    static const DtCheckRule rules[KINDS] = {
        DT_CHECK_LEAKED_COMMUNICATOR, DT_CHECK_LEAKED_DATATYPE, DT_CHECK_LEAKED_GROUP,
        DT_CHECK_LEAKED_OPERATION,    DT_CHECK_LEAKED_WINDOW,   DT_CHECK_LEAKED_FILE,
        DT_CHECK_LEAKED_ERRHANDLER,   DT_CHECK_LEAKED_INFO,     DT_CHECK_LEAKED_KEYVAL};
    return rules[kind];
}

static const char *name_of(Kind kind)
{
    static const char *const names[KINDS] = {"communicators", "datatypes",      "groups",       "operations", "windows",
                                             "files",         "error handlers", "info objects", "keyvals"};
    return names[kind];
}

static const char *freeing(Kind kind)
{
    static const char *const names[KINDS] = {"MPI_Comm_free",       "MPI_Type_free", "MPI_Group_free",
                                             "MPI_Op_free",         "MPI_Win_free",  "MPI_File_close",
                                             "MPI_Errhandler_free", "MPI_Info_free", "MPI_Comm_free_keyval or its kin"};
    return names[kind];
}

/* ---- what a call makes and frees ------------------------------------------------------------- */

static Kind made_by(const struct dt_call *row)
{
    static const enum dt_parameter_kind made[KINDS] = {
        DT_PARAMETER_COMM_MADE,       DT_PARAMETER_DATATYPE_MADE, DT_PARAMETER_GROUP_MADE,
        DT_PARAMETER_OPERATION_MADE,  DT_PARAMETER_WINDOW_MADE,   DT_PARAMETER_FILE_MADE,
        DT_PARAMETER_ERRHANDLER_MADE, DT_PARAMETER_INFO_MADE,     DT_PARAMETER_KEYVAL_MADE};
    for (guint i = 0; i < KINDS; i++)
        if (dt_call_has(row, made[i]))
            return (Kind)i;
    return dt_call_has(row, DT_PARAMETER_COMM_MADE_LATER) ? COMMUNICATORS : KINDS;
}

static Kind freed_by(const struct dt_call *row)
{
    static const enum dt_parameter_kind freed[KINDS] = {
        DT_PARAMETER_COMM_FREED,       DT_PARAMETER_DATATYPE_FREED, DT_PARAMETER_GROUP_FREED,
        DT_PARAMETER_OPERATION_FREED,  DT_PARAMETER_WINDOW_FREED,   DT_PARAMETER_FILE_FREED,
        DT_PARAMETER_ERRHANDLER_FREED, DT_PARAMETER_INFO_FREED,     DT_PARAMETER_KEYVAL_FREED};
    for (guint i = 0; i < KINDS; i++)
        if (dt_call_has(row, freed[i]))
            return (Kind)i;
    return KINDS;
}

static gboolean is_named(const struct dt_call *row, const char *const *names, guint count)
{
    for (guint i = 0; i < count; i++)
        if (g_str_equal(row->name, names[i]))
            return TRUE;
    return FALSE;
}

/* An error handler that may be a predefined one. */
static gboolean may_make_none(const struct dt_call *row)
{
    static const char *const names[] = {"Comm_get_errhandler", "Win_get_errhandler", "File_get_errhandler",
                                        "Errhandler_get", "Session_get_errhandler"};
    return is_named(row, names, G_N_ELEMENTS(names));
}

/* ---- groups: MPI_GROUP_EMPTY is not to be freed ---------------------------------------------- */

static const DtNumbers *nth_numbers(const DtSignature *signature, guint kind, guint nth)
{
    for (guint i = 0; signature && i < signature->argument_count; i++)
        if (signature->arguments[i].kind == kind && nth-- == 0)
            return signature->arguments[i].numbers;
    return NULL;
}

static gint64 ranks_in(const DtNumbers *ranges)
{
    enum { FIRST, LAST, STEP, NUMBERS };
    gint64 ranks = 0;
    for (guint i = 0; i + STEP < ranges->count; i += NUMBERS) {
        const gint64 *range = &ranges->values[i];
        if (range[STEP] == 0)
            return -1;
        ranks += MAX((range[LAST] - range[FIRST]) / range[STEP] + 1, 0);
    }
    return ranks;
}

static gboolean has_number(const DtNumbers *numbers, gint64 value)
{
    for (guint i = 0; i < numbers->count; i++)
        if (numbers->values[i] == value)
            return TRUE;
    return FALSE;
}

/* How many of the first group are (not) in the second one; -1: not known. */
static gint64 count_common(const DtNumbers *first, const DtNumbers *second, gboolean in_second)
{
    gint64 count = 0;
    if (!first || !second || has_number(first, -1) || has_number(second, -1))
        return -1;
    for (guint i = 0; i < first->count; i++)
        count += has_number(second, first->values[i]) == in_second;
    return count;
}

/* Of the group that a call makes; -1: not known. */
static gint64 members_made(const DtCheckedCall *call)
{
    const DtNumbers *group = nth_numbers(call->signature, DT_ARGUMENT_GROUP, 0);
    const DtNumbers *second = nth_numbers(call->signature, DT_ARGUMENT_GROUP, 1);
    const DtNumbers *ranks = nth_numbers(call->signature, DT_ARGUMENT_RANKS, 0);
    const DtNumbers *ranges = nth_numbers(call->signature, DT_ARGUMENT_RANGES, 0);
    if (dt_check_is(call, "Group_difference"))
        return count_common(group, second, FALSE);
    if (dt_check_is(call, "Group_intersection"))
        return count_common(group, second, TRUE);
    if (dt_check_is(call, "Group_union"))
        return group && second ? (gint64)MAX(group->count, second->count) : -1;
    if (dt_check_is(call, "Group_excl"))
        return group && ranks ? (gint64)group->count - ranks->count : -1;
    if (dt_check_is(call, "Group_incl"))
        return ranks ? (gint64)ranks->count : -1;
    if (dt_check_is(call, "Group_range_excl"))
        return group && ranges && ranks_in(ranges) >= 0 ? (gint64)group->count - ranks_in(ranges) : -1;
    if (dt_check_is(call, "Group_range_incl"))
        return ranges ? ranks_in(ranges) : -1;
    return 1; /* of a communicator, a window or a file */
}

/* Datatypes that are not to be freed, or whose freeing the program may leave to others. */
static gboolean makes_predefined(const struct dt_call *row)
{
    static const char *const names[] = {"Type_create_f90_integer", "Type_create_f90_real", "Type_create_f90_complex",
                                        "Type_match_size",         "Type_get_contents",    "File_get_view"};
    return is_named(row, names, G_N_ELEMENTS(names));
}

/* Communicators are named by the calls that make them, in their order: world/2. Where there is none of that name, the
 * call gave MPI_COMM_NULL. */
static void make_communicator(Leaks *own, const DtCheckedTrace *trace, const DtCheckedCall *call)
{
    if (!call->communicator)
        return;
    gpointer parent = (gpointer)call->communicator;
    guint number = GPOINTER_TO_UINT(g_hash_table_lookup(own->creations, parent)) + 1;
    g_hash_table_insert(own->creations, parent, GUINT_TO_POINTER(number));
    g_autofree char *name = g_strdup_printf("%s/%u", call->communicator->name, number);
    const DtCommunicator *made = dt_run_find_communicator(trace->run, trace->process, name);
    DtKeptCall kept = dt_check_keep(trace, call);
    if (made)
        g_hash_table_insert(own->communicators, (gpointer)made, g_memdup2(&kept, sizeof kept));
}

static void make(Leaks *own, const DtCheckedTrace *trace, const DtCheckedCall *call, Kind kind)
{
    Objects *objects = &own->objects[kind];
    DtKeptCall kept = dt_check_keep(trace, call);
    if (kind == COMMUNICATORS) {
        make_communicator(own, trace, call);
        return;
    }
    const gint64 members = kind == GROUPS ? members_made(call) : 1;
    objects->made_empty |= members == 0;
    if (members == 0)
        return;
    if (kind == WINDOWS || kind == FILES) {
        g_ptr_array_add(own->by_number[kind], g_memdup2(&kept, sizeof kept));
        return;
    }
    objects->is_unsure |= may_make_none(call->row) || members < 0;
    objects->count++;
    gconstpointer key = call->site ? (gconstpointer)call->site : GUINT_TO_POINTER(call->function);
    if (!g_hash_table_contains(objects->made, key))
        g_hash_table_insert(objects->made, (gpointer)key, g_memdup2(&kept, sizeof kept));
}

static void unmake(Leaks *own, const DtCheckedTrace *trace, const DtCheckedCall *call, Kind kind)
{
    if (kind == COMMUNICATORS) {
        if (call->communicator)
            g_hash_table_remove(own->communicators, call->communicator);
        return;
    }
    own->objects[kind].count--;
    own->objects[kind].freed = TRUE;
    own->objects[kind].last = dt_check_keep(trace, call);
    if (kind != WINDOWS && kind != FILES)
        return;
    const DtArgument *number =
        dt_check_argument(call->signature, kind == WINDOWS ? DT_ARGUMENT_WINDOW : DT_ARGUMENT_FILE);
    GPtrArray *objects = own->by_number[kind];
    if (!number || number->special != DT_SPECIAL_NONE || number->value < 0 || number->value >= objects->len) {
        own->objects[kind].is_unsure = TRUE;
        return;
    }
    g_clear_pointer(&objects->pdata[number->value], g_free);
}

static void leave(gpointer family, const DtCheckedTrace *trace, DtCheckedCall *call)
{
    Leaks *own = family;
    if (call->of != DT_CALL_MPI || !call->row || call->failed ||
        call->row->properties & (DT_CALL_POINT_TO_POINT | DT_CALL_EXCHANGE))
        return;
    Kind made = made_by(call->row), freed = freed_by(call->row);
    own->has_attributes |= dt_check_is(call, "Comm_set_attr") || dt_check_is(call, "Attr_put");
    if (made != KINDS && !makes_predefined(call->row))
        make(own, trace, call, made);
    else if (made != KINDS)
        own->objects[made].is_foreign = TRUE;
    own->objects[DATATYPES].is_foreign |=
        dt_call_has(call->row, DT_PARAMETER_DATATYPES_OUT) || dt_call_has(call->row, DT_PARAMETER_DATATYPE_OUT);
    if (freed != KINDS)
        unmake(own, trace, call, freed);
}

/* ---- the end of a process -------------------------------------------------------------------- */

static void tell(Leaks *own, Kind kind, const DtKeptCall *call, const char *evidence)
{
    DtCheckFinding *finding;
    if (!dt_check_report_kept(own->checking, rule_of(kind), kind == FILES ? DT_CHECK_ERROR : DT_CHECK_WARNING, call,
                              NULL, &finding))
        return;
    dt_check_expect(finding, "%s for each before MPI_Finalize", freeing(kind));
    dt_check_add_evidence(finding, "%s", evidence);
}

static guint64 address_of(const DtKeptCall *call)
{
    return call->site ? call->site->place.address : call->function;
}

static const DtKeptCall *first_of(const Objects *objects)
{
    GHashTableIter iter;
    gpointer value;
    const DtKeptCall *first = NULL;
    g_hash_table_iter_init(&iter, objects->made);
    while (g_hash_table_iter_next(&iter, NULL, &value))
        first = !first || address_of(value) < address_of(first) ? value : first;
    return first;
}

/* More was freed than was made: a copy of a handle was used. */
static void tell_freed_twice(Leaks *own, Kind kind)
{
    const Objects *objects = &own->objects[kind];
    DtCheckFinding *finding;
    if (objects->count >= 0 || objects->is_unsure || objects->is_foreign || objects->made_empty || kind == WINDOWS ||
        kind == FILES ||
        !dt_check_report_kept(own->checking, DT_CHECK_INVALID_HANDLE, DT_CHECK_WARNING, &objects->last, NULL, &finding))
        return;
    dt_check_expect(finding, "free each object once: a copy of its handle does not count");
    dt_check_add_evidence(finding, "rank %d freed %" G_GINT64_FORMAT " %s more than it made, this the last one",
                          own->process->rank, -objects->count, name_of(kind));
}

/* Objects are counted: where several places make some, it is not known whose is left. */
static void tell_counted(Leaks *own, Kind kind)
{
    const Objects *objects = &own->objects[kind];
    const guint places = g_hash_table_size(objects->made);
    if (objects->count <= 0 || places == 0 || objects->is_unsure)
        return;
    GHashTableIter iter;
    gpointer value;
    g_autofree char *evidence =
        g_strdup_printf("rank %d made %" G_GINT64_FORMAT " %s more than it freed%s", own->process->rank, objects->count,
                        name_of(kind), places > 1 ? ", by calls of several places" : "");
    g_hash_table_iter_init(&iter, objects->made);
    while (g_hash_table_iter_next(&iter, NULL, &value))
        if (places == 1 || !objects->freed)
            tell(own, kind, value, evidence);
    if (places > 1 && objects->freed)
        tell(own, kind, first_of(objects), evidence);
}

static void tell_communicators(Leaks *own)
{
    GHashTableIter iter;
    gpointer key, value;
    g_hash_table_iter_init(&iter, own->communicators);
    while (g_hash_table_iter_next(&iter, &key, &value)) {
        g_autofree char *evidence =
            g_strdup_printf("rank %d never freed %s", own->process->rank, ((const DtCommunicator *)key)->name);
        tell(own, COMMUNICATORS, value, evidence);
    }
}

static void end_process(gpointer family, const DtProcess *process, gboolean is_complete)
{
    Leaks *own = family;
    const gboolean told = is_complete && own->checking->processes[process->index].finalized && !own->has_attributes;
    own->has_attributes = FALSE;
    own->process = process;
    if (told)
        tell_communicators(own);
    g_hash_table_remove_all(own->communicators);
    g_hash_table_remove_all(own->creations);
    for (guint kind = 0; kind < KINDS; kind++) {
        if (told && kind != COMMUNICATORS && kind != WINDOWS && kind != FILES)
            tell_counted(own, (Kind)kind);
        if (is_complete && kind != COMMUNICATORS)
            tell_freed_twice(own, (Kind)kind);
        for (guint i = 0; told && !own->objects[kind].is_unsure && i < own->by_number[kind]->len; i++)
            if (own->by_number[kind]->pdata[i])
                tell(own, (Kind)kind, own->by_number[kind]->pdata[i], "it was never freed");
        g_hash_table_remove_all(own->objects[kind].made);
        own->objects[kind].count = 0;
        own->objects[kind].is_unsure = own->objects[kind].freed = own->objects[kind].is_foreign = FALSE;
        g_ptr_array_set_size(own->by_number[kind], 0);
    }
}

const DtCheckFamily dt_check_leaks = {.start = start, .leave = leave, .end_process = end_process, .stop = stop};
