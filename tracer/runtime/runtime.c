/* Start of the runtime: the constructor of the preloaded library. Whatever goes wrong here leaves the program untraced,
 * never broken. */
#include "images.h"

extern void *__libc_stack_end;

__attribute__((constructor)) static void start(void)
{
    dt_guard++;
    dt_process.main_stack_high = (uint64_t)__libc_stack_end;
    if (dt_process_open()) {
        dt_threads_initialise();
        dt_process.active = dt_images_start();
    }
    dt_guard--;
}
