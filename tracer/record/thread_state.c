/* A thread's state, private and in the file: made, named, closed. The same for every engine. */
#include <errno.h>

#include "format/checks.h"
#include "record/debug.h"
#include "record/ended_threads.h"
#include "record/ring.h"
#include "record/switch.h"
#include "record/times.h"
#include "system/file_memory.h"
#include "system/reserved_memory.h"

enum {
    DT_SCRATCH_BYTES = 2 * (DT_TAIL_WORDS + DT_TAIL_SLACK),
    DT_STATE_BYTES = sizeof(struct dt_thread_state) + 2 * DT_SCRATCH_BYTES + DT_SIGNAL_STACK_BYTES,
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

static struct dt_chunk_header *own_chunk(struct dt_thread_state *thread)
{
    uint64_t offset = 0;
    struct dt_chunk_header *chunk = dt_writer_chunk(DT_CHUNK_THREAD, thread->index, 0, DT_THREAD_CHUNK_BYTES, &offset);
    thread->record = offset + sizeof *chunk;
    return chunk;
}

/* The free chunk of the thread that had the state before. */
static struct dt_chunk_header *used_again(const struct dt_thread_state *thread)
{
    struct dt_chunk_header *chunk = (struct dt_chunk_header *)thread->shared - 1;
    chunk->magic = 0;
    dt_compiler_barrier();
    memset(chunk + 1, 0, offsetof(struct dt_thread, tail));
    chunk->type = DT_CHUNK_THREAD;
    chunk->owner = thread->index;
    chunk->check = dt_chunk_check(chunk);
    return chunk;
}

static void share(struct dt_thread_state *thread, uint32_t kind, uint32_t number, uint32_t creator)
{
    struct dt_chunk_header *chunk = thread->shared ? used_again(thread) : own_chunk(thread);
    struct dt_thread *shared = chunk ? (struct dt_thread *)(chunk + 1) : NULL;
    thread->shared = shared;
    thread->packed = 0;
    if (!shared) {
        dt_recorder_begin(thread);
        dt_times_stop();
        return;
    }
    shared->kind = kind;
    shared->number = number;
    shared->creator = creator;
    shared->tid = dt_sys_tid();
    shared->start_monotonic_ns = dt_clock_fine();
    dt_syscall(SYS_prctl, 16 /* PR_GET_NAME */, (long)shared->name, 0, 0, 0, 0);
    shared->check = dt_thread_check(shared);
    thread->words = thread->stream_bytes = 0;
    thread->segment_open = false;
    thread->data_sequence = 0;
    thread->data_chunk_bytes = thread->data_used = thread->data_capacity = 0;
    dt_recorder_begin(thread);
    dt_writer_publish(chunk);
    dt_times_begin(thread);
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

struct dt_frame dt_no_frames[1] = {{0, UINT64_MAX, 0}};

/* The program's own stacks are small where address space is: the parts keep all of ours below a quarter of it. */
static size_t shadow_bytes(void)
{
    enum { MAIN_PART = 16, THREAD_PART = 128 };
    bool main_thread = dt_sys_tid() == dt_sys_pid();
    return dt_reservation_bytes(DT_SHADOW_FRAMES * sizeof(struct dt_frame), main_thread ? MAIN_PART : THREAD_PART);
}

static struct dt_frame *shadow_memory(const struct dt_thread_state *thread)
{
    return thread->frames - DT_FRAMES_BELOW;
}

static bool commit_shadow(struct dt_thread_state *thread, size_t needed)
{
    void *memory = shadow_memory(thread);
    bool (*take)(void **, size_t, size_t *, size_t) = thread->kept_mapped ? dt_kept_commit : dt_reserved_commit;
    needed = needed < thread->shadow_bytes ? needed : thread->shadow_bytes;
    if (!take(&memory, thread->shadow_bytes, &thread->shadow_committed, needed))
        return false;
    thread->real_limit = (uint64_t)(shadow_memory(thread) + needed / sizeof(struct dt_frame) - 2);
    return true;
}

bool dt_shadow_grow(struct dt_thread_state *thread)
{
    uint64_t old = thread->real_limit;
    if (thread->shadow_full)
        return false;
    thread->shadow_full =
        thread->shadow_committed >= thread->shadow_bytes || !commit_shadow(thread, 2 * thread->shadow_committed);
    if (thread->shadow_full)
        return false;
    if (dt_hot.limit == old)
        dt_hot.limit = thread->real_limit;
    return true;
}

/* No more than are spared in any case: what other threads have is unmapped when they end. */
static void keep_mapped(struct dt_thread_state *thread)
{
    static uint32_t count;
    if (__atomic_fetch_add(&count, 1, __ATOMIC_RELAXED) >= DT_MOST_SPARE_THREADS)
        return;
    thread->kept_mapped = true;
    dt_keep_mapped(thread, DT_STATE_BYTES);
    dt_keep_mapped(shadow_memory(thread), thread->shadow_committed);
}

static struct dt_thread_state *new_state(void)
{
    enum { FIRST_SHADOW_BYTES = 64 << 10 };
    struct dt_thread_state *thread = dt_sys_allocate(DT_STATE_BYTES);
    size_t bytes = shadow_bytes();
    struct dt_frame *memory = thread ? dt_sys_reserve(bytes) : NULL;
    if (thread && memory) {
        thread->frames = memory + DT_FRAMES_BELOW;
        thread->shadow_bytes = bytes;
    }
    if (!memory || !commit_shadow(thread, FIRST_SHADOW_BYTES)) {
        if (memory)
            dt_sys_munmap(memory, bytes);
        if (thread)
            dt_sys_munmap(thread, DT_STATE_BYTES);
        return NULL;
    }
    thread->frames[0].slot = UINT64_MAX;
    thread->scratch = aligned_scratch((uint8_t *)(thread + 1));
    thread->signal_stack = (uint8_t *)thread + DT_STATE_BYTES - DT_SIGNAL_STACK_BYTES;
    keep_mapped(thread);
    return thread;
}

/* What the state of a thread that has ended has for another one. */
static void forget(struct dt_thread_state *thread)
{
    struct dt_thread_state kept = {.frames = thread->frames, .real_limit = thread->real_limit};
    kept.shadow_bytes = thread->shadow_bytes;
    kept.shadow_committed = thread->shadow_committed;
    kept.kept_mapped = thread->kept_mapped;
    kept.shared = thread->shared;
    kept.record = thread->record;
    kept.scratch = thread->scratch;
    kept.codec_state = thread->codec_state;
    kept.staging = thread->staging;
    kept.signal_stack = thread->signal_stack;
    kept.times.stamps = thread->times.stamps;
    memcpy(thread, &kept, offsetof(struct dt_thread_state, batch));
    memcpy(&thread->words, &kept.words, sizeof kept - offsetof(struct dt_thread_state, words));
}

bool dt_thread_open(uint32_t kind, uint32_t number, uint32_t creator, uint64_t stack_low, uint64_t stack_high)
{
    struct dt_thread_state *thread = dt_thread_spared();
    if (!thread)
        thread = new_state();
    if (!thread) {
        if (dt_process.threads == 0) /* or the process would record nothing without a word */
            dt_writer_stop(ENOMEM);
        dt_thread_over = true;
        return false;
    }
    thread->stack_low = stack_low;
    thread->stack_high = stack_high;
    thread->kind = kind;
    thread->index = __atomic_fetch_add(&dt_process.threads, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&dt_process.live_threads, 1, __ATOMIC_RELAXED);
    share(thread, kind, number, creator);
    dt_hot.top = (uint64_t)(thread->frames + 1);
    dt_self = thread;
    dt_switch_open(thread);
    dt_debug(DT_DEBUG_RECORD, "thread opened, its trace:", thread->index, NULL);
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

void dt_thread_rename(struct dt_thread_state *thread)
{
    char name[sizeof thread->shared->name] = "";
    dt_syscall(SYS_prctl, 16 /* PR_GET_NAME */, (long)name, 0, 0, 0, 0);
    if (memcmp(name, thread->shared->name, sizeof name) == 0)
        return;
    begin_change(thread->shared);
    memcpy(thread->shared->name, name, sizeof name);
    end_change(thread->shared);
}

void dt_thread_close(struct dt_thread_state *thread)
{
    if (!thread->shared)
        return;
    begin_change(thread->shared);
    dt_syscall(SYS_prctl, 16 /* PR_GET_NAME */, (long)thread->shared->name, 0, 0, 0, 0);
    thread->shared->end_monotonic_ns = dt_clock_fine();
    thread->shared->end_state = DT_THREAD_RETURNED;
    end_change(thread->shared);
    dt_debug(DT_DEBUG_RECORD, "thread closed, its trace:", thread->index, NULL);
}

void dt_thread_free(struct dt_thread_state *thread)
{
    dt_times_end(thread);
    dt_thread_over = true;
    dt_hot.limit = 0;
    dt_hot.next = 2 * DT_TAIL_WORDS;
    dt_times_stop();
    dt_self = NULL;
    dt_compiler_barrier();
    dt_hot.top = (uint64_t)(dt_no_frames + 1);
    __atomic_fetch_sub(&dt_process.live_threads, 1, __ATOMIC_RELAXED);
    bool packed = dt_thread_pack(thread);
    dt_recorder_end(thread);
    dt_ring_end(thread, packed ? thread->packed : thread->record);
    if (packed) {
        forget(thread);
        if (dt_thread_spare(thread))
            return;
    }
    dt_recorder_release(thread);
    if (thread->shared)
        dt_file_memory_unmap((struct dt_chunk_header *)thread->shared - 1, DT_THREAD_CHUNK_BYTES);
    if (thread->kept_mapped) {
        thread->shared = NULL;
        forget(thread);
        dt_thread_spare(thread);
        return;
    }
    dt_sys_munmap(shadow_memory(thread), thread->shadow_bytes);
    dt_sys_munmap(thread, DT_STATE_BYTES);
}

void dt_thread_continue(struct dt_thread_state *thread)
{
    dt_recorder_release(thread);
    thread->shared = NULL;
    thread->in_batch = false;
    thread->discarding = !dt_process.active;
    thread->discarded_words = 0;
    dt_hot.next = (uint64_t)thread->scratch;
    if (!dt_process.active)
        return;
    thread->index = __atomic_fetch_add(&dt_process.threads, 1, __ATOMIC_RELAXED);
    share(thread, DT_THREAD_APP, 0, UINT32_MAX);
    for (const struct dt_frame *frame = thread->frames + 1; frame < (const struct dt_frame *)dt_hot.top; frame++)
        dt_record_call(frame->index);
}
