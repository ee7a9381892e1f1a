/* A binary min-heap with an index from keys to places. */
#include "cluster/min_heap.h"

typedef struct {
    double value;
    guint key;
} Item;

struct DtMinHeap {
    Item *items;   /* children of place i at 2i + 1 and 2i + 2 */
    guint *places; /* by key */
    guint size;
};

static void swap_places(DtMinHeap *heap, guint i, guint j)
{
    Item item = heap->items[i];
    heap->items[i] = heap->items[j];
    heap->items[j] = item;
    heap->places[heap->items[i].key] = i;
    heap->places[heap->items[j].key] = j;
}

static void sift_up(DtMinHeap *heap, guint place)
{
    while (place > 0) {
        guint parent = (place - 1) / 2;
        if (heap->items[parent].value <= heap->items[place].value) {
            return;
        }
        swap_places(heap, place, parent);
        place = parent;
    }
}

static void sift_down(DtMinHeap *heap, guint place)
{
    for (;;) {
        guint child = 2 * place + 1;
        if (child >= heap->size) {
            return;
        }
        if (child + 1 < heap->size && heap->items[child + 1].value < heap->items[child].value) {
            child++;
        }
        if (heap->items[place].value <= heap->items[child].value) {
            return;
        }
        swap_places(heap, place, child);
        place = child;
    }
}

DtMinHeap *dt_min_heap_new(const double *values, guint n)
{
    DtMinHeap *heap = g_new(DtMinHeap, 1);
    *heap = (DtMinHeap){g_new(Item, n), g_new(guint, n), n};
    for (guint i = 0; i < n; i++) {
        heap->items[i] = (Item){values[i], i};
        heap->places[i] = i;
    }
    for (guint i = n / 2; i-- > 0;) {
        sift_down(heap, i);
    }
    return heap;
}

void dt_min_heap_free(DtMinHeap *heap)
{
    if (heap) {
        g_free(heap->items);
        g_free(heap->places);
        g_free(heap);
    }
}

guint dt_min_heap_least(const DtMinHeap *heap)
{
    return heap->items[0].key;
}

double dt_min_heap_value(const DtMinHeap *heap, guint key)
{
    return heap->items[heap->places[key]].value;
}

void dt_min_heap_remove_least(DtMinHeap *heap)
{
    swap_places(heap, 0, heap->size - 1);
    heap->size--;
    sift_down(heap, 0);
}

void dt_min_heap_change(DtMinHeap *heap, guint key, double value)
{
    guint place = heap->places[key];
    double old = heap->items[place].value;
    heap->items[place].value = value;
    if (value < old) {
        sift_up(heap, place);
    } else {
        sift_down(heap, place);
    }
}
