/* Hash index over bit sets: open addressing, linear probing, at most half full. */
#include "fca/set_index.h"

#include "fca/bit_set.h"

struct DtSetIndex {
    gsize words;
    gsize mask;
    gsize used;
    guint *slots;
};

static gsize hash_set(const guint64 *set, gsize words)
{
    guint64 hash = words;
    for (gsize i = 0; i < words; i++) {
        hash = (hash ^ set[i]) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return (gsize)hash;
}

static guint *new_slots(gsize count)
{
    guint *slots = g_new(guint, count);
    for (gsize i = 0; i < count; i++) {
        slots[i] = DT_SET_ABSENT;
    }
    return slots;
}

DtSetIndex *dt_set_index_new(gsize words)
{
    enum { INITIAL_SLOTS = 64 };
    DtSetIndex *index = g_new(DtSetIndex, 1);
    *index = (DtSetIndex){words, INITIAL_SLOTS - 1, 0, new_slots(INITIAL_SLOTS)};
    return index;
}

void dt_set_index_free(DtSetIndex *index)
{
    if (index != NULL) {
        g_free(index->slots);
        g_free(index);
    }
}

static void place(DtSetIndex *index, const guint64 *base, guint number)
{
    gsize slot = hash_set(base + (gsize)number * index->words, index->words) & index->mask;
    while (index->slots[slot] != DT_SET_ABSENT) {
        slot = (slot + 1) & index->mask;
    }
    index->slots[slot] = number;
}

void dt_set_index_add(DtSetIndex *index, const guint64 *base, guint number)
{
    if (2 * (index->used + 1) > index->mask) {
        g_autofree guint *old = index->slots;
        gsize old_count = index->mask + 1;
        index->slots = new_slots(2 * old_count);
        index->mask = 2 * old_count - 1;
        for (gsize i = 0; i < old_count; i++) {
            if (old[i] != DT_SET_ABSENT) {
                place(index, base, old[i]);
            }
        }
    }
    place(index, base, number);
    index->used++;
}

guint dt_set_index_find(const DtSetIndex *index, const guint64 *base, const guint64 *set)
{
    gsize slot = hash_set(set, index->words) & index->mask;
    while (index->slots[slot] != DT_SET_ABSENT) {
        if (dt_bits_equal(base + (gsize)index->slots[slot] * index->words, set, index->words)) {
            return index->slots[slot];
        }
        slot = (slot + 1) & index->mask;
    }
    return DT_SET_ABSENT;
}
