/* Threads that have ended: what is in their records moves into a chunk that they share, and their own chunks and states
 * go to the next threads. Ten thousand short threads take the room of their words. */
#include "record/ended_threads.h"

#include "format/checks.h"
#include "record/process.h"
#include "record/recorder.h"
#include "record/spin_lock.h"
#include "record/trace_writer.h"
#include "system/file_memory.h"

enum { DT_FIRST_ENDED_BYTES = 4 << 10, DT_LARGEST_ENDED_BYTES = 64 << 10 };

static struct {
    uint32_t lock;
    struct dt_chunk_header *chunk; /* of ended threads' records */
    uint64_t offset;               /* of it in the file */
    size_t used;                   /* bytes of its payload */
    struct dt_thread_state *spare;
    uint32_t spare_count;
} ended;

/* ---- packing ------------------------------------------------------------------------------------- */

static bool make_space(size_t bytes)
{
    size_t size = ended.chunk ? ended.chunk->bytes : 0;
    if (ended.chunk && sizeof *ended.chunk + ended.used + bytes <= size) /* 0 where the file was lost */
        return true;
    if (ended.chunk)
        dt_file_memory_unmap(ended.chunk, size);
    size = size == 0 ? DT_FIRST_ENDED_BYTES : size < DT_LARGEST_ENDED_BYTES ? size * 2 : size;
    while (size - sizeof *ended.chunk < bytes)
        size *= 2;
    ended.chunk = dt_writer_chunk(DT_CHUNK_ENDED, UINT32_MAX, 0, size, &ended.offset);
    ended.used = 0;
    if (ended.chunk)
        dt_writer_publish(ended.chunk);
    return ended.chunk;
}

/* How many words there are; `words` is NULL or gets them. */
static uint32_t gather(uint16_t *words, const uint16_t *tail)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < DT_TAIL_CAPACITY; i++) {
        if (tail[i] == DT_WORD_UNWRITTEN)
            continue;
        if (words)
            words[count] = tail[i];
        count++;
    }
    return count;
}

/* The thread's record, packed; where it now lies in the file, or 0. */
static uint64_t pack(const struct dt_thread_state *thread)
{
    const struct dt_thread *shared = thread->shared;
    const struct dt_commit *commit = &shared->commit[shared->selector];
    const uint16_t *tail = shared->tail[commit->active_tail];
    uint32_t words = gather(NULL, tail);
    size_t bytes = (sizeof(struct dt_ended_thread) + words * sizeof *tail + 7) & ~(size_t)7;
    if (!make_space(bytes))
        return 0;
    uint8_t *place = (uint8_t *)(ended.chunk + 1) + ended.used;
    struct dt_ended_thread *record = (struct dt_ended_thread *)place;
    record->index = thread->index;
    memcpy(record->head, shared, sizeof record->head);
    record->words = gather((uint16_t *)(record + 1), tail);
    record->check = dt_ended_thread_check(record);
    dt_compiler_barrier();
    record->bytes = (uint32_t)bytes;
    dt_compiler_barrier();
    uint64_t offset = ended.offset + sizeof *ended.chunk + ended.used;
    ended.used += bytes;
    return offset + offsetof(struct dt_ended_thread, head);
}

/* Readers skip the chunk from now on. */
static void set_free(struct dt_chunk_header *chunk)
{
    chunk->magic = 0;
    dt_compiler_barrier();
    chunk->type = DT_CHUNK_FREE;
    chunk->check = dt_chunk_check(chunk);
    dt_writer_publish(chunk);
}

bool dt_thread_pack(struct dt_thread_state *thread)
{
    if (!thread->shared || thread->in_batch || (dt_process.header->flags & DT_FILE_STOPPED))
        return false;
    uint64_t mask = dt_lock_take(&ended.lock);
    uint64_t place = pack(thread);
    dt_lock_drop(&ended.lock, mask);
    if (!place)
        return false;
    set_free((struct dt_chunk_header *)thread->shared - 1);
    thread->packed = place;
    return true;
}

/* ---- states --------------------------------------------------------------------------------------- */

bool dt_thread_spare(struct dt_thread_state *thread)
{
    uint64_t mask = dt_lock_take(&ended.lock);
    bool kept = thread->kept_mapped || ended.spare_count < DT_MOST_SPARE_THREADS;
    if (kept) {
        thread->next_spare = ended.spare;
        ended.spare = thread;
        ended.spare_count++;
    }
    dt_lock_drop(&ended.lock, mask);
    return kept;
}

struct dt_thread_state *dt_thread_spared(void)
{
    uint64_t mask = dt_lock_take(&ended.lock);
    struct dt_thread_state *thread = ended.spare;
    if (thread) {
        ended.spare = thread->next_spare;
        ended.spare_count--;
    }
    dt_lock_drop(&ended.lock, mask);
    return thread;
}

/* Another thread may have been at work here when the process forked: nothing is touched. */
void dt_ended_reset(void)
{
    memset(&ended, 0, sizeof ended);
}
