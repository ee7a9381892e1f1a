/* Threads: numbered where pthread_create is called, so that silent ones count too and all runs number alike. */
#include <limits.h>
#include <pthread.h>

#include "runtime.h"
#include "system.h"

enum {
    DT_SCRATCH_BYTES = 2 * (DT_TAIL_WORDS + DT_TAIL_SLACK),
    DT_THREAD_CHUNK_BYTES = sizeof(struct dt_chunk_header) + sizeof(struct dt_thread)
};
_Static_assert(DT_THREAD_CHUNK_BYTES % DT_CHUNK_ALIGN == 0, "chunks are whole pages");

/* What a new thread needs to know; replaces its start routine's argument. */
struct start {
    void *(*routine)(void *);
    void *argument;
    uint32_t kind, number, creator;
};

static pthread_key_t end_key;
static bool have_end_key;
/* The last pthread_create of this thread, to give its number back. */
static __thread struct start *creating __attribute__((tls_model("initial-exec")));

/* ---- state ----------------------------------------------------------------------------------- */

static void own_stack(struct dt_thread_state *thread, bool main_thread)
{
    uint64_t thread_pointer;
    __asm__("mov %%fs:0, %0" : "=r"(thread_pointer));
    thread->stack_high = main_thread ? dt_process.main_stack_high : thread_pointer;
    thread->stack_low = thread->stack_high - ((uint64_t)1 << 30);
}

/* A process may die between: then the record has no check. */
static void begin_change(struct dt_thread *shared)
{
    shared->check = 0;
    dt_compiler_barrier();
}

static void end_change(struct dt_thread *shared)
{
    dt_compiler_barrier();
    shared->check = dt_thread_check(shared);
}

static void share(struct dt_thread_state *thread, uint32_t kind, uint32_t number, uint32_t creator)
{
    uint64_t offset;
    struct dt_chunk_header *chunk = dt_writer_chunk(DT_CHUNK_THREAD, thread->index, 0, DT_THREAD_CHUNK_BYTES, &offset);
    struct dt_thread *shared = chunk ? (struct dt_thread *)(chunk + 1) : NULL;
    thread->shared = shared;
    if (!shared) {
        dt_recorder_begin(thread);
        return;
    }
    shared->kind = kind;
    shared->number = number;
    shared->creator = creator;
    shared->tid = dt_sys_tid();
    shared->start_monotonic_ns = dt_sys_clock(CLOCK_MONOTONIC);
    dt_syscall(SYS_prctl, 16 /* PR_GET_NAME */, (long)shared->name, 0, 0, 0, 0);
    shared->check = dt_thread_check(shared);
    thread->words = thread->stream_bytes = 0;
    thread->segment_open = false;
    thread->data_sequence = 0;
    thread->data_chunk_bytes = thread->data_used = thread->data_capacity = 0;
    dt_recorder_begin(thread);
    dt_writer_publish(chunk);
}

/* A slot of `size` aligned to it. */
static uint16_t *aligned_scratch(uint8_t *memory)
{
    return (uint16_t *)(((uint64_t)memory + DT_SCRATCH_BYTES - 1) & ~(uint64_t)(DT_SCRATCH_BYTES - 1));
}

static uint32_t *number_counter(uint32_t kind)
{
    return kind == DT_THREAD_LIBRARY ? &dt_process.header->library_threads : &dt_process.header->app_threads;
}

static uint32_t next_number(uint32_t kind)
{
    return __atomic_fetch_add(number_counter(kind), 1, __ATOMIC_RELAXED);
}

static bool begin_numbered(uint32_t kind, uint32_t number, uint32_t creator)
{
    size_t frames_bytes = DT_SHADOW_FRAMES * sizeof(struct dt_frame);
    struct dt_thread_state *thread = dt_sys_allocate(sizeof *thread + 2 * DT_SCRATCH_BYTES);
    struct dt_frame *frames = dt_sys_allocate(frames_bytes);
    if (!thread || !frames) {
        dt_thread_over = true;
        return false;
    }
    own_stack(thread, dt_sys_tid() == dt_sys_pid());
    thread->frames = frames;
    thread->kind = kind;
    frames[0].slot = UINT64_MAX;
    thread->real_limit = (uint64_t)(frames + DT_SHADOW_FRAMES - 2);
    thread->scratch = aligned_scratch((uint8_t *)(thread + 1));
    thread->index = __atomic_fetch_add(&dt_process.threads, 1, __ATOMIC_RELAXED);
    share(thread, kind, number, creator);
    dt_hot.top = (uint64_t)(frames + 1);
    dt_self = thread;
    dt_hot.limit = thread->real_limit;
    return true;
}

bool dt_thread_begin(uint32_t kind, uint32_t number, uint32_t creator)
{
    bool main_thread = dt_sys_tid() == dt_sys_pid();
    return begin_numbered(kind, main_thread ? number : next_number(kind), creator);
}

/* True if a hooked function below us will still return through its frame. */
static bool has_open_calls(const struct dt_thread_state *thread)
{
    for (const struct dt_frame *frame = thread->frames + 1; frame < (const struct dt_frame *)dt_hot.top; frame++)
        if (*(const uint64_t *)frame->slot == dt_functions[frame->index].exit_address)
            return true;
    return false;
}

/* Closes the trace. */
static void end_thread(struct dt_thread_state *thread)
{
    dt_guard++;
    if (thread->shared) {
        begin_change(thread->shared);
        dt_syscall(SYS_prctl, 16 /* PR_GET_NAME */, (long)thread->shared->name, 0, 0, 0, 0);
        thread->shared->end_monotonic_ns = dt_sys_clock(CLOCK_MONOTONIC);
        thread->shared->end_state = DT_THREAD_RETURNED;
        end_change(thread->shared);
    }
    if (!has_open_calls(thread)) {
        dt_thread_over = true;
        dt_hot.limit = 0;
        dt_self = NULL;
        dt_recorder_release(thread);
        if (thread->shared)
            dt_sys_munmap((struct dt_chunk_header *)thread->shared - 1, DT_THREAD_CHUNK_BYTES);
        dt_sys_munmap(thread->frames, DT_SHADOW_FRAMES * sizeof(struct dt_frame));
        dt_sys_munmap(thread, sizeof *thread + 2 * DT_SCRATCH_BYTES);
    }
    dt_guard--;
}

/* ---- creation -------------------------------------------------------------------------------- */

/* The last of the thread's own destructors closes its trace; destructors of the program may still call traced functions
 * before, so it waits for the last round. */
static void thread_ends(void *round)
{
    uintptr_t next = (uintptr_t)round + 1;
    if (next < PTHREAD_DESTRUCTOR_ITERATIONS && pthread_setspecific(end_key, (void *)next) == 0)
        return;
    if (dt_self)
        end_thread(dt_self);
}

static void give_back(uint32_t kind, uint32_t number)
{
    uint32_t taken = number + 1;
    __atomic_compare_exchange_n(number_counter(kind), &taken, number, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* A signal handler ran in the new thread before its start routine, so its trace began without knowing who it is. */
static void identify(struct dt_thread_state *thread, const struct start *start)
{
    thread->kind = start->kind;
    if (!thread->shared)
        return;
    give_back(thread->shared->kind, thread->shared->number);
    begin_change(thread->shared);
    thread->shared->kind = start->kind;
    thread->shared->number = start->number;
    thread->shared->creator = start->creator;
    end_change(thread->shared);
}

static void *thread_starts(void *block)
{
    struct start start = *(struct start *)block;
    dt_guard++;
    dt_sys_munmap(block, sizeof start);
    if (dt_self)
        identify(dt_self, &start);
    else if (dt_process.active)
        begin_numbered(start.kind, start.number, start.creator);
    if (have_end_key)
        pthread_setspecific(end_key, (void *)1);
    dt_guard--;
    return start.routine(start.argument);
}

void dt_thread_created(struct dt_entry_registers *registers, bool by_library)
{
    struct start *start = dt_sys_allocate(sizeof *start);
    creating = start;
    if (!start)
        return;
    start->routine = (void *(*)(void *))registers->rdx;
    start->argument = (void *)registers->rcx;
    start->kind = by_library ? DT_THREAD_LIBRARY : DT_THREAD_APP;
    start->creator = dt_self ? dt_self->index : UINT32_MAX;
    start->number = next_number(start->kind);
    registers->rdx = (uint64_t)thread_starts;
    registers->rcx = (uint64_t)start;
}

void dt_thread_creation_done(int result)
{
    struct start *start = creating;
    creating = NULL;
    if (!start || result == 0)
        return;
    give_back(start->kind, start->number);
    dt_sys_munmap(start, sizeof *start);
}

/* ---- fork ------------------------------------------------------------------------------------ */

static void before_fork(void)
{
    dt_guard++;
    dt_hot.limit = 0;
}

static void after_fork_in_parent(void)
{
    dt_guard--;
    if (dt_self && !dt_self->unwinding)
        dt_hot.limit = dt_self->real_limit;
}

/* The child records into a file of its own, which starts with the calls that are open. */
static void after_fork_in_child(void)
{
    struct dt_thread_state *thread = dt_self;
    dt_process.threads = 0;
    dt_process.active = dt_runtime_reopen();
    if (thread) {
        dt_recorder_release(thread);
        thread->shared = NULL;
        thread->in_batch = thread->discarding = false;
        dt_hot.next = (uint64_t)thread->scratch;
        if (dt_process.active) {
            thread->index = __atomic_fetch_add(&dt_process.threads, 1, __ATOMIC_RELAXED);
            share(thread, DT_THREAD_APP, 0, UINT32_MAX);
            dt_shadow_replay(thread);
        } else {
            thread->discarding = true;
        }
    }
    after_fork_in_parent();
}

void dt_threads_initialise(void)
{
    have_end_key = pthread_key_create(&end_key, thread_ends) == 0;
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}
