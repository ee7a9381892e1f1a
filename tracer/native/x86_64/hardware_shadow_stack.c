/* Shadow stacks of the processor (CET): a process that has them on cannot return through our stubs. */
#include "native/x86_64/hardware_shadow_stack.h"

#include <stdio.h>
#include <stdlib.h>

#include "system/system.h"

/* Where there is no /proc. */
static bool is_on(void)
{
    enum { SHADOW_STACK_STATUS = 0x5005, SHADOW_STACK = 1 }; /* ARCH_SHSTK_STATUS, ARCH_SHSTK_SHSTK: since Linux 6.6 */
    uint64_t features = 0;
    long result = dt_syscall(SYS_arch_prctl, SHADOW_STACK_STATUS, (long)&features, 0, 0, 0, 0);
    return result == 0 && (features & SHADOW_STACK);
}

bool dt_has_hardware_shadow_stack(void)
{
    static const char key[] = "x86_Thread_features:";
    char line[256];
    bool found = false;
    const char *path = getenv("DIFFTRACE_STATUS"); /* for tests */
    FILE *file = fopen(path && *path ? path : "/proc/self/status", "re");
    if (!file)
        return is_on();
    while (fgets(line, sizeof line, file))
        found |= strncmp(line, key, sizeof key - 1) == 0 && strstr(line, "shstk");
    fclose(file);
    return found;
}
