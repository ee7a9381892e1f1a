/* Which functions are timed. Counts of trials are shared by threads without a lock: a call more or less does not
 * matter. */
#include "record/timed_functions.h"

#include "record/functions.h"
#include "record/process.h"
#include "record/times.h"
#include "system/reserved_memory.h"

enum {
    FIRST_TRIAL = 64, /* calls */
    LATER_TRIAL = 16,
    LONGEST_NS = 40000, /* that counts of one call: what was interrupted says little */
    MOST_SUSPECTS = 64, /* of one stretch */
    FIRST_PAUSE_NS = 10000000,
    MOST_DOUBLINGS = 16,
    GUESSED_TICKS = 3 /* a nanosecond, until more is known */
};

uint8_t *dt_timed_functions;

struct trial {
    uint32_t calls; /* that are still to come */
    uint32_t taken; /* that came */
    uint64_t ticks; /* that they took */
    uint64_t next;  /* not on trial again before, by the counter */
    uint32_t trials;
};
static struct trial *trials;

/* Id -> index, of those that have a word. */
static uint32_t *indices;

bool dt_timed_functions_reserve(uint32_t most, uint32_t needed)
{
    static size_t timed_bytes, trial_bytes;
    if (!dt_process.options.function_times)
        return true;
    if (!indices)
        indices = dt_kept_allocate((DT_TAIL_LAST_ID + 1) * sizeof *indices);
    return indices && dt_kept_commit((void **)&dt_timed_functions, most, &timed_bytes, needed) &&
           dt_kept_commit((void **)&trials, most * sizeof *trials, &trial_bytes, needed * sizeof *trials);
}

void dt_timed_function_begin(uint64_t index)
{
    if (!dt_process.options.function_times)
        return;
    trials[index] = (struct trial){.calls = FIRST_TRIAL};
    dt_timed_functions[index] = true;
}

/* Of the counter, by what has passed since the thread began. */
static uint64_t ticks_in(const struct dt_thread_state *thread, uint64_t ns)
{
    static uint64_t per_ms;
    uint64_t known = __atomic_load_n(&per_ms, __ATOMIC_RELAXED);
    if (!known) {
        const struct dt_time_anchor *begin = &thread->times.stamps->begin;
        uint64_t passed_ns = dt_clock_fine() - begin->monotonic_ns, ticks = dt_tsc() - begin->counter;
        if (passed_ns < 1000000)
            return ns * GUESSED_TICKS;
        known = ticks / (passed_ns / 1000) * 1000;
        __atomic_store_n(&per_ms, known, __ATOMIC_RELAXED);
    }
    return ns * known / 1000000;
}

/* Its stub records by itself from now on. */
static void acquit(struct dt_thread_state *thread, uint64_t index)
{
    struct trial *trial = &trials[index];
    uint32_t doublings = trial->trials < MOST_DOUBLINGS ? trial->trials : MOST_DOUBLINGS;
    trial->trials++;
    trial->next = dt_tsc() + ticks_in(thread, (uint64_t)FIRST_PAUSE_NS << doublings);
    dt_timed_functions[index] = false;
    uint32_t id = dt_function_give_word(index);
    if (id <= DT_TAIL_LAST_ID)
        indices[id] = (uint32_t)index;
}

static void judge(struct dt_thread_state *thread, uint64_t index)
{
    const struct trial *trial = &trials[index];
    if (trial->ticks < ticks_in(thread, (uint64_t)trial->taken * DT_TIMED_NS))
        acquit(thread, index);
}

static void drop_left(struct dt_thread_times *times, const struct dt_frame *frame)
{
    while (times->open_trials && times->trials[times->open_trials - 1].frame > frame)
        times->open_trials--;
}

void dt_timed_function_entered(struct dt_thread_state *thread, uint64_t index)
{
    struct dt_thread_times *times = &thread->times;
    struct dt_frame *frame = (struct dt_frame *)dt_hot.top - 1;
    if (!dt_hot.stamp)
        return;
    if (dt_functions[index].both_ends)
        frame->return_address = DT_TIMED_RETURN;
    drop_left(times, frame - 1);
    if (trials[index].calls && times->open_trials < DT_OPEN_TRIALS)
        times->trials[times->open_trials++] = (struct dt_open_trial){frame, dt_tsc()};
    dt_times_look_at_call(thread, dt_stamp());
}

void dt_timed_function_left(struct dt_thread_state *thread, uint64_t index)
{
    struct dt_thread_times *times = &thread->times;
    const struct dt_frame *frame = (const struct dt_frame *)dt_hot.top - 1;
    if (!dt_hot.stamp)
        return;
    /* The clocks are read in the call that took long: its stamp is the last of those at one place. */
    if (dt_times_look_at_call(thread, dt_stamp()))
        dt_stamp();
    drop_left(times, frame);
    if (!times->open_trials || times->trials[times->open_trials - 1].frame != frame || frame->index != index)
        return;
    uint64_t passed = dt_tsc() - times->trials[--times->open_trials].ticks, most = ticks_in(thread, LONGEST_NS);
    struct trial *trial = &trials[index];
    uint32_t left = trial->calls;
    if (!left)
        return;
    trial->ticks += passed < most ? passed : most;
    trial->taken++;
    trial->calls = --left; /* never below 0, whatever other threads do */
    if (!left)
        judge(thread, index);
}

static void try_again(uint64_t index, uint64_t now)
{
    struct trial *trial = &trials[index];
    if (dt_timed_functions[index] || now < trial->next)
        return;
    trial->calls = LATER_TRIAL;
    trial->taken = 0;
    trial->ticks = 0;
    dt_timed_functions[index] = true;
    dt_function_take_word(index);
}

void dt_timed_functions_suspect(const uint16_t *from, const uint16_t *end, uint64_t now)
{
    uint32_t last = 0;
    for (int seen = 0; indices && from < end && seen < MOST_SUSPECTS; from++) {
        uint32_t id = *from;
        if (id == DT_WORD_UNWRITTEN || id == DT_WORD_RETURN || id > DT_TAIL_LAST_ID || id == last || !indices[id])
            continue;
        last = id;
        seen++;
        try_again(indices[id], now);
    }
}
