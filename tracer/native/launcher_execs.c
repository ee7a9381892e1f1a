/* Ranks that a launcher's daemon starts: the daemon is not traced, so its calls are not hooked. The functions of the C
 * library by which daemons execute programs are replaced by ours, which tell of ranks that will leave no file, and call
 * them. In traced processes they only pass on: there the calls are seen at the functions' own entries. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "native/signals/signals.h"
#include "record/process.h"
#include "record/unrecorded.h"

#define DT_EXPORTED __attribute__((visibility("default")))

static struct {
    bool daemon; /* this process starts ranks and is none */
    int (*execve)(const char *, char *const *, char *const *);
    int (*execvp)(const char *, char *const *);
} view;

/* Looked up beforehand: the child of a vfork must not ask the loader. */
void dt_launcher_execs_initialise(bool wanted)
{
    *(void **)&view.execve = dt_hidden_function("execve");
    *(void **)&view.execvp = dt_hidden_function("execvp");
    view.daemon = !wanted && dt_process.options.launcher && *dt_process.options.run;
}

static void tell(const char *path, char *const *environment)
{
    char name[DT_EXEC_NAME_BYTES];
    const struct dt_exec_call call = {AT_FDCWD, path, 0, environment};
    if (!dt_exec_has_rank(environment) || access(path, X_OK) != 0)
        return;
    uint32_t reason = dt_exec_foretell(&call, name);
    if (reason != DT_UNRECORDED_UNKNOWN && reason != DT_UNRECORDED_ON_PURPOSE)
        dt_unrecorded_log(dt_sys_pid(), reason, name);
}

/* As execvp() looks for it; the first that can be executed. */
static void tell_of_path(const char *file)
{
    char path[DT_EXEC_NAME_BYTES], *end = path + sizeof path;
    const char *folders = getenv("PATH");
    while (folders && *folders) {
        size_t length = 0;
        while (folders[length] && folders[length] != ':')
            length++;
        if (length > 0 && length + strlen(file) + 2 < sizeof path) {
            memcpy(path, folders, length);
            dt_line_append(dt_line_append(path + length, end, "/"), end, file);
            if (access(path, X_OK) == 0) {
                tell(path, environ);
                return;
            }
        }
        folders += length + (folders[length] == ':');
    }
}

static bool has_slash(const char *text)
{
    while (*text && *text != '/')
        text++;
    return *text == '/';
}

DT_EXPORTED int execve(const char *path, char *const *arguments, char *const *environment)
{
    if (view.daemon)
        tell(path, environment);
    if (!view.execve) /* before this library has started */
        *(void **)&view.execve = dt_hidden_function("execve");
    return view.execve(path, arguments, environment);
}

DT_EXPORTED int execvp(const char *file, char *const *arguments)
{
    if (view.daemon && has_slash(file))
        tell(file, environ);
    else if (view.daemon)
        tell_of_path(file);
    if (!view.execvp)
        *(void **)&view.execvp = dt_hidden_function("execvp");
    return view.execvp(file, arguments);
}
