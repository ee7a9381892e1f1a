/* A stand-in for Pin in tests: `pin -follow_execv 1 -t TOOL -- PROGRAM ...` runs a static program instruction by
 * instruction (ptrace) and tells the engine what a tool would tell it. The tool named is not loaded. Threads are
 * followed, other processes are not. */
#include <elf.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine.h"
#include "record/thread.h"

enum { MOST_THREADS = 64, PAGE = 4096 };

struct stepped {
    pid_t tid;
    struct dt_own *own;
    bool stopped; /* before its creator's event said that it exists */
};

static struct stepped threads[MOST_THREADS];
static int thread_count;
static struct dt_own *running;

struct dt_own *dt_own(void)
{
    return running;
}

static void fail(const char *what)
{
    perror(what);
    exit(125);
}

static struct user_regs_struct registers_of(pid_t tid)
{
    struct user_regs_struct registers;
    if (ptrace(PTRACE_GETREGS, tid, 0, &registers) != 0)
        fail("stepper: registers");
    return registers;
}

static uint64_t word_at(pid_t tid, uint64_t address)
{
    return (uint64_t)ptrace(PTRACE_PEEKDATA, tid, address, 0);
}

static struct stepped *find_thread(pid_t tid)
{
    for (int i = 0; i < thread_count; i++)
        if (threads[i].tid == tid)
            return &threads[i];
    if (thread_count == MOST_THREADS)
        fail("stepper: threads");
    threads[thread_count] = (struct stepped){.tid = tid};
    return &threads[thread_count++];
}

/* ---- the image ------------------------------------------------------------------------------- */

/* The lowest address of the program's file in the stepped process. */
static uint64_t mapped_at(pid_t pid, const char *program)
{
    char path[64], line[4096];
    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    FILE *maps = fopen(path, "r");
    uint64_t low = 0;
    while (maps && !low && fgets(line, sizeof line, maps))
        if (strstr(line, program))
            low = strtoul(line, NULL, 16);
    if (maps)
        fclose(maps);
    return low;
}

/* A tool sees the program's memory in its own process; so do we, as it is in the file. */
static uint64_t map_like(pid_t pid, const char *program)
{
    int fd = open(program, O_RDONLY | O_CLOEXEC);
    static uint8_t start[PAGE];
    if (fd < 0 || pread(fd, start, sizeof start, 0) < (ssize_t)sizeof(Elf64_Ehdr))
        fail(program);
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)start;
    const Elf64_Phdr *segment = (const Elf64_Phdr *)(start + header->e_phoff);
    uint64_t bias = UINT64_MAX;
    for (int i = 0; i < header->e_phnum; i++) {
        if (segment[i].p_type != PT_LOAD)
            continue;
        uint64_t low = segment[i].p_vaddr & ~(uint64_t)(PAGE - 1), skipped = segment[i].p_vaddr - low;
        if (bias == UINT64_MAX)
            bias = mapped_at(pid, program) - low;
        if (mmap((void *)(low + bias), segment[i].p_filesz + skipped, PROT_READ, MAP_PRIVATE | MAP_FIXED_NOREPLACE, fd,
                 (off_t)(segment[i].p_offset - skipped)) == MAP_FAILED)
            fail("stepper: map");
    }
    close(fd);
    return bias;
}

/* ---- stepping -------------------------------------------------------------------------------- */

/* Before the instruction at which the thread stands. */
static void tell(pid_t tid)
{
    struct user_regs_struct registers = registers_of(tid);
    uint64_t function = dt_engine_function_at(registers.rip);
    if (function != DT_ENGINE_NONE)
        dt_engine_call(function, registers.rsp, word_at(tid, registers.rsp));
    if (!dt_engine_in_function(registers.rip))
        return;
    uint64_t code = word_at(tid, registers.rip);
    if ((code & 0xff) == 0xc3 || (code & 0xff) == 0xc2 || (code & 0xffff) == 0xc3f3)
        dt_engine_return(registers.rsp);
}

static void step(pid_t tid, int signal_number)
{
    ptrace(PTRACE_SINGLESTEP, tid, 0, signal_number);
}

static void begin_thread(struct stepped *thread)
{
    struct dt_own *creator = running;
    running = thread->own = dt_engine_own_new();
    dt_engine_thread_starts(registers_of(thread->tid).rsp);
    running = creator;
    tell(thread->tid);
    step(thread->tid, 0);
}

static void created(pid_t tid)
{
    struct stepped *thread = find_thread(tid);
    dt_engine_thread_creating();
    int status;
    if (!thread->stopped && waitpid(tid, &status, __WALL) != tid)
        fail("stepper: new thread");
    begin_thread(thread);
}

static void stopped(struct stepped *thread, int status)
{
    int event = status >> 16, signal_number = WSTOPSIG(status);
    if (!thread->own) {
        thread->stopped = true;
        return;
    }
    if (event == PTRACE_EVENT_CLONE) {
        unsigned long tid;
        ptrace(PTRACE_GETEVENTMSG, thread->tid, 0, &tid);
        created((pid_t)tid);
    }
    running = thread->own;
    if (event == 0)
        tell(thread->tid);
    step(thread->tid, event != 0 || signal_number == SIGTRAP ? 0 : signal_number);
}

/* Returns the exit status to end with. */
static int run(pid_t pid)
{
    for (;;) {
        int status;
        pid_t tid = waitpid(-1, &status, __WALL);
        if (tid < 0)
            fail("stepper: wait");
        struct stepped *thread = find_thread(tid);
        running = thread->own;
        if (WIFSTOPPED(status)) {
            stopped(thread, status);
        } else if (tid != pid) {
            if (running)
                dt_engine_thread_ends();
        } else if (WIFSIGNALED(status)) {
            dt_engine_killed(WTERMSIG(status));
            return 128 + WTERMSIG(status);
        } else {
            dt_engine_exits(WEXITSTATUS(status));
            return WEXITSTATUS(status);
        }
    }
}

/* Tracer and traced take turns: on one processor that is many times faster. */
static void stay_on_this_processor(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)sched_getcpu(), &set);
    sched_setaffinity(0, sizeof set, &set);
}

int main(int argc, char **argv)
{
    int at = 1;
    while (at < argc && strcmp(argv[at], "--") != 0)
        at++;
    if (at + 1 >= argc || strcmp(argv[1], "-follow_execv") != 0)
        return 125;
    char **command = argv + at + 1;
    stay_on_this_processor();
    bool traced = dt_engine_start();
    pid_t pid = fork();
    if (pid == 0) {
        ptrace(PTRACE_TRACEME, 0, 0, 0);
        execv(command[0], command);
        _exit(127);
    }
    int status;
    if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
        return 125;
    if (!traced) {
        ptrace(PTRACE_DETACH, pid, 0, 0);
        return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 125;
    }
    ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL);
    char *program = realpath(command[0], NULL);
    dt_engine_image_loaded(program, map_like(pid, program), true);
    free(program);
    begin_thread(find_thread(pid));
    return run(pid);
}
