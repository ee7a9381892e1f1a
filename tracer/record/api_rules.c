/* Calls of MPI, OpenMP, pthreads and those that end the process: which they are, and when one is a library's own
 * business. The same for every engine. */
#include "record/api_rules.h"

#include "record/loaded_images.h"
#include "record/process.h"

static bool starts_with(const char *text, const char *prefix)
{
    while (*prefix)
        if (*text++ != *prefix++)
            return false;
    return true;
}

static bool equal(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (equal(name, *names))
            return true;
    return false;
}

static bool ends_with(const char *text, const char *suffix)
{
    size_t length = strlen(text), tail = strlen(suffix);
    return length >= tail && equal(text + length - tail, suffix);
}

/* MPI_Send, PMPI_Send, MPI_T_init_thread; not MPI_SEND and MPI_Send_f (Fortran's, which call C's), not the handle
 * conversions that those make, not the predefined callbacks. */
static bool is_mpi_call(const char *name)
{
    name += name[0] == 'P';
    if (!starts_with(name, "MPI_") || name[4] < 'A' || name[4] > 'Z')
        return false;
    static const char *const others[] = {"_fn",    "_f",     "_f08",   "_f2c",   "_c2f",
                                         "_f082c", "_c2f08", "_f2f08", "_f082f", NULL};
    for (const char *const *ending = others; *ending; ending++)
        if (ends_with(name, *ending))
            return false;
    return (name[5] >= 'a' && name[5] <= 'z') || name[5] == '_';
}

/* Asked for so often, and saying so little, that recording them would drown the rest. */
static const char *const quiet_pthread_calls[] = {"pthread_self",
                                                  "pthread_equal",
                                                  "pthread_getspecific",
                                                  "pthread_setspecific",
                                                  "pthread_once",
                                                  "pthread_key_create",
                                                  "pthread_key_delete",
                                                  "pthread_testcancel",
                                                  "pthread_atfork",
                                                  "pthread_getattr_np",
                                                  NULL};

static const char *const ending_calls[] = {"exit",   "_exit",    "_Exit",   "quick_exit", "raise",
                                           "execve", "execveat", "fexecve", NULL};
/* For an error; they never come back, but a handler of SIGABRT may leave them. */
static const char *const failing_calls[] = {"abort",
                                            "__assert_fail",
                                            "__assert_perror_fail",
                                            "__stack_chk_fail",
                                            "_gfortran_os_error",
                                            "_gfortran_os_error_at",
                                            "_gfortran_runtime_error",
                                            "_gfortran_runtime_error_at",
                                            NULL};

bool dt_api_fails(const char *name)
{
    return is_one_of(name, failing_calls);
}

static bool is_pthread_call(const char *name)
{
    return starts_with(name, "pthread_") && !starts_with(name, "pthread_attr_") &&
           !starts_with(name, "pthread_mutexattr_") && !starts_with(name, "pthread_condattr_") &&
           !starts_with(name, "pthread_rwlockattr_") && !starts_with(name, "pthread_barrierattr_") &&
           !is_one_of(name, quiet_pthread_calls);
}

static bool is_openmp_call(const char *name)
{
    return (starts_with(name, "GOMP_") && !starts_with(name, "GOMP_PLUGIN_")) || starts_with(name, "omp_") ||
           starts_with(name, "__kmpc_");
}

enum dt_api_class dt_api_classify(const char *name, enum dt_api_action *action)
{
    *action = DT_ACTION_NONE;
    if (is_mpi_call(name)) {
        const char *call = name + (name[0] == 'P');
        if (equal(call, "MPI_Init") || equal(call, "MPI_Init_thread"))
            *action = DT_ACTION_MPI_INIT;
        else if (equal(call, "MPI_Finalize"))
            *action = DT_ACTION_MPI_FINALIZE;
        return DT_API_MPI;
    }
    if (is_openmp_call(name))
        return DT_API_OPENMP;
    if (is_one_of(name, ending_calls) || dt_api_fails(name)) {
        if (equal(name, "_exit") || equal(name, "_Exit"))
            *action = DT_ACTION_EXIT;
        else if (equal(name, "execve"))
            *action = DT_ACTION_EXEC;
        else if (equal(name, "execveat"))
            *action = DT_ACTION_EXEC_AT;
        else if (equal(name, "fexecve"))
            *action = DT_ACTION_EXEC_FILE;
        return DT_API_END;
    }
    if (is_pthread_call(name)) {
        if (equal(name, "pthread_create"))
            *action = DT_ACTION_PTHREAD_CREATE;
        return DT_API_PTHREAD;
    }
    return DT_API_NONE;
}

/* ---- outermost calls ------------------------------------------------------------------------- */

/* How many functions of traced libraries may lie between a call of ours and one that it makes. */
enum { DT_DEEPEST_LIBRARY = 256 };

const struct dt_hooked_function *dt_api_caller(const struct dt_thread_state *thread)
{
    const struct dt_frame *top = (const struct dt_frame *)dt_hot.top - 1;
    return top == thread->frames ? NULL : &dt_functions[top->index];
}

const struct dt_hooked_function *dt_api_enclosing_call(const struct dt_thread_state *thread)
{
    const struct dt_frame *frame = (const struct dt_frame *)dt_hot.top - 1;
    for (int depth = 0; frame > thread->frames && depth < DT_DEEPEST_LIBRARY; depth++, frame--) {
        const struct dt_hooked_function *function = &dt_functions[frame->index];
        if (function->api_class != DT_API_NONE)
            return function;
        if (function->own_image)
            break;
    }
    return NULL;
}

bool dt_api_is_inner(const struct dt_hooked_function *function, const struct dt_hooked_function *inside,
                     uint64_t return_address)
{
    if (inside)
        return !(inside->api_class == DT_API_END && function->api_class == DT_API_MPI);
    if (return_address >= dt_process.loader_low && return_address < dt_process.loader_high)
        return true;
    return !function->own_image && dt_image_has(function->image, return_address);
}

bool dt_api_thread_is_library(const struct dt_thread_state *thread, const struct dt_hooked_function *by,
                              const struct dt_hooked_function *inside)
{
    if (thread->kind == DT_THREAD_LIBRARY || !by)
        return true;
    return inside && inside->api_class != DT_API_OPENMP;
}
