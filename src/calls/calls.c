/* Functions found by their names. Names are compared here, byte by byte: the tracer must not call libc's functions. */
#include "calls/calls.h"

#include "calls/rows.h"

/* ---- names ------------------------------------------------------------------------------------ */

static size_t length_of(const char *text)
{
    size_t length = 0;
    while (text[length])
        length++;
    return length;
}

static bool starts_with(const char *text, const char *prefix)
{
    while (*prefix)
        if (*text++ != *prefix++)
            return false;
    return true;
}

static bool ends_with(const char *text, const char *suffix)
{
    size_t length = length_of(text), tail = length_of(suffix);
    return length >= tail && starts_with(text + length - tail, suffix);
}

static int lower(char letter)
{
    return letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : (unsigned char)letter;
}

static int as_it_is(char letter)
{
    return (unsigned char)letter;
}

/* A key that need not end with its length. */
static int compare(const char *key, size_t length, const char *name, int (*fold)(char letter))
{
    for (size_t i = 0; i < length; i++)
        if (fold(key[i]) != fold(name[i]))
            return fold(key[i]) - fold(name[i]);
    return name[length] ? -1 : 0;
}

static const struct dt_call *search(struct dt_call_rows rows, const char *key, size_t length, int (*fold)(char letter))
{
    size_t low = 0, high = length < DT_CALL_NAME_BYTES ? rows.count : 0;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = compare(key, length, rows.calls[middle].name, fold);
        if (order == 0)
            return &rows.calls[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

/* "sem_wait" of "sem_wait@plt", as calls from images into others are named. */
static const struct dt_call *search_exactly(struct dt_call_rows rows, const char *key)
{
    size_t length = length_of(key) - (ends_with(key, "@plt") ? 4 : 0);
    return search(rows, key, length, as_it_is);
}

/* ---- classes ---------------------------------------------------------------------------------- */

/* Behind "MPI_", or NULL. */
static const char *behind_mpi(const char *name)
{
    name += name[0] == 'P';
    return starts_with(name, "MPI_") ? name + 4 : NULL;
}

enum dt_call_class dt_call_class(const char *name)
{
    if (behind_mpi(name))
        return DT_CALL_MPI;
    if (starts_with(name, "pthread_"))
        return DT_CALL_PTHREAD;
    if (starts_with(name, "GOMP_") || starts_with(name, "omp_") || starts_with(name, "__kmpc_"))
        return DT_CALL_OPENMP;
    if (search_exactly(dt_ending_calls(), name))
        return DT_CALL_END;
    if (search_exactly(dt_system_calls(), name))
        return DT_CALL_SYSTEM;
    return search_exactly(dt_go_calls(), name) ? DT_CALL_GO : DT_CALL_UNKNOWN;
}

struct dt_call_rows dt_calls_of_class(enum dt_call_class call_class)
{
    switch (call_class) {
    case DT_CALL_MPI:
        return dt_mpi_calls();
    case DT_CALL_OPENMP:
        return dt_openmp_calls();
    case DT_CALL_PTHREAD:
        return dt_pthread_calls();
    case DT_CALL_END:
        return dt_ending_calls();
    case DT_CALL_SYSTEM:
        return dt_system_calls();
    case DT_CALL_GO:
        return dt_go_calls();
    default:
        return (struct dt_call_rows){NULL, 0};
    }
}

/* Behind "MPI_": MPI_Send, MPI_T_init_thread; not MPI_SEND, MPI_Send_f and MPI_Send_f08 (Fortran's, which call C's),
 * not the predefined callbacks. */
static bool is_of_c(const char *rest)
{
    return rest[0] >= 'A' && rest[0] <= 'Z' && ((rest[1] >= 'a' && rest[1] <= 'z') || rest[1] == '_') &&
           !ends_with(rest, "_fn") && !ends_with(rest, "_f") && !ends_with(rest, "_f08");
}

enum dt_call_class dt_call_recorded(const char *name)
{
    enum dt_call_class call_class = dt_call_class(name);
    if (call_class == DT_CALL_UNKNOWN || call_class == DT_CALL_SYSTEM || call_class == DT_CALL_GO ||
        starts_with(name, "GOMP_PLUGIN_") || (call_class == DT_CALL_MPI && !is_of_c(behind_mpi(name))) ||
        dt_call_properties(name) & DT_CALL_QUIET)
        return DT_CALL_UNKNOWN;
    return call_class;
}

/* ---- rows ------------------------------------------------------------------------------------- */

const struct dt_call *dt_call_find_mpi(const char *name)
{
    size_t length = length_of(name);
    const struct dt_call *call = search(dt_mpi_calls(), name, length, lower);
    if (call || length < 2 || name[length - 2] != '_' || lower(name[length - 1]) != 'c')
        return call;
    call = search(dt_mpi_calls(), name, length - 2, lower);
    return call && call->properties & DT_CALL_LARGE_VARIANT ? call : NULL;
}

bool dt_call_is_large(const struct dt_call *call, const char *name)
{
    return call->properties & DT_CALL_LARGE_VARIANT && (ends_with(name, "_c") || ends_with(name, "_C"));
}

const struct dt_call *dt_call_find(const char *name)
{
    const char *rest = behind_mpi(name);
    if (!rest)
        return search_exactly(dt_calls_of_class(dt_call_class(name)), name);
    const struct dt_call *call = dt_call_find_mpi(rest);
    return call && starts_with(rest, call->name) && !ends_with(rest, "_C") ? call : NULL;
}

uint32_t dt_call_properties(const char *name)
{
    const struct dt_call *call = dt_call_find(name);
    return call ? call->properties : 0;
}

bool dt_call_has(const struct dt_call *call, enum dt_parameter_kind kind)
{
    for (const uint8_t *parameter = call->parameters; *parameter; parameter++)
        if (*parameter == kind)
            return true;
    return false;
}

enum dt_communicator_makers dt_call_makers(const struct dt_call *call)
{
    if (dt_call_has(call, DT_PARAMETER_LOCAL_LEADER))
        return DT_MADE_BY_HALVES;
    if (call->properties & DT_CALL_OF_GROUP)
        return DT_MADE_BY_MEMBERS;
    /* MPI_Intercomm_merge has no root: both groups are members of its one communicator. */
    return call->properties & DT_CALL_BETWEEN_GROUPS &&
                   (dt_call_has(call, DT_PARAMETER_ROOT) || !dt_call_has(call, DT_PARAMETER_COMM))
               ? DT_MADE_BY_OTHERS
               : DT_MADE_BY_PARENT;
}
