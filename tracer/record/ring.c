/* The file as a ring: with --when-full keep-last, a thread that needs room for new data when the file has reached its
 * size takes the chunk with the oldest: its own, or that of a thread that has ended.
 *
 * Only what lies before the segment that the commit record calls open may go, and always up to the start of another
 * segment. dt_thread.kept_stream is raised before the chunk is touched, so that readers never look for what is gone. */
#include "record/ring.h"

#include "record/spin_lock.h"
#include "system/reserved_memory.h"

enum {
    DT_LEAST_CHUNK_BYTES = 4 << 10,
    DT_LARGEST_CHUNK_BYTES = 256 << 10,
    DT_CHUNKS_OF_A_FILE = 1024,
    DT_LEAST_CHUNKS = 4 /* that every thread may have, however full the file is */
};

#define NO_SEGMENT UINT64_MAX

struct chunk {
    uint64_t offset;        /* in the file */
    uint64_t first_segment; /* that starts in it: offset in the stream, or NO_SEGMENT */
    uint64_t first_word;    /* of that segment */
};

struct dt_ring {
    struct dt_ring *later; /* of threads that have ended */
    uint64_t record;       /* the same: struct dt_thread in the file */
    uint64_t stream_bytes, words;
    uint32_t first, next;  /* sequences of the chunks held */
    struct chunk chunks[]; /* by sequence modulo ring_capacity() */
};

static struct {
    uint32_t lock;
    struct dt_ring *oldest, *newest; /* of ended threads */
    uint64_t *free;                  /* places given up; as many as chunks fit the file */
    uint32_t free_count;
} pool;

size_t dt_ring_chunk_bytes(void)
{
    size_t bytes = DT_LEAST_CHUNK_BYTES;
    while (bytes < DT_LARGEST_CHUNK_BYTES && bytes * 2 * DT_CHUNKS_OF_A_FILE <= dt_process.options.max_bytes)
        bytes *= 2;
    return bytes;
}

/* Chunks of data; a quarter of the file is left to records and tables. */
static uint32_t ring_capacity(void)
{
    return (uint32_t)(dt_process.options.max_bytes / 4 * 3 / dt_ring_chunk_bytes()) + DT_LEAST_CHUNKS;
}

static size_t ring_bytes(void)
{
    return sizeof(struct dt_ring) + ring_capacity() * sizeof(struct chunk);
}

static struct chunk *chunk_at(struct dt_ring *ring, uint32_t sequence)
{
    return &ring->chunks[sequence % ring_capacity()];
}

/* ---- giving up the oldest chunk ---------------------------------------------------------------- */

/* What is kept once the ring's oldest chunk is gone: from the first segment that starts behind it. */
static struct chunk kept_after_oldest(struct dt_ring *ring)
{
    for (uint32_t sequence = ring->first + 1; sequence != ring->next; sequence++)
        if (chunk_at(ring, sequence)->first_segment != NO_SEGMENT)
            return *chunk_at(ring, sequence);
    return (struct chunk){.first_segment = ring->stream_bytes, .first_word = ring->words};
}

static bool may_give(const struct dt_thread_state *thread)
{
    const struct dt_ring *ring = thread->ring;
    const struct dt_thread *shared = thread->shared;
    uint64_t end = (ring->first + (uint64_t)1) * (dt_ring_chunk_bytes() - sizeof(struct dt_chunk_header));
    return ring->next - ring->first >= DT_LEAST_CHUNKS && end <= shared->commit[shared->selector].segment_start;
}

static uint64_t give_own(struct dt_thread_state *thread)
{
    struct dt_ring *ring = thread->ring;
    struct chunk kept = kept_after_oldest(ring);
    thread->shared->kept_words = kept.first_word;
    dt_compiler_barrier();
    thread->shared->kept_stream = kept.first_segment;
    dt_compiler_barrier();
    return chunk_at(ring, ring->first++)->offset;
}

static uint64_t give_ended(void)
{
    struct dt_ring *ring = pool.oldest;
    struct chunk kept = kept_after_oldest(ring);
    dt_writer_write_at(ring->record + offsetof(struct dt_thread, kept_words), &kept.first_word, sizeof(uint64_t));
    dt_writer_write_at(ring->record + offsetof(struct dt_thread, kept_stream), &kept.first_segment, sizeof(uint64_t));
    uint64_t offset = chunk_at(ring, ring->first++)->offset;
    if (ring->first == ring->next) {
        pool.oldest = ring->later;
        dt_kept_free(ring, ring_bytes());
    }
    return offset;
}

/* ---- the next chunk ------------------------------------------------------------------------------ */

/* A thread that started early leaves room to those that came later. */
static void give_up_surplus(struct dt_thread_state *thread, uint32_t share)
{
    if (!pool.free)
        pool.free = dt_kept_allocate(ring_capacity() * sizeof *pool.free);
    while (pool.free && pool.free_count < ring_capacity() && thread->ring->next - thread->ring->first > share &&
           may_give(thread))
        pool.free[pool.free_count++] = give_own(thread);
}

static bool find_place(struct dt_thread_state *thread, struct dt_extent *extent)
{
    size_t bytes = dt_ring_chunk_bytes();
    uint32_t live = __atomic_load_n(&dt_process.live_threads, __ATOMIC_RELAXED);
    uint32_t share = ring_capacity() / (live ? live : 1), held = thread->ring->next - thread->ring->first;
    long error;
    if (held > share)
        give_up_surplus(thread, share < DT_LEAST_CHUNKS ? DT_LEAST_CHUNKS : share);
    /* What is first of its own is the last resort of all: NOLINTBEGIN(bugprone-branch-clone) */
    if (held >= share && may_give(thread))
        extent->offset = give_own(thread);
    else if (pool.free_count)
        extent->offset = pool.free[--pool.free_count];
    else if (!dt_writer_is_full(bytes + dt_process.options.max_bytes / 4) && dt_writer_take(bytes, extent, &error))
        return true;
    else if (pool.oldest)
        extent->offset = give_ended();
    else if (may_give(thread))
        extent->offset = give_own(thread);
    else
        return held < DT_LEAST_CHUNKS && dt_writer_take(bytes, extent, &error);
    /* NOLINTEND(bugprone-branch-clone) */
    return true;
}

bool dt_ring_next(struct dt_thread_state *thread, struct dt_extent *extent)
{
    if (!thread->ring)
        thread->ring = dt_kept_allocate(ring_bytes());
    struct dt_ring *ring = thread->ring;
    if (!ring)
        return false;
    uint64_t mask = dt_lock_take(&pool.lock);
    bool found = ring->next - ring->first < ring_capacity() && find_place(thread, extent);
    if (found)
        *chunk_at(ring, ring->next++) = (struct chunk){.offset = extent->offset, .first_segment = NO_SEGMENT};
    dt_lock_drop(&pool.lock, mask);
    return found;
}

void dt_ring_segment(struct dt_thread_state *thread)
{
    struct chunk *chunk = chunk_at(thread->ring, thread->ring->next - 1);
    if (chunk->first_segment != NO_SEGMENT)
        return;
    chunk->first_word = thread->words;
    chunk->first_segment = thread->stream_bytes;
}

/* ---- ends ------------------------------------------------------------------------------------------ */

void dt_ring_end(struct dt_thread_state *thread, uint64_t record)
{
    struct dt_ring *ring = thread->ring;
    if (!ring)
        return;
    thread->ring = NULL;
    if (ring->first == ring->next) {
        dt_kept_free(ring, ring_bytes());
        return;
    }
    const struct dt_commit *commit = &thread->shared->commit[thread->shared->selector];
    ring->record = record;
    ring->stream_bytes = commit->stream_bytes;
    ring->words = commit->words;
    ring->later = NULL;
    uint64_t mask = dt_lock_take(&pool.lock);
    if (pool.oldest)
        pool.newest->later = ring;
    else
        pool.oldest = ring;
    pool.newest = ring;
    dt_lock_drop(&pool.lock, mask);
}

void dt_ring_reset(struct dt_thread_state *thread)
{
    memset(&pool, 0, sizeof pool);
    if (thread)
        thread->ring = NULL;
}
