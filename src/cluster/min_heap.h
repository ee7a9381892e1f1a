/**
 * A binary heap of values with fixed keys 0..n-1, any of whose values may change.
 * Which of several equal minima comes first follows from the order of operations.
 */
#ifndef DT_CLUSTER_MIN_HEAP_H
#define DT_CLUSTER_MIN_HEAP_H

#include <glib.h>

typedef struct DtMinHeap DtMinHeap;

/** Heapifies `values`, key i = index i; the values are copied. O(n). */
DtMinHeap *dt_min_heap_new(const double *values, guint n);
void dt_min_heap_free(DtMinHeap *heap);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtMinHeap, dt_min_heap_free)

/** The key with the least value; the heap must not be empty. */
guint dt_min_heap_least(const DtMinHeap *heap);
/** The value of a key that is still in the heap. */
double dt_min_heap_value(const DtMinHeap *heap, guint key);
void dt_min_heap_remove_least(DtMinHeap *heap);
void dt_min_heap_change(DtMinHeap *heap, guint key, double value);

#endif
