/* Making a plan: what the names of functions say. */
#include "native/plan/plan_names.h"

#include "images/function_filter.h"
#include "record/api_rules.h"

/* Their return address, or the stack they return on, is part of what they do. */
static const char *const unhookable[] = {"setjmp",
                                         "_setjmp",
                                         "__sigsetjmp",
                                         "sigsetjmp",
                                         "savectx",
                                         "vfork",
                                         "__vfork",
                                         "getcontext",
                                         "swapcontext",
                                         "makecontext",
                                         "setcontext",
                                         "__getcontext",
                                         "__setcontext",
                                         "longjmp",
                                         "siglongjmp",
                                         "_longjmp",
                                         "__longjmp_chk",
                                         "dlopen",
                                         "dlsym",
                                         "dlvsym",
                                         "dlmopen",
                                         "dlclose",
                                         "dladdr",
                                         "dladdr1",
                                         "dlinfo",
                                         "clone",
                                         "__clone",
                                         "__clone3",
                                         "fork",
                                         "__libc_fork",
                                         "__fork",
                                         "_Fork",
                                         "backtrace",
                                         "__restore_rt",
                                         "__start_context",
                                         "__tls_get_addr",
                                         "___tls_get_addr",
                                         "_dl_runtime_resolve",
                                         "__morestack",
                                         "mcount",
                                         "_mcount",
                                         "__fentry__",
                                         "__cyg_profile_func_enter",
                                         "__cyg_profile_func_exit",
                                         NULL};

static const struct {
    const char *name;
    enum dt_runtime_hook hook;
} runtime_hooks[] = {{"_Unwind_RaiseException", DT_HOOK_UNWIND},
                     {"_Unwind_Resume", DT_HOOK_UNWIND},
                     {"_Unwind_Resume_or_Rethrow", DT_HOOK_UNWIND},
                     {"_Unwind_ForcedUnwind", DT_HOOK_UNWIND},
                     {"_Unwind_Backtrace", DT_HOOK_BACKTRACE},
                     {"_Unwind_Find_FDE", DT_HOOK_FIND_FDE},
                     {"__cxa_begin_catch", DT_HOOK_CATCH},
                     {"longjmp", DT_HOOK_JUMP},
                     {"_longjmp", DT_HOOK_JUMP},
                     {"siglongjmp", DT_HOOK_JUMP},
                     {"__libc_longjmp", DT_HOOK_JUMP},
                     {"__libc_siglongjmp", DT_HOOK_JUMP},
                     {"__longjmp_chk", DT_HOOK_JUMP},
                     {"setcontext", DT_HOOK_CONTEXT},
                     {"__setcontext", DT_HOOK_CONTEXT},
                     {"swapcontext", DT_HOOK_SWAP},
                     {"__swapcontext", DT_HOOK_SWAP}};

static bool listed(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(name, *names) == 0)
            return true;
    return false;
}

static bool has_prefix(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

/* A program's own longjmp keeps what it jumps to in some other way. */
enum dt_runtime_hook dt_plan_hook_of(const char *name, bool runtime_library)
{
    for (size_t i = 0; i < sizeof runtime_hooks / sizeof *runtime_hooks; i++)
        if (strcmp(name, runtime_hooks[i].name) == 0)
            return runtime_library || runtime_hooks[i].hook < DT_HOOK_JUMP ? runtime_hooks[i].hook : DT_HOOK_NONE;
    return DT_HOOK_NONE;
}

bool dt_plan_wants_in_library(const char *name)
{
    return dt_plan_hook_of(name, true) != DT_HOOK_NONE || dt_call_recorded(name) != DT_CALL_UNKNOWN;
}

enum dt_skip_reason dt_plan_reason_by_name(const struct dt_elf_function *function, bool runtime_library)
{
    const char *name = function->name;
    if (dt_plan_hook_of(name, runtime_library) != DT_HOOK_NONE)
        return DT_HOOKED;
    if (dt_is_startup_code(name))
        return DT_SKIP_STARTUP;
    if (function->type == STT_GNU_IFUNC)
        return DT_SKIP_RESOLVER;
    if (strstr(name, ".cold"))
        return DT_SKIP_COLD_PART;
    if (listed(name, unhookable) || has_prefix(name, "uw_") || has_prefix(name, "_Unwind_") ||
        has_prefix(name, "__gxx_") || has_prefix(name, "__gcc_personality"))
        return DT_SKIP_EXCLUDED;
    return DT_HOOKED;
}

/* MPI's calls are ours wherever they are defined; the others only in libraries: a program may have an `omp_` of its
 * own. */
void dt_plan_classify(struct dt_plan_function *planned, const char *name, bool runtime_library)
{
    enum dt_call_class class = dt_call_recorded(name);
    if (!runtime_library && class != DT_CALL_MPI)
        class = DT_CALL_UNKNOWN;
    planned->api_class = (uint8_t) class;
    planned->action = class == DT_CALL_UNKNOWN ? DT_ACTION_NONE : (uint8_t)dt_api_action(name);
    planned->hook = (uint8_t)dt_plan_hook_of(name, runtime_library);
}
