/** Which rank a peer is, as a formula: steps in the mesh, a permutation of places, bits turned, a rank by number. */
#ifndef DT_EXTRAPOLATE_PARTNER_LAW_H
#define DT_EXTRAPOLATE_PARTNER_LAW_H

#include "extrapolate/number_law.h"

G_BEGIN_DECLS

/** The place of the peer along one axis. */
typedef enum {
    DT_ALONG_STEP,     /* own + k, round the axis */
    DT_ALONG_BITS,     /* own with the bits of k turned */
    DT_ALONG_MIRROR,   /* from the other end */
    DT_ALONG_FIXED,    /* k */
    DT_ALONG_FROM_END, /* k from the end */
    DT_ALONG_HALF,     /* own + half of the size */
    DT_ALONG_COARSE,   /* the place along another axis, scaled down to this one */
    DT_ALONG_FINE      /* the place along another axis, scaled up, and what own leaves then */
} DtAlongKind;

typedef struct {
    guint8 kind, other;
    gint32 k;
} DtAlong;

typedef enum {
    DT_PARTNER_ALONG,
    DT_PARTNER_RANK,
    DT_PARTNER_DISTANCE,
    DT_PARTNER_BITS,
    DT_PARTNER_ON, /* a distance that is no negative number */
    DT_PARTNER_BACK
} DtPartnerKind;

typedef struct {
    DtPartnerKind kind;
    guint axes; /* of the spots */
    DtAlong along[DT_MESH_AXES];
    DtNumberLaw number;
    guint spare;
} DtPartnerLaw;

typedef struct {
    DtSpot spot;
    gint64 peer;
} DtPartnerSample;

/** The first law that has all samples (element-type DtPartnerSample), whose spots have equally many axes. */
gboolean dt_partner_law_find(const GArray *samples, DtTrials trials, DtPartnerLaw *law);
/** FALSE: it tells no rank there. */
gboolean dt_partner_law_at(const DtPartnerLaw *law, const DtSpot *spot, gint64 *peer);
/** The sizes that it speaks of in a mesh of so many axes: axes as bits, ranks behind them. */
guint dt_partner_law_sizes(const DtPartnerLaw *law, guint axes);
void dt_partner_law_append(const DtPartnerLaw *law, GString *text);

G_END_DECLS

#endif
