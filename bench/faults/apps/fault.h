/*
 * How the programs of the corpus are told which fault to show:
 *
 *     PROGRAM [--fault NAME] [--rank R] [--thread T] [--at N] [--steps N] [--size N] [-- OPTIONS]
 *
 * NAME is "none" in a normal run. The fault strikes rank R (and, where it is a thread's, thread T) in its Nth step; R
 * and T may be "all" or "odd". The options are read and tested without a single call, so that a normal run and a faulty
 * one make the same calls until the fault itself. OPTIONS are the program's own, which it reads as programs do.
 *
 * A program lists its faults as `#define FAULTS(X) X(skip_exchange) X(crash)`, then says FAULT_TABLE(FAULTS): that
 * makes the constants FAULT_skip_exchange, ... and fault_names. The comment FAULT(skip_exchange) stands in the line of
 * the statement that the fault adds, changes or leaves out.
 */
#ifndef FAULT_H
#define FAULT_H

typedef struct {
    int id;     /* FAULT_none, that is 0, or one of the program's */
    int rank;   /* whom it strikes */
    int thread; /* likewise, where threads count */
    int at;     /* and when */
    int steps;  /* of the whole run; 0: the program's default */
    int size;   /* of the problem per rank; 0: the program's default */
    int own;    /* the rank of this process, to be set by the program */
    int rest;   /* the index of the program's first own option; argc: there is none */
} Fault;

enum { FAULT_ALL = -1, FAULT_ODD = -2 }; /* instead of a rank or a thread */

#define FAULT_CONSTANT(name) FAULT_##name,
#define FAULT_STRING(name)   #name,
#define FAULT_TABLE(list)                                                                                              \
    enum { FAULT_none, list(FAULT_CONSTANT) FAULT_COUNT };                                                             \
    static const char *const fault_names[] = {"none", list(FAULT_STRING)};

#define FAULT_INLINE static inline __attribute__((always_inline))

FAULT_INLINE int fault_equal(const char *a, const char *b)
{
    while (*a != 0 && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

FAULT_INLINE int fault_number(const char *text)
{
    int number = 0;
    for (; *text >= '0' && *text <= '9'; text++)
        number = 10 * number + (*text - '0');
    return number;
}

FAULT_INLINE int fault_whom(const char *text)
{
    return *text == 'a' ? FAULT_ALL : *text == 'o' ? FAULT_ODD : fault_number(text);
}

FAULT_INLINE int fault_is_meant(int whom, int own)
{
    return whom == own || whom == FAULT_ALL || (whom == FAULT_ODD && own % 2 == 1);
}

/* 0 if an option or the name of the fault is not known. */
FAULT_INLINE int fault_read(Fault *fault, int argc, char **argv, const char *const *names, int count)
{
    fault->id = 0;
    fault->rank = fault->thread = fault->at = fault->steps = fault->size = fault->own = 0;
    fault->rest = argc;
    for (int i = 1; i < fault->rest; i += 2) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        int number = fault_number(value);
        if (fault_equal(argv[i], "--fault")) {
            fault->id = -1;
            for (int id = 0; id < count; id++)
                if (fault_equal(value, names[id]))
                    fault->id = id;
        } else if (fault_equal(argv[i], "--"))
            fault->rest = i + 1;
        else if (fault_equal(argv[i], "--rank"))
            fault->rank = fault_whom(value);
        else if (fault_equal(argv[i], "--thread"))
            fault->thread = fault_whom(value);
        else if (fault_equal(argv[i], "--at"))
            fault->at = number;
        else if (fault_equal(argv[i], "--steps"))
            fault->steps = number;
        else if (fault_equal(argv[i], "--size"))
            fault->size = number;
        else
            fault->id = -1;
    }
    return fault->id >= 0;
}

/* Does this rank have the fault at all? */
FAULT_INLINE int fault_mine(const Fault *fault, int id)
{
    return fault->id == id && fault_is_meant(fault->rank, fault->own);
}

/* Does the fault strike in this step? */
FAULT_INLINE int fault_hits(const Fault *fault, int id, int step)
{
    return fault_mine(fault, id) && fault->at == step;
}

/* A store to nowhere: SIGSEGV. */
FAULT_INLINE void fault_crash(void)
{
    volatile int *volatile nowhere = 0;
    *nowhere = 1;
}

/* Killed from outside, as by the system when memory is short: without a call, and past every handler. */
FAULT_INLINE void fault_kill(void)
{
    enum { GETPID = 39, KILL = 62, SIGNAL = 9 };
    long process, result;
    __asm__ volatile("syscall" : "=a"(process) : "a"((long)GETPID) : "rcx", "r11", "memory");
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"((long)KILL), "D"(process), "S"((long)SIGNAL)
                     : "rcx", "r11", "memory");
}

/* Busy for about as long as `million` million steps of a counter, without a call. */
FAULT_INLINE void fault_delay(long million)
{
    for (volatile long left = million * 1000000; left > 0; left--) {
    }
}

/* The condition of a loop that goes on for ever, at a pace that leaves traces of a moderate length. */
FAULT_INLINE int fault_pace(int condition)
{
    for (volatile int left = condition ? 50000 : 0; left > 0; left--) {
    }
    return condition;
}

/* Busy for ever, without a call. */
FAULT_INLINE void fault_hang(void)
{
    for (volatile int on = 1; on;) {
    }
}

#endif
