/* Generated code calls back into C, which unwinds through it, or leaves it by longjmp(); then it is written anew. */
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unwind.h>

extern void __register_frame(void *description);

static uint8_t *code;
static jmp_buf back;
static int frames, generated_frames;

/* The call frame information of `push %rbx; mov $callback, %rax; call *%rax; pop %rbx; ret`. */
static struct {
    uint32_t length, id;
    uint8_t cie[12];
    uint32_t fde_length, to_cie;
    uint64_t start, bytes;
    uint8_t fde[4];
    uint32_t end;
} __attribute__((packed))
description = {16, 0, {1, 0, 1, 0x78, 16, 0x0c, 7, 8, 0x90, 1, 0, 0}, 24, 24, 0, 15, {0x41, 0x0e, 16, 0}, 0};

static void generate(void (*callback)(void))
{
    static const uint8_t before[] = {0x53, 0x48, 0xb8}, after[] = {0xff, 0xd0, 0x5b, 0xc3};
    memcpy(code, before, sizeof before);
    memcpy(code + 3, &callback, sizeof callback);
    memcpy(code + 11, after, sizeof after);
}

static _Unwind_Reason_Code look(struct _Unwind_Context *context, void *unused)
{
    uint64_t at = _Unwind_GetIP(context);
    (void)unused;
    frames++;
    generated_frames += at >= (uint64_t)code && at < (uint64_t)code + 15;
    return _URC_NO_REASON;
}

static __attribute__((noinline)) void unwind(void)
{
    _Unwind_Backtrace(look, NULL);
}

static __attribute__((noinline)) void leave(void)
{
    longjmp(back, 1);
}

static __attribute__((noinline)) int run(int depth)
{
    volatile int left = depth;
    if (left > 0)
        return 1 + run(left - 1);
    ((void (*)(void))(uintptr_t)code)();
    return 0;
}

int main(void)
{
    code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (code == MAP_FAILED)
        return 9;
    description.start = (uint64_t)code;
    __register_frame(&description);
    volatile int jumps = 0, sum = 0;
    for (volatile int i = 0; i < 2000; i++) {
        generate(i % 2 ? unwind : leave);
        if (setjmp(back) == 0)
            sum += run(i % 7);
        else
            jumps++;
    }
    printf("%d frames, %d of them generated, %d jumps, %d\n", frames, generated_frames, jumps, sum);
    return generated_frames == 1000 ? 8 : 1;
}
