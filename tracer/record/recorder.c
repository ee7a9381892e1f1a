/* Recording: words into the raw tail, batches of them through the codec into the thread's segments, commit records.
 *
 * At every instruction the file says the same events: the committed words, then the active tail, then the other one.
 * Before a batch is compressed, `next` is moved to the other tail, so that signal handlers go on recording meanwhile.
 */
#include "record/recorder.h"

#include "codec/codec.h"
#include "format/checks.h"
#include "record/held_signals.h"
#include "record/notes.h"
#include "record/segments.h"
#include "record/switch.h"
#include "record/tail_words.h"
#include "record/times.h"
#include "system/file_memory.h"
#include "system/reserved_memory.h"

_Static_assert(DT_TAIL_WORDS == 1024 && DT_TAIL_CAPACITY == 2048, "stubs.S counts on it");

/* Of a tail whose words count twice. */
static size_t staging_bytes(void)
{
    return dt_codec_bound(dt_process.options.codec, (size_t)2 * DT_TAIL_CAPACITY);
}

/* From here on words of this thread are counted only. */
static void discard(struct dt_thread_state *thread)
{
    thread->discarding = true;
    thread->passed_from = 0;
    dt_times_stop();
    dt_hot.next = (uint64_t)thread->scratch;
}

void dt_recorder_begin(struct dt_thread_state *thread)
{
    uint32_t codec = dt_process.options.codec;
    if (!thread->codec_state)
        thread->codec_state = dt_kept_allocate(dt_codec_encoder_bytes(codec));
    if (!thread->staging)
        thread->staging = dt_kept_allocate(staging_bytes());
    for (int i = 0; thread->shared && i < 2; i++) {
        dt_tail_clear(thread->shared->tail[i], DT_TAIL_CAPACITY);
        thread->shared->commit[i].check = dt_commit_check(&thread->shared->commit[i]);
    }
    thread->counted = thread->passed_from = 0;
    if (thread->codec_state && thread->staging && thread->shared)
        dt_hot.next = (uint64_t)thread->shared->tail[0];
    else
        discard(thread);
}

void dt_recorder_end(struct dt_thread_state *thread)
{
    if (thread->data)
        dt_file_memory_unmap(thread->data - sizeof(struct dt_chunk_header), thread->data_chunk_bytes);
    thread->data = NULL;
    dt_notes_release(thread);
}

void dt_recorder_release(struct dt_thread_state *thread)
{
    uint32_t codec = dt_process.options.codec;
    dt_recorder_end(thread);
    dt_times_release(thread);
    if (thread->codec_state)
        dt_kept_free(thread->codec_state, dt_codec_encoder_bytes(codec));
    if (thread->staging)
        dt_kept_free(thread->staging, staging_bytes());
    thread->codec_state = thread->staging = NULL;
}

/* ---- places passed over ------------------------------------------------------------------------- */

static const uint16_t *region_of(uint64_t address)
{
    return (const uint16_t *)(address & ~(uint64_t)(DT_TAIL_BYTES - 1));
}

static bool in_region(uint64_t address, const uint16_t *region)
{
    return region_of(address) == region;
}

/* By one instruction: false if a signal's handler has moved it meanwhile. */
static bool move_next(uint64_t from, uint64_t to)
{
    bool moved;
    uint64_t *next = &dt_hot.next;
    __asm__ volatile("cmpxchgq %3, %1" : "=@ccz"(moved), "+m"(*next), "+a"(from) : "r"(to) : "memory");
    return moved;
}

static uint64_t where_batch_is_due(uint64_t next)
{
    return (uint64_t)(region_of(next) + DT_TAIL_WORDS);
}

/* A handler has moved it since it was `before`, and a batch seems due: where it began to pass places over, if it has.
 * All that it recorded is written, and what was taken earlier lies further down. */
static uint64_t find_passed(uint64_t before)
{
    const uint16_t *region = region_of(dt_hot.next), *due = region + DT_TAIL_WORDS;
    const uint16_t *first = in_region(before, region) ? (const uint16_t *)before : region, *passed = due;
    while (passed > first && passed[-1] == DT_WORD_UNWRITTEN)
        passed--;
    return passed < due ? (uint64_t)passed : 0;
}

void dt_recorder_pass_places(struct dt_thread_state *thread)
{
    while (thread && !thread->discarding) {
        uint64_t next = *(volatile uint64_t *)&dt_hot.next;
        if (next >= where_batch_is_due(next))
            return;
        thread->passed_from = next;
        dt_compiler_barrier();
        if (move_next(next, where_batch_is_due(next)))
            return;
        if (dt_batch_is_due())
            thread->passed_from = find_passed(next);
    }
}

/* Where something has been recorded, nothing was passed over: a handler moved on instead. */
static uint64_t passed_from(const struct dt_thread_state *thread)
{
    uint64_t from = thread->passed_from;
    return from && *(const volatile uint16_t *)from == DT_WORD_UNWRITTEN ? from : 0;
}

/* Where it was stays known: a signal handler may ask for its position now, and from the first word there it counts no
 * more. */
void dt_recorder_come_back(struct dt_thread_state *thread)
{
    uint64_t from = passed_from(thread);
    if (from)
        move_next(where_batch_is_due(from), from);
}

/* How many there are in the tail. */
static size_t places_passed(const struct dt_thread_state *thread, const uint16_t *tail)
{
    uint64_t from = passed_from(thread);
    return from && in_region(from, tail) ? (where_batch_is_due(from) - from) / 2 : 0;
}

/* ---- batches --------------------------------------------------------------------------------- */

/* Into the staging area; returns the bytes, and how many words they are. */
static size_t encode(struct dt_thread_state *thread, const uint16_t *tail, size_t used, const struct dt_tail_sums *sums,
                     size_t *count)
{
    uint32_t codec = thread->segment.codec;
    if (!sums->has_others && dt_codec_takes_tails(codec)) {
        *count = used + sums->childless;
        return dt_codec_encode_tail(codec, thread->codec_state, tail, used, thread->staging);
    }
    const uint16_t *words = tail;
    *count = used;
    if (sums->has_others || sums->childless) {
        words = thread->batch;
        *count = dt_tail_expand(thread->batch, tail, used);
    }
    return dt_codec_encode(codec, thread->codec_state, words, *count, thread->staging);
}

static bool compress(struct dt_thread_state *thread, const uint16_t *tail, size_t used, const struct dt_tail_sums *sums,
                     const struct dt_frame *top)
{
    if (!thread->segment_open && !dt_segment_open(thread, thread->frames + 1))
        return false;
    size_t count, bytes = encode(thread, tail, used, sums, &count);
    if (!dt_segment_append(thread, bytes))
        return false;
    thread->words += count;
    thread->segment.events += count;
    uint64_t most = thread->ring ? thread->data_capacity : DT_SEGMENT_CODE_BYTES;
    if (thread->segment.bytes < most && thread->segment.events < DT_SEGMENT_WORDS)
        return true;
    return dt_segment_close(thread) && dt_segment_open(thread, top);
}

static void commit(struct dt_thread_state *thread, uint32_t active_tail)
{
    struct dt_thread *shared = thread->shared;
    struct dt_commit *record = &shared->commit[shared->selector ^ 1];
    shared->last_seen_ns = dt_clock_coarse();
    record->words = thread->words;
    record->stream_bytes = thread->stream_bytes;
    record->segment_start = thread->segment_start;
    record->segment_words = thread->segment.events;
    record->crc32 = thread->segment.crc32;
    record->active_tail = active_tail;
    record->tail_serial = shared->tail_serial[active_tail];
    dt_codec_suspend(thread->segment.codec, thread->codec_state, record->pending);
    record->check = dt_commit_check(record);
    dt_compiler_barrier();
    shared->selector ^= 1;
    dt_compiler_barrier();
}

/* Words that are in a tail, if `next` is where words go. */
static size_t words_used(const uint16_t *tail, uint64_t next)
{
    return in_region(next, tail) ? (next - (uint64_t)tail) / 2 : DT_TAIL_CAPACITY;
}

/* Words up to `until` are in the scratch, where nobody reads them. */
static void count_discarded(struct dt_thread_state *thread, uint64_t until)
{
    const uint16_t *region = region_of(until);
    size_t used = words_used(region, until);
    size_t words = used - places_passed(thread, region) + dt_tail_sum(region, used).childless;
    thread->discarded_words += words;
    if (thread->shared)
        thread->shared->dropped_events = thread->discarded_words;
    else
        __atomic_fetch_add(&dt_process.header->dropped_events, words, __ATOMIC_RELAXED);
}

/* By one instruction: a signal handler may record before and after it. Gives where words went until then. */
static uint64_t go_on_at(const void *place)
{
    uint64_t until = __atomic_exchange_n(&dt_hot.next, (uint64_t)place, __ATOMIC_RELAXED);
    dt_compiler_barrier();
    return until;
}

/* A signal handler has filled the tail that was left to it while a batch is being made: what follows is lost. */
static void go_on_in_scratch(struct dt_thread_state *thread)
{
    dt_times_lose(thread);
    uint64_t next = *(volatile uint64_t *)&dt_hot.next;
    if (in_region(next, thread->scratch))
        count_discarded(thread, go_on_at(thread->scratch));
    else if (move_next(next, (uint64_t)thread->scratch))
        thread->left_for_scratch = next;
}

/* Where words of the file went last, if they went to `next` last. */
static uint64_t end_in_file(const struct dt_thread_state *thread, uint64_t next)
{
    return in_region(next, thread->scratch) ? thread->left_for_scratch : next;
}

/* Of a tail's end: what handlers may still need when a batch that was put off is done, and when no batch can be. */
enum { DT_LATE_BYTES = 512, DT_LAST_BYTES = 128 };

static bool has_capacity_but(size_t bytes)
{
    return (dt_hot.next & (DT_TAIL_BYTES - 1)) < DT_TAIL_BYTES - bytes;
}

/* Capacity for what signal handlers record before the batch that is due is done. */
static bool has_slack(void)
{
    return has_capacity_but(DT_LAST_BYTES);
}

/* We are in a signal handler that interrupted the thread between taking a word's place and filling it: when we have
 * returned it will, and its next event is soon enough for the batch. Only when the slack runs out the word is lost. */
static bool is_place_unfilled(const uint16_t *tail, size_t used, size_t passed)
{
    size_t unwritten = 0;
    if (!in_region(dt_hot.next, tail) || !has_slack())
        return false;
    for (size_t i = 0; i < used; i++)
        unwritten += tail[i] == DT_WORD_UNWRITTEN;
    return unwritten > passed;
}

/* Places passed over make a batch seem due: none is before what follows them is long enough. */
static bool is_due_in_earnest(struct dt_thread_state *thread)
{
    if (dt_terminating_are_watched(thread) && has_capacity_but(DT_LATE_BYTES))
        return false;
    dt_recorder_come_back(thread);
    return dt_batch_is_due();
}

static void batch(struct dt_thread_state *thread)
{
    dt_process_look(); /* then it is not due any more */
    if (!dt_batch_is_due())
        return; /* a signal handler was faster */
    if (thread->in_batch || thread->discarding) {
        if (thread->discarding || !has_slack())
            go_on_in_scratch(thread);
        return;
    }
    if (!is_due_in_earnest(thread))
        return;
    thread->in_batch = true;
    const struct dt_frame *top = (const struct dt_frame *)dt_hot.top;
    struct dt_thread *shared = thread->shared;
    uint32_t full = shared->commit[shared->selector].active_tail, other = full ^ 1;
    const uint16_t *tail = shared->tail[full];
    size_t seen = words_used(tail, end_in_file(thread, dt_hot.next));
    struct dt_tail_sums sums = dt_tail_sum(tail, seen);
    if (sums.has_others && is_place_unfilled(tail, seen, places_passed(thread, tail))) {
        thread->in_batch = false;
        return;
    }
    shared->tail_serial[other] = shared->tail_serial[full] + 1;
    dt_compiler_barrier();
    uint64_t stamps = dt_times_turn(thread, other), words = thread->words;
    uint64_t end = go_on_at(shared->tail[other]);
    if (in_region(end, thread->scratch))
        count_discarded(thread, end);
    thread->passed_from = 0;
    size_t used = words_used(tail, end_in_file(thread, end));
    if (used != seen)
        sums = dt_tail_sum(tail, used);
    if (compress(thread, tail, used, &sums, top)) {
        dt_times_batch(thread, full, used, stamps, words);
        commit(thread, other);
        dt_tail_clear(shared->tail[full], used);
        dt_compiler_barrier();
    } else {
        discard(thread);
    }
    if (!thread->discarding && in_region(dt_hot.next, thread->scratch))
        count_discarded(thread, go_on_at((const void *)thread->left_for_scratch));
    dt_compiler_barrier();
    thread->in_batch = false;
    if (dt_process.off)
        dt_hot.limit = 0;
    if (dt_terminating_are_watched(thread))
        dt_recorder_pass_places(thread);
}

void dt_recorder_batch(void)
{
    bool held = dt_signals_hold();
    batch(dt_self);
    dt_signals_let(held);
}

static const struct dt_commit *good_commit(const struct dt_thread *shared)
{
    return &shared->commit[*(const volatile uint32_t *)&shared->selector];
}

/* Words that are in the tail that words go to; a place that is not filled yet counts as one. What was counted before is
 * kept, in one word for signal handlers: the tail's serial, how many of its words, how many of these are childless. */
static uint64_t count_words(struct dt_thread_state *thread, uint64_t next, const uint16_t *tail, uint32_t serial)
{
    size_t used = (next - (uint64_t)tail) / 2, until = used, passed = 0;
    uint64_t gap = passed_from(thread);
    if (gap && in_region(gap, tail) && where_batch_is_due(gap) <= next) {
        passed = (where_batch_is_due(gap) - gap) / 2;
        until = (gap - (uint64_t)tail) / 2;
    }
    size_t whole = until / DT_VECTOR_WORDS * DT_VECTOR_WORDS;
    uint64_t counted = thread->counted;
    size_t from = counted >> 16 & UINT16_MAX;
    if (counted >> 32 != serial || from > whole)
        counted = from = 0;
    struct dt_tail_sums sums = dt_tail_sum(tail + from, whole - from);
    sums.childless += counted & UINT16_MAX;
    if (!sums.has_others)
        thread->counted = (uint64_t)serial << 32 | whole << 16 | sums.childless;
    dt_tail_sum_rest(tail + whole, tail + until, &sums);
    dt_tail_sum_rest(tail + until + passed, tail + used, &sums);
    return used - passed + sums.childless;
}

static uint64_t position_after(struct dt_thread_state *thread, const struct dt_commit *record)
{
    const struct dt_thread *shared = thread->shared;
    uint32_t other = record->active_tail ^ 1;
    const uint16_t *tail = shared->tail[record->active_tail];
    uint64_t next = *(volatile uint64_t *)&dt_hot.next;
    if (in_region(next, tail))
        return record->words + count_words(thread, next, tail, record->tail_serial);
    uint64_t position = record->words;
    for (size_t i = 0; i < DT_TAIL_CAPACITY; i++)
        position += dt_tail_count(tail[i]);
    if (!in_region(next, shared->tail[other]))
        return position;
    return position + count_words(thread, next, shared->tail[other], shared->tail_serial[other]);
}

uint64_t dt_record_position(struct dt_thread_state *thread)
{
    uint64_t position;
    uint32_t serial;
    do { /* again if a signal handler committed a batch meanwhile */
        serial = good_commit(thread->shared)->tail_serial;
        dt_compiler_barrier();
        position = position_after(thread, good_commit(thread->shared));
        dt_compiler_barrier();
    } while (good_commit(thread->shared)->tail_serial != serial);
    return position;
}

/* ---- single words, from the slow paths ------------------------------------------------------- */

/* It takes three words, to which no tail gives another meaning: all three places at once. */
void dt_record_large_id(uint32_t id)
{
    uint64_t at = 6;
    uint64_t *next = &dt_hot.next;
    __asm__ volatile("xaddq %0, %1" : "+r"(at), "+m"(*next) : : "memory");
    uint16_t *words = (uint16_t *)at;
    words[0] = DT_WORD_ESCAPE;
    words[1] = id & 0x7fff;
    words[2] = (uint16_t)(id >> 15);
    if (dt_batch_is_due())
        dt_recorder_batch();
}

void dt_record_call(uint64_t index)
{
    dt_record_id(dt_function_id(index));
    if (dt_process.switched && dt_self)
        dt_switch_after_call(dt_self, index);
}

void dt_record_terminating(uint64_t index)
{
    uint32_t id = dt_function_id(index);
    if (id <= DT_TAIL_LAST_ID && !dt_switch_sees(index)) {
        if (dt_batch_is_due())
            dt_recorder_batch(); /* not behind the word: the call may be opened again */
        dt_place_word((uint16_t)(DT_TAIL_CHILDLESS | id));
        return;
    }
    dt_record_call(index);
    dt_record_return();
}
