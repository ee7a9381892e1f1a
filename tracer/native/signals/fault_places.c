/* Where a fault was, as the program's handlers see it. They compare the program counter with instructions of functions,
 * and move it on: so a fault in an instruction that was relocated is shown where the instruction was. The stack is as
 * it would be there. When the handler returns, what it did not change goes on where the instruction is now, and so does
 * what it moved on within the bytes that a jump has overwritten.
 *
 * Only for faults. Where a signal from elsewhere hit does not matter to programs, and if the handler goes on by other
 * ways than its return (setcontext), nobody would put the place back. */

#include "native/signals/signals.h"
#include "native/stack/unwind_info.h"
#include "native/x86_64/instruction_length.h"

/* More than any stub has relocated. */
enum { MOST_BYTES = 64, LONGEST_INSTRUCTION = 15 };

/* Kept in what the kernel leaves alone of a signal's context. */
struct shown_place {
    uint64_t relocated, original; /* the instructions, now and before */
    uint64_t shown;
};

/* Branches are not copied as they are, and what comes behind them lies elsewhere. */
static bool is_branch(const uint8_t *code)
{
    return code[0] == 0xe8 || code[0] == 0xe9 || (code[0] == 0x0f && (code[1] & 0xf0) == 0x80);
}

/* Whether one of the relocated instructions begins there, and is as far from their start as it was. */
static bool is_relocated_instruction(uint64_t relocated, uint64_t offset)
{
    uint64_t done = 0;
    while (done < offset && offset < MOST_BYTES) {
        const uint8_t *code = (const uint8_t *)(relocated + done);
        unsigned length = is_branch(code) ? 0 : dt_instruction_length(code, LONGEST_INSTRUCTION);
        if (length == 0)
            return false;
        done += length;
    }
    return done == offset;
}

static bool is_fault(int number, const siginfo_t *info)
{
    return info->si_code > 0 && (dt_signal_is_watched(number) || number == SIGTRAP);
}

/* mov $15, %rax; syscall: else it was not the kernel that called. */
static bool returns_to_kernel(const uint64_t *return_address)
{
    static const uint8_t sigreturn[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
    return memcmp((const void *)*return_address, sigreturn, sizeof sigreturn) == 0;
}

void dt_fault_place_show(int number, siginfo_t *info, ucontext_t *context)
{
    greg_t *counter = &context->uc_mcontext.gregs[REG_RIP];
    uint64_t *return_address = (uint64_t *)context - 1, at = (uint64_t)*counter;
    struct shown_place place;
    if (!is_fault(number, info) || !dt_relocated_code_at(at, &place.relocated, &place.original) ||
        !is_relocated_instruction(place.relocated, at - place.relocated) || !returns_to_kernel(return_address))
        return;
    place.shown = place.original + (at - place.relocated);
    memcpy(context->uc_mcontext.__reserved1, &place, sizeof place);
    *counter = (greg_t)place.shown;
    if ((number == SIGILL || number == SIGFPE) && info->si_addr == (void *)at)
        info->si_addr = (void *)place.shown;
    *return_address = (uint64_t)dt_fault_return;
}

void dt_fault_place_put_back(ucontext_t *context)
{
    greg_t *counter = &context->uc_mcontext.gregs[REG_RIP];
    struct shown_place place;
    memcpy(&place, context->uc_mcontext.__reserved1, sizeof place);
    uint64_t offset = (uint64_t)*counter - place.original;
    /* Who goes to the start of a function means to call it. */
    if ((uint64_t)*counter == place.shown || (offset != 0 && is_relocated_instruction(place.relocated, offset)))
        *counter = (greg_t)place.relocated + (greg_t)offset;
}
