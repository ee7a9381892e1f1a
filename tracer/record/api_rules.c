/* Calls of MPI, OpenMP, pthreads and those that end the process: what is done at them, and when one is a library's own
 * business. The same for every engine. */
#include "record/api_rules.h"

#include "record/loaded_images.h"
#include "record/process.h"

bool dt_api_fails(const char *name)
{
    return dt_call_properties(name) & DT_CALL_FAILING;
}

static bool equal(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

enum dt_api_action dt_api_action(const char *name)
{
    static const struct {
        char name[16];
        uint8_t action;
    } actions[] = {{"MPI_Init", DT_ACTION_MPI_INIT},
                   {"MPI_Init_thread", DT_ACTION_MPI_INIT},
                   {"MPI_Finalize", DT_ACTION_MPI_FINALIZE},
                   {"pthread_create", DT_ACTION_PTHREAD_CREATE},
                   {"MPI_Comm_size", DT_ACTION_ASKED},
                   {"MPI_Cartdim_get", DT_ACTION_ASKED},
                   {"_exit", DT_ACTION_EXIT},
                   {"_Exit", DT_ACTION_EXIT},
                   {"execve", DT_ACTION_EXEC},
                   {"execveat", DT_ACTION_EXEC_AT},
                   {"fexecve", DT_ACTION_EXEC_FILE}};
    name += *name == 'P';
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        if (equal(name, actions[i].name))
            return (enum dt_api_action)actions[i].action;
    return DT_ACTION_NONE;
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
        if (function->api_class != DT_CALL_UNKNOWN)
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
        return !(inside->api_class == DT_CALL_END && function->api_class == DT_CALL_MPI);
    if (return_address >= dt_process.loader_low && return_address < dt_process.loader_high)
        return true;
    return !function->own_image && dt_image_has(function->image, return_address);
}

bool dt_api_thread_is_library(const struct dt_thread_state *thread, const struct dt_hooked_function *by,
                              const struct dt_hooked_function *inside)
{
    if (thread->kind == DT_THREAD_LIBRARY || !by)
        return true;
    return inside && inside->api_class != DT_CALL_OPENMP;
}
