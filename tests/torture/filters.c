/* Filters for system calls that the program sets for itself. What it does afterwards it could do untraced. */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "torture.h"

#define LENGTH(array) (unsigned short)(sizeof(array) / sizeof *(array))
#define LOAD(field)   BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(what)  BPF_STMT(BPF_RET | BPF_K, what)
/* The action for a call, the next test for others. */
#define CALL(number, action) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), RETURN(action)
#define ALLOW(number)        CALL(number, SECCOMP_RET_ALLOW)
/* The action where the argument has one of these bits. */
#define WITH_BITS(number, field, bits, action)                                                                         \
    LOAD(nr), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 3), LOAD(field),                                          \
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1), RETURN(action)

/* ---- the ways to set one ------------------------------------------------------------------------ */

static void no_new_privileges(void)
{
    see("no_new_privs", prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
}

static void by_prctl(struct sock_fprog *program)
{
    see("filter", prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program));
}

static void by_seccomp(struct sock_fprog *program)
{
    see("filter", syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, program));
}

static void by_seccomp_for_all(struct sock_fprog *program)
{
    see("filter", syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, program));
}

static void by_system_call(struct sock_fprog *program)
{
    see("filter", syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program));
}

static void by_instruction(struct sock_fprog *program)
{
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"((long)SYS_seccomp), "D"((long)SECCOMP_SET_MODE_FILTER), "S"(0l), "d"(program)
                     : "rcx", "r11", "memory");
    see("filter", result);
}

static void filter_for_what_follows(void (*set)(struct sock_fprog *), unsigned action)
{
    struct sock_filter code[] = {LOAD(nr), ALLOW(SYS_write), ALLOW(SYS_exit_group), ALLOW(SYS_exit), RETURN(action)};
    struct sock_fprog program = {LENGTH(code), code};
    no_new_privileges();
    set(&program);
}

/* Sleeps and locks are there, too. */
static void filter_for_threads(void (*set)(struct sock_fprog *))
{
    struct sock_filter code[] = {LOAD(nr),
                                 ALLOW(SYS_write),
                                 ALLOW(SYS_exit_group),
                                 ALLOW(SYS_exit),
                                 ALLOW(SYS_futex),
                                 ALLOW(SYS_clone),
                                 ALLOW(SYS_clone3),
                                 ALLOW(SYS_set_robust_list),
                                 ALLOW(SYS_rseq),
                                 ALLOW(SYS_madvise),
                                 ALLOW(SYS_munmap),
                                 ALLOW(SYS_mprotect),
                                 ALLOW(SYS_mmap),
                                 ALLOW(SYS_rt_sigprocmask),
                                 ALLOW(SYS_wait4),
                                 ALLOW(SYS_brk),
                                 ALLOW(SYS_getrandom),
                                 ALLOW(SYS_rt_sigaction),
                                 RETURN(SECCOMP_RET_KILL_PROCESS)};
    struct sock_fprog program = {LENGTH(code), code};
    no_new_privileges();
    set(&program);
}

static void toil_and_end(void)
{
    toil();
    beats(100);
    say("done\n");
    _exit(7);
}

/* ---- programs ---------------------------------------------------------------------------------- */

static void *toil_in_thread(void *unused)
{
    beats(100);
    toil();
    return unused;
}

static void strict(void)
{
    see("strict", prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT));
    toil();
    beats(100);
    say("done\n");
    syscall(SYS_exit, 7);
}

static void strict_by_seccomp(void)
{
    see("strict", syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 0, NULL));
    toil();
    say("done\n");
    syscall(SYS_exit, 7);
}

/* Reading the processor's counter ends the thread, those that it makes, and what it executes. */
static void no_counter(void)
{
    pthread_t thread;
    see("tsc", prctl(PR_SET_TSC, PR_TSC_SIGSEGV));
    see("pthread_create", pthread_create(&thread, NULL, toil_in_thread, NULL));
    pthread_join(thread, NULL);
    in_child("child", toil);
    toil();
    become("then_toil");
}

static void killing_by_prctl(void)
{
    filter_for_what_follows(by_prctl, SECCOMP_RET_KILL_PROCESS);
    toil_and_end();
}

static void killing_by_seccomp(void)
{
    filter_for_what_follows(by_seccomp, SECCOMP_RET_KILL_PROCESS);
    toil_and_end();
}

static void killing_by_system_call(void)
{
    filter_for_what_follows(by_system_call, SECCOMP_RET_KILL_PROCESS);
    toil_and_end();
}

static void killing_by_instruction(void)
{
    filter_for_what_follows(by_instruction, SECCOMP_RET_KILL_PROCESS);
    toil_and_end();
}

static void refusing_all(void)
{
    filter_for_what_follows(by_prctl, SECCOMP_RET_ERRNO | EPERM);
    toil_and_end();
}

/* It must not take a call of ours for the program's. */
static void killed_by_its_own_call(void)
{
    filter_for_what_follows(by_prctl, SECCOMP_RET_KILL_PROCESS);
    toil();
    say("now\n");
    getppid();
    say("survived\n");
}

static volatile int traps;

static void on_trap(int number, siginfo_t *info, void *context)
{
    (void)number;
    traps++;
    beat();
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_RAX] = info->si_syscall == SYS_getppid ? 42 : -ENOSYS;
}

/* The handler answers in the kernel's stead, as browsers' sandboxes do. */
static void trapping(void)
{
    struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigaction(SIGSYS, &action, NULL);
    struct sock_filter code[] = {LOAD(nr),
                                 ALLOW(SYS_write),
                                 ALLOW(SYS_exit_group),
                                 ALLOW(SYS_rt_sigreturn),
                                 ALLOW(SYS_rt_sigprocmask),
                                 RETURN(SECCOMP_RET_TRAP)};
    struct sock_fprog program = {LENGTH(code), code};
    no_new_privileges();
    by_prctl(&program);
    toil();
    see("getppid", getppid());
    see("traps", traps);
}

static void without_a_tracer(void)
{
    struct sock_filter code[] = {LOAD(nr), CALL(SYS_getppid, SECCOMP_RET_TRACE), RETURN(SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {LENGTH(code), code};
    no_new_privileges();
    by_prctl(&program);
    toil();
    see("getppid", syscall(SYS_getppid));
}

static void *thread_that_is_killed(void *unused)
{
    struct sock_filter code[] = {LOAD(nr), CALL(SYS_getppid, SECCOMP_RET_KILL_THREAD), RETURN(SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {LENGTH(code), code};
    by_seccomp(&program);
    beats(100);
    syscall(SYS_getppid);
    say("survived\n");
    return unused;
}

static void killing_a_thread(void)
{
    pthread_t thread;
    no_new_privileges();
    pthread_create(&thread, NULL, thread_that_is_killed, NULL);
    usleep(100000);
    toil();
    say("the others go on\n");
}

static void threads_afterwards(void)
{
    pthread_t thread;
    filter_for_threads(by_prctl);
    for (int i = 0; i < 3; i++) {
        see("pthread_create", pthread_create(&thread, NULL, toil_in_thread, NULL));
        pthread_join(thread, NULL);
    }
    toil_and_end();
}

static void threads_beforehand(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, toil_in_thread, NULL);
    filter_for_threads(by_seccomp_for_all);
    toil();
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    toil_and_end();
}

static void inherited_by_a_child(void)
{
    filter_for_threads(by_prctl);
    int child = (int)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (child == 0)
        toil_and_end();
    int status = 0;
    see("wait4", syscall(SYS_wait4, child, &status, 0, 0) == child);
    say("ended by %x\n", status);
    toil_and_end();
}

/* Calls that neither the loader nor the program makes. */
static void inherited_by_exec(unsigned action)
{
    static const unsigned seldom[] = {SYS_ftruncate, SYS_fallocate, SYS_flock,         SYS_memfd_create,
                                      SYS_gettid,    SYS_statfs,    SYS_clock_gettime, SYS_sched_getaffinity};
    no_new_privileges();
    for (unsigned i = 0; i < LENGTH(seldom); i++) {
        struct sock_filter code[] = {LOAD(nr), CALL(seldom[i], action), RETURN(SECCOMP_RET_ALLOW)};
        struct sock_fprog program = {LENGTH(code), code};
        by_prctl(&program);
    }
    become("then_toil");
}

static void then_toil(void)
{
    toil_and_end();
}

static void inherited_by_exec_refusing(void)
{
    inherited_by_exec(SECCOMP_RET_ERRNO | EPERM);
}

static void inherited_by_exec_killing(void)
{
    inherited_by_exec(SECCOMP_RET_KILL_PROCESS);
}

/* ---- memory that is writable and executable ---------------------------------------------------- */

static void no_execution(unsigned action)
{
    struct sock_filter code[] = {WITH_BITS(SYS_mprotect, args[2], PROT_EXEC, action),
                                 WITH_BITS(SYS_mmap, args[2], PROT_EXEC, action), RETURN(SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {LENGTH(code), code};
    no_new_privileges();
    by_prctl(&program);
}

static void no_new_executable_memory(void)
{
    no_execution(SECCOMP_RET_ERRNO | EPERM);
    pthread_t thread;
    see("pthread_create", pthread_create(&thread, NULL, toil_in_thread, NULL));
    pthread_join(thread, NULL);
    void *memory = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    see("mmap", memory == MAP_FAILED ? -1 : 0);
}

static void no_new_executable_memory_or_death(void)
{
    no_execution(SECCOMP_RET_KILL_PROCESS);
    pthread_t thread;
    see("pthread_create", pthread_create(&thread, NULL, toil_in_thread, NULL));
    pthread_join(thread, NULL);
    say("now\n");
    mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* As systemd's MemoryDenyWriteExecute has it. */
static void no_writable_code_after_exec(unsigned action)
{
    struct sock_filter code[] = {LOAD(nr),
                                 BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 4),
                                 LOAD(args[2]),
                                 BPF_STMT(BPF_ALU | BPF_AND | BPF_K, PROT_WRITE | PROT_EXEC),
                                 BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PROT_WRITE | PROT_EXEC, 0, 1),
                                 RETURN(action),
                                 WITH_BITS(SYS_mprotect, args[2], PROT_EXEC, action),
                                 RETURN(SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {LENGTH(code), code};
    no_new_privileges();
    by_prctl(&program);
    become("then_toil");
}

static void write_or_execute(void)
{
    no_writable_code_after_exec(SECCOMP_RET_ERRNO | EPERM);
}

static void write_or_execute_or_death(void)
{
    no_writable_code_after_exec(SECCOMP_RET_KILL_PROCESS);
}

int main(int argc, char **argv)
{
    static const struct program programs[] = {PROGRAM(strict),
                                              PROGRAM(strict_by_seccomp),
                                              PROGRAM(no_counter),
                                              PROGRAM(killing_by_prctl),
                                              PROGRAM(killing_by_seccomp),
                                              PROGRAM(killing_by_system_call),
                                              PROGRAM(killing_by_instruction),
                                              PROGRAM(refusing_all),
                                              PROGRAM(killed_by_its_own_call),
                                              PROGRAM(trapping),
                                              PROGRAM(without_a_tracer),
                                              PROGRAM(killing_a_thread),
                                              PROGRAM(threads_afterwards),
                                              PROGRAM(threads_beforehand),
                                              PROGRAM(inherited_by_a_child),
                                              PROGRAM(inherited_by_exec_refusing),
                                              PROGRAM(inherited_by_exec_killing),
                                              PROGRAM(then_toil),
                                              PROGRAM(no_new_executable_memory),
                                              PROGRAM(no_new_executable_memory_or_death),
                                              PROGRAM(write_or_execute),
                                              PROGRAM(write_or_execute_or_death),
                                              {NULL, NULL}};
    return torture_main(argc, argv, programs);
}
