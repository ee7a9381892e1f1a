/* Shadow stacks of the processor (CET): a process that has them on cannot return through our stubs. */
#include <stdio.h>
#include <stdlib.h>

#include "runtime.h"

bool dt_has_hardware_shadow_stack(void)
{
    static const char key[] = "x86_Thread_features:";
    char line[256];
    bool found = false;
    const char *path = getenv("DIFFTRACE_STATUS"); /* for tests */
    FILE *file = fopen(path && *path ? path : "/proc/self/status", "re");
    while (file && fgets(line, sizeof line, file))
        found |= strncmp(line, key, sizeof key - 1) == 0 && strstr(line, "shstk") != NULL;
    if (file)
        fclose(file);
    return found;
}
