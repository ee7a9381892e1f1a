/* filters HOW: sets a filter of system calls and goes on working. Functions called before it and after it. */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 5000 };

#define ALLOW     BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define NUMBER    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))
#define PERMIT(n) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, n, 0, 1), ALLOW
#define KILL      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
#define PROGRAM(code)                                                                                                  \
    {                                                                                                                  \
        sizeof(code) / sizeof *(code), code                                                                            \
    }

static struct sock_filter whitelist_code[] = {
    NUMBER,
    PERMIT(SYS_read),
    PERMIT(SYS_write),
    PERMIT(SYS_exit_group),
    PERMIT(SYS_exit),
    PERMIT(SYS_brk),
    PERMIT(SYS_fstat),
    PERMIT(SYS_newfstatat),
    PERMIT(SYS_getrandom),
    PERMIT(SYS_rt_sigreturn),
    PERMIT(SYS_lseek),
    KILL,
};
/* What the tracer would do when its chunks are full, and when threads begin. */
static struct sock_filter errno_code[] = {
    NUMBER,
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fallocate, 1, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigprocmask, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINTR),
    ALLOW,
};
static struct sock_filter noexec_code[] = {
    NUMBER,
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 1, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 3),
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    ALLOW,
};
/* All that threads and children of fork need, but nothing that only the tracer calls. */
static struct sock_filter tracer_code[] = {
    NUMBER,
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fallocate, 6, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pwritev, 5, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_open, 4, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_gettid, 3, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpid, 2, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sigaltstack, 1, 0),
    ALLOW,
    KILL,
};
static struct sock_fprog whitelist = PROGRAM(whitelist_code), errors = PROGRAM(errno_code),
                         noexec = PROGRAM(noexec_code), no_tracer = PROGRAM(tracer_code);

long leaf(long a)
{
    volatile long x = a;
    return x + 1;
}

long descend(long a)
{
    return a <= 0 ? 0 : leaf(a) - a + descend(a - 1);
}

long work(long rounds)
{
    static const int depths[] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8};
    long sum = 0;
    for (long i = 0; i < rounds; i++)
        sum += descend(depths[i * i % 12]);
    return sum;
}

long before_filter(void)
{
    return work(1000);
}

long after_filter(void)
{
    return work(ROUNDS);
}

static void set(struct sock_fprog *program)
{
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program) != 0)
        _exit(99);
}

static void set_by_call(struct sock_fprog *program, unsigned flags)
{
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, program) != 0)
        _exit(98);
}

static void strict(void)
{
    char line[32];
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0)
        _exit(97);
    long sum = after_filter();
    int bytes = 0;
    for (char digits[20]; sum || !bytes;) {
        int count = 0;
        for (; sum; sum /= 10)
            digits[count++] = (char)('0' + sum % 10);
        while (count)
            line[bytes++] = digits[--count];
        line[bytes++] = '\n';
    }
    if (write(1, line, (size_t)bytes) < 0)
        syscall(SYS_exit, 96);
    syscall(SYS_exit, 7);
}

/* What the kernel refuses counts for nothing. */
static void refused(void)
{
    struct sock_filter wrong[] = {BPF_STMT(BPF_ALU | BPF_DIV | BPF_K, 0), KILL};
    struct sock_fprog program = PROGRAM(wrong), nowhere = {4, (struct sock_filter *)8};
    for (int i = 0; i < 100; i++) {
        int a = prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), first = errno;
        int b = prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL), second = errno;
        int c = prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &nowhere), third = errno;
        long d = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 1u << 30, &whitelist);
        if (!i)
            printf("%d %d %d %d %d %d %ld %d\n", a, first, b, second, c, third, d, errno);
    }
}

static pthread_barrier_t barrier;

static void *thread(void *argument)
{
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    *(long *)argument = after_filter();
    return NULL;
}

static void *late_thread(void *argument)
{
    *(long *)argument = after_filter();
    return NULL;
}

static long together(void)
{
    pthread_t threads[3];
    long sums[3] = {0}, sum = 0;
    pthread_barrier_init(&barrier, NULL, 4);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, thread, &sums[i]);
    pthread_barrier_wait(&barrier);
    set_by_call(&no_tracer, SECCOMP_FILTER_FLAG_TSYNC);
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
        sum += sums[i];
    }
    return sum;
}

static long create_late(void)
{
    pthread_t late;
    long sum = 0;
    set(&no_tracer);
    for (int i = 0; i < 5; i++) {
        long part = -1;
        if (pthread_create(&late, NULL, late_thread, &part) != 0 || pthread_join(late, NULL) != 0)
            return -1;
        sum += part;
    }
    return sum;
}

static long fork_late(void)
{
    set(&no_tracer);
    pid_t child = fork();
    if (child == 0)
        _exit((int)(after_filter() % 50));
    int status = 0;
    waitpid(child, &status, 0);
    return status;
}

/* All six arguments and the answer. */
static void plain_calls(void)
{
    void *memory = (void *)syscall(SYS_mmap, NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
    long wrong = syscall(SYS_close, -1);
    printf("%d %ld %d", memory != MAP_FAILED, wrong, errno);
    char name[17] = "";
    syscall(SYS_prctl, PR_SET_NAME, "filtered", 0, 0, 0);
    prctl(PR_GET_NAME, name);
    printf(" %s %d\n", name, prctl(-1, 0, 0, 0, 0));
}

int main(int count, char **arguments)
{
    const char *how = count > 1 ? arguments[1] : "";
    long sum = before_filter();
    char text[256];
    setvbuf(stdout, text, _IOFBF, sizeof text);
    plain_calls();
    fflush(stdout);
    if (strcmp(how, "strict") == 0)
        strict();
    refused();
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    refused();
    fflush(stdout);
    if (strcmp(how, "whitelist") == 0)
        set(&whitelist);
    else if (strcmp(how, "call") == 0)
        set_by_call(&whitelist, 0);
    else if (strcmp(how, "errno") == 0)
        set(&errors);
    else if (strcmp(how, "noexec") == 0)
        set(&noexec);
    else if (strcmp(how, "segv") == 0) {
        set(&whitelist);
        after_filter();
        *(volatile int *)8 = 1;
    } else if (strcmp(how, "together") == 0)
        sum += together();
    else if (strcmp(how, "threads") == 0)
        sum += create_late();
    else if (strcmp(how, "fork") == 0)
        sum += fork_late();
    sum += after_filter();
    printf("%ld\n", sum);
    fflush(stdout);
    return (int)(sum % 50);
}
