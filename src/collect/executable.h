/** What a command is before it is started: found, dynamic, static, privileged. */
#ifndef DT_COLLECT_EXECUTABLE_H
#define DT_COLLECT_EXECUTABLE_H

#include <glib.h>

typedef enum {
    DT_EXECUTABLE_DYNAMIC, /* an x86-64 ELF that the dynamic loader starts */
    DT_EXECUTABLE_STATIC,
    DT_EXECUTABLE_FOREIGN, /* an ELF of another machine or class */
    DT_EXECUTABLE_OTHER    /* no ELF and no script: left to the kernel */
} DtExecutableKind;

/** The file that `command` names, on PATH if it has no slash; g_free(). NULL and `error` if there is none to run. */
char *dt_executable_find(const char *command, GError **error);

/** Looks through `#!` to the interpreter. */
DtExecutableKind dt_executable_kind(const char *path);

/** What runs a file that is no ELF: the interpreter that its `#!` names, with its argument if there is one, else the
 * shell; g_strfreev(). NULL for ELF files and those that cannot be read. */
char **dt_executable_interpreter(const char *path);

/**
 * What would have to run the file and is not there: a script's interpreter or a
 * program's loader; g_free(). NULL if nothing is missing.
 */
char *dt_executable_missing_interpreter(const char *path);

/** TRUE if the kernel gives it privileges that we lack, so that the loader ignores LD_PRELOAD. */
gboolean dt_executable_privileged(const char *path);

#endif
