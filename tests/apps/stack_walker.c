/* An engine as the tracer knows them by a symbol: every function that it calls finds its callers' return addresses,
 * which must lie in this program. Built with -DENGINE=SYMBOL. */
#include <stdint.h>
#include <stdio.h>

extern const char __executable_start[], etext[];

struct frame {
    const struct frame *caller;
    uintptr_t return_address;
};

enum { DEPTH = 20 };

static int collect_garbage(void)
{
    const struct frame *frame = __builtin_frame_address(0);
    int strange = 0;
    for (int i = 0; i < DEPTH; i++, frame = frame->caller)
        strange += frame->return_address < (uintptr_t)__executable_start || frame->return_address >= (uintptr_t)etext;
    return strange;
}

/* Its computed jump keeps the tracer from hooking its returns instead of replacing return addresses. */
static int allocate(int depth)
{
    static const void *const ways[] = {&&deepest, &&deeper};
    int strange;
    goto *ways[depth != 0];
deeper:
    strange = allocate(depth - 1);
    return strange;
deepest:
    strange = collect_garbage();
    return strange;
}

int ENGINE = 1;

int main(void)
{
    int strange = allocate(DEPTH);
    printf("%d strange return addresses\n", strange);
    return strange != 0;
}
