/** What a number is, as a formula in the sizes of the mesh, the place in it, and the visit. */
#ifndef DT_EXTRAPOLATE_NUMBER_LAW_H
#define DT_EXTRAPOLATE_NUMBER_LAW_H

#include "extrapolate/rational.h"
#include "extrapolate/spot.h"

G_BEGIN_DECLS

typedef enum {
    DT_BASIS_ONE,
    DT_BASIS_INVERSE, /* 1 / size of an axis */
    DT_BASIS_SIZE,
    DT_BASIS_INVERSE_RANKS,
    DT_BASIS_RANKS,
    DT_BASIS_LOG, /* binary, of the size of an axis */
    DT_BASIS_LOG_RANKS,
    DT_BASIS_PRODUCT, /* of the sizes of two axes */
    DT_BASIS_RATIO,
    DT_BASIS_SUM,
    DT_BASIS_AT, /* place along an axis */
    DT_BASIS_RANK,
    DT_BASIS_HALF_RANK,
    DT_BASIS_PARENT,  /* (rank - 1) / 2 */
    DT_BASIS_DIVIDED, /* rank / b, whole */
    DT_BASIS_REST,    /* rank mod b */
    DT_BASIS_LOW_BIT,
    DT_BASIS_LOG_LOW_BIT,
    DT_BASIS_AREA,  /* place along an axis / its size */
    DT_BASIS_FIRST, /* 1 at the first place along an axis, else 0 */
    DT_BASIS_LAST,
    DT_BASIS_VISIT,
    DT_BASIS_VISIT_BACK, /* visits - 1 - visit */
    DT_BASIS_POWER,      /* 2^visit */
    DT_BASIS_POWER_BACK, /* 2^(visits - 1 - visit) */
    DT_BASIS_FRACTION,   /* 1 / 2^visit */
    DT_BASIS_SHARE,      /* 2^visit / ranks */
    DT_BASIS_LOG_UP      /* binary, of the ranks, rounded up; never tried, as much else is like it at small sizes */
} DtBasisKind;

typedef struct {
    guint8 kind, a, b;
} DtBasis;

/** A sum of terms; and, if `parts` is not 0, `times` the size of the part at that place along the axis when so many
 * things are dealt out in blocks, the first ones one longer where it does not come out even. */
typedef struct {
    guint terms;
    DtBasis basis[DT_UNKNOWNS];
    DtRational factor[DT_UNKNOWNS];
    gint64 parts, times;
    guint8 axis; /* DT_MESH_AXES: of all ranks */
    guint spare; /* equations beyond its unknowns; that form was chosen by them, so they prove nothing */
} DtNumberLaw;

typedef struct {
    DtSpot spot;
    gint64 value;
} DtNumberSample;

/** What is tried. */
typedef enum { DT_TRY_FEW, DT_TRY_MANY, DT_TRY_VISITS, DT_TRY_SIZES /* before constants */ } DtTrials;

/** The simplest law that has all samples (element-type DtNumberSample), of those that have spare equations, else of
 * those that have none. FALSE: there is none. O(trials * samples) at most; a wrong one ends after a few. */
gboolean dt_number_law_find(const GArray *samples, DtTrials trials, DtNumberLaw *law);
/** FALSE: it is not whole there, or does not fit. */
gboolean dt_number_law_at(const DtNumberLaw *law, const DtSpot *spot, gint64 *value);
/** The sizes that it speaks of: axes as bits, ranks behind them. */
guint dt_number_law_sizes(const DtNumberLaw *law, guint axes);
DtNumberLaw dt_number_law_constant(gint64 value, guint spare);
void dt_number_law_append(const DtNumberLaw *law, GString *text);

G_END_DECLS

#endif
