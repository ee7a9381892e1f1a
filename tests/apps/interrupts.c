/* Functions that are called while handlers of signals call others: every call is counted here, too.
 *
 *     interrupts steps: the handler of a trap after every instruction, and after one alone, each in its turn
 *     interrupts storm: handlers of signals that another thread sends, all traced
 *     interrupts chains: handlers whose signal is there again when they return, many times before what they interrupted
 *         goes on; the thread does little but fill its tail
 *     interrupts queued: the same with a signal of real time
 *     interrupts first: handlers and what they interrupt call functions that were never called before
 *     interrupts first-queued: the same with a signal of real time
 *
 * The handler of the trap is not to be traced itself: it would overwrite, every time, the frame that a stub has not
 * quite finished. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>

enum { ROUNDS = 60, PLACES = 300, STORM = 30000, CHAINS = 200, LINKS = 500, FUNCTIONS = 1000, TRAP_FLAG = 0x100 };

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

/* ---- chains ------------------------------------------------------------------------------------ */

static volatile long link_calls, alarm_calls;
static volatile sig_atomic_t links_left;

void on_link(int number)
{
    link_calls++;
    nested();
    if (--links_left > 0)
        raise(number);
}

static int sent_number;

void on_alarm(int number)
{
    (void)number;
    alarm_calls++;
    links_left = LINKS;
    raise(sent_number);
}

static void chain(int number)
{
    const struct itimerval once = {{0, 0}, {0, 500}};
    sent_number = number;
    signal(number, on_link);
    signal(SIGALRM, on_alarm);
    for (int i = 0; i < CHAINS; i++) {
        setitimer(ITIMER_REAL, &once, NULL);
        while (alarm_calls == i) {
            inner();
            leaf();
        }
    }
    printf("on_alarm %ld\non_link %ld\nraise %ld\n", alarm_calls, link_calls, link_calls);
}

/* ---- first calls ------------------------------------------------------------------------------- */

static volatile long first_calls[FUNCTIONS], met_calls[FUNCTIONS];

#define DEFINE(number)                                                                                                 \
    void first_##number(void)                                                                                          \
    {                                                                                                                  \
        first_calls[1##number - 1000]++;                                                                               \
    }                                                                                                                  \
    void met_##number(void)                                                                                            \
    {                                                                                                                  \
        met_calls[1##number - 1000]++;                                                                                 \
    }
#define NAME_FIRST(number) first_##number,
#define NAME_MET(number)   met_##number,
#define TEN(what, tens)                                                                                                \
    what(tens##0) what(tens##1) what(tens##2) what(tens##3) what(tens##4) what(tens##5) what(tens##6) what(tens##7)    \
        what(tens##8) what(tens##9)
#define HUNDRED(what, hundreds)                                                                                        \
    TEN(what, hundreds##0)                                                                                             \
    TEN(what, hundreds##1)                                                                                             \
    TEN(what, hundreds##2)                                                                                             \
    TEN(what, hundreds##3)                                                                                             \
    TEN(what, hundreds##4)                                                                                             \
    TEN(what, hundreds##5)                                                                                             \
    TEN(what, hundreds##6)                                                                                             \
    TEN(what, hundreds##7)                                                                                             \
    TEN(what, hundreds##8)                                                                                             \
    TEN(what, hundreds##9)
#define THOUSAND(what)                                                                                                 \
    HUNDRED(what, 0)                                                                                                   \
    HUNDRED(what, 1)                                                                                                   \
    HUNDRED(what, 2)                                                                                                   \
    HUNDRED(what, 3)                                                                                                   \
    HUNDRED(what, 4)                                                                                                   \
    HUNDRED(what, 5)                                                                                                   \
    HUNDRED(what, 6)                                                                                                   \
    HUNDRED(what, 7)                                                                                                   \
    HUNDRED(what, 8)                                                                                                   \
    HUNDRED(what, 9)

THOUSAND(DEFINE)
static void (*const firsts[])(void) = {THOUSAND(NAME_FIRST)}, (*const mets[])(void) = {THOUSAND(NAME_MET)};

static volatile int round_begun, met;
static pthread_t first_caller;

void on_met(int number)
{
    (void)number;
    mets[met]();
    met++;
}

/* One signal a round. */
static void *interrupt(void *unused)
{
    for (int sent = 0; sent < FUNCTIONS;) {
        if (round_begun == sent)
            continue;
        sent = round_begun;
        pthread_kill(first_caller, sent_number);
    }
    return unused;
}

static void call_first(int number)
{
    pthread_t interrupter;
    first_caller = pthread_self();
    sent_number = number;
    signal(number, on_met);
    pthread_create(&interrupter, NULL, interrupt, NULL);
    for (int i = 0; i < FUNCTIONS; i++) {
        int before = met;
        round_begun = i + 1;
        firsts[i]();
        while (i % 8 == 0 && met == before)
            continue; /* so that the other thread gets its turn */
    }
    pthread_join(interrupter, NULL);
    for (int i = 0; i < FUNCTIONS; i++)
        printf("first_%03d %ld\nmet_%03d %ld\n", i, first_calls[i], i, met_calls[i]);
}

int main(int argc, char **argv)
{
    const char *how = argc == 2 ? argv[1] : "";
    if (strcmp(how, "steps") == 0)
        step();
    else if (strcmp(how, "chains") == 0)
        chain(SIGUSR1);
    else if (strcmp(how, "queued") == 0)
        chain(SIGRTMIN);
    else if (strcmp(how, "first") == 0)
        call_first(SIGUSR2);
    else if (strcmp(how, "first-queued") == 0)
        call_first(SIGRTMIN);
    else
        storm();
    printf("inner %ld\nleaf %ld\nseen %ld\nnested %ld\n", inner_calls, leaf_calls, seen_calls, nested_calls);
    return 0;
}
