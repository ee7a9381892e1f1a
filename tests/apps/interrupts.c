/* Functions that are called while handlers of signals call others: every call is counted here, too.
 *
 *     interrupts steps: the handler of a trap after every instruction, and after one alone, each in its turn
 *     interrupts storm: handlers of signals that another thread sends, all traced
 *
 * The handler of the trap is not to be traced itself: it would overwrite, every time, the frame that a stub has not
 * quite finished. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

enum { ROUNDS = 60, PLACES = 300, STORM = 30000, TRAP_FLAG = 0x100 };

static volatile sig_atomic_t stepping, over, steps_left;
static volatile long inner_calls, leaf_calls, seen_calls, nested_calls;
static pthread_t worker;

void leaf(void)
{
    leaf_calls++;
}

void inner(void)
{
    inner_calls++;
    leaf();
}

/* Known calls of an API have stubs of their own. */
void lock(void)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
}

void seen(void)
{
    seen_calls++;
}

void nested(void)
{
    nested_calls++;
    seen();
}

void on_trap(int number, siginfo_t *info, void *context)
{
    greg_t *flags = &((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL];
    (void)number, (void)info;
    if (steps_left == 0 || --steps_left == 0)
        seen();
    *flags = stepping || steps_left > 0 ? *flags | TRAP_FLAG : *flags & ~(greg_t)TRAP_FLAG;
}

/* What is called first is not stepped through: the tracer blocks signals where it gives functions their ids. */
static void step(void)
{
    const struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
    sigaction(SIGTRAP, &action, NULL);
    for (int i = 0; i < 4; i++) {
        inner();
        lock();
        seen();
    }
    stepping = 1;
    raise(SIGTRAP);
    for (int i = 0; i < ROUNDS; i++) {
        inner();
        lock();
    }
    stepping = 0;
    for (int place = 1; place <= PLACES; place++) {
        steps_left = place + 1;
        raise(SIGTRAP);
        inner();
        while (steps_left > 0)
            continue;
    }
}

void on_usr1(int number)
{
    (void)number;
    nested();
}

static void *work(void *unused)
{
    while (!over) {
        inner();
        leaf();
    }
    return unused;
}

static void storm(void)
{
    signal(SIGUSR1, on_usr1);
    pthread_create(&worker, NULL, work, NULL);
    for (int i = 0; i < STORM; i++) {
        long before = nested_calls;
        pthread_kill(worker, SIGUSR1);
        while (nested_calls == before)
            continue;
    }
    over = 1;
    pthread_join(worker, NULL);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "steps") == 0)
        step();
    else
        storm();
    printf("inner %ld\nleaf %ld\nseen %ld\nnested %ld\n", inner_calls, leaf_calls, seen_calls, nested_calls);
    return 0;
}
