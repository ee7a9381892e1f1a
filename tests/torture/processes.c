/* Processes: how they are made, what they execute, and all ways to end. */
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "torture.h"

extern char **environ;
static volatile int shared;

static void then_beat(void)
{
    beats(100);
}

static void then_exit_with_9(void)
{
    exit(9);
}

/* ---- before and after main --------------------------------------------------------------------- */

static bool wants(const char *name)
{
    return getenv("TORTURE_ENDS") && strcmp(getenv("TORTURE_ENDS"), name) == 0;
}

__attribute__((constructor(101))) static void first(void)
{
    beat();
}

__attribute__((constructor(65000))) static void last(void)
{
    beat();
    if (wants("constructor")) {
        alarm(1);
        pause();
    }
}

__attribute__((destructor(101))) static void very_end(void)
{
    beat();
}

__attribute__((destructor)) static void near_the_end(void)
{
    if (!wants("destructor"))
        return;
    toil();
    kill(getpid(), SIGKILL);
}

static void become_one_that_ends(const char *how)
{
    setenv("TORTURE_ENDS", how, 1);
    become("then_beat");
}

static void ends_in_a_constructor(void)
{
    become_one_that_ends("constructor");
}

static void ends_in_a_destructor(void)
{
    become_one_that_ends("destructor");
}

static void at_the_end(void)
{
    beat();
    say("at the end\n");
}

static void at_the_end_with_status(int status, void *argument)
{
    beat();
    say("%s with %d\n", (const char *)argument, status);
}

static void registered(void)
{
    atexit(at_the_end);
    on_exit(at_the_end_with_status, "ended");
    exit(5);
}

static void quick(void)
{
    atexit(at_the_end);
    at_quick_exit(at_the_end);
    quick_exit(6);
}

static void abort_at_the_end(void)
{
    atexit(abort);
    exit(0);
}

static void exit_at_the_end(void)
{
    beat();
    exit(11);
}

static void exit_again_at_the_end(void)
{
    atexit(exit_at_the_end);
    exit(10);
}

static void killed_by_itself(void)
{
    toil();
    kill(getpid(), SIGKILL);
}

/* ---- made ------------------------------------------------------------------------------------ */

static void run_vforked(char *const *arguments)
{
    int child = vfork();
    if (child == 0) {
        shared++;
        execv(arguments[0], arguments);
        _exit(99);
    }
    see_end("child", child);
}

static void vforked(void)
{
    char *there[] = {(char *)torture_self, "then_beat", NULL}, *absent[] = {"/absent", NULL};
    for (int i = 0; i < 3; i++) {
        run_vforked(there);
        run_vforked(absent);
    }
    see("shared", shared);
}

static int run_cloned(void *unused)
{
    (void)unused;
    beats(100);
    shared++;
    return 7;
}

static void clone_with(int flags)
{
    static char stack[256 << 10] __attribute__((aligned(16)));
    toil();
    int child = clone(run_cloned, stack + sizeof stack, flags | SIGCHLD, NULL);
    see_end("child", child);
    see("shared", shared);
}

static void cloned_with_memory(void)
{
    clone_with(CLONE_VM | CLONE_VFORK);
}

static void cloned_with_all(void)
{
    clone_with(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_VFORK);
}

static void cloned_without_memory(void)
{
    clone_with(0);
}

/* Both go on at once. */
static void see_forked(int child)
{
    if (child == 0) {
        toil();
        beats(100);
        _exit(8);
    }
    toil();
    see_end("child", child);
}

static void forked_by_system_call(void)
{
    see_forked((int)syscall(SYS_fork));
}

static void forked_by_clone3(void)
{
    struct clone_args arguments = {.exit_signal = SIGCHLD};
    see_forked((int)syscall(SYS_clone3, &arguments, sizeof arguments));
}

static void forked_by_clone(void)
{
    see_forked((int)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
}

static void forked_without_handlers(void)
{
    see_forked(_Fork());
}

static long call_bare(long number, long first, long second)
{
    long result;
    __asm__ volatile("xor %%r10d, %%r10d\n\txor %%r8d, %%r8d\n\tsyscall"
                     : "=a"(result)
                     : "a"(number), "D"(first), "S"(second), "d"(0L)
                     : "rcx", "r8", "r10", "r11", "memory");
    return result;
}

static void forked_by_instruction(void)
{
    see_forked((int)call_bare(SYS_fork, 0, 0));
}

static void forked_by_instruction_of_clone(void)
{
    see_forked((int)call_bare(SYS_clone, SIGCHLD, 0));
}

static void forked_by_instruction_of_clone3(void)
{
    struct clone_args arguments = {.exit_signal = SIGCHLD};
    see_forked((int)call_bare(SYS_clone3, (long)&arguments, sizeof arguments));
}

static void run_as_child(void)
{
    _exit(run_cloned(NULL));
}

/* The child comes back from syscall() to what is on its own stack. */
static void cloned_by_system_call(void)
{
    static struct {
        char below[256 << 10];
        void (*returns_to)(void);
    } stack __attribute__((aligned(16))) = {.returns_to = run_as_child};
    toil();
    see_end("child", (int)syscall(SYS_clone, CLONE_VM | CLONE_VFORK | SIGCHLD, &stack.returns_to, 0, 0, 0));
    see("shared", shared);
}

static void refused(void)
{
    static char stack[64 << 10] __attribute__((aligned(16)));
    struct clone_args arguments = {.flags = CLONE_SIGHAND, .exit_signal = SIGCHLD};
    see("address", syscall(SYS_clone3, 8, sizeof arguments));
    see("size", syscall(SYS_clone3, &arguments, 1));
    see("flags of clone3", syscall(SYS_clone3, &arguments, sizeof arguments));
    see("flags", syscall(SYS_clone, CLONE_SIGHAND | SIGCHLD, 0, 0, 0, 0));
    see("no stack", clone(run_cloned, NULL, SIGCHLD, NULL));
    see("flags of clone", clone(run_cloned, stack + sizeof stack, CLONE_SIGHAND | SIGCHLD, NULL));
}

static void forked(void)
{
    see_forked(fork());
}

static void spawned(void)
{
    int child, status = 0;
    char *arguments[] = {(char *)torture_self, "then_exit_with_9", NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t all;
    sigfillset(&all);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setsigdefault(&attributes, &all);
    see("posix_spawn", posix_spawn(&child, torture_self, &actions, &attributes, arguments, environ));
    see("waitpid", waitpid(child, &status, 0) == child);
    see("status", WEXITSTATUS(status));
}

static void by_a_shell(void)
{
    char command[4200], line[100] = "";
    snprintf(command, sizeof command, "'%s' then_exit_with_9", torture_self);
    see("system", WEXITSTATUS(system(command)));
    FILE *pipe = popen("echo from a pipe", "r");
    if (pipe && fgets(line, sizeof line, pipe))
        say("%s", line);
    see("pclose", pipe ? pclose(pipe) : 1);
}

static void daemon_of_its_own(void)
{
    int ends[2], child;
    char byte = 'x';
    see("pipe", pipe(ends));
    child = fork();
    if (child == 0) {
        setsid();
        if (fork() != 0)
            _exit(0);
        close(ends[0]);
        int failed = chdir("/");
        closefrom(ends[1] + 1);
        beats(100);
        toil();
        _exit(failed || write(ends[1], &byte, 1) != 1);
    }
    close(ends[1]);
    see_end("child", child);
    see("from the daemon", read(ends[0], &byte, 1));
    see("at its end", read(ends[0], &byte, 1));
}

static void many(void)
{
    int sum = 0, status;
    for (int i = 0; i < 40; i++)
        if (fork() == 0) {
            beat();
            _exit(i);
        }
    while (wait(&status) > 0)
        sum += WEXITSTATUS(status);
    see("sum", sum);
}

static void generations(void)
{
    for (int i = 0; i < 10; i++) {
        int child = fork();
        beat();
        if (child != 0) {
            int status;
            waitpid(child, &status, 0);
            if (i > 0)
                _exit(WEXITSTATUS(status) + 1);
            see("generations", WEXITSTATUS(status) + 1);
            return;
        }
    }
    _exit(0);
}

/* ---- with threads ------------------------------------------------------------------------------ */

static void *fork_in_thread(void *unused)
{
    see_forked(fork());
    return unused;
}

static void forked_in_a_thread(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, fork_in_thread, NULL);
    toil();
    pthread_join(thread, NULL);
}

static volatile int over;

static void *toil_until_over(void *unused)
{
    while (!over)
        free(malloc(100)), toil();
    return unused;
}

static void forked_beside_threads(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, toil_until_over, NULL);
    for (int i = 0; i < 10; i++)
        in_child("child", then_beat);
    over = 1;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

static void fork_on_signal(int number)
{
    int saved = errno, child = fork();
    (void)number;
    if (child == 0)
        beat(), _exit(3);
    see_end("child", child);
    errno = saved;
}

static void forked_in_a_handler(void)
{
    signal(SIGUSR1, fork_on_signal);
    for (int i = 0; i < 5; i++)
        raise(SIGUSR1);
}

static void fork_without_handlers_on_signal(int number)
{
    int saved = errno, child = _Fork();
    (void)number;
    if (child == 0)
        beat(), _exit(3);
    see_end("child", child);
    errno = saved;
}

static void forked_without_handlers_in_a_handler(void)
{
    signal(SIGUSR1, fork_without_handlers_on_signal);
    for (int i = 0; i < 5; i++)
        raise(SIGUSR1);
}

static void *fork_without_handlers_in_thread(void *unused)
{
    see_forked(_Fork());
    return unused;
}

static void forked_without_handlers_in_a_thread(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, fork_without_handlers_in_thread, NULL);
    toil();
    pthread_join(thread, NULL);
}

static void note_fork(void)
{
    beat();
    shared++;
}

static void handlers_of_fork(void)
{
    pthread_atfork(note_fork, note_fork, note_fork);
    for (int i = 0; i < 5; i++) {
        int child = fork();
        if (child == 0)
            _exit(shared);
        see_end("child", child);
    }
    see("shared", shared);
}

static void *exec_in_thread(void *unused)
{
    become("then_beat");
    return unused;
}

static void exec_from_a_thread(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, exec_in_thread, NULL);
    for (;;)
        beats(1000);
}

static void *exit_in_thread(void *status)
{
    toil();
    if (status)
        exit(4);
    _exit(3);
}

static void exit_from_a_thread(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, exit_in_thread, "");
    for (;;)
        pause();
}

static void end_from_a_thread(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, exit_in_thread, NULL);
    for (;;)
        beats(1000);
}

static void *outlive(void *unused)
{
    usleep(50000);
    beats(100);
    say("outlived\n");
    return unused;
}

static void main_thread_first(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, outlive, NULL);
    pthread_exit(NULL);
}

static void system_call_ends_a_thread(void)
{
    int child = fork();
    if (child == 0) {
        beats(100);
        syscall(SYS_exit, 12);
    }
    see_end("child", child);
}

/* ---- executed ---------------------------------------------------------------------------------- */

static void executed_from_memory(void)
{
    int file = memfd_create("program", 0), from = open(torture_self, O_RDONLY);
    char data[65536], *arguments[] = {"from memory", "then_beat", NULL};
    ssize_t bytes;
    while ((bytes = read(from, data, sizeof data)) > 0)
        if (write(file, data, (size_t)bytes) != bytes)
            see("write", -1);
    fexecve(file, arguments, environ);
    see("fexecve", -1);
}

static void executed_again(void)
{
    execl("/proc/self/exe", "again", "then_beat", (char *)NULL);
}

static void executed_without_arguments_of_note(void)
{
    static char long_argument[100000];
    memset(long_argument, 'a', sizeof long_argument - 1);
    execl(torture_self, "\n \t\033[31m", "then_beat", long_argument, "", "\377\376", (char *)NULL);
}

static void executed_after_it_was_deleted(void)
{
    char command[4200];
    snprintf(command, sizeof command, "cp '%s' 'a copy' && exec './a copy' deletes_itself", torture_self);
    see("system", WEXITSTATUS(system(command)));
}

static void deletes_itself(void)
{
    if (strstr(torture_self, "copy"))
        see("unlink", unlink(torture_self));
    toil();
    in_child("child", then_beat);
}

static void with_parents_signal(void)
{
    int child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        int grandchild = fork();
        if (grandchild == 0) {
            prctl(PR_SET_PDEATHSIG, SIGUSR1);
            pause();
        }
        beats(100);
        kill(grandchild, SIGTERM);
        see_end("grandchild", grandchild);
        _exit(0);
    }
    see_end("child", child);
}

int main(int argc, char **argv)
{
    static const struct program programs[] = {PROGRAM(then_beat),
                                              PROGRAM(then_exit_with_9),
                                              PROGRAM(ends_in_a_constructor),
                                              PROGRAM(ends_in_a_destructor),
                                              PROGRAM(registered),
                                              PROGRAM(quick),
                                              PROGRAM(abort_at_the_end),
                                              PROGRAM(exit_again_at_the_end),
                                              PROGRAM(killed_by_itself),
                                              PROGRAM(vforked),
                                              PROGRAM(cloned_with_memory),
                                              PROGRAM(cloned_with_all),
                                              PROGRAM(cloned_without_memory),
                                              PROGRAM(forked_by_system_call),
                                              PROGRAM(forked_by_clone3),
                                              PROGRAM(forked_by_clone),
                                              PROGRAM(forked_without_handlers),
                                              PROGRAM(forked_by_instruction),
                                              PROGRAM(forked_by_instruction_of_clone),
                                              PROGRAM(forked_by_instruction_of_clone3),
                                              PROGRAM(cloned_by_system_call),
                                              PROGRAM(refused),
                                              PROGRAM(forked_without_handlers_in_a_handler),
                                              PROGRAM(forked_without_handlers_in_a_thread),
                                              PROGRAM(forked),
                                              PROGRAM(spawned),
                                              PROGRAM(by_a_shell),
                                              PROGRAM(daemon_of_its_own),
                                              PROGRAM(many),
                                              PROGRAM(generations),
                                              PROGRAM(forked_in_a_thread),
                                              PROGRAM(forked_beside_threads),
                                              PROGRAM(forked_in_a_handler),
                                              PROGRAM(handlers_of_fork),
                                              PROGRAM(exec_from_a_thread),
                                              PROGRAM(exit_from_a_thread),
                                              PROGRAM(end_from_a_thread),
                                              PROGRAM(main_thread_first),
                                              PROGRAM(system_call_ends_a_thread),
                                              PROGRAM(executed_from_memory),
                                              PROGRAM(executed_again),
                                              PROGRAM(executed_without_arguments_of_note),
                                              PROGRAM(executed_after_it_was_deleted),
                                              PROGRAM(deletes_itself),
                                              PROGRAM(with_parents_signal),
                                              {NULL, NULL}};
    return torture_main(argc, argv, programs);
}
