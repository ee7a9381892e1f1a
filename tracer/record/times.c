/* Times: stamps beside the raw tails, and what batches make of them. Batches are no two at a time, so one writer is at
 * work here; signal handlers only add stamps. */
#include "record/times.h"

#include <cpuid.h>
#include <sys/prctl.h>

#include "format/checks.h"
#include "format/stamp_code.h"
#include "format/tail.h"
#include "format/varint.h"
#include "record/notes.h"
#include "record/process.h"
#include "record/timed_functions.h"
#include "record/trace_writer.h"
#include "system/file_memory.h"

enum {
    DT_STAMPS_CHUNK_BYTES = sizeof(struct dt_chunk_header) + sizeof(struct dt_stamps),
    LONGEST_ITEM = 32,
    ANCHOR_TICKS = 1 << 22,     /* some 2 ms */
    EXACT_TICKS = 1 << 18,      /* from here on 4.5 % would be more than what a function with times takes at least */
    SUSPICIOUS_TICKS = 1 << 18, /* some 100 us */
    FIRST_NS = 20000
};
_Static_assert(DT_STAMPS_CHUNK_BYTES % DT_CHUNK_ALIGN == 0, "chunks are whole pages");

bool dt_counter_is_allowed(void)
{
    int mode = PR_TSC_ENABLE;
    dt_syscall(SYS_prctl, PR_GET_TSC, (long)&mode, 0, 0, 0, 0);
    return mode != PR_TSC_SIGSEGV;
}

bool dt_times_are_possible(void)
{
    static const unsigned POWER = 0x80000007u, INVARIANT = 1u << 8, HYPERVISOR = 1u << 31;
    unsigned a, b, c, d;
    bool invariant = __get_cpuid(POWER, &a, &b, &c, &d) && d & INVARIANT;
    /* Hypervisors hide the bit where a machine may move to another processor; they keep the counter's pace. */
    return invariant || (__get_cpuid(1, &a, &b, &c, &d) && c & HYPERVISOR);
}

static struct dt_chunk_header *stamps_chunk(const struct dt_stamps *stamps)
{
    return (struct dt_chunk_header *)stamps - 1;
}

static uint64_t address_bit(const uint16_t *tail)
{
    return (uint64_t)tail >> 1 & DT_TAIL_CAPACITY;
}

/* One after the other. */
static struct dt_time_anchor read_clocks(void)
{
    struct dt_time_anchor anchor = {.counter = dt_tsc(), .monotonic_ns = dt_clock_fine()};
    if (dt_may_call(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, 0))
        anchor.processor_ns = dt_sys_clock(CLOCK_THREAD_CPUTIME_ID);
    return anchor;
}

/* Two readings of the clocks tell how they go: also of a process that is killed right after its start. */
static struct dt_time_anchor read_a_little_later(const struct dt_time_anchor *first)
{
    struct dt_time_anchor later;
    do
        later = read_clocks();
    while (later.monotonic_ns < first->monotonic_ns + FIRST_NS);
    return later;
}

void dt_times_begin(struct dt_thread_state *thread)
{
    struct dt_thread_times *times = &thread->times;
    uint64_t offset;
    dt_times_stop();
    if (!dt_process.options.times || !thread->shared || thread->discarding || !dt_times_are_possible())
        return;
    struct dt_chunk_header *chunk =
        times->stamps ? stamps_chunk(times->stamps)
                      : dt_writer_chunk(DT_CHUNK_STAMPS, thread->index, 0, DT_STAMPS_CHUNK_BYTES, &offset);
    if (!chunk)
        return;
    times->stamps = (struct dt_stamps *)(chunk + 1);
    if (chunk->magic) {
        chunk->magic = 0;
        dt_compiler_barrier();
        chunk->owner = thread->index;
        chunk->check = dt_chunk_check(chunk);
        memset(times->stamps->stamps, 0, sizeof times->stamps->stamps);
    }
    times->stamps->place_of_first = (uint32_t)address_bit(thread->shared->tail[0]);
    times->stamps->begin = read_clocks();
    times->stamps->end = (struct dt_time_anchor){0};
    if (thread->index == 0)
        times->stamps->end = read_a_little_later(&times->stamps->begin);
    times->position = times->anchor = 0;
    times->looked = times->stamps->begin.counter;
    times->counter = times->stamps->begin.counter;
    times->lost = false;
    dt_writer_publish(chunk);
    dt_hot.stamp = (uint64_t)times->stamps->stamps[0];
}

void dt_times_stop(void)
{
    dt_hot.stamp = 0;
}

void dt_times_forbid(void)
{
    struct dt_thread_state *thread = dt_self;
    dt_process.options.times = false;
    if (!thread)
        return;
    dt_guard_raise();
    dt_times_end(thread);
    dt_times_stop();
    dt_guard_lower();
}

uint64_t dt_times_turn(struct dt_thread_state *thread, uint32_t tail)
{
    if (!dt_hot.stamp)
        return 0;
    uint64_t end = __atomic_exchange_n(&dt_hot.stamp, (uint64_t)thread->times.stamps->stamps[tail], __ATOMIC_RELAXED);
    dt_compiler_barrier();
    thread->times.turned = dt_tsc();
    return end;
}

void dt_times_lose(struct dt_thread_state *thread)
{
    if (!dt_hot.stamp)
        return;
    uint64_t *stamps = thread->times.stamps->stamps[0];
    size_t first = dt_hot.stamp - (uint64_t)stamps < sizeof thread->times.stamps->stamps[0] ? 0 : 1;
    dt_hot.stamp = (uint64_t)thread->times.stamps->stamps[first];
    thread->times.lost = true;
}

void dt_times_look(struct dt_thread_state *thread)
{
    if (!dt_hot.stamp)
        return;
    thread->times.stamps->end = read_clocks();
    thread->times.looked = thread->times.stamps->end.counter;
}

/* ---- rows of bytes ------------------------------------------------------------------------------ */

static struct dt_times *head_of(const struct dt_note_place *place)
{
    return (struct dt_times *)place->start - 1;
}

/* What was written counts from now on. */
static void show(const struct dt_note_place *place)
{
    if (!place->start)
        return;
    dt_compiler_barrier();
    head_of(place)->used = (uint32_t)(place->next - place->start);
}

static void put(struct dt_note_place *place, const void *bytes, size_t count)
{
    memcpy((void *)place->next, bytes, count);
    place->next += count;
}

static void put_byte(struct dt_note_place *place, uint8_t byte)
{
    *(uint8_t *)place->next++ = byte;
}

static void put_number(struct dt_note_place *place, uint64_t number)
{
    place->next += dt_varint_put((uint8_t *)place->next, number);
}

static void put_anchor(struct dt_thread_times *times)
{
    struct dt_time_anchor anchor = read_clocks();
    put_byte(&times->place, DT_TIME_ANCHOR);
    put(&times->place, &anchor, sizeof anchor);
    times->anchor = anchor.counter;
}

static bool has_capacity(struct dt_thread_state *thread)
{
    struct dt_thread_times *times = &thread->times;
    struct dt_note_place *place = &times->place;
    if (place->start && place->next + LONGEST_ITEM <= place->end)
        return true;
    show(place);
    struct dt_chunk_header *chunk = dt_row_chunk(thread, place, DT_CHUNK_TIMES);
    if (!chunk)
        return false;
    struct dt_times *head = (struct dt_times *)(chunk + 1);
    head->position = place->position = times->position;
    head->counter = times->counter;
    dt_writer_publish(chunk);
    dt_row_unmap(place);
    place->start = place->next = (uint64_t)(head + 1);
    place->end = (uint64_t)chunk + chunk->bytes;
    place->sequence++;
    put_anchor(times);
    return true;
}

/* As in a batch: what a signal's handler records meanwhile makes none. */
void dt_times_tell_clocks(struct dt_thread_state *thread)
{
    struct dt_thread_times *times = &thread->times;
    if (!dt_hot.stamp || thread->in_batch || thread->discarding)
        return;
    thread->in_batch = true;
    dt_compiler_barrier();
    if (has_capacity(thread))
        put_anchor(times);
    show(&times->place);
    dt_compiler_barrier();
    thread->in_batch = false;
}

/* Each time is coded from the one before as readers know it, so that errors do not add up. */
static bool put_time(struct dt_thread_state *thread, uint64_t position, uint64_t ticks, bool of_batch)
{
    struct dt_thread_times *times = &thread->times;
    if (!has_capacity(thread))
        return false;
    if (of_batch)
        put_byte(&times->place, DT_TIME_BATCH);
    uint64_t passed = ticks > times->counter ? ticks - times->counter : 0;
    uint8_t code = passed < EXACT_TICKS ? dt_time_code(passed) : DT_TIME_LONG;
    put_byte(&times->place, code);
    if (code == DT_TIME_LONG)
        put(&times->place, &passed, sizeof passed);
    put_number(&times->place, position - times->position);
    times->counter += code == DT_TIME_LONG ? passed : dt_time_ticks(code);
    times->position = position;
    return true;
}

/* The counter's upper bits are not in a stamp: it is not long ago. */
static uint64_t ticks_of(uint64_t stamp, uint64_t now)
{
    uint64_t ago = (now << DT_STAMP_PLACE_BITS >> DT_STAMP_PLACE_BITS) - (stamp >> DT_STAMP_PLACE_BITS);
    return now - (ago & UINT64_MAX >> DT_STAMP_PLACE_BITS);
}

/* Nothing tells what took so long: the words from the last stamp on. */
static void suspect(const struct dt_thread_state *thread, const uint16_t *from, const uint16_t *end, uint64_t ticks)
{
    if (dt_timed_functions && ticks > thread->times.counter + SUSPICIOUS_TICKS)
        dt_timed_functions_suspect(from, end, ticks);
}

/* Stamps of handlers that came while words went to the tail and stamps did not are left out, and told. */
static bool put_stamps(struct dt_thread_state *thread, uint32_t tail, size_t used, uint64_t end, uint64_t words)
{
    const uint16_t *place = thread->shared->tail[tail], *from = place;
    const uint64_t *stamp = thread->times.stamps->stamps[tail], bit = address_bit(place), now = dt_tsc();
    const uint16_t *since = place;
    bool whole = true;
    for (; (uint64_t)stamp < end; stamp++) {
        const uint16_t *of = place + (*stamp & (DT_STAMP_PLACE & ~(uint64_t)DT_TAIL_CAPACITY));
        if (!*stamp || (*stamp & DT_TAIL_CAPACITY) != bit || of < from || of >= place + used) {
            whole = false;
            continue;
        }
        for (; from < of; from++)
            words += dt_tail_count(*from);
        suspect(thread, since, of, ticks_of(*stamp, now));
        since = of;
        if (!put_time(thread, words, ticks_of(*stamp, now), false))
            return false;
    }
    suspect(thread, since, place + used, now);
    return whole;
}

static void forget_stamps(struct dt_thread_times *times, uint32_t tail, uint64_t end)
{
    uint64_t *first = times->stamps->stamps[tail];
    memset(first, 0, end - (uint64_t)first);
}

void dt_times_batch(struct dt_thread_state *thread, uint32_t tail, size_t used, uint64_t end, uint64_t words)
{
    struct dt_thread_times *times = &thread->times;
    if (!end)
        return;
    bool lost = times->lost;
    times->lost = false;
    bool told = !lost && put_stamps(thread, tail, used, end, words);
    if (!told && has_capacity(thread))
        put_byte(&times->place, DT_TIME_LOST);
    uint64_t now = dt_tsc();
    if (put_time(thread, thread->words, times->turned, true) && put_time(thread, thread->words, now, true) &&
        now - times->anchor > ANCHOR_TICKS && has_capacity(thread))
        put_anchor(times);
    show(&times->place);
    forget_stamps(times, tail, end);
}

void dt_times_end(struct dt_thread_state *thread)
{
    const struct dt_thread *shared = thread->shared;
    if (!dt_hot.stamp || !shared || thread->in_batch)
        return;
    uint32_t tail = shared->commit[shared->selector].active_tail;
    uint64_t end = dt_hot.stamp;
    dt_times_stop();
    put_stamps(thread, tail, DT_TAIL_CAPACITY, end, thread->words);
    if (has_capacity(thread))
        put_anchor(&thread->times);
    show(&thread->times.place);
    forget_stamps(&thread->times, tail, end);
}

void dt_times_release(struct dt_thread_state *thread)
{
    struct dt_thread_times *times = &thread->times;
    dt_times_stop(); /* timed stubs ask for nothing else */
    dt_row_unmap(&times->place);
    if (times->stamps)
        dt_file_memory_unmap(stamps_chunk(times->stamps), DT_STAMPS_CHUNK_BYTES);
    memset(times, 0, sizeof *times);
}
