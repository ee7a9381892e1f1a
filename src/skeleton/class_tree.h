/**
 * The calls of one rank, or of ranks that make the same ones, as a tree of loops and calls. What is put aside of calls,
 * so that they are equal, and how often loops go round, stands in rows of values, in the order of visits.
 */
#ifndef DT_SKELETON_CLASS_TREE_H
#define DT_SKELETON_CLASS_TREE_H

#include "skeleton/recorded_calls.h"

G_BEGIN_DECLS

typedef struct DtTreeNode DtTreeNode;
struct DtTreeNode {
    guint32 key;         /* equal for nodes that may be visits of one */
    guint32 call;        /* of a call: its number at the first visit; its fields that are not put aside */
    GPtrArray *children; /* DtTreeNode; NULL: a call */
    guint rows;          /* of a loop 1, its counts; of a call as many as it has fields */
    GArray **row;        /* DtValue; NULL: the field is not put aside */
    GArray *places;      /* DtPlaceCount, of a call; NULL: not known */
    gboolean is_whole;   /* of a loop: it is not written out, however short it is */
};

/** How many visits come from a place in the source. */
typedef struct {
    guint32 place;
    guint64 count;
} DtPlaceCount;
/** Adds to the counts (element-type DtPlaceCount), which may be NULL; gives them. */
GArray *dt_place_counts_add(GArray *counts, guint32 place, guint64 count);

typedef struct {
    GPtrArray *nodes; /* DtTreeNode, owned */
} DtClassTree;
/** What is put aside of calls, so that those that differ in nothing else are equal: from nothing on, one rung after the
 * other. */
typedef enum { DT_RUNG_EXACT, DT_RUNG_COUNTS, DT_RUNG_TAGS, DT_RUNG_PEERS, DT_RUNGS } DtRung;
gboolean dt_field_is_aside(guint kind, DtRung rung);
/** `rungs`: DtRung by number of call. O(calls * levels of loops). */
DtClassTree *dt_class_tree_build(const DtRecordedCalls *calls, const DtCallSequence *sequence, const guint8 *rungs);
/** Chooses the rungs (ladder.c), a few dozen trees at most. */
DtClassTree *dt_class_tree_new(const DtRecordedCalls *calls, const DtCallSequence *sequence);
void dt_class_tree_free(DtClassTree *tree);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtClassTree, dt_class_tree_free)
guint dt_tree_size(const GPtrArray *nodes);
void dt_tree_node_free(gpointer node);

G_END_DECLS

#endif
