/* Notes: a row of small records beside a thread's words, in chunks of their own.
 *
 * A note's bytes are taken by one instruction (xadd), as the words' places are, so that signal handlers may note
 * something at any instruction of ours. Its length byte is written first, marked as unfinished, and again without the
 * mark when the body is there: whatever instruction the process dies at, readers know what to skip. */
#include "record/notes.h"

#include <errno.h>

#include "record/recorder.h"
#include "record/ring.h"
#include "system/file_memory.h"

enum {
    DT_FIRST_NOTES_BYTES = 4 << 10,
    DT_LARGEST_NOTES_BYTES = 64 << 10,
    DT_ALL_NOTES_BYTES = 16 << 20 /* of a thread: beyond it the newest chunks are used in turn */
};

/* Its head and that of what it is a row of lie in its first page. */
static struct dt_chunk_header *chunk_of(const struct dt_note_place *place)
{
    return (struct dt_chunk_header *)(place->start & ~(uint64_t)(DT_CHUNK_ALIGN - 1));
}

void dt_row_unmap(const struct dt_note_place *place)
{
    if (place->start)
        dt_file_memory_unmap(chunk_of(place), chunk_of(place)->bytes);
}

void dt_notes_release(struct dt_thread_state *thread)
{
    dt_row_unmap(&thread->notes);
    memset(&thread->notes, 0, sizeof thread->notes);
}

static uint32_t count_notes(const struct dt_chunk_header *chunk)
{
    uint32_t count = 0;
    const uint8_t *at = (const uint8_t *)(chunk + 1) + sizeof(struct dt_notes),
                  *end = (const uint8_t *)chunk + chunk->bytes;
    for (; at < end; at += 1 + (*at & ~DT_NOTE_UNFINISHED))
        count += *at && !(*at & DT_NOTE_UNFINISHED);
    return count;
}

/* The oldest chunk anew, and what was in it counted; NULL: there is none. */
static struct dt_chunk_header *oldest_chunk(struct dt_thread_state *thread, struct dt_note_place *place, uint32_t type,
                                            uint32_t held, size_t bytes)
{
    uint64_t offset = place->chunks[(place->sequence - held) % DT_RING_NOTES];
    struct dt_extent extent;
    if (!held || !dt_writer_find(offset, bytes, &extent)) {
        dt_writer_stop(ENOMEM);
        return NULL;
    }
    struct dt_chunk_header *chunk = extent.memory;
    if (type == DT_CHUNK_NOTES)
        thread->shared->dropped_notes += count_notes(chunk);
    chunk->magic = 0;
    dt_compiler_barrier();
    memset(chunk + 1, 0, bytes - sizeof *chunk);
    place->chunks[place->sequence % DT_RING_NOTES] = offset;
    return dt_writer_begin(type, thread->index, place->sequence, bytes, &extent);
}

/* Sizes double up to a bound. How a run began stays, and how it ended; of what is too much, the middle goes. */
static struct dt_chunk_header *larger_chunk(struct dt_thread_state *thread, struct dt_note_place *place, uint32_t type)
{
    size_t bytes = place->start ? chunk_of(place)->bytes * (size_t)2 : DT_FIRST_NOTES_BYTES;
    uint64_t offset;
    if (bytes > DT_LARGEST_NOTES_BYTES)
        bytes = DT_LARGEST_NOTES_BYTES;
    if (place->bytes + bytes > DT_ALL_NOTES_BYTES)
        return oldest_chunk(thread, place, type, DT_RING_NOTES, bytes);
    struct dt_chunk_header *chunk = dt_writer_chunk(type, thread->index, place->sequence, bytes, &offset);
    if (!chunk)
        return NULL;
    place->bytes += bytes;
    place->chunks[place->sequence % DT_RING_NOTES] = offset;
    return chunk;
}

static struct dt_chunk_header *ring_chunk(struct dt_thread_state *thread, struct dt_note_place *place, uint32_t type)
{
    size_t bytes = dt_ring_chunk_bytes();
    uint32_t held = (uint32_t)(place->bytes / bytes);
    struct dt_extent extent;
    long error;
    if (dt_process.header->flags & DT_FILE_STOPPED)
        return NULL;
    if (held == DT_RING_NOTES || (held && dt_writer_is_full(bytes)))
        return oldest_chunk(thread, place, type, held, bytes);
    if (!dt_writer_take(bytes, &extent, &error))
        return NULL;
    place->bytes += bytes;
    place->chunks[place->sequence % DT_RING_NOTES] = extent.offset;
    return dt_writer_begin(type, thread->index, place->sequence, bytes, &extent);
}

struct dt_chunk_header *dt_row_chunk(struct dt_thread_state *thread, struct dt_note_place *place, uint32_t type)
{
    return dt_ring_is_used() ? ring_chunk(thread, place, type) : larger_chunk(thread, place, type);
}

static bool begin_chunk(struct dt_thread_state *thread)
{
    struct dt_note_place *place = &thread->notes;
    struct dt_chunk_header *chunk = dt_row_chunk(thread, place, DT_CHUNK_NOTES);
    if (!chunk)
        return false;
    struct dt_notes *head = (struct dt_notes *)(chunk + 1);
    head->position = dt_record_position(thread);
    dt_writer_publish(chunk);
    /* A note that we interrupted may still be written into the old chunk: then it stays. */
    if (place->depth == 1)
        dt_row_unmap(place);
    place->position = head->position;
    place->start = (uint64_t)(head + 1);
    place->end = (uint64_t)chunk + chunk->bytes;
    place->next = place->start;
    place->sequence++;
    return true;
}

/* A new chunk, unless a handler has begun one since `sequence` were there. */
static bool next_chunk(struct dt_thread_state *thread, uint32_t sequence)
{
    uint64_t mask = dt_sys_block_signals();
    bool done = thread->notes.sequence != sequence || begin_chunk(thread);
    dt_sys_restore_signals(mask);
    return done;
}

/* By one instruction: false if a handler has noted something since `next` was `at`, maybe in another chunk. */
static bool take_bytes(uint64_t *next, uint64_t at, size_t bytes)
{
    bool taken;
    __asm__ volatile("cmpxchgq %3, %1" : "=@ccz"(taken), "+m"(*next), "+a"(at) : "r"(at + bytes) : "memory");
    return taken;
}

static void fill(volatile uint8_t *at, const uint8_t *body, size_t bytes)
{
    at[0] = (uint8_t)(bytes | DT_NOTE_UNFINISHED);
    for (size_t i = 0; i < bytes; i++)
        at[1 + i] = body[i];
    at[0] = (uint8_t)bytes;
}

static bool write_note(struct dt_thread_state *thread, struct dt_note *note)
{
    struct dt_note_place *place = &thread->notes;
    uint8_t body[DT_NOTE_BODY];
    for (;;) {
        uint32_t sequence = *(volatile uint32_t *)&place->sequence;
        uint64_t at = *(volatile uint64_t *)&place->next;
        dt_compiler_barrier();
        uint64_t position = dt_record_position(thread);
        note->offset = position > place->position ? position - place->position : 0;
        size_t bytes = dt_note_encode(note, body);
        if (bytes == 0)
            return false;
        if (!place->start || at + bytes + 1 > place->end) {
            if (!next_chunk(thread, sequence))
                return false;
            continue;
        }
        if (take_bytes(&place->next, at, bytes + 1)) {
            fill((volatile uint8_t *)at, body, bytes);
            return true;
        }
    }
}

static bool record_note(struct dt_thread_state *thread, struct dt_note *note)
{
    if (!thread->shared)
        return false;
    thread->notes.depth++;
    bool done = !thread->discarding && write_note(thread, note);
    thread->notes.depth--;
    thread->shared->last_seen_ns = dt_clock_coarse();
    if (!done)
        thread->shared->dropped_notes++;
    return done;
}

bool dt_note_text(struct dt_thread_state *thread, uint32_t kind, const int64_t *values, uint32_t count,
                  const char *text)
{
    struct dt_note note;
    note.kind = kind;
    note.count = count < DT_NOTE_VALUES ? count : DT_NOTE_VALUES;
    for (uint32_t i = 0; i < note.count; i++)
        note.values[i] = values[i];
    note.text = (const uint8_t *)text;
    note.text_bytes = text ? strlen(text) : 0;
    return record_note(thread, &note);
}

bool dt_note(struct dt_thread_state *thread, uint32_t kind, const int64_t *values, uint32_t count)
{
    return dt_note_text(thread, kind, values, count, NULL);
}
