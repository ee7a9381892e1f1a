/* Start of the runtime: the constructor of the preloaded library. Whatever goes wrong here leaves the program untraced,
 * never broken. */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <sys/auxv.h>

#include "native/agent.h"
#include "native/patch/arena.h"
#include "native/patch/images.h"
#include "native/signals/signals.h"
#include "native/stack/threads.h"
#include "native/x86_64/hardware_shadow_stack.h"
#include "record/debug.h"
#include "record/switch.h"
#include "record/times.h"
#include "record/trace_writer.h"
#include "record/unrecorded.h"
#include "system/reserved_memory.h"

/* Only the GNU C library has it. */
extern void *__libc_stack_end __attribute__((weak));

/* General registers are all that it touches: the kernel is compiled so. */
static void find_clock(void)
{
    if (!dt_counter_is_allowed()) {
        dt_times_forbid();
        return;
    }
    void *kernel = dlopen("linux-vdso.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (kernel)
        *(void **)&dt_process.clock = dlsym(kernel, "__vdso_clock_gettime");
}

static bool is_script(const char *path)
{
    char begin[2] = "";
    long fd = dt_syscall(SYS_open, (long)path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0, 0, 0, 0);
    if (dt_failed(fd))
        return false;
    dt_syscall(SYS_read, fd, (long)begin, sizeof begin, 0, 0, 0);
    dt_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
    return begin[0] == '#' && begin[1] == '!';
}

/* A script's interpreter is the first of its arguments. */
static void find_start(char **arguments)
{
    const char *executed = (const char *)getauxval(AT_EXECFN);
    dt_process.arguments = arguments;
    dt_process.executed = executed && is_script(executed) ? arguments[0] : executed;
}

/* The loader is done with this library: its code and data stay where they are. */
static void keep_own_image(void)
{
    extern const Elf64_Ehdr own_image __asm__("__ehdr_start") __attribute__((visibility("hidden")));
    uint8_t *start = (uint8_t *)(uint64_t)&own_image;
    const Elf64_Phdr *segments = (const Elf64_Phdr *)(start + own_image.e_phoff);
    uint64_t bytes = 0;
    for (int i = 0; i < own_image.e_phnum; i++)
        if (segments[i].p_type == PT_LOAD)
            bytes = (segments[i].p_vaddr + segments[i].p_memsz + 4095) & ~4095ul;
    dt_keep_mapped(start, bytes);
}

/* Another C library gives no arguments. */
__attribute__((constructor)) static void start(int count, char **arguments)
{
    (void)count;
    int before = errno;
    dt_guard++;
    if (!dt_is_gnu_c_library()) {
        dt_process_leave(DT_UNRECORDED_LIBRARY);
        errno = before;
        return;
    }
    find_start(arguments);
    dt_process.main_stack_high = (uint64_t)__libc_stack_end;
    bool wanted = dt_process_open();
    dt_launcher_execs_initialise(wanted);
    if (wanted)
        dt_agent_start();
    if (wanted && dt_has_hardware_shadow_stack()) {
        dt_writer_stop(EOPNOTSUPP);
    } else if (wanted && !dt_memory_may_change_as_code()) {
        dt_writer_stop(ENOEXEC);
    } else if (wanted && !dt_memory_is_enough()) {
        dt_writer_stop(ENOMEM);
    } else if (wanted) {
        find_clock();
        dt_switch_initialise();
        dt_threads_initialise();
        dt_process.active = dt_images_start();
        if (dt_process.active) {
            dt_signals_initialise();
            keep_own_image();
        }
        dt_writer_show();
        dt_debug(DT_DEBUG_START, "functions hooked:", dt_function_count, NULL);
    }
    dt_guard--;
    errno = before; /* 0, as the program finds it without us */
}
