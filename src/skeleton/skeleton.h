/**
 * The skeleton of a run: what all its ranks do to communicate, as one structured text. Calls that are the same on all
 * ranks but for some values stand once; loops stay loops. It is lossless: the calls of every rank, with all that was
 * recorded of them, come out of it again.
 *
 *     difftrace skeleton 1
 *     ranks 16
 *     MPI_Init
 *     50 times
 *       on 1-3*4/4: MPI_Irecv(world, from -1, tag 101, 60 x 8 B)
 *       ...
 *       MPI_Waitall(live all)
 *     MPI_Finalize
 *
 * docs/algorithms/skeleton.md has the grammar and the algorithms; the idea is ScalaTrace's (Noeth, Ratn, Mueller,
 * Schulz, de Supinski 2009), the loops are NLR's.
 */
#ifndef DT_SKELETON_SKELETON_H
#define DT_SKELETON_SKELETON_H

#include "skeleton/peers.h"
#include "skeleton/rank_set.h"
#include "skeleton/row.h"
#include "store/store.h"

G_BEGIN_DECLS

#define DT_SKELETON_ERROR dt_skeleton_error_quark()
GQuark dt_skeleton_error_quark(void);
typedef enum {
    DT_SKELETON_ERROR_EMPTY,  /* the run has no ranks that call MPI */
    DT_SKELETON_ERROR_SYNTAX, /* "FILE:3:7: ..." */
    DT_SKELETON_ERROR_LARGE,  /* more than DT_SKELETON_MOST_CALLS */
    DT_SKELETON_ERROR_MESH    /* it has more places than there are ranks */
} DtSkeletonError;

/** What a field of a call says. Of arguments: enum dt_argument_kind (format/arguments.h); what has no number of its own
 * there follows. */
enum {
    DT_FIELD_COUNT = 128, /* of data */
    DT_FIELD_SIZE,
    DT_FIELD_OTHER_COUNT,
    DT_FIELD_OTHER_SIZE,
    DT_FIELD_SOURCE, /* that a receive from anybody got, less own rank */
    DT_FIELD_GOT_TAG,
    DT_FIELD_COMPLETED, /* places among the live requests, or "all" */
    DT_FIELD_FAILED,    /* error class */
    DT_FIELD_NOT_MADE,  /* 1: the call made no request */
    DT_FIELD_PROVIDED,  /* thread level */
    DT_FIELD_OPEN,      /* 1: it never returned */
    DT_FIELD_TIMES      /* of a loop */
};

/** A value of a field for some ranks. */
typedef struct {
    const DtRankSet *on;
    DtRow *row; /* by visits of the node; owned */
} DtPiece;

typedef struct {
    guint kind;     /* DT_FIELD_*, or an argument's */
    GArray *pieces; /* DtPiece, in disjoint sets within the node's */
} DtField;

typedef struct DtSkeletonNode DtSkeletonNode;
struct DtSkeletonNode {
    const DtRankSet *on;
    guint function;      /* index into the skeleton's functions; of loops G_MAXUINT */
    GArray *fields;      /* DtField; of a loop DT_FIELD_TIMES alone */
    GPtrArray *children; /* DtSkeletonNode; NULL: a call */
    char *comment;       /* of a call: "heat.c:60 in exchange", or what stood behind it in a file; NULL: nothing */
    GArray *times;       /* DtNodeTime (node_times.h), of a call: what passed before it; NULL: not known */
};
static inline gboolean dt_skeleton_node_is_loop(const DtSkeletonNode *node)
{
    return node->children != NULL;
}

/** A communicator other than world and self: its groups, each by ranks in MPI_COMM_WORLD in the order of members. */
typedef struct {
    char *name;
    GPtrArray *groups; /* (element-type GArray of gint) */
} DtSkeletonCommunicator;

/** Of all threads with one number. */
typedef struct {
    guint number;     /* T of the label P.T */
    GPtrArray *nodes; /* DtSkeletonNode */
} DtSkeletonThread;

typedef struct {
    guint ranks;
    DtMesh mesh;
    DtRankSets *sets;
    DtAtoms *atoms;
    DtValue nobody;           /* the atom "null" */
    GPtrArray *functions;     /* names */
    GPtrArray *communicators; /* DtSkeletonCommunicator, by name */
    GPtrArray *threads;       /* DtSkeletonThread, by number */
} DtSkeleton;

typedef struct {
    gboolean communication_only; /* leave out what says nothing to others: MPI_Comm_rank, MPI_Wtime, types, groups */
    gboolean no_lines;           /* do not look up where calls come from */
    gboolean no_mesh;            /* tell no peers by steps */
    DtMesh mesh;                 /* of the ranks, by which peers are told; without axes: found out */
    gboolean processor_times;    /* of times: what was used of the processor, instead of what passed by the clock */
    guint most_calls;            /* that differ, of all ranks; more: DT_SKELETON_ERROR_LARGE. 0: any */
} DtSkeletonOptions;

/** Of the ranks of a run, each one process. O(words of the run + classes of ranks * (nodes of a class)^2). */
DtSkeleton *dt_skeleton_of_run(const DtRun *run, const DtSkeletonOptions *options, GError **error);
/** FALSE: the mesh has more places than there are ranks. */
gboolean dt_mesh_fits(const DtMesh *mesh, guint ranks, GError **error);
/** Without calls that say nothing to others, as the run's is with `communication_only`: loops are found again, and
 * peers told as `options` say; calls come from where their lines do. DT_SKELETON_ERROR_LARGE: more than
 * DT_SKELETON_MOST_CALLS calls of all ranks. O(calls). */
DtSkeleton *dt_skeleton_communicating(const DtSkeleton *skeleton, const DtSkeletonOptions *options, GError **error);
/** With all calls: what the skeleton of a run with these calls is, whatever the tree of `skeleton` is. Else the same.
 */
DtSkeleton *dt_skeleton_as_recorded(const DtSkeleton *skeleton, const DtSkeletonOptions *options, GError **error);
/** Without anything; for those who fill one. */
DtSkeleton *dt_skeleton_new(void);
void dt_skeleton_free(DtSkeleton *skeleton);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DtSkeleton, dt_skeleton_free)

/** What dt_skeleton_parse() reads; g_free(). O(size). */
char *dt_skeleton_text(const DtSkeleton *skeleton);
/** What a text may be without. */
typedef enum {
    DT_TEXT_NO_LINES = 1, /* what stands behind calls */
    DT_TEXT_NO_TIMES = 2
} DtSkeletonTextFlags;
char *dt_skeleton_text_with(const DtSkeleton *skeleton, DtSkeletonTextFlags without);
/** The values of a piece of a field; g_free(). */
char *dt_skeleton_row_text(const DtSkeleton *skeleton, guint kind, const DtRow *row);
/** Numbers the places that calls come from, instead of their files and functions. */
void dt_skeleton_anonymise(DtSkeleton *skeleton);
/** `name`: of the file, for errors. */
DtSkeleton *dt_skeleton_parse(const char *text, const char *name, GError **error);
/** The place of a rank in the communicator with that name, of which it is a member, and how many members that has; of
 * one that is not known, those of the world. O(groups) where members are the same way apart. */
void dt_skeleton_find_member(const DtSkeleton *skeleton, const char *communicator, guint rank, guint *index,
                             guint *size);
/** Nodes of all threads. */
guint dt_skeleton_size(const DtSkeleton *skeleton);

/** That are written out: calls, and rounds of loops. A file from a stranger may claim any number. */
#define DT_SKELETON_MOST_CALLS (1u << 25)
/** The calls of a rank's thread, one a line, as the text has them for one rank: "MPI_Send(world, to +1, ...)".
 * g_free(). O(calls). */
char *dt_skeleton_expand(const DtSkeleton *skeleton, guint thread, guint rank, GError **error);

G_END_DECLS

#endif
