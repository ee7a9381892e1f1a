/* The requests that a call names: which of the thread's live ones they are. */
#include "native/arguments/open_calls.h"
#include "record/arrays.h"
#include "record/notes.h"
#include "system/reserved_memory.h"

enum { DT_MOST_NAMED = 1 << 20, DT_TOLD_AT_ONCE = 18 };

/* Capacity for `more` named requests. */
static bool reserve_named(struct dt_calls *calls, uint32_t more)
{
    if (calls->named_count + more <= calls->named_capacity)
        return true;
    uint32_t capacity = 2 * (calls->named_count + more) + 256;
    struct dt_named_request *larger = capacity <= DT_MOST_NAMED ? dt_kept_allocate(capacity * sizeof *larger) : NULL;
    if (!larger)
        return false;
    if (calls->named) {
        memcpy(larger, calls->named, calls->named_count * sizeof *larger);
        dt_kept_free(calls->named, calls->named_capacity * sizeof *larger);
    }
    calls->named = larger;
    calls->named_capacity = capacity;
    return true;
}

static bool names_one(const struct dt_open_call *open)
{
    return open->shape->call->parameters[0] != DT_PARAMETER_REQUEST_COUNT;
}

/* False: they cannot be looked at. */
static bool find_named(struct dt_calls *calls, struct dt_open_call *open)
{
    bool single = names_one(open);
    int count = single ? 1 : (int)open->values[0];
    uint64_t place = single ? open->values[0] : open->values[1];
    if (count == 0)
        return true;
    if (count < 0 || !place || !reserve_named(calls, (uint32_t)count))
        return false;
    struct dt_named_request *named = &calls->named[calls->named_count];
    for (int i = 0; i < count; i++, place += dt_mpi_handle_bytes()) {
        named[i].place = place;
        named[i].handle = dt_mpi_handle_at(place);
    }
    dt_requests_get(&calls->live, named, (uint32_t)count);
    for (int i = 0; i < count; i++)
        open->wildcard |= named[i].request.wildcard;
    calls->named_count += (uint32_t)count;
    open->named_count = (uint32_t)count;
    return true;
}

/* ---- as an argument -------------------------------------------------------------------------- */

static int64_t place_among_live(const struct dt_live_requests *live, const struct dt_named_request *named)
{
    bool own = named->request.number && dt_request_is_own(live, named->request);
    return own ? dt_live_position(live, named->request.number) : -1;
}

static int64_t one_of_live(const struct dt_live_requests *live, const struct dt_named_request *named)
{
    if (named->handle == dt_mpi.no_request)
        return dt_argument_special(DT_ARGUMENT_LIVE, DT_SPECIAL_NO_HANDLE);
    int64_t place = place_among_live(live, named);
    return place < 0 ? dt_argument_special(DT_ARGUMENT_LIVE, DT_SPECIAL_UNKNOWN) : dt_argument(DT_ARGUMENT_LIVE, place);
}

/* Mostly they are in order. */
static void sort(int64_t *numbers, uint32_t count)
{
    static const uint32_t gaps[] = {929, 407, 180, 77, 31, 10, 4, 1};
    for (uint32_t g = 0; g < sizeof gaps / sizeof *gaps; g++)
        for (uint32_t i = gaps[g]; i < count; i++) {
            int64_t number = numbers[i];
            uint32_t at = i;
            for (; at >= gaps[g] && numbers[at - gaps[g]] > number; at -= gaps[g])
                numbers[at] = numbers[at - gaps[g]];
            numbers[at] = number;
        }
}

static int64_t list(const int64_t *positions, uint32_t count, uint32_t live)
{
    bool all = count == live;
    for (uint32_t i = 0; all && i < count; i++)
        all = positions[i] == i;
    if (all)
        return dt_argument_special(DT_ARGUMENT_LIVE, DT_SPECIAL_ALL);
    int64_t number = dt_array_number(positions, count);
    return number < 0 ? dt_argument_special(DT_ARGUMENT_LIVE, DT_SPECIAL_UNKNOWN)
                      : dt_argument(DT_ARGUMENT_LIVE, dt_argument_first_array(DT_ARGUMENT_LIVE) + number);
}

/* A set: in what order a program keeps them means nothing. */
static int64_t some_of_live(const struct dt_live_requests *live, const struct dt_named_request *named, uint32_t count)
{
    enum { FEW = 64 };
    int64_t few[FEW], *positions = count <= FEW ? few : dt_sys_allocate(count * sizeof *positions);
    uint32_t found = 0;
    if (!positions)
        return dt_argument_special(DT_ARGUMENT_LIVE, DT_SPECIAL_UNKNOWN);
    for (uint32_t i = 0; i < count; i++)
        if (named[i].handle != dt_mpi.no_request)
            positions[found++] = place_among_live(live, &named[i]);
    sort(positions, found);
    int64_t argument =
        found ? list(positions, found, live->count) : dt_argument_special(DT_ARGUMENT_LIVE, DT_SPECIAL_NO_HANDLE);
    if (positions != few)
        dt_sys_munmap(positions, count * sizeof *positions);
    return argument;
}

/* ---- notes ----------------------------------------------------------------------------------- */

static void note_gone(struct dt_thread_state *thread, struct dt_live_requests *live)
{
    int64_t values[1 + DT_TOLD_AT_ONCE] = {DT_LIVE_GONE};
    while (live->gone) {
        uint32_t count = dt_live_take_gone(live, values + 1, DT_TOLD_AT_ONCE);
        if (!count)
            return;
        dt_note(thread, DT_NOTE_LIVE, values, 1 + count);
    }
}

/* After calls that were left without returning, or that were too deep in others. */
static void tell_anew(struct dt_thread_state *thread, struct dt_calls *calls)
{
    const struct dt_live_requests *live = &calls->live;
    int64_t values[1 + DT_TOLD_AT_ONCE] = {DT_LIVE_ARE, live->last};
    uint32_t count = 2;
    for (uint32_t i = 0; i < live->count; i++) {
        if (count == 1 + DT_TOLD_AT_ONCE) {
            dt_note(thread, DT_NOTE_LIVE, values, count);
            values[0] = DT_LIVE_ARE_ALSO;
            count = 1;
        }
        values[count++] = live->numbers[i] & DT_LIVE_NUMBER;
    }
    dt_note(thread, DT_NOTE_LIVE, values, count);
    calls->unclear = false;
}

void dt_open_call_name(struct dt_thread_state *thread, struct dt_open_call *open)
{
    struct dt_calls *calls = thread->calls;
    if (open->shape->requests == DT_REQUESTS_NONE)
        return;
    if (__atomic_load_n(&calls->live.gone, __ATOMIC_RELAXED))
        note_gone(thread, &calls->live);
    if (calls->unclear)
        tell_anew(thread, calls);
    bool found = find_named(calls, open);
    const struct dt_named_request *named = dt_open_call_named(calls, open);
    open->live = !found            ? dt_argument_special(DT_ARGUMENT_LIVE, DT_SPECIAL_UNKNOWN)
                 : names_one(open) ? one_of_live(&calls->live, named)
                                   : some_of_live(&calls->live, named, open->named_count);
}

void dt_open_call_note_others(struct dt_thread_state *thread, const struct dt_open_call *open, enum dt_live_event event)
{
    const struct dt_named_request *named = dt_open_call_named(thread->calls, open);
    struct dt_live_note note;
    dt_live_note_begin(&note, event);
    for (uint32_t i = 0; i < open->named_count; i++)
        if (named[i].request.number && !dt_request_is_own(&thread->calls->live, named[i].request))
            dt_live_note_other(thread, &note, named[i].request.thread, named[i].request.number);
    dt_live_note_end(thread, &note);
}
