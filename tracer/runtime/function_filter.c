/* Functions by their names: --include and --exclude, and what runs before the program. The same for every engine. */
#include <regex.h>

#include "runtime.h"

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
