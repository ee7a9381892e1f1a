/* Functions by their names: --include and --exclude, and what runs before the program. The same for every engine. */
#include "images/function_filter.h"

#include <regex.h>

#include "record/process.h"

struct expression {
    bool compiled, valid;
    regex_t regex;
};

/* A broken expression matches nothing; the collector has checked it. */
static bool matches(struct expression *expression, const char *text, const char *name)
{
    if (!expression->compiled) {
        expression->compiled = true;
        expression->valid = *text && regcomp(&expression->regex, text, REG_EXTENDED | REG_NOSUB) == 0;
    }
    return expression->valid && regexec(&expression->regex, name, 0, NULL, 0) == 0;
}

bool dt_is_filtered_out(const char *name)
{
    static struct expression include, exclude;
    const struct dt_options *options = &dt_process.options;
    return (*options->include && !matches(&include, options->include, name)) ||
           matches(&exclude, options->exclude, name);
}

static const char *const startup[] = {"_start",
                                      "_init",
                                      "_fini",
                                      "__libc_start_main",
                                      "__gmon_start__",
                                      "monstartup",
                                      "__monstartup",
                                      "_dl_relocate_static_pie",
                                      "frame_dummy",
                                      "register_tm_clones",
                                      "deregister_tm_clones",
                                      "__do_global_dtors_aux",
                                      NULL};

bool dt_is_startup_code(const char *name)
{
    for (const char *const *known = startup; *known; known++)
        if (strcmp(name, *known) == 0)
            return true;
    return false;
}

/* In C++ they are in namespaces of these names: what is left of a mangled name once _ZN, K, and a length are gone. */
bool dt_is_sanitizer_function(const char *name)
{
    static const char *const prefixes[] = {"__sanitizer",   "__asan",         "__lsan",  "__tsan",
                                           "__msan",        "__hwasan",       "__ubsan", "__interception",
                                           "__interceptor", "___interceptor", NULL};
    if (strncmp(name, "_ZN", 3) == 0)
        name += name[3] == 'K' ? 4 : 3;
    while (*name >= '0' && *name <= '9')
        name++;
    for (const char *const *prefix = prefixes; name[0] == '_' && *prefix; prefix++)
        if (strncmp(name, *prefix, strlen(*prefix)) == 0)
            return true;
    return false;
}
