/* A thread's state, private and in the file: made, named, closed. The same for every engine. */
#include "runtime.h"
#include "system.h"

enum {
    DT_SCRATCH_BYTES = 2 * (DT_TAIL_WORDS + DT_TAIL_SLACK),
    DT_THREAD_CHUNK_BYTES = sizeof(struct dt_chunk_header) + sizeof(struct dt_thread)
};
_Static_assert(DT_THREAD_CHUNK_BYTES % DT_CHUNK_ALIGN == 0, "chunks are whole pages");

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
    uint64_t offset = 0;
    struct dt_chunk_header *chunk = dt_writer_chunk(DT_CHUNK_THREAD, thread->index, 0, DT_THREAD_CHUNK_BYTES, &offset);
    struct dt_thread *shared = chunk ? (struct dt_thread *)(chunk + 1) : NULL;
    thread->shared = shared;
    thread->record = offset + sizeof *chunk;
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

uint32_t dt_thread_next_number(uint32_t kind)
{
    return __atomic_fetch_add(number_counter(kind), 1, __ATOMIC_RELAXED);
}

bool dt_thread_open(uint32_t kind, uint32_t number, uint32_t creator, uint64_t stack_low, uint64_t stack_high)
{
    size_t frames_bytes = DT_SHADOW_FRAMES * sizeof(struct dt_frame);
    struct dt_thread_state *thread = dt_sys_allocate(sizeof *thread + 2 * DT_SCRATCH_BYTES);
    struct dt_frame *frames = dt_sys_allocate(frames_bytes);
    if (!thread || !frames) {
        dt_thread_over = true;
        return false;
    }
    thread->stack_low = stack_low;
    thread->stack_high = stack_high;
    thread->frames = frames;
    thread->kind = kind;
    frames[0].slot = UINT64_MAX;
    thread->real_limit = (uint64_t)(frames + DT_SHADOW_FRAMES - 2);
    thread->scratch = aligned_scratch((uint8_t *)(thread + 1));
    thread->index = __atomic_fetch_add(&dt_process.threads, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&dt_process.live_threads, 1, __ATOMIC_RELAXED);
    share(thread, kind, number, creator);
    dt_hot.top = (uint64_t)(frames + 1);
    dt_self = thread;
    dt_hot.limit = thread->real_limit;
    return true;
}

void dt_thread_identify(struct dt_thread_state *thread, uint32_t kind, uint32_t number, uint32_t creator)
{
    thread->kind = kind;
    if (!thread->shared)
        return;
    dt_thread_give_back(thread->shared->kind, thread->shared->number);
    begin_change(thread->shared);
    thread->shared->kind = kind;
    thread->shared->number = number;
    thread->shared->creator = creator;
    end_change(thread->shared);
}

void dt_thread_give_back(uint32_t kind, uint32_t number)
{
    uint32_t taken = number + 1;
    __atomic_compare_exchange_n(number_counter(kind), &taken, number, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

void dt_thread_close(struct dt_thread_state *thread)
{
    if (!thread->shared)
        return;
    begin_change(thread->shared);
    dt_syscall(SYS_prctl, 16 /* PR_GET_NAME */, (long)thread->shared->name, 0, 0, 0, 0);
    thread->shared->end_monotonic_ns = dt_sys_clock(CLOCK_MONOTONIC);
    thread->shared->end_state = DT_THREAD_RETURNED;
    end_change(thread->shared);
}

void dt_thread_free(struct dt_thread_state *thread)
{
    dt_thread_over = true;
    dt_hot.limit = 0;
    dt_self = NULL;
    __atomic_fetch_sub(&dt_process.live_threads, 1, __ATOMIC_RELAXED);
    dt_recorder_release(thread);
    dt_ring_end(thread, thread->record);
    if (thread->shared)
        dt_sys_munmap((struct dt_chunk_header *)thread->shared - 1, DT_THREAD_CHUNK_BYTES);
    dt_sys_munmap(thread->frames, DT_SHADOW_FRAMES * sizeof(struct dt_frame));
    dt_sys_munmap(thread, sizeof *thread + 2 * DT_SCRATCH_BYTES);
}

void dt_thread_continue(struct dt_thread_state *thread)
{
    dt_recorder_release(thread);
    thread->shared = NULL;
    thread->in_batch = false;
    thread->discarding = !dt_process.active;
    dt_hot.next = (uint64_t)thread->scratch;
    if (!dt_process.active)
        return;
    thread->index = __atomic_fetch_add(&dt_process.threads, 1, __ATOMIC_RELAXED);
    share(thread, DT_THREAD_APP, 0, UINT32_MAX);
    for (const struct dt_frame *frame = thread->frames + 1; frame < (const struct dt_frame *)dt_hot.top; frame++)
        dt_record_call(frame->index);
}
