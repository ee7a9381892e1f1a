/* The interpreter of filters against the kernel: children set random filters and make random calls. */
#include <errno.h>
#include <glib.h>
#include <linux/audit.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "native/system_filter.h"

enum { FILTERS = 100, CALLS = 40, MOST_STEPS = 40, HEAD = 8, FIRST_NUMBER = 5000, NUMBERS = 5 };

struct trial {
    uint32_t length;
    struct sock_filter code[HEAD + MOST_STEPS + 1];
};

static uint32_t below(GRand *random, uint32_t bound)
{
    return (uint32_t)g_rand_int_range(random, 0, (gint32)bound);
}

static uint32_t constant(GRand *random)
{
    static const uint32_t some[] = {0, 1, 2, 31, 0x7fffffff, 0x80000000, 0xffffffff, FIRST_NUMBER, FIRST_NUMBER + 2};
    return below(random, 3) ? some[below(random, G_N_ELEMENTS(some))] : g_rand_int(random);
}

/* Of the call, but for the address of the instruction. */
static uint32_t word(GRand *random)
{
    uint32_t at = below(random, 14);
    return at < 2 ? 4 * at : 16 + 4 * (at - 2);
}

static struct sock_filter computation(GRand *random)
{
    static const uint16_t operations[] = {BPF_ADD, BPF_SUB, BPF_MUL, BPF_DIV, BPF_AND,
                                          BPF_OR,  BPF_LSH, BPF_RSH, BPF_NEG, BPF_XOR};
    uint16_t operation = operations[below(random, G_N_ELEMENTS(operations))];
    gboolean by_x = operation != BPF_NEG && below(random, 2);
    uint32_t k = constant(random);
    if (operation == BPF_DIV && !k)
        k = 3;
    if (operation == BPF_LSH || operation == BPF_RSH)
        k %= 32;
    return (struct sock_filter)BPF_STMT((uint16_t)(BPF_ALU | operation | (by_x ? BPF_X : BPF_K)), by_x ? 0 : k);
}

static struct sock_filter jump(GRand *random, uint32_t left)
{
    static const uint16_t operations[] = {BPF_JA, BPF_JEQ, BPF_JGT, BPF_JGE, BPF_JSET};
    uint16_t operation = operations[below(random, G_N_ELEMENTS(operations))];
    if (operation == BPF_JA)
        return (struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA, below(random, left));
    gboolean by_x = below(random, 2) == 1;
    return (struct sock_filter)BPF_JUMP((uint16_t)(BPF_JMP | operation | (by_x ? BPF_X : BPF_K)),
                                        by_x ? 0 : constant(random), (uint8_t)below(random, left),
                                        (uint8_t)below(random, left));
}

/* The memory is written before: the kernel refuses a filter that may read what it has not written. */
static struct sock_filter step(GRand *random, uint32_t left)
{
    switch (below(random, 12)) {
    case 0:
        return (struct sock_filter)BPF_STMT(BPF_LD | BPF_IMM, constant(random));
    case 1:
        return (struct sock_filter)BPF_STMT(BPF_LDX | BPF_IMM, constant(random));
    case 2:
        return (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_LEN, 0);
    case 3:
        return (struct sock_filter)BPF_STMT(BPF_LDX | BPF_W | BPF_LEN, 0);
    case 4:
        return (struct sock_filter)BPF_STMT(below(random, 2) ? BPF_ST : BPF_STX, below(random, 2));
    case 5:
        return (struct sock_filter)BPF_STMT(below(random, 2) ? BPF_LD | BPF_MEM : BPF_LDX | BPF_MEM, below(random, 2));
    case 6:
        return (struct sock_filter)BPF_STMT(BPF_MISC | (below(random, 2) ? BPF_TAX : BPF_TXA), 0);
    case 7:
    case 8:
        return (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, word(random));
    case 9:
        return jump(random, left);
    default:
        return computation(random);
    }
}

/* Answers errors that tell of the accumulator: the filter's last words make it one of 1 to 1023. */
static void make_trial(GRand *random, struct trial *trial)
{
    uint32_t at = 0, count = 1 + below(random, MOST_STEPS - 8);
    trial->code[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0);
    /* All other calls are the test's own. */
    trial->code[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, FIRST_NUMBER, 1, 0);
    trial->code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    trial->code[at++] = (struct sock_filter)BPF_STMT(BPF_ST, 0);
    trial->code[at++] = (struct sock_filter)BPF_STMT(BPF_ST, 1);
    for (uint32_t i = 0; i < count; i++)
        trial->code[at++] = step(random, count - i);
    trial->code[at++] = (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 1023);
    trial->code[at++] = (struct sock_filter)BPF_STMT(BPF_ALU | BPF_OR | BPF_K, SECCOMP_RET_ERRNO | 1);
    trial->code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_A, 0);
    trial->length = at;
}

static void make_call(GRand *random, struct seccomp_data *call)
{
    memset(call, 0, sizeof(*call));
    call->arch = AUDIT_ARCH_X86_64;
    call->nr = (int)(FIRST_NUMBER + below(random, NUMBERS));
    for (int i = 0; i < 6; i++)
        call->args[i] = (uint64_t)constant(random) << 32 | constant(random);
}

static long make(const struct seccomp_data *call)
{
    const unsigned long long *with = call->args;
    return syscall(call->nr, with[0], with[1], with[2], with[3], with[4], with[5]) < 0 ? errno : 0;
}

/* In a child; one call ends it, if the filter says so: its error stays -1. */
static void ask_kernel(const struct trial *trials, int count, const struct seccomp_data *call, long *error)
{
    *error = -1;
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        for (int i = 0; i < count; i++) {
            struct sock_fprog program = {(unsigned short)trials[i].length, (struct sock_filter *)trials[i].code};
            if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
                _exit(77);
        }
        for (int i = 0; i < CALLS; i++)
            error[i] = make(&call[i]);
        _exit(0);
    }
    int status;
    g_assert_cmpint(waitpid(child, &status, 0), ==, child);
    g_assert_false(WIFEXITED(status) && WEXITSTATUS(status) == 77);
}

static uint32_t answer(const struct trial *trials, int count, const struct seccomp_data *call)
{
    uint32_t result = SECCOMP_RET_ALLOW;
    for (int i = count - 1; i >= 0; i--) /* the newest first */
        result = dt_system_filter_stricter(result, dt_system_filter_run(trials[i].code, trials[i].length, call));
    return result;
}

/* Calls after one that ends the process (a division by nought) are not made. */
static void compare(const struct trial *trials, int count, const struct seccomp_data *call, const long *error)
{
    for (int i = 0; i < CALLS; i++) {
        uint32_t expected = answer(trials, count, &call[i]);
        if ((expected & SECCOMP_RET_ACTION_FULL) != SECCOMP_RET_ERRNO) {
            g_assert_cmpuint(expected, ==, SECCOMP_RET_KILL_THREAD);
            g_assert_cmpint(error[i], ==, -1);
            return;
        }
        g_assert_cmpint(error[i], ==, expected & SECCOMP_RET_DATA);
    }
}

static void test_as_kernel(gconstpointer filters)
{
    int count = GPOINTER_TO_INT(filters);
    g_autoptr(GRand) random = g_rand_new_with_seed(7 + (guint32)count);
    long *error = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    g_assert_true(error != MAP_FAILED);
    for (int i = 0; i < FILTERS; i++) {
        struct trial trials[3];
        struct seccomp_data call[CALLS];
        for (int k = 0; k < count; k++)
            make_trial(random, &trials[k]);
        for (int k = 0; k < CALLS; k++) {
            make_call(random, &call[k]);
            error[k] = -1;
        }
        ask_kernel(trials, count, call, error);
        compare(trials, count, call, error);
    }
    munmap(error, 4096);
}

static void test_no_program(void)
{
    const struct seccomp_data call = {.nr = 1};
    const struct sock_filter endless[] = {BPF_STMT(BPF_JMP | BPF_JA, 0xffffffff)};
    const struct sock_filter outside[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 64), BPF_STMT(BPF_RET | BPF_K, ~0u)};
    const struct sock_filter no_memory[] = {BPF_STMT(BPF_ST, 16), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    g_assert_cmpuint(dt_system_filter_run(endless, 0, &call), ==, SECCOMP_RET_KILL_PROCESS);
    g_assert_cmpuint(dt_system_filter_run(endless, 1, &call), ==, SECCOMP_RET_KILL_PROCESS);
    g_assert_cmpuint(dt_system_filter_run(outside, 2, &call), ==, SECCOMP_RET_KILL_PROCESS);
    g_assert_cmpuint(dt_system_filter_run(no_memory, 2, &call), ==, SECCOMP_RET_KILL_PROCESS);
}

/* From the strictest on, as the manual has it. */
static void test_order(void)
{
    static const uint32_t order[] = {SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_KILL_THREAD, SECCOMP_RET_TRAP,
                                     SECCOMP_RET_ERRNO,        SECCOMP_RET_USER_NOTIF,  SECCOMP_RET_TRACE,
                                     SECCOMP_RET_LOG,          SECCOMP_RET_ALLOW};
    for (gsize i = 0; i < G_N_ELEMENTS(order); i++)
        for (gsize k = 0; k < G_N_ELEMENTS(order); k++)
            g_assert_cmpuint(dt_system_filter_stricter(order[i], order[k]), ==, order[MIN(i, k)]);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_data_func("/system-filter/one", GINT_TO_POINTER(1), test_as_kernel);
    g_test_add_data_func("/system-filter/three", GINT_TO_POINTER(3), test_as_kernel);
    g_test_add_func("/system-filter/no-program", test_no_program);
    g_test_add_func("/system-filter/order", test_order);
    return g_test_run();
}
