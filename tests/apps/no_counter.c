/* Forbids itself to read the processor's counter (PR_SET_TSC): with a handler of faults, a thread and a child. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <x86intrin.h>

static sigjmp_buf back;
static volatile unsigned sum;

static void on_fault(int number)
{
    siglongjmp(back, number);
}

static int count_down(int n)
{
    sum += (unsigned)n;
    return n ? count_down(n - 1) : 0;
}

static void *work(void *unused)
{
    (void)unused;
    for (int i = 0; i < 20000; i++)
        count_down(10);
    return NULL;
}

static void work_in_a_thread(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
}

static void read_counter(const char *who)
{
    int number = sigsetjmp(back, 1);
    if (!number)
        sum += (unsigned)__rdtsc();
    printf("%s: %s\n", who, number == SIGSEGV ? "forbidden" : "allowed");
    fflush(stdout);
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_fault};
    sigaction(SIGSEGV, &action, NULL);
    prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
    read_counter("first");
    work_in_a_thread();
    pid_t child = fork();
    if (!child) {
        read_counter("child");
        work_in_a_thread();
        _exit(3);
    }
    int status;
    waitpid(child, &status, 0);
    read_counter("parent");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
