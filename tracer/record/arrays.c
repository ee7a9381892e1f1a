#include "record/arrays.h"

#include "format/arguments.h"
#include "format/checks.h"
#include "format/varint.h"
#include "record/process.h"
#include "record/record_row.h"
#include "record/spin_lock.h"
#include "system/reserved_memory.h"

enum { DT_ARRAY_MEMORY = 64 << 20, DT_ADDRESS_PART = 32, DT_FIRST_SLOTS = 1 << 10 };

/* An array as it is remembered: its elements follow. */
struct known_array {
    uint64_t hash;
    uint32_t number, count;
    int64_t elements[];
};

/* One behind the other, in the order of their numbers. */
static struct {
    void *memory;
    size_t most, committed, used;
    uint32_t count;
} known;
/* By hash: 1 + offset in `known`, in units of 8 bytes; 0: free. */
static uint32_t *slots, slot_count, lock;
static struct dt_record_row records;

void dt_arrays_reset(void)
{
    lock = 0;
    known.used = known.count = 0;
    records = (struct dt_record_row){0};
    if (slots)
        dt_sys_clear(slots, slot_count * sizeof *slots);
}

static uint64_t hash_of(const int64_t *elements, uint32_t count)
{
    uint64_t hash = count;
    for (uint32_t i = 0; i < count; i++) {
        hash = (hash ^ (uint64_t)elements[i]) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash;
}

static const struct known_array *array_at(uint32_t slot)
{
    return (const struct known_array *)((const uint8_t *)known.memory + (size_t)(slot - 1) * 8);
}

static bool is_equal(const struct known_array *array, uint64_t hash, const int64_t *elements, uint32_t count)
{
    if (array->hash != hash || array->count != count)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (array->elements[i] != elements[i])
            return false;
    return true;
}

/* NULL: it is new. */
static const struct known_array *find_array(uint64_t hash, const int64_t *elements, uint32_t count)
{
    for (uint64_t at = hash; slots && slots[at % slot_count]; at++) {
        const struct known_array *array = array_at(slots[at % slot_count]);
        if (is_equal(array, hash, elements, count))
            return array;
    }
    return NULL;
}

static void fill_slot(const struct known_array *array)
{
    uint64_t at = array->hash;
    while (slots[at % slot_count])
        at++;
    slots[at % slot_count] = 1 + (uint32_t)(((const uint8_t *)array - (const uint8_t *)known.memory) / 8);
}

/* At most half of the slots are full. */
static bool reserve_slot(void)
{
    if (2 * (known.count + 1) <= slot_count)
        return true;
    uint32_t old_count = slot_count, *old = slots, count = slots ? 2 * slot_count : DT_FIRST_SLOTS;
    uint32_t *larger = dt_kept_allocate(count * sizeof *larger);
    if (!larger)
        return false;
    slots = larger;
    slot_count = count;
    for (uint32_t i = 0; old && i < old_count; i++)
        if (old[i])
            fill_slot(array_at(old[i]));
    if (old)
        dt_kept_free(old, old_count * sizeof *old);
    return true;
}

static bool write_record(const struct known_array *array)
{
    size_t bytes = sizeof(struct dt_array);
    uint8_t scratch[DT_VARINT_BYTES];
    for (uint32_t i = 0; i < array->count; i++)
        bytes += dt_varint_put(scratch, dt_zigzag(array->elements[i]));
    bytes = (bytes + 7) & ~(size_t)7;
    struct dt_array *record = dt_record_row_place(&records, DT_CHUNK_ARRAYS, bytes);
    if (!record)
        return false;
    uint8_t *at = (uint8_t *)(record + 1);
    for (uint32_t i = 0; i < array->count; i++)
        at += dt_varint_put(at, dt_zigzag(array->elements[i]));
    record->number = array->number;
    record->count = array->count;
    record->bytes = (uint32_t)bytes;
    uint32_t check = dt_array_check(record);
    record->bytes = 0;
    record->check = check;
    dt_compiler_barrier();
    record->bytes = (uint32_t)bytes;
    dt_record_row_done(&records);
    return true;
}

/* Under the lock. NULL: no memory. */
static const struct known_array *add_array(uint64_t hash, const int64_t *elements, uint32_t count)
{
    size_t bytes = sizeof(struct known_array) + count * sizeof *elements;
    if (!known.most)
        known.most =
            dt_reservation_bytes((size_t)DT_ARRAY_MEMORY * dt_process.options.arguments_scale, DT_ADDRESS_PART);
    if (!reserve_slot() || !dt_kept_commit(&known.memory, known.most, &known.committed, known.used + bytes))
        return NULL;
    struct known_array *array = (struct known_array *)((uint8_t *)known.memory + known.used);
    array->hash = hash;
    array->number = known.count;
    array->count = count;
    for (uint32_t i = 0; i < count; i++)
        array->elements[i] = elements[i];
    if (!write_record(array))
        return NULL;
    known.used += bytes;
    known.count++;
    fill_slot(array);
    return array;
}

int64_t dt_array_number(const int64_t *elements, uint32_t count)
{
    uint64_t hash = hash_of(elements, count);
    if (!dt_spin_lock(&lock))
        return -1;
    const struct known_array *array = find_array(hash, elements, count);
    if (!array)
        array = add_array(hash, elements, count);
    if (!array)
        dt_lost(&dt_process.header->lost_arrays);
    int64_t number = array ? (int64_t)array->number : -1;
    dt_spin_unlock(&lock);
    return number;
}
