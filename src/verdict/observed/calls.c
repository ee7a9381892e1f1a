/* Kinds of functions, from the table of calls. */
#include "verdict/observed/calls.h"

#include <string.h>

#include "calls/calls.h"

gboolean dt_is_library_call(const char *function)
{
    enum dt_call_class call_class = dt_call_class(function);
    return call_class == DT_CALL_MPI || call_class == DT_CALL_OPENMP || call_class == DT_CALL_PTHREAD ||
           call_class == DT_CALL_GO;
}

gboolean dt_is_blocking_call(const char *function)
{
    return (dt_call_properties(function) & DT_CALL_BLOCKING) != 0;
}

gboolean dt_is_ending_call(const char *function)
{
    return (dt_call_properties(function) & DT_CALL_ENDING) != 0;
}

/* "sched_yield" of "sched_yield@plt", as calls from images into others are named. */
static char *bare_name(const char *function)
{
    gsize length = strlen(function) - (g_str_has_suffix(function, "@plt") ? strlen("@plt") : 0);
    return g_strndup(function, length);
}

/* C++'s library, by names as they are demangled, but for what starts threads or makes them wait. */
static gboolean is_of_standard_library(const char *function)
{
    static const char *const threads[] = {"thread", "mutex",     "condition", "future", "promise", "barrier",
                                          "latch",  "semaphore", "atomic",    "async",  "lock"};
    if (g_str_has_prefix(function, "operator new") || g_str_has_prefix(function, "operator delete") ||
        g_str_has_prefix(function, "__cxa_"))
        return TRUE;
    g_autofree char *head = g_strndup(function, strcspn(function, "(<"));
    const char *space = strrchr(head, ' '); /* before the name of a template comes the type of its result */
    const char *name = space ? space + 1 : head;
    if (g_str_has_prefix(name, "__gnu_cxx::"))
        return TRUE;
    if (!g_str_has_prefix(name, "std::"))
        return FALSE;
    for (guint i = 0; i < G_N_ELEMENTS(threads); i++) {
        if (strstr(head, threads[i]))
            return FALSE;
    }
    return TRUE;
}

gboolean dt_is_text_call(const char *name)
{
    g_autofree char *function = bare_name(name);
    if (dt_call_is_auxiliary(function))
        return !dt_call_manages_memory(function);
    return is_of_standard_library(function) && (strstr(function, "basic_string") || strstr(function, "stream") ||
                                                strstr(function, "std::ios") || strstr(function, "std::endl"));
}

gboolean dt_runs_once(const char *name)
{
    g_autofree char *function = bare_name(name);
    return g_str_equal(function, "pthread_once") || g_str_equal(function, "call_once");
}

/* Asks whether something has happened: of clocks and of giving way that is not said. */
static gboolean asks_for_event(const char *function, guint32 properties)
{
    if (!(properties & DT_CALL_POLLING))
        return FALSE;
    return (properties & (DT_CALL_POINT_TO_POINT | DT_CALL_ONE_SIDED | DT_CALL_MAY_FAIL | DT_CALL_JOINING)) != 0 ||
           g_str_has_prefix(function, "MPI_Test") || g_str_equal(function, "MPI_Request_get_status") ||
           g_str_equal(function, "sem_trywait");
}

guint dt_call_kind(const char *name)
{
    static const struct {
        guint32 property;
        DtCallKind kind;
    } kinds[] = {{DT_CALL_POLLING, DT_KIND_POLLING},
                 {DT_CALL_BLOCKING, DT_KIND_BLOCKING},
                 {DT_CALL_ENDING, DT_KIND_ENDING},
                 {DT_CALL_JOINING, DT_KIND_JOINING},
                 {DT_CALL_NONDETERMINISTIC, DT_KIND_NONDETERMINISTIC}};
    g_autofree char *function = bare_name(name);
    guint32 properties = dt_call_properties(function);
    guint kind = (dt_is_library_call(function) ? DT_KIND_LIBRARY : 0u) |
                 (dt_call_class(function) == DT_CALL_MPI ? DT_KIND_MPI : 0u);
    for (guint i = 0; i < G_N_ELEMENTS(kinds); i++)
        kind |= properties & kinds[i].property ? kinds[i].kind : 0u;
    if (dt_call_is_auxiliary(function) || is_of_standard_library(function))
        kind |= DT_KIND_AUXILIARY;
    if (dt_call_manages_memory(function))
        kind |= DT_KIND_MEMORY;
    if (properties & DT_CALL_NONDETERMINISTIC || asks_for_event(function, properties))
        kind |= DT_KIND_LUCKY;
    if (properties & DT_CALL_ACQUIRING)
        kind |= DT_KIND_LOCKING;
    if (properties & DT_CALL_POINT_TO_POINT && dt_call_class(function) == DT_CALL_MPI)
        kind |= DT_KIND_SENDING | DT_KIND_RECEIVING;
    return kind;
}

static gboolean receives_from_anybody(const DtSignature *signature)
{
    for (guint i = 0; signature && i < signature->argument_count; i++) {
        const DtArgument *argument = &signature->arguments[i];
        if (argument->kind == DT_ARGUMENT_FROM && argument->special == DT_SPECIAL_ANY)
            return TRUE;
    }
    return FALSE;
}

/* What a call of point-to-point communication does, by its arguments. */
static guint16 direction_of(const DtSignature *signature)
{
    guint16 kind = 0;
    for (guint i = 0; i < signature->argument_count; i++) {
        kind |= signature->arguments[i].kind == DT_ARGUMENT_TO ? DT_KIND_SENDING : 0;
        kind |= signature->arguments[i].kind == DT_ARGUMENT_FROM ? DT_KIND_RECEIVING : 0;
    }
    return kind;
}

guint16 *dt_call_kinds(const DtFunctions *functions)
{
    guint32 count = dt_functions_count(functions);
    guint16 *kinds = g_new0(guint16, (gsize)count + 1);
    for (guint32 id = 1; id <= count; id++) {
        kinds[id] = (guint16)dt_call_kind(dt_functions_get(functions, dt_functions_base(functions, id))->name);
        const DtSignature *signature = dt_functions_get(functions, id)->signature;
        if (signature)
            kinds[id] = (guint16)((kinds[id] & ~(DT_KIND_SENDING | DT_KIND_RECEIVING)) | direction_of(signature));
        if (receives_from_anybody(signature))
            kinds[id] |= DT_KIND_NONDETERMINISTIC | DT_KIND_LUCKY;
    }
    return kinds;
}
