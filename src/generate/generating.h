/** Within the making of a program. */
#ifndef DT_GENERATE_GENERATING_H
#define DT_GENERATE_GENERATING_H

#include "generate/generate.h"

G_BEGIN_DECLS

typedef struct {
    const DtSkeleton *skeleton;
    const DtGenerateOptions *options;
    GString *data;        /* declarations of the file */
    GString *set_up;      /* what a rank does behind MPI_Init */
    GString *functions;   /* in the order of their definition */
    GHashTable *sets;     /* DtRankSet -> name of a variable that tells whether the rank is in it */
    GHashTable *bodies;   /* text of a function's body -> its name */
    GHashTable *numbers;  /* word -> how many names begin with it */
    GHashTable *left_out; /* name of a function -> itself */
    GHashTable *children; /* DtSkeletonNode -> GArray by rank of DtRow*: the communicators that it makes, by number */
    GPtrArray *communicators; /* names, by number: world, self, ... */
    guint64 bytes;            /* of the largest message */
    gboolean few_requests;    /* only all live ones are waited for */
    const DtSkeletonNode *main_loop;
    gboolean uses_last;
    double compute_seconds; /* of all ranks, between all calls */
} DtGenerating;

/** A loop around a statement, in the same function. */
typedef struct {
    const char *variable;
    gint64 times; /* 0: not one number */
    gboolean is_main;
    gboolean comes_again; /* it is entered more than once */
} DtAround;

/** A call that is being written. */
typedef struct {
    DtGenerating *generating;
    const DtSkeletonNode *node;
    const DtAround *around; /* NULL: no loop */
    GString *before;        /* declarations of what is used more than once */
    GString *after;         /* what is done behind the call */
    gboolean is_possible;
    char *count[4], *type[4]; /* texts by place: 0, 1 of data, 2, 3 of the other side's; NULL: not asked for */
    char *list[2];            /* counts of members */
    char *communicator;
} DtStatement;

/* ---- conditions.c ------------------------------------------------------------------------------ */

/** A condition that is true of those ranks of `within` that are in `set`, if one can be read; NULL: none. `is_or`: it
 * has an || outside of parentheses. g_free(). O(ranks * moduli tried). */
char *dt_condition_of_set(const DtSkeleton *skeleton, const DtRankSet *set, const DtRankSet *within, gboolean *is_or);
/** The same, but of any set: then a variable. */
char *dt_condition(DtGenerating *generating, const DtRankSet *set, const DtRankSet *within);
/** "0-3,8-14/2". g_free(). */
char *dt_ranks_text(const DtSkeleton *skeleton, const DtRankSet *set);
/** All ranks stand in the mesh. */
gboolean dt_has_mesh(const DtSkeleton *skeleton);
guint dt_mesh_coordinate(const DtMesh *mesh, guint rank, guint axis);

/* ---- fields.c ---------------------------------------------------------------------------------- */

/** The `which`th field of that kind, from 0; NULL: the call has none. */
const DtField *dt_field_find(const DtSkeletonNode *node, guint kind, guint which);
/** "count_3". g_free(). */
char *dt_new_name(DtGenerating *generating, const char *word);
/** An expression for a number; `otherwise` for ranks of which the field says nothing. NULL: there is none. */
char *dt_number_text(DtStatement *statement, const DtField *field, const char *otherwise);
/** For a rank of the statement's communicator. */
char *dt_peer_text(DtStatement *statement, const DtField *field);
/** For a string: positions, counts. */
char *dt_string_text(DtStatement *statement, const DtField *field);
/** For a key, which is told less the own rank. */
char *dt_key_text(DtStatement *statement, const DtField *field);
/** The statement's communicator, and what follows `parent` as the one that it makes. */
const char *dt_communicator_text(DtStatement *statement);
char *dt_child_text(DtStatement *statement);
/** "rank", "rank_in(comm[2])". */
char *dt_own_rank_text(DtStatement *statement);
/** TRUE if all ranks have that word at all visits. */
gboolean dt_field_is_word(const DtSkeleton *skeleton, const DtField *field, const char *word);
/** The one number that it is; FALSE: it has several, or a word. */
gboolean dt_field_number(const DtField *field, gint64 *number);
gint64 dt_field_largest(const DtField *field);
/** The ranks of which it says something. */
const DtRankSet *dt_field_ranks(const DtSkeleton *skeleton, const DtField *field);
/** Those for which the word is the value at the first visit. */
const DtRankSet *dt_field_ranks_of_word(const DtSkeleton *skeleton, const DtField *field, const char *word);
/** A text that is used more than once: as a variable of the statement if it asks a row. Takes over `text`. */
char *dt_once(DtStatement *statement, const char *type, const char *word, char *text);

/* ---- compute.c ------------------------------------------------------------------------------------ */

/** Of all ranks and calls below these. O(nodes). */
double dt_compute_seconds(const GPtrArray *nodes);
/** "compute(rank < 2 ? 0.01 : 0.02);", what comes before a call; NULL: nothing that counts. g_free(). */
char *dt_compute_text(DtGenerating *generating, const DtSkeletonNode *node);

/* ---- communicators.c ----------------------------------------------------------------------------- */

/** Goes through all ranks' calls, if one makes a communicator. */
void dt_find_children(DtGenerating *generating);
guint dt_communicator_number(const DtGenerating *generating, const char *name);

/* ---- statements.c -------------------------------------------------------------------------------- */

/** "MPI_Send(out, ...)", with what it needs in `before`; NULL: it cannot be made. */
char *dt_statement_text(DtStatement *statement);
void dt_statement_clear(DtStatement *statement);
/** TRUE if requests are only waited for all together. */
gboolean dt_uses_few_requests(const DtSkeleton *skeleton);

/* ---- helpers.c ----------------------------------------------------------------------------------- */

/** The functions that `program` calls, and what these need, in an order in which they compile. */
char *dt_helpers_text(const DtGenerating *generating, const char *program);
gboolean dt_text_uses(const char *text, const char *word);

G_END_DECLS

#endif
