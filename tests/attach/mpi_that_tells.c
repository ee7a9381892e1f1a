/*
 * An MPI that tells with what it was called and then waits for ever: what a caller passed is known from its callee. It
 * forgets all that it was given, in registers and on the stack, before it waits. Built with the mpi.h of either MPI.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#if defined(OPEN_MPI)
/* What its handles point to, large enough for all that declare them. */
#define OBJECT(name) __attribute__((visibility("hidden"), aligned(32))) char name[512];
#pragma GCC diagnostic ignored "-Wbuiltin-declaration-mismatch"
/* clang-format off */
OBJECT(told_world) OBJECT(told_self) OBJECT(told_int) OBJECT(told_double) OBJECT(told_char) OBJECT(told_sum)
__asm__(
    ".globl ompi_mpi_comm_world, ompi_mpi_comm_self, ompi_mpi_int, ompi_mpi_double, ompi_mpi_char, ompi_mpi_op_sum\n"
    ".type ompi_mpi_comm_world, @object\n.type ompi_mpi_comm_self, @object\n.type ompi_mpi_int, @object\n"
    ".type ompi_mpi_double, @object\n.type ompi_mpi_char, @object\n.type ompi_mpi_op_sum, @object\n"
    ".size ompi_mpi_comm_world, 512\n.size ompi_mpi_comm_self, 512\n.size ompi_mpi_int, 512\n"
    ".size ompi_mpi_double, 512\n.size ompi_mpi_char, 512\n.size ompi_mpi_op_sum, 512\n"
    "ompi_mpi_comm_world = told_world\nompi_mpi_comm_self = told_self\nompi_mpi_int = told_int\n"
    "ompi_mpi_double = told_double\nompi_mpi_char = told_char\nompi_mpi_op_sum = told_sum\n");
/* clang-format on */
void ompi_mpi_init(void);
void ompi_mpi_init(void)
{
}
#else
void MPII_Comm_get_attr(void);
void MPII_Comm_get_attr(void)
{
}
#endif

/* Names of the predefined objects are what the reader tells; handles differ. */
static const char *name_of(uint64_t handle)
{
    const struct {
        uint64_t handle;
        const char *name;
    } names[] = {{(uint64_t)MPI_COMM_WORLD, "MPI_COMM_WORLD"},
                 {(uint64_t)MPI_COMM_SELF, "MPI_COMM_SELF"},
                 {(uint64_t)MPI_INT, "MPI_INT"},
                 {(uint64_t)MPI_DOUBLE, "MPI_DOUBLE"},
                 {(uint64_t)MPI_CHAR, "MPI_CHAR"},
                 {(uint64_t)MPI_SUM, "MPI_SUM"}};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if ((sizeof(MPI_Comm) == sizeof(int) ? (uint32_t)names[i].handle : names[i].handle) == handle)
            return names[i].name;
    return "-";
}

static void tell(const char *function, int count, const uint64_t *given)
{
    char line[1024];
    int used = snprintf(line, sizeof line, "%d %s", (int)getpid(), function);
    for (int i = 0; i < count; i++)
        used += snprintf(line + used, sizeof line - (size_t)used, " %llu/%s", (unsigned long long)given[i],
                         name_of(sizeof(MPI_Comm) == sizeof(int) ? (uint32_t)given[i] : given[i]));
    line[used++] = '\n';
    if (write(STDOUT_FILENO, line, (size_t)used) != used)
        _exit(3);
}

/* What the ABI lets a callee do. */
static void forget(void)
{
    __asm__ volatile("mov $0x5a5a5a5a, %%eax\n mov %%eax, %%ecx\n mov %%eax, %%edx\n mov %%eax, %%esi\n"
                     "mov %%eax, %%edi\n mov %%eax, %%r8d\n mov %%eax, %%r9d\n mov %%eax, %%r10d\n mov %%eax, %%r11d"
                     :
                     :
                     : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory");
}

__attribute__((noinline)) static int wait_for_ever(volatile uint64_t *on_stack, int count)
{
    for (int i = 0; i < count; i++)
        on_stack[i] = 0x1234567812345678;
    forget();
    for (;;)
        pause();
    return 0;
}

/* All parameters are of the integer class: six in registers, the others behind the return address. */
#define CALL(name, parameters)                                                                                         \
    int told_##name(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f)                            \
    {                                                                                                                  \
        uint64_t *frame = __builtin_frame_address(0), given[12] = {a, b, c, d, e, f};                                  \
        int more = parameters > 6 ? parameters - 6 : 0;                                                                \
        memcpy(given + 6, frame + 2, sizeof *frame * (size_t)more);                                                    \
        tell(#name, parameters, given);                                                                                \
        return wait_for_ever(frame + 2, more);                                                                         \
    }                                                                                                                  \
    __asm__(".globl " #name "\n.type " #name ", @function\n" #name " = told_" #name "\n");
#pragma GCC optimize("no-omit-frame-pointer")
#define DECLARED(name)                                                                                                 \
    __attribute__((visibility("hidden"))) int told_##name(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);
DECLARED(MPI_Recv)
DECLARED(MPI_Send)
DECLARED(MPI_Ssend)
DECLARED(MPI_Probe)
DECLARED(MPI_Sendrecv)
DECLARED(MPI_Sendrecv_replace)
DECLARED(MPI_Bcast)
DECLARED(MPI_Barrier)
DECLARED(MPI_Reduce)
DECLARED(MPI_Allreduce)
DECLARED(MPI_Gather)
DECLARED(MPI_Waitall)
CALL(MPI_Recv, 7)
CALL(MPI_Send, 6)
CALL(MPI_Ssend, 6)
CALL(MPI_Probe, 4)
CALL(MPI_Sendrecv, 12)
CALL(MPI_Sendrecv_replace, 9)
CALL(MPI_Bcast, 5)
CALL(MPI_Barrier, 1)
CALL(MPI_Reduce, 7)
CALL(MPI_Allreduce, 6)
CALL(MPI_Gather, 8)
CALL(MPI_Waitall, 3)
