/** The formulas of a merged skeleton, node by node. */
#ifndef DT_EXTRAPOLATE_LAWS_H
#define DT_EXTRAPOLATE_LAWS_H

#include "extrapolate/condition.h"
#include "extrapolate/partner_law.h"
#include "extrapolate/sizes.h"

G_BEGIN_DECLS

typedef struct DtSeries DtSeries;

/** What one value is. */
typedef enum { DT_VALUE_FIXED, DT_VALUE_NUMBER, DT_VALUE_PARTNER, DT_VALUE_LIST } DtValueKind;
typedef struct {
    DtValueKind kind;
    DtValue fixed; /* an atom of the merged skeleton, or `last` */
    DtNumberLaw number;
    DtPartnerLaw partner;
    DtSeries *list; /* "<4 2>"; owned */
    guint spare;
} DtValueLaw;

/** The values of a row or list: the first `head` and the last `tail` ones each by itself, those between by one law in
 * the number of their visit, if there is a middle; all that again and again, if it is repeated. */
struct DtSeries {
    guint head, tail;
    gboolean has_middle;
    GArray *values; /* DtValueLaw: head, then tail, then the middle's */
    DtNumberLaw length;
    guint spare;
    gboolean is_repeated;
    DtNumberLaw times;
};

/** Of some ranks. */
typedef struct {
    DtCondition *on;
    DtSeries *series;
} DtPieceLaw;

typedef struct {
    guint kind;
    GPtrArray *pieces; /* DtPieceLaw; none: there is no formula */
    DtCondition *on;   /* of the node's ranks those that have the field; NULL: there is no formula */
    guint spare;
} DtFieldLaw;

typedef struct DtNodeLaw DtNodeLaw;
struct DtNodeLaw {
    const DtSkeletonNode *node; /* of the merged skeleton */
    DtCondition *on;            /* of the parent's ranks; NULL: there is no formula */
    DtCondition *at;            /* of a word: at which stages which ranks have it; NULL: there is no formula */
    GPtrArray *fields;          /* DtFieldLaw; of a word none */
    GPtrArray *children;        /* DtNodeLaw; NULL: a call */
    gboolean is_word;           /* of a loop over stages: what some ranks do at some of them */
    char *communicator;         /* of a loop over stages: of the ranks in conditions of its words; NULL: it is none */
};
DtNodeLaw *dt_node_law_new(const DtSkeletonNode *node);
DtFieldLaw *dt_field_law_new(guint kind);
/** Takes over the condition and the series. */
void dt_field_law_add(DtFieldLaw *law, DtCondition *on, DtSeries *series);
void dt_field_law_free(gpointer law);
void dt_node_law_free(gpointer law);
/** How many values prove a law that speaks of the sizes `mask` and was found without the size `held`, of which it has
 * `values`: none, if along an axis of these that size is one of the others. O(ranks). */
guint dt_laws_proof(const DtSizes *sizes, guint held, guint mask, guint values);

/** How the members of a communicator's groups follow. */
typedef enum {
    DT_GROUPS_ALONG,     /* those that differ along the axes of `mask` only */
    DT_GROUPS_BLOCKS,    /* k ranks behind each other */
    DT_GROUPS_STRIDES,   /* every k-th */
    DT_GROUPS_SHARES,    /* one k-th of all ranks */
    DT_GROUPS_SCATTERED, /* every (P/k)-th */
    DT_GROUPS_CONDITION  /* one group, by a condition */
} DtGroupsKind;
typedef struct {
    char *name;
    gboolean is_known;
    DtGroupsKind kind;
    guint mask;
    gint64 k;
    DtCondition *on;
    guint spare;
} DtGroupsLaw;

struct DtLaws {
    DtSizes *sizes;
    DtTests *tests;
    GPtrArray *threads; /* GPtrArray of DtNodeLaw, as the merged skeleton's threads */
    GPtrArray *groups;  /* DtGroupsLaw */
    DtMesh *meshes;     /* by size */
    guint family;       /* of meshes; DT_MESH_FAMILIES: none of these */
    DtLawCounts counts;
    gboolean has_times;     /* times are told, too */
    gboolean lacks_sources; /* what a receive from anybody got has no formula somewhere */
};

/** Finds all; takes over the sizes. O(nodes * values * formulas). */
DtLaws *dt_laws_fit(DtSizes *sizes);

/** The run that would decide most where there is no formula, or several are as good: "A run on 32 ranks (3 sizes so
 * far)"; along the axis with the fewest sizes twice the longest. g_free(). O(sizes^2 * axes). */
char *dt_laws_further_run(const DtLaws *laws);
/** Sets `lacks_sources`. */
void dt_laws_note_sources(DtLaws *laws);
/** FALSE: the field has no formula, or one that builds on what has none. */
gboolean dt_laws_tell(const DtLaws *laws, const DtFieldLaw *law);
/** Whether a call can be predicted without the field: then an argument is unknown, an outcome left out. */
gboolean dt_field_may_be_untold(const DtFieldLaw *law);

/** A series of values with what they are seen with. */
typedef struct {
    guint place; /* among the spots */
    DtSpot spot; /* in the communicator of peers */
    const DtValue *values;
    guint count;
} DtSeriesSample;
/** `samples`: element-type DtSeriesSample. NULL: there is none. */
DtSeries *dt_series_find(const DtSizes *sizes, gboolean are_peers, const GArray *samples, DtTrials trials);
/** The same of single values at stages: each sample has one, at the stage `visit` of `visits` of its spot. */
DtSeries *dt_series_find_at_stages(const DtSizes *sizes, gboolean are_peers, const GArray *samples);
/** Such a one's value; `own` and `spot` have the stage. */
gboolean dt_series_at_stage(const DtSeries *series, const DtSizes *sizes, const DtSpot *own, const DtSpot *spot,
                            DtAtoms *atoms, DtValue *value);
/** A single number by that law. */
DtSeries *dt_series_of_number(const DtNumberLaw *law);
void dt_series_free(DtSeries *series);
/** The values at a spot (element-type DtValue), peers as ranks of the communicator if they are no atoms; atoms are
 * those of `atoms`. FALSE: they are none. `own`: the spot in the mesh, by which the length goes. */
gboolean dt_series_at(const DtSeries *series, const DtSizes *sizes, const DtSpot *own, const DtSpot *spot,
                      DtAtoms *atoms, GArray *values);
/** The sizes that it speaks of: axes as bits, ranks behind them. */
guint dt_series_sizes(const DtSeries *series, guint axes);
void dt_series_append(const DtSeries *series, const DtSizes *sizes, GString *text);

/** Of the communicators that the skeletons have; `held`: the size that proves them. */
GPtrArray *dt_groups_fit(const DtSizes *sizes, const DtTests *tests, guint held);
/** The groups there (element-type GArray of gint); NULL: the law says nothing there. */
GPtrArray *dt_groups_at(const DtGroupsLaw *law, const DtMesh *mesh, guint ranks);
void dt_groups_append(const DtGroupsLaw *law, guint axes, GString *text);

/** Meshes as programs choose them: a row, or two or three axes as even as they can be. */
enum { DT_MESH_FAMILIES = 5 };
DtMesh dt_mesh_of_family(guint family, guint ranks);

G_END_DECLS

#endif
