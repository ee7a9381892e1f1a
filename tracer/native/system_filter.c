#include "native/system_filter.h"

#include <stdbool.h>
#include <string.h>

struct machine {
    uint32_t a, x, memory[BPF_MEMWORDS];
};

/* Words of the call at multiples of four: the kernel takes no other. */
static bool load(const struct seccomp_data *call, uint32_t offset, uint32_t *value)
{
    if (offset % sizeof *value || offset > sizeof *call - sizeof *value)
        return false;
    memcpy(value, (const uint8_t *)call + offset, sizeof *value);
    return true;
}

static bool load_a(struct machine *machine, const struct sock_filter *step, const struct seccomp_data *call)
{
    switch (BPF_MODE(step->code)) {
    case BPF_ABS:
        return load(call, step->k, &machine->a);
    case BPF_IMM:
        machine->a = step->k;
        return true;
    case BPF_LEN:
        machine->a = sizeof *call;
        return true;
    case BPF_MEM:
        if (step->k >= BPF_MEMWORDS)
            return false;
        machine->a = machine->memory[step->k];
        return true;
    default:
        return false;
    }
}

static bool load_x(struct machine *machine, const struct sock_filter *step)
{
    switch (BPF_MODE(step->code)) {
    case BPF_IMM:
        machine->x = step->k;
        return true;
    case BPF_LEN:
        machine->x = sizeof(struct seccomp_data);
        return true;
    case BPF_MEM:
        if (step->k >= BPF_MEMWORDS)
            return false;
        machine->x = machine->memory[step->k];
        return true;
    default:
        return false;
    }
}

static bool store(struct machine *machine, const struct sock_filter *step, uint32_t value)
{
    if (step->k >= BPF_MEMWORDS)
        return false;
    machine->memory[step->k] = value;
    return true;
}

static uint32_t operand(const struct machine *machine, const struct sock_filter *step)
{
    return BPF_SRC(step->code) == BPF_X ? machine->x : step->k;
}

/* False: the program ends, by a division by nought or an instruction that filters may not have. */
static bool compute(struct machine *machine, const struct sock_filter *step)
{
    uint32_t by = operand(machine, step);
    switch (BPF_OP(step->code)) {
    case BPF_ADD:
        machine->a += by;
        return true;
    case BPF_SUB:
        machine->a -= by;
        return true;
    case BPF_MUL:
        machine->a *= by;
        return true;
    case BPF_DIV:
        machine->a = by ? machine->a / by : 0;
        return by != 0;
    case BPF_AND:
        machine->a &= by;
        return true;
    case BPF_OR:
        machine->a |= by;
        return true;
    case BPF_XOR:
        machine->a ^= by;
        return true;
    case BPF_LSH:
        machine->a <<= by & 31;
        return true;
    case BPF_RSH:
        machine->a >>= by & 31;
        return true;
    case BPF_NEG:
        machine->a = -machine->a;
        return true;
    default:
        return false;
    }
}

static uint32_t distance(const struct machine *machine, const struct sock_filter *step)
{
    uint32_t with = operand(machine, step);
    bool holds = false;
    switch (BPF_OP(step->code)) {
    case BPF_JA:
        return step->k;
    case BPF_JEQ:
        holds = machine->a == with;
        break;
    case BPF_JGT:
        holds = machine->a > with;
        break;
    case BPF_JGE:
        holds = machine->a >= with;
        break;
    case BPF_JSET:
        holds = machine->a & with;
        break;
    default:
        break;
    }
    return holds ? step->jt : step->jf;
}

static void move(struct machine *machine, const struct sock_filter *step)
{
    if (BPF_MISCOP(step->code) == BPF_TAX)
        machine->x = machine->a;
    else
        machine->a = machine->x;
}

/* Jumps go forward only, so that every program ends. */
uint32_t dt_system_filter_run(const struct sock_filter *code, uint32_t length, const struct seccomp_data *call)
{
    struct machine machine;
    memset(&machine, 0, sizeof machine);
    for (uint64_t at = 0; at < length; at++) {
        const struct sock_filter *step = &code[at];
        bool goes_on = true;
        switch (BPF_CLASS(step->code)) {
        case BPF_LD:
            goes_on = load_a(&machine, step, call);
            break;
        case BPF_LDX:
            goes_on = load_x(&machine, step);
            break;
        case BPF_ST:
            goes_on = store(&machine, step, machine.a);
            break;
        case BPF_STX:
            goes_on = store(&machine, step, machine.x);
            break;
        case BPF_ALU:
            if (!compute(&machine, step))
                return SECCOMP_RET_KILL_THREAD; /* 0, as the kernel has it */
            break;
        case BPF_JMP:
            at += distance(&machine, step);
            break;
        case BPF_RET:
            return BPF_RVAL(step->code) == BPF_A ? machine.a : step->k;
        default:
            move(&machine, step);
        }
        if (!goes_on)
            break;
    }
    return SECCOMP_RET_KILL_PROCESS;
}

uint32_t dt_system_filter_stricter(uint32_t first, uint32_t second)
{
    int32_t a = (int32_t)(first & SECCOMP_RET_ACTION_FULL), b = (int32_t)(second & SECCOMP_RET_ACTION_FULL);
    return b < a ? second : first;
}
